/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides if a recording is complete. Nothing else decides it.
 *
 * A recording is complete if its recorder ended it, nothing of its trace is damaged, and the trace
 * holds every event that its processes counted (reader/counts.h), of each process,
 * and every kernel that others counted (tracer/witness.h), and nothing in it says that calls were
 * made where they are not recorded (unseen.h).
 *
 * The consequences are drawn here as well: findings that rest on what did not happen, or on the
 * order of all that happened, need a complete recording (or a partial one of processes that it has
 * whole), and so does a report that says that nothing was found. If only the end is missing they
 * are doubted (findings_cut_short()).
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
	bool partly;         /* the rest of what they did is there */
	uint64_t count;
};

/*
 * Counts the kernels of a process as others than the preload library saw them (tracer/witness.h).
 */
struct recording_witnessed {
	int32_t pid;   /* 0: of processes that are not known */
	char *program; /* printable; may be empty */
	uint64_t kernels;
	uint32_t queues; /* of the driver's, at once */
};

/* The facts of a recording beside its trace. */
struct recording_facts {
	bool exited;                  /* the command's end is known: */
	int exit_status, exit_signal; /* of them one is 0 */
	bool bundle;                  /* there is one: its manifest and counts are known */
	bool manifest;                /* it can be read */
	bool ended;                   /* the recorder ended the recording */
	int64_t end_ns;               /* ... then, since 1970; 0: not known */
	int64_t start_ns;             /* its beginning, since 1970; 0: not known */
	bool partial;                 /* as requested, not all is there */
	bool compared;                /* all that is counted should be there */
	bool silent;                  /* LTTng's daemons did not answer at the end */
	bool softgpu;                 /* the recorder started the command on the software GPU */
	int64_t files;                /* that processes left, as the recorder counted; 0: unknown */
	int64_t made;                 /* that processes made, as they counted; 0: unknown */
	bool attached;                /* to processes that stood by */
	bool snapshot;                /* of a flight recorder */
	int64_t chunks, deleted, deleted_bytes; /* of a rotated recording */
	char *imported;         /* lacks of an imported recording; NULL: it is none */
	bool left_out;          /* among that, calls that matter */
	char *session;          /* NULL: not known */
	char *machine;          /* its key (tracer/machine.h), NULL: not known */
	GPtrArray *running;     /* char *: processes that lived at its end; NULL: not known */
	GArray *missed;         /* struct recording_missed; NULL: it is not known */
	uint64_t missed_others; /* processes beside these */
	bool missed_unread;     /* there is no table of them, or a damaged one */
	GPtrArray *messages;    /* char *: messages of processes, a line each; or NULL */
	GArray *witnessed;      /* struct recording_witnessed; NULL: nobody counted */
	/* The caller's: char *, what the trace itself says that it lacks; or NULL; borrowed. */
	const GPtrArray *unseen;
	/* The caller's: whether a process belongs to another recording; NULL: none does. */
	bool (*is_foreign)(int32_t pid, void *data);
	void *data;
};

/* Fill in what the bundle says; recording_facts_clear() it. */
void recording_facts_read(struct recording_facts *facts, const char *bundle);
void recording_facts_clear(struct recording_facts *facts);
/* Returns when a recording began, also one that goes on: ns since 1970, 0 if not known. */
int64_t recording_start(const char *bundle);

/* The two functions fill and clear `made`, `missed`, `messages` and `witnessed` alone. */
void recording_missed_read(struct recording_facts *facts, const char *bundle);
void recording_missed_clear(struct recording_facts *facts);

/* The events of a process that are missing. */
struct completeness_gap {
	const struct counts_process *process; /* the statistics' */
	struct counts_gap gap;
};

struct completeness {
	enum recording_status status;
	bool counted;       /* `missing` is what the processes counted; else what LTTng knows of */
	uint64_t missing;   /* events, at least */
	bool cut_short;     /* the end is missing, and as far as is known nothing before it */
	bool only_later;    /* as far as is known, it lacks nothing but what processes did later */
	bool only_host;     /* likewise nothing but allocations of host memory */
	GPtrArray *reasons; /* char *: why it is not complete, a line each */
	GArray *gaps;       /* struct completeness_gap */
};

/* Fill in; completeness_clear() it, before the statistics. */
void completeness_judge(struct completeness *completeness, const struct reader_stats *stats,
			const struct recording_facts *facts);
void completeness_clear(struct completeness *completeness);

/* Returns how many processes were not recorded, or not as a whole, as far as that is known. */
uint64_t completeness_unrecorded(const struct completeness *completeness,
				 const struct recording_facts *facts);

/*
 * Returns what follows "no finding" in the same sentence if that is no verdict: ", but the
 * recording is incomplete", or that not all of it was `analysed`. Returns "" if nothing contradicts
 * the verdict. `status` is an enum recording_status, or -1.
 */
const char *recording_silence(int status, bool analysed);

/*
 * Returns true if --fail-on must not pass such a recording (HG_EXIT_INCOMPLETE): nobody knows what
 * the missing events would have shown.
 */
bool recording_status_fails(enum recording_status status);

#endif
