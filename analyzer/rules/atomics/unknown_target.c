/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics whose address could not be followed to an argument or a variable: HG101 and HG104 where
 * they are lost on all memory that the kernel could reach, HG108 and HG109 where on some of it.
 *
 * A pointer that was loaded from memory may lead into any allocation that the GPU can access, but
 * hardly to the memory that it was loaded from. An address of which nothing is known most likely
 * comes from an argument that the kernel is not seen to use; without one it may be any.
 */
#include "atomics.h"
#include "atomic_fixes.h"

#include <string.h>

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "openmp_atomics.h"
#include "tracer/api/hsa.h"

/* ---- what the GPU can access ---- */

/* More are not examined: then no statement about all memory is made. */
#define MEMORY_MOST 4096

struct gpu_block {
	struct allocation *allocation; /* live as long as the epoch lasts */
	enum granularity granularity;
	enum location location;
	bool mixed, certain;
};

/* Lists the blocks. The process keeps it for as long as its epoch lasts. */
struct gpu_memory {
	bool whole;   /* MEMORY_MOST were enough */
	bool system;  /* and the operating system's memory, fine-grained */
	bool advised; /* ... unless advised otherwise: some pages somewhere were */
	unsigned count;
	struct gpu_block at[];
};

struct collecting {
	const struct process *process;
	GArray *blocks;
	bool whole;
};

static bool below_hip(const struct process *process, const struct allocation *allocation)
{
	return process->device_count >= 0 && !process->target_regions &&
	       (allocation->api == HG_API_hsa_amd_memory_pool_allocate ||
		allocation->api == HG_API_hsa_memory_allocate ||
		allocation->api == HG_API_hsa_amd_memory_lock ||
		allocation->api == HG_API_hsa_amd_memory_lock_to_pool);
}

static gboolean collect(gpointer key, gpointer value, gpointer data)
{
	struct collecting *collecting = data;
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = value };
	struct gpu_block block = { .allocation = value };
	struct grain grain;

	(void)key;
	if (below_hip(collecting->process, value))
		return FALSE;
	if (collecting->blocks->len == MEMORY_MOST) {
		collecting->whole = false;
		return TRUE;
	}
	grain = place_grain(collecting->process, &place);
	block.granularity = grain.granularity;
	block.location = grain.location;
	block.mixed = grain.mixed;
	block.certain = grain.certain;
	grain_clear(&grain);
	if (block.granularity != GRAIN_INACCESSIBLE)
		g_array_append_val(collecting->blocks, block);
	return FALSE;
}

/* Kept with the process. */
struct kept_memory {
	struct gpu_memory *memory;
	uint64_t epoch;
};

static void clear_memory(void *data)
{
	g_free(((struct kept_memory *)data)->memory);
}

static const struct attachment_type memory_type = { sizeof(struct kept_memory), NULL,
						    clear_memory };

static const struct gpu_memory *gpu_memory(struct process *process)
{
	static const enum layer layers[] = { LAYER_REGISTERED, LAYER_MAPPED, LAYER_HIP };
	struct collecting collecting = { process, NULL, true };
	const struct device *device = process_device(process, 0);
	struct kept_memory *kept = attachment_get(&process->attachments, &memory_type);
	struct gpu_memory *memory = kept->memory;

	if (memory && kept->epoch == process->epoch)
		return memory;
	collecting.blocks = g_array_new(FALSE, FALSE, sizeof(struct gpu_block));
	for (unsigned i = 0; i < G_N_ELEMENTS(layers) && collecting.whole; i++)
		g_tree_foreach(process->space.layers[layers[i]], collect, &collecting);
	g_free(memory);
	memory = g_malloc0(sizeof(*memory) + collecting.blocks->len * sizeof(memory->at[0]));
	memory->whole = collecting.whole;
	memory->system = device && device->xnack == 1;
	memory->advised = g_tree_nnodes(process->pages.ranges) > 0;
	memory->count = collecting.blocks->len;
	memcpy(memory->at, collecting.blocks->data, collecting.blocks->len * sizeof(memory->at[0]));
	g_array_unref(collecting.blocks);
	kept->memory = memory;
	kept->epoch = process->epoch;
	return memory;
}

/* ---- what the instruction may update ---- */

/* Memory that the launch is given. */
struct given {
	const struct allocation *allocation;
	int64_t kernarg;
	bool explained; /* the address was loaded from there, or the kernel is seen to use it */
	bool system;    /* the operating system's */
};

static bool is_table(const struct isa_atomic *atomic, uint32_t kernarg)
{
	for (size_t i = 0; i < atomic->origin.kernarg_count; i++)
		if (atomic->origin.kernarg[i] == kernarg)
			return true;
	return false;
}

/*
 * Returns true if what the kernel does through this word was seen: it is not the one that was lost
 * sight of. That holds also if the other arguments exclude it.
 */
static bool is_followed(const struct isa_kernel *kernel, uint32_t kernarg)
{
	for (size_t i = 0; i < kernel->use_count; i++)
		if (kernel->uses[i].kernarg == kernarg)
			return true;
	return false;
}

static void add_given(const struct rules_context *context, const struct launch *launch,
		      const struct isa_atomic *atomic, uint32_t kernarg, GArray *list)
{
	bool indirect = atomic->origin.kind == ISA_ORIGIN_INDIRECT;
	struct pointer_argument pointer;
	struct given given = { .kernarg = kernarg };

	if (!launch_pointer(context, launch, kernarg, &pointer))
		return;
	given.system = is_system_memory(&pointer.place);
	if (pointer.place.kind != PLACE_ALLOCATION && !given.system)
		return;
	given.allocation = pointer.place.allocation;
	given.explained = indirect ? is_table(atomic, kernarg) : is_followed(launch->code, kernarg);
	g_array_append_val(list, given);
}

/* Returns every pointer among the arguments, and every word of a struct that is one. */
static GArray *given_memory(const struct rules_context *context, const struct launch *launch,
			    const struct isa_atomic *atomic)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct given));

	for (size_t i = 0; i < launch->code->arg_count; i++) {
		const struct isa_arg *arg = &launch->code->args[i];

		for (uint32_t at = (arg->offset + 7) & ~7u; at + 8 <= arg->offset + arg->size;
		     at += 8)
			add_given(context, launch, atomic, at, list);
	}
	return list;
}

static const struct given *find_given(const GArray *list, const struct allocation *allocation,
				      bool explained)
{
	for (unsigned i = 0; i < list->len; i++) {
		const struct given *given = &g_array_index(list, struct given, i);

		if (given->allocation == allocation && given->explained == explained)
			return given;
	}
	return NULL;
}

/* ---- judging ---- */

struct verdict {
	unsigned lost, other; /* allocations */
	unsigned suspected;   /* of those, arguments that the kernel is not seen to use */
	unsigned suspected_lost;
	bool unknown; /* of some it is not known */
};

static enum atomic_outcome outcome_on(const struct rules_context *context,
				      const struct launch *launch, enum atomic_kind kind,
				      const struct gpu_block *block)
{
	const struct pointer_argument pointer = { .place = { .kind = PLACE_ALLOCATION,
							     .allocation = block->allocation } };
	const struct grain grain = { .granularity = block->granularity,
				     .location = block->location };
	struct model_atomic_use use;
	struct model_outcome outcome;

	if (block->granularity != GRAIN_FINE && block->granularity != GRAIN_COARSE)
		return OUTCOME_UNKNOWN;
	use = atomic_use(context, launch, kind, &pointer, &grain);
	outcome = model_atomic(&use);
	return outcome.certain && !outcome.doubt ? outcome.outcome : OUTCOME_UNKNOWN;
}

static bool system_loses(const struct rules_context *context, const struct launch *launch,
			 enum atomic_kind kind)
{
	const struct grain grain = { .granularity = GRAIN_FINE, .location = LOCATION_MOVABLE };
	const struct pointer_argument pointer = { .place = { .kind = PLACE_HEAP } };
	struct model_atomic_use use = atomic_use(context, launch, kind, &pointer, &grain);

	return model_atomic(&use).outcome == OUTCOME_LOST;
}

/*
 * Returns true if this memory may be the target at all. Explained memory may when there is no
 * other.
 */
static bool counts(const GArray *given, const struct allocation *allocation, bool explained_too)
{
	return explained_too || !find_given(given, allocation, true) ||
	       find_given(given, allocation, false);
}

static struct verdict judge(const struct rules_context *context, const struct launch *launch,
			    enum atomic_kind kind, const struct gpu_memory *memory,
			    const GArray *given, bool explained_too)
{
	struct verdict verdict = { 0 };

	for (unsigned i = 0; i < memory->count; i++) {
		const struct gpu_block *block = &memory->at[i];
		enum atomic_outcome outcome;
		bool suspected;

		if (!counts(given, block->allocation, explained_too))
			continue;
		suspected = find_given(given, block->allocation, false) != NULL;
		outcome = outcome_on(context, launch, kind, block);
		verdict.suspected += suspected;
		if (outcome == OUTCOME_LOST) {
			verdict.lost++;
			verdict.suspected_lost += suspected;
			verdict.other += block->mixed || !block->certain;
		} else {
			verdict.other++;
			verdict.unknown |= outcome == OUTCOME_UNKNOWN;
		}
	}
	return verdict;
}

/* ---- reporting ---- */

static bool may_be_lds(const struct launch *launch, const struct isa_atomic *atomic)
{
	return atomic->space == ISA_SPACE_FLAT &&
	       (launch->code->uses_lds != ISA_NO || launch->code->lds_size > 0);
}

static void add_candidates(const struct rules_context *context, const struct launch *launch,
			   enum atomic_kind kind, const struct gpu_memory *memory,
			   const GArray *given, bool explained_too, bool suspected_only,
			   struct finding *finding)
{
	for (unsigned i = 0; i < memory->count; i++) {
		const struct gpu_block *block = &memory->at[i];
		const struct given *argument = find_given(given, block->allocation, false);
		struct place place = { .kind = PLACE_ALLOCATION, .allocation = block->allocation };
		struct grain grain;

		if (!counts(given, block->allocation, explained_too) ||
		    (suspected_only && !argument) ||
		    outcome_on(context, launch, kind, block) != OUTCOME_LOST)
			continue;
		grain = place_grain(context->process, &place);
		finding_add_candidate(finding, block->allocation, grain.granularity, grain.mixed,
				      grain.why, argument ? argument->kernarg : -1);
		grain_clear(&grain);
	}
}

static const char *way_text(const struct isa_atomic *atomic)
{
	return atomic->origin.kind == ISA_ORIGIN_INDIRECT
		   ? "through a pointer that it loads from memory"
		   : "at an address that could not be followed";
}

static char *message_of(const struct finding *finding, const struct launch *launch,
			const struct isa_atomic *atomic, bool all, bool system)
{
	bool by_default = finding->rule == &rules[RULE_HG109];

	if (all) {
		return g_strdup_printf(
		    "%s updates memory with %s %s; it is lost there without an error on %s, "
		    "because all memory that the kernel could reach is fine-grained%s.",
		    finding->kernel, atomic->mnemonic, way_text(atomic), launch->arch,
		    system ? ", including the operating system's while XNACK is on" : "");
	}
	return g_strdup_printf(
	    "%s updates memory with %s %s; %s discards it on the fine-grained memory that the "
	    "kernel could reach%s, and performs it on the rest%s.",
	    finding->kernel, atomic->mnemonic, way_text(atomic), launch->arch,
	    system ? ", including the operating system's while XNACK is on" : "",
	    by_default ? " (clang 21 and later assume that it never is fine-grained)" : "");
}

static void report(const struct rules_context *context, const struct launch *launch,
		   const struct isa_atomic *atomic, enum rule_id rule, bool all, bool system,
		   struct finding **result)
{
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, rule, context->process, &is_new,
			 "unknown %s %s %d %d %s %d %d", launch->kernel->symbol, atomic->mnemonic,
			 atomic->op, atomic->origin.kind, launch->arch, all, system);

	launch_hit(launch, finding);
	atomic_add_site(finding, atomic);
	for (size_t i = 0; i < atomic->origin.kernarg_count; i++)
		finding_goes_through(context, launch, finding, atomic->origin.kernarg[i]);
	*result = finding;
	if (!is_new)
		return;
	finding_set_launch(finding, launch, NULL);
	finding->unknown_target = true;
	finding->message = message_of(finding, launch, atomic, all, system);
	finding->fix = g_strdup(
	    launch_is_omp(launch)
		? "use memory of omp_target_alloc, which is coarse-grained;\nor " FIX_LOOP
		  " (a compare-and-swap loop: correct everywhere, but slow)"
		: "make the memory that the kernel updates coarse-grained (hipMalloc; for managed "
		  "memory hipMemAdviseSetCoarseGrain);\nor " FIX_LOOP
		  " (a compare-and-swap loop: correct everywhere, but slow)");
	finding_set_source(finding, atomic_source_new(launch, atomic));
	finding_at_most(finding, all ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
			"the address of the update could not be followed");
	finding_weigh(finding, &(struct chain){ .launch = launch });
	if (may_be_lds(launch, atomic))
		finding_at_most(finding, CONFIDENCE_POSSIBLE, "it may also be LDS");
}

/* Names a sole candidate as the memory that the finding is about. */
static void name_memory(const struct launch *launch, struct finding *finding, bool system)
{
	const struct candidate *only =
	    finding->candidates->len == 1 && !system ? finding->candidates->pdata[0] : NULL;
	struct place place = { .kind = PLACE_ALLOCATION };

	allocation_unref(finding->allocation);
	finding->allocation = NULL;
	finding->granularity = GRAIN_UNKNOWN;
	g_clear_pointer(&finding->why, g_free);
	finding->kernarg_offset = finding->argument = -1;
	if (!only)
		return;
	place.allocation = only->allocation;
	finding_set_place(finding, &place, only->allocation->ptr);
	finding->met.several = only->count > 1;
	finding->met.least = only->least;
	finding->met.most = only->most;
	finding->granularity = only->granularity;
	finding->mixed = only->mixed;
	finding->why = g_strdup(only->why);
	finding->kernarg_offset = only->kernarg;
	for (size_t i = 0; only->kernarg >= 0 && i < launch->code->arg_count; i++) {
		const struct isa_arg *arg = &launch->code->args[i];

		if (only->kernarg >= arg->offset && only->kernarg < arg->offset + arg->size) {
			finding->argument = (int)i;
			g_free(finding->argument_name);
			finding->argument_name = g_strdup(arg->name);
		}
	}
}

bool atomic_may_be_lost(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic)
{
	enum atomic_kind kind = atomic_instruction_kind(atomic);
	const struct gpu_memory *memory;

	if (!atomic->native)
		return false; /* a loop is right on any memory */
	memory = gpu_memory(context->process);
	if (!memory->whole || (memory->system && system_loses(context, launch, kind)))
		return true;
	for (unsigned i = 0; i < memory->count; i++) {
		enum atomic_outcome outcome = outcome_on(context, launch, kind, &memory->at[i]);

		if (outcome == OUTCOME_LOST || outcome == OUTCOME_UNKNOWN)
			return true;
	}
	return false;
}

bool atomic_is_the_runtimes(const struct launch *launch, const struct isa_atomic *atomic)
{
	uint32_t end = 0;

	if (atomic->function && (g_str_has_prefix(atomic->function, "__ockl_") ||
				 g_str_has_prefix(atomic->function, "__amd_")))
		return true;
	if (atomic->origin.kernarg_count == 0 || launch->code->arg_count == 0)
		return false;
	for (size_t i = 0; i < launch->code->arg_count; i++)
		end = MAX(end, launch->code->args[i].offset + launch->code->args[i].size);
	for (size_t i = 0; i < atomic->origin.kernarg_count; i++)
		if (atomic->origin.kernarg[i] < end)
			return false;
	return true;
}

void check_unknown_target(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic)
{
	enum atomic_kind kind = atomic_instruction_kind(atomic);
	bool fp = !atomic_kind_is_integer(kind), system, explained_too = false;
	bool by_word = atomic->origin.kind == ISA_ORIGIN_UNKNOWN, all;
	const struct gpu_memory *memory;
	struct finding *finding;
	struct verdict verdict;
	enum rule_id rule;
	GArray *given;

	if (!atomic->native)
		return; /* a loop is right on any memory */
	memory = gpu_memory(context->process);
	given = given_memory(context, launch, atomic);
	system = memory->system && system_loses(context, launch, kind);
	verdict = judge(context, launch, kind, memory, given, false);
	if (verdict.lost + verdict.other == 0 && !system) {
		explained_too = true; /* it must be memory that is accounted for already */
		verdict = judge(context, launch, kind, memory, given, true);
	}
	if (by_word && verdict.suspected > 0) {
		/* A suspected one is the most likely target, so the others are not suspected. */
		if (verdict.suspected_lost == 0)
			goto out;
	} else if (verdict.lost == 0 && !system) {
		goto out;
	}
	all = verdict.other == 0 && memory->whole && !may_be_lds(launch, atomic) &&
	      (!memory->system || (system && !memory->advised));
	if (!fp && !all)
		goto out; /* common, and right where they mostly are used */
	rule = !all ? launch->clang >= CLANG_ASSUMES_COARSE ? RULE_HG109 : RULE_HG108
	       : fp ? RULE_HG101
	       : launch->device && launch->device->host_native_atomic == 0 ? RULE_HG105
									   : RULE_HG104;
	report(context, launch, atomic, rule, all, system, &finding);
	add_candidates(context, launch, kind, memory, given, explained_too,
		       by_word && verdict.suspected > 0, finding);
	name_memory(launch, finding, system);
out:
	g_array_unref(given);
}
