/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder: events stay in memory until a snapshot is requested. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tracer/control.h"
#include "tracer/message.h"
#include "tracer/recording.h"
#include "tracer/ring.h"
#include "tracer/rings.h"
#include "tracer/tree.h"

/* The processes record their state so often, so that it is among what is kept. */
#define TELL_S       2
#define TELL_RELAY_S 5

/* The only directory in `snapshots` becomes the bundle's trace; the one before is moved aside. */
static int place_snapshot(struct recording *recording)
{
	int folder = tree_open(recording->bundle.lock, RECORDING_SNAPSHOTS);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	char name[PATH_MAX], aside[32];
	struct dirent *entry;
	int result = -ENOENT;

	while (list && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), RECORDING_SNAPSHOTS "/%s", entry->d_name);
		snprintf(aside, sizeof(aside), "earlier-%d", recording->manifest.snapshots);
		if (unlinkat(recording->bundle.lock, BUNDLE_CTF, AT_REMOVEDIR) &&
		    renameat(recording->bundle.lock, BUNDLE_CTF, recording->bundle.lock, aside)) {
			result = -errno;
			break;
		}
		result = renameat(recording->bundle.lock, name, recording->bundle.lock, BUNDLE_CTF)
			     ? -errno
			     : 0;
		break;
	}
	if (list)
		closedir(list);
	else if (folder >= 0)
		close(folder);
	return result;
}

int recording_snapshot(struct recording *recording, char *why, size_t why_size)
{
	int error;

	drain_process_sweep(&recording->drain);
	error = session_snapshot(&recording->session, why, why_size);
	if (!error) {
		error = place_snapshot(recording);
		if (error)
			refuse(why, why_size, -error, "%s", strerror(-error));
	}
	if (error) {
		message_warning("no snapshot: %s", why);
		return error;
	}
	recording->manifest.snapshots++;
	error = bundle_write_manifest(&recording->bundle, &recording->manifest);
	if (error) {
		message_warning("'%s': cannot write the manifest: %s", recording->bundle.path,
				strerror(-error));
	}
	return 0;
}

void recording_listen(struct recording *recording)
{
	recording->signals = signalfd(-1, &recording->waited, SFD_CLOEXEC);
	recording->control =
	    recording->signals < 0 ? -errno : control_listen(recording->bundle.lock);
	if (recording->control < 0) {
		message_warning("'hipgrain snapshot' will not reach this recorder: %s (kill -USR1 "
				"%ld takes a snapshot)",
				strerror(-recording->control), (long)getpid());
		recording->control = -1;
	}
}

static void serve_request(struct recording *recording)
{
	enum control_request request;
	int client = control_accept(recording->control, &request);
	char why[512] = "", answer[512];
	int error;

	if (client < 0)
		return;
	if (request != CONTROL_SNAPSHOT) {
		control_answer(client, "-a flight recorder ends with its command");
		return;
	}
	error = recording_snapshot(recording, why, sizeof(why));
	if (error)
		snprintf(answer, sizeof(answer), "-no snapshot: %.400s", why);
	else
		snprintf(answer, sizeof(answer), "+%d", recording->manifest.snapshots);
	control_answer(client, answer);
}

/* sigtimedwait(2) that also serves requests; these count as a timeout. */
static int wait_or_request(struct recording *recording, siginfo_t *information,
			   const struct timespec *limit)
{
	struct pollfd fds[] = { { .fd = recording->control, .events = POLLIN },
				{ .fd = recording->signals, .events = POLLIN } };
	const struct timespec none = { 0 };

	if (recording->control < 0)
		return sigtimedwait(&recording->waited, information, limit);
	if (poll(fds, 2, (int)limit->tv_sec * 1000) > 0 && fds[0].revents)
		serve_request(recording);
	return sigtimedwait(&recording->waited, information, &none);
}

int recording_wait_and_serve(struct recording *recording, siginfo_t *information)
{
	const struct timespec pause = { .tv_sec = recording->options->url ? TELL_RELAY_S : TELL_S };
	char why[512];
	int number = wait_or_request(recording, information, &pause);

	if (number == SIGUSR1) {
		recording_snapshot(recording, why, sizeof(why));
		errno = EINTR;
		return -1;
	}
	if (number < 0 && errno == EAGAIN) {
		rings_again(recording->bundle.lock, HG_RINGS);
		errno = EAGAIN;
	}
	return number;
}
