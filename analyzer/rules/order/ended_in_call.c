/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG621, HG709: a thread was in a call of HIP that had not returned when the recording ended. Where
 * HG601, HG606, an access that faults (HG209, HG607), a GPU's memory access fault or the error of a
 * queue says why, there is nothing to add.
 */
#include <signal.h>
#include <sys/mman.h>

#include "analyzer/containers/file_targets.h"
#include "analyzer/rules/ids/hg2xx.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "analyzer/rules/order/faults.h"
#include "analyzer/rules/order/stuck_calls.h"
#include "tracer/api/host.h"

/* Returns true for signals that a thread gets for what it does itself. */
static bool is_crash(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGILL ||
	       signal == SIGFPE;
}

static bool is_explained(const struct rules_context *context, const struct open_row *row)
{
	const GPtrArray *list = context->findings->list;

	/* A fault ends a program, also processes that are not the one that had it. */
	if (faults_result(context->findings)->len)
		return true;
	for (guint i = 0; i < list->len; i++) {
		const struct finding *finding = list->pdata[i];

		if (finding->process != row->process)
			continue;
		if ((finding->rule == &rules[RULE_HG601] || finding->rule == &rules[RULE_HG606]) &&
		    finding->first_ns == row->ns)
			return true;
		if (!g_strcmp0(finding->subject, QUEUE_ERROR))
			return true;
		/* The runtime aborts the process. */
		if ((finding->rule == &rules[RULE_HG209] || finding->rule == &rules[RULE_HG607]) &&
		    (row->process->ended == HG_ENDED_NOT || is_crash(row->process->end_signal)))
			return true;
	}
	return false;
}

/* Returns true for a mapping that was made to be read only. mprotect is not recorded. */
static bool is_read_only(const struct open_place *place)
{
	return place->kind == PLACE_ALLOCATION && place->allocation->api == HG_API_mmap &&
	       !(place->allocation->flags >> 32 & PROT_WRITE);
}

/* Returns what is wrong with an address that a copy or fill was given, or NULL. */
static const char *wrong_with(const struct open_row *row, const struct open_place *place)
{
	int class = hg_api_class((unsigned)row->open.call.state);

	if (!place->address || (class != HG_CLASS_COPY && class != HG_CLASS_FILL))
		return NULL;
	switch (place->kind) {
	case PLACE_NULL:
		return "is in the first page: a null pointer, or an offset to one";
	case PLACE_UNKNOWN:
		return "is where no memory is known";
	case PLACE_ALLOCATION:
		return place == &row->to && is_read_only(place) &&
			       is_crash(row->process->end_signal)
			   ? "is in memory that was mapped without PROT_WRITE"
			   : NULL;
	default:
		return NULL;
	}
}

static bool is_only_one(const GPtrArray *rows, const struct open_row *row)
{
	unsigned count = 0;

	for (guint i = 0; i < rows->len; i++)
		count += ((const struct open_row *)rows->pdata[i])->process == row->process;
	return count == 1;
}

static struct finding *new_finding(const struct rules_context *context, const struct open_row *row,
				   enum rule_id rule)
{
	const struct hg_open_call *call = &row->open.call;
	bool is_new;
	struct finding *finding = findings_get(context->findings, rule, context->process, &is_new,
					       "%u %u", (unsigned)call->state, call->stack_id);

	finding_hit(finding, row->ns, call->stack_id);
	if (!is_new)
		return NULL;
	finding->api = g_strdup(hg_api_name((unsigned)call->state));
	return finding;
}

/* An address that cannot be right, in a call that did not return. */
static bool report_address(const struct rules_context *context, const struct open_row *row)
{
	const char *to = wrong_with(row, &row->to), *from = wrong_with(row, &row->from);
	const struct open_place *place = to ? &row->to : &row->from;
	struct finding *finding;

	if (!to && !from)
		return false;
	finding = new_finding(context, row, RULE_HG621);
	if (!finding)
		return true;
	finding->address = place->address;
	finding->message = g_strdup_printf(
	    "%s had not returned when the recording ended: its %s 0x%" G_GINT64_MODIFIER "x %s.",
	    finding->api, to ? "destination" : "source", place->address, to ? to : from);
	if (place->kind == PLACE_ALLOCATION) {
		finding->fix = g_strdup("map the memory with PROT_WRITE, or pass memory that may "
					"be written" FIX_NOT_TESTED);
		finding_at_most(
		    finding, CONFIDENCE_LIKELY,
		    "mprotect is not recorded, nor where in the call the process ended");
		return true;
	}
	finding->fix = g_strdup("pass an address of memory that is allocated" FIX_NOT_TESTED);
	finding_at_most(
	    finding, CONFIDENCE_LIKELY,
	    "memory that is not recorded may be there, and where in the call the process "
	    "ended is not recorded");
	return true;
}

static void blame_first_call(struct finding *finding, const char *exe, const char *targets)
{
	finding->message = g_strdup_printf(
	    "the process ended in its first call, %s. %s has device code for %s, and HIP's runtime "
	    "ends a program so if none of it is for the machine's GPU.",
	    finding->api, exe, targets);
	finding->fix = g_strdup(
	    "compare these processors with the GPU that 'hipgrain doctor' names, and compile with "
	    "--offload-arch for that as well" FIX_NOT_TESTED);
}

static void blame_launch(struct finding *finding, const char *exe, const char *targets,
			 const struct device *device)
{
	finding->message =
	    g_strdup_printf("the process ended in %s. %s has device code for %s, and device %d is "
			    "%s: some releases "
			    "of HIP crash in the launch of a kernel that has no code for the GPU.",
			    finding->api, exe, targets, device->ordinal, device->arch);
	finding->fix = g_strdup_printf("compile with --offload-arch=%.*s as well" FIX_NOT_TESTED,
				       (int)strcspn(device->arch, ":"), device->arch);
}

/*
 * Changes the texts if none of the program's code is for the machine's GPU. HIP's runtime aborts a
 * program for that in its first call, when the GPU is not known yet (HIP 5.2: SEEN52), or crashes
 * in the launch (HIP 7.2: SEENROCR). A process whose parent went on may have ended so as well.
 */
static void blame_targets(const struct rules_context *context, const struct open_row *row,
			  struct finding *finding)
{
	const struct process *process = context->process;
	const struct device *device = process_device(process, 0);
	bool vanished = process->ended == HG_ENDED_NOT && !process->end_signal;
	bool first = process->device_count < 0 && !process->devices->len;
	GPtrArray *targets;
	char *text;

	if ((!vanished && process->end_signal != (first ? SIGABRT : SIGSEGV)) ||
	    process->target_regions || !process->exe[0])
		return;
	if (!first && (!device || hg_api_class((unsigned)row->open.call.state) != HG_CLASS_LAUNCH))
		return;
	targets = file_targets(process->exe);
	if (targets && (first || !file_targets_match(targets, device->arch))) {
		text = file_targets_text(targets);
		g_free(finding->message);
		g_free(finding->fix);
		if (first)
			blame_first_call(finding, process->exe, text);
		else
			blame_launch(finding, process->exe, text, device);
		g_free(text);
	}
	if (targets)
		g_ptr_array_unref(targets);
}

static bool report_crash(const struct rules_context *context, const struct open_row *row)
{
	struct finding *finding;

	if (!is_crash(context->process->end_signal) ||
	    !is_only_one(open_calls_result(context->findings), row))
		return false;
	finding = new_finding(context, row, RULE_HG621);
	if (!finding)
		return true;
	finding->message = g_strdup_printf(
	    "the program was ended by signal %d (%s) while its thread %d was in %s, which did not "
	    "return.",
	    context->process->end_signal, g_strsignal(context->process->end_signal), row->tid,
	    finding->api);
	finding->fix =
	    g_strdup("compare what the call was given with the memory that is listed for it in the "
		     "report's first lines" FIX_NOT_TESTED);
	if (context->process->device_count == 0) {
		g_free(finding->message);
		g_free(finding->fix);
		finding->message = g_strdup_printf(
		    "the program was ended by signal %d (%s) in %s, after HIP had found no GPU.",
		    context->process->end_signal, g_strsignal(context->process->end_signal),
		    finding->api);
		finding->fix =
		    g_strdup("find out why HIP finds no GPU ('hipgrain doctor'), and let "
			     "the program look at the result of "
			     "hipGetDeviceCount" FIX_NOT_TESTED);
	}
	blame_targets(context, row, finding);
	finding_at_most(finding, CONFIDENCE_POSSIBLE,
			"another thread or process of the program may have crashed");
	return true;
}

static void report_waiting(const struct rules_context *context, const struct open_row *row)
{
	const struct open_launch *launch =
	    row->launches->len ? &g_array_index(row->launches, struct open_launch, 0) : NULL;
	/* A target construct names its kernel itself. */
	uint32_t kernel_id = launch ? launch->kernel_id
			     : hg_api_class((unsigned)row->open.call.state) == HG_CLASS_SYNC
				 ? row->open.call.kernel_id
				 : 0;
	const struct kernel_ref *kernel =
	    kernel_id ? process_kernel(context->process, kernel_id) : NULL;
	struct finding *finding = new_finding(context, row, RULE_HG709);

	if (!finding)
		return;
	if (kernel) {
		struct launch launched = { .kernel = kernel };

		finding_set_launch(finding, &launched, NULL);
		finding->related = g_strdup_printf("%s, not known to be complete", finding->kernel);
		finding->related_stack_id = launch ? launch->stack_id : row->open.call.stack_id;
	}
	finding->message = g_strdup_printf(
	    "thread %d was in %s when the %s ended%s%s: the call had not returned.", row->tid,
	    finding->api, context->process->ended == HG_ENDED_NOT ? "process" : "recording",
	    kernel ? ", and the latest work that it may wait for is " : "",
	    kernel ? finding->kernel : "");
	finding->fix = g_strdup(kernel ? "look whether that kernel ends" FIX_NOT_TESTED
				       : "look what the call waits for" FIX_NOT_TESTED);
	blame_targets(context, row, finding);
	finding_at_most(finding, CONFIDENCE_POSSIBLE,
			"it may have been about to return when the program was ended");
}

void check_ended_in_call(const struct rules_context *context)
{
	const GPtrArray *rows = open_calls_result(context->findings);
	bool vanished = context->process->ended == HG_ENDED_NOT;

	if (!context->process->over && !vanished)
		return;
	for (guint i = 0; i < rows->len; i++) {
		const struct open_row *row = rows->pdata[i];

		if (row->process != context->process || row->open.ended ||
		    is_explained(context, row))
			continue;
		if (!report_address(context, row) && !report_crash(context, row) &&
		    /* A command that ends well may leave others. */
		    (context->process->end_signal || vanished))
			report_waiting(context, row);
	}
}
