/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what is in flight on GPUs, by the order of work, and by calls that have not returned. */
#include "in_flight.h"

#include <string.h>

#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_target.h"

struct flight_key {
	uint32_t kernel_id, args_id, stack_id, slot;
	int32_t device;
	uint16_t api;
	bool ordered;
};

struct kept_flights {
	struct flights flights; /* must stay the first member */
	GHashTable *by_key;     /* struct flight_key -> struct flight of the list */
};

static struct flight_key key_of(const struct flight *flight)
{
	struct flight_key key;

	memset(&key, 0, sizeof(key)); /* it is compared as bytes */
	key.kernel_id = flight->kernel_id;
	key.args_id = flight->args_id;
	key.stack_id = flight->stack_id;
	key.slot = flight->ordered ? flight->moment.slot : (uint32_t)flight->tid;
	key.device = flight->device;
	key.api = flight->api;
	key.ordered = flight->ordered;
	return key;
}

static guint hash_key(gconstpointer data)
{
	const struct flight_key *key = data;

	return key->kernel_id * 31 + key->args_id * 17 + key->stack_id * 13 + key->slot * 7 +
	       key->api;
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct flight_key)) == 0;
}

static void init_flights(void *data)
{
	struct kept_flights *kept = data;

	kept->flights.list = g_ptr_array_new_with_free_func(g_free);
	kept->flights.left_out = g_array_new(FALSE, FALSE, sizeof(struct moment));
	kept->by_key = g_hash_table_new_full(hash_key, equal_keys, g_free, NULL);
}

static void clear_flights(void *data)
{
	struct kept_flights *kept = data;

	g_hash_table_destroy(kept->by_key);
	g_ptr_array_free(kept->flights.list, TRUE);
	g_array_free(kept->flights.left_out, TRUE);
}

static const struct attachment_type flights_type = { sizeof(struct kept_flights), init_flights,
						     clear_flights };

static struct kept_flights *kept_of(struct process *process)
{
	return attachment_get(&process->attachments, &flights_type);
}

const struct flights *flights_of(const struct process *process)
{
	return attachment_find(&process->attachments, &flights_type);
}

bool flight_is_open(const struct process *process, const struct flights *flights,
		    const struct flight *flight)
{
	const struct process_order *at = order_known((struct process *)process);

	if (!flight->ordered || (flight->held && flights->waiting_ns))
		return true;
	return at && !order_done(&at->order, flight->moment);
}

bool flights_are_all(const struct process *process, const struct flights *flights)
{
	const struct process_order *at = order_known((struct process *)process);

	for (unsigned i = 0; at && i < flights->left_out->len; i++)
		if (!order_done(&at->order, g_array_index(flights->left_out, struct moment, i)))
			return false;
	return !flights->more;
}

static void leave_out(struct flights *flights, const struct flight *flight)
{
	if (!flight->ordered) {
		flights->more = true;
		return;
	}
	for (unsigned i = 0; i < flights->left_out->len; i++) {
		struct moment *last = &g_array_index(flights->left_out, struct moment, i);

		if (last->slot == flight->moment.slot) {
			last->epoch = MAX(last->epoch, flight->moment.epoch);
			return;
		}
	}
	g_array_append_val(flights->left_out, flight->moment);
}

static void drop(struct kept_flights *kept, unsigned at)
{
	struct flight_key key = key_of(kept->flights.list->pdata[at]);

	g_hash_table_remove(kept->by_key, &key);
	g_ptr_array_remove_index(kept->flights.list, at);
}

static void drop_complete(const struct process *process, struct kept_flights *kept)
{
	for (unsigned i = kept->flights.list->len; i-- > 0;)
		if (!flight_is_open(process, &kept->flights, kept->flights.list->pdata[i]))
			drop(kept, i);
}

static void drop_oldest(struct kept_flights *kept)
{
	for (unsigned i = 0; i < FLIGHTS_KEPT / 2; i++) {
		const struct flight *flight = kept->flights.list->pdata[i];
		struct flight_key key = key_of(flight);

		leave_out(&kept->flights, flight);
		g_hash_table_remove(kept->by_key, &key);
	}
	g_ptr_array_remove_range(kept->flights.list, 0, FLIGHTS_KEPT / 2);
}

static struct flight *add(struct process *process, const struct flight *one)
{
	struct kept_flights *kept = kept_of(process);
	struct flight_key key = key_of(one);
	struct flight *flight = g_hash_table_lookup(kept->by_key, &key);

	if (flight) {
		uint64_t count =
		    flight_is_open(process, &kept->flights, flight) ? flight->count : 0;
		uint64_t most = MAX(flight->work_items, one->work_items);

		*flight = *one;
		flight->count = count + 1;
		flight->work_items = most;
		return flight;
	}
	if (kept->flights.list->len >= FLIGHTS_KEPT)
		drop_complete(process, kept);
	if (kept->flights.list->len >= FLIGHTS_KEPT)
		drop_oldest(kept);
	flight = g_memdup2(one, sizeof(*one));
	flight->count = 1;
	g_ptr_array_add(kept->flights.list, flight);
	g_hash_table_insert(kept->by_key, g_memdup2(&key, sizeof(key)), flight);
	return flight;
}

/* Returns the bytes of a copy or fill of `slices` slices of `rows` rows of `size` bytes. */
static struct touched_range range(uint64_t start, uint64_t size, uint64_t rows, uint64_t pitch,
				  uint64_t slices, uint64_t slice)
{
	uint64_t bytes = size && rows ? (rows - 1) * pitch + size : 0;

	if (bytes && slices > 1)
		bytes += (slices - 1) * slice;
	return (struct touched_range){ start, bytes };
}

static void describe(struct flight *flight, const struct hg_event *event)
{
	switch (event->type) {
	case HG_EVENT_launch:
		flight->kernel_id = event->launch->kernel_id;
		flight->args_id = event->launch->args_id;
		flight->work_items = (uint64_t)event->launch->grid_x * event->launch->grid_y *
				     event->launch->grid_z * event->launch->block_x *
				     event->launch->block_y * event->launch->block_z;
		break;
	case HG_EVENT_copy:
		flight->dst =
		    range(event->copy->dst, event->copy->size, event->copy->rows,
			  event->copy->dst_pitch, event->copy->depth, event->copy->dst_slice);
		flight->src =
		    range(event->copy->src, event->copy->size, event->copy->rows,
			  event->copy->src_pitch, event->copy->depth, event->copy->src_slice);
		break;
	case HG_EVENT_fill:
		flight->dst = range(event->fill->dst, event->fill->size, event->fill->rows,
				    event->fill->pitch, event->fill->depth, event->fill->slice);
		break;
	default:
		break;
	}
}

static void on_work(const struct rules_context *context)
{
	const struct use *use = context->work->use;
	struct flight one = { .api = use->api,
			      .stack_id = use->stack_id,
			      .device = use->device,
			      .ordered = true,
			      .moment = use->moment,
			      .ns = use->ns };
	struct flight *flight;

	describe(&one, context->event);
	flight = add(context->process, &one);
	/* The environment makes the launch wait, and its event comes before that. */
	if (context->event->type == HG_EVENT_launch && context->work->at->serialised > 0) {
		struct kept_flights *kept = kept_of(context->process);

		flight->held = true;
		kept->flights.waiting_tid = context->event->tid;
		kept->flights.waiting_ns = context->event->ns;
	}
}

/* Adds a launch that is not known as ordered work. */
static void on_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct flight one = { .api = launch->api,
			      .stack_id = launch->stack_id,
			      .device = launch->device,
			      .tid = context->event->tid,
			      .ns = context->event->ns };

	if (!process_kernel(context->process, launch->kernel_id) ||
	    !process_args(context->process, launch->args_id)) {
		kept_of(context->process)->flights.more = true;
	} else if (launch->api == HG_API_hsa_queue_dispatch) {
		describe(&one, context->event);
		add(context->process, &one);
	}
}

static void on_call(const struct rules_context *context)
{
	struct kept_flights *kept = attachment_find(&context->process->attachments, &flights_type);
	const struct hg_event *event = context->event;

	/* A thread of the runtime reports it. */
	if (event->type == HG_EVENT_call && (event->call->api == HG_API_gpu_memory_fault ||
					     event->call->api == HG_API_gpu_queue_error))
		return;
	if (kept && kept->flights.waiting_ns && kept->flights.waiting_tid == event->tid &&
	    kept->flights.waiting_ns != event->ns)
		kept->flights.waiting_ns = 0;
}

/* Notes a release, which may wait, and whose event comes before it does. */
static void on_release(const struct rules_context *context)
{
	struct kept_flights *kept = attachment_find(&context->process->attachments, &flights_type);
	const struct hg_event *event = context->event;

	if (!kept || is_release_in_stream(event->free->api))
		return;
	drop_complete(context->process, kept);
	for (unsigned i = 0; i < kept->flights.list->len; i++)
		((struct flight *)kept->flights.list->pdata[i])->held = true;
	kept->flights.waiting_tid = event->tid;
	kept->flights.waiting_ns = event->ns;
}

static void on_taken_back(const struct rules_context *context)
{
	struct kept_flights *kept = kept_of(context->process);
	const struct moment *moment = &context->work->moment;

	for (unsigned i = kept->flights.list->len; i-- > 0;) {
		struct flight *flight = kept->flights.list->pdata[i];

		if (!flight->ordered || flight->moment.slot != moment->slot ||
		    flight->moment.epoch != moment->epoch)
			continue;
		if (flight->count > 1)
			flight->count--;
		else
			drop(kept, i);
		return;
	}
}

/* A target region ends when its kernels have. */
static void on_omp(const struct rules_context *context)
{
	struct kept_flights *kept = attachment_find(&context->process->attachments, &flights_type);
	const struct hg_event *event = context->event;

	if (!kept || event->type != HG_EVENT_omp_target ||
	    event->omp_target->endpoint != HG_OMP_END)
		return;
	for (unsigned i = kept->flights.list->len; i-- > 0;) {
		const struct flight *flight = kept->flights.list->pdata[i];

		if (!flight->ordered && flight->tid == event->tid)
			drop(kept, i);
	}
}

void note_in_flight(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_WORK:
		on_work(context);
		break;
	case WAKE_TAKEN_BACK:
		on_taken_back(context);
		break;
	case WAKE_LAUNCH:
		on_launch(context);
		break;
	case WAKE_RELEASE:
		on_release(context);
		break;
	case WAKE_OMP:
		on_omp(context);
		break;
	default:
		on_call(context);
		break;
	}
}
