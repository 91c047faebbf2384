// SPDX-License-Identifier: Apache-2.0
/*
 * A kernel that aborts itself ends the process as ROCr and libamdhip64 do it: a message with the
 * status, and SIGABRT; from 7.2 on only if the environment says so. TAP on stdout; the trap happens in a child.
 */
#include <hip/hip_runtime.h>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include "tap.h"

__global__ void stop(int *data)
{
	if (data[threadIdx.x] == 42)
		__builtin_trap();
	data[threadIdx.x] = 1;
}

static int child(bool spring)
{
	int host[64] = {}, *data;

	if (spring)
		host[17] = 42;
	if (hipMalloc(&data, sizeof host) ||
	    hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice))
		return 1;
	stop<<<1, 64>>>(data);
	return hipDeviceSynchronize() ? 2 : 0;
}

/* Run this program again; its exit status as the shell counts, and what it wrote. */
static int again(const char *self, const char *argument, char *text, size_t size)
{
	int ends[2], status = 0;
	size_t length = 0;
	ssize_t got;

	if (pipe(ends))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execl(self, self, argument, static_cast<char *>(nullptr));
		_exit(127);
	}
	close(ends[1]);
	while (length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0)
		length += static_cast<size_t>(got);
	text[length] = 0;
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	static char text[65536];
	int status;

	if (argc > 1)
		return child(!strcmp(argv[1], "trap"));
	status = again(argv[0], "none", text, sizeof text);
	check(status == 0, "no lane traps: status %d", status);
#if HIP_VERSION >= 70200000 /* docs/hip-api.md#hsa-api-tables */
	status = again(argv[0], "trap", text, sizeof text);
	check(status == 2, "a lane traps, and an error is returned: status %d", status);
	setenv("HIP_SKIP_ABORT_ON_GPU_ERROR", "0", 1);
#endif
	status = again(argv[0], "trap", text, sizeof text);
	check(status == 134, "a lane traps: status %d", status);
	check(strstr(text, "HSA_STATUS_ERROR_EXCEPTION") && strstr(text, "0x1016"),
	      "libamdhip64 names the status");
	check(strstr(text, "the kernel aborted itself: kernel _Z4stopPi"), "and we the kernel");
	if (tap_failures)
		fprintf(stderr, "%s", text);
	return tap_end();
}
