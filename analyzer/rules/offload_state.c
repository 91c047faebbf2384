/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of offload_state.h. */
#include "offload_state.h"

#include "offload.h"
#include "offload_copies.h"

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

struct process_offload *offload_process(struct offload *offload, struct process *process, bool make)
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

struct range *offload_range(struct process_offload *process, const struct hg_ev_omp_data *data)
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
