/* SPDX-License-Identifier: Apache-2.0 */
/* This tells if an atomic belongs to a service of the runtime: hostcall, the device heap. */
#include "services.h"

#include <string.h>

/*
 * The device library's functions for OpenCL and HIP (read in ROCm-Device-Libs 5.2 and 6.2, ockl/:
 * hostcall.cl, hostcall_impl.cl, dm.cl). Names that begin with two underscores are no program's.
 */
static const char *const prefixes[] = { "__ockl_" };

static bool is_service(const char *name)
{
	for (size_t i = 0; name && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool in_service(const struct isa_image *image, uint64_t pc)
{
	const struct isa_symbol *function = isa_image_symbol_at(image, pc, true);

	return function && is_service(function->name);
}

static bool is_explicit(const struct isa_kernel *kernel, uint32_t offset)
{
	for (size_t i = 0; i < kernel->arg_count; i++)
		if (offset >= kernel->args[i].offset &&
		    offset - kernel->args[i].offset < kernel->args[i].size)
			return true;
	return false;
}

static bool is_hidden(const struct isa_kernel *kernel, uint32_t offset)
{
	for (size_t i = 0; i < kernel->hidden_count; i++)
		if (offset >= kernel->hidden[i].offset &&
		    offset - kernel->hidden[i].offset < kernel->hidden[i].size)
			return true;
	return false;
}

/*
 * The address comes from hidden arguments alone. Unoptimized code selects their place by the code
 * object's version at run time: places beyond all arguments then are of the version that it is not.
 */
static bool by_origin(const struct isa_kernel *kernel, const struct isa_origin *origin)
{
	bool hidden = false;

	if (origin->symbol ||
	    (origin->kind != ISA_ORIGIN_DIRECT && origin->kind != ISA_ORIGIN_SET &&
	     origin->kind != ISA_ORIGIN_INDIRECT))
		return false;
	for (size_t i = 0; i < origin->kernarg_count; i++) {
		if (is_explicit(kernel, origin->kernarg[i]))
			return false;
		hidden |= is_hidden(kernel, origin->kernarg[i]);
	}
	return hidden;
}

bool services_runtime(const struct isa_image *image, const struct isa_kernel *kernel, uint64_t pc,
		      const struct access *called, const struct isa_atomic *atomic)
{
	/* None of them computes with floating-point numbers. */
	if (atomic->fp)
		return false;
	if (by_origin(kernel, &atomic->origin) || in_service(image, pc))
		return true;
	for (unsigned i = 0; called && i < called->caller_count; i++)
		if (in_service(image, called->caller[i]))
			return true;
	for (size_t i = 0; i < atomic->frame_count; i++)
		if (is_service(atomic->frames[i].function))
			return true;
	return false;
}
