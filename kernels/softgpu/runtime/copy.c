// SPDX-License-Identifier: Apache-2.0
/*
 * The copy engines: one thread that carries out copies, rectangle copies and SVM prefetches in the
 * order in which their dependencies are met. Callers may choose an engine by those that are busy;
 * what an engine does is the same on each.
 */
#include "runtime.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum job_kind { COPY, RECTANGLE, PREFETCH };

struct job {
	enum job_kind kind;
	uint64_t destination, source, size;
	const struct sg_agent *agent; /* PREFETCH: where to */
	struct {
		hsa_pitched_ptr_t destination, source;
		hsa_dim3_t destination_offset, source_offset, range;
	} rectangle;
	uint32_t engine; /* a bit of busy[gpu]; 0: of the runtime's choice */
	unsigned gpu;
	hsa_signal_t completion;
	struct job *next;
	uint32_t dependency_count;
	hsa_signal_t dependencies[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs, **jobs_last = &jobs;
static bool running;
/* Copies that wait or run on each engine, by GPU. Each GPU's first engines are those for the host.
 */
static unsigned busy[SG_MAX_GPUS][SG_COPY_ENGINES + SG_HIVE_ENGINES];

/*
 * Copy between GPU addresses now; a page that is not mapped is a memory access fault. False if that
 * has stopped the engines.
 */
static bool copy_now(uint64_t destination, uint64_t source, uint64_t size)
{
	while (size) {
		uint64_t source_span, destination_span;
		const void *from = sg_memory_span(source, size, false, &source_span);
		void *to = sg_memory_span(destination, size, true, &destination_span);
		uint64_t span;

		if (!from || !to) {
			sg_memory_fault(0, from ? destination : source);
			return false;
		}
		span = source_span < destination_span ? source_span : destination_span;
		if (sg_settings.migration) {
			sg_pages_hold(source, source + span);
			sg_pages_hold(destination, destination + span);
		}
		memmove(to, from, span);
		if (sg_settings.migration) {
			sg_pages_release();
			sg_pages_release();
		}
		source += span;
		destination += span;
		size -= span;
	}
	return true;
}

static uint64_t corner(const hsa_pitched_ptr_t *pitched, const hsa_dim3_t *offset, uint32_t y,
		       uint32_t z)
{
	return (uint64_t)(uintptr_t)pitched->base + offset->x +
	       (uint64_t)(offset->y + y) * pitched->pitch +
	       (uint64_t)(offset->z + z) * pitched->slice;
}

static bool execute(struct job *job)
{
	const hsa_dim3_t *range = &job->rectangle.range;

	switch (job->kind) {
	case COPY:
		sg_log("copy: %#lx <- %#lx, %lu bytes", job->destination, job->source, job->size);
		return copy_now(job->destination, job->source, job->size);
	case RECTANGLE:
		sg_log("copy: rectangle %u x %u x %u", range->x, range->y, range->z);
		for (uint32_t z = 0; z < range->z; z++)
			for (uint32_t y = 0; y < range->y; y++)
				if (!copy_now(corner(&job->rectangle.destination,
						     &job->rectangle.destination_offset, y, z),
					      corner(&job->rectangle.source,
						     &job->rectangle.source_offset, y, z),
					      range->x))
					return false;
		break;
	case PREFETCH:
		sg_svm_set_location(job->destination, job->destination + job->size, job->agent);
		break;
	}
	return true;
}

static struct job *take_ready(bool *any)
{
	struct job *ready = NULL;

	pthread_mutex_lock(&lock);
	*any = jobs;
	for (struct job **link = &jobs; *link; link = &(*link)->next) {
		if (!sg_signals_are_zero((*link)->dependencies, (*link)->dependency_count))
			continue;
		ready = *link;
		*link = ready->next;
		if (!*link)
			jobs_last = link;
		break;
	}
	pthread_mutex_unlock(&lock);
	return ready;
}

static void count_job(const struct job *job, int change)
{
	if (job->engine)
		__atomic_add_fetch(&busy[job->gpu][__builtin_ctz(job->engine)], (unsigned)change,
				   __ATOMIC_RELAXED);
}

static void *run(void *unused)
{
	(void)unused;
	for (;;) {
		uint32_t seen = sg_event_count();
		bool any;
		struct job *job = take_ready(&any);
		uint64_t start;

		if (!job) {
			sg_event_wait(seen, any ? 10000000 : 1000000000);
			continue;
		}
		sg_work_begin(SG_WORK_COPIES);
		start = sg_now_ns();
		sg_svm_new_epoch();
		if (!execute(job)) {
			sg_work_end(SG_WORK_COPIES);
			return NULL; /* this job and those behind it stay open */
		}
		count_job(job, -1);
		sg_signal_complete(job->completion, start, sg_now_ns());
		sg_work_end(SG_WORK_COPIES);
		free(job);
	}
	return NULL;
}

/* Fill in the common part and hand the job to the engine; frees it on error. */
static hsa_status_t submit(struct job *job)
{
	hsa_status_t status = HSA_STATUS_SUCCESS;

	pthread_mutex_lock(&lock);
	if (!running)
		running = !sg_thread_start("softgpu-copy", run);
	if (running) {
		count_job(job, 1);
		*jobs_last = job;
		jobs_last = &job->next;
	} else {
		free(job);
		status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	pthread_mutex_unlock(&lock);
	sg_event_post();
	return status;
}

static struct job *new_job(enum job_kind kind, uint32_t count, const hsa_signal_t *dependencies,
			   hsa_signal_t completion)
{
	struct job *job = calloc(1, sizeof *job + count * sizeof *dependencies);

	if (!job)
		return NULL;
	job->kind = kind;
	job->completion = completion;
	job->dependency_count = count;
	if (count)
		memcpy(job->dependencies, dependencies, count * sizeof *dependencies);
	return job;
}

/* A mask of `count` engines from `first` on. */
static uint32_t engines_from(unsigned first, unsigned count)
{
	return ((1u << count) - 1) << first;
}

/*
 * The engines that copy between two agents (ROCR24 amd_gpu_agent.cpp, GpuAgent::DmaCopyStatus):
 * those for other GPUs within a hive, else every one of the GPU's, but the first of gfx90a for
 * copies from the host alone.
 */
static uint32_t engines_between(const struct sg_agent *to, const struct sg_agent *from)
{
	uint32_t between = sg_settings.hive ? engines_from(SG_COPY_ENGINES, SG_HIVE_ENGINES) : 0;

	if (to->gpu && from->gpu && sg_settings.hive)
		return between;
	between |= engines_from(0, SG_COPY_ENGINES);
	return to->gpu && !from->gpu ? between : between & ~1u;
}

/* Whose engines they are (ROCR24 runtime.cpp, Runtime::CopyMemory): the source's if it has some. */
static const struct sg_agent *copies_for(const struct sg_agent *to, const struct sg_agent *from)
{
	return from->gpu ? from : to;
}

static hsa_status_t copy(void *destination, hsa_agent_t destination_agent, const void *source,
			 hsa_agent_t source_agent, size_t size, uint32_t count,
			 const hsa_signal_t *dependencies, hsa_signal_t completion, uint32_t engine)
{
	const struct sg_agent *to = sg_agent_get(destination_agent),
			      *from = sg_agent_get(source_agent), *agent;
	struct job *job;

	if (!destination || !source || (count && !dependencies))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!to || !from)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	agent = copies_for(to, from);
	job = new_job(COPY, count, dependencies, completion);
	if (!job)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	job->destination = (uint64_t)(uintptr_t)destination;
	job->source = (uint64_t)(uintptr_t)source;
	job->size = size;
	job->engine = agent->gpu ? engine : 0;
	job->gpu = agent->number;
	return submit(job);
}

hsa_status_t hsa_amd_memory_async_copy(void *destination, hsa_agent_t destination_agent,
				       const void *source, hsa_agent_t source_agent, size_t size,
				       uint32_t count, const hsa_signal_t *dependencies,
				       hsa_signal_t completion)
{
	return copy(destination, destination_agent, source, source_agent, size, count, dependencies,
		    completion, 0);
}

hsa_status_t sg_hsa_amd_memory_async_copy_on_engine(
    void *destination, hsa_agent_t destination_agent, const void *source, hsa_agent_t source_agent,
    size_t size, uint32_t count, const hsa_signal_t *dependencies, hsa_signal_t completion,
    uint32_t engine, bool force_copy_on_sdma)
{
	const struct sg_agent *to = sg_agent_get(destination_agent),
			      *from = sg_agent_get(source_agent);
	const uint32_t all =
	    engines_from(0, SG_COPY_ENGINES + (sg_settings.hive ? SG_HIVE_ENGINES : 0));

	if (!to || !from)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	/* ROCR24: Runtime::CopyMemoryOnEngine, GpuAgent::DmaCopyOnEngine. */
	if (!engine || engine & (engine - 1) ||
	    !(engine & (to == from ? all : engines_between(to, from))))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	/* Within one agent a kernel copies, unless forced; it holds no engine. */
	if (to == from && !force_copy_on_sdma)
		engine = 0;
	return copy(destination, destination_agent, source, source_agent, size, count, dependencies,
		    completion, engine);
}

/* Those that are idle; none is an error (hsa_ext_amd.h, as is one agent twice). */
hsa_status_t sg_hsa_amd_memory_copy_engine_status(hsa_agent_t destination, hsa_agent_t source,
						  uint32_t *idle)
{
	const struct sg_agent *to = sg_agent_get(destination), *from = sg_agent_get(source);
	uint32_t engines;

	if (!idle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	/* Within one agent a kernel copies; between hosts ROCr copies nothing. */
	if (!to || !from || to == from)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	engines = engines_between(to, from);
	*idle = 0;
	for (unsigned i = 0; i < SG_COPY_ENGINES + SG_HIVE_ENGINES; i++)
		if (engines >> i & 1 &&
		    !__atomic_load_n(&busy[copies_for(to, from)->number][i], __ATOMIC_RELAXED))
			*idle |= 1u << i;
	return *idle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* 0 is no preference (hsa_ext_amd.h of 7.2.4): all engines do the same here. */
hsa_status_t sg_hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t destination,
							 hsa_agent_t source, uint32_t *preferred)
{
	if (!preferred)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!sg_agent_get(destination) || !sg_agent_get(source))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	*preferred = 0;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t *destination, const hsa_dim3_t *destination_offset,
    const hsa_pitched_ptr_t *source, const hsa_dim3_t *source_offset, const hsa_dim3_t *range,
    hsa_agent_t agent, hsa_amd_copy_direction_t direction, uint32_t count,
    const hsa_signal_t *dependencies, hsa_signal_t completion)
{
	struct job *job;

	(void)direction;
	if (!destination || !source || !destination_offset || !source_offset || !range ||
	    (count && !dependencies))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	/* SDMA's limits: hsa_ext_amd.h asks for 4-byte aligned elements. */
	if (((uintptr_t)destination->base | (uintptr_t)source->base | destination->pitch |
	     source->pitch | destination->slice | source->slice) %
	    4)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	job = new_job(RECTANGLE, count, dependencies, completion);
	if (!job)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	job->rectangle.destination = *destination;
	job->rectangle.source = *source;
	job->rectangle.destination_offset = *destination_offset;
	job->rectangle.source_offset = *source_offset;
	job->rectangle.range = *range;
	return submit(job);
}

hsa_status_t hsa_amd_svm_prefetch_async(void *pointer, size_t size, hsa_agent_t handle,
					uint32_t count, const hsa_signal_t *dependencies,
					hsa_signal_t completion)
{
	const struct sg_agent *agent = sg_agent_get(handle);
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	struct job *job;

	if (!sg_settings.svm || !pointer || !size || (count && !dependencies))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!agent)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	while (softgpu_quirk(SOFTGPU_QUIRK_PREFETCH_HANGS) && !sg_memory_find(address))
		pause();
	job = new_job(PREFETCH, count, dependencies, completion);
	if (!job)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	/* Whole pages, outward (docs/memory-model.md#advice). */
	job->destination = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	job->size =
	    ((address + size + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1)) -
	    job->destination;
	job->agent = agent;
	sg_log("svm: prefetch %p+%zu to the %s", pointer, size, agent->gpu ? "GPU" : "CPU");
	return submit(job);
}

/* Host or device pointers, at once (hsa.h, hsa_memory_copy). */
hsa_status_t hsa_memory_copy(void *destination, const void *source, size_t size)
{
	if (!destination || !source)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	memmove(softgpu_host_pointer((uint64_t)(uintptr_t)destination),
		softgpu_host_pointer((uint64_t)(uintptr_t)source), size);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void *pointer, uint32_t value, size_t count)
{
	uint32_t *words = pointer;

	if (!pointer || (uintptr_t)pointer % 4)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	words = softgpu_host_pointer((uint64_t)(uintptr_t)words);
	for (size_t i = 0; i < count; i++)
		words[i] = value;
	return HSA_STATUS_SUCCESS;
}
