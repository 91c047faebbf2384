// SPDX-License-Identifier: Apache-2.0
/*
 * A program that closes all its descriptors, the software GPU's among them, by system calls and has
 * files of its own by their numbers: memory and kernels are as before, its files keep their
 * content, and a line says what there is no more. Runs with XNACK, whose pages move. TAP on stdout.
 *
 * Ends without exit(), in which AMD's runtime may wait for ever.
 */
#include <hip/hip_runtime.h>

#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

#define COUNT (1 << 18)
#define FILES 4096

__global__ void increment(int *values)
{
	for (int i = threadIdx.x; i < COUNT; i += 64)
		values[i]++;
}

static bool launch(int *values)
{
	increment<<<1, 64>>>(values);
	return !hipDeviceSynchronize();
}

static int wrong(const int *values, int by)
{
	int count = 0;

	for (int i = 0; i < COUNT; i++)
		count += values[i] != i + by;
	return count;
}

static double processor_ms()
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

/* Has every number but the standard streams' be that of one file, which is returned; -1 on errors.
 */
static int take_descriptors()
{
	int file = (int)syscall(SYS_memfd_create, "own", 0), limit = file;

	if (file < 0 || write(file, "own", 3) != 3 || lseek(file, 1, SEEK_SET) != 1)
		return -1;
	for (int fd = 3; fd < FILES; fd++)
		if (fd != file && syscall(SYS_dup2, file, fd) == fd)
			limit = fd;
	return limit > file ? file : -1;
}

static bool is_untouched(int file)
{
	char content[8];

	return lseek(file, 0, SEEK_CUR) == 1 && pread(file, content, sizeof content, 0) == 3 &&
	       !memcmp(content, "own", 3);
}

int main()
{
	char said[1024] = "";
	int ends[2], messages, file, *values;
	double used;
	ssize_t got;

	alarm(100);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (hipMallocManaged((void **)&values, COUNT * sizeof *values)) {
		puts("Bail out! no managed memory");
		return 2;
	}
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	check(launch(values), "a kernel takes the pages to the GPU");
	messages = dup(STDERR_FILENO);
	check(messages >= 0 && !pipe(ends) && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO &&
		  dup2(ends[0], STDIN_FILENO) == STDIN_FILENO,
	      "messages are caught");
	file = take_descriptors();
	check(file >= 0, "all descriptors are the program's");
	check(!wrong(values, 1), "the host has what the kernel wrote: %d wrong", wrong(values, 1));
	check(launch(values), "another kernel");
	check(!wrong(values, 2), "and what it wrote: %d wrong", wrong(values, 2));
	usleep(100000);
	used = processor_ms();
	usleep(500000);
	used = processor_ms() - used;
	check(used < 60, "500 ms of idleness take %.1f ms of processor time", used);
	check(launch(values) && !wrong(values, 3), "a kernel after that");
	check(is_untouched(file), "the program's file is as it was");
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	got = read(STDIN_FILENO, said, sizeof said - 1);
	said[got > 0 ? got : 0] = 0;
	check(!strncmp(said, "softgpu: the program has closed the driver's descriptors", 56) &&
		  strchr(said, '\n') == said + strlen(said) - 1,
	      "a line says so: %.*s", (int)strcspn(said, "\n"), said);
	_exit(tap_end());
}
