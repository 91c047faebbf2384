/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of events.h in LTTng-UST's description language: same names, same order. Addresses
 * and handles are shown in hexadecimal. Each probe takes the event's struct.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hipgrain

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracer/tracepoints.h"

#if !defined(HIPGRAIN_TRACER_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define HIPGRAIN_TRACER_TRACEPOINTS_H

#include <lttng/tracepoint.h>

#include "tracer/events.h"

#undef HG_INT
#undef HG_HEX
#undef HG_TEXT
#undef HG_SEQUENCE
#define HG_INT(type, name) lttng_ust_field_integer(type, name, event->name)
#define HG_HEX(name)       lttng_ust_field_integer_hex(uint64_t, name, event->name)
#define HG_TEXT(name)      lttng_ust_field_string(name, event->name)
#define HG_SEQUENCE(type, name, length) \
	lttng_ust_field_sequence(type, name, event->name, uint32_t, event->length)

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hipgrain, process,
	LTTNG_UST_TP_ARGS(const struct hg_ev_process *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, ppid)
		HG_INT(uint32_t, page_size)
		HG_INT(uint32_t, threshold)
		HG_INT(uint8_t, forked)
		HG_INT(uint8_t, late)
		HG_HEX(instance)
		HG_TEXT(version)
		HG_TEXT(exe)
		HG_TEXT(cmdline)
		HG_TEXT(env)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, state,
	LTTNG_UST_TP_ARGS(const struct hg_ev_state *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, phase)
		HG_INT(uint64_t, age)
		HG_INT(uint64_t, calls)
		HG_INT(uint64_t, left_out)
		HG_INT(uint64_t, threshold)
		HG_INT(uint64_t, counted)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, module,
	LTTNG_UST_TP_ARGS(const struct hg_ev_module *, event),
	LTTNG_UST_TP_FIELDS(
		HG_HEX(bias)
		HG_HEX(start)
		HG_INT(uint64_t, size)
		HG_TEXT(path)
		HG_TEXT(build_id)
		HG_TEXT(past)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, region,
	LTTNG_UST_TP_ARGS(const struct hg_ev_region *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, kind)
		HG_HEX(start)
		HG_INT(uint64_t, size)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, runtime,
	LTTNG_UST_TP_ARGS(const struct hg_ev_runtime *, event),
	LTTNG_UST_TP_FIELDS(
		HG_TEXT(path)
		HG_INT(int32_t, version)
		HG_INT(int32_t, driver_version)
		HG_INT(int32_t, device_count)
		HG_INT(int32_t, result)
		HG_INT(uint64_t, host_memory)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, device,
	LTTNG_UST_TP_ARGS(const struct hg_ev_device *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(int32_t, ordinal)
		HG_TEXT(name)
		HG_TEXT(arch)
		HG_INT(int8_t, xnack)
		HG_INT(int8_t, managed)
		HG_INT(int8_t, concurrent_managed)
		HG_INT(int8_t, pageable_access)
		HG_INT(int8_t, host_native_atomic)
		HG_INT(int8_t, integrated)
		HG_INT(int8_t, large_bar)
		HG_INT(int8_t, fine_grain)
		HG_INT(int8_t, host_link)
		HG_INT(uint64_t, memory)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, alloc,
	LTTNG_UST_TP_ARGS(const struct hg_ev_alloc *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(ptr)
		HG_HEX(device_ptr)
		HG_INT(uint64_t, size)
		HG_HEX(flags)
		HG_INT(int32_t, device)
		HG_HEX(stream)
		HG_TEXT(symbol)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, free,
	LTTNG_UST_TP_ARGS(const struct hg_ev_free *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_HEX(stream)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, memory,
	LTTNG_UST_TP_ARGS(const struct hg_ev_memory *, event),
	LTTNG_UST_TP_FIELDS(
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(int32_t, type)
		HG_INT(int32_t, device)
		HG_INT(int32_t, managed)
		HG_HEX(flags)
		HG_INT(int32_t, coherency)
		HG_INT(int32_t, preferred)
		HG_INT(int32_t, last_prefetch)
		HG_INT(int32_t, hsa_type)
		HG_HEX(pool_flags)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, host_alloc,
	LTTNG_UST_TP_ARGS(const struct hg_ev_host_alloc *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, api)
		HG_HEX(ptr)
		HG_INT(uint32_t, size)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, host_free,
	LTTNG_UST_TP_ARGS(const struct hg_ev_host_free *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, api)
		HG_HEX(ptr)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, host_totals,
	LTTNG_UST_TP_ARGS(const struct hg_ev_host_totals *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, stack_id)
		HG_INT(uint8_t, api)
		HG_INT(uint16_t, largest)
		HG_INT(uint64_t, count)
		HG_INT(uint64_t, bytes)
		HG_INT(uint64_t, freed)
		HG_INT(uint64_t, freed_bytes)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, copy,
	LTTNG_UST_TP_ARGS(const struct hg_ev_copy *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(dst)
		HG_HEX(src)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, rows)
		HG_INT(uint64_t, dst_pitch)
		HG_INT(uint64_t, src_pitch)
		HG_INT(int32_t, kind)
		HG_INT(int32_t, device)
		HG_HEX(stream)
		HG_INT(uint64_t, duration)
		HG_INT(uint64_t, depth)
		HG_INT(uint64_t, dst_slice)
		HG_INT(uint64_t, src_slice)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, fill,
	LTTNG_UST_TP_ARGS(const struct hg_ev_fill *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(dst)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, rows)
		HG_INT(uint64_t, pitch)
		HG_INT(uint32_t, value)
		HG_INT(int32_t, device)
		HG_HEX(stream)
		HG_INT(uint64_t, duration)
		HG_INT(uint64_t, depth)
		HG_INT(uint64_t, slice)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, prefetch,
	LTTNG_UST_TP_ARGS(const struct hg_ev_prefetch *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(int32_t, target)
		HG_HEX(stream)
		HG_INT(uint64_t, duration)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, advise,
	LTTNG_UST_TP_ARGS(const struct hg_ev_advise *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(int32_t, advice)
		HG_INT(int32_t, target)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, migration,
	LTTNG_UST_TP_ARGS(const struct hg_ev_migration *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, kind)
		HG_HEX(start)
		HG_INT(uint64_t, size)
		HG_INT(int32_t, from)
		HG_INT(int32_t, to)
		HG_INT(int32_t, trigger)
		HG_INT(int32_t, detail)
		HG_INT(uint64_t, age)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, smi_source,
	LTTNG_UST_TP_ARGS(const struct hg_ev_smi_source *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, sources)
		HG_INT(uint64_t, malformed)
		HG_INT(uint64_t, unknown)
		HG_INT(uint64_t, dropped)
		HG_TEXT(problem)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, code_object,
	LTTNG_UST_TP_ARGS(const struct hg_ev_code_object *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, code_object_id)
		HG_TEXT(sha256)
		HG_TEXT(target)
		HG_INT(uint64_t, size)
		HG_TEXT(path)
		HG_TEXT(problem)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, kernel,
	LTTNG_UST_TP_ARGS(const struct hg_ev_kernel *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, kernel_id)
		HG_INT(uint32_t, code_object_id)
		HG_HEX(handle)
		HG_TEXT(symbol)
		HG_INT(uint32_t, kernarg_size)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, args,
	LTTNG_UST_TP_ARGS(const struct hg_ev_args *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, args_id)
		HG_INT(uint32_t, kernel_id)
		HG_INT(uint8_t, status)
		HG_SEQUENCE(uint8_t, bytes, length)
		HG_SEQUENCE(uint8_t, kept, kept_length)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, launch,
	LTTNG_UST_TP_ARGS(const struct hg_ev_launch *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_INT(uint32_t, kernel_id)
		HG_INT(uint32_t, args_id)
		HG_INT(uint32_t, grid_x)
		HG_INT(uint32_t, grid_y)
		HG_INT(uint32_t, grid_z)
		HG_INT(uint32_t, block_x)
		HG_INT(uint32_t, block_y)
		HG_INT(uint32_t, block_z)
		HG_INT(uint32_t, shared)
		HG_INT(int32_t, device)
		HG_HEX(stream)
		HG_INT(uint32_t, stack_id)
		HG_INT(uint8_t, launch_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, relaunch,
	LTTNG_UST_TP_ARGS(const struct hg_ev_relaunch *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, launch_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, stream,
	LTTNG_UST_TP_ARGS(const struct hg_ev_stream *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(stream)
		HG_INT(uint32_t, flags)
		HG_INT(int32_t, priority)
		HG_INT(int32_t, device)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, event,
	LTTNG_UST_TP_ARGS(const struct hg_ev_event *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(event)
		HG_HEX(stream)
		HG_INT(uint32_t, flags)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, sync,
	LTTNG_UST_TP_ARGS(const struct hg_ev_sync *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(stream)
		HG_HEX(event)
		HG_INT(int32_t, device)
		HG_INT(uint64_t, duration)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, call,
	LTTNG_UST_TP_ARGS(const struct hg_ev_call *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_HEX(handle)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, flags)
		HG_INT(uint64_t, value)
		HG_INT(int32_t, device)
		HG_HEX(stream)
		HG_TEXT(text)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, error,
	LTTNG_UST_TP_ARGS(const struct hg_ev_error *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint16_t, api)
		HG_INT(int32_t, code)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_HEX(flags)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, stack,
	LTTNG_UST_TP_ARGS(const struct hg_ev_stack *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, stack_id)
		HG_SEQUENCE(uint64_t, frames, depth)
	)
)

/* clang-format on */
#include "tracer/migration_tracepoints.h"
#include "tracer/batch_tracepoints.h"
#include "tracer/cost_tracepoints.h"
#include "tracer/offload_tracepoints.h"
#endif

#include <lttng/tracepoint-event.h>
