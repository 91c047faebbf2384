/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global wave sync: the counters behind cooperative launches. They outlive dispatches, because
 * the runtime initialises them with a kernel of its own (MI200 ISA, DS_GWS_*).
 */
#include "interp.h"
#include "gws.h"

#define RESOURCES 64
#define GPUS      8 /* each has its own; SG_MAX_GPUS of the runtime */

static struct resource {
	uint32_t counter; /* waves still to come, minus one */
	uint64_t phase;   /* barriers completed */
} resources[GPUS][RESOURCES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct resource *resource_of(const struct sg_wave *wave, const struct sg_insn *in)
{
	return &resources[wave->run->dispatch.gpu % GPUS]
			 [((in->raw[0] & 0x3f) + (wave->s[SG_M0] >> 16)) % RESOURCES];
}

static uint32_t first_value(const struct sg_wave *wave, const struct sg_insn *in)
{
	uint64_t exec = sg_exec(wave);

	return sg_lane32(wave, &in->o[0], exec ? (unsigned)__builtin_ctzll(exec) : 0);
}

static void gws_init(struct sg_wave *wave, const struct sg_insn *in)
{
	struct resource *r = resource_of(wave, in);

	pthread_mutex_lock(&lock);
	r->counter = first_value(wave, in);
	pthread_mutex_unlock(&lock);
}

static void gws_barrier(struct sg_wave *wave, const struct sg_insn *in)
{
	struct resource *r = resource_of(wave, in);

	if (!wave->run->dispatch.cooperative) {
		sg_unsupported(wave, in, "grid barrier in a dispatch that isn't cooperative");
		return;
	}
	pthread_mutex_lock(&lock);
	if (r->counter == 0) {
		r->phase++;
		r->counter = first_value(wave, in);
	} else {
		r->counter--;
		wave->gws_phase = r->phase;
		wave->waiting = in;
		wave->stop = SG_GWS;
	}
	pthread_mutex_unlock(&lock);
}

bool sg_gws_ready(const struct sg_wave *wave)
{
	bool ready;

	pthread_mutex_lock(&lock);
	ready = resource_of(wave, wave->waiting)->phase != wave->gws_phase;
	pthread_mutex_unlock(&lock);
	return ready;
}

const struct sg_op sg_table_gws[] = {
	{ .name = "ds_gws_init", .exec = gws_init },
	{ .name = "ds_gws_barrier", .exec = gws_barrier },
	{ .name = NULL },
};
