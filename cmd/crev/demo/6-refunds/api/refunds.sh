# GET /refunds lists the refunds of a customer.
. lib/http.sh

customer=$(param customer_id)
grep ",$customer," data/refunds.csv
