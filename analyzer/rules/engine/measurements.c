/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the measurements that hold for memory and instructions of a recording. */
#include "measurements.h"

#include "analyzer/model/measured.h"
#include "analyzer/rules/engine/chain.h"
#include "tracer/api/host.h"

static struct measured_key key_of(const struct process *process, const struct device *device)
{
	return (struct measured_key){
		.arch = device && device->arch ? device->arch : "",
		.xnack = device ? device->xnack : -1,
		.runtime_version = process->runtime_version,
	};
}

/* Returns false if the probe allocates nothing like it. */
static bool memory_of(const struct place *place, bool advised, struct measured_memory *memory)
{
	*memory = (struct measured_memory){ .api = HG_API_malloc, .advised = advised };
	switch (place->kind) {
	case PLACE_ALLOCATION:
		if (place->allocation->layer == LAYER_HOST)
			return true;
		memory->api = place->allocation->api;
		memory->flags = place->allocation->flags;
		/* Variables and mappings are other memory than what the call returns. */
		return !place->allocation->symbol && place->allocation->layer != LAYER_MAPPING;
	case PLACE_HEAP:
		return true;
	default:
		return false;
	}
}

enum granularity measured_grain(const struct process *process, const struct place *place)
{
	struct measured_key key = key_of(process, process_device(process, 0));
	struct measured_memory memory;

	if (!process->measured || !memory_of(place, false, &memory))
		return GRAIN_UNKNOWN;
	return measured_granularity(process->measured, &key, &memory);
}

struct atomic_effect atomic_effect(const struct process *process, const struct launch *launch,
				   const struct place *place, const struct grain *grain,
				   const struct model_atomic_use *use)
{
	struct atomic_effect effect = { .outcome = model_atomic(use) };
	struct measured_key key = key_of(process, launch->device);
	bool advised = grain->how & GRAIN_BY_ADVICE && grain->granularity == GRAIN_COARSE;
	enum atomic_outcome measured, expected = effect.outcome.outcome;
	struct measured_memory memory;

	/* The probe measures memory whose pages are all alike, and that nobody has moved. */
	if (!process->measured || grain->mixed || grain->how & GRAIN_BY_RUNTIME ||
	    !memory_of(place, advised, &memory) ||
	    (place->allocation && place->allocation->prefetched_to_gpu))
		return effect;
	measured = measured_atomic(process->measured, &key, &memory, use->kind, use->system_scope);
	/* The probe has no second party, to which an operation is not atomic. */
	if (measured == OUTCOME_UNKNOWN ||
	    (measured == OUTCOME_WORKS && expected == OUTCOME_DOWNGRADED))
		return effect;
	effect.measured = true;
	effect.differs = expected != measured && expected != OUTCOME_UNKNOWN;
	effect.outcome.outcome = measured;
	effect.outcome.certain = true;
	effect.outcome.doubt = NULL;
	return effect;
}

static const char *outcome_text(enum atomic_outcome outcome)
{
	return outcome == OUTCOME_LOST ? "lost" : "performed";
}

/* "6.4" of what hipRuntimeGetVersion() says; to be freed. */
static char *release_text(int version)
{
	return g_strdup_printf("HIP %d.%d", version / 10000000, version / 100000 % 100);
}

void finding_set_measured(struct finding *finding, const struct launch *launch,
			  const struct atomic_effect *effect)
{
	char *release;

	if (!effect->measured || finding->measured)
		return;
	release = release_text(finding->process->runtime_version);
	finding->measured = g_strdup_printf(
	    "hipgrain probe measured on this machine (%s, %s) that it is %s in memory of this "
	    "kind%s",
	    launch->arch, release, outcome_text(effect->outcome.outcome),
	    effect->differs ? "; the memory model expects otherwise" : "");
	g_free(release);
	finding_was_measured(finding);
}

void note_measured(const struct rules_context *context, const struct launch *launch,
		   const struct place *place, const char *mnemonic,
		   const struct atomic_effect *effect)
{
	char *release;

	if (!effect->measured || !effect->differs)
		return;
	release = release_text(context->process->runtime_version);
	findings_note(context->findings,
		      "%s with %s on %s: the memory model expects otherwise, but hipgrain probe "
		      "measured on this machine (%s, %s) that it is %s: not reported",
		      launch->code->name, mnemonic,
		      place->allocation ? allocation_noun(place->allocation) : "the host's heap",
		      launch->arch, release, outcome_text(effect->outcome.outcome));
	g_free(release);
}
