/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sizes from source lines, and what helps against an instruction or a loop. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/fix_language.h"
#include "analyzer/fix_site.h"
#include "analyzer/rules/atomics/atomic_fixes.h"

/* ---- source lines ---- */

static const struct line {
	const char *function, *line, *variable, *size;
} lines[] = {
	{ "hipMallocManaged", "hipMallocManaged(&total, 8);", "total", "8" },
	{ "hipMallocManaged", "CHECK(hipMallocManaged(&total, sizeof(*total)));", "total",
	  "sizeof(*total)" },
	{ "hipMallocManaged", "hipMallocManaged((void **)&sum, n * sizeof(float), 1);", "sum",
	  "n * sizeof(float)" },
	{ "hipMallocManaged", "if (hipMallocManaged(&this->data, bytes) != hipSuccess) {",
	  "this->data", "bytes" },
	{ "hipMallocManaged", "hipMallocManaged(reinterpret_cast<void **>(&a.b), n);", "a.b", "n" },
	{ "hipHostMalloc", "hipHostMalloc(&p, f(a, b), hipHostMallocDefault)", "p", "f(a, b)" },
	{ "malloc", "double *total = (double *)malloc(n * 8);", "total", NULL },
	{ "malloc", "total = malloc(n);", "total", NULL },
	{ "malloc", "auto total = static_cast<double *>(malloc(n));", "total", NULL },
	{ "malloc", "state->total = malloc(n);", "state->total", NULL },
	/* What cannot be evaluated again, and what is no size. */
	{ "hipMallocManaged", "hipMallocManaged(&p, n++);", "p", NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p, n = 8);", "p", NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p, (a <= b) + (a == b));", "p",
	  "(a <= b) + (a == b)" },
	{ "hipMallocPitch", "hipMallocPitch(&p, &pitch, 8, 8);", "p", NULL },
	/* Not certain: nothing is claimed. */
	{ "hipMallocManaged", "hipMallocManaged(where, 8);", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p[i], 8);", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p, 8); hipMallocManaged(&q, 8);", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p,", NULL, NULL },
	{ "hipMallocManaged", "my_hipMallocManaged(&p, 8);", NULL, NULL },
	{ "hipMallocManaged", "allocate(&p, 8);", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p, c ? 8 : 16);", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p, strlen(\"a)\"));", NULL, NULL },
	{ "hipMallocManaged", "hipMallocManaged(&p /* here */, 8);", NULL, NULL },
	{ "malloc", "a == malloc(n);", NULL, NULL },
	{ "malloc", "a += malloc(n);", NULL, NULL },
	{ "malloc", "return malloc(n);", NULL, NULL },
	{ "malloc", "x[3] = malloc(n);", NULL, NULL },
	{ "malloc", "", NULL, NULL },
};

static void equal_or_null(const char *actual, const char *expected, const char *line)
{
	if (g_strcmp0(actual, expected) != 0) {
		fail_msg("%s: %s instead of %s", line, actual ? actual : "nothing",
			 expected ? expected : "nothing");
	}
}

static void lines_are_understood_or_left_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		char *variable, *size;

		fix_parse_allocation(lines[i].line, lines[i].function, &variable, &size);
		equal_or_null(variable, lines[i].variable, lines[i].line);
		equal_or_null(size, lines[i].size, lines[i].line);
		g_free(variable);
		g_free(size);
	}
}

/* ---- languages and releases ---- */

static const struct advice {
	const char *file;
	int version;
	const char *expected;
} advices[] = {
	{ "a.hip", 70253211, "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, 1);" },
	{ NULL, 0, "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, 1);" },
	{ "a.hip", 100140000, "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, 1);" },
	{ "a.hip", 100200000,
	  "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, "
	  "hipMemLocation{hipMemLocationTypeDevice, 1});" },
	{ NULL, 100200000,
	  "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, "
	  "hipMemLocation{hipMemLocationTypeDevice, 1});" },
	{ "a.c", 110000000,
	  "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, "
	  "(hipMemLocation){hipMemLocationTypeDevice, 1});" },
	{ "a.f90", 100200000,
	  "insert: istat = hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, 1);" },
	{ "a.py", 50221153,
	  "insert: hip.hipMemAdvise(p, n, hip.hipMemoryAdvise.hipMemAdviseSetCoarseGrain, 1);" },
};

/* tests/fixes/headers compiles these lines. */
static void advice_is_written_for_the_release(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(advices); i++) {
		const struct advice *advice = &advices[i];
		struct source_frame frame = { .file = (char *)advice->file };
		bool python = advice->file && g_str_has_suffix(advice->file, ".py");
		char *fix = g_strdup_printf(
		    "insert: hipMemAdvise(p, n, hipMemAdviseSetCoarseGrain, " FIX_DEVICE ");", 1);

		fix_advise_in(&fix, python ? LANGUAGE_PYTHON : fix_language(&frame),
			      advice->version);
		assert_string_equal(fix, advice->expected);
		g_free(fix);
	}
	assert_int_equal(fix_language(NULL), LANGUAGE_CPP);
}

/* ---- what helps ---- */

static struct atomic_source source;

static void is(const char *arch, int clang, bool amd, enum isa_op op, enum code_operation operation,
	       enum atomic_construct construct, const char *name)
{
	source = (struct atomic_source){ .arch = (char *)arch,
					 .clang = clang,
					 .amd = amd,
					 .op = op,
					 .operation = (int)operation,
					 .construct = construct,
					 .name = (char *)name };
}

static void text_is(char *text, const char *expected)
{
	equal_or_null(text, expected, "fix");
	g_free(text);
}

static void loops(void **state)
{
	(void)state;
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_ATOMIC, "atomicAdd");
	text_is(atomic_loop_text(&source, NULL), "compile with -mno-unsafe-fp-atomics");
	is("gfx90a", 17, true, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_UNSAFE, "unsafeAtomicAdd");
	text_is(
	    atomic_loop_text(&source, "k.hip:5"),
	    "write safeAtomicAdd instead of unsafeAtomicAdd at k.hip:5, which no option changes");
	/* safeAtomicAdd is the instruction itself with HIP 7.2, and float's with HIP 6.4 by option.
	 */
	is("gfx90a", 22, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_UNSAFE, "unsafeAtomicAdd");
	text_is(
	    atomic_loop_text(&source, NULL),
	    "write [[clang::atomic(fine_grained_memory)]] { __hip_atomic_fetch_add(p, v, "
	    "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } instead of unsafeAtomicAdd, which no "
	    "option changes");
	is("gfx90a", 21, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_SAFE, "safeAtomicAdd");
	text_is(atomic_loop_text(&source, NULL),
		"compile with -mno-unsafe-fp-atomics -fatomic-fine-grained-memory");
	is("gfx1100", 17, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_UNSAFE, "unsafeAtomicAdd");
	text_is(atomic_loop_text(&source, NULL), "compile with -mno-unsafe-fp-atomics");
	/* AMD's clang 19 and 20, and a compiler that is not known. */
	is("gfx90a", 20, true, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_ATOMIC, "atomicAdd");
	text_is(atomic_loop_text(&source, NULL),
		"compile with -mno-unsafe-fp-atomics (clang before 21) or compile with "
		"-mno-unsafe-fp-atomics -fatomic-fine-grained-memory (clang 21 and later)");
	is("gfx90a", 0, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_ATOMIC, "atomicAdd");
	text_is(atomic_loop_text(&source, NULL),
		"compile with -mno-unsafe-fp-atomics (clang before 21) or compile with "
		"-mno-unsafe-fp-atomics -fatomic-fine-grained-memory (clang 21 and later)");
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_UNKNOWN, NULL);
	text_is(atomic_loop_text(&source, NULL),
		"where the source has atomicAdd, compile with -mno-unsafe-fp-atomics; where it has "
		"unsafeAtomicAdd, write safeAtomicAdd instead of unsafeAtomicAdd, which no option "
		"changes");
	/* No GPU of the table. */
	is("gfx1200", 17, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_ATOMIC, "atomicAdd");
	text_is(atomic_loop_text(&source, NULL),
		"write a loop around atomicCAS instead of atomicAdd");
	source.operation = -1;
	text_is(atomic_loop_text(&source, NULL), "write the update as a loop around atomicCAS");
}

static void loops_of_integers(void **state)
{
	(void)state;
	is("gfx90a", 17, false, ISA_OP_MAX, CODE_INT_MINMAX, CONSTRUCT_ATOMIC, "atomicMax");
	text_is(atomic_loop_text(&source, NULL), "write atomicMax_system instead of atomicMax");
	/* HIP 5.2's atomicMax_system is the instruction. */
	is("gfx90a", 15, false, ISA_OP_MAX, CODE_INT_MINMAX, CONSTRUCT_ATOMIC, "atomicMax");
	text_is(atomic_loop_text(&source, NULL),
		"write a loop around atomicCAS instead of atomicMax");
	is("gfx90a", 21, false, ISA_OP_OR, CODE_INT_BITS, CONSTRUCT_ATOMIC, "atomicOr");
	text_is(atomic_loop_text(&source, NULL),
		"write a loop around atomicCAS instead of atomicOr");
}

static void instructions(void **state)
{
	(void)state;
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_ATOMIC, "atomicAdd");
	text_is(atomic_instruction_text(&source, NULL),
		"write unsafeAtomicAdd instead of atomicAdd, or compile with -munsafe-fp-atomics");
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_SAFE, "safeAtomicAdd");
	text_is(atomic_instruction_text(&source, NULL),
		"write unsafeAtomicAdd instead of safeAtomicAdd");
	/* unsafeAtomicAdd is a loop there, too, without the option. */
	is("gfx908", 15, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_UNSAFE, "unsafeAtomicAdd");
	text_is(atomic_instruction_text(&source, NULL), "compile with -munsafe-fp-atomics");
	is("gfx90a", 17, false, ISA_OP_MAX, CODE_F64_MINMAX, CONSTRUCT_ATOMIC, "atomicMax");
	text_is(atomic_instruction_text(&source, NULL),
		"write unsafeAtomicMax instead of atomicMax, or compile with -munsafe-fp-atomics");
	is("gfx90a", 15, false, ISA_OP_MIN, CODE_F64_MINMAX, CONSTRUCT_ATOMIC, "atomicMin");
	text_is(
	    atomic_instruction_text(&source, NULL),
	    "write __builtin_amdgcn_flat_atomic_fmin_f64((__attribute__((address_space(0))) double "
	    "*)p, v) instead of atomicMin");
	/* The program has a loop of its own: no function in it must be replaced. */
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_LOOP, "atomicCAS");
	text_is(atomic_instruction_text(&source, "k.hip:5"),
		"write unsafeAtomicAdd instead of the whole loop around atomicCAS at k.hip:5");
	is("gfx90a", 15, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_UNKNOWN, NULL);
	text_is(atomic_instruction_text(&source, "k.hip:5"),
		"where the source has atomicAdd, write unsafeAtomicAdd instead of atomicAdd at "
		"k.hip:5, or compile with -munsafe-fp-atomics; where it has a loop of its own, "
		"write unsafeAtomicAdd instead of the whole loop around a compare-and-swap at "
		"k.hip:5");
	/* clang 15 compiles the minimum of floats to one of integers: no fix is named. */
	is("gfx1030", 15, false, ISA_OP_MIN, CODE_F32_MINMAX, CONSTRUCT_ATOMIC, "atomicMin");
	text_is(atomic_instruction_text(&source, NULL), NULL);
	is("gfx1030", 19, false, ISA_OP_MIN, CODE_F32_MINMAX, CONSTRUCT_ATOMIC, "atomicMin");
	text_is(atomic_instruction_text(&source, NULL),
		"write __hip_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) "
		"instead of atomicMin, and compile with -munsafe-fp-atomics");
	is("gfx90a", 19, false, ISA_OP_ADD, CODE_F64_ADD, CONSTRUCT_OMP, NULL);
	source.omp = true;
	text_is(atomic_instruction_text(&source, NULL), NULL);
	is("gfx90a", 21, false, ISA_OP_ADD, CODE_F32_ADD, CONSTRUCT_OMP, NULL);
	source.omp = true;
	text_is(atomic_instruction_text(&source, NULL), "compile with -munsafe-fp-atomics");
}

static void look(const char *line, enum atomic_construct construct, const char *name,
		 const char *arguments)
{
	struct atomic_source *found = g_new0(struct atomic_source, 1);

	atomic_source_look(found, line);
	assert_int_equal(found->construct, construct);
	equal_or_null(found->name, name, line);
	equal_or_null(found->arguments, arguments, line);
	atomic_source_free(found);
}

static void constructs_in_lines(void **state)
{
	(void)state;
	look("unsafeAtomicAdd(total, f(x, y));", CONSTRUCT_UNSAFE, "unsafeAtomicAdd",
	     "total, f(x, y)");
	look("old = atomicMax(p, v);", CONSTRUCT_ATOMIC, "atomicMax", NULL);
	look("__hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
	     CONSTRUCT_FETCH, "__hip_atomic_fetch_add", NULL);
	look("__hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);",
	     CONSTRUCT_FETCH_SYSTEM, "__hip_atomic_fetch_add", NULL);
	look("__hip_atomic_fetch_add(p, v, order, scope);", CONSTRUCT_UNKNOWN,
	     "__hip_atomic_fetch_add", NULL);
	look("} while (!__atomic_compare_exchange_n(u, &old, want, false, 0, 0));", CONSTRUCT_LOOP,
	     "__atomic_compare_exchange_n", NULL);
	look("a ? atomicAdd(p, v) : unsafeAtomicAdd(p, v);", CONSTRUCT_UNKNOWN, NULL, NULL);
	look("ADD(total, x);", CONSTRUCT_UNKNOWN, NULL, NULL);
	look("my_atomicAdd(total, x);", CONSTRUCT_UNKNOWN, NULL, NULL);
	look("", CONSTRUCT_UNKNOWN, NULL, NULL);
	look(NULL, CONSTRUCT_UNKNOWN, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(advice_is_written_for_the_release),
		cmocka_unit_test(lines_are_understood_or_left_alone),
		cmocka_unit_test(loops),
		cmocka_unit_test(loops_of_integers),
		cmocka_unit_test(instructions),
		cmocka_unit_test(constructs_in_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
