/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the process's events in a mapped file of the bundle. */
#include "preload/trace/counts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/batch.h"
#include "tracer/counts.h"
#include "tracer/events.h"
#include "tracer/provider.h"

/*
 * In a page that the kernel clears in every child, also in those that were made without the C
 * library's knowledge: they do not count in their parent's file.
 */
struct own {
	struct hg_counts *counts; /* NULL: there is no file */
	bool tried;               /* to make one */
};

static struct own *own; /* NULL: nothing is counted */
static char path[PATH_MAX];

static const char names[][HG_COUNTS_NAME] = {
#define HG_EVENT(name, ...) #name,
#include "tracer/events.def"
#define NAME(name) #name,
	HG_COUNTED_RECORDS(NAME)
#undef NAME
};

static void joined(const struct hg_provider *provider);

/* Threads' variables lie far apart. */
static uint64_t *own_row(struct hg_counts *counts)
{
	uint64_t spread = ((uintptr_t)&hg_tls >> 12) * UINT64_C(0x9e3779b97f4a7c15);

	return counts->counts[(spread >> 32) % HG_COUNTS_ROWS];
}

static void counted(unsigned kind)
{
	struct hg_counts *counts = own->counts;
	uint64_t *row;

	if (HG_UNLIKELY(!counts)) {
		if (own->tried)
			return;
		joined(hg_provider); /* in a child that was made without fork() */
		counts = own->counts;
		if (!counts)
			return;
		counts->begun = 1;
	}
	if (HG_UNLIKELY(__atomic_load_n(&counts->closed, __ATOMIC_RELAXED)))
		return;
	row = own_row(counts);
	__atomic_fetch_add(&row[kind], 1, __ATOMIC_RELAXED);
}

void hg_counts_records(const struct hg_batch_counts *records)
{
	struct hg_counts *counts = own ? own->counts : NULL;
	uint64_t *row;

	if (!counts || __atomic_load_n(&counts->closed, __ATOMIC_RELAXED))
		return;
	row = own_row(counts);
	for (uint64_t kind = 0; kind < HG_RECORD_KINDS; kind++)
		if (records->of[kind] && kind != HG_RECORD_EVENT)
			__atomic_fetch_add(&row[hg_count_of_record(kind << 56)], records->of[kind],
					   __ATOMIC_RELAXED);
}

/* A process in the background that outlives the recorder may still begin others. */
static bool is_closed(void)
{
	char mark[PATH_MAX];

	return (size_t)snprintf(mark, sizeof(mark), "%s/%s/%s", hg_config.dir, HG_COUNTS,
				HG_COUNTS_CLOSED) < sizeof(mark) &&
	       !access(mark, F_OK);
}

static void make_file(void)
{
	struct hg_counts *counts;
	int saved = errno;

	if (!own && !(own = hg_wiped_memory((size_t)getpagesize())))
		goto out;
	/* Another recording of it begins. */
	if (own->counts && own->counts->pid == (int32_t)getpid())
		goto out;
	own->tried = true;
	own->counts = NULL;
	counts =
	    is_closed() ? NULL : hg_mapped_file(HG_COUNTS, sizeof(*counts), path, sizeof(path));
	if (!counts)
		goto out;
	hg_libc.madvise(counts, sizeof(*counts), MADV_DONTFORK);
	counts->kinds = HG_COUNTS_KINDS;
	counts->rows = HG_COUNTS_ROWS;
	counts->pid = (int32_t)getpid();
	counts->expected = hg_config.recorded;
	counts->ended = HG_ENDED_NOT;
	strncpy(counts->program, program_invocation_short_name, HG_COUNTS_PROGRAM - 1);
	memcpy(counts->names, names, sizeof(names));
	__atomic_store_n(&counts->magic, HG_COUNTS_MAGIC, __ATOMIC_RELEASE);
	own->counts = counts;
out:
	errno = saved;
}

/* Makes the file. A process that never gets to record has one all the same, which says so. */
static void announce(void)
{
	if (hg_config.recorded)
		make_file();
}

static void joined(const struct hg_provider *provider)
{
	make_file();
	if (own)
		*provider->counted = counted;
}

void hg_counts_begun(void)
{
	if (own && own->counts)
		__atomic_store_n(&own->counts->begun, HG_BEGUN_EARLY, __ATOMIC_RELAXED);
}

static void set_ended(enum hg_ended how)
{
	if (own && own->counts)
		__atomic_store_n(&own->counts->ended, how, __ATOMIC_RELAXED);
}

static void end(void)
{
	set_ended(HG_ENDED_ITSELF);
	if (!own || !own->counts || hg_config.recorded || *hg_provider->recording)
		return;
	unlink(path);
	own->counts = NULL; /* the memory goes with the process */
}

void hg_counts_confined(uint32_t why)
{
	if (own && own->counts)
		__atomic_store_n(&own->counts->confined, why, __ATOMIC_RELAXED);
	/* Its end is not written either. */
	set_ended(why ? HG_ENDED_UNKNOWN : HG_ENDED_NOT);
}

bool hg_counts_kept(void)
{
	return own && own->counts;
}

static void again(void)
{
	if (own && !own->counts)
		joined(hg_provider);
	set_ended(HG_ENDED_NOT);
}

/* ---- calls that nobody recorded ---- */

static int left; /* atomic */

void hg_counts_left(void)
{
	__atomic_store_n(&left, 1, __ATOMIC_RELAXED);
}

void hg_counts_unrecorded(void)
{
	struct hg_counts *counts = own ? own->counts : NULL;

	if (!counts || !counts->expected || hg_tls.unrecorded >= HG_UNRECORDED_KINDS ||
	    __atomic_load_n(&counts->closed, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&left, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_add(&counts->unrecorded[hg_tls.unrecorded], 1, __ATOMIC_RELAXED);
}

HG_PART(.name = "counts", .order = 71, .announce = announce, .joined = joined, .exit = end,
	.again = again);
