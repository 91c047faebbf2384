/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the memory of a launch by the paths that the recorder has answered (hip_places.h): from a
 * pointer among the arguments each step leads to words that hold the next pointers.
 */
#include <string.h>

#include "preload/core/id_table.h"
#include "preload/hip/hip_managed.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "preload/hip/pointer_reads.h"

#define WORD        HG_POINTER_WORD
#define CHOSEN_SIZE 65536u /* bytes of a launch where indices choose the words */

static void add_address(struct hg_pointer_level *level, uint64_t address)
{
	for (uint32_t i = 0; i < level->count; i++)
		if (level->address[i] == address)
			return;
	if (address >> 16 && level->count < HG_READ_WIDTH)
		level->address[level->count++] = address;
}

/* Returns the pointer in a word of memory; 0 if there is none, or it cannot be read. */
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
	host = hg_pointer_reads_host(own, address, &size, &check);
	if (!host || size < WORD)
		return 0;
	own->read[own->read_count].address = address;
	if (hg_pointer_reads_copy(own, host, WORD, check, &word) < WORD) {
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

/* Reads the words in so many bytes, and adds the pointers there. Returns false if it cannot. */
static bool read_words(struct hg_pointer_reads *own, uint64_t address, uint64_t size,
		       struct hg_pointer_level *to)
{
	uint32_t found[HG_POINTER_PIECE / WORD], picked;
	uint64_t host;
	size_t got;
	bool check;

	host = hg_pointer_reads_host(own, address, &size, &check);
	if (!host || size < WORD)
		return false;
	got =
	    hg_pointer_reads_copy(own, host, size & ~(uint64_t)(WORD - 1), check, own->out.words) &
	    ~(size_t)(WORD - 1);
	if (!got) {
		hg_pointers_count(&hg_pointers_left_out.unreadable);
		return false;
	}
	own->chosen_left -= (uint32_t)got;
	picked = hg_pointer_words_pick(own->out.words, (uint32_t)(got / WORD), own->system, found,
				       &own->mapped);
	own->found += picked;
	own->hash = hg_mix(own->hash, address);
	for (uint32_t i = 0; i < picked; i++) {
		own->hash = hg_mix(own->hash, own->out.words[found[i]] + found[i]);
		add_address(to, own->out.words[found[i]]);
	}
	hg_pointer_reads_numbers(own, address, got, found, picked);
	hg_pointer_words_add(&own->out, address, own->out.words, (uint32_t)got, found, picked);
	return true;
}

/*
 * An index chooses the word: reads all of the allocation, of a large one what follows `address`.
 * `from` is what other pointers have chosen from, in the same step.
 */
static void read_choice(struct hg_pointer_reads *own, uint64_t address,
			struct hg_pointer_level *from, struct hg_pointer_level *to)
{
	uint64_t begin = address & ~(uint64_t)(WORD - 1), end = begin + HG_READ_ROOT_SIZE;
	struct hg_hip_block block;
	uint32_t before = from->count;

	if (hg_hip_memory_find(address, &block) && block.size <= CHOSEN_SIZE) {
		begin = block.base;
		end = block.base + block.size;
	}
	add_address(from, begin);
	if (from->count == before)
		return;
	for (uint64_t at = begin; at + WORD <= end && own->chosen_left >= HG_POINTER_PIECE;
	     at += HG_POINTER_PIECE)
		if (!read_words(own, at, end - at < HG_POINTER_PIECE ? end - at : HG_POINTER_PIECE,
				to))
			return;
}

/* Returns where a path starts, and *step, the first of its steps that is made from there; 0: in
 * memory of the device's, or of nobody's. */
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

/* Returns how many steps the path shares with the one that was followed before it. */
static uint32_t shared_steps(const struct hg_place_path *path, const struct hg_place_path *before)
{
	uint32_t k = 0;

	if (!before || path->kernarg != before->kernarg || path->variable != before->variable)
		return 0;
	while (k < path->step_count && k < before->step_count &&
	       path->step[k].offset == before->step[k].offset &&
	       path->step[k].flags == before->step[k].flags)
		k++;
	return k;
}

/* Makes step k of a path, from what was reached to what is reached then. */
static void take_step(struct hg_pointer_reads *own, const struct hg_place_step *step, uint32_t k)
{
	struct hg_pointer_level *level = &own->level[k], *to = &own->level[k + 1];
	struct hg_pointer_level from = { 0 };

	to->count = 0;
	for (uint32_t i = 0; i < level->count; i++) {
		if (step->flags & HG_PLACE_CHOSEN)
			read_choice(own, level->address[i], &from, to);
		else
			add_address(to, read_word(own, level->address[i] +
							   (uint64_t)(int64_t)step->offset));
	}
}

/* Steps that repeat lead to lists and trees: notes where they begin. */
static void note_repeated(struct hg_pointer_reads *own, const struct hg_pointer_level *level)
{
	for (uint32_t i = 0; i < level->count; i++)
		hg_pointer_reads_place(own, level->address[i], HG_READ_ROOT_SIZE);
}

/* Follows a path, whose first `done` steps are made. Returns how many are then. */
static uint32_t follow(struct hg_pointer_reads *own, const struct hg_place_path *path,
		       uint32_t done)
{
	for (; done < path->step_count && own->level[done].count; done++) {
		if (path->step[done].flags & HG_PLACE_REPEATS) {
			note_repeated(own, &own->level[done]);
			break;
		}
		take_step(own, &path->step[done], done);
	}
	return done;
}

/* Keeps the numbers of the small structures that words were read of, of each once. */
static void read_numbers(struct hg_pointer_reads *own)
{
	uint32_t found[HG_POINTER_PIECE / WORD], picked;
	struct hg_hip_block block;
	uint64_t size, host;
	size_t got;
	bool check, seen;

	for (uint32_t i = 0; i < own->read_count; i++) {
		if (!hg_hip_memory_find(own->read[i].address, &block) ||
		    block.size > HG_READ_STRUCTURE)
			continue;
		seen = false;
		for (uint32_t k = 0; !seen && k < i; k++)
			seen = own->read[k].address - block.base < block.size;
		size = block.size;
		host = seen ? 0 : hg_pointer_reads_host(own, block.base, &size, &check);
		if (!host)
			continue;
		got = hg_pointer_reads_copy(own, host, size & ~(uint64_t)(WORD - 1), check,
					    own->out.words) &
		      ~(size_t)(WORD - 1);
		picked = hg_pointer_words_pick(own->out.words, (uint32_t)(got / WORD), own->system,
					       found, &own->mapped);
		hg_pointer_reads_numbers(own, block.base, got, found, picked);
	}
}

void hg_pointer_reads_paths(struct hg_pointer_reads *own)
{
	const struct hg_place_path *before = NULL;
	uint32_t done = 0;

	own->chosen_left = CHOSEN_SIZE;
	for (uint32_t i = 0; i < own->places->count; i++) {
		const struct hg_place_path *path = &own->places->path[i];
		uint32_t shared = shared_steps(path, before), first;
		uint64_t root = root_of(own, path, &first);

		if (done > shared)
			done = shared;
		if (done <= first) {
			done = first;
			own->level[first].count = 0;
			add_address(&own->level[first], root);
		}
		done = follow(own, path, done);
		before = path;
	}
	read_numbers(own);
}
