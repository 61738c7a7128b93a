# GET /invoices?customer_id=ID lists the invoices of a customer.
. lib/http.sh

customer=$(param customer_id)
awk -F, -v c="$customer" '$2 == c { print $1 " " $3 }' data/invoices.csv
