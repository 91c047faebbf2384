/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter's memory: atomics by kind of page, accesses that must stop a kernel, buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"
#include "interp_test.h"

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

void test_atomics_coarse(void **state)
{
	struct memory *m = run_atomics(0);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, true);
}

void test_atomics_coarse_host(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_HOST);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, true);
}

void test_atomics_fine_device(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE);

	(void)state;
	check_always(m);
	check_integer(m);
	check_float(m, false);
}

void test_atomics_fine_host(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST);

	(void)state;
	check_always(m);
	check_float(m, false);
	assert_int_equal(m->u[2], 1000); /* min is not carried by PCIe */
	assert_int_equal(m->u[4], 0xffffffff);
	assert_int_equal(m->q[1], 0);
}

void test_atomics_switches(void **state)
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

char log_path[] = "/tmp/softgpu-atomics-XXXXXX";

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

/* Not optimised, clang 21 emits flat atomics for gfx942, on which they exist for floats. */
static unsigned either_form(const void *address, const char *end)
{
	char global[100], flat[100];

	snprintf(global, sizeof(global), "global_%s", end);
	snprintf(flat, sizeof(flat), "flat_%s", end);
	return log_lines(address, global) + log_lines(address, flat);
}

void test_atomic_log(void **state)
{
	struct memory *m = run_atomics(SOFTGPU_PAGE_FINE);

	(void)state;
	assert_int_equal(either_form(&m->f[0], "atomic_add_f32 dropped"), 100);
	assert_int_equal(either_form(&m->f[0], "atomic_add_f32 done"), 0);
	assert_true(either_form(&m->f[1], "atomic_cmpswap done") >= 100);
	m = run_atomics(0);
	assert_int_equal(either_form(&m->f[0], "atomic_add_f32 done"), 100);
}

/* ---- what must stop ---- */

void test_fault(void **state)
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

void test_lds_outside(void **state)
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

void test_lds_negative(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[1] = { ADDRESS(out) };

	(void)state;
	must_run("lds_negative", 64, 64, arguments, 1);
	for (i = 0; i < 64; i++)
		assert_int_equal(out[i], 320 + i);
}

/* Registers have ECC: a load of half a register clears the other half. */
void test_halves(void **state)
{
	uint32_t *out = gpu_alloc(4096, 0), *in = gpu_alloc(4096, 0), i;
	uint64_t arguments[2] = { ADDRESS(out), ADDRESS(in) };

	(void)state;
	for (i = 0; i < 64; i++)
		in[i] = 0x7788f080 + i;
	must_run("halves", 64, 64, arguments, 2);
	for (i = 0; i < 64; i++) {
		assert_int_equal(out[6 * i], 0xf080 + i);
		assert_int_equal(out[6 * i + 1], (0xf080 + i) << 16);
		assert_int_equal(out[6 * i + 2], 0xff80 + i);
		assert_int_equal(out[6 * i + 3], (0x80 + i) << 16);
		assert_int_equal(out[6 * i + 4], 0xf080 + i);
		assert_int_equal(out[6 * i + 5], (0xf080 + i) << 16);
	}
}

void test_unsupported(void **state)
{
	float *out = gpu_alloc(4096, 0);
	uint64_t arguments[1] = { ADDRESS(out) };
	struct launch l = { .grid = { 64 }, .group = { 64 } };

	(void)state;
	assert_int_equal(launch(&code, "converting", &l, arguments, 1), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, "buffer_load_format_d16_x"));
	assert_non_null(strstr(l.message, "kernel converting, entry+0x"));
	assert_int_equal(launch(&code, "broadcasting", &l, arguments, 1), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, softgpu_config.processor == SOFTGPU_GFX942
					      ? "v_mfma_f32_16x16x16_f16"
					      : "v_mfma_f64_4x4x4f64"));
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

void test_buffers(void **state)
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

/* Selections of two components, then 0 and 1. NUM_FORMAT and DATA_FORMAT as in descriptor.h. */
#define WORD3(number, data) (4 | 5 << 3 | 0 << 6 | 1 << 9 | (number) << 12 | (data) << 15)

/* Loads of signed bytes by two, of which 40 are in range: those beyond are 0, 0, 0, 1. */
static void check_format_loads(unsigned *out, uint8_t *memory, unsigned components)
{
	uint64_t arguments[4] = { ADDRESS(out), ADDRESS(memory), (uint64_t)40 << 32 | 2,
				  (uint64_t)(components - 1) << 32 | WORD3(5, 3) };
	unsigned lane, i;

	memset(out, 0xee, 4096);
	must_run("buffer_format", 64, 64, arguments, 4);
	for (lane = 0; lane < 64; lane++) {
		int32_t want[4] = { 0, 0, 0, 1 };

		for (i = 0; i < 2 && lane < 40; i++)
			want[i] = (int8_t)memory[2 * lane + i];
		for (i = components; i < 4; i++) /* registers that are not written */
			want[i] = (int32_t)(0x10000 + 4 * lane + i);
		for (i = 0; i < 4; i++)
			if (out[4 * lane + i] != (uint32_t)want[i])
				fail_msg("%u components, lane %u, component %u: 0x%x instead of "
					 "0x%x",
					 components, lane, i, out[4 * lane + i], (uint32_t)want[i]);
	}
}

/* Stores of words that do not fit into 16 bits to 50 pairs; one component leaves the other 0. */
static void check_format_stores(unsigned *out, uint8_t *memory, unsigned components)
{
	uint64_t arguments[4] = { ADDRESS(out), ADDRESS(memory), (uint64_t)50 << 32 | 4,
				  (uint64_t)(components == 1 ? 4 : 5) << 32 | WORD3(4, 5) };
	unsigned lane, i;

	memset(memory, 0x11, 4096);
	must_run("buffer_format", 64, 64, arguments, 4);
	for (lane = 0; lane < 64; lane++)
		for (i = 0; i < 2; i++) {
			uint16_t got, want = lane >= 50 ? 0x1111 : i < components ? 0xffff : 0;

			memcpy(&got, memory + 4 * lane + 2 * i, 2);
			if (got != want)
				fail_msg("%u components, lane %u, component %u: 0x%x instead of "
					 "0x%x",
					 components, lane, i, got, want);
		}
}

void test_buffer_formats(void **state)
{
	uint8_t *memory = gpu_alloc(4096, 0);
	unsigned *out = gpu_alloc(4096, 0), i;
	uint64_t arguments[4] = { ADDRESS(out), ADDRESS(memory), (uint64_t)40 << 32 | 2,
				  WORD3(7, 1) };
	struct launch l = { .grid = { 64 }, .group = { 64 } };

	(void)state;
	for (i = 0; i < 4096; i++)
		memory[i] = (uint8_t)(7 * i);
	for (i = 1; i <= 4; i++)
		check_format_loads(out, memory, i);
	check_format_stores(out, memory, 1);
	check_format_stores(out, memory, 4);
	/* Floating-point numbers of eight bits. */
	assert_int_equal(launch(&code, "buffer_format", &l, arguments, 4), SOFTGPU_UNSUPPORTED);
	assert_non_null(strstr(l.message, "format of a buffer"));
	/* What may only be read, at its first byte. */
	gpu_set_state(memory, 4096, SOFTGPU_PAGE_MAPPED | SOFTGPU_PAGE_READ);
	arguments[3] = (uint64_t)4 << 32 | WORD3(4, 5);
	assert_int_equal(launch(&code, "buffer_format", &l, arguments, 4), SOFTGPU_FAULT);
	assert_true(l.fault == ADDRESS(memory));
	gpu_set_state(memory, 4096, SOFTGPU_PAGE_MAPPED);
	gpu_free(memory, 4096);
	gpu_free(out, 4096);
}

/* What a kernel's message says behind its name must not depend on how long that is. */
void test_long_name(void **state)
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
	assert_non_null(strstr(l.message, "buffer_load_format_d16_x"));
	gpu_set_state(out, 4096, SOFTGPU_PAGE_MAPPED);
	gpu_free(out, 4096);
}
