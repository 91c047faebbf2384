/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk by cached rules against glibc's own unwinder, from below frames of many shapes. The
 * two must agree frame by frame: not a single one may need the slow way. And the trails of walks
 * must hold when, and only when, the stack is the same again.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#include "preload/trace/batch.h"
#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/stack_cache.h"
#include "preload/stacks/unwind.h"
#include "tests/unit/preload/unwind_set_up.h"

#define ROOM 100

static unsigned compared, agreed;
static unsigned may_give_up; /* leaving the stack to the slow way is fine */
static unsigned held;        /* trails that held */
static unsigned trails_end;  /* of the generation in which they were made */

/* The stack's number by its trail, if that holds, must be the one by its frames. */
static __attribute__((noinline)) bool trail_agrees(const void *caller, uint32_t expected)
{
	uint64_t frames[ROOM], without[ROOM], hash = 1, again = 1;
	struct hg_cached_walk *trail;
	struct hg_frame start;
	unsigned count;
	uint32_t id;

	assert_true(hg_unwind_start(&start));
	hg_tls.trails_unused = 0; /* each is to be kept */
	trail = hg_stack_cache_find(&start, caller, trails_end, &id);
	if (id) {
		held++;
		return id == expected;
	}
	count = hg_unwind_from(&start, caller, frames, ROOM, &hash, trail);
	assert_int_not_equal(count, 0);
	assert_non_null(trail);
	hg_stack_cache_keep(trail, &start, caller, trails_end, 0, expected);
	return hg_unwind_from(&start, caller, without, ROOM, &again, NULL) == count &&
	       again == hash && !memcmp(frames, without, count * sizeof(*frames));
}

/* Frames from this function's caller on, by both. */
static __attribute__((noinline)) void compare(void)
{
	void *expected[ROOM];
	uint64_t found[ROOM];
	uint64_t hash = 1, again = 1;
	int count = backtrace(expected, ROOM), first = 0;
	unsigned got = hg_unwind(HG_CALLER(), found, ROOM, &hash);
	unsigned second = hg_unwind(HG_CALLER(), found, ROOM, &again);

	compared++;
	if (!got && may_give_up) {
		agreed++;
		return;
	}
	while (first < count && expected[first] != HG_CALLER())
		first++;
	if (first == count || got != (unsigned)(count - first) || second != got || hash != again) {
		print_error("%u frames, and again %u; expected %d\n", got, second, count - first);
		return;
	}
	for (unsigned i = 0; i < got; i++) {
		if (found[i] != (uintptr_t)expected[(unsigned)first + i]) {
			print_error("frame %u: %#lx, expected %p\n", i, (unsigned long)found[i],
				    expected[(unsigned)first + i]);
			return;
		}
	}
	agreed += trail_agrees(HG_CALLER(), (uint32_t)hash | 1);
}

#define KEEP __asm__ volatile("" ::: "memory") /* no tail call */

static __attribute__((noinline)) void with_frame_pointer(int left)
{
	if (left)
		with_frame_pointer(left - 1);
	else
		compare();
	KEEP;
}

/* clang has no such attribute: built by it, these are functions like others. */
#ifdef __clang__
#define NO_FRAME_POINTER __attribute__((noinline))
#else
#define NO_FRAME_POINTER __attribute__((noinline, optimize("omit-frame-pointer")))
#endif

static NO_FRAME_POINTER void without(int left)
{
	char volatile local[200];

	memset((void *)local, 0, sizeof(local));
	if (left)
		without(left - 1);
	else
		with_frame_pointer(2);
	KEEP;
}

static NO_FRAME_POINTER void aligned(size_t size)
{
	char volatile local[256] __attribute__((aligned(64)));
	char *volatile moving = __builtin_alloca(size);

	local[0] = 1;
	memset(moving, 0, size);
	assert_int_equal((uintptr_t)local % 64, 0);
	without(3);
	KEEP;
}

static NO_FRAME_POINTER void large(void)
{
	char volatile local[300000];

	local[0] = local[sizeof(local) - 1] = 1;
	aligned(1000);
	KEEP;
}

static void expect_agreement(unsigned least)
{
	assert_in_range(compared, least, 1000000);
	assert_int_equal(agreed, compared);
	compared = agreed = 0;
}

/* Frames that differ far out only, in code and in nothing but an address of code. */
static __attribute__((noinline)) void same_inside(void)
{
	with_frame_pointer(20);
	KEEP;
}

static void test_trails(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		unsigned before = held;

		if (i % 3)
			same_inside();
		else
			same_inside();
		if (i == 8)
			assert_true(held > before);
	}
	for (unsigned i = 0; i < 3; i++) {
		held = 0;
		same_inside();
		assert_int_equal(held, i == 1);
		trails_end += i; /* a library was unloaded */
	}
	expect_agreement(12);
}

/*
 * A walk from `caller`, which is kept if it is to be: as stack 1. Whether it was found; adds to
 * *kept.
 */
static __attribute__((noinline)) bool find_or_keep(const void *caller, unsigned *kept)
{
	const uintptr_t *frame = __builtin_frame_address(0);
	struct hg_frame start = { frame[1], (uintptr_t)(frame + 2), frame[0] };
	uint64_t frames[ROOM], hash = 1;
	struct hg_cached_walk *trail;
	uint32_t id;

	trail = hg_stack_cache_find(&start, caller, trails_end, &id);
	if (id)
		return true;
	if (trail) {
		hg_unwind_from(&start, HG_CALLER(), frames, ROOM, &hash, trail);
		hg_stack_cache_keep(trail, &start, caller, trails_end, 0, 1);
		++*kept;
	}
	return false;
}

/* Of stacks that never come again few are kept; of those that do, all soon. */
static void test_unused_trails(void **state)
{
	unsigned kept = 0, found = 0;

	(void)state;
	trails_end++;
	hg_tls.trails_unused = hg_tls.trails_passed_over = 0;
	for (uintptr_t i = 0; i < 64000; i++)
		found += find_or_keep((const void *)(i * 8), &kept);
	assert_int_equal(found, 0);
	assert_in_range(kept, 64000 / 8, 64000 / 8 + 200);
	kept = 0;
	for (uintptr_t i = 0; i < 64000; i++)
		found += find_or_keep((const void *)(1000000 + i % 16 * 8), &kept);
	assert_in_range(kept, 1, 200);
	assert_in_range(found, 64000 - 1000, 64000);
	trails_end++;
}

static int by_qsort(const void *one, const void *other)
{
	aligned(100);
	return (one > other) - (one < other);
}

static void handler(int number)
{
	(void)number;
	aligned(500);
}

/* Calls `inner` with anything in rbp, as code without frame pointers does. */
void with_value_in_rbp(uintptr_t value, void (*inner)(void));
__asm__(".text\n"
	".type with_value_in_rbp, @function\n"
	"with_value_in_rbp:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rdi, %rbp\n"
	"	call *%rsi\n"
	"	popq %rbp\n"
	"	.cfi_restore %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size with_value_in_rbp, .-with_value_in_rbp\n");

static __attribute__((noinline)) void leaf_with_frame_pointer(void)
{
	with_frame_pointer(1);
	KEEP;
}

/* What a frame had in rbp is nobody's business if no frame further out is found by it. */
static void test_values_in_rbp(void **state)
{
	(void)state;
	compared = agreed = held = 0;
	for (uintptr_t value = 1; value <= 10; value++)
		with_value_in_rbp(value, leaf_with_frame_pointer);
	assert_int_equal(compared, 10);
	assert_int_equal(agreed, compared);
	assert_int_equal(held, 9);
}

static void test_shapes(void **state)
{
	int numbers[] = { 3, 1, 2 };

	(void)state;
	compare();
	with_frame_pointer(10);
	without(10);
	for (size_t size = 1; size < 100000; size *= 3)
		aligned(size);
	large();
	qsort(numbers, 3, sizeof(numbers[0]), by_qsort);
	expect_agreement(15);
}

static void test_signals(void **state)
{
	static char alternate[65536];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = handler };

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&stack, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	aligned(100);
	raise(SIGUSR1);
	expect_agreement(4);
}

/* A page fault interrupts code between calls, where the exact instruction's rule counts. */
static sigjmp_buf resume;
static void fault_handler(int number)
{
	(void)number;
	aligned(10);
	siglongjmp(resume, 1);
}

static NO_FRAME_POINTER int touch(volatile int *at)
{
	return *at;
}

static void test_fault(void **state)
{
	struct sigaction action = { .sa_handler = fault_handler, .sa_flags = SA_ONSTACK };
	int *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(resume, 1))
		touch(page);
	signal(SIGSEGV, SIG_DFL);
	munmap(page, 4096);
	expect_agreement(1);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 200; i++) {
		without(i % 20);
		aligned((size_t)i);
	}
	return unused;
}

static void test_threads(void **state)
{
	pthread_attr_t attributes;
	pthread_t id;

	(void)state;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&id, i ? &attributes : NULL, thread, NULL), 0);
		pthread_join(id, NULL);
	}
	expect_agreement(1200);
}

/*
 * Stacks that come and go and lie where others lay. What makecontext() begins with is described
 * wrongly by glibc: its return address is its first byte, so that the call seems to lie in the
 * function before.
 */
static ucontext_t outside, inside;
static void fiber(void)
{
	may_give_up = 1;
	aligned(64);
	may_give_up = 0;
	swapcontext(&inside, &outside);
	may_give_up = 1;
	without(5);
	may_give_up = 0;
}

static void test_fibers(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		size_t size = 65536;
		void *stack =
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		getcontext(&inside);
		inside.uc_stack.ss_sp = stack;
		inside.uc_stack.ss_size = size;
		inside.uc_link = &outside;
		makecontext(&inside, fiber, 0);
		swapcontext(&outside, &inside);
		without(4);
		swapcontext(&outside, &inside);
		munmap(stack, size);
		aligned(32);
	}
	expect_agreement(200);
}

/* Code that a program has compiled for itself, which nothing describes: it keeps its frame. */
static uint64_t compiled_frames[ROOM];
static unsigned compiled_count;

static __attribute__((noinline)) void look(void)
{
	uint64_t hash = 0;

	compiled_count = hg_unwind(HG_CALLER(), compiled_frames, ROOM, &hash);
}

static void test_compiled(void **state)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void (*volatile plainly)(void) = look;
	void (*compiled)(void (*function)(void));
	uint64_t outer[ROOM];
	unsigned count;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	memcpy(memory, code, sizeof(code));
	*(void **)&compiled = memory;
	plainly();
	count = compiled_count;
	memcpy(outer, compiled_frames, sizeof(outer));
	assert_in_range(count, 3, ROOM - 1);
	compiled(look);
	assert_int_equal(compiled_count, count + 1);
	assert_int_equal(compiled_frames[0], (uintptr_t)memory + 6);
	assert_memory_equal(&compiled_frames[2], &outer[1], (count - 1) * sizeof(outer[0]));
	munmap(memory, 4096);
}

/* A function that says its frame ends where nothing is mapped: given up, not followed. */
void lying(void (*function)(void), char *end);
__asm__(".text\n"
	".type lying, @function\n"
	"lying:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset 6, -16\n"
	"	movq %rsi, %rbp\n"
	".cfi_def_cfa 6, 16\n"
	"	call *%rdi\n"
	"	popq %rbp\n"
	".cfi_def_cfa 7, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size lying, .-lying\n");

static unsigned lied_count;
static void ask(void)
{
	uint64_t frames[ROOM], hash = 0;

	lied_count = hg_unwind(HG_CALLER(), frames, ROOM, &hash);
}

static void *lie(void *end)
{
	lied_count = 99;
	lying(ask, end);
	return NULL;
}

/* The frame claims to end at `end`, above the stack of a thread. */
static void test_lies(void **state)
{
	const size_t size = 256 << 10;
	char *both =
	    mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t id;

	(void)state;
	assert_ptr_not_equal(both, MAP_FAILED);
	assert_int_equal(mprotect(both + size, size, PROT_NONE), 0);
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstack(&attributes, both, size), 0);
	for (int i = 0; i < 2; i++) {
		char *end = i ? both + size + 8192 : (char *)0x10000;

		assert_int_equal(pthread_create(&id, &attributes, lie, end), 0);
		pthread_join(id, NULL);
		assert_int_equal(lied_count, 1);
	}
	munmap(both, 2 * size);
}

/* ---- each word of a trail ---- */

static unsigned words_changed, words_missed;

/* A word of the stack is another for a moment: the trail, which was marked, must not hold then. */
static __attribute__((noinline)) void change_word(const struct hg_cached_walk *trail,
						  uintptr_t volatile *word, const uintptr_t *frame,
						  const void *caller, bool matters)
{
	bool same, marked;

	*word ^= 32;
	__asm__ volatile("" ::: "memory");
	same = hg_trail_same(trail, (const char *)(frame + 2));
	marked = hg_stack_marked(frame, caller) != NULL;
	__asm__ volatile("" ::: "memory");
	*word ^= 32;
	words_changed++;
	/* The first two are the frame's own. */
	if (word >= frame + 2)
		words_missed += same;
	words_missed += marked == matters;
	words_missed += !hg_stack_marked(frame, caller);
}

/*
 * A trail is kept of this stack, and each of the words that its walk read is changed. Nothing
 * returns in between.
 */
static __attribute__((noinline)) void change_words(void)
{
	uint64_t frames[ROOM], hash = 1;
	struct hg_cached_walk *trail;
	const uintptr_t *frame;
	struct hg_frame start;
	uint32_t id;

	frame = __builtin_frame_address(0);
	start = (struct hg_frame){ frame[1], (uintptr_t)(frame + 2), frame[0] };
	hg_tls.trails_unused = 0;
	trail = hg_stack_cache_find(&start, HG_CALLER(), trails_end, &id);
	assert_non_null(trail);
	assert_int_equal(id, 0);
	assert_int_not_equal(hg_unwind_from(&start, HG_CALLER(), frames, ROOM, &hash, trail), 0);
	hg_stack_cache_keep(trail, &start, HG_CALLER(), trails_end, 0, 1);
	hg_stack_mark(frame, HG_CALLER(), 1); /* it was not found again so far */
	assert_null(hg_stack_marked(frame, HG_CALLER()));
	assert_ptr_equal(hg_stack_cache_find(&start, HG_CALLER(), trails_end, &id), trail);
	assert_int_equal(id, 1);
	assert_true(hg_trail_same(trail, (const char *)start.sp));
	hg_tls.room_end = start.sp; /* not all of it is in the thread's stack, or not known to be */
	hg_stack_mark(frame, HG_CALLER(), 1);
	assert_null(hg_stack_marked(frame, HG_CALLER()));
	hg_tls.room_end = UINTPTR_MAX;
	hg_stack_mark(frame, HG_CALLER(), 2); /* another one's number */
	assert_null(hg_stack_marked(frame, HG_CALLER()));
	hg_stack_mark(frame, HG_CALLER(), 1);
	assert_ptr_equal(hg_stack_marked(frame, HG_CALLER()), trail);
	assert_null(hg_stack_marked(frame, change_words));
	for (uint32_t i = 0; i < trail->count; i++)
		change_word(trail, (uintptr_t volatile *)trail->read[i].address, frame, HG_CALLER(),
			    true);
	change_word(trail, (uintptr_t volatile *)&frame[1], frame, HG_CALLER(), true);
	change_word(trail, (uintptr_t volatile *)&frame[0], frame, HG_CALLER(), trail->bp_mask);
	hg_stack_unmark();
	assert_null(hg_stack_marked(frame, HG_CALLER()));
	hg_stack_mark(frame, HG_CALLER(), 1);
	hg_stacks_generation++;
	hg_stack_unmark();
	hg_stack_mark(frame, HG_CALLER(), 1); /* of a generation that has passed */
	assert_null(hg_stack_marked(frame, HG_CALLER()));
	hg_stacks_generation--;
}

static __attribute__((noinline)) void deep(int left)
{
	if (left)
		deep(left - 1);
	else
		change_words();
	KEEP;
}

static NO_FRAME_POINTER void deep_without(int left, int rest)
{
	char volatile local[40];

	memset((void *)local, 0, sizeof(local));
	if (left)
		deep_without(left - 1, rest);
	else
		deep(rest);
	KEEP;
}

/* Words that are neighbours and words that are not, of any number by which they fill a step. */
static void test_words(void **state)
{
	(void)state;
	hg_stacks_generation = ++trails_end;
	for (int without_pointer = 0; without_pointer < 10; without_pointer++)
		for (int with_pointer = 0; with_pointer < 40; with_pointer++)
			deep_without(without_pointer, with_pointer);
	assert_in_range(words_changed, 10000, 100000);
	assert_int_equal(words_missed, 0);
}

static int set_up(void **state)
{
	void *frames[4];

	(void)state;
	backtrace(frames, 4);
	return unwind_set_up(ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),        cmocka_unit_test(test_trails),
		cmocka_unit_test(test_unused_trails), cmocka_unit_test(test_signals),
		cmocka_unit_test(test_fault),         cmocka_unit_test(test_threads),
		cmocka_unit_test(test_fibers),        cmocka_unit_test(test_lies),
		cmocka_unit_test(test_compiled),      cmocka_unit_test(test_values_in_rbp),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
