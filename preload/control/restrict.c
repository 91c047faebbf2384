/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by which a process gives up what it needs to make its file of records. In a process that
 * has recorded nothing yet (fork.c), the file is made before such a call, because the process may
 * record something afterwards, and is made larger, as it cannot grow any more. Also prctl(), of
 * which one option is seccomp(2).
 */
/* Else the header would give setrlimit() the name setrlimit64(). */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/seccomp.h"
#include "preload/core/base.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/trace/count_missed.h"
#include "preload/trace/own_ring.h"

#define AFTER(first, name, parameters, arguments)                                   \
	HG_EXPORT int name parameters                                               \
	{                                                                           \
		static __typeof__(&name) real; /* atomic */                         \
		__typeof__(&name) found = __atomic_load_n(&real, __ATOMIC_RELAXED); \
                                                                                    \
		if (HG_UNLIKELY(hg_active != HG_DORMANT))                           \
			first;                                                      \
		if (!found) {                                                       \
			hg_libc_init();                                             \
			found = (__typeof__(found))hg_libc.dlsym(RTLD_NEXT, #name); \
			__atomic_store_n(&real, found, __ATOMIC_RELAXED);           \
		}                                                                   \
		return found arguments;                                             \
	}

static void wake(void)
{
	hg_missed_open();
	if (HG_UNLIKELY(hg_active > HG_NEW))
		hg_fork_wake();
	if (hg_active == HG_ACTIVE && getpid() == hg_process_id)
		hg_ring_reserve();
}

#define BEFORE(name, parameters, arguments) AFTER(wake(), name, parameters, arguments)

/* Afterwards the bundle is another user's, or not in this file system tree. */
BEFORE(setuid, (uid_t user), (user))
BEFORE(seteuid, (uid_t user), (user))
BEFORE(setreuid, (uid_t user, uid_t effective), (user, effective))
BEFORE(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved))
BEFORE(setgid, (gid_t group), (group))
BEFORE(setegid, (gid_t group), (group))
BEFORE(setregid, (gid_t group, gid_t effective), (group, effective))
BEFORE(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved))
BEFORE(initgroups, (const char *user, gid_t group), (user, group))
BEFORE(setgroups, (size_t count, const gid_t *groups), (count, groups))
BEFORE(chroot, (const char *path), (path))

/*
 * Limits of memory, file descriptors and threads. A limit that is not lowered takes nothing away:
 * gcc, g++ and make raise that of the stack. The two types of limits are the same.
 */
_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "limits");

/* Only what lies in the caller's own stack can surely be read. */
static bool lowers(__rlimit_resource_t resource, const void *limit)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), place = (uintptr_t)limit;
	struct rlimit64 now, then;
	int saved = errno;
	bool fails;

	if (!hg_tls.room_end || here < hg_tls.room_low || place < here ||
	    place > hg_tls.room_end - sizeof(then) || place % sizeof(then.rlim_cur))
		return true;
	memcpy(&then, limit, sizeof(then));
	fails = hg_syscall(SYS_prlimit64, 0, resource, NULL, &now) != 0;
	errno = saved;
	return fails || then.rlim_cur < now.rlim_cur;
}

#define LIMIT(name, type)                                       \
	AFTER(lowers(resource, limit) ? wake() : (void)0, name, \
	      (__rlimit_resource_t resource, const struct type *limit), (resource, limit))

LIMIT(setrlimit, rlimit)
LIMIT(setrlimit64, rlimit64)

HG_EXPORT int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list list;

	va_start(list, option);
	for (size_t i = 0; i < HG_COUNT(argument); i++)
		argument[i] = va_arg(list, unsigned long);
	va_end(list);
	if (HG_UNLIKELY(option == PR_SET_SECCOMP))
		return (int)hg_confine(SYS_prctl, option, (long)argument[0], (long)argument[1],
				       (long)argument[2], (long)argument[3]);
	return (int)hg_syscall(SYS_prctl, option, argument[0], argument[1], argument[2],
			       argument[3]);
}
