/* SPDX-License-Identifier: Apache-2.0 */
/* The order of work in streams: a vector clock for each process. */
#include "stream_order.h"

#include <string.h>

#define EVENT_DISABLE_SYSTEM_FENCE 0x20000000u /* hipEventDisableSystemFence [H62] */
#define EVENT_INTERPROCESS         0x4u

struct order_clock {
	unsigned references;
	unsigned length; /* slots from this on are 0 */
	uint64_t at[];
};

struct key {
	uint64_t handle;
	int32_t device, tid; /* 0 for handles of the program's own streams */
};

/* ---- clocks ---- */

static struct order_clock *clock_ref(struct order_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

static void clock_unref(struct order_clock *clock)
{
	if (clock && --clock->references == 0)
		g_free(clock);
}

/* Returns a clock of at least `length` slots that belongs to *clock alone. */
static struct order_clock *clock_own(struct order_clock **clock, unsigned length)
{
	struct order_clock *old = *clock, *copy;
	unsigned kept = old ? old->length : 0;

	if (old && old->references == 1 && old->length >= length)
		return old;
	length = MAX(length, kept);
	copy = g_malloc0(sizeof(*copy) + length * sizeof(copy->at[0]));
	copy->references = 1;
	copy->length = length;
	if (old)
		memcpy(copy->at, old->at, kept * sizeof(old->at[0]));
	clock_unref(old);
	*clock = copy;
	return copy;
}

static uint64_t clock_at(const struct order_clock *clock, uint32_t slot)
{
	return clock && slot < clock->length ? clock->at[slot] : 0;
}

static void clock_raise(struct order_clock **clock, uint32_t slot, uint64_t epoch)
{
	if (clock_at(*clock, slot) < epoch)
		clock_own(clock, slot + 1)->at[slot] = epoch;
}

static void clock_join(struct order_clock **clock, struct order_clock *other)
{
	struct order_clock *own;
	unsigned i = 0;

	if (!other || *clock == other)
		return;
	if (!*clock) {
		*clock = clock_ref(other);
		return;
	}
	while (i < other->length && other->at[i] <= clock_at(*clock, i))
		i++;
	if (i == other->length)
		return;
	own = clock_own(clock, other->length);
	for (; i < other->length; i++)
		own->at[i] = MAX(own->at[i], other->at[i]);
}

/* ---- life ---- */

static guint key_hash(gconstpointer data)
{
	const struct key *key = data;
	uint64_t mixed = (key->handle ^ ((uint64_t)(uint32_t)key->device << 32) ^
			  (uint32_t)key->tid * 0x9e3779b1u) *
			 0x9e3779b97f4a7c15u;

	return (guint)(mixed >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const struct key *left = a, *right = b;

	return left->handle == right->handle && left->device == right->device &&
	       left->tid == right->tid;
}

static void free_stream(gpointer data)
{
	struct order_stream *stream = data;

	clock_unref(stream->known);
	g_free(stream);
}

static void free_event(gpointer data)
{
	struct order_event *event = data;

	clock_unref(event->known);
	g_free(event);
}

void order_init(struct order *order)
{
	memset(order, 0, sizeof(*order));
	order->streams = g_hash_table_new_full(key_hash, key_equal, g_free, free_stream);
	order->events = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_event);
	order->devices = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void order_clear(struct order *order)
{
	g_hash_table_destroy(order->streams);
	g_hash_table_destroy(order->events);
	g_hash_table_destroy(order->devices);
}

static struct order_device *device_of(struct order *order, int32_t ordinal)
{
	struct order_device *device = g_hash_table_lookup(order->devices, GINT_TO_POINTER(ordinal));

	if (!device) {
		device = g_new0(struct order_device, 1);
		g_hash_table_insert(order->devices, GINT_TO_POINTER(ordinal), device);
	}
	return device;
}

/* ---- slots ---- */

bool order_stream_idle(const struct order *order, const struct order_stream *stream)
{
	return stream->slot < 0 || order->done[stream->slot] >= order->epochs[stream->slot];
}

static void leave_dirty(struct order_stream *stream)
{
	struct order_stream **at = &stream->on->dirty;

	if (!stream->dirty)
		return;
	while (*at != stream)
		at = &(*at)->next_dirty;
	*at = stream->next_dirty;
	stream->dirty = false;
}

/* The host knows all of the stream's work as complete: nothing about it is worth keeping. */
static void give_back_slot(struct order *order, struct order_stream *stream)
{
	if (stream->slot >= 0) {
		order->owners[stream->slot] = NULL;
		stream->slot = -1;
	}
	leave_dirty(stream);
	clock_unref(stream->known);
	stream->known = NULL;
}

static int32_t find_slot(struct order *order)
{
	for (unsigned i = 0; i < order->slots; i++) {
		if (order->owners[i] && order_stream_idle(order, order->owners[i]))
			give_back_slot(order, order->owners[i]);
		if (!order->owners[i])
			return (int32_t)i;
	}
	return order->slots < ORDER_SLOTS ? (int32_t)order->slots++ : -1;
}

static void take_slot(struct order *order, struct order_stream *stream)
{
	if (stream->slot >= 0)
		return;
	stream->slot = find_slot(order);
	if (stream->slot < 0) {
		order->overflows++;
		order_host_everything(order);
		stream->slot = find_slot(order);
	}
	order->owners[stream->slot] = stream;
}

/* ---- streams ---- */

static struct order_stream *add_stream(struct order *order, struct key key, enum stream_kind kind,
				       int32_t device)
{
	struct order_stream *stream = g_new0(struct order_stream, 1);

	stream->kind = kind;
	stream->handle = key.handle;
	stream->device = device;
	stream->slot = -1;
	stream->on = device_of(order, device);
	if (kind == STREAM_KIND_LEGACY)
		stream->on->null = stream;
	g_hash_table_insert(order->streams, g_memdup2(&key, sizeof(key)), stream);
	return stream;
}

static bool is_default(uint64_t handle)
{
	return handle == 0 || handle == STREAM_LEGACY || handle == STREAM_PER_THREAD;
}

struct order_stream *order_stream_known(const struct order *order, uint64_t handle)
{
	struct key key = { handle, 0, 0 };

	return is_default(handle) ? NULL : g_hash_table_lookup(order->streams, &key);
}

struct order_stream *order_stream(struct order *order, uint64_t handle, int32_t device, int32_t tid)
{
	struct key key = { handle, 0, 0 };
	struct order_stream *stream;

	if (order->latest && order->latest_handle == handle && order->latest_device == device &&
	    order->latest_tid == tid)
		return order->latest;
	if (is_default(handle)) {
		key.handle = handle == STREAM_PER_THREAD ? STREAM_PER_THREAD : 0;
		key.device = device;
		key.tid = handle == STREAM_PER_THREAD ? tid : 0;
	}
	stream = g_hash_table_lookup(order->streams, &key);
	if (!stream) {
		stream = add_stream(order, key,
				    !is_default(handle)           ? STREAM_KIND_BLOCKING
				    : handle == STREAM_PER_THREAD ? STREAM_KIND_PER_THREAD
								  : STREAM_KIND_LEGACY,
				    device);
		if (!is_default(handle)) {
			stream->number = ++order->created;
			order->unknown_streams++;
		}
	}
	order->latest = stream;
	order->latest_handle = handle;
	order->latest_device = device;
	order->latest_tid = tid;
	return stream;
}

void order_stream_created(struct order *order, uint64_t handle, bool non_blocking, int32_t device)
{
	struct key key = { handle, 0, 0 };
	struct order_stream *stream;

	if (is_default(handle))
		return;
	order_stream_destroyed(order, handle); /* its end was not recorded */
	stream = add_stream(order, key,
			    non_blocking ? STREAM_KIND_NON_BLOCKING : STREAM_KIND_BLOCKING, device);
	stream->number = ++order->created;
}

void order_stream_destroyed(struct order *order, uint64_t handle)
{
	struct order_stream *stream = order_stream_known(order, handle);
	struct key key = { handle, 0, 0 };

	if (!stream)
		return;
	order_host_stream(order, stream);
	give_back_slot(order, stream);
	g_hash_table_remove(order->streams, &key);
	order->latest = NULL;
}

/* ---- work ---- */

static void wait_for(struct order_stream *stream, struct moment moment, struct order_clock *known)
{
	clock_join(&stream->known, known);
	if (moment.epoch && (int32_t)moment.slot != stream->slot)
		clock_raise(&stream->known, moment.slot, moment.epoch);
}

static struct moment latest_of(const struct order *order, const struct order_stream *stream)
{
	struct moment moment = { 0, 0 };

	if (stream->slot >= 0) {
		moment.slot = (uint32_t)stream->slot;
		moment.epoch = order->epochs[stream->slot];
	}
	return moment;
}

/* Adds what the null stream and the blocking streams of a device wait for implicitly. */
static void wait_implicitly(struct order *order, struct order_stream *stream)
{
	struct order_device *device = stream->on;

	if (stream->kind == STREAM_KIND_LEGACY) {
		while (device->dirty) {
			struct order_stream *other = device->dirty;

			wait_for(stream, latest_of(order, other), other->known);
			leave_dirty(other);
		}
	} else if (stream->kind != STREAM_KIND_NON_BLOCKING) {
		struct moment null = { 0, 0 };

		if (device->null && !order_stream_idle(order, device->null))
			null = latest_of(order, device->null);
		if (null.epoch > clock_at(stream->known, null.slot))
			wait_for(stream, null, device->null->known);
		if (!stream->dirty) {
			stream->dirty = true;
			stream->next_dirty = device->dirty;
			device->dirty = stream;
		}
	}
}

struct moment order_submit(struct order *order, struct order_stream *stream)
{
	if (stream->known && order_stream_idle(order, stream)) {
		bool needed = false;

		for (unsigned i = 0; i < stream->known->length && !needed; i++)
			needed = stream->known->at[i] > order->done[i];
		if (!needed) {
			clock_unref(stream->known);
			stream->known = NULL;
		}
	}
	take_slot(order, stream);
	wait_implicitly(order, stream);
	order->epochs[stream->slot]++;
	return latest_of(order, stream);
}

bool order_done(const struct order *order, struct moment moment)
{
	return order->done[moment.slot] >= moment.epoch;
}

bool order_visible(const struct order *order, struct moment moment)
{
	return order->visible[moment.slot] >= moment.epoch;
}

bool order_before(const struct order *order, struct moment moment,
		  const struct order_stream *stream)
{
	return order_done(order, moment) || (int32_t)moment.slot == stream->slot ||
	       clock_at(stream->known, moment.slot) >= moment.epoch;
}

/* ---- events ---- */

struct order_event *order_event(struct order *order, uint64_t handle)
{
	struct order_event *event = g_hash_table_lookup(order->events, &handle);

	if (!event) {
		event = g_new0(struct order_event, 1);
		g_hash_table_insert(order->events, g_memdup2(&handle, sizeof(handle)), event);
	}
	return event;
}

void order_event_created(struct order *order, uint64_t handle, uint32_t flags)
{
	struct order_event *event;

	order_event_destroyed(order, handle);
	event = order_event(order, handle);
	event->created = true;
	event->flags = flags;
	event->weak = flags & EVENT_DISABLE_SYSTEM_FENCE;
	event->shared = flags & EVENT_INTERPROCESS;
}

void order_event_destroyed(struct order *order, uint64_t handle)
{
	g_hash_table_remove(order->events, &handle);
}

void order_record(struct order *order, uint64_t handle, struct order_stream *stream)
{
	struct order_event *event = order_event(order, handle);

	event->moment = order_submit(order, stream);
	event->recorded = true;
	clock_unref(event->known);
	event->known = clock_ref(stream->known);
}

void order_wait_event(struct order *order, struct order_stream *stream, uint64_t handle)
{
	const struct order_event *event = order_event(order, handle);

	if (event->shared) {
		order_wait_everything(order, stream);
		return;
	}
	take_slot(order, stream);
	if (event->recorded && !order_done(order, event->moment))
		wait_for(stream, event->moment, event->known);
	order_submit(order, stream);
}

void order_wait_everything(struct order *order, struct order_stream *stream)
{
	take_slot(order, stream);
	for (unsigned i = 0; i < order->slots; i++)
		if (order->owners[i] && order->owners[i] != stream)
			clock_raise(&stream->known, i, order->epochs[i]);
	order_submit(order, stream);
}

/* ---- the host ---- */

static bool raise_to(uint64_t *at, uint64_t epoch)
{
	if (*at >= epoch)
		return false;
	*at = epoch;
	return true;
}

static void host_join(struct order *order, struct moment moment, const struct order_clock *known,
		      bool weak)
{
	bool changed = raise_to(&order->done[moment.slot], moment.epoch);

	if (!weak)
		changed |= raise_to(&order->visible[moment.slot], moment.epoch);
	for (unsigned i = 0; known && i < known->length; i++) {
		changed |= raise_to(&order->done[i], known->at[i]);
		if (!weak)
			changed |= raise_to(&order->visible[i], known->at[i]);
	}
	order->version += changed;
}

void order_host_event(struct order *order, uint64_t handle)
{
	const struct order_event *event = order_event(order, handle);

	if (event->shared)
		order_host_everything(order);
	else if (event->recorded)
		host_join(order, event->moment, event->known, event->weak);
}

void order_host_stream(struct order *order, struct order_stream *stream)
{
	/* Waiting for the null stream waits for what it would wait for. */
	if (stream->kind == STREAM_KIND_LEGACY)
		order_submit(order, stream);
	host_join(order, latest_of(order, stream), stream->known, false);
}

void order_host_device(struct order *order, int32_t device)
{
	for (unsigned i = 0; i < order->slots; i++) {
		struct order_stream *stream = order->owners[i];

		if (stream && (stream->device == device || device < 0))
			host_join(order, latest_of(order, stream), stream->known, false);
	}
}

void order_host_everything(struct order *order)
{
	order_host_device(order, -1);
}
