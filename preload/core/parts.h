/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library consists of parts, as its start, fork() and end see them: functions that are called
 * then. The linker collects the parts (HG_PART), so that nothing here names them. Members that are
 * NULL are skipped. They are called in ascending `order`; fork_unlock in descending order.
 */
#ifndef HIPGRAIN_PRELOAD_CORE_PARTS_H
#define HIPGRAIN_PRELOAD_CORE_PARTS_H

#include <stdbool.h>

#include "preload/core/base.h"
#include "tracer/provider.h"

struct hg_provider;

struct hg_part {
	const char *name;
	/* Also the order of locks: fork_lock of a lower one is taken first (docs/INTERNALS.md). */
	int order;

	/* ---- start ---- */

	/*
	 * `record` began the process, or one that it comes from; its bundle is `directory`. Whether
	 * the process cannot be recorded, which this part then counts. Before anything else: no
	 * other system calls than those of the loader.
	 */
	bool (*refuse)(const char *directory);
	/* The process is to be recorded, or would be if its settings were readable. */
	void (*early)(void);
	/* The process's first event: whether it is wanted, as the recording goes on. */
	bool (*wanted)(void);
	/* Makes the file of records, and *provider, which stores them there; false: there is no
	 * room. */
	bool (*early_begin)(const struct hg_provider **provider);
	/* None can be made, which is counted. */
	bool (*unmade)(void);
	/* Events of this process will be made by it. */
	void (*joined)(void);
	/* hg_config and hg_provider are set. Not 0: the process is not recorded. */
	int (*init)(void);
	/* The process is recorded from now on: hg_active is HG_ACTIVE. */
	void (*started)(void);
	/* ---- recording: under trace/session_recording.c's lock, with hg_tls.busy set ---- */

	/* Begin to record this process, if that has not happened (hg_begin_recording()). */
	bool (*record)(bool late);
	/* Another session records: what was defined for the last one is to be defined again. */
	void (*forget)(void);
	/* A recording begins: its `process` event was made. */
	void (*begin)(bool late);
	/*
	 * The same, late, in a process on standby: record all that the process has; what of that
	 * comes first; and what is recorded after it.
	 */
	void (*record_all)(void);
	void (*record_state)(void);
	void (*after_state)(void);
	/* The session has ended. */
	void (*end)(void);

	/* ---- fork() ---- */

	void (*fork_lock)(void);
	void (*fork_unlock)(bool child);
	/* In the child, whether or not it will be recorded. No other thread is there. */
	void (*fork_child)(void);
	/* In the child of a process on standby, which is on standby, too. */
	void (*fork_standby)(void);
	/* At the end of fork() in the child. */
	void (*fork_done)(void);
	/* The child begins to make events: of what its parent defined nothing is defined. */
	void (*fork_record)(void);

	/* ---- the end of the process or of its program ---- */

	/* Record what is counted in memory. With hg_enter(). */
	void (*flush)(void);
	/* Write out what is buffered, and buffer no more; until `again`, if the program goes on. */
	void (*exit)(void);
	void (*again)(void);

	/* ---- others ---- */

	/* The calling thread ends; hg_thread() is still there. */
	void (*thread_end)(void);
	/* dlclose() was called. Also in processes that are not recorded. */
	void (*unloaded)(void);
	/* Returns the least descriptor from `first` on that is this part's, or UINT_MAX: the
	 * program must not close it. */
	unsigned (*descriptor_from)(unsigned first);
};

/* Once in a file. */
#define HG_PART(...)                                                 \
	static const struct hg_part part_of_file_ = { __VA_ARGS__ }; \
	static const struct hg_part *const part_row_                 \
	    __attribute__((section("hg_part_rows"), used)) = &part_of_file_

#define HG_PARTS_MAX 64u

extern const struct hg_part *hg_parts[HG_PARTS_MAX]; /* by order; after hg_parts_init() */
extern unsigned hg_part_count;

/* Is called at the start of the process, before anything else here is used. */
void hg_parts_init(void);

/* Calls a function of each part that has it. */
#define HG_EACH_PART(function, ...)                                  \
	do {                                                         \
		for (unsigned i_ = 0; i_ < hg_part_count; i_++)      \
			if (hg_parts[i_]->function)                  \
				hg_parts[i_]->function(__VA_ARGS__); \
	} while (0)

/* Is true if a function of any part returns true; parts after that one are not called. */
#define HG_ANY_PART(function, ...)                                                            \
	({                                                                                    \
		bool any_ = false;                                                            \
		for (unsigned i_ = 0; i_ < hg_part_count && !any_; i_++)                      \
			any_ = hg_parts[i_]->function && hg_parts[i_]->function(__VA_ARGS__); \
		any_;                                                                         \
	})

#endif
