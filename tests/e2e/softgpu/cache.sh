#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: cache.sh PROGRAM. TAP: what the runtime's own kernels compile to is kept, and never trusted
# blindly. PROGRAM prints TAP itself and needs those kernels.
program=$1
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
export XDG_CACHE_HOME="$directory/cache" SOFTGPU_LOG=1
unset SOFTGPU_CACHE
entries=$XDG_CACHE_HOME/hipgrain/softgpu
echo 1..12

report() # good? description
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		printf '%s\n' "$output" | grep -e comgr -e 'not ok' | sed 's/^/# /'
		ls -l "$entries" | sed 's/^/# /'
		failed=1
	fi
}

# Run the program; stored, taken, refused: how many entries were.
run()
{
	output=$("$@" "$program" 2>&1)
	status=$?
	stored=$(printf '%s\n' "$output" | grep -c 'comgr: stored')
	taken=$(printf '%s\n' "$output" | grep -c 'from the cache')
	refused=$(printf '%s\n' "$output" | grep -c 'damaged or not ours')
}

run env
test $status = 0 && test $stored -gt 2 && test $taken = 0
report $? "the first process compiles and keeps $stored results"
all=$stored
# libamd_comgr 3 has a cache of its own beside ours, and the driver its topology, which is no secret.
ours() { find "$XDG_CACHE_HOME" \( -path "$XDG_CACHE_HOME/comgr" -o -path "$entries/topology" \) -prune -o "$@"; }
test "$(ours -path "$entries/*" -type f -print | wc -l)" = $all &&
	test -z "$(ours -type f ! -perm 600 -print)$(ours -type d ! -perm 700 -print)"
report $? "nobody else can read them, and no draft is left"

run env
test $status = 0 && test $stored = 0 && test $taken = $all
report $? "the second process takes all of them"

# The compiler puts the names of its temporary files into one result, so the next has another key.
for file in "$entries"/*.entry; do
	size=$(wc -c <"$file")
	printf '\377' | dd of="$file" bs=1 seek=$((size - 100)) conv=notrunc 2>/dev/null
	printf '\001' | dd of="$file" bs=1 seek=$((size - 99)) conv=notrunc 2>/dev/null
done
run env
test $status = 0 && test $taken = 0 && test $refused -gt 2 && test $stored = $all
report $? "damaged results are compiled again"

for file in "$entries"/*.entry; do
	truncate -s -50 "$file"
done
run env
test $status = 0 && test $taken = 0 && test $refused -gt 2 && test $stored = $all
report $? "truncated ones too"

chmod 666 "$entries"/*.entry
run env
test $status = 0 && test $taken = 0 && test $refused -gt 2 && test $stored = $all
report $? "others could have written them: not used"

chmod 777 "$entries"
run env
test $status = 0 && test $taken = 0 && test $stored = 0
report $? "nor is a folder in which others can write"
chmod 700 "$entries"

run env SOFTGPU_CACHE=0
test $status = 0 && test $taken = 0 && test $stored = 0
report $? "SOFTGPU_CACHE=0 switches it off"

run env AMD_COMGR_EMIT_VERBOSE_LOGS=0
test $status = 0 && test $taken = 0 && test $stored = 0
report $? "a variable of the compiler's switches it off"

run env HIP_DEVICE_LIB_PATH="$directory"
test $taken = 0 && test $stored = 0
report $? "so does one that names other device libraries"

rm -rf "$XDG_CACHE_HOME"
"$program" >"$directory/first" 2>&1 &
"$program" >"$directory/second" 2>&1
second=$?
wait $!
test $? = 0 && test $second = 0
report $? "two processes fill it at once"
run env
test $status = 0 && test $taken -gt 0 && test $refused = 0
report $? "and what they left is sound"
exit ${failed:-0}
