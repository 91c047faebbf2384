/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's streams are its own: messages go to a file, which the recorder prints
 * (tracer/process_messages.h); programs that are not recorded write none.
 */
#include "preload/core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "tracer/process_messages.h"

void hg_say(const char *format, ...)
{
	char path[PATH_MAX + sizeof(HG_MESSAGES)], line[640];
	int length, fd = -1, saved = errno, cancel = hg_keep_thread();
	size_t used;
	struct stat status;
	va_list args;

	used = (size_t)snprintf(line, sizeof(line), "%d %.64s: ", (int)getpid(),
				program_invocation_short_name);
	va_start(args, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	used += length < 0 ? 0 : (size_t)length;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used++] = '\n';
	if (hg_config.dir &&
	    snprintf(path, sizeof(path), "%s/" HG_MESSAGES, hg_config.dir) < (int)sizeof(path))
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			  0600);
	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size < HG_MESSAGES_MAX)
		(void)!write(fd, line, used); /* there is nowhere to report that it failed */
	if (fd >= 0)
		hg_libc.close(fd);
	hg_release_thread(cancel);
	errno = saved;
}
