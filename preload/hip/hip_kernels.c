/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects, kernels and device variables, recorded when a launch first needs them. */
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_expected.h"
#include "preload/hip/hip_managed.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_places.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "codeobj/codeobj.h"
#include "tracer/api/hip_modules.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/provider.h"

static uint32_t next_code_id = 1, next_kernel_id = 1; /* atomic */

/* Returns true if it was never recorded, or only in a session that has ended. */
static bool is_new(uint32_t id, uint32_t generation)
{
	return !id || generation != __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
}

bool hg_hip_kernel_is_new(struct hg_hip_kernel_variant *variant, const char *name)
{
	if (!is_new(variant->id, variant->generation))
		return false;
	if (!variant->id) {
		variant->id = __atomic_fetch_add(&next_kernel_id, 1, __ATOMIC_RELAXED);
		hg_hip_expect_name(variant->id, name);
	}
	variant->generation = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
	return true;
}

void hg_hip_code_define(struct hg_hip_code *code, const char *path)
{
	struct hg_ev_code_object event = { .sha256 = code->sha256,
					   .target = code->target,
					   .size = code->size,
					   .path = path,
					   .problem = code->problem };

	if (!is_new(code->id, code->generation))
		return;
	if (!code->id)
		code->id = __atomic_fetch_add(&next_code_id, 1, __ATOMIC_RELAXED);
	event.code_object_id = code->id;
	code->generation = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
	hg_provider->code_object(&event);
}

struct hg_hip_code *hg_hip_code_for(struct hg_hip_module *module, int device)
{
	const struct hg_hip_device *info = hg_hip_device_info(device);
	const char *arch = info ? info->arch : "";
	struct hg_hip_code *code = module->code;

	while (code && strcmp(code->arch, arch))
		code = code->next;
	if (!code) {
		code = hg_pool_calloc(1, sizeof(*code));
		if (!code)
			return NULL;
		strcpy(code->arch, arch);
		if (module->image)
			hg_hip_capture(module->image, hg_readable_extent(module->image), info,
				       code);
		else
			strcpy(code->problem, module->code
						  ? "loaded for a device of another target id"
						  : "registered in a way that was not recorded");
		code->next = module->code;
		module->code = code;
	}
	hg_hip_code_define(code, module->path);
	return code;
}

/*
 * The runtime (5.2.3) aborts the process on a query of a variable that its code object does
 * not define: one in LDS, which compilers register all the same. Where the code object cannot be
 * read, it is not queried.
 */
static bool has_address(const struct hg_hip_code *code, const struct hg_hip_variable *variable)
{
	return code->elf && codeobj_elf_defines(code->elf, (size_t)code->size, variable->name) == 1;
}

/* Records a variable at its address on the current device, which must be `device` unless it is
 * managed. */
static void record_variable(struct hg_hip_variable *variable, int device, const void *caller)
{
	struct hg_ev_alloc event = { .api = variable->managed ? HG_API___hipRegisterManagedVar
							      : HG_API___hipRegisterVar,
				     .size = variable->size,
				     .device = device,
				     .symbol = variable->name };

	event.ptr = variable->managed ? (uintptr_t) * (void *const *)variable->shadow
				      : hg_hip_symbol_address(variable->shadow);
	if (!event.ptr)
		return;
	event.device_ptr = event.ptr;
	event.stack_id = hg_stack_id(caller);
	variable->ptr[variable->managed ? 0 : device] = event.ptr;
	if (variable->managed) {
		hg_hip_memory_add(&event);
		hg_hip_managed_add(hg_places_symbol(variable->name), event.ptr);
	}
	hg_live_lock();
	hg_provider->alloc(&event);
	hg_live_alloc(&event);
	hg_live_unlock();
}

/* Records the module's variables that have an address. A variable without one yet is tried again at
 * the next launch. */
static void record_variables(struct hg_hip_module *module, const struct hg_hip_code *code,
			     int device, const void *caller)
{
	bool done = true;

	if (device !=
	    hg_hip_device()) /* a launch on several: the addresses are the current one's */
		return;
	for (struct hg_hip_variable *v = module->variables; v; v = v->next) {
		uint64_t *ptr = &v->ptr[v->managed ? 0 : device];

		v->absent = !v->managed && !has_address(code, v);
		if (!*ptr && !v->absent)
			record_variable(v, device, caller);
		done = done && (*ptr || v->absent);
	}
	if (done)
		module->variables_done |= UINT64_C(1) << device;
}

void hg_hip_variables_free(struct hg_hip_module *module, uint16_t api, const void *caller)
{
	if (!*hg_provider->recording && !hg_config.standby)
		return;
	for (struct hg_hip_variable *v = module->variables; v; v = v->next) {
		for (size_t i = 0; i < HG_COUNT(v->ptr); i++) {
			struct hg_ev_free event = { .api = api, .ptr = v->ptr[i] };

			if (!v->ptr[i])
				continue;
			event.stack_id = hg_stack_id(caller);
			if (v->managed) {
				hg_hip_memory_remove(event.ptr);
				hg_hip_managed_remove(event.ptr);
			}
			hg_live_lock();
			hg_provider->free(&event);
			hg_live_free(event.ptr);
			hg_live_unlock();
			hg_live_freed(false);
			v->ptr[i] = 0;
		}
	}
}

struct hg_hip_kernel_variant *hg_hip_kernel_for(struct hg_hip_kernel *kernel, int device,
						const void *caller)
{
	struct hg_hip_code *code = hg_hip_code_for(kernel->module, device);
	struct hg_hip_kernel_variant *variant = kernel->variants;
	struct hg_ev_kernel event = { .handle = (uintptr_t)kernel->handle, .symbol = kernel->name };

	if (!code)
		return NULL;
	while (variant && variant->code != code)
		variant = variant->next;
	if (!variant) {
		variant = hg_pool_calloc(1, sizeof(*variant));
		if (!variant)
			return NULL;
		variant->code = code;
		if (code->metadata)
			variant->layout = codeobj_metadata_kernel(code->metadata, kernel->name);
		hg_hip_places_ask(variant, kernel->name);
		variant->next = kernel->variants;
		kernel->variants = variant;
	}
	if (hg_hip_kernel_is_new(variant, kernel->name)) {
		event.kernel_id = variant->id;
		event.code_object_id = code->id;
		event.kernarg_size = variant->layout ? variant->layout->explicit_size : 0;
		hg_provider->kernel(&event);
	}
	if (device >= 0 && device < HG_HIP_DEVICES &&
	    !(kernel->module->variables_done >> device & 1))
		record_variables(kernel->module, code, device, caller);
	return variant;
}
