/* SPDX-License-Identifier: Apache-2.0 */
/* HG2xx and HG3xx: memory of a kind that the GPU cannot reach, advise or move. */
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/other_uses.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "analyzer/rules/placement/locations.h"
#include "codeobj/processor.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_prefetch.h"

#include <string.h>

/*
 * The finding about calls of `api` on this memory. All call sites together: what is wrong is the
 * kind of memory, wherever the call stands.
 */
static struct finding *call_finding(const struct rules_context *context, enum rule_id rule,
				    unsigned api, const struct place *place, uint32_t stack_id,
				    const char *outcome, bool *is_new)
{
	const struct allocation *allocation = place->allocation;

	return findings_get(context->findings, rule, context->process, is_new, "%u %d %u %u %s",
			    api, place->kind, allocation ? allocation->stack_id : 0,
			    allocation ? 0 : stack_id, outcome);
}

static void describe_call(struct finding *finding, unsigned api, const struct place *place,
			  uint64_t address)
{
	finding->api = g_strdup(hg_api_name(api));
	finding_set_place(finding, place, address);
}

/* ---- HG209 ---- */

/* The driver lets kernels wait for pages on these alone, whatever the code was compiled for [KFD].
 */
static bool may_have_xnack(const char *arch)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);

	return !arch[0] || (processor && (processor->xnack == CODEOBJ_XNACK_SWITCHED ||
					  processor->xnack == CODEOBJ_XNACK_ALWAYS));
}

static const char *allocate_instead(const struct place *place)
{
	switch (place->kind) {
	case PLACE_STACK:
		return "put it into memory of hipMallocManaged instead of a thread's stack";
	case PLACE_STATIC:
		return "declare the variable __managed__, and pass its address";
	default:
		return "allocate it with hipMallocManaged;\nor copy it to memory of hipMalloc with "
		       "hipMemcpy, and pass that";
	}
}

/*
 * Returns the ways to let the GPU reach memory of the operating system. The caller frees the text.
 */
static char *reach_fix(const struct launch *launch, const struct pointer_argument *pointer)
{
	const char *xnack =
	    launch->arch[0]
		? "run with HSA_XNACK=1, with a kernel that is not compiled for xnack- alone;\nor "
		: "run with HSA_XNACK=1 on a GPU (MI200 and later) and with a kernel that support "
		  "it;\nor ";

	return g_strdup_printf(
	    "%s%s;\nor %s", may_have_xnack(launch->arch) ? xnack : "",
	    allocate_instead(&pointer->place),
	    pointer->chain
		? "register it with hipHostRegister, and store what hipHostGetDevicePointer "
		  "returns "
		  "where the kernel loads the pointer" FIX_NOT_TESTED
		: "register it with hipHostRegister and pass what hipHostGetDevicePointer returns");
}

static void report_unreachable(const struct rules_context *context, const struct launch *launch,
			       const struct isa_use *use, const struct pointer_argument *pointer,
			       const struct grain *grain)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	char *what;
	bool is_new;

	if (maybe_unset(context, launch, use, pointer))
		return;
	finding = findings_get(context->findings, RULE_HG209, context->process, &is_new,
			       "%s %u %d %u %s", launch->kernel->symbol, use->kernarg,
			       pointer->place.kind, allocation ? allocation->stack_id : 0,
			       pointer->chain ? pointer->path : "");
	launch_hit(launch, finding);
	what = place_figure(finding, 0, &pointer->place);
	finding_met(finding, &pointer->place);
	if (!is_new) {
		g_free(what);
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->granularity = GRAIN_INACCESSIBLE;
	finding->if_faulted = CONFIDENCE_PROVEN;
	finding->why = g_strdup(grain->why);
	finding->message = g_strdup_printf(
	    "%s %s %s, which is the operating system's memory: with XNACK off the GPU has no "
	    "mapping for it, and the access causes a memory access fault.",
	    finding->kernel, use->access & (ISA_WRITE | ISA_ATOMIC) ? "writes to" : "reads", what);
	finding->fix = reach_fix(launch, pointer);
	g_free(what);
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
}

/* ---- HG210 ---- */

#define HOT_SIZE     (1u << 20) /* bytes: what stays in the GPU's caches does not matter */
#define HOT_LAUNCHES 4          /* of the same memory */

/*
 * Describes the largest of several allocations from one place; it is not known how much of it is
 * read.
 */
static void describe_hot(struct finding *finding, const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;

	allocation_unref(finding->allocation);
	finding_set_place(finding, &pointer->place, pointer->address);
	finding_set_message(finding,
			    g_strdup_printf("%s reads up to %" G_GUINT64_FORMAT
					    " bytes of %s in place, over the interconnect, at "
					    "every launch.",
					    finding->kernel, allocation->size,
					    allocation_noun(allocation)));
}

/* With a finding of HG210. */
struct hot_memory {
	struct allocation *latest; /* of several: met last; a reference */
	uint64_t before_latest;    /* launches before it, while no other was live */
};

static void clear_hot(void *data)
{
	allocation_unref(((struct hot_memory *)data)->latest);
}

static const struct attachment_type hot_type = { sizeof(struct hot_memory), NULL, clear_hot };

/*
 * Memory from the same place need not be the same. One after the other, each begins to count anew;
 * with n that live at once the launches must be more than n times one less than what counts, so
 * that one of them was read that often.
 */
static void await_launches(struct finding *finding, struct hot_memory *hot, struct allocation *next)
{
	if (finding->launches >= finding->least_launches) {
		finding->least_launches = HOT_LAUNCHES; /* one was */
	} else if (hot->latest->freed &&
		   finding->least_launches == hot->before_latest + HOT_LAUNCHES) {
		hot->before_latest = finding->launches;
		finding->least_launches = finding->launches + HOT_LAUNCHES;
	} else {
		finding->least_launches += HOT_LAUNCHES - 1;
	}
	allocation_unref(hot->latest);
	hot->latest = allocation_ref(next);
}

static void report_hot(const struct rules_context *context, const struct launch *launch,
		       const struct isa_use *use, const struct pointer_argument *pointer)
{
	struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	struct hot_memory *hot;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG210, context->process, &is_new,
			       "%s %u %u %s", launch->kernel->symbol, use->kernarg,
			       allocation->stack_id, pointer->chain ? pointer->path : "");
	hot = attachment_get(&finding->evidence, &hot_type);
	launch_hit(launch, finding);
	if (is_new) {
		finding->least_launches = HOT_LAUNCHES;
		hot->latest = allocation_ref(allocation);
		finding_set_launch(finding, launch, pointer);
		describe_hot(finding, pointer);
		finding->fix = g_strdup("copy it to device memory once (hipMalloc, hipMemcpyAsync) "
					"and let the kernels read that");
		finding_weigh(finding, &(struct chain){ .use = use });
	} else if (hot->latest != allocation) {
		finding_met(finding, &pointer->place);
		await_launches(finding, hot, allocation);
		if (allocation->size > finding->allocation->size)
			describe_hot(finding, pointer);
	}
}

static bool is_hot(const struct rules_context *context, const struct isa_use *use,
		   const struct place *place)
{
	struct grain grain;
	bool host;

	if (!(use->access & ISA_READ) || place->kind != PLACE_ALLOCATION ||
	    place->allocation->size < HOT_SIZE)
		return false;
	grain = place_grain_brief(context->process, place);
	host = grain.location == LOCATION_HOST && grain.granularity != GRAIN_INACCESSIBLE;
	return host;
}

/* ---- HG806 ---- */

static void omp_unreachable(const struct rules_context *context, const struct launch *launch,
			    const struct isa_use *use, const struct pointer_argument *pointer,
			    const struct grain *grain)
{
	char *place = place_text(&pointer->place), *message;
	struct finding *finding;
	bool is_new;

	message =
	    g_strdup_printf("the target region %s %s in place, but with XNACK off the GPU has no "
			    "mapping for it: the access causes a memory access fault.",
			    use->access & (ISA_WRITE | ISA_ATOMIC) ? "writes to" : "reads", place);
	g_free(place);
	finding = findings_get(context->findings, RULE_HG806, context->process, &is_new, "%s",
			       launch->kernel->symbol);
	launch_hit(launch, finding);
	/* The finding is about one region, whatever it uses: the runtime stops at the first. */
	finding_detail(finding, ((uint64_t)use->kernarg << 32) |
				    (pointer->place.allocation ? pointer->place.allocation->stack_id
							       : (unsigned)pointer->place.kind));
	if (!is_new) {
		finding_add_use(finding, pointer, message);
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->granularity = GRAIN_INACCESSIBLE;
	finding->if_faulted = CONFIDENCE_PROVEN;
	finding->why = g_strdup(grain->why);
	finding->message = message;
	finding->fix = g_strdup("run with HSA_XNACK=1, which unified shared memory needs on a "
				"discrete GPU (MI200 and later);\nor remove `requires "
				"unified_shared_memory` and map the memory that the region uses");
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
}

/* ---- launches ---- */

static void check_use(const struct rules_context *context, const struct launch *launch,
		      const struct isa_use *use, const struct pointer_argument *pointer)
{
	struct grain grain;

	if (is_hot(context, use, &pointer->place))
		report_hot(context, launch, use, pointer);
	/* Pointers that are left in tables need not be used. */
	if (!is_system_memory(&pointer->place) || (pointer->chain && !use->certain))
		return;
	grain = place_grain(context->process, &pointer->place);
	if (grain.granularity == GRAIN_INACCESSIBLE &&
	    registration_left(context->process, pointer)) {
		grain_clear(&grain);
		return;
	}
	if (grain.granularity == GRAIN_INACCESSIBLE && launch_is_omp(launch))
		omp_unreachable(context, launch, use, pointer, &grain);
	else if (grain.granularity == GRAIN_INACCESSIBLE)
		report_unreachable(context, launch, use, pointer, &grain);
	else if (grain.granularity == GRAIN_UNKNOWN)
		findings_limit(context->findings,
			       "kernel %s uses the operating system's memory; unknown "
			       "whether it may, because the state of XNACK is unknown",
			       launch->code->name);
	grain_clear(&grain);
}

void check_placement(const struct rules_context *context)
{
	launch_each_use(context, context->launch, check_use);
}

/* ---- HG214 and HG304 ---- */

static const char *advice_name(int32_t advice)
{
	/* hipMemoryAdvise, H523. */
	switch (advice) {
	case 1:
		return "hipMemAdviseSetReadMostly";
	case 2:
		return "hipMemAdviseUnsetReadMostly";
	case 3:
		return "hipMemAdviseSetPreferredLocation";
	case 4:
		return "hipMemAdviseUnsetPreferredLocation";
	case 5:
		return "hipMemAdviseSetAccessedBy";
	case 6:
		return "hipMemAdviseUnsetAccessedBy";
	case 100:
		return "hipMemAdviseSetCoarseGrain";
	case 101:
		return "hipMemAdviseUnsetCoarseGrain";
	default:
		return "an unknown advice";
	}
}

static struct model_memory call_memory(const struct rules_context *context,
				       const struct place *place)
{
	struct model_environment environment = process_environment(context->process);
	unsigned api = place->kind == PLACE_ALLOCATION ? place->allocation->api : HG_API_malloc;
	uint64_t flags = place->kind == PLACE_ALLOCATION ? place->allocation->flags : 0;
	struct model_memory memory = model_memory(api, flags, &environment);

	/* Its pages have attributes, as managed memory's have. */
	if (place->kind == PLACE_ALLOCATION && allocation_is_in_place(place->allocation))
		memory.advisable = memory.prefetchable = true;
	return memory;
}

static bool is_memory(const struct place *place)
{
	return place->kind == PLACE_ALLOCATION || is_system_memory(place);
}

/* Keeps for a finding of HG214 or HG304 what its message names so far. */
static void clear_words(void *data)
{
	g_free(*(char **)data);
}

static const struct attachment_type words_type = { sizeof(char *), NULL, clear_words };

/* Several kinds of advice can be given by one call site: the sentence names each once. */
static bool add_word(struct finding *finding, const char *word)
{
	char **words = attachment_get(&finding->evidence, &words_type), *before = *words;

	if (before) {
		char **parts = g_strsplit(before, ", ", -1);
		bool known = g_strv_contains((const char *const *)parts, word);

		g_strfreev(parts);
		if (known)
			return false;
	}
	*words = before ? g_strdup_printf("%s, %s", before, word) : g_strdup(word);
	g_free(before);
	return true;
}

static void report_no_effect(const struct rules_context *context, enum rule_id rule, unsigned api,
			     uint64_t address, uint32_t stack_id, const char *call,
			     const char *outcome, const char *fix)
{
	struct place place = process_place(context->process, address);
	struct model_memory memory = call_memory(context, &place);
	struct finding *finding;
	char *what;
	bool is_new;

	finding = call_finding(context, rule, api, &place, stack_id, outcome, &is_new);
	finding_hit(finding, context->event->ns, stack_id);
	what = place_figure(finding, 0, &place);
	finding_met(finding, &place);
	if (add_word(finding, call)) {
		finding_set_message(finding, g_strdup_printf("%s on %s %s.",
							     *(char **)attachment_get(
								 &finding->evidence, &words_type),
							     what, outcome));
	}
	g_free(what);
	if (!is_new)
		return;
	describe_call(finding, api, &place, address);
	finding->granularity = memory.granularity;
	finding->why = g_strdup(memory.why);
	finding->fix = g_strdup(fix);
	if (!memory.certain) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"the kind of memory depends on a property of the machine that "
				"could not be queried");
	}
}

#define ADVISE_FIX                                                                                \
	"advice applies to hipMallocManaged memory, and with XNACK on to the operating system's " \
	"memory: drop the call or allocate the memory that way"

/* Some releases refuse the operating system's memory whatever XNACK is. */
static const char *prefetch_fix(const struct process *process)
{
	struct model_environment environment = process_environment(process);

	environment.xnack = 1;
	return model_ask(QUESTION_PREFETCH, KIND_SYSTEM, &environment).access == ACCESS_YES
		   ? "only memory that can migrate is prefetched: hipMallocManaged memory, and "
		     "with "
		     "XNACK on the operating system's memory; drop the call, or allocate that way, "
		     "or "
		     "use hipMemcpyAsync"
		   : "this HIP release prefetches memory of hipMallocManaged only: drop the call, "
		     "or "
		     "allocate that way, or use hipMemcpyAsync" FIX_NOT_TESTED;
}

static void check_advise(const struct rules_context *context)
{
	const struct hg_ev_advise *advise = context->event->advise;
	struct place place = process_place(context->process, advise->ptr);

	if (is_memory(&place) && !call_memory(context, &place).advisable) {
		report_no_effect(context, RULE_HG214, advise->api, advise->ptr, advise->stack_id,
				 advice_name(advise->advice), "changed nothing", ADVISE_FIX);
	}
}

static void check_prefetch(const struct rules_context *context)
{
	const struct hg_ev_prefetch *prefetch = context->event->prefetch;
	struct place place = process_place(context->process, prefetch->ptr);

	if (is_memory(&place) && !call_memory(context, &place).prefetchable) {
		report_no_effect(context, RULE_HG304, prefetch->api, prefetch->ptr,
				 prefetch->stack_id, hg_api_name(prefetch->api), "moved nothing",
				 prefetch_fix(context->process));
	}
}

/* A call that failed had no effect either; the finding then names the error. */
static void check_error(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	struct place place = process_place(context->process, error->ptr);
	char *outcome = refused_location(context->process, error);

	if (outcome || !is_memory(&place)) {
		g_free(outcome); /* HG313 says it */
		return;
	}
	outcome =
	    g_strdup_printf("failed with %s (%d)", model_hip_error_name(error->code), error->code);
	if (error->api == HG_API_hipMemAdvise && !call_memory(context, &place).advisable) {
		report_no_effect(context, RULE_HG214, error->api, error->ptr, error->stack_id,
				 "hipMemAdvise", outcome, ADVISE_FIX);
	}
	if (error->api == HG_API_hipMemPrefetchAsync &&
	    !call_memory(context, &place).prefetchable) {
		report_no_effect(context, RULE_HG304, error->api, error->ptr, error->stack_id,
				 "hipMemPrefetchAsync", outcome, prefetch_fix(context->process));
	}
	g_free(outcome);
}

void check_ineffective(const struct rules_context *context)
{
	switch (context->wake) {
	case WAKE_ADVISE:
		check_advise(context);
		break;
	case WAKE_PREFETCH:
		check_prefetch(context);
		break;
	default:
		check_error(context);
		break;
	}
}
