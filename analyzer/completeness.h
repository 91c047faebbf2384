/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a recording is complete. This is the one place that decides it.
 *
 * A recording is complete if its recorder ended it, nothing of its trace is damaged, and the trace
 * holds every event that its processes counted (reader/counts.h), of each process and each kind.
 * What follows from that, follows here: findings that rest on what did not happen, or on the order
 * of all that happened, need a complete recording (or a partial one of processes that it has
 * whole), and so does a report that says that nothing was found. Where the end alone is missing
 * they are doubted (findings_cut_short()).
 */
#ifndef HIPGRAIN_COMPLETENESS_H
#define HIPGRAIN_COMPLETENESS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/reader.h"

enum recording_status {
	RECORDING_COMPLETE,
	RECORDING_PARTIAL,    /* as requested: it began late, or keeps only what happened last */
	RECORDING_UNKNOWN,    /* not every process left a count */
	RECORDING_INCOMPLETE, /* something is missing, or damaged */
};

/* "complete" etc.; the second -1 for other names, and NULL. */
const char *recording_status_name(enum recording_status status);
int recording_status_by_name(const char *name);

/* Processes of one program that are not in a recording. */
struct recording_missed {
	char *program, *why; /* the reason, to be read after the program; printable */
	int32_t pid;         /* of the first; 0: not known */
	uint64_t count;
};

/* What is known of a recording beside its trace. */
struct recording_facts {
	bool exited;                  /* how the command ended is known: */
	int exit_status, exit_signal; /* of them one is 0 */
	bool bundle;                  /* there is one: its manifest and counts are known */
	bool manifest;                /* it can be read */
	bool ended;                   /* the recorder ended the recording */
	int64_t end_ns;               /* ... then, since 1970; 0: not known */
	bool partial;                 /* as requested, not all is there */
	bool compared;                /* what is counted should all be there */
	bool silent;                  /* LTTng's daemons did not answer at the end */
	uint64_t given_up;            /* events, by the processes, without their counts */
	bool attached;                /* to processes that stood by */
	bool snapshot;                /* of a flight recorder */
	int64_t chunks, deleted, deleted_bytes; /* of a rotated recording */
	char *imported;         /* what an imported recording lacks; NULL: it is none */
	bool left_out;          /* among that, calls that matter */
	char *session;          /* NULL: not known */
	char *machine;          /* its key (tracer/machine.h), NULL: not known */
	GArray *missed;         /* struct recording_missed; NULL: it is not known */
	uint64_t missed_others; /* processes beside these */
	GPtrArray *messages;    /* char *: messages of processes, a line each; or NULL */
	/* The caller's: whether a process belongs to another recording; NULL: none does. */
	bool (*is_foreign)(int32_t pid, void *data);
	void *data;
};

/* Fill in what the bundle says; recording_facts_clear() it. */
void recording_facts_read(struct recording_facts *facts, const char *bundle);
void recording_facts_clear(struct recording_facts *facts);

/* Of them, `missed` and `messages`. */
void recording_missed_read(struct recording_facts *facts, const char *bundle);
void recording_missed_clear(struct recording_facts *facts);

/* Of a process, what is not there. */
struct completeness_gap {
	const struct counts_process *process; /* the statistics' */
	struct counts_gap gap;
	bool unrecorded; /* an image of it, or all, was never recorded */
};

struct completeness {
	enum recording_status status;
	bool counted;       /* `missing` is what the processes counted; else what LTTng knows of */
	uint64_t missing;   /* events, at least */
	bool cut_short;     /* the end is missing, and as far as is known nothing before it */
	GPtrArray *reasons; /* char *: why it is not complete, a line each */
	GArray *gaps;       /* struct completeness_gap */
};

/* Fill in; completeness_clear() it, before the statistics. Adds to the statistics' counts. */
void completeness_judge(struct completeness *completeness, const struct reader_stats *stats,
			const struct recording_facts *facts);
void completeness_clear(struct completeness *completeness);

/*
 * Whether --fail-on must not pass such a recording (HG_EXIT_INCOMPLETE): nobody knows what the
 * missing events would have shown.
 */
bool recording_status_fails(enum recording_status status);

#endif
