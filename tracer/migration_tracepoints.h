/* SPDX-License-Identifier: Apache-2.0 */
/* The events of migration_events.h; included by tracepoints.h, as often as LTTng-UST reads that. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hipgrain, fix_plan,
	LTTNG_UST_TP_ARGS(const struct hg_ev_fix_plan *, event),
	LTTNG_UST_TP_FIELDS(
		HG_HEX(fixes)
		HG_INT(uint32_t, code_objects)
		HG_INT(uint32_t, kernels)
		HG_TEXT(problem)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, fix,
	LTTNG_UST_TP_ARGS(const struct hg_ev_fix *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, fix)
		HG_INT(uint8_t, outcome)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, given)
		HG_INT(int32_t, device)
		HG_INT(int32_t, result)
		HG_INT(uint32_t, kernel_id)
		HG_HEX(stream)
		HG_INT(uint64_t, duration)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, residency,
	LTTNG_UST_TP_ARGS(const struct hg_ev_residency *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, round)
		HG_HEX(ptr)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, looked)
		HG_INT(uint64_t, on_host)
		HG_INT(uint64_t, away)
		HG_INT(uint64_t, swapped)
		HG_INT(uint32_t, left_out)
		HG_INT(int32_t, node)
		HG_INT(int32_t, last_prefetch)
	)
)
/* clang-format on */
