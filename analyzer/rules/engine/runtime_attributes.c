/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own report about memory, in the terms of the model. */
#include "runtime_attributes.h"

#include "rule_api.h"

/* hipMemRangeCoherencyMode (docs/memory-model.md#advice-constants); pool flags (#hsa-constants). */
enum { MODE_FINE = 0, MODE_COARSE = 1, MODE_INDETERMINATE = 2 };
enum { POOL_FINE = 2, POOL_COARSE = 4, POOL_EXTENDED_FINE = 8 };

/* hipMemoryType was renumbered with release 6 (docs/memory-model.md#types-and-attributes). */
static enum location location_of(const struct process *process,
				 const struct memory_attributes *reported)
{
	int shift = process->recorded_version >= 60000000 ? 1 : 0;

	if (reported->managed != 0 || process->recorded_version == 0 || reported->type < shift)
		return LOCATION_UNKNOWN;
	switch (reported->type - shift) {
	case 0:
		return LOCATION_HOST;
	case 1:
		return LOCATION_DEVICE;
	default:
		return LOCATION_UNKNOWN;
	}
}

/* Returns true if the memory would be another one in what is supposed: the runtime's answer is
 * about that of the recording. */
static bool is_supposed_other(const struct process *process, const struct allocation *allocation)
{
	struct model_environment recorded, supposed;
	struct model_memory now, then;

	if (!process->supposed)
		return false;
	recorded = process_recorded_environment(process);
	supposed = process_environment(process);
	now = model_memory(allocation->api, allocation->flags, &recorded);
	then = model_memory(allocation->api, allocation->flags, &supposed);
	return now.granularity != then.granularity || now.location != then.location;
}

struct runtime_attributes runtime_attributes(const struct process *process,
					     const struct allocation *allocation)
{
	const struct memory_attributes *reported = &allocation->attributes;
	struct runtime_attributes result = { GRAIN_UNKNOWN, LOCATION_UNKNOWN, false };

	if (!reported->known || is_supposed_other(process, allocation))
		return result;
	result.location = location_of(process, reported);
	/*
	 * For memory that was mapped at reserved addresses, as that of pools is from 7.2 on,
	 * hipMemRangeGetAttribute answers as for pages of the host's, fine-grained, wherever it is
	 * [SEEN72].
	 */
	if (result.location == LOCATION_DEVICE && !reported->pool_flags &&
	    process->recorded_version >= 70000000)
		return result;
	if (reported->coherency == MODE_INDETERMINATE)
		result.mixed = true;
	else if (reported->coherency == MODE_FINE)
		result.granularity = GRAIN_FINE;
	else if (reported->coherency == MODE_COARSE)
		result.granularity = GRAIN_COARSE;
	else if (reported->pool_flags & (POOL_FINE | POOL_EXTENDED_FINE))
		result.granularity = GRAIN_FINE;
	else if (reported->pool_flags & POOL_COARSE)
		result.granularity = GRAIN_COARSE;
	return result;
}
