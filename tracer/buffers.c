/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the size of trace buffers by the number of CPUs and the free shared memory. */
#include <errno.h>
#include <stdbool.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "tracer/buffers.h"
#include "tracer/message.h"

/*
 * Sub-buffers of one CPU. The smallest one still holds the largest events (4 KiB of kernel
 * arguments, a command line). At most a quarter of the free shared memory is taken: programs
 * (MPI, RCCL) need it as well, and containers often have 64 MiB in all.
 */
#define COUNT     8
#define COUNT_MIN 2
#define SIZE_MIN  (32 * 1024)
#define SIZE_MOST (512 * 1024)

/*
 * This is the most for all CPUs together. LTTng fills every buffer with zeros when it makes it, and
 * the cost of that must not grow with the machine: most processes run on few of its CPUs.
 */
#define SUM_MAX (UINT64_C(64) << 20)

/* LTTng-UST 2.13 takes one more sub-buffer for each CPU, for its reader, and so much beside it. */
#define OVERHEAD (32 * 1024)

#define POSSIBLE "/sys/devices/system/cpu/possible"

/* This does not call sysconf(_SC_NPROCESSORS_CONF), which in older C libraries counts what is
 * present. */
unsigned buffers_cpus(void)
{
	char text[4096];
	int fd = open(POSSIBLE, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	unsigned long highest = 0;
	bool found = false;
	long configured;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	/* "0-3,8-11": the largest of its numbers. */
	for (char *at = text, *end; *at; at = *end ? end + 1 : end) {
		unsigned long number = strtoul(at, &end, 10);

		found = found || end != at;
		highest = number > highest ? number : highest;
	}
	if (found && highest < UINT_MAX)
		return (unsigned)highest + 1;
	configured = sysconf(_SC_NPROCESSORS_CONF);
	return configured > 0 ? (unsigned)configured : 1;
}

/* Returns the bytes of shared memory that they take ... */
static uint64_t sum(const struct buffers *buffers, unsigned cpus)
{
	return (buffers->size * (buffers->count + 1) + OVERHEAD) * cpus;
}

/* ... and how many of these hold events. */
static uint64_t held(const struct buffers *buffers, unsigned cpus)
{
	return buffers->size * buffers->count * cpus;
}

/* Makes sub-buffers smaller, then fewer of them, until all fit into `bytes`. Returns true if they
 * do. */
static bool shrink(struct buffers *buffers, unsigned cpus, uint64_t bytes)
{
	while (buffers->size > SIZE_MIN && sum(buffers, cpus) > bytes)
		buffers->size /= 2;
	while (buffers->count > COUNT_MIN && sum(buffers, cpus) > bytes)
		buffers->count /= 2;
	return sum(buffers, cpus) <= bytes;
}

int buffers_choose(struct buffers *buffers, unsigned cpus, uint64_t available)
{
	uint64_t budget = available / 4 < SUM_MAX ? available / 4 : SUM_MAX;

	*buffers = (struct buffers){ .size = SIZE_MOST, .count = COUNT };
	while (buffers->size > SIZE_MIN && sum(buffers, cpus) > budget)
		buffers->size /= 2;
	/* Fewer of the smallest: up to half of what is free. */
	if (available / 2 < SUM_MAX)
		return shrink(buffers, cpus, available / 2) ? 0 : -ENOSPC;
	shrink(buffers, cpus, SUM_MAX);
	return sum(buffers, cpus) <= available / 2 ? 0 : -ENOSPC;
}

/* Returns 0 if a segment can be made there at all, or -1 with errno. */
static int try_shared_memory(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/hipgrain-%ld-%lx", (long)getpid(), (long)time(NULL));
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return -1;
	shm_unlink(name);
	close(fd);
	return 0;
}

/*
 * LTTng-UST waits for its session daemon in /dev/shm/lttng-ust-wait-N-USER, N being a number of its
 * protocol. It takes no file of another user, and then records nothing [lttng-ust 2.12 and 2.13,
 * seen]: one that somebody made, or the same user's of another user namespace. 0 or -errno.
 */
static int check_wait_file(char *why, size_t why_size)
{
	char pattern[64];
	struct stat status;
	int result = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/dev/shm/lttng-ust-wait-*-%lu",
		 (unsigned long)getuid());
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !result; i++)
		if (lstat(found.gl_pathv[i], &status) == 0 && status.st_uid != geteuid())
			result = refuse(why, why_size, EACCES,
					"%s belongs to user %lu, so LTTng-UST records nothing: "
					"remove it, or use another /dev/shm",
					found.gl_pathv[i], (unsigned long)status.st_uid);
	globfree(&found);
	return result;
}

int buffers_measure(struct buffers *buffers, char *why, size_t why_size)
{
	unsigned cpus = buffers_cpus();
	struct statvfs filesystem;
	uint64_t available;

	/* LTTng-UST keeps its buffers in POSIX shared memory. */
	if (statvfs("/dev/shm", &filesystem) || try_shared_memory()) {
		return refuse(why, why_size, errno, "/dev/shm, where LTTng's buffers live: %s",
			      strerror(errno));
	}
	if (check_wait_file(why, why_size))
		return -EACCES;
	available = (uint64_t)filesystem.f_bavail * filesystem.f_frsize;
	if (buffers_choose(buffers, cpus, available)) {
		return refuse(why, why_size, ENOSPC,
			      "/dev/shm has %llu KiB free, the trace buffers of %u CPUs need %llu "
			      "KiB (in a container, raise --shm-size)",
			      (unsigned long long)(available / 1024), cpus,
			      (unsigned long long)(sum(buffers, cpus) * 2 / 1024));
	}
	return 0;
}

int buffers_ring(struct buffers *buffers, uint64_t bytes, char *why, size_t why_size)
{
	unsigned cpus = buffers_cpus();
	struct statvfs filesystem;

	*buffers = (struct buffers){ .size = SIZE_MIN, .count = COUNT };
	while (buffers->count > COUNT_MIN && held(buffers, cpus) > bytes)
		buffers->count /= 2;
	if (held(buffers, cpus) > bytes) {
		return refuse(why, why_size, EINVAL,
			      "a snapshot of %u CPUs needs at least %llu MiB", cpus,
			      (unsigned long long)((held(buffers, cpus) >> 20) + 1));
	}
	while (buffers->size * 2 <= UINT32_MAX && held(buffers, cpus) * 2 <= bytes)
		buffers->size *= 2;
	if (!statvfs("/dev/shm", &filesystem) &&
	    (uint64_t)filesystem.f_bavail * filesystem.f_frsize < sum(buffers, cpus))
		return refuse(why, why_size, ENOSPC, "/dev/shm has not that much free");
	return 0;
}
