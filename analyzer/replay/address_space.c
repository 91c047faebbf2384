/* SPDX-License-Identifier: Apache-2.0 */
/* Live and freed allocations by address, a tree for each layer. */
#include "address_space.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/api/hsa.h"

#include <stddef.h>
#include <string.h>

gint compare_addresses(gconstpointer a, gconstpointer b, gpointer data)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	(void)data;
	return left < right ? -1 : left > right;
}

struct allocation *allocation_ref(struct allocation *allocation)
{
	if (allocation)
		allocation->references++;
	return allocation;
}

void allocation_unref(struct allocation *allocation)
{
	if (allocation && --allocation->references == 0) {
		g_free(allocation->symbol);
		g_free(allocation->label);
		g_free(allocation->view_space);
		attachments_clear(&allocation->attachments);
		g_free(allocation);
	}
}

static void unref_value(gpointer value)
{
	allocation_unref(value);
}

void address_space_init(struct address_space *space)
{
	memset(space, 0, sizeof(*space));
	space->blocks = g_new(struct host_blocks, 1);
	host_blocks_init(space->blocks);
	for (int i = 0; i < LAYERS; i++)
		space->layers[i] = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->aliases = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->gone_aliases = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->freed = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->unmapped = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
}

void address_space_destroy(struct address_space *space)
{
	for (int i = 0; i < LAYERS; i++)
		g_tree_destroy(space->layers[i]);
	g_tree_destroy(space->aliases);
	g_tree_destroy(space->gone_aliases);
	g_tree_destroy(space->freed);
	g_tree_destroy(space->unmapped);
	host_blocks_destroy(space->blocks);
	g_free(space->blocks);
}

/* Asked for each event: the C library's are most of them. */
enum layer layer_of_api(uint16_t api)
{
	static const bool is_mapping[HG_HIP_APIS] = {
		[HG_API_mmap] = true,  [HG_API_mremap] = true, [HG_API_munmap] = true,
		[HG_API_shmat] = true, [HG_API_shmdt] = true,  [HG_API_brk] = true,
		[HG_API_sbrk] = true,
	};

	if (api < HG_HIP_APIS)
		return is_mapping[api] ? LAYER_MAPPING : LAYER_HOST;
	switch (api) {
	case HG_API_hipHostRegister:
	case HG_API_hipHostUnregister:
	case HG_API_hsa_amd_memory_lock:
	case HG_API_hsa_amd_memory_lock_to_pool:
	case HG_API_hsa_amd_memory_unlock:
		return LAYER_REGISTERED;
	case HG_API_hipMemMap:
	case HG_API_hipMemUnmap:
		return LAYER_MAPPED;
	default:
		return LAYER_HIP;
	}
}

bool allocation_is_in_place(const struct allocation *allocation)
{
	return allocation->layer == LAYER_REGISTERED && allocation->device_ptr == allocation->ptr;
}

/* A zero-sized allocation still has an address of its own. */
static uint64_t extent(const struct allocation *allocation)
{
	return allocation->size ? allocation->size : 1;
}

static struct allocation *value_of(GTreeNode *node)
{
	return node ? g_tree_node_value(node) : NULL;
}

/* Returns the entry with the greatest key <= address. */
static GTreeNode *floor_node(GTree *tree, uint64_t address)
{
	GTreeNode *node = g_tree_upper_bound(tree, &address);

	return node ? g_tree_node_previous(node) : g_tree_node_last(tree);
}

/*
 * Returns the registration that holds the address and begins closest before it. Those behind it
 * need not reach so far.
 */
static struct allocation *registered_at(const struct address_space *space, uint64_t address,
					uint64_t *offset)
{
	GTreeNode *node = floor_node(space->layers[LAYER_REGISTERED], address);

	for (; node; node = g_tree_node_previous(node)) {
		struct allocation *found = g_tree_node_value(node);

		if (address - found->ptr < extent(found)) {
			if (offset)
				*offset = address - found->ptr;
			return found;
		}
		if (address - found->ptr >= space->longest_overlap)
			break;
	}
	return NULL;
}

static struct allocation *containing(GTree *tree, uint64_t address, bool by_device_ptr,
				     uint64_t *offset)
{
	struct allocation *found = value_of(floor_node(tree, address));
	uint64_t base;

	if (!found)
		return NULL;
	base = by_device_ptr ? found->device_ptr : found->ptr;
	if (address - base >= extent(found))
		return NULL;
	if (offset)
		*offset = address - base;
	return found;
}

/* ---- blocks ---- */

/* Its address was looked up: from now on it is an allocation like others. */
static struct allocation *make_allocation(const struct address_space *space,
					  const struct host_block *block)
{
	struct allocation *allocation = g_new0(struct allocation, 1);
	bool freed = block->released;

	allocation->references = 1;
	allocation->ptr = allocation->device_ptr = block->ptr;
	allocation->size = block->size;
	allocation->api = block->api;
	allocation->layer = LAYER_HOST;
	allocation->device = -1;
	allocation->tid = block->tid;
	allocation->ns = block->ns;
	allocation->stack_id = block->stack_id;
	if (freed) {
		allocation->freed = true;
		allocation->free_api = block->free_api;
		allocation->free_tid = block->free_tid;
		allocation->free_ns = block->free_ns;
		allocation->free_stack_id = block->free_stack_id;
	}
	g_tree_insert(freed ? space->freed : space->layers[LAYER_HOST], &allocation->ptr,
		      allocation);
	host_blocks_remove(space->blocks, block);
	return allocation;
}

static struct allocation *containing_block(const struct address_space *space, uint64_t address,
					   bool freed, uint64_t *offset)
{
	const struct host_block *block = host_blocks_holding(space->blocks, address, freed);

	if (!block)
		return NULL;
	if (offset)
		*offset = address - block->ptr;
	return make_allocation(space, block);
}

/* Returns the freed allocation that began there, or NULL. */
static struct allocation *freed_at(const struct address_space *space, uint64_t ptr)
{
	struct allocation *found = g_tree_lookup(space->freed, &ptr);
	const struct host_block *block =
	    found ? NULL : host_blocks_holding(space->blocks, ptr, true);

	return block && block->ptr == ptr ? make_allocation(space, block) : found;
}

static void detach_from_host(struct address_space *space, struct allocation *allocation)
{
	if (space->observer && allocation->layer != LAYER_MAPPING)
		space->observer->ended(space->observer->data, space->owner, allocation);
	g_tree_remove(space->layers[allocation->layer], &allocation->ptr);
}

static void detach(struct address_space *space, struct allocation *allocation)
{
	if (allocation->device_ptr != allocation->ptr)
		g_tree_remove(space->aliases, &allocation->device_ptr);
	detach_from_host(space, allocation);
}

/* Forget what was freed in a range: the addresses mean something else now. */
static void drop_overlapping(GTree *tree, uint64_t start, uint64_t end, bool by_device_ptr)
{
	GTreeNode *node;

	if (!g_tree_nnodes(tree)) /* of most programs, at most events */
		return;
	while ((node = floor_node(tree, end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);
		uint64_t *base = by_device_ptr ? &old->device_ptr : &old->ptr;

		if (*base + extent(old) <= start)
			break;
		g_tree_remove(tree, base);
	}
}

static void drop_freed(struct address_space *space, uint64_t start, uint64_t end)
{
	drop_overlapping(space->freed, start, end, false);
	host_blocks_drop(space->blocks, start, end, true);
}

/* Ends what still lives there in one layer, except blocks of the C library. */
static void end_allocations(struct address_space *space, enum layer layer, uint64_t start,
			    uint64_t end)
{
	GTreeNode *node;

	if (!g_tree_nnodes(space->layers[layer]))
		return;
	while ((node = floor_node(space->layers[layer], end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);

		if (old->ptr + extent(old) <= start)
			break;
		space->overlaps++;
		detach(space, old);
	}
}

static void end_overlapped(struct address_space *space, enum layer layer, uint64_t start,
			   uint64_t end)
{
	end_allocations(space, layer, start, end);
	if (layer == LAYER_HOST)
		space->overlaps += host_blocks_drop(space->blocks, start, end, false);
}

/*
 * Registrations may overlap: each has an address of the GPU of its own, also if two begin at the
 * same one of the host (docs/runtimes.md). The later one is then the one that can be ended.
 */
static void end_registration(struct address_space *space, const struct allocation *allocation)
{
	GTreeNode *node =
	    floor_node(space->layers[LAYER_REGISTERED], allocation->ptr + extent(allocation) - 1);
	struct allocation *same = g_tree_lookup(space->layers[LAYER_REGISTERED], &allocation->ptr);

	if (same) {
		space->overlaps++;
		detach_from_host(space, same);
	} else if (node && ((struct allocation *)g_tree_node_value(node))->ptr > allocation->ptr) {
		space->longest_overlap = MAX(space->longest_overlap, extent(allocation));
	}
	same = registered_at(space, allocation->ptr, NULL);
	if (same)
		space->longest_overlap = MAX(space->longest_overlap, extent(same));
}

static void insert(struct address_space *space, struct allocation *allocation, bool again)
{
	GTree *tree = space->layers[allocation->layer];
	uint64_t end = allocation->ptr + extent(allocation);

	if (allocation->layer == LAYER_REGISTERED)
		end_registration(space, allocation);
	else
		end_overlapped(space, allocation->layer, allocation->ptr, end);
	/* Registering memory does not make it new memory. */
	if (allocation->layer != LAYER_REGISTERED) {
		drop_freed(space, allocation->ptr, end);
		drop_overlapping(space->unmapped, allocation->ptr, end, false);
	}
	if (allocation->device_ptr != allocation->ptr) {
		drop_overlapping(space->gone_aliases, allocation->device_ptr,
				 allocation->device_ptr + extent(allocation), true);
		g_tree_insert(space->aliases, &allocation->device_ptr, allocation_ref(allocation));
	}
	g_tree_insert(tree, &allocation->ptr, allocation);
	if (space->observer && allocation->layer != LAYER_MAPPING)
		space->observer->live(space->observer->data, space->owner, allocation, again);
}

void address_space_add(struct address_space *space, struct allocation *allocation)
{
	insert(space, allocation, false);
}

struct allocation *address_space_find_base(const struct address_space *space, uint64_t ptr,
					   uint16_t api)
{
	enum layer layer = layer_of_api(api);
	struct allocation *found = g_tree_lookup(space->layers[layer], &ptr);
	const struct host_block *block =
	    found || layer != LAYER_HOST ? NULL : address_space_block(space, ptr);

	return block ? make_allocation(space, block) : found;
}

bool address_space_add_block(struct address_space *space, const struct host_block *block)
{
	uint64_t end = block->ptr + (block->size ? block->size : 1);

	if (space->observer)
		return false;
	end_allocations(space, LAYER_HOST, block->ptr, end);
	drop_overlapping(space->freed, block->ptr, end, false);
	drop_overlapping(space->unmapped, block->ptr, end, false);
	space->overlaps += host_blocks_add(space->blocks, block);
	return true;
}

struct host_block *address_space_block(const struct address_space *space, uint64_t ptr)
{
	return host_blocks_live(space->blocks, ptr);
}

void address_space_release_block(struct address_space *space, struct host_block *block,
				 const struct host_block *how)
{
	space->latest_free_ns = MAX(space->latest_free_ns, how->free_ns);
	host_blocks_release(space->blocks, block, how);
	drop_overlapping(space->freed, block->ptr, block->ptr + (block->size ? block->size : 1),
			 false);
}

void address_space_release(struct address_space *space, struct allocation *allocation)
{
	struct allocation *kept = allocation_ref(allocation);
	bool alias = kept->device_ptr != kept->ptr;

	detach(space, allocation);
	space->latest_free_ns = MAX(space->latest_free_ns, kept->free_ns);
	kept->freed = true;
	if (kept->layer != LAYER_REGISTERED) {
		drop_freed(space, kept->ptr, kept->ptr + extent(kept));
		g_tree_insert(space->freed, &kept->ptr, kept);
	} else if (alias) {
		g_tree_insert(space->gone_aliases, &kept->device_ptr, kept);
	} else {
		allocation_unref(kept); /* nothing but the host memory below is left */
	}
}

/* Returns the ended registration of host memory at `ptr`, or NULL. Failing to unregister is rare.
 */
static struct allocation *gone_registration(const struct address_space *space, uint64_t ptr)
{
	GTreeNode *node;

	for (node = g_tree_node_first(space->gone_aliases); node; node = g_tree_node_next(node)) {
		struct allocation *allocation = g_tree_node_value(node);

		if (allocation->ptr == ptr)
			return allocation;
	}
	return NULL;
}

struct allocation *address_space_restore(struct address_space *space, uint64_t ptr, int32_t tid,
					 uint16_t api)
{
	bool registered = layer_of_api(api) == LAYER_REGISTERED;
	struct allocation *found =
	    registered ? gone_registration(space, ptr) : freed_at(space, ptr);

	if (!found || found->free_tid != tid)
		return NULL;
	allocation_ref(found);
	if (registered)
		g_tree_remove(space->gone_aliases, &found->device_ptr);
	else
		g_tree_remove(space->freed, &ptr);
	found->freed = false;
	insert(space, found, true);
	return found;
}

struct allocation *address_space_restore_at(struct address_space *space, uint64_t ptr, int64_t ns)
{
	const struct allocation *found = freed_at(space, ptr);

	return found && found->free_ns == ns
		   ? address_space_restore(space, ptr, found->free_tid, found->free_api)
		   : NULL;
}

void address_space_released_again(struct address_space *space, uint64_t ptr, uint16_t api)
{
	struct allocation *found = layer_of_api(api) == LAYER_REGISTERED
				       ? gone_registration(space, ptr)
				       : freed_at(space, ptr);

	if (found)
		found->free_tid = 0;
}

/* Keeps what is known of the part of a mapping that ends so. */
static void keep_unmapped(struct address_space *space, const struct allocation *mapping,
			  uint64_t start, uint64_t end, const struct unmapping *how)
{
	struct allocation *piece = g_memdup2(mapping, sizeof(*mapping));

	piece->symbol = piece->label = piece->view_space = NULL;
	piece->attachments = (struct attachments){ NULL };
	piece->references = 1;
	piece->ptr = piece->device_ptr = start;
	piece->size = end - start;
	piece->freed = true;
	piece->free_api = how->api;
	piece->free_tid = how->tid;
	piece->free_ns = how->ns;
	piece->free_stack_id = how->stack_id;
	drop_overlapping(space->unmapped, start, end, false);
	g_tree_insert(space->unmapped, &piece->ptr, piece);
}

void address_space_unmap(struct address_space *space, uint64_t start, uint64_t size,
			 const struct unmapping *how)
{
	GTree *tree = space->layers[LAYER_MAPPING];
	uint64_t end = start + size;
	GTreeNode *node;

	while (size && (node = floor_node(tree, end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);
		struct allocation *right = NULL;
		uint64_t old_end = old->ptr + old->size;

		if (old_end <= start)
			break;
		if (how)
			keep_unmapped(space, old, MAX(start, old->ptr), MIN(end, old_end), how);
		if (old_end > end) {
			right = g_memdup2(old, sizeof(*old));
			right->symbol = right->label = right->view_space = NULL;
			right->attachments = (struct attachments){ NULL };
			right->references = 1;
			right->ptr = right->device_ptr = end;
			right->size = old_end - end;
		}
		if (old->ptr < start)
			old->size = start - old->ptr;
		else
			detach(space, old);
		if (right)
			g_tree_insert(tree, &right->ptr, right);
	}
}

/* Does as the kernel does (ipc/shm.c, ksys_shmdt): what else was mapped into a gap stays. */
void address_space_detach(struct address_space *space, uint64_t start, const struct unmapping *how,
			  void (*removed)(void *data, uint64_t start, uint64_t size), void *data)
{
	GTreeNode *node = g_tree_lower_bound(space->layers[LAYER_MAPPING], &start);

	while (node) {
		struct allocation *old = g_tree_node_value(node);

		node = g_tree_node_next(node);
		if (old->origin != start || (old->api != HG_API_shmat && old->api != HG_API_mremap))
			continue;
		removed(data, old->ptr, old->size);
		keep_unmapped(space, old, old->ptr, old->ptr + old->size, how);
		detach(space, old);
		node = g_tree_lower_bound(space->layers[LAYER_MAPPING], &start);
	}
}

struct allocation *address_space_find(const struct address_space *space, uint64_t address,
				      uint64_t *offset)
{
	struct allocation *found = containing(space->aliases, address, true, offset);

	for (int layer = 0; !found && layer < LAYERS; layer++) {
		found = layer == LAYER_REGISTERED
			    ? registered_at(space, address, offset)
			    : containing(space->layers[layer], address, false, offset);
		if (!found && layer == LAYER_HOST)
			found = containing_block(space, address, false, offset);
	}
	return found;
}

struct allocation *address_space_find_freed(const struct address_space *space, uint64_t address,
					    uint64_t *offset)
{
	struct allocation *found = containing(space->gone_aliases, address, true, offset);

	if (!found)
		found = containing(space->freed, address, false, offset);
	return found ? found : containing_block(space, address, true, offset);
}

struct allocation *address_space_find_gone(const struct address_space *space, uint64_t start,
					   uint64_t size, uint64_t *offset)
{
	uint64_t last = start + size - 1;
	struct allocation *found = address_space_find_freed(space, start, offset);

	if (!found)
		found = containing(space->unmapped, start, false, offset);
	if (found)
		return found;
	*offset = 0;
	found = address_space_find_freed(space, last, NULL);
	return found ? found : containing(space->unmapped, last, false, NULL);
}

struct allocation *address_space_find_before(const struct address_space *space, uint64_t address,
					     uint64_t *past_end)
{
	struct allocation *hip = value_of(floor_node(space->layers[LAYER_HIP], address));
	struct allocation *alias = value_of(floor_node(space->aliases, address));
	struct allocation *best = hip;
	uint64_t distance = hip ? address - (hip->ptr + hip->size) : UINT64_MAX;

	if (alias && address - (alias->device_ptr + alias->size) < distance) {
		best = alias;
		distance = address - (alias->device_ptr + alias->size);
	}
	if (best)
		*past_end = distance;
	return best;
}

struct allocation *address_space_overlapping(const struct address_space *space, enum layer layer,
					     uint64_t start, uint64_t size)
{
	const struct host_block *block =
	    layer == LAYER_HOST ? host_blocks_overlapping(space->blocks, start, start + size)
				: NULL;
	GTree *tree = space->layers[layer];
	struct allocation *found;
	GTreeNode *node;

	if (block)
		make_allocation(space, block);
	found = layer == LAYER_REGISTERED ? registered_at(space, start, NULL)
					  : containing(tree, start, false, NULL);
	if (found)
		return found;
	node = g_tree_upper_bound(tree, &start);
	found = value_of(node);
	return found && found->ptr < start + size ? found : NULL;
}

struct allocation *address_space_find_symbol(const struct address_space *space, const char *symbol)
{
	GTreeNode *node;

	for (node = g_tree_node_first(space->layers[LAYER_HIP]); node;
	     node = g_tree_node_next(node)) {
		struct allocation *allocation = g_tree_node_value(node);

		if (allocation->symbol && strcmp(allocation->symbol, symbol) == 0)
			return allocation;
	}
	return NULL;
}
