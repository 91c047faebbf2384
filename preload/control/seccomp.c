/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that restrict their system calls, seccomp(2): what the filter allows is what the program
 * needs, not what we need beside it, and the kernel may end the process for one call.
 * So from then on the process is not recorded: what it has gathered is written out before, its
 * count says so, and everything passes through. If there is no filter after all the recording goes
 * on.
 */
#include "preload/control/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/process_exit.h"
#include "preload/core/base.h"
#include "preload/trace/count_missed.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/trace/own_ring.h"
#include "tracer/seccomp_filters.h"

static void end_recording(void)
{
	hg_process_exit_write();
	hg_ring_confined(true);
	hg_libc_check();
	hg_active = HG_DORMANT;
	hg_changed();
}

/* Ends the recording. Returns true if it was this call that ended it. */
static bool begin(void)
{
	if (hg_active > HG_NEW && !hg_fork_wake())
		return false;
	if (hg_active != HG_ACTIVE || getpid() != hg_process_id)
		return false;
	hg_missed_open();
	end_recording();
	__atomic_store_n(&hg_confined, true, __ATOMIC_RELEASE);
	return true;
}

static void undo(void)
{
	int saved = errno;

	__atomic_store_n(&hg_confined, false, __ATOMIC_RELEASE);
	hg_active = HG_ACTIVE;
	hg_process_exit_again();
	hg_ring_confined(false);
	errno = saved;
}

long hg_confine(long number, long a, long b, long c, long d, long e)
{
	/* Without a filter's address it is a question whether the kernel can. */
	bool filter = number == SYS_seccomp ? a == SECCOMP_SET_MODE_FILTER && c
					    : b == SECCOMP_MODE_FILTER && c,
	     strict =
		 number == SYS_seccomp ? a == SECCOMP_SET_MODE_STRICT : b == SECCOMP_MODE_STRICT;
	bool ours = (filter || strict) && begin();
	long rc;

	/* A thread that succeeds makes no system call of ours from then on. */
	hg_tls.strict |= strict;
	rc = hg_next_syscall(number, a, b, c, d, e, 0L);
	if (rc)
		hg_tls.strict = false;
	if (ours && rc)
		undo();
	return rc;
}

/*
 * Began under more filters than the recorder has: a process that is not recorded made the others
 * and executed this one.
 */
static bool refuse(const char *directory)
{
	char status[HG_STATUS_SIZE];
	const char *dir = hg_config.dir;
	bool recorded = hg_config.recorded, confined;
	int saved = errno;
	long fd = hg_syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC),
	     got = fd < 0 ? -1 : hg_syscall(SYS_read, fd, status, sizeof(status) - 1), filters;

	if (fd >= 0)
		hg_syscall(SYS_close, fd);
	errno = saved;
	status[got < 0 ? 0 : got] = '\0';
	filters = hg_seccomp_filters(status);
	if (filters <= 0)
		return false;
	hg_config.dir = directory;
	hg_config.recorded = true;
	confined = hg_missed_filters() >= 0 && filters > hg_missed_filters();
	if (confined)
		hg_missed_add(HG_MISSED_CONFINED, program_invocation_short_name,
			      (pid_t)hg_status_number(status, "Pid:"));
	hg_config.dir = dir;
	hg_config.recorded = recorded;
	return confined;
}

/* Programs that a confined one becomes are confined from their start. */
char **hg_confined_environment(char *const *env, char **list)
{
	size_t count = 0;

	for (; *env; env++)
		if (strncmp(*env, "HIPGRAIN_DIR=", sizeof("HIPGRAIN_DIR=") - 1))
			list[count++] = *env;
	list[count] = NULL;
	return list;
}

HG_PART(.name = "seccomp", .order = 15, .refuse = refuse);
