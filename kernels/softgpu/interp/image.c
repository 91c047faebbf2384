/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MIMG: IMAGE_LOAD, IMAGE_STORE and IMAGE_SAMPLE on images with one level. Operands and encoding:
 * MI200 ISA, "Memory Image Instructions".
 */
#include "image.h"

#include "address.h"
#include "lanes.h"

/* The fields are of the encoding's first word. */
#define DMASK(in)         ((in)->raw[0] >> 8 & 15)
#define UNNORMALIZED(in)  ((in)->raw[0] >> 12 & 1)
#define DECLARE_ARRAY(in) ((in)->raw[0] >> 14 & 1)

/* Finds the image of `in`, whose operands are data, vaddr, image, then the sampler. Returns false
 * after stopping the wave. */
static bool find_image(struct sg_wave *wave, const struct sg_insn *in, struct sg_image_view *image)
{
	unsigned components = (unsigned)__builtin_popcount(DMASK(in)), coordinates;
	const struct sg_operand *o = in->o;
	const char *problem = NULL;

	if (in->nops < 3 || o[0].kind != SG_K_VECTOR || o[1].kind != SG_K_VECTOR ||
	    o[2].kind != SG_K_SCALAR || o[2].count != 8 || !components)
		problem = "operands of an image access";
	else
		problem = sg_image_find(&wave->s[o[2].index], image);
	if (!problem) {
		/* Registers behind the last one. */
		coordinates = image->dimensions + DECLARE_ARRAY(in);
		if (o[0].index % SG_AGPR_BASE + components > SG_AGPR_BASE ||
		    o[1].index % SG_AGPR_BASE + coordinates > SG_AGPR_BASE)
			problem = "operands of an image access";
	}
	if (problem)
		sg_unsupported(wave, in, problem);
	return !problem;
}

/* Writes the components that DMASK selects into consecutive registers. */
static void write_components(struct sg_wave *wave, const struct sg_insn *in, unsigned lane,
			     const uint32_t value[4])
{
	unsigned to = in->o[0].index, i;

	for (i = 0; i < 4; i++)
		if (DMASK(in) >> i & 1)
			wave->v[to++][lane] = value[i];
}

static void begin(struct sg_wave *wave, struct sg_access *access)
{
	access->space = SG_GLOBAL;
	access->active = sg_exec(wave);
	access->outside = 0;
	sg_memory_refresh(wave->worker);
}

/* Integer coordinates; an element outside of the image is marked as such. */
static void locate(struct sg_wave *wave, const struct sg_insn *in,
		   const struct sg_image_view *image, unsigned lane, struct sg_access *access)
{
	const uint32_t(*v)[SG_LANES] = (const uint32_t(*)[SG_LANES]) & wave->v[in->o[1].index];
	uint32_t at[3] = { 0 }, layer = 0;
	bool outside = false;
	unsigned d;

	for (d = 0; d < image->dimensions; d++) {
		at[d] = v[d][lane];
		outside |= at[d] >= image->size[d];
	}
	if (DECLARE_ARRAY(in) && image->array) {
		layer = v[d][lane];
		outside |= layer >= image->layers;
	}
	if (outside)
		access->outside |= (uint64_t)1 << lane;
	else
		access->address[lane] = sg_image_address(image, at, layer);
}

static void load(struct sg_wave *wave, const struct sg_insn *in)
{
	uint8_t element[SG_ELEMENT_MAX];
	struct sg_access access;
	struct sg_image_view image;
	uint32_t value[4];
	uint64_t m;

	if (!find_image(wave, in, &image))
		return;
	begin(wave, &access);
	for (m = access.active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m);

		locate(wave, in, &image, l, &access);
		if (!sg_read_lane(wave, in, &access, l, sg_format_size(&image.format), element))
			return;
		sg_format_load(&image.format, element, value);
		write_components(wave, in, l, value);
	}
}

/* Components that DMASK lacks are 0 (see formatted.c). */
static void store(struct sg_wave *wave, const struct sg_insn *in)
{
	uint8_t element[SG_ELEMENT_MAX];
	struct sg_access access;
	struct sg_image_view image;
	uint64_t m;

	if (!find_image(wave, in, &image))
		return;
	if (image.format.number == SG_SRGB) {
		sg_unsupported(wave, in, "store to an sRGB image");
		return;
	}
	begin(wave, &access);
	for (m = access.active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m), from = in->o[0].index, i;
		uint32_t value[4] = { 0 };

		for (i = 0; i < 4; i++)
			if (DMASK(in) >> i & 1)
				value[i] = wave->v[from++][l];
		locate(wave, in, &image, l, &access);
		sg_format_store(&image.format, value, element);
		if (!sg_write_lane(wave, in, &access, l, sg_format_size(&image.format), element))
			return;
	}
}

/* Samples for a lane. Returns false if the wave stopped. */
static bool sample_lane(struct sg_wave *wave, const struct sg_insn *in,
			const struct sg_image_view *image, const struct sg_taps *taps,
			unsigned lane, struct sg_access *access, uint32_t value[4])
{
	uint8_t element[SG_ELEMENT_MAX];
	float sum[4] = { 0 };
	unsigned k, i;

	for (k = 0; k < taps->count; k++) {
		access->outside = (uint64_t)(taps->border >> k & 1) << lane;
		access->address[lane] = taps->address[k];
		if (!sg_read_lane(wave, in, access, lane, sg_format_size(&image->format), element))
			return false;
		sg_format_load(&image->format, element, value);
		for (i = 0; i < 4; i++)
			sum[i] += taps->weight[k] * sg_float(value[i]);
	}
	for (i = 0; taps->count > 1 && i < 4; i++)
		value[i] = sg_bits32(sum[i]);
	return true;
}

/* gfx90a has no other than the plain one. Derivatives choose a level and a filter; there is one. */
static void sample(struct sg_wave *wave, const struct sg_insn *in)
{
	const struct sg_operand *s = &in->o[3];
	struct sg_sampler sampler;
	struct sg_access access;
	struct sg_image_view image;
	struct sg_taps taps;
	const char *problem;
	uint32_t value[4];
	uint64_t m;

	if (!find_image(wave, in, &image))
		return;
	problem = in->nops != 4 || s->kind != SG_K_SCALAR || s->count != 4
		      ? "operands of an image access"
		      : sg_sampler_find(&wave->s[s->index], &image, &sampler);
	if (problem) {
		sg_unsupported(wave, in, problem);
		return;
	}
	sampler.unnormalized |= UNNORMALIZED(in);
	begin(wave, &access);
	for (m = access.active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctzll(m), i;
		float coordinate[4];

		for (i = 0; i < image.dimensions + DECLARE_ARRAY(in); i++)
			coordinate[i] = sg_float(wave->v[in->o[1].index + i][l]);
		sg_sample_taps(&image, &sampler, coordinate, DECLARE_ARRAY(in), &taps);
		if (!sample_lane(wave, in, &image, &taps, l, &access, value))
			return;
		write_components(wave, in, l, value);
	}
}

const struct sg_op sg_table_image[] = {
	{ .name = "image_load", .exec = load },
	{ .name = "image_store", .exec = store },
	{ .name = "image_sample", .exec = sample },
	{ .name = NULL },
};
