/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter alone: argv lists code objects made from kernels.hip at several optimisation
 * levels; every test runs on each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cases.h"
#include "harness.h"

static struct code code;

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))
#define N          640

static void must_run(const char *name, uint32_t grid, uint32_t group, const uint64_t *arguments,
		     unsigned words)
{
	struct launch l = { .grid = { grid }, .group = { group } };

	if (launch(&code, name, &l, arguments, words) != SOFTGPU_DONE)
		fail_msg("%s: %s", name, l.message);
}

/* ---- the same function here and there ---- */

static const uint64_t special[] = {
	0,
	1,
	2,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x0010000000000000,
	0x0000000000000001,
	0x000fffffffffffff,
	0x7fefffffffffffff,
	0x3f8000003f800000,
	0x7f8000007f800000,
	0xff800000ff800000,
	0x7fc000007fc00000,
	0x0080000000800000,
	0x007fffff00000001,
	0x7f7fffff7f7fffff,
	0x4b0000004b000000,
	0x3f0000003f000000,
	0xbf800000bf800000,
};

static uint64_t *inputs(void)
{
	uint64_t *in = gpu_alloc(N * 8, 0), x = 88172645463325252u;
	unsigned i;

	for (i = 0; i < N; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		in[i] = i < sizeof(special) / sizeof(special[0]) ? special[i] : x;
		if (i > N / 2 && i % 5 == 0) /* small numbers, too */
			in[i] &= 0x3f0000003full;
	}
	return in;
}

typedef uint64_t (*case_fn)(uint64_t x, uint64_t y);

static void check_uniform(const char *name, case_fn fn, uint64_t x, uint64_t y)
{
	uint64_t *out = gpu_alloc(8, 0), arguments[3] = { x, y, ADDRESS(out) };

	must_run(name, 1, 1, arguments, 3);
	if (*out != fn(x, y))
		fail_msg("%s(0x%llx, 0x%llx): 0x%llx instead of 0x%llx", name,
			 (unsigned long long)x, (unsigned long long)y, (unsigned long long)*out,
			 (unsigned long long)fn(x, y));
	gpu_free(out, 8);
}

static void run_uniform(const char *name, case_fn fn)
{
	uint64_t *in = inputs();
	unsigned i;

	for (i = 0; i < N; i += 3)
		check_uniform(name, fn, in[i], in[(i * 7 + 1) % N]);
	gpu_free(in, N * 8);
}

static void run_case(const char *name, case_fn fn)
{
	uint64_t *in = inputs(), *out = gpu_alloc(N * 8, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	must_run(name, N + 64, 64, arguments, 3);
	for (i = 0; i < N; i++) {
		uint64_t expected = fn(in[i], in[(i + 1) % N]);

		if (out[i] != expected)
			fail_msg("%s(0x%llx, 0x%llx): 0x%llx instead of 0x%llx", name,
				 (unsigned long long)in[i], (unsigned long long)in[(i + 1) % N],
				 (unsigned long long)out[i], (unsigned long long)expected);
	}
}

#define TEST(name)                                   \
	static void test_case_##name(void **state)   \
	{                                            \
		(void)state;                         \
		run_case("case_" #name, name);       \
		run_uniform("uniform_" #name, name); \
	}
CASES(TEST)

/* ---- work-groups ---- */

static void test_reduce(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	(void)state;
	must_run("reduce", 768, 256, arguments, 3);
	for (i = 0; i < 3; i++) {
		uint64_t sum = 0;
		unsigned k;

		for (k = i * 256; k < (i + 1) * 256 && k < N; k++)
			sum += in[k];
		assert_int_equal(out[i], sum);
	}
}

static void test_backwards(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[2] = { ADDRESS(in), ADDRESS(out) };

	(void)state;
	must_run("backwards", 64, 64, arguments, 2);
	assert_int_equal(out[0], (uint32_t)in[39]);
	assert_int_equal(out[1], (uint32_t)in[8]);
}

static void test_histogram(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0), expected[64] = { 0 };
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	unsigned i;

	(void)state;
	must_run("histogram", 2048, 256, arguments, 3);
	for (i = 0; i < N; i++)
		expected[in[i] & 63]++;
	assert_memory_equal(out, expected, sizeof(expected));
}

static uint32_t dpp(const uint32_t *x, int from, uint32_t otherwise)
{
	return from < 0 ? otherwise : x[from];
}

static void test_lanes(void **state)
{
	uint64_t *in = inputs(), *out = gpu_alloc(4096, 0);
	uint64_t arguments[3] = { ADDRESS(in), ADDRESS(out), N };
	uint32_t x[64], odd = 0, any = 0, all = 1;
	int i;

	(void)state;
	for (i = 0; i < 64; i++) {
		x[i] = (uint32_t)in[i];
		odd += x[i] & 1;
		any |= x[i] == 1;
		all &= x[i] != 12345;
	}
	must_run("lanes", 64, 64, arguments, 3);
	for (i = 0; i < 64; i++) {
		uint32_t r = dpp(x, i + 5 < 64 ? i + 5 : i, 0);

		r = r * 3 + x[i - 7 >= 0 ? i - 7 : i];
		r = r * 3 + x[i ^ 21];
		r = r * 3 + x[x[i] & 63];
		r = r * 3 + odd + (any ? 1000 : 0) + (all ? 100 : 0);
		r = r * 3 + x[0];
		r = r * 3 + x[i ^ 3];
		r = r * 3 + dpp(x, i % 16 ? i - 1 : -1, 9);
		r = r * 3 + dpp(x, i / 16 % 2 ? i / 16 * 16 - 1 : -1, 9);
		r = r * 3 + dpp(x, i < 63 ? i + 1 : -1, 0);
		r = r * 3 + x[i ^ 1];
		r = r * 3 + (uint32_t)i;
		if (i & 1)
			r += x[3];
		assert_int_equal((uint32_t)out[i], r);
	}
}

static void test_late(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), x = 50000, i;
	uint64_t arguments[2] = { ADDRESS(out), x };

	(void)state;
	must_run("late", 256, 256, arguments, 2);
	for (i = 0; i < 50000; i++)
		x = x * 1664525 + (x >> 7);
	for (i = 0; i < 256; i++)
		assert_int_equal(out[i], x);
}

static void test_geometry(void **state)
{
	struct launch l = { .grid = { 13, 5, 3 }, .group = { 8, 4, 2 } };
	uint32_t *out = gpu_alloc(4096, 0), x, y, z;
	uint64_t arguments[1] = { ADDRESS(out) };

	(void)state;
	assert_int_equal(launch(&code, "geometry", &l, arguments, 1), SOFTGPU_DONE);
	for (z = 0; z < 3; z++)
		for (y = 0; y < 5; y++)
			for (x = 0; x < 13; x++)
				assert_int_equal(out[(z * 5 + y) * 13 + x],
						 1000000 + z * 10000 + y * 100 + x);
	assert_int_equal(out[13 * 5 * 3], 0);
}

static void test_spin(void **state)
{
	const uint64_t seeds[] = { 0, 1, 42 };
	unsigned i, k;

	(void)state;
	for (k = 0; k < 3; k++) {
		uint32_t *flag = gpu_alloc(4096, 0), *out = gpu_alloc(4096, 0);
		uint64_t arguments[3] = { ADDRESS(flag), ADDRESS(out), 12 };
		struct launch l = { .grid = { 12 * 64 }, .group = { 64 }, .budget = 100000 };

		softgpu_config.seed = seeds[k];
		assert_int_equal(launch(&code, "spin", &l, arguments, 3), SOFTGPU_DONE);
		for (i = 0; i < 12; i++)
			assert_int_equal(out[i], i + 1);
		assert_true(l.steps > 1);
	}
	softgpu_config.seed = 0;
}

/* ---- atomics and what memory can do ---- */

struct memory {
	uint32_t u[16];
	int32_t s[16];
	float f[1024 + 128];
	double d[16];
	uint64_t q[16];
};

static struct memory *run_atomics(unsigned page_state)
{
	struct memory *m = gpu_alloc(sizeof(*m), page_state);
	uint64_t arguments[5] = { ADDRESS(m->u), ADDRESS(m->s), ADDRESS(m->f), ADDRESS(m->d),
				  ADDRESS(m->q) };

	m->u[2] = 1000;
	m->u[4] = 0xffffffff;
	m->s[1] = -1000;
	must_run("atomics", 100, 50, arguments, 5);
	return m;
}

static void check_always(const struct memory *m)
{
	assert_int_equal(m->u[0], 100);
	assert_int_equal(m->u[9], 7);
	assert_int_equal(m->u[10], 5);
	/* compare-and-swap loops work everywhere */
	assert_true(m->f[1] == 100.0f);
	assert_true(m->d[3] == 100.0);
	assert_int_equal(m->q[0], 100ull << 33);
}

static void check_integer(const struct memory *m)
{
	uint32_t x = 0;
	unsigned i;

	for (i = 0; i < 100; i++)
		x ^= i;
	assert_int_equal(m->u[2], 0);
	assert_int_equal(m->u[3], 99);
	assert_int_equal(m->u[4], 0);
	assert_int_equal(m->u[5], 0xffffffff);
	assert_int_equal(m->u[6], x);
	assert_int_equal(m->u[7], 0);
	assert_int_equal(m->u[8], 0);
	assert_int_equal(m->s[0], -99);
	assert_int_equal(m->s[1], 49);
	assert_int_equal(m->q[1], 99ull << 40);
}

static void check_float(const struct memory *m, bool works)
{
	float returned = 0;
	unsigned i;

	assert_true(m->f[0] == (works ? 100.0f : 0.0f));
	assert_true(m->d[0] == (works ? 100.0 : 0.0));
	assert_true(m->d[1] == (works ? -99.0 : 0.0));
	assert_true(m->d[2] == (works ? 99.0 : 0.0));
	assert_true(m->f[1000] == (works ? 50.0f : 0.0f));
	for (i = 0; i < 100; i++)
		returned += m->f[2 + i];
	assert_true(returned == (works ? 0.5f * 99 * 100 / 2 : 0.0f));
}

static void test_atomics_coarse(void **state)
{
	struct memory *m = run_atomics(0);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, true);
}

static void test_atomics_coarse_host(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_HOST);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, true);
}

static void test_atomics_fine_device(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, false);
}

static void test_atomics_fine_host(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST);

	(void)state;
	check_always(m);
	check_float(m, false);
	assert_int_equal(m->u[2], 1000); /* min is not carried by PCIe */
	assert_int_equal(m->u[4], 0xffffffff);
	assert_int_equal(m->q[1], 0);
}

static void test_atomics_switches(void **state)
{
	struct memory *m;

	(void)state;
	softgpu_config.drop_fine_fp_atomics = false;
	softgpu_config.xgmi_cpu = true;
	m = run_atomics(SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST);
	softgpu_config.drop_fine_fp_atomics = true;
	softgpu_config.xgmi_cpu = false;
	check_always(m);
	check_integer(m);
	check_float(m, true);
}

static char log_path[] = "/tmp/softgpu-atomics-XXXXXX";

/* Lines of the atomic log about `address` that end in `end`. */
static unsigned log_lines(const void *address, const char *end)
{
	FILE *f = fopen(log_path, "r");
	char line[800], kernel[100], name[100], outcome[20], place[100];
	unsigned long long offset, at, kernarg;
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%99s %llx %llx %llx %99s %19s %99s", kernel, &offset,
					&at, &kernarg, name, outcome, place),
				 7);
		if (at != ADDRESS(address))
			continue;
		assert_string_equal(kernel, "atomics");
		assert_string_equal(place, "0,8,16,24,32");
		assert_true(at - *(uint64_t *)(uintptr_t)(kernarg + 16) <
			    sizeof(((struct memory *)0)->f));
		strcat(strcat(name, " "), outcome);
		n += !strcmp(name, end);
	}
	fclose(f);
	return n;
}

static void test_atomic_log(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE);

	(void)state;
	assert_int_equal(log_lines(&m->f[0], "global_atomic_add_f32 dropped"), 100);
	assert_int_equal(log_lines(&m->f[0], "global_atomic_add_f32 done"), 0);
	assert_true(log_lines(&m->f[1], "global_atomic_cmpswap done") +
			log_lines(&m->f[1], "flat_atomic_cmpswap done") >=
		    100);
	m = run_atomics(0);
	assert_int_equal(log_lines(&m->f[0], "global_atomic_add_f32 done"), 100);
}

/* ---- what must stop ---- */

static void test_fault(void **state)
{
	uint32_t *p = gpu_alloc(8192, 0);
	uint64_t arguments[2] = { ADDRESS(p), 5000 };
	struct launch l = { .grid = { 1 }, .group = { 1 } };

	(void)state;
	assert_int_equal(launch(&code, "touch", &l, arguments, 2), SOFTGPU_FAULT);
	assert_int_equal(l.fault & ~4095ull, (ADDRESS(p) + 20000) & ~4095ull);
	arguments[1] = 1;
	gpu_set_state(p, 8192, 0);
	assert_int_equal(launch(&code, "touch", &l, arguments, 2), SOFTGPU_FAULT);
	gpu_set_state(p, 8192, SOFTGPU_PAGE_MAPPED);
	assert_int_equal(launch(&code, "touch", &l, arguments, 2), SOFTGPU_DONE);
	assert_int_equal(p[1], 1);
}

static void test_lds_outside(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[2] = { ADDRESS(out), 1000000 };

	(void)state;
	must_run("lds_outside", 64, 64, arguments, 2);
	for (i = 0; i < 64; i++)
		assert_int_equal(out[i], 0);
	arguments[1] = 0;
	must_run("lds_outside", 64, 64, arguments, 2);
	for (i = 0; i < 64; i++)
		assert_int_equal(out[i], 77);
}

static void test_lds_negative(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[1] = { ADDRESS(out) };

	(void)state;
	must_run("lds_negative", 64, 64, arguments, 1);
	for (i = 0; i < 64; i++)
		assert_int_equal(out[i], 320 + i);
}

static void test_unsupported(void **state)
{
	float *out = gpu_alloc(4096, 0);
	uint64_t arguments[1] = { ADDRESS(out) };
	struct launch l = { .grid = { 64 }, .group = { 64 } };

	(void)state;
	assert_int_equal(launch(&code, "converting", &l, arguments, 1), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, "buffer_load_format_x"));
	assert_non_null(strstr(l.message, "kernel converting, entry+0x"));
	assert_int_equal(launch(&code, "broadcasting", &l, arguments, 1), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, "v_mfma_f64_4x4x4f64"));
}

/* ---- buffers ---- */

enum {
	UBYTE,
	USHORT,
	DWORD,
	DWORDX2,
	DWORDX4,
	INDEXED,
	BOTH,
	PLAIN,
	STORE,
	STORE_INDEXED,
	ADD,
	ADD_X2
};

/*
 * Accesses of 64 lanes to a buffer of 8 KiB, the second half of which is not mapped. Lanes below
 * `whole` are in range, `words` dwords of the next one, and nothing of the others. A lane's first
 * byte is at `start` + lane * `apart`. Worked out by hand from the guides' rules.
 */
static const struct buffer_case {
	const char *what;
	unsigned how, stride, records, soffset, step;
	unsigned start, apart, whole, words;
} buffer_cases[] = {
	{ "bytes", UBYTE, 0, 40, 0, 1, 0, 1, 40, 0 },
	{ "bytes, soffset counts", UBYTE, 0, 40, 8, 1, 8, 1, 32, 0 },
	{ "halves, half of one is in range", USHORT, 0, 41, 0, 2, 2, 2, 19, 0 },
	{ "dwords, both offsets count", DWORD, 0, 256, 64, 4, 68, 4, 47, 0 },
	{ "dwords, soffset alone is out of range", DWORD, 0, 256, 4096, 4, 4100, 4, 0, 0 },
	{ "dwords, soffset is huge and does not wrap", DWORD, 0, 256, 0xffffff00, 4, 0, 0, 0, 0 },
	{ "dwords, not mapped behind the end", DWORD, 0, 4096, 3968, 4, 3972, 4, 31, 0 },
	{ "dwords, a part of one is in range", DWORD, 0, 255, 0, 4, 4, 4, 62, 0 },
	{ "no record", DWORD, 0, 0, 0, 4, 4, 4, 0, 0 },
	{ "pairs", DWORDX2, 0, 100, 0, 8, 0, 8, 12, 1 },
	{ "fours, dword by dword", DWORDX4, 0, 200, 0, 16, 0, 16, 12, 2 },
	{ "fours, dword by dword, soffset", DWORDX4, 0, 200, 4, 16, 4, 16, 12, 1 },
	{ "fours, not mapped behind the end", DWORDX4, 0, 4096, 3584, 16, 3584, 16, 32, 0 },
	{ "a stride without an index: bytes", DWORD, 16, 100, 0, 4, 4, 4, 24, 0 },
	{ "records", INDEXED, 16, 20, 0, 0, 8, 16, 20, 0 },
	{ "records, soffset does not count", INDEXED, 16, 20, 1024, 0, 1032, 16, 20, 0 },
	{ "records, not mapped behind the last", INDEXED, 16, 32, 3584, 0, 3592, 16, 32, 0 },
	{ "an index without a stride: bytes", INDEXED, 0, 12, 0, 0, 8, 0, 64, 0 },
	{ "an index without a stride, out of range", INDEXED, 0, 12, 4, 0, 12, 0, 0, 0 },
	{ "index and offset, beyond the record", BOTH, 16, 10, 0, 8, 0, 24, 10, 0 },
	{ "the instruction's offset alone", PLAIN, 0, 16, 4, 0, 12, 0, 64, 0 },
	{ "the instruction's offset alone, out of range", PLAIN, 0, 16, 8, 0, 16, 0, 0, 0 },
	{ "stores, dword by dword", STORE, 0, 200, 4, 16, 4, 16, 12, 1 },
	{ "stores, not mapped behind the end", STORE, 0, 4096, 3576, 16, 3576, 16, 32, 2 },
	{ "stores to records", STORE_INDEXED, 8, 33, 0, 0, 0, 8, 33, 0 },
	{ "atomics", ADD, 0, 100, 8, 4, 8, 4, 23, 0 },
	{ "atomics, all or nothing", ADD_X2, 0, 100, 0, 8, 0, 8, 12, 0 },
	{ "atomics, not mapped behind the end", ADD, 0, 4096, 4000, 4, 4000, 4, 24, 0 },
};

static unsigned access_bytes(unsigned how)
{
	static const uint8_t size[] = {
		[UBYTE] = 1,    [USHORT] = 2,        [DWORD] = 4, [DWORDX2] = 8,
		[DWORDX4] = 16, [INDEXED] = 4,       [BOTH] = 16, [PLAIN] = 4,
		[STORE] = 16,   [STORE_INDEXED] = 4, [ADD] = 4,   [ADD_X2] = 8,
	};

	return size[how];
}

static void check_buffer(const struct buffer_case *c, unsigned *out, uint8_t *memory,
			 const uint8_t *before)
{
	uint8_t expected[4096];
	unsigned lane, word, size = access_bytes(c->how);
	bool stores = c->how == STORE || c->how == STORE_INDEXED;
	bool adds = c->how == ADD || c->how == ADD_X2;

	memcpy(expected, before, sizeof(expected));
	for (lane = 0; lane < 64; lane++) {
		unsigned inside = lane < c->whole ? size : lane == c->whole ? 4 * c->words : 0;
		unsigned at = c->start + lane * c->apart;
		uint32_t value[4], read[4] = { 0 };

		for (word = 0; word < 4; word++)
			value[word] = 0x10000 + 4 * lane + word;
		if (inside && stores)
			memcpy(expected + at, value, inside);
		else if (inside)
			memcpy(read, before + at, inside);
		if (inside && adds) {
			uint64_t sum = 0, data = 0;

			memcpy(&sum, expected + at, size);
			memcpy(&data, value, size);
			sum += data;
			memcpy(expected + at, &sum, size);
		}
		for (word = 0; !stores && word < (size + 3) / 4; word++)
			if (out[4 * lane + word] != read[word])
				fail_msg("%s: lane %u, dword %u: 0x%x instead of 0x%x", c->what,
					 lane, word, out[4 * lane + word], read[word]);
	}
	if (memcmp(memory, expected, sizeof(expected)))
		fail_msg("%s: memory", c->what);
}

static void test_buffers(void **state)
{
	uint8_t *memory = gpu_alloc(8192, 0), before[4096];
	unsigned *out = gpu_alloc(4096, 0), i, k;

	(void)state;
	gpu_set_state(memory + 4096, 4096, 0);
	for (i = 0; i < sizeof(buffer_cases) / sizeof(buffer_cases[0]); i++) {
		const struct buffer_case *c = &buffer_cases[i];
		uint64_t arguments[5] = {
			ADDRESS(out),
			ADDRESS(memory),
			(uint64_t)c->records << 32 | c->stride,
			(uint64_t)c->step << 32 | c->soffset,
			c->how,
		};

		for (k = 0; k < 4096; k++)
			before[k] = (uint8_t)(1 + k % 251);
		memcpy(memory, before, 4096);
		memset(out, 0xee, 4096);
		must_run("buffer_access", 64, 64, arguments, 5);
		check_buffer(c, out, memory, before);
	}
	gpu_set_state(memory + 4096, 4096, SOFTGPU_PAGE_MAPPED);
	gpu_free(memory, 8192);
	gpu_free(out, 4096);
}

/* What a kernel's message says behind its name must not depend on how long that is. */
static void test_long_name(void **state)
{
	char name[6000];
	struct launch l = { .grid = { 1 }, .group = { 1 }, .shown_name = name };
	uint64_t *out = gpu_alloc(4096, 0), arguments[2] = { ADDRESS(out), 1024 };

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	gpu_set_state(out, 4096, 0);
	assert_int_equal(launch(&code, "touch", &l, arguments, 2), SOFTGPU_FAULT);
	assert_non_null(strstr(l.message, name));
	assert_non_null(strstr(l.message, "entry+0x"));
	assert_non_null(strstr(l.message, "_store_dword"));
	l = (struct launch){ .grid = { 64 }, .group = { 64 }, .shown_name = name };
	assert_int_equal(launch(&code, "converting", &l, arguments, 1), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, name));
	assert_non_null(strstr(l.message, "buffer_load_format_x"));
	gpu_set_state(out, 4096, SOFTGPU_PAGE_MAPPED);
	gpu_free(out, 4096);
}

/* ---- code of clang 17, unoptimized: lanes17.hip ---- */

/* Runs "choose" on a wave; returns whether all lanes have what the source says. */
static bool chosen(int odd, int even)
{
	int *in = gpu_alloc(4096, 0), *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[2] = { ADDRESS(in), ADDRESS(out) };
	struct launch l = { .grid = { 64 }, .group = { 64 } };
	bool right = true;

	for (i = 0; i < 64; i++)
		in[i] = i & 1 ? odd + 2 * i : even + 2 * i;
	right = launch(&code, "choose", &l, arguments, 2) == SOFTGPU_DONE;
	for (i = 0; i < 64; i++)
		right &= out[i] == (in[i] & 1 ? in[i] * 3 : in[i] + 100);
	gpu_free(in, 4096);
	gpu_free(out, 4096);
	return right;
}

static void test_lanes17_fixed(void **state)
{
	(void)state;
	assert_true(chosen(1, 1));
	assert_true(chosen(2, 2));
	assert_true(chosen(1, 2));
	assert_true(chosen(2, 1));
}

/*
 * As it left the compiler it is right only where every lane takes the second branch. What is
 * switched off must not be reloaded, or the software GPU would hide what a GPU does.
 */
static void test_lanes17(void **state)
{
	(void)state;
	assert_true(chosen(1, 1));
	assert_false(chosen(2, 2));
	assert_false(chosen(1, 2));
	assert_false(chosen(2, 1));
}

/* ---- speed, when requested ---- */

static void test_speed(void **state)
{
	float *out = gpu_alloc(1 << 16, 0);
	uint64_t arguments[2] = { ADDRESS(out), 200000 };
	struct timespec a, b;
	double seconds;

	(void)state;
	if (!getenv("SOFTGPU_SPEED"))
		skip();
	clock_gettime(CLOCK_MONOTONIC, &a);
	must_run("work", 256, 256, arguments, 2);
	clock_gettime(CLOCK_MONOTONIC, &b);
	seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	/* At least four vector operations of the source per turn of the loop. */
	print_message("at least %.0f million lane operations a second\n",
		      200000.0 * 4 * 256 / seconds / 1e6);
}

#define UNIT(name) cmocka_unit_test(test_case_##name),

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASES(UNIT) cmocka_unit_test(test_reduce),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_spin),
		cmocka_unit_test(test_atomics_coarse),
		cmocka_unit_test(test_atomics_coarse_host),
		cmocka_unit_test(test_atomics_fine_device),
		cmocka_unit_test(test_atomics_fine_host),
		cmocka_unit_test(test_atomics_switches),
		cmocka_unit_test(test_atomic_log),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_lds_outside),
		cmocka_unit_test(test_lds_negative),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_speed),
	};
	const struct CMUnitTest lanes17[] = { cmocka_unit_test(test_lanes17) };
	const struct CMUnitTest lanes17_fixed[] = { cmocka_unit_test(test_lanes17_fixed) };
	int i, failed = 0, fd = mkstemp(log_path);

	if (fd < 0)
		return 99;
	close(fd);
	softgpu_config.atomic_log = log_path;
	if (getenv("SOFTGPU_THREADS"))
		softgpu_config.threads = strtoul(getenv("SOFTGPU_THREADS"), NULL, 10);
	if (getenv("SOFTGPU_NATIVE"))
		softgpu_config.native = strtoul(getenv("SOFTGPU_NATIVE"), NULL, 10);
	if (getenv("SOFTGPU_TEST"))
		cmocka_set_test_filter(getenv("SOFTGPU_TEST"));
	for (i = 1; i < argc; i++) {
		if (load_code(argv[i], &code)) {
			fprintf(stderr, "cannot load %s\n", argv[i]);
			return 99;
		}
		if (strstr(argv[i], "lanes17_fixed"))
			failed += cmocka_run_group_tests_name(argv[i], lanes17_fixed, NULL, NULL);
		else if (strstr(argv[i], "lanes17"))
			failed += cmocka_run_group_tests_name(argv[i], lanes17, NULL, NULL);
		else
			failed += cmocka_run_group_tests_name(argv[i], tests, NULL, NULL);
	}
	unlink(log_path);
	return failed != 0;
}
