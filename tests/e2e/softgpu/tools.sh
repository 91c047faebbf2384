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
# How it chooses tools from 6 on is not its driver's affair; only the software GPU's runtime shows it in each release.
case $LD_PRELOAD in
*softkfd*) plan=10 refusal="1..7" failed_before= ;;
*) plan=16 refusal="refused to be loaded" failed_before="1 failed before: $directory/none.so" ;;
esac
echo 1..$plan

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
	printf '%s\n' "$output" | grep -q "$refusal" && test ! -e "$TOOL_OUTPUT"
report $? "a tool that refuses is out of the way"

output=$(HSA_TOOLS_LIB="$directory/none.so $tool" "$program" 2>&1)
status=$?
if [ ! "$failed_before" ]; then
	# libhsa-runtime64.so.1.5 is that of 5.2.3, .13 that of 6.1.2.
	release=$(readlink -f "$(ldd "$program" | sed -n 's/.*libhsa-runtime64[^ ]* => \([^ ]*\).*/\1/p')" | sed 's/.*[.]so[.]1[.]\([0-9]*\).*/\1/')
	failed_before="0 failed before"
	[ "$release" -lt 13 ] || failed_before="1 failed before: $directory/none.so"
fi
test $status = 0 && printf '%s\n' "$output" | grep -q "tool: $failed_before\$" && test "$(count queues)" -gt 2
report $? "a tool hears which ones failed before it"

output=$(TOOL_INTERCEPT=1 HSA_TOOLS_LIB=$tool "$program" 2>&1)
report $? "the program runs as before when its packets are intercepted"
before=$(count before)
test "$before" -gt 40 && test "$(count between)" = $((2 * before)) &&
	test "$(count barriers)" = "$before" && test "$(count wrong)" = 0
report $? "$before packets pass the handlers, the last registered first"

[ $plan = 16 ] || exit ${failed:-0}
# asked NAME=VALUE...: checks that the tool's OnLoad was called, whatever it thinks of the table.
asked()
{
	output=$(env "$@" "$program" 2>&1)
	printf '%s\n' "$output" | grep -q "refused to be loaded\|failed before"
}
asked SOFTGPU_HSA_TABLE=7.2 HSA_TOOLS_LIB="$tool"
report $? "ROCm 7: a tool that is named"
asked SOFTGPU_HSA_TABLE=7.2 LD_PRELOAD="$tool"
report $? "... and one that exports that it is a tool"
! asked SOFTGPU_HSA_TABLE=5.2 LD_PRELOAD="$tool"
report $? "ROCm 5 does not look for those"
! asked SOFTGPU_HSA_TABLE=7.2 HSA_TOOLS_LIB="$tool" LD_PRELOAD="$tool" ROCP_TOOL_LIBRARIES=none.so &&
	! asked SOFTGPU_HSA_TABLE=7.2 HSA_TOOLS_LIB="$tool" ROCPROFILER_REGISTER_LIBRARY=none.so
report $? "where rocprofiler-register takes over there are no tools"
asked SOFTGPU_HSA_TABLE=7.2 HSA_TOOLS_LIB="$tool" ROCP_TOOL_LIBRARIES=none.so HSA_TOOLS_ROCPROFILER_V1_TOOLS=1
report $? "... unless those of the first version are wanted"
asked SOFTGPU_HSA_TABLE=5.2 HSA_TOOLS_LIB="$tool" ROCP_TOOL_LIBRARIES=none.so
report $? "ROCm 5 does not know it"
exit ${failed:-0}
