/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of offload_state.h. */
#include "offload_state.h"

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

	if (range->place.allocation)
		allocation_unref(range->place.allocation);
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

static void init_process(void *data)
{
	struct process_offload *process = data;

	process->ranges = g_hash_table_new_full(hash_range, equal_range, NULL, free_range);
	process->copies = g_tree_new_full(compare_addresses, NULL, NULL, g_free);
	process->transfers = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	process->constructs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	process->trips = g_hash_table_new_full(hash_trip, equal_trip, NULL, g_free);
}

static void clear_process(void *data)
{
	struct process_offload *process = data;

	g_hash_table_destroy(process->trips);
	g_hash_table_destroy(process->constructs);
	g_hash_table_destroy(process->transfers);
	g_tree_destroy(process->copies);
	g_hash_table_destroy(process->ranges);
}

static const struct attachment_type offload_type = { sizeof(struct process_offload), init_process,
						     clear_process };

struct process_offload *offload_of(struct process *process)
{
	struct process_offload *offload = attachment_get(&process->attachments, &offload_type);

	offload->process = process;
	return offload;
}

struct process_offload *offload_known(struct process *process)
{
	return attachment_find(&process->attachments, &offload_type);
}

struct range *offload_range(struct process_offload *process, const struct hg_ev_omp_data *data)
{
	struct range key = { .host = data->src, .size = data->size, .device = data->dst_device };
	struct range *range = g_hash_table_lookup(process->ranges, &key);
	struct place place = process_place(process->process, data->src);

	if (!range) {
		range = g_memdup2(&key, sizeof(key));
		g_hash_table_add(process->ranges, range);
	}
	if (place.allocation)
		allocation_ref(place.allocation);
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

struct copy *offload_copy_at(const struct process_offload *process, uint64_t ptr, uint64_t size)
{
	GTreeNode *node = g_tree_upper_bound(process->copies, &ptr);
	struct copy *copy;

	node = node ? g_tree_node_previous(node) : g_tree_node_last(process->copies);
	copy = node ? g_tree_node_value(node) : NULL;
	return copy && ptr - copy->ptr < copy->size && size <= copy->size - (ptr - copy->ptr)
		   ? copy
		   : NULL;
}

struct construct *offload_construct(struct process_offload *process, uint32_t stack_id, int64_t ns)
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

uint64_t offload_kernels(const struct process_offload *process)
{
	return process->kernels + process->process->launches;
}

bool offload_sees_kernels(const struct process_offload *process)
{
	return process->callbacks & ((uint64_t)1 << 35 | (uint64_t)1 << 10);
}
