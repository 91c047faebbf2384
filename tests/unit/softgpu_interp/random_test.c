/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: random_test HOST COUNT CODE: kernels kernel_0 and so on of the code object CODE against
 * function_0 and so on of the shared library HOST (made by `random`). One line for each kernel
 * whose results differ or that does not end; exit status 1 if there is one.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

#define INPUTS 192

static uint64_t next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Numbers of all magnitudes, small ones and borders among them. */
static void fill(uint64_t *in)
{
	uint64_t state = 42;
	unsigned i;

	for (i = 0; i < INPUTS; i++)
		in[i] = next(&state) >> next(&state) % 64;
	for (i = 0; i < 16; i++)
		in[i * 5] = i < 8 ? i : ~(uint64_t)0 << 8 * (i - 8);
}

static bool agrees(const struct code *code, void *host, unsigned n, const uint64_t *in,
		   uint64_t *out)
{
	uint64_t arguments[3] = { (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out, INPUTS };
	struct launch l = { .grid = { INPUTS }, .group = { 64 } };
	uint64_t (*function)(uint64_t, uint64_t);
	char name[32];
	unsigned i;

	snprintf(name, sizeof(name), "function_%u", n);
	*(void **)&function = dlsym(host, name);
	snprintf(name, sizeof(name), "kernel_%u", n);
	if (!function || !find_kernel(code, name)) {
		printf("%s is missing\n", name);
		return false;
	}
	if (launch(code, name, &l, arguments, 3) != SOFTGPU_DONE) {
		printf("%s: %s\n", name, l.message);
		return false;
	}
	for (i = 0; i < INPUTS; i++) {
		uint64_t want = function(in[i], in[(i + 1) % INPUTS]);

		if (out[i] == want)
			continue;
		printf("%s(0x%llx, 0x%llx): 0x%llx, on the host 0x%llx\n", name,
		       (unsigned long long)in[i], (unsigned long long)in[(i + 1) % INPUTS],
		       (unsigned long long)out[i], (unsigned long long)want);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	uint64_t *in = gpu_alloc(4096, 0), *out = gpu_alloc(4096, 0);
	struct code code;
	unsigned i, bad = 0;
	void *host;

	if (argc != 4 || !(host = dlopen(argv[1], RTLD_NOW)) || load_code(argv[3], &code)) {
		fprintf(stderr, "usage: %s HOST COUNT CODE\n", argv[0]);
		return 2;
	}
	if (getenv("SOFTGPU_NATIVE"))
		softgpu_config.native = strtoul(getenv("SOFTGPU_NATIVE"), NULL, 10);
	fill(in);
	for (i = 0; i < (unsigned)atoi(argv[2]); i++)
		bad += !agrees(&code, host, i, in, out);
	return bad != 0;
}
