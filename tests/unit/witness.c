/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the queues that the driver has of recorded processes, with a directory in the driver's
 * place.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/running.h"
#include "tracer/witness.h"

static char folder[] = "/tmp/hipgrain-witness-XXXXXX";
static int bundle;

/* Starts a process that ends with its standard input, in that recording. */
static pid_t start(const char *directory, int *input)
{
	char variable[256], *environment[] = { variable, NULL };
	char *arguments[] = { (char *)"cat", NULL };
	char path[64], text[16] = "";
	int ends[2];
	pid_t pid;

	snprintf(variable, sizeof(variable), "HIPGRAIN_DIR=%s", directory);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[0], 0);
		execve("/bin/cat", arguments, environment);
		_exit(127);
	}
	close(ends[0]);
	*input = ends[1];
	/* The environment is ours until exec(). */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	while (strcmp(text, "cat\n")) {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_non_null(fgets(text, sizeof(text), file));
		fclose(file);
	}
	return pid;
}

static void add_queues(pid_t pid, unsigned count)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/kfd/%d", folder, pid);
	mkdir(path, 0700);
	strcat(path, "/queues");
	mkdir(path, 0700);
	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/kfd/%d/queues/%u", folder, pid, i);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

static const struct hg_witness_row *row_of(const struct hg_witness_table *table, pid_t pid)
{
	for (unsigned i = 0; i < HG_WITNESS_ROWS; i++)
		if (table->rows[i].pid == pid)
			return &table->rows[i];
	return NULL;
}

static void test_queues(void **state)
{
	char kfd[64];
	int inputs[2];
	pid_t ours = start(folder, &inputs[0]), other = start("/elsewhere", &inputs[1]);
	struct hg_witness_table *table;

	(void)state;
	snprintf(kfd, sizeof(kfd), "%s/kfd", folder);
	assert_false(witness_look(bundle, folder, kfd)); /* there is no driver */
	assert_int_equal(mkdir(kfd, 0700), 0);
	assert_true(witness_look(bundle, folder, kfd));
	add_queues(ours, 3);
	add_queues(other, 1);
	assert_true(witness_look(bundle, folder, kfd));
	table = witness_start(folder);
	assert_non_null(table);
	assert_non_null(row_of(table, ours));
	assert_int_equal(row_of(table, ours)->queues, 3);
	assert_string_equal(row_of(table, ours)->program, "cat");
	assert_null(row_of(table, other));
	free(table);
	for (unsigned i = 0; i < 2; i++)
		close(inputs[i]);
	waitpid(ours, NULL, 0);
	waitpid(other, NULL, 0);
}

/* Kernels from before a recording began are not its own. */
static void test_since(void **state)
{
	struct hg_witness_table *table, *start;
	char path[64];
	int kept, file;

	(void)state;
	snprintf(path, sizeof(path), "%s/" HG_WITNESS, folder);
	file = open(path, O_RDWR);
	table = witness_start(folder);
	assert_non_null(table);
	hg_witness_row(table, 77)->kernels = 5;
	assert_int_equal(pwrite(file, table, sizeof(*table), 0), (ssize_t)sizeof(*table));
	start = witness_start(folder);
	hg_witness_row(table, 77)->kernels = 7;
	hg_witness_row(table, 78)->kernels = 9;
	assert_int_equal(pwrite(file, table, sizeof(*table), 0), (ssize_t)sizeof(*table));
	close(file);
	free(table);
	snprintf(path, sizeof(path), "%s/kept", folder);
	mkdir(path, 0700);
	kept = open(path, O_RDONLY | O_DIRECTORY);
	witness_keep(start, folder, (pid_t[]){ 77 }, 1, kept);
	table = witness_start(path);
	assert_non_null(table);
	assert_int_equal(row_of(table, 77)->kernels, 2);
	assert_int_equal(row_of(table, 78)->kernels, 0);
	free(table);
	close(kept);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	bundle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	witness_make(bundle);
	return bundle < 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void processes_that_run(void **state)
{
	struct running *list;
	int one_input, two_input, other_input;
	pid_t other = start("/elsewhere", &other_input);
	pid_t one = start(folder, &one_input), two = start(folder, &two_input);

	(void)state;
	assert_int_equal(running_wait(folder, 0, &list), 2);
	assert_int_equal(list[0].pid, one < two ? one : two);
	assert_string_equal(list[1].name, "cat");
	free(list);
	close(one_input);
	close(two_input);
	/* One that nobody waited for has ended. */
	assert_int_equal(running_wait(folder, 10000, &list), 0);
	free(list);
	close(other_input);
	waitpid(one, NULL, 0);
	waitpid(two, NULL, 0);
	waitpid(other, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_since),
		cmocka_unit_test(processes_that_run),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
