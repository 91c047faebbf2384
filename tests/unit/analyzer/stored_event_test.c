/* SPDX-License-Identifier: Apache-2.0 */
/* Stored events: fields of other versions, and damaged layouts and fields. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "analyzer/reader/stored_event.h"
#include "tracer/event_layout.h"
#include "tracer/events/ev_args.h"
#include "tracer/events/ev_free.h"
#include "tracer/events/ev_process.h"

/* `free` with a field that this version does not have; `later` is an event that it does not have;
 * `process` lacks most of its fields. */
static const char layout_text[] = "3 process uint32_t:ppid text:exe\n"
				  "7 free uint16_t:api uint16_t:colour uint64_t:ptr\n"
				  "8 args uint32_t:args_id uint8_t[]:bytes\n"
				  "9 later text:what\n";

static char *bundle, *layout_path;
static struct event_queue *queue;

static void write_layout(const char *text, size_t size)
{
	assert_true(g_file_set_contents(layout_path, text, (gssize)size, NULL));
}

static int set_up(void **state)
{
	(void)state;
	bundle = g_dir_make_tmp("stored-XXXXXX", NULL);
	layout_path = g_build_filename(bundle, HG_LAYOUT, NULL);
	write_layout(layout_text, strlen(layout_text));
	queue = event_queue_new();
	return !bundle;
}

static int tear_down(void **state)
{
	(void)state;
	event_queue_free(queue);
	g_unlink(layout_path);
	g_rmdir(bundle);
	g_free(layout_path);
	g_free(bundle);
	return 0;
}

/* Returns the event that the bytes are, or NULL. */
static struct hg_event *fill(const struct stored_layout *layout, unsigned number, const void *bytes,
			     size_t size)
{
	struct event_room *room = event_queue_next(queue);
	enum hg_event_type type;
	const struct stored_type *stored = stored_type_of(layout, number, &type);

	event_room_clear(room);
	if (!stored || !stored_event_fill(queue, room, stored, bytes, size))
		return NULL;
	room->event.type = type;
	return &room->event;
}

static const char process_bytes[] = "\x4d\0\0\0/two\nlines";
static const char free_bytes[12] = "\3\0\4\0\0\x10";
static const char args_bytes[] = "\5\0\0\0\3\0\0\0abc";

static void test_other_version(void **state)
{
	char *damage = NULL;
	struct stored_layout *layout = stored_layout_read(bundle, &damage);
	struct hg_event *event;

	(void)state;
	assert_null(damage);
	event = fill(layout, 3, process_bytes, sizeof(process_bytes));
	assert_non_null(event);
	assert_int_equal(event->type, HG_EVENT_process);
	assert_int_equal(event->process->ppid, 77);
	assert_string_equal(event->process->exe, "/two\\nlines");
	assert_string_equal(event->process->cmdline, "");
	event = fill(layout, 7, free_bytes, sizeof(free_bytes));
	assert_non_null(event);
	assert_int_equal(event->free->api, 3);
	assert_int_equal(event->free->ptr, 0x1000);
	event = fill(layout, 8, args_bytes, sizeof(args_bytes));
	assert_non_null(event);
	assert_int_equal(event->args->length, 3);
	assert_memory_equal(event->args->bytes, "abc", 3);
	assert_null(fill(layout, 9, "x", 2));
	assert_null(fill(layout, 4, "x", 2));
	assert_null(fill(layout, 70000, "x", 2));
	stored_layout_free(layout);
}

/* Without a bundle the numbers and fields are those that this version stores. */
static void test_own_version(void **state)
{
	char *damage = NULL;
	struct stored_layout *layout = stored_layout_read(NULL, &damage);
	enum hg_event_type type;

	(void)state;
	assert_null(damage);
	assert_non_null(stored_type_of(layout, HG_TYPE_free, &type));
	assert_int_equal(type, HG_EVENT_free);
	stored_layout_free(layout);
}

/* An event that is cut off anywhere is none. */
static void test_cut_off(void **state)
{
	char *damage = NULL;
	struct stored_layout *layout = stored_layout_read(bundle, &damage);

	(void)state;
	for (size_t size = 0; size < sizeof(process_bytes); size++)
		assert_null(fill(layout, 3, process_bytes, size));
	for (size_t size = 0; size < sizeof(free_bytes); size++)
		assert_null(fill(layout, 7, free_bytes, size));
	for (size_t size = 0; size < sizeof(args_bytes) - 1; size++)
		assert_null(fill(layout, 8, args_bytes, size));
	stored_layout_free(layout);
}

static void test_damaged_layout(void **state)
{
	static const char *const lines[] = { "x process\n", "256 process\n", "3\n", "3 process a\n",
					     "3 process float:ppid\n" };

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		char *text = g_strconcat(layout_text, lines[i], NULL), *damage = NULL;

		write_layout(text, strlen(text));
		stored_layout_free(stored_layout_read(bundle, &damage));
		assert_non_null(damage);
		assert_true(g_str_has_suffix(damage, HG_LAYOUT "' is damaged at line 5"));
		g_free(damage);
		g_free(text);
	}
	write_layout(layout_text, strlen(layout_text));
}

/* Any byte may have any value: nothing is read that is not there (with sanitizers). */
static void test_any_bytes(void **state)
{
	GRand *random = g_rand_new_with_seed(1);

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		char text[sizeof(layout_text)], bytes[sizeof(args_bytes)], *damage = NULL;
		struct stored_layout *layout;

		memcpy(text, layout_text, sizeof(text));
		text[g_rand_int_range(random, 0, sizeof(text) - 1)] = (char)g_rand_int(random);
		write_layout(text, sizeof(text) - 1);
		layout = stored_layout_read(bundle, &damage);
		g_free(damage);
		for (unsigned i = 0; i < 20; i++) {
			memcpy(bytes, args_bytes, sizeof(bytes));
			bytes[g_rand_int_range(random, 0, sizeof(bytes))] =
			    (char)g_rand_int(random);
			for (unsigned number = 3; number < 10; number++)
				fill(layout, number, bytes, sizeof(bytes));
		}
		stored_layout_free(layout);
	}
	g_rand_free(random);
	write_layout(layout_text, strlen(layout_text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_version), cmocka_unit_test(test_own_version),
		cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_damaged_layout),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
