/* SPDX-License-Identifier: Apache-2.0 */
/* Images and samplers as their descriptors describe them. */
#ifndef SOFTGPU_IMAGE_H
#define SOFTGPU_IMAGE_H

#include "format.h"
#include "interp.h"

/* An image. Sizes and pitches in elements. */
struct sg_image_view {
	uint64_t base;
	uint64_t row, slice; /* from one row, slice or layer to the next */
	uint32_t size[3];    /* width, height, depth; 1 where there is no such dimension */
	uint32_t layers;     /* 1 if it is no array */
	unsigned dimensions;
	bool array;
	struct sg_format format;
};

struct sg_sampler {
	uint8_t edge[3]; /* enum sg_edge, by dimension */
	bool unnormalized, linear;
};

/*
 * Decode the eight words of an image descriptor, or the four of a sampler. Return NULL, or the name
 * of what is not executed.
 */
const char *sg_image_find(const uint32_t word[8], struct sg_image_view *image);
const char *sg_sampler_find(const uint32_t word[4], const struct sg_image_view *image,
			    struct sg_sampler *sampler);

/* The elements that a sample is made of, with their weights. */
struct sg_taps {
	unsigned count;
	unsigned border; /* bit k: the k-th one is outside of the image */
	uint64_t address[4];
	float weight[4];
};

/* Finds the elements of a sample. `coordinate` holds a number for each dimension, then the layer if
 * `layered`. */
void sg_sample_taps(const struct sg_image_view *image, const struct sg_sampler *sampler,
		    const float *coordinate, bool layered, struct sg_taps *taps);

/* Returns the address of an element; the caller has checked its coordinates. */
static inline uint64_t sg_image_address(const struct sg_image_view *image, const uint32_t at[3],
					uint32_t layer)
{
	return image->base + sg_format_size(&image->format) *
				 (at[0] + at[1] * image->row + (at[2] + layer) * image->slice);
}

#endif
