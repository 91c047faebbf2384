/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of OpenMP, kept with the allocations that hold them. */
#include "omp_copy.h"

#include "tracer/events/ev_omp_data.h"

static const struct attachment_type copy_type = { sizeof(struct omp_copy), NULL, NULL };

static struct allocation *allocation_at(const struct process *process, uint64_t address)
{
	struct place place = process_place(process, address);

	return place.kind == PLACE_ALLOCATION ? place.allocation : NULL;
}

void omp_copy_note(const struct rules_context *context)
{
	const struct hg_ev_omp_data *data = context->event->omp_data;
	uint64_t ptr = data->op == HG_OMP_ALLOC ? data->dst : data->src;
	struct allocation *allocation;
	struct omp_copy *copy;

	if (data->op != HG_OMP_ALLOC && data->op != HG_OMP_DELETE)
		return;
	allocation = allocation_at(context->process, ptr);
	if (!allocation)
		return;
	if (data->op == HG_OMP_DELETE) {
		copy = attachment_find(&allocation->attachments, &copy_type);
		if (copy && copy->ptr == ptr)
			copy->size = 0;
		return;
	}
	copy = attachment_get(&allocation->attachments, &copy_type);
	*copy = (struct omp_copy){ .ptr = ptr,
				   .host = data->src,
				   .size = data->size,
				   .stack_id = data->stack_id,
				   .several = copy->several || (copy->size && copy->ptr != ptr) };
}

const struct omp_copy *omp_copy_in(const struct allocation *allocation)
{
	const struct omp_copy *copy = attachment_find(&allocation->attachments, &copy_type);

	return copy && copy->size && copy->host && !copy->several ? copy : NULL;
}
