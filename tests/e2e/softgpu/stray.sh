#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: stray.sh PROGRAM. TAP: a kernel of GPU 1 in GPU 0's memory, which it was not given.
# HIP 7.2 goes on after a fault unless this is set.
export HIP_SKIP_ABORT_ON_GPU_ERROR=0
echo 1..1
output=$( (SOFTGPU_DEVICES=2 "$1" 2 1 stray; echo "status $?") 2>&1)
if printf '%s\n' "$output" | grep -q '^Memory access fault by GPU node-2 ' &&
	printf '%s\n' "$output" | grep -qx 'status 134'; then
	echo "ok 1 - a memory access fault of node 2 ends the process"
else
	echo "not ok 1 - a memory access fault of node 2 ends the process"
	printf '%s\n' "$output" | sed 's/^/# /'
	exit 1
fi
