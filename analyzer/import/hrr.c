/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a capture to events. */
#include "hrr.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/hrr_code.h"
#include "analyzer/import/ring_writer.h"
#include "codeobj/codeobj.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_copies.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hip_streams.h"
#include "tracer/events/ev_advise.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_event.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_prefetch.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_stream.h"
#include "tracer/events/ev_sync.h"

#define DEVICES_MAX 1024
/* hipMemcpyKind */
enum { H2D = 1, D2H, D2D };
/* hipMemLocationType */
enum { LOCATION_DEVICE = 1, LOCATION_NODE = 3 };

/* Memory that is in use. */
struct live {
	int32_t tid; /* the thread that allocated it */
	bool late;   /* the release of what was there before is still to come */
};

struct translation {
	const struct hrr_process *process;
	struct ring_writer *writer;
	struct hrr_code *code;
	GArray *left_out;
	GHashTable *threads;       /* by number in the capture: ours */
	GHashTable *current;       /* by thread: its device */
	GHashTable *streams;       /* by handle: its device */
	GHashTable *live, *pinned; /* by address: struct live; registered memory apart */
	GHashTable *args;          /* GBytes, with the kernel: their number */
	uint32_t odd_threads;
	int64_t ns;
	int32_t tid;
};

int hrr_check(const struct hrr_process *process, char **error)
{
	int result = 0;

	for (guint i = 0; i < process->events.records->len && !result; i++) {
		const struct hrr_record *record =
		    &g_array_index(process->events.records, struct hrr_record, i);
		const struct hrr_row *row = hrr_row(record->type);
		struct hrr_launch launch;
		struct hrr_call call;
		char *why = NULL;

		if (row->kind == HRR_IS_CALL) {
			result = hrr_call_read(&call, row, record, &why);
		} else if (row->kind == HRR_IS_LAUNCH) {
			result = hrr_launch_read(&launch, row, record, &why);
			hrr_launch_clear(&launch);
		}
		if (result)
			*error = g_strdup_printf("%sevents.bin: %s", process->name, why);
		g_free(why);
	}
	return result;
}

static void leave_out(struct translation *to, const char *name)
{
	struct hrr_left_out row = { name, 1 };

	for (guint i = 0; i < to->left_out->len; i++) {
		struct hrr_left_out *old = &g_array_index(to->left_out, struct hrr_left_out, i);

		if (strcmp(old->name, name) == 0) {
			old->calls++;
			return;
		}
	}
	g_array_append_val(to->left_out, row);
}

static void emit(const struct hg_event *event, void *user)
{
	struct translation *to = user;
	struct hg_event own = *event;

	own.ns = to->ns;
	own.pid = to->process->pid;
	own.tid = to->tid;
	ring_writer_event(to->writer, &own);
}

/* ---- threads, devices ---- */

/* Threads are system calls' numbers; others get one of their own. */
static int32_t thread_of(struct translation *to, uint64_t thread)
{
	gpointer found = g_hash_table_lookup(to->threads, &thread);
	int32_t tid;

	if (found)
		return GPOINTER_TO_INT(found);
	tid = thread && thread <= INT32_MAX ? (int32_t)thread
					    : INT32_MAX - (int32_t)(to->odd_threads++ % INT32_MAX);
	g_hash_table_insert(to->threads, g_memdup2(&thread, sizeof(thread)), GINT_TO_POINTER(tid));
	return tid;
}

static int32_t current_device(const struct translation *to)
{
	return GPOINTER_TO_INT(g_hash_table_lookup(to->current, GINT_TO_POINTER(to->tid)));
}

static int32_t device_of(const struct translation *to, uint64_t stream)
{
	gpointer device;

	if (stream && g_hash_table_lookup_extended(to->streams, &stream, NULL, &device))
		return GPOINTER_TO_INT(device);
	return current_device(to);
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

static const char *text(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

/* Returns an attribute, -1 if it is not known. */
static int8_t attribute(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name);

	return value ? json_object_get_int(value) != 0 : -1;
}

static int8_t xnack_of(const char *arch)
{
	struct codeobj_target target;

	return codeobj_target_parse(arch, &target) == 0 ? target.xnack : -1;
}

static void put_device(struct translation *to, int32_t ordinal, const char *arch,
		       struct json_object *properties)
{
	struct hg_event event = { .type = HG_EVENT_device };
	struct json_object *memory = member(properties, "total_global_mem");

	event.device = &(struct hg_ev_device){
		.ordinal = ordinal,
		.name = text(properties, "name"),
		.arch = arch,
		.xnack = xnack_of(arch),
		.managed = attribute(properties, "managed_memory"),
		.concurrent_managed = -1,
		.pageable_access = -1,
		.host_native_atomic = -1,
		.integrated = attribute(properties, "integrated"),
		.large_bar = -1,
		.fine_grain = -1,
		.host_link = -1,
		.memory = memory ? json_object_get_uint64(memory) : 0,
	};
	emit(&event, to);
}

/* Converts "7.2.53211" to the number of hipRuntimeGetVersion(); 0: not known. */
static int32_t version_of(const char *text)
{
	unsigned major, minor, patch;

	if (sscanf(text, "%3u.%2u.%5u", &major, &minor, &patch) != 3 || major > 200)
		return 0;
	return (int32_t)(major * 10000000 + minor * 100000 + patch);
}

/* Guesses the devices if the manifest has none. Returns their number, by the greatest that was
 * chosen, and in *arch the target of the first code object, or NULL. */
static int32_t suppose_devices(struct translation *to, const char **arch)
{
	int32_t last = 0;

	*arch = NULL;
	for (guint i = 0; i < to->process->events.records->len; i++) {
		const struct hrr_record *record =
		    &g_array_index(to->process->events.records, struct hrr_record, i);
		const struct hrr_row *row = hrr_row(record->type);
		struct hrr_launch launch;
		struct hrr_call call;
		char *why = NULL;

		if (row->kind == HRR_IS_LAUNCH && !*arch &&
		    hrr_launch_read(&launch, row, record, &why) == 0) {
			*arch = hrr_code_target(to->code, launch.code_object);
			hrr_launch_clear(&launch);
		}
		if (row->kind == HRR_IS_CALL && row->api == HG_API_hipSetDevice &&
		    hrr_call_read(&call, row, record, &why) == 0 && call.device < DEVICES_MAX)
			last = MAX(last, call.device);
		g_free(why);
	}
	return last + 1;
}

static void put_runtime(struct translation *to, const char *version, int32_t devices)
{
	struct hg_event event = { .type = HG_EVENT_runtime };

	event.runtime = &(struct hg_ev_runtime){ .path = "",
						 .version = version_of(version),
						 .device_count = devices };
	emit(&event, to);
}

static void put_machine(struct translation *to)
{
	struct json_object *metadata = member(to->process->manifest, "metadata");
	struct json_object *devices = member(metadata, "devices");
	const char *version = text(member(metadata, "runtime"), "hip_runtime_version"), *arch;
	size_t count = json_object_is_type(devices, json_type_array)
			   ? MIN(json_object_array_length(devices), DEVICES_MAX)
			   : 0;

	if (count) {
		put_runtime(to, version, (int32_t)count);
	} else {
		int32_t supposed = suppose_devices(to, &arch);

		put_runtime(to, version, supposed);
		for (int32_t i = 0; arch && i < supposed; i++)
			put_device(to, i, arch, NULL);
	}
	for (size_t i = 0; i < count; i++) {
		struct json_object *device = json_object_array_get_idx(devices, i);
		struct json_object *properties = member(device, "properties");

		put_device(to, json_object_get_int(member(device, "ordinal")),
			   text(properties, "gcn_arch_name"), properties);
	}
}

/* ---- memory ---- */

static GHashTable *layer(struct translation *to, unsigned api)
{
	return api == HG_API_hipHostRegister || api == HG_API_hipHostUnregister ? to->pinned
										: to->live;
}

static void put_free(struct translation *to, unsigned api, const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_free };

	event.free =
	    &(struct hg_ev_free){ .api = (uint16_t)api, .ptr = call->ptr, .stream = call->stream };
	emit(&event, to);
}

/*
 * Releases are in the capture after they were made. Meanwhile another thread may have been given
 * the same memory, and that may come first.
 */
static void put_alloc(struct translation *to, const struct hrr_row *row,
		      const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_alloc };
	struct live *live = g_new0(struct live, 1);

	live->tid = to->tid;
	live->late = g_hash_table_contains(layer(to, row->api), &call->ptr);
	if (live->late) {
		put_free(to,
			 row->api == HG_API_hipHostRegister ? HG_API_hipHostUnregister
							    : HG_API_hipFree,
			 &(struct hrr_call){ .ptr = call->ptr });
	}
	g_hash_table_replace(layer(to, row->api), g_memdup2(&call->ptr, sizeof(call->ptr)), live);
	event.alloc = &(struct hg_ev_alloc){
		.api = (uint16_t)row->api,
		.ptr = call->ptr,
		.device_ptr = call->ptr,
		.size = call->size,
		.flags = call->flags,
		.device = device_of(to, call->stream),
		.stream = call->stream,
		.symbol = "",
	};
	emit(&event, to);
}

static void take_free(struct translation *to, const struct hrr_row *row,
		      const struct hrr_call *call)
{
	struct live *live = g_hash_table_lookup(layer(to, row->api), &call->ptr);

	if (!call->ptr)
		return;
	if (live && live->late && live->tid != to->tid) {
		live->late = false;
		return;
	}
	g_hash_table_remove(layer(to, row->api), &call->ptr);
	put_free(to, row->api, call);
}

static int32_t kind_of(unsigned api, int32_t kind)
{
	switch (api) {
	case HG_API_hipMemcpyHtoD:
	case HG_API_hipMemcpyHtoDAsync:
		return H2D;
	case HG_API_hipMemcpyDtoH:
	case HG_API_hipMemcpyDtoHAsync:
		return D2H;
	case HG_API_hipMemcpyDtoD:
	case HG_API_hipMemcpyDtoDAsync:
	case HG_API_hipMemcpyPeer:
	case HG_API_hipMemcpyPeerAsync:
		return D2D;
	default:
		return kind;
	}
}

static void put_copy(struct translation *to, const struct hrr_row *row, const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_copy };
	bool of_rows = strchr(row->fields, 'w');

	event.copy = &(struct hg_ev_copy){
		.api = (uint16_t)row->api,
		.dst = call->ptr,
		.src = call->src,
		.size = of_rows ? call->width : call->size,
		.rows = of_rows ? call->rows : 1,
		.dst_pitch = call->pitch,
		.src_pitch = call->src_pitch,
		.kind = kind_of(row->api, call->kind),
		.device = device_of(to, call->stream),
		.stream = call->stream,
		.depth = 1,
	};
	emit(&event, to);
}

/* Returns the size in bytes of the elements that a fill counts. */
static uint64_t element(unsigned api)
{
	switch (api) {
	case HG_API_hipMemsetD16:
	case HG_API_hipMemsetD16Async:
		return 2;
	case HG_API_hipMemsetD32:
	case HG_API_hipMemsetD32Async:
		return 4;
	default:
		return 1;
	}
}

static void put_fill(struct translation *to, const struct hrr_row *row, const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_fill };
	bool of_rows = strchr(row->fields, 'w');

	event.fill = &(struct hg_ev_fill){
		.api = (uint16_t)row->api,
		.dst = call->ptr,
		.size = of_rows ? call->width : element(row->api) * call->size,
		.rows = of_rows ? call->rows : 1,
		.pitch = call->pitch,
		.value = call->value,
		.device = device_of(to, call->stream),
		.stream = call->stream,
		.depth = 1,
	};
	emit(&event, to);
}

/* ---- placement ---- */

struct target {
	int32_t device, node;
	uint8_t location;
};

/* False: the capture does not have it (before version 6). */
static bool target_of(const struct hrr_row *row, const struct hrr_call *call, struct target *target)
{
	*target = (struct target){ .device = call->device, .node = -1 };
	if (!strchr(row->fields, 'l'))
		return true;
	target->location = (uint8_t)call->location;
	target->device = call->location == LOCATION_DEVICE ? call->location_id : -1;
	target->node = call->location == LOCATION_NODE ? call->location_id : -1;
	return call->location != 0;
}

static void put_advise(struct translation *to, const struct hrr_row *row,
		       const struct hrr_call *call, const struct target *target)
{
	struct hg_event event = { .type = HG_EVENT_advise };

	event.advise = &(struct hg_ev_advise){
		.api = (uint16_t)row->api,
		.ptr = call->ptr,
		.size = call->size,
		.advice = call->advice,
		.target = target->device,
		.location = target->location,
		.node = target->node,
	};
	emit(&event, to);
}

static void put_prefetch(struct translation *to, const struct hrr_row *row,
			 const struct hrr_call *call, const struct target *target)
{
	struct hg_event event = { .type = HG_EVENT_prefetch };

	event.prefetch = &(struct hg_ev_prefetch){
		.api = (uint16_t)row->api,
		.ptr = call->ptr,
		.size = call->size,
		.target = target->device,
		.stream = call->stream,
		.location = target->location,
		.node = target->node,
	};
	emit(&event, to);
}

static void put_placement(struct translation *to, const struct hrr_row *row,
			  const struct hrr_call *call, bool advice)
{
	struct target target;

	if (!target_of(row, call, &target))
		leave_out(to, row->name);
	else if (advice)
		put_advise(to, row, call, &target);
	else
		put_prefetch(to, row, call, &target);
}

/* ---- order ---- */

static void put_stream(struct translation *to, const struct hrr_row *row,
		       const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_stream };

	if (row->api == HG_API_hipStreamDestroy) {
		g_hash_table_remove(to->streams, &call->stream);
	} else {
		g_hash_table_replace(to->streams, g_memdup2(&call->stream, sizeof(call->stream)),
				     GINT_TO_POINTER(current_device(to)));
	}
	event.stream = &(struct hg_ev_stream){
		.api = (uint16_t)row->api,
		.stream = call->stream,
		.flags = call->flags,
		.priority = call->priority,
		.device = current_device(to),
	};
	emit(&event, to);
}

static void put_sync(struct translation *to, const struct hrr_row *row, const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_sync };

	event.sync = &(struct hg_ev_sync){
		.api = (uint16_t)row->api,
		.stream = call->stream,
		.event = call->event,
		.device = device_of(to, call->stream),
	};
	emit(&event, to);
}

static void put_event(struct translation *to, const struct hrr_row *row,
		      const struct hrr_call *call)
{
	struct hg_event event = { .type = HG_EVENT_event };

	event.event = &(struct hg_ev_event){
		.api = (uint16_t)row->api,
		.event = call->event,
		.stream = call->stream,
		.flags = call->flags,
	};
	emit(&event, to);
}

static void put_call(struct translation *to, const struct hrr_row *row, const struct hrr_call *call)
{
	switch (hg_api_class(row->api)) {
	case HG_CLASS_ALLOC:
		put_alloc(to, row, call);
		break;
	case HG_CLASS_FREE:
		take_free(to, row, call);
		break;
	case HG_CLASS_COPY:
		put_copy(to, row, call);
		break;
	case HG_CLASS_FILL:
		put_fill(to, row, call);
		break;
	case HG_CLASS_PREFETCH:
	case HG_CLASS_ADVISE:
		put_placement(to, row, call, hg_api_class(row->api) == HG_CLASS_ADVISE);
		break;
	case HG_CLASS_STREAM:
		put_stream(to, row, call);
		break;
	case HG_CLASS_EVENT:
		put_event(to, row, call);
		break;
	case HG_CLASS_SYNC:
		put_sync(to, row, call);
		break;
	case HG_CLASS_DEVICE:
	default:
		g_hash_table_replace(to->current, GINT_TO_POINTER(to->tid),
				     GINT_TO_POINTER(call->device));
	}
}

/* ---- launches ---- */

/* Lays out the explicit arguments as they lie in memory. Returns false if the kernel's do not agree
 * with them. */
static bool lay_out(const struct hrr_kernel *kernel, const struct hrr_launch *launch,
		    uint8_t *bytes, uint32_t size)
{
	const struct codeobj_kernel *layout = kernel->layout;

	memset(bytes, 0, size);
	if (!layout || launch->arguments->len != layout->explicit_count)
		return false;
	for (uint32_t i = 0; i < layout->explicit_count; i++) {
		const struct hrr_argument *argument =
		    &g_array_index(launch->arguments, struct hrr_argument, i);
		uint32_t offset = layout->args[i].offset;

		if (argument->size != layout->args[i].size)
			return false;
		if (offset < size)
			memcpy(bytes + offset, argument->data, MIN(argument->size, size - offset));
	}
	return true;
}

static uint32_t put_args(struct translation *to, const struct hrr_kernel *kernel,
			 const struct hrr_launch *launch)
{
	struct {
		uint32_t kernel, status;
		uint8_t bytes[HG_ARGS_MAX];
	} key = { .kernel = kernel->id };
	uint32_t size = kernel->layout ? kernel->layout->explicit_size : 0,
		 length = MIN(size, HG_ARGS_MAX), id;
	struct hg_event event = { .type = HG_EVENT_args };
	GBytes *bytes;
	gpointer known;

	key.status = size > HG_ARGS_MAX ? HG_ARGS_TRUNCATED : HG_ARGS_COMPLETE;
	if (!lay_out(kernel, launch, key.bytes, length)) {
		key.status = HG_ARGS_UNKNOWN_LAYOUT;
		length = 0;
	}
	bytes = g_bytes_new(&key, G_STRUCT_OFFSET(__typeof__(key), bytes) + length);
	known = g_hash_table_lookup(to->args, bytes);
	if (known) {
		g_bytes_unref(bytes);
		return GPOINTER_TO_UINT(known);
	}
	id = g_hash_table_size(to->args) + 1;
	g_hash_table_insert(to->args, bytes, GUINT_TO_POINTER(id));
	event.args = &(struct hg_ev_args){
		.args_id = id,
		.kernel_id = kernel->id,
		.status = (uint8_t)key.status,
		.bytes = key.bytes,
		.length = length,
	};
	emit(&event, to);
	return id;
}

static void put_launch(struct translation *to, const struct hrr_row *row,
		       const struct hrr_launch *launch)
{
	const struct hrr_kernel *kernel = hrr_code_kernel(to->code, launch);
	struct hg_event event = { .type = HG_EVENT_launch };

	event.launch = &(struct hg_ev_launch){
		.api = (uint16_t)row->api,
		.kernel_id = kernel->id,
		.args_id = put_args(to, kernel, launch),
		.grid_x = launch->grid[0],
		.grid_y = launch->grid[1],
		.grid_z = launch->grid[2],
		.block_x = launch->block[0],
		.block_y = launch->block[1],
		.block_z = launch->block[2],
		.shared = launch->shared,
		.device = device_of(to, launch->stream),
		.stream = launch->stream,
	};
	emit(&event, to);
}

/* ---- all of it ---- */

static void put_record(struct translation *to, const struct hrr_record *record)
{
	const struct hrr_row *row = hrr_row(record->type);
	struct hrr_launch launch;
	struct hrr_call call;
	char *why = NULL;

	to->tid = thread_of(to, record->thread);
	to->ns = MAX(to->ns, (int64_t)record->ns);
	if (row->kind == HRR_IS_OTHER) {
		leave_out(to, row->name);
	} else if (row->kind == HRR_IS_CALL && hrr_call_read(&call, row, record, &why) == 0) {
		if (call.result == 0)
			put_call(to, row, &call);
	} else if (row->kind == HRR_IS_LAUNCH && hrr_launch_read(&launch, row, record, &why) == 0) {
		put_launch(to, row, &launch);
		hrr_launch_clear(&launch);
	}
	g_free(why);
}

static void begin(struct translation *to)
{
	const GArray *records = to->process->events.records;
	const struct hrr_record *first =
	    records->len ? &g_array_index(records, struct hrr_record, 0) : NULL;

	to->tid = first ? thread_of(to, first->thread) : to->process->pid;
	to->ns = first ? (int64_t)first->ns : 0;
	put_machine(to);
	for (guint i = 0; i < records->len; i++)
		put_record(to, &g_array_index(records, struct hrr_record, i));
}

int hrr_translate(const struct hrr_process *process, int rings, int code_objects, GArray *left_out)
{
	struct translation to = { .process = process, .left_out = left_out };
	int result;

	to.writer = ring_writer_open(rings, process->pid);
	to.code = hrr_code_new(process, code_objects, emit, &to);
	to.threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	to.current = g_hash_table_new(NULL, NULL);
	to.streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	to.live = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	to.pinned = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	to.args =
	    g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
	begin(&to);
	g_hash_table_destroy(to.args);
	g_hash_table_destroy(to.pinned);
	g_hash_table_destroy(to.live);
	g_hash_table_destroy(to.streams);
	g_hash_table_destroy(to.current);
	g_hash_table_destroy(to.threads);
	hrr_code_free(to.code);
	result = ring_writer_close(to.writer);
	return result;
}
