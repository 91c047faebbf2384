#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: tools.sh PROGRAM TOOL. TAP: a library named by HSA_TOOLS_LIB stands between libamdhip64 and
# the runtime. PROGRAM prints TAP itself; it makes several streams.
program=$1
tool=$2
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
export TOOL_OUTPUT="$directory/counts"
# AMD's runtime, seen with 5.2.3 and 6.1.2, says nothing of a tool that refuses. 5.2.3 does not count libraries that it can't open;
# 6.1.2 does, and names them.
echo 1..10

report() # good? description
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		printf '%s\n' "$output" | sed 's/^/# /'
		sed 's/^/# counted: /' "$TOOL_OUTPUT"
		failed=1
	fi
}

count()
{
	sed -n "s/^$1 //p" "$TOOL_OUTPUT"
}

output=$(HSA_TOOLS_LIB=$tool "$program" 2>&1)
report $? "the program runs as before"
test "$(count agents)" = 2
report $? "the tool can ask while it is loaded: $(count agents) agents"
test "$(count queues)" -gt 2
report $? "it sees queues: $(count queues)"
test "$(count allocations)" -gt 3 && test "$(count largest)" -ge 400000
report $? "it sees allocations: $(count allocations)"
# The program's code, and the copy and fill kernels.
test "$(count objects)" -ge 2
report $? "it sees code objects: $(count objects)"
test "$(count doorbells)" -gt 20
report $? "it sees doorbells: $(count doorbells)"

rm -f "$TOOL_OUTPUT"
output=$(TOOL_REFUSES=1 HSA_TOOLS_LIB=$tool "$program" 2>&1) &&
	test ! -e "$TOOL_OUTPUT"
report $? "a tool that refuses is out of the way"

output=$(HSA_TOOLS_LIB="$directory/none.so $tool" "$program" 2>&1)
status=$?
# libhsa-runtime64.so.1.5 is that of 5.2.3, .13 that of 6.1.2.
release=$(readlink -f "$(ldd "$program" | sed -n 's/.*libhsa-runtime64[^ ]* => \([^ ]*\).*/\1/p')" | sed 's/.*[.]so[.]1[.]\([0-9]*\).*/\1/')
failed_before="0 failed before"
[ "$release" -lt 13 ] || failed_before="1 failed before: $directory/none.so"
test $status = 0 && printf '%s\n' "$output" | grep -q "tool: $failed_before\$" && test "$(count queues)" -gt 2
report $? "a tool hears which ones failed before it"

output=$(TOOL_INTERCEPT=1 HSA_TOOLS_LIB=$tool "$program" 2>&1)
report $? "the program runs as before when its packets are intercepted"
before=$(count before)
test "$before" -gt 40 && test "$(count between)" = $((2 * before)) &&
	test "$(count barriers)" = "$before" && test "$(count wrong)" = 0
report $? "$before packets pass the handlers, the last registered first"
exit ${failed:-0}
