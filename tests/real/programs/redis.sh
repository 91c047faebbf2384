# SPDX-License-Identifier: Apache-2.0
# needs redis-server redis-benchmark redis-cli
redis-server --port 0 --unixsocket "$PWD/s" --save '' --io-threads 2 >log 2>&1 &
server=$!
while ! redis-cli -s s ping >/dev/null 2>&1; do kill -0 $server || exit 1; sleep 0.1; done
redis-benchmark -s s -n 20000 -c 20 -q >benchmark.log 2>&1
echo "benchmark $?"
redis-cli -s s set key value
redis-cli -s s get key
redis-cli -s s dbsize
redis-cli -s s bgsave
redis-cli -s s shutdown nosave
wait $server
echo "server $?"
