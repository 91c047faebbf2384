/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython in the process: which one, and its functions in call stacks.
 *
 * The native function that executes Python's code stands in a native stack for one or more frames
 * of Python, which take its place. Where each of these native frames is follows from an address on
 * the C stack that the interpreter notes with its frames (an anchor): compilers put parts of the
 * function elsewhere, and all of it into others. Where that is not known, as in 3.9, it follows
 * from the function's address. So a stack that holds frames of an interpreter which a thread has
 * left for another, or of another coroutine (greenlet), keeps the native frames of those.
 *
 * Code has a number by its content, not by its address: a code object may be freed, and another
 * one take its place.
 */
#include "preload/stacks/python.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/parts.h"
#include "preload/core/threads.h"
#include "preload/stacks/past.h"
#include "preload/stacks/stack.h"
#include "tracer/events.h"
#include "tracer/provider.h"
#include "tracer/events/ev_python.h"
#include "tracer/events/ev_python_code.h"

static struct hg_id_table codes = { .generation = 1 };

/* ---- which interpreter ---- */

static char version[16];
static const char *problem = "";
static bool found, told;

static const struct {
	uint8_t minor, calls;
	bool words;
	struct hg_python_layout layout;
} layouts[] = {
#define PYTHON(minor, calls, words, ...) { minor, HG_PYTHON_##calls, words, { __VA_ARGS__ } },
#include "preload/stacks/python_layouts.def"
};

/* _Py_DebugOffsets, with which the runtime begins from 3.13 on. */
#define COOKIE          "xdebugpy"
#define OFFSETS_VERSION 1u
#define OFFSETS_THREADED                                                        \
	2u /* without a global lock: other objects, and frames of other threads \
	    */

/* Replaces numbers of words by what they hold; false if there is an impossible one. */
static bool read_offsets(const uint64_t *words, struct hg_python_layout *layout)
{
	uint16_t *member = &layout->interpreters, *end = &layout->ascii;

	for (; member < end; member++) {
		uint64_t offset = words[*member];

		if (member == &layout->thread_cframe || member == &layout->cframe_frame ||
		    member == &layout->cframe_before)
			continue;
		if (offset > UINT16_MAX)
			return false;
		*member = (uint16_t)offset;
	}
	return true;
}

static const char *choose_layout(unsigned minor, const uint64_t *runtime)
{
	struct hg_python *python = &hg_python;

	for (size_t i = 0; i < HG_COUNT(layouts); i++) {
		if (layouts[i].minor != minor)
			continue;
		python->minor = layouts[i].minor;
		python->calls = layouts[i].calls;
		python->layout = layouts[i].layout;
		if (!layouts[i].words)
			return NULL;
		if (memcmp(runtime, COOKIE, sizeof(*runtime)) ||
		    (runtime[OFFSETS_VERSION] >> 16 & 0xff) != minor)
			return "its runtime does not begin with the offsets of this version";
		if (runtime[OFFSETS_THREADED])
			return "it has no global lock (a free-threaded build)";
		return read_offsets(runtime, &python->layout)
			   ? NULL
			   : "its runtime begins with offsets that cannot be";
	}
	return "this version of hipgrain does not know where it keeps its frames";
}

/* 3.9 and 3.10 say their version only by a function; these two tell them apart. 0: not known. */
static unsigned old_minor(const struct link_map *map)
{
	return hg_object_function(map, "PyIter_Send")           ? 10
	       : hg_object_function(map, "PyObject_CallNoArgs") ? 9
								: 0;
}

void hg_python_look(const struct dl_phdr_info *info, const struct hg_object *object)
{
	struct link_map map = { .l_addr = info->dlpi_addr };
	const unsigned long *number;
	unsigned minor;
	size_t size, runtime_size = 0;
	void *runtime, *eval;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			map.l_ld = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	runtime =
	    map.l_ld && !found ? hg_object_symbol(&map, "_PyRuntime", false, &runtime_size) : NULL;
	if (!runtime)
		return;
	found = true;
	number = hg_object_symbol(&map, "Py_Version", false, &size);
	minor = number ? (unsigned)(*number >> 16) & 0xff : old_minor(&map);
	if (number)
		snprintf(version, sizeof(version), "3.%u.%u", minor,
			 (unsigned)(*number >> 8) & 0xff);
	else if (minor)
		snprintf(version, sizeof(version), "3.%u", minor);
	hg_python.runtime = (uintptr_t)runtime;
	hg_python.runtime_size = runtime_size;
	hg_python.start = object->start;
	hg_python.end = object->end;
	hg_python.code_type = (uintptr_t)hg_data_symbol("PyCode_Type");
	hg_python.string_type = (uintptr_t)hg_data_symbol("PyUnicode_Type");
	problem = choose_layout(minor, runtime);
	eval = hg_object_symbol(&map, "_PyEval_EvalFrameDefault", true, &size);
	if (!problem && (!eval || !hg_python.code_type || !hg_python.string_type))
		problem = "it does not export _PyEval_EvalFrameDefault and its types";
	if (problem)
		return;
	problem = "";
	hg_python.eval = (uintptr_t)eval;
	hg_python.eval_end = (uintptr_t)eval + size;
	__atomic_store_n(&hg_python_seen, 1, __ATOMIC_RELEASE);
}

static bool is_loaded(void)
{
	return hg_page_readable(hg_python.runtime & ~(uintptr_t)4095);
}

/* Another one may be loaded later. */
static void unloaded(void)
{
	if (!found || is_loaded())
		return;
	__atomic_store_n(&hg_python_seen, 0, __ATOMIC_RELEASE);
	found = told = false;
}

void hg_python_tell(void)
{
	struct hg_ev_python event = { .version = version, .problem = problem };

	if (!found || told || !*hg_provider->recording)
		return;
	told = true;
	hg_provider->python(&event);
}

/* ---- code ---- */

/* Keeps code for a recording that begins later: two words, then names and lines. */
static void keep(uint32_t id, const struct hg_ev_python_code *event)
{
	_Atomic uint32_t *at = hg_id_table_kept(&codes, id);
	size_t file = strlen(event->file) + 1, function = strlen(event->function) + 1;
	uint32_t index, none = 0;
	uint64_t *words;
	char *to;

	if (!at || atomic_load_explicit(at, memory_order_acquire))
		return;
	words =
	    hg_stack_words_take((uint32_t)(2 + (file + function + event->length + 7) / 8), &index);
	if (!words)
		return;
	words[0] = (uint64_t)event->length << 32 | (uint32_t)event->first_line;
	words[1] = file << 32 | function;
	to = (char *)&words[2];
	memcpy(to, event->file, file);
	memcpy(to + file, event->function, function);
	memcpy(to + file + function, event->lines, event->length);
	atomic_compare_exchange_strong(at, &none, index);
}

void hg_python_define(uint64_t frame)
{
	uint32_t id = hg_python_code(frame);
	_Atomic uint32_t *at = hg_id_table_kept(&codes, id);
	uint32_t index = at ? atomic_load_explicit(at, memory_order_acquire) : 0;
	const uint64_t *words;
	struct hg_ev_python_code event = { .code_id = id, .minor = hg_python.minor };

	if (!index || hg_id_table_is_defined(&codes, id))
		return;
	words = hg_stack_words_at(index);
	event.first_line = (int32_t)(uint32_t)words[0];
	event.length = (uint32_t)(words[0] >> 32);
	event.file = (const char *)&words[2];
	event.function = event.file + (words[1] >> 32);
	event.lines = (const uint8_t *)event.function + (uint32_t)words[1];
	hg_provider->python_code(&event);
	hg_id_table_defined(&codes, id);
}

/* The number of the item's code, which is recorded if that is new. */
static uint32_t code_id(struct hg_python_thread *thread, const struct hg_python_item *item)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	struct hg_ev_python_code event = { .minor = hg_python.minor };
	uintptr_t file, name, table, line = 0;
	bool fresh;

	event.code_id = hg_id_table_id(&codes, item->hash, &fresh);
	if (event.code_id > HG_PYTHON_CODE_MAX)
		return 0;
	if (HG_LIKELY(!fresh))
		return event.code_id;
	if (!hg_python_word(thread, item->code + layout->code_file, &file) ||
	    !hg_python_word(thread, item->code + layout->code_name, &name) ||
	    !hg_python_word(thread, item->code + layout->code_table, &table) ||
	    !hg_python_text(thread, file, thread->file, sizeof(thread->file)) ||
	    !hg_python_text(thread, name, thread->function, sizeof(thread->function)))
		return 0;
	event.lines = hg_python_bytes(thread, table, HG_PYTHON_TABLE_MOST, &event.length);
	if (!event.lines ||
	    !hg_python_word(thread, (item->code + layout->code_line) & ~(uintptr_t)7, &line))
		return 0;
	event.first_line = (int32_t)(line >> ((item->code + layout->code_line) & 4 ? 32 : 0));
	event.file = thread->file;
	event.function = thread->function;
	if (hg_config.standby)
		keep(event.code_id, &event);
	if (*hg_provider->recording) {
		hg_provider->python_code(&event);
		hg_id_table_defined(&codes, event.code_id);
	}
	return event.code_id;
}

/* ---- stacks ---- */

/* Returns the calling thread's memory, or NULL without any. */
static struct hg_python_thread *thread_of(void)
{
	struct hg_thread *thread = hg_thread();
	uint32_t generation = hg_stack_generation();
	void *memory;

	if (!thread)
		return NULL;
	if (HG_UNLIKELY(!thread->python)) {
		memory = hg_libc.mmap(NULL, sizeof(*thread->python), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		thread->python = memory;
	}
	/* Something was unloaded. */
	if (HG_UNLIKELY(thread->python->epoch != generation)) {
		thread->python->state = 0;
		memset(thread->python->pages, 0, sizeof(thread->python->pages));
		thread->python->epoch = generation;
	}
	return thread->python;
}

static bool is_eval(uint64_t address)
{
	return address > hg_python.eval && address <= hg_python.eval_end;
}

/* This is the native stack beside it. */
struct natives {
	const uint64_t *frames;
	unsigned count;
	const struct hg_past_frame *places; /* NULL: not known */
};

/* Returns true if the frames that end at this item are further in than the native frame `i`, or it.
 */
static bool is_there(const struct natives *natives, unsigned i, uintptr_t anchor, bool *replaces)
{
	*replaces = is_eval(natives->frames[i]);
	if (!natives->places || !anchor)
		return *replaces;
	if (i + 1 < natives->count)
		*replaces = anchor >= hg_past_sp(&natives->places[i]);
	else
		*replaces &= anchor >= hg_past_sp(&natives->places[i]);
	return i + 1 < natives->count ? anchor < hg_past_sp(&natives->places[i + 1])
				      : *replaces || anchor < hg_past_sp(&natives->places[i]);
}

static unsigned end_of(const struct hg_python_thread *thread, unsigned item)
{
	while (thread->items[item].code)
		item++;
	return item;
}

struct mix {
	struct hg_python_thread *thread;
	unsigned count, item;
};

static void put(struct mix *mix, uint64_t frame)
{
	if (mix->count < HG_COUNT(mix->thread->mixed))
		mix->thread->mixed[mix->count++] = frame;
}

/* The frames of one call of the interpreter; false: there were none. */
static bool put_call(struct mix *mix)
{
	const struct hg_python_item *item = &mix->thread->items[mix->item];
	bool any = false;

	for (; item->code; item++) {
		uint32_t id = code_id(mix->thread, item);

		if (id) {
			put(mix, HG_PYTHON_FRAME | (uint64_t)id << 32 | item->at);
			any = true;
		}
	}
	mix->item = (unsigned)(item + 1 - mix->thread->items);
	return any;
}

static unsigned mix_frames(struct hg_python_thread *thread, const struct natives *natives)
{
	struct mix mix = { .thread = thread };

	for (unsigned i = 0; i < natives->count; i++) {
		bool replaced = false, replaces;

		while (mix.item < thread->count &&
		       is_there(natives, i, thread->items[end_of(thread, mix.item)].anchor,
				&replaces)) {
			replaced |= put_call(&mix) && replaces;
			if (replaces)
				break;
		}
		if (!replaced)
			put(&mix, natives->frames[i]);
	}
	/* The native frames of these were not found: they are further out. */
	while (mix.item < thread->count)
		put_call(&mix);
	return mix.count;
}

/* Returns true if the stack leads through the interpreter, as it does where it executes frames. */
static bool leads_through(const struct natives *natives)
{
	for (unsigned i = 0; i < natives->count; i++)
		if (natives->frames[i] - hg_python.start < hg_python.end - hg_python.start)
			return true;
	return false;
}

static void tell_broken(void)
{
	static bool said;

	if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		return;
	problem = "frames of some stacks could not be read";
	told = false;
	hg_python_tell();
}

unsigned hg_python_mix(const struct hg_frame *start, const uint64_t **frames, unsigned count,
		       uint64_t seed, uint64_t *hash, uint64_t *python, bool *unsure)
{
	struct hg_python_thread *thread = thread_of();
	struct natives natives = { .frames = *frames,
				   .count = count,
				   .places = hg_unwind_last(start, *frames, count) };

	bool through = leads_through(&natives);

	*unsure = !thread;
	/* dlclose() may be about to say that the interpreter is gone. */
	if (!thread || (!through && !is_loaded()))
		return count;
	hg_python_read(thread, hg_config.stack_depth);
	/* The thread has no state that is known, or may have gone to another interpreter. */
	if (through && (!thread->count || hg_python_several())) {
		hg_python_find(thread, start->sp, hg_config.stack_depth);
		*unsure = !thread->state;
	}
	if (thread->broken)
		tell_broken();
	*python = thread->hash;
	if (!thread->count)
		return count;
	count = mix_frames(thread, &natives);
	*frames = thread->mixed;
	/* Native frames that are replaced differ as the interpreter specialises its instructions.
	 */
	*hash = seed;
	for (unsigned i = 0; i < count; i++)
		*hash = hg_mix(*hash, thread->mixed[i]);
	return count;
}

bool hg_python_same(uint64_t python)
{
	struct hg_python_thread *thread = thread_of();

	if (!thread)
		return false;
	hg_python_read(thread, hg_config.stack_depth);
	return thread->hash == python;
}

/* ---- the recording ---- */

static void forget(void)
{
	told = false;
	hg_id_table_forget(&codes);
}

static void reset(void)
{
	told = false;
	if (hg_config.standby)
		hg_id_table_forget(&codes);
	else
		hg_id_table_reset(&codes);
}

HG_PART(.name = "python", .order = 45, .forget = forget, .fork_record = reset,
	.unloaded = unloaded);
