#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two processes of ucx_perftest on the loopback device, both with the same arguments.
# usage: ucx.sh ARGUMENT...
# What they print, measurements, goes to standard error. Exit status: 0 if both end with 0.
#
# UCX takes memory that was allocated before its hooks for the host's unless /proc/self/maps names a file of /dev/dri
# (src/ucm/rocm/rocmmem.c), which the software GPU has none of: without its cache it asks the runtime each time.

port=$((20000 + $$ % 10000))
listening=$(printf ':%04X 00000000:0000 0A' $port)
export UCX_MEMTYPE_CACHE=n UCX_NET_DEVICES=lo UCX_LOG_FILE=stderr

ucx_perftest -p $port "$@" >&2 &
server=$!
until grep -q "$listening" /proc/net/tcp; do
	kill -0 $server 2>/dev/null || {
		echo "the server ended before it listened"
		exit 1
	}
	sleep 0.1
done
ucx_perftest -p $port 127.0.0.1 "$@" >&2
client=$?
wait $server
server=$?
echo "server $server, client $client"
[ $server = 0 ] && [ $client = 0 ]
