/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to end a process, or its program: what is counted and gathered in memory is written out
 * before. Nothing else happens here, and nothing at all in a child by vfork(), which has its
 * parent's memory.
 */
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counts.h"
#include "totals.h"

static void write_all(void)
{
	int saved = errno, cancel;

	if (hg_active != HG_ACTIVE || getpid() != hg_process_id)
		return;
	cancel = hg_keep_thread();
	hg_tls.unrecorded = HG_UNRECORDED_OURS;
	if (hg_enter_batched()) {
		hg_totals_write();
		if (hg_config.standby)
			hg_cost_tell();
		hg_leave();
	}
	hg_tls.unrecorded = HG_UNRECORDED_CALL;
	if (!hg_tls.busy) {
		hg_tls.busy = 1;
		hg_batches_end();
		hg_tls.busy = 0;
	}
	hg_counts_end();
	hg_cost_write();
	hg_wait_end();
	hg_release_thread(cancel);
	errno = saved;
}

/* The program goes on after all. */
static int go_on(int rc)
{
	if (hg_active == HG_ACTIVE && getpid() == hg_process_id) {
		hg_batches_again();
		hg_counts_again();
	}
	return rc;
}

void hg_leave_at_exit(void)
{
	int saved = errno, cancel = hg_keep_thread();

	hg_counts_left();
	if (hg_enter()) {
		hg_modules_look_again();
		hg_leave();
	}
	hg_release_thread(cancel);
	errno = saved;
	write_all();
}

HG_EXPORT void _exit(int status)
{
	write_all();
	hg_libc_init();
	if (hg_libc._exit)
		hg_libc._exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

HG_EXPORT void _Exit(int status)
{
	_exit(status);
}

HG_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	write_all();
	hg_libc_init();
	if (hg_libc.execve)
		return go_on(hg_libc.execve(path, argv, env));
	return go_on((int)syscall(SYS_execve, path, argv, env));
}

HG_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

HG_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	write_all();
	hg_libc_init();
	return go_on(hg_libc.execvpe(file, argv, env));
}

HG_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

HG_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	write_all();
	hg_libc_init();
	return go_on(hg_libc.fexecve(fd, argv, env));
}

/* The arguments up to NULL; what stands after it is execle()'s environment. */
static size_t count_arguments(va_list list)
{
	size_t count = 1;

	while (va_arg(list, char *))
		count++;
	return count;
}

static void collect_arguments(char **argv, const char *first, va_list list)
{
	*argv = (char *)(uintptr_t)first;
	while (*argv++)
		*argv = va_arg(list, char *);
}

/* As the C library does: the array of arguments is on the stack, memory may be short. */
#define EXEC(last, call)                       \
	va_list list, again;                   \
                                               \
	va_start(list, last);                  \
	va_copy(again, list);                  \
	char *argv[count_arguments(list) + 1]; \
	collect_arguments(argv, last, again);  \
	va_end(list);                          \
	int rc = call;                         \
	va_end(again);                         \
	return rc

HG_EXPORT int execl(const char *path, const char *first, ...)
{
	EXEC(first, execve(path, argv, environ));
}

HG_EXPORT int execle(const char *path, const char *first, ...)
{
	EXEC(first, execve(path, argv, va_arg(again, char **)));
}

HG_EXPORT int execlp(const char *file, const char *first, ...)
{
	EXEC(first, execvpe(file, argv, environ));
}
