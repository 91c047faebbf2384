/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the bundle that a process maps as shared memory. */
#include "preload/core/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"

bool hg_may_have(uint64_t size)
{
	struct rlimit64 limit;

	return !hg_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) && limit.rlim_cur >= size;
}

bool hg_may_append(int fd, size_t size)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       hg_may_have((uint64_t)status.st_size + size);
}

/*
 * File systems of which Linux, from a release on, maps all that was written at once by one fault.
 * Of others, each 4 KiB that a process touches for the first time take one, which on ext4 is twice
 * as long as in memory.
 */
static const struct {
	long type;
	int major, minor;
} large[] = {
	{ EXT4_SUPER_MAGIC, 6, 18 },
};

static bool has_large_folios(int fd)
{
	struct utsname system;
	struct statfs status;
	int major, minor;
	char *end;

	if (hg_syscall(SYS_fstatfs, fd, &status) || uname(&system))
		return false;
	major = (int)strtol(system.release, &end, 10);
	minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
	for (unsigned i = 0; i < HG_COUNT(large); i++)
		if ((long)status.f_type == large[i].type)
			return major > large[i].major ||
			       (major == large[i].major && minor >= large[i].minor);
	return false;
}

/* What was written once can be written again. Large parts at once make large folios. */
static bool write_zeros(int fd, size_t from, size_t size)
{
	static const char zeros[16384];
	struct iovec parts[64];
	long wrote;

	for (; from < size; from += (size_t)wrote) {
		size_t left = size - from;
		unsigned count = 0;

		for (; count < HG_COUNT(parts) && left; count++) {
			size_t part = left < sizeof(zeros) ? left : sizeof(zeros);

			parts[count] = (struct iovec){ (void *)(uintptr_t)zeros, part };
			left -= part;
		}
		wrote = hg_syscall(SYS_pwritev, fd, parts, count, from, 0L);
		if (wrote <= 0)
			return false;
	}
	return true;
}

/* Reserves the file's blocks: writing to a page without one would raise SIGBUS later. */
static bool reserve(int fd, size_t from, size_t size)
{
	if (from && has_large_folios(fd))
		return write_zeros(fd, from, size);
	if (!fallocate(fd, 0, (off_t)from, (off_t)(size - from)))
		return true;
	/* Some file systems cannot reserve. */
	return errno == EOPNOTSUPP && write_zeros(fd, from, size);
}

/* Allows access to the bytes from `from` on. Before that, a tool that reads all memory that it may,
 * as valgrind does, must not meet pages that no block is behind. */
static bool allow(void *memory, size_t from, size_t size)
{
	return !hg_syscall(SYS_mprotect, (char *)memory + from, size - from,
			   PROT_READ | PROT_WRITE);
}

void *hg_mapped_file_part(const char *folder, size_t size, size_t reserved, char *path,
			  size_t path_size)
{
	void *memory = MAP_FAILED;
	int fd, directory;

	if (!hg_may_have(size) || (size_t)snprintf(path, path_size, "%s/%s/%d-%lx", hg_config.dir,
						   folder, (int)getpid(), hg_now()) >= path_size)
		return NULL;
	directory = hg_open_folder(folder);
	if (directory < 0)
		return NULL;
	fd = openat(directory, strrchr(path, '/') + 1,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	hg_libc.close(directory);
	if (fd < 0)
		return NULL;
	if (reserve(fd, 0, reserved))
		memory = hg_libc.mmap(NULL, size, PROT_NONE, MAP_SHARED, fd, 0);
	hg_libc.close(fd);
	if (memory != MAP_FAILED && allow(memory, 0, reserved))
		return memory;
	if (memory != MAP_FAILED)
		hg_libc.munmap(memory, size);
	unlink(path);
	return NULL;
}

bool hg_mapped_file_grow(void *memory, const char *path, size_t reserved, size_t size)
{
	int fd = -1;
	bool done;

	/* The limit may be lower by now. */
	if (hg_may_have(size))
		fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	done = fd >= 0 && reserve(fd, reserved, size) && allow(memory, reserved, size);
	if (fd >= 0)
		hg_libc.close(fd);
	return done;
}

void *hg_mapped_table(const char *name, size_t size, int *error)
{
	int fd = -1, saved = errno, cancel = hg_keep_thread();
	void *memory = MAP_FAILED;
	struct stat status;
	char path[PATH_MAX];

	errno = ENAMETOOLONG;
	if (hg_config.dir &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", hg_config.dir, name) < sizeof(path))
		fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*error = fd < 0 ? errno : 0;
	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size == (off_t)size)
		memory = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		hg_libc.close(fd);
	hg_release_thread(cancel);
	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void *hg_wiped_memory(size_t size)
{
	void *memory = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (!hg_libc.madvise(memory, size, MADV_WIPEONFORK))
		return memory;
	hg_libc.munmap(memory, size);
	return NULL;
}
