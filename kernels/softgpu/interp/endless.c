/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that take long, or never end. A wave waits for ever, as far as the launch is concerned,
 * if it comes back to an instruction with the same registers and has stored nothing: only another's
 * store can change that. If all waves of all launches do, for as long as the limit says, the launch
 * is ended.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "endless.h"
#include "gws.h"

#define SECOND      1000000000ull
#define TELL_AFTER  (10 * SECOND)
#define LOOK_AGAIN  SECOND
#define PATIENCE    10     /* times the limit for a launch that may only be slow */
#define STEPS       100000 /* instructions in which a wave has to come back */
#define COMPARISONS 32     /* ... and how often it may have other registers then */

static unsigned launches, waiting; /* that run; that wait for ever */
static uint64_t past_ns;           /* time of launches that have ended */
static uint64_t past;              /* number of these */
static bool told;                  /* something of how long it takes */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static const char *name_of(const struct softgpu_run *run)
{
	return run->dispatch.kernel_name ? run->dispatch.kernel_name : "?";
}

/* ---- does a wave wait? ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static uint64_t registers_of(const struct sg_wave *wave)
{
	uint64_t hash = wave->pc ^ (uint64_t)wave->mode << 32 ^ wave->scc;

	hash = mix(hash, wave->s, sizeof(wave->s));
	return mix(hash, wave->v, SG_VECTORS * sizeof(wave->v[0]));
}

/* Notes what an instruction loads. Returns false if it may change memory: an atomic that returns
 * what was there is seen in its registers. */
static bool note_load(struct sg_wave *wave, const struct sg_insn *in, struct sg_endless *place)
{
	struct sg_touched touched = { .elements = 1 };

	if (!in->op->touch)
		return true;
	if (!in->op->touch(wave, in, &touched))
		return !strstr(in->op->name, "store") && !strstr(in->op->name, "atomic") &&
		       !strstr(in->op->name, "write");
	if (touched.kind == SG_WRITE ||
	    (touched.kind == SG_ATOMIC && !in->glc && !strstr(in->op->name, "_rtn")))
		return false;
	if (touched.active) {
		place->wave = wave;
		place->load = in;
		place->lane = (unsigned)__builtin_ctzll(touched.active);
		place->address = touched.address[0][place->lane];
		place->size = touched.size;
		place->lds = touched.lds;
	}
	return true;
}

static bool is_stopped(const struct sg_wave *wave)
{
	return wave->stop == SG_BARRIER || (wave->stop == SG_GWS && !sg_gws_ready(wave));
}

/* Executes a wave until it comes back to where it is. Returns true if it does, with nothing changed
 * and no wait for others on the way. */
static bool repeats(struct sg_wave *wave, struct sg_endless *place)
{
	uint64_t pc = wave->pc, before = registers_of(wave), fault;
	unsigned comparisons = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		const struct sg_insn *in = sg_fetch(wave, wave->pc, &fault);

		if (!in || !in->op || !note_load(wave, in, place))
			return false;
		if (wave->stop == SG_YIELD)
			wave->stop = SG_GO;
		sg_run_wave(wave, 1);
		if (wave->stop != SG_GO && wave->stop != SG_YIELD)
			return false;
		if (wave->pc != pc)
			continue;
		if (registers_of(wave) == before)
			return true;
		if (++comparisons == COMPARISONS)
			return false;
		before = registers_of(wave);
	}
	return false;
}

/* Returns true if all waves of the launch wait for ever, one of them for more than a barrier. */
static bool all_wait(struct softgpu_run *run, struct sg_endless *place)
{
	for (unsigned n = 0; n < run->nworkers; n++) {
		struct sg_group *group = run->worker[n].resident;

		for (; group; group = group->link) {
			for (unsigned i = 0; i < group->nwaves; i++) {
				struct sg_wave *wave = group->waves[i];

				if (wave->stop == SG_ENDED || is_stopped(wave))
					continue;
				if (!repeats(wave, place))
					return false;
			}
		}
	}
	return place->wave;
}

/* Returns any wave that has not ended, so that the launch can be described. */
static void find_any(struct softgpu_run *run, struct sg_endless *place)
{
	for (unsigned n = 0; n < run->nworkers && !place->wave; n++) {
		struct sg_group *group = run->worker[n].resident;

		for (unsigned i = 0; group && i < group->nwaves; i++)
			if (group->waves[i]->stop != SG_ENDED)
				place->wave = group->waves[i];
	}
}

/* ---- how long does it take? ---- */

static void tell(const struct softgpu_run *run, uint64_t ns, uint64_t ended)
{
	uint64_t left = run->ngroups - ended;

	told = true;
	if (ended)
		fprintf(stderr,
			"softgpu: kernel %s has run for %llu s, and %llu of %llu work-groups have "
			"ended: at this rate it takes about %llu s more\n",
			name_of(run), (unsigned long long)(ns / SECOND), (unsigned long long)ended,
			(unsigned long long)run->ngroups,
			(unsigned long long)((double)ns / (double)SECOND / (double)ended *
						 (double)left +
					     0.5));
	else
		fprintf(stderr,
			"softgpu: kernel %s has run for %llu s, and none of its %llu work-groups "
			"has ended: how long it takes is unknown\n",
			name_of(run), (unsigned long long)(ns / SECOND),
			(unsigned long long)run->ngroups);
}

static void tell_of_all(void)
{
	told = true;
	fprintf(stderr,
		"softgpu: kernels have run for %llu s, in %llu launches: how many follow is "
		"unknown\n",
		(unsigned long long)(past_ns / SECOND), (unsigned long long)past);
}

/* ---- a launch ---- */

void sg_endless_begin(struct softgpu_run *run)
{
	launches++;
	run->watch.begin = run->watch.since = now_ns();
}

static void set_waits(struct softgpu_run *run, bool waits)
{
	waiting += waits;
	waiting -= run->watch.waits;
	run->watch.waits = waits;
}

void sg_endless_end(struct softgpu_run *run)
{
	if (!run->watch.begin)
		return;
	set_waits(run, false);
	launches--;
	past++;
	past_ns += now_ns() - run->watch.begin;
	if (softgpu_config.check && past_ns >= TELL_AFTER && !told)
		tell_of_all();
}

bool sg_endless_look(struct softgpu_run *run)
{
	uint64_t limit = softgpu_config.time_limit * SECOND, now, ended = 0;
	struct sg_endless place = { 0 };

	if (!softgpu_config.check)
		return false;
	now = now_ns();
	for (unsigned i = 0; i < run->nworkers; i++)
		ended += run->worker[i].ended;
	if (ended != run->watch.ended) {
		run->watch.ended = ended;
		run->watch.since = now;
		set_waits(run, false);
	}
	if (!run->watch.told && now - run->watch.begin >= TELL_AFTER) {
		run->watch.told = true;
		tell(run, now - run->watch.begin, ended);
	}
	if (!limit || now - run->watch.since < limit || now < run->watch.next)
		return false;
	run->watch.next = now + LOOK_AGAIN;
	place.sure = all_wait(run, &place);
	place.seconds = (now - run->watch.since) / SECOND;
	set_waits(run, place.sure);
	if (place.sure ? waiting < launches : place.seconds < PATIENCE * softgpu_config.time_limit)
		return false;
	find_any(run, &place);
	if (place.wave)
		sg_check_endless(&place, ended);
	return place.wave;
}
