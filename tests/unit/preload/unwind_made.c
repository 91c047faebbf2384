/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that never were: return addresses of functions whose call-frame information is known, and
 * what these save, laid into memory by chance. A walk of a thread that remembers frames must find
 * what one finds that knows none, however the stack has changed since.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/unwind.h"
#include "tests/unit/preload/unwind_set_up.h"

#define ROOM   60u
#define TRIALS 200000u

/*
 * A return address each, that of a call in a function: frames of 16 and 48 bytes that leave rbp
 * alone; one that saves it; one of 64 bytes that is found by rbp, which it saves; two that are
 * found by their caller's rbp; one whose end is stored at rbp - 8, and rbp where it points.
 */
enum kind { SMALL, LARGE, SAVING, FRAMED, BORROWED, AGAIN, STORED, KINDS };
extern const char made_functions[] __attribute__((visibility("hidden")));
#define FUNCTION(cfi) "	.cfi_startproc\n" cfi "	nop\n	nop\n	nop\n	nop\n	.cfi_endproc\n"
#define SIZE          4 /* of each */
__asm__(".text\n"
	".hidden made_functions\n"
	"made_functions:\n"
	/* clang-format off */
	FUNCTION("	.cfi_def_cfa %rsp, 16\n")
	FUNCTION("	.cfi_def_cfa %rsp, 48\n")
	FUNCTION("	.cfi_def_cfa %rsp, 16\n	.cfi_offset %rbp, -16\n")
	FUNCTION("	.cfi_def_cfa %rbp, 16\n	.cfi_offset %rbp, -16\n")
	FUNCTION("	.cfi_def_cfa %rbp, -48\n")
	FUNCTION("	.cfi_def_cfa %rbp, -64\n")
	FUNCTION("	.cfi_escape 0x0f,0x03,0x76,0x78,0x06\n	.cfi_escape 0x10,0x06,0x02,0x76,0x00\n")
	/* clang-format on */
);

static uintptr_t address_of(enum kind kind)
{
	return (uintptr_t)made_functions + SIZE * (unsigned)kind + 2;
}

/* ---- the stack ---- */

#define WORDS 8192u
static uintptr_t words[WORDS] __attribute__((aligned(4096)));

/* A frame: where it ends, and rbp in it. */
static struct {
	uintptr_t end, bp;
	enum kind kind;
} frames[WORDS];
static unsigned depth;

static uint32_t state = 1;

static unsigned chance(unsigned of)
{
	state = state * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)(state >> 8) * of >> 24);
}

static uintptr_t *at(uintptr_t address)
{
	return (uintptr_t *)address;
}

/* Where the frame that is last begins. */
static uintptr_t begin_of(unsigned i)
{
	static const unsigned sizes[] = { 16, 48, 16, 64, 16, 16, 64 };

	return frames[i].end - sizes[frames[i].kind];
}

/* One frame inwards. */
static void push(void)
{
	uintptr_t end = depth ? begin_of(depth - 1) : (uintptr_t)&words[WORDS - 64];
	uintptr_t bp = depth ? frames[depth - 1].bp : 8 * chance(3);
	enum kind kind = chance(KINDS), outer = depth ? frames[depth - 1].kind : KINDS;

	if ((kind == BORROWED && outer != FRAMED) || (kind == AGAIN && outer != BORROWED))
		kind = chance(2) ? SMALL : SAVING;
	*at(end - 8) = depth ? address_of(outer) : 0;
	if (kind == SAVING || kind == FRAMED)
		*at(end - 16) = bp;
	if (kind == FRAMED) {
		bp = end - 16;
	} else if (kind == SAVING) {
		bp = 8 * chance(3);
	} else if (kind == STORED) {
		*at(end - 40) = bp;
		*at(end - 48) = end;
		bp = end - 40;
	}
	frames[depth].end = end;
	frames[depth].bp = bp;
	frames[depth++].kind = kind;
}

/* ---- walks ---- */

static struct found {
	uint64_t frames[ROOM], hash;
	struct hg_cached_word words[2 * ROOM];
	struct hg_cached_walk trail;
	unsigned count;
} anew, again;
static unsigned found_some, differing;

static void walk(struct found *found, const struct hg_frame *start, unsigned room, bool noted)
{
	found->hash = 1;
	found->trail = (struct hg_cached_walk){ .room = 2 * ROOM, .read = found->words };
	found->count = hg_unwind_from(start, (void *)start->ip, found->frames, room, &found->hash,
				      noted ? &found->trail : NULL);
}

/* A walk that ends before the outermost frame leaves no trail. */
static bool same_words(void)
{
	if (anew.trail.count > anew.trail.room)
		return again.trail.count > again.trail.room;
	return anew.trail.count == again.trail.count && anew.trail.bp_used == again.trail.bp_used &&
	       !memcmp(anew.words, again.words, anew.trail.count * sizeof(anew.words[0]));
}

static void compare(const struct hg_frame *start, unsigned room, bool noted)
{
	struct hg_thread *thread = hg_tls.thread;
	bool same;

	hg_tls.thread = NULL;
	walk(&anew, start, room, true);
	hg_tls.thread = thread;
	walk(&again, start, room, noted);
	same = anew.count == again.count;
	if (same && anew.count)
		same = anew.hash == again.hash &&
		       !memcmp(anew.frames, again.frames, anew.count * sizeof(anew.frames[0])) &&
		       (!noted || same_words());
	differing += !same;
	found_some += anew.count > 3;
}

static void test_made_stacks(void **unused)
{
	(void)unused;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		unsigned inwards = 1 + chance(chance(8) ? 6 : 70);
		unsigned room = chance(3) ? 10 + chance(ROOM - 10) : ROOM;
		uintptr_t *word, before;
		struct hg_frame start;

		depth -= chance(depth + 1) / (1 + chance(8));
		while (inwards-- && depth < 700)
			push();
		start = (struct hg_frame){ address_of(frames[depth - 1].kind), begin_of(depth - 1),
					   frames[depth - 1].bp };
		compare(&start, room, chance(4) == 0);
		if (chance(2))
			continue;
		/* The same stack but for one word, which is like another of them. */
		word = at(start.sp) + chance(chance(2) ? 16 : 200);
		if (word >= &words[WORDS - 64])
			continue;
		before = *word;
		*word = chance(2)       ? at(start.sp)[chance(60)]
			: before & ~7lu ? before + 8 * chance(9) - 32
					: address_of(chance(KINDS));
		compare(&start, room, chance(4) == 0);
		*word = before;
		start.bp = chance(4) ? start.bp : frames[chance(depth)].bp;
		compare(&start, room, chance(4) == 0);
	}
	assert_int_equal(differing, 0);
	assert_in_range(found_some, TRIALS, 3 * TRIALS);
}

static int set_up(void **unused)
{
	(void)unused;
	return unwind_set_up(ROOM) || !hg_thread();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_made_stacks) };

	return cmocka_run_group_tests(tests, set_up, NULL);
}
