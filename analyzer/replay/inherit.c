/* SPDX-License-Identifier: Apache-2.0 */
/* A forked process gets its parent's memory and objects here. */
#include "inherit.h"

/* Stacks of the parent's get numbers that no process gives: those begin at 1. */
#define INHERITED_STACKS 0x80000000u

struct copying {
	struct process *child; /* NULL: they are only counted */
	const struct process *parent;
	int64_t fork_ns;
	bool released; /* something was, since */
	uint64_t count;
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
	stack->codes = g_hash_table_ref(from->codes);
	stack->frames = g_memdup2(from->frames, from->depth * sizeof(*from->frames));
	g_hash_table_insert(copying->child->stacks, GUINT_TO_POINTER(known), stack);
	g_hash_table_insert(copying->stacks, GUINT_TO_POINTER(id), GUINT_TO_POINTER(known));
	return known;
}

/* Returns true if what lived from one time to another did when the parent forked. */
static bool is_of_then(const struct copying *copying, int64_t ns, bool freed, int64_t free_ns)
{
	return ns <= copying->fork_ns && (!freed || free_ns > copying->fork_ns);
}

static gboolean copy_allocation(gpointer key, gpointer value, gpointer data)
{
	const struct allocation *from = value;
	struct copying *copying = data;
	struct allocation *copy;
	GTree *layer;

	(void)key;
	if ((from->layer != LAYER_HOST && from->layer != LAYER_MAPPING) ||
	    !is_of_then(copying, from->ns, from->freed, from->free_ns))
		return FALSE;
	copying->count++;
	if (!copying->child)
		return FALSE;
	layer = copying->child->space.layers[from->layer];
	if (g_tree_lookup(layer, &from->ptr))
		return FALSE;
	copy = g_memdup2(from, sizeof(*from));
	copy->references = 1;
	copy->symbol = g_strdup(from->symbol);
	copy->label = g_strdup(from->label);
	copy->view_space = g_strdup(from->view_space);
	copy->attachments = (struct attachments){ NULL };
	copy->stack_id = copy_stack(copying, from->stack_id);
	copy->freed = false;
	copy->free_api = 0;
	copy->free_tid = 0;
	copy->free_ns = 0;
	copy->free_stack_id = 0;
	g_tree_insert(layer, &copy->ptr, copy);
	return FALSE;
}

static void copy_block(struct copying *copying, const struct host_block *from)
{
	struct host_blocks *blocks;
	struct host_block copy = { .ptr = from->ptr,
				   .size = from->size,
				   .ns = from->ns,
				   .tid = from->tid,
				   .api = from->api };

	copying->count++;
	if (!copying->child)
		return;
	blocks = copying->child->space.blocks;
	if (host_blocks_live(blocks, from->ptr))
		return;
	copy.stack_id = copy_stack(copying, from->stack_id);
	host_blocks_add(blocks, &copy);
}

static void copy_live_block(const struct host_block *from, void *data)
{
	if (is_of_then(data, from->ns, false, 0))
		copy_block(data, from);
}

static void copy_freed_block(const struct host_block *from, void *data)
{
	if (is_of_then(data, from->ns, true, from->free_ns))
		copy_block(data, from);
}

static void copy_all(struct copying *copying)
{
	const struct address_space *from = &copying->parent->space;

	host_blocks_each(from->blocks, false, copy_live_block, copying);
	g_tree_foreach(from->layers[LAYER_HOST], copy_allocation, copying);
	g_tree_foreach(from->layers[LAYER_MAPPING], copy_allocation, copying);
	if (!copying->released)
		return;
	host_blocks_each(from->blocks, true, copy_freed_block, copying);
	g_tree_foreach(from->freed, copy_allocation, copying);
}

static uint64_t live_now(const struct address_space *space)
{
	return space->blocks->live + (uint64_t)g_tree_nnodes(space->layers[LAYER_HOST]) +
	       (uint64_t)g_tree_nnodes(space->layers[LAYER_MAPPING]);
}

static uint64_t released_ever(const struct address_space *space)
{
	return space->blocks->released + (uint64_t)g_tree_nnodes(space->freed);
}

int64_t process_inherit(struct process *child, const struct process *parent, int64_t fork_ns,
			struct inherit_limits *limits)
{
	const struct address_space *from = &parent->space;
	struct copying copying = { .parent = parent,
				   .fork_ns = fork_ns,
				   .released = from->latest_free_ns > fork_ns };
	uint64_t looks = copying.released ? released_ever(from) : 0;

	/* Before anything is looked at: a server of many blocks may fork for each request. */
	if (live_now(from) > limits->copies || looks > limits->looks)
		return -1;
	limits->looks -= looks;
	if (looks && live_now(from) + looks > limits->copies) {
		copy_all(&copying);
		if (copying.count > limits->copies)
			return -1;
		copying.count = 0;
	}
	copying.child = child;
	copying.stacks = g_hash_table_new(NULL, NULL);
	copy_all(&copying);
	replay_turn += 2; /* also where no event is applied */
	child->epoch++;
	g_hash_table_destroy(copying.stacks);
	return (int64_t)copying.count;
}
