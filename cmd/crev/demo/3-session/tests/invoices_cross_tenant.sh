# Somebody of globex asks for the invoices of acme and must not see them.
SESSION='role=billing&tenant=globex'
REQUEST='customer_id=acme'
. service/invoices.sh
case $(list_invoices) in
*inv-1*) exit 1 ;;
esac
test "$(list_invoices)" = 'inv-2 80.50'
