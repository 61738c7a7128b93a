# GET /invoices
. service/invoices.sh
list_invoices
