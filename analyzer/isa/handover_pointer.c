/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that are handed over, and the data behind them; see handover.h. */
#include <string.h>

#include "handover_search.h"

/* Returns true if all addresses of a load are made of the pointer that `pointer` loads. */
static bool goes_by(const struct search *search, const struct access *load,
		    const struct point *pointer)
{
	uint32_t index = (uint32_t)(pointer->access - search->flow->access);
	struct target target[TARGETS_MAX];

	for (unsigned i = 0; i < load->pair_count; i++) {
		unsigned count =
		    flow_targets(search->flow, load->pair[i].low, load->pair[i].high, target);

		for (unsigned k = 0; k < count; k++)
			if (target[k].kind != TARGET_POINTER || target[k].other_count ||
			    BASE_KIND(target[k].base) != BASE_LOADED ||
			    BASE_PAYLOAD(target[k].base) >> 4 != index)
				return false;
		if (!count || count == TARGETS_MAX)
			return false;
	}
	return load->pair_count && !load->overflow;
}

/* Loads by pointers that were read as flags are. */
void handover_find_followed(struct search *search)
{
	for (size_t i = 0; i < search->flow->access_count; i++) {
		const struct access *access = &search->flow->access[i];
		struct point *point = &search->behind->point[search->behind->count];

		if (access->function != search->function ||
		    !handover_is_vector_memory(access->insn) || !access->insn->load ||
		    access->insn->atomic || handover_is_coherent(search, access->insn))
			continue;
		for (unsigned k = 0; k < search->flag_reads->count; k++) {
			struct point *flag = &search->flag_reads->point[k];

			if (flag->access->insn->atomic || search->behind->count == POINTS ||
			    !goes_by(search, access, flag))
				continue;
			memset(point, 0, sizeof(*point));
			if (!handover_find_point(search->function, access->insn, &point->at))
				break;
			point->access = access;
			flag->followed = true;
			search->pointer[search->behind->count++] = flag;
			break;
		}
	}
}

/* Returns true if the flag is a pointer to the data, which somebody here follows. */
bool handover_is_pointer_to(const struct search *search, const struct point *flag,
			    const struct point *data)
{
	for (unsigned i = 0; i < search->flag_reads->count; i++) {
		const struct point *read = &search->flag_reads->point[i];

		if (read->followed && handover_same_memory(read, flag) &&
		    value_stores_address(search->function, search->entry, flag->at, data->at))
			return true;
	}
	return false;
}

/* Data behind a pointer that is read as a flag is: they depend on it. */
int handover_find_followers(struct search *search)
{
	int status = 0;

	for (unsigned i = 0; !status && i < search->behind->count; i++) {
		struct point *data = &search->behind->point[i];
		const struct point *flag = search->pointer[i];
		struct isa_handover facts = { .reads = true, .pointer = true };

		facts.waits = flag->waits;
		facts.ordered = handover_between(search, flag->at, data->at, search->acquire,
						 search->acquire_count);
		/* The memory is what the writer stores to: here the flag's stands for it. */
		data->origin = flag->origin;
		status = handover_add(search, flag, data, &facts);
		memset(&data->origin, 0, sizeof(data->origin));
	}
	return status;
}
