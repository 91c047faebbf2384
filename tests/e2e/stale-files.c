/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes every descriptor without the C library, as Go's runtime can, opens files of its own, which
 * get the numbers, and allocates until the process's file was made larger several times. Fails if a
 * file has bytes in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 900
#define PAIRS 150000

static void *volatile kept;

static void allocate(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		kept = malloc(5000 + i % 99 * 16);
		free(kept);
	}
}

static void close_all(void)
{
	for (long fd = 3; fd < 4096; fd++) {
		long result;

		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_close), "D"(fd)
				 : "rcx", "r11", "memory");
	}
}

int main(void)
{
	struct rlimit limit;
	char name[32];
	unsigned opened = 0, foreign = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	allocate(200);
	close_all();
	for (unsigned i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "file%u", i);
		opened += open(name, O_CREAT | O_RDWR | O_TRUNC, 0600) >= 0;
	}
	allocate(PAIRS);
	for (unsigned i = 0; i < FILES; i++) {
		struct stat status;

		snprintf(name, sizeof(name), "file%u", i);
		foreign += !stat(name, &status) && status.st_size > 0;
		unlink(name);
	}
	printf("%u files, %u with bytes that are not the program's\n", opened, foreign);
	return opened != FILES || foreign;
}
