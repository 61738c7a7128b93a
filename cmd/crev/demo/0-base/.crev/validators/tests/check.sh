#!/bin/sh
# Runs each test in the tree's root and names those that fail.
status=0
for t in "$@"; do
	if ! sh -e "$t" >/dev/null 2>&1; then
		echo "$t:1: this test fails"
		status=1
	fi
done
exit $status
