/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of the elements of buffers and images that a descriptor names: what bytes in memory mean,
 * and in which component of the result each part of an element is found.
 */
#ifndef SOFTGPU_FORMAT_H
#define SOFTGPU_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "../descriptor.h"

struct sg_format {
	uint8_t bits,
	    count;         /* of a part of an element; parts of an element, from the lowest bits */
	uint8_t number;    /* enum sg_number_format */
	uint8_t select[4]; /* enum sg_select */
};

/* The greatest element in bytes. */
#define SG_ELEMENT_MAX 16

/*
 * Stores the format that DATA_FORMAT, NUM_FORMAT and the four DST_SEL (three bits each, X lowest)
 * of a descriptor name. Returns false if it is not executed.
 */
bool sg_format_find(unsigned data, unsigned number, unsigned selects, struct sg_format *format);

/* Returns the bytes of an element. */
static inline unsigned sg_format_size(const struct sg_format *format)
{
	return format->bits / 8u * format->count;
}

/* Are the components of the result floating-point numbers? */
static inline bool sg_format_is_float(const struct sg_format *format)
{
	return format->number != SG_UINT && format->number != SG_SINT;
}

/* Loads the element at `from` into the four components of the result. */
void sg_format_load(const struct sg_format *format, const uint8_t *from, uint32_t to[4]);

/*
 * Stores four components as the element at `to`. Integers out of range become the nearest that
 * there is (OpenCL C 2.0, 8.4: conversions of image writes are those of convert_*_sat), so do
 * normalized numbers. sRGB cannot be written. A part of the element that no component selects
 * becomes 0.
 */
void sg_format_store(const struct sg_format *format, const uint32_t from[4], uint8_t *to);

#endif
