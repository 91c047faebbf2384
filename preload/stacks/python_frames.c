/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CPython's frames, names and line tables. */
#include "preload/stacks/python.h"

#include <errno.h>
#include <string.h>

#include "preload/core/id_table.h"
#include "preload/core/peek.h"

#define PAGE ((uintptr_t)4096)

struct hg_python hg_python;
int hg_python_seen;

/* ---- memory ---- */

static bool page_known(struct hg_python_thread *thread, uintptr_t page)
{
	uintptr_t *known = &thread->pages[page / PAGE % HG_PYTHON_PAGES];

	if (HG_LIKELY(*known == page))
		return page != 0;
	if (!hg_page_readable(page))
		return false;
	*known = page;
	return true;
}

bool hg_python_readable(struct hg_python_thread *thread, uintptr_t address, size_t size)
{
	uintptr_t page = address & ~(PAGE - 1), last = (address + size - 1) & ~(PAGE - 1);

	if (address + size < address)
		return false;
	for (; page < last; page += PAGE)
		if (!page_known(thread, page))
			return false;
	return page_known(thread, last);
}

static inline bool get(struct hg_python_thread *thread, uintptr_t address, void *to, size_t size)
{
	if (HG_UNLIKELY(address & (size - 1) || !page_known(thread, address & ~(PAGE - 1))))
		return false;
	memcpy(to, (const void *)address, size);
	return true;
}

bool hg_python_word(struct hg_python_thread *thread, uintptr_t address, uintptr_t *word)
{
	return get(thread, address, word, sizeof(*word));
}

#define GET(thread, address, to) get((thread), (address), (to), sizeof(*(to)))

/* ---- what identifies a code object ---- */

/* Members of objects that are where they were in all versions. */
#define OBJECT_TYPE   8u
#define OBJECT_SIZE   16u /* of bytes; a string's length */
#define STRING_HASH   24u
#define STRING_STATE  32u
#define BYTES_CONTENT 32u

/* A string's state. */
#define STATE_KIND(state) ((state) >> 2 & 7u) /* bytes of a character: 1, 2, 4 */
#define STATE_COMPACT     (1u << 5)
#define STATE_ASCII       (1u << 6)

/* Terms do not wait for each other, as in the hash of a stack. */
static uint64_t hash_of(const uint8_t *bytes, uint32_t size)
{
	uint64_t sum = size, word;
	uint32_t at = 0;

	for (; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		sum += hg_term(at, word);
	}
	word = 0;
	memcpy(&word, bytes + at, size - at);
	return sum + hg_term(at, word);
}

const uint8_t *hg_python_bytes(struct hg_python_thread *thread, uintptr_t object, uint32_t most,
			       uint32_t *size)
{
	uintptr_t length;

	if (!hg_python_word(thread, object + OBJECT_SIZE, &length))
		return NULL;
	*size = length < most ? (uint32_t)length : most;
	return hg_python_readable(thread, object + BYTES_CONTENT, *size ? *size : 1)
		   ? (const uint8_t *)(object + BYTES_CONTENT)
		   : NULL;
}

/* Returns the address of a string's characters, and gives their number and the bytes of each. 0:
 * none. */
static uintptr_t characters(struct hg_python_thread *thread, uintptr_t string, uint32_t most,
			    uint32_t *count, unsigned *width)
{
	uintptr_t type, length, address;
	uint32_t state;

	if (!hg_python_word(thread, string + OBJECT_TYPE, &type) || type != hg_python.string_type ||
	    !hg_python_word(thread, string + OBJECT_SIZE, &length) ||
	    !GET(thread, string + STRING_STATE, &state) || !(state & STATE_COMPACT))
		return 0;
	*width = STATE_KIND(state);
	*count = length < most ? (uint32_t)length : most;
	address =
	    string + (state & STATE_ASCII ? hg_python.layout.ascii : hg_python.layout.compact);
	if (*width != 1 && *width != 2 && *width != 4)
		return 0;
	return hg_python_readable(thread, address, *count ? *count * *width : 1) ? address : 0;
}

/* The interpreter has computed nearly all hashes of names. */
static bool add_string(struct hg_python_thread *thread, uintptr_t string, uint64_t *hash)
{
	uint64_t known;
	uint32_t count;
	unsigned width;
	uintptr_t address;

	if (!GET(thread, string + STRING_HASH, &known))
		return false;
	if (HG_UNLIKELY(known == UINT64_MAX)) {
		address = characters(thread, string, PATH_MAX, &count, &width);
		if (!address)
			return false;
		known = hash_of((const uint8_t *)address, count * width);
	}
	*hash = hg_mix(*hash, known);
	return true;
}

static bool identify(struct hg_python_thread *thread, struct hg_python_item *item)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	uintptr_t file, name, table;
	const uint8_t *bytes;
	uint32_t line, size;

	if (!hg_python_word(thread, item->code + layout->code_file, &file) ||
	    !hg_python_word(thread, item->code + layout->code_name, &name) ||
	    !hg_python_word(thread, item->code + layout->code_table, &table) ||
	    !GET(thread, item->code + layout->code_line, &line))
		return false;
	bytes = hg_python_bytes(thread, table, HG_PYTHON_TABLE_MOST, &size);
	if (!bytes)
		return false;
	item->hash = hg_mix(line, hash_of(bytes, size));
	return add_string(thread, file, &item->hash) && add_string(thread, name, &item->hash);
}

/* ---- frames ---- */

/* Gives the instruction that the frame executes: the byte's number in those of its code. */
static bool instruction(struct hg_python_thread *thread, uintptr_t frame,
			struct hg_python_item *item)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	uintptr_t at, first = item->code + layout->code_instructions;
	int32_t number;

	if (!layout->code_instructions) {
		if (!GET(thread, frame + layout->frame_at, &number))
			return false;
		/* 3.10 counts instructions, of two bytes. */
		item->at = number < 0 ? 0 : (uint32_t)number << (hg_python.minor >= 10);
		return true;
	}
	if (!hg_python_word(thread, frame + layout->frame_at, &at))
		return false;
	item->at = at - first > INT32_MAX ? 0 : (uint32_t)(at - first);
	return true;
}

/* Adds the frame, unless what it executes is no code of Python; false: it cannot be read. */
static bool add_frame(struct hg_python_thread *thread, uintptr_t frame)
{
	struct hg_python_item *item = &thread->items[thread->count];
	uintptr_t type;

	*item = (struct hg_python_item){ 0 };
	if (!hg_python_word(thread, frame + hg_python.layout.frame_code, &item->code))
		return false;
	item->code &= ~(uintptr_t)7; /* 3.14: tags */
	if (!item->code || !hg_python_word(thread, item->code + OBJECT_TYPE, &type))
		return false;
	if (type != hg_python.code_type)
		return true;
	if (!instruction(thread, frame, item) || !identify(thread, item))
		return false;
	thread->hash += hg_term(thread->count++, hg_mix(item->hash, item->at));
	return true;
}

static void add_end(struct hg_python_thread *thread, uintptr_t anchor)
{
	thread->items[thread->count++] = (struct hg_python_item){ .anchor = anchor };
}

/* pthread_self(), which a program may have a function of its own for. */
static uintptr_t self_id(void)
{
	uintptr_t self;

	__asm__("mov %%fs:0x10, %0" : "=r"(self));
	return self;
}

/* Returns true if the state is the calling thread's, as far as it tells. Its memory may be freed.
 */
static bool is_own(struct hg_python_thread *thread)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	uintptr_t at = thread->state + layout->thread_id, id;

	if (!thread->state || at & (sizeof(id) - 1))
		return false;
	/* From 3.11 on the first thread's is part of the runtime. */
	if (at - hg_python.runtime >= hg_python.runtime_size && !hg_page_readable(at & ~(PAGE - 1)))
		return false;
	memcpy(&id, (const void *)at, sizeof(id));
	return id == self_id();
}

static uintptr_t follow(struct hg_python_thread *thread, uintptr_t address)
{
	uintptr_t word;

	if (hg_python_word(thread, address, &word))
		return word;
	thread->broken = true;
	return 0;
}

void hg_python_read(struct hg_python_thread *thread, unsigned most)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	uintptr_t cframe = 0, frame;
	unsigned frames = 0, passed = 0;

	thread->count = 0;
	thread->hash = 0;
	thread->broken = false;
	if (!is_own(thread)) {
		thread->state = 0;
		return;
	}
	if (layout->thread_cframe)
		cframe = follow(thread, thread->state + layout->thread_cframe);
	frame = follow(thread, layout->thread_frame ? thread->state + layout->thread_frame
						    : cframe + layout->cframe_frame);
	while (frame && frames < most && passed++ < 2 * most &&
	       thread->count + 3 < HG_COUNT(thread->items)) {
		unsigned before = thread->count;
		uint8_t mark = 0;

		if (hg_python.calls != HG_PYTHON_EACH &&
		    !GET(thread, frame + layout->frame_mark, &mark)) {
			thread->broken = true;
			break;
		}
		if (hg_python.calls == HG_PYTHON_ENTRIES && mark >= 3) {
			add_end(thread, frame);
		} else {
			if (!add_frame(thread, frame)) {
				thread->broken = true;
				break;
			}
			frames += thread->count > before;
			if (hg_python.calls == HG_PYTHON_EACH ||
			    (hg_python.calls == HG_PYTHON_FLAGGED && mark)) {
				add_end(thread, cframe);
				if (cframe)
					cframe = follow(thread, cframe + layout->cframe_before);
			}
		}
		frame = follow(thread, frame + layout->frame_back);
	}
	if (thread->count && thread->items[thread->count - 1].code)
		add_end(thread, 0);
}

/* ---- the thread's state ---- */

#define STATES_MOST 65536u

struct state {
	uintptr_t next, interpreter, id;
};

static bool read_state(uintptr_t address, struct state *state)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	struct hg_piece pieces[] = {
		{ address + layout->thread_next, sizeof(uintptr_t) },
		{ address + layout->thread_interpreter, sizeof(uintptr_t) },
		{ address + layout->thread_id, sizeof(uintptr_t) },
	};

	return hg_peek(pieces, HG_COUNT(pieces), state) == sizeof(*state);
}

static uintptr_t peek_word(uintptr_t address)
{
	struct hg_piece piece = { address, sizeof(uintptr_t) };
	uintptr_t word = 0;

	return hg_peek(&piece, 1, &word) == sizeof(word) ? word : 0;
}

bool hg_python_several(void)
{
	const uintptr_t *first =
	    (const uintptr_t *)(hg_python.runtime + hg_python.layout.interpreters);

	/* Newest first; the main one's address follows. */
	return first[0] != first[1];
}

/* Returns how far from `sp` the innermost call of the interpreter is; the largest number: not
 * known. */
static uintptr_t distance(const struct hg_python_thread *thread, uintptr_t sp)
{
	for (unsigned i = 0; i < thread->count; i++)
		if (!thread->items[i].code)
			return thread->items[i].anchor ? thread->items[i].anchor - sp : UINTPTR_MAX;
	return UINTPTR_MAX;
}

/* A thread has a state in each interpreter that it has worked for. */
void hg_python_find(struct hg_python_thread *thread, uintptr_t sp, unsigned most)
{
	const struct hg_python_layout *layout = &hg_python.layout;
	uintptr_t interpreter = peek_word(hg_python.runtime + layout->interpreters);
	uintptr_t self = self_id();
	uintptr_t best = 0, nearest = UINTPTR_MAX;
	unsigned left = STATES_MOST, unsure = 0;
	int saved = errno;

	for (; interpreter && left;
	     interpreter = peek_word(interpreter + layout->interpreter_next)) {
		uintptr_t at = peek_word(interpreter + layout->interpreter_threads);
		struct state state;

		for (left--; at && left && read_state(at, &state); at = state.next, left--) {
			uintptr_t apart;

			if (state.id != self || state.interpreter != interpreter)
				continue;
			thread->state = at;
			hg_python_read(thread, most);
			if (!thread->count)
				continue;
			apart = distance(thread, sp);
			unsure += apart == UINTPTR_MAX;
			if (!best || apart < nearest) {
				best = at;
				nearest = apart;
			}
		}
	}
	/* 3.9 does not say which of several is the innermost. */
	thread->state = unsure > 1 ? 0 : best;
	errno = saved;
	hg_python_read(thread, most);
}

/* ---- names ---- */

static size_t put_character(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (code >> 18 & 7));
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

bool hg_python_text(struct hg_python_thread *thread, uintptr_t string, char *to, size_t size)
{
	size_t used = 0;
	uint32_t count;
	unsigned width;
	uintptr_t address = characters(thread, string, (uint32_t)size, &count, &width);

	to[0] = 0;
	if (!address)
		return false;
	for (uint32_t i = 0; i < count && used + 4 < size; i++) {
		uint32_t code = 0;

		memcpy(&code, (const char *)address + (size_t)i * width, width);
		used += put_character(to + used, code ? code : '?');
	}
	to[used] = 0;
	return true;
}
