/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers are analysed by their contents: the recording has a hash of the bytes of each. A range
 * of host memory that is mapped repeatedly is one object, however often its copy on the device is
 * allocated anew. The contents of the device's copy are known from the last transfer until a kernel
 * runs.
 */
#include "offload_report.h"

#include "analyzer/rules/ids/hg5xx.h"
#include "tracer/events/ev_omp_content.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_omp_runtime.h"
#include "tracer/events/ev_omp_target.h"

/* ---- contents ---- */

static void note_trip(struct process_offload *process, const struct transfer *transfer,
		      bool unchanged)
{
	struct return_trip key = { .range = transfer->range,
				   .construct = offload_construct(process, transfer->before_stack,
								  transfer->ns) };
	struct return_trip *trip = g_hash_table_lookup(process->trips, &key);

	if (!trip) {
		trip = g_memdup2(&key, sizeof(key));
		trip->first_ns = transfer->ns;
		g_hash_table_add(process->trips, trip);
	}
	trip->unchanged += unchanged;
	trip->changed += !unchanged;
}

static void uploaded(struct process_offload *process, const struct rules_context *context,
		     const struct transfer *transfer, uint64_t hash)
{
	struct range *range = transfer->range;
	struct copy *copy = g_tree_lookup(process->copies, &transfer->ptr);
	bool same = transfer->known && transfer->range_hash == hash;

	if (transfer->first && range->maps > 1) {
		struct construct *construct =
		    offload_construct(process, transfer->stack_id, transfer->ns);

		construct->uploads++;
		construct->repeats += same;
		construct->repeated_bytes += same ? range->size : 0;
	} else if (!transfer->first && copy && copy->number == transfer->number &&
		   transfer->copy_hash == hash) {
		offload_repeat(process, context, transfer);
	} else if (transfer->over.kernels == transfer->kernels) {
		offload_unused(process, context, range, &transfer->over, "written over");
	}
	if (copy && copy->number == transfer->number) {
		copy->latest = UPLOAD;
		copy->hash = hash;
		copy->kernels = transfer->kernels;
	}
	range->known = true;
	range->hash = hash;
}

static void downloaded(struct process_offload *process, const struct rules_context *context,
		       const struct transfer *transfer, uint64_t hash)
{
	struct range *range = transfer->range;
	struct copy *copy = g_tree_lookup(process->copies, &transfer->ptr);

	if (transfer->before && range->size >= OMP_SIZE)
		note_trip(process, transfer, transfer->before == hash);
	if (copy && copy->number == transfer->number) {
		if (transfer->latest == DOWNLOAD && transfer->copy_hash == hash)
			offload_fetched_again(process, context, transfer);
		copy->latest = DOWNLOAD;
		copy->hash = hash;
		copy->kernels = transfer->kernels;
	}
	range->known = true;
	range->hash = hash;
}

static void handle_content(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_content *content = context->event->omp_content;
	struct transfer *transfer =
	    g_hash_table_lookup(process->transfers, GUINT_TO_POINTER(content->op_id));

	if (!transfer)
		return;
	if (!content->hash) {
		process->unread++;
		offload_unused(process, context, transfer->range, &transfer->over, "written over");
	} else if (transfer->upload) {
		uploaded(process, context, transfer, content->hash);
	} else {
		downloaded(process, context, transfer, content->hash);
	}
	g_hash_table_remove(process->transfers, GUINT_TO_POINTER(content->op_id));
}

/* ---- data operations ---- */

static void handle_alloc(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct copy *copy;

	if (!data->dst || !data->size)
		return;
	copy = g_new0(struct copy, 1);
	copy->ptr = data->dst;
	copy->size = data->size;
	copy->stack_id = data->stack_id;
	copy->number = ++process->next_number;
	copy->fresh = true;
	if (data->src) {
		struct construct *construct =
		    offload_construct(process, data->stack_id, context->event->ns);

		copy->range = offload_range(process, data);
		if (copy->range->maps++ && copy->size >= OMP_SIZE) {
			construct->copies++;
			construct->allocated_bytes += copy->size;
			if (!construct->largest || construct->largest->size < copy->size)
				construct->largest = copy->range;
		}
	}
	g_tree_replace(process->copies, copy, copy);
}

/* Only a part, or not known what: nothing that was known of the whole holds any more. */
static void forget_content(struct copy *copy)
{
	copy->latest = NOTHING;
	copy->hash = 0;
	if (copy->range)
		copy->range->known = false;
}

/* Contents of transfers may never come; what is kept for them is bounded. */
#define TRANSFERS_MAX 4096

static struct transfer *expect_content(struct process_offload *process,
				       const struct rules_context *context, struct copy *copy,
				       bool upload, bool first)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct transfer *transfer = g_new0(struct transfer, 1);

	transfer->upload = upload;
	transfer->first = first;
	transfer->range = copy->range;
	transfer->ptr = copy->ptr;
	transfer->number = copy->number;
	transfer->kernels = offload_kernels(process);
	transfer->stack_id = data->stack_id;
	transfer->ns = context->event->ns;
	/* An update requests what it fetches, whether it changed or not. */
	if (!upload && copy->latest == UPLOAD && !copy->doubted &&
	    !offload_construct(process, data->stack_id, context->event->ns)->update) {
		transfer->before = copy->hash;
		transfer->before_stack = copy->stack_id;
	}
	transfer->known = copy->range->known;
	transfer->range_hash = copy->range->hash;
	transfer->latest = (int)copy->latest;
	transfer->copy_hash = copy->hash;
	transfer->copy_kernels = copy->kernels;
	forget_content(copy);
	if (g_hash_table_size(process->transfers) >= TRANSFERS_MAX)
		g_hash_table_remove_all(process->transfers);
	g_hash_table_insert(process->transfers, GUINT_TO_POINTER(data->op_id), transfer);
	return transfer;
}

static void handle_upload(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct copy *copy = offload_copy_at(process, data->dst, data->size);
	struct pending over;
	uint64_t offset;
	bool first, covered;

	if (!copy)
		return;
	offset = data->dst - copy->ptr;
	first = copy->fresh;
	covered = copy->pending.size && offset <= copy->pending.offset &&
		  copy->pending.offset + copy->pending.size <= offset + data->size;
	over = covered ? copy->pending : (struct pending){ 0 };
	copy->fresh = false;
	copy->pending = (struct pending){ .offset = offset,
					  .size = data->size,
					  .kernels = offload_kernels(process),
					  .stack_id = data->stack_id,
					  .ns = context->event->ns };
	if (copy->range && offset == 0 && data->size == copy->size &&
	    data->src == copy->range->host) {
		/* It depends on the content now if the upload before was for nothing. */
		expect_content(process, context, copy, true, first)->over = over;
	} else {
		offload_unused(process, context, copy->range, &over, "written over");
		forget_content(copy);
	}
}

static void handle_download(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct copy *copy = offload_copy_at(process, data->src, data->size);

	if (!copy)
		return;
	copy->pending.size = 0; /* something has read it */
	if (copy->range && data->src == copy->ptr && data->size == copy->size &&
	    data->dst == copy->range->host)
		expect_content(process, context, copy, false, false);
	else
		forget_content(copy);
}

static void handle_delete(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct copy *copy = g_tree_lookup(process->copies, &data->src);

	if (!copy)
		return;
	offload_unused(process, context, copy->range, &copy->pending, "deleted");
	g_tree_remove(process->copies, &data->src);
}

static void handle_data(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	struct copy *source;

	process->operations++;
	switch (data->op) {
	case HG_OMP_ALLOC:
		handle_alloc(process, context);
		break;
	case HG_OMP_TO_DEVICE:
		/* From another device's memory, which is thereby used. */
		source = offload_copy_at(process, data->src, 1);
		if (source)
			source->pending.size = 0;
		handle_upload(process, context);
		break;
	case HG_OMP_FROM_DEVICE:
		handle_download(process, context);
		break;
	case HG_OMP_DELETE:
		handle_delete(process, context);
		break;
	default:
		break;
	}
}

static void handle_target(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_target *target = context->event->omp_target;
	struct construct *construct;

	if (target->endpoint == HG_OMP_END)
		return;
	construct = offload_construct(process, target->stack_id, context->event->ns);
	construct->runs++;
	construct->update = (target->kind & ~HG_OMP_NOWAIT) == HG_OMP_UPDATE;
	if ((target->kind & ~HG_OMP_NOWAIT) == HG_OMP_TARGET)
		process->regions++;
}

void check_offload(const struct rules_context *context)
{
	const struct hg_event *event = context->event;
	struct process_offload *process;

	if (context->wake == WAKE_FINISH) {
		process = offload_known(context->process);
		if (process)
			offload_finish_process(process, context);
		return;
	}
	process = offload_of(context->process);
	switch (event->type) {
	case HG_EVENT_omp_runtime:
		process->callbacks = event->omp_runtime->callbacks;
		break;
	case HG_EVENT_omp_target:
		handle_target(process, context);
		break;
	case HG_EVENT_omp_data:
		handle_data(process, context);
		break;
	case HG_EVENT_omp_content:
		handle_content(process, context);
		break;
	case HG_EVENT_omp_submit:
		process->kernels++;
		break;
	default:
		break;
	}
}
