/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the recorder of a bundle: end the recording (detach), take a snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tracer/attach.h"
#include "tracer/bundle.h"
#include "tracer/control.h"
#include "tracer/message.h"

#define SNAPSHOT_TIMEOUT_MS 60000
/*
 * A session's end waits until everything is written: limited by session.c, and by the totals'
 * limit.
 */
#define DETACH_TIMEOUT_MS 180000

/* Returns true if the manifest of the bundle `lock` has a value under `mark` of its recording. */
static bool says(int lock, const char *mark)
{
	struct json_object *root = bundle_manifest_at(lock), *recording, *value;
	bool found = root && json_object_object_get_ex(root, "recording", &recording) &&
		     json_object_object_get_ex(recording, mark, &value);

	json_object_put(root);
	return found;
}

/*
 * Open a bundle whose manifest has `mark`: its descriptor, or -1 after a message. *ended if no
 * recorder writes to it: a recorder holds the lock until it ends.
 */
static int open_recording(const char *directory, const char *mark, const char *unless, bool *ended)
{
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (lock < 0) {
		message_error("%s: %s", directory, strerror(errno));
		return -1;
	}
	if (!says(lock, mark)) {
		message_error("%s: %s", directory, unless);
		close(lock);
		return -1;
	}
	*ended = flock(lock, LOCK_EX | LOCK_NB) == 0;
	return lock;
}

/*
 * Send a request to its recorder: the answer without the mark, or NULL after a message, unless it
 * has just ended (*ended).
 */
static const char *ask(const char *directory, int lock, enum control_request request,
		       int timeout_ms, char *answer, size_t size, bool *ended)
{
	char why[512];

	if (control_ask(lock, request, timeout_ms, answer, size, why, sizeof(why))) {
		*ended = flock(lock, LOCK_EX | LOCK_NB) == 0;
		if (!*ended)
			message_error("%s: cannot reach its recorder: %s", directory, why);
		return NULL;
	}
	if (*answer != '+') {
		message_error("%s: %s", directory, *answer ? answer + 1 : "no answer");
		return NULL;
	}
	return answer + 1;
}

int detach_bundle(const char *directory)
{
	bool ended = false;
	int lock = open_recording(directory, "attached", "nothing was attached to it", &ended);
	int status = HG_EXIT_INPUT;
	char answer[512];

	if (lock < 0)
		return status;
	if (!ended && ask(directory, lock, CONTROL_DETACH, DETACH_TIMEOUT_MS, answer,
			  sizeof(answer), &ended)) {
		message_note("recorded into %s", directory);
		status = HG_EXIT_OK;
	} else if (ended) {
		message_note("%s: that recording has ended already", directory);
		status = HG_EXIT_OK;
	}
	close(lock);
	return status;
}

int snapshot_bundle(const char *directory)
{
	bool ended = false;
	int lock = open_recording(directory, "snapshots", "it has no flight recorder (--snapshot)",
				  &ended);
	const char *number = NULL;
	char answer[512];

	if (lock < 0)
		return HG_EXIT_INPUT;
	if (!ended) {
		number = ask(directory, lock, CONTROL_SNAPSHOT, SNAPSHOT_TIMEOUT_MS, answer,
			     sizeof(answer), &ended);
	}
	if (ended)
		message_error("%s: that recording has ended", directory);
	if (number)
		message_note("snapshot %s is in %s", number, directory);
	close(lock);
	return number ? HG_EXIT_OK : HG_EXIT_INPUT;
}
