#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two processes of the driver gloo.cpp, built in the folder in which this is run.
# usage: gloo.sh WAY
# Exit status: 0 if both end with 0.

folder=$(mktemp -d "${TMPDIR:-/tmp}/gloo.XXXXXX") || exit 2
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/store"
./gloo "$1" 0 "$folder/store" >"$folder/out" &
other=$!
./gloo "$1" 1 "$folder/store"
this=$?
wait $other
other=$?
cat "$folder/out"
[ $this = 0 ] && [ $other = 0 ]
