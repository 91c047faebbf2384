/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a recording is complete, by what its files say of processes that it does not have. */
#include <glib.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/completeness.h"
#include "tracer/missed.h"
#include "tracer/process_messages.h"
#include "tracer/witness.h"

static char *folder;
static struct recording_facts facts;
static struct completeness judged;

static void write_file(const char *name, const void *content, size_t size)
{
	char *path = g_build_filename(folder, name, NULL);

	assert_true(g_file_set_contents(path, content, (gssize)size, NULL));
	g_free(path);
}

static int begin(void **state)
{
	struct hg_missed_table table = { .magic = HG_MISSED_MAGIC };

	(void)state;
	folder = g_dir_make_tmp("hipgrain-completeness-XXXXXX", NULL);
	if (!folder)
		return -1;
	write_file(HG_MISSED, &table, sizeof(table));
	return 0;
}

static int end(void **state)
{
	static const char *const names[] = { HG_MISSED, HG_MESSAGES, HG_WITNESS };

	(void)state;
	completeness_clear(&judged);
	recording_facts_clear(&facts);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_build_filename(folder, names[i], NULL);

		unlink(path);
		g_free(path);
	}
	g_rmdir(folder);
	g_clear_pointer(&folder, g_free);
	return 0;
}

/* Of a bundle that has no trace, no counts and only these files. */
static void judge(void)
{
	struct reader_stats stats = { 0 };

	facts = (struct recording_facts){ .manifest = true, .ended = true, .bundle = true };
	recording_missed_read(&facts, folder);
	completeness_judge(&judged, &stats, &facts);
}

static const char *reason(guint which)
{
	return judged.reasons->pdata[which];
}

static unsigned reasons_with(const char *text)
{
	unsigned found = 0;

	for (guint i = 0; i < judged.reasons->len; i++)
		found += strstr(reason(i), text) != NULL;
	return found;
}

static void nothing_missed(void **state)
{
	struct hg_missed_table table = { .magic = HG_MISSED_MAGIC };

	(void)state;
	/* Executing it failed: it was taken back. */
	table.rows[0] = (struct hg_missed_row){ .state = HG_MISSED_READY,
						.why = HG_MISSED_STATIC,
						.program = "absent" };
	write_file(HG_MISSED, &table, sizeof(table));
	judge();
	assert_int_equal(judged.status, RECORDING_COMPLETE);
	assert_int_equal(judged.reasons->len, 0);
}

static void no_files(void **state)
{
	char *path = g_build_filename(folder, HG_MISSED, NULL);

	(void)state;
	unlink(path);
	g_free(path);
	judge();
	assert_int_equal(judged.status, RECORDING_UNKNOWN);
	assert_int_equal(judged.reasons->len, 1);
	assert_non_null(strstr(reason(0), "'" HG_MISSED "' is missing or damaged"));
}

static void judge_interrupted(const struct reader_stats *stats, bool ended)
{
	facts = (struct recording_facts){ .manifest = true, .ended = ended, .bundle = true };
	completeness_judge(&judged, stats, &facts);
}

static void nothing_but_the_end_is_missing(void **state)
{
	struct reader_stats stats = { 0 };

	(void)state;
	judge_interrupted(&stats, false);
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_true(judged.cut_short);
}

static void more_than_the_end_is_missing(void **state)
{
	struct reader_stats stats = { .lost = 3 };

	(void)state;
	judge_interrupted(&stats, false);
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_false(judged.cut_short);
}

static void there_is_an_end(void **state)
{
	struct reader_stats stats = { 0 };

	(void)state;
	judge_interrupted(&stats, true);
	assert_false(judged.cut_short);
}

static void processes_missed(void **state)
{
	struct hg_missed_table table = { .magic = HG_MISSED_MAGIC, .others = 7 };

	(void)state;
	table.rows[0] = (struct hg_missed_row){ .state = HG_MISSED_READY,
						.why = HG_MISSED_STATIC,
						.pid = 12,
						.count = 3000,
						.program = "busybox" };
	table.rows[9] = (struct hg_missed_row){ .state = HG_MISSED_READY,
						.why = HG_MISSED_RIGHTS,
						.pid = 13,
						.count = 1,
						.program = "su" };
	write_file(HG_MISSED, &table, sizeof(table));
	judge();
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_int_equal(judged.reasons->len, 3);
	assert_string_equal(reason(0), "3000 processes were not recorded (process 12 first): "
				       "busybox is statically linked");
	assert_non_null(strstr(reason(1), "process 13 was not recorded: su gets rights"));
	assert_string_equal(reason(2), "7 more processes were not recorded");
}

static void every_reason(void **state)
{
	struct hg_missed_table table = { .magic = HG_MISSED_MAGIC };

	(void)state;
	for (uint32_t why = HG_MISSED_NOT; why <= HG_MISSED_KINDS; why++) {
		table.rows[why] = (struct hg_missed_row){
			.state = HG_MISSED_READY, .why = why, .pid = 1, .count = 1, .program = "a"
		};
	}
	write_file(HG_MISSED, &table, sizeof(table));
	judge();
	/* What is no reason, and what this version does not know, are further processes. */
	assert_int_equal(judged.reasons->len, HG_MISSED_KINDS);
	assert_int_equal(reasons_with("more process"), 1);
}

/* Any process may have written it. */
static void hostile_table(void **state)
{
	struct hg_missed_table table = { .magic = HG_MISSED_MAGIC };

	(void)state;
	table.rows[0] = (struct hg_missed_row){
		.state = HG_MISSED_READY, .why = HG_MISSED_MUSL, .pid = 1, .count = UINT64_MAX
	};
	memset(table.rows[0].program, '\033', HG_MISSED_PROGRAM);
	table.rows[1] = (struct hg_missed_row){ .state = 77, .why = HG_MISSED_MUSL, .count = 1 };
	write_file(HG_MISSED, &table, sizeof(table));
	judge();
	assert_int_equal(judged.reasons->len, 2);
	assert_int_equal(reasons_with("more process"), 1);
	assert_int_equal(reasons_with("\033"), 0);
}

static void table_that_is_none(void **state)
{
	struct hg_missed_table table = { .others = 5 };
	char *path = g_build_filename(folder, HG_MESSAGES, NULL);

	(void)state;
	write_file(HG_MISSED, &table, sizeof(table));
	assert_int_equal(mkfifo(path, 0600), 0);
	g_free(path);
	judge();
	assert_int_equal(judged.status, RECORDING_UNKNOWN);
	assert_int_equal(facts.messages->len, 0);
}

static void messages(void **state)
{
	static const char lines[] =
	    "12 make: host memory is not recorded: \033[31mX\n"
	    "13 cc: host memory is not recorded: \033[31mX\n"
	    "0 : nothing is recorded: the program was built with AddressSanitizer\n"
	    "no line of ours\n"
	    "15 x: nothing is recorded: no memory\n"
	    "16 x: nothing is recorded: no memory\n"
	    "17 y: cut";

	(void)state;
	write_file(HG_MESSAGES, lines, sizeof(lines) - 1);
	judge();
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_int_equal(judged.reasons->len, 2);
	assert_non_null(strstr(reason(0), "built with AddressSanitizer"));
	assert_string_equal(reason(1),
			    "2 processes were not recorded (process 15 first): x: no memory");
	assert_int_equal(facts.messages->len, 2);
	assert_string_equal(
	    facts.messages->pdata[0],
	    "process 12 (make) and 1 more: host memory is not recorded: \\x1b[31mX");
	assert_string_equal(facts.messages->pdata[1], "process 17 (y): cut");
}

/* Calls of HIP are all there then, in their order. */
static void an_allocator_ahead(void **state)
{
	static const char lines[] = "12 a: " HG_MESSAGE_HOST_MEMORY ": the program has a malloc()\n"
				    "13 b: the kernels of one are not recorded\n";

	(void)state;
	write_file(HG_MESSAGES, lines, (size_t)(strchr(lines, '\n') - lines) + 1);
	judge();
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_true(judged.only_host);
	completeness_clear(&judged);
	recording_facts_clear(&facts);
	write_file(HG_MESSAGES, lines, sizeof(lines) - 1);
	judge();
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_false(judged.only_host);
}

static void calls_that_a_process_does_not_record(void **state)
{
	static const char line[] =
	    "12 a: more than 256 queues: the kernels of one are not recorded\n";

	(void)state;
	write_file(HG_MESSAGES, line, sizeof(line) - 1);
	judge();
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_string_equal(reason(0),
			    "process 12 (a): more than 256 queues: the kernels of one are "
			    "not recorded");
}

static void many_messages(void **state)
{
	GString *lines = g_string_new(NULL);

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		g_string_append_printf(lines, "%u a: message %u\n", i + 1, i);
	write_file(HG_MESSAGES, lines->str, lines->len);
	g_string_free(lines, TRUE);
	judge();
	assert_int_equal(judged.status, RECORDING_COMPLETE);
	assert_in_range(facts.messages->len, 1, 32);
}

/* Others counted kernels that the recording does not have. */
static void kernels_that_nobody_recorded(void **state)
{
	struct hg_witness_table table = { .magic = HG_WITNESS_MAGIC, .others = 2 };
	struct reader_stats stats = { .counts = counts_new() };
	struct hg_event launch = { .type = HG_EVENT_launch }, device = { .type = HG_EVENT_device };

	(void)state;
	table.rows[0] = (struct hg_witness_row){ .pid = 12, .kernels = 3, .program = "solver" };
	table.rows[1] = (struct hg_witness_row){ .pid = 13, .kernels = 1, .program = "quiet" };
	table.rows[2] = (struct hg_witness_row){ .pid = 14, .program = "none" };
	launch.pid = 12;
	for (unsigned i = 0; i < 2; i++)
		counts_event(stats.counts, &launch);
	launch.pid = 13;
	counts_event(stats.counts, &launch);
	table.rows[3] = (struct hg_witness_row){ .pid = 15, .queues = 2, .program = "below" };
	table.rows[4] = (struct hg_witness_row){ .pid = 16, .queues = 1, .program = "copies" };
	device.pid = 16;
	counts_event(stats.counts, &device);
	write_file(HG_WITNESS, &table, sizeof(table));
	facts = (struct recording_facts){
		.manifest = true, .ended = true, .bundle = true, .compared = true
	};
	recording_missed_read(&facts, folder);
	completeness_judge(&judged, &stats, &facts);
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_int_equal(judged.reasons->len, 4); /* and that no process left a count */
	assert_string_equal(reason(1),
			    "process 12 (solver): the GPU began 3 kernels, of which 2 are in the "
			    "recording: the other was launched in a way that is not recorded");
	assert_string_equal(reason(2),
			    "process 15 (below): the driver had 2 queues of it, and no call "
			    "of HIP or HSA is in the recording");
	assert_non_null(strstr(reason(3), "the GPU began 2 kernels, of which 0"));
	/* Nobody knows how many a part should have. */
	completeness_clear(&judged);
	facts.compared = false;
	completeness_judge(&judged, &stats, &facts);
	assert_int_equal(judged.reasons->len, 0);
	counts_free(stats.counts);
}

static void what_the_trace_says_it_lacks(void **state)
{
	GPtrArray *unseen = g_ptr_array_new();
	struct reader_stats stats = { 0 };

	(void)state;
	g_ptr_array_add(unseen, (gpointer) "process 1: it bypasses");
	facts = (struct recording_facts){
		.manifest = true, .ended = true, .bundle = true, .unseen = unseen
	};
	completeness_judge(&judged, &stats, &facts);
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_string_equal(reason(0), "process 1: it bypasses");
	g_ptr_array_free(unseen, TRUE);
}

static void what_outlives_the_command(void **state)
{
	GPtrArray *running = g_ptr_array_new();
	struct reader_stats stats = { 0 };

	(void)state;
	facts = (struct recording_facts){
		.manifest = true, .ended = true, .bundle = true, .running = running
	};
	completeness_judge(&judged, &stats, &facts);
	assert_int_equal(judged.status, RECORDING_COMPLETE);
	assert_false(judged.only_later);
	completeness_clear(&judged);
	g_ptr_array_add(running, (gpointer) "process 12 (sleep)");
	completeness_judge(&judged, &stats, &facts);
	assert_int_equal(judged.status, RECORDING_INCOMPLETE);
	assert_true(judged.only_later);
	assert_string_equal(reason(0), "process 12 (sleep) was still running when the recording "
				       "ended: what it and its children do later is not in it");
	completeness_clear(&judged);
	stats.truncated = (char *)"it ends";
	completeness_judge(&judged, &stats, &facts);
	assert_false(judged.only_later);
}

static void silence_is_no_verdict(void **state)
{
	(void)state;
	assert_string_equal(recording_silence(RECORDING_COMPLETE, true), "");
	assert_string_equal(recording_silence(RECORDING_PARTIAL, true), "");
	assert_non_null(strstr(recording_silence(RECORDING_COMPLETE, false), "analysed"));
	assert_non_null(strstr(recording_silence(RECORDING_UNKNOWN, true), "unknown"));
	assert_non_null(strstr(recording_silence(RECORDING_INCOMPLETE, true), "incomplete"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_files, begin, end),
		cmocka_unit_test_setup_teardown(nothing_but_the_end_is_missing, begin, end),
		cmocka_unit_test_setup_teardown(what_outlives_the_command, begin, end),
		cmocka_unit_test_setup_teardown(more_than_the_end_is_missing, begin, end),
		cmocka_unit_test_setup_teardown(there_is_an_end, begin, end),
		cmocka_unit_test_setup_teardown(nothing_missed, begin, end),
		cmocka_unit_test_setup_teardown(processes_missed, begin, end),
		cmocka_unit_test_setup_teardown(every_reason, begin, end),
		cmocka_unit_test_setup_teardown(hostile_table, begin, end),
		cmocka_unit_test_setup_teardown(table_that_is_none, begin, end),
		cmocka_unit_test_setup_teardown(messages, begin, end),
		cmocka_unit_test_setup_teardown(an_allocator_ahead, begin, end),
		cmocka_unit_test_setup_teardown(calls_that_a_process_does_not_record, begin, end),
		cmocka_unit_test_setup_teardown(many_messages, begin, end),
		cmocka_unit_test_setup_teardown(kernels_that_nobody_recorded, begin, end),
		cmocka_unit_test_setup_teardown(what_the_trace_says_it_lacks, begin, end),
		cmocka_unit_test(silence_is_no_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
