/* SPDX-License-Identifier: Apache-2.0 */
/* What a forked process has from its parent. */
#include "inherit.h"

/* Stacks of the parent's get numbers that no process gives: those begin at 1. */
#define INHERITED_STACKS 0x80000000u

struct copying {
	struct process *child;
	const struct process *parent;
	GHashTable *stacks; /* the parent's number -> the child's */
};

static uint32_t copy_stack(struct copying *copying, uint32_t id)
{
	const struct call_stack *from = process_stack(copying->parent, id);
	uint32_t known =
	    GPOINTER_TO_UINT(g_hash_table_lookup(copying->stacks, GUINT_TO_POINTER(id)));
	struct call_stack *stack;

	if (known || !from)
		return known;
	known = INHERITED_STACKS + g_hash_table_size(copying->stacks);
	stack = g_new0(struct call_stack, 1);
	stack->depth = from->depth;
	stack->modules = MODULES_ALL; /* the child records again which modules it has loaded */
	stack->frames = g_memdup2(from->frames, from->depth * sizeof(*from->frames));
	g_hash_table_insert(copying->child->stacks, GUINT_TO_POINTER(known), stack);
	g_hash_table_insert(copying->stacks, GUINT_TO_POINTER(id), GUINT_TO_POINTER(known));
	return known;
}

static gboolean copy_allocation(gpointer key, gpointer value, gpointer data)
{
	const struct allocation *from = value;
	struct copying *copying = data;
	struct allocation *copy = g_memdup2(from, sizeof(*from));

	(void)key;
	copy->references = 1;
	copy->symbol = g_strdup(from->symbol);
	copy->attachments = (struct attachments){ NULL };
	copy->stack_id = copy_stack(copying, from->stack_id);
	g_tree_insert(copying->child->space.layers[copy->layer], &copy->ptr, copy);
	return FALSE;
}

static void copy_block(const struct host_block *from, void *data)
{
	struct copying *copying = data;
	struct host_block copy = { .ptr = from->ptr,
				   .size = from->size,
				   .stack_id = copy_stack(copying, from->stack_id),
				   .ns = from->ns,
				   .tid = from->tid,
				   .api = from->api };

	host_blocks_add(copying->child->space.blocks, &copy);
}

int64_t process_inherit(struct process *child, const struct process *parent, uint64_t budget)
{
	struct copying copying = { child, parent, g_hash_table_new(NULL, NULL) };
	GTree *host = parent->space.layers[LAYER_HOST], *maps = parent->space.layers[LAYER_MAPPING];
	uint64_t count = (uint64_t)g_tree_nnodes(host) + (uint64_t)g_tree_nnodes(maps) +
			 parent->space.blocks->count;

	if (count <= budget) {
		host_blocks_each(parent->space.blocks, copy_block, &copying);
		g_tree_foreach(host, copy_allocation, &copying);
		g_tree_foreach(maps, copy_allocation, &copying);
		child->epoch++;
	}
	g_hash_table_destroy(copying.stacks);
	return count <= budget ? (int64_t)count : -1;
}
