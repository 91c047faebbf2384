# SPDX-License-Identifier: Apache-2.0
# needs python3
# needs-module test.test_json
# Modules of CPython's own test suite that are about memory, threads, signals and processes.
for module in test_gc test_json test_re test_dict test_list test_sort test_zlib test_struct test_mmap \
	test_ctypes test_thread test_threading test_signal test_subprocess test_fork1 test_posix test_os \
	test_tempfile test_queue test_weakref test_exceptions test_generators test_bytes test_array \
	test_concurrent_futures; do
	timeout 300 python3 -m unittest "test.$module" >"$module.log" 2>&1
	echo "$module $? $(grep -E '^(FAIL|ERROR):' "$module.log" | sort | tr '\n' ' ')"
done
