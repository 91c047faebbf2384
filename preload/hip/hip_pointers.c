/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds words of memory that are addresses of live allocations, or lie just behind one, as
 * pointers do that have run off its end: where a kernel's arguments lead, and in what is copied to
 * the device (hip_pointer_copies.c). The analysis follows pointers through them
 * (analyzer/replay/contents.h).
 *
 * If the recorder has answered which words a kernel loads pointers from (hip_places.h), those are
 * read first, and nothing else if they are all; otherwise the memory is read that its arguments
 * lead to.
 *
 * The cost is bounded: a launch reads so many bytes in so many places, a copy so many bytes, all of
 * them together a hundredth of the time, and events of so many bytes a second (pointer_budget.h).
 * Arguments that lead to no memory of the host's cost one comparison. Reads that are left out are
 * counted (the event `pointers_left_out`).
 */
#include "preload/hip/hip_pointers.h"

#include <string.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/parts.h"
#include "preload/hip/hip_managed.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_places.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/pointer_budget.h"
#include "preload/hip/pointer_links.h"
#include "preload/hip/pointer_reads.h"
#include "tracer/events.h"

#define WORD         HG_POINTER_WORD
#define BARREN_SLOTS 4096u

/* mark_of() of arguments that lead to nothing that could be read. */
static uint64_t barren[BARREN_SLOTS];

/* Changes when arguments may lead to something else. */
static uint64_t mark_of(uint64_t key)
{
	return hg_mix(key, hg_hip_memory_change() +
			       __atomic_load_n(&hg_pointer_links_added, __ATOMIC_RELAXED)) |
	       1;
}

static uint64_t *barren_of(uint64_t key)
{
	return &barren[(key ^ key >> 32) % BARREN_SLOTS];
}

/* Returns true if a device can use memory that HIP knows nothing about. */
static bool is_system_used(int device)
{
	const struct hg_hip_device *info = hg_hip_device_info(device);

	return info && info->known && info->target.xnack == CODEOBJ_ON;
}

/* Returns true if any of the arguments could be an address; most launches are decided by this
 * alone. */
static bool may_lead(const uint8_t *bytes, uint32_t length, int device)
{
	uint64_t low, span = hg_hip_memory_span(&low), word;

	if (__atomic_load_n(&hg_pointer_links_added, __ATOMIC_RELAXED) || hg_hip_managed_any() ||
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
	struct hg_pointer_reads *own;

	if (HG_LIKELY(__atomic_load_n(barren_of(key), __ATOMIC_RELAXED) == mark_of(key)))
		return false;
	places = hg_hip_places(variant);
	if ((places && !places->count) || hg_pointers_off() || !may_lead(bytes, length, device) ||
	    !(own = hg_pointer_reads()))
		return false;
	own->places = places;
	own->length = length < HG_ARGS_MAX ? length : HG_ARGS_MAX;
	memcpy(own->arguments, bytes, own->length);
	return true;
}

/* Notes where the arguments and managed variables lead, which the kernel may load pointers from. */
static void add_roots(struct hg_pointer_reads *own)
{
	uint64_t word;

	for (uint32_t at = 0; at + WORD <= own->length; at += WORD) {
		memcpy(&word, own->arguments + at, WORD);
		if (word >> 16)
			hg_pointer_reads_place(own, word, HG_READ_ROOT_SIZE);
	}
	for (uint32_t i = 0; i < HG_MANAGED_VARIABLES; i++)
		if (hg_hip_managed_at(i))
			hg_pointer_reads_place(own, hg_hip_managed_at(i), HG_READ_ROOT_SIZE);
}

void hg_hip_pointers_read(uint64_t key, int device)
{
	uint64_t mark = mark_of(key), start;
	struct hg_pointer_reads *own = hg_pointer_reads();

	if (!hg_pointers_due(key) || !hg_pointers_may_spend(&start)) {
		hg_pointers_count(&hg_pointers_left_out.launches);
		return;
	}
	hg_pointer_reads_begin(own, is_system_used(device));
	own->out.source = HG_POINTERS_READ;
	if (own->places)
		hg_pointer_reads_paths(own);
	if (!own->places || own->places->others)
		add_roots(own);
	hg_pointer_reads_variables(own);
	if (!own->window_count && !own->read_count && !own->system)
		__atomic_store_n(barren_of(key), mark, __ATOMIC_RELAXED);
	hg_pointer_reads_places(own);
	hg_pointer_reads_end(own);
	/* No event where these arguments lead to no pointers, and did not before. */
	if (!hg_pointers_note_same(key, own->found, own->hash) && !own->found)
		own->out.used = own->numbers_used = 0;
	hg_pointer_words_send(&own->out);
	hg_pointer_reads_send_numbers(own);
	hg_pointers_spent(start);
}

static void forget(void)
{
	memset(barren, 0, sizeof(barren));
}

HG_PART(.name = "hip-pointers", .order = 36, .forget = forget, .fork_standby = forget,
	.fork_record = forget);
