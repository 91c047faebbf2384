/* SPDX-License-Identifier: Apache-2.0 */
/* HG1xx: what floating-point atomics do on the memory that they are given. */
#include "atomics.h"

#include "atomic_fixes.h"
#include "analyzer/rules/engine/supposition.h"
#include "analyzer/rules/engine/call_history.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evaluations.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/measurements.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/ids/hg1xx.h"
#include "openmp_atomics.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_launch.h"

#include <string.h>

int atomic_fp_kind(const struct isa_atomic *atomic)
{
	enum isa_op op = atomic->cas_loop ? atomic->loop_op : atomic->op;
	bool minmax = op == ISA_OP_MIN || op == ISA_OP_MAX || op == ISA_OP_MINMAX;

	if (!atomic->fp || (!minmax && op != ISA_OP_ADD && op != ISA_OP_SUB))
		return -1;
	switch (atomic->type) {
	case ISA_TYPE_F32:
		return minmax ? ATOMIC_F32_MINMAX : ATOMIC_F32_ADD;
	case ISA_TYPE_F64:
		return minmax ? ATOMIC_F64_MINMAX : ATOMIC_F64_ADD;
	case ISA_TYPE_PK_F16:
		return minmax ? -1 : ATOMIC_PK_F16_ADD;
	case ISA_TYPE_PK_BF16:
		return minmax ? -1 : ATOMIC_PK_BF16_ADD;
	default:
		return -1;
	}
}

enum atomic_kind atomic_instruction_kind(const struct isa_atomic *atomic)
{
	int kind = atomic->native ? atomic_fp_kind(atomic) : -1;

	if (kind >= 0)
		return (enum atomic_kind)kind;
	switch (atomic->op) {
	case ISA_OP_ADD:
	case ISA_OP_SWAP:
	case ISA_OP_CMPSWAP:
		return ATOMIC_INT_PCIE;
	case ISA_OP_MIN:
	case ISA_OP_MAX:
		return ATOMIC_INT_MINMAX;
	default:
		return ATOMIC_INT_OTHER;
	}
}

/* Returns true if advice keeps the pages on the host with XNACK on. */
static bool is_kept_on_host(const struct rules_context *context,
			    const struct pointer_argument *pointer, const struct grain *grain)
{
	return grain->location == LOCATION_MOVABLE &&
	       memory_is_kept_on_host(
		   call_history_find(context->history, pointer->place.allocation),
		   context->event->launch->device);
}

struct model_atomic_use atomic_use(const struct rules_context *context, const struct launch *launch,
				   enum atomic_kind kind, const struct pointer_argument *pointer,
				   const struct grain *grain)
{
	const struct device *device = launch->device;
	const struct allocation *allocation = pointer->place.allocation;
	struct model_atomic_use use = { .arch = launch->arch,
					.kind = kind,
					.granularity = grain->granularity,
					.location = grain->location,
					.pcie_atomics = device ? device->host_native_atomic : -1,
					.apu = device ? device->integrated : -1 };

	/* hsa_amd_link_info_type_t [HSAH] */
	if (device && device->host_link == 2)
		use.link = LINK_PCIE;
	else if (device && device->host_link == 4)
		use.link = LINK_XGMI;
	/* Without XNACK nothing moves but by prefetching (S0). */
	if (use.location == LOCATION_MOVABLE && device && device->xnack == 0 &&
	    (!allocation || !allocation->prefetched_to_gpu))
		use.location = LOCATION_HOST;
	if (is_kept_on_host(context, pointer, grain))
		use.location = LOCATION_HOST;
	return use;
}

const char *atomic_kind_text(enum atomic_kind kind)
{
	static const char *const texts[] = {
		[ATOMIC_F32_ADD] = "float addition",
		[ATOMIC_F32_MINMAX] = "float minimum or maximum",
		[ATOMIC_F64_ADD] = "double addition",
		[ATOMIC_F64_MINMAX] = "double minimum or maximum",
		[ATOMIC_PK_F16_ADD] = "packed half addition",
		[ATOMIC_PK_BF16_ADD] = "packed bfloat16 addition",
	};

	return texts[kind];
}

char *atomic_coarse_fix(const struct pointer_argument *pointer, int device)
{
	const struct allocation *allocation = pointer->place.allocation;

	if (pointer->among) {
		return g_strdup("make all candidates coarse-grained (hipMalloc; for managed memory "
				"hipMemAdviseSetCoarseGrain)");
	}
	if (!allocation) {
		return g_strdup("allocate it with hipMalloc, or with hipMallocManaged and "
				"hipMemAdviseSetCoarseGrain");
	}
	if (allocation->symbol) {
		return g_strdup_printf(
		    "call hipMemAdvise(&%s, sizeof(%s), "
		    "hipMemAdviseSetCoarseGrain, " FIX_DEVICE
		    "); before the launch;\nor declare it __device__ instead of __managed__",
		    allocation->symbol, allocation->symbol, device);
	}
	if (allocation->api == HG_API_hipHostRegister && !allocation_is_in_place(allocation))
		return g_strdup("registered memory cannot be coarse-grained: allocate it with "
				"hipHostMalloc(&p, n, hipHostMallocNonCoherent);\nor allocate it "
				"with hipMalloc");
	switch (allocation->api) {
	case HG_API_hsa_amd_memory_pool_allocate:
	case HG_API_hsa_memory_allocate:
	case HG_API_hsa_amd_memory_lock:
	case HG_API_hsa_amd_memory_lock_to_pool:
		return g_strdup("take it from a coarse-grained memory pool (omp_target_alloc "
				"does)" FIX_NOT_TESTED);
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMemAllocHost:
		return g_strdup(
		    "allocate it with hipMalloc;\nor with hipHostMalloc(&" FIX_POINTER ", " FIX_SIZE
		    ", hipHostMallocNonCoherent), if the host must address it" FIX_POINTER_NOTE);
	case HG_API_hipExtMallocWithFlags:
		return g_strdup("allocate it with hipMalloc, which is coarse-grained");
	default:
		return g_strdup_printf(
		    "insert" FIX_SITE FIX_POINTER_NOTE ": hipMemAdvise(" FIX_POINTER ", " FIX_SIZE
		    ", hipMemAdviseSetCoarseGrain, " FIX_DEVICE ");\nor allocate it with hipMalloc",
		    device);
	}
}

/* Returns the number of bytes that one update touches. */
static uint64_t element_size(const struct isa_atomic *atomic)
{
	return atomic->type == ISA_TYPE_F64 || atomic->type == ISA_TYPE_I64 ? 8 : 4;
}

struct pages_used atomic_grain(const struct rules_context *context, const struct launch *launch,
			       const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, struct grain *grain)
{
	const struct isa_step *distance = pointer->placed  ? &pointer->distance
					  : atomic->placed ? &atomic->place
							   : NULL;
	struct pages_used used;

	*grain = place_grain(context->process, &pointer->place);
	used = pages_used(context->process, pointer, grain, distance, launch->work_items,
			  element_size(atomic));
	if (used.reach != PAGES_ALIKE)
		*launch->items_matter = true;
	if (used.reach == PAGES_COARSE) {
		grain->mixed = false;
		grain->granularity = GRAIN_COARSE;
	}
	return used;
}

/* Adds the doubt that remains if pages differ. */
static void weigh_pages(struct chain *chain, enum page_reach reach)
{
	static const struct {
		enum confidence at_most;
		const char *doubt;
	} doubts[] = {
		[PAGES_BEHIND] = { CONFIDENCE_LIKELY,
				   "the index that is added to the pointer is not known: a "
				   "negative one leads back to coarse-grained pages" },
		[PAGES_LIKELY] = { CONFIDENCE_LIKELY,
				   "which pages are updated depends on the index that is added to "
				   "the pointer" },
		[PAGES_POSSIBLE] = { CONFIDENCE_POSSIBLE,
				     "with one element for each work-item, from the pointer on, "
				     "only coarse-grained pages are updated" },
		[PAGES_SOME_OF_ALL] = { CONFIDENCE_LIKELY,
					"the runtime does not say which pages are fine-grained" },
		[PAGES_UNKNOWN] = { CONFIDENCE_POSSIBLE,
				    "the runtime does not say which pages are fine-grained" },
	};

	if (reach < G_N_ELEMENTS(doubts)) {
		chain->pages = doubts[reach].doubt;
		chain->pages_at_most = doubts[reach].at_most;
	}
}

void atomic_add_site(struct finding *finding, const struct isa_atomic *atomic)
{
	const struct code_site site = {
		.instruction = atomic->mnemonic,
		.function = atomic->function,
		.code_offset = (int64_t)atomic->offset,
		.file = atomic->file,
		.line = atomic->line,
	};

	finding_add_instruction(finding, &site);
}

/* Returns what all that is united has in common, because the sentences are about that. */
static char *key_of(const struct launch *launch, const struct isa_atomic *atomic,
		    const struct pointer_argument *pointer, const struct grain *grain)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct atomic_source *source = atomic_source_new(launch, atomic);
	GString *key = g_string_new(launch->kernel->symbol);

	g_string_append_printf(key, " %d %s %s %d %d", pointer->chain != NULL,
			       pointer->doubt ? pointer->doubt : "", atomic->mnemonic,
			       atomic_fp_kind(atomic), atomic->op);
	g_string_append_printf(key, " %s %d %d %d", launch->arch, launch->clang,
			       launch->device != NULL, grain->certain);
	/* Fixes are for what the source says. */
	g_string_append_printf(key, " %d %d %d %s", source->construct, source->operation,
			       source->returns, source->name ? source->name : "");
	atomic_source_free(source);
	if (pointer->among) {
		g_string_append_printf(key, " among %s", pointer->among);
		return g_string_free(key, FALSE);
	}
	if (pointer->several)
		g_string_append_printf(key, " %s", pointer->several);
	else
		g_string_append_printf(key, " %u", pointer->kernarg);
	g_string_append_printf(key, " %d %d %d %u", pointer->place.kind, grain->granularity,
			       grain->mixed, grain->how);
	if (allocation) {
		g_string_append_printf(
		    key, " %d %u %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %s",
		    allocation->api, allocation->stack_id, allocation->flags,
		    allocation->stack_id ? 0 : allocation->ptr, piece_key(&pointer->place));
	}
	return g_string_free(key, FALSE);
}

/* The numbers of fine_part(). */
enum { FIGURE_OFFSET, FIGURE_FINE_SIZE, FIGURE_FINE_START };

static void count_fine_part(struct finding *finding, const struct pointer_argument *pointer,
			    const struct pages_used *used)
{
	finding_figure(finding, FIGURE_OFFSET, FIGURE_RANGE, pointer->place.offset);
	finding_figure(finding, FIGURE_FINE_SIZE, FIGURE_RANGE, used->fine_size);
	finding_figure(finding, FIGURE_FINE_START, FIGURE_RANGE, used->fine_start);
}

static const char *system_noun(const struct place *place)
{
	switch (place->kind) {
	case PLACE_STACK:
		return "the stack of a host thread";
	case PLACE_STATIC:
		return "the static data of the host program";
	default:
		return "the host's heap";
	}
}

/* Returns the memory that the pointer leads into, for a sentence. The caller frees it. */
static char *this_memory(const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	const char *noun = allocation ? allocation_noun(allocation) : system_noun(&pointer->place);
	char *memory = NULL, *text;

	if (pointer->among)
		return g_strdup("each of the candidates");
	if (pointer->place.piece && !pointer->place.piece->freed)
		memory = place_text(&pointer->place);
	text =
	    g_strdup_printf("%s%s%s%s%s%s", allocation ? "this " : "", noun, memory ? ", " : "",
			    memory ? memory : "", memory ? "," : "",
			    pointer->maybe_harmless ? ", one of several that it may update," : "");
	g_free(memory);
	return text;
}

/* Returns the part of that memory that is fine-grained, for a sentence. The caller frees it. */
static char *fine_part(const char *memory, const struct pages_used *used)
{
	switch (used->reach) {
	case PAGES_FINE:
		return g_strdup_printf("only part of %s was made coarse-grained: what it updates, "
				       "from offset %s on, is fine-grained",
				       memory, FIGURE(2));
	case PAGES_BEHIND:
		return g_strdup_printf("only part of %s was made coarse-grained: from offset "
				       "%s on, where the pointer leads, all of it is fine-grained",
				       memory, FIGURE(0));
	case PAGES_LIKELY:
	case PAGES_POSSIBLE:
		return g_strdup_printf("the pointer leads to offset %s of %s, of which %s bytes "
				       "from offset %s on are fine-grained",
				       FIGURE(0), memory, FIGURE(1), FIGURE(2));
	case PAGES_SOME_OF_ALL:
	case PAGES_UNKNOWN:
		return g_strdup_printf("part of %s is fine-grained", memory);
	default:
		return g_strdup_printf("%s is fine-grained", memory);
	}
}

/* Fills in the memory that a new finding is about; candidates are listed apart. */
static void set_memory(const struct rules_context *context, struct finding *finding,
		       const struct launch *launch, const struct pointer_argument *pointer,
		       const struct grain *grain, const struct pages_used *used)
{
	if (pointer->among) {
		finding_set_launch(finding, launch, NULL);
		finding_weigh(finding, &(struct chain){ .pointer = pointer });
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->granularity = grain->granularity;
	finding->mixed = grain->mixed;
	finding->why = g_strdup(grain->why);
	if (used && grain->how == GRAIN_BY_ADVICE)
		finding_set_pages(finding, context->process, GRAIN_FINE);
}

const char *atomic_memory_noun(const struct pointer_argument *pointer)
{
	return pointer->among ? "candidate memory" : allocation_noun(pointer->place.allocation);
}

struct finding *atomic_finding(const struct rules_context *context, const struct launch *launch,
			       enum rule_id rule, const struct isa_atomic *atomic,
			       const struct pointer_argument *pointer, const struct grain *grain,
			       const struct pages_used *used)
{
	bool pages = used && used->reach != PAGES_ALIKE && used->reach != PAGES_COARSE;
	char *key = key_of(launch, atomic, pointer, grain);
	struct finding *finding;
	struct chain chain;
	bool is_new;

	finding = findings_get(context->findings, rule, context->process, &is_new, "%s %d %d", key,
			       pages ? (int)used->reach : 0, atomic->executes);
	launch_hit(launch, finding);
	atomic_add_site(finding, atomic);
	if (pointer->chain && pointer->kernarg != NO_KERNARG)
		finding_goes_through(context, launch, finding, pointer->kernarg);
	if (pointer->place.allocation)
		finding_figure(finding, FIGURE_SIZE, FIGURE_RANGE, pointer->place.allocation->size);
	if (pages)
		count_fine_part(finding, pointer, used);
	if (pointer->among && pointer->place.allocation) {
		finding_add_candidate(finding, pointer->place.allocation, grain->granularity,
				      grain->mixed, grain->why,
				      pointer->chain || pointer->kernarg == NO_KERNARG
					  ? -1
					  : (int64_t)pointer->kernarg);
	}
	if (!is_new) {
		if (!pointer->among)
			finding_met(finding, &pointer->place);
		g_free(key);
		return NULL;
	}
	set_memory(context, finding, launch, pointer, grain, used);
	chain = (struct chain){ .launch = launch, .atomic = atomic, .grain = grain };
	if (used)
		weigh_pages(&chain, used->reach);
	finding_weigh(finding, &chain);
	if ((rule == RULE_HG103 || rule == RULE_HG104 || rule == RULE_HG105) &&
	    (!launch->device || launch->device->xnack != 0) &&
	    is_kept_on_host(context, pointer, grain)) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"advice keeps its pages from moving to this GPU; whether they were "
				"with the host before is not recorded");
	}
	/* Launches that use other pages, or are less sure, are listed beside the surest ones. */
	finding->group =
	    g_strdup_printf("%p %s %s", (void *)context->process, key, pages ? "" : rules[rule].id);
	finding->place = (pages ? (unsigned)used->reach * 2 : 0) + !atomic->executes;
	g_free(key);
	return finding;
}

static void report_lost(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic, enum atomic_kind kind,
			const struct pointer_argument *pointer, const struct grain *grain,
			const struct pages_used *used, const struct atomic_effect *effect)
{
	enum rule_id rule = !grain->mixed                   ? RULE_HG101
			    : used->reach == PAGES_POSSIBLE ? RULE_HG108
							    : RULE_HG102;
	struct finding *finding =
	    atomic_finding(context, launch, rule, atomic, pointer, grain, used);
	char *fix, *part, *memory;

	if (!finding)
		return;
	memory = this_memory(pointer);
	finding_weigh(finding, &(struct chain){ .outcome = &effect->outcome });
	finding_set_measured(finding, launch, effect);
	finding_set_source(finding, atomic_source_new(launch, atomic));
	if (grain->granularity == GRAIN_COARSE) { /* only a measurement says so */
		finding->message = g_strdup_printf(
		    "%s does its %s with %s, which this machine's %s discards on %s without "
		    "an error, although the memory is coarse-grained.",
		    finding->kernel, atomic_kind_text(kind), atomic->mnemonic, launch->arch,
		    memory);
		finding->fix = g_strdup(FIX_LOOP " (a compare-and-swap loop: correct everywhere, "
						 "but slow)");
		goto out;
	}
	part = fine_part(memory, used);
	finding->message = g_strdup_printf(
	    "%s does its %s with %s, which %s discards on fine-grained memory without an "
	    "error; %s.",
	    finding->kernel, atomic_kind_text(kind), atomic->mnemonic, launch->arch, part);
	g_free(part);
	fix = atomic_coarse_fix(pointer, context->event->launch->device);
	finding->fix = g_strdup_printf("%s;\nor " FIX_LOOP " (a compare-and-swap loop: correct "
				       "everywhere, but slow)",
				       fix);
	g_free(fix);
out:
	g_free(memory);
}

/* A loop on fine-grained memory; `coarse` is what makes the memory coarse-grained. */
static char *faster_fix(const char *coarse)
{
	char **parts = g_strsplit(coarse, ";\nor ", -1);
	char *ways = g_strjoinv(" or ", parts);
	char *fix = g_strdup_printf(
	    "reduce in LDS first, so that few updates reach this memory;\nor " FIX_INSTRUCTION
	    ", and make the memory coarse-grained: %s",
	    ways);

	g_free(ways);
	g_strfreev(parts);
	return fix;
}

static void report_loop(const struct rules_context *context, const struct launch *launch,
			const struct isa_atomic *atomic, enum atomic_kind kind,
			const struct pointer_argument *pointer, const struct grain *grain,
			const struct pages_used *used)
{
	bool fine = grain->granularity == GRAIN_FINE;
	struct finding *finding = atomic_finding(context, launch, fine ? RULE_HG106 : RULE_HG107,
						 atomic, pointer, grain, used);
	char *fix;

	if (!finding)
		return;
	finding_set_source(finding, atomic_source_new(launch, atomic));
	if (fine) {
		fix = atomic_coarse_fix(pointer, context->event->launch->device);
		finding->message = g_strdup_printf(
		    "%s does its %s with a loop around %s: correct on this fine-grained %s, but "
		    "three orders of magnitude slower than the hardware instruction on "
		    "coarse-grained memory.",
		    finding->kernel, atomic_kind_text(kind), atomic->mnemonic,
		    atomic_memory_noun(pointer));
		finding->fix = launch_is_omp(launch) ? omp_loop_fix(launch) : faster_fix(fix);
		g_free(fix);
	} else {
		if (launch->code->uses_lds == ISA_YES)
			finding->least_groups = LOOP_GROUPS;
		finding->message = g_strdup_printf(
		    "%s does its %s with a loop around %s; this %s is coarse-grained, where "
		    "the hardware instruction of %s is correct and tens of times faster.",
		    finding->kernel, atomic_kind_text(kind), atomic->mnemonic,
		    atomic_memory_noun(pointer), launch->arch);
		finding->fix = launch_is_omp(launch)
				   ? omp_fast_fix(launch)
				   : g_strdup(FIX_INSTRUCTION
					      ", as long as the kernel is never given fine-grained "
					      "memory;\nor reduce in LDS first, so that few "
					      "updates reach this memory");
	}
}

char *limit_line(const char *file, unsigned line)
{
	char *canonical, *text;

	if (!file)
		return g_strdup("");
	canonical = *file == '/' ? g_canonicalize_filename(file, NULL) : g_strdup(file);
	text = g_strdup_printf(" (%s:%u)", canonical, line);
	g_free(canonical);
	return text;
}

/*
 * Returns where an instruction is, as a limit names it: its line, else its offset. The caller frees
 * the text.
 */
static char *instruction_place(const struct isa_atomic *atomic)
{
	char *line, *text;

	if (!atomic->file) {
		return g_strdup_printf("%s at +0x%" G_GINT64_MODIFIER "x%s%s", atomic->mnemonic,
				       atomic->offset, atomic->function ? " of " : "",
				       atomic->function ? atomic->function : "");
	}
	line = limit_line(atomic->file, atomic->line);
	text = g_strconcat(atomic->mnemonic, line, NULL);
	g_free(line);
	return text;
}

void atomic_limit_memory(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic, const char *why)
{
	char *place = instruction_place(atomic);

	findings_limit_of(context->findings, LIMIT_ACCESS, "kernel %s: what %s does is unknown: %s",
			  launch->code->name, place, why);
	g_free(place);
}

/* Returns true for an update of coarse-grained memory that fine-grained memory would lose. */
static bool is_lost_if_fine(const struct grain *grain, struct model_atomic_use use)
{
	if (grain->granularity != GRAIN_COARSE)
		return false;
	use.granularity = GRAIN_FINE;
	return model_atomic(&use).outcome == OUTCOME_LOST;
}

static void check_target(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic, enum atomic_kind kind,
			 const struct pointer_argument *pointer)
{
	struct grain grain;
	struct pages_used used;
	struct model_atomic_use use;
	struct atomic_effect here;
	struct model_outcome coarse;

	if (pointer->place.kind == PLACE_UNKNOWN && atomic->origin.kind == ISA_ORIGIN_DIRECT) {
		atomic_limit_memory(context, launch, atomic,
				    "the allocation that its pointer leads to was not recorded");
	}
	if (pointer->place.kind != PLACE_ALLOCATION && !is_system_memory(&pointer->place))
		return; /* the families of placement and lifetime speak about those */
	used = atomic_grain(context, launch, atomic, pointer, &grain);
	if (grain.granularity == GRAIN_UNKNOWN)
		atomic_limit_memory(context, launch, atomic, grain.why);
	if (grain.granularity != GRAIN_FINE && grain.granularity != GRAIN_COARSE)
		goto out;
	use = atomic_use(context, launch, kind, pointer, &grain);
	use.location = grain.location;
	here = atomic_effect(context->process, launch, &pointer->place, &grain, &use);
	note_supposed_atomic(context, launch, &use, atomic->mnemonic);
	use.granularity = GRAIN_COARSE;
	coarse = model_atomic(&use);
	if (is_omp_system(launch, &pointer->place)) {
		if (atomic->native && here.outcome.outcome == OUTCOME_LOST) {
			omp_lost(context, launch, atomic, atomic_kind_text(kind), pointer, &grain,
				 &used);
		} else if (atomic->cas_loop && pointer->place.allocation &&
			   coarse.outcome == OUTCOME_WORKS && !grain.mixed) {
			report_loop(context, launch, atomic, kind, pointer, &grain, &used);
		}
	} else if (atomic->native) {
		if (here.outcome.outcome == OUTCOME_LOST) {
			report_lost(context, launch, atomic, kind, pointer, &grain, &used, &here);
		} else if (here.outcome.outcome == OUTCOME_UNKNOWN) {
			char *why =
			    g_strdup_printf("the memory model has no entry for %s in %s of %s",
					    model_granularity_name(grain.granularity),
					    model_location_name(grain.location), launch->arch);

			atomic_limit_memory(context, launch, atomic, why);
			g_free(why);
		} else if (is_lost_if_fine(&grain, use)) {
			check_former_advice(context, launch, atomic, pointer, &grain, &used);
		} else if (grain.granularity == GRAIN_FINE) {
			note_measured(context, launch, &pointer->place, atomic->mnemonic, &here);
		}
	} else if (atomic->cas_loop && coarse.outcome == OUTCOME_WORKS && !grain.mixed &&
		   pointer->place.allocation) {
		report_loop(context, launch, atomic, kind, pointer, &grain, &used);
	}
out:
	grain_clear(&grain);
}

void check_pointer(const struct rules_context *context, const struct launch *launch,
		   const struct isa_atomic *atomic, const struct pointer_argument *pointer)
{
	int kind = atomic_fp_kind(atomic);

	if (kind >= 0)
		check_target(context, launch, atomic, (enum atomic_kind)kind, pointer);
	check_interconnect(context, launch, atomic, pointer);
	/* Contention in the runtime's services is not worth a finding. */
	if (!atomic->runtime)
		check_contention(context, launch, atomic, pointer);
}

static void check_device_variable(const struct rules_context *context, const struct launch *launch,
				  const struct isa_atomic *atomic)
{
	struct pointer_argument pointer = { .kernarg = NO_KERNARG, .index = -1 };

	pointer.place.allocation =
	    address_space_find_symbol(&context->process->space, atomic->origin.symbol);
	if (!pointer.place.allocation)
		return; /* a __device__ variable is coarse-grained: hardware atomics are right */
	pointer.place.kind = PLACE_ALLOCATION;
	pointer.address = pointer.place.allocation->ptr;
	check_pointer(context, launch, atomic, &pointer);
}

bool atomic_has_limit(const struct isa_atomic *atomic)
{
	return atomic_fp_kind(atomic) >= 0 && (atomic->origin.kind == ISA_ORIGIN_INDIRECT ||
					       atomic->origin.kind == ISA_ORIGIN_CONSTANT ||
					       atomic->origin.kind == ISA_ORIGIN_UNKNOWN);
}

void limit_unknown_target(const struct rules_context *context, const struct launch *launch,
			  const struct isa_atomic *atomic)
{
	const char *given_up = atomic->given_up ? atomic->given_up : "";
	const char *then = atomic->given_up ? "; " : "";
	char *place;

	if (!atomic_has_limit(atomic) || !atomic_may_be_lost(context, launch, atomic))
		return;
	place = instruction_place(atomic);
	if (atomic->origin.kind == ISA_ORIGIN_INDIRECT) {
		findings_limit_of(context->findings, LIMIT_ACCESS,
				  "kernel %s: %s goes through a pointer that is loaded from "
				  "memory: which memory it updates is unknown%s%s",
				  launch->code->name, place, then, given_up);
	} else {
		findings_limit_of(context->findings, LIMIT_ACCESS,
				  "kernel %s: which memory %s updates is unknown: %s%s%s",
				  launch->code->name, place,
				  atomic->origin.why ? atomic->origin.why
						     : "its address is computed from constants",
				  then, given_up);
	}
	g_free(place);
}

/* The code alone does not say which memory it updates, or that it is executed. */
static bool is_open(const struct isa_atomic *atomic)
{
	return atomic->space != ISA_SPACE_LDS && atomic->space != ISA_SPACE_SCRATCH &&
	       atomic->origin.kind != ISA_ORIGIN_LDS &&
	       (!atomic->executes || (atomic->origin.kind != ISA_ORIGIN_DIRECT &&
				      atomic->origin.kind != ISA_ORIGIN_GLOBAL));
}

/* Returns true if pages of the memory differ, and the code alone does not say which are updated. */
static bool is_page_open(const struct rules_context *context, const struct launch *launch,
			 const struct isa_atomic *atomic)
{
	struct pointer_argument pointer;
	struct grain grain;
	bool mixed;

	if (atomic->origin.kind != ISA_ORIGIN_DIRECT || (atomic->placed && atomic->place.exact) ||
	    !launch_pointer(context, launch, atomic->origin.kernarg[0], &pointer))
		return false;
	grain = place_grain(context->process, &pointer.place);
	mixed = grain.mixed;
	grain_clear(&grain);
	return mixed;
}

/* Returns what the launch's numbers say if they are needed, else NULL. */
static const struct isa_evaluation *evaluate(const struct rules_context *context,
					     const struct launch *launch)
{
	for (size_t i = 0; launch->code && i < launch->code->atomic_count; i++) {
		const struct isa_atomic *atomic = &launch->code->atomics[i];

		if (atomic_fp_kind(atomic) >= 0 &&
		    (is_open(atomic) || is_page_open(context, launch, atomic)) &&
		    !atomic_is_the_runtimes(launch, atomic) &&
		    atomic_may_be_lost(context, launch, atomic))
			return launch_evaluate(context, launch);
	}
	return NULL;
}

/*
 * Returns true if what an evaluation says of an address is worth less than what the code alone
 * says.
 */
static bool is_worse(const struct isa_evaluated *found, const struct isa_atomic *atomic)
{
	if (found->origin.kind == ISA_ORIGIN_UNKNOWN || found->origin.kind == ISA_ORIGIN_CONSTANT)
		return true;
	switch (atomic->origin.kind) {
	case ISA_ORIGIN_DIRECT:
		return found->origin.kind != ISA_ORIGIN_DIRECT ||
		       (atomic->placed && !found->placed);
	case ISA_ORIGIN_SET:
		return found->origin.kind == ISA_ORIGIN_SET &&
		       found->origin.kernarg_count > atomic->origin.kernarg_count;
	case ISA_ORIGIN_INDIRECT:
		return found->origin.kind == ISA_ORIGIN_INDIRECT && !found->origin.paths.count;
	default:
		return false;
	}
}

/*
 * Fills in the atomic as the launch executes it, which borrows from both. Returns false if the
 * launch does not execute it.
 */
static bool evaluated(const struct isa_evaluation *evaluation, const struct isa_atomic *atomic,
		      struct isa_atomic *own)
{
	const struct isa_evaluated *found = NULL;

	*own = *atomic;
	own->given_up = evaluation ? evaluation->why : NULL;
	if (!evaluation || evaluation->why)
		return true;
	for (size_t i = 0; !found && i < evaluation->atomic_count; i++)
		if (evaluation->atomics[i].kernel_offset == atomic->kernel_offset)
			found = &evaluation->atomics[i];
	if (!found)
		return false;
	if (found->executes || !own->executes) {
		own->executes = found->executes;
		own->unsure = found->unsure ? found->unsure : own->unsure;
		own->by_word = found->by_word;
	}
	if (is_worse(found, atomic))
		return true;
	own->every = found->every;
	own->origin = found->origin;
	own->placed = found->placed;
	own->place = found->place;
	return true;
}

void check_atomics(const struct rules_context *context)
{
	const struct launch *launch = context->launch;
	const struct isa_evaluation *evaluation = evaluate(context, launch);

	for (size_t i = 0; launch->code && i < launch->code->atomic_count; i++) {
		struct isa_atomic own;
		const struct isa_atomic *atomic = &own;
		struct pointer_argument pointer;

		if (!evaluated(evaluation, &launch->code->atomics[i], &own) ||
		    atomic->space == ISA_SPACE_LDS || atomic->space == ISA_SPACE_SCRATCH)
			continue;
		switch (atomic->origin.kind) {
		case ISA_ORIGIN_DIRECT:
			if (launch_pointer(context, launch, atomic->origin.kernarg[0], &pointer))
				check_pointer(context, launch, atomic, &pointer);
			break;
		case ISA_ORIGIN_SET:
			check_set(context, launch, atomic);
			break;
		case ISA_ORIGIN_GLOBAL:
			check_device_variable(context, launch, atomic);
			break;
		case ISA_ORIGIN_LDS:
			break;
		case ISA_ORIGIN_INDIRECT:
			if (!atomic_is_the_runtimes(launch, atomic))
				check_paths(context, launch, atomic);
			break;
		case ISA_ORIGIN_CONSTANT:
		case ISA_ORIGIN_UNKNOWN:
			if (!atomic_is_the_runtimes(launch, atomic)) {
				check_unknown_target(context, launch, atomic);
				limit_unknown_target(context, launch, atomic);
			}
			break;
		}
	}
	check_spins(context, launch);
	check_flags_across(context, launch);
}
