/* SPDX-License-Identifier: Apache-2.0 */
/* The findings about transfers of OpenMP: internal to offload*.c. */
#ifndef HIPGRAIN_OFFLOAD_REPORT_H
#define HIPGRAIN_OFFLOAD_REPORT_H

#include "offload_state.h"

/* HG505: bytes that nothing can have read by now. `what` became of them, for the sentence. */
void offload_unused(const struct process_offload *process, const struct rules_context *context,
		    const struct range *range, const struct pending *pending, const char *what);

/* HG504, HG505: the device's copy holds these bytes already. */
void offload_repeat(const struct process_offload *process, const struct rules_context *context,
		    const struct transfer *transfer);

/* HG505: the host was given these bytes before, and no region has run since. */
void offload_fetched_again(const struct process_offload *process,
			   const struct rules_context *context, const struct transfer *transfer);

/* Reports HG803, HG804, and what was not analysed, after the last event. */
void offload_finish_process(struct process_offload *process, const struct rules_context *context);

#endif
