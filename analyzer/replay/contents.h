/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps the addresses that lie in memory: words that the recorder saw there (struct
 * hg_ev_pointers), the places to which copies took them, and until when that is known to hold. All
 * addresses are as the GPU uses them, all sizes bytes. Words lie at multiples of 8.
 *
 * A caller that knows what a launch stores (rules/engine/stored.c) ends what is known by
 * contents_forget(), or casts doubt on it by contents_doubt().
 */
#ifndef HIPGRAIN_CONTENTS_H
#define HIPGRAIN_CONTENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"
#include "tracer/events/ev_pointers_left_out.h"

struct process;

/* This says how it is known what lies somewhere. */
struct content_stamp {
	int64_t ns;
	int32_t tid;
	uint8_t source; /* enum hg_pointers_source, or CONTENT_STORED */
};
#define CONTENT_STORED 0x80 /* a kernel stored it, or may have */

struct content_word {
	uint64_t address, value;
	struct content_stamp stamp;
	bool vague; /* not that value, but one in the same memory */
};

/* Kernels may have stored these; they are in ascending order, each once. */
struct content_value {
	uint64_t address;
	bool vague;
};
#define CONTENT_VALUES 16u
struct content_values {
	unsigned count;
	struct content_value at[CONTENT_VALUES];
};

/* Bytes of which every word is known: an address, or none; or one of what was stored. */
struct content_range {
	uint64_t start, end;
	struct content_stamp stamp;
	const struct content_values *stored; /* of struct contents; NULL: nothing was */
	int64_t stored_ns;                   /* the oldest of that */
	uint32_t pattern; /* of struct contents.filled: the dword at each multiple of 4 */
};

/* A place in the order of one stream's work. */
struct content_moment {
	uint64_t stream, sequence;
	int32_t device;
};

/* Bytes that unfinished work writes: it is done when one of these moments is. */
#define CONTENT_MOMENTS 4u
struct content_pending {
	uint64_t start, end;
	bool anywhere; /* not only there: as it is not known where it stores */
	unsigned count;
	struct content_moment moment[CONTENT_MOMENTS];
};

/* One thread's work in one stream replaced these words, and is not known to be done. */
#define CONTENT_SETTLING 256u
struct content_settling {
	GArray *words; /* their addresses, uint64_t */
	struct content_moment by;
	int32_t tid;
};

/* This is what a thread launches. All of a graph's kernels count as one launch. */
struct content_thread {
	int64_t launched_ns, before_ns; /* its latest launch and the one before */
	/* These are a graph launch's: events to come, and how many of them run one after the other.
	 */
	uint32_t work, ordered;
	bool begun;    /* a kernel of them has been launched */
	bool in_order; /* the latest event of them is one of those */
};

#define CONTENT_WORDS   (256u << 10) /* kept of a process; of more nothing is known */
#define CONTENT_RANGES  (64u << 10)
#define CONTENT_PENDING 256u
#define CONTENT_EVENTS  4096u
#define CONTENT_SETS    4096u
#define CONTENT_FILLED  4096u

struct contents {
	GArray *words;    /* struct content_word, ascending */
	GArray *ranges;   /* struct content_range, ascending, apart from each other */
	GArray *fresh;    /* the same of device memory in which nobody has stored anything */
	GArray *filled;   /* the same of bytes that repeat a pattern: of a fill, or of a copy */
	GPtrArray *sets;  /* struct content_values that ranges refer to */
	GArray *pending;  /* struct content_pending */
	bool all_pending; /* there were more of them */
	struct content_settling settling;
	uint64_t sequence;   /* of work */
	GHashTable *events;  /* handle -> struct content_moment at which it was recorded */
	int64_t doubtful_ns; /* until then anything may have been stored anywhere; 0: nothing was */
	GHashTable *threads; /* tid -> struct content_thread */
	uint64_t version;    /* changes with the words */
	uint64_t filled_version; /* changes with the bytes that are filled */
	uint64_t left_out;       /* words for which there was no room */
	bool missed;             /* somebody needed what is not known */
	struct hg_ev_pointers_left_out unexamined;
};

void contents_init(struct contents *contents);
void contents_clear(struct contents *contents);

/* The events that say it; of others nothing happens. Before the event's own changes are applied. */
void contents_event(struct process *process, const struct hg_event *event);

/* Nothing is known of these bytes any more. */
void contents_forget(struct contents *contents, uint64_t start, uint64_t size);

/*
 * Each word of these bytes holds what it held or, if a kernel stored it, one of the values: of what
 * was known, or never written. More than CONTENT_VALUES are not kept: then nothing is known.
 */
void contents_store(struct contents *contents, uint64_t start, uint64_t size,
		    const struct content_values *values, int64_t ns);
/*
 * Notes that the launch at hand stores one of the values to the word at an address for certain:
 * nothing else is there afterwards. Nothing changes where other work, which is not known to be
 * done before, may store there too. If work that may not wait for the launch follows before the
 * host has waited, nothing is known of the word.
 */
void contents_replace(struct contents *contents, uint64_t address,
		      const struct content_values *values, const struct hg_event *launch);
/* Returns true if work that may store to a word need not be done when the launch at hand begins. */
bool contents_pending_elsewhere(const struct contents *contents, uint64_t address,
				const struct hg_event *launch);
/* Add a value. False if there is no room. */
bool content_values_add(struct content_values *values, uint64_t address, bool vague);

/* Returns true for a launch that need not wait for what its stream has, and whose events are not
 * recorded. */
bool contents_is_loose(unsigned api);

/* Work in a stream will have written them, at some time until the host waits for it. */
void contents_pend(struct contents *contents, uint64_t start, uint64_t size, uint64_t stream,
		   int32_t device);
/* Unfinished work of a stream may store anywhere, until then. */
void contents_doubt(struct contents *contents, int64_t ns, uint64_t stream, int32_t device);
/* The host has waited: for one stream, or for all of a device (device -1: of every device). */
void contents_waited_stream(struct contents *contents, uint64_t stream, int32_t device);
void contents_waited_device(struct contents *contents, int32_t device);

/* An event stands for the work that its stream has now; or (NULL) it is not known for what. */
void contents_recorded(struct contents *contents, uint64_t event,
		       const struct content_moment *stream);
/* No event is known to stand for anything. */
void contents_forget_events(struct contents *contents);
/* Notes that what comes next in a stream runs after what the event stands for, or that the host
 * waited for it. */
void contents_stream_waits(struct contents *contents, uint64_t stream, int32_t device,
			   uint64_t event);
void contents_waited_event(struct contents *contents, uint64_t event);

enum content {
	CONTENT_UNKNOWN,
	CONTENT_NUMBER, /* no address of anything that was live */
	CONTENT_ADDRESS,
};
#define CONTENT_CHOICES (1 + CONTENT_VALUES)
struct content_choices {
	unsigned count; /* 0: an address was never there */
	struct content_word at[CONTENT_CHOICES];
};
/* The word at an address: what it may be, for CONTENT_ADDRESS. */
enum content contents_at(const struct contents *contents, uint64_t address,
			 struct content_choices *choices);

/*
 * Every address in [start, end), ascending, then what may have been stored there, while `function`
 * returns true. Returns whether all of these bytes are known.
 */
bool contents_each(const struct contents *contents, uint64_t start, uint64_t end,
		   bool (*function)(void *data, const struct content_word *word), void *data);

/*
 * The `size` bytes (1, 2 or 4) at an address, if a fill or a copy of numbers wrote them and nothing
 * did since; *stamp says how that is known.
 */
bool contents_number(const struct contents *contents, uint64_t address, unsigned size,
		     uint32_t *number, struct content_stamp *stamp);

/* Why a word may be something else at the launch at hand (its event was applied); NULL: it is what
 * it was seen to be. Static. */
const char *contents_doubt_of(const struct process *process, const struct hg_event *launch,
			      const struct content_word *word);

#endif
