/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: launching one is the launch of its kernels, and its copies and fills.
 *
 * However a graph was made (nodes added one by one, a captured stream, a clone, a child of another
 * graph), the runtime knows its nodes: they are queried when it is instantiated, and the kernels'
 * arguments are read then. In some releases the runtime does not report all about copies and fills:
 * those are remembered by their node when they are added or captured. Nodes that are neither are
 * counted, so that a reader knows how many are unknown.
 */
#include "preload/hip/known_graphs.h"

#include <errno.h>
#include <stdlib.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/hip/fix.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_capture_stream.h"
#include "preload/hip/record_launch.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_wrap.h"
#include "preload/trace/enter.h"
#include "tracer/api/hip_graph.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_copy.h"
#include "tracer/events/ev_fill.h"
#include "tracer/events/ev_free.h"

/* hipKernelNodeParams */
struct kernel_params {
	struct hg_dim3 block;
	void **extra;
	void *function;
	struct hg_dim3 grid;
	void **args;
	unsigned shared;
};

/* hipMemsetParams */
struct fill_params {
	void *dst;
	unsigned element;
	size_t height, pitch;
	unsigned value;
	size_t width;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define BUCKETS 1024u
static struct work *nodes[BUCKETS]; /* copies and fills, by node */
static struct instance *instances[BUCKETS];
int hg_hip_captures;

void hg_hip_graph_lock(void)
{
	pthread_mutex_lock(&lock);
}

void hg_hip_graph_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static size_t bucket(const void *handle)
{
	return (size_t)(hg_hash(0, &handle, sizeof(handle)) % BUCKETS);
}

/* ---- capture ---- */

/* hipStreamCaptureStatus: 1 is active; the null stream cannot be captured. */
bool hg_hip_capturing(uint64_t stream)
{
	int (*query)(uint64_t, int *);
	int status = 0;

	if (HG_LIKELY(!hg_hip_any_capture()) || !stream)
		return false;
	query = (int (*)(uint64_t, int *))hg_hip_query("hipStreamIsCapturing");
	if (!query || !hg_hip_may_query())
		return false;
	if (query(stream, &status)) {
		hg_hip_forget_error();
		return false;
	}
	return status == 1;
}

static struct work *remember(const void *graph, const void *node, enum kind kind)
{
	struct work **at = &nodes[bucket(node)], *work;

	while (*at && (*at)->node != node)
		at = &(*at)->next;
	work = *at;
	if (!work)
		work = hg_pool_calloc(1, sizeof(*work));
	if (!work)
		return NULL;
	work->owner = graph;
	work->node = node;
	work->kind = kind;
	*at = work;
	return work;
}

bool hg_hip_captured_node(uint64_t stream, const void **graph, const void **node)
{
	int (*query)(uint64_t, int *, unsigned long long *, const void **, const void *const **,
		     size_t *);
	const void *const *dependencies = NULL;
	unsigned long long id;
	size_t count = 0;
	int status = 0;

	query = (int (*)(uint64_t, int *, unsigned long long *, const void **, const void *const **,
			 size_t *))hg_hip_query("hipStreamGetCaptureInfo_v2");
	if (!query || !hg_hip_may_query())
		return false;
	if (query(stream, &status, &id, graph, &dependencies, &count)) {
		hg_hip_forget_error();
		return false;
	}
	if (count != 1 || !dependencies)
		return false;
	*node = dependencies[0];
	return true;
}

#define CAPTURED(type, kind)                                              \
	bool hg_hip_captured_##type(const struct hg_ev_##type *event)     \
	{                                                                 \
		const void *graph, *node;                                 \
		struct work *work;                                        \
                                                                          \
		if (!hg_hip_capturing(event->stream))                     \
			return false;                                     \
		if (hg_hip_captured_node(event->stream, &graph, &node)) { \
			hg_hip_graph_lock();                              \
			work = remember(graph, node, kind);               \
			if (work)                                         \
				work->type = *event;                      \
			hg_hip_graph_unlock();                            \
		}                                                         \
		return true;                                              \
	}
CAPTURED(copy, COPY)
CAPTURED(fill, FILL)

/* ---- reading a graph ---- */

/*
 * 5.2 counts its node types from 1, later releases from 0. The number of the type "empty"
 * distinguishes them, and is queried from a graph of our own.
 */
static int empty_type(void)
{
	static int known = -1;
	int (*create)(void **, unsigned) =
	    (int (*)(void **, unsigned))hg_hip_query("hipGraphCreate");
	int (*add)(void **, void *, const void *, size_t) =
	    (int (*)(void **, void *, const void *, size_t))hg_hip_query("hipGraphAddEmptyNode");
	int (*type)(void *, int *) = (int (*)(void *, int *))hg_hip_query("hipGraphNodeGetType");
	int (*destroy)(void *) = (int (*)(void *))hg_hip_query("hipGraphDestroy");
	void *graph = NULL, *node = NULL;
	int found = -1;

	if (known >= 0 || !create || !add || !type || !destroy)
		return known;
	if (create(&graph, 0)) {
		hg_hip_forget_error();
		return -1;
	}
	if (add(&node, graph, NULL, 0) || type(node, &found))
		hg_hip_forget_error();
	if (destroy(graph))
		hg_hip_forget_error();
	known = found;
	return known;
}

/* Returns the kind of a graph's node as the runtime reports it, or OTHER. */
enum kind hg_hip_graph_node_kind(const void *node)
{
	int (*query)(const void *, int *) =
	    (int (*)(const void *, int *))hg_hip_query("hipGraphNodeGetType");
	int empty = empty_type(), type;

	if (!query || empty < 5 || query(node, &type))
		return OTHER;
	return type == empty - 5   ? KERNEL
	       : type == empty - 3 ? FILL
	       : type == empty + 5 ? ALLOC
	       : type == empty + 6 ? RELEASE
				   : OTHER;
}

/* Counts work whose effect is not known. Work that follows it may find anything in memory. */
static void add_unknown(struct instance *instance)
{
	instance->unknown++;
	instance->forked = true;
}

static struct work *append(struct instance *instance, const void *owner, const void *node,
			   enum kind kind)
{
	struct work *work = hg_pool_calloc(1, sizeof(*work));

	if (!work) {
		add_unknown(instance);
		return NULL;
	}
	work->owner = owner;
	work->node = node;
	work->kind = kind;
	work->ordered = !instance->forked;
	*instance->last = work;
	instance->last = &work->next;
	instance->count++;
	return work;
}

static void drop_arguments(struct work *work)
{
	hg_pool_free(work->arguments.bytes);
	work->arguments = (struct hg_hip_kept){ .bytes = NULL };
}

static void free_work(struct work *work)
{
	drop_arguments(work);
	hg_pool_free(work);
}

static void set_kernel(struct work *work, const struct kernel_params *params)
{
	struct hg_hip_launch launch = {
		.handle = params->function,
		.params = params->args,
		.extra = params->extra,
		.node = true,
		.kept = &work->arguments,
		.event = { .grid_x = params->grid.x,
			   .grid_y = params->grid.y,
			   .grid_z = params->grid.z,
			   .block_x = params->block.x,
			   .block_y = params->block.y,
			   .block_z = params->block.z,
			   .shared = params->shared,
			   .device = hg_hip_device() },
	};

	drop_arguments(work);
	hg_hip_launch_identify(&launch);
	hg_fix_apply(&launch, launch.event.device);
	hg_hip_memory_ask(&launch.subjects);
	work->launch = launch.event;
	work->handle = params->function;
	work->generation = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
}

void hg_hip_graph_refresh(struct work *work, int device)
{
	uint32_t generation = __atomic_load_n(&hg_generation, __ATOMIC_RELAXED);
	struct hg_hip_launch launch = { .handle = work->handle,
					.node = true,
					.kept = &work->arguments,
					.event = work->launch };

	if (work->generation == generation)
		return;
	launch.event.device = device;
	hg_hip_launch_identify(&launch);
	hg_hip_memory_ask(&launch.subjects);
	work->launch = launch.event;
	work->generation = generation;
}

static void set_fill(struct work *work, const struct fill_params *params, uint16_t api)
{
	work->fill = (struct hg_ev_fill){
		.api = api,
		.dst = HG_PTR(params->dst),
		.size = params->width * params->element,
		.rows = params->height,
		.depth = 1,
		.pitch = params->pitch,
		.value = params->value,
	};
}

#define NESTING 8

static void read_graph(struct instance *instance, void *graph, const void *owner, int nesting)
{
	int (*get_nodes)(void *, void **, size_t *) =
	    (int (*)(void *, void **, size_t *))hg_hip_query("hipGraphGetNodes");
	int (*get_type)(void *, int *) =
	    (int (*)(void *, int *))hg_hip_query("hipGraphNodeGetType");
	int (*get_kernel)(void *, struct kernel_params *) =
	    (int (*)(void *, struct kernel_params *))hg_hip_query("hipGraphKernelNodeGetParams");
	int (*get_child)(void *, void **) =
	    (int (*)(void *, void **))hg_hip_query("hipGraphChildGraphNodeGetGraph");
	int (*get_fill)(void *, struct fill_params *) =
	    (int (*)(void *, struct fill_params *))hg_hip_query("hipGraphMemsetNodeGetParams");
	int empty = empty_type(), type;
	size_t count = 0, ordered;
	void **list;

	if (!get_nodes || !get_type || !get_kernel || !get_child || empty < 5 || !nesting ||
	    get_nodes(graph, NULL, &count)) {
		add_unknown(instance);
		return;
	}
	list = hg_pool_calloc(count + 1, sizeof(*list));
	if (!list || get_nodes(graph, list, &count)) {
		add_unknown(instance);
		hg_pool_free(list);
		return;
	}
	ordered = hg_hip_graph_sort(graph, list, count);
	for (size_t i = 0; i < count; i++) {
		struct kernel_params params = { .args = NULL };
		struct fill_params fill;
		struct hg_ev_alloc alloc;
		struct hg_ev_free free;
		struct work *work, *known = nodes[bucket(list[i])];
		void *child = NULL;

		instance->forked |= i >= ordered;
		while (known && known->node != list[i])
			known = known->next;
		if (known) {
			work = append(instance, owner, list[i], known->kind);
			if (work && known->kind == COPY)
				work->copy = known->copy;
			else if (work)
				work->fill = known->fill;
		} else if (get_type(list[i], &type)) {
			add_unknown(instance);
		} else if (type == empty - 5) {
			if (get_kernel(list[i], &params)) {
				add_unknown(instance);
				continue;
			}
			work = append(instance, owner, list[i], KERNEL);
			if (work)
				set_kernel(work, &params);
		} else if (type == empty - 3 && get_fill && !get_fill(list[i], &fill)) {
			work = append(instance, owner, list[i], FILL);
			if (work)
				set_fill(work, &fill, HG_API_hipGraphAddMemsetNode);
		} else if (type == empty + 5 && hg_hip_graph_alloc_node(list[i], &alloc)) {
			work = append(instance, owner, list[i], ALLOC);
			if (work)
				work->alloc = alloc;
		} else if (type == empty + 6 && hg_hip_graph_free_node(list[i], &free)) {
			work = append(instance, owner, list[i], RELEASE);
			if (work)
				work->free = free;
		} else if (type == empty - 1 && !get_child(list[i], &child)) {
			read_graph(instance, child, owner ? owner : list[i], nesting - 1);
		} else if (type < empty - 2 || type > empty + 2) {
			add_unknown(instance);
		} else if (type == empty - 2) { /* a function of the host's: any of its memory */
			instance->forked = true;
		}
	}
	hg_pool_free(list);
}

static void clear(struct instance *instance)
{
	struct work *next;

	for (struct work *work = instance->work; work; work = next) {
		next = work->next;
		free_work(work);
	}
	instance->work = NULL;
	instance->last = &instance->work;
	instance->count = instance->unknown = 0;
	instance->forked = false;
}

struct instance *hg_hip_graph_find(const void *handle)
{
	struct instance *instance = instances[bucket(handle)];

	while (instance && instance->handle != handle)
		instance = instance->next;
	return instance;
}

/* An instantiated graph's work is the graph's; read anew where it is known already. */
static void take(const void *handle, void *graph)
{
	bool quiet = hg_hip_may_query();
	struct instance *instance;

	if (!hg_hip_enter())
		return;
	hg_hip_graph_lock();
	instance = hg_hip_graph_find(handle);
	if (!instance)
		instance = hg_pool_calloc(1, sizeof(*instance));
	if (instance) {
		if (!instance->handle) {
			instance->handle = handle;
			instance->next = instances[bucket(handle)];
			instances[bucket(handle)] = instance;
		}
		clear(instance);
		if (quiet) {
			read_graph(instance, graph, NULL, NESTING);
			if (!hg_hip_may_query())
				hg_hip_forget_error();
		} else {
			instance->unknown++;
		}
	}
	hg_hip_graph_unlock();
	hg_leave();
}

static void drop_instance(const void *handle)
{
	struct instance **at = &instances[bucket(handle)], *removed;

	hg_tls.busy++;
	hg_hip_graph_lock();
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	removed = *at;
	if (removed) {
		*at = removed->next;
		clear(removed);
		hg_pool_free(removed);
	}
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

/* Nodes of a graph that is destroyed: their handles may be reused. */
static void drop_nodes(const void *graph, const void *node)
{
	hg_tls.busy++;
	hg_hip_graph_lock();
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct work **at = &nodes[i]; *at;) {
			struct work *work = *at;

			if (graph ? work->owner == graph : work->node == node) {
				*at = work->next;
				free_work(work);
			} else {
				at = &work->next;
			}
		}
	}
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

/* ---- nodes that change in an instantiated graph ---- */

static void update_kernel(const void *handle, const void *node, const struct kernel_params *params)
{
	struct instance *instance;

	if (!hg_hip_enter())
		return;
	hg_hip_graph_lock();
	instance = hg_hip_graph_find(handle);
	for (struct work *work = instance ? instance->work : NULL; work; work = work->next)
		if (work->node == node && work->kind == KERNEL)
			set_kernel(work, params);
	hg_hip_graph_unlock();
	hg_leave();
}

static void update_copy(const void *handle, const void *node, void *dst, const void *src,
			size_t size, int kind)
{
	struct instance *instance;

	hg_tls.busy++;
	hg_hip_graph_lock();
	instance = handle ? hg_hip_graph_find(handle) : NULL;
	for (struct work *work = instance ? instance->work : nodes[bucket(node)]; work;
	     work = work->next) {
		if (work->node != node || work->kind != COPY)
			continue;
		work->copy.dst = HG_PTR(dst);
		work->copy.src = HG_PTR(src);
		work->copy.size = size;
		work->copy.kind = kind;
	}
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

/* Nothing is known of the order of that work any more. */
static void disorder(struct work *work)
{
	for (; work; work = work->next)
		work->ordered = false;
}

/*
 * A child graph's work, where its former work was; NULL: it had none, and its place is not known.
 * `ordered`: what stood there first was.
 */
static void read_again(struct instance *instance, void *graph, const void *node,
		       struct work **place, bool ordered)
{
	struct work *behind = place ? *place : NULL;

	if (!place) {
		disorder(instance->work);
		for (place = &instance->work; *place;)
			place = &(*place)->next;
	}
	instance->forked = !ordered;
	*place = NULL;
	instance->last = place;
	read_graph(instance, graph, node, NESTING);
	*instance->last = behind;
	if (instance->forked)
		disorder(behind);
	while (*instance->last)
		instance->last = &(*instance->last)->next;
}

/* Replaces the work that a child graph held by what it holds now. */
static void update_child(const void *handle, const void *node, void *graph)
{
	struct instance *instance;
	struct work **place = NULL;
	bool ordered = false;

	if (!hg_hip_enter())
		return;
	hg_hip_graph_lock();
	instance = hg_hip_graph_find(handle);
	if (instance) {
		for (struct work **at = &instance->work; *at;) {
			struct work *work = *at;

			if (work->owner == node) {
				ordered = place ? ordered : work->ordered;
				place = at;
				*at = work->next;
				free_work(work);
				instance->count--;
			} else {
				at = &work->next;
			}
		}
		read_again(instance, graph, node, place, ordered);
	}
	hg_hip_graph_unlock();
	hg_leave();
}

/* The effect of a node is unknown from now on: it is counted. Without an instance: in graphs. */
static void forget(const void *handle, const void *node)
{
	struct instance *instance;

	if (!handle) {
		drop_nodes(NULL, node);
		return;
	}
	hg_tls.busy++;
	hg_hip_graph_lock();
	instance = hg_hip_graph_find(handle);
	for (struct work **at = instance ? &instance->work : NULL; at && *at;) {
		struct work *work = *at;

		if (work->node == node) {
			*at = work->next;
			free_work(work);
			instance->count--;
			instance->unknown++;
			disorder(*at);
		} else {
			at = &work->next;
		}
	}
	if (instance)
		for (instance->last = &instance->work; *instance->last;)
			instance->last = &(*instance->last)->next;
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

static void add_copy(const void *graph, const void *node, const struct hg_ev_copy *copy)
{
	struct work *work;

	hg_tls.busy++;
	hg_hip_graph_lock();
	work = remember(graph, node, COPY);
	if (work)
		work->copy = *copy;
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

static void add_fill(const void *graph, const void *node, const struct fill_params *params)
{
	struct work *work;

	hg_tls.busy++;
	hg_hip_graph_lock();
	work = remember(graph, node, FILL);
	if (work)
		set_fill(work, params, HG_API_hipGraphAddMemsetNode);
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

/* ---- around the calls ---- */

/* `after` is run if the call succeeded. */
#define HG_WRAP_GRAPH(class, name, params, args, handle_, stream_, after)                   \
	HG_CALLED(hg_hip_begin, name, params, args, (void)0, int saved = errno;             \
		  if (!call.rc) after; errno = saved;                                       \
		  struct hg_ev_call event = { .api = HG_API_##name,                         \
					      .handle = HG_PTR(call.rc ? NULL : (handle_)), \
					      .stream = HG_PTR(stream_) };                  \
		  hg_finish_call(&call, &event))

#define BEGUN __atomic_fetch_add(&hg_hip_captures, 1, __ATOMIC_RELAXED)
#define ENDED __atomic_fetch_sub(&hg_hip_captures, 1, __ATOMIC_RELAXED)
#define HG_WRAP_FORGET_NODE(class, name, params, args) \
	HG_WRAP_GRAPH(class, name, params, args, node, NULL, forget(NULL, node))
#define HG_WRAP_FORGET(class, name, params, args) \
	HG_WRAP_GRAPH(class, name, params, args, instance, NULL, forget(instance, node))

#define HG_API HG_WRAP
#include "tracer/api/hip_graph.def"
#undef HG_API

static void fork_unlock(bool child)
{
	(void)child;
	hg_hip_graph_unlock();
}

HG_PART(.name = "hip-graphs", .order = 30, .fork_lock = hg_hip_graph_lock,
	.fork_unlock = fork_unlock);
