/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies in memory, as far as it is an address: words that the recorder saw there (struct
 * hg_ev_pointers), where copies took them, and until when that is known to hold. All addresses are
 * as the GPU uses them, all sizes bytes. Words lie at multiples of 8.
 *
 * Whoever knows what a launch stores (rules/engine/stored.c) ends what is known by
 * contents_forget(), or casts doubt on it by contents_doubt().
 */
#ifndef HIPGRAIN_CONTENTS_H
#define HIPGRAIN_CONTENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"

struct process;

/* How it is known what lies somewhere. */
struct content_stamp {
	int64_t ns;
	int32_t tid;
	uint8_t source; /* enum hg_pointers_source */
};

struct content_word {
	uint64_t address, value;
	struct content_stamp stamp;
};

/* Bytes of which every word is known: an address, or none. */
struct content_range {
	uint64_t start, end;
	struct content_stamp stamp;
};

/* Bytes that unfinished work in a stream writes. */
struct content_pending {
	uint64_t start, end;
	uint64_t stream;
	int32_t device;
};

#define CONTENT_WORDS   (256u << 10) /* kept of a process; of more nothing is known */
#define CONTENT_RANGES  (64u << 10)
#define CONTENT_PENDING 256u

struct contents {
	GArray *words;       /* struct content_word, ascending */
	GArray *ranges;      /* struct content_range, ascending, apart from each other */
	GArray *pending;     /* struct content_pending */
	bool all_pending;    /* there were more of them */
	int64_t doubtful_ns; /* until then anything may have been stored anywhere; 0: nothing was */
	bool doubt_pending;  /* ... by work that is unfinished */
	GHashTable *launches; /* tid -> int64_t[2]: times of its latest launch and of that before */
	uint64_t version;     /* changes with the words */
	uint64_t left_out;    /* words for which there was no room */
	bool missed;          /* somebody needed what is not known */
	struct hg_ev_pointers_left_out unexamined;
};

void contents_init(struct contents *contents);
void contents_clear(struct contents *contents);

/* The events that say it; of others nothing happens. Before the event's own changes are applied. */
void contents_event(struct process *process, const struct hg_event *event);

/* Nothing is known of these bytes any more. */
void contents_forget(struct contents *contents, uint64_t start, uint64_t size);
/* Work in a stream will have written them, at some time until the host waits for it. */
void contents_pend(struct contents *contents, uint64_t start, uint64_t size, uint64_t stream,
		   int32_t device);
/* Unfinished work of a stream may store anywhere, until then. */
void contents_doubt(struct contents *contents, int64_t ns);
/* The host has waited: for one stream, or for all of a device (device -1: of every device). */
void contents_waited_stream(struct contents *contents, uint64_t stream);
void contents_waited_device(struct contents *contents, int32_t device);

enum content {
	CONTENT_UNKNOWN,
	CONTENT_NUMBER, /* no address of anything that was live */
	CONTENT_ADDRESS,
};
/* The word at an address; `word` is filled in for CONTENT_ADDRESS, its stamp for a number, too. */
enum content contents_at(const struct contents *contents, uint64_t address,
			 struct content_word *word);

/*
 * Every address in [start, end), ascending, while `function` returns true. Returns whether all of
 * these bytes are known.
 */
bool contents_each(const struct contents *contents, uint64_t start, uint64_t end,
		   bool (*function)(void *data, const struct content_word *word), void *data);

/* Why a word may be something else at the launch at hand (its event was applied); NULL: it is what
 * it was seen to be. Static. */
const char *contents_doubt_of(const struct process *process, const struct hg_event *launch,
			      const struct content_word *word);

#endif
