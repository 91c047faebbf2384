/* SPDX-License-Identifier: Apache-2.0 */
/* The schema as data: which field of which event goes where in struct hg_event. */
#include "fields.h"

#define FIELD(type, member, kind)                                              \
	{                                                                      \
#member, FIELD_##kind, offsetof(struct hg_event, type.member), \
		    sizeof(((struct hg_event *)0)->type.member), 0             \
	}
/* A sequence field: `member` points at the elements, `count` gets their number. */
#define SEQUENCE(type, member, count, kind)                                    \
	{                                                                      \
#member, FIELD_##kind, offsetof(struct hg_event, type.member), \
		    sizeof(((struct hg_event *)0)->type.member),               \
		    offsetof(struct hg_event, type.count)                      \
	}

static const struct field process_fields[] = {
	FIELD(process, ppid, UNSIGNED),
	FIELD(process, page_size, UNSIGNED),
	FIELD(process, threshold, UNSIGNED),
	FIELD(process, forked, UNSIGNED),
	FIELD(process, late, UNSIGNED),
	FIELD(process, instance, UNSIGNED),
	FIELD(process, version, STRING),
	FIELD(process, exe, STRING),
	FIELD(process, cmdline, STRING),
	FIELD(process, env, STRING),
	{ 0 },
};
static const struct field state_fields[] = {
	FIELD(state, phase, UNSIGNED),
	FIELD(state, age, UNSIGNED),
	FIELD(state, calls, UNSIGNED),
	FIELD(state, left_out, UNSIGNED),
	FIELD(state, threshold, UNSIGNED),
	FIELD(state, counted, UNSIGNED),
	{ 0 },
};
static const struct field module_fields[] = {
	FIELD(module, bias, UNSIGNED),
	FIELD(module, start, UNSIGNED),
	FIELD(module, size, UNSIGNED),
	FIELD(module, path, STRING),
	FIELD(module, build_id, STRING),
	FIELD(module, past, STRING),
	{ 0 },
};
static const struct field region_fields[] = {
	FIELD(region, kind, UNSIGNED),
	FIELD(region, start, UNSIGNED),
	FIELD(region, size, UNSIGNED),
	{ 0 },
};
static const struct field runtime_fields[] = {
	FIELD(runtime, path, STRING),
	FIELD(runtime, version, SIGNED),
	FIELD(runtime, driver_version, SIGNED),
	FIELD(runtime, device_count, SIGNED),
	FIELD(runtime, result, SIGNED),
	FIELD(runtime, host_memory, UNSIGNED),
	{ 0 },
};
static const struct field device_fields[] = {
	FIELD(device, ordinal, SIGNED),
	FIELD(device, name, STRING),
	FIELD(device, arch, STRING),
	FIELD(device, xnack, SIGNED),
	FIELD(device, managed, SIGNED),
	FIELD(device, concurrent_managed, SIGNED),
	FIELD(device, pageable_access, SIGNED),
	FIELD(device, host_native_atomic, SIGNED),
	FIELD(device, integrated, SIGNED),
	FIELD(device, large_bar, SIGNED),
	FIELD(device, fine_grain, SIGNED),
	FIELD(device, host_link, SIGNED),
	FIELD(device, memory, UNSIGNED),
	{ 0 },
};
static const struct field alloc_fields[] = {
	FIELD(alloc, api, UNSIGNED),        FIELD(alloc, ptr, UNSIGNED),
	FIELD(alloc, device_ptr, UNSIGNED), FIELD(alloc, size, UNSIGNED),
	FIELD(alloc, flags, UNSIGNED),      FIELD(alloc, device, SIGNED),
	FIELD(alloc, stream, UNSIGNED),     FIELD(alloc, symbol, STRING),
	FIELD(alloc, stack_id, UNSIGNED),   { 0 },
};
static const struct field free_fields[] = {
	FIELD(free, api, UNSIGNED),    FIELD(free, ptr, UNSIGNED),      FIELD(free, size, UNSIGNED),
	FIELD(free, stream, UNSIGNED), FIELD(free, stack_id, UNSIGNED), { 0 },
};
/* The fields that a trace lacks become empty strings, or 0. */
static const struct field host_alloc_fields[] = {
	FIELD(alloc, api, UNSIGNED),  FIELD(alloc, ptr, UNSIGNED),
	FIELD(alloc, size, UNSIGNED), FIELD(alloc, stack_id, UNSIGNED),
	FIELD(alloc, symbol, STRING), { 0 },
};
static const struct field host_free_fields[] = {
	FIELD(free, api, UNSIGNED),
	FIELD(free, ptr, UNSIGNED),
	FIELD(free, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field memory_fields[] = {
	FIELD(memory, ptr, UNSIGNED),         FIELD(memory, size, UNSIGNED),
	FIELD(memory, type, SIGNED),          FIELD(memory, device, SIGNED),
	FIELD(memory, managed, SIGNED),       FIELD(memory, flags, UNSIGNED),
	FIELD(memory, coherency, SIGNED),     FIELD(memory, preferred, SIGNED),
	FIELD(memory, last_prefetch, SIGNED), FIELD(memory, hsa_type, SIGNED),
	FIELD(memory, pool_flags, UNSIGNED),  { 0 },
};
static const struct field copy_fields[] = {
	FIELD(copy, api, UNSIGNED),       FIELD(copy, dst, UNSIGNED),
	FIELD(copy, src, UNSIGNED),       FIELD(copy, size, UNSIGNED),
	FIELD(copy, rows, UNSIGNED),      FIELD(copy, depth, UNSIGNED),
	FIELD(copy, dst_pitch, UNSIGNED), FIELD(copy, src_pitch, UNSIGNED),
	FIELD(copy, dst_slice, UNSIGNED), FIELD(copy, src_slice, UNSIGNED),
	FIELD(copy, kind, SIGNED),        FIELD(copy, device, SIGNED),
	FIELD(copy, stream, UNSIGNED),    FIELD(copy, duration, UNSIGNED),
	FIELD(copy, stack_id, UNSIGNED),  { 0 },
};
static const struct field fill_fields[] = {
	FIELD(fill, api, UNSIGNED),
	FIELD(fill, dst, UNSIGNED),
	FIELD(fill, size, UNSIGNED),
	FIELD(fill, rows, UNSIGNED),
	FIELD(fill, depth, UNSIGNED),
	FIELD(fill, pitch, UNSIGNED),
	FIELD(fill, slice, UNSIGNED),
	FIELD(fill, value, UNSIGNED),
	FIELD(fill, device, SIGNED),
	FIELD(fill, stream, UNSIGNED),
	FIELD(fill, duration, UNSIGNED),
	FIELD(fill, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field prefetch_fields[] = {
	FIELD(prefetch, api, UNSIGNED),      FIELD(prefetch, ptr, UNSIGNED),
	FIELD(prefetch, size, UNSIGNED),     FIELD(prefetch, target, SIGNED),
	FIELD(prefetch, stream, UNSIGNED),   FIELD(prefetch, duration, UNSIGNED),
	FIELD(prefetch, stack_id, UNSIGNED), { 0 },
};
static const struct field advise_fields[] = {
	FIELD(advise, api, UNSIGNED),
	FIELD(advise, ptr, UNSIGNED),
	FIELD(advise, size, UNSIGNED),
	FIELD(advise, advice, SIGNED),
	FIELD(advise, target, SIGNED),
	FIELD(advise, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field migration_fields[] = {
	FIELD(migration, kind, UNSIGNED),
	FIELD(migration, start, UNSIGNED),
	FIELD(migration, size, UNSIGNED),
	FIELD(migration, from, SIGNED),
	FIELD(migration, to, SIGNED),
	FIELD(migration, trigger, SIGNED),
	FIELD(migration, detail, SIGNED),
	FIELD(migration, age, UNSIGNED),
	{ 0 },
};
static const struct field smi_source_fields[] = {
	FIELD(smi_source, sources, UNSIGNED), FIELD(smi_source, malformed, UNSIGNED),
	FIELD(smi_source, unknown, UNSIGNED), FIELD(smi_source, dropped, UNSIGNED),
	FIELD(smi_source, problem, STRING),   { 0 },
};
static const struct field code_object_fields[] = {
	FIELD(code_object, code_object_id, UNSIGNED),
	FIELD(code_object, sha256, STRING),
	FIELD(code_object, target, STRING),
	FIELD(code_object, size, UNSIGNED),
	FIELD(code_object, path, STRING),
	FIELD(code_object, problem, STRING),
	{ 0 },
};
static const struct field kernel_fields[] = {
	FIELD(kernel, kernel_id, UNSIGNED),    FIELD(kernel, code_object_id, UNSIGNED),
	FIELD(kernel, handle, UNSIGNED),       FIELD(kernel, symbol, STRING),
	FIELD(kernel, kernarg_size, UNSIGNED), { 0 },
};
static const struct field args_fields[] = {
	FIELD(args, args_id, UNSIGNED),
	FIELD(args, kernel_id, UNSIGNED),
	FIELD(args, status, UNSIGNED),
	SEQUENCE(args, bytes, length, BYTES),
	SEQUENCE(args, kept, kept_length, BYTES),
	{ 0 },
};
static const struct field launch_fields[] = {
	FIELD(launch, api, UNSIGNED),
	FIELD(launch, kernel_id, UNSIGNED),
	FIELD(launch, args_id, UNSIGNED),
	FIELD(launch, grid_x, UNSIGNED),
	FIELD(launch, grid_y, UNSIGNED),
	FIELD(launch, grid_z, UNSIGNED),
	FIELD(launch, block_x, UNSIGNED),
	FIELD(launch, block_y, UNSIGNED),
	FIELD(launch, block_z, UNSIGNED),
	FIELD(launch, shared, UNSIGNED),
	FIELD(launch, device, SIGNED),
	FIELD(launch, stream, UNSIGNED),
	FIELD(launch, stack_id, UNSIGNED),
	FIELD(launch, launch_id, UNSIGNED),
	{ 0 },
};
/* The rest is that of the launch it repeats: decode.c. */
static const struct field relaunch_fields[] = {
	FIELD(launch, launch_id, UNSIGNED),
	{ 0 },
};
static const struct field stream_fields[] = {
	FIELD(stream, api, UNSIGNED),   FIELD(stream, stream, UNSIGNED),
	FIELD(stream, flags, UNSIGNED), FIELD(stream, priority, SIGNED),
	FIELD(stream, device, SIGNED),  { 0 },
};
static const struct field event_fields[] = {
	FIELD(event, api, UNSIGNED),
	FIELD(event, event, UNSIGNED),
	FIELD(event, stream, UNSIGNED),
	FIELD(event, flags, UNSIGNED),
	{ 0 },
};
static const struct field sync_fields[] = {
	FIELD(sync, api, UNSIGNED),
	FIELD(sync, stream, UNSIGNED),
	FIELD(sync, event, UNSIGNED),
	FIELD(sync, device, SIGNED),
	FIELD(sync, duration, UNSIGNED),
	FIELD(sync, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field call_fields[] = {
	FIELD(call, api, UNSIGNED),
	FIELD(call, handle, UNSIGNED),
	FIELD(call, ptr, UNSIGNED),
	FIELD(call, size, UNSIGNED),
	FIELD(call, flags, UNSIGNED),
	FIELD(call, value, UNSIGNED),
	FIELD(call, device, SIGNED),
	FIELD(call, stream, UNSIGNED),
	FIELD(call, text, STRING),
	FIELD(call, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field error_fields[] = {
	FIELD(error, api, UNSIGNED),
	FIELD(error, code, SIGNED),
	FIELD(error, ptr, UNSIGNED),
	FIELD(error, size, UNSIGNED),
	FIELD(error, flags, UNSIGNED),
	FIELD(error, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field stack_fields[] = {
	FIELD(stack, stack_id, UNSIGNED),
	SEQUENCE(stack, frames, depth, WORDS),
	{ 0 },
};

static const struct field host_totals_fields[] = {
	FIELD(host_totals, stack_id, UNSIGNED),    FIELD(host_totals, api, UNSIGNED),
	FIELD(host_totals, largest, UNSIGNED),     FIELD(host_totals, count, UNSIGNED),
	FIELD(host_totals, bytes, UNSIGNED),       FIELD(host_totals, freed, UNSIGNED),
	FIELD(host_totals, freed_bytes, UNSIGNED), { 0 },
};

static const struct field cost_fields[] = {
	FIELD(cost, calls, UNSIGNED),
	FIELD(cost, timed, UNSIGNED),
	FIELD(cost, spent, UNSIGNED),
	FIELD(cost, processor, UNSIGNED),
	{ 0 },
};

#include "migration_fields.h"
#include "offload_fields.h"

#define EVENT(type)     [HG_EVENT_##type] = { "hipgrain:" #type, type##_fields }

#define EVENT_AND(type) EVENT(type),

const struct event_layout event_layouts[HG_EVENT_TYPES] = {
	EVENT(process),
	EVENT(state),
	EVENT(module),
	EVENT(region),
	EVENT(runtime),
	EVENT(device),
	EVENT(alloc),
	EVENT(free),
	EVENT(memory),
	EVENT(copy),
	EVENT(fill),
	EVENT(prefetch),
	EVENT(advise),
	EVENT(migration),
	EVENT(smi_source),
	EVENT(code_object),
	EVENT(kernel),
	EVENT(args),
	EVENT(launch),
	EVENT(stream),
	EVENT(event),
	EVENT(sync),
	EVENT(call),
	EVENT(error),
	EVENT(stack),
	EVENT(host_totals),
	EVENT(cost),
	HG_OFFLOAD_EVENTS(EVENT_AND)
	/* clang-format off */
	HG_MIGRATION_EVENTS(EVENT_AND)
	/* clang-format on */
};

const struct event_alias event_aliases[EVENT_ALIASES] = {
	{ { "hipgrain:host_alloc", host_alloc_fields }, HG_EVENT_alloc },
	{ { "hipgrain:host_free", host_free_fields }, HG_EVENT_free },
	{ { "hipgrain:relaunch", relaunch_fields }, HG_EVENT_launch },
};
