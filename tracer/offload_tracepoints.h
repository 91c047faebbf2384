/* SPDX-License-Identifier: Apache-2.0 */
/* The events of offload_events.h; included by tracepoints.h, as often as LTTng-UST reads that. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_runtime,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_runtime *, event),
	LTTNG_UST_TP_FIELDS(
		HG_TEXT(version)
		HG_INT(uint32_t, omp_version)
		HG_HEX(callbacks)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_device,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_device *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(int32_t, device)
		HG_TEXT(type)
		HG_TEXT(documentation)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_target,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_target *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint8_t, kind)
		HG_INT(uint8_t, endpoint)
		HG_INT(int32_t, device)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_data,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_data *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, op_id)
		HG_INT(uint8_t, op)
		HG_HEX(src)
		HG_HEX(dst)
		HG_INT(int32_t, src_device)
		HG_INT(int32_t, dst_device)
		HG_INT(uint64_t, size)
		HG_INT(uint64_t, duration)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_content,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_content *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, op_id)
		HG_HEX(hash)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_map,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_map *, event),
	LTTNG_UST_TP_FIELDS(
		HG_HEX(host)
		HG_HEX(device)
		HG_INT(uint64_t, size)
		HG_HEX(flags)
		HG_INT(uint32_t, stack_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, omp_submit,
	LTTNG_UST_TP_ARGS(const struct hg_ev_omp_submit *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(int32_t, device)
		HG_INT(uint32_t, teams)
		HG_INT(uint32_t, stack_id)
	)
)
/* clang-format on */
