/* SPDX-License-Identifier: Apache-2.0 */
#include "address_space.h"

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
	if (allocation) {
		allocation->references++;
	}
	return allocation;
}

void allocation_unref(struct allocation *allocation)
{
	if (allocation && --allocation->references == 0) {
		g_free(allocation->symbol);
		g_free(allocation->history);
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
	for (int i = 0; i < LAYERS; i++) {
		space->layers[i] = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	}
	space->aliases = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->gone_aliases = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
	space->freed = g_tree_new_full(compare_addresses, NULL, NULL, unref_value);
}

void address_space_destroy(struct address_space *space)
{
	for (int i = 0; i < LAYERS; i++) {
		g_tree_destroy(space->layers[i]);
	}
	g_tree_destroy(space->aliases);
	g_tree_destroy(space->gone_aliases);
	g_tree_destroy(space->freed);
}

enum layer layer_of_api(enum hg_api api)
{
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
	case HG_API_mmap:
	case HG_API_mremap:
	case HG_API_munmap:
		return LAYER_MAPPING;
	default:
		return (int)api < HG_API_hipMalloc ? LAYER_HOST : LAYER_HIP;
	}
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

/* The entry with the greatest key <= address. */
static GTreeNode *floor_node(GTree *tree, uint64_t address)
{
	GTreeNode *node = g_tree_upper_bound(tree, &address);

	return node ? g_tree_node_previous(node) : g_tree_node_last(tree);
}

static struct allocation *containing(GTree *tree, uint64_t address, bool by_device_ptr,
				     uint64_t *offset)
{
	struct allocation *found = value_of(floor_node(tree, address));
	uint64_t base;

	if (!found) {
		return NULL;
	}
	base = by_device_ptr ? found->device_ptr : found->ptr;
	if (address - base >= extent(found)) {
		return NULL;
	}
	if (offset) {
		*offset = address - base;
	}
	return found;
}

static void detach(struct address_space *space, struct allocation *allocation)
{
	if (space->observer && allocation->layer != LAYER_MAPPING) {
		space->observer->ended(space->observer->data, space->owner, allocation);
	}
	if (allocation->device_ptr != allocation->ptr) {
		g_tree_remove(space->aliases, &allocation->device_ptr);
	}
	g_tree_remove(space->layers[allocation->layer], &allocation->ptr);
}

/* Forget what was freed in a range: the addresses mean something else now. */
static void drop_overlapping(GTree *tree, uint64_t start, uint64_t end, bool by_device_ptr)
{
	GTreeNode *node;

	while ((node = floor_node(tree, end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);
		uint64_t *base = by_device_ptr ? &old->device_ptr : &old->ptr;

		if (*base + extent(old) <= start) {
			break;
		}
		g_tree_remove(tree, base);
	}
}

static void insert(struct address_space *space, struct allocation *allocation, bool again)
{
	GTree *tree = space->layers[allocation->layer];
	uint64_t end = allocation->ptr + extent(allocation);
	GTreeNode *node;

	while ((node = floor_node(tree, end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);

		if (old->ptr + extent(old) <= allocation->ptr) {
			break;
		}
		space->overlaps++;
		detach(space, old);
	}
	/* Registering memory does not make it new memory. */
	if (allocation->layer != LAYER_REGISTERED) {
		drop_overlapping(space->freed, allocation->ptr, end, false);
	}
	if (allocation->device_ptr != allocation->ptr) {
		drop_overlapping(space->gone_aliases, allocation->device_ptr,
				 allocation->device_ptr + extent(allocation), true);
		g_tree_insert(space->aliases, &allocation->device_ptr, allocation_ref(allocation));
	}
	g_tree_insert(tree, &allocation->ptr, allocation);
	if (space->observer && allocation->layer != LAYER_MAPPING) {
		space->observer->live(space->observer->data, space->owner, allocation, again);
	}
}

void address_space_add(struct address_space *space, struct allocation *allocation)
{
	insert(space, allocation, false);
}

struct allocation *address_space_find_base(const struct address_space *space, uint64_t ptr,
					   enum hg_api api)
{
	return g_tree_lookup(space->layers[layer_of_api(api)], &ptr);
}

void address_space_release(struct address_space *space, struct allocation *allocation)
{
	struct allocation *kept = allocation_ref(allocation);
	bool alias = kept->device_ptr != kept->ptr;

	detach(space, allocation);
	kept->freed = true;
	if (kept->layer != LAYER_REGISTERED) {
		drop_overlapping(space->freed, kept->ptr, kept->ptr + extent(kept), false);
		g_tree_insert(space->freed, &kept->ptr, kept);
	} else if (alias) {
		g_tree_insert(space->gone_aliases, &kept->device_ptr, kept);
	} else {
		allocation_unref(kept); /* nothing but the host memory below is left */
	}
}

/* The ended registration of host memory at `ptr`, or NULL. Failing to unregister is rare. */
static struct allocation *gone_registration(const struct address_space *space, uint64_t ptr)
{
	GTreeNode *node;

	for (node = g_tree_node_first(space->gone_aliases); node; node = g_tree_node_next(node)) {
		struct allocation *allocation = g_tree_node_value(node);

		if (allocation->ptr == ptr) {
			return allocation;
		}
	}
	return NULL;
}

struct allocation *address_space_restore(struct address_space *space, uint64_t ptr, int32_t tid,
					 enum hg_api api)
{
	bool registered = layer_of_api(api) == LAYER_REGISTERED;
	struct allocation *found =
	    registered ? gone_registration(space, ptr) : g_tree_lookup(space->freed, &ptr);

	if (!found || found->free_tid != tid) {
		return NULL;
	}
	allocation_ref(found);
	if (registered) {
		g_tree_remove(space->gone_aliases, &found->device_ptr);
	} else {
		g_tree_remove(space->freed, &ptr);
	}
	found->freed = false;
	insert(space, found, true);
	return found;
}

struct allocation *address_space_restore_at(struct address_space *space, uint64_t ptr, int64_t ns)
{
	struct allocation *found = g_tree_lookup(space->freed, &ptr);

	return found && found->free_ns == ns
		   ? address_space_restore(space, ptr, found->free_tid, found->free_api)
		   : NULL;
}

void address_space_released_again(struct address_space *space, uint64_t ptr, enum hg_api api)
{
	struct allocation *found = layer_of_api(api) == LAYER_REGISTERED
				       ? gone_registration(space, ptr)
				       : g_tree_lookup(space->freed, &ptr);

	if (found) {
		found->free_tid = 0;
	}
}

void address_space_unmap(struct address_space *space, uint64_t start, uint64_t size)
{
	GTree *tree = space->layers[LAYER_MAPPING];
	uint64_t end = start + size;
	GTreeNode *node;

	while (size && (node = floor_node(tree, end - 1)) != NULL) {
		struct allocation *old = g_tree_node_value(node);
		struct allocation *right = NULL;
		uint64_t old_end = old->ptr + old->size;

		if (old_end <= start) {
			break;
		}
		if (old_end > end) {
			right = g_memdup2(old, sizeof(*old));
			right->symbol = NULL;
			right->history = NULL;
			right->references = 1;
			right->ptr = right->device_ptr = end;
			right->size = old_end - end;
		}
		if (old->ptr < start) {
			old->size = start - old->ptr;
		} else {
			detach(space, old);
		}
		if (right) {
			g_tree_insert(tree, &right->ptr, right);
		}
	}
}

struct allocation *address_space_find(const struct address_space *space, uint64_t address,
				      uint64_t *offset)
{
	struct allocation *found = containing(space->aliases, address, true, offset);

	for (int layer = 0; !found && layer < LAYERS; layer++) {
		found = containing(space->layers[layer], address, false, offset);
	}
	return found;
}

struct allocation *address_space_find_freed(const struct address_space *space, uint64_t address,
					    uint64_t *offset)
{
	struct allocation *found = containing(space->gone_aliases, address, true, offset);

	return found ? found : containing(space->freed, address, false, offset);
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
	if (best) {
		*past_end = distance;
	}
	return best;
}

struct allocation *address_space_overlapping(const struct address_space *space, enum layer layer,
					     uint64_t start, uint64_t size)
{
	GTree *tree = space->layers[layer];
	GTreeNode *node = floor_node(tree, start);
	struct allocation *found = value_of(node);

	if (found && found->ptr + extent(found) > start) {
		return found;
	}
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

		if (allocation->symbol && strcmp(allocation->symbol, symbol) == 0) {
			return allocation;
		}
	}
	return NULL;
}
