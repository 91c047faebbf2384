// SPDX-License-Identifier: Apache-2.0
/* Attributes of host memory (svm.c) as HSA names them: hsa_amd_svm_attributes_*, and prefetches. */
#include "runtime.h"
#include <errno.h>

/* Later than the headers of 5.2.3 (docs/memory-model.md#hsa-constants). */
#define SVM_ATTRIB_GPU_EXEC 7u

uint64_t sg_vram_room(unsigned gpu)
{
	return sg_pool_room(&sg_gpu_agents[gpu]);
}

static int place_of(const struct sg_agent *agent)
{
	return !agent ? SG_NOWHERE : agent->gpu ? (int)agent->number : SG_WITH_HOST;
}

/* The handle of an agent; that of the first CPU for the host. */
static uint64_t agent_at(int place)
{
	if (place == SG_NOWHERE)
		return 0;
	return (uint64_t)(uintptr_t)(place == SG_WITH_HOST ? &sg_cpu_agents[0]
							   : &sg_gpu_agents[place]);
}

void sg_svm_set_location(uint64_t start, uint64_t end, const struct sg_agent *agent)
{
	sg_svm_prefetch(start, end, place_of(agent));
}

/* Round outward; false for an empty or wrapping range. */
static bool page_range(const void *pointer, size_t size, uint64_t *start, uint64_t *end)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;

	if (!size || address + size < address || address + size > UINT64_MAX - SOFTGPU_PAGE_SIZE)
		return false;
	*start = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	*end = (address + size + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	return true;
}

static void set_flag(struct sg_attributes *a, unsigned flag, bool on)
{
	a->flags = on ? a->flags | flag : a->flags & ~flag;
}

static hsa_status_t set_one(struct sg_attributes *a, const hsa_amd_svm_attribute_pair_t *pair)
{
	const struct sg_agent *agent = sg_agent_get((hsa_agent_t){ pair->value });

	switch (pair->attribute) {
	case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
		if (pair->value > HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED)
			return HSA_STATUS_ERROR_INVALID_ARGUMENT;
		set_flag(a, SG_SVM_COHERENT, pair->value != HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED);
		break;
	case HSA_AMD_SVM_ATTRIB_READ_ONLY:
		set_flag(a, SG_SVM_READ_ONLY, pair->value);
		break;
	case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
		set_flag(a, SG_SVM_HIVE_LOCAL, pair->value);
		break;
	case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
		a->granularity = pair->value > 18 ? 18 : (unsigned)pair->value;
		break;
	case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
		if (pair->value && !agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		a->preferred = place_of(agent);
		break;
	case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
		set_flag(a, SG_SVM_READ_MOSTLY, pair->value);
		break;
	case SVM_ATTRIB_GPU_EXEC:
		set_flag(a, SG_SVM_EXECUTE, pair->value);
		break;
	case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE:
	case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE:
	case HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS:
		if (!agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		/* The CPU always has access. */
		if (agent->gpu)
			a->access[agent->number] =
			    pair->attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
				? SG_ACCESS_MIGRATE
			    : pair->attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS
				? SG_ACCESS_NONE
				: SG_ACCESS_IN_PLACE;
		break;
	default:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

struct pairs {
	const hsa_amd_svm_attribute_pair_t *list;
	size_t count;
};

static void set_all(struct sg_attributes *a, void *data)
{
	const struct pairs *pairs = data;

	for (size_t i = 0; i < pairs->count; i++)
		set_one(a, &pairs->list[i]);
}

/* The driver keeps no attributes for memory that it allocated: EFAULT, EADDRINUSE. */
static bool is_allocated(uint64_t start, uint64_t end)
{
	struct sg_mapping mapping;

	return sg_memory_describe(start, &mapping) || sg_memory_describe(end - 1, &mapping);
}

hsa_status_t hsa_amd_svm_attributes_set(void *pointer, size_t size,
					hsa_amd_svm_attribute_pair_t *list, size_t list_count)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct sg_attributes probe = sg_svm_preset;
	struct pairs pairs = { list, list_count };
	uint64_t start, end;

	if (!sg_settings.svm || (list_count && !list) || !page_range(pointer, size, &start, &end))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	for (size_t i = 0; i < list_count; i++) {
		sg_log("svm: set %p+%zu attribute %#lx = %#lx", pointer, size, list[i].attribute,
		       list[i].value);
		status = set_one(&probe, &list[i]);
		if (list[i].attribute == HSA_AMD_SVM_ATTRIB_READ_MOSTLY &&
		    softgpu_quirk(SOFTGPU_QUIRK_ADVICE_REFUSED))
			status = HSA_STATUS_ERROR;
		if (status)
			return status;
	}
	if (is_allocated(start, end))
		return HSA_STATUS_ERROR;
	switch (sg_svm_change(start, end, set_all, &pairs)) {
	case 0:
		return HSA_STATUS_SUCCESS;
	case -ENOMEM:
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	default:
		return HSA_STATUS_ERROR;
	}
}

/* What hsa_amd_svm_attributes_get gathers over a range before it answers. */
struct summary {
	bool any;
	unsigned and, or ;                 /* of the flags */
	unsigned granularity;              /* smallest */
	int preferred, prefetched;         /* SG_NOWHERE unless uniform */
	enum sg_reach access[SG_MAX_GPUS]; /* the most restrictive */
};

static void gather(const struct sg_attributes *a, void *data)
{
	struct summary *s = data;

	if (!s->any)
		*s = (struct summary){
			.any = true,
			.and = a->flags,
			.granularity = a->granularity,
			.preferred = a->preferred,
			.prefetched = a->prefetched,
		};
	s->and &= a->flags;
	s->or |= a->flags;
	if (a->granularity < s->granularity)
		s->granularity = a->granularity;
	if (a->preferred != s->preferred)
		s->preferred = SG_NOWHERE;
	if (a->prefetched != s->prefetched)
		s->prefetched = SG_NOWHERE;
	for (unsigned i = 0; i < SG_MAX_GPUS; i++)
		if (sg_svm_access(a, i) > s->access[i])
			s->access[i] = sg_svm_access(a, i);
}

static hsa_status_t get_one(const struct summary *s, hsa_amd_svm_attribute_pair_t *pair)
{
	const struct sg_agent *agent;
	enum sg_reach access;

	switch (pair->attribute) {
	case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
		pair->value = s->and &SG_SVM_COHERENT  ? HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED
			      : s->or &SG_SVM_COHERENT ? HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE
						       : HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED;
		if (softgpu_quirk(SOFTGPU_QUIRK_SVM_REPORTED_COARSE))
			pair->value = HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED;
		break;
	case HSA_AMD_SVM_ATTRIB_READ_ONLY:
		pair->value = (s->and &SG_SVM_READ_ONLY) != 0;
		break;
	case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
		pair->value = (s->and &SG_SVM_HIVE_LOCAL) != 0;
		break;
	case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
		pair->value = s->granularity;
		break;
	case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
		pair->value = agent_at(s->preferred);
		break;
	case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION:
		pair->value = agent_at(s->prefetched);
		break;
	case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
		pair->value = (s->and &SG_SVM_READ_MOSTLY) != 0;
		break;
	case SVM_ATTRIB_GPU_EXEC:
		pair->value = (s->and &SG_SVM_EXECUTE) != 0;
		break;
	case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY:
		agent = sg_agent_get((hsa_agent_t){ pair->value });
		if (!agent)
			return HSA_STATUS_ERROR_INVALID_AGENT;
		access = agent->gpu ? s->access[agent->number] : SG_ACCESS_MIGRATE;
		pair->attribute = access == SG_ACCESS_MIGRATE ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
				  : access == SG_ACCESS_IN_PLACE
				      ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE
				      : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
		break;
	default:
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_attributes_get(void *pointer, size_t size,
					hsa_amd_svm_attribute_pair_t *list, size_t list_count)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;
	struct summary summary = { 0 };
	uint64_t start, end;

	if (!sg_settings.svm || (list_count && !list) || !page_range(pointer, size, &start, &end))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	(void)sg_svm_look(start, end, true, gather, &summary);
	for (size_t i = 0; !status && i < list_count; i++)
		status = get_one(&summary, &list[i]);
	return status;
}
