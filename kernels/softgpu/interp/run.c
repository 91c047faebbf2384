/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatch: its work-groups are made in some order, a few are resident, and their waves take
 * turns. Nothing here blocks: softgpu_run_step() returns when its budget is used up.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "interp.h"
#include "group.h"
#include "gws.h"

/* Instructions a wave runs before the next of its group, and a group before the next one. */
#define WAVE_TURN  4096
#define GROUP_TURN 65536
/* Bound on groups that are resident because earlier ones did not end (they may wait for later). */
#define MAX_RESIDENT 256

struct softgpu_config __attribute__((weak)) softgpu_config = { .drop_fine_fp_atomics = true };

extern uint64_t sg_code_generation;

static void set_message(struct softgpu_run *run, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(run->message, sizeof(run->message), format, ap);
	va_end(ap);
}

/* "kernel K at entry+0x40: instruction" */
static void describe(const struct sg_wave *wave, const struct sg_insn *in, char *to, size_t size)
{
	const struct softgpu_run *run = wave->run;
	uint64_t pc = in ? in->pc : wave->pc;
	int64_t offset = (int64_t)(pc - run->entry);

	snprintf(to, size, "kernel %s, entry%s0x%llx: %s",
		 run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		 offset < 0 ? "-" : "+", (unsigned long long)(offset < 0 ? -offset : offset),
		 in && in->text ? in->text : "(code)");
}

void sg_unsupported(struct sg_wave *wave, const struct sg_insn *in, const char *why)
{
	struct softgpu_run *run = wave->run;
	char where[400];

	wave->stop = SG_UNSUPPORTED;
	if (run->status != SOFTGPU_RUNNING)
		return;
	describe(wave, in, where, sizeof(where));
	run->status = SOFTGPU_UNSUPPORTED;
	set_message(run, "%s: %s", why, where);
}

void sg_fault(struct sg_wave *wave, uint64_t address)
{
	struct softgpu_run *run = wave->run;
	char where[400];

	wave->stop = SG_FAULT;
	if (run->status != SOFTGPU_RUNNING)
		return;
	describe(wave, run->current, where, sizeof(where));
	run->status = SOFTGPU_FAULT;
	run->fault_address = address;
	set_message(run, "no access to address 0x%llx: %s", (unsigned long long)address, where);
}

/* ---- one wave, one group ---- */

static uint64_t run_wave(struct sg_wave *wave, uint64_t limit)
{
	struct softgpu_run *run = wave->run;
	uint64_t n, fault;

	for (n = 0; n < limit && !wave->stop; n++) {
		const struct sg_insn *in = sg_fetch(wave, wave->pc, &fault);

		run->current = in;
		if (!in) {
			sg_fault(wave, fault);
			break;
		}
		wave->pc += in->size;
		in->exec(wave, in);
	}
	if (wave->stop == SG_ENDED)
		wave->group->alive--;
	return n;
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
	for (i = 0; i < group->nwaves; i++)
		if (group->waves[i]->stop == SG_BARRIER)
			group->waves[i]->stop = SG_GO;
	return true;
}

/* Run the group's waves in turn for about `limit` instructions; returns how many it was. */
static uint64_t run_group(struct softgpu_run *run, struct sg_group *group, uint64_t limit)
{
	uint64_t used = 0;

	while (group->alive && used < limit) {
		bool ran = false, busy = false;
		unsigned i;

		for (i = 0; i < group->nwaves; i++) {
			struct sg_wave *wave = group->waves[(group->next + i) % group->nwaves];

			if (!wake(wave))
				continue;
			used += run_wave(wave, WAVE_TURN);
			if (run->status != SOFTGPU_RUNNING)
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

static int admit(struct softgpu_run *run)
{
	struct sg_group *group = sg_group_start(run, run->started), **at = &run->resident;

	if (!group) {
		run->status = SOFTGPU_UNSUPPORTED;
		set_message(run, "out of memory for a work-group of kernel %s",
			    run->dispatch.kernel_name ? run->dispatch.kernel_name : "?");
		return -ENOMEM;
	}
	while (*at)
		at = &(*at)->link;
	*at = group;
	run->nresident++;
	run->started++;
	return 0;
}

/* Move the first resident group to the end, or to the idle ones when it ended. */
static void rotate(struct softgpu_run *run)
{
	struct sg_group *group = run->resident, **at;

	run->resident = group->link;
	group->link = NULL;
	run->turn_used = 0;
	if (!group->alive) {
		group->link = run->idle;
		run->idle = group;
		run->nresident--;
		run->unended = 0;
		return;
	}
	run->unended++;
	for (at = &run->resident; *at; at = &(*at)->link)
		;
	*at = group;
}

static bool want_more(const struct softgpu_run *run)
{
	if (run->started >= run->ngroups)
		return false;
	if (!run->nresident || run->dispatch.cooperative)
		return true;
	return run->unended >= run->nresident && run->nresident < MAX_RESIDENT;
}

/* Waves keep a pointer to decoded code between steps; drop it when code was invalidated. */
static void refresh_code(struct softgpu_run *run)
{
	uint64_t generation = __atomic_load_n(&sg_code_generation, __ATOMIC_ACQUIRE);
	struct sg_group *group;
	unsigned i;

	if (run->code_generation == generation)
		return;
	run->code_generation = generation;
	for (group = run->resident; group; group = group->link)
		for (i = 0; i < group->nwaves; i++)
			group->waves[i]->code = NULL;
}

enum softgpu_status softgpu_run_step(struct softgpu_run *run, uint64_t budget)
{
	unsigned idle_turns = 0;

	if (run->status != SOFTGPU_RUNNING)
		return run->status;
	sg_code_enter();
	refresh_code(run);
	while (budget && run->status == SOFTGPU_RUNNING) {
		uint64_t used, limit;

		while (want_more(run)) {
			if (admit(run))
				goto out;
			run->unended = 0;
		}
		if (!run->resident) {
			run->status = SOFTGPU_DONE;
			break;
		}
		limit = GROUP_TURN - run->turn_used;
		if (limit > budget)
			limit = budget;
		used = run_group(run, run->resident, limit);
		run->turn_used += used;
		budget -= used < budget ? used : budget;
		if (run->status != SOFTGPU_RUNNING)
			break;
		idle_turns = used >= limit ? 0 : idle_turns + 1;
		if (!run->resident->alive || used < limit || run->turn_used >= GROUP_TURN) {
			if (!run->resident->alive)
				idle_turns = 0;
			rotate(run);
		}
		/* Everybody waits or sleeps: let other queues have the time. */
		if (run->nresident && idle_turns > run->nresident && !want_more(run))
			break;
	}
out:
	sg_code_leave();
	return run->status;
}

/* ---- life of a dispatch ---- */

static uint64_t count_groups(uint32_t grid, uint32_t group)
{
	return group ? ((uint64_t)grid + group - 1) / group : 0;
}

struct softgpu_run *softgpu_run_create(const struct softgpu_dispatch *dispatch)
{
	const hsa_kernel_dispatch_packet_t *p = &dispatch->packet;
	struct softgpu_run *run = calloc(1, sizeof(*run));
	const amd_kernel_code_descriptor_view *kd;

	if (!run)
		return NULL;
	run->dispatch = *dispatch;
	run->memory.generation = softgpu_memory_generation;
	run->code_generation = __atomic_load_n(&sg_code_generation, __ATOMIC_ACQUIRE);
	run->status = SOFTGPU_RUNNING;
	if (!(softgpu_page_state(dispatch->gpu, p->kernel_object) & SOFTGPU_PAGE_MAPPED)) {
		run->status = SOFTGPU_FAULT;
		run->fault_address = p->kernel_object;
		set_message(run, "kernel descriptor at 0x%llx is not mapped",
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
	/* Kernels with preloaded arguments begin with 256 bytes for firmware that can't (C.6). */
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
		run->status = SOFTGPU_UNSUPPORTED;
		set_message(run, "wave32 kernel on gfx90a: %s",
			    dispatch->kernel_name ? dispatch->kernel_name : "?");
	}
	sg_order_init(run);
	return run;
}

uint64_t softgpu_run_fault_address(const struct softgpu_run *run)
{
	return run->fault_address;
}

const char *softgpu_run_message(const struct softgpu_run *run)
{
	return run->message;
}

void softgpu_run_destroy(struct softgpu_run *run)
{
	if (!run)
		return;
	sg_groups_free(run->resident);
	sg_groups_free(run->idle);
	free(run);
}
