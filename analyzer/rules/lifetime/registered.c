/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG615 finds memory that the host and the GPU know by different addresses, as hipHostRegister
 * makes it in some releases, used by the host's one. HG622 finds memory that other releases
 * register in place, used after that has ended.
 */
#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/paths.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "tracer/api/hip_alloc_host.h"

/* Returns true if the address is the host's, and the GPU has another one for this memory. */
static bool is_host_address(const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;

	return pointer->place.kind == PLACE_ALLOCATION &&
	       allocation->device_ptr != allocation->ptr &&
	       pointer->address - allocation->device_ptr >= allocation->size;
}

static void check_use(const struct rules_context *context, const struct launch *launch,
		      const struct isa_use *use, const struct pointer_argument *pointer)
{
	const struct allocation *allocation = pointer->place.allocation;
	struct finding *finding;
	bool is_new;

	/* A kernel need not use every pointer that a table still has. */
	if (!is_host_address(pointer) || (pointer->chain && !use->certain) ||
	    maybe_unset(context, launch, use, pointer))
		return;
	finding = findings_get(context->findings, RULE_HG615, context->process, &is_new,
			       "%s %u %u %s", launch->kernel->symbol, use->kernarg,
			       allocation->stack_id, pointer->chain ? pointer->path : "");
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	if (!is_new) {
		finding_met(finding, &pointer->place);
		return;
	}
	finding_set_launch(finding, launch, pointer);
	finding->if_faulted = CONFIDENCE_PROVEN;
	finding->message = g_strdup_printf(
	    "%s %s the host's address of %s bytes from %s, which the GPU knows by another address: "
	    "with XNACK off the access causes a memory access fault.",
	    finding->kernel, use->access & (ISA_WRITE | ISA_ATOMIC) ? "writes to" : "reads",
	    FIGURE(0), hg_api_name(allocation->api));
	finding->fix = g_strdup("pass what hipHostGetDevicePointer returns for this memory");
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
}

void check_host_address(const struct rules_context *context)
{
	/* With XNACK the GPU reaches the memory by the host's address, too. */
	if (context->launch->device && context->launch->device->xnack == 0)
		launch_each_use(context, context->launch, check_use);
}

/* ---- HG622 ---- */

/* Returns true if this memory itself was registered, and not only something else on its pages. */
static bool was_registered(const struct pointer_argument *pointer, const struct page_call *call)
{
	const struct allocation *allocation = pointer->place.allocation;

	return pointer->address - call->ptr < call->size &&
	       (!allocation || allocation->ns <= call->ns);
}

static void describe_left(struct finding *finding, const struct isa_use *use,
			  const struct page_call *call, bool itself)
{
	const char *verb = use->access & (ISA_WRITE | ISA_ATOMIC) ? "writes to" : "reads";

	finding->related = g_strdup_printf("the %s", hg_api_name((uint16_t)call->api));
	finding->related_stack_id = call->stack_id;
	if (hg_api_class(call->api) == HG_CLASS_COPY) {
		finding->message = g_strdup_printf(
		    "%s %s host memory that is not registered. It works only because HIP locked it "
		    "for a copy (%s bytes): newer runtimes do so in place, and leave the GPU's "
		    "access. With ROCr 5.2, a driver without shared virtual memory, or copies of "
		    "1 MiB and less, the access causes a memory access fault.",
		    finding->kernel, verb, FIGURE(0));
		finding->fix =
		    g_strdup("pass the memory that it is copied to or from" FIX_NOT_TESTED
			     ";\nor register this memory, or "
			     "allocate it with hipHostMalloc or hipMallocManaged" FIX_NOT_TESTED);
		return;
	}
	finding->message = g_strdup_printf(
	    itself ? "%s %s host memory that was registered (%s bytes) and is not any more. It "
		     "works because this runtime registers memory in place and leaves the GPU's "
		     "access when that ends; with ROCr 5.2, or a driver without shared virtual "
		     "memory, the access causes a memory access fault."
		   : "%s %s host memory that is not registered. It works because other memory on "
		     "these pages was (%s bytes), which this runtime does in place, and it leaves "
		     "the GPU's access when that ends; on other pages the access causes a memory "
		     "access fault.",
	    finding->kernel, verb, FIGURE(0));
	if (!itself)
		finding->fix = g_strdup("register this memory, too, or allocate it with "
					"hipHostMalloc or hipMallocManaged" FIX_NOT_TESTED);
	else if (call->api == HG_API_hipHostRegister)
		finding->fix =
		    g_strdup("call hipHostUnregister when no kernel uses the memory any more");
	else
		finding->fix = g_strdup("call hsa_amd_memory_unlock when no kernel uses the "
					"memory any more" FIX_NOT_TESTED);
}

static void check_left(const struct rules_context *context, const struct launch *launch,
		       const struct isa_use *use, const struct pointer_argument *pointer)
{
	const struct page_call *call = registration_left(context->process, pointer);
	struct finding *finding;
	bool is_new, itself;

	if (!call || hg_api_class(call->api) == HG_CLASS_ADVISE ||
	    (pointer->chain && !use->certain) || maybe_unset(context, launch, use, pointer))
		return;
	itself = was_registered(pointer, call);
	finding = findings_get(context->findings, RULE_HG622, context->process, &is_new,
			       "%s %u %u %d %s", launch->kernel->symbol, use->kernarg,
			       call->stack_id, itself, pointer->chain ? pointer->path : "");
	launch_hit(launch, finding);
	finding_figure(finding, 0, FIGURE_RANGE, call->size);
	if (!is_new) {
		finding_met(finding, &pointer->place);
		return;
	}
	finding_set_launch(finding, launch, pointer);
	describe_left(finding, use, call, itself);
	finding_weigh(finding, &(struct chain){ .use = use, .needs_use = true });
}

void check_unregistered(const struct rules_context *context)
{
	/* With XNACK the GPU reaches all memory of the host. */
	if (context->launch->device && context->launch->device->xnack == 0)
		launch_each_use(context, context->launch, check_left);
}
