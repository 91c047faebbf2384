/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that end a process, or replace its program: what is counted and gathered in memory is
 * written out before. They do nothing else, and nothing at all in a child of vfork(), which shares
 * its parent's memory.
 */
#include "preload/control/process_exit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control/descriptors.h"
#include "preload/control/namespaces.h"
#include "preload/control/seccomp.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/own_stack.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/stacks/modules.h"
#include "preload/trace/enter.h"
#include "preload/trace/own_ring.h"
#include "tracer/provider.h"
#include "tracer/ring.h"
#include "preload/control/executable.h"

static void write_all(void *unused)
{
	int saved = errno, cancel = hg_keep_thread();

	(void)unused;
	hg_tls.unrecorded = HG_UNRECORDED_OURS;
	if (hg_enter_batched()) {
		HG_EACH_PART(flush);
		hg_leave();
	}
	hg_tls.unrecorded = HG_UNRECORDED_CALL;
	HG_EACH_PART(exit);
	hg_release_thread(cancel);
	errno = saved;
}

void hg_process_exit_write(void)
{
	if (HG_UNLIKELY(hg_namespaces_opened) && getpid() == hg_process_id)
		hg_namespaces_look(true);
	if (hg_active != HG_ACTIVE || getpid() != hg_process_id)
		return;
	if (hg_has_room())
		write_all(NULL);
	else
		hg_room_elsewhere(write_all, NULL);
}

void hg_process_exit_again(void)
{
	int cancel;

	if (hg_active == HG_ACTIVE && getpid() == hg_process_id) {
		cancel = hg_keep_thread();
		HG_EACH_PART(again);
		hg_release_thread(cancel);
	}
}

/* The program continues after all. */
static int go_on(int rc, const struct hg_image *image)
{
	hg_missed_take_back(image->row);
	hg_process_exit_again();
	return rc;
}

static size_t count_entries(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/*
 * Determines which program will be executed, and makes another environment on the stack if it must
 * not be recorded or its loader would report an error.
 */
#define FORESEE(path, fd, search, env)                                         \
	struct hg_image image = hg_image_add(path, fd, search, env, getpid()); \
	bool changed = HG_UNLIKELY(hg_confined || image.foreign) && env;       \
	char *list[changed ? count_entries(env) + 1 : 1];                      \
	char preload[changed ? hg_image_preload_length(env) : 1];              \
	if (changed)                                                           \
	env = hg_confined ? hg_confined_environment(env, list)                 \
			  : hg_image_environment(env, list, preload)

static void look_again(void *unused)
{
	(void)unused;
	if (hg_enter()) {
		hg_modules_look_again();
		hg_leave();
	}
}

__attribute__((destructor)) static void at_exit(void)
{
	int saved = errno, cancel;

	if (!hg_ring_is_open())
		return;
	cancel = hg_keep_thread();
	if (hg_has_room())
		look_again(NULL);
	else
		hg_room_elsewhere(look_again, NULL);
	hg_release_thread(cancel);
	errno = saved;
	hg_process_exit_write();
}

HG_EXPORT void _exit(int status)
{
	hg_process_exit_write();
	hg_libc_init();
	if (hg_libc._exit)
		hg_libc._exit(status);
	for (;;)
		hg_syscall(SYS_exit_group, status);
}

HG_EXPORT void _Exit(int status)
{
	_exit(status);
}

/* The C library ends the process with a function of its own. */
HG_EXPORT void quick_exit(int status)
{
	hg_process_exit_write();
	hg_libc_init();
	if (hg_libc.quick_exit)
		hg_libc.quick_exit(status);
	_exit(status);
}

HG_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	FORESEE(path, -1, false, env);

	hg_process_exit_write();
	hg_libc_init();
	if (hg_libc.execve)
		return go_on(hg_libc.execve(path, argv, env), &image);
	return go_on((int)hg_syscall(SYS_execve, path, argv, env), &image);
}

HG_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

HG_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	FORESEE(file, -1, true, env);

	hg_process_exit_write();
	hg_libc_init();
	return go_on(hg_libc.execvpe(file, argv, env), &image);
}

HG_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

HG_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	FORESEE(NULL, fd, false, env);

	hg_process_exit_write();
	hg_libc_init();
	return go_on(hg_libc.fexecve(fd, argv, env), &image);
}

/* The arguments up to NULL; for execle() the environment follows. */
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

/* This does as the C library does: the array of arguments is on the stack, memory may be short. */
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
