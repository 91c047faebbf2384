/* SPDX-License-Identifier: Apache-2.0 */
/* Where a statement may follow a call (analyzer/symbols/statement.h). */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/symbols/statement.h"

/* Each source calls f(); the line that the debug information has for it is marked by "@". */
static const struct {
	const char *source, *place; /* "LINE", "LINE:COLUMN", or part of the obstacle */
} sources[] = {
	/* Blocks of functions. */
	{ "void g() {\n\tint n = 8;\n\tCHECK(f(&p, n));@\n}", "3" },
	{ "{\nf(&p, n);@\n}", "2" },
	{ "void g()\n{\n\tn = 8; // if\n\tf(&p, n); // the sum@\n}", "4" },
	{ "void g()\n{\n\tf(&p, n); /* the\n\tsum */@\n}", "obstacle: no call" },
	{ "void g()\n{\n\tf(&p, n); /* the@\n\tsum */\n}", "3:10" },
	{ "void g() {@ f(&p, n); }", "1:20" },
	{ "void g()\n{\n\tCHECK(f(&p,@\n\t  n));\n}", "4" },
	{ "void g()\n{\n\tCHECK(@\n\t  f(&p, n));\n}", "4" },
	{ "A::A(int n) noexcept : a(n), b{ n }, c{ 1 }\n{\n\tf(&p, n);@\n}", "3" },
	{ "struct A {\n\tint a{ 1 };\n  public:\n\tA() {\n\tf(&p, n);@\n\t}\n};", "5" },
	{ "template <class T = int> class A final : B<T> {\n\tT g() const {\n\tf(&p, n);@\n\t}\n};",
	  "3" },
	{ "struct A g() {\n\tf(&p, n);@\n}", "2" },
	{ "extern \"C\" void g() {\n\tf(&p, n);@\n}", "2" },
	{ "extern \"C\" {\nvoid g() {\n\tf(&p, n);@\n}\n}", "3" },
	{ "namespace a::b {\nauto g() -> A<int> {\n\tf(&p, n);@\n}\n}", "3" },
	{ "A &operator=(A &a) {\n\tf(&p, n);@\n}", "2" },
	{ "void g() {\n\tauto l = [&](int n) mutable -> A<int> {\n\tf(&p, n);@\n\t};\n}", "3" },
	{ "void g() {\n\tcall([=] {\n\tf(&p, n);@\n\t}, 1);\n}", "3" },
	{ "int *a = [] {\n\tf(&p, n);@\n\treturn p;\n}();", "2" },
	{ "void g() {\n\ta[0] = {1};\n\tif (a) {\n\t} else {\n\tf(&p, n);@\n\t}\n}", "5" },
	{ "void g() {\n\tswitch (n) {\n\tcase A::B: f(&p, n);@\n\t}\n}", "3" },
	{ "void g() {\n\tstruct A { int a; } b;\n\tf(&p, n);@\n}", "3" },
	{ "void g() {\n\tconst char *a = \"{\", b = '{', *c = R\"x({\")x\"; n = 1'000;\n\tf(&p, "
	  "n);@\n}",
	  "3" },
	{ "#define A {\\\n  {\nvoid g() {\n\tf(&p, n);@\n}", "4" },
	{ "void g() {\n#if A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\tf(&p, n);@\n\t}\n}", "7" },
	{ "void g() {\n\ta();\n#if A\n\tb();\n#elif B\n\tf(&p, n);@\n#endif\n}", "6" },
	{ "void g() {\n#pragma unroll\n\tf(&p, n);@\n}", "3" },
	/* Conditions that fail. */
	{ "void g() {\n\tif (f(&p, n)) {@\n\t\treturn;\n\t}\n}", "4" },
	{ "void g() {\n\tif ((e = f(&p, n)) != hipSuccess)@\n\t\treturn;\n}", "3" },
	{ "void g() {\n\tif (f(&p, n) == hipSuccess) {@\n\t\tuse(p);\n\t}\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (!f(&p, n)) {@\n\t\tuse(p);\n\t}\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (f(&p, n)) {@\n\t} else {\n\t\tuse(p);\n\t}\n}", "obstacle: 'else'" },
	{ "void g() {\n\tif (a || f(&p, n)) {@\n\t}\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (b)\n\t\tif (f(&p, n)) return;@\n}", "obstacle: 'if'" },
	/* Not always, or not only then. */
	{ "void g() {\n\tif (n)\n\t\tf(&p, n);@\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (n) // so many\n\t\tf(&p, n);@\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (n) f(&p, n);@ else h();\n}", "obstacle: 'if'" },
	{ "void g() {\n\tif (n) {\n\t} else f(&p, n);@\n}", "obstacle: 'else'" },
	{ "void g() {\n\twhile (n) f(&p, n);@\n}", "obstacle: 'while'" },
	{ "void g() {\n\tfor (int n = 8; f(&p, n);) {@\n\t}\n}", "obstacle: 'for'" },
	{ "void g() {\n\tFOREACH(a)\n\t\tf(&p, n);@\n}", "obstacle: follows FOREACH(...)" },
	{ "void g() {\n#pragma omp single\n\tf(&p, n);@\n}", "obstacle: #pragma" },
	{ "void g() {\n#  pragma  omp single\n\tf(&p, n);@\n}", "obstacle: #pragma" },
	{ "void g() {\n\tif (n)\n#if A\n\t\tf(&p, n);@\n#endif\n}", "obstacle: 'if'" },
	{ "void g() {\n\tf(&p,@\n#if A\n\t\tn\n#endif\n\t);\n}", "obstacle: directive" },
	{ "void g() {\n\treturn f(&p, n);@\n}", "obstacle: 'return'" },
	{ "void g() {\n\tstatic int e = f(&p, n);@\n}", "obstacle: 'static'" },
	{ "void g() {\n\te = a ? f(&p, n) : 0;@\n}", "obstacle: depends" },
	{ "void g() {\n\te = a && f(&p, n);@\n}", "obstacle: depends" },
	{ "void g() {\n\tint a[] = { f(&p, n) };@\n}", "obstacle: initialiser" },
	{ "void g() {\n\tA a{ f(&p, n) };@\n}", "obstacle: initialiser" },
	{ "void g() {\n\tTHEN(f(&p, n)) use(p);@\n}", "obstacle: goes on" },
	{ "void g() {\n\tTHEN(f(&p, n)) {@\n\tuse(p);\n\t}\n}", "obstacle: " },
	{ "void g() {\n\tf(&p, n), use(p);@\n}", "obstacle: goes on" },
	{ "void g() {\n\te = f(&p, n) == 0 && use(p);@\n}", "obstacle: goes on" },
	{ "void g() {\n\tassert(f(&p, n) == 0 && \"text\");@\n}", "2" },
	{ "#define A if (a) { \\\r\n  else {\r\nvoid g() {\r\n\tf(&p, n); // the sum\r@\n}", "4" },
	/* Not in a function. */
	{ "int e = f(&p, n);@", "obstacle: outside" },
	{ "struct A {\n\tint e = f(&p, n);@\n};", "obstacle: outside" },
	{ "struct A : B {\n\tA() : e(f(&p, n)) {@\n\t}\n};", "obstacle: outside" },
	{ "namespace {\nint e = f(&p, n);@\n}", "obstacle: outside" },
	{ "#define A f(&p, n);@\n", "obstacle: no call" },
	/* Which one, or none. */
	{ "void g() {\n\tf(&p, n); f(&q, n);@\n}", "obstacle: several times" },
	{ "void g() {\n\tmy_f(&p, n);@\n}", "obstacle: no call" },
	{ "void g() {\n\t// f(&p, n);@\n}", "obstacle: no call" },
	{ "void g() {\n\tf(&p, \"f(&p, n)\");@\n}", "2" },
	/* No source of such a language. */
	{ "void g() {\n\tf(&p, n;@\n}", "obstacle: not found" },
	{ "})]};;; f(&p, n);@", "obstacle: outside" },
	{ "@", "obstacle: no call" },
};

static char *place_of(const struct statement *statement)
{
	if (statement->obstacle)
		return g_strconcat("obstacle: ", statement->obstacle, NULL);
	return statement->column ? g_strdup_printf("%u:%u", statement->line, statement->column)
				 : g_strdup_printf("%u", statement->line);
}

static bool is_expected(const char *place, const char *expected)
{
	static const char prefix[] = "obstacle: ";

	if (!g_str_has_prefix(expected, prefix))
		return strcmp(place, expected) == 0;
	return g_str_has_prefix(place, prefix) && strstr(place, expected + strlen(prefix));
}

static void statements_may_follow(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		char **parts = g_strsplit(sources[i].source, "@", 2);
		char *source = g_strjoinv("", parts), **lines = g_strsplit(source, "\n", -1),
		     *place;
		struct statement statement;
		unsigned line = 1;

		for (const char *at = parts[0]; *at; at++)
			line += *at == '\n';
		statement = statement_of_call(lines, line, "f");
		place = place_of(&statement);
		if (!is_expected(place, sources[i].place))
			fail_msg("%s instead of %s: %s", place, sources[i].place, source);
		statement_clear(&statement);
		g_free(place);
		g_strfreev(lines);
		g_free(source);
		g_strfreev(parts);
	}
}

/* Whatever a file holds, it is read to its end and not behind it. */
static void any_text_is_read(void **state)
{
	static const char letters[] = "(){}[]<>;:=,#\"'/*\\\n fiR=elsedo?&|-1";
	GRand *random = g_rand_new_with_seed(47);

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char text[48] = "", **lines;
		struct statement statement;

		for (unsigned k = 0; k < sizeof(text) - 1; k++)
			text[k] = letters[g_rand_int_range(random, 0, sizeof(letters) - 1)];
		memcpy(text + 20, "f(&p)", 5);
		lines = g_strsplit(text, "\n", -1);
		for (unsigned line = 1; line <= g_strv_length(lines); line++) {
			statement = statement_of_call(lines, line, "f");
			assert_true(statement.obstacle || statement.line >= line);
			statement_clear(&statement);
		}
		g_strfreev(lines);
	}
	g_rand_free(random);
}

static void the_call_is_one_line(void **state)
{
	char *lines[] = { "void g() {", "\tCHECK(f(&p, // the sum", "\t        n *", "8));", "}",
			  NULL };
	struct statement statement = statement_of_call(lines, 2, "f");

	(void)state;
	assert_string_equal(statement.call, "f(&p, n * 8)");
	assert_int_equal(statement.line, 4);
	statement_clear(&statement);
}

static void languages(void **state)
{
	(void)state;
	assert_true(is_c_source("/a.b/k.HIP") && is_c_source("k.c") && is_c_source("k.hpp"));
	assert_false(is_c_source("k.f90") || is_c_source("k.py") || is_c_source("/a.c/k"));
	assert_true(is_fortran_source("k.F90"));
	assert_false(is_fortran_source("k.c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_may_follow),
		cmocka_unit_test(any_text_is_read),
		cmocka_unit_test(the_call_is_one_line),
		cmocka_unit_test(languages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
