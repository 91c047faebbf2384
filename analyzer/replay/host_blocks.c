/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the C library as records of few bytes. */
#include "host_blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PIECE_RECORDS 128u

_Static_assert(sizeof(gpointer) >= sizeof(uint64_t), "an address is a key");

struct piece {
	uint64_t low; /* what lies below belongs into the piece before */
	uint32_t count;
	_Alignas(struct host_block) char records[];
};

/* Records of both sizes lie one behind the other, each where its members may lie. */
_Static_assert(offsetof(struct piece, records) % _Alignof(struct host_block) == 0, "the first");
_Static_assert(offsetof(struct host_block, free_ns) % _Alignof(struct host_block) == 0, "the next");

static gint compare_keys(gconstpointer a, gconstpointer b, gpointer unused)
{
	(void)unused;
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static struct host_block *record_at(const struct host_blocks *set, const struct piece *piece,
				    uint32_t at)
{
	return (struct host_block *)(void *)(piece->records + at * set->record);
}

static struct piece *new_piece(struct host_blocks *set, uint64_t low)
{
	struct piece *piece = g_malloc(sizeof(*piece) + PIECE_RECORDS * set->record);

	piece->low = low;
	piece->count = 0;
	g_tree_insert(set->pieces, (gpointer)(uintptr_t)low, piece);
	set->recent = NULL;
	return piece;
}

void host_blocks_init(struct host_blocks *set, gboolean released)
{
	set->record = released ? sizeof(struct host_block) : offsetof(struct host_block, free_ns);
	set->pieces = g_tree_new_full(compare_keys, NULL, NULL, g_free);
	set->count = 0;
	set->recent = NULL;
	set->latest = 0;
}

void host_blocks_destroy(struct host_blocks *set)
{
	g_tree_destroy(set->pieces);
}

static void drop_piece(struct host_blocks *set, const struct piece *piece)
{
	g_tree_remove(set->pieces, (gpointer)(uintptr_t)piece->low);
	set->recent = NULL;
}

static struct piece *piece_of(GTreeNode *node)
{
	return node ? g_tree_node_value(node) : NULL;
}

/* The piece into which an address belongs; NULL only of a set without any. */
static struct piece *find(struct host_blocks *set, uint64_t address)
{
	GTreeNode *above;

	if (set->recent && address >= set->recent->low && address <= set->recent_last)
		return set->recent;
	above = g_tree_upper_bound(set->pieces, (gpointer)(uintptr_t)address);
	set->recent = piece_of(above ? g_tree_node_previous(above) : g_tree_node_last(set->pieces));
	set->recent_last = above ? piece_of(above)->low - 1 : UINT64_MAX;
	return set->recent;
}

static GTreeNode *node_of(const struct host_blocks *set, const struct piece *piece)
{
	return g_tree_lookup_node(set->pieces, (gpointer)(uintptr_t)piece->low);
}

/* Whether exactly the first `at` records of the piece begin at or below the address. */
static bool begins_after(const struct host_blocks *set, const struct piece *piece, uint32_t at,
			 uint64_t address)
{
	return at <= piece->count && (!at || record_at(set, piece, at - 1)->ptr <= address) &&
	       (at == piece->count || record_at(set, piece, at)->ptr > address);
}

/* How many records of the piece begin at or below the address. */
static uint32_t records_up_to(struct host_blocks *set, const struct piece *piece, uint64_t address)
{
	uint32_t low = 0, high = piece->count;

	/* Whatever happens at an address looks there several times, or right before it. */
	if (begins_after(set, piece, set->latest, address))
		return set->latest;
	if (set->latest && begins_after(set, piece, set->latest - 1, address))
		return set->latest - 1;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (record_at(set, piece, middle)->ptr <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return set->latest = low;
}

/* `count` records from number `from` on move behind those of another piece. */
static void move_records(struct host_blocks *set, struct piece *to, struct piece *from, uint32_t at)
{
	memcpy(record_at(set, to, to->count), record_at(set, from, at),
	       (from->count - at) * set->record);
	to->count += from->count - at;
	from->count = at;
}

void host_blocks_add(struct host_blocks *set, const struct host_block *block)
{
	struct piece *piece = find(set, block->ptr);
	uint32_t at;

	if (!piece)
		piece = new_piece(set, 0);
	at = records_up_to(set, piece, block->ptr);
	if (piece->count == PIECE_RECORDS) {
		/* Whoever goes up leaves full pieces behind. */
		uint32_t kept = at == PIECE_RECORDS ? at : PIECE_RECORDS / 2;
		uint64_t low = at == PIECE_RECORDS ? block->ptr : record_at(set, piece, kept)->ptr;
		struct piece *next = new_piece(set, low);

		move_records(set, next, piece, kept);
		if (block->ptr >= low) {
			piece = next;
			at -= kept;
		}
	}
	memmove(record_at(set, piece, at + 1), record_at(set, piece, at),
		(piece->count - at) * set->record);
	memcpy(record_at(set, piece, at), block, set->record);
	piece->count++;
	set->count++;
}

/* Pieces that are nearly empty are united with the next. */
static void tidy(struct host_blocks *set, struct piece *piece)
{
	struct piece *next;

	if (piece->count % 8 || piece->count > PIECE_RECORDS / 2)
		return;
	next = piece_of(g_tree_node_next(node_of(set, piece)));
	if (piece->count == 0 && piece->low) {
		drop_piece(set, piece);
	} else if (next && piece->count + next->count <= PIECE_RECORDS / 4 * 3) {
		move_records(set, piece, next, 0);
		drop_piece(set, next);
	}
}

void host_blocks_remove(struct host_blocks *set, uint64_t ptr)
{
	struct piece *piece = find(set, ptr);
	uint32_t end = piece ? records_up_to(set, piece, ptr) : 0;

	if (end == 0 || record_at(set, piece, end - 1)->ptr != ptr)
		return;
	memmove(record_at(set, piece, end - 1), record_at(set, piece, end),
		(piece->count - end) * set->record);
	piece->count--;
	set->count--;
	tidy(set, piece);
}

struct host_block *host_blocks_floor(struct host_blocks *set, uint64_t address)
{
	struct piece *piece = set->count ? find(set, address) : NULL;
	uint32_t end = piece ? records_up_to(set, piece, address) : 0;
	GTreeNode *node;

	if (end)
		return record_at(set, piece, end - 1);
	node = piece ? g_tree_node_previous(node_of(set, piece)) : NULL;
	while (node && piece_of(node)->count == 0)
		node = g_tree_node_previous(node);
	return node ? record_at(set, piece_of(node), piece_of(node)->count - 1) : NULL;
}

struct host_block *host_blocks_ceiling(struct host_blocks *set, uint64_t address)
{
	struct piece *piece = set->count ? find(set, address) : NULL;
	uint32_t at = piece && address ? records_up_to(set, piece, address - 1) : 0;
	GTreeNode *node;

	if (!piece || at < piece->count)
		return piece ? record_at(set, piece, at) : NULL;
	node = g_tree_node_next(node_of(set, piece));
	while (node && piece_of(node)->count == 0)
		node = g_tree_node_next(node);
	return node ? record_at(set, piece_of(node), 0) : NULL;
}

void host_blocks_each(const struct host_blocks *set,
		      void (*each)(const struct host_block *, void *), void *data)
{
	for (GTreeNode *node = g_tree_node_first(set->pieces); node;
	     node = g_tree_node_next(node)) {
		const struct piece *piece = piece_of(node);

		for (uint32_t i = 0; i < piece->count; i++)
			each(record_at(set, piece, i), data);
	}
}
