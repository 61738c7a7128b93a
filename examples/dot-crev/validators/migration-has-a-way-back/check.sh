#!/bin/sh
# Prints path:line: message for each file that fails; 1 means found, anything
# else that is not 0 means broken.
status=0
for up in "$@"; do
	down=${up%.up.sql}.down.sql
	if [ ! -s "$down" ]; then
		echo "$up:1: $down is missing or empty"
		status=1
	fi
done
exit $status
