/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up what `hipgrain probe` measured on the machine that was recorded, of the memory and the
 * instruction at hand. It takes precedence over the tables of the memory model.
 */
#ifndef HIPGRAIN_RULES_MEASUREMENTS_H
#define HIPGRAIN_RULES_MEASUREMENTS_H

#include "analyzer/rules/engine/rule_api.h"

/* Returns GRAIN_FINE or GRAIN_COARSE, before advice; GRAIN_UNKNOWN if it was not measured. */
enum granularity measured_grain(const struct process *process, const struct place *place);

/* Tells what an atomic does. */
struct atomic_effect {
	struct model_outcome outcome; /* measured, where it was; else the model's */
	bool measured;
	bool differs; /* ... and the model expects something else */
};

/*
 * Answers the same as model_atomic(use), except for measurements of memory as in `place`, which is
 * `grain` now.
 */
struct atomic_effect atomic_effect(const struct process *process, const struct launch *launch,
				   const struct place *place, const struct grain *grain,
				   const struct model_atomic_use *use);

/* A finding that rests on a measured effect: says so, and that raises "proven" to "measured". */
void finding_set_measured(struct finding *finding, const struct launch *launch,
			  const struct atomic_effect *effect);

/*
 * Notes in the report that there is no finding because of a measured effect, where the model
 * expects one.
 */
void note_measured(const struct rules_context *context, const struct launch *launch,
		   const struct place *place, const char *mnemonic,
		   const struct atomic_effect *effect);

#endif
