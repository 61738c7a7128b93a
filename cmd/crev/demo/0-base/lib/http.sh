# param NAME prints a parameter of the request.
param() {
	printf '%s\n' "$REQUEST" | tr '&' '\n' | sed -n "s/^$1=//p"
}

# session NAME prints what the signed session says; a client cannot change it.
session() {
	printf '%s\n' "$SESSION" | tr '&' '\n' | sed -n "s/^$1=//p"
}

# deny MESSAGE answers 403.
deny() {
	echo "403 $1"
	exit 0
}
