/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what the rules found, and what they could not analyse. */
#ifndef HIPGRAIN_FINDINGS_H
#define HIPGRAIN_FINDINGS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/model.h"
#include "analyzer/replay/replay.h"

/*
 * In a fix, replaced once source files can be read (analyzer/fix_text.c), each by a text about the
 * finding's allocation. More of them: atomic_fixes.h.
 */
#define FIX_SITE         "{after}" /* " after FILE:LINE", where it is allocated */
#define FIX_POINTER      "{p}"     /* the variable that holds the pointer, or "p" */
#define FIX_POINTER_NOTE "{note}"  /* " (p: the pointer to this memory)" if it is not known */
#define FIX_SIZE         "{size}"  /* its size, in bytes */
/* printf's format of a GPU as hipMemAdvise takes it, which depends on HIP's release. */
#define FIX_DEVICE "{device %d}"
/* Ends a fix that no test applies; tests/fixes/proofs has the reason, tests/fixes/coverage
 * compares. */
#define FIX_NOT_TESTED " (not tested)"

enum severity { SEVERITY_NOTE, SEVERITY_ADVICE, SEVERITY_WARNING, SEVERITY_ERROR };

enum confidence {
	CONFIDENCE_POSSIBLE,
	CONFIDENCE_LIKELY,
	CONFIDENCE_PROVEN,
	CONFIDENCE_MEASURED, /* proven, and seen on this machine by `hipgrain probe` */
	CONFIDENCES,
};

/* The number of a rule's id, 218 of HG218; rules/ids/hg2xx.h has its name, RULE_HG218. */
enum rule_id { RULE_NONE, RULES = 1000 /* all are below */ };

struct rule {
	const char *id;
	const char *slug;
	enum severity severity;
	const char *title;
	const char *sources; /* tags, comma-separated */
};
extern const struct rule rules[RULES]; /* by enum rule_id; `id` is NULL where there is none */

/* Returns the rule that follows, by their ids, the first one for NULL; NULL: there is none. */
const struct rule *rule_after(const struct rule *rule);

/* Returns the number of rules that come before RULE: its index in a list by rule_after(). */
unsigned rule_index(const struct rule *rule);

/* By "HG101", in any case of letters, or its slug; NULL: there is none. */
const struct rule *rule_by_name(const char *id_or_slug);
const char *severity_name(enum severity severity);
const char *confidence_name(enum confidence confidence);
/* Returns the severity by name, or -1. */
int severity_by_name(const char *name);

/* A launch or call site, and how often it led to the finding. */
struct site {
	uint32_t stack_id;
	uint64_t count;
};

/* A number in a finding's sentences: see evidence.h. */
#define FIGURES 6
struct figure {
	bool known;
	int kind; /* enum figure_kind */
	uint64_t sum, least, most;
};

/* Describes all memory that one finding is about. */
struct memory_range {
	bool any;
	bool several;       /* allocations */
	uint64_t first_ptr; /* of the first one */
	int64_t first_ns;
	uint64_t least, most; /* sizes, bytes */
	uint64_t first_offset, last_offset;
};

/* The text that a fix puts behind a statement of the source. */
struct fix_edit {
	char *file; /* NULL: the fix is no text to insert, or it is not certain */
	unsigned line;
	unsigned column; /* behind so many characters of the line; 0: it is a line of its own */
	char *text;      /* with its indentation, without line end */
};

/* Names the events that a finding rests on because they did not happen. Each rule has its own. */
enum absence {
	ABSENCE_NONE,
	ABSENCE_BETWEEN, /* between events that were seen: only a gap can hide it */
	ABSENCE_SO_FAR,  /* until the end: later it may have happened, what was seen remains */
	ABSENCE_TO_END,  /* until the end: without the end the finding says nothing */
};

struct finding {
	const struct rule *rule;
	enum confidence confidence;
	char *doubts;            /* why not proven, NULL if it is */
	char *measured;          /* is a clause: what was measured of it on the machine; or NULL */
	struct process *process; /* borrowed */
	char *message;           /* one sentence with the actual names and sizes */
	char *fix;               /* says what to change, concretely; may hold newlines */
	struct fix_edit edit;    /* its first alternative */

	char *kernel; /* demangled; NULL if no kernel is involved */
	char *kernel_symbol;
	char *instruction;   /* mnemonic of the first of `instructions`, or NULL */
	int64_t code_offset; /* bytes from the kernel's entry, -1 if none */
	char *device_file;   /* source of the instruction, NULL without line tables */
	unsigned device_line;
	GPtrArray *instructions;  /* struct code_site (evidence.h): all that it is about */
	int64_t kernarg_offset;   /* -1 if none */
	int argument;             /* index among the explicit arguments, -1 if none */
	char *argument_name;      /* NULL if unknown */
	char *chain;              /* leads to the memory through others; NULL: directly */
	char *api;                /* the call, for findings about calls; else NULL */
	char *subject;            /* names what else it is about: a variable, a library; or NULL */
	char *fingerprint;        /* the same in every recording of it: see report/selection.h */
	char *former_fingerprint; /* is the one that earlier versions had for it */
	char *related;            /* the other party, for findings about two; else NULL */
	uint32_t related_stack_id;
	/*
	 * The finding gets this confidence if a GPU has a memory access fault on its memory;
	 * CONFIDENCE_POSSIBLE means that it causes none. Its doubts stay unless it is
	 * CONFIDENCE_PROVEN.
	 */
	enum confidence if_faulted;
	bool maybe_harmless; /* it is about one of several, of which others are harmless */
	bool about_order;    /* rests on having seen every wait: worthless if events were lost */

	struct allocation *allocation; /* a reference, or NULL */
	struct pool_piece *piece;      /* of it, in which the address lies; a reference, or NULL */
	bool several_pieces;           /* and others */
	uint64_t piece_offset;
	uint64_t address;
	uint64_t offset; /* of address in the allocation, bytes */
	enum granularity granularity;
	bool mixed; /* only some of its pages are `granularity` */
	char *why;  /* the chain that made it so, NULL if it does not matter */
	struct memory_range met;
	GArray *pages; /* struct page_stretch (evidence.h), at the first launch; empty: all alike */
	GPtrArray *candidates; /* struct candidate (evidence.h): any of them may be the memory */
	uint64_t candidates_left_out;
	bool holders; /* the sites hold the memory that it is about instead */
	bool of_line; /* about what stands on the line of its sites, whoever calls that */
	struct figure figures[FIGURES];
	uint64_t detail;
	bool detailed, varies;               /* see finding_detail() */
	char *message_pattern, *fix_pattern; /* with places for the figures; NULL: without any */
	char *group; /* of findings with the same, the one with the least `place` stays ... */
	unsigned place;
	uint64_t beside;            /* ... and these launches are of the others */
	struct allocation *through; /* a reference: an argument's memory, from which the pointer to
				     * the finding's memory is loaded; NULL: none, or several */
	bool through_several;
	bool unknown_target; /* the memory is none that was followed to: candidates are all that
			      * the instruction may update */
	uint64_t unplaced;   /* launches of the same, of which the memory is not known */

	uint64_t launches;
	uint64_t least_launches;   /* with fewer it is not a finding */
	uint64_t least_count;      /* as well, in occurrences */
	enum absence absence;      /* it is not reported if events were lost on the way */
	uint64_t work_items;       /* of the largest launch */
	uint64_t least_work_items; /* with fewer it is not a finding */
	uint64_t groups;           /* work-groups of all launches */
	uint64_t least_groups;     /* with fewer it is not a finding */
	uint64_t count;            /* occurrences */
	uint64_t unneeded;         /* bytes that crossed the link to the host for nothing */
	uint64_t bytes;            /* of the largest occurrence, where the message tells it */
	int64_t first_ns;
	GArray *sites;  /* struct site: where launched or called, in order of appearance */
	GArray *ranges; /* struct finding_range (finding_ranges.h), at first hit; NULL: in none */
	uint64_t ranges_left_out; /* hits in others */
	GHashTable *site_index;   /* stack id -> 1 + place in `sites`; NULL while there are few */
	struct attachments evidence; /* holds what families of rules keep with theirs */
	GArray *ranks; /* struct finding_rank (analyzer/ranks.h), sorted; NULL: of no rank */
	GArray *pids;  /* int32_t, sorted: of which processes, if they have no rank; else NULL */
};

/* Says what a limit leaves out. */
enum limit_kind {
	LIMIT_OTHER,  /* of the recording or the machine */
	LIMIT_CODE,   /* a kernel's machine code */
	LIMIT_ACCESS, /* the memory that an instruction accesses */
	LIMIT_MODEL,  /* the software GPU does not model it; all the same the analysis is whole */
	LIMIT_KINDS,
};

struct findings {
	GPtrArray *list;    /* struct finding, in order of appearance, then sorted */
	GHashTable *by_key; /* deduplication key -> struct finding */
	GPtrArray *limits;  /* char *: what was not analysed, and why; distinct */
	GPtrArray *notes;   /* char *: facts about the run that are not findings; distinct */
	struct attachments results; /* findings_result() */
	unsigned limit_counts[LIMIT_KINDS];
	/* Every limit and note, also those that are not listed -> GPtrArray of whose they are. */
	GHashTable *all_lines;
	const struct process *process; /* its events are looked at; NULL: the whole run's */
};

/*
 * Returns what a section of the report shows besides findings. Each section has a type of its own,
 * with its initial state and how that is freed, and a function of that type's file calls this one.
 */
void *findings_result(const struct findings *findings, const struct attachment_type *type);
/* Returns that of a type that is a list. */
GPtrArray *findings_list(const struct findings *findings, const struct attachment_list_type *type);

void findings_init(struct findings *findings);
void findings_destroy(struct findings *findings);

/*
 * Returns the finding with that key: a new one (*is_new) with rule and process set and everything
 * else empty, or the one that is there. The key is printf-like and is prefixed with rule and
 * process.
 */
struct finding *findings_get(struct findings *findings, enum rule_id rule, struct process *process,
			     bool *is_new, const char *key, ...) G_GNUC_PRINTF(5, 6);

/*
 * Returns the severity of the finding's rule. An error that is only possible is a warning if it is
 * about the order of work, or about one of several pointers or ways of which others are harmless.
 */
enum severity finding_severity(const struct finding *finding);
/*
 * Returns the severity under which it is listed: errors and warnings that are only possible come
 * behind those that are surer, with the advice; those that finding_severity() makes warnings, with
 * the notes.
 */
enum severity finding_place(const struct finding *finding);

/* Returns true if its sites are launches of its kernel, and not calls that it is about. */
bool finding_is_about_launches(const struct finding *finding);

/* Count one occurrence at a call site. */
void finding_hit(struct finding *finding, int64_t ns, uint32_t stack_id);
/* Returns true if it occurred often enough to be a finding. */
bool finding_is_enough(const struct finding *finding);
/* Take out a site, by its place. */
void finding_remove_site(struct finding *finding, unsigned at);

/*
 * Add a line, unless it is there already. Of each kind LINES_MOST are listed: a trace can have as
 * many kernels without code as it has kernels. findings_count_lines() adds how many more there
 * were.
 */
#define LINES_MOST 1000
void findings_limit(struct findings *findings, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Does the same for a kernel or an access, for findings_unanalysed(). */
void findings_limit_of(struct findings *findings, enum limit_kind kind, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void findings_note(struct findings *findings, const char *format, ...) G_GNUC_PRINTF(2, 3);
/*
 * Returns the processes (struct process) whose events led to a line, of the list or not; NULL
 * among them stands for the whole run. NULL: there is no such line.
 */
const GPtrArray *findings_line_processes(const struct findings *findings, const char *line);
/*
 * Returns in numbers what was not analysed, "2 memory accesses and 1 kernel", or NULL if nothing.
 * The caller frees the text.
 */
char *findings_unanalysed(const struct findings *findings);
void findings_count_lines(struct findings *findings);

/* Names what a finding can rest on that an incomplete recording does not have. */
enum findings_basis {
	BASIS_ORDER,   /* every wait was seen; one that was lost looks like one that is not there */
	BASIS_ABSENCE, /* something did not happen */
};

/* Remove the findings with that basis. Reports it among the limits. */
void findings_drop(struct findings *findings, enum findings_basis basis);

/*
 * Doubts what the missing events may refute, and removes what says nothing without an end. The
 * recording has no end: it was interrupted, and `events` of its last moments are missing (0 if none
 * are known).
 */
void findings_cut_short(struct findings *findings, uint64_t events);

/*
 * Doubts findings about what the program did not do, because it did not come to its end, by which
 * it may have done it.
 */
void findings_so_far(struct findings *findings, const char *why);

/*
 * An unknown set of that many events was lost: remove the findings that these may refute, and doubt
 * the others.
 */
void findings_lost(struct findings *findings, uint64_t events);

/* The same where something makes calls that are never recorded; who, and which, is for the caller
 * to say. */
void findings_unrecorded(struct findings *findings);

/* Sorts the findings: errors first, then by confidence, then in order of appearance. */
void findings_sort(struct findings *findings);

#endif
