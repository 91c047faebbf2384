/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as the kernel sees them -> bytes of this process, with the checks the GPU would do. */
#include "interp.h"

void sg_memory_forget(struct sg_memory *memory, uint64_t generation)
{
	memset(memory, 0, sizeof(*memory));
	memory->generation = generation;
}

/* Returns true if the instruction writes, as mnemonics say: buffer_store_dword, image_store,
 * s_atomic_add. */
static bool writes(const struct sg_insn *in)
{
	return in && in->op && (strstr(in->op->name, "_store") || strstr(in->op->name, "atomic_"));
}

const struct sg_span *sg_span_slow(struct sg_worker *worker, uint64_t pc, uint64_t address)
{
	struct sg_memory *m = &worker->memory;
	struct sg_span span;
	unsigned i;

	sg_memory_refresh(worker);
	for (i = 0; i < SG_SPANS; i++)
		if (address >= m->span[i].first && address < m->span[i].last)
			break;
	if (i == SG_SPANS) {
		span.state = softgpu_page_span(worker->run->dispatch.gpu, address,
					       writes(worker->current), &span.first, &span.last);
		if (!(span.state & SOFTGPU_PAGE_MAPPED))
			return NULL;
		span.delta = (uint64_t)(uintptr_t)softgpu_host_pointer(address) - address;
		i = m->victim++ % SG_SPANS;
		m->span[i] = span;
	}
	m->hint[pc / 4 % SG_SPAN_HINT] = (uint8_t)i;
	return &m->span[i];
}

uint8_t *sg_global(struct sg_wave *wave, uint64_t address, unsigned size, unsigned *state)
{
	uint64_t pc = wave->pc, next, delta;
	const struct sg_span *s;

	sg_memory_refresh(wave->worker);
	s = sg_span(wave->worker, pc, address);
	if (!s) {
		sg_fault(wave, address);
		return NULL;
	}
	if (state)
		*state = s->state;
	delta = s->delta;
	next = s->last;
	if (size > next - address) {
		s = sg_span(wave->worker, pc, next);
		if (!s || s->delta != delta || size > s->last - address) {
			sg_fault(wave, next);
			return NULL;
		}
		if (state)
			*state |= s->state & SOFTGPU_PAGE_READ;
	}
	return (uint8_t *)(uintptr_t)(address + delta);
}

void sg_write_fault(struct sg_wave *wave, uint64_t address, unsigned size)
{
	unsigned first = softgpu_page_state(wave->run->dispatch.gpu, address);

	sg_fault(wave, first & SOFTGPU_PAGE_READ ? address : address + size - 1);
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
