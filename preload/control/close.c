/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that close file descriptors which they did not open (daemons and shells close every
 * number up to the limit) must not close those of LTTng-UST, which ends the process when it finds
 * them closed. To the program they look as if they were not open, which is what such programs
 * expect of most numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/close_range.h"
#include "preload/control/descriptors.h"
#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "tracer/provider.h"
#include "preload/control/listeners.h"

/* LTTng-UST has file descriptors in this process. */
static bool has_tools(void)
{
	return hg_active == HG_ACTIVE || hg_active > HG_NEW;
}

/* LTTng-UST's code. The loader's list is not walked in close(), which signal handlers may call. */
static struct code {
	uintptr_t begin, end;
} lttng[4];

static void loaded(const struct hg_provider *provider)
{
	struct code *code = lttng;

	(void)provider;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (!hg_is_lttng_file(map->l_name) || code == lttng + HG_COUNT(lttng))
			continue;
		*code++ = (struct code){ map->l_addr, map->l_addr + hg_object_size(map->l_addr) };
	}
}

bool hg_code_is_lttngs(const void *caller)
{
	for (size_t i = 0; i < HG_COUNT(lttng); i++)
		if ((uintptr_t)caller - lttng[i].begin < lttng[i].end - lttng[i].begin)
			return true;
	return false;
}

static int real_close(int fd)
{
	return hg_libc.close(fd);
}

int hg_close_of_program(int fd)
{
	if (!has_tools() || !hg_provider->safe_close)
		return (int)hg_syscall(SYS_close, fd);
	if (HG_ANY_PART(owns, fd)) {
		errno = EBADF;
		return -1;
	}
	return hg_provider->safe_close(fd, real_close);
}

HG_EXPORT int close(int fd)
{
	int saved = errno, rc;

	if (HG_LIKELY(!has_tools()) || !hg_provider->safe_close)
		return real_close(fd);
	/* close() may be a cancellation point, but LTTng-UST's lock disables cancellation. */
	pthread_testcancel();
	rc = hg_close_of_program(fd);
	/* The program closed it by a direct system call: LTTng-UST would end the process for that.
	 */
	if (HG_UNLIKELY(rc && errno == EBADF) && hg_code_is_lttngs(__builtin_return_address(0))) {
		errno = saved;
		rc = 0;
	}
	return rc;
}

static __thread bool passed_on __attribute__((tls_model("initial-exec")));

static int note(int fd)
{
	(void)fd;
	passed_on = true;
	return 0;
}

bool hg_descriptor_is_tools(int fd)
{
	if (HG_ANY_PART(owns, fd))
		return true;
	passed_on = false;
	hg_provider->safe_close(fd, note);
	return !passed_on;
}

/* The format of what getdents64(2) returns. */
struct entry {
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

#define TOOLS_MAX 64u

/* LTTng-UST's file descriptors in a range, in ascending order. Does not allocate. */
static unsigned find_tools(unsigned first, unsigned last, unsigned found[TOOLS_MAX])
{
	char buffer[2048] __attribute__((aligned(8)));
	int folder = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	unsigned count = 0;
	long size;

	if (folder < 0)
		return 0;
	while ((size = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < size; at += ((struct entry *)(buffer + at))->size) {
			const char *name = ((struct entry *)(buffer + at))->name;
			unsigned fd = 0, place;

			if (*name < '0' || *name > '9')
				continue;
			for (; *name; name++)
				fd = fd * 10 + (unsigned)(*name - '0');
			if (fd < first || fd > last || count == TOOLS_MAX ||
			    !hg_descriptor_is_tools((int)fd))
				continue;
			for (place = count++; place && found[place - 1] > fd; place--)
				found[place] = found[place - 1];
			found[place] = fd;
		}
	}
	hg_syscall(SYS_close, folder);
	return count;
}

static int range(unsigned first, unsigned last, int flags)
{
	return (int)hg_syscall(SYS_close_range, first, last, flags);
}

HG_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	unsigned tools[TOOLS_MAX], count;
	int saved = errno, rc = 0;

	/* Threads that share the table would keep the descriptors open that this one closes. */
	if (HG_UNLIKELY((unsigned)flags & CLOSE_RANGE_UNSHARE))
		hg_listeners_alone();
	if (!has_tools() || !hg_provider->safe_close || first > last)
		return range(first, last, flags);
	count = find_tools(first, last, tools);
	errno = saved;
	for (unsigned i = 0; i < count && !rc; i++) {
		if (tools[i] > first)
			rc = range(first, tools[i] - 1, flags);
		first = tools[i] + 1;
	}
	return rc || first > last ? rc : range(first, last, flags);
}

HG_EXPORT void closefrom(int first)
{
	int saved = errno;

	if (close_range(first > 0 ? (unsigned)first : 0, ~0u, 0)) {
		/* Before Linux 5.9. */
		for (long fd = first > 0 ? first : 0, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
			hg_close_of_program((int)fd);
	}
	errno = saved;
}

HG_PART(.name = "close", .order = 16, .loaded = loaded);
