/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the C library as records of few bytes. */
#include "host_blocks.h"

#include <stddef.h>
#include <string.h>

#define PIECE_RECORDS 64u
#define REGION_BITS   20u /* addresses that differ above them are looked up apart */

_Static_assert(sizeof(gpointer) >= sizeof(uint64_t), "an address is a key");
_Static_assert(sizeof(struct host_block) == 48, "tens of millions of them");

struct piece {
	uint64_t low;  /* lower addresses belong into the piece before */
	uint32_t live; /* so many records are */
	uint32_t count;
	struct host_block records[PIECE_RECORDS];
};

static gint compare_keys(gconstpointer a, gconstpointer b, gpointer unused)
{
	(void)unused;
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* Its last address; never below where it begins, whatever a damaged recording says. */
static uint64_t last_of(const struct host_block *block)
{
	uint64_t more = block->size ? block->size - 1 : 0;

	return block->ptr > UINT64_MAX - more ? UINT64_MAX : block->ptr + more;
}

/* ---- pieces ---- */

static void forget_recent(struct host_blocks *set)
{
	memset(set->recent, 0, sizeof(set->recent));
}

static struct piece *new_piece(struct host_blocks *set, uint64_t low)
{
	struct piece *piece = g_new(struct piece, 1);

	piece->low = low;
	piece->count = piece->live = 0;
	g_tree_insert(set->pieces, (gpointer)(uintptr_t)low, piece);
	forget_recent(set);
	return piece;
}

static void drop_piece(struct host_blocks *set, const struct piece *piece)
{
	g_tree_remove(set->pieces, (gpointer)(uintptr_t)piece->low);
	forget_recent(set);
}

void host_blocks_init(struct host_blocks *set)
{
	set->pieces = g_tree_new_full(compare_keys, NULL, NULL, g_free);
	set->live = set->released = 0;
	set->latest = NULL;
	forget_recent(set);
}

void host_blocks_destroy(struct host_blocks *set)
{
	g_tree_destroy(set->pieces);
}

static struct piece *piece_of(GTreeNode *node)
{
	return node ? g_tree_node_value(node) : NULL;
}

/* Returns the piece into which an address belongs, and the last address that does; NULL only for a
 * set without any.
 */
static struct piece *find(struct host_blocks *set, uint64_t address, uint64_t *last)
{
	uint64_t slot = address >> REGION_BITS;
	struct piece *piece;
	GTreeNode *above;

	slot = (slot ^ slot >> 6) % HOST_BLOCKS_RECENT;
	piece = set->recent[slot].piece;
	if (piece && address >= piece->low && address <= set->recent[slot].last)
		goto out;
	above = g_tree_upper_bound(set->pieces, (gpointer)(uintptr_t)address);
	piece = piece_of(above ? g_tree_node_previous(above) : g_tree_node_last(set->pieces));
	set->recent[slot].piece = piece;
	set->recent[slot].last = above ? piece_of(above)->low - 1 : UINT64_MAX;
out:
	if (last)
		*last = set->recent[slot].last;
	return piece;
}

static GTreeNode *node_of(const struct host_blocks *set, const struct piece *piece)
{
	return g_tree_lookup_node(set->pieces, (gpointer)(uintptr_t)piece->low);
}

/* Returns how many records of the piece begin at or below the address. */
static uint32_t records_up_to(const struct piece *piece, uint64_t address)
{
	uint32_t low = 0;

	for (uint32_t count = piece->count; count;) {
		uint32_t half = (count + 1) / 2;

		low = piece->records[low + half - 1].ptr <= address ? low + half : low;
		count -= half;
	}
	return low;
}

/* The record before number `at`, which may be in the piece before; NULL if there is none. */
static struct host_block *record_before(const struct host_blocks *set, struct piece *piece,
					uint32_t at)
{
	GTreeNode *node;

	if (at)
		return &piece->records[at - 1];
	node = piece->low ? g_tree_node_previous(node_of(set, piece)) : NULL;
	while (node && piece_of(node)->count == 0)
		node = g_tree_node_previous(node);
	return node ? &piece_of(node)->records[piece_of(node)->count - 1] : NULL;
}

/* `count` records from number `from` on move behind those of another piece. */
static void move_records(struct piece *to, struct piece *from, uint32_t at)
{
	uint32_t count = from->count - at;

	memcpy(&to->records[to->count], &from->records[at], count * sizeof(*to->records));
	for (uint32_t i = 0; i < count; i++) {
		bool live = !to->records[to->count + i].released;

		to->live += live;
		from->live -= live;
	}
	to->count += count;
	from->count = at;
}

/* Pieces that are nearly empty are united with the next. */
static void tidy(struct host_blocks *set, struct piece *piece)
{
	struct piece *next;

	if (piece->count > PIECE_RECORDS / 2)
		return;
	next = piece_of(g_tree_node_next(node_of(set, piece)));
	if (piece->count == 0 && piece->low) {
		drop_piece(set, piece);
	} else if (next && piece->count + next->count <= PIECE_RECORDS / 4 * 3) {
		move_records(piece, next, 0);
		drop_piece(set, next);
	}
}

/* ---- finding ---- */

static bool is_of_kind(const struct host_block *block, bool released)
{
	return block->released == released;
}

static bool has_kind(const struct piece *piece, bool released)
{
	return released ? piece->live < piece->count : piece->live;
}

/* Returns the first record of that kind that has an address from `start` to `last`, or NULL. */
static struct host_block *first_within(struct host_blocks *set, uint64_t start, uint64_t last,
				       bool released)
{
	struct piece *piece = find(set, start, NULL);
	uint32_t at = piece ? records_up_to(piece, start) : 0;
	struct host_block *before = piece ? record_before(set, piece, at) : NULL;
	GTreeNode *node = NULL;

	if (before && is_of_kind(before, released) && last_of(before) >= start)
		return before;
	while (piece && piece->low <= last) {
		for (; at < piece->count && has_kind(piece, released); at++) {
			if (piece->records[at].ptr > last)
				return NULL;
			if (is_of_kind(&piece->records[at], released))
				return &piece->records[at];
		}
		if (at < piece->count && piece->records[piece->count - 1].ptr > last)
			return NULL;
		node = g_tree_node_next(node ? node : node_of(set, piece));
		piece = piece_of(node);
		at = 0;
	}
	return NULL;
}

struct host_block *host_blocks_live(struct host_blocks *set, uint64_t ptr)
{
	struct host_block *found = set->latest;
	struct piece *piece;
	uint32_t end;

	if (!found || found->ptr != ptr) {
		piece = find(set, ptr, NULL);
		end = piece ? records_up_to(piece, ptr) : 0;
		found = set->latest = end ? &piece->records[end - 1] : NULL;
		set->latest_piece = piece;
	}
	return found && found->ptr == ptr && !found->released ? found : NULL;
}

struct host_block *host_blocks_holding(struct host_blocks *set, uint64_t address, bool released)
{
	struct piece *piece = find(set, address, NULL);
	struct host_block *found =
	    piece ? record_before(set, piece, records_up_to(piece, address)) : NULL;

	return found && is_of_kind(found, released) && address <= last_of(found) ? found : NULL;
}

struct host_block *host_blocks_overlapping(struct host_blocks *set, uint64_t start, uint64_t end)
{
	return start < end ? first_within(set, start, end - 1, false) : NULL;
}

/* ---- changing ---- */

/* In place of the records from number `from` to `to`. */
static void write_over(struct piece *piece, uint32_t from, uint32_t to,
		       const struct host_block *block)
{
	if (to != from + 1) {
		memmove(&piece->records[from + 1], &piece->records[to],
			(piece->count - to) * sizeof(*block));
		piece->count += 1 - (to - from);
	}
	piece->records[from] = *block;
	piece->records[from].released = false;
	piece->live++;
}

/* Makes a new piece for the latter half of a full one, and returns the one in which `at` lies then.
 */
static struct piece *split(struct host_blocks *set, struct piece *piece, uint32_t *at, uint64_t ptr)
{
	/* Whoever goes up leaves full pieces behind. */
	uint32_t kept = *at == PIECE_RECORDS ? *at : PIECE_RECORDS / 2;
	uint64_t low = *at == PIECE_RECORDS ? ptr : piece->records[kept].ptr;
	struct piece *next = new_piece(set, low);

	move_records(next, piece, kept);
	if (ptr < low)
		return piece;
	*at -= kept;
	return next;
}

/* Removes a record from its own piece. */
static void remove_at(struct host_blocks *set, struct piece *piece, uint32_t at)
{
	bool live = !piece->records[at].released;

	set->latest = NULL;
	memmove(&piece->records[at], &piece->records[at + 1],
		(piece->count - at - 1) * sizeof(*piece->records));
	piece->count--;
	piece->live -= live;
	set->live -= live;
	set->released -= !live;
	if (piece->count % 8 == 0) /* not each time */
		tidy(set, piece);
}

void host_blocks_remove(struct host_blocks *set, const struct host_block *block)
{
	struct piece *piece = find(set, block->ptr, NULL);

	remove_at(set, piece, (uint32_t)(block - piece->records));
}

static uint64_t drop(struct host_blocks *set, uint64_t start, uint64_t last, bool released)
{
	const struct host_block *found;
	uint64_t dropped = 0;

	for (; (found = first_within(set, start, last, released)) != NULL; dropped++) {
		start = MAX(start, found->ptr); /* the others before it are not looked at again */
		host_blocks_remove(set, found);
	}
	return dropped;
}

uint64_t host_blocks_drop(struct host_blocks *set, uint64_t start, uint64_t end, bool released)
{
	return start < end ? drop(set, start, end - 1, released) : 0;
}

uint64_t host_blocks_add(struct host_blocks *set, const struct host_block *block)
{
	uint64_t last = last_of(block), ended = 0, piece_last;
	struct piece *piece = find(set, block->ptr, &piece_last);
	uint32_t from, to;

	set->latest = NULL;
	if (!piece) {
		piece = new_piece(set, 0);
		piece_last = UINT64_MAX;
	}
	from = records_up_to(piece, block->ptr);
	if ((from == 0 && piece->low) ||
	    last > piece_last) { /* it may overlap what lies elsewhere */
		ended = drop(set, block->ptr, last, false);
		drop(set, block->ptr, last, true);
		piece = find(set, block->ptr, NULL);
		from = records_up_to(piece, block->ptr);
	}
	if (from && last_of(&piece->records[from - 1]) >= block->ptr)
		from--;
	for (to = from; to < piece->count && piece->records[to].ptr <= last; to++) {
		bool live = !piece->records[to].released;

		piece->live -= live;
		set->live -= live;
		set->released -= !live;
		ended += live;
	}
	if (from == to && piece->count == PIECE_RECORDS) {
		piece = split(set, piece, &from, block->ptr);
		to = from;
	}
	write_over(piece, from, to, block);
	set->live++;
	if (to > from + 1) {
		tidy(set, piece);
	} else { /* most are released soon */
		set->latest = &piece->records[from];
		set->latest_piece = piece;
	}
	return ended;
}

void host_blocks_release(struct host_blocks *set, struct host_block *block,
			 const struct host_block *how)
{
	(block == set->latest ? set->latest_piece : find(set, block->ptr, NULL))->live--;
	set->live--;
	set->released++;
	block->released = true;
	block->free_api = how->free_api;
	block->free_ns = how->free_ns;
	block->free_tid = how->free_tid;
	block->free_stack_id = how->free_stack_id;
}

void host_blocks_each(const struct host_blocks *set, bool released,
		      void (*each)(const struct host_block *, void *), void *data)
{
	for (GTreeNode *node = g_tree_node_first(set->pieces); node;
	     node = g_tree_node_next(node)) {
		const struct piece *piece = piece_of(node);

		for (uint32_t i = 0; i < piece->count; i++)
			if (is_of_kind(&piece->records[i], released))
				each(&piece->records[i], data);
	}
}
