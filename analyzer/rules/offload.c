/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers are judged by what they carry: the recording has a hash of the bytes of each. A range
 * of host memory that is mapped again and again is one thing, however often its copy on the device
 * is made anew. What the device's copy holds is known from the last transfer until a kernel runs.
 */
#include "offload.h"

#include <string.h>

#include "offload_copies.h"
#include "thresholds.h"

/* Host memory that was mapped to a device, in one piece. */
struct range {
	uint64_t host, size;
	int32_t device;
	struct place place; /* at the latest mapping; holds a reference to its allocation */
	uint64_t maps;
	bool known;    /* both sides hold the bytes of `hash` as far as transfers tell */
	uint64_t hash; /* of the latest transfer */
};

/* An upload that nothing has used yet; size 0: none. */
struct pending {
	uint64_t offset, size; /* in the copy */
	uint64_t kernels;      /* that had run by then */
	uint32_t stack_id;
	int64_t ns;
};

/* A range's copy on a device, from its allocation until it is deleted. */
struct copy {
	uint64_t ptr, size;  /* on the device; must stay the first member: it is the tree's key */
	struct range *range; /* NULL: omp_target_alloc */
	uint32_t stack_id;   /* of the construct that made it */
	uint64_t number;     /* no other copy's, not even at the same address */
	bool fresh;          /* nothing was transferred since it was made */

	/* The latest transfer of all of it: */
	enum { NOTHING, UPLOAD, DOWNLOAD } latest;
	uint64_t hash;    /* 0: not known */
	uint64_t kernels; /* that had run on the device by then */

	struct pending pending;
};

/* A transfer whose content is still to come. */
struct transfer {
	bool upload, whole;
	bool first;      /* into a copy that was made for it */
	uint64_t number; /* of the copy */
	struct range *range;
	uint64_t ptr;
	uint64_t kernels;
	uint32_t stack_id;
	int64_t ns;
	struct pending over; /* what an upload wrote over */
	/* What was known before, which holds no longer should the content not be known. */
	bool known;
	uint64_t range_hash, copy_hash, copy_kernels;
	int latest;
	/* Of a download, which is read when the construct ends: what was uploaded there before. */
	uint64_t before;
	uint32_t before_stack;
};

/* What one construct did to the ranges that it mapped. */
struct construct {
	uint64_t code;     /* where it stands; must stay the first member: it is the table's key */
	bool update;       /* target update */
	uint32_t stack_id; /* of its first run */
	int64_t first_ns;
	uint64_t runs;
	uint64_t copies;           /* that it made, of ranges that had been mapped before */
	uint64_t uploads, repeats; /* into those; repeats: of bytes that had been there */
	uint64_t repeated_bytes, allocated_bytes;
	struct range *largest;
};

/* Bytes that came back from the device as they went there. */
struct return_trip {
	struct range *range;
	uint32_t stack_id;
	int64_t first_ns;
	uint64_t unchanged, changed;
};

struct process_offload {
	struct process *process;
	uint64_t callbacks; /* struct hg_ev_omp_runtime; 0: not known */
	uint64_t regions, kernels, operations;
	uint64_t unread; /* transfers whose contents were not read */
	uint64_t next_number;
	GHashTable *ranges;     /* struct range, by itself */
	GTree *copies;          /* struct copy, by ptr */
	GHashTable *transfers;  /* op id -> struct transfer */
	GHashTable *constructs; /* struct construct, by its code */
	GHashTable *trips;      /* struct return_trip, by range and stack */
};

struct offload {
	GPtrArray *processes; /* struct process_offload, in order of appearance */
	GHashTable *by_process;
	struct offload_copies *copies;
};

/* ---- tables ---- */

static guint hash_range(gconstpointer data)
{
	const struct range *range = data;
	uint64_t mixed =
	    (range->host >> 3) * 0x9e3779b97f4a7c15u + range->size * 31 + (uint64_t)range->device;

	return (guint)(mixed ^ mixed >> 32);
}

static gboolean equal_range(gconstpointer a, gconstpointer b)
{
	const struct range *left = a, *right = b;

	return left->host == right->host && left->size == right->size &&
	       left->device == right->device;
}

static void free_range(gpointer data)
{
	struct range *range = data;

	if (range->place.allocation) {
		allocation_unref(range->place.allocation);
	}
	g_free(range);
}

static guint hash_trip(gconstpointer data)
{
	const struct return_trip *trip = data;

	return hash_range(trip->range) * 31 + trip->stack_id;
}

static gboolean equal_trip(gconstpointer a, gconstpointer b)
{
	const struct return_trip *left = a, *right = b;

	return left->range == right->range && left->stack_id == right->stack_id;
}

static void free_process(gpointer data)
{
	struct process_offload *process = data;

	g_hash_table_destroy(process->trips);
	g_hash_table_destroy(process->constructs);
	g_hash_table_destroy(process->transfers);
	g_tree_destroy(process->copies);
	g_hash_table_destroy(process->ranges);
	g_free(process);
}

struct offload *offload_new(void)
{
	struct offload *offload = g_new0(struct offload, 1);

	offload->processes = g_ptr_array_new_with_free_func(free_process);
	offload->by_process = g_hash_table_new(NULL, NULL);
	offload->copies = offload_copies_new();
	return offload;
}

void offload_free(struct offload *offload)
{
	if (offload) {
		g_ptr_array_free(offload->processes, TRUE);
		g_hash_table_destroy(offload->by_process);
		offload_copies_free(offload->copies);
		g_free(offload);
	}
}

static struct process_offload *find(struct offload *offload, struct process *process, bool make)
{
	struct process_offload *found = g_hash_table_lookup(offload->by_process, process);

	if (found || !make) {
		return found;
	}
	found = g_new0(struct process_offload, 1);
	found->process = process;
	found->ranges = g_hash_table_new_full(hash_range, equal_range, NULL, free_range);
	found->copies = g_tree_new_full(compare_addresses, NULL, NULL, g_free);
	found->transfers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	found->constructs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	found->trips = g_hash_table_new_full(hash_trip, equal_trip, NULL, g_free);
	g_ptr_array_add(offload->processes, found);
	g_hash_table_insert(offload->by_process, process, found);
	return found;
}

static struct range *range_of(struct process_offload *process, const struct hg_ev_omp_data *data)
{
	struct range key = { .host = data->src, .size = data->size, .device = data->dst_device };
	struct range *range = g_hash_table_lookup(process->ranges, &key);
	struct place place = process_place(process->process, data->src);

	if (!range) {
		range = g_memdup2(&key, sizeof(key));
		g_hash_table_add(process->ranges, range);
	}
	if (place.allocation) {
		allocation_ref(place.allocation);
	}
	if (range->place.allocation) {
		/* Another block at the same address: another history. */
		if (range->place.allocation != place.allocation) {
			range->maps = 0;
			range->known = false;
		}
		allocation_unref(range->place.allocation);
	}
	range->place = place;
	return range;
}

/* The copy that [ptr, ptr + size) lies in, or NULL. */
static struct copy *copy_at(const struct process_offload *process, uint64_t ptr, uint64_t size)
{
	GTreeNode *node = g_tree_upper_bound(process->copies, &ptr);
	struct copy *copy;

	node = node ? g_tree_node_previous(node) : g_tree_node_last(process->copies);
	copy = node ? g_tree_node_value(node) : NULL;
	return copy && ptr - copy->ptr < copy->size && size <= copy->size - (ptr - copy->ptr)
		   ? copy
		   : NULL;
}

/* Whoever calls it: compilers unroll loops and inline. Without stacks all constructs are one. */
static struct construct *construct_of(struct process_offload *process, uint32_t stack_id,
				      int64_t ns)
{
	const struct call_stack *stack = process_stack(process->process, stack_id);
	uint64_t code = stack && stack->depth ? stack->frames[0] : stack_id;
	struct construct *construct = g_hash_table_lookup(process->constructs, &code);

	if (!construct) {
		construct = g_new0(struct construct, 1);
		construct->code = code;
		construct->stack_id = stack_id;
		construct->first_ns = ns;
		g_hash_table_insert(process->constructs, &construct->code, construct);
	}
	return construct;
}

/* Every kernel counts for every device: which one it runs on is not always told. */
static uint64_t kernels_so_far(const struct process_offload *process)
{
	return process->kernels + process->process->launches;
}

/* ompt_callback_target_submit_emi, or the older form */
static bool sees_kernels(const struct process_offload *process)
{
	return process->callbacks & ((uint64_t)1 << 35 | (uint64_t)1 << 10);
}

/* ---- findings ---- */

static char *bytes_text(const struct range *range)
{
	char *place = place_text(&range->place), *text;

	if (range->place.kind == PLACE_ALLOCATION && range->place.allocation->size == range->size) {
		return place;
	}
	text = g_strdup_printf("%" G_GUINT64_FORMAT " bytes of %s", range->size, place);
	g_free(place);
	return text;
}

static struct finding *report(const struct rules_context *context, enum rule_id rule,
			      const struct range *range, uint32_t stack_id, int64_t ns,
			      uint64_t count, bool *is_new)
{
	struct finding *finding =
	    findings_get(context->findings, rule, context->process, is_new,
			 "%u %" G_GINT64_MODIFIER "x", stack_id, stack_id ? 0 : range->host);

	finding_hit(finding, ns, stack_id);
	if (*is_new) {
		struct site *site = &g_array_index(finding->sites, struct site, 0);

		finding->count = site->count = count;
		finding_set_place(finding, &range->place, range->host);
	}
	return finding;
}

/* HG505: bytes that nothing can have read by now. */
static void report_unused(const struct process_offload *process,
			  const struct rules_context *context, const struct range *range,
			  const struct pending *pending, const char *what)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (!range || pending->size < OMP_SIZE || !sees_kernels(process) ||
	    pending->kernels != kernels_so_far(process)) {
		return;
	}
	finding = report(context, RULE_HG505, range, pending->stack_id, pending->ns, 1, &is_new);
	if (!is_new) {
		return;
	}
	bytes = bytes_text(range);
	finding->absence = true;
	finding->message =
	    g_strdup_printf("the construct copies %s to device %d, where the copy is %s before any "
			    "target region runs.",
			    bytes, range->device, what);
	finding->fix = g_strdup("leave the transfer out: map(alloc:), or no map at all, where no "
				"region reads the bytes");
	g_free(bytes);
}

/* HG504, HG505: the device's copy holds these bytes already. */
static void report_repeat(const struct process_offload *process,
			  const struct rules_context *context, const struct transfer *transfer)
{
	bool returned = transfer->latest == DOWNLOAD;
	bool is_new, certain = sees_kernels(process) && transfer->copy_kernels == transfer->kernels;
	struct finding *finding;
	char *bytes;

	/* After a download a kernel may have changed what the host has not. */
	if (transfer->range->size < OMP_SIZE || (returned && !certain)) {
		return;
	}
	finding = report(context, returned ? RULE_HG504 : RULE_HG505, transfer->range,
			 transfer->stack_id, transfer->ns, 1, &is_new);
	if (!is_new) {
		return;
	}
	bytes = bytes_text(transfer->range);
	finding->message = g_strdup_printf(
	    returned ? "the construct copies %s to device %d, from where the same bytes had just "
		       "come: neither the host nor a target region changed them."
		     : "the construct copies %s to device %d, which had been given the same bytes "
		       "before.",
	    bytes, transfer->range->device);
	finding->fix = g_strdup("leave the update out: the device has the bytes");
	if (!certain) {
		finding->least_count = OMP_REPEATS;
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"a target region in between may have changed the device's copy, so "
				"that it must be set again");
	}
	g_free(bytes);
}

/* HG505: the host was given these bytes before, and no region has run since. */
static void report_fetched_again(const struct process_offload *process,
				 const struct rules_context *context,
				 const struct transfer *transfer)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (transfer->range->size < OMP_SIZE || !sees_kernels(process) ||
	    transfer->copy_kernels != transfer->kernels) {
		return;
	}
	finding = report(context, RULE_HG505, transfer->range, transfer->stack_id, transfer->ns, 1,
			 &is_new);
	if (!is_new) {
		return;
	}
	bytes = bytes_text(transfer->range);
	finding->message = g_strdup_printf("the construct copies %s back from device %d, from "
					   "where the host had been given the same bytes before.",
					   bytes, transfer->range->device);
	finding->fix = g_strdup("leave one of the transfers out: no target region runs in between");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"the host may have changed its own bytes in between, to have them back");
	g_free(bytes);
}

/* ---- contents ---- */

static void note_trip(struct process_offload *process, const struct transfer *transfer,
		      bool unchanged)
{
	struct return_trip key = { .range = transfer->range, .stack_id = transfer->before_stack };
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
		    construct_of(process, transfer->stack_id, transfer->ns);

		construct->uploads++;
		construct->repeats += same;
		construct->repeated_bytes += same ? range->size : 0;
	} else if (!transfer->first && copy && copy->number == transfer->number &&
		   transfer->copy_hash == hash) {
		report_repeat(process, context, transfer);
	} else if (transfer->over.kernels == transfer->kernels) {
		report_unused(process, context, range, &transfer->over, "written over");
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

	if (transfer->before && range->size >= OMP_SIZE) {
		note_trip(process, transfer, transfer->before == hash);
	}
	if (copy && copy->number == transfer->number) {
		if (transfer->latest == DOWNLOAD && transfer->copy_hash == hash) {
			report_fetched_again(process, context, transfer);
		}
		copy->latest = DOWNLOAD;
		copy->hash = hash;
		copy->kernels = transfer->kernels;
	}
	range->known = true;
	range->hash = hash;
}

static void handle_content(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_content *content = &context->event->omp_content;
	struct transfer *transfer =
	    g_hash_table_lookup(process->transfers, GUINT_TO_POINTER(content->op_id));

	if (!transfer) {
		return;
	}
	if (!content->hash) {
		process->unread++;
		report_unused(process, context, transfer->range, &transfer->over, "written over");
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
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *copy;

	if (!data->dst || !data->size) {
		return;
	}
	copy = g_new0(struct copy, 1);
	copy->ptr = data->dst;
	copy->size = data->size;
	copy->stack_id = data->stack_id;
	copy->number = ++process->next_number;
	copy->fresh = true;
	if (data->src) {
		struct construct *construct =
		    construct_of(process, data->stack_id, context->event->ns);

		copy->range = range_of(process, data);
		if (copy->range->maps++ && copy->size >= OMP_SIZE) {
			construct->copies++;
			construct->allocated_bytes += copy->size;
			if (!construct->largest || construct->largest->size < copy->size) {
				construct->largest = copy->range;
			}
		}
	}
	g_tree_replace(process->copies, copy, copy);
}

/* Only a part, or not known what: nothing that was known of the whole holds any more. */
static void forget_content(struct copy *copy)
{
	copy->latest = NOTHING;
	copy->hash = 0;
	if (copy->range) {
		copy->range->known = false;
	}
}

/* Contents of transfers may never come; what is kept for them is bounded. */
#define TRANSFERS_MAX 4096

static struct transfer *expect_content(struct process_offload *process,
				       const struct rules_context *context, struct copy *copy,
				       bool upload, bool first)
{
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct transfer *transfer = g_new0(struct transfer, 1);

	transfer->upload = upload;
	transfer->first = first;
	transfer->range = copy->range;
	transfer->ptr = copy->ptr;
	transfer->number = copy->number;
	transfer->kernels = kernels_so_far(process);
	transfer->stack_id = data->stack_id;
	transfer->ns = context->event->ns;
	/* What an update fetches was asked for, whether it changed or not. */
	if (!upload && copy->latest == UPLOAD &&
	    !construct_of(process, data->stack_id, context->event->ns)->update) {
		transfer->before = copy->hash;
		transfer->before_stack = copy->stack_id;
	}
	transfer->known = copy->range->known;
	transfer->range_hash = copy->range->hash;
	transfer->latest = (int)copy->latest;
	transfer->copy_hash = copy->hash;
	transfer->copy_kernels = copy->kernels;
	forget_content(copy);
	if (g_hash_table_size(process->transfers) >= TRANSFERS_MAX) {
		g_hash_table_remove_all(process->transfers);
	}
	g_hash_table_insert(process->transfers, GUINT_TO_POINTER(data->op_id), transfer);
	return transfer;
}

static void handle_upload(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *copy = copy_at(process, data->dst, data->size);
	struct pending over;
	uint64_t offset;
	bool first, covered;

	if (!copy) {
		return;
	}
	offset = data->dst - copy->ptr;
	first = copy->fresh;
	covered = copy->pending.size && offset <= copy->pending.offset &&
		  copy->pending.offset + copy->pending.size <= offset + data->size;
	over = covered ? copy->pending : (struct pending){ 0 };
	copy->fresh = false;
	copy->pending = (struct pending){ .offset = offset,
					  .size = data->size,
					  .kernels = kernels_so_far(process),
					  .stack_id = data->stack_id,
					  .ns = context->event->ns };
	if (copy->range && offset == 0 && data->size == copy->size &&
	    data->src == copy->range->host) {
		/* Whether it was for nothing before depends on what it is now. */
		expect_content(process, context, copy, true, first)->over = over;
	} else {
		report_unused(process, context, copy->range, &over, "written over");
		forget_content(copy);
	}
}

static void handle_download(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *copy = copy_at(process, data->src, data->size);

	if (!copy) {
		return;
	}
	copy->pending.size = 0; /* something has read it */
	if (copy->range && data->src == copy->ptr && data->size == copy->size &&
	    data->dst == copy->range->host) {
		expect_content(process, context, copy, false, false);
	} else {
		forget_content(copy);
	}
}

static void handle_delete(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *copy = g_tree_lookup(process->copies, &data->src);

	if (!copy) {
		return;
	}
	report_unused(process, context, copy->range, &copy->pending, "deleted");
	g_tree_remove(process->copies, &data->src);
}

static void handle_data(struct process_offload *process, const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = &context->event->omp_data;
	struct copy *source;

	process->operations++;
	switch (data->op) {
	case HG_OMP_ALLOC:
		handle_alloc(process, context);
		break;
	case HG_OMP_TO_DEVICE:
		/* From another device's memory, which is thereby used. */
		source = copy_at(process, data->src, 1);
		if (source) {
			source->pending.size = 0;
		}
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
	const struct hg_ev_omp_target *target = &context->event->omp_target;
	struct construct *construct;

	if (target->endpoint == HG_OMP_END) {
		return;
	}
	construct = construct_of(process, target->stack_id, context->event->ns);
	construct->runs++;
	construct->update = (target->kind & ~HG_OMP_NOWAIT) == HG_OMP_UPDATE;
	if ((target->kind & ~HG_OMP_NOWAIT) == HG_OMP_TARGET) {
		process->regions++;
	}
}

void offload_event(struct offload *offload, const struct rules_context *context)
{
	const struct hg_event *event = context->event;

	offload_copies_event(offload->copies, context);
	switch (event->type) {
	case HG_EVENT_omp_runtime:
		find(offload, context->process, true)->callbacks = event->omp_runtime.callbacks;
		break;
	case HG_EVENT_omp_target:
		handle_target(find(offload, context->process, true), context);
		break;
	case HG_EVENT_omp_data:
		handle_data(find(offload, context->process, true), context);
		break;
	case HG_EVENT_omp_content:
		handle_content(find(offload, context->process, true), context);
		break;
	case HG_EVENT_omp_submit:
		find(offload, context->process, true)->kernels++;
		break;
	default:
		break;
	}
}

/* ---- after the last event ---- */

/* HG803 */
static void finish_construct(const struct rules_context *context, const struct construct *construct)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (!construct->largest || (construct->repeats < OMP_REPEATS &&
				    (construct->uploads || construct->copies < OMP_ALLOCATIONS))) {
		return;
	}
	finding = report(context, RULE_HG803, construct->largest, construct->stack_id,
			 construct->first_ns,
			 construct->repeats ? construct->repeats : construct->copies, &is_new);
	bytes = bytes_text(construct->largest);
	if (construct->repeats) {
		finding->message = g_strdup_printf(
		    "the construct ran %" G_GUINT64_FORMAT
		    " times and mapped the same host memory anew each time (the largest: %s): "
		    "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
		    " transfers to device %d carried the bytes that had been there before, "
		    "%" G_GUINT64_FORMAT " bytes in all.",
		    construct->runs, bytes, construct->repeats, construct->uploads,
		    construct->largest->device, construct->repeated_bytes);
	} else {
		finding->message = g_strdup_printf(
		    "the construct ran %" G_GUINT64_FORMAT " times, and %" G_GUINT64_FORMAT
		    " times allocated and deleted a copy of host memory that had had one on device "
		    "%d before (the largest: %s).",
		    construct->runs, construct->copies, construct->largest->device, bytes);
	}
	finding->fix = g_strdup(
	    "map the memory once around the loop, with a target data region or with target enter "
	    "data and target exit data; use target update where the host changes it in between");
	g_free(bytes);
}

/* HG804 */
static void finish_trip(const struct rules_context *context, const struct return_trip *trip)
{
	struct finding *finding;
	bool is_new;
	char *bytes;

	if (!trip->unchanged || trip->changed) {
		return;
	}
	finding = report(context, RULE_HG804, trip->range, trip->stack_id, trip->first_ns,
			 trip->unchanged, &is_new);
	if (!is_new) {
		finding->count += trip->unchanged - 1;
		return;
	}
	bytes = bytes_text(trip->range);
	finding->message = g_strdup_printf(
	    "the construct copies %s to device %d and back, and the bytes come back as they went "
	    "(%" G_GUINT64_FORMAT " time%s of %" G_GUINT64_FORMAT
	    "): no target region changed them.",
	    bytes, trip->range->device, trip->unchanged, trip->unchanged == 1 ? "" : "s",
	    trip->unchanged);
	finding->fix = g_strdup("map it with map(to:) where regions only read it; an array without "
				"a map clause is mapped tofrom");
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"that regions never change it holds for this run");
	g_free(bytes);
}

/* HG807: no finding, but what explains that there are none about transfers. */
static void finish_in_place(const struct rules_context *context,
			    const struct process_offload *process)
{
	if (!process->kernels || process->operations || !process->regions ||
	    !(process->callbacks & ((uint64_t)1 << 34 | (uint64_t)1 << 9))) {
		return;
	}
	findings_note(context->findings,
		      "%" G_GUINT64_FORMAT
		      " OpenMP target region%s ran and nothing was copied to a "
		      "device: the host's memory is used in place (unified shared memory, or zero "
		      "copy on an APU)",
		      process->regions, process->regions == 1 ? "" : "s");
}

static gint compare_constructs(gconstpointer a, gconstpointer b)
{
	const struct construct *left = *(struct construct *const *)a;
	const struct construct *right = *(struct construct *const *)b;

	return left->first_ns < right->first_ns ? -1 : left->first_ns > right->first_ns;
}

static gint compare_trips(gconstpointer a, gconstpointer b)
{
	const struct return_trip *left = *(struct return_trip *const *)a;
	const struct return_trip *right = *(struct return_trip *const *)b;

	if (left->range->size != right->range->size) {
		return left->range->size > right->range->size ? -1 : 1;
	}
	return left->first_ns < right->first_ns ? -1 : left->first_ns > right->first_ns;
}

static GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare)
{
	GPtrArray *values = g_ptr_array_new();
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, table);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		g_ptr_array_add(values, value);
	}
	g_ptr_array_sort(values, compare);
	return values;
}

static void finish_contents(const struct rules_context *context,
			    const struct process_offload *process)
{
	if (process->unread) {
		findings_note(context->findings,
			      "%" G_GUINT64_FORMAT
			      " OpenMP transfer%s were not compared with others, because reading "
			      "what they carry would have taken too long (HIPGRAIN_OMP_CONTENTS=2 "
			      "reads all)",
			      process->unread, process->unread == 1 ? "" : "s");
	}
}

static void finish_process(struct process_offload *process, const struct rules_context *context)
{
	GPtrArray *constructs = sorted_values(process->constructs, compare_constructs);
	GPtrArray *trips = sorted_values(process->trips, compare_trips);

	for (unsigned i = 0; i < constructs->len; i++) {
		finish_construct(context, constructs->pdata[i]);
	}
	for (unsigned i = 0; i < trips->len; i++) {
		finish_trip(context, trips->pdata[i]);
	}
	finish_in_place(context, process);
	finish_contents(context, process);
	g_ptr_array_free(constructs, TRUE);
	g_ptr_array_free(trips, TRUE);
}

void offload_finish(struct offload *offload, const struct rules_context *context)
{
	for (unsigned i = 0; i < offload->processes->len; i++) {
		struct process_offload *process = offload->processes->pdata[i];
		struct rules_context own = *context;

		own.process = process->process;
		finish_process(process, &own);
	}
}
