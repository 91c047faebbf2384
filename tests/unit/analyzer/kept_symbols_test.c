/* SPDX-License-Identifier: Apache-2.0 */
/* What a bundle keeps of symbols and sources is what is found there again
 * (analyzer/symbols/bundle_symbols.h). */
#include <glib.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/symbols/keeping.h"
#include "analyzer/symbols/bundle_symbols.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char *folder;

static int set_up(void **state)
{
	(void)state;
	folder = g_dir_make_tmp("hipgrain-kept-XXXXXX", NULL);
	return folder ? 0 : -1;
}

static int tear_down(void **state)
{
	char *command = g_strdup_printf("rm -rf '%s'", folder);
	int result = system(command);

	(void)state;
	g_free(command);
	g_free(folder);
	return result;
}

static struct kept *read_back(void)
{
	char *problem = NULL;
	struct kept *kept = kept_read(folder, &problem);

	assert_null(problem);
	assert_non_null(kept);
	return kept;
}

static void test_frames(void **state)
{
	struct source_frame inner = { (char *)"f(int)", (char *)"/s/a.c", 7, "/p", 0x10 },
			    outer = { (char *)"two\nlines", NULL, 0, "/p", 0x10 },
			    region = { (char *)"sum", (char *)"/s/o.c", 12, "/p", 0x20 };
	GPtrArray *frames = g_ptr_array_new();
	struct keeping *keeping = keeping_begin(folder);
	const struct source_frame *found;
	const GPtrArray *again;
	uint64_t offset;
	unsigned calls;
	struct kept *kept;

	(void)state;
	g_ptr_array_add(frames, &inner);
	g_ptr_array_add(frames, &outer);
	keeping_place(keeping, "/p", "b1", 0x10, frames);
	g_ptr_array_set_size(frames, 0);
	keeping_place(keeping, "/q", "", UINT64_MAX, frames);
	keeping_place(keeping, "/p", "b2", 0x10, frames);
	keeping_region(keeping, "/p", "b1", "_Z3sumv", &region, 2);
	keeping_jit(keeping, 5, 0x30, "compiled", 0x8);
	keeping_jit(keeping, 5, 0x30, "compiled", 0x8);
	assert_int_equal(keeping_end(keeping), 0);
	g_ptr_array_unref(frames);

	kept = read_back();
	again = kept_place(kept, "/p", "b1", 0x10);
	assert_int_equal(again->len, 2);
	found = again->pdata[0];
	assert_string_equal(found->function, "f(int)");
	assert_string_equal(found->file, "/s/a.c");
	assert_int_equal(found->line, 7);
	assert_string_equal(found->module, "/p");
	assert_int_equal(found->offset, 0x10);
	found = again->pdata[1];
	assert_string_equal(found->function, "two");
	assert_null(found->file);
	assert_int_equal(kept_place(kept, "/q", "", UINT64_MAX)->len, 0);
	/* Another build has other addresses. */
	assert_int_equal(kept_place(kept, "/p", "b2", 0x10)->len, 0);
	assert_null(kept_place(kept, "/p", "b3", 0x10));
	assert_null(kept_place(kept, "/p", "b1", 0x11));
	found = kept_region(kept, "/p", "b1", 0x20, "_Z3sumv", 12, &calls);
	assert_string_equal(found->function, "sum");
	assert_int_equal(calls, 2);
	assert_null(kept_region(kept, "/p", "b1", 0x20, "_Z3sumv", 13, &calls));
	assert_int_equal(calls, 0);
	assert_string_equal(kept_jit(kept, 5, 0x30, &offset), "compiled");
	assert_int_equal(offset, 8);
	assert_null(kept_jit(kept, 6, 0x30, &offset));
	kept_free(kept);
}

static void keep_source(const char *file, bool whole)
{
	struct keeping *keeping = keeping_begin(folder);

	keeping_source(keeping, file, whole);
	assert_int_equal(keeping_end(keeping), 0);
}

static void test_sources(void **state)
{
	char *file = g_build_filename(folder, "a.c", NULL), *content;
	const struct kept_source *source;
	struct kept *kept;

	(void)state;
	assert_true(g_file_set_contents(file, "int main;\n", -1, NULL));
	keep_source(file, false);
	kept = read_back();
	source = kept_source(kept, file);
	assert_non_null(source);
	assert_true(source->changed_ns > 0);
	assert_null(kept_content(kept, source));
	assert_null(kept_source(kept, "/s/b.c"));
	kept_free(kept);

	keep_source(file, true);
	kept = read_back();
	content = kept_content(kept, kept_source(kept, file));
	assert_string_equal(content, "int main;\n");
	g_free(content);
	kept_free(kept);
	g_free(file);
}

static void test_damage(void **state)
{
	static const struct {
		const char *rows, *problem; /* part of it; NULL: none */
	} files[] = {
		{ "end 0\n", NULL },
		{ "t x\no 1 0\na 10 1 0 3\nend 3\n", NULL },
		{ "", "cut off after line 1" },
		{ "t x\nend 2\n", "cut off after line 2" },
		{ "t x\nend 1\nmore\n", "cut off" },
		{ "t x\nend 1", "cut off" },
		{ "x\nend 1\n", "line 2 is damaged" },
		{ "a 10\nend 1\n", "line 2 is damaged" },
		{ "o 1 0\nend 1\n", "line 2 is damaged" },
		{ "t x\no 0 0\nend 2\n", "line 3 is damaged" },
		{ "t x\no 1 0\na 10 1 0\nend 3\n", "line 4 is damaged" },
		{ "t x\no 1 0\na 10 1 0 4294967296\nend 3\n", "line 4 is damaged" },
		{ "t x\no 1 0\na 10 -1 0 3\nend 3\n", "line 4 is damaged" },
		{ "t x\no 1 0\na 10000000000000000\nend 3\n", "line 4 is damaged" },
		{ "t x\nj -1 10 1 0\nend 2\n", "line 3 is damaged" },
		{ "t x\nt ../../etc/passwd\ns 1 2 5\nend 3\n", "line 4 is damaged" },
		{ "t x\nt " HASH "\ns 1 2 5\nend 3\n", NULL },
		{ "t x\nt " HASH "0\ns 1 2 5\nend 3\n", "line 4 is damaged" },
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = g_strconcat(KEPT_FORMAT "\n", files[i].rows, NULL), *problem;
		struct kept *kept = kept_parse(text, strlen(text), &problem);

		if (!problem != !files[i].problem ||
		    (problem && !strstr(problem, files[i].problem)))
			fail_msg("row %u: %s", i, problem ? problem : "nothing wrong");
		assert_true(!kept == !!problem);
		kept_free(kept);
		g_free(problem);
	}
}

static void test_format(void **state)
{
	char *problem;

	(void)state;
	assert_null(kept_parse(g_strdup("hipgrain-symbols/2\nend 0\n"), 25, &problem));
	assert_non_null(strstr(problem, "'hipgrain-symbols/2'; this version reads " KEPT_FORMAT));
	g_free(problem);
	assert_null(kept_parse(g_strdup("\033[31m\n"), 6, &problem));
	assert_null(strchr(problem, '\033'));
	g_free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
