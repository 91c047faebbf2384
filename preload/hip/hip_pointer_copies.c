/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses in what is copied to the device, and numbers in small copies. Of copies to one place
 * that had none so often, one of many is looked at; of large ones a sample first.
 */
#include "preload/hip/hip_pointers.h"

#include <string.h>

#include "preload/core/base.h"
#include "preload/core/peek.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "preload/hip/pointer_links.h"
#include "preload/hip/pointer_words.h"
#include "tracer/api/hip_copies.h"
#include "tracer/events.h"
#include "tracer/events/ev_copy.h"

#define WORD      HG_POINTER_WORD
#define WHOLE     HG_POINTER_PIECE /* of larger ones first a sample: */
#define HEAD      1024u            /* bytes from the beginning ... */
#define SAMPLES   8u               /* ... and so many pieces ... */
#define SAMPLE    128u             /* ... of so many bytes */
#define COPY_SIZE 65536u           /* bytes that are read if the sample has addresses */

#define H2D       1
#define D2D       3
#define DEFAULT   4

/*
 * Returns true if the source is memory that the host reads; *check becomes true if its pages may be
 * on a GPU. Most copies say by their kind what they are.
 */
static bool is_from_host(const struct hg_ev_copy *event, bool *check)
{
	struct hg_hip_block block;
	bool known = hg_hip_memory_find(event->src, &block);

	*check = known && block.kind == HG_HIP_MANAGED;
	return event->kind == H2D || !(known && block.kind == HG_HIP_ON_DEVICE);
}

static size_t read_piece(uint64_t address, size_t size, bool check, void *to)
{
	struct hg_piece piece = { address, size };
	int pagemap;

	if (check) {
		pagemap = hg_pagemap_open();
		piece.size = pagemap < 0 ? 0 : hg_resident(pagemap, address, size);
		hg_pagemap_close(pagemap);
	}
	return piece.size ? hg_peek(&piece, 1, to) : 0;
}

/* Returns true if a sample of a large copy has addresses. */
static bool has_addresses(struct hg_pointer_words *own, uint64_t src, uint64_t size, bool check)
{
	struct hg_piece pieces[1 + SAMPLES] = { { src, HEAD } };
	uint32_t found[(HEAD + SAMPLES * SAMPLE) / WORD];
	size_t got;

	if (check) {
		got = read_piece(src, HEAD, true, own->words);
	} else {
		for (unsigned i = 0; i < SAMPLES; i++) {
			pieces[1 + i].address =
			    src + (HEAD + (size - HEAD - SAMPLE) / SAMPLES * (i + 1)) / WORD * WORD;
			pieces[1 + i].size = SAMPLE;
		}
		got = hg_peek(pieces, 1 + SAMPLES, own->words);
	}
	return hg_hip_memory_pick(own->words, (uint32_t)(got / WORD), found) > 0;
}

static bool is_variable(uint16_t api)
{
	switch (api) {
	case HG_API_hipMemcpyToSymbol:
	case HG_API_hipMemcpyToSymbol_spt:
	case HG_API_hipMemcpyToSymbolAsync:
	case HG_API_hipMemcpyToSymbolAsync_spt:
		return true;
	default:
		return false;
	}
}

/* The upper bits of one multiplication (Fibonacci hashing): this is done for each copy. */
static inline uint64_t place(uint64_t dst, uint64_t size)
{
	uint64_t word = dst + (size << 40 | size >> 24);

	return word * 0x9e3779b97f4a7c15u;
}

static uint64_t place_of(const struct hg_ev_copy *event)
{
	return place(event->dst, event->size);
}

/* This says where a copy's words are looked for, and what was found so far. */
struct search {
	struct hg_pointer_words *own;
	uint64_t holder;
	uint32_t mapped, linked;
	bool check, any;
	uint32_t found[WHOLE / WORD], picked; /* in the latest piece */
};

/* Searches one row of a copy, or all of it. Returns how many bytes were read. */
static uint64_t search_piece(struct search *search, uint64_t dst, uint64_t src, uint64_t size)
{
	struct hg_pointer_words *own = search->own;
	uint32_t *found = search->found;
	uint64_t done = 0;

	while (done < size) {
		size_t want = size - done < WHOLE ? size - done : WHOLE;
		size_t got =
		    read_piece(src + done, want, search->check, own->words) & ~(size_t)(WORD - 1);
		uint32_t picked = hg_pointer_words_pick(own->words, (uint32_t)(got / WORD), false,
							found, &search->mapped);

		search->picked = picked;
		search->any |= picked > 0;
		for (uint32_t i = 0; i < picked && search->linked++ < HG_POINTER_LINKS_OF_ONE; i++)
			hg_pointer_links_add(search->holder, own->words[found[i]]);
		if (picked || own->used)
			hg_pointer_words_add(own, dst + done, own->words, (uint32_t)got, found,
					     picked);
		if (got + WORD <= want)
			break;
		done += want;
	}
	return done;
}

/* Searches each row of a copy that has few. Returns true if all were read. */
static bool search_rows(struct search *search, const struct hg_ev_copy *event)
{
	uint64_t to_row = event->dst_pitch > event->size ? event->dst_pitch : event->size;
	uint64_t from_row = event->src_pitch > event->size ? event->src_pitch : event->size;

	if (event->depth > 1 || event->dst % WORD || event->rows > WHOLE / event->size)
		return false;
	for (uint64_t y = 0; y < event->rows; y++)
		if (to_row % WORD == 0)
			search_piece(search, event->dst + y * to_row, event->src + y * from_row,
				     event->size);
	return to_row % WORD == 0;
}

#define RUNS 16u /* of numbers, that are recorded of one copy */

/*
 * Records the small numbers among `size` bytes that were read for a copy to `dst`, as runs of one
 * dword.
 */
static void add_numbers(const struct search *search, uint64_t dst, uint64_t size)
{
	struct hg_pointer_words *own = search->own;

	own->source = HG_POINTERS_NUMBERS;
	own->used = hg_pointer_numbers(own->words, dst, size, search->found, search->picked,
				       own->event, 0, RUNS);
	hg_pointer_words_send(own);
}

static __attribute__((noinline)) void examine(const struct hg_ev_copy *event)
{
	uint64_t lead = (WORD - event->dst % WORD) % WORD, src = event->src + lead, start;
	uint64_t size = event->size > lead ? event->size - lead : 0, done;
	struct search search; /* `found`, of 32 KiB, is not cleared */
	struct hg_hip_block block;
	struct hg_pointer_words *own;
	bool whole = event->rows == 1 && event->depth <= 1;
	bool small = whole && size < WORD; /* it has no room for an address */
	bool each;

	if (!event->dst || !event->src || event->size < sizeof(uint32_t) || hg_pointers_off() ||
	    !is_from_host(event, &search.check))
		return;
	search.holder = HG_POINTER_VARIABLE;
	search.mapped = HG_POINTER_MAPPED_FEW;
	search.linked = search.picked = 0;
	search.any = false;
	own = hg_pointer_words();
	if (!own || !hg_pointers_may_spend(&start)) {
		hg_pointers_count(&hg_pointers_left_out.untouched);
		return;
	}
	own->used = 0;
	own->source = HG_POINTERS_COPIED;
	search.own = own;
	if (whole && size > WHOLE) {
		hg_pointers_count(&hg_pointers_left_out.copies);
		size = has_addresses(own, src, size, search.check) ? size : 0;
		size = size > COPY_SIZE ? COPY_SIZE : size;
	}
	if (!is_variable(event->api) && hg_hip_memory_find(event->dst, &block))
		search.holder = block.base;
	if (small) {
		own->words[0] = 0;
		lead = 0;
		done = read_piece(event->src, event->size, search.check, own->words);
	} else if (whole) {
		done = search_piece(&search, event->dst + lead, src, size);
	} else {
		done = search_rows(&search, event);
	}
	if (!done && size)
		hg_pointers_count(&hg_pointers_left_out.untouched);
	each = hg_pointers_note_tame(place_of(event), search.any);
	hg_pointer_words_send(own);
	if (each && whole && done >= size && done <= WHOLE)
		add_numbers(&search, event->dst + lead, done);
	hg_pointers_spent(start);
}

static inline __attribute__((always_inline)) void
examine_unless_tame(const struct hg_ev_copy *event)
{
	if ((event->kind == H2D || event->kind == DEFAULT) && !hg_pointers_is_tame(place_of(event)))
		examine(event);
}

static __attribute__((noinline)) void copy_with_links(const struct hg_ev_copy *event)
{
	if (event->kind == D2D || event->kind == DEFAULT)
		hg_pointer_links_copy(event->src, event->dst);
	examine_unless_tame(event);
}

void hg_hip_pointers_copy(const struct hg_ev_copy *event)
{
	if (HG_UNLIKELY(!hg_is_zero((const volatile int *)&hg_pointer_links_added)))
		copy_with_links(event);
	else
		examine_unless_tame(event);
}

static __attribute__((noinline)) void copy_bytes(uint16_t api, uint64_t dst, uint64_t src,
						 uint64_t size, int kind, bool links)
{
	struct hg_ev_copy event = { .api = api,
				    .dst = dst,
				    .src = src,
				    .size = size,
				    .rows = 1,
				    .depth = 1,
				    .kind = kind };

	if (links)
		copy_with_links(&event);
	else
		examine(&event);
}

void hg_hip_pointers_copy_bytes(uint16_t api, uint64_t dst, uint64_t src, uint64_t size, int kind)
{
	/* From the host no links are copied. */
	if (kind != H2D && HG_UNLIKELY(!hg_is_zero((const volatile int *)&hg_pointer_links_added)))
		copy_bytes(api, dst, src, size, kind, true);
	else if ((kind == H2D || kind == DEFAULT) && !hg_pointers_is_tame(place(dst, size)))
		copy_bytes(api, dst, src, size, kind, false);
}
