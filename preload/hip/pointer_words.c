/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the addresses among words of memory, and records them. */
#include "preload/hip/pointer_words.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/peek.h"
#include "preload/core/threads.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "tracer/events.h"
#include "tracer/events/ev_pointers.h"
#include "tracer/provider.h"

#define WORD        HG_POINTER_WORD
#define EVENT_WORDS HG_POINTER_EVENT

struct hg_pointer_words *hg_pointer_words(void)
{
	struct hg_thread *thread = hg_thread();
	void *memory;

	if (!thread)
		return NULL;
	if (!thread->pointers) {
		memory = hg_libc.mmap(NULL, HG_POINTER_BUFFER, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		thread->pointers = memory;
	}
	return thread->pointers;
}

void hg_pointer_words_send(struct hg_pointer_words *own)
{
	struct hg_ev_pointers event = { .source = own->source,
					.words = own->event,
					.count = own->used };

	if (own->used) {
		hg_provider->pointers(&event);
		hg_pointers_emitted(own->used * WORD);
	}
	own->used = 0;
}

/* In runs that fit into an event. */
void hg_pointer_words_add(struct hg_pointer_words *own, uint64_t address, const uint64_t *words,
			  uint32_t size, const uint32_t *found, uint32_t found_count)
{
	uint32_t from = 0, at = 0;

	do {
		uint32_t room, header, end = size;

		if (own->used + 3 + 2 > EVENT_WORDS)
			hg_pointer_words_send(own);
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
 * Returns true for a dword that may be a flag, a limit or an index. Text of bytes and sums are
 * greater; characters of 32 bits are not.
 */
static bool is_small(uint32_t dword)
{
	return dword + 0x8000u < 0x18000u;
}

uint32_t hg_pointer_numbers(const uint64_t *words, uint64_t address, uint64_t size,
			    const uint32_t *found, uint32_t picked, uint64_t *runs, uint32_t used,
			    uint32_t most)
{
	uint64_t *run = NULL;
	uint32_t next = 0, dword;

	if (hg_config.kernel_arguments != HG_ARGUMENTS_FULL || address % sizeof(dword))
		return used;
	for (uint64_t at = 0; at + sizeof(dword) <= size; at += sizeof(dword)) {
		if (next < picked && found[next] < at / WORD)
			next++;
		memcpy(&dword, (const char *)words + at, sizeof(dword));
		if ((next < picked && found[next] == at / WORD) ||
		    hg_pointer_plausible(words[at / WORD], false) || !is_small(dword)) {
			run = NULL;
			continue;
		}
		if (run && run[2] == dword) {
			run[1] += sizeof(dword);
			continue;
		}
		if (used == 3 * most)
			break;
		run = &runs[used];
		used += 3;
		run[0] = address + at;
		run[1] = sizeof(dword);
		run[2] = dword;
	}
	return used;
}

bool hg_pointer_plausible(uint64_t word, bool all)
{
	return word < UINT64_C(1) << 47 && word % 4 == 0 &&
	       (all ? word >> 24 != 0 : word >> 40 >= 0x55);
}

uint32_t hg_pointer_words_pick(const uint64_t *words, uint32_t all, bool system, uint32_t *found,
			       uint32_t *mapped)
{
	uint32_t picked = hg_hip_memory_pick(words, all, found), next = 0;

	for (uint32_t i = 0; i < all && *mapped; i++) {
		if (next < picked && found[next] == i) {
			next++;
			continue;
		}
		if (!hg_pointer_plausible(words[i], system))
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
