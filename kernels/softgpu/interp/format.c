/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of buffers and images -> registers, and back. */
#include "format.h"

#include <math.h>
#include <string.h>

#include "lanes.h"

bool sg_format_find(unsigned data, unsigned number, unsigned selects, struct sg_format *format)
{
	static const uint8_t data_formats[][3] = {
#define DATA(code, bits, count) { code, bits, count },
#include "../data_format.def"
#undef DATA
	};
	unsigned i;

	memset(format, 0, sizeof(*format));
	for (i = 0; i < sizeof(data_formats) / sizeof(data_formats[0]); i++)
		if (data_formats[i][0] == data) {
			format->bits = data_formats[i][1];
			format->count = data_formats[i][2];
		}
	if (number == SG_SRGB ? format->bits != 8 || format->count != 4
			      : !format->bits || number == 6 || number > SG_FLOAT)
		return false;
	/* 8-bit floats, and 32 bits as fractions or scaled, are no formats. */
	if (number == SG_FLOAT ? format->bits == 8 : number < SG_UINT && format->bits == 32)
		return false;
	format->number = (uint8_t)number;
	for (i = 0; i < 4; i++) {
		format->select[i] = selects >> 3 * i & 7;
		if (format->select[i] == 2 || format->select[i] == 3)
			return false;
	}
	return true;
}

static int32_t sign_extended(uint32_t x, unsigned bits)
{
	return (int32_t)(x << (32 - bits)) >> (32 - bits);
}

/* Converts sRGB to a linear value by IEC 61966-2-1. */
static float linear_of_srgb(float x)
{
	return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static uint32_t part_to_register(uint32_t x, unsigned bits, unsigned number)
{
	int32_t s = sign_extended(x, bits);
	float greatest;

	switch (number) {
	case SG_UNORM:
		return sg_bits32((float)x / (float)((1u << bits) - 1));
	case SG_SRGB:
		return sg_bits32(linear_of_srgb((float)x / 255));
	case SG_SNORM:
		greatest = (float)((1u << (bits - 1)) - 1);
		return sg_bits32(fmaxf((float)s / greatest, -1));
	case SG_USCALED:
		return sg_bits32((float)x);
	case SG_SSCALED:
		return sg_bits32((float)s);
	case SG_SINT:
		return (uint32_t)s;
	case SG_FLOAT:
		return bits == 16 ? sg_bits32(sg_half_to_float(x)) : x;
	default:
		return x;
	}
}

void sg_format_load(const struct sg_format *format, const uint8_t *from, uint32_t to[4])
{
	uint32_t one = sg_format_is_float(format) ? sg_bits32(1) : 1;
	uint32_t part[4] = { 0, 0, 0, one }; /* the components that the element lacks */
	unsigned i;

	for (i = 0; i < format->count; i++) {
		uint32_t x = 0;

		memcpy(&x, from + i * format->bits / 8, format->bits / 8u);
		part[i] = part_to_register(x, format->bits,
					   format->number == SG_SRGB && i == 3 ? SG_UNORM
									       : format->number);
	}
	for (i = 0; i < 4; i++)
		to[i] = format->select[i] >= SG_SEL_X ? part[format->select[i] - SG_SEL_X]
			: format->select[i]           ? one
						      : 0;
}

/* `x` times the greatest part, rounded to nearest even, at least `least`; NaN gives 0. */
static uint32_t rounded(float x, double scale, double least, double greatest)
{
	double y = (double)x * scale;

	if (y != y)
		return 0;
	return (uint32_t)(int64_t)rint(fmin(fmax(y, least), greatest));
}

static uint32_t register_to_part(uint32_t x, unsigned bits, unsigned number)
{
	uint32_t greatest = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	int32_t positive = (int32_t)(greatest >> 1), s = (int32_t)x;

	switch (number) {
	case SG_UNORM:
		return rounded(sg_float(x), greatest, 0, greatest);
	case SG_SNORM:
		return rounded(sg_float(x), positive, -positive, positive);
	case SG_USCALED:
		return rounded(sg_float(x), 1, 0, greatest);
	case SG_SSCALED:
		return rounded(sg_float(x), 1, -positive - 1.0, positive);
	case SG_UINT:
		return x < greatest ? x : greatest;
	case SG_SINT:
		return (uint32_t)(s > positive ? positive : s < -positive - 1 ? -positive - 1 : s);
	default:
		return bits == 16 ? sg_float_to_half(sg_float(x)) : x;
	}
}

void sg_format_store(const struct sg_format *format, const uint32_t from[4], uint8_t *to)
{
	unsigned i, k;

	for (i = 0; i < format->count; i++) {
		uint32_t x = 0;

		for (k = 0; k < 4; k++)
			if (format->select[k] == SG_SEL_X + i) {
				x = register_to_part(from[k], format->bits, format->number);
				break;
			}
		memcpy(to + i * format->bits / 8, &x, format->bits / 8u);
	}
}
