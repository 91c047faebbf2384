// SPDX-License-Identifier: Apache-2.0
/* Attributes of host memory (svm.c) as the driver's request names them (kfd_svm.c), and XNACK. */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOST_GRANULARITY 0x3fu
/* A request brings at most so many attributes. */
#define MOST_ATTRIBUTES 4096u

/* abi.h and svm.h name the same bits. */
_Static_assert(SG_SVM_HOST_ACCESS == KFD_SVM_HOST_ACCESS && SG_SVM_COHERENT == KFD_SVM_COHERENT &&
		   SG_SVM_HIVE_LOCAL == KFD_SVM_HIVE_LOCAL &&
		   SG_SVM_READ_ONLY == KFD_SVM_GPU_READ_ONLY &&
		   SG_SVM_EXECUTE == KFD_SVM_GPU_EXECUTE &&
		   SG_SVM_READ_MOSTLY == KFD_SVM_READ_MOSTLY &&
		   SG_SVM_ALWAYS_MAPPED == KFD_SVM_ALWAYS_MAPPED &&
		   SG_SVM_EXT_COHERENT == KFD_SVM_EXT_COHERENT,
	       "flags of shared virtual memory");

uint64_t sg_vram_room(unsigned gpu)
{
	return kfd_memory_room(gpu);
}

/* A location of the request; -EINVAL: there is no such GPU. */
static int place_of(uint32_t location, int *place)
{
	int gpu = kfd_gpu_number(location);

	*place = location == KFD_SVM_SYSTEM      ? SG_WITH_HOST
		 : location == KFD_SVM_UNDEFINED ? SG_NOWHERE
						 : gpu;
	return location == KFD_SVM_SYSTEM || location == KFD_SVM_UNDEFINED || gpu >= 0 ? 0
										       : -EINVAL;
}

static uint32_t location_of(int place)
{
	return place == SG_NOWHERE ? KFD_SVM_UNDEFINED : SG_KFD_ID(place);
}

static int check(const struct kfd_svm_attribute *attribute, uint32_t operation)
{
	int place;

	switch (attribute->type) {
	case KFD_SVM_PREFERRED:
	case KFD_SVM_PREFETCH:
		/* In a question the value says nothing: ROCr leaves there what was. */
		return operation == KFD_SVM_GET ? 0 : place_of(attribute->value, &place);
	case KFD_SVM_ACCESS:
	case KFD_SVM_ACCESS_IN_PLACE:
	case KFD_SVM_NO_ACCESS:
		return kfd_gpu_number(attribute->value) < 0 ? -EINVAL : 0;
	case KFD_SVM_SET_FLAGS:
	case KFD_SVM_CLEAR_FLAGS:
	case KFD_SVM_GRANULARITY:
		return 0;
	default:
		return -EINVAL;
	}
}

static void set_one(struct sg_attributes *a, const struct kfd_svm_attribute *attribute)
{
	uint32_t value = attribute->value;

	switch (attribute->type) {
	case KFD_SVM_PREFERRED:
		(void)place_of(value, &a->preferred);
		break;
	case KFD_SVM_PREFETCH:
		(void)place_of(value, &a->prefetched);
		break;
	case KFD_SVM_ACCESS:
		a->access[kfd_gpu_number(value)] = SG_ACCESS_MIGRATE;
		break;
	case KFD_SVM_ACCESS_IN_PLACE:
		a->access[kfd_gpu_number(value)] = SG_ACCESS_IN_PLACE;
		break;
	case KFD_SVM_NO_ACCESS:
		a->access[kfd_gpu_number(value)] = SG_ACCESS_NONE;
		break;
	case KFD_SVM_SET_FLAGS:
		a->flags |= value;
		break;
	case KFD_SVM_CLEAR_FLAGS:
		a->flags &= ~value;
		break;
	case KFD_SVM_GRANULARITY:
		a->granularity = value < MOST_GRANULARITY ? value : MOST_GRANULARITY;
		break;
	}
}

static void set_all(struct sg_attributes *a, void *data)
{
	const struct kfd_arg_svm *args = data;

	for (uint32_t i = 0; i < args->count; i++)
		set_one(a, &args->attributes[i]);
}

static int set(struct kfd_arg_svm *args)
{
	int error = sg_svm_change(args->start, args->start + args->size, set_all, args), place;

	for (uint32_t i = 0; !error && i < args->count; i++)
		if (args->attributes[i].type == KFD_SVM_PREFETCH &&
		    args->attributes[i].value != KFD_SVM_UNDEFINED) {
			(void)place_of(args->attributes[i].value, &place);
			sg_svm_prefetch(args->start, args->start + args->size, place);
		}
	return error;
}

/* ---- queries ---- */

struct summary {
	bool any;
	unsigned all_flags, any_flags, granularity;
	int preferred, prefetched;  /* SG_NOWHERE unless uniform */
	uint32_t migrate, in_place; /* GPUs with that access everywhere */
};

static void gather(const struct sg_attributes *a, void *data)
{
	struct summary *s = data;
	uint32_t migrate = 0, in_place = 0;

	for (unsigned i = 0; i < sg_settings.gpus; i++) {
		enum sg_reach reach = sg_svm_access(a, i);

		migrate |= reach == SG_ACCESS_MIGRATE ? UINT32_C(1) << i : 0;
		in_place |= reach == SG_ACCESS_IN_PLACE ? UINT32_C(1) << i : 0;
	}
	if (!s->any)
		*s = (struct summary){ true,         a->flags,      a->flags, a->granularity,
				       a->preferred, a->prefetched, migrate,  in_place };
	s->all_flags &= a->flags;
	s->any_flags |= a->flags;
	if (a->granularity < s->granularity)
		s->granularity = a->granularity;
	if (a->preferred != s->preferred)
		s->preferred = SG_NOWHERE;
	if (a->prefetched != s->prefetched)
		s->prefetched = SG_NOWHERE;
	s->migrate &= migrate;
	s->in_place &= in_place;
}

static int get(struct kfd_arg_svm *args)
{
	struct summary summary = { 0 };
	uint32_t hidden = softgpu_quirk(SOFTGPU_QUIRK_SVM_REPORTED_COARSE) ? KFD_SVM_COHERENT : 0;
	int error = sg_svm_look(args->start, args->start + args->size, false, gather, &summary);

	if (error)
		return error;
	/* The driver looks at what has attributes; if nothing does, at the presets. */
	if (!summary.any)
		gather(&sg_svm_preset, &summary);
	for (uint32_t i = 0; i < args->count; i++) {
		struct kfd_svm_attribute *attribute = &args->attributes[i];
		uint32_t bit;

		switch (attribute->type) {
		case KFD_SVM_PREFERRED:
			attribute->value = location_of(summary.preferred);
			break;
		case KFD_SVM_PREFETCH:
			attribute->value = location_of(summary.prefetched);
			break;
		case KFD_SVM_ACCESS:
		case KFD_SVM_ACCESS_IN_PLACE:
		case KFD_SVM_NO_ACCESS:
			bit = UINT32_C(1) << kfd_gpu_number(attribute->value);
			attribute->type = summary.migrate & bit    ? KFD_SVM_ACCESS
					  : summary.in_place & bit ? KFD_SVM_ACCESS_IN_PLACE
								   : KFD_SVM_NO_ACCESS;
			break;
		case KFD_SVM_SET_FLAGS:
			attribute->value = summary.all_flags & ~hidden;
			break;
		case KFD_SVM_CLEAR_FLAGS:
			attribute->value = ~(summary.any_flags & ~hidden);
			break;
		case KFD_SVM_GRANULARITY:
			attribute->value = summary.granularity;
			break;
		}
	}
	return 0;
}

/* Returns true for a request to set what quirk.def has the driver refuse. */
static bool is_refused(const struct kfd_arg_svm *args)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (args->attributes[i].type == KFD_SVM_SET_FLAGS &&
		    args->attributes[i].value & KFD_SVM_READ_MOSTLY)
			return softgpu_quirk(SOFTGPU_QUIRK_ADVICE_REFUSED);
	return false;
}

/*
 * AMD's runtime ignores that the driver refuses to prefetch memory of an object, unless it is built
 * with assertions, as in Debian: then it would end the program. To both, success without effect is
 * the same.
 */
static bool is_prefetch(const struct kfd_arg_svm *args)
{
	return args->operation == KFD_SVM_SET && args->count == 1 &&
	       args->attributes[0].type == KFD_SVM_PREFETCH;
}

static int answer(struct kfd_arg_svm *args, size_t size)
{
	if ((args->start | args->size) % SOFTGPU_PAGE_SIZE || !args->start || !args->size ||
	    args->start + args->size < args->start)
		return -EINVAL;
	if (args->count > MOST_ATTRIBUTES ||
	    size < sizeof *args + args->count * sizeof args->attributes[0])
		return -EINVAL;
	if (!sg_settings.svm)
		return -EOPNOTSUPP;
	for (uint32_t i = 0; i < args->count; i++)
		if (check(&args->attributes[i], args->operation))
			return -EINVAL;
	if (kfd_memory_holds(args->start, args->start + args->size))
		return is_prefetch(args) ? 0 : -EADDRINUSE;
	switch (args->operation) {
	case KFD_SVM_SET:
		while (is_prefetch(args) && softgpu_quirk(SOFTGPU_QUIRK_PREFETCH_HANGS))
			sleep(1);
		return is_refused(args) ? -EINVAL : set(args);
	case KFD_SVM_GET:
		return get(args);
	default:
		return -EINVAL;
	}
}

int kfd_svm_request(void *argument, size_t size)
{
	struct kfd_arg_svm *args = argument;
	int error = answer(args, size);

	sg_log("svm: %s %#lx+%lu, %u attributes%s%s",
	       args->operation == KFD_SVM_SET ? "set" : "get", args->start, args->size, args->count,
	       error ? ": " : "", error ? strerror(-error) : "");
	for (uint32_t i = 0; !error && i < args->count; i++)
		sg_log("svm: attribute %u = %#x", args->attributes[i].type,
		       args->attributes[i].value);
	return error;
}

int kfd_set_xnack_mode(void *argument, size_t size)
{
	struct kfd_arg_xnack_mode *args = argument;

	(void)size;
	if (!sg_settings.svm)
		return -EPERM; /* A newer kernel without CONFIG_HSA_AMD_SVM answers so. */
	if (args->enabled < 0) {
		args->enabled = softgpu_config.xnack;
		return 0;
	}
	if (args->enabled && !softgpu_executes(softgpu_config.processor))
		return -EPERM; /* kfd_process_xnack_mode(): no GPU of RDNA can retry */
	/* Queues keep the mode that they were created with. */
	for (unsigned i = 0; i < sg_settings.gpus; i++)
		if (kfd_queue_count(i))
			return -EBUSY;
	softgpu_config.xnack = args->enabled;
	sg_migration_follow();
	sg_svm_new_epoch();
	sg_memory_changed();
	return 0;
}
