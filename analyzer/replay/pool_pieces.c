/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of pools by address, and names of allocations. */
#include "pool_pieces.h"

#include "analyzer/replay/replay.h"
#include "codeobj/text.h"
#include "include/hipgrain.h"
#include "tracer/events/ev_annotation.h"

/* Escape sequences make a name longer. */
#define SHOWN_MOST 512u

struct pool_piece *pool_piece_ref(struct pool_piece *piece)
{
	if (piece)
		piece->references++;
	return piece;
}

void pool_piece_unref(struct pool_piece *piece)
{
	if (piece && --piece->references == 0) {
		allocation_unref(piece->block);
		g_free(piece->pool);
		g_free(piece->name);
		g_free(piece);
	}
}

static void unref_piece(gpointer data)
{
	pool_piece_unref(data);
}

void pool_pieces_init(struct pool_pieces *pieces)
{
	*pieces = (struct pool_pieces){
		.live = g_tree_new_full(compare_addresses, NULL, NULL, unref_piece),
		.gone = g_tree_new_full(compare_addresses, NULL, NULL, unref_piece),
	};
}

void pool_pieces_clear(struct pool_pieces *pieces)
{
	g_tree_destroy(pieces->live);
	g_tree_destroy(pieces->gone);
}

/* Returns the piece with the greatest address <= `address`, or NULL. */
static struct pool_piece *floor_piece(GTree *tree, uint64_t address)
{
	GTreeNode *node = g_tree_upper_bound(tree, &address);

	node = node ? g_tree_node_previous(node) : g_tree_node_last(tree);
	return node ? g_tree_node_value(node) : NULL;
}

static struct pool_piece *holding(GTree *tree, const struct allocation *block, uint64_t address)
{
	struct pool_piece *found = floor_piece(tree, address);

	return found && found->block == block && address - found->ptr < found->size ? found : NULL;
}

struct pool_piece *pool_piece_at(const struct pool_pieces *pieces, const struct allocation *block,
				 uint64_t address)
{
	struct pool_piece *found = holding(pieces->live, block, address);

	return found ? found : holding(pieces->gone, block, address);
}

const struct pool_piece *pool_piece_before(const struct pool_pieces *pieces,
					   const struct allocation *block, uint64_t address)
{
	const struct pool_piece *found = floor_piece(pieces->live, address);

	return found && found->block == block ? found : NULL;
}

/* Removes the pieces that overlap [start, end); returns how many of them were in a live block, but
 * for those that may go without a word. */
static uint64_t drop(GTree *tree, uint64_t start, uint64_t end)
{
	struct pool_piece *found;
	uint64_t count = 0;

	while ((found = floor_piece(tree, end - 1)) != NULL && found->ptr + found->size > start) {
		count += !found->block->freed && !found->seen;
		g_tree_remove(tree, &found->ptr);
	}
	return count;
}

static char *shown(const char *text)
{
	char visible[SHOWN_MOST];

	if (!*text)
		return NULL;
	text_copy_visible(visible, sizeof(visible), text);
	return g_strdup(visible);
}

/* A library's pool also gives out memory that is not recorded, and takes pieces from another. */
static bool is_program_s(const struct hg_event *event)
{
	return event->annotation->source != HG_RANGE_POOLS;
}

static void take(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_annotation *from = event->annotation;
	struct pool_pieces *pieces = &process->pool_pieces;
	uint64_t offset = 0, overlapping;
	struct allocation *block = address_space_find(&process->space, from->ptr, &offset);
	struct pool_piece *piece;

	if (!block || !from->size || from->size > block->size - MIN(offset, block->size)) {
		pieces->outside += is_program_s(event);
		return;
	}
	if (g_tree_nnodes(pieces->live) + g_tree_nnodes(pieces->gone) >= (int)POOL_PIECES_MOST) {
		pieces->left_out++;
		return;
	}
	piece = g_new0(struct pool_piece, 1);
	*piece = (struct pool_piece){
		.ptr = block->ptr + offset,
		.size = from->size,
		.block = allocation_ref(block),
		.pool = shown(from->pool),
		.name = shown(from->name),
		.ns = event->ns,
		.tid = event->tid,
		.stack_id = from->stack_id,
		.references = 1,
		.seen = from->act == HIPGRAIN_SEEN,
	};
	overlapping = drop(pieces->live, piece->ptr, piece->ptr + piece->size);
	pieces->overlapping += is_program_s(event) ? overlapping : 0;
	drop(pieces->gone, piece->ptr, piece->ptr + piece->size);
	g_tree_insert(pieces->live, &piece->ptr, piece);
}

/* Returns the live piece that begins at an address of the host or a GPU, or NULL. */
static struct pool_piece *piece_from(const struct process *process, uint64_t ptr,
				     const struct allocation *block, uint64_t offset)
{
	uint64_t address = block ? block->ptr + offset : ptr;
	struct pool_piece *piece = g_tree_lookup(process->pool_pieces.live, &address);

	return piece && piece->block == block ? piece : NULL;
}

static void give_back(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_annotation *from = event->annotation;
	struct pool_pieces *pieces = &process->pool_pieces;
	uint64_t offset = 0;
	struct allocation *block = address_space_find(&process->space, from->ptr, &offset);
	struct pool_piece *piece = piece_from(process, from->ptr, block, offset);

	if (!from->ptr)
		return;
	if (!piece) {
		pieces->unknown += is_program_s(event);
		return;
	}
	if (piece->seen) {
		g_tree_remove(pieces->live, &piece->ptr);
		return;
	}
	pool_piece_ref(piece);
	g_tree_remove(pieces->live, &piece->ptr);
	piece->freed = true;
	piece->free_tid = event->tid;
	piece->free_stack_id = from->stack_id;
	piece->free_ns = event->ns;
	g_tree_insert(pieces->gone, &piece->ptr, piece);
}

static void name(struct process *process, const struct hg_event *event)
{
	const struct hg_ev_annotation *from = event->annotation;
	uint64_t offset = 0;
	struct allocation *block = address_space_find(&process->space, from->ptr, &offset);
	struct pool_piece *piece = piece_from(process, from->ptr, block, offset);
	char **named = piece ? &piece->name : block && !offset ? &block->label : NULL;

	if (!named) {
		/* Small blocks of malloc are not recorded, and Kokkos names Views there. */
		process->pool_pieces.unnamed += is_program_s(event) && !*from->pool;
		return;
	}
	g_free(*named);
	*named = shown(from->name);
	if (!piece) {
		g_free(block->view_space);
		block->view_space = shown(from->pool);
	}
}

void pool_pieces_event(struct process *process, const struct hg_event *event)
{
	process->epoch +=
	    event->annotation->act <= HIPGRAIN_NAME || event->annotation->act == HIPGRAIN_SEEN;
	switch (event->annotation->act) {
	case HIPGRAIN_ALLOC:
	case HIPGRAIN_SEEN:
		take(process, event);
		break;
	case HIPGRAIN_FREE:
		give_back(process, event);
		break;
	case HIPGRAIN_NAME:
		name(process, event);
		break;
	default:
		break;
	}
}
