/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds accesses to an allocation to which nothing leads that the kernel has: neither an argument
 * of the launch nor a pointer that a kernel loaded points there, so that the address was computed
 * from a pointer to something else. Whatever could be a pointer that is not understood ends this.
 */
#include "check.h"
#include "group.h"

/* Kernels load a pointer's halves one by one, or pointers to what is not known. */
static bool unsure;

/* Returns true if an argument points there, or one may. Arguments end at their size. */
static bool is_given(const struct softgpu_run *run, const struct sg_live *live)
{
	uint64_t at = (uint64_t)(uintptr_t)run->dispatch.packet.kernarg_address;
	const amd_kernel_code_descriptor_view *descriptor =
	    softgpu_host_pointer(run->dispatch.packet.kernel_object);
	const uint8_t *bytes = at ? softgpu_host_pointer(at) : NULL;
	bool any = false;

	if (!descriptor || !bytes)
		return true;
	/* Packed structures have pointers anywhere. */
	for (uint32_t i = 0; i + 8 <= descriptor->kernarg_size; i++) {
		uint64_t value;
		enum sg_pointer pointer;

		memcpy(&value, bytes + i, sizeof(value));
		if (value >= live->first && value <= live->end)
			return true;
		pointer = i % 4 ? SG_POINTER_NONE : sg_shadow_pointer(value, false);
		if (pointer == SG_POINTER_UNKNOWN)
			return true;
		any |= pointer == SG_POINTER_KNOWN;
	}
	return !any;
}

bool sg_origin_missing(struct sg_wave *wave, const struct sg_live *live)
{
	uint64_t *seen = &wave->run->origins[live->first >> 12 & (SG_ORIGINS - 1)];

	if (live->loaded || __atomic_load_n(seen, __ATOMIC_RELAXED) == live->first)
		return false;
	/* One access of a launch is enough. */
	__atomic_store_n(seen, live->first, __ATOMIC_RELAXED);
	return !__atomic_load_n(&unsure, __ATOMIC_RELAXED) && !is_given(wave->run, live);
}

static void note(uint32_t low, uint32_t high, bool whole)
{
	enum sg_pointer pointer = SG_POINTER_UNKNOWN;

	if (whole) {
		sg_shadow_lock();
		pointer = sg_shadow_pointer((uint64_t)high << 32 | low, true);
		sg_shadow_unlock();
	}
	if (pointer == SG_POINTER_UNKNOWN)
		__atomic_store_n(&unsure, true, __ATOMIC_RELAXED);
}

/* Returns true if some of the words may be the upper half of a pointer. */
static bool any_between(const uint32_t *words, uint32_t least, uint32_t span)
{
	uint32_t any = 0;

	for (unsigned l = 0; l < SG_LANES; l++)
		any |= words[l] - least <= span;
	return any;
}

void sg_origin_loaded(struct sg_wave *wave, const struct sg_insn *in,
		      const struct sg_touched *touched)
{
	const struct sg_operand *to = &in->o[0];
	uint64_t kernarg = (uint64_t)(uintptr_t)wave->run->dispatch.packet.kernarg_address;
	unsigned words = touched->size / 4;
	uint32_t least, span;

	if (touched->kind == SG_WRITE || touched->lds || !touched->active ||
	    (touched->kind == SG_ATOMIC && !in->glc) || !sg_shadow_heights(&least, &span))
		return;
	/* Arguments lead only where they are given. */
	if (touched->address[0][__builtin_ctzll(touched->active)] - kernarg < 1u << 16)
		return;
	for (unsigned w = 0; w < words; w++) {
		if (touched->scalar) {
			const uint32_t *s = &wave->s[to->index + w];

			if (*s - least <= span)
				note(w ? s[-1] : 0, *s, w);
			continue;
		}
		if (!any_between(wave->v[to->index + w], least, span))
			continue;
		for (uint64_t m = touched->active; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);
			uint32_t high = wave->v[to->index + w][l];

			if (high - least <= span)
				note(w ? wave->v[to->index + w - 1][l] : 0, high, w);
		}
	}
}

void sg_origin_unseen(void)
{
	__atomic_store_n(&unsure, true, __ATOMIC_RELAXED);
}
