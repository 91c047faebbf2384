/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for rules: about launches, pointers and memory, and to fill in findings. */
#include "rule_api.h"

#include "chain.h"
#include "measurements.h"

#include <string.h>
#include <sys/mman.h>

#include "analyzer/isa/disasm.h"
#include "analyzer/rules/engine/runtime_attributes.h"
#include "analyzer/rules/engine/evidence.h"
#include "codeobj/processor.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_modules.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_alloc.h"

void rules_wake(const struct rules_context *context, enum wake wake)
{
	struct rules_context own = *context;

	own.wake = wake;
	rules_wake_as_is(&own);
}

void rules_wake_as_is(const struct rules_context *context)
{
	for (rule_function **function = context->dispatch->woken[context->wake]; *function;
	     function++)
		(*function)(context);
}

bool is_new_allocation(const struct rules_context *context, struct place *place)
{
	*place = process_place(context->process, context->event->alloc->ptr);
	return place->kind == PLACE_ALLOCATION && place->allocation->ns == context->event->ns;
}

bool launch_is_omp(const struct launch *launch)
{
	return g_str_has_prefix(launch->kernel->symbol, "__omp_offloading_");
}

bool is_omp_system(const struct launch *launch, const struct place *place)
{
	return launch_is_omp(launch) && is_system_memory(place);
}

void launch_argument(const struct launch *launch, uint32_t kernarg,
		     struct pointer_argument *pointer)
{
	for (size_t i = 0; launch->code && i < launch->code->arg_count; i++) {
		const struct isa_arg *arg = &launch->code->args[i];

		if (kernarg >= arg->offset && kernarg < arg->offset + arg->size) {
			pointer->index = (int)i;
			pointer->name = arg->name;
		}
	}
}

bool launch_pointer(const struct rules_context *context, const struct launch *launch,
		    uint32_t kernarg, struct pointer_argument *pointer)
{
	memset(pointer, 0, sizeof(*pointer));
	pointer->kernarg = kernarg;
	pointer->index = -1;
	if (!launch->args || !kernel_args_address(launch->args, kernarg, &pointer->address))
		return false;
	pointer->place = process_place(context->process, pointer->address);
	launch_argument(launch, kernarg, pointer);
	return true;
}

/*
 * Returns true for an APU whose GPU has more memory set aside than half of the rest, which is what
 * the driver may use of that [KFD]. An MI300A has no such part.
 */
static bool has_carve_out(const struct process *process, const struct device *device)
{
	const struct codeobj_processor *processor = device ? codeobj_processor(device->arch) : NULL;

	return device && device->integrated == 1 && process->host_memory &&
	       device->memory > process->host_memory / 2 &&
	       !(processor && processor->apu == CODEOBJ_APU_HBM);
}

struct model_environment process_recorded_environment(const struct process *process)
{
	struct model_environment environment = process_environment(process);
	const struct device *device = process_device(process, 0);

	if (!process->supposed)
		return environment;
	environment.runtime_version = process->recorded_version;
	environment.no_extended_pool = false;
	if (device && device->recorded_arch) {
		environment.xnack = device->recorded_xnack;
		environment.apu = device->recorded_integrated;
		environment.no_extended_pool =
		    model_lacks_extended_pool(device->recorded_arch, process->recorded_version);
	}
	return environment;
}

struct model_environment process_environment(const struct process *process)
{
	const struct device *device = process_device(process, 0);
	const char *coherent = process_env(process, "HIP_HOST_COHERENT");
	const char *force_fine = process_env(process, "HSA_FORCE_FINE_GRAIN_PCIE");
	struct model_environment environment = {
		.xnack = device ? device->xnack : -1,
		.hmm = device ? device->managed : -1,
		.fine_pool = device ? device->fine_grain : -1,
		.large_bar = device ? device->large_bar : -1,
		.apu = device ? device->integrated : -1,
		.carve_out = has_carve_out(process, device),
		.host_coherent = coherent && strcmp(coherent, "0") != 0,
		.runtime_version = process->runtime_version,
	};

	if (force_fine && strcmp(force_fine, "1") == 0)
		environment.fine_pool = 1;
	environment.no_extended_pool =
	    device && model_lacks_extended_pool(device->arch, process->runtime_version);
	return environment;
}

/* Pages are made coarse-grained by HIP programs, and for them by OpenMP runtimes. */
static const char *who_advised(const struct process *process)
{
	if (process->device_count < 0)
		return "hsa_amd_svm_attributes_set";
	return process->target_regions ? "hipMemAdviseSetCoarseGrain or a map"
				       : "hipMemAdviseSetCoarseGrain";
}

/* Applies what advice made of an allocation's pages, on top of what its allocator says. */
static void apply_advice(const struct process *process, const struct allocation *allocation,
			 struct grain *grain)
{
	uint64_t size = allocation->size ? allocation->size : 1;
	struct page_summary pages = page_map_summary(&process->pages, allocation->ptr, size);
	char *before = grain->why;

	if (!pages.latest)
		return;
	grain->how |= GRAIN_BY_ADVICE;
	if (pages.coarse == 0)
		return;
	if (pages.coarse == size)
		grain->granularity = GRAIN_COARSE;
	else
		grain->mixed = true;
	if (!before)
		return;
	if (!grain->mixed && pages.latest->call.ns < allocation->ns &&
	    allocation->layer == LAYER_HOST)
		grain->why = g_strdup_printf("%s; %s had made its pages coarse-grained before it "
					     "was allocated there",
					     before, who_advised(process));
	else
		grain->why = g_strdup_printf(
		    grain->mixed ? "%s; %s made part of it coarse-grained, the rest is fine-grained"
				 : "%s; %s then made all of it coarse-grained",
		    before, who_advised(process));
	g_free(before);
}

/* Applies what such memory was on this machine when it was measured. */
static void apply_measurement(const struct process *process, const struct place *place,
			      struct grain *grain)
{
	enum granularity measured = measured_grain(process, place);
	char *before = grain->why;

	if (measured == GRAIN_UNKNOWN || grain->granularity == GRAIN_INACCESSIBLE)
		return;
	grain->certain = true;
	if (measured == grain->granularity)
		return;
	grain->how |= GRAIN_BY_PROBE;
	grain->granularity = measured;
	if (!before)
		return;
	grain->why = g_strdup_printf("hipgrain probe measured on this machine that it is %s, "
				     "although the memory model has: %s",
				     model_granularity_name(measured), before);
	g_free(before);
}

static char *with_flags(const struct allocation *allocation, const char *why)
{
	char *flags = model_flags_text(allocation->api, allocation->flags);
	char *text = flags[0] ? g_strdup_printf("%s (flags: %s)", why, flags) : g_strdup(why);

	g_free(flags);
	return text;
}

const struct page_call *registration_left(const struct process *process,
					  const struct pointer_argument *pointer)
{
	struct page_summary summary;

	if (!is_system_memory(&pointer->place))
		return NULL;
	summary = page_map_summary(&process->attributed, pointer->address, 1);
	return summary.latest ? &summary.latest->call : NULL;
}

static const char *why_reached(unsigned api)
{
	switch (hg_api_class(api)) {
	case HG_CLASS_COPY:
		return "HIP locked it for a copy of more than 1 MiB, whereby newer runtimes give "
		       "GPUs access to its pages, which they keep";
	case HG_CLASS_ADVISE:
		return "hipMemAdviseSetAccessedBy gave a GPU access to its pages";
	default:
		return "it was registered, whereby the runtime gave GPUs access to its pages, "
		       "which they keep after hipHostUnregister";
	}
}

/* Returns true if a call gave GPUs access to the memory in place, which they keep. */
static bool apply_registration(const struct process *process, const struct allocation *allocation,
			       struct grain *grain)
{
	uint64_t size = allocation->size ? allocation->size : 1;
	struct page_summary pages = page_map_summary(&process->attributed, allocation->ptr, size);

	if (grain->granularity != GRAIN_INACCESSIBLE || !pages.latest)
		return false;
	grain->granularity = GRAIN_FINE;
	grain->location = LOCATION_MOVABLE;
	grain->certain = false;
	grain->sources = "SEENROCR";
	if (!grain->why)
		return true;
	g_free(grain->why);
	grain->why = g_strdup(why_reached(pages.latest->call.api));
	return true;
}

/* Returns what the tables say of the place; with `text` grain.why is filled in. */
static struct grain table_grain(const struct process *process, const struct place *place, bool text)
{
	struct model_environment environment = process_environment(process);
	struct grain grain = { .granularity = GRAIN_UNKNOWN, .why = NULL, .sources = "" };
	struct model_memory memory;
	unsigned api = HG_API_malloc; /* heap, stack and static data are the system's memory too */
	uint64_t flags = 0;
	bool has_attributes;

	switch (place->kind) {
	case PLACE_ALLOCATION:
		api = place->allocation->api;
		flags = place->allocation->flags;
		break;
	case PLACE_HEAP:
	case PLACE_STACK:
	case PLACE_STATIC:
		break;
	default:
		grain.why = text ? g_strdup("no live memory is known at this address") : NULL;
		return grain;
	}
	memory = model_memory(api, flags, &environment);
	grain.granularity = memory.granularity;
	grain.location = memory.location;
	grain.certain = memory.certain;
	grain.sources = memory.sources;
	if (place->kind != PLACE_ALLOCATION) {
		grain.why = text ? g_strdup(memory.why) : NULL;
		return grain;
	}
	grain.why = text ? with_flags(place->allocation, memory.why) : NULL;
	apply_measurement(process, place, &grain);
	if (memory.granularity == GRAIN_FINE)
		has_attributes = memory.location == LOCATION_MOVABLE ||
				 allocation_is_in_place(place->allocation);
	else
		has_attributes = apply_registration(process, place->allocation, &grain);
	if (has_attributes)
		apply_advice(process, place->allocation, &grain);
	return grain;
}

struct grain place_table_grain(const struct process *process, const struct place *place)
{
	return table_grain(process, place, true);
}

static struct grain grain_of(const struct process *process, const struct place *place, bool text)
{
	struct grain grain = table_grain(process, place, text);
	struct runtime_attributes reported = { GRAIN_UNKNOWN, LOCATION_UNKNOWN, false };
	char *before = grain.why;

	if (place->kind == PLACE_ALLOCATION)
		reported = runtime_attributes(process, place->allocation);
	if (reported.location != LOCATION_UNKNOWN)
		grain.location = reported.location;
	if (reported.mixed && !grain.mixed) {
		grain.mixed = true;
		grain.how |= GRAIN_BY_RUNTIME;
		grain.granularity = GRAIN_FINE;
		if (text) {
			grain.why =
			    g_strdup_printf("the runtime reports that some of its pages are "
					    "coarse-grained and others fine-grained; %s",
					    before);
			g_free(before);
		}
	}
	if (reported.granularity == GRAIN_UNKNOWN)
		return grain;
	/* There is one answer for all pages: nothing is mixed. */
	grain.certain = true;
	if (reported.granularity != grain.granularity || grain.mixed) {
		grain.how |= GRAIN_BY_RUNTIME;
		grain.granularity = reported.granularity;
		if (text) {
			grain.why =
			    g_strdup_printf("the runtime reports that all of it is %s, although %s",
					    model_granularity_name(reported.granularity), before);
			g_free(before);
		}
	}
	grain.mixed = false;
	return grain;
}

struct grain place_grain(const struct process *process, const struct place *place)
{
	return grain_of(process, place, true);
}

struct grain place_grain_brief(const struct process *process, const struct place *place)
{
	static __thread struct {
		const struct process *process;
		uint64_t turn;
		struct place place;
		struct grain grain;
	} latest[4];
	static __thread unsigned next;
	struct grain grain;

	for (unsigned i = 0; i < G_N_ELEMENTS(latest); i++)
		if (latest[i].turn == replay_turn && latest[i].process == process &&
		    latest[i].place.kind == place->kind &&
		    latest[i].place.allocation == place->allocation &&
		    latest[i].place.offset == place->offset && place->allocation)
			return latest[i].grain;
	grain = grain_of(process, place, false);
	if (replay_turn % 2 == 0 && replay_turn && place->allocation) {
		latest[next].process = process;
		latest[next].turn = replay_turn;
		latest[next].place = *place;
		latest[next].grain = grain;
		next = (next + 1) % G_N_ELEMENTS(latest);
	}
	return grain;
}

void grain_clear(struct grain *grain)
{
	g_free(grain->why);
	grain->why = NULL;
}

bool is_system_memory(const struct place *place)
{
	switch (place->kind) {
	case PLACE_ALLOCATION:
		return place->allocation->layer == LAYER_HOST ||
		       place->allocation->layer == LAYER_MAPPING;
	case PLACE_HEAP:
	case PLACE_STACK:
	case PLACE_STATIC:
		return true;
	default:
		return false;
	}
}

bool is_file_mapping(const struct place *place)
{
	return place->kind == PLACE_ALLOCATION && place->allocation->api == HG_API_mmap &&
	       !((uint32_t)place->allocation->flags & MAP_ANONYMOUS);
}

bool maybe_unset(const struct rules_context *context, const struct launch *launch,
		 const struct isa_use *use, const struct pointer_argument *pointer)
{
	if (use->certain || pointer->index < 0 || launch->code->args[pointer->index].pointer)
		return false;
	findings_limit(
	    context->findings,
	    "kernel %s selects among words of a struct argument, some of which point to memory "
	    "that was freed or that the GPU cannot access; unknown whether it uses those",
	    launch->code->name);
	return true;
}

void finding_goes_through(const struct rules_context *context, const struct launch *launch,
			  struct finding *finding, uint32_t kernarg)
{
	struct pointer_argument pointer;
	struct allocation *root = NULL;

	if (launch_pointer(context, launch, kernarg, &pointer))
		root = pointer.place.allocation;
	if (root && !finding->through && !finding->through_several) {
		finding->through = allocation_ref(root);
	} else if (root != finding->through) {
		allocation_unref(finding->through);
		finding->through = NULL;
		finding->through_several = true;
	}
}

void finding_set_place(struct finding *finding, const struct place *place, uint64_t address)
{
	finding_set_piece(finding, place);
	finding->address = address;
	finding->offset = place->offset;
	finding->allocation = allocation_ref(place->allocation);
	finding_met(finding, place);
}

char *kernel_text(const struct kernel_ref *kernel, const struct isa_kernel *code)
{
	return code ? g_strdup(code->name) : isa_demangle(kernel->symbol);
}

void finding_set_launch(struct finding *finding, const struct launch *launch,
			const struct pointer_argument *pointer)
{
	finding->kernel_symbol = g_strdup(launch->kernel->symbol);
	finding->kernel = kernel_text(launch->kernel, launch->code);
	if (pointer) {
		if (pointer->several) {
			finding->chain = g_strdup(pointer->several);
		} else {
			finding->kernarg_offset =
			    pointer->kernarg == NO_KERNARG ? -1 : (int64_t)pointer->kernarg;
			finding->argument = pointer->index;
			finding->argument_name = g_strdup(pointer->name);
			finding->chain = g_strdup(pointer->chain);
		}
		finding_weigh(finding, &(struct chain){ .pointer = pointer });
		finding_set_place(finding, &pointer->place, pointer->address);
	}
}

void launch_hit(const struct launch *launch, struct finding *finding)
{
	if (!g_ptr_array_find(launch->hits, finding, NULL))
		g_ptr_array_add(launch->hits, finding);
}

const char *allocation_noun(const struct allocation *allocation)
{
	switch (allocation->layer) {
	case LAYER_REGISTERED:
		return "registered host memory";
	case LAYER_HOST:
	case LAYER_MAPPING:
		return "pageable host memory";
	default:
		break;
	}
	switch (allocation->api) {
	case HG_API_hipMallocManaged:
	case HG_API___hipRegisterManagedVar:
		return "managed memory";
	case HG_API_hipHostMalloc:
	case HG_API_hipHostAlloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return "pinned host memory";
	default:
		return "device memory";
	}
}

char *place_text(const struct place *place)
{
	char size[32];

	switch (place->kind) {
	case PLACE_ALLOCATION:
	case PLACE_FREED:
	case PLACE_PAST_END:
		g_snprintf(size, sizeof(size), "%" G_GUINT64_FORMAT, place_size(place));
		return place_words(place, size);
	case PLACE_HEAP:
		return g_strdup_printf("a heap block smaller than the recording threshold");
	case PLACE_STACK:
		return g_strdup("a host thread's stack");
	case PLACE_STATIC:
		return g_strdup_printf("static data of %s", place->module->path);
	case PLACE_NULL:
		return g_strdup("the null page");
	case PLACE_UNKNOWN:
		break;
	}
	return g_strdup("memory whose allocation was not recorded");
}

bool can_be_prefetched(const struct process *process, const struct allocation *allocation)
{
	struct model_environment environment = process_environment(process);

	return model_memory(allocation->api, allocation->flags, &environment).prefetchable;
}
