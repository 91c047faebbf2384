/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of runs. */
#include "runs.h"

#include <string.h>

#include "ring_file.h"

struct record_run {
	int64_t ns;   /* of the next record */
	int64_t base; /* from which times count */
	int64_t offset;
	int32_t pid, tid;
	bool queued, closed;
	bool definitions_only;
	struct hg_record next;
	struct hg_records records; /* behind that */
	struct launch_slots *launches;
	unsigned char bytes[];
};

int64_t run_moment(uint64_t begin, int64_t offset)
{
	int64_t time = (int64_t)begin, sum;

	if (time > RING_TIME_MOST || time < -RING_TIME_MOST)
		time = RING_TIME_MOST;
	if (__builtin_add_overflow(time, offset, &sum))
		sum = offset < 0 ? INT64_MIN : INT64_MAX;
	return MIN(sum, INT64_MAX - (int64_t)UINT32_MAX - 1);
}

struct record_run *run_new(int32_t pid, int32_t tid, uint64_t begin, int64_t offset, size_t room)
{
	struct record_run *run = g_malloc(sizeof(*run) + room);

	memset(run, 0, sizeof(*run));
	run->pid = pid;
	run->tid = tid;
	run->offset = offset;
	run->base = run_moment(begin, offset);
	run->records.begin = begin;
	run->records.at = run->records.end = run->bytes;
	return run;
}

static void run_free(struct record_run *run)
{
	launch_slots_free(run->launches);
	g_free(run);
}

void run_extend(struct record_run *run, const void *bytes, size_t size)
{
	/* The next record has pointers into what is there. */
	size_t used = (size_t)(run->records.end - run->bytes);

	memcpy(run->bytes + used, bytes, size);
	run->records.end += size;
}

void run_close(struct record_run *run)
{
	run->closed = true;
	if (!run->queued)
		run_free(run);
}

void run_leave_out_blocks(struct record_run *run)
{
	run->definitions_only = true;
}

static bool is_left_out(const struct record_run *run)
{
	return run->definitions_only &&
	       (run->next.kind == HG_KIND_BLOCK || run->next.kind == HG_KIND_COPY);
}

/* Returns true if a record is next in the run; then run->ns is its time. */
static bool look(struct record_run *run)
{
	while (hg_record_next(&run->records, &run->next)) {
		if (run->next.kind != HG_KIND_BEGIN) {
			if (is_left_out(run))
				continue;
			run->ns = run->base + (int64_t)run->next.since;
			return true;
		}
		run->base = run_moment(run->records.begin, run->offset);
	}
	return false;
}

/* Returns the launch that the next record stands for. */
static const struct launch *next_launch(struct record_run *run)
{
	if (!run->launches)
		run->launches = launch_slots_new();
	return launch_slots_take(run->launches, &run->next);
}

static bool is_launch(const struct hg_record *record)
{
	return record->kind == HG_KIND_LAUNCH || record->kind == HG_KIND_LAUNCH_CHANGED;
}

void run_skip(struct record_run *run, size_t bytes)
{
	while ((size_t)(run->records.at - run->bytes) < bytes && look(run))
		if (is_launch(&run->next))
			next_launch(run);
}

int64_t run_ns(const struct record_run *run)
{
	return run->ns;
}

static struct record_run *run_at(const GPtrArray *runs, guint at)
{
	return runs->pdata[at];
}

static void swap_runs(GPtrArray *runs, guint one, guint other)
{
	gpointer kept = runs->pdata[one];

	runs->pdata[one] = runs->pdata[other];
	runs->pdata[other] = kept;
}

static void sift_down(GPtrArray *runs)
{
	for (guint at = 0, child; (child = 2 * at + 1) < runs->len; at = child) {
		if (child + 1 < runs->len && run_at(runs, child + 1)->ns < run_at(runs, child)->ns)
			child++;
		if (run_at(runs, at)->ns <= run_at(runs, child)->ns)
			return;
		swap_runs(runs, at, child);
	}
}

GPtrArray *runs_new(void)
{
	return g_ptr_array_new();
}

/* Takes the last run out. */
static void leave(GPtrArray *runs)
{
	struct record_run *run = run_at(runs, runs->len - 1);

	g_ptr_array_set_size(runs, (gint)runs->len - 1);
	run->queued = false;
	if (run->closed)
		run_free(run);
}

void runs_free(GPtrArray *runs)
{
	while (runs->len)
		leave(runs);
	g_ptr_array_free(runs, TRUE);
}

void runs_add(GPtrArray *runs, struct record_run *run)
{
	guint at = runs->len;

	if (run->queued || !look(run))
		return;
	run->queued = true;
	g_ptr_array_add(runs, run);
	for (; at && run_at(runs, at)->ns < run_at(runs, (at - 1) / 2)->ns; at = (at - 1) / 2)
		swap_runs(runs, at, (at - 1) / 2);
}

const struct record_run *runs_first(const GPtrArray *runs)
{
	return runs->len ? run_at(runs, 0) : NULL;
}

/* The first run stays the first as long as its records are not later than this. */
static int64_t next_run_ns(const GPtrArray *runs)
{
	int64_t ns = INT64_MAX;

	for (guint i = 1; i <= 2 && i < runs->len; i++)
		ns = MIN(ns, run_at(runs, i)->ns);
	return ns;
}

void runs_pass(GPtrArray *runs, int64_t until,
	       void (*pass)(const struct order_record *record, void *data), void *data)
{
	struct record_run *run = run_at(runs, 0);
	struct order_record record = { .pid = run->pid, .tid = run->tid, .record = &run->next };
	int64_t last = MIN(until, next_run_ns(runs));
	bool any;

	do {
		record.ns = run->ns;
		if (is_launch(&run->next)) {
			record.launch = next_launch(run);
			run->next.kind = HG_KIND_LAUNCH;
		}
		pass(&record, data);
		any = look(run);
	} while (any && run->ns <= last);
	if (!any) {
		swap_runs(runs, 0, runs->len - 1);
		leave(runs);
	}
	sift_down(runs);
}
