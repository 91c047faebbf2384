/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translated code gives what the interpreter gives, bit by bit: random runs of every vector-ALU
 * instruction that is translated, with scalar ones in between, on values that are hard, for any
 * EXEC.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/softgpu/translate/native.h"
#include "kernels/softgpu/translate/native_room.h"
#include "kernels/softgpu/interp/parse.h"

#define ROWS    24
#define RUN     14
#define ROUNDS  6000
#define BASE_PC 0x100000u

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t random32(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t n)
{
	return random32() % n;
}

static uint32_t word(void)
{
	static const uint32_t hard[] = {
		0,           0x80000000u, 1,           ~0u,         0x7fffffffu, 0x3f800000u,
		0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00001u, 0x7f800001u,
		0xff900000u, 0x00000007u, 0x807fffffu, 0x00800000u, 0x7f7fffffu, 0x4f000000u,
		0xcf000000u, 0x4f800000u, 0x4f7fffffu, 0x3effffffu, 0x3f7fffffu, 0xb3000000u,
		0x41e00000u, 0xc1e00000u, 0x41efffffu, 0x41f00000u, 0x7ff00000u, 0xfff00000u,
		0x7ff80000u, 0xfff80000u, 0x7ff00001u, 0x3ff00000u, 0xbfe00000u, 0x7fefffffu,
		0x00100000u, 0x000fffffu, 31,          32,          63,          64,
	};
	union {
		float f;
		uint32_t u;
	} x;

	switch (below(4)) {
	case 0:
		return hard[below(sizeof(hard) / sizeof(hard[0]))];
	case 1:
		x.f = ((float)random32() - 2147483648.0f) / 65536.0f;
		return x.u;
	case 2:
		return below(100);
	default:
		return random32();
	}
}

/* ---- instructions as text ---- */

static void operand(char *to, size_t size, uint8_t type, bool result)
{
	static const char *constants[] = {
		"0", "1", "-1", "0.5", "-4.0", "17", "0x12345678", "63"
	};
	bool wide = sg_is64(type);
	unsigned k;

	if (type == SG_mask) {
		k = below(4);
		snprintf(to, size, k ? "s[%u:%u]" : "vcc", 2 * k + 4, 2 * k + 5);
		return;
	}
	k = below(8);
	if (!result && k == 0 && type != SG_pf) {
		snprintf(to, size, "%s", constants[below(8)]);
	} else if (!result && k == 1) {
		k = 2 * below(4);
		snprintf(to, size, wide ? "s[%u:%u]" : "s%u", k, k + 1);
	} else {
		bool sign = !result && below(4) == 0;
		const char *before = "", *behind = "";

		if (sign && (type == SG_f32 || type == SG_f64)) {
			k = below(3);
			before = k == 0 ? "-" : k == 1 ? "|" : "-|";
			behind = k ? "|" : "";
		}
		k = wide ? 2 * below(ROWS / 2) : below(ROWS);
		if (wide)
			snprintf(to, size, "%sv[%u:%u]%s", before, k, k + 1, behind);
		else
			snprintf(to, size, "%sv%u%s", before, k, behind);
	}
}

static void append(char *text, size_t size, const char *more, bool first)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", first ? " " : ", ", more);
}

static void write_vector(char *text, size_t size, const struct sg_op *op)
{
	char o[64];

	snprintf(text, size, "%s", op->name);
	operand(o, sizeof(o), op->d, true);
	append(text, size, o, true);
	if (op->flags & SG_F_COUT) {
		operand(o, sizeof(o), SG_mask, true);
		append(text, size, o, false);
	}
	if (op->a) {
		operand(o, sizeof(o), op->a, false);
		append(text, size, o, false);
	}
	if (op->b) {
		operand(o, sizeof(o), op->b, false);
		if (strstr(op->name, "class") && below(8))
			snprintf(o, sizeof(o), "0x%x", below(1024));
		append(text, size, o, false);
	}
	if (op->c && !(op->flags & SG_F_ACCUM)) {
		operand(o, sizeof(o), op->c, false);
		append(text, size, o, false);
	}
	if (op->flags & SG_F_CIN) {
		operand(o, sizeof(o), SG_mask, false);
		append(text, size, o, false);
	}
	if (op->a == SG_pf && below(2)) {
		size_t n = strlen(text);

		snprintf(text + n, size - n, " op_sel:[%u,%u,%u] op_sel_hi:[%u,%u,%u]", below(2),
			 below(2), below(2), below(2), below(2), below(2));
		n = strlen(text);
		if (strcmp(op->name, "v_pk_mov_b32"))
			snprintf(text + n, size - n, " neg_lo:[%u,%u,%u] neg_hi:[%u,%u,%u]",
				 below(2), below(2), below(2), below(2), below(2), below(2));
	}
}

static void write_scalar(char *text, size_t size)
{
	static const char *names[] = { "s_add_u32", "s_and_b64", "s_mul_i32", "s_mov_b64",
				       "s_cselect_b32" };
	const char *name = names[below(5)];
	bool wide = strstr(name, "b64") != NULL;
	unsigned d = 2 * below(7), a = 2 * below(7), b = 2 * below(7);

	if (!strcmp(name, "s_mov_b64"))
		snprintf(text, size, "%s s[%u:%u], s[%u:%u]", name, d, d + 1, a, a + 1);
	else if (wide)
		snprintf(text, size, "%s s[%u:%u], s[%u:%u], s[%u:%u]", name, d, d + 1, a, a + 1, b,
			 b + 1);
	else
		snprintf(text, size, "%s s%u, s%u, s%u", name, d, a, b);
}

/* ---- two machines ---- */

static struct sg_code_page page = { .page = BASE_PC >> SOFTGPU_PAGE_SHIFT };
static struct softgpu_run dispatch;
static struct sg_worker worker = { .run = &dispatch };
static uint32_t rows[2][SG_VECTORS][SG_LANES] __attribute__((aligned(64)));

static bool parse(struct sg_insn *in, const char *text, uint64_t pc)
{
	memset(in, 0, sizeof(*in));
	in->pc = pc;
	in->size = 4;
	in->problem = sg_parse(text, in);
	if (!in->op || in->problem)
		return false;
	sg_native_prepare(in);
	return true;
}

static void reset(struct sg_wave *wave, uint32_t (*v)[SG_LANES])
{
	wave->v = v;
	wave->worker = &worker;
	wave->run = &dispatch;
	wave->code = &page;
	wave->pc = BASE_PC;
	wave->mode = SG_MODE_DEFAULT | SG_MODE_IEEE;
}

static uint64_t some_exec(void)
{
	uint64_t x = (uint64_t)random32() << 32 | random32();

	switch (below(6)) {
	case 0:
	case 1:
		return ~(uint64_t)0;
	case 2:
		return x & 0xff00ff0000ff00ffu;
	case 3:
		return below(4) ? 1 : 0;
	default:
		return x;
	}
}

static void check(const struct sg_wave *a, const struct sg_wave *b, char (*text)[200], unsigned n)
{
	unsigned i, l;

	for (i = 0; i < ROWS; i++)
		for (l = 0; l < SG_LANES; l++)
			if (a->v[i][l] != b->v[i][l])
				goto differ;
	if (!memcmp(a->s, b->s, sizeof(a->s)) && a->scc == b->scc)
		return;
	i = l = 0;
	while (i < SG_SCALARS - 1 && a->s[i] == b->s[i])
		i++;
	print_error("s%u: interpreted %08x, translated %08x\n", i, a->s[i], b->s[i]);
differ:
	if (l || i < ROWS)
		print_error("v%u lane %u: interpreted %08x, translated %08x\n", i, l,
			    a->v[i % ROWS][l], b->v[i % ROWS][l]);
	for (i = 0; i < n; i++)
		print_error("    %s\n", text[i]);
	fail();
}

static const struct sg_op *known[256];
static unsigned nknown, used[256];

/* One random run on both machines; how many of its instructions were executed as native code. */
static unsigned round_of(unsigned length, unsigned first)
{
	static struct sg_insn insn[RUN + 1];
	static char text[RUN][200];
	static struct sg_wave wave[2];
	unsigned i, l, native = 0;

	memset(wave, 0, sizeof(wave));
	for (i = 0; i < length; i++) {
		unsigned k = i ? below(nknown) : first;

		do {
			if (i && below(6) == 0) {
				write_scalar(text[i], sizeof(text[i]));
			} else {
				write_vector(text[i], sizeof(text[i]), known[k]);
				used[k]++;
			}
		} while (!parse(&insn[i], text[i], BASE_PC + 4 * i));
		page.slot[i] = &insn[i];
	}
	assert_true(parse(&insn[length], "s_endpgm", BASE_PC + 4 * length));
	page.slot[length] = &insn[length];
	for (i = 0; i < ROWS; i++)
		for (l = 0; l < SG_LANES; l++)
			rows[0][i][l] = word();
	for (i = 0; i < 108; i++)
		wave[0].s[i] = word();
	sg_set_pair(&wave[0], SG_EXEC, some_exec());
	memcpy(rows[1], rows[0], sizeof(rows[0]));
	memcpy(wave[1].s, wave[0].s, sizeof(wave[0].s));
	reset(&wave[0], rows[0]);
	reset(&wave[1], rows[1]);
	for (i = 0; i < length; i++)
		(insn[i].plain ? insn[i].plain : insn[i].exec)(&wave[0], &insn[i]);
	while (wave[1].pc < BASE_PC + 4 * length) {
		const struct sg_insn *in = page.slot[(wave[1].pc - BASE_PC) / 4];

		wave[1].pc += 4;
		in->exec(&wave[1], in);
		assert_int_equal(wave[1].stop, SG_GO);
		native += in->run != NULL;
	}
	check(&wave[0], &wave[1], text, length);
	for (i = 0; i < length; i++)
		sg_native_free(insn[i].run);
	return native;
}

static bool can_translate(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

static void test_runs(void **unused)
{
	const struct sg_op *op;
	unsigned i, native = 0;

	(void)unused;
	if (!can_translate())
		skip();
	softgpu_config.native = 1;
	for (op = sg_table_valu; op->name; op++)
		if (native_knows(op))
			known[nknown++] = op;
	assert_true(nknown > 100 && nknown <= 256);
	for (i = 0; i < 20 * nknown; i++)
		native += round_of(1, i % nknown);
	/* Few of these are left to the interpreter, for operands that are not translated. */
	assert_true(native > 18 * nknown);
	for (i = 0; i < ROUNDS; i++)
		native += round_of(2 + below(RUN - 1), below(nknown));
	/* Everything was tried. */
	for (i = 0; i < nknown; i++)
		assert_true(used[i] > 0);
	print_message("native %u\n", native);
	assert_true(native > ROUNDS);
}

/* No memory is writable and executable at once. */
static void test_protection(void **unused)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned executable = 0;
	char line[512];

	(void)unused;
	if (!can_translate())
		skip();
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_null(strstr(line, " rwx"));
		executable += strstr(line, " r-x") && strstr(line, "softgpu-code");
	}
	fclose(maps);
	assert_int_equal(executable, 1);
}

/* What was given back is used again: the runs before had freed all they took. */
static void test_room(void **unused)
{
	struct native_room room[2 * NATIVE_CHUNKS];
	unsigned i, n, again;

	(void)unused;
	if (!can_translate())
		skip();
	assert_int_equal(native_room_chunks(), 1);
	for (n = 0; n < 2 * NATIVE_CHUNKS && native_room_find(&room[n], NATIVE_CHUNK - 100); n++)
		native_room_take(&room[n], NATIVE_CHUNK - 100);
	assert_int_equal(n, NATIVE_CHUNKS);
	assert_int_equal(native_room_chunks(), NATIVE_CHUNKS);
	native_room_return(room[17].chunk);
	assert_true(native_room_find(&room[n], NATIVE_CHUNK));
	assert_ptr_equal(room[n].write, room[17].write);
	for (i = 0; i < n; i++)
		if (i != 17)
			native_room_return(room[i].chunk);
	for (again = 0; again < 10 * NATIVE_CHUNKS; again++) {
		assert_true(native_room_find(&room[0], 300000));
		native_room_take(&room[0], 300000);
		native_room_return(room[0].chunk);
	}
	assert_int_equal(native_room_chunks(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_protection),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
