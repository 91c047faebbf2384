/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel arguments of which only the addresses are recorded as they are. A pointer is recognised by
 * the kernel's metadata; in what is passed by value (structs of libraries' and frameworks'), an
 * address is what lies in memory that the process has: also numbers that happen to be one.
 */
#include "preload/hip/hip_redact.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/hip/hip_memory.h"
#include "preload/trace/redact.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/events/ev_fill.h"
#include "tracer/provider.h"

#define WORD    8u /* bytes of an address */
#define GRANULE HG_ARGS_GRANULE

/* Below this nothing can be mapped (/proc/sys/vm/mmap_min_addr, by default), and counts are. */
#define LOWEST 65536u

static bool is_kept(const uint8_t *kept, uint32_t at)
{
	return kept[at / GRANULE / 8] >> at / GRANULE % 8 & 1;
}

static void keep(uint8_t *kept, uint32_t at)
{
	for (uint32_t end = at + WORD; at < end; at += GRANULE)
		kept[at / GRANULE / 8] |= (uint8_t)(1u << at / GRANULE % 8);
}

/* mincore() fails where nothing is mapped, mincore(2). */
static bool is_mapped(uint64_t address)
{
	uintptr_t mask = (uintptr_t)getpagesize() - 1;
	unsigned char ignored;

	return address >= LOWEST && address < UINT64_C(1) << 47 &&
	       mincore((void *)((uintptr_t)address & ~mask), 1, &ignored) == 0;
}

/* Keeps the addresses in an argument that is passed by value: those of HIP's memory wherever they
 * lie, those of any other memory only if they are aligned. */
static void keep_addresses(const struct codeobj_arg *arg, uint32_t end, const uint8_t *bytes,
			   uint8_t *kept)
{
	uint32_t at = (arg->offset + GRANULE - 1) / GRANULE * GRANULE;

	while (at + WORD <= end) {
		uint64_t word;

		memcpy(&word, bytes + at, WORD);
		if (hg_hip_memory_known(word) || (at % WORD == 0 && is_mapped(word))) {
			keep(kept, at);
			at += WORD;
		} else {
			at += GRANULE;
		}
	}
}

static void veil_rest(uint32_t at, uint32_t end, uint8_t *bytes, const uint8_t *kept)
{
	while (at < end) {
		uint32_t size = 0;

		while (size < HG_REDACT_MAX && at + size < end && !is_kept(kept, at + size))
			size++;
		if (size)
			hg_redact_bytes(bytes + at, size);
		at += size ? size : 1;
	}
}

uint32_t hg_hip_redact_arguments(const struct codeobj_kernel *layout, const uint8_t *bytes,
				 uint32_t length, uint8_t *veiled, uint8_t *kept)
{
	uint32_t kept_size = (length + GRANULE * 8 - 1) / (GRANULE * 8);

	memset(kept, 0, HG_ARGS_KEPT_MAX);
	memset(veiled, 0, length); /* gaps hold whatever was there before */
	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct codeobj_arg *arg = &layout->args[i];
		uint32_t end = arg->offset + arg->size;

		if (arg->offset >= length)
			continue;
		if (end > length)
			end = length;
		memcpy(veiled + arg->offset, bytes + arg->offset, end - arg->offset);
		if (arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER && arg->offset % GRANULE == 0 &&
		    end - arg->offset == WORD)
			keep(kept, arg->offset);
		else
			keep_addresses(arg, end, bytes, kept);
		veil_rest(arg->offset, end, veiled, kept);
	}
	return kept_size;
}

void hg_hip_emit_fill(const struct hg_ev_fill *event)
{
	struct hg_ev_fill fill = *event;

	if (hg_config.kernel_arguments == HG_ARGUMENTS_HASHED)
		hg_redact_bytes((uint8_t *)&fill.value, sizeof(fill.value));
	else if (hg_config.kernel_arguments == HG_ARGUMENTS_OFF)
		fill.value = 0;
	hg_provider->fill(&fill);
}
