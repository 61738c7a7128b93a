# Invoices of a customer, for everybody with the role billing.
. lib/http.sh

list_invoices() {
	test "$(session role)" = billing || deny "role billing is needed"

	customer=$(param customer_id)
	awk -F, -v c="$customer" '$2 == c { print $1 " " $3 }' data/invoices.csv
}
