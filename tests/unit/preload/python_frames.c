/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of Python in memory that is laid out as each version has it, and in memory that is broken:
 * what cannot be read ends the stack, and nothing is followed for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "preload/stacks/python.h"

/* unwind.c's, which needs more around it. */
bool hg_page_readable(uintptr_t page)
{
	unsigned char ignored;

	return page && page < UINT64_C(1) << 47 && mincore((void *)page, 1, &ignored) == 0;
}

static const struct {
	uint8_t minor, calls;
	bool words;
	struct hg_python_layout layout;
} layouts[] = {
#define PYTHON(minor, calls, words, ...) { minor, HG_PYTHON_##calls, words, { __VA_ARGS__ } },
#include "preload/stacks/python_layouts.def"
};

/* Offsets of 3.13 and 3.14, as their interpreters have them in _Py_DebugOffsets. */
static const struct hg_python_layout offsets[] = {
	{ 632, 7264, 7344, 8, 16, 152, 72, 0, 0, 0, 8, 0, 56, 70, 112, 128, 68, 136, 200, 40, 56 },
	{ 808, 7272, 7344, 8, 16, 152, 72, 0, 0, 0, 8, 0, 56, 74, 112, 128, 68, 136, 208, 40, 56 },
};

#define OBJECTS 64u
#define SIZE    16384u /* an interpreter is the largest */

/* One object a page or more, with nothing mapped behind the last. */
static char *memory;
static unsigned used;
static struct hg_python_thread *thread;

static char *object(void)
{
	assert_in_range(used, 0, OBJECTS - 1);
	return memory + (size_t)used++ * SIZE;
}

static void put(char *at, unsigned offset, uintptr_t word)
{
	memcpy(at + offset, &word, sizeof(word));
}

static char *string(const char *text, unsigned width, bool ascii)
{
	char *made = object();
	uint32_t state = width << 2 | 1u << 5 | (ascii ? 1u << 6 : 0);
	unsigned at = ascii ? hg_python.layout.ascii : hg_python.layout.compact;
	size_t length = strlen(text) / width;

	put(made, 8, hg_python.string_type);
	put(made, 16, length);
	put(made, 24, UINT64_MAX);
	memcpy(made + 32, &state, sizeof(state));
	memcpy(made + at, text, length * width);
	return made;
}

static char *code(const char *name, const char *table)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	char *made = object(), *bytes = object();
	uint32_t line = 41;

	put(bytes, 16, strlen(table));
	memcpy(bytes + 32, table, strlen(table));
	put(made, 8, hg_python.code_type);
	put(made, layout->code_file, (uintptr_t)string("/a/train.py", 1, true));
	put(made, layout->code_name, (uintptr_t)string(name, 1, true));
	put(made, layout->code_table, (uintptr_t)bytes);
	memcpy(made + layout->code_line, &line, sizeof(line));
	return made;
}

static void begin(size_t i)
{
	if (!memory) {
		memory = mmap(NULL, (OBJECTS + 1) * SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(memory, MAP_FAILED);
		munmap(memory + OBJECTS * SIZE, SIZE);
	}
	memset(memory, 0, OBJECTS * SIZE);
	used = 0;
	free(thread);
	thread = calloc(1, sizeof(*thread));
	hg_python.minor = layouts[i].minor;
	hg_python.calls = layouts[i].calls;
	hg_python.layout = layouts[i].words ? offsets[layouts[i].minor - 13] : layouts[i].layout;
	hg_python.code_type = 0x1000;
	hg_python.string_type = 0x2000;
	hg_python.runtime = (uintptr_t)object();
}

static uintptr_t self(void)
{
	uintptr_t id;

	__asm__("mov %%fs:0x10, %0" : "=r"(id));
	return id;
}

/* A state in the only interpreter, with a cframe where the version has one. */
static char *state(char **cframe)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	char *interpreter = object(), *made = object(), *other = object();

	*cframe = object();
	put((char *)hg_python.runtime, layout->interpreters, (uintptr_t)interpreter);
	put(interpreter, layout->interpreter_threads, (uintptr_t)other);
	put(other, layout->thread_next, (uintptr_t)made);
	put(other, layout->thread_interpreter, (uintptr_t)interpreter);
	put(made, layout->thread_interpreter, (uintptr_t)interpreter);
	put(made, layout->thread_id, self());
	if (layout->thread_cframe)
		put(made, layout->thread_cframe, (uintptr_t)*cframe);
	return made;
}

/* The frame of `code` at its 12th byte, called by `back`. */
static char *frame(const char *of, const char *back, uint8_t mark)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	char *made = object();
	int32_t number = hg_python.minor >= 10 ? 6 : 12;

	put(made, layout->frame_back, (uintptr_t)back);
	put(made, layout->frame_code, (uintptr_t)of);
	if (layout->code_instructions)
		put(made, layout->frame_at, (uintptr_t)of + layout->code_instructions + 12);
	else
		memcpy(made + layout->frame_at, &number, sizeof(number));
	if (hg_python.calls != HG_PYTHON_EACH)
		made[layout->frame_mark] = (char)mark;
	return made;
}

static void set_frame(char *at, char *cframe, const char *innermost)
{
	const struct hg_python_layout *layout = &hg_python.layout;

	if (layout->thread_frame)
		put(at, layout->thread_frame, (uintptr_t)innermost);
	else
		put(cframe, layout->cframe_frame, (uintptr_t)innermost);
}

/* Two functions, the outer one in a call of the interpreter of its own, in each version. */
static void test_layouts(void **ignored)
{
	(void)ignored;
	for (size_t i = 0; i < HG_COUNT(layouts); i++) {
		char *cframe, *at, *outer, *inner, *entry = NULL;
		uint64_t hash;

		begin(i);
		at = state(&cframe);
		outer = frame(code("main", "ab"), NULL, 1);
		if (hg_python.calls == HG_PYTHON_ENTRIES) {
			outer[hg_python.layout.frame_mark] = 0;
			entry = frame(NULL, outer, 3);
		}
		inner = frame(code("step", "cd"), entry ? entry : outer, hg_python.minor == 11);
		set_frame(at, cframe, inner);
		hg_python_find(thread, 0, 32);
		assert_ptr_equal(thread->state, at);
		assert_false(thread->broken);
		assert_int_equal(thread->count, 4);
		for (unsigned k = 0; k < 4; k += 2) {
			assert_true(thread->items[k].code != 0);
			assert_int_equal(thread->items[k].at, 12);
			assert_true(thread->items[k + 1].code == 0);
		}
		if (entry)
			assert_ptr_equal(thread->items[1].anchor, entry);
		else if (hg_python.layout.thread_cframe)
			assert_ptr_equal(thread->items[1].anchor, cframe);
		hash = thread->hash;
		assert_true(hash != 0);
		hg_python_read(thread, 32);
		assert_true(thread->hash == hash);
		/* Other code at the same addresses: it differs in its table of lines alone. */
		((char *)thread->items[0].code)[hg_python.layout.code_line]++;
		hg_python_read(thread, 32);
		assert_true(thread->hash != hash);
	}
}

static void test_names(void **ignored)
{
	char text[16];

	(void)ignored;
	begin(2);
	assert_true(hg_python_text(thread, (uintptr_t)string("step", 1, true), text, sizeof(text)));
	assert_string_equal(text, "step");
	assert_true(
	    hg_python_text(thread, (uintptr_t)string("gr\xf6\xdf", 1, false), text, sizeof(text)));
	assert_string_equal(text, "gr\xc3\xb6\xc3\x9f");
	assert_true(
	    hg_python_text(thread, (uintptr_t)string("\x27\x59", 2, false), text, sizeof(text)));
	assert_string_equal(text, "\xe5\xa4\xa7");
	/* Cut between characters. */
	assert_true(hg_python_text(thread, (uintptr_t)string("0123456789abcdefg", 1, true), text,
				   sizeof(text)));
	assert_string_equal(text, "0123456789ab");
	assert_false(hg_python_text(thread, (uintptr_t)object(), text, sizeof(text)));
	assert_false(hg_python_text(thread, 0, text, sizeof(text)));
}

/* Frames that call each other in a ring, and a frame behind which nothing is mapped. */
static void test_broken(void **ignored)
{
	(void)ignored;
	for (size_t i = 0; i < HG_COUNT(layouts); i++) {
		char *cframe, *at, *ring;

		begin(i);
		at = state(&cframe);
		ring = frame(code("step", "cd"), NULL, 0);
		put(ring, hg_python.layout.frame_back, (uintptr_t)ring);
		set_frame(at, cframe, ring);
		hg_python_find(thread, 0, 32);
		assert_in_range(thread->count, 33, HG_COUNT(thread->items));
		put(ring, hg_python.layout.frame_back, (uintptr_t)memory + OBJECTS * SIZE);
		hg_python_read(thread, 32);
		assert_true(thread->broken);
		assert_in_range(thread->count, 1, 2);
		/* States in a ring, none of which is the thread's. */
		begin(i);
		at = state(&cframe);
		put(at, hg_python.layout.thread_id, 1);
		put(at, hg_python.layout.thread_next, (uintptr_t)at);
		hg_python_find(thread, 0, 32);
		assert_int_equal(thread->state, 0);
	}
}

/* Any word of all that may be anything. */
static void test_hostile(void **ignored)
{
	uint64_t random = 1;

	(void)ignored;
	for (unsigned round = 0; round < 3000; round++) {
		char *cframe, *at, *outer, *inner;
		char text[64];

		begin(round % HG_COUNT(layouts));
		at = state(&cframe);
		outer = frame(code("main", "ab"), NULL, 1);
		inner = frame(code("step", "cd"), outer, 0);
		set_frame(at, cframe, inner);
		for (unsigned k = 0; k < 4; k++) {
			uint64_t words[] = { 0, UINT64_MAX, 0x8000000000000000u, 0x100000, 1 };

			random = random * 6364136223846793005u + 1442695040888963407u;
			words[0] = (uintptr_t)memory + (random >> 20) % ((OBJECTS + 1) * SIZE);
			put(memory + (size_t)(random >> 40) % used * SIZE,
			    8 * (unsigned)((random >> 8) % 27), words[(random >> 4) % 5]);
		}
		thread->state = (uintptr_t)at;
		hg_python_read(thread, 32);
		assert_in_range(thread->count, 0, HG_COUNT(thread->items));
		for (unsigned k = 0; k < thread->count; k++)
			if (thread->items[k].code)
				hg_python_text(thread, thread->items[k].code, text, sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
