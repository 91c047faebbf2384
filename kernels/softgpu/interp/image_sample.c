/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of images and samplers, and which elements a sample takes.
 *
 * Sources: the fields of the descriptors are those of MI200 ISA, "Image Resource" and "Image
 * Sampler", by the names of ROCr's image/resource_ai.h; the elements, OpenCL C 2.0, 8.2 and 8.3
 * (image addressing and filtering).
 *
 * How a swizzle (SW_MODE) orders elements matters to nobody but image instructions: all images are
 * in rows here, of the descriptor's pitch, which need no more room than tiles of it do.
 *
 * Coordinates are rounded to 1/256 of an element: a guess, as no public document gives the
 * hardware's precision. That it rounds is known: for the nearest element AMD's device library
 * passes floor(x * width) / width, which may be a little less than the element that it means
 * (ockl/src/image.cl).
 */
#include "image.h"

#include <math.h>

static uint32_t field(uint32_t word, unsigned first, unsigned bits)
{
	return word >> first & ((1u << bits) - 1);
}

const char *sg_image_find(const uint32_t word[8], struct sg_image_view *image)
{
	unsigned type = word[3] >> 28;

	memset(image, 0, sizeof(*image));
	if (!sg_format_find(field(word[1], 20, 6), field(word[1], 26, 4), field(word[3], 0, 12),
			    &image->format))
		return "format of an image";
	if (field(word[3], 12, 8))
		return "image with several levels";
	if (field(word[5], 0, 13) || field(word[6], 21, 1))
		return "part of an image array, or compressed image";
	image->base = ((uint64_t)field(word[1], 0, 8) << 32 | word[0]) << 8;
	image->size[0] = field(word[2], 0, 14) + 1;
	image->size[1] = image->size[2] = image->layers = 1;
	image->row = field(word[4], 13, 16) + 1;
	switch (type) {
	case SG_IMAGE_1D_ARRAY:
	case SG_IMAGE_1D:
		image->dimensions = 1;
		break;
	case SG_IMAGE_2D_ARRAY:
	case SG_IMAGE_2D:
		image->dimensions = 2;
		break;
	case SG_IMAGE_3D:
		image->dimensions = 3;
		break;
	default:
		return "type of an image";
	}
	if (image->dimensions > 1)
		image->size[1] = field(word[2], 14, 14) + 1;
	if (image->dimensions > 2)
		image->size[2] = field(word[4], 0, 13) + 1;
	image->slice = image->row * image->size[1];
	image->array = type == SG_IMAGE_1D_ARRAY || type == SG_IMAGE_2D_ARRAY;
	if (image->array)
		image->layers = field(word[4], 0, 13) + 1;
	return NULL;
}

const char *sg_sampler_find(const uint32_t word[4], const struct sg_image_view *image,
			    struct sg_sampler *sampler)
{
	unsigned filter = field(word[2], 20, 2), i;

	for (i = 0; i < image->dimensions; i++) {
		sampler->edge[i] = (uint8_t)field(word[0], 3 * i, 3);
		if (sampler->edge[i] > SG_LAST_TEXEL && sampler->edge[i] != SG_BORDER)
			return "addressing mode of a sampler";
		if (sampler->edge[i] == SG_BORDER && word[3] >> 30)
			return "border color of a sampler";
	}
	sampler->unnormalized = field(word[0], 15, 1);
	if (field(word[0], 9, 3) || filter > 1 || field(word[2], 22, 2) != filter)
		return "filter of a sampler";
	if (field(word[2], 26, 2))
		return "sampler of several levels";
	sampler->linear = filter && sg_format_is_float(&image->format);
	if (sampler->linear && image->dimensions == 3)
		return "linear filter of a 3D image";
	return NULL;
}

/* Returns element `i` of `size` by the rule for elements outside; -1 is the border. */
static int64_t inside(int64_t i, uint32_t size, unsigned edge)
{
	int64_t n = size;

	switch (edge) {
	case SG_WRAP:
		i %= n;
		return i < 0 ? i + n : i;
	case SG_MIRROR:
		i %= 2 * n;
		i += i < 0 ? 2 * n : 0;
		return i < n ? i : 2 * n - 1 - i;
	case SG_BORDER:
		return i < 0 || i >= n ? -1 : i;
	default:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	}
}

/* Rounded to 1/256, and not far beyond every image; NaN counts as 0. */
static float rounded(float x)
{
	return x != x ? 0 : rintf(fminf(fmaxf(x, -0x1p40f), 0x1p40f) * 256) / 256;
}

void sg_sample_taps(const struct sg_image_view *image, const struct sg_sampler *sampler,
		    const float *coordinate, bool layered, struct sg_taps *taps)
{
	unsigned taken = sampler->linear ? 2 : 1, d, k;
	int64_t element[3][2] = { { 0 } };
	float weight[3][2] = { { 1 }, { 1 }, { 1 } };
	uint32_t layer = 0;

	for (d = 0; d < image->dimensions; d++) {
		float x = coordinate[d] * (sampler->unnormalized ? 1 : (float)image->size[d]);
		float at = rounded(x) - (sampler->linear ? 0.5f : 0), low = floorf(at);

		for (k = 0; k < taken; k++)
			element[d][k] = inside((int64_t)low + k, image->size[d], sampler->edge[d]);
		if (sampler->linear) {
			weight[d][1] = at - low;
			weight[d][0] = 1 - weight[d][1];
		}
	}
	if (layered && image->array)
		layer = (uint32_t)fminf(fmaxf(rintf(rounded(coordinate[image->dimensions])), 0),
					(float)(image->layers - 1));
	taps->border = 0;
	taps->count = taken << (image->dimensions > 1 && taken > 1);
	for (k = 0; k < taps->count; k++) {
		unsigned x = k & 1, y = k >> 1;
		uint32_t at[3] = { (uint32_t)element[0][x], (uint32_t)element[1][y],
				   (uint32_t)element[2][0] };

		taps->weight[k] = weight[0][x] * weight[1][y];
		taps->address[k] = sg_image_address(image, at, layer);
		if (element[0][x] < 0 || element[1][y] < 0 || element[2][0] < 0)
			taps->border |= 1u << k;
	}
}
