/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One decoded event, as the rest of the analyzer sees it. The structs are those of the schema
 * (tracer/events.h); strings and sequences belong to the reader and live until the callback
 * that received the event returns.
 */
#ifndef HIPGRAIN_EVENT_H
#define HIPGRAIN_EVENT_H

#include "tracer/events.h"

enum hg_event_type {
	HG_EVENT_process,
	HG_EVENT_state,
	HG_EVENT_module,
	HG_EVENT_region,
	HG_EVENT_runtime,
	HG_EVENT_device,
	HG_EVENT_alloc,
	HG_EVENT_free,
	HG_EVENT_memory,
	HG_EVENT_copy,
	HG_EVENT_fill,
	HG_EVENT_prefetch,
	HG_EVENT_advise,
	HG_EVENT_migration,
	HG_EVENT_smi_source,
	HG_EVENT_code_object,
	HG_EVENT_kernel,
	HG_EVENT_args,
	HG_EVENT_launch,
	HG_EVENT_stream,
	HG_EVENT_event,
	HG_EVENT_sync,
	HG_EVENT_call,
	HG_EVENT_error,
	HG_EVENT_stack,
	HG_EVENT_host_totals,
#define HG_EVENT_OF(name) HG_EVENT_##name,
	HG_COST_EVENTS(HG_EVENT_OF) HG_OFFLOAD_EVENTS(HG_EVENT_OF) HG_MIGRATION_EVENTS(HG_EVENT_OF)
#undef HG_EVENT_OF
	    HG_EVENT_TYPES,
};

struct hg_event {
	enum hg_event_type type;
	int64_t ns; /* since the trace clock's origin */
	int32_t pid;
	int32_t tid;
	union {
		struct hg_ev_process process;
		struct hg_ev_state state;
		struct hg_ev_module module;
		struct hg_ev_region region;
		struct hg_ev_runtime runtime;
		struct hg_ev_device device;
		struct hg_ev_alloc alloc;
		struct hg_ev_free free;
		struct hg_ev_memory memory;
		struct hg_ev_copy copy;
		struct hg_ev_fill fill;
		struct hg_ev_prefetch prefetch;
		struct hg_ev_advise advise;
		struct hg_ev_migration migration;
		struct hg_ev_smi_source smi_source;
		struct hg_ev_code_object code_object;
		struct hg_ev_kernel kernel;
		struct hg_ev_args args;
		struct hg_ev_launch launch;
		struct hg_ev_stream stream;
		struct hg_ev_event event;
		struct hg_ev_sync sync;
		struct hg_ev_call call;
		struct hg_ev_error error;
		struct hg_ev_stack stack;
		struct hg_ev_host_totals host_totals;
#define HG_EVENT_OF(name) struct hg_ev_##name name;
		HG_COST_EVENTS(HG_EVENT_OF)
		HG_OFFLOAD_EVENTS(HG_EVENT_OF)
		HG_MIGRATION_EVENTS(HG_EVENT_OF)
#undef HG_EVENT_OF
	};
};

/* Name of an interface function by its id; "api <id>" is never returned: NULL if unknown. */
const char *hg_api_name(unsigned api);

/* The class of an interface function (enum hg_api_class), or -1 if its id is unknown. */
int hg_api_class(unsigned api);

#endif
