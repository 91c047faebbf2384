/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the memory that a launch's arguments lead to. The program's memory is read by the kernel
 * (core/peek.h), and no page of it is moved.
 */
#include "preload/hip/pointer_reads.h"

#include <string.h>

#include "preload/core/id_table.h"
#include "preload/core/peek.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "preload/hip/pointer_links.h"
#include "tracer/events/ev_pointers.h"
#include "tracer/provider.h"

#define WORD         HG_POINTER_WORD
#define ROOT_SIZE    HG_READ_ROOT_SIZE
#define CHILD_SIZE   512u   /* bytes from where a pointer in memory leads */
#define WHOLE_SIZE   2048u  /* bytes of an allocation that is read as a whole */
#define BLOCK_PLACES 4u     /* of a larger one */
#define LAUNCH_SIZE  16384u /* of all places */
#define MAPPED_MOST  64u    /* words that are looked up in the process's mappings */
#define NOT_OPEN     (-2)

struct hg_pointer_reads *hg_pointer_reads(void)
{
	return (struct hg_pointer_reads *)(void *)hg_pointer_words();
}

void hg_pointer_reads_begin(struct hg_pointer_reads *own, bool system)
{
	own->out.used = own->window_count = 0;
	own->block_count = own->block_done = own->read_count = 0;
	own->found = own->hash = 0;
	own->numbers_used = 0;
	own->system = system;
	own->mapped = system ? MAPPED_MOST : HG_POINTER_MAPPED_FEW;
	own->pagemap = NOT_OPEN;
}

void hg_pointer_reads_end(struct hg_pointer_reads *own)
{
	hg_pagemap_close(own->pagemap);
}

static void add_block(struct hg_pointer_reads *own, uint64_t base)
{
	for (uint32_t i = 0; i < own->block_count; i++)
		if (own->blocks[i] == base)
			return;
	if (own->block_count < HG_READ_BLOCKS)
		own->blocks[own->block_count++] = base;
}

uint64_t hg_pointer_reads_host(struct hg_pointer_reads *own, uint64_t address, uint64_t *size,
			       bool *check)
{
	struct hg_hip_block block;

	if (hg_hip_memory_find(address, &block)) {
		if (block.kind == HG_HIP_ON_DEVICE) {
			add_block(own, block.base);
			return 0;
		}
		if (*size > block.base + block.size - address)
			*size = block.base + block.size - address;
		*check = block.kind != HG_HIP_PINNED;
		/* Registered memory may have another address on the GPU. */
		return address - block.base + block.host;
	}
	*check = true;
	return own->system && hg_pointer_plausible(address, true) && hg_is_mapped(address) ? address
											   : 0;
}

/*
 * Pointers into one allocation, an array of structures, say the same of others: small ones are read
 * as a whole, of a large one (*large) a few places. Returns false if nothing more is to be read of
 * it.
 */
static bool choose_place(const struct hg_pointer_reads *own, uint64_t *from, uint64_t *size,
			 bool *large)
{
	struct hg_hip_block block;
	unsigned places = 0;

	if (!hg_hip_memory_find(*from, &block))
		return true;
	if (block.size <= WHOLE_SIZE) {
		*from = block.base;
		*size = block.size;
		return true;
	}
	*large = true;
	for (unsigned i = 0; i < own->window_count; i++)
		places += own->windows[i].address - block.base < block.size;
	return places < BLOCK_PLACES;
}

void hg_pointer_reads_place(struct hg_pointer_reads *own, uint64_t address, uint32_t most)
{
	struct hg_pointer_window *window = &own->windows[own->window_count];
	uint64_t from = address & ~(uint64_t)(WORD - 1), size = most, host;
	bool check, large = false;

	if (!choose_place(own, &from, &size, &large))
		return;
	host = hg_pointer_reads_host(own, from, &size, &check);
	if (!host)
		return;
	for (unsigned i = 0; i < own->window_count; i++)
		if (from >= own->windows[i].address &&
		    from + WORD <= own->windows[i].address + own->windows[i].size)
			return;
	if (own->window_count + 1 >= HG_READ_WINDOWS || size < WORD)
		return;
	window->check = check;
	window->large = large;
	window->address = from;
	window->host = host;
	window->size = (uint32_t)size & ~(WORD - 1);
	own->window_count++;
}

size_t hg_pointer_reads_copy(struct hg_pointer_reads *own, uint64_t address, size_t size,
			     bool check, void *to)
{
	struct hg_piece piece = { address, size };

	if (check && own->pagemap == NOT_OPEN)
		own->pagemap = hg_pagemap_open();
	if (check)
		piece.size = own->pagemap < 0 ? 0 : hg_resident(own->pagemap, address, size);
	return piece.size ? hg_peek(&piece, 1, to) : 0;
}

void hg_pointer_reads_numbers(struct hg_pointer_reads *own, uint64_t address, uint64_t size,
			      const uint32_t *found, uint32_t picked)
{
	uint32_t before = own->numbers_used;

	if (size > HG_READ_STRUCTURE)
		return;
	own->numbers_used = hg_pointer_numbers(own->out.words, address, size, found, picked,
					       own->numbers, before, HG_READ_NUMBERS);
	for (uint32_t i = before; i < own->numbers_used; i++)
		own->hash = hg_mix(own->hash, own->numbers[i]);
}

void hg_pointer_reads_send_numbers(struct hg_pointer_reads *own)
{
	struct hg_ev_pointers event = { .source = HG_POINTERS_NUMBERS_READ,
					.words = own->numbers,
					.count = own->numbers_used };

	if (!event.count)
		return;
	hg_provider->pointers(&event);
	hg_pointers_emitted(event.count * WORD);
}

/* Follows pointers in device memory, as far as copies put them there. */
static void follow_links(struct hg_pointer_reads *own)
{
	if (!__atomic_load_n(&hg_pointer_links_added, __ATOMIC_RELAXED))
		return;
	for (; own->block_done < own->block_count; own->block_done++) {
		uint64_t to;

		for (uint32_t at = 0;
		     (to = hg_pointer_links_next(own->blocks[own->block_done], &at)) != 0;)
			hg_pointer_reads_place(own, to, CHILD_SIZE);
	}
}

void hg_pointer_reads_variables(struct hg_pointer_reads *own)
{
	add_block(own, HG_POINTER_VARIABLE);
	follow_links(own);
}

/*
 * Returns the next place that was not read, first those of small allocations: they are structures
 * more often, and large ones arrays of numbers. next[] is where to look for each kind. NULL: all
 * were read.
 */
static struct hg_pointer_window *next_place(struct hg_pointer_reads *own, unsigned next[2])
{
	for (unsigned large = 0; large < 2; large++)
		while (next[large] < own->window_count) {
			struct hg_pointer_window *window = &own->windows[next[large]++];

			if (window->large == large)
				return window;
		}
	return NULL;
}

void hg_pointer_reads_places(struct hg_pointer_reads *own)
{
	uint32_t found[ROOT_SIZE / WORD];
	uint32_t left = LAUNCH_SIZE;
	unsigned next[2] = { 0, 0 };
	struct hg_pointer_window *window;

	while (left >= WORD && (window = next_place(own, next)) != NULL) {
		size_t size = window->size < left ? window->size : left;
		uint32_t picked;

		size =
		    hg_pointer_reads_copy(own, window->host, size, window->check, own->out.words) &
		    ~(size_t)(WORD - 1);
		if (!size) {
			hg_pointers_count(&hg_pointers_left_out.unreadable);
			continue;
		}
		left -= (uint32_t)size;
		picked = hg_pointer_words_pick(own->out.words, (uint32_t)(size / WORD), own->system,
					       found, &own->mapped);
		own->found += picked;
		own->hash = hg_mix(own->hash, window->address);
		for (uint32_t k = 0; k < picked; k++) {
			own->hash = hg_mix(own->hash, own->out.words[found[k]] + found[k]);
			hg_pointer_reads_place(own, own->out.words[found[k]], CHILD_SIZE);
		}
		hg_pointer_reads_numbers(own, window->address, size, found, picked);
		follow_links(own);
		hg_pointer_words_add(&own->out, window->address, own->out.words, (uint32_t)size,
				     found, picked);
	}
}
