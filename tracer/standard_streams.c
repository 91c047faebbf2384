/* SPDX-License-Identifier: Apache-2.0 */
/* Occupies the numbers of closed standard streams. */
#include "tracer/streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_occupy(void)
{
	/* The lowest number is taken; so those below it are open. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int got = -1;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (fd == STDERR_FILENO)
			got = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (got < 0)
			(void)!open("/", O_PATH | O_CLOEXEC);
	}
}
