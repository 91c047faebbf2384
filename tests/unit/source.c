/* SPDX-License-Identifier: Apache-2.0 */
/* Which files lines of source are quoted from (analyzer/symbols/source.h), and text (text.h). */
#include <fcntl.h>
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/symbols/source.h"
#include "codeobj/text.h"

static char base[] = "/tmp/hipgrain-source-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(base) && chdir(base) == 0 && mkdir("in", 0755) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static void make(const char *name, const char *text, size_t size, mode_t mode)
{
	assert_true(g_file_set_contents(name, text, (gssize)size, NULL));
	assert_int_equal(chmod(name, mode), 0);
}

static unsigned lines(const char *name, const char *root)
{
	int64_t changed_ns;
	gsize length;
	char *content = source_content(name, root, &length, &changed_ns);
	char **list = content ? g_strsplit(content, "\n", -1) : g_new0(char *, 1);
	unsigned count = g_strv_length(list);

	assert_int_equal(changed_ns != 0, count != 0);
	assert_int_equal(length != 0, count != 0);
	g_strfreev(list);
	g_free(content);
	return count;
}

static void test_names(void **state)
{
	static const char *const sources[] = { "a.c", "a.HIP", "a.b.cpp", "a.f90", "a.cuh" };
	static const char *const others[] = { "shadow", "a.key", "a.pem", ".c", "a.", "id_rsa" };

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++) {
		make(sources[i], "one\ntwo", 7, 0644);
		assert_int_equal(lines(sources[i], NULL), 2);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
		make(others[i], "one\ntwo", 7, 0644);
		assert_int_equal(lines(others[i], NULL), 0);
	}
	assert_int_equal(lines("none.c", NULL), 0);
}

static void test_kinds(void **state)
{
	int fd;

	(void)state;
	make("target.c", "one\ntwo", 7, 0644);
	assert_int_equal(symlink("target.c", "link.c"), 0);
	assert_int_equal(lines("link.c", NULL), 0);
	/* Nobody writes to it: opened without O_NONBLOCK, it would wait for ever. */
	assert_int_equal(mkfifo("fifo.c", 0644), 0);
	assert_int_equal(lines("fifo.c", NULL), 0);
	assert_int_equal(mkdir("folder.c", 0755), 0);
	assert_int_equal(lines("folder.c", NULL), 0);
	make("zero.c", "one\0two\n", 8, 0644);
	assert_int_equal(lines("zero.c", NULL), 0);
	fd = open("large.c", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(fd, (off_t)20 << 30), 0);
	close(fd);
	assert_int_equal(lines("large.c", NULL), 0);
	make("empty.c", "", 0, 0644);
	assert_int_equal(lines("empty.c", NULL), 0);
}

static void test_owner(void **state)
{
	(void)state;
	make("own.c", "one", 3, 0600);
	assert_int_equal(lines("own.c", NULL), 1);
	if (geteuid() != 0)
		return;
	/* Root can read it, and others can't: the report is not to tell them. */
	assert_int_equal(chown("own.c", 65533, 65533), 0);
	assert_int_equal(lines("own.c", NULL), 0);
	assert_int_equal(chmod("own.c", 0604), 0);
	assert_int_equal(lines("own.c", NULL), 1);
}

static void test_root(void **state)
{
	(void)state;
	make("out.c", "one", 3, 0644);
	make("in/in.c", "one", 3, 0644);
	assert_int_equal(lines("in/in.c", "in"), 1);
	assert_int_equal(lines("in/in.c", "/"), 1);
	assert_int_equal(lines("out.c", "in"), 0);
	assert_int_equal(lines("in/../out.c", "in"), 0);
	assert_int_equal(lines("in/in.c", "i"), 0);
	assert_int_equal(lines("in/in.c", "none"), 0);
	/* By where it is: a directory in between may be a link. */
	assert_int_equal(symlink("..", "in/up"), 0);
	assert_int_equal(lines("in/up/out.c", "in"), 0);
}

static void shows(const char *text, const char *expected)
{
	char visible[128];

	text_copy_visible(visible, sizeof(visible), text);
	assert_string_equal(visible, expected);
}

static void test_text(void **state)
{
	char small[8], *line;

	(void)state;
	shows("plain \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	      "plain \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	shows("\033[31m\a\n\t\r\x7f", "\\x1b[31m\\x07\\n\\t\\r\\u007f");
	shows("\xc2\x9b"
	      "1m\xe2\x80\xae",
	      "\\u009b1m\\u202e");
	/* Overlong, a surrogate, past the last code point, an end too early. */
	shows("\xc0\x80\xed\xa0\x80\xf5\x80", "\\xc0\\x80\\xed\\xa0\\x80\\xf5\\x80");
	shows("a\xe2\x82", "a\\xe2\\x82");
	shows("\xf3\xa0\x80\x81", "\\udb40\\udc01");
	text_copy_visible(small, sizeof(small), "abcde\033f");
	assert_string_equal(small, "abcde");
	line = text_one_line("a\nb\rc\001d\033");
	assert_string_equal(line, "a\\nb\\rc\\x01d\033");
	free(line);
	assert_null(text_one_line(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_owner), cmocka_unit_test(test_root),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
