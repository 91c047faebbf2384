/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's side of DIR/places. The table is shared memory, which forked processes share as
 * well; where there is none (attached recordings, standby) there are no answers.
 */
#include "preload/hip/hip_places.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_registry.h"

static struct hg_places_table *table; /* NULL: not looked for; under hg_hip_look(), then atomic */
static bool looked;

static const struct hg_places none;

static struct hg_places_table *open_table(void)
{
	struct hg_places_table *memory;
	int error;

	if (looked || hg_config.kernel_arguments == HG_ARGUMENTS_OFF)
		return table;
	looked = true;
	memory = hg_mapped_table(HG_PLACES, sizeof(*table), &error);
	if (memory && memory->magic == HG_PLACES_MAGIC)
		__atomic_store_n(&table, memory, __ATOMIC_RELEASE);
	else if (memory)
		hg_libc.munmap(memory, sizeof(*table));
	return table;
}

static bool from_hex(const char *text, uint8_t bytes[32])
{
	for (unsigned i = 0; i < 64; i++) {
		char c = text[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
						   : -1;

		if (digit < 0)
			return false;
		bytes[i / 2] = (uint8_t)(i % 2 ? bytes[i / 2] | digit : digit << 4);
	}
	return true;
}

static bool is_row(const struct hg_place_kernel *row, uint64_t symbol, const uint8_t code[32])
{
	return row->symbol == symbol && !memcmp(row->code, code, sizeof(row->code));
}

void hg_hip_places_ask(struct hg_hip_kernel_variant *variant, const char *name)
{
	uint64_t symbol = hg_places_symbol(name);
	uint8_t code[32];
	int saved = errno;

	if (!open_table() || !from_hex(variant->code->sha256, code))
		return;
	for (uint32_t i = 0; i < HG_PLACES_PROBES; i++) {
		uint32_t at = (uint32_t)(hg_mix(symbol, code[0] | (uint64_t)code[1] << 8) + i) %
			      HG_PLACES_KERNELS;
		struct hg_place_kernel *row = &table->kernels[at];
		uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);

		if (state == HG_PLACE_FREE &&
		    __atomic_compare_exchange_n(&row->state, &state, HG_PLACE_TAKEN, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			row->symbol = symbol;
			memcpy(row->code, code, sizeof(row->code));
			__atomic_store_n(&row->state, HG_PLACE_ASKED, __ATOMIC_RELEASE);
			__atomic_fetch_add(&table->asked, 1, __ATOMIC_RELEASE);
			hg_syscall(SYS_futex, &table->asked, (long)FUTEX_WAKE, 1L, NULL, NULL, 0L);
			variant->place = at + 1;
			break;
		}
		/* A row that another process is making just now may be a second one for the same
		 * kernel. */
		if (state >= HG_PLACE_ASKED && is_row(row, symbol, code)) {
			variant->place = at + 1;
			break;
		}
	}
	errno = saved;
}

/* Returns a copy of the answer, or NULL if it is malformed or there is no memory. */
static const struct hg_places *copy_answer(const struct hg_place_kernel *row, bool others)
{
	uint32_t first = __atomic_load_n(&row->first, __ATOMIC_RELAXED);
	uint32_t count = __atomic_load_n(&row->count, __ATOMIC_RELAXED);
	struct hg_places *places;

	if (!count || count > HG_PLACES_OF_KERNEL || first > HG_PLACES_PATHS - count)
		return NULL;
	places = hg_pool_alloc(sizeof(*places) + count * sizeof(places->path[0]));
	if (!places)
		return NULL;
	places->count = count;
	places->others = others;
	memcpy(places->path, &table->paths[first], count * sizeof(places->path[0]));
	for (uint32_t i = 0; i < count; i++) {
		if (!places->path[i].step_count || places->path[i].step_count > HG_PLACES_STEPS) {
			hg_pool_free(places);
			return NULL;
		}
	}
	return places;
}

static const struct hg_places *look(struct hg_hip_kernel_variant *variant, uint32_t at)
{
	struct hg_places_table *from = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	struct hg_place_kernel *row = &from->kernels[at - 1];
	uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
	const struct hg_places *found = NULL, *first = NULL;

	if (state <= HG_PLACE_ASKED)
		return NULL;
	if (state == HG_PLACE_NONE)
		found = &none;
	else if (state == HG_PLACE_LISTED || state == HG_PLACE_SOME)
		found = copy_answer(row, state == HG_PLACE_SOME);
	__atomic_store_n(&variant->place, 0, __ATOMIC_RELAXED);
	if (found && !__atomic_compare_exchange_n(&variant->places, &first, found, false,
						  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (found->count)
			hg_pool_free((void *)found); /* another thread was first */
		found = first;
	}
	return found;
}

const struct hg_places *hg_hip_places(struct hg_hip_kernel_variant *variant)
{
	const struct hg_places *places = __atomic_load_n(&variant->places, __ATOMIC_ACQUIRE);
	uint32_t at = __atomic_load_n(&variant->place, __ATOMIC_RELAXED);

	return HG_LIKELY(places || !at) ? places : look(variant, at);
}
