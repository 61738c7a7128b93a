# Invoices of the caller's own company, for everybody with the role billing.
. lib/http.sh

list_invoices() {
	test "$(session role)" = billing || deny "role billing is needed"

	tenant=$(session tenant)
	awk -F, -v c="$tenant" '$2 == c { print $1 " " $3 }' data/invoices.csv
}
