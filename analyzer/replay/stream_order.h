/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This keeps happens-before between the work in one process' streams, by vector clocks.
 *
 * Each stream that has work which the host has not waited for owns a slot, and
 * counts its work there; a clock says for every slot up to which number the work is complete.
 * Streams and recorded events have one each, and the host has one for all its threads together:
 * how threads order each other is not in a trace, so a wait by any of them counts for all. That
 * misses races between threads, and never claims one that is none.
 *
 * Bounds: a stream whose work the host has waited for gives its slot back, and clocks are shared
 * until they differ. ORDER_SLOTS streams can have unfinished work at once; when there are more,
 * everything submitted so far is taken as complete (order->overflows counts that).
 * Submitting costs O(1) while nothing new was waited for, otherwise O(slots in use).
 */
#ifndef HIPGRAIN_STREAM_ORDER_H
#define HIPGRAIN_STREAM_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define ORDER_SLOTS 1024

/* hipStreamLegacy and hipStreamPerThread as handles [H523, H62]; 0 is the legacy stream too. */
#define STREAM_LEGACY     1u
#define STREAM_PER_THREAD 2u

enum stream_kind {
	STREAM_KIND_LEGACY,       /* the null stream of a device */
	STREAM_KIND_PER_THREAD,   /* a thread's default stream */
	STREAM_KIND_BLOCKING,     /* waits for the null stream, and is waited for by it */
	STREAM_KIND_NON_BLOCKING, /* hipStreamNonBlocking */
};

/* This names a piece of work: the number `epoch` of what was submitted in slot `slot`. */
struct moment {
	uint64_t epoch; /* 0: complete from the beginning */
	uint32_t slot;
};

struct order_clock;

struct order_device {
	struct order_stream *null;  /* its legacy stream, or NULL */
	struct order_stream *dirty; /* blocking streams with work that it does not know of */
};

struct order_stream {
	enum stream_kind kind;
	uint64_t handle;
	int32_t device;
	unsigned number;           /* in order of creation, from 1; 0 for default streams */
	bool dirty;                /* has work that the device's null stream does not know of */
	int32_t slot;              /* -1: the host knows that all its work is complete */
	struct order_clock *known; /* other slots' work that is complete before its next; or NULL */
	struct order_device *on;
	struct order_stream *next_dirty;
};

struct order_event {
	bool created; /* its creation was recorded */
	bool recorded;
	bool weak;   /* created with hipEventDisableSystemFence: waiting makes nothing visible */
	bool shared; /* another process may record it */
	uint32_t flags;
	struct moment moment;
	struct order_clock *known;
};

struct order {
	GHashTable *streams;         /* struct key -> struct order_stream */
	GHashTable *events;          /* handle -> struct order_event */
	GHashTable *devices;         /* ordinal -> struct order_device */
	struct order_stream *latest; /* the stream that was looked up last, and for whom: */
	uint64_t latest_handle;
	int32_t latest_device, latest_tid;
	unsigned created;

	unsigned slots; /* ever used */
	struct order_stream *owners[ORDER_SLOTS];
	uint64_t epochs[ORDER_SLOTS];  /* latest work submitted */
	uint64_t done[ORDER_SLOTS];    /* known to the host as complete */
	uint64_t visible[ORDER_SLOTS]; /* ... and its writes as released to the system */
	uint64_t version;              /* changes with `done` and `visible` */
	uint64_t overflows;
	uint64_t unknown_streams; /* handles whose creation was not recorded */
};

void order_init(struct order *order);
void order_clear(struct order *order);

/*
 * Returns the stream that a call of thread `tid` with current device `device` means by `handle`. A
 * handle that was never created is taken for a blocking stream: that orders more, not less. The
 * result is never NULL, and is valid until the stream is destroyed.
 */
struct order_stream *order_stream(struct order *order, uint64_t handle, int32_t device,
				  int32_t tid);
/* Returns the stream of an ordinary handle if it is known, else NULL. */
struct order_stream *order_stream_known(const struct order *order, uint64_t handle);

/* Adds a stream with that handle; an earlier one of that handle was destroyed. */
void order_stream_created(struct order *order, uint64_t handle, bool non_blocking, int32_t device);

/* Destroying a stream: whether that waits is not documented, so it is taken as waited for. */
void order_stream_destroyed(struct order *order, uint64_t handle);

/* Puts one more piece of work into the stream, after everything that the stream waits for. */
struct moment order_submit(struct order *order, struct order_stream *stream);

/* Returns true if `moment` is complete before what is submitted to `stream` next begins. */
bool order_before(const struct order *order, struct moment moment,
		  const struct order_stream *stream);
/* Returns true if the host knows that `moment` is complete, and that what it wrote can be read. */
bool order_done(const struct order *order, struct moment moment);
bool order_visible(const struct order *order, struct moment moment);

/* Returns true if the host knows that all the stream's work is complete. */
bool order_stream_idle(const struct order *order, const struct order_stream *stream);

/* Returns the event of a handle, and makes it, as never recorded, if it is not known. */
struct order_event *order_event(struct order *order, uint64_t handle);
void order_event_created(struct order *order, uint64_t handle, uint32_t flags);
void order_event_destroyed(struct order *order, uint64_t handle);
void order_record(struct order *order, uint64_t handle, struct order_stream *stream);

/* The stream's next work waits for what the event recorded; nothing if it did not record. */
void order_wait_event(struct order *order, struct order_stream *stream, uint64_t handle);
/* Makes the stream wait for everything that was submitted anywhere. */
void order_wait_everything(struct order *order, struct order_stream *stream);

/* The host has waited. */
void order_host_event(struct order *order, uint64_t handle);
void order_host_stream(struct order *order, struct order_stream *stream);
void order_host_device(struct order *order, int32_t device);
void order_host_everything(struct order *order);

#endif
