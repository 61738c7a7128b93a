# GET /invoices lists them, with sum=yes it adds them up.
. service/invoices.sh

if test "$(param sum)" = yes; then
	customer=$(param customer_id)
	awk -F, -v c="$customer" '$2 == c { s += $3 } END { printf "%.2f\n", s }' data/invoices.csv
else
	list_invoices
fi
