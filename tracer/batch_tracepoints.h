/* SPDX-License-Identifier: Apache-2.0 */
/* The events of batch_events.h; included by tracepoints.h, as often as LTTng-UST reads that. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hipgrain, batch_open,
	LTTNG_UST_TP_ARGS(const struct hg_ev_batch_open *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, number)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(hipgrain, batch,
	LTTNG_UST_TP_ARGS(const struct hg_ev_batch *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint32_t, number)
		HG_INT(int32_t, thread)
		HG_INT(uint64_t, begin)
		HG_SEQUENCE(uint64_t, records, words)
	)
)
/* clang-format on */
