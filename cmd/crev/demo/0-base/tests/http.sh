. lib/http.sh
REQUEST='a=1&b=2'
test "$(param b)" = 2
