/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG706 and HG707: calls that failed, and programs that continued as if they had not.
 *
 * Whether a program checked a return value is not recorded. What is recorded is that it used what
 * the call should have made. That is reported; a failure alone is not, because programs try calls
 * that may fail (it is listed among the report's notes).
 */
#include "access_history.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "tracer/api/hip_launch.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_error.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_launch.h"

#include <string.h>

#define WRITES (ACCESS_WRITE | ACCESS_ATOMIC)

/* Describes a result that an allocation should hold, but does not. */
struct lost_result {
	struct hg_ev_error error;
	const struct isa_kernel *code; /* its launch failed; NULL: a copy or fill did */
};

static char *failure_text(const struct hg_ev_error *error, const struct isa_kernel *code)
{
	return code ? g_strdup_printf("the launch of %s", code->name)
		    : g_strdup(hg_api_name(error->api));
}

static struct finding *unchecked(const struct rules_context *context, struct process_order *at,
				 const struct hg_ev_error *error, const struct isa_kernel *code,
				 unsigned api, bool *is_new)
{
	struct finding *finding =
	    findings_get(context->findings, RULE_HG707, at->process, is_new, "%u %u %d %u",
			 error->api, error->stack_id, error->code, api);
	char *what;

	finding_hit(finding, context->event->ns, error->stack_id);
	if (*is_new) {
		what = failure_text(error, code);
		finding->api = g_strdup(hg_api_name(error->api));
		finding->fix = g_strdup_printf(
		    "check the result of %s%s, and do not continue when it is not hipSuccess", what,
		    code ? " with hipGetLastError()" : "");
		g_free(what);
	}
	return finding;
}

/* ---- results that are used although they were never made ---- */

static void lose(struct process_order *at, struct allocation *allocation,
		 const struct hg_ev_error *error, const struct isa_kernel *code)
{
	struct lost_result *lost = g_new0(struct lost_result, 1);

	lost->error = *error;
	lost->code = code;
	g_hash_table_replace(at->lost, allocation_ref(allocation), lost);
}

static void errors_forget(struct process_order *at, const struct allocation *allocation)
{
	g_hash_table_remove(at->lost, allocation);
}

static void use_lost(const struct rules_context *context, struct process_order *at,
		     struct allocation *allocation, const struct lost_result *lost, unsigned api,
		     const struct isa_kernel *reader, uint32_t stack_id)
{
	const struct access_history *history = access_history_of(allocation);
	bool is_new;
	struct finding *finding = unchecked(context, at, &lost->error, lost->code, api, &is_new);
	char *what;

	finding_figure(finding, 0, FIGURE_RANGE, allocation->size);
	finding_detail(finding, ((uint64_t)allocation->api << 32) ^ (uintptr_t)reader);
	if (!is_new)
		return;
	what = failure_text(&lost->error, lost->code);
	finding->message = g_strdup_printf(
	    "%s failed with %s (%d), and %s then reads what it should have "
	    "written, in a block of %s bytes from %s.",
	    what, model_hip_error_name(lost->error.code), lost->error.code,
	    reader ? reader->name : hg_api_name(api), FIGURE(0), hg_api_name(allocation->api));
	finding->related =
	    g_strdup_printf("%s reads the memory", reader ? reader->name : hg_api_name(api));
	finding->related_stack_id = stack_id;
	finding->address = allocation->ptr;
	finding->allocation = allocation_ref(allocation);
	if (history && history->writes) {
		finding_at_most(
		    finding, CONFIDENCE_LIKELY,
		    "the memory was written before, and the program may intend to read that");
	} else if (context->process->state.late) {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"what was written before the recording began is unknown");
	}
	g_free(what);
}

static void errors_launch(const struct rules_context *context, struct process_order *at,
			  const struct launch_uses *uses)
{
	const struct hg_ev_launch *launch = context->event->launch;
	bool is_new;

	if (at->sticky.code) {
		struct finding *finding =
		    unchecked(context, at, &at->sticky, NULL, HG_API_hipLaunchKernel, &is_new);

		if (is_new) {
			finding->message = g_strdup_printf(
			    "%s failed with %s (%d), after which all results are undefined; the "
			    "program continued to launch kernels.",
			    finding->api, model_hip_error_name(at->sticky.code), at->sticky.code);
		}
	}
	if (g_hash_table_size(at->lost) == 0)
		return;
	if (!uses->complete) { /* it may have written anything */
		g_hash_table_remove_all(at->lost);
		return;
	}
	for (unsigned i = 0; i < uses->count; i++) {
		struct allocation *allocation = uses->at[i].allocation;
		const struct lost_result *lost = g_hash_table_lookup(at->lost, allocation);

		/* The same kernel again is a second attempt. */
		if (lost && (uses->at[i].access & ACCESS_READ) && lost->code != uses->code) {
			use_lost(context, at, allocation, lost, launch->api, uses->code,
				 launch->stack_id);
		}
		if (lost)
			errors_forget(at, allocation);
	}
}

static void errors_lost_launch(const struct rules_context *context, struct process_order *at,
			       const struct launch_uses *uses)
{
	for (unsigned i = 0; i < uses->count; i++) {
		struct allocation *allocation = uses->at[i].allocation;
		struct place place = { .kind = PLACE_ALLOCATION, .allocation = allocation };
		struct grain grain = place_grain_brief(context->process, &place);

		/* Other memory the host can have filled itself. */
		if ((uses->at[i].access & WRITES) && !allocation->freed &&
		    grain.location == LOCATION_DEVICE)
			lose(at, allocation, context->event->error, uses->code);
	}
}

static struct lost_result *lost_at(const struct rules_context *context, struct process_order *at,
				   uint64_t address, struct allocation **allocation)
{
	struct place place = process_place(context->process, address);

	*allocation = place.allocation;
	return place.kind == PLACE_ALLOCATION ? g_hash_table_lookup(at->lost, place.allocation)
					      : NULL;
}

static void errors_transfer(const struct rules_context *context, struct process_order *at)
{
	bool copy = context->event->type == HG_EVENT_copy;
	uint64_t dst = copy ? context->event->copy->dst : context->event->fill->dst;
	struct allocation *allocation;
	struct lost_result *lost;

	if (g_hash_table_size(at->lost) == 0)
		return;
	lost = copy ? lost_at(context, at, context->event->copy->src, &allocation) : NULL;
	if (lost) {
		use_lost(context, at, allocation, lost, context->event->copy->api, NULL,
			 context->event->copy->stack_id);
		errors_forget(at, allocation);
	}
	if (lost_at(context, at, dst, &allocation))
		errors_forget(at, allocation);
}

/* ---- failures ---- */

/* Returns true for hipErrorIllegalAddress, hipErrorAssert and hipErrorLaunchFailure [H523]. */
static bool is_sticky(int code)
{
	return code == 700 || code == 710 || code == 719;
}

/* Returns true for hipErrorStreamCaptureUnsupported to hipErrorStreamCaptureWrongThread [H523]. */
static bool is_capture_error(int code)
{
	return code >= 900 && code <= 908;
}

/*
 * hipErrorStreamCaptureInvalidated [H523]: the capture had been ended by a call before, whose error
 * was another one. From 6.4.3 on hipStreamEndCapture returns it then [SEEN64].
 */
#define CAPTURE_INVALIDATED 901

static void report_capture(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_error *error = context->event->error;
	bool is_new;
	struct finding *finding =
	    findings_get(context->findings, RULE_HG706, at->process, &is_new, "%u %u %d",
			 error->api, error->stack_id, error->code);

	finding_hit(finding, context->event->ns, error->stack_id);
	if (!is_new)
		return;
	finding->api = g_strdup(hg_api_name(error->api));
	finding->message =
	    g_strdup_printf("%s failed with %s (%d): it cannot be called while a stream is being "
			    "captured. The call had no effect and may have ended the capture.",
			    finding->api, model_hip_error_name(error->code), error->code);
	finding->fix = g_strdup_printf("call %s before hipStreamBeginCapture or after "
				       "hipStreamEndCapture",
				       finding->api);
}

static void transfer_failed(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_error *error = context->event->error;
	struct place place = process_place(context->process, error->ptr);
	struct grain grain;

	if (place.kind != PLACE_ALLOCATION || error->size == 0)
		return;
	grain = place_grain_brief(context->process, &place);
	if (grain.location == LOCATION_DEVICE)
		lose(at, place.allocation, error, NULL);
}

static void errors_event(const struct rules_context *context, struct process_order *at)
{
	const struct hg_ev_error *error = context->event->error;
	int class = hg_api_class(error->api);

	if (error->api < HG_HIP_APIS)
		return;
	if (error->code == CAPTURE_INVALIDATED)
		return;
	if (is_capture_error(error->code))
		report_capture(context, at);
	else if (is_sticky(error->code) && !at->sticky.code)
		at->sticky = *error;
	else if (class == HG_CLASS_COPY || class == HG_CLASS_FILL)
		transfer_failed(context, at);
}

void check_errors(const struct rules_context *context)
{
	const struct work *work = context->work;
	struct process_order *at = work ? work->at : order_of(context->process);

	switch (context->wake) {
	case WAKE_SUBMIT:
		if (work->uses)
			errors_launch(context, at, work->uses);
		break;
	case WAKE_TAKEN_BACK:
		errors_lost_launch(context, at, work->uses);
		break;
	case WAKE_ORDERED_RELEASE:
		errors_forget(at, work->allocation);
		break;
	case WAKE_ERROR:
		errors_event(context, at);
		break;
	default:
		errors_transfer(context, at);
		break;
	}
}
