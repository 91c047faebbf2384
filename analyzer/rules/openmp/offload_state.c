/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of offload_state.h. */
#include "offload_state.h"

#include "analyzer/replay/target_regions.h"
#include "tracer/events/ev_omp_data.h"

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

	return hash_range(trip->range) * 31 + g_int64_hash(&trip->construct->code);
}

static gboolean equal_trip(gconstpointer a, gconstpointer b)
{
	const struct return_trip *left = a, *right = b;

	return left->range == right->range && left->construct == right->construct;
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

uint64_t offload_code(const struct process *process, uint32_t stack_id)
{
	const struct call_stack *stack = process_stack(process, stack_id);

	return stack && stack->depth ? stack->frames[0] : stack_id;
}

struct construct *offload_construct(struct process_offload *process, uint32_t stack_id, int64_t ns)
{
	uint64_t code = offload_code(process->process, stack_id);
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

static gboolean doubt_copy(gpointer key, gpointer value, gpointer data)
{
	(void)key;
	(void)data;
	((struct copy *)value)->doubted = true;
	return FALSE;
}

void offload_doubt(struct process *process)
{
	struct process_offload *offload = offload_known(process);

	if (offload)
		g_tree_foreach(offload->copies, doubt_copy, NULL);
}

static void unite_constructs(struct construct *into, struct construct *copy)
{
	into->runs += copy->runs;
	into->copies += copy->copies;
	into->uploads += copy->uploads;
	into->repeats += copy->repeats;
	into->repeated_bytes += copy->repeated_bytes;
	into->allocated_bytes += copy->allocated_bytes;
	if (!into->largest || (copy->largest && into->largest->size < copy->largest->size))
		into->largest = copy->largest;
	copy->same = into;
}

static void unite_trips(struct process_offload *process)
{
	GHashTable *united = g_hash_table_new_full(hash_trip, equal_trip, NULL, g_free);
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, process->trips);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct return_trip *trip = value;
		struct return_trip key = *trip, *old;

		key.construct = trip->construct->same ? trip->construct->same : trip->construct;
		old = g_hash_table_lookup(united, &key);
		if (old) {
			old->first_ns = MIN(old->first_ns, trip->first_ns);
			old->unchanged += trip->unchanged;
			old->changed += trip->changed;
		} else {
			g_hash_table_add(united, g_memdup2(&key, sizeof(key)));
		}
	}
	g_hash_table_destroy(process->trips);
	process->trips = united;
}

void offload_unite(struct process_offload *process, const GPtrArray *constructs)
{
	GHashTable *by_kernel = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; i < constructs->len; i++) {
		struct construct *construct = constructs->pdata[i], *old;
		const struct target_region *region =
		    target_region_at(process->process, construct->code);

		old = region ? g_hash_table_lookup(by_kernel, region->kernel) : NULL;
		if (old)
			unite_constructs(old, construct);
		else if (region)
			g_hash_table_insert(by_kernel, region->kernel, construct);
	}
	g_hash_table_destroy(by_kernel);
	unite_trips(process);
}

uint64_t offload_kernels(const struct process_offload *process)
{
	return process->kernels + process->process->launches;
}

bool offload_sees_kernels(const struct process_offload *process)
{
	return process->callbacks & ((uint64_t)1 << 35 | (uint64_t)1 << 10);
}
