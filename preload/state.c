/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standing by: what a recording that begins late must be told.
 *
 * A process that stands by (HIPGRAIN_STANDBY=1) makes no events until a session is started. Until
 * then, and while one records, it remembers the calls whose effect lasts: allocations that have
 * not been released, advice, the latest prefetch, streams and events with their flags. When a
 * session is started, which LTTng-UST tells us, these calls are recorded once more in their order,
 * between two `state` events (tracer/events.h). Whoever replays them has what an earlier recording
 * would have had.
 *
 * Remembering and recording a call happen under one lock, which is also held while the calls are
 * told: each is either among them or follows as an event of its own. Locks, in this order:
 * begin_lock, those of hip_graph.c, hip_registry.c and modules.c, lock, those of the shards.
 */
#include <string.h>
#include <sys/mman.h>

#include "counts.h"
#include "state.h"
#include "totals.h"

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

/* Entries are numbers, 0 is none. The address space costs what is used of it. */
#define ENTRIES_MAX (1u << 22)
#define BUCKETS     (1u << 16)
/* Calls that nothing takes away again (advice on the heap, pieces unmapped) are bounded. */
#define LASTING_MAX (1u << 16)

static struct entry *entries;
static uint32_t *buckets;
static uint32_t first, last, used, free_list;
static uint32_t total, lasting, prefetches;
static uint64_t left_out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;
static int wanted; /* atomic: somebody asked for the state */

int hg_recording_begun;
uint32_t hg_generation = 1;
uint32_t hg_threshold;

/* ---- which calls ---- */

#define API_MAX 1024u

static bool interesting[API_MAX];

static const struct {
	uint16_t api;
	uint8_t class;
} apis[] = {
#define HG_API(id, name, class) { id, HG_CLASS_##class },
#include "tracer/api.def"
#undef HG_API
};

/* Of these classes only some calls last. */
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
		case HG_CLASS_GRAPH: /* what they launch later (hip_graph.c) */
			interesting[apis[i].api % API_MAX] = true;
			break;
		default:
			break;
		}
	}
	for (size_t i = 0; i < HG_COUNT(single); i++)
		interesting[single[i]] = true;
}

bool hg_state_wants(uint16_t api)
{
	return api < API_MAX && interesting[api];
}

/* ---- the list ---- */

static uint32_t *bucket_of(enum kind kind, uint64_t key)
{
	return &buckets[hg_hash((uint64_t)kind, &key, sizeof(key)) & (BUCKETS - 1)];
}

static uint32_t find(enum kind kind, uint64_t key)
{
	uint32_t at = *bucket_of(kind, key);

	while (at && (entries[at].kind != kind || entries[at].key != key))
		at = entries[at].chain;
	return at;
}

/* Out of the order and the table; the entry itself stays. */
static void take_out(uint32_t at)
{
	struct entry *entry = &entries[at];
	uint32_t *link = bucket_of(entry->kind, entry->key);

	while (*link != at)
		link = &entries[*link].chain;
	*link = entry->chain;
	*(entry->before ? &entries[entry->before].after : &first) = entry->after;
	*(entry->after ? &entries[entry->after].before : &last) = entry->before;
	total--;
	lasting -= entry->kind == ADVISE || entry->kind == UNMAP;
	prefetches -= entry->kind == PREFETCH;
}

static void put_in(uint32_t at)
{
	struct entry *entry = &entries[at];
	uint32_t *bucket = bucket_of(entry->kind, entry->key);

	entry->chain = *bucket;
	*bucket = at;
	entry->before = last;
	entry->after = 0;
	*(last ? &entries[last].after : &first) = at;
	last = at;
	total++;
	lasting += entry->kind == ADVISE || entry->kind == UNMAP;
	prefetches += entry->kind == PREFETCH;
}

static void give_back(uint32_t at)
{
	entries[at].after = free_list;
	free_list = at;
}

static void drop(uint32_t at)
{
	if (at) {
		take_out(at);
		give_back(at);
	}
}

/* A new entry at the end; NULL if there is no room. */
static struct entry *add(enum kind kind, uint64_t key)
{
	uint32_t at = free_list;

	if ((kind == ADVISE || kind == UNMAP) && lasting >= LASTING_MAX) {
		left_out++;
		return NULL;
	}
	if (at) {
		free_list = entries[at].after;
	} else if (used + 1 < ENTRIES_MAX) {
		at = ++used;
	} else {
		left_out++;
		return NULL;
	}
	entries[at].kind = kind;
	entries[at].key = key;
	put_in(at);
	return &entries[at];
}

/* What was said about pages that are there no longer. */
static void drop_said(uint64_t start, uint64_t size, bool advice_too)
{
	uint32_t after;

	if (!prefetches && !(advice_too && lasting))
		return;
	for (uint32_t at = first; at; at = after) {
		const struct entry *entry = &entries[at];
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

void hg_state_lock(void)
{
	if (hg_config.standby)
		pthread_mutex_lock(&lock);
}

void hg_state_unlock(void)
{
	if (hg_config.standby)
		pthread_mutex_unlock(&lock);
}

/* ---- what is remembered; under the lock ---- */

void hg_state_alloc(const struct hg_ev_alloc *event)
{
	struct entry *entry;

	if (!hg_config.standby || !event->ptr)
		return;
	drop(find(ALLOC, event->ptr)); /* its release was not seen */
	entry = add(ALLOC, event->ptr);
	if (entry)
		entry->alloc = *event;
}

/* Taken out, but given back only when it is known that the call succeeded. */
static void suspend(uint32_t at)
{
	if (at)
		take_out(at);
	if (hg_tls.suspended)
		give_back(hg_tls.suspended);
	hg_tls.suspended = at;
}

void hg_state_free(uint64_t ptr)
{
	if (hg_config.standby)
		suspend(find(ALLOC, ptr));
}

void hg_state_freed(bool failed)
{
	uint32_t at = hg_tls.suspended;
	const struct entry *entry = &entries[at];

	if (!hg_config.standby || !at)
		return;
	hg_state_lock();
	hg_tls.suspended = 0;
	if (failed) {
		put_in(at);
	} else {
		/* Managed memory is unmapped with its advice; other advice stays with the page. */
		if (entry->kind == ALLOC)
			drop_said(entry->alloc.ptr, entry->alloc.size,
				  entry->alloc.api == HG_API_hipMallocManaged);
		else
			drop_said(entry->alloc.ptr, entry->alloc.size, true);
		give_back(at);
	}
	hg_state_unlock();
}

void hg_state_advise(const struct hg_ev_advise *event)
{
	struct entry *entry;
	uint32_t at;

	if (!hg_config.standby)
		return;
	/* The same said again counts from now on. */
	for (at = *bucket_of(ADVISE, event->ptr); at; at = entries[at].chain) {
		entry = &entries[at];
		if (entry->kind == ADVISE && entry->key == event->ptr &&
		    entry->advise.size == event->size && entry->advise.advice == event->advice &&
		    entry->advise.target == event->target)
			break;
	}
	drop(at);
	entry = add(ADVISE, event->ptr);
	if (entry)
		entry->advise = *event;
}

void hg_state_prefetch(const struct hg_ev_prefetch *event)
{
	struct entry *entry;

	if (!hg_config.standby)
		return;
	drop(find(PREFETCH, event->ptr));
	entry = add(PREFETCH, event->ptr);
	if (entry)
		entry->prefetch = *event;
}

void hg_state_stream(const struct hg_ev_stream *event)
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

void hg_state_event(const struct hg_ev_event *event)
{
	struct entry *entry;

	if (!hg_config.standby || !hg_state_wants(event->api))
		return;
	drop(find(EVENT, event->event));
	if (event->api == HG_API_hipEventDestroy)
		return;
	entry = add(EVENT, event->event);
	if (entry)
		entry->event = *event;
}

void hg_state_map(const struct hg_ev_alloc *event)
{
	struct entry *entry;

	if (!hg_config.standby)
		return;
	drop(find(MAP, event->ptr));
	entry = add(MAP, event->ptr);
	if (entry)
		entry->alloc = *event;
}

void hg_state_unmap(const struct hg_ev_free *event)
{
	uint32_t at;
	struct entry *entry;

	if (!hg_config.standby)
		return;
	at = find(MAP, event->ptr);
	if (event->api == HG_API_shmdt) {
		if (at && (entries[at].alloc.api == HG_API_shmat ||
			   entries[at].alloc.api == HG_API_mremap))
			suspend(at);
		return;
	}
	if (at && entries[at].alloc.size == event->size) {
		suspend(at);
		return;
	}
	/* A piece of one, or of several: told as it happened. */
	entry = add(UNMAP, event->ptr);
	if (entry)
		entry->free = *event;
}

/* glibc's blocks of their own mapping begin 16 bytes into a page, and are unmapped when freed. */
void hg_state_block_gone(uint64_t ptr, uint64_t size)
{
	if (!__atomic_load_n(&lasting, __ATOMIC_RELAXED) || (ptr & 4095) != 16)
		return;
	hg_state_lock();
	drop_said(ptr & ~(uint64_t)4095, size + 4096, true);
	hg_state_unlock();
}

/* ---- telling ---- */

static void tell_entry(const struct entry *entry)
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
static void tell(void)
{
	struct hg_ev_state event = { .phase = HG_STATE_BEGIN,
				     .age = hg_process_age(),
				     .threshold = hg_config.standby_threshold,
				     .counted = hg_totals_age() };

	hg_provider->state(&event);
	hg_hip_runtime_again();
	event.calls += hg_state_blocks_tell();
	pthread_mutex_lock(&lock);
	for (uint32_t at = first; at; at = entries[at].after)
		tell_entry(&entries[at]);
	event.calls += total;
	event.left_out = left_out + hg_state_blocks_left_out();
	event.phase = HG_STATE_END;
	hg_provider->state(&event);
	pthread_mutex_unlock(&lock);
}

/* ---- beginning and ending ---- */

/* `all`: blocks below it are of interest, too. */
static void set_threshold(uint32_t threshold, bool all)
{
	__atomic_store_n(&hg_threshold, threshold, __ATOMIC_RELAXED);
	hg_libc_limit(all ? 0 : threshold);
}

/*
 * Under begin_lock. A session's events are created in the process one by one, before it starts: a
 * thread that is busy meanwhile comes here, and tells into the void. Whoever asks from now on is
 * told once more, for he may ask in the middle of that.
 */
static void begin(bool late)
{
	__atomic_store_n(&wanted, 0, __ATOMIC_SEQ_CST);
	if (hg_config.standby)
		set_threshold(hg_config.threshold, hg_config.totals);
	if (late && hg_config.standby) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE); /* others wait */
		__atomic_fetch_add(&hg_generation, 1, __ATOMIC_RELAXED);
		hg_stack_forget();
		hg_hip_forget();
		hg_modules_reset();
		hg_regions_reset();
	}
	hg_batches_flush(); /* what is in them was before */
	hg_counts_begun();
	hg_process_record(late);
	if (hg_config.standby)
		hg_cost_tell();
	hg_modules_poll();
	if (hg_config.standby)
		hg_totals_begin();
	if (late && hg_config.standby) {
		tell();
		hg_totals_tell();
		hg_hsa_tell_refused();
	}
	__atomic_store_n(&hg_recording_begun, 1, __ATOMIC_RELEASE);
}

bool hg_begin_recording(bool late)
{
	int saved = errno, cancel;

	/* Who tells needs the loader's lock, which this thread holds. */
	if (hg_tls.in_phdr)
		return false;
	hg_tls.busy++;
	cancel = hg_keep_thread();
	pthread_mutex_lock(&begin_lock);
	if (!hg_recording_begun)
		begin(late);
	pthread_mutex_unlock(&begin_lock);
	hg_release_thread(cancel);
	hg_tls.busy--;
	errno = saved;
	return true;
}

/* The session has ended, unless another has begun meanwhile; the next one must be told again. */
static __attribute__((noinline)) void end(void)
{
	if (pthread_mutex_trylock(&begin_lock))
		return;
	if (hg_recording_begun && !*hg_provider->recording) {
		__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELAXED);
		hg_totals_end();
		set_threshold(hg_config.standby_threshold, false);
	}
	pthread_mutex_unlock(&begin_lock);
}

bool hg_enter_unrecorded(void)
{
	hg_counts_unrecorded();
	if (!hg_config.standby)
		return false;
	if (HG_UNLIKELY(__atomic_load_n(&hg_recording_begun, __ATOMIC_RELAXED)))
		end();
	if (!hg_tls.keeping)
		return false;
	hg_tls.busy = 1;
	return true;
}

static void *teller(void *unused)
{
	(void)unused;
	hg_tls.busy = 1;
	pthread_mutex_lock(&begin_lock);
	if (__atomic_load_n(&wanted, __ATOMIC_RELAXED) && *hg_provider->recording)
		begin(true);
	pthread_mutex_unlock(&begin_lock);
	return NULL;
}

/* Called by LTTng-UST under its locks, which a fork() takes after ours: another thread tells. */
static void on_wanted(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	hg_tls.busy++;
	__atomic_store_n(&wanted, 1, __ATOMIC_SEQ_CST);
	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attributes, 256 * 1024);
		/* Without a thread the next event tells, as when this is the first session. */
		if (pthread_create(&thread, &attributes, teller, NULL))
			__atomic_store_n(&hg_recording_begun, 0, __ATOMIC_RELEASE);
		pthread_attr_destroy(&attributes);
	}
	hg_tls.busy--;
}

int hg_state_init(void)
{
	size_t size = ENTRIES_MAX * sizeof(*entries) + BUCKETS * sizeof(*buckets);
	void *space = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (space == MAP_FAILED || hg_stack_keep())
		return -ENOMEM;
	buckets = space;
	entries = (struct entry *)(void *)(buckets + BUCKETS);
	hg_state_blocks_init();
	choose();
	set_threshold(hg_config.standby_threshold, false);
	if (hg_provider->on_state_wanted(on_wanted))
		hg_say("this LTTng-UST does not tell when a session starts: a recording that "
		       "begins late hears of the program at its next call");
	return 0;
}

/* ---- fork ---- */

void hg_state_fork_lock(bool begin)
{
	if (begin) {
		pthread_mutex_lock(&begin_lock);
		return;
	}
	hg_state_lock();
	hg_state_blocks_lock_all();
}

void hg_state_fork_unlock(void)
{
	hg_state_blocks_unlock_all();
	hg_state_unlock();
	pthread_mutex_unlock(&begin_lock);
}
