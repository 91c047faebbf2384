/* SPDX-License-Identifier: Apache-2.0 */
/* HG103, HG104, HG105, HG111, HG202, HG207: atomics that the link or the memory limits in scope. */
#include "atomics.h"
#include "atomic_fixes.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/measurements.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "codeobj/processor.h"
#include "tracer/api/hip_alloc_host.h"

#include <string.h>

static const char *op_text(const struct isa_atomic *atomic)
{
	static const char *const texts[] = {
		[ISA_OP_ADD] = "addition",
		[ISA_OP_SUB] = "subtraction",
		[ISA_OP_MIN] = "minimum",
		[ISA_OP_MAX] = "maximum",
		[ISA_OP_AND] = "bitwise and",
		[ISA_OP_OR] = "bitwise or",
		[ISA_OP_XOR] = "exclusive or",
		[ISA_OP_INC] = "wrapping increment",
		[ISA_OP_DEC] = "wrapping decrement",
		[ISA_OP_SWAP] = "exchange",
		[ISA_OP_CMPSWAP] = "compare-and-swap",
	};

	return atomic->op < G_N_ELEMENTS(texts) && texts[atomic->op] ? texts[atomic->op]
								     : "atomic operation";
}

/*
 * Settles how sure the finding is. `by_lack` says that it rests on the runtime's report that PCIe
 * carries no atomics.
 */
static void weigh_not_carried(struct finding *finding, const struct model_outcome *outcome,
			      bool by_lack)
{
	if (by_lack) {
		finding_at_most(
		    finding, CONFIDENCE_LIKELY,
		    "the only evidence for the lack of PCIe atomics is the runtime's report");
	}
	finding_weigh(finding, &(struct chain){ .outcome = outcome });
}

/* HG104: PCIe carries no such operation; HG105: it does, but not on this machine. */
static void report_not_carried(const struct rules_context *context, const struct launch *launch,
			       const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, const struct grain *grain,
			       const struct pages_used *used, const struct model_atomic_use *use,
			       const struct atomic_effect *effect)
{
	struct model_atomic_use with_atomics = *use;
	bool lacking = use->kind == ATOMIC_INT_PCIE;
	struct finding *finding = atomic_finding(context, launch, lacking ? RULE_HG105 : RULE_HG104,
						 atomic, pointer, grain, used);

	if (!finding)
		return;
	finding_set_measured(finding, launch, effect);
	if (effect->differs) {
		finding->message = g_strdup_printf(
		    "%s does its %s with %s on %s, where this machine's %s discards the operation "
		    "without an error.",
		    finding->kernel, op_text(atomic), atomic->mnemonic, atomic_memory_noun(pointer),
		    launch->arch);
		finding->fix = g_strdup("keep data that the kernel updates this way in memory in "
					"which 'hipgrain probe' measures that it "
					"works" FIX_NOT_TESTED);
		return;
	}
	with_atomics.pcie_atomics = 1;
	finding->message = g_strdup_printf(
	    "%s does its %s with %s on %s in host memory: %s, and %s discards the "
	    "operation without "
	    "an error.",
	    finding->kernel, op_text(atomic), atomic->mnemonic, atomic_memory_noun(pointer),
	    lacking ? "the link to it carries no atomics"
		    : "PCIe carries only addition, exchange and compare-and-swap",
	    launch->arch);
	if (lacking) {
		finding->fix = g_strdup(
		    "keep data that kernels update atomically in device memory (hipMalloc);\nor "
		    "enable PCIe atomics for this slot in the machine's firmware");
	} else if (use->pcie_atomics == 0) {
		/* It is not known if a compare-and-swap gets there. */
		finding->fix = g_strdup("keep data that the kernel updates this way in device "
					"memory (hipMalloc), or in coarse-grained host memory "
					"(hipHostMalloc(&p, n, hipHostMallocNonCoherent))");
	} else {
		finding_set_source(finding, atomic_source_new(launch, atomic));
		finding->fix =
		    g_strdup("keep data that the kernel updates this way in device memory "
			     "(hipMalloc);\nor " FIX_LOOP " (a compare-and-swap loop)");
	}
	if (!effect->measured)
		weigh_not_carried(finding, &effect->outcome,
				  model_atomic(&with_atomics).outcome != OUTCOME_LOST);
}

/* ---- scope ---- */

#define NOBODY_ELSE \
	"it matters only if the CPU or another GPU updates the same memory at the same time"

/*
 * Tells who requests system scope. HIP's headers up to 6.4 do so for atomicAdd(double *) and
 * unsafeAtomicAdd(double *) on all GPUs that they do not name, of which gfx94x and gfx950 have the
 * instruction (docs/memory-model.md#compilers): a program that calls these asks for the device's.
 */
enum requested { BY_NOBODY, BY_PROGRAM, BY_PROGRAM_OR_HEADER };

static enum requested who_requests_system(const struct launch *launch,
					  const struct isa_atomic *atomic)
{
	const struct codeobj_processor *processor = codeobj_processor(launch->arch);
	bool may_be_header = atomic->native && atomic->op == ISA_OP_ADD &&
			     atomic->type == ISA_TYPE_F64 && processor &&
			     processor->f64 == CODEOBJ_F64_UNNAMED;
	struct atomic_source *source;
	enum requested who = BY_PROGRAM;

	if (!atomic->system_scope)
		return BY_NOBODY;
	if (!may_be_header)
		return BY_PROGRAM;
	source = atomic_source_new(launch, atomic);
	if (source->construct == CONSTRUCT_ATOMIC || source->construct == CONSTRUCT_UNSAFE)
		who = BY_NOBODY;
	else if (source->construct == CONSTRUCT_UNKNOWN)
		who = BY_PROGRAM_OR_HEADER;
	atomic_source_free(source);
	return who;
}

static void weigh_scope(struct finding *finding, enum requested who)
{
	finding_at_most(finding, CONFIDENCE_LIKELY, NOBODY_ELSE);
	if (who == BY_PROGRAM_OR_HEADER)
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"HIP's headers up to 6.4 request system scope also for "
				"atomicAdd(double *)");
}

static void report_downgraded(const struct rules_context *context, const struct launch *launch,
			      const struct isa_atomic *atomic,
			      const struct pointer_argument *pointer, const struct grain *grain,
			      const struct pages_used *used, enum requested who)
{
	struct finding *finding =
	    atomic_finding(context, launch, RULE_HG103, atomic, pointer, grain, used);

	if (!finding)
		return;
	finding->message = g_strdup_printf(
	    "%s requests system scope with %s on %s in host memory: over PCIe %s performs it as a "
	    "load, an operation and a store, which is atomic within this GPU only.",
	    finding->kernel, atomic->mnemonic, atomic_memory_noun(pointer), launch->arch);
	finding->fix = g_strdup("keep the variable in device memory" FIX_NOT_TESTED
				";\nor use integer addition, "
				"exchange or compare-and-swap, which PCIe carries" FIX_NOT_TESTED);
	weigh_scope(finding, who);
}

/*
 * Returns HG202 or HG207 for memory that is coarse-grained by surprise, HG111 if it is by request.
 */
static enum rule_id coarse_rule(const struct allocation *allocation)
{
	/* hipHostMalloc flags (docs/memory-model.md#flags-of-hiphostmalloc) */
	const uint64_t non_coherent = 0x80000000;

	if (allocation->api == HG_API_hipMallocHost)
		return RULE_HG207;
	if (allocation->api == HG_API_hipHostMalloc && !(allocation->flags & non_coherent))
		return RULE_HG202;
	return RULE_HG111;
}

static const char *coarse_fix_text(enum rule_id rule)
{
	switch ((unsigned)rule) {
	case RULE_HG202:
		return "add hipHostMallocCoherent to the flags, or set HIP_HOST_COHERENT=1";
	case RULE_HG207:
		return "use hipHostMalloc(&p, n, hipHostMallocCoherent) instead of hipMallocHost";
	default:
		return "use fine-grained memory for data that several agents update concurrently: "
		       "hipHostMalloc(&p, n, hipHostMallocCoherent)";
	}
}

static void report_coarse(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic, const struct pointer_argument *pointer,
			  const struct grain *grain, const struct pages_used *used,
			  enum requested who)
{
	const struct allocation *allocation = pointer->place.allocation;
	enum rule_id rule = coarse_rule(allocation);
	struct finding *finding =
	    atomic_finding(context, launch, rule, atomic, pointer, grain, used);
	char *flags;

	if (!finding)
		return;
	flags = model_flags_text(allocation->api, allocation->flags);
	finding->message =
	    g_strdup_printf("%s requests system scope with %s, but %s is coarse-grained%s%s%s: the "
			    "operation is performed at device scope, and the CPU sees it after the "
			    "end of the kernel at the earliest.",
			    finding->kernel, atomic->mnemonic, atomic_memory_noun(pointer),
			    rule == RULE_HG202 ? " with " : "", rule == RULE_HG202 ? flags : "",
			    rule == RULE_HG202 ? " alone" : "");
	g_free(flags);
	finding->fix = g_strdup(coarse_fix_text(rule));
	weigh_scope(finding, who);
}

/* Adds a limit if the link to the host is unknown and decides if the operation is carried out. */
static void limit_unknown_link(const struct rules_context *context, const struct launch *launch,
			       const struct isa_atomic *atomic, struct model_atomic_use use)
{
	struct model_outcome over_pcie, over_xgmi;

	use.link = LINK_PCIE;
	over_pcie = model_atomic(&use);
	use.link = LINK_XGMI;
	over_xgmi = model_atomic(&use);
	if (atomic_kind_is_integer(use.kind) && over_pcie.outcome != over_xgmi.outcome) {
		atomic_limit_memory(context, launch, atomic,
				    "the link between the GPU and host memory is unknown");
	}
}

void check_interconnect(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic, const struct pointer_argument *pointer)
{
	enum atomic_kind kind = atomic_instruction_kind(atomic);
	enum requested who = who_requests_system(launch, atomic);
	struct model_atomic_use use;
	struct atomic_effect effect;
	struct model_outcome outcome;
	struct pages_used used;
	struct grain grain;

	if (pointer->place.kind != PLACE_ALLOCATION)
		return;
	used = atomic_grain(context, launch, atomic, pointer, &grain);
	use = atomic_use(context, launch, kind, pointer, &grain);
	use.system_scope = who != BY_NOBODY;
	effect = atomic_effect(context->process, launch, &pointer->place, &grain, &use);
	outcome = effect.outcome;
	if (!outcome.certain) {
		if (use.link == LINK_UNKNOWN)
			limit_unknown_link(context, launch, atomic, use);
		goto out;
	}
	if (atomic_kind_is_integer(kind) && outcome.outcome == OUTCOME_LOST)
		report_not_carried(context, launch, atomic, pointer, &grain, &used, &use, &effect);
	else if (outcome.outcome == OUTCOME_DOWNGRADED && grain.granularity == GRAIN_FINE)
		report_downgraded(context, launch, atomic, pointer, &grain, &used, who);
	else if (who != BY_NOBODY && grain.granularity == GRAIN_COARSE &&
		 (use.location == LOCATION_HOST || use.location == LOCATION_MOVABLE))
		report_coarse(context, launch, atomic, pointer, &grain, &used, who);
	else if (atomic_kind_is_integer(kind) && outcome.outcome == OUTCOME_WORKS)
		note_measured(context, launch, &pointer->place, atomic->mnemonic, &effect);
out:
	grain_clear(&grain);
}

/* ---- waiting ---- */

static void report_spin(const struct rules_context *context, const struct launch *launch,
			const struct isa_spin *spin, const struct pointer_argument *pointer,
			const struct grain *grain)
{
	const struct allocation *allocation = pointer->place.allocation;
	enum rule_id rule = coarse_rule(allocation);
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, rule, context->process, &is_new,
			       "spin %s %u %s %d %u %" G_GINT64_MODIFIER "x",
			       launch->kernel->symbol, pointer->kernarg, spin->mnemonic,
			       allocation->api, allocation->stack_id, allocation->flags);
	launch_hit(launch, finding);
	finding_add_instruction(finding, &(struct code_site){ .instruction = spin->mnemonic,
							      .code_offset = spin->kernel_offset,
							      .file = spin->file,
							      .line = spin->line });
	if (!is_new) {
		finding_met(finding, &pointer->place);
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->granularity = grain->granularity;
	finding->why = g_strdup(grain->why);
	finding->message = g_strdup_printf(
	    "%s waits in a loop for a change of coarse-grained %s: the GPU may keep the old value "
	    "in its cache until the kernel ends, and then the loop never ends.",
	    finding->kernel, allocation_noun(allocation));
	finding->fix = g_strdup(coarse_fix_text(rule));
	finding_at_most(finding, CONFIDENCE_LIKELY,
			"the writer, and whether the launch had to wait, are not recorded");
}

/* Reports memory that is waited for if it is certainly the host's and coarse-grained. */
static void check_spin(const struct rules_context *context, const struct launch *launch,
		       const struct isa_spin *spin, const struct pointer_argument *pointer)
{
	struct grain grain;

	if (pointer->place.kind != PLACE_ALLOCATION)
		return;
	grain = place_grain(context->process, &pointer->place);
	if (grain.granularity == GRAIN_COARSE && grain.location == LOCATION_HOST && grain.certain)
		report_spin(context, launch, spin, pointer, &grain);
	grain_clear(&grain);
}

/* Through pointers in memory: where it is known which memory that is. */
static void check_spin_paths(const struct rules_context *context, const struct launch *launch,
			     const struct isa_spin *spin)
{
	const struct isa_paths *paths = &spin->origin.paths;
	struct path_targets targets;

	path_targets_find(context, launch, paths->path, paths->count, &targets);
	for (unsigned i = 0; i < targets.list->len && targets.complete; i++)
		if (path_targets_alike(&targets))
			check_spin(context, launch, spin,
				   &g_array_index(targets.list, struct pointer_argument, i));
	path_targets_clear(&targets);
}

void check_spins(const struct rules_context *context, const struct launch *launch)
{
	for (size_t i = 0; i < launch->code->spin_count; i++) {
		const struct isa_spin *spin = &launch->code->spins[i];
		struct pointer_argument pointer;

		if (spin->origin.kind == ISA_ORIGIN_INDIRECT)
			check_spin_paths(context, launch, spin);
		else if (spin->origin.kind == ISA_ORIGIN_DIRECT &&
			 launch_pointer(context, launch, spin->origin.kernarg[0], &pointer))
			check_spin(context, launch, spin, &pointer);
	}
}
