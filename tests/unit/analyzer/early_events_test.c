/* SPDX-License-Identifier: Apache-2.0 */
/* Early events: of several processes by time, with fields of other versions, and damaged files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/reader/early_events.h"
#include "tracer/batch_events.h"
#include "tracer/early_events.h"

/* `free` with a field that this version does not have; `later` is an event that it does not have;
 * `process` lacks most of its fields. */
static const char layout[] =
    "3 process uint32_t:ppid text:exe\n"
    "7 free uint16_t:api uint16_t:colour uint64_t:ptr\n"
    "8 batch uint32_t:number int32_t:thread uint64_t:begin uint64_t[]:records\n"
    "9 later text:what\n";

struct bytes {
	GByteArray *array;
	size_t entry;
};

static char *folder;

static void add(struct bytes *bytes, const void *data, size_t size)
{
	g_byte_array_append(bytes->array, data, (guint)size);
}

static void begin_entry(struct bytes *bytes, uint16_t type, uint64_t ns)
{
	struct hg_early_entry entry = { .type = type, .thread = 5, .ns = ns };

	bytes->entry = bytes->array->len;
	add(bytes, &entry, sizeof(entry));
}

static void end_entry(struct bytes *bytes)
{
	static const uint8_t zeros[8];
	struct hg_early_file *head;
	uint32_t size;

	add(bytes, zeros, -bytes->array->len % 8);
	size = (uint32_t)(bytes->array->len - bytes->entry);
	memcpy(bytes->array->data + bytes->entry, &size, sizeof(size));
	head = (void *)bytes->array->data;
	head->used = bytes->array->len - sizeof(*head);
}

static struct bytes begin_file(int32_t pid)
{
	struct hg_early_file head = { .magic = HG_EARLY_MAGIC, .pid = pid, .origin = 1000 };
	struct bytes bytes = { g_byte_array_new(), 0 };

	add(&bytes, &head, sizeof(head));
	return bytes;
}

static void add_process(struct bytes *bytes, uint64_t ns, const char *exe)
{
	uint32_t ppid = 77;

	begin_entry(bytes, 3, ns);
	add(bytes, &ppid, sizeof(ppid));
	add(bytes, exe, strlen(exe) + 1);
	end_entry(bytes);
}

static void add_free(struct bytes *bytes, uint64_t ns, uint64_t ptr)
{
	uint16_t api = 3, colour = 4;

	begin_entry(bytes, 7, ns);
	add(bytes, &api, sizeof(api));
	add(bytes, &colour, sizeof(colour));
	add(bytes, &ptr, sizeof(ptr));
	end_entry(bytes);
}

static void add_batch(struct bytes *bytes, uint64_t ns)
{
	uint32_t number = 9, count = 2;
	int32_t thread = 6;
	uint64_t begin = 3, records[2] = { (uint64_t)HG_RECORD_FREE << 56 | 0x1000, 7 };

	begin_entry(bytes, 8, ns);
	add(bytes, &number, sizeof(number));
	add(bytes, &thread, sizeof(thread));
	add(bytes, &begin, sizeof(begin));
	add(bytes, &count, sizeof(count));
	add(bytes, records, sizeof(records));
	end_entry(bytes);
}

static void write_file(const char *name, const void *data, size_t size)
{
	char *path = g_build_filename(folder, name, NULL);
	/*
	 * Writes in place: g_file_set_contents() waits for the disk, and so does ext4 if a file was
	 * emptied.
	 */
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(pwrite(file, data, size, 0), size);
	assert_int_equal(ftruncate(file, (off_t)size), 0);
	assert_int_equal(close(file), 0);
	g_free(path);
}

/* Processes 11 and 12. */
static void write_both(void)
{
	struct bytes one = begin_file(11), two = begin_file(12);

	add_process(&one, 10, "/one");
	add_free(&one, 30, 0x1000);
	add_batch(&one, 50);
	add_process(&two, 20, "/two\nlines");
	begin_entry(&two, 9, 25);
	add(&two, "x", 2);
	end_entry(&two);
	add_free(&two, 40, 0x2000);
	write_file("11-a", one.array->data, one.array->len);
	write_file("12-a", two.array->data, two.array->len);
	g_byte_array_free(one.array, TRUE);
	g_byte_array_free(two.array, TRUE);
}

static int set_up(void **state)
{
	(void)state;
	folder = g_dir_make_tmp("early-XXXXXX", NULL);
	write_file(HG_EARLY_LAYOUT, layout, strlen(layout));
	write_both();
	return !folder;
}

static int tear_down(void **state)
{
	static const char *const names[] = { HG_EARLY_LAYOUT, "11-a", "12-a" };

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_build_filename(folder, names[i], NULL);

		g_unlink(path);
		g_free(path);
	}
	g_rmdir(folder);
	g_free(folder);
	return 0;
}

/* Read all; each line is "PID TIME WHAT". */
static char *read_all(char **damage)
{
	struct early_events *events = early_events_open(folder, damage);
	struct event_queue *queue = event_queue_new();
	GString *lines = g_string_new(NULL);
	const struct early_event *early;

	while (events && (early = early_events_next(events))) {
		struct hg_event *event = event_queue_next(queue);
		struct hg_ev_batch batch;
		uint64_t *records;
		bool alias;

		memset(event, 0, sizeof(*event));
		g_string_append_printf(lines, "%d %d ", early->pid, (int)early->ns);
		switch (early_event_class(early)) {
		case EARLY_EVENT:
			event->type = early_event_type(early, &alias);
			if (!early_event_fill(queue, event, early))
				g_string_append(lines, "damaged\n");
			else if (event->type == HG_EVENT_process)
				g_string_append_printf(lines, "process %u '%s' '%s'\n",
						       event->process.ppid, event->process.exe,
						       event->process.cmdline);
			else if (event->type == HG_EVENT_free)
				g_string_append_printf(lines, "free %d %llx\n", event->free.api,
						       (unsigned long long)event->free.ptr);
			break;
		case EARLY_BATCH:
			if (early_event_batch(early, &batch, &records))
				g_string_append_printf(lines, "batch %u %d %u\n", batch.number,
						       batch.thread, batch.words);
			g_free(records);
			break;
		case EARLY_BATCH_OPEN:
		case EARLY_UNKNOWN:
			g_string_append(lines, "unknown\n");
			break;
		}
		early_events_take(events);
	}
	early_events_close(events);
	event_queue_free(queue);
	return g_string_free(lines, FALSE);
}

static void test_by_time(void **state)
{
	char *damage = NULL, *lines = read_all(&damage);

	(void)state;
	assert_null(damage);
	assert_string_equal(lines, "11 10 process 77 '/one' ''\n"
				   "12 20 process 77 '/two\\nlines' ''\n"
				   "12 25 unknown\n"
				   "11 30 free 3 1000\n"
				   "12 40 free 3 2000\n"
				   "11 50 batch 9 6 2\n");
	g_free(lines);
}

/* What is behind the damage is lost, and nothing else. */
static void test_damaged(void **state)
{
	char *path = g_build_filename(folder, "12-a", NULL), *data, *damage = NULL, *lines;
	static const uint32_t sizes[] = { 0, 8, 25, 1u << 20, UINT32_MAX };
	gsize size;

	(void)state;
	assert_true(g_file_get_contents(path, &data, &size, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		const struct hg_early_entry *first =
		    (const void *)(data + sizeof(struct hg_early_file));
		size_t second = sizeof(struct hg_early_file) + first->size;
		uint32_t kept;

		memcpy(&kept, data + second, sizeof(kept));
		memcpy(data + second, &sizes[i], sizeof(sizes[i]));
		write_file("12-a", data, size);
		memcpy(data + second, &kept, sizeof(kept));
		lines = read_all(&damage);
		assert_non_null(damage);
		assert_non_null(strstr(damage, "12-a"));
		assert_string_equal(lines, "11 10 process 77 '/one' ''\n"
					   "12 20 process 77 '/two\\nlines' ''\n"
					   "11 30 free 3 1000\n"
					   "11 50 batch 9 6 2\n");
		g_free(lines);
		g_clear_pointer(&damage, g_free);
	}
	write_file("12-a", data, size - 8); /* shorter than it says */
	lines = read_all(&damage);
	assert_non_null(damage);
	assert_null(strstr(lines, "12 "));
	g_free(lines);
	g_free(damage);
	g_free(data);
	g_free(path);
	write_both();
}

/* Any byte may have any value: nothing is read that is not there (with sanitizers). */
static void test_any_bytes(void **state)
{
	static const char *const names[] = { "11-a", "12-a", HG_EARLY_LAYOUT };
	GRand *random = g_rand_new_with_seed(1);

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		const char *name = names[round % G_N_ELEMENTS(names)];
		char *path = g_build_filename(folder, name, NULL), *data, *damage = NULL;
		gsize size;

		assert_true(g_file_get_contents(path, &data, &size, NULL));
		for (int i = 0; i < 3; i++) {
			gsize at = (gsize)g_rand_int_range(random, 0, (gint32)size);
			char kept = data[at];

			data[at] = (char)g_rand_int(random);
			write_file(name, data, size);
			g_free(read_all(&damage));
			g_clear_pointer(&damage, g_free);
			data[at] = kept;
		}
		write_file(name, data, size);
		g_free(data);
		g_free(path);
	}
	g_rand_free(random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_time),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
