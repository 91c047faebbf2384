/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the rules over a replayed trace. */
#ifndef HIPGRAIN_RULES_H
#define HIPGRAIN_RULES_H

#include "analyzer/rules/engine/findings.h"

struct rules_engine;

/* `code_objects` is the bundle's directory of captured code objects. */
struct rules_engine *rules_engine_new(const char *code_objects, struct findings *findings);
void rules_engine_free(struct rules_engine *engine);

/* Before replay_apply() of the event; `process` is the one it happens in, or NULL if new. */
void rules_engine_before(struct rules_engine *engine, struct process *process,
			 const struct hg_event *event);

/* Runs the rules that the event wakes after replay_apply() returned `process` for it. */
void rules_engine_event(struct rules_engine *engine, struct process *process,
			const struct hg_event *event);

/* After the last event: drop what later events took back, add notes on the whole run. */
void rules_engine_finish(struct rules_engine *engine, const struct replay *replay);

#endif
