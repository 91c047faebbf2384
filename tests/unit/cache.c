/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of analyses: what comes out is what went in, or nothing, whatever was done to its
 * files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/cache/cache.h"

static char base[64], folder[128];

static int begin(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/hipgrain-cache.XXXXXX");
	if (!mkdtemp(base))
		return -1;
	snprintf(folder, sizeof(folder), "%s/hipgrain/analysis", base);
	setenv("XDG_CACHE_HOME", base, 1);
	unsetenv("HIPGRAIN_CACHE_SIZE");
	return cache_open() ? -1 : 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	cache_close();
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command);
}

static struct cache_name name_of(const char *text)
{
	struct cache_name name;

	assert_true(cache_name(&name, text, "x", NULL));
	return name;
}

static void put(const char *text, const char *data)
{
	struct cache_name name = name_of(text);

	cache_put(&name, data, strlen(data));
}

/* Whether the entry of that text holds `data`; NULL: is not there. */
static void holds(const char *text, const char *data)
{
	struct cache_name name = name_of(text);
	size_t size;
	uint8_t *found = cache_get(&name, &size);

	if (!data) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(size, strlen(data));
	assert_memory_equal(found, data, size);
	free(found);
}

static char *path_of(const char *text)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name_of(text).text);
	return path;
}

/* Files in the directory, and their bytes. */
static unsigned count_files(off_t *bytes)
{
	DIR *list = opendir(folder);
	struct dirent *row;
	struct stat status;
	unsigned count = 0;

	*bytes = 0;
	assert_non_null(list);
	while ((row = readdir(list))) {
		if (*row->d_name == '.')
			continue;
		assert_int_equal(fstatat(dirfd(list), row->d_name, &status, 0), 0);
		*bytes += status.st_size;
		count++;
	}
	closedir(list);
	return count;
}

static void test_round(void **state)
{
	(void)state;
	holds("a", NULL);
	put("a", "one");
	put("b", "");
	holds("a", "one");
	holds("b", "");
	put("a", "another");
	holds("a", "another");
	cache_close();
	holds("a", NULL);
	put("c", "nowhere");
	assert_null(cache_open());
	holds("a", "another");
	holds("c", NULL);
}

static void test_names(void **state)
{
	struct cache_name one, other;

	(void)state;
	assert_true(cache_name(&one, "a", "bc", NULL));
	assert_true(cache_name(&other, "ab", "c", NULL));
	assert_string_not_equal(one.text, other.text);
	assert_true(cache_name(&other, "a", "bc", NULL));
	assert_string_equal(one.text, other.text);
}

static void test_private(void **state)
{
	struct stat status;

	(void)state;
	put("a", "one");
	assert_int_equal(stat(path_of("a"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(stat(folder, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
}

/* Every byte that is another one, and every length. */
static long peak_kib(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

static void test_damage(void **state)
{
	char data[400];
	long before = peak_kib();
	ssize_t size;
	int file;

	(void)state;
	mallopt(M_PERTURB, 0x55); /* what is allocated is written, and counts */
	put("a", "what was found");
	file = open(path_of("a"), O_RDONLY);
	size = read(file, data, sizeof(data));
	close(file);
	assert_in_range(size, 15, sizeof(data) - 1);
	for (ssize_t i = 0; i < 2 * size; i++) {
		char changed[400];
		struct cache_name name = name_of("a");
		size_t length = 0;
		uint8_t *found;

		memcpy(changed, data, sizeof(data));
		changed[i % size] = (char)(changed[i % size] ^ 0x10);
		file = open(path_of("a"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_int_equal(write(file, changed, (size_t)(i < size ? size : i - size)),
				 i < size ? size : i - size);
		close(file);
		found = cache_get(&name, &length);
		/* But for what is behind the name in its field. */
		if (found)
			assert_true(i < size && length == 14 &&
				    !memcmp(found, "what was found", 14));
		else
			assert_int_equal(access(path_of("a"), F_OK), -1);
		free(found);
	}
	/* A damaged size takes no memory. */
	assert_in_range(peak_kib() - before, 0, 64 << 10);
	put("a", "again");
	holds("a", "again");
}

/* The contents of one entry under the name of another. */
static void test_swapped(void **state)
{
	char from[256];

	(void)state;
	put("a", "of a");
	put("b", "of b");
	strcpy(from, path_of("a"));
	assert_int_equal(rename(from, path_of("b")), 0);
	holds("b", NULL);
}

static void test_links(void **state)
{
	(void)state;
	put("a", "of a");
	assert_int_equal(symlink("/etc/passwd", path_of("b")), 0);
	holds("b", NULL);
	assert_int_equal(mkfifo(path_of("c"), 0600), 0);
	holds("c", NULL);
	assert_int_equal(mkdir(path_of("d"), 0700), 0);
	holds("d", NULL);
	put("d", "is in the way");
	holds("d", NULL);
	holds("a", "of a");
}

static void test_others(void **state)
{
	(void)state;
	put("a", "of a");
	assert_int_equal(chmod(folder, 0770), 0);
	assert_non_null(cache_open());
	assert_false(cache_usable());
	holds("a", NULL);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_null(cache_open());
	holds("a", "of a");
	if (geteuid())
		return; /* nobody else's directories can be made */
	assert_int_equal(chown(path_of("a"), 65534, 65534), 0);
	holds("a", NULL);
	assert_int_equal(chown(folder, 65534, 65534), 0);
	assert_non_null(cache_open());
	assert_false(cache_usable());
}

static void test_settings(void **state)
{
	(void)state;
	setenv("HIPGRAIN_CACHE_SIZE", "12x", 1);
	assert_non_null(cache_open());
	assert_false(cache_usable());
	setenv("HIPGRAIN_CACHE_SIZE", "0", 1);
	assert_null(cache_open());
	assert_false(cache_usable());
	unsetenv("HIPGRAIN_CACHE_SIZE");
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	assert_null(cache_open());
	assert_false(cache_usable());
}

/* Of the most bytes no more than an eighth are too many, and the latest are there. */
static void test_limit(void **state)
{
	enum { ENTRIES = 64, SIZE = 64 << 10, LARGE = (1 << 18) + 1 };
	static char data[LARGE + 1];
	uint32_t state_of = 1;
	struct cache_name name;
	char text[16];
	off_t bytes;

	(void)state;
	setenv("HIPGRAIN_CACHE_SIZE", "1", 1);
	assert_null(cache_open());
	for (int i = 0; i < LARGE; i++) { /* nothing makes this shorter */
		state_of = state_of * 1664525u + 1013904223u;
		data[i] = (char)(1 + (state_of >> 24) % 255);
	}
	data[SIZE] = 0;
	for (int i = 0; i < ENTRIES; i++) {
		const struct timespec times[2] = { { i + 1000000, 0 }, { i + 1000000, 0 } };

		snprintf(text, sizeof(text), "%d", i);
		put(text, data);
		assert_int_equal(utimensat(AT_FDCWD, path_of(text), times, 0), 0);
	}
	assert_in_range(count_files(&bytes), 8, 20);
	assert_in_range(bytes, 1 << 19, (1 << 20) + (1 << 18));
	holds("63", data);
	holds("0", NULL);
	/* One that is as large as a quarter is none. */
	name = name_of("large");
	cache_put(&name, data, LARGE);
	holds("large", NULL);
}

/* What repeats itself takes little room. */
static void test_repeats(void **state)
{
	enum { SIZE = 4 << 20 };
	static char data[SIZE + 1];
	off_t bytes;

	(void)state;
	for (int i = 0; i < SIZE; i++)
		data[i] = "what was found "[i % 15];
	setenv("HIPGRAIN_CACHE_SIZE", "1", 1);
	assert_null(cache_open());
	put("a", data);
	holds("a", data);
	assert_int_equal(count_files(&bytes), 1);
	assert_in_range(bytes, 1, SIZE / 100);
}

/* What a writer left behind that was killed. */
static void test_abandoned(void **state)
{
	const struct timespec times[2] = { { 1000000, 0 }, { 1000000, 0 } };
	char old[256], young[256];

	(void)state;
	snprintf(old, sizeof(old), "%s/new-1-2-3", folder);
	snprintf(young, sizeof(young), "%s/new-4-5-6", folder);
	close(open(old, O_WRONLY | O_CREAT, 0600));
	close(open(young, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
	put("a", "one");
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(access(young, F_OK), 0);
}

static void test_no_room(void **state)
{
	struct rlimit limit = { 10, RLIM_INFINITY };
	pid_t child = fork();
	int status;
	off_t bytes;

	(void)state;
	if (!child) {
		struct cache_name name = name_of("a");

		setrlimit(RLIMIT_FSIZE, &limit);
		cache_put(&name, "of a", 4);
		_exit(7);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(count_files(&bytes), 0);
}

/* Processes that write, read and delete the same entries at the same time. */
static void test_together(void **state)
{
	enum { PROCESSES = 6, ROUNDS = 300, SIZE = 100000 };
	pid_t child[PROCESSES];
	int status;

	(void)state;
	setenv("HIPGRAIN_CACHE_SIZE", "1", 1);
	assert_null(cache_open());
	for (int p = 0; p < PROCESSES; p++) {
		child[p] = fork();
		if (child[p])
			continue;
		for (int i = 0; i < ROUNDS; i++) {
			char text[2] = { (char)('a' + (i * 7 + p) % 20) };
			struct cache_name name = name_of(text);
			size_t size;
			uint8_t *data = cache_get(&name, &size);

			if (data && (size != SIZE || data[0] != (uint8_t)*text ||
				     memcmp(data, data + 1, SIZE - 1) != 0))
				_exit(1);
			free(data);
			data = malloc(SIZE);
			memset(data, *text, SIZE);
			cache_put(&name, data, SIZE);
			free(data);
		}
		_exit(0);
	}
	for (int p = 0; p < PROCESSES; p++) {
		assert_int_equal(waitpid(child[p], &status, 0), child[p]);
		assert_int_equal(status, 0);
	}
}

static void test_build(void **state)
{
	char here[512], there[512];

	(void)state;
	assert_true(cache_build_of((const void *)(uintptr_t)test_build, here, sizeof(here)));
	assert_true(cache_build_of((const void *)(uintptr_t)strlen, there, sizeof(there)));
	assert_string_not_equal(here, there);
	assert_false(cache_build_of(NULL, here, sizeof(here)));
}

/* A forked process closed it, and has another directory under its number. */
static void test_number(void **state)
{
	struct stat ours, other;
	int fd = 3, elsewhere;

	(void)state;
	assert_int_equal(stat(folder, &ours), 0);
	while (fstat(fd, &other) || other.st_dev != ours.st_dev || other.st_ino != ours.st_ino)
		assert_true(++fd < 1024);
	elsewhere = open(base, O_RDONLY | O_DIRECTORY);
	assert_int_equal(dup2(elsewhere, fd), fd);
	close(elsewhere);
	put("a", "kept");
	assert_false(cache_usable());
	holds("a", NULL);
	cache_close();
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	close(fd);
	put("b", "kept"); /* not there either */
	assert_int_equal(rmdir(folder), 0);
	snprintf(folder, sizeof(folder), "%s/hipgrain", base);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(base), 0); /* both are empty but for that */
	assert_int_equal(mkdir(base, 0700), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_round),   TEST(test_names),     TEST(test_private), TEST(test_damage),
		TEST(test_swapped), TEST(test_links),     TEST(test_others),  TEST(test_settings),
		TEST(test_limit),   TEST(test_abandoned), TEST(test_no_room), TEST(test_together),
		TEST(test_build),   TEST(test_number),    TEST(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
