# GET /invoices lists them, with count=yes it counts them.
. service/invoices.sh

if test "$(param count)" = yes; then
	customer=$(param customer_id)
	awk -F, -v c="$customer" '$2 == c { n++ } END { print n + 0 }' data/invoices.csv
else
	list_invoices
fi
