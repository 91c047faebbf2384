/* SPDX-License-Identifier: Apache-2.0 */
/* The events of cost_events.h; included by tracepoints.h, as often as LTTng-UST reads that. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(hipgrain, cost,
	LTTNG_UST_TP_ARGS(const struct hg_ev_cost *, event),
	LTTNG_UST_TP_FIELDS(
		HG_INT(uint64_t, calls)
		HG_INT(uint64_t, timed)
		HG_INT(uint64_t, spent)
		HG_INT(uint64_t, processor)
	)
)
/* clang-format on */
