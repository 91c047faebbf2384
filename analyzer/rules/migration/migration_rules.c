/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about pages that the driver moved, prefetches excepted. */
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "tracer/events/ev_migration.h"
#include "migration_state.h"

static void place_finding(struct finding *finding, struct allocation *allocation)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };

	if (!finding->allocation)
		finding_set_place(finding, &place, allocation->ptr);
}

/* `moment` may be of no launch: kernel_id 0. */
static void set_launch(const struct rules_context *context, struct finding *finding,
		       const struct gpu_work *work, struct allocation *allocation)
{
	struct kernel_ref *kernel = process_kernel(context->process, work->kernel_id);
	struct launch launch = { .kernel = kernel,
				 .args = process_args(context->process, work->args_id) };

	if (kernel && work->kernel_id) {
		launch.code = kernels_find(context->kernels, context->process, kernel,
					   context->findings, &launch.arch);
		finding_set_launch(finding, &launch, NULL);
	}
	place_finding(finding, allocation);
}

static struct launch_count *launch_count_of(struct migration *migration, struct finding *finding)
{
	struct launch_count *count = g_hash_table_lookup(migration->counts, finding);

	if (!count) {
		count = g_new0(struct launch_count, 1);
		g_hash_table_insert(migration->counts, finding, count);
	}
	return count;
}

/* Many blocks come with one launch, and leave together; launches follow one another. */
static void count_launch(struct migration *migration, struct finding *finding,
			 const struct gpu_work *launch)
{
	struct launch_count *count = launch_count_of(migration, finding);

	if (launch->kernel_id && launch->ns > count->launch_ns) {
		count->launch_ns = launch->ns;
		finding->launches++;
		finding->work_items = MAX(finding->work_items, launch->work_items);
	}
}

/* Returns how to bring the pages to the GPU before the launch. The caller frees the text. */
static char *prefetch_fix(const struct rules_context *context, const struct allocation *allocation,
			  int device)
{
	if (can_be_prefetched(context->process, allocation)) {
		return g_strdup_printf(
		    "insert" FIX_SITE FIX_POINTER_NOTE
		    ", before the launch: hipMemPrefetchAsync(" FIX_POINTER ", " FIX_SIZE
		    ", %d, 0);\nor avoid migration: use device memory and copies" FIX_NOT_TESTED,
		    device);
	}
	return g_strdup_printf("allocate it with hipMallocManaged, and insert before the launch "
			       "hipMemPrefetchAsync(p, n, %d, 0) (this HIP release refuses to "
			       "prefetch memory of %s)" FIX_NOT_TESTED
			       ";\nor avoid migration: use device memory and copies" FIX_NOT_TESTED,
			       device, hg_api_name(allocation->api));
}

void count_storm(struct migration *migration, const struct rules_context *context,
		 const struct gpu_work *launch, struct allocation *allocation, int64_t ns,
		 bool several)
{
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG301, context->process, &is_new, "%u %u",
			 launch->kernel_id, allocation->stack_id);
	struct launch_count *storm = launch_count_of(migration, finding);

	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation });
	if (is_new) {
		set_launch(context, finding, launch, allocation);
		finding->least_launches = STORM_LAUNCHES;
		finding->first_ns = ns;
		finding->message =
		    g_strdup_printf("launches of this kernel stop for %u or more page faults each, "
				    "until the pages of %s bytes from %s have migrated to the GPU.",
				    STORM_FAULTS, FIGURE(0), hg_api_name(allocation->api));
		finding->fix = prefetch_fix(context, allocation, launch->device);
	}
	if (storm->launch_ns != launch->ns) {
		storm->launch_ns = launch->ns;
		storm->faults = 0;
	}
	if (++storm->faults == STORM_FAULTS) {
		finding->launches++;
		finding->work_items = MAX(finding->work_items, launch->work_items);
		finding_hit(finding, ns, launch->stack_id);
	}
	if (several)
		finding_at_most(finding, CONFIDENCE_LIKELY, "several kernels were running");
}

void count_trip(struct migration *migration, const struct rules_context *context,
		const struct gpu_work *launch, struct allocation *allocation, unsigned trips,
		int64_t ns)
{
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG302, context->process, &is_new, "%u %u",
			 allocation->api, allocation->stack_id);

	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation });
	if (is_new) {
		set_launch(context, finding, launch, allocation);
		finding->message =
		    g_strdup_printf("blocks of %s bytes from %s migrated to the GPU, back when the "
				    "host accessed them, and to the GPU again, %u or more times.",
				    FIGURE(0), hg_api_name(allocation->api), TRIPS);
		finding->fix =
		    g_strdup("separate the data of host and GPU, or avoid migration: "
			     "hipMemAdviseSetAccessedBy for data of which kernels use little, "
			     "device memory and copies for the rest" FIX_NOT_TESTED);
	}
	count_launch(migration, finding, launch);
	/* Without a hit it is no finding. */
	if (trips >= TRIPS)
		finding_hit(finding, ns, launch->stack_id);
}

void count_neighbour(struct migration *migration, const struct rules_context *context,
		     const struct gpu_work *launch, struct allocation *allocation, int64_t ns)
{
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG303, context->process, &is_new, "beside %u %u",
			 allocation->api, allocation->stack_id);

	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_met(finding, &(struct place){ .kind = PLACE_ALLOCATION, .allocation = allocation });
	finding_detail(finding, launch->kernel_id);
	if (is_new) {
		set_launch(context, finding, launch, allocation);
		finding->least_count = TRIPS;
		finding->message = g_strdup_printf(
		    "pages of %s bytes from %s, which were not passed to this kernel, migrated to "
		    "the GPU in the same blocks of 2 MiB as memory that it uses, and back when the "
		    "host accessed these blocks.",
		    FIGURE(0), hg_api_name(allocation->api));
		finding->fix =
		    g_strdup("keep memory that kernels use in separate blocks: allocate it with "
			     "aligned_alloc(2097152, n), n a multiple of that, or with "
			     "hipMallocManaged");
	}
	count_launch(migration, finding, launch);
	finding_hit(finding, ns, launch->stack_id);
}

void count_eviction(const struct rules_context *context, const struct hg_ev_migration *move,
		    struct allocation *allocation, int64_t ns)
{
	const struct device *device = process_device(context->process, move->from);
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG308, context->process, &is_new, "%d",
			       move->from);
	finding_hit(finding, ns, 0);
	if (!is_new)
		return;
	finding->subject = g_strdup_printf("device %d", move->from);
	if (allocation)
		place_finding(finding, allocation);
	finding->message =
	    g_strdup_printf("the memory of device %d was full (it has %" G_GUINT64_FORMAT
			    " bytes): the driver stopped its queues and evicted pages to the host.",
			    move->from, device ? device->memory : 0);
	finding->fix = g_strdup("use less memory at a time: process the data in parts that fit, "
				"and release unused memory" FIX_NOT_TESTED);
}

void count_stop(const struct rules_context *context, const struct hg_ev_migration *stop, int64_t ns)
{
	struct finding *finding;
	bool is_new;

	finding = findings_get(context->findings, RULE_HG309, context->process, &is_new, "%d",
			       stop->from);
	finding->least_count = STOPS;
	finding_hit(finding, ns, 0);
	if (!is_new)
		return;
	finding->subject = g_strdup_printf("device %d", stop->from);
	finding->message =
	    g_strdup_printf("the driver stopped all queues of device %d repeatedly, because "
			    "pages under registered memory changed.",
			    stop->from);
	finding->fix = g_strdup("do not fork, unmap or remap while memory is registered with "
				"hipHostRegister; allocate it with hipHostMalloc" FIX_NOT_TESTED);
	finding_at_most(finding, CONFIDENCE_LIKELY, "which call changed them is not recorded");
}
