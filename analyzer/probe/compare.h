/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what was measured with what the memory model expects. */
#ifndef HIPGRAIN_PROBE_COMPARE_H
#define HIPGRAIN_PROBE_COMPARE_H

#include "probe.h"

enum probe_verdict {
	VERDICT_AGREE,
	VERDICT_DIFFER,
	VERDICT_MODEL_UNKNOWN,  /* measured, and the model does not know */
	VERDICT_NOT_MEASURED,   /* also: began, and its result is unknown */
	VERDICT_NOT_APPLICABLE, /* the GPU has no such instruction, as the model says or nobody */
	VERDICTS,
};

/* `measured` begins so if a step began and its result is unknown; the rest says why. */
#define PROBE_UNKNOWN "unknown "

struct probe_comparison {
	enum probe_verdict verdict;
	char measured[96];   /* "lost", "coarse-grained", "refused: hipErrorInvalidValue" */
	char model[96];      /* as that; "" where the model has nothing to say */
	const char *sources; /* of the model's answer; "" if none */
	bool certain;        /* the model's answer passed over no unknown condition */
};

/* Compares step `step` on `memory` number `placement` of that mode with the model. */
struct probe_comparison probe_compare(const struct probe_mode *mode, unsigned placement, int step);

/* Returns how many times slower the step is than in memory of hipMalloc; 0: not measured. */
double probe_slowdown(const struct probe_mode *mode, unsigned placement, int step);

const char *probe_verdict_name(enum probe_verdict verdict); /* "agree"; static */

#endif
