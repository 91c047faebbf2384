/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a call that did not return was about, by the state when it was made. */
#include "stuck_calls.h"

#include <string.h>

#include "analyzer/rules/order/ordering.h"
#include "tracer/events/ev_launch.h"

/* ---- launches that may not be complete ---- */

struct pending {
	struct moment moment; /* epoch 0: none */
	struct open_launch launch;
};

/* Holds the latest launches, in a ring. */
struct pendings {
	struct pending at[OPEN_LAUNCHES];
	uint64_t added;
};

static const struct attachment_type pendings_type = { sizeof(struct pendings), NULL, NULL };

static void add_launch(const struct rules_context *context)
{
	const struct hg_ev_launch *launch = context->event->launch;
	struct pendings *pendings = attachment_get(&context->process->attachments, &pendings_type);

	pendings->at[pendings->added++ % OPEN_LAUNCHES] =
	    (struct pending){ .moment = context->work->use->moment,
			      .launch = { .kernel_id = launch->kernel_id,
					  .stack_id = launch->stack_id,
					  .stream = launch->stream,
					  .ns = context->event->ns,
					  .count = 1 } };
}

static void take_back(const struct rules_context *context)
{
	struct pendings *pendings = attachment_find(&context->process->attachments, &pendings_type);
	const struct moment moment = context->work->moment;

	for (unsigned i = 0; pendings && i < OPEN_LAUNCHES; i++)
		if (pendings->at[i].moment.slot == moment.slot &&
		    pendings->at[i].moment.epoch == moment.epoch)
			pendings->at[i].moment.epoch = 0;
}

/* ---- rows ---- */

static void free_row(gpointer data)
{
	struct open_row *row = data;

	allocation_unref(row->to.allocation);
	allocation_unref(row->from.allocation);
	g_array_unref(row->launches);
	g_free(row);
}

static const struct attachment_list_type result_type = ATTACHMENT_LIST(free_row);

const GPtrArray *open_calls_result(const struct findings *findings)
{
	return findings_list(findings, &result_type);
}

const struct open_row *open_calls_of(const struct findings *findings, const struct process *process)
{
	const GPtrArray *rows = open_calls_result(findings);

	for (guint i = 0; i < rows->len; i++) {
		const struct open_row *row = rows->pdata[i];

		if (row->process == process)
			return row;
	}
	return NULL;
}

static struct open_place place_at(const struct process *process, uint64_t address)
{
	struct place place;

	if (!address)
		return (struct open_place){ 0 };
	place = process_place(process, address);
	return (struct open_place){ .address = address,
				    .kind = place.kind,
				    .allocation =
					place.allocation ? allocation_ref(place.allocation) : NULL,
				    .freed = place.kind == PLACE_FREED,
				    .offset = place.offset };
}

/*
 * Returns true if the call waits for this launch and for no other stream's work. A null stream
 * waits for other streams, too.
 */
static bool is_awaited(const struct hg_open_call *call, const struct pending *pending,
		       const struct order_event *event)
{
	if (event)
		return pending->moment.slot == event->moment.slot &&
		       pending->moment.epoch <= event->moment.epoch;
	return call->stream > STREAM_PER_THREAD && pending->launch.stream == call->stream;
}

static void add_pending(struct open_row *row, const struct pending *pending)
{
	for (guint i = 0; i < row->launches->len; i++) {
		struct open_launch *one = &g_array_index(row->launches, struct open_launch, i);

		if (one->kernel_id == pending->launch.kernel_id &&
		    one->stack_id == pending->launch.stack_id &&
		    one->stream == pending->launch.stream) {
			one->count++;
			return;
		}
	}
	g_array_append_val(row->launches, pending->launch);
}

/* Returns true if the call made the launch, which is recorded before its own call is made. */
static bool is_own(const struct open_row *row, const struct pending *pending)
{
	const struct hg_open_call *call = &row->open.call;

	return hg_api_class((unsigned)call->state) == HG_CLASS_LAUNCH &&
	       pending->launch.kernel_id == call->kernel_id &&
	       pending->launch.stack_id == call->stack_id;
}

/* Finds launches, the latest first. With `awaited` it finds only those that the call waits for. */
static void find_launches(struct open_row *row, struct process_order *at, bool awaited)
{
	const struct pendings *pendings =
	    attachment_find(&row->process->attachments, &pendings_type);
	const struct hg_open_call *call = &row->open.call;
	const struct order_event *event =
	    call->event && hg_api_class((unsigned)call->state) == HG_CLASS_SYNC
		? order_event(&at->order, call->event)
		: NULL;

	for (uint64_t i = 1; pendings && i <= MIN(pendings->added, OPEN_LAUNCHES); i++) {
		const struct pending *pending =
		    &pendings->at[(pendings->added - i) % OPEN_LAUNCHES];

		if (pending->moment.epoch && !order_done(&at->order, pending->moment) &&
		    !(i == 1 && is_own(row, pending)) &&
		    (!awaited || is_awaited(call, pending, event)))
			add_pending(row, pending);
	}
	row->of_stream = awaited;
	row->more = pendings && pendings->added > OPEN_LAUNCHES;
}

static void add_row(const struct rules_context *context)
{
	const struct open_call *open = context->event->open_call;
	struct process_order *at = order_known(context->process);
	struct open_row *row = g_new0(struct open_row, 1);

	row->process = context->process;
	row->open = *open;
	row->tid = context->event->tid;
	row->ns = context->event->ns;
	row->to = place_at(context->process, open->call.ptr);
	row->from = place_at(context->process, open->call.src);
	row->launches = g_array_new(FALSE, FALSE, sizeof(struct open_launch));
	if (at)
		find_launches(row, at, true);
	if (at && !row->launches->len)
		find_launches(row, at, false);
	row->process->in_launch |=
	    !row->open.ended && hg_api_class((unsigned)row->open.call.state) == HG_CLASS_LAUNCH;
	g_ptr_array_add(findings_list(context->findings, &result_type), row);
}

void note_open_calls(const struct rules_context *context)
{
	if (context->wake == WAKE_OPEN_CALL)
		add_row(context);
	else if (context->wake == WAKE_TAKEN_BACK)
		take_back(context);
	else if (context->event->type == HG_EVENT_launch)
		add_launch(context);
}
