/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing and closing trees (tracer/tree.h) while somebody else exchanges a directory in them for
 * a symbolic link to a directory that must not be touched, as fast as the kernel can.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/tree.h"

#define KEPT   32  /* files that must stay */
#define ROUNDS 100 /* by paths, one of the first few touched what must stay */

static char base[] = "/tmp/hipgrain-tree-XXXXXX";
static atomic_bool ended;
static int top;

static void make_file(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
}

static void make_folder(int parent, const char *name, unsigned files)
{
	char text[16];
	int folder;

	assert_int_equal(mkdirat(parent, name, 0755), 0);
	folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder >= 0);
	for (unsigned i = 0; i < files; i++) {
		snprintf(text, sizeof(text), "%u", i);
		make_file(folder, text);
	}
	close(folder);
}

static unsigned count_kept(void)
{
	unsigned count = 0;
	struct stat status;
	char path[32];

	for (unsigned i = 0; i < KEPT; i++) {
		snprintf(path, sizeof(path), "kept/%u", i);
		count += fstatat(top, path, &status, 0) == 0 && (status.st_mode & 0777) == 0644;
	}
	return count;
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(base) || (top = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return -1;
	make_folder(top, "kept", KEPT);
	return symlinkat("../kept", top, "link");
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	close(top);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

/* Another user who may write to the directory above does this. */
static void *exchange(void *unused)
{
	(void)unused;
	while (!atomic_load(&ended))
		renameat2(top, "tree/d", top, "link", RENAME_EXCHANGE);
	return NULL;
}

static void make_tree(void)
{
	int tree;

	make_folder(top, "tree", 1);
	tree = openat(top, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_folder(tree, "d", KEPT); /* files of the same names as those that are kept */
	close(tree);
}

/* Whatever is left of the tree and the link, by names that nobody exchanges any more. */
static void clean(void)
{
	static const char *const names[] = { "tree", "link" };

	for (unsigned i = 0; i < 2; i++)
		if (unlinkat(top, names[i], 0) && errno != ENOENT)
			assert_int_equal(tree_remove(top, names[i]), 0);
	assert_int_equal(symlinkat("../kept", top, "link"), 0);
}

static void race(void (*function)(void))
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_t other;

		make_tree();
		atomic_store(&ended, false);
		assert_int_equal(pthread_create(&other, NULL, exchange, NULL), 0);
		function();
		atomic_store(&ended, true);
		pthread_join(other, NULL);
		assert_int_equal(count_kept(), KEPT);
		clean();
	}
}

static void remove_it(void)
{
	tree_remove(top, "tree"); /* it may say that somebody is at work there */
}

static void test_remove_in_race(void **state)
{
	(void)state;
	race(remove_it);
}

static void hide_it(void)
{
	int tree = tree_open(top, "tree");

	assert_true(tree >= 0);
	tree_hide(tree);
	close(tree);
}

static void test_hide_in_race(void **state)
{
	(void)state;
	race(hide_it);
}

static void test_remove(void **state)
{
	struct stat status;

	(void)state;
	make_tree();
	assert_int_equal(symlinkat("../../kept", top, "tree/d/link"), 0);
	assert_int_equal(mkfifoat(top, "tree/d/fifo", 0644), 0);
	assert_int_equal(tree_remove(top, "tree"), 0);
	assert_int_equal(fstatat(top, "tree", &status, 0), -1);
	assert_int_equal(count_kept(), KEPT);
	assert_int_equal(tree_remove(top, "tree"), -ENOENT);
	assert_true(tree_remove(top, "link") == -ENOTDIR || tree_remove(top, "link") == -ELOOP);
	assert_int_equal(count_kept(), KEPT);
}

static void test_hide(void **state)
{
	struct stat status;
	int tree;

	(void)state;
	make_tree();
	/* A second name of a file elsewhere, and things that are not opened. */
	assert_int_equal(linkat(top, "kept/0", top, "tree/d/other-name", 0), 0);
	assert_int_equal(symlinkat("../../kept/1", top, "tree/d/link"), 0);
	assert_int_equal(mkfifoat(top, "tree/d/fifo", 0644), 0);
	tree = tree_open(top, "tree");
	assert_true(tree >= 0);
	tree_hide(tree);
	assert_int_equal(tree_bytes(tree), 4 * (1 + KEPT + 1));
	close(tree);
	assert_int_equal(fstatat(top, "tree/d/5", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(fstatat(top, "tree/d", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(count_kept(), KEPT);
	clean();
}

/* All is looked at before anything is removed. */
static void test_too_deep(void **state)
{
	char command[64];
	int at, next;

	(void)state;
	make_tree();
	at = openat(top, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(mkdirat(at, "e", 0700), 0);
		next = openat(at, "e", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(at);
		at = next;
	}
	close(at);
	assert_int_equal(tree_remove(top, "tree"), -ELOOP);
	assert_int_equal(faccessat(top, "tree/d/0", F_OK, 0), 0);
	snprintf(command, sizeof(command), "rm -rf %s/tree", base);
	assert_int_equal(system(command), 0);
}

static void test_open_parent(void **state)
{
	char name[8];
	int fd;

	(void)state;
	assert_int_equal(tree_open_parent("/", name, sizeof(name)), -EINVAL);
	assert_int_equal(tree_open_parent("", name, sizeof(name)), -EINVAL);
	assert_int_equal(tree_open_parent("a/..", name, sizeof(name)), -EINVAL);
	assert_int_equal(tree_open_parent("/a/12345678", name, sizeof(name)), -ENAMETOOLONG);
	assert_int_equal(tree_open_parent("/does-not-exist/a", name, sizeof(name)), -ENOENT);
	fd = tree_open_parent("/tmp/a//", name, sizeof(name));
	assert_true(fd >= 0);
	assert_string_equal(name, "a");
	close(fd);
	fd = tree_open_parent("b", name, sizeof(name));
	assert_true(fd >= 0);
	assert_string_equal(name, "b");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remove_in_race), cmocka_unit_test(test_hide_in_race),
		cmocka_unit_test(test_remove),         cmocka_unit_test(test_hide),
		cmocka_unit_test(test_too_deep),       cmocka_unit_test(test_open_parent),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
