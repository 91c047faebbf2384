/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of memory are addresses of live allocations: where a kernel's arguments lead, and in
 * what is copied to the device. The analysis follows pointers through them
 * (analyzer/replay/contents.h).
 *
 * Where the recorder has answered which words a kernel loads pointers from (hip_places.h), only
 * those are read, and nothing where it loads none; else what lies where its arguments lead.
 *
 * What this costs is bounded: a launch reads so many bytes in so many places, a copy so many
 * bytes, all of them together a hundredth of the time, and events of so many bytes a second.
 * Arguments that lead to no memory of the host's cost one comparison. Of copies to one place that
 * had no address so often, one of many is looked at. What is left out is counted
 * (the event `pointers_left_out`). The program's memory is read by the kernel (core/peek.h).
 */
#include "preload/hip/hip_pointers.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/peek.h"
#include "preload/core/threads.h"
#include "preload/hip/hip_managed.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_places.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/api/hip_copies.h"
#include "tracer/events.h"
#include "tracer/provider.h"

#define WORD 8u

/* Of a launch. */
#define WINDOWS     64u   /* places that are read */
#define ROOT_SIZE   2048u /* bytes from where an argument leads ... */
#define CHILD_SIZE  512u  /* ... and from where a pointer in memory leads */
#define WORDS_MOST  64u   /* that are read one by one, by the paths to them */
#define LAUNCH_SIZE 16384u
#define MAPPED_MOST 64u /* words that are looked up in the process's mappings ... */
#define MAPPED_FEW  16u /* ... where the GPU cannot use what they lead to; also of a copy */
/* Of a copy. */
#define WHOLE     4096u  /* bytes that are examined at once; of larger ones first a sample: */
#define HEAD      1024u  /* bytes from the beginning ... */
#define SAMPLES   8u     /* ... and so many pieces ... */
#define SAMPLE    128u   /* ... of so many bytes */
#define COPY_SIZE 65536u /* where the sample has addresses, so many bytes */
/* Of all. */
#define SECOND_NS    UINT64_C(1000000000)
#define SPENT_NS     UINT64_C(10000000)    /* in a second */
#define LONGEST_NS   UINT64_C(300000)      /* that one of them is taken to need */
#define EMITTED      (UINT64_C(512) << 10) /* bytes of events, in a second */
#define EVENT_WORDS  1024u
#define BARREN_SLOTS 4096u
#define SAME_SLOTS   256u
#define SAME_ALWAYS  16u /* after so many equal contents not every launch reads */
#define SAME_MOST    64u /* but one of so many */
#define TAME_MOST    64u /* likewise, of copies without addresses */
#define LINKS        512u
#define LINKS_OF_ONE 32u /* of a copy */
#define BLOCKS       32u /* of device memory that a launch leads through */
#define VARIABLE     1u  /* in place of a block's base: device variables, which any kernel uses */
#define NOT_OPEN     (-2)

#define H2D          1
#define D2D          3
#define DEFAULT      4

struct window {
	uint64_t address, host; /* the GPU's, and where the host reads it */
	uint32_t size;
	uint8_t check; /* its pages may be on a GPU */
};

/* Of a thread, mapped when it first needs it. */
struct scratch {
	uint64_t words[WHOLE / WORD];
	uint64_t event[EVENT_WORDS];
	struct window windows[WINDOWS];
	struct {
		uint64_t address, value; /* 0: no address */
	} read[WORDS_MOST];
	uint32_t read_count, mapped; /* words that may still be looked up in the mappings */
	int pagemap;                 /* NOT_OPEN until it is needed */
	const struct hg_places *places;
	uint64_t blocks[BLOCKS];
	uint32_t block_count, block_done;
	uint8_t arguments[HG_ARGS_MAX];
	uint32_t length;
	uint32_t used; /* words of the event */
	uint64_t found, hash;
	uint8_t source;
};

/* mark_of() of arguments that lead to nothing that could be read. */
static uint64_t barren[BARREN_SLOTS];
/* Of these arguments: hash of what was read, how often that was the same in the lower 16 bits. */
static struct {
	uint64_t key;
	uint32_t slot;
} same[SAME_SLOTS];

/* Copies to a place, by its hash: how many in turn had no address; how many of those to come are
 * passed over. */
static struct tame {
	uint64_t place;
	uint32_t times, left;
} tame[SAME_SLOTS];

/* Atomic, all of them; what they bound need not be exact. */
static uint64_t second_ns, spent_ns, emitted;
static struct hg_ev_pointers_left_out left_out, recorded_before;

/*
 * Pointers that copies put into device memory, which cannot be read here: to follow them at a
 * launch. The oldest are overwritten; one that no longer holds leads to something that is read in
 * vain. Atomic.
 */
static struct {
	uint64_t block; /* base of the allocation that holds it, or VARIABLE */
	uint64_t to;
} links[LINKS];
static uint32_t link_count; /* ever made */

static struct scratch *scratch(void)
{
	struct hg_thread *thread = hg_thread();
	void *memory;

	if (!thread)
		return NULL;
	if (!thread->pointers) {
		memory = hg_libc.mmap(NULL, sizeof(struct scratch), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		thread->pointers = memory;
	}
	return thread->pointers;
}

static bool is_off(void)
{
	return hg_config.kernel_arguments == HG_ARGUMENTS_OFF || !*hg_provider->recording;
}

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* What was the same so often mostly is again: of how many one is looked at. Powers of 2. */
static uint64_t step_of(uint64_t times, uint64_t most)
{
	if (times < SAME_ALWAYS)
		return 1;
	if (times >= SAME_ALWAYS * most / 2)
		return most;
	return UINT64_C(2) << (63 - __builtin_clzll(times / SAME_ALWAYS));
}

static bool is_its_turn(uint64_t times)
{
	return (times & (step_of(times, SAME_MOST) - 1)) == 0;
}

/* Copies that were passed over since the last one to their place that was looked at. */
static uint64_t passed_over(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < SAME_SLOTS; i++) {
		uint64_t times = __atomic_load_n(&tame[i].times, __ATOMIC_RELAXED);
		uint64_t left = __atomic_load_n(&tame[i].left, __ATOMIC_RELAXED);

		uint64_t step = step_of(times, TAME_MOST);

		all += step > left ? step - 1 - left : 0;
	}
	return all;
}

static void tell(void)
{
	struct hg_ev_pointers_left_out now;

	now.launches = __atomic_load_n(&left_out.launches, __ATOMIC_RELAXED);
	now.unreadable = __atomic_load_n(&left_out.unreadable, __ATOMIC_RELAXED);
	now.copies = __atomic_load_n(&left_out.copies, __ATOMIC_RELAXED);
	now.untouched = __atomic_load_n(&left_out.untouched, __ATOMIC_RELAXED) + passed_over();
	if (!memcmp(&now, &recorded_before, sizeof(now)))
		return;
	recorded_before = now;
	hg_provider->pointers_left_out(&now);
}

/* Whether there is time left in this second. *start: now. */
static bool may_spend(uint64_t *start)
{
	*start = hg_now();
	if (*start - __atomic_load_n(&second_ns, __ATOMIC_RELAXED) >= SECOND_NS) {
		__atomic_store_n(&second_ns, *start, __ATOMIC_RELAXED);
		__atomic_store_n(&spent_ns, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&emitted, 0, __ATOMIC_RELAXED);
		tell();
	}
	return __atomic_load_n(&spent_ns, __ATOMIC_RELAXED) < SPENT_NS &&
	       __atomic_load_n(&emitted, __ATOMIC_RELAXED) < EMITTED;
}

/* What took longer did something else: the thread was preempted. */
static void was_spent(uint64_t start)
{
	uint64_t took = hg_now() - start;

	__atomic_fetch_add(&spent_ns, took < LONGEST_NS ? took : LONGEST_NS, __ATOMIC_RELAXED);
}

/* ---- the event ---- */

static void send(struct scratch *own)
{
	struct hg_ev_pointers event = { .source = own->source,
					.words = own->event,
					.count = own->used };

	if (own->used) {
		hg_provider->pointers(&event);
		__atomic_fetch_add(&emitted, own->used * WORD, __ATOMIC_RELAXED);
	}
	own->used = 0;
}

/* The addresses among `words`, which lie at `address`: runs that fit into an event. */
static void add_run(struct scratch *own, uint64_t address, const uint64_t *words, uint32_t size,
		    const uint32_t *found, uint32_t found_count)
{
	uint32_t from = 0, at = 0;

	do {
		uint32_t room, header, end = size;

		if (own->used + 3 + 2 > EVENT_WORDS)
			send(own);
		header = own->used;
		room = (EVENT_WORDS - header - 3) / 2;
		own->used += 3;
		for (; at < found_count && room; at++, room--) {
			own->event[own->used++] = found[at] * WORD - from;
			own->event[own->used++] = words[found[at]];
		}
		if (at < found_count)
			end = found[at] * WORD;
		own->event[header] = address + from;
		own->event[header + 1] = end - from;
		own->event[header + 2] = (own->used - header - 3) / 2;
		from = end;
	} while (at < found_count);
}

/*
 * What could be an address of the operating system's memory, and no number that is used much:
 * `all` of them, or those of a heap, a stack or a mapping as Linux places them on x86-64.
 */
static bool is_plausible(uint64_t word, bool all)
{
	return word < UINT64_C(1) << 47 && word % 4 == 0 &&
	       (all ? word >> 24 != 0 : word >> 40 >= 0x55);
}

/*
 * Which of the words are addresses, into `found`, ascending. *mapped: how many words may still be
 * looked up among the process's mappings.
 */
static uint32_t pick(const uint64_t *words, uint32_t all, bool system, uint32_t *found,
		     uint32_t *mapped)
{
	uint32_t picked = hg_hip_memory_pick(words, all, found), next = 0;

	for (uint32_t i = 0; i < all && *mapped; i++) {
		if (next < picked && found[next] == i) {
			next++;
			continue;
		}
		if (!is_plausible(words[i], system))
			continue;
		--*mapped;
		if (!hg_is_mapped(words[i]))
			continue;
		memmove(&found[next + 1], &found[next], (picked - next) * sizeof(*found));
		found[next++] = i;
		picked++;
	}
	return picked;
}

/* ---- launches ---- */

static void add_block(struct scratch *own, uint64_t base)
{
	for (uint32_t i = 0; i < own->block_count; i++)
		if (own->blocks[i] == base)
			return;
	if (own->block_count < BLOCKS)
		own->blocks[own->block_count++] = base;
}

/*
 * Where the host can read what the GPU has at an address, of *size bytes at most so many; 0:
 * nowhere. *check: its pages may be on a GPU. What leads through device memory is noted.
 */
static uint64_t host_address(struct scratch *own, uint64_t address, uint64_t *size, bool system,
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
	return system && is_plausible(address, true) && hg_is_mapped(address) ? address : 0;
}

/* A place to be read, unless it is among them; or what its device memory leads to. */
static void add_window(struct scratch *own, unsigned *windows, uint64_t address, uint32_t most,
		       bool system)
{
	struct window *window = &own->windows[*windows];
	uint64_t from = address & ~(uint64_t)(WORD - 1), size = most, host;
	bool check;

	host = host_address(own, from, &size, system, &check);
	if (!host)
		return;
	for (unsigned i = 0; i < *windows; i++)
		if (from >= own->windows[i].address &&
		    from + WORD <= own->windows[i].address + own->windows[i].size)
			return;
	if (*windows + 1 >= WINDOWS || size < WORD)
		return;
	window->check = check;
	window->address = from;
	window->host = host;
	window->size = (uint32_t)size & ~(WORD - 1);
	++*windows;
}

/* Bytes from `address` on, as far as they can be read without moving a page. */
static size_t read_host(struct scratch *own, uint64_t address, size_t size, bool check, void *to)
{
	struct hg_piece piece = { address, size };

	if (check && own->pagemap == NOT_OPEN)
		own->pagemap = hg_pagemap_open();
	if (check)
		piece.size = own->pagemap < 0 ? 0 : hg_resident(own->pagemap, address, size);
	return piece.size ? hg_peek(&piece, 1, to) : 0;
}

/* What pointers in device memory lead to, as far as copies put them there. */
static void follow_links(struct scratch *own, unsigned *windows, bool system)
{
	uint32_t all = __atomic_load_n(&link_count, __ATOMIC_RELAXED);

	if (!all)
		return;
	all = all < LINKS ? all : LINKS;
	for (; own->block_done < own->block_count; own->block_done++) {
		uint64_t base = own->blocks[own->block_done];

		for (uint32_t i = 0; i < all; i++)
			if (__atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == base)
				add_window(own, windows,
					   __atomic_load_n(&links[i].to, __ATOMIC_RELAXED),
					   CHILD_SIZE, system);
	}
}

static void add_link(uint64_t block, uint64_t to)
{
	uint32_t all = __atomic_load_n(&link_count, __ATOMIC_RELAXED), at;

	for (uint32_t i = 0; i < all && i < LINKS; i++)
		if (__atomic_load_n(&links[i].to, __ATOMIC_RELAXED) == to &&
		    __atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == block)
			return;
	at = __atomic_fetch_add(&link_count, 1, __ATOMIC_RELAXED) % LINKS;
	__atomic_store_n(&links[at].block, block, __ATOMIC_RELAXED);
	__atomic_store_n(&links[at].to, to, __ATOMIC_RELAXED);
}

/* Changes when arguments may lead to something else. */
static uint64_t mark_of(uint64_t key)
{
	return hg_mix(key,
		      hg_hip_memory_change() + __atomic_load_n(&link_count, __ATOMIC_RELAXED)) |
	       1;
}

static uint64_t *barren_of(uint64_t key)
{
	return &barren[(key ^ key >> 32) % BARREN_SLOTS];
}

/* Whether a device can use memory that HIP knows nothing about. */
static bool is_system_used(int device)
{
	const struct hg_hip_device *info = hg_hip_device_info(device);

	return info && info->known && info->target.xnack == CODEOBJ_ON;
}

static void read_windows(struct scratch *own, unsigned windows, bool system)
{
	uint32_t found[ROOT_SIZE / WORD];
	uint32_t left = LAUNCH_SIZE;

	for (unsigned i = 0; i < windows; i++) {
		struct window *window = &own->windows[i];
		size_t size = window->size < left ? window->size : left;
		uint32_t picked;

		size = read_host(own, window->host, size, window->check, own->words) &
		       ~(size_t)(WORD - 1);
		if (!size) {
			count(&left_out.unreadable);
			continue;
		}
		left -= (uint32_t)size;
		picked = pick(own->words, (uint32_t)(size / WORD), system, found, &own->mapped);
		own->found += picked;
		own->hash = hg_mix(own->hash, window->address);
		for (uint32_t k = 0; k < picked; k++) {
			own->hash = hg_mix(own->hash, own->words[found[k]] + found[k]);
			add_window(own, &windows, own->words[found[k]], CHILD_SIZE, system);
		}
		follow_links(own, &windows, system);
		add_run(own, window->address, own->words, (uint32_t)size, found, picked);
	}
}

/* ---- by the kernel's paths ---- */

/* The pointer in a word of memory; 0 if there is none, or it cannot be read. */
static uint64_t read_word(struct scratch *own, uint64_t address, bool system)
{
	uint64_t word = 0, size = WORD, host;
	uint32_t found, picked;
	bool check;

	for (uint32_t i = 0; i < own->read_count; i++)
		if (own->read[i].address == address)
			return own->read[i].value;
	if (own->read_count == WORDS_MOST || address % WORD)
		return 0;
	host = host_address(own, address, &size, system, &check);
	if (!host || size < WORD)
		return 0;
	own->read[own->read_count].address = address;
	if (read_host(own, host, WORD, check, &word) < WORD) {
		count(&left_out.unreadable);
		word = 0;
	} else {
		picked = pick(&word, 1, system, &found, &own->mapped);
		add_run(own, address, &word, WORD, &found, picked);
		own->found += picked;
		own->hash = hg_mix(hg_mix(own->hash, address), picked ? word : 0);
		word = picked ? word : 0;
	}
	own->read[own->read_count++].value = word;
	return word;
}

/* An index chooses the word: all of what it may choose from, as far as a launch may read. */
static void add_choice(struct scratch *own, unsigned *windows, uint64_t address, bool system)
{
	struct hg_hip_block block;
	uint64_t end = address + ROOT_SIZE;

	if (hg_hip_memory_find(address, &block) && block.size <= LAUNCH_SIZE) {
		address = block.base;
		end = block.base + block.size;
	}
	for (; address < end; address += ROOT_SIZE)
		add_window(own, windows, address, ROOT_SIZE, system);
}

/* Where a path starts, and at which of its steps; 0: in memory of the device's, or of nobody's. */
static uint64_t root_of(const struct scratch *own, const struct hg_place_path *path, uint32_t *step)
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

static void follow_paths(struct scratch *own, unsigned *windows, bool system)
{
	for (uint32_t i = 0; i < own->places->count; i++) {
		const struct hg_place_path *path = &own->places->path[i];
		uint32_t first;
		uint64_t address = root_of(own, path, &first);

		for (uint32_t k = first; k < path->step_count && address >> 16; k++) {
			if (path->step[k].flags) {
				add_choice(own, windows, address, system);
				break;
			}
			address = read_word(own, address + (uint64_t)(int64_t)path->step[k].offset,
					    system);
		}
	}
}

/* Whether this launch's memory is to be read: what was the same so often mostly is again. */
static bool is_due(uint64_t key)
{
	unsigned at = (unsigned)(key % SAME_SLOTS);
	uint32_t slot = __atomic_load_n(&same[at].slot, __ATOMIC_RELAXED);

	if (__atomic_load_n(&same[at].key, __ATOMIC_RELAXED) != key || is_its_turn(slot & 0xffff))
		return true;
	__atomic_store_n(&same[at].slot, slot + 1, __ATOMIC_RELAXED);
	return false;
}

/* Whether earlier contents of these arguments had addresses. */
static bool note_same(uint64_t key, const struct scratch *own)
{
	unsigned at = (unsigned)(key % SAME_SLOTS);
	bool known = __atomic_load_n(&same[at].key, __ATOMIC_RELAXED) == key;
	uint32_t slot = known ? __atomic_load_n(&same[at].slot, __ATOMIC_RELAXED) : 0;
	uint32_t hash = own->found ? (uint32_t)own->hash & 0xffff0000u : 0;
	uint32_t times = known && (slot & 0xffff0000u) == hash ? slot & 0xffff : 0;

	times += times < 0xfff0 ? 1 : -SAME_MOST;
	__atomic_store_n(&same[at].key, key, __ATOMIC_RELAXED);
	__atomic_store_n(&same[at].slot, hash | times, __ATOMIC_RELAXED);
	return slot & 0xffff0000u;
}

/* Whether any of the arguments could be an address; most are decided by this alone. */
static bool may_lead(const uint8_t *bytes, uint32_t length, int device)
{
	uint64_t low, span = hg_hip_memory_span(&low), word;

	if (__atomic_load_n(&link_count, __ATOMIC_RELAXED) || hg_hip_managed_any() ||
	    is_system_used(device))
		return true;
	for (uint32_t at = 0; at + WORD <= length; at += WORD) {
		memcpy(&word, bytes + at, WORD);
		if (word - low < span)
			return true;
	}
	return false;
}

bool hg_hip_pointers_sought(struct hg_hip_kernel_variant *variant)
{
	const struct hg_places *places = hg_hip_places(variant);

	return !places || places->count;
}

bool hg_hip_pointers_note(struct hg_hip_kernel_variant *variant, uint64_t key, const uint8_t *bytes,
			  uint32_t length, int device)
{
	const struct hg_places *places;
	struct scratch *own;

	if (HG_LIKELY(__atomic_load_n(barren_of(key), __ATOMIC_RELAXED) == mark_of(key)))
		return false;
	places = hg_hip_places(variant);
	if ((places && !places->count) || is_off() || !may_lead(bytes, length, device) ||
	    !(own = scratch()))
		return false;
	own->places = places;
	own->length = length < HG_ARGS_MAX ? length : HG_ARGS_MAX;
	memcpy(own->arguments, bytes, own->length);
	return true;
}

void hg_hip_pointers_read(uint64_t key, int device)
{
	uint64_t mark = mark_of(key), start, word;
	struct scratch *own = scratch();
	bool system = is_system_used(device);
	unsigned windows = 0;

	if (!is_due(key) || !may_spend(&start)) {
		count(&left_out.launches);
		return;
	}
	own->used = own->block_count = own->block_done = own->read_count = 0;
	own->found = own->hash = 0;
	own->source = HG_POINTERS_READ;
	own->mapped = system ? MAPPED_MOST : MAPPED_FEW;
	own->pagemap = NOT_OPEN;
	if (own->places)
		follow_paths(own, &windows, system);
	for (uint32_t at = 0; !own->places && at + WORD <= own->length; at += WORD) {
		memcpy(&word, own->arguments + at, WORD);
		if (word >> 16)
			add_window(own, &windows, word, ROOT_SIZE, system);
	}
	for (uint32_t i = 0; !own->places && i < HG_MANAGED_VARIABLES; i++)
		if (hg_hip_managed_at(i))
			add_window(own, &windows, hg_hip_managed_at(i), ROOT_SIZE, system);
	add_block(own, VARIABLE);
	follow_links(own, &windows, system);
	if (!windows && !own->read_count && !system)
		__atomic_store_n(barren_of(key), mark, __ATOMIC_RELAXED);
	read_windows(own, windows, system);
	hg_pagemap_close(own->pagemap);
	/* No event where these arguments lead to no pointers, and did not before. */
	if (!note_same(key, own) && !own->found)
		own->used = 0;
	send(own);
	was_spent(start);
}

/* ---- copies ---- */

/*
 * Whether the source is memory that the host reads; *check: its pages may be on a GPU. Most copies
 * say by their kind what they are.
 */
static bool is_from_host(const struct hg_ev_copy *event, bool *check)
{
	struct hg_hip_block block;
	bool known = hg_hip_memory_find(event->src, &block);

	*check = known && block.kind == HG_HIP_MANAGED;
	return event->kind == H2D || !(known && block.kind == HG_HIP_ON_DEVICE);
}

/* A copy within the device: what its source leads to, its destination leads to now. */
static __attribute__((noinline)) void copy_links(const struct hg_ev_copy *event)
{
	uint32_t all = __atomic_load_n(&link_count, __ATOMIC_RELAXED), copied = 0;
	struct hg_hip_block from, to;

	if (!all || !hg_hip_memory_find(event->src, &from) ||
	    !hg_hip_memory_find(event->dst, &to) || from.base == to.base)
		return;
	for (uint32_t i = 0; i < all && i < LINKS && copied < LINKS_OF_ONE; i++) {
		if (__atomic_load_n(&links[i].block, __ATOMIC_RELAXED) == from.base) {
			add_link(to.base, __atomic_load_n(&links[i].to, __ATOMIC_RELAXED));
			copied++;
		}
	}
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

/* Whether a sample of a large copy has addresses. */
static bool has_addresses(struct scratch *own, uint64_t src, uint64_t size, bool check)
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
static uint64_t place_of(const struct hg_ev_copy *event)
{
	uint64_t word = event->dst + (event->size << 40 | event->size >> 24);

	return word * 0x9e3779b97f4a7c15u;
}

/* Whether this copy is passed over. */
static inline __attribute__((always_inline)) bool is_tame(uint64_t place)
{
	struct tame *at = &tame[place >> 56];
	uint32_t left;

	if (__atomic_load_n(&at->place, __ATOMIC_RELAXED) != place)
		return false;
	left = __atomic_load_n(&at->left, __ATOMIC_RELAXED);
	if (__builtin_sub_overflow(left, 1u, &left))
		return false;
	__atomic_store_n(&at->left, left, __ATOMIC_RELAXED);
	return true;
}

static void note_tame(uint64_t place, bool found)
{
	struct tame *at = &tame[place >> 56];
	bool known = __atomic_load_n(&at->place, __ATOMIC_RELAXED) == place;
	uint64_t times = known ? __atomic_load_n(&at->times, __ATOMIC_RELAXED) : 0;
	uint64_t step = step_of(times, TAME_MOST);

	/* Those before it are counted here. */
	if (step > 1)
		__atomic_fetch_add(&left_out.untouched, step - 1, __ATOMIC_RELAXED);
	times = found ? 0 : times + step;
	if (times >= 0x10000 - TAME_MOST)
		times = 0x8000; /* as well */
	__atomic_store_n(&at->left, (uint32_t)step_of(times, TAME_MOST) - 1, __ATOMIC_RELAXED);
	__atomic_store_n(&at->times, (uint32_t)times, __ATOMIC_RELAXED);
	__atomic_store_n(&at->place, place, __ATOMIC_RELAXED);
}

/* Where a copy's words are looked for, and what was found so far. */
struct search {
	struct scratch *own;
	uint64_t holder;
	uint32_t mapped, linked;
	bool check, any;
};

/* One row of a copy, or all of it. How many bytes were read. */
static uint64_t search_piece(struct search *search, uint64_t dst, uint64_t src, uint64_t size)
{
	uint32_t found[WHOLE / WORD];
	struct scratch *own = search->own;
	uint64_t done = 0;

	while (done < size) {
		size_t want = size - done < WHOLE ? size - done : WHOLE;
		size_t got =
		    read_piece(src + done, want, search->check, own->words) & ~(size_t)(WORD - 1);
		uint32_t picked =
		    pick(own->words, (uint32_t)(got / WORD), false, found, &search->mapped);

		search->any |= picked > 0;
		for (uint32_t i = 0; i < picked && search->linked++ < LINKS_OF_ONE; i++)
			add_link(search->holder, own->words[found[i]]);
		if (picked || own->used)
			add_run(own, dst + done, own->words, (uint32_t)got, found, picked);
		if (got + WORD <= want)
			break;
		done += want;
	}
	return done;
}

/* Each row of a copy of few; whether all were read. */
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

static __attribute__((noinline)) void examine(const struct hg_ev_copy *event)
{
	uint64_t lead = (WORD - event->dst % WORD) % WORD, src = event->src + lead, start;
	uint64_t size = event->size > lead ? event->size - lead : 0;
	struct search search = { .holder = VARIABLE, .mapped = MAPPED_FEW };
	struct hg_hip_block block;
	struct scratch *own;
	bool whole = event->rows == 1 && event->depth <= 1;

	if (!event->dst || !event->src || size < WORD || is_off() ||
	    !is_from_host(event, &search.check))
		return;
	own = scratch();
	if (!own || !may_spend(&start)) {
		count(&left_out.untouched);
		return;
	}
	own->used = 0;
	own->source = HG_POINTERS_COPIED;
	search.own = own;
	if (whole && size > WHOLE) {
		count(&left_out.copies);
		size = has_addresses(own, src, size, search.check) ? size : 0;
		size = size > COPY_SIZE ? COPY_SIZE : size;
	}
	if (!is_variable(event->api) && hg_hip_memory_find(event->dst, &block))
		search.holder = block.base;
	if (whole ? !search_piece(&search, event->dst + lead, src, size) && size
		  : !search_rows(&search, event))
		count(&left_out.untouched);
	note_tame(place_of(event), search.any);
	send(own);
	was_spent(start);
}

static inline __attribute__((always_inline)) void
examine_unless_tame(const struct hg_ev_copy *event)
{
	if ((event->kind == H2D || event->kind == DEFAULT) && !is_tame(place_of(event)))
		examine(event);
}

static __attribute__((noinline)) void copy_with_links(const struct hg_ev_copy *event)
{
	if (event->kind == D2D || event->kind == DEFAULT)
		copy_links(event);
	examine_unless_tame(event);
}

void hg_hip_pointers_copy(const struct hg_ev_copy *event)
{
	if (HG_UNLIKELY(!hg_is_zero((const volatile int *)&link_count)))
		copy_with_links(event);
	else
		examine_unless_tame(event);
}

static void forget(void)
{
	memset(same, 0, sizeof(same));
	memset(tame, 0, sizeof(tame));
	memset(barren, 0, sizeof(barren));
	memset(&recorded_before, 0, sizeof(recorded_before));
}

HG_PART(.name = "hip-pointers", .order = 36, .forget = forget, .flush = tell,
	.fork_standby = forget, .fork_record = forget);
