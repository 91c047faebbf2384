/* SPDX-License-Identifier: Apache-2.0 */
/* Rotates a session into chunks and deletes the oldest ones. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/rotation.h"
#include "tracer/tree.h"

/*
 * A chunk has so much for each CPU: LTTng writes a packet of 4 KiB for each into every chunk, also
 * if nothing happened. A chunk that may not be larger than these is full at once, and so is the
 * next one. LTTng checks the size once a second; chunks of less than SIZE_MIN would all be too
 * large.
 */
#define CPU_MIN   (8 * 1024)
#define SIZE_MIN  (16 * 1024)
#define QUOTA_MIN (256 * 1024)
/* So many chunks fit into a quota at the same time, the one that is written among them. */
#define QUOTA_PARTS 4
/* This part of a quota is kept free for what is recorded until the next check: an eighth. */
#define QUOTA_SPARE 8

struct chunk {
	char *name;      /* of its directory in the archives */
	uint64_t number; /* LTTng's, from 0: the last part of the directory's name */
	uint64_t bytes;
};

struct rotation_victims {
	int archives; /* the directory that they are in */
	unsigned count;
	char **names;
};

/* ---- what is requested ---- */

struct unit {
	char letter;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ 'K', UINT64_C(1) << 10 },
	{ 'M', UINT64_C(1) << 20 },
	{ 'G', UINT64_C(1) << 30 },
	{ 'T', UINT64_C(1) << 40 },
	{ 0, 0 },
};

/* In microseconds. */
static const struct unit times[] = {
	{ 's', UINT64_C(1000000) },
	{ 'm', UINT64_C(1000000) * 60 },
	{ 'h', UINT64_C(1000000) * 3600 },
	{ 'd', UINT64_C(1000000) * 86400 },
	{ 0, 0 },
};

/* Reads a whole number and one of the letters. Returns 0 or -EINVAL. */
static int parse(const char *text, const struct unit *units, uint64_t *value)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || !number || !*end || end[1])
		return -EINVAL;
	for (; units->letter; units++) {
		if (units->letter == *end) {
			*value = number * units->factor;
			return number > INT64_MAX / units->factor ? -EINVAL : 0;
		}
	}
	return -EINVAL;
}

int rotation_parse_size(const char *text, uint64_t *bytes)
{
	return parse(text, sizes, bytes);
}

int rotation_parse(const char *text, struct rotation_plan *plan)
{
	plan->size = plan->period_us = 0;
	return parse(text, sizes, &plan->size) == 0 ? 0 : parse(text, times, &plan->period_us);
}

static uint64_t at_least(uint64_t bytes, uint64_t minimum)
{
	return bytes > minimum ? bytes : minimum;
}

int rotation_settle(struct rotation_plan *plan, unsigned cpus, char *why, size_t why_size)
{
	uint64_t size_min = at_least((uint64_t)CPU_MIN * cpus, SIZE_MIN);
	uint64_t quota_min = at_least(size_min * QUOTA_PARTS, QUOTA_MIN);

	if (plan->keep && !plan->size && !plan->period_us) {
		snprintf(why, why_size, "--keep-chunks requires --rotate");
		return -EINVAL;
	}
	if (plan->size && plan->size < size_min) {
		snprintf(why, why_size, "a chunk has at least %" PRIu64 " KiB with %u processors",
			 size_min / 1024, cpus);
		return -EINVAL;
	}
	if (!plan->quota)
		return 0;
	if (plan->quota < quota_min) {
		snprintf(why, why_size, "a quota is at least %" PRIu64 " KiB with %u processors",
			 quota_min / 1024, cpus);
		return -EINVAL;
	}
	if (plan->size > plan->quota / 2) {
		snprintf(why, why_size, "two chunks do not fit into the quota");
		return -EINVAL;
	}
	if (!plan->size)
		plan->size = plan->quota / QUOTA_PARTS;
	return 0;
}

bool rotation_is_planned(const struct rotation_plan *plan)
{
	return plan->size || plan->period_us;
}

bool rotation_keeps_all(const struct rotation_plan *plan)
{
	return !plan->keep && !plan->quota;
}

/* ---- LTTng's part ---- */

/* Takes over the schedule. */
static int add_schedule(const char *session, struct lttng_rotation_schedule *schedule,
			enum lttng_rotation_status status)
{
	if (schedule && status == LTTNG_ROTATION_STATUS_OK)
		status = lttng_session_add_rotation_schedule(session, schedule);
	lttng_rotation_schedule_destroy(schedule);
	return schedule && status == LTTNG_ROTATION_STATUS_OK ? 0 : -EIO;
}

int rotation_begin(const char *session, const struct rotation_plan *plan, char *why,
		   size_t why_size)
{
	struct lttng_rotation_schedule *schedule;
	int result = 0;

	if (plan->size) {
		schedule = lttng_rotation_schedule_size_threshold_create();
		result = add_schedule(
		    session, schedule,
		    lttng_rotation_schedule_size_threshold_set_threshold(schedule, plan->size));
	}
	if (!result && plan->period_us) {
		schedule = lttng_rotation_schedule_periodic_create();
		result = add_schedule(
		    session, schedule,
		    lttng_rotation_schedule_periodic_set_period(schedule, plan->period_us));
	}
	if (result)
		snprintf(why, why_size, "LTTng: it does not rotate this session");
	return result;
}

/* ---- the chunks ---- */

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *one = a, *other = b;

	return (one->number > other->number) - (one->number < other->number);
}

static void free_chunks(struct chunk *chunks, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(chunks[i].name);
	free(chunks);
}

/* "20210317T101112+0100-20210317T101214+0100-3". */
static bool number_of(const char *name, uint64_t *number)
{
	const char *dash = strrchr(name, '-');
	char *end;

	if (!dash || dash[1] < '0' || dash[1] > '9')
		return false;
	*number = strtoull(dash + 1, &end, 10);
	return !*end;
}

/* Returns the bytes of all files in a directory's directory `name`, in which LTTng may be at
 * work. */
static uint64_t bytes_in(int parent, const char *name)
{
	int folder = tree_open(parent, name);
	uint64_t bytes = 0;

	if (folder >= 0) {
		bytes = tree_bytes(folder);
		close(folder);
	}
	return bytes;
}

/* The chunks in directory `archives`, which may be -1, the oldest first. */
static struct chunk *find_chunks(int archives, unsigned *count)
{
	int again = archives < 0 ? -1 : openat(archives, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again < 0 ? NULL : fdopendir(again);
	struct chunk *chunks = NULL, *more;
	struct dirent *entry;

	*count = 0;
	while (folder && (entry = readdir(folder))) {
		struct chunk chunk = { NULL, 0, 0 };

		if (!number_of(entry->d_name, &chunk.number))
			continue;
		more = realloc(chunks, (*count + 1) * sizeof(*chunks));
		chunks = more ? more : chunks;
		chunk.name = more ? strdup(entry->d_name) : NULL;
		if (!chunk.name)
			break; /* fewer are deleted than could be */
		chunk.bytes = bytes_in(archives, chunk.name);
		chunks[(*count)++] = chunk;
	}
	if (folder)
		closedir(folder);
	else if (again >= 0)
		close(again);
	if (*count)
		qsort(chunks, *count, sizeof(*chunks), compare_chunks);
	return chunks;
}

struct rotation_victims *rotation_look(int trace, const struct rotation_plan *plan,
				       struct rotation_state *state, bool ended)
{
	struct rotation_victims *victims = calloc(1, sizeof(*victims));
	int archives = tree_open(trace, ROTATION_ARCHIVES); /* or there is none yet */
	unsigned count, known = state->chunks + state->deleted;
	struct chunk *chunks = find_chunks(archives, &count);
	uint64_t bytes = plan->quota ? tree_bytes(trace) : 0;
	uint64_t limit = plan->quota - (ended ? 0 : plan->quota / QUOTA_SPARE);

	if (!victims) {
		free_chunks(chunks, count);
		if (archives >= 0)
			close(archives);
		return NULL;
	}
	victims->archives = archives;
	victims->names = count ? calloc(count, sizeof(*victims->names)) : NULL;
	for (unsigned i = 0; victims->names && i < count; i++) {
		bool many = plan->keep && count - i > plan->keep;

		if (!many && (!plan->quota || bytes <= limit))
			break;
		victims->names[victims->count++] = chunks[i].name;
		chunks[i].name = NULL;
		bytes -= bytes < chunks[i].bytes ? bytes : chunks[i].bytes;
		state->deleted_bytes += chunks[i].bytes;
	}
	state->fresh = state->fresh || count + state->deleted > known;
	state->deleted += victims->count;
	state->chunks = count - victims->count;
	free_chunks(chunks, count);
	return victims;
}

unsigned rotation_count(const struct rotation_victims *victims)
{
	return victims ? victims->count : 0;
}

void rotation_delete(struct rotation_victims *victims)
{
	if (!victims)
		return;
	for (unsigned i = 0; i < victims->count; i++) {
		tree_remove(victims->archives, victims->names[i]); /* or the next time */
		free(victims->names[i]);
	}
	if (victims->archives >= 0)
		close(victims->archives);
	free(victims->names);
	free(victims);
}
