/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as the kernel sees them -> bytes of this process, with the checks the GPU would do. */
#include "interp.h"

void sg_memory_refresh(struct softgpu_run *run)
{
	uint64_t generation = softgpu_memory_generation;

	if (run->memory.generation == generation)
		return;
	memset(run->memory.page, 0, sizeof(run->memory.page));
	run->memory.generation = generation;
}

static const struct sg_page *look_up(struct softgpu_run *run, uint64_t page)
{
	struct sg_page *p = &run->memory.page[page % SG_PAGE_CACHE];

	sg_memory_refresh(run);
	if (p->page != page + 1) {
		uint64_t address = page << SOFTGPU_PAGE_SHIFT;
		unsigned state = softgpu_page_state(run->dispatch.gpu, address);

		if (!(state & SOFTGPU_PAGE_MAPPED))
			return NULL;
		p->page = page + 1;
		p->state = state;
		p->delta = (uint64_t)(uintptr_t)softgpu_host_pointer(address) - address;
	}
	return p;
}

uint8_t *sg_global(struct sg_wave *wave, uint64_t address, unsigned size, unsigned *state)
{
	const struct sg_page *p = look_up(wave->run, address >> SOFTGPU_PAGE_SHIFT);
	uint64_t last = (address + size - 1) >> SOFTGPU_PAGE_SHIFT, delta;

	if (!p) {
		sg_fault(wave, address);
		return NULL;
	}
	if (state)
		*state = p->state;
	delta = p->delta;
	if (last != address >> SOFTGPU_PAGE_SHIFT) {
		p = look_up(wave->run, last);
		if (!p || p->delta != delta) {
			sg_fault(wave, last << SOFTGPU_PAGE_SHIFT);
			return NULL;
		}
	}
	return (uint8_t *)(uintptr_t)(address + delta);
}

uint8_t *sg_private(struct sg_wave *wave, unsigned lane, uint64_t offset, unsigned size)
{
	if (offset + size > wave->run->scratch_size || offset + size < offset) {
		sg_fault(wave, ((uint64_t)SG_PRIVATE_BASE_HI << 32) + (uint32_t)offset);
		return NULL;
	}
	return wave->scratch + lane * wave->run->scratch_size + offset;
}

uint8_t *sg_lds(struct sg_wave *wave, uint64_t offset, unsigned size)
{
	if (offset + size > wave->group->lds_size)
		return NULL;
	return wave->group->lds + offset;
}

uint8_t *sg_flat(struct sg_wave *wave, unsigned lane, uint64_t address, unsigned size,
		 unsigned *state, bool *outside)
{
	uint32_t high = (uint32_t)(address >> 32);
	uint8_t *p;

	if (state)
		*state = 0;
	if (high == SG_SHARED_BASE_HI) {
		p = sg_lds(wave, (uint32_t)address, size);
		*outside = !p;
		return p;
	}
	if (high == SG_PRIVATE_BASE_HI)
		return sg_private(wave, lane, (uint32_t)address, size);
	return sg_global(wave, address, size, state);
}
