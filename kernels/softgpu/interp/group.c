/* SPDX-License-Identifier: Apache-2.0 */
/* Work-groups: memory, and the registers a wave finds at entry
 * (docs/code-objects.md#registers-at-entry). */
#include <stdlib.h>

#include "defined.h"
#include "group.h"
#include "l2.h"

/* Bits of kernel_code_properties. */
enum {
	PRIVATE_SEGMENT_BUFFER = 1 << 0,
	DISPATCH_PTR = 1 << 1,
	QUEUE_PTR = 1 << 2,
	KERNARG_PTR = 1 << 3,
	DISPATCH_ID = 1 << 4,
	FLAT_SCRATCH_INIT = 1 << 5,
	PRIVATE_SEGMENT_SIZE = 1 << 6,
};

/* ---- order ---- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void sg_order_init(struct softgpu_run *run)
{
	run->step = 1;
	run->offset = 0;
	if (!softgpu_config.seed || run->ngroups < 2)
		return;
	run->offset = mix(softgpu_config.seed) % run->ngroups;
	run->step = mix(softgpu_config.seed + 1) % run->ngroups;
	while (!run->step || greatest_divisor(run->step, run->ngroups) != 1)
		run->step = (run->step + 1) % run->ngroups;
}

/* ---- memory ---- */

void sg_groups_free(struct sg_group *group)
{
	while (group) {
		struct sg_group *next = group->link;
		unsigned i;

		for (i = 0; group->waves && i < group->nallocated; i++) {
			struct sg_wave *wave = group->waves[i];

			if (!wave)
				continue;
			free(wave->v);
			free(wave->scratch);
			sg_follow_free(wave);
			free(wave);
		}
		free(group->waves);
		free(group->lds);
		free(group->shadow);
		free(group->lds_written);
		sg_l1_free(group);
		free(group);
		group = next;
	}
}

static struct sg_wave *new_wave(const struct softgpu_run *run)
{
	struct sg_wave *wave = calloc(1, sizeof(*wave));

	if (!wave)
		return NULL;
	wave->v = aligned_alloc(64, SG_VECTORS * sizeof(wave->v[0]));
	/* Buffer resources hold its address: 256-byte units, and never NULL. */
	wave->scratch = aligned_alloc(256, (SG_LANES * run->scratch_size + 511) & ~(uint64_t)255);
	if (wave->v && wave->scratch)
		return wave;
	free(wave->v);
	free(wave->scratch);
	free(wave);
	return NULL;
}

static struct sg_group *new_group(struct sg_worker *worker)
{
	const struct softgpu_run *run = worker->run;
	uint32_t items = run->group_size[0] * run->group_size[1] * run->group_size[2];
	struct sg_group *group = worker->idle;
	unsigned i;

	if (group) {
		worker->idle = group->link;
		group->link = NULL;
		return group;
	}
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->nallocated = (items + SG_LANES - 1) / SG_LANES;
	group->waves = calloc(group->nallocated ? group->nallocated : 1, sizeof(group->waves[0]));
	group->lds_size = run->lds_size;
	group->lds = calloc(1, run->lds_size ? run->lds_size : 1);
	if (!group->waves || !group->lds)
		goto fail;
	for (i = 0; i < group->nallocated; i++) {
		group->waves[i] = new_wave(run);
		if (!group->waves[i])
			goto fail;
	}
	return group;
fail:
	sg_groups_free(group);
	return NULL;
}

/* ---- registers at entry ---- */

static unsigned put64(struct sg_wave *wave, unsigned at, uint64_t value)
{
	sg_set_pair(wave, at, value);
	return at + 2;
}

/* Buffer resource of private memory, with the bits address.c recognises. */
static unsigned put_scratch_resource(struct sg_wave *wave, unsigned at)
{
	uint64_t base = (uint64_t)(uintptr_t)wave->scratch;

	wave->s[at] = (uint32_t)base;
	wave->s[at + 1] = ((uint32_t)(base >> 32) & 0xffff) | 0x80000000u; /* swizzle */
	wave->s[at + 2] = 0xffffffffu;
	wave->s[at + 3] = 0x00e80000u; /* add thread id, index stride 64, element size 4 */
	return at + 4;
}

static void preload_arguments(struct sg_wave *wave, unsigned at)
{
	const struct softgpu_run *run = wave->run;
	unsigned n = run->preload & 0x7f, from = run->preload >> 7;
	uint64_t kernarg = (uint64_t)(uintptr_t)run->dispatch.packet.kernarg_address;
	const uint8_t *p;

	if (!n)
		return;
	p = sg_global(wave, kernarg + 4 * from, 4 * n, NULL);
	if (p)
		memcpy(&wave->s[at], p, 4 * (n < 16 - at ? n : 16 - at));
}

static void set_scalars(struct sg_wave *wave)
{
	const struct softgpu_run *run = wave->run;
	const struct softgpu_dispatch *d = &run->dispatch;
	unsigned at = 0, i;

	memset(wave->s, 0, sizeof(wave->s));
	if (run->properties & PRIVATE_SEGMENT_BUFFER)
		at = put_scratch_resource(wave, at);
	if (run->properties & DISPATCH_PTR)
		at = put64(wave, at, d->packet_address);
	if (run->properties & QUEUE_PTR)
		at = put64(wave, at, d->queue_address);
	if (run->properties & KERNARG_PTR)
		at = put64(wave, at, (uint64_t)(uintptr_t)d->packet.kernarg_address);
	if (run->properties & DISPATCH_ID)
		at = put64(wave, at, 0);
	if (run->properties & FLAT_SCRATCH_INIT)
		at = put64(wave, at, (uint64_t)(uintptr_t)wave->scratch);
	if (run->properties & PRIVATE_SEGMENT_SIZE)
		wave->s[at++] = (uint32_t)run->scratch_size;
	preload_arguments(wave, at);
	/* gfx942 has it set by the hardware (LUG, "Flat Scratch", architected flat scratch). */
	if (softgpu_config.processor != SOFTGPU_GFX90A)
		sg_set_pair(wave, SG_FLAT_SCRATCH, (uint64_t)(uintptr_t)wave->scratch);
	/* System registers follow the number of user registers that is set for the hardware. */
	at = run->rsrc2 >> 1 & 31;
	for (i = 0; i < 3; i++)
		if (run->rsrc2 >> (7 + i) & 1)
			wave->s[at++] = wave->group->id[i];
	if (run->rsrc2 >> 10 & 1)
		wave->s[at++] = wave->group->nwaves | (wave->index == 0 ? 1u << 6 : 0);
	if (run->rsrc2 & 1)
		wave->s[at] = 0; /* scratch wave offset: each wave has a base of its own */
}

/* Work-item ids of up to 64 lanes, packed x[9:0] y[19:10] z[29:20]; the rest is not active. */
static void set_lanes(struct sg_wave *wave, const uint32_t size[3])
{
	uint32_t total = size[0] * size[1] * size[2], item = wave->index * SG_LANES, l;
	uint32_t x = item % size[0], y = item / size[0] % size[1], z = item / size[0] / size[1];
	uint64_t exec = 0;

	for (l = 0; l < SG_LANES && item < total; l++, item++) {
		wave->v[0][l] = x | y << 10 | z << 20;
		exec |= (uint64_t)1 << l;
		if (++x == size[0]) {
			x = 0;
			if (++y == size[1]) {
				y = 0;
				z++;
			}
		}
	}
	sg_set_pair(wave, SG_EXEC, exec);
}

static void start_wave(struct sg_worker *worker, struct sg_group *group, unsigned index,
		       const uint32_t size[3])
{
	struct softgpu_run *run = worker->run;
	/* gfx90a: granules of 8, accumulation registers from accum_offset on
	 * (docs/code-objects.md#kernel-descriptor, rsrc1 and rsrc3). */
	uint32_t total = ((run->rsrc1 & 63) + 1) * 8, accum = ((run->rsrc3 & 63) + 1) * 4;
	struct sg_wave *wave = group->waves[index];

	if (accum > 256)
		accum = 256;
	if (total > 512)
		total = 512;
	wave->run = run;
	wave->worker = worker;
	wave->group = group;
	wave->index = index;
	wave->pc = run->code_start;
	wave->stop = SG_GO;
	wave->scc = 0;
	wave->code = NULL;
	wave->lane_mask_of = 0;
	memset(wave->lane_mask, 0, sizeof(wave->lane_mask));
	/* MODE: rounding and denormals from FLOAT_MODE, then DX10_CLAMP and IEEE. */
	wave->mode = (run->rsrc1 >> 12 & 0xff) | (run->rsrc1 >> 21 & 1 ? SG_MODE_DX10_CLAMP : 0) |
		     (run->rsrc1 >> 23 & 1 ? SG_MODE_IEEE : 0);
	memset(wave->v, 0, accum * sizeof(wave->v[0]));
	total = total > accum ? total - accum : 0;
	if (total > SG_VECTORS - SG_AGPR_BASE) /* a descriptor that no compiler makes */
		total = SG_VECTORS - SG_AGPR_BASE;
	memset(wave->v + SG_AGPR_BASE, 0, total * sizeof(wave->v[0]));
	memset(wave->scratch, 0, SG_LANES * run->scratch_size);
	sg_follow_start(wave);
	set_scalars(wave);
	set_lanes(wave, size);
	wave->lanes = sg_exec(wave);
	wave->passed_by = 0;
	wave->barriers = 0;
}

struct sg_group *sg_group_start(struct sg_worker *worker, uint64_t n)
{
	struct softgpu_run *run = worker->run;
	struct sg_group *group = new_group(worker);
	uint64_t at;
	uint32_t size[3], items;
	unsigned i;

	if (!group)
		return NULL;
	at = (uint64_t)(((unsigned __int128)n * run->step + run->offset) % run->ngroups);
	group->linear = at;
	group->epoch++;
	group->acquired = false;
	group->apart.barriers = 0;
	sg_l1_start(group);
	/* In turns, in the order of their numbers ("scheduled round-robin across XCDs" [CK3652]).
	 */
	group->xcd = run->nxcds > 1 ? (unsigned)(at % run->nxcds) : 0;
	for (i = 0; i < 3; i++) {
		uint32_t begin;

		group->id[i] = (uint32_t)(at % run->groups[i]);
		at /= run->groups[i];
		begin = group->id[i] * run->group_size[i];
		size[i] = run->grid[i] - begin < run->group_size[i] ? run->grid[i] - begin
								    : run->group_size[i];
	}
	items = size[0] * size[1] * size[2];
	group->nwaves = (items + SG_LANES - 1) / SG_LANES;
	group->alive = group->nwaves;
	group->next =
	    softgpu_config.seed ? (unsigned)(mix(softgpu_config.seed + n) % group->nwaves) : 0;
	memset(group->lds, 0, group->lds_size);
	sg_follow_group(group);
	for (i = 0; i < group->nwaves; i++)
		start_wave(worker, group, i, size);
	return group;
}
