/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's streams are its own: messages go to a file, which the recorder prints
 * (tracer/process_messages.h); programs that are not recorded write none.
 */
#include "preload/core/recorder_message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/clock.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "tracer/process_messages.h"

/* Returns false if the line is not in the file, but not if that has enough of them. */
static bool append(const char *line, size_t size)
{
	char path[PATH_MAX + sizeof(HG_MESSAGES)];
	struct stat status;
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/" HG_MESSAGES, hg_config.dir);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	done = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       (status.st_size >= HG_MESSAGES_MAX ||
		(hg_may_append(fd, size) && write(fd, line, size) == (ssize_t)size));
	hg_libc.close(fd);
	return done;
}

/* A process that has all descriptors which it may have can make a link all the same. */
static void leave(const char *line)
{
	char path[PATH_MAX + HG_MESSAGE_LINK_NAME];

	snprintf(path, sizeof(path), "%s/" HG_MESSAGE_LINK "%d-%lx", hg_config.dir, (int)getpid(),
		 hg_now());
	hg_syscall(SYS_symlink, line, path);
}

void hg_say(const char *format, ...)
{
	int length, saved = errno, cancel = hg_keep_thread();
	char line[640];
	size_t used;
	va_list args;

	used = (size_t)snprintf(line, sizeof(line), "%d %.64s: ", (int)getpid(),
				program_invocation_short_name);
	va_start(args, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	used += length < 0 ? 0 : (size_t)length;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2; /* for the end of the line, and of the text */
	line[used++] = '\n';
	line[used] = '\0';
	if (hg_config.dir && !append(line, used))
		leave(line);
	hg_release_thread(cancel);
	errno = saved;
}
