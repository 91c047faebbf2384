/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standby: what a recording that begins late must receive.
 *
 * A process on standby (HIPGRAIN_STANDBY=1) makes no events until a recorder wants it. Until then,
 * and while it is recorded, it remembers the calls whose effect lasts: allocations that have not
 * been released, advice, the latest prefetch, streams and events with their flags. When a recording
 * begins (trace/recorder_requests.c), these calls are recorded once more in their order, between
 * two `state` events (tracer/events.h). A reader that replays them has the state that a
 * recording from the start would have given.
 *
 * Remembering and recording a call happen under one lock, which is also held while the calls are
 * recorded: each is either among them or follows as an event of its own. Locks, in this order:
 * begin_lock, those of hip_graph.c, hip_registry.c and modules.c, lock, those of the shards.
 */
#include "preload/standby/live_state.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/stacks/stack.h"
#include "preload/trace/process.h"
#include "preload/trace/session_recording.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_graph.h"
#include "tracer/api/hip_streams.h"
#include "tracer/api/host.h"
#include "tracer/events.h"
#include "tracer/provider.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_state.h"
#include "tracer/events/ev_stream.h"

enum kind { ALLOC = 1, ADVISE, PREFETCH, STREAM, EVENT, MAP, UNMAP };

struct entry {
	uint32_t before, after; /* in the order of the calls; free entries: after */
	uint32_t chain;         /* of the bucket */
	enum kind kind;
	uint64_t key; /* pointer or handle */
	union {
		struct hg_ev_alloc alloc;
		struct hg_ev_advise advise;
		struct hg_ev_prefetch prefetch;
		struct hg_ev_stream stream;
		struct hg_ev_event event;
		struct hg_ev_free free;
	};
};

/* Entries are numbers, 0 is none; in chunks that are mapped as they are needed. */
#define CHUNK_BITS  12u
#define CHUNK       (1u << CHUNK_BITS)
#define ENTRIES_MAX (1u << 22)
#define BUCKETS     (1u << 16)
/* Calls that nothing cancels (advice on the heap, pieces unmapped) are bounded. */
#define LASTING_MAX (1u << 16)

static struct entry *chunks[ENTRIES_MAX / CHUNK]; /* atomic; never unmapped */
static uint32_t *buckets;                         /* NULL: nothing was remembered yet */
static uint32_t first, last, used, free_list;
static uint32_t total, lasting, prefetches;
static uint64_t left_out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- which calls ---- */

#define API_MAX 1024u

static bool interesting[API_MAX];

static const struct {
	uint16_t api;
	uint8_t class;
} apis[] = {
#define HG_API(id, name, class, ...) { id, HG_CLASS_##class },
#include "tracer/api.def"
#undef HG_API
};

/* Only some calls of these classes last. */
static const uint16_t single[] = {
	HG_API_hipEventCreate,
	HG_API_hipEventCreateWithFlags,
	HG_API_hipEventDestroy,
	HG_API_hipIpcOpenEventHandle,
	HG_API_hipStreamBeginCapture,
	HG_API_hipStreamBeginCapture_spt,
	HG_API_hipStreamEndCapture,
	HG_API_hipStreamEndCapture_spt,
	HG_API_hipStreamBeginCaptureToGraph,
};

static void choose(void)
{
	for (size_t i = 0; i < HG_COUNT(apis); i++) {
		switch ((enum hg_api_class)apis[i].class) {
		case HG_CLASS_ALLOC:
		case HG_CLASS_FREE:
		case HG_CLASS_ADVISE:
		case HG_CLASS_PREFETCH:
		case HG_CLASS_STREAM:
		case HG_CLASS_MODULE:
		case HG_CLASS_GRAPH: /* they may launch it later (hip_graph.c) */
			interesting[apis[i].api % API_MAX] = true;
			break;
		default:
			break;
		}
	}
	for (size_t i = 0; i < HG_COUNT(single); i++)
		interesting[single[i]] = true;
}

bool hg_live_wants(uint16_t api)
{
	return api < API_MAX && interesting[api];
}

/* ---- the list ---- */

static void *map(size_t size)
{
	void *memory = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static struct entry *entry_at(uint32_t at)
{
	return &chunks[at >> CHUNK_BITS][at & (CHUNK - 1)];
}

/* Returns true if there is memory for this entry, and for finding it. */
static bool make_room(uint32_t at)
{
	struct entry **chunk = &chunks[at >> CHUNK_BITS];

	if (!buckets)
		buckets = map(BUCKETS * sizeof(*buckets));
	if (!*chunk)
		*chunk = map(CHUNK * sizeof(**chunk));
	return buckets && *chunk;
}

static uint32_t *bucket_of(enum kind kind, uint64_t key)
{
	return &buckets[hg_hash((uint64_t)kind, &key, sizeof(key)) & (BUCKETS - 1)];
}

static uint32_t find(enum kind kind, uint64_t key)
{
	uint32_t at = buckets ? *bucket_of(kind, key) : 0;

	while (at && (entry_at(at)->kind != kind || entry_at(at)->key != key))
		at = entry_at(at)->chain;
	return at;
}

/* Takes an entry out of the order and the table; the entry itself stays. */
static void take_out(uint32_t at)
{
	struct entry *entry = entry_at(at);
	uint32_t *link = bucket_of(entry->kind, entry->key);

	while (*link != at)
		link = &entry_at(*link)->chain;
	*link = entry->chain;
	*(entry->before ? &entry_at(entry->before)->after : &first) = entry->after;
	*(entry->after ? &entry_at(entry->after)->before : &last) = entry->before;
	total--;
	lasting -= entry->kind == ADVISE || entry->kind == UNMAP;
	prefetches -= entry->kind == PREFETCH;
}

static void put_in(uint32_t at)
{
	struct entry *entry = entry_at(at);
	uint32_t *bucket = bucket_of(entry->kind, entry->key);

	entry->chain = *bucket;
	*bucket = at;
	entry->before = last;
	entry->after = 0;
	*(last ? &entry_at(last)->after : &first) = at;
	last = at;
	total++;
	lasting += entry->kind == ADVISE || entry->kind == UNMAP;
	prefetches += entry->kind == PREFETCH;
}

static void give_back(uint32_t at)
{
	entry_at(at)->after = free_list;
	free_list = at;
}

static void drop(uint32_t at)
{
	if (at) {
		take_out(at);
		give_back(at);
	}
}

/* Adds an entry at the end. Returns NULL if there is no room. */
static struct entry *add(enum kind kind, uint64_t key)
{
	uint32_t at = free_list;

	if ((kind == ADVISE || kind == UNMAP) && lasting >= LASTING_MAX) {
		left_out++;
		return NULL;
	}
	if (at) {
		free_list = entry_at(at)->after;
	} else if (used + 1 < ENTRIES_MAX && make_room(used + 1)) {
		at = ++used;
	} else {
		left_out++;
		return NULL;
	}
	entry_at(at)->kind = kind;
	entry_at(at)->key = key;
	put_in(at);
	return entry_at(at);
}

/* Forget advice and prefetches of pages that are not mapped any more. */
static void drop_advice(uint64_t start, uint64_t size, bool advice_too)
{
	uint32_t after;

	if (!prefetches && !(advice_too && lasting))
		return;
	for (uint32_t at = first; at; at = after) {
		const struct entry *entry = entry_at(at);
		uint64_t from = entry->key;
		uint64_t length = entry->kind == ADVISE     ? entry->advise.size
				  : entry->kind == PREFETCH ? entry->prefetch.size
							    : UINT64_MAX;

		after = entry->after;
		if (((entry->kind == ADVISE && advice_too) || entry->kind == PREFETCH) &&
		    from >= start && from - start <= size && length <= size - (from - start))
			drop(at);
	}
}

void hg_live_lock_state(void)
{
	pthread_mutex_lock(&lock);
}

void hg_live_unlock_state(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- what is remembered; under the lock ---- */

void hg_live_alloc(const struct hg_ev_alloc *event)
{
	struct entry *entry;

	if (!hg_config.standby || !event->ptr)
		return;
	drop(find(ALLOC, event->ptr)); /* its release was not seen */
	entry = add(ALLOC, event->ptr);
	if (entry)
		entry->alloc = *event;
}

/* Takes an entry out, but gives it back only when it is known that the call succeeded. */
static void suspend(uint32_t at)
{
	if (at)
		take_out(at);
	if (hg_tls.suspended)
		give_back(hg_tls.suspended);
	hg_tls.suspended = at;
}

void hg_live_free(uint64_t ptr)
{
	if (hg_config.standby)
		suspend(find(ALLOC, ptr));
}

void hg_live_freed(bool failed)
{
	uint32_t at = hg_tls.suspended;
	const struct entry *entry = entry_at(at);

	if (!hg_config.standby || !at)
		return;
	hg_live_lock();
	hg_tls.suspended = 0;
	if (failed) {
		put_in(at);
	} else {
		/*
		 * Advice about managed memory is removed when that is unmapped; other advice stays
		 * with the page.
		 */
		if (entry->kind == ALLOC)
			drop_advice(entry->alloc.ptr, entry->alloc.size,
				    entry->alloc.api == HG_API_hipMallocManaged);
		else
			drop_advice(entry->alloc.ptr, entry->alloc.size, true);
		give_back(at);
	}
	hg_live_unlock();
}

void hg_live_advise(const struct hg_ev_advise *event)
{
	struct entry *entry;
	uint32_t at;

	if (!hg_config.standby)
		return;
	/* Advice that is repeated takes effect from this call on. */
	for (at = buckets ? *bucket_of(ADVISE, event->ptr) : 0; at; at = entry_at(at)->chain) {
		entry = entry_at(at);
		if (entry->kind == ADVISE && entry->key == event->ptr &&
		    entry->advise.size == event->size && entry->advise.advice == event->advice &&
		    entry->advise.target == event->target && entry->advise.node == event->node)
			break;
	}
	drop(at);
	entry = add(ADVISE, event->ptr);
	if (entry)
		entry->advise = *event;
}

void hg_live_prefetch(const struct hg_ev_prefetch *event)
{
	struct entry *entry;

	if (!hg_config.standby)
		return;
	drop(find(PREFETCH, event->ptr));
	entry = add(PREFETCH, event->ptr);
	if (entry)
		entry->prefetch = *event;
}

void hg_live_stream(const struct hg_ev_stream *event)
{
	struct entry *entry;

	if (!hg_config.standby)
		return;
	drop(find(STREAM, event->stream));
	if (event->api == HG_API_hipStreamDestroy)
		return;
	entry = add(STREAM, event->stream);
	if (entry)
		entry->stream = *event;
}

void hg_live_event(const struct hg_ev_event *event)
{
	struct entry *entry;

	if (!hg_config.standby || !hg_live_wants(event->api))
		return;
	drop(find(EVENT, event->event));
	if (event->api == HG_API_hipEventDestroy)
		return;
	entry = add(EVENT, event->event);
	if (entry)
		entry->event = *event;
}

void hg_live_map(const struct hg_ev_alloc *event)
{
	struct entry *entry;

	if (!hg_config.standby)
		return;
	drop(find(MAP, event->ptr));
	entry = add(MAP, event->ptr);
	if (entry)
		entry->alloc = *event;
}

void hg_live_unmap(const struct hg_ev_free *event)
{
	uint32_t at;
	struct entry *entry;

	if (!hg_config.standby)
		return;
	at = find(MAP, event->ptr);
	if (event->api == HG_API_shmdt) {
		if (at && (entry_at(at)->alloc.api == HG_API_shmat ||
			   entry_at(at)->alloc.api == HG_API_mremap))
			suspend(at);
		return;
	}
	if (at && entry_at(at)->alloc.size == event->size) {
		suspend(at);
		return;
	}
	/* A piece of one, or of several: recorded as it happened. */
	entry = add(UNMAP, event->ptr);
	if (entry)
		entry->free = *event;
}

/* glibc's blocks of their own mapping begin 16 bytes into a page, and are unmapped when freed. */
void hg_live_block_gone(uint64_t ptr, uint64_t size)
{
	if (!__atomic_load_n(&lasting, __ATOMIC_RELAXED) || (ptr & 4095) != 16)
		return;
	hg_live_lock();
	drop_advice(ptr & ~(uint64_t)4095, size + 4096, true);
	hg_live_unlock();
}

/* ---- recording the state ---- */

static void record_entry(const struct entry *entry)
{
	switch (entry->kind) {
	case ALLOC:
	case MAP:
		hg_stack_define(entry->alloc.stack_id);
		hg_provider->alloc(&entry->alloc);
		break;
	case ADVISE:
		hg_stack_define(entry->advise.stack_id);
		hg_provider->advise(&entry->advise);
		break;
	case PREFETCH:
		hg_stack_define(entry->prefetch.stack_id);
		hg_provider->prefetch(&entry->prefetch);
		break;
	case STREAM:
		hg_provider->stream(&entry->stream);
		break;
	case EVENT:
		hg_provider->event(&entry->event);
		break;
	case UNMAP:
		hg_stack_define(entry->free.stack_id);
		hg_provider->free(&entry->free);
		break;
	}
}

/*
 * Blocks first: HIP's memory can overlay them (hipHostRegister), never the other way round; and
 * advice about them was given after they came to be.
 */
static void record_all(void)
{
	struct hg_ev_state event = { .phase = HG_STATE_BEGIN,
				     .age = hg_process_age(),
				     .threshold = hg_config.standby_threshold,
				     .counted = hg_counted_age ? hg_counted_age() : 0 };

	hg_provider->state(&event);
	HG_EACH_PART(record_state);
	event.calls += hg_live_blocks_record();
	pthread_mutex_lock(&lock);
	for (uint32_t at = first; at; at = entry_at(at)->after)
		record_entry(entry_at(at));
	event.calls += total;
	event.left_out = left_out + hg_live_blocks_left_out();
	event.phase = HG_STATE_END;
	hg_provider->state(&event);
	pthread_mutex_unlock(&lock);
}

static int init(void)
{
	if (!hg_config.standby)
		return 0;
	hg_stack_keep();
	hg_live_blocks_init();
	choose();
	return 0;
}

/* ---- fork ---- */

static void fork_lock(void)
{
	hg_live_lock();
	hg_live_blocks_lock_all();
}

static void fork_unlock(bool child)
{
	(void)child;
	hg_live_blocks_unlock_all();
	hg_live_unlock();
}

HG_PART(.name = "live-state", .order = 60, .init = init, .record_all = record_all,
	.fork_lock = fork_lock, .fork_unlock = fork_unlock);
