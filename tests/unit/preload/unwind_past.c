/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of a thread that remembers frames of walks before: each must find what a walk finds that
 * knows none, also where the stack has become another in a single word.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <cmocka.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/past.h"
#include "preload/stacks/unwind_rules.h"
#include "preload/stacks/unwind.h"
#include "tests/unit/preload/unwind_set_up.h"

#define ROOM  HG_STACK_DEPTH_MAX
#define WORDS (2 * ROOM)
#define KEEP  __asm__ volatile("" ::: "memory") /* no tail call */

/* clang has no such attribute: built by it, these are functions like others. */
#ifdef __clang__
#define NO_FRAME_POINTER __attribute__((noinline))
#else
#define NO_FRAME_POINTER __attribute__((noinline, optimize("omit-frame-pointer")))
#endif

struct found {
	uint64_t frames[ROOM], hash;
	struct hg_cached_word words[WORDS];
	struct hg_cached_walk trail; /* its words are those */
	unsigned count;
};

static unsigned walks, differing;

static struct found walk(const struct hg_frame *start, unsigned room, bool with_trail)
{
	struct found found = { .hash = 1, .trail = { .room = WORDS } };

	found.trail.read = found.words;
	found.count = hg_unwind_from(start, (void *)start->ip, found.frames, room, &found.hash,
				     with_trail ? &found.trail : NULL);
	return found;
}

/* What a walk finds that knows no frames. */
static struct found walk_anew(const struct hg_frame *start, unsigned room)
{
	struct hg_thread *thread = hg_tls.thread;
	struct found found;

	hg_tls.thread = NULL;
	found = walk(start, room, true);
	hg_tls.thread = thread;
	return found;
}

static bool is_same(const struct found *one, const struct found *other)
{
	return one->count == other->count &&
	       (!one->count ||
		(one->hash == other->hash &&
		 !memcmp(one->frames, other->frames, one->count * sizeof(one->frames[0]))));
}

/* Both, without words and with them. */
static __attribute__((noinline)) void compare(const struct hg_frame *start, unsigned room)
{
	struct found expected = walk_anew(start, room), got = walk(start, room, false), noted;

	walks++;
	noted = walk(start, room, true);
	if (is_same(&expected, &got) && is_same(&expected, &noted) &&
	    (!expected.count || (noted.trail.count == expected.trail.count &&
				 noted.trail.bp_used == expected.trail.bp_used &&
				 !memcmp(noted.words, expected.words,
					 expected.trail.count * sizeof(expected.words[0])))))
		return;
	differing++;
	print_error("%u and %u frames, expected %u\n", got.count, noted.count, expected.count);
}

static struct hg_frame start_of(const uintptr_t *frame)
{
	return (struct hg_frame){ frame[1], (uintptr_t)(frame + 2), frame[0] };
}

static unsigned room = ROOM;

/* The walk from its caller on. */
static __attribute__((noinline)) void here(void)
{
	struct hg_frame start = start_of(__builtin_frame_address(0));

	compare(&start, room);
}

static void expect_same(unsigned least)
{
	assert_in_range(walks, least, 100000000);
	assert_int_equal(differing, 0);
	walks = 0;
}

/* ---- stacks by chance ---- */

static uint32_t state = 1;

static unsigned chance(unsigned of)
{
	state = state * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)(state >> 8) * of >> 24);
}

static void somewhere(int left);

static __attribute__((noinline)) void plain(int left)
{
	somewhere(left);
	KEEP;
}

static NO_FRAME_POINTER void without(int left)
{
	char volatile local[40];

	memset((void *)local, 0, sizeof(local));
	somewhere(left);
	KEEP;
}

/* Its frame is found by rbp. */
static NO_FRAME_POINTER void moving(int left)
{
	char *volatile some = __builtin_alloca(16 + 16 * chance(3));

	some[0] = 1;
	somewhere(left);
	KEEP;
}

static NO_FRAME_POINTER void aligned(int left)
{
	char volatile local[64] __attribute__((aligned(64)));

	memset((void *)local, 0, sizeof(local));
	somewhere(left);
	KEEP;
}

/* Calls from several places, as many times. */
static __attribute__((noinline)) void somewhere(int left)
{
	int again = 1 + (chance(4) == 0);

	if (left <= 0 || chance(8) == 0)
		here();
	for (; left > 0 && again; again--) {
		switch (chance(9)) {
		case 0:
		case 1:
			plain(left - 1);
			break;
		case 2:
		case 3:
			without(left - 1);
			break;
		case 4:
			plain(left - 1);
			KEEP;
			break;
		case 5:
			without(left - 1);
			KEEP;
			break;
		case 6:
			moving(left - 1);
			break;
		case 7:
			moving(left - 1);
			KEEP;
			break;
		default:
			aligned(left - 1);
		}
	}
	KEEP;
}

static void test_chance(void **unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		room = i % 2 ? ROOM : 12;
		somewhere((int)chance(i % 3 ? 14 : 90) / 4);
	}
	room = ROOM;
	expect_same(2000);
}

/* More frames than are remembered, and walks that end before the outermost. */
static __attribute__((noinline)) void deep(int left)
{
	if (left % 7 == 0)
		here();
	if (left)
		deep(left - 1);
	if (left % 5 == 0)
		here();
	KEEP;
}

static void test_depth(void **unused)
{
	(void)unused;
	for (room = 1; room <= ROOM; room += 30) {
		deep(1500);
		deep(40);
	}
	room = ROOM;
	expect_same(2000);
}

/* ---- a single word is another ---- */

/*
 * Each word that the walk from here on reads becomes what `other` makes of it. Nothing returns in
 * between.
 */
static __attribute__((noinline)) void change_words(uintptr_t (*other)(uintptr_t, unsigned))
{
	struct hg_frame start = start_of(__builtin_frame_address(0));
	struct found all = walk_anew(&start, ROOM);

	assert_in_range(all.trail.count, 10, WORDS);
	for (unsigned i = 0; i < all.trail.count; i++) {
		uintptr_t volatile *word = (uintptr_t volatile *)all.words[i].address;
		uintptr_t before = *word;

		compare(&start, ROOM);
		*word = other(before, i);
		compare(&start, ROOM);
		*word = before;
		compare(&start, ROOM);
	}
}

static uintptr_t other_code(uintptr_t word, unsigned i)
{
	return i % 2 ? word ^ 1 : (uintptr_t)here + i;
}

static uintptr_t moved(uintptr_t word, unsigned i)
{
	return word + 16 * (uintptr_t)(i % 5 - 2);
}

static uintptr_t nothing(uintptr_t word, unsigned i)
{
	(void)word;
	(void)i;
	return 0;
}

static NO_FRAME_POINTER void nest(int left, uintptr_t (*other)(uintptr_t, unsigned))
{
	char *volatile some = __builtin_alloca(16 + 16 * (size_t)(left & 3));

	some[0] = 1;
	if (left)
		nest(left - 1, other);
	else
		change_words(other);
	KEEP;
}

static NO_FRAME_POINTER void nest_without(int left, uintptr_t (*other)(uintptr_t, unsigned))
{
	char volatile local[40];

	memset((void *)local, 0, sizeof(local));
	if (left)
		nest_without(left - 1, other);
	else
		nest(3, other);
	KEEP;
}

static void test_words(void **unused)
{
	(void)unused;
	nest_without(6, other_code);
	nest_without(6, moved);
	nest_without(6, nothing);
	expect_same(100);
}

/* ---- the same inner frames at the same place, under another caller ---- */

static __attribute__((noinline)) void inner(void)
{
	here();
	KEEP;
}

static __attribute__((noinline)) void one_caller(void)
{
	inner();
	KEEP;
}

static __attribute__((noinline)) void other_caller(void)
{
	inner();
	KEEP;
}

static void test_callers(void **unused)
{
	(void)unused;
	for (int i = 0; i < 6; i++) {
		void (*volatile caller)(void) = i % 2 ? one_caller : other_caller;

		caller();
	}
	expect_same(6);
}

/* ---- the same frame with another rbp ---- */

/* framed(): its frame is found by rbp. saving(): by rsp, and saves rbp. Both call the function. */
void framed(void (*function)(void));
void saving(void (*function)(void));
__asm__(".text\n"
	".type framed, @function\n"
	"framed:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	subq $128, %rsp\n"
	"	call saving\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size framed, .-framed\n"
	".type saving, @function\n"
	"saving:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	call *%rdi\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size saving, .-saving\n");

/* Called by saving(), which framed() calls. */
static __attribute__((noinline)) void change_rbp(void)
{
	const uintptr_t *frame = __builtin_frame_address(0), *saved = frame + 2;
	struct hg_frame inside = start_of(frame);
	struct hg_frame outside = { saved[1], (uintptr_t)(saved + 2), saved[0] };
	uintptr_t right = outside.bp;

	for (int i = 0; i < 10; i++) {
		compare(&inside, ROOM);
		compare(&outside, ROOM);
		outside.bp = right + 8 * (uintptr_t)i;
		compare(&outside, ROOM);
		/* Not where it is saved, though the number is the same. */
		compare(&inside, ROOM);
		outside.bp = (uintptr_t)saved;
		compare(&outside, ROOM);
		compare(&inside, ROOM);
		outside.bp = right;
	}
}

static void test_rbp(void **unused)
{
	(void)unused;
	framed(change_rbp);
	expect_same(60);
}

/* ---- walks in signals' handlers, which may interrupt a walk ---- */

static unsigned interruptions;

static void interrupt(int number)
{
	uint32_t before = state;

	(void)number;
	interruptions++;
	somewhere(3);
	state = before;
}

static void test_interrupted_walks(void **unused)
{
	static const struct itimerval never;
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };

	(void)unused;
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; interruptions < 1000 || i < 20000; i++) {
		/* Each has one, or a slow machine would do nothing but handle them. */
		struct itimerval soon = { .it_value.tv_usec = 1 + chance(60) };

		setitimer(ITIMER_REAL, &soon, NULL);
		somewhere((int)chance(14));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	expect_same(20000);
}

/* ---- what is remembered ---- */

static uint32_t outermost; /* index of the frame before the last one */

static __attribute__((noinline)) void look(void)
{
	struct hg_frame start = start_of(__builtin_frame_address(0));
	struct found found = walk(&start, ROOM, false);
	const struct hg_past *past = hg_tls.thread->past;

	assert_in_range(found.count, 5, ROOM);
	outermost = past->first + found.count - 2;
	assert_int_equal(past->frames[outermost].ip, found.frames[found.count - 2]);
}

static __attribute__((noinline)) void look_from_deeper(int left)
{
	if (left)
		look_from_deeper(left - 1);
	else
		look();
	KEEP;
}

/* Frames that are known stay where they are. */
static void test_place(void **unused)
{
	uint32_t first;

	(void)unused;
	look_from_deeper(2);
	first = outermost;
	for (int i = 0; i < 10; i++) {
		look_from_deeper(i);
		assert_int_equal(outermost, first);
	}
	hg_unwind_flush();
	look_from_deeper(2);
	assert_int_equal(hg_tls.thread->past->epoch, 2);
}

/* ---- the table of rules ---- */

/* Those of many addresses, so that it grows: as call-frame information has them, also from it. */
static void test_rules(void **unused)
{
	uintptr_t from = (uintptr_t)dlsym(RTLD_DEFAULT, "qsort");
	uint64_t places = hg_rules->places, at_hand = 0, ends = 0;

	(void)unused;
	for (int round = 0; round < 3; round++) {
		for (uintptr_t address = from; address < from + 60000; address++) {
			uint32_t rule = hg_rule_of_call(address);
			uint32_t expected = hg_rule_exact(address - 1);

			ends += rule != expected && rule == hg_rule_odd(HG_ODD_END) &&
				expected == hg_rule_odd(HG_ODD_OTHER);
			if (rule != expected && rule != hg_rule_odd(HG_ODD_END))
				fail_msg("%#x, expected %#x", rule, expected);
			rule = hg_rule_at_hand(address);
			at_hand += rule == expected;
			if (rule != expected && rule != hg_rule_odd(HG_ODD_UNKNOWN) &&
			    rule != hg_rule_odd(HG_ODD_END))
				fail_msg("%#x at hand, expected %#x", rule, expected);
		}
		assert_true(hg_rules->places >= 16 * places);
	}
	assert_in_range(at_hand, 90000, 180000);
	assert_in_range(ends, 0, 3000);
	hg_unwind_flush();
	assert_int_equal(hg_rule_at_hand(from + 100), hg_rule_odd(HG_ODD_UNKNOWN));
}

static int set_up(void **unused)
{
	(void)unused;
	return unwind_set_up(ROOM) || !hg_thread();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chance), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_words),  cmocka_unit_test(test_callers),
		cmocka_unit_test(test_rbp),    cmocka_unit_test(test_interrupted_walks),
		cmocka_unit_test(test_place),  cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
