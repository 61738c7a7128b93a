# Acme adds up its own invoices.
SESSION='role=billing&tenant=acme'
REQUEST='sum=yes&customer_id=acme'
test "$(. api/invoices.sh)" = 153.10
