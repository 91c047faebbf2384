/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatch: its work-groups are made in some order and shared among workers, one a thread; a few
 * are resident with each, and their waves take turns. A group stays with its worker. Nothing here
 * blocks: softgpu_run_step() returns when its budget is used up.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include "interp.h"
#include "check.h"
#include "defined.h"
#include "endless.h"
#include "group.h"
#include "gws.h"
#include "l2.h"
#include "log.h"
#include "worker_threads.h"

/* Instructions a wave runs before the next of its group, and a group before the next one. */
#define WAVE_TURN  4096
#define GROUP_TURN 65536
/* ... with L2 caches: each access costs more, and work-groups mostly wait for each other. */
#define CACHED_TURN 4096
/* Bound on groups that are resident because earlier ones did not end (they may wait for later). */
#define MAX_RESIDENT 256
/*
 * Instructions that one thread executes before others are woken: about as long as it takes to wake
 * 15 of them (130 us), so that a small kernel does not cost many times its own time.
 */
#define ALONE 4096
/* The cost to a worker's budget of finding that its waves wait for another worker's. */
#define POLL_COST 64

struct softgpu_config __attribute__((weak)) softgpu_config = { .drop_fine_fp_atomics = true };

extern uint64_t sg_code_generation;

/*
 * End the run with `status`, unless another worker was faster. The message is allocated: names of
 * kernels have thousands of characters.
 */
static void end_run(struct softgpu_run *run, enum softgpu_status status, uint64_t address,
		    const char *format, ...)
{
	va_list ap;

	pthread_mutex_lock(&run->lock);
	if (sg_running(run)) {
		va_start(ap, format);
		if (vasprintf(&run->message, format, ap) < 0)
			run->message = NULL;
		va_end(ap);
		run->fault_address = address;
		__atomic_store_n(&run->status, status, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&run->lock);
}

/* Printed as "kernel K, entry+0x40: instruction". */
#define WHERE "kernel %s, entry%s0x%llx: %s"
struct where {
	const char *kernel, *sign, *text;
	unsigned long long offset;
};

static struct where where(const struct sg_wave *wave, const struct sg_insn *in)
{
	const struct softgpu_run *run = wave->run;
	int64_t offset = (int64_t)((in ? in->pc : wave->pc) - run->entry);

	return (struct where){
		.kernel = run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		.sign = offset < 0 ? "-" : "+",
		.offset = (unsigned long long)(offset < 0 ? -offset : offset),
		.text = in && in->text ? in->text : "(code)",
	};
}

void sg_unsupported(struct sg_wave *wave, const struct sg_insn *in, const char *why)
{
	struct where at = where(wave, in);

	wave->stop = SG_UNSUPPORTED;
	end_run(wave->run, SOFTGPU_UNSUPPORTED, 0, "%s: " WHERE, why, at.kernel, at.sign, at.offset,
		at.text);
}

void sg_illegal(struct sg_wave *wave, const struct sg_insn *in)
{
	struct where at = where(wave, in);

	wave->stop = SG_UNSUPPORTED;
	end_run(wave->run, SOFTGPU_ILLEGAL, 0, "not an instruction: " WHERE, at.kernel, at.sign,
		at.offset, at.text);
}

void sg_trap(struct sg_wave *wave, const struct sg_insn *in)
{
	struct where at = where(wave, in);

	wave->stop = SG_UNSUPPORTED;
	end_run(wave->run, SOFTGPU_TRAP, 0, "the kernel aborted itself: " WHERE, at.kernel, at.sign,
		at.offset, at.text);
}

void sg_fault(struct sg_wave *wave, uint64_t address)
{
	struct where at = where(wave, wave->worker->current);

	wave->stop = SG_FAULT;
	end_run(wave->run, SOFTGPU_FAULT, address, "no access to address 0x%llx: " WHERE,
		(unsigned long long)address, at.kernel, at.sign, at.offset, at.text);
}

/* ---- one wave, one group ---- */

static inline __attribute__((always_inline)) uint64_t turn(struct sg_wave *wave, uint64_t limit,
							   bool follow)
{
	struct sg_worker *worker = wave->worker;
	uint64_t n, fault;

	worker->more = 0;
	for (n = 0; n + worker->more < limit && !wave->stop; n++) {
		const struct sg_insn *in = sg_fetch(wave, wave->pc, &fault);

		worker->current = in;
		if (__builtin_expect(!in, 0)) {
			sg_fault(wave, fault);
			break;
		}
		wave->pc += in->size;
		if (follow && wave->followed)
			sg_follow(wave, in);
		else
			__atomic_load_n(&in->exec, __ATOMIC_RELAXED)(wave, in);
	}
	if (wave->stop == SG_ENDED)
		wave->group->alive--;
	return n + worker->more;
}

uint64_t sg_run_wave(struct sg_wave *wave, uint64_t limit)
{
	return softgpu_config.check & SOFTGPU_INITCHECK ? turn(wave, limit, true)
							: turn(wave, limit, false);
}

static bool wake(struct sg_wave *wave)
{
	if (wave->stop == SG_YIELD || (wave->stop == SG_GWS && sg_gws_ready(wave)))
		wave->stop = SG_GO;
	return wave->stop == SG_GO;
}

/* Let waves past the barrier once all that still live have arrived. */
static bool release_barrier(struct sg_group *group)
{
	unsigned i, waiting = 0;

	for (i = 0; i < group->nwaves; i++)
		waiting += group->waves[i]->stop == SG_BARRIER;
	if (!waiting || waiting < group->alive)
		return false;
	if (softgpu_config.check & SOFTGPU_SYNCCHECK)
		sg_barrier_meet(group);
	group->epoch++;
	for (i = 0; i < group->nwaves; i++)
		if (group->waves[i]->stop == SG_BARRIER)
			group->waves[i]->stop = SG_GO;
	return true;
}

/* Run the group's waves in turn for about `limit` instructions; returns how many it was. */
static uint64_t run_group(const struct softgpu_run *run, struct sg_group *group, uint64_t limit)
{
	uint64_t used = 0;

	while (group->alive && used < limit) {
		bool ran = false, busy = false;
		unsigned i;

		for (i = 0; i < group->nwaves; i++) {
			struct sg_wave *wave = group->waves[(group->next + i) % group->nwaves];

			if (!wake(wave))
				continue;
			used += sg_run_wave(wave, WAVE_TURN);
			if (!sg_running(run))
				return used;
			ran = true;
			busy |= wave->stop != SG_YIELD;
		}
		if (softgpu_config.seed)
			group->next = (group->next + 1) % group->nwaves;
		if (release_barrier(group))
			busy = ran = true;
		if (!ran || !busy)
			break;
	}
	return used;
}

/* ---- residence ---- */

/* Takes the next group that no worker has. Returns false if there is none, or no memory for it. */
static bool admit(struct sg_worker *worker)
{
	struct softgpu_run *run = worker->run;
	uint64_t n = __atomic_fetch_add(&run->started, 1, __ATOMIC_RELAXED);
	struct sg_group *group, **at = &worker->resident;

	if (n >= run->ngroups)
		return false;
	group = sg_group_start(worker, n);
	if (!group) {
		end_run(run, SOFTGPU_UNSUPPORTED, 0, "out of memory for a work-group of kernel %s",
			run->dispatch.kernel_name ? run->dispatch.kernel_name : "?");
		return false;
	}
	while (*at)
		at = &(*at)->link;
	*at = group;
	worker->nresident++;
	worker->unended = 0;
	return true;
}

/* Move the first resident group to the end, or to the idle ones when it ended. */
static void rotate(struct sg_worker *worker)
{
	struct sg_group *group = worker->resident, **at;

	worker->resident = group->link;
	group->link = NULL;
	worker->turn_used = 0;
	if (!group->alive) {
		group->link = worker->idle;
		worker->idle = group;
		worker->nresident--;
		worker->ended++;
		worker->unended = 0;
		return;
	}
	worker->unended++;
	for (at = &worker->resident; *at; at = &(*at)->link)
		;
	*at = group;
}

static bool all_started(const struct softgpu_run *run)
{
	return __atomic_load_n(&run->started, __ATOMIC_RELAXED) >= run->ngroups;
}

static bool want_more(const struct sg_worker *worker)
{
	const struct softgpu_run *run = worker->run;

	if (all_started(run))
		return false;
	if (!worker->nresident)
		return true;
	/* All must be resident at once: a fair share each. */
	if (run->dispatch.cooperative)
		return worker->nresident < (run->ngroups + run->nworkers - 1) / run->nworkers;
	return worker->unended >= worker->nresident && worker->nresident < MAX_RESIDENT;
}

/* Waves keep a pointer to decoded code between steps; drop it when code was invalidated. */
static void refresh_code(struct softgpu_run *run)
{
	uint64_t generation = __atomic_load_n(&sg_code_generation, __ATOMIC_ACQUIRE);
	struct sg_group *group;
	unsigned i, n;

	if (run->code_generation == generation)
		return;
	run->code_generation = generation;
	for (n = 0; n < run->nworkers; n++)
		for (group = run->worker[n].resident; group; group = group->link)
			for (i = 0; i < group->nwaves; i++)
				group->waves[i]->code = NULL;
}

/*
 * Called when all of the worker's waves wait or sleep. Returns false once that is so for every
 * worker: then other queues should have the time.
 */
static bool wait_for_others(struct sg_worker *worker)
{
	struct softgpu_run *run = worker->run;

	if (__atomic_add_fetch(&run->waiting, 1, __ATOMIC_ACQ_REL) >= run->nworkers)
		return false;
	sched_yield();
	if (__atomic_load_n(&run->waiting, __ATOMIC_ACQUIRE) >= run->nworkers)
		return false;
	__atomic_sub_fetch(&run->waiting, 1, __ATOMIC_ACQ_REL);
	worker->budget -= worker->budget < POLL_COST ? worker->budget : POLL_COST;
	return true;
}

/* Executes a worker's share of a step. */
static void work(void *data, unsigned number)
{
	struct softgpu_run *run = data;
	struct sg_worker *worker = &run->worker[number];
	uint64_t turn = run->nxcds > 1 ? CACHED_TURN : GROUP_TURN;
	unsigned idle_turns = 0;

	while (worker->budget && sg_running(run)) {
		uint64_t used, limit;

		while (want_more(worker) && admit(worker))
			;
		if (!worker->resident || !sg_running(run))
			break;
		limit = turn - worker->turn_used;
		if (limit > worker->budget)
			limit = worker->budget;
		used = run_group(run, worker->resident, limit);
		worker->turn_used += used;
		worker->budget -= used < worker->budget ? used : worker->budget;
		if (!sg_running(run))
			break;
		idle_turns = used >= limit ? 0 : idle_turns + 1;
		if (!worker->resident->alive || used < limit || worker->turn_used >= turn) {
			if (!worker->resident->alive)
				idle_turns = 0;
			rotate(worker);
		}
		if (worker->nresident && idle_turns > worker->nresident && !want_more(worker) &&
		    !wait_for_others(worker))
			return;
	}
	__atomic_add_fetch(&run->waiting, 1, __ATOMIC_ACQ_REL);
}

/* Let `n` workers execute about `budget` instructions each; sets the run's status. */
static void run_workers(struct softgpu_run *run, unsigned n, uint64_t budget)
{
	bool resident = false;
	unsigned i;

	run->waiting = 0;
	for (i = 0; i < n; i++)
		run->worker[i].budget = budget;
	sg_threads_run(n, work, run);
	for (i = 0; i < run->nworkers; i++)
		resident |= run->worker[i].resident != NULL;
	if (run->status == SOFTGPU_RUNNING && !resident && all_started(run))
		run->status = SOFTGPU_DONE;
}

enum softgpu_status softgpu_run_step(struct softgpu_run *run, uint64_t budget)
{
	if (run->status != SOFTGPU_RUNNING)
		return run->status;
	sg_code_enter();
	refresh_code(run);
	if (run->nworkers > 1 && !run->shared) {
		run_workers(run, 1, budget < ALONE ? budget : ALONE);
		run->shared = true;
		if (run->status == SOFTGPU_RUNNING)
			run->nworkers = sg_threads_prepare(run->nworkers);
	}
	if (run->status == SOFTGPU_RUNNING)
		run_workers(run, run->nworkers, budget);
	if (run->status == SOFTGPU_RUNNING && sg_endless_look(run))
		end_run(run, SOFTGPU_TRAP, 0,
			"kernel %s was ended: none of its work-groups ended for %llu s or more",
			run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
			(unsigned long long)softgpu_config.time_limit);
	if (run->status != SOFTGPU_RUNNING && run->nxcds > 1)
		sg_l2_flush(run->dispatch.gpu);
	sg_code_leave();
	return run->status;
}

/* ---- life of a dispatch ---- */

static uint64_t count_groups(uint32_t grid, uint32_t group)
{
	return group ? ((uint64_t)grid + group - 1) / group : 0;
}

/* Makes as many workers as there are threads, but no more than groups. */
static bool share_out(struct softgpu_run *run)
{
	uint64_t n = softgpu_config.threads ? softgpu_config.threads : 1;
	unsigned i;

	run->nxcds = softgpu_config.processor != SOFTGPU_GFX90A && softgpu_config.xcds > 1
			 ? (unsigned)softgpu_config.xcds
			 : 1;
	if (n > run->ngroups)
		n = run->ngroups ? run->ngroups : 1;
	if (run->nxcds > 1) {
		n = 1;
		sg_l2_flush(run->dispatch.gpu);
	}
	if (n > SG_MAX_THREADS)
		n = SG_MAX_THREADS;
	run->nworkers = (unsigned)n;
	run->worker = calloc(run->nworkers, sizeof(run->worker[0]));
	for (i = 0; run->worker && i < run->nworkers; i++)
		run->worker[i].run = run;
	return run->worker != NULL;
}

struct softgpu_run *softgpu_run_create(const struct softgpu_dispatch *dispatch)
{
	const hsa_kernel_dispatch_packet_t *p = &dispatch->packet;
	struct softgpu_run *run = calloc(1, sizeof(*run));
	const amd_kernel_code_descriptor_view *kd;

	if (!run)
		return NULL;
	pthread_mutex_init(&run->lock, NULL);
	run->dispatch = *dispatch;
	run->code_generation = __atomic_load_n(&sg_code_generation, __ATOMIC_ACQUIRE);
	run->status = SOFTGPU_RUNNING;
	if (!(softgpu_page_state(dispatch->gpu, p->kernel_object) & SOFTGPU_PAGE_MAPPED)) {
		end_run(run, SOFTGPU_FAULT, p->kernel_object,
			"kernel descriptor at 0x%llx is not mapped",
			(unsigned long long)p->kernel_object);
		return run;
	}
	kd = softgpu_host_pointer(p->kernel_object);
	run->entry = p->kernel_object + (uint64_t)kd->entry_offset;
	run->rsrc1 = kd->rsrc1;
	run->rsrc2 = kd->rsrc2;
	run->rsrc3 = kd->rsrc3;
	run->properties = kd->properties;
	run->preload = kd->preload;
	/* Kernels with preloaded arguments begin with 256 bytes for firmware that cannot
	 * (docs/code-objects.md#registers-at-entry). */
	run->code_start = run->entry + ((run->preload & 0x7f) ? 256 : 0);
	run->lds_size =
	    p->group_segment_size > kd->group_segment ? p->group_segment_size : kd->group_segment;
	run->scratch_size = p->private_segment_size > kd->private_segment ? p->private_segment_size
									  : kd->private_segment;
	run->scratch_size = (run->scratch_size + 15) & ~(uint64_t)15;
	run->group_size[0] = p->workgroup_size_x;
	run->group_size[1] = p->workgroup_size_y ? p->workgroup_size_y : 1;
	run->group_size[2] = p->workgroup_size_z ? p->workgroup_size_z : 1;
	run->grid[0] = p->grid_size_x;
	run->grid[1] = p->grid_size_y ? p->grid_size_y : 1;
	run->grid[2] = p->grid_size_z ? p->grid_size_z : 1;
	run->ngroups = 1;
	for (unsigned i = 0; i < 3; i++) {
		run->groups[i] = count_groups(run->grid[i], run->group_size[i]);
		run->ngroups *= run->groups[i];
	}
	if (run->properties & (1u << 10)) {
		end_run(run, SOFTGPU_UNSUPPORTED, 0, "wave32 kernel: %s",
			dispatch->kernel_name ? dispatch->kernel_name : "?");
	}
	sg_order_init(run);
	sg_endless_begin(run);
	if (!share_out(run)) {
		softgpu_run_destroy(run);
		return NULL;
	}
	return run;
}

uint64_t softgpu_run_fault_address(const struct softgpu_run *run)
{
	return run->fault_address;
}

const char *softgpu_run_message(const struct softgpu_run *run)
{
	if (!run->message && !sg_running(run))
		return "out of memory for what stopped the kernel";
	return run->message ? run->message : "";
}

void softgpu_run_destroy(struct softgpu_run *run)
{
	if (!run)
		return;
	sg_endless_end(run);
	for (unsigned i = 0; run->worker && i < run->nworkers; i++) {
		sg_groups_free(run->worker[i].resident);
		sg_groups_free(run->worker[i].idle);
		sg_notes_free(&run->worker[i]);
	}
	sg_global_races_free(run->global);
	pthread_mutex_destroy(&run->lock);
	free(run->message);
	free(run->worker);
	free(run);
}
