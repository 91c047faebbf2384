/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what runs, with which argument bytes, in which shape (docs/hip-api.md#launches). */
#include "preload/hip/record_launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/hip/fix.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_capture_stream.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_expected.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_pointers.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_redact.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/enter.h"
#include "preload/trace/process.h"
#include "codeobj/codeobj.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events.h"
#include "tracer/provider.h"
#include "tracer/events/ev_args.h"

static struct hg_id_table arguments;
static pthread_once_t arguments_once = PTHREAD_ONCE_INIT;

static void init_arguments(void)
{
	hg_id_table_init(&arguments);
}

static void forget(void)
{
	hg_id_table_forget(&arguments);
}

bool hg_hip_arguments_known(uint32_t id)
{
	return hg_id_table_kept(&arguments, id) && hg_id_table_is_defined(&arguments, id);
}

static void reset(void)
{
	hg_id_table_reset(&arguments);
}

/* ---- argument bytes ---- */

struct bytes {
	uint32_t length;
	uint8_t status;
	uint8_t data[HG_ARGS_MAX]; /* as far as length goes */
};

static void from_params(const struct codeobj_kernel *layout, void **params, struct bytes *bytes)
{
	bytes->length = layout->explicit_size;
	if (bytes->length > HG_ARGS_MAX) {
		bytes->length = HG_ARGS_MAX;
		bytes->status = HG_ARGS_TRUNCATED;
	}
	memset(bytes->data, 0, bytes->length); /* gaps between arguments */
	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct codeobj_arg *arg = &layout->args[i];
		uint32_t size = arg->size;

		if (arg->offset >= bytes->length)
			continue;
		if (size > bytes->length - arg->offset)
			size = bytes->length - arg->offset;
		memcpy(bytes->data + arg->offset, params[i], size);
	}
}

/* The buffer is laid out as the kernarg segment already; it may be longer or shorter. */
static bool from_extra(const struct codeobj_kernel *layout, void **extra, struct bytes *bytes)
{
	const void *buffer = NULL;
	size_t size = 0;

	for (unsigned i = 0; i < 8 && extra[i] != HG_EXTRA_END; i += 2)
		if (extra[i] == HG_EXTRA_BUFFER)
			buffer = extra[i + 1];
		else if (extra[i] == HG_EXTRA_SIZE)
			size = *(const size_t *)extra[i + 1];
		else
			return false;
	if (!buffer || size < layout->explicit_size)
		return false;
	bytes->length = layout->explicit_size;
	if (bytes->length > HG_ARGS_MAX) {
		bytes->length = HG_ARGS_MAX;
		bytes->status = HG_ARGS_TRUNCATED;
	}
	memcpy(bytes->data, buffer, bytes->length);
	return true;
}

/* Without memory for them they are not found later: then that is their status. */
static void keep(struct hg_hip_kept *kept, const struct bytes *bytes)
{
	*kept = (struct hg_hip_kept){ .bytes = bytes->length ? hg_pool_alloc(bytes->length) : NULL,
				      .length = bytes->length,
				      .status = bytes->status,
				      .known = true };
	if (kept->bytes) {
		memcpy(kept->bytes, bytes->data, bytes->length);
	} else if (bytes->length) {
		kept->length = 0;
		kept->status = HG_ARGS_UNKNOWN_LAYOUT;
	}
}

static void from_kept(const struct hg_hip_kept *kept, struct bytes *bytes)
{
	bytes->length = kept->length;
	bytes->status = kept->status;
	if (kept->length)
		memcpy(bytes->data, kept->bytes, kept->length);
}

/* Out of line: only new arguments come here, and it needs much of a stack. */
static __attribute__((noinline)) void record_veiled(const struct codeobj_kernel *layout,
						    const struct hg_ev_args *whole)
{
	uint8_t veiled[HG_ARGS_MAX], kept[HG_ARGS_KEPT_MAX];
	struct hg_ev_args event = *whole;

	event.bytes = veiled;
	event.kept = kept;
	event.kept_length =
	    hg_hip_redact_arguments(layout, whole->bytes, whole->length, veiled, kept);
	hg_provider->args(&event);
}

uint32_t hg_hip_arguments_id(const struct hg_hip_kernel_variant *variant, const uint8_t *bytes,
			     uint32_t length, uint8_t status)
{
	struct hg_ev_args event;
	uint64_t hash;
	uint32_t id;
	bool fresh;

	pthread_once(&arguments_once, init_arguments);
	hash = hg_hash((uint64_t)variant->id << 8 | status, bytes, length);
	id = hg_id_table_id(&arguments, hash, &fresh);
	if (fresh) {
		event.args_id = id;
		event.kernel_id = variant->id;
		event.status = status;
		event.bytes = bytes;
		event.length = length;
		event.kept = NULL;
		event.kept_length = 0;
		if (HG_UNLIKELY(hg_config.kernel_arguments == HG_ARGUMENTS_HASHED && length))
			record_veiled(variant->layout, &event);
		else
			hg_provider->args(&event);
		hg_id_table_defined(&arguments, id);
	}
	return id;
}

uint32_t hg_hip_arguments(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant)
{
	const struct codeobj_kernel *layout = variant->layout;
	struct bytes bytes;
	uint32_t id;

	bytes.length = 0;
	bytes.status = HG_ARGS_COMPLETE;
	if (launch->node && launch->kept && launch->kept->known)
		from_kept(launch->kept, &bytes);
	else if (hg_config.kernel_arguments == HG_ARGUMENTS_OFF)
		bytes.status = HG_ARGS_WITHHELD;
	else if (!layout)
		bytes.status = HG_ARGS_UNKNOWN_LAYOUT;
	else if (launch->params)
		from_params(layout, launch->params, &bytes);
	else if (layout->explicit_count &&
		 (!launch->extra || !from_extra(layout, launch->extra, &bytes)))
		bytes.status = HG_ARGS_UNKNOWN_LAYOUT;
	if (launch->node && launch->kept && !launch->kept->known)
		keep(launch->kept, &bytes);
	/* The layout of a graph's bytes is not known for every device. */
	if (HG_UNLIKELY(hg_config.kernel_arguments == HG_ARGUMENTS_HASHED && !layout)) {
		bytes.status = HG_ARGS_UNKNOWN_LAYOUT;
		bytes.length = 0;
	}
	id = hg_hip_arguments_id(variant, bytes.data, bytes.length, bytes.status);
	hg_hip_memory_note(&launch->subjects, id, bytes.data, bytes.length);
	launch->pointers =
	    !launch->node &&
	    hg_hip_pointers_note(variant, id, bytes.data, bytes.length, launch->event.device);
	if (HG_UNLIKELY(hg_config.fixes))
		hg_fix_note(launch, variant, bytes.data, bytes.length, bytes.status);
	else if (launch->params && layout && bytes.status == HG_ARGS_COMPLETE)
		hg_hip_repeat_keep(launch, variant, id, bytes.data, bytes.length);
	return id;
}

/* ---- which kernel ---- */

/* Returns a kernel without a name for a handle from before us, or from an interface that is not
 * recorded. */
static struct hg_hip_kernel *unknown_kernel(const void *handle)
{
	static struct hg_hip_module *module;

	if (!module)
		module = hg_hip_module_add(NULL, NULL, "");
	if (module)
		hg_hip_kernel_add(module, handle, "");
	return hg_hip_kernel_find(handle);
}

void hg_hip_launch_identify(struct hg_hip_launch *launch)
{
	struct hg_hip_kernel *kernel;
	struct hg_hip_kernel_variant *variant = NULL;

	launch->subjects.count = 0;
	launch->pointers = false;
	launch->fixes.count = 0;
	hg_hip_look();
	launch->as_of = hg_hip_now_as_of();
	kernel = hg_hip_kernel_find(launch->handle);
	if (!kernel)
		kernel = unknown_kernel(launch->handle);
	if (kernel)
		variant = hg_hip_kernel_for(kernel, launch->event.device, launch->call.caller);
	if (variant) {
		launch->event.kernel_id = variant->id;
		launch->name = kernel->name;
		launch->settled = hg_hip_variables_done(kernel->module, launch->event.device);
		launch->event.args_id = hg_hip_arguments(launch, variant);
	}
	hg_hip_unlock();
}

/* ---- around the real call ---- */

/* Records the launch as an event, or two if its arguments are new; or as one event that names the
 * launch that it repeats. */
static __attribute__((noinline)) void record_alone(struct hg_hip_launch *launch)
{
	int device = launch->event.device;

	if (!hg_hip_repeat(launch)) {
		hg_modules_poll();
		hg_regions_record();
		if (!hg_hip_repeat_other(launch))
			hg_hip_launch_identify(launch);
		hg_fix_apply(launch, device);
	}
	hg_hip_memory_ask(&launch->subjects);
	if (HG_UNLIKELY(launch->pointers))
		hg_hip_pointers_read(launch->event.args_id, device);
	launch->event.stack_id = hg_stack_id(launch->call.caller);
	hg_provider->launch(&launch->event);
}

/* A launch into a stream that is being captured runs nothing: it becomes a node (hip_graph.c). */
static void record_launch(struct hg_hip_launch *launch)
{
	int saved = errno;

	if (!hg_hip_enter())
		return;
	if (HG_LIKELY(!hg_hip_any_capture()) || !hg_hip_capturing(launch->event.stream)) {
		launch->event.api = launch->call.api;
		launch->event.device = hg_hip_stream_device(launch->event.stream);
		if (!hg_hip_launch_batched(launch))
			record_alone(launch);
		hg_hip_expect(launch->event.kernel_id, 1);
	}
	hg_leave();
	errno = saved;
}

/* Records the launch as well, and publishes its call as the one that the thread is in. */
static void before(struct hg_hip_launch *launch)
{
	record_launch(launch);
	hg_open_launch(&launch->event);
}

static int after(struct hg_hip_launch *launch, int rc)
{
	hg_open_call_end();
	launch->call.rc = rc;
	if (rc)
		hg_hip_expect(launch->event.kernel_id, -1);
	hg_finish_checked(&launch->call, launch->event.kernel_id, 0, 0);
	return rc;
}

static void set_shape(struct hg_hip_launch *launch, struct hg_dim3 grid, struct hg_dim3 block,
		      size_t shared, void *stream)
{
	launch->event.grid_x = grid.x;
	launch->event.grid_y = grid.y;
	launch->event.grid_z = grid.z;
	launch->event.block_x = block.x;
	launch->event.block_y = block.y;
	launch->event.block_z = block.z;
	launch->event.shared = (uint32_t)shared;
	launch->event.stream = HG_PTR(stream);
}

/* Work-items to work-groups, rounded up, for the interfaces that take global sizes. */
static struct hg_dim3 groups(struct hg_dim3 global, struct hg_dim3 block)
{
	struct hg_dim3 grid = {
		block.x ? (uint32_t)(((uint64_t)global.x + block.x - 1) / block.x) : 0,
		block.y ? (uint32_t)(((uint64_t)global.y + block.y - 1) / block.y) : 0,
		block.z ? (uint32_t)(((uint64_t)global.z + block.z - 1) / block.z) : 0,
	};

	return grid;
}

/*
 * Defines a launch function by how its parameters name the handle, the shape, the stream and the
 * arguments.
 */
#define LAUNCH_AS(symbol, name, params_, args_, handle_, grid_, block_, shared_, stream_, list_, \
		  extra_)                                                                        \
	HG_HIP_AS(symbol, int, name, params_)                                                    \
	{                                                                                        \
		HG_REAL(int, name, params_);                                                     \
		struct hg_hip_launch launch; /* large: most of it is not needed */               \
                                                                                                 \
		if (!hg_hip_begin_batched(&launch.call, HG_API_##name, HG_CALLER()))             \
			return real args_;                                                       \
		launch.handle = handle_;                                                         \
		launch.params = list_;                                                           \
		launch.extra = extra_;                                                           \
		launch.node = false;                                                             \
		launch.event.kernel_id = launch.event.args_id = launch.event.stack_id = 0;       \
		set_shape(&launch, grid_, block_, shared_, stream_);                             \
		before(&launch);                                                                 \
		return after(&launch, real args_);                                               \
	}
#define HG_WRAP_LAUNCH(class, name, params, args, handle, grid, block, shared, stream, list, \
		       extra)                                                                \
	LAUNCH_AS(name, name, params, args, handle, grid, block, shared, stream, list, extra)

#define DIM(prefix) ((struct hg_dim3){ prefix##x, prefix##y, prefix##z })

/* These two take work-items. They have C++ names in 5.2, and C names later
 * (docs/hip-api.md#the-hip-runtime-library). */
#define EXT_PARAMS                                                                         \
	(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
	 unsigned bz, size_t shared, void *stream, void **args, void **extra, void *begin, \
	 void *end, unsigned flags)
#define EXT_ARGS (function, gx, gy, gz, bx, by, bz, shared, stream, args, extra, begin, end, flags)
#define HCC_PARAMS                                                                         \
	(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
	 unsigned bz, size_t shared, void *stream, void **args, void **extra, void *begin, \
	 void *end)
#define HCC_ARGS (function, gx, gy, gz, bx, by, bz, shared, stream, args, extra, begin, end)

/* hipLaunchConfig_t and HIP_LAUNCH_CONFIG, as far as they matter here [CLR7] */
struct config {
	struct hg_dim3 grid, block;
	size_t shared;
	void *stream;
};
struct driver_config {
	struct hg_dim3 grid, block;
	unsigned shared;
	void *stream;
};

#define HG_API HG_WRAP
#include "tracer/api/hip_launch.def"
#undef HG_API

/* These are the same two under their C++ names: each has a cache of its own, and the id is the
 * same. */
#define HG_API_ext_mangled HG_API_hipExtModuleLaunchKernel
#define HG_API_hcc_mangled HG_API_hipHccModuleLaunchKernel
#define EXT_MANGLED \
	_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j
#define HCC_MANGLED \
	_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_

LAUNCH_AS(EXT_MANGLED, ext_mangled, EXT_PARAMS, EXT_ARGS, function, groups(DIM(g), DIM(b)), DIM(b),
	  shared, stream, args, extra)
LAUNCH_AS(HCC_MANGLED, hcc_mangled, HCC_PARAMS, HCC_ARGS, function, groups(DIM(g), DIM(b)), DIM(b),
	  shared, stream, args, extra)

/*
 * hipLaunchKernelGGL() of releases before 3.5 was a template around this: it returns nothing, and
 * the arguments are an `extra` list. [CLR62 hip_platform.cpp]
 */
#define GGL_MANGLED _ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv

HG_HIP_AS(GGL_MANGLED, void, hipLaunchKernelGGLImpl,
	  (const void *function, const struct hg_dim3 *grid, const struct hg_dim3 *block,
	   unsigned shared, void *stream, void **extra))
{
	HG_REAL(void, hipLaunchKernelGGLImpl,
		(const void *, const struct hg_dim3 *, const struct hg_dim3 *, unsigned, void *,
		 void **));
	struct hg_hip_launch launch = { .handle = function, .extra = extra };

	if (!hg_hip_begin(&launch.call, HG_API_hipLaunchKernelGGLImpl, HG_CALLER())) {
		real(function, grid, block, shared, stream, extra);
		return;
	}
	set_shape(&launch, *grid, *block, shared, stream);
	before(&launch);
	real(function, grid, block, shared, stream, extra);
	after(&launch, 0);
}

/* ---- one launch on each of several devices ---- */

/* hipLaunchParams */
struct function_params {
	const void *function;
	struct hg_dim3 grid, block;
	void **args;
	size_t shared;
	void *stream;
};

/* hipFunctionLaunchParams */
struct module_params {
	const void *function;
	struct hg_dim3 grid, block;
	unsigned shared;
	void *stream;
	void **args;
};

#define MAX_DEVICES 64

/* All are recorded before the call, and all taken back if it fails. */
#define MULTI(name, type)                                                                    \
	HG_HIP(int, name, (const struct type *list, int count, unsigned flags))              \
	{                                                                                    \
		HG_REAL(int, name, (const struct type *, int, unsigned));                    \
		struct hg_hip_launch launch = { 0 };                                         \
		uint32_t kernels[MAX_DEVICES];                                               \
		int recorded = count < MAX_DEVICES ? count : MAX_DEVICES, rc;                \
                                                                                             \
		if (!hg_hip_begin(&launch.call, HG_API_##name, HG_CALLER()))                 \
			return real(list, count, flags);                                     \
		for (int i = 0; list && i < recorded; i++) {                                 \
			launch.event.kernel_id = 0;                                          \
			launch.handle = list[i].function;                                    \
			launch.params = list[i].args;                                        \
			set_shape(&launch, list[i].grid, list[i].block, list[i].shared,      \
				  list[i].stream);                                           \
			record_launch(&launch);                                              \
			kernels[i] = launch.event.kernel_id;                                 \
		}                                                                            \
		hg_open_launch(&launch.event);                                               \
		rc = launch.call.rc = real(list, count, flags);                              \
		hg_open_call_end();                                                          \
		for (int i = 1; list && i < recorded; i++)                                   \
			hg_hip_error(&launch.call, kernels[i], 0, 0);                        \
		hg_finish_checked(&launch.call, list &&recorded > 0 ? kernels[0] : 0, 0, 0); \
		return rc;                                                                   \
	}

MULTI(hipLaunchCooperativeKernelMultiDevice, function_params)
MULTI(hipExtLaunchMultiKernelMultiDevice, function_params)
MULTI(hipModuleLaunchCooperativeKernelMultiDevice, module_params)

/* ---- the oldest way: configure, set up arguments one by one, launch ---- */

static __thread struct {
	struct hg_dim3 grid, block;
	size_t shared;
	void *stream;
	uint8_t *bytes; /* HG_ARGS_MAX, from the first call on: too much for every small stack */
	size_t length;
} configured __attribute__((tls_model("initial-exec")));

HG_HIP(int, hipConfigureCall,
       (struct hg_dim3 grid, struct hg_dim3 block, size_t shared, void *stream))
{
	HG_REAL(int, hipConfigureCall, (struct hg_dim3, struct hg_dim3, size_t, void *));

	if (hg_awake()) {
		if (!configured.bytes)
			configured.bytes = hg_pool_alloc(HG_ARGS_MAX);
		configured.grid = grid;
		configured.block = block;
		configured.shared = shared;
		configured.stream = stream;
		configured.length = 0;
	}
	return real(grid, block, shared, stream);
}

HG_HIP(int, hipSetupArgument, (const void *argument, size_t size, size_t offset))
{
	HG_REAL(int, hipSetupArgument, (const void *, size_t, size_t));

	if (hg_active == HG_ACTIVE && configured.bytes && size <= HG_ARGS_MAX &&
	    offset <= HG_ARGS_MAX - size) {
		memcpy(configured.bytes + offset, argument, size);
		if (offset + size > configured.length)
			configured.length = offset + size;
	}
	return real(argument, size, offset);
}

HG_HIP(int, hipLaunchByPtr, (const void *function))
{
	HG_REAL(int, hipLaunchByPtr, (const void *));
	void *extra[] = { HG_EXTRA_BUFFER, configured.bytes, HG_EXTRA_SIZE, &configured.length,
			  HG_EXTRA_END };
	struct hg_hip_launch launch = { .handle = function, .extra = extra };

	if (!hg_hip_begin(&launch.call, HG_API_hipLaunchByPtr, HG_CALLER()))
		return real(function);
	set_shape(&launch, configured.grid, configured.block, configured.shared, configured.stream);
	before(&launch);
	return after(&launch, real(function));
}

HG_PART(.name = "hip-launches", .order = 32, .forget = forget, .fork_standby = reset,
	.fork_record = reset);
