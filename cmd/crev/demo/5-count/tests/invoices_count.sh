# Acme counts its own invoices.
SESSION='role=billing&tenant=acme'
REQUEST='count=yes&customer_id=acme'
test "$(. api/invoices.sh)" = 2
