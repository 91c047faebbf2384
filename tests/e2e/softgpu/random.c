// SPDX-License-Identifier: Apache-2.0
/*
 * rocRAND's kernels, which nobody compiled for this: numbers that are known from the generator's
 * definition, exactly, and distributions by their moments. TAP on stdout.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <string.h>
#include "tap.h"

/* rocrand.h takes the type from a header that is for C++ only. */
typedef struct {
	unsigned short x;
} __half;
#include <rocrand/rocrand.h>

#define COUNT 4096
#define SEED  1234u

static void *device;

/* What the kernels left on the GPU. */
static bool fetch(void *to, size_t size)
{
	return hipMemcpy(to, device, size, hipMemcpyDeviceToHost) == hipSuccess;
}

/* ---- numbers from the definitions ---- */

/* Philox 4x32-10: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
static void philox(uint32_t counter, uint32_t subsequence, uint32_t seed, uint32_t out[4])
{
	uint32_t c[4] = { counter, 0, subsequence, 0 }, k[2] = { seed, 0 };

	for (unsigned round = 0; round < 10; round++) {
		uint64_t p = UINT64_C(0xd2511f53) * c[0], q = UINT64_C(0xcd9e8d57) * c[2];
		uint32_t next[4] = { (uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q,
				     (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p };

		memcpy(c, next, sizeof c);
		k[0] += 0x9e3779b9u;
		k[1] += 0xbb67ae85u;
	}
	memcpy(out, c, sizeof c);
}

static uint32_t reversed(uint32_t x)
{
	uint32_t y = 0;

	for (unsigned bit = 0; bit < 32; bit++)
		y |= (x >> bit & 1) << (31 - bit);
	return y;
}

static void test_exact(void)
{
	static uint32_t got[COUNT], want[COUNT];
	rocrand_generator generator;
	bool good;

	for (uint32_t i = 0; i < COUNT; i += 4)
		philox(i / 4, 0, SEED, &want[i]);
	good = !rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10) &&
	       !rocrand_set_seed(generator, SEED) && !rocrand_generate(generator, device, COUNT) &&
	       fetch(got, sizeof got);
	check(good && !memcmp(got, want, sizeof want), "Philox: every number as defined");
	rocrand_destroy_generator(generator);

	/* The first dimension of Sobol's sequence: the bits of Gray's code, reversed. */
	for (uint32_t i = 0; i < COUNT; i++)
		want[i] = reversed(i ^ i >> 1);
	good = !rocrand_create_generator(&generator, ROCRAND_RNG_QUASI_SOBOL32) &&
	       !rocrand_generate(generator, device, COUNT) && fetch(got, sizeof got);
	check(good && !memcmp(got, want, sizeof want), "Sobol: every number as defined");
	rocrand_destroy_generator(generator);
}

/* ---- distributions ---- */

/* Mean and variance, five standard errors around what they must be. */
static bool moments(const double *v, double mean, double variance, double kurtosis)
{
	double m = 0, s = 0;

	for (unsigned i = 0; i < COUNT; i++)
		m += v[i] / COUNT;
	for (unsigned i = 0; i < COUNT; i++)
		s += (v[i] - m) * (v[i] - m) / (COUNT - 1);
	if (fabs(m - mean) < 5 * sqrt(variance / COUNT) &&
	    fabs(s - variance) < 5 * variance * sqrt((kurtosis - 1) / COUNT))
		return true;
	printf("# mean %g of %g, variance %g of %g\n", m, mean, s, variance);
	return false;
}

static void test_distributions(void)
{
	static double wide[COUNT];
	static float narrow[COUNT];
	static uint32_t counts[COUNT];
	rocrand_generator generator;
	bool good = !rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10);

	check(good && !rocrand_generate_normal_double(generator, device, COUNT, 1.0, 2.0) &&
		  fetch(wide, sizeof wide) && moments(wide, 1, 4, 3),
	      "normal distribution");
	good = good && !rocrand_generate_uniform(generator, device, COUNT) &&
	       fetch(narrow, sizeof narrow);
	for (unsigned i = 0; i < COUNT; i++) {
		wide[i] = narrow[i];
		good = good && narrow[i] > 0 && narrow[i] <= 1;
	}
	check(good && moments(wide, 0.5, 1.0 / 12, 1.8), "uniform distribution");
	good = good && !rocrand_generate_poisson(generator, device, COUNT, 7.5) &&
	       fetch(counts, sizeof counts);
	for (unsigned i = 0; i < COUNT; i++)
		wide[i] = counts[i];
	check(good && moments(wide, 7.5, 7.5, 3 + 1 / 7.5), "Poisson distribution");
	rocrand_destroy_generator(generator);
}

int main(void)
{
	if (hipMalloc(&device, COUNT * sizeof(double)) != hipSuccess) {
		printf("Bail out! no device memory\n");
		return 1;
	}
	test_exact();
	test_distributions();
	return tap_end();
}
