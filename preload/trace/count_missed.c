/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is in memory that forked processes and children of vfork() share: a process that cannot
 * reach the bundle any more, or may not open files, can still write to it.
 */
#include "preload/trace/count_missed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"

static struct hg_missed_table *table; /* atomic */
static bool absent;                   /* there is none that this process may have */

void hg_missed_open(void)
{
	struct hg_missed_table *none = NULL, *memory;
	int error;

	if (!hg_config.recorded || __atomic_load_n(&table, __ATOMIC_ACQUIRE))
		return;
	memory = hg_mapped_table(HG_MISSED, sizeof(*table), &error);
	absent = error == ENOENT || error == EACCES;
	if (memory && !__atomic_compare_exchange_n(&table, &none, memory, false, __ATOMIC_ACQ_REL,
						   __ATOMIC_RELAXED))
		hg_libc.munmap(memory, sizeof(*table));
}

const volatile int *hg_missed_recording(void)
{
	hg_missed_open();
	return table && table->magic == HG_MISSED_MAGIC ? &table->recording : NULL;
}

/*
 * `recording` becomes 0 when the recording ends. A process that cannot look at it, as memory or
 * descriptors are short, does what it can.
 */
static bool wanted(void)
{
	const volatile int *recording = hg_missed_recording();

	return recording ? *recording : !absent;
}

long hg_missed_filters(void)
{
	hg_missed_open();
	return table && table->magic == HG_MISSED_MAGIC ? (long)table->filters : -1;
}

void hg_missed_count_file(void)
{
	hg_missed_open();
	if (table && table->magic == HG_MISSED_MAGIC)
		__atomic_fetch_add(&table->files, 1, __ATOMIC_RELAXED);
}

static bool is_row(const struct hg_missed_row *row, enum hg_missed why, const char *program)
{
	return row->why == (uint32_t)why && !strncmp(row->program, program, HG_MISSED_PROGRAM - 1);
}

/* Its row, made if there is a free one; NULL: there is none. */
static struct hg_missed_row *find_row(enum hg_missed why, const char *program, pid_t pid)
{
	for (unsigned i = 0; i < HG_MISSED_ROWS; i++) {
		struct hg_missed_row *row = &table->rows[i];
		uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);

		if (state == HG_MISSED_FREE &&
		    __atomic_compare_exchange_n(&row->state, &state, HG_MISSED_TAKEN, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			row->why = (uint32_t)why;
			row->pid = (int32_t)pid;
			strncpy(row->program, program, HG_MISSED_PROGRAM - 1);
			__atomic_store_n(&row->state, HG_MISSED_READY, __ATOMIC_RELEASE);
			return row;
		}
		/*
		 * A row that another process is making just now may be a second one for the same.
		 */
		if (state == HG_MISSED_READY && is_row(row, why, program))
			return row;
	}
	return NULL;
}

struct hg_missed_row *hg_missed_add(enum hg_missed why, const char *program, pid_t pid)
{
	struct hg_missed_row *row;

	hg_missed_open();
	if (!table || table->magic != HG_MISSED_MAGIC ||
	    __atomic_load_n(&table->closed, __ATOMIC_RELAXED))
		return NULL;
	row = find_row(why, program, pid);
	if (row)
		__atomic_fetch_add(&row->count, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&table->others, 1, __ATOMIC_RELAXED);
	return row;
}

void hg_missed_take_back(struct hg_missed_row *row)
{
	if (row)
		__atomic_fetch_sub(&row->count, 1, __ATOMIC_RELAXED);
}

static bool unmade(void)
{
	/* The process is of another user, or in another root. */
	bool away =
	    hg_config.recorded && faccessat(AT_FDCWD, hg_config.dir, W_OK | X_OK, AT_EACCESS);

	return hg_missed_add(away ? HG_MISSED_PLACE : HG_MISSED_ROOM, program_invocation_short_name,
			     getpid());
}

HG_PART(.name = "missed", .order = 14, .wanted = wanted, .unmade = unmade);
