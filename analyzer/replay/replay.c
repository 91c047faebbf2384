/* SPDX-License-Identifier: Apache-2.0 */
/* Events to the state of processes. */
#include "replay.h"

#include "inherit.h"
#include "mappings.h"
#include "memory_events.h"
#include "process_state.h"
#include "codeobj/codeobj.h"
#include "codeobj/processor.h"
#include "ranges.h"
#include "stream_names.h"
#include "thread_names.h"
#include "target_regions.h"

#include <string.h>

#include "tracer/api/hip_launch.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_device.h"
#include "tracer/events/ev_gpu_time.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_module.h"
#include "tracer/events/ev_omp_data.h"
#include "tracer/events/ev_omp_device.h"
#include "tracer/events/ev_omp_submit.h"
#include "tracer/events/ev_omp_target.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_python.h"
#include "tracer/events/ev_python_code.h"
#include "tracer/events/ev_region.h"
#include "tracer/events/ev_runtime.h"
#include "tracer/events/ev_stack.h"
#include "tracer/events/ev_state.h"

/* ---- processes ---- */

void replay_init(struct replay *replay)
{
	replay->processes = g_ptr_array_new_with_free_func(process_free);
	replay->foreign = g_ptr_array_new_with_free_func(process_free);
	replay->session = NULL;
	replay->attached = false;
	replay->observer = NULL;
	replay->measured = NULL;
	replay->supposed = NULL;
	replay->inherited = 0;
	replay->inherit_looks = 0;
	replay->by_pid = g_hash_table_new(NULL, NULL);
	replay->last = NULL;
}

void replay_destroy(struct replay *replay)
{
	g_hash_table_destroy(replay->by_pid);
	g_ptr_array_free(replay->processes, TRUE);
	g_ptr_array_free(replay->foreign, TRUE);
	g_free(replay->session);
}

void replay_set_session(struct replay *replay, const char *session)
{
	g_free(replay->session);
	replay->session = g_strdup(session);
}

/* The value of a variable in the lines of a `process` event, or NULL; the caller frees. */
static char *variable(const char *lines, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = lines; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == '=')
			return g_strndup(line + length + 1, strcspn(line + length + 1, "\n"));
	}
	return NULL;
}

static bool is_foreign(const struct replay *replay, const struct hg_event *first)
{
	char *session;
	bool foreign;

	/* It has not recorded its state yet, or is not on standby and was there before us. */
	if (replay->attached && first->type != HG_EVENT_process)
		return true;
	if (!replay->session)
		return false;
	/* Recording is on before a process starts, so one that does not begin is not ours. */
	if (first->type != HG_EVENT_process)
		return true;
	session = variable(first->process->env, "HIPGRAIN_SESSION");
	foreign = !session || strcmp(session, replay->session) != 0;
	g_free(session);
	return foreign;
}

static struct process *start_process(struct replay *replay, const struct hg_event *first)
{
	struct process *process = process_new(first->pid);

	process->began_ns = first->ns;
	process->foreign = is_foreign(replay, first);
	process->space.observer = process->foreign ? NULL : replay->observer;
	process->space.owner = process;
	process->measured = replay->measured;
	process->supposed = replay->supposed;
	process->over = replay->over;
	process->end_signal = replay->end_signal;
	g_ptr_array_add(process->foreign ? replay->foreign : replay->processes, process);
	g_hash_table_insert(replay->by_pid, GINT_TO_POINTER(first->pid), process);
	replay->last = process;
	return process;
}

/* The program image that ran at `ns` under a pid: it may have executed another since, or have
 * ended. */
static const struct process *process_then(const struct replay *replay, int32_t pid, int64_t ns)
{
	for (guint i = replay->processes->len; i--;) {
		const struct process *process = replay->processes->pdata[i];

		if (process->pid == pid && process->began_ns <= ns)
			return process;
	}
	return NULL;
}

/* Gives a child its parent's state at the time of the fork that `announced`, its first event,
 * tells; without that time the parent is taken as it is now. */
static void inherit(struct replay *replay, struct process *child, const struct hg_event *announced)
{
	const struct hg_ev_process *about = announced->process;
	bool known = about->ancestor && about->fork_age <= (uint64_t)INT64_MAX;
	int64_t fork_ns = known ? announced->ns - (int64_t)about->fork_age : INT64_MAX;
	const struct process *parent = known
					   ? process_then(replay, (int32_t)about->ancestor, fork_ns)
					   : replay_process(replay, (int32_t)about->ppid);
	struct inherit_limits limits = { INHERITED_MOST - replay->inherited,
					 INHERIT_LOOKS - replay->inherit_looks };
	int64_t count;

	if (!parent || parent == child || parent->foreign != child->foreign)
		return;
	child->parent = parent;
	count = process_inherit(child, parent, fork_ns, &limits);
	replay->inherit_looks = INHERIT_LOOKS - limits.looks;
	child->inherited_unknown = count < 0;
	replay->inherited += (uint64_t)MAX(count, 0);
	child->inherited = (uint64_t)MAX(count, 0);
}

/* A process that forked only to become another program: nothing of its memory is left. */
static void forget_inherited(struct replay *replay, struct process *process)
{
	const struct space_observer *observer = process->space.observer;

	if (process->inherited && process->device_count < 0) {
		replay->inherited -= process->inherited;
		process->inherited = 0;
		address_space_destroy(&process->space);
		address_space_init(&process->space);
		process->space.observer = observer;
		process->space.owner = process;
	}
}

/* ---- one function an event type ---- */

static void set_text(char **target, const char *text)
{
	g_free(*target);
	*target = g_strdup(text);
}

static void apply_process(struct process *process, const struct hg_event *event)
{
	char **lines = g_strsplit(event->process->env, "\n", -1);

	process->announced = true;
	process->forked = event->process->forked;
	process->instance = event->process->instance;
	process->state.late = event->process->late;
	process->ppid = (int32_t)event->process->ppid;
	process->threshold = event->process->threshold;
	if (event->process->page_size) {
		process->page_size = event->process->page_size;
		process->pages.page_size = event->process->page_size;
		process->attributed.page_size = event->process->page_size;
	}
	set_text(&process->exe, event->process->exe);
	set_text(&process->cmdline, event->process->cmdline);
	for (char **line = lines; *line; line++) {
		char *equals = strchr(*line, '=');

		if (equals) {
			g_hash_table_replace(process->env,
					     g_strndup(*line, (gsize)(equals - *line)),
					     g_strdup(equals + 1));
		}
	}
	g_strfreev(lines);
}

/* Recorded again, and nothing else has been allocated there since. */
static bool is_known_module(const struct host_module *module, const struct hg_ev_module *event)
{
	return module && module->path && module->start == event->start &&
	       module->size == event->size && module->bias == event->bias &&
	       strcmp(module->path, event->path) == 0;
}

static void apply_module(struct process *process, const struct hg_event *event)
{
	const struct host_module *old = process_module(process, event->module->start, MODULES_ALL);
	struct host_module *module;

	if (event->module->past && *event->module->past) {
		g_hash_table_replace(process->bypasses, g_strdup(event->module->path),
				     g_strdup(event->module->past));
	}
	if (!event->module->size && !old)
		return; /* unloaded, and its loading was not recorded */
	if (event->module->size && is_known_module(old, event->module))
		return;
	module = g_new0(struct host_module, 1);
	module->bias = event->module->bias;
	module->start = event->module->start;
	module->size = event->module->size ? event->module->size : old->size;
	module->path = event->module->size ? g_strdup(event->module->path) : NULL;
	module->build_id = g_strdup(event->module->build_id);
	g_ptr_array_add(process->modules, module);
	process->epoch++;
}

static void apply_region(struct process *process, const struct hg_event *event)
{
	struct region region = { event->region->kind, event->region->start, event->region->size };

	for (unsigned i = 0; i < process->regions->len; i++) {
		struct region *old = &g_array_index(process->regions, struct region, i);

		if (old->kind == region.kind && old->start == region.start) {
			*old = region;
			process->epoch++;
			return;
		}
	}
	g_array_append_val(process->regions, region);
	process->epoch++;
}

static void apply_runtime(struct process *process, const struct hg_event *event)
{
	set_text(&process->runtime_path, event->runtime->path);
	process->recorded_version = event->runtime->version;
	process->runtime_version = process->supposed && process->supposed->version
				       ? process->supposed->version
				       : event->runtime->version;
	process->device_count = event->runtime->device_count;
	process->runtime_result = event->runtime->result;
	process->host_memory = event->runtime->host_memory;
	process->huge_pages = event->runtime->huge_pages;
}

/* Returns if the GPU is an APU: 0, 1, or -1 where its name does not tell. */
static int8_t is_apu(const char *gpu)
{
	const struct codeobj_processor *processor = codeobj_processor(gpu);

	return !processor                                ? -1
	       : processor->apu == CODEOBJ_APU_NO        ? 0
	       : processor->apu == CODEOBJ_APU_CARVE_OUT ? 1
							 : -1;
}

/*
 * Puts what is supposed in the place of what was recorded. The machine around another GPU, its
 * links and driver, stays as it was. Its XNACK is what this GPU's name tells, else the recorded
 * state if both can be switched.
 */
static void suppose(struct device *device, const struct supposed *supposed)
{
	device->recorded_arch = g_strdup(device->arch);
	device->recorded_xnack = device->xnack;
	device->recorded_integrated = device->integrated;
	if (supposed->gpu) {
		const struct codeobj_processor *then = codeobj_processor(supposed->gpu),
					       *now = device->arch ? codeobj_processor(device->arch)
								   : NULL;

		g_free(device->arch);
		device->arch = g_strdup(supposed->gpu);
		if (!now || !then || now->xnack != then->xnack)
			device->xnack = codeobj_device_xnack(supposed->gpu);
		if (!now || strcmp(now->name, supposed->gpu) != 0)
			device->integrated = is_apu(supposed->gpu);
	}
	if (supposed->xnack >= 0)
		device->xnack = (int8_t)supposed->xnack;
	if (supposed->apu >= 0)
		device->integrated = (int8_t)supposed->apu;
}

static void apply_device(struct process *process, const struct hg_event *event)
{
	struct device *device = g_new0(struct device, 1);

	device->ordinal = event->device->ordinal;
	device->name = g_strdup(event->device->name);
	device->arch = g_strdup(event->device->arch);
	device->xnack = event->device->xnack;
	if (device->xnack < 0 && device->arch) /* runtimes name no mode where there is none */
		device->xnack = codeobj_device_xnack(device->arch);
	device->managed = event->device->managed;
	device->pageable_access = event->device->pageable_access;
	device->large_bar = event->device->large_bar;
	device->fine_grain = event->device->fine_grain;
	device->integrated = event->device->integrated;
	device->host_native_atomic = event->device->host_native_atomic;
	device->host_link = event->device->host_link;
	device->memory = event->device->memory;
	if (process->supposed)
		suppose(device, process->supposed);
	g_ptr_array_add(process->devices, device);
}

static void apply_code_object(struct process *process, const struct hg_event *event)
{
	struct code_object_ref *object = g_new0(struct code_object_ref, 1);

	object->sha256 = g_strdup(event->code_object->sha256);
	object->target = g_strdup(event->code_object->target);
	object->path = g_strdup(event->code_object->path);
	object->problem = g_strdup(event->code_object->problem);
	g_hash_table_replace(process->code_objects,
			     GUINT_TO_POINTER(event->code_object->code_object_id), object);
}

static void apply_kernel(struct process *process, const struct hg_event *event)
{
	struct kernel_ref *kernel = g_new0(struct kernel_ref, 1);

	kernel->id = event->kernel->kernel_id;
	kernel->code_object_id = event->kernel->code_object_id;
	kernel->kernarg_size = event->kernel->kernarg_size;
	kernel->symbol = g_strdup(event->kernel->symbol);
	g_hash_table_replace(process->kernels, GUINT_TO_POINTER(kernel->id), kernel);
}

static void apply_args(struct process *process, const struct hg_event *event)
{
	struct kernel_args *args = g_new0(struct kernel_args, 1);

	args->id = event->args->args_id;
	args->kernel_id = event->args->kernel_id;
	args->status = event->args->status;
	args->length = event->args->length;
	args->bytes = g_memdup2(event->args->bytes, event->args->length);
	args->kept_length = event->args->kept_length;
	args->kept = g_memdup2(event->args->kept, event->args->kept_length);
	g_hash_table_replace(process->args, GUINT_TO_POINTER(args->id), args);
}

static void apply_python(struct process *process, const struct hg_event *event)
{
	g_free(process->python_problem);
	process->python_problem =
	    *event->python->problem
		? g_strdup_printf("Python %s: call stacks lack functions of its program: %s",
				  *event->python->version ? event->python->version
							  : "of some version",
				  event->python->problem)
		: NULL;
}

/* Numbers stand for contents: a second one is the same. */
static void apply_python_code(struct process *process, const struct hg_event *event)
{
	gpointer id = GUINT_TO_POINTER(event->python_code->code_id);
	struct python_code *code;

	if (g_hash_table_contains(process->codes, id))
		return;
	code = g_new0(struct python_code, 1);
	code->file = g_strdup(event->python_code->file);
	code->function = g_strdup(event->python_code->function);
	code->first_line = event->python_code->first_line;
	code->minor = event->python_code->minor;
	code->length = event->python_code->length;
	code->lines = g_memdup2(event->python_code->lines, event->python_code->length);
	g_hash_table_insert(process->codes, id, code);
}

static void apply_stack(struct process *process, const struct hg_event *event)
{
	struct call_stack *stack = g_new0(struct call_stack, 1);

	stack->depth = event->stack->depth;
	stack->modules = process->modules->len;
	stack->codes = g_hash_table_ref(process->codes);
	stack->frames =
	    g_memdup2(event->stack->frames, event->stack->depth * sizeof(*stack->frames));
	g_hash_table_replace(process->stacks, GUINT_TO_POINTER(event->stack->stack_id), stack);
}

static void set_pointer_attribute(struct process *process, const struct hg_ev_call *from)
{
	struct allocation *allocation = address_space_find(&process->space, from->ptr, NULL);

	if (allocation && from->flags == HG_POINTER_SYNC_MEMOPS)
		allocation->sync_memops = from->value != 0;
}

/* Faults of a GPU, and calls below HIP that this process does not record, and why. */
static void apply_call(struct process *process, const struct hg_event *event)
{
	if (event->call->api == HG_API_hipPointerSetAttribute)
		set_pointer_attribute(process, event->call);
	if ((event->call->api == HG_API_gpu_memory_fault ||
	     event->call->api == HG_API_gpu_queue_error) &&
	    !process->stopped_ns)
		process->stopped_ns = event->ns;
	if ((event->call->api == HG_API_hipGraphLaunch ||
	     event->call->api == HG_API_hipGraphLaunch_spt) &&
	    event->call->flags) {
		process->unknown_graphs++;
		process->unknown_nodes = MAX(process->unknown_nodes, event->call->flags);
	}
	if (event->call->api >= HG_API_hsa_memory_copy &&
	    event->call->api <= HG_API_hsa_amd_memory_fill) {
		contents_forget(&process->contents, event->call->ptr, event->call->size);
		if (!process->hsa_copies++)
			process->hsa_copy_api = event->call->api;
	}
	if (event->call->api == HG_API_hsa_tables_refused) {
		g_free(process->hsa_refused);
		process->hsa_refused = g_strdup(event->call->text);
	}
}

/* Returns true if the same program image is announced once more, to a session that was started
 * later. */
static bool is_again(const struct process *process, const struct hg_event *event)
{
	return event->type == HG_EVENT_process && event->process->late && process->announced &&
	       !process->foreign && process->instance == event->process->instance;
}

static void apply_state(struct process *process, const struct hg_event *event)
{
	struct process_state *state = &process->state;

	state->telling = event->state->phase == HG_STATE_BEGIN;
	state->tid = event->tid;
	if (state->telling) {
		state->age = state->again ? state->age : event->state->age;
		return;
	}
	if (!state->again) {
		state->state_known = true;
		state->calls = event->state->calls;
		state->left_out = event->state->left_out;
		state->threshold = event->state->threshold;
		state->counted = event->state->counted;
	}
	state->again = false;
}

struct process *replay_process(const struct replay *replay, int32_t pid)
{
	if (replay->last && replay->last->pid == pid)
		return replay->last;
	return g_hash_table_lookup(replay->by_pid, GINT_TO_POINTER(pid));
}

bool replay_knows(const struct replay *replay, const struct hg_event *event)
{
	const struct process *process = replay_process(replay, event->pid);

	if (!process)
		return false;
	switch (event->type) {
	case HG_EVENT_process:
		return is_again(process, event);
	case HG_EVENT_runtime:
	case HG_EVENT_device:
	case HG_EVENT_alloc:
	case HG_EVENT_free:
	case HG_EVENT_advise:
	case HG_EVENT_prefetch:
	case HG_EVENT_stream:
	case HG_EVENT_event:
		return process->state.telling && process->state.again &&
		       process->state.tid == event->tid;
	default:
		return false;
	}
}

uint64_t replay_turn;

void replay_apply_block(struct replay *replay, struct process *process,
			const struct hg_event *event)
{
	replay_turn++;
	replay->last = process;
	if (event->type == HG_EVENT_free) {
		memory_free(process, event);
	} else {
		if (event->alloc->ptr)
			contents_forget(&process->contents, event->alloc->ptr, event->alloc->size);
		memory_alloc(process, event);
	}
	replay_turn++;
}

static bool is_bit(uint64_t bits, int32_t device)
{
	return device >= 0 && device < 64 && (bits >> device & 1);
}

static void add_target_device(struct process *process, const struct hg_ev_omp_device *event)
{
	uint64_t bit = event->device >= 0 && event->device < 64 ? UINT64_C(1) << event->device : 0;

	process->target_devices |= bit;
	if (g_str_has_prefix(event->type, "gfx")) /* the processor's name, with LLVM */
		process->target_gpus |= bit;
}

static void count_launch(struct process *process, const struct hg_ev_launch *launch)
{
	struct kernel_ref *kernel = process_kernel(process, launch->kernel_id);

	if (kernel)
		kernel->launches++;
}

static void count_gpu_time(struct process *process, const struct hg_ev_gpu_time *time)
{
	struct kernel_ref *kernel = process_kernel(process, time->kernel_id);
	struct copy_times *copies = &process->copy_times;

	copies->left_out = MAX(copies->left_out, time->left_out);
	if (time->kind == HG_GPU_TIME_NONE)
		return;
	copies->timed++;
	if (time->kind != HG_GPU_TIME_KERNEL) {
		copies->copies++;
		copies->copies_ns += time->duration;
	} else if (kernel) {
		kernel->dispatches++;
		kernel->gpu_ns += time->duration;
		kernel->gpu_most_ns = MAX(kernel->gpu_most_ns, time->duration);
	}
}

/* Counts a target region. If the runtime does not report which devices it has, no number but -1 is
 * the host's. */
static void count_region(struct process *process, const struct hg_ev_omp_target *event)
{
	if (event->endpoint == HG_OMP_END || (event->kind & ~HG_OMP_NOWAIT) != HG_OMP_TARGET)
		return;
	process->target_regions++;
	process->host_regions +=
	    event->device < 0 ||
	    (process->target_devices && !is_bit(process->target_devices, event->device));
}

static struct process *apply_event(struct replay *replay, const struct hg_event *event)
{
	struct process *process = replay_process(replay, event->pid);

	if (process && is_again(process, event)) {
		process->state.again = true;
		return process;
	}
	/* A second announcement under one pid is an exec or a reused pid: a new address space. */
	if (!process ||
	    (event->type == HG_EVENT_process && (process->announced || process->foreign))) {
		if (process)
			forget_inherited(replay, process);
		process = start_process(replay, event);
		if (event->type == HG_EVENT_process && event->process->forked)
			inherit(replay, process, event);
	}
	replay->last = process;
	ranges_note(process, event);
	contents_event(process, event);
	stream_names_event(process, event);
	thread_names_event(process, event);
	switch (event->type) {
	case HG_EVENT_process:
		apply_process(process, event);
		break;
	case HG_EVENT_state:
		apply_state(process, event);
		break;
	case HG_EVENT_module:
		apply_module(process, event);
		break;
	case HG_EVENT_region:
		apply_region(process, event);
		break;
	case HG_EVENT_runtime:
		apply_runtime(process, event);
		break;
	case HG_EVENT_device:
		apply_device(process, event);
		break;
	case HG_EVENT_alloc:
		memory_alloc(process, event);
		break;
	case HG_EVENT_free:
		memory_free(process, event);
		break;
	case HG_EVENT_advise:
		memory_advise(process, event);
		break;
	case HG_EVENT_code_object:
		apply_code_object(process, event);
		break;
	case HG_EVENT_kernel:
		apply_kernel(process, event);
		break;
	case HG_EVENT_args:
		apply_args(process, event);
		break;
	case HG_EVENT_stack:
		apply_stack(process, event);
		break;
	case HG_EVENT_python:
		apply_python(process, event);
		break;
	case HG_EVENT_python_code:
		apply_python_code(process, event);
		break;
	case HG_EVENT_range:
		ranges_apply(process, event);
		break;
	case HG_EVENT_error:
		process_call_failed(process, event);
		break;
	case HG_EVENT_launch:
		process->launches++;
		count_launch(process, event->launch);
		process->latest_launch = *event->launch;
		process->latest_launch_tid = event->tid;
		process->dispatches += event->launch->api == HG_API_hsa_queue_dispatch;
		target_regions_event(process, event);
		break;
	case HG_EVENT_memory:
		memory_attributes_apply(process, event);
		break;
	case HG_EVENT_copy:
		process->copies++;
		memory_copy(process, event);
		break;
	case HG_EVENT_prefetch:
		memory_prefetch(process, event);
		break;
	case HG_EVENT_fix:
		memory_fix(process, event);
		break;
	case HG_EVENT_omp_target:
		count_region(process, event->omp_target);
		target_regions_event(process, event);
		break;
	case HG_EVENT_omp_data:
		process->target_transfers += event->omp_data->op == HG_OMP_TO_DEVICE ||
					     event->omp_data->op == HG_OMP_FROM_DEVICE;
		break;
	case HG_EVENT_call:
		apply_call(process, event);
		break;
	case HG_EVENT_omp_device:
		add_target_device(process, event->omp_device);
		break;
	case HG_EVENT_omp_submit:
		process->target_kernels += is_bit(process->target_gpus, event->omp_submit->device);
		break;
	case HG_EVENT_gpu_time:
		count_gpu_time(process, event->gpu_time);
		break;
	case HG_EVENT_annotation:
		pool_pieces_event(process, event);
		break;
	case HG_EVENT_omp_runtime:
	case HG_EVENT_omp_content:
	case HG_EVENT_omp_map:
	case HG_EVENT_migration:
	case HG_EVENT_smi_source:
	case HG_EVENT_graph:
	case HG_EVENT_pointers:
	case HG_EVENT_pointers_left_out:
	case HG_EVENT_fix_plan:
	case HG_EVENT_residency:
	case HG_EVENT_fill:
	case HG_EVENT_stream:
	case HG_EVENT_event:
	case HG_EVENT_sync:
	case HG_EVENT_host_totals:
	case HG_EVENT_cost:
	case HG_EVENT_TYPES:
	case HG_EVENT_OPEN_CALL:
		break;
	}
	return process;
}

struct process *replay_apply(struct replay *replay, const struct hg_event *event)
{
	struct process *process;

	replay_turn++;
	process = apply_event(replay, event);
	replay_turn++;
	return process;
}
