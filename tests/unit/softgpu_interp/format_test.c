/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of buffers and images, their descriptors, and which elements a sample takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/softgpu/interp/image.h"
#include "kernels/softgpu/interp/lanes.h"

#define SELECT(x, y, z, w) ((x) | (y) << 3 | (z) << 6 | (w) << 9)
#define RGBA               SELECT(SG_SEL_X, SG_SEL_Y, SG_SEL_Z, SG_SEL_W)
#define BGRA               SELECT(SG_SEL_Z, SG_SEL_Y, SG_SEL_X, SG_SEL_W)
#define ALPHA              SELECT(SG_SEL_0, SG_SEL_0, SG_SEL_0, SG_SEL_X)

/* DATA_FORMAT of buffers and images. */
enum { D8 = 1, D16 = 2, D8_8 = 3, D32 = 4, D10_11_11 = 6, D8_8_8_8 = 10, D16_16_16_16 = 12 };

static struct sg_format format(unsigned data, unsigned number, unsigned selects)
{
	struct sg_format f;

	assert_true(sg_format_find(data, number, selects, &f));
	return f;
}

/* What is stored comes back, as `want`; `size` bytes are written. */
static void check_store(struct sg_format f, float value, float want, unsigned size)
{
	uint32_t in[4] = { 0, 0, 0, 0 }, out[4];
	uint8_t element[SG_ELEMENT_MAX + 1];

	memset(element, 0x5a, sizeof(element));
	in[0] = sg_format_is_float(&f) ? sg_bits32(value) : (uint32_t)(int32_t)value;
	sg_format_store(&f, in, element);
	assert_int_equal(sg_format_size(&f), size);
	assert_int_equal(element[size], 0x5a);
	sg_format_load(&f, element, out);
	if (sg_format_is_float(&f))
		assert_true(sg_float(out[0]) == want);
	else
		assert_true((float)(int32_t)out[0] == want);
}

static void test_ranges(void **state)
{
	(void)state;
	check_store(format(D8, SG_UINT, RGBA), 200, 200, 1);
	check_store(format(D8, SG_UINT, RGBA), 300, 255, 1);
	check_store(format(D8, SG_SINT, RGBA), -100, -100, 1);
	check_store(format(D8, SG_SINT, RGBA), -300, -128, 1);
	check_store(format(D16, SG_SINT, RGBA), 40000, 32767, 2);
	check_store(format(D32, SG_SINT, RGBA), -2000000, -2000000, 4);
	check_store(format(D8, SG_UNORM, RGBA), 2, 1, 1);
	check_store(format(D8, SG_UNORM, RGBA), -1, 0, 1);
	check_store(format(D8, SG_UNORM, RGBA), 128.4f / 255, 128.0f / 255, 1);
	check_store(format(D8, SG_SNORM, RGBA), -2, -1, 1);
	check_store(format(D16, SG_SNORM, RGBA), 1, 1, 2);
	check_store(format(D16, SG_FLOAT, RGBA), 1.5f, 1.5f, 2);
	check_store(format(D16, SG_SSCALED, RGBA), -12.4f, -12, 2);
	check_store(format(D8, SG_USCALED, RGBA), 500, 255, 1);
	check_store(format(D32, SG_FLOAT, RGBA), 0.1f, 0.1f, 4);
	check_store(format(D16_16_16_16, SG_UINT, RGBA), 65536, 65535, 8);
}

/* The most negative integer is -1, as the one above it. */
static void test_snorm_minimum(void **state)
{
	struct sg_format f = format(D8_8, SG_SNORM, RGBA);
	uint8_t element[SG_ELEMENT_MAX] = { 0x80, 0x81 };
	uint32_t out[4];

	(void)state;
	sg_format_load(&f, element, out);
	assert_true(sg_float(out[0]) == -1 && sg_float(out[1]) == -1);
	assert_true(sg_float(out[2]) == 0 && sg_float(out[3]) == 1);
}

static void test_srgb(void **state)
{
	struct sg_format f = format(D8_8_8_8, SG_SRGB, RGBA);
	uint8_t element[SG_ELEMENT_MAX] = { 188, 10, 255, 188 };
	uint32_t out[4];

	(void)state;
	sg_format_load(&f, element, out);
	assert_true(fabsf(sg_float(out[0]) - 0.502886f) < 1e-5f);
	assert_true(fabsf(sg_float(out[1]) - 10 / 255.0f / 12.92f) < 1e-7f);
	assert_true(fabsf(sg_float(out[2]) - 1) < 1e-6f);
	assert_true(sg_float(out[3]) == 188 / 255.0f);
}

static void test_selects(void **state)
{
	struct sg_format f = format(D8_8_8_8, SG_UINT, BGRA);
	uint8_t element[SG_ELEMENT_MAX] = { 1, 2, 3, 4 }, back[SG_ELEMENT_MAX] = { 0 };
	uint32_t out[4];

	(void)state;
	sg_format_load(&f, element, out);
	assert_true(out[0] == 3 && out[1] == 2 && out[2] == 1 && out[3] == 4);
	sg_format_store(&f, out, back);
	assert_memory_equal(back, element, 4);
	f = format(D8, SG_UINT, ALPHA);
	sg_format_load(&f, element, out);
	assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0 && out[3] == 1);
	out[3] = 77;
	sg_format_store(&f, out, back);
	assert_int_equal(back[0], 77);
	/* A constant 1 is one of the format's own kind. */
	f = format(D8, SG_UINT, SELECT(SG_SEL_1, SG_SEL_X, SG_SEL_1, SG_SEL_0));
	sg_format_load(&f, element, out);
	assert_true(out[0] == 1 && out[1] == 1 && out[2] == 1 && out[3] == 0);
}

static void test_refused(void **state)
{
	struct sg_format f;

	(void)state;
	assert_false(sg_format_find(0, SG_UINT, RGBA, &f));
	assert_false(sg_format_find(D10_11_11, SG_FLOAT, RGBA, &f));
	assert_false(sg_format_find(D8, SG_FLOAT, RGBA, &f));
	assert_false(sg_format_find(D32, SG_UNORM, RGBA, &f));
	assert_false(sg_format_find(D8, 6, RGBA, &f));
	assert_false(sg_format_find(D8, SG_SRGB, RGBA, &f));
	assert_false(sg_format_find(D8, SG_UINT, SELECT(2, 0, 0, 0), &f));
}

/* 4 x 3 floats at 0x123456700, rows of 64 elements. */
static void descriptor(uint32_t word[8])
{
	memset(word, 0, 8 * sizeof(word[0]));
	word[0] = 0x1234567;
	word[1] = D32 << 20 | (uint32_t)SG_FLOAT << 26;
	word[2] = 3 | 2 << 14;
	word[3] = RGBA | (uint32_t)SG_IMAGE_2D << 28;
	word[4] = 63 << 13;
}

static void test_image(void **state)
{
	const uint32_t at[3] = { 3, 2, 0 };
	struct sg_image_view image;
	uint32_t word[8];

	(void)state;
	descriptor(word);
	assert_null(sg_image_find(word, &image));
	assert_int_equal(image.size[0], 4);
	assert_int_equal(image.size[1], 3);
	assert_int_equal(image.dimensions, 2);
	assert_true(sg_image_address(&image, at, 0) == 0x123456700 + 4 * (2 * 64 + 3));
	/* In rows, whatever the order that a swizzle names. */
	word[3] |= 9u << 20;
	assert_null(sg_image_find(word, &image));
	assert_true(sg_image_address(&image, at, 0) == 0x123456700 + 4 * (2 * 64 + 3));
	descriptor(word);
	word[3] |= 1u << 16;
	assert_string_equal(sg_image_find(word, &image), "image with several levels");
	descriptor(word);
	word[3] = RGBA | 11u << 28;
	assert_string_equal(sg_image_find(word, &image), "type of an image");
	descriptor(word);
	word[1] = 0;
	assert_string_equal(sg_image_find(word, &image), "format of an image");
}

/* Column of the one element at `x`, which is not normalized; -1: the border. */
static int column(unsigned edge, float x)
{
	uint32_t words[8], sampler_words[4] = { edge | edge << 3 | 1u << 15 };
	float coordinate[2] = { x, 1 };
	struct sg_image_view image;
	struct sg_sampler sampler;
	struct sg_taps taps;

	descriptor(words);
	assert_null(sg_image_find(words, &image));
	assert_null(sg_sampler_find(sampler_words, &image, &sampler));
	sg_sample_taps(&image, &sampler, coordinate, false, &taps);
	assert_int_equal(taps.count, 1);
	return taps.border ? -1 : (int)((taps.address[0] - image.base) / 4 - 64);
}

static void test_edges(void **state)
{
	(void)state;
	assert_int_equal(column(SG_LAST_TEXEL, -5), 0);
	assert_int_equal(column(SG_LAST_TEXEL, 2.5f), 2);
	assert_int_equal(column(SG_LAST_TEXEL, 1e30f), 3);
	assert_int_equal(column(SG_LAST_TEXEL, NAN), 0);
	assert_int_equal(column(SG_BORDER, -0.5f), -1);
	assert_int_equal(column(SG_BORDER, 0), 0);
	assert_int_equal(column(SG_BORDER, 4), -1);
	assert_int_equal(column(SG_WRAP, -1), 3);
	assert_int_equal(column(SG_WRAP, 9), 1);
	assert_int_equal(column(SG_MIRROR, -1), 0);
	assert_int_equal(column(SG_MIRROR, 4), 3);
	assert_int_equal(column(SG_MIRROR, 9), 1);
	/* Less than 1/512 below an element counts as that element. */
	assert_int_equal(column(SG_LAST_TEXEL, 1.9999f), 2);
	assert_int_equal(column(SG_LAST_TEXEL, 1.99f), 1);
}

static void test_linear(void **state)
{
	uint32_t words[8], sampler_words[4] = { SG_LAST_TEXEL | SG_LAST_TEXEL << 3, 0, 5u << 20 };
	float coordinate[2] = { 0.5f, 0.5f }; /* between columns 1 and 2, row 1 */
	struct sg_image_view image;
	struct sg_sampler sampler;
	struct sg_taps taps;

	(void)state;
	descriptor(words);
	assert_null(sg_image_find(words, &image));
	assert_null(sg_sampler_find(sampler_words, &image, &sampler));
	sg_sample_taps(&image, &sampler, coordinate, false, &taps);
	assert_int_equal(taps.count, 4);
	assert_true(taps.address[0] == image.base + 4 * 65);
	assert_true(taps.address[1] == image.base + 4 * 66);
	assert_true(taps.weight[0] == 0.5f && taps.weight[1] == 0.5f);
	assert_true(taps.weight[2] == 0 && taps.weight[3] == 0);
	sampler_words[2] = 1u << 20; /* enlarged and reduced by different filters */
	assert_string_equal(sg_sampler_find(sampler_words, &image, &sampler),
			    "filter of a sampler");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),  cmocka_unit_test(test_snorm_minimum),
		cmocka_unit_test(test_srgb),    cmocka_unit_test(test_selects),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_image),
		cmocka_unit_test(test_edges),   cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
