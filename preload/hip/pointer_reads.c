/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the memory that a launch's arguments lead to. The program's memory is read by the kernel
 * (core/peek.h), and no page of it is moved.
 */
#include "preload/hip/pointer_reads.h"

#include <string.h>

#include "preload/core/id_table.h"
#include "preload/core/peek.h"
#include "preload/hip/hip_managed.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "preload/hip/pointer_links.h"

#define WORD        HG_POINTER_WORD
#define ROOT_SIZE   HG_READ_ROOT_SIZE
#define CHILD_SIZE  512u   /* bytes from where a pointer in memory leads */
#define LAUNCH_SIZE 16384u /* of all places */
#define MAPPED_MOST 64u    /* words that are looked up in the process's mappings */
#define NOT_OPEN    (-2)

struct hg_pointer_reads *hg_pointer_reads(void)
{
	return (struct hg_pointer_reads *)(void *)hg_pointer_words();
}

void hg_pointer_reads_begin(struct hg_pointer_reads *own, bool system)
{
	own->out.used = own->window_count = 0;
	own->block_count = own->block_done = own->read_count = 0;
	own->found = own->hash = 0;
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

/*
 * Where the host can read what the GPU has at an address, of *size bytes at most so many; 0:
 * nowhere. *check: its pages may be on a GPU. What leads through device memory is noted.
 */
static uint64_t host_address(struct hg_pointer_reads *own, uint64_t address, uint64_t *size,
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

void hg_pointer_reads_place(struct hg_pointer_reads *own, uint64_t address, uint32_t most)
{
	struct hg_pointer_window *window = &own->windows[own->window_count];
	uint64_t from = address & ~(uint64_t)(WORD - 1), size = most, host;
	bool check;

	host = host_address(own, from, &size, &check);
	if (!host)
		return;
	for (unsigned i = 0; i < own->window_count; i++)
		if (from >= own->windows[i].address &&
		    from + WORD <= own->windows[i].address + own->windows[i].size)
			return;
	if (own->window_count + 1 >= HG_READ_WINDOWS || size < WORD)
		return;
	window->check = check;
	window->address = from;
	window->host = host;
	window->size = (uint32_t)size & ~(WORD - 1);
	own->window_count++;
}

/* Bytes from `address` on, as far as they can be read without moving a page. */
static size_t read_host(struct hg_pointer_reads *own, uint64_t address, size_t size, bool check,
			void *to)
{
	struct hg_piece piece = { address, size };

	if (check && own->pagemap == NOT_OPEN)
		own->pagemap = hg_pagemap_open();
	if (check)
		piece.size = own->pagemap < 0 ? 0 : hg_resident(own->pagemap, address, size);
	return piece.size ? hg_peek(&piece, 1, to) : 0;
}

/* What pointers in device memory lead to, as far as copies put them there. */
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

void hg_pointer_reads_places(struct hg_pointer_reads *own)
{
	uint32_t found[ROOT_SIZE / WORD];
	uint32_t left = LAUNCH_SIZE;

	for (unsigned i = 0; i < own->window_count; i++) {
		struct hg_pointer_window *window = &own->windows[i];
		size_t size = window->size < left ? window->size : left;
		uint32_t picked;

		size = read_host(own, window->host, size, window->check, own->out.words) &
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
		follow_links(own);
		hg_pointer_words_add(&own->out, window->address, own->out.words, (uint32_t)size,
				     found, picked);
	}
}

/* ---- by the kernel's paths ---- */

/* The pointer in a word of memory; 0 if there is none, or it cannot be read. */
static uint64_t read_word(struct hg_pointer_reads *own, uint64_t address)
{
	uint64_t word = 0, size = WORD, host;
	uint32_t found, picked;
	bool check;

	for (uint32_t i = 0; i < own->read_count; i++)
		if (own->read[i].address == address)
			return own->read[i].value;
	if (own->read_count == HG_READ_WORDS || address % WORD)
		return 0;
	host = host_address(own, address, &size, &check);
	if (!host || size < WORD)
		return 0;
	own->read[own->read_count].address = address;
	if (read_host(own, host, WORD, check, &word) < WORD) {
		hg_pointers_count(&hg_pointers_left_out.unreadable);
		word = 0;
	} else {
		picked = hg_pointer_words_pick(&word, 1, own->system, &found, &own->mapped);
		hg_pointer_words_add(&own->out, address, &word, WORD, &found, picked);
		own->found += picked;
		own->hash = hg_mix(hg_mix(own->hash, address), picked ? word : 0);
		word = picked ? word : 0;
	}
	own->read[own->read_count++].value = word;
	return word;
}

/* An index chooses the word: all of what it may choose from, as far as a launch may read. */
static void add_choice(struct hg_pointer_reads *own, uint64_t address)
{
	struct hg_hip_block block;
	uint64_t end = address + ROOT_SIZE;

	if (hg_hip_memory_find(address, &block) && block.size <= LAUNCH_SIZE) {
		address = block.base;
		end = block.base + block.size;
	}
	for (; address < end; address += ROOT_SIZE)
		hg_pointer_reads_place(own, address, ROOT_SIZE);
}

/* Where a path starts, and at which of its steps; 0: in memory of the device's, or of nobody's. */
static uint64_t root_of(const struct hg_pointer_reads *own, const struct hg_place_path *path,
			uint32_t *step)
{
	uint64_t address = 0;

	*step = 0;
	if (path->kernarg == HG_PLACES_VARIABLE) {
		/* The first pointer is the one to a managed variable, which the symbol holds. */
		*step = 1;
		return path->step[0].offset || path->step[0].flags
			   ? 0
			   : hg_hip_managed_find(path->variable);
	}
	if (path->kernarg <= own->length && own->length - path->kernarg >= WORD)
		memcpy(&address, own->arguments + path->kernarg, WORD);
	return address;
}

void hg_pointer_reads_paths(struct hg_pointer_reads *own)
{
	for (uint32_t i = 0; i < own->places->count; i++) {
		const struct hg_place_path *path = &own->places->path[i];
		uint32_t first;
		uint64_t address = root_of(own, path, &first);

		for (uint32_t k = first; k < path->step_count && address >> 16; k++) {
			if (path->step[k].flags) {
				add_choice(own, address);
				break;
			}
			address = read_word(own, address + (uint64_t)(int64_t)path->step[k].offset);
		}
	}
}
