#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a tester of MAGMA and prints its output without its times: "0.05 (   1.94)" are Gflop/s and time, and other numbers
# without an exponent may be. What has one is an error, which stays.
# usage: magma.sh TESTER [ARGUMENT]...
# Exit status: the tester's, which is 0 if its checks hold.

out=$(mktemp "${TMPDIR:-/tmp}/magma.XXXXXX") || exit 2
trap 'rm -f "$out"' EXIT
"$@" >"$out"
status=$?
sed -E -e 's/[0-9.]+ +\( *[0-9.]+ *\)/SPEED/g' -e 's/(^|[ (,\/])[0-9]+\.[0-9]+([ ),]|$)/\1TIME\2/g' \
	-e 's/(^|[ (,\/])[0-9]+\.[0-9]+([ ),]|$)/\1TIME\2/g' -e '/^% *[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]+ /d' "$out"
exit $status
