/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races in global memory: two work-groups of a launch access the same byte, one of them changes it,
 * and nothing orders the two. Whatever orders them ends in something that the later work-group
 * executes before its access, and which machine code shows: an atomic, a load past the caches
 * (volatile ones, and atomic ones beyond a work-group), an instruction that empties a cache, a wait
 * (LLVM, AMDGPUUsage, memory models of gfx90a and gfx942). So nothing is reported of a work-group
 * that has executed one of these. Nor is a store that leaves what was there an access. What an
 * instruction loads, nothing may use: of loads a race is doubtful.
 */
#include <stdlib.h>

#include "check.h"

/* Pages of which a launch's accesses are noted; no power of two would be probed as well. */
#define SLOTS     ((size_t)1 << 16)
#define PAGES     (SLOTS / 2)
#define WORDS     (SOFTGPU_PAGE_SIZE / 4)
#define WIDEST    16u /* bytes that an instruction accesses of a lane */
#define GROUP_MAX ((1u << 24) - 2)
#define PC_MIDDLE (1u << 25)

/*
 * The latest access of a kind to a word: instruction (26 bits: dwords from the entry, and
 * PC_MIDDLE), bytes of the word (4), work-item in the group (10), work-group + 1 (24); 0: none.
 */
typedef uint64_t entry;

/*
 * The accesses to a page's words; NULL: nothing has stored there, or loaded. Most pages are loaded
 * from or stored to, not both.
 */
struct sg_global_page {
	uint64_t number;
	entry *stores, *loads; /* of WORDS words */
};

struct sg_global_pages {
	struct sg_global_page *slot[SLOTS];
	size_t count;
};

/* Returns the entry of a wave's first lane that accesses no byte. */
static entry entry_of(const struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t pc = (uint64_t)(((int64_t)(in->pc - wave->run->entry) / 4 + PC_MIDDLE) &
				 (2 * PC_MIDDLE - 1));

	return pc << 38 | (uint64_t)(wave->index * SG_LANES) << 24 | (wave->group->linear + 1);
}

static unsigned bytes_of(entry e)
{
	return (unsigned)(e >> 34 & 15);
}

static uint64_t group_of(entry e)
{
	return (e & ((1u << 24) - 1)) - 1;
}

static int64_t offset_of(entry e)
{
	return ((int64_t)(e >> 38) - PC_MIDDLE) * 4;
}

static unsigned item_of(entry e)
{
	return (unsigned)(e >> 24 & 1023);
}

/* Returns the launch's pages; NULL: there is no memory for them. */
static struct sg_global_pages *pages_of(struct softgpu_run *run)
{
	struct sg_global_pages *pages = __atomic_load_n(&run->global, __ATOMIC_ACQUIRE),
			       *none = NULL;

	if (pages)
		return pages;
	pages = calloc(1, sizeof(*pages));
	if (pages && !__atomic_compare_exchange_n(&run->global, &none, pages, false,
						  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		free(pages);
		pages = none;
	}
	return pages;
}

/* Returns the page; NULL: there are too many, or there is no memory. */
static struct sg_global_page *find_page(struct sg_global_pages *pages, uint64_t number)
{
	size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 48) % SLOTS;

	for (;; at = (at + 1) % SLOTS) {
		struct sg_global_page *page = __atomic_load_n(&pages->slot[at], __ATOMIC_ACQUIRE);
		struct sg_global_page *none = NULL;

		if (!page) {
			if (__atomic_load_n(&pages->count, __ATOMIC_RELAXED) >= PAGES)
				return NULL;
			page = calloc(1, sizeof(*page));
			if (!page)
				return NULL;
			page->number = number;
			if (!__atomic_compare_exchange_n(&pages->slot[at], &none, page, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
				free(page);
				page = none;
			} else {
				__atomic_fetch_add(&pages->count, 1, __ATOMIC_RELAXED);
			}
		}
		if (page->number == number)
			return page;
	}
}

/* Returns the accesses of a kind, which it makes where there are none; NULL: there is no memory. */
static entry *make_words(entry **words)
{
	entry *made = __atomic_load_n(words, __ATOMIC_ACQUIRE), *none = NULL;

	if (made)
		return made;
	made = calloc(WORDS, sizeof(*made));
	if (made && !__atomic_compare_exchange_n(words, &none, made, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
		free(made);
		made = none;
	}
	return made;
}

void sg_global_races_free(struct sg_global_pages *pages)
{
	for (size_t i = 0; pages && i < SLOTS; i++) {
		struct sg_global_page *page = pages->slot[i];

		if (page) {
			free(page->stores);
			free(page->loads);
			free(page);
		}
	}
	free(pages);
}

static bool is_other(entry e, unsigned bytes, uint64_t group)
{
	return e && bytes_of(e) & bytes && group_of(e) != group;
}

static entry latest(const entry *words, unsigned word)
{
	return words ? __atomic_load_n(&words[word], __ATOMIC_RELAXED) : 0;
}

/*
 * Notes what a lane accesses of one word. Returns the access that it races with, or 0, and whether
 * either of the two is a load.
 */
static entry note_word(struct sg_global_page *page, unsigned word, entry mine, bool writes,
		       bool *loads)
{
	uint64_t group = group_of(mine);
	entry *own = make_words(writes ? &page->stores : &page->loads);
	entry store = latest(__atomic_load_n(&page->stores, __ATOMIC_ACQUIRE), word);
	entry load = writes ? latest(__atomic_load_n(&page->loads, __ATOMIC_ACQUIRE), word) : 0;
	entry before = latest(own, word), all = mine;

	/* Work-items of a group often access one byte each. */
	if (before >> 38 == mine >> 38 && group_of(before) == group)
		all |= (uint64_t)bytes_of(before) << 34;
	if (own)
		__atomic_store_n(&own[word], all, __ATOMIC_RELAXED);
	*loads = !writes;
	if (is_other(store, bytes_of(mine), group))
		return store;
	*loads = true;
	return is_other(load, bytes_of(mine), group) ? load : 0;
}

/* Returns the host's address of bytes on one page that the GPU may access; NULL: there is none. */
static const uint8_t *look(struct sg_wave *wave, uint64_t pc, uint64_t address, unsigned size)
{
	const struct sg_span *span = sg_span(wave->worker, pc, address);

	if (!span || address + size > span->last)
		return NULL;
	return (const uint8_t *)(uintptr_t)(address + span->delta);
}

/* The page that an instruction accessed last; lanes mostly share it. */
struct cursor {
	struct sg_global_pages *pages;
	struct sg_global_page *page;
};

/*
 * Notes a lane's access; `changed` has a bit for each byte of it that counts, `mine` is the entry
 * of the first lane and no byte.
 */
static bool note_lane(struct sg_wave *wave, const struct sg_touched *touched, unsigned lane,
		      uint64_t changed, entry mine, struct cursor *cursor,
		      struct sg_suspicion *suspicion)
{
	uint64_t address = touched->address[0][lane];
	bool writes = touched->kind == SG_WRITE;

	while (changed && cursor->pages) {
		uint64_t at = address + (unsigned)__builtin_ctzll(changed), word = at / 4 * 4;
		unsigned first = (unsigned)(word < address ? 0 : word - address);
		unsigned skip = (unsigned)(word < address ? address - word : 0);
		unsigned bytes = (unsigned)(changed >> first << skip) & 15;
		struct sg_global_page *page = cursor->page;
		bool loads;
		entry other;

		changed &= ~((uint64_t)bytes >> skip << first);
		if (!page || page->number != word / SOFTGPU_PAGE_SIZE)
			page = find_page(cursor->pages, word / SOFTGPU_PAGE_SIZE);
		if (!page)
			return false;
		cursor->page = page;
		other = note_word(page, (unsigned)(word % SOFTGPU_PAGE_SIZE / 4),
				  mine | (entry)bytes << 34 | (entry)lane << 24, writes, &loads);
		if (!other || wave->group->acquired)
			continue;
		*suspicion = (struct sg_suspicion){ .kind = SOFTGPU_CHECK_GLOBAL_RACE,
						    .lane = lane,
						    .address = at,
						    .other_offset = offset_of(other),
						    .other_item = item_of(other),
						    .other_group = group_of(other),
						    .doubtful = loads };
		return true;
	}
	return false;
}

/* Bytes of a lane's store that are not what they were. */
static uint64_t differ(const uint8_t *now, const uint8_t *before, unsigned size)
{
	uint64_t changed = 0;

	if (memcmp(now, before, size) == 0)
		return 0;
	for (unsigned i = 0; i < size; i++)
		changed |= (uint64_t)(now[i] != before[i]) << i;
	return changed;
}

static bool in_aperture(const struct sg_touched *touched, uint64_t address)
{
	uint32_t high = (uint32_t)(address >> 32);

	return touched->flat && (high == SG_SHARED_BASE_HI || high == SG_PRIVATE_BASE_HI);
}

bool sg_global_race_execute(struct sg_wave *wave, const struct sg_insn *in,
			    const struct sg_touched *touched, struct sg_suspicion *suspicion)
{
	uint8_t before[SG_LANES][WIDEST];
	bool writes = touched->kind == SG_WRITE, found = false;
	bool looks = !touched->scalar && touched->size <= WIDEST && touched->elements == 1 &&
		     wave->run->ngroups > 1 && wave->group->linear < GROUP_MAX;
	struct cursor cursor = { NULL, NULL };
	uint64_t there = 0;
	entry mine;

	if (touched->kind == SG_ATOMIC || in->glc || in->sc1) {
		if (!writes)
			wave->group->acquired = true;
		looks = false;
	}
	for (uint64_t m = looks ? touched->active : 0; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint64_t address = touched->address[0][l];
		const uint8_t *bytes;

		if (in_aperture(touched, address))
			continue;
		bytes = writes ? look(wave, in->pc, address, touched->size) : NULL;
		if (bytes)
			memcpy(before[l], bytes, touched->size);
		if (bytes || !writes)
			there |= m & -m;
	}
	in->op->exec(wave, in);
	if (wave->stop || !there)
		return false;
	cursor.pages = pages_of(wave->run);
	mine = entry_of(wave, in);
	for (uint64_t m = there; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);
		uint64_t changed = ((uint64_t)1 << touched->size) - 1;
		struct sg_suspicion one;

		if (writes) {
			const uint8_t *bytes =
			    look(wave, in->pc, touched->address[0][l], touched->size);

			changed = bytes ? differ(bytes, before[l], touched->size) : 0;
		}
		if (note_lane(wave, touched, l, changed, mine, &cursor, &one) && !found) {
			found = true;
			*suspicion = one;
		}
	}
	return found;
}

static void acquires(struct sg_wave *wave, const struct sg_insn *in)
{
	wave->group->acquired = true;
	in->op->exec(wave, in);
}

void sg_global_race_prepare(struct sg_insn *in)
{
	static const char *const names[] = { "buffer_wbinvl1", "buffer_invl2", "buffer_inv",
					     "s_dcache_inv",   "ds_gws",       "s_sleep" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(in->op->name, names[i], strlen(names[i])) == 0)
			in->exec = acquires;
}
