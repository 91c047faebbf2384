/* SPDX-License-Identifier: Apache-2.0 */
/* The process that keeps the symbols of a recording. */
#include "tracer/keep_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/close_from.h"
#include "tracer/message.h"

#define WAIT_MS 5

static void work(const char *bundle, symbols_keeper *keep, bool sources, pid_t parent)
{
	struct rlimit none = { 0, 0 };
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || nowhere < 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(nowhere, i);
	close_from(3);
	setrlimit(RLIMIT_CORE, &none);
	_exit(keep(bundle, sources) ? 1 : 0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the process, and ends it where there is no more time. Returns its status. */
static int wait_for(pid_t child, int interrupt)
{
	struct pollfd watched = { .fd = interrupt, .events = POLLIN };
	int64_t end = now_ms() + KEEP_LIMIT_SECONDS * 1000;
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		if (poll(&watched, interrupt >= 0, WAIT_MS) > 0 || now_ms() > end) {
			kill(child, SIGKILL);
			while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
			}
			break;
		}
	}
	return status;
}

void keep_symbols_of(const char *bundle, symbols_keeper *keep, bool sources, int interrupt)
{
	pid_t parent = getpid(), child = keep ? fork() : 0;
	int status;

	if (!keep)
		return;
	if (child == 0)
		work(bundle, keep, sources, parent);
	status = child > 0 ? wait_for(child, interrupt) : -1;
	if (status != 0) {
		message_warning("'%s': functions and lines could not be kept in it: reports need "
				"executables and sources as they are now",
				bundle);
	}
}
