/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HG313: memory is prefetched to, or advised for, a place that there is none of. That the release
 * refuses it is in the recording: the call failed. Which of several ranges of a batch it was about
 * is not, so only the first one's location is looked at.
 */
#include "locations.h"

#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg3xx.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/events/ev_error.h"

/* hipMemLocationType [CLR7] */
enum { LOCATION_NONE, LOCATION_OF_DEVICE };

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101 };

/* From error.flags: struct hg_ev_error. */
struct asked {
	unsigned type; /* hipMemLocationType; NONE where the function takes a device's number */
	int32_t target;
	bool is_typed; /* the function takes a location */
};

static bool what_was_asked(const struct hg_ev_error *error, struct asked *asked)
{
	switch (error->api) {
	case HG_API_hipMemPrefetchAsync:
	case HG_API_hipMemPrefetchAsync_v2:
	case HG_API_hipMemPrefetchBatchAsync:
	case HG_API_hipMemDiscardAndPrefetchBatchAsync:
	case HG_API_hipDrvMemDiscardAndPrefetchBatchAsync:
		asked->type = (unsigned)(error->flags >> 32);
		asked->target = (int32_t)(uint32_t)error->flags;
		asked->is_typed = error->api != HG_API_hipMemPrefetchAsync;
		return true;
	case HG_API_hipMemAdvise:
	case HG_API_hipMemAdvise_v2:
		asked->type = (unsigned)(error->flags >> 32) & 0xffff;
		asked->target = (int16_t)(error->flags >> 48);
		asked->is_typed = error->api == HG_API_hipMemAdvise_v2;
		return true;
	default:
		return false;
	}
}

char *refused_location(const struct process *process, const struct hg_ev_error *error)
{
	int32_t devices = process->device_count;
	struct asked asked;

	if ((error->code != INVALID_VALUE && error->code != INVALID_DEVICE) || devices < 1 ||
	    !what_was_asked(error, &asked))
		return NULL;
	if (asked.is_typed && asked.type != LOCATION_OF_DEVICE)
		return NULL; /* a node of the host may not be there; it is not in the event */
	/* If the function takes a number, -1 is the host. */
	if (asked.target < devices && asked.target >= (asked.is_typed ? 0 : -1))
		return NULL;
	return g_strdup_printf("device %d of %d", asked.target, devices);
}

void check_locations(const struct rules_context *context)
{
	const struct hg_ev_error *error = context->event->error;
	char *where = refused_location(context->process, error);
	struct finding *finding;
	struct asked asked;
	struct place place;
	bool is_new;

	if (!where)
		return;
	place = process_place(context->process, error->ptr);
	finding = findings_get(context->findings, RULE_HG313, context->process, &is_new, "%u %u %s",
			       error->api, error->stack_id, where);
	finding_hit(finding, context->event->ns, error->stack_id);
	if (is_new) {
		finding->api = g_strdup(hg_api_name(error->api));
		if (place.kind == PLACE_ALLOCATION)
			finding_set_place(finding, &place, error->ptr);
		finding->message = g_strdup_printf(
		    "%s was called for %s, counted from 0, and failed with %s (%d): it changed "
		    "nothing.",
		    finding->api, where, model_hip_error_name(error->code), error->code);
		/* Headers without the functions that take it do not have the type, either. */
		finding->fix = g_strdup(
		    what_was_asked(error, &asked) && asked.is_typed
			? "pass a location of type hipMemLocationTypeDevice with the number of a "
			  "device that the process has, or for the host one of type "
			  "hipMemLocationTypeHost" FIX_NOT_TESTED
			: "pass the number of a device that the process has, or for the host "
			  "hipCpuDeviceId (-1)");
	}
	g_free(where);
}
