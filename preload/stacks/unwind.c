/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks from cached call-frame rules, without locks and, once the rules of the code are
 * known, without more than a few loads a frame.
 *
 * The rules stand in a table of one 64-bit word each, so that readers need no lock: 31 bits of
 * the key (the other 16 are the word's place, and a multiplication by an odd number can be
 * undone, so a hit is exact), one bit that tells a word in its neighbour's place, and 32 bits of
 * rule. The word's place is shared by all threads, and a wrong guess at who writes last costs a
 * look into .eh_frame, no more.
 *
 * What a rule says is only believed as far as the stack is readable memory and grows outwards:
 * call-frame information written by hand is sometimes wrong. Up to where a thread's stack was
 * found readable is remembered.
 */
#include "preload/stacks/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/core/threads.h"
#include "preload/stacks/cfi.h"

#define PLACE_BITS 16u
#define PLACES     (1u << PLACE_BITS)
#define TAG_BITS   31u
#define KEY_BITS   (PLACE_BITS + TAG_BITS) /* user addresses of x86-64 have 47 */

#define PAGE       4096u
#define MAX_GROWTH (8u << 20) /* bytes of stack between two frames */
#define OWN_FRAMES 24u        /* between the walk and the application; more is a runaway */

static _Atomic uint64_t *rules;
static uint32_t flushes = 1; /* atomic: of what is known of code */

uint32_t hg_rules_found;

/* struct dl_find_object of glibc 2.35 and later (dlfcn.h), here for headers older than that. */
struct found_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *eh_frame;
	unsigned long long reserved[7];
};

static int (*find_object)(void *pc, struct found_object *found);

/* ---- where an address' call-frame information is ---- */

struct search {
	uintptr_t pc;
	const uint8_t *table;
};

static int find_in_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const uint8_t *table = NULL;
	bool inside = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && search->pc - start < segment->p_memsz)
			inside = true;
		else if (segment->p_type == PT_GNU_EH_FRAME)
			table = (const uint8_t *)start;
	}
	if (inside)
		search->table = table;
	return inside;
}

/* Before glibc 2.35 under the loader's lock, hence not where this thread may hold it. */
static const uint8_t *find_table(uintptr_t pc)
{
	struct search search = { .pc = pc };
	struct found_object found;

	if (find_object)
		return find_object((void *)pc, &found) ? NULL : found.eh_frame;
	if (!hg_tls.in_phdr)
		hg_libc.dl_iterate_phdr(find_in_object, &search);
	return search.table;
}

/* ---- the table of rules ---- */

/* From the least significant bit: rbp 10, cfa 17 (signed, in words), saved 2, kind 3. */
#define RBP_BITS 10u
#define CFA_BITS 17u

static bool fits(int32_t value, unsigned bits)
{
	int32_t limit = 1 << (bits - 1);

	return !(value & 7) && value / 8 >= -limit && value / 8 < limit;
}

static uint32_t pack(const struct cfi_rule *rule)
{
	uint32_t kind = rule->kind;

	if (!fits(rule->rbp, RBP_BITS) || !fits(rule->cfa, CFA_BITS))
		kind = CFI_OTHER;
	return kind << 29 | (uint32_t)rule->saved << 27 |
	       ((uint32_t)(rule->cfa / 8) & ((1u << CFA_BITS) - 1)) << RBP_BITS |
	       ((uint32_t)(rule->rbp / 8) & ((1u << RBP_BITS) - 1));
}

static inline unsigned rule_kind(uint32_t rule)
{
	return rule >> 29;
}

static inline unsigned rule_saved(uint32_t rule)
{
	return rule >> 27 & 3u;
}

static inline int64_t rule_cfa(uint32_t rule)
{
	return (int32_t)(rule << 5) >> (32 - CFA_BITS) << 3;
}

static inline int64_t rule_rbp(uint32_t rule)
{
	return (int32_t)(rule << (32 - RBP_BITS)) >> (32 - RBP_BITS) << 3;
}

static __attribute__((noinline)) uint32_t find_rule(uintptr_t pc)
{
	struct cfi_rule rule;

	cfi_find(find_table, pc, &rule);
	return pack(&rule);
}

/* Of an instruction that a signal has interrupted. */
static uint32_t find_exact_rule(uintptr_t pc)
{
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	return find_rule(pc);
}

/* The rule at the call before a return address. */
static inline uint32_t rule_of_call(uintptr_t address)
{
	uint64_t key = address * 0x9e3779b97f4a7c15u & (((uint64_t)1 << KEY_BITS) - 1);
	uint32_t place = (uint32_t)(key >> TAG_BITS), rule;
	uint64_t tag = (key & (((uint64_t)1 << TAG_BITS) - 1)) << 1;
	uint64_t word = atomic_load_explicit(&rules[place], memory_order_relaxed);

	if (HG_LIKELY(word >> 32 == tag && word))
		return (uint32_t)word;
	word = atomic_load_explicit(&rules[place ^ 1u], memory_order_relaxed);
	if (HG_LIKELY(word >> 32 == (tag | 1u)))
		return (uint32_t)word;
	if (address >> KEY_BITS)
		return (uint32_t)CFI_OTHER << 29;
	rule = find_rule(address - 1);
	/* No call returns there: a coroutine that ends goes on there (makecontext(3)). */
	if (rule_kind(rule) == CFI_OTHER && cfi_is_start(find_table, address))
		rule = (uint32_t)CFI_END << 29;
	/* Before anybody finds it in the table. */
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	if (!atomic_load_explicit(&rules[place], memory_order_relaxed) || tag & 2u)
		atomic_store_explicit(&rules[place], tag << 32 | rule, memory_order_release);
	else
		atomic_store_explicit(&rules[place ^ 1u], (tag | 1u) << 32 | rule,
				      memory_order_release);
	return rule;
}

int hg_unwind_init(void)
{
	void *table = hg_libc.mmap(NULL, PLACES * sizeof(*rules), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		return -ENOMEM;
	find_object =
	    (int (*)(void *, struct found_object *))hg_libc.dlsym(RTLD_DEFAULT, "_dl_find_object");
	rules = table;
	return 0;
}

void hg_unwind_flush(void)
{
	__atomic_fetch_add(&flushes, 1, __ATOMIC_RELAXED);
	if (rules)
		hg_libc.madvise((void *)rules, PLACES * sizeof(*rules), MADV_DONTNEED);
}

/* ---- the thread's stack ---- */

/* The part of a stack that is known to be readable; what is read of it is noted in a trail. */
struct span {
	uintptr_t start, end;
	struct hg_cached_walk *trail; /* or NULL */
};

/*
 * Whether a page can be read, by a system call that reads it and then refuses: there is no such
 * way to change the signal mask.
 */
static bool page_readable(uintptr_t page)
{
	int saved = errno;
	bool readable = syscall(SYS_rt_sigprocmask, ~0, page, NULL, 8) == 0 || errno == EINVAL;

	errno = saved;
	return readable;
}

static __attribute__((noinline)) bool grow(struct span *span, uintptr_t address)
{
	if (address < span->start || address - span->end > MAX_GROWTH)
		return false;
	while (address + sizeof(uintptr_t) > span->end) {
		if (!page_readable(span->end))
			return false;
		span->end += PAGE;
	}
	return true;
}

/* A word of the stack; false if there is none at that address. */
static inline bool read_word(struct span *span, uintptr_t address, uintptr_t *word)
{
	if (HG_UNLIKELY(address < span->start || address > span->end - sizeof(*word) ||
			address & 7u) &&
	    (address & 7u || !grow(span, address)))
		return false;
	*word = *(const uintptr_t *)address;
	if (span->trail) {
		struct hg_cached_walk *trail = span->trail;

		if (HG_LIKELY(trail->count < trail->room))
			trail->read[trail->count] = (struct hg_cached_word){ address, *word };
		trail->count++;
	}
	return true;
}

/* ---- the walk ---- */

/*
 * Where a walk stands. Most frames are found by rsp alone: what rbp was is only read where a frame
 * further out is found by it. For what is read must be the same again for a trail to hold, and
 * code that is compiled without frame pointers has anything in rbp.
 */
struct walk {
	struct hg_frame frame;
	uintptr_t bp_at; /* where frame.bp is saved and was not read from yet; or 0 */
	bool begun;      /* frame.bp is no longer that of the start */
};

static inline bool need_bp(struct span *span, struct walk *walk)
{
	uintptr_t at = walk->bp_at;

	if (HG_LIKELY(!at)) {
		if (span->trail && !walk->begun)
			span->trail->bp_used = true;
		return true;
	}
	walk->bp_at = 0;
	return read_word(span, at, &walk->frame.bp);
}

/* One frame outwards by a rule; false if it cannot be believed. */
static inline bool step(struct span *span, struct walk *walk, uint32_t rule)
{
	struct hg_frame *frame = &walk->frame;
	uintptr_t cfa = frame->sp;

	if (rule_kind(rule) != CFI_RSP || HG_UNLIKELY(rule_saved(rule) == CFI_AT_RBP)) {
		if (!need_bp(span, walk))
			return false;
		if (rule_kind(rule) != CFI_RSP)
			cfa = frame->bp;
	}
	cfa += (uintptr_t)rule_cfa(rule);
	if (HG_UNLIKELY(rule_kind(rule) == CFI_RBP_DEREF) && !read_word(span, cfa, &cfa))
		return false;
	if (HG_UNLIKELY(cfa <= frame->sp) || !read_word(span, cfa - 8, &frame->ip))
		return false;
	if (rule_saved(rule) != CFI_SAME) {
		walk->bp_at =
		    (rule_saved(rule) == CFI_AT_CFA ? cfa : frame->bp) + (uintptr_t)rule_rbp(rule);
		walk->begun = true;
	}
	frame->sp = cfa;
	return true;
}

/* Of the kernel's struct ucontext, offsets of the registers (asm/sigcontext.h, asm/ucontext.h). */
#define UCONTEXT_RBP 120u
#define UCONTEXT_RSP 160u
#define UCONTEXT_RIP 168u

/*
 * From a signal's handler into what it interrupted, which may run on another stack, and then out
 * of that by the rule of the very instruction.
 */
static bool step_signal(struct span *span, struct walk *walk)
{
	struct hg_frame *frame = &walk->frame;
	uintptr_t base = frame->sp;

	walk->bp_at = 0;
	walk->begun = true;
	return read_word(span, base + UCONTEXT_RBP, &frame->bp) &&
	       read_word(span, base + UCONTEXT_RIP, &frame->ip) &&
	       read_word(span, base + UCONTEXT_RSP, &frame->sp);
}

static bool on_other_stack(struct span *span, uintptr_t sp)
{
	span->start = sp & ~(uintptr_t)(PAGE - 1);
	span->end = span->start + PAGE;
	return page_readable(span->start);
}

/* This library's code, by names that the linker defines. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own(uintptr_t ip)
{
	return ip - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

bool hg_unwind_is_own(uintptr_t ip)
{
	return is_own(ip);
}

/*
 * Out of our own functions by their frame pointers, which they are compiled to keep: each step
 * is one load, where rules cost a chain of them. Left as it was where that does not hold.
 */
static void leave_own(struct hg_frame *frame)
{
	struct hg_frame at = *frame;

	for (unsigned i = 0; i < OWN_FRAMES && is_own(at.ip); i++) {
		const uintptr_t *base = (const uintptr_t *)at.bp;

		if (at.bp - at.sp >= PAGE || at.bp & 7u)
			return;
		at = (struct hg_frame){ base[1], (uintptr_t)(base + 2), base[0] };
	}
	if (!is_own(at.ip))
		*frame = at;
}

void *hg_unwind_out_of_own(const uintptr_t *frame)
{
	struct hg_frame at = { frame[1], (uintptr_t)(frame + 2), frame[0] };

	leave_own(&at);
	return (void *)at.ip;
}

__attribute__((noinline)) bool hg_unwind_start(struct hg_frame *frame)
{
	/* On a stack of ours the program's frames begin where it was left. */
	const uintptr_t *own =
	    HG_UNLIKELY(hg_tls.outside != NULL) ? hg_tls.outside : __builtin_frame_address(0);

	*frame = (struct hg_frame){ own[1], (uintptr_t)(own + 2), own[0] };
	leave_own(frame);
	return !is_own(frame->ip);
}

/*
 * In a signal's handler other unwinders must not be called: what they have to allocate or lock,
 * the code that was interrupted may hold. The stack then ends where the walk does.
 */
static unsigned lost_way(unsigned count, uint64_t sum, uint64_t *hash, struct hg_cached_walk *trail)
{
	if (!hg_tls.interrupted)
		return 0;
	if (trail)
		trail->count = trail->room + 1;
	*hash = hg_mix(*hash, sum);
	return count;
}

/* ---- the walk before ---- */

/*
 * Stacks differ from the one before in their inner frames. The rules of the others lie there one
 * after the other, where they are found without waiting for the stack's words; in the table each
 * lies in a line of the cache of its own.
 */
struct past_frame {
	uintptr_t ip, sp;
	uint32_t rule;
};

struct hg_past {
	uint32_t flushes; /* when it was made; 0: it was not */
	uint32_t count;
	unsigned now; /* which of the two is the walk before */
	struct past_frame walks[2][HG_STACK_DEPTH_MAX + OWN_FRAMES + 1];
};

/* A walk with the one before beside it. */
struct memory {
	struct hg_past *past; /* NULL: none */
	const struct past_frame *old, *old_end;
	struct past_frame *next;
};

static struct memory remember(void)
{
	uint32_t current = __atomic_load_n(&flushes, __ATOMIC_RELAXED);
	/* Not hg_thread(), which may allocate, where this may be a signal's handler. */
	struct hg_thread *thread = hg_tls.thread;
	struct hg_past *past = thread ? thread->past : NULL;

	if (HG_UNLIKELY(thread && !past)) {
		past = hg_libc.mmap(NULL, sizeof(*past), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (past == MAP_FAILED)
			past = NULL;
		thread->past = past;
	}
	if (HG_UNLIKELY(!past))
		return (struct memory){ NULL, NULL, NULL, NULL };
	if (past->flushes != current)
		past->count = 0;
	past->flushes = current;
	return (struct memory){ past, past->walks[past->now], past->walks[past->now] + past->count,
				past->walks[!past->now] };
}

/* What was walked is the walk before from now on. */
static void keep(const struct memory *memory)
{
	struct hg_past *past = memory->past;

	if (!past)
		return;
	past->now = !past->now;
	past->count = (uint32_t)(memory->next - past->walks[past->now]);
}

static inline uint32_t rule_of(struct memory *memory, const struct hg_frame *frame)
{
	uint32_t rule;

	while (memory->old < memory->old_end && memory->old->sp < frame->sp)
		memory->old++;
	if (HG_LIKELY(memory->old < memory->old_end && memory->old->sp == frame->sp &&
		      memory->old->ip == frame->ip))
		rule = memory->old->rule;
	else
		rule = rule_of_call(frame->ip);
	if (HG_LIKELY(memory->next != NULL))
		*memory->next++ = (struct past_frame){ frame->ip, frame->sp, rule };
	return rule;
}

/* A rule that is where it is first looked for; 0: it is not. */
static inline uint32_t rule_at_hand(uintptr_t address)
{
	uint64_t key = address * 0x9e3779b97f4a7c15u & (((uint64_t)1 << KEY_BITS) - 1);
	uint64_t word = atomic_load_explicit(&rules[key >> TAG_BITS], memory_order_relaxed);

	return word >> 32 == (key & (((uint64_t)1 << TAG_BITS) - 1)) << 1 ? (uint32_t)word : 0;
}

/*
 * Frames whose rules are at hand and like nearly all, on the part of the stack that is known to be
 * readable, and of which no trail is noted: with all that it needs in registers. It ends, with
 * nothing done, before the first other frame, or where the frames do.
 */
static inline unsigned walk_plainly(const struct span *span, struct walk *walk,
				    struct memory *memory, uint64_t *frames, unsigned count,
				    unsigned room, uint64_t *sum)
{
	const struct past_frame *old = memory->old, *old_end = memory->old_end;
	uintptr_t ip = walk->frame.ip, sp = walk->frame.sp, bp = walk->frame.bp;
	uintptr_t bp_at = walk->bp_at, start = span->start, end = span->end;
	struct past_frame *next = memory->next;
	uint64_t terms = *sum;

	_Static_assert(CFI_SAME == 0 && CFI_AT_CFA == 1 && CFI_RBP == CFI_RSP + 1, "forms");
	if (HG_UNLIKELY(sp & 7u || sp < start || !next))
		return count;
	while (count < room) {
		uint32_t rule, form;
		uintptr_t cfa = sp;

		while (old < old_end && old->sp < sp)
			old++;
		if (old < old_end && old->sp == sp && old->ip == ip)
			rule = old->rule;
		else
			rule = rule_at_hand(ip);
		form = (rule >> (CFA_BITS + RBP_BITS)) - (CFI_RSP << 2);
		if (HG_UNLIKELY(form & ~5u)) /* not RSP or RBP, with SAME or AT_CFA */
			break;
		if (form & 4u) { /* RBP */
			if (bp_at) {
				if (bp_at < start || bp_at > end - sizeof(bp) || bp_at & 7u)
					break;
				bp = *(const uintptr_t *)bp_at;
				bp_at = 0;
			}
			cfa = bp;
		}
		cfa += (uintptr_t)rule_cfa(rule);
		if (HG_UNLIKELY(cfa <= sp || cfa > end || cfa & 7u))
			break;
		*next++ = (struct past_frame){ ip, sp, rule };
		terms += hg_term(count, ip);
		frames[count++] = ip;
		ip = *(const uintptr_t *)(cfa - sizeof(ip));
		sp = cfa;
		if (form & 1u) {
			bp_at = cfa + (uintptr_t)rule_rbp(rule);
			walk->begun = true;
		}
		if (HG_UNLIKELY(!ip))
			break;
	}
	walk->frame = (struct hg_frame){ ip, sp, bp };
	walk->bp_at = bp_at;
	memory->old = old;
	memory->next = next;
	*sum = terms;
	return count;
}

unsigned hg_unwind_from(const struct hg_frame *start, const void *caller, uint64_t *frames,
			unsigned room, uint64_t *hash, struct hg_cached_walk *trail)
{
	struct walk walk = { .frame = *start };
	const struct hg_frame *frame = &walk.frame;
	struct span span = { hg_tls.stack_start, hg_tls.stack_end, trail };
	struct memory memory = remember();
	unsigned count = 0, skipped = 0;
	uint64_t sum = 0;
	bool remember = true, exact = false;

	hg_tls.interrupted = false;
	if (frame->sp - span.start >= span.end - span.start) {
		span.start = frame->sp & ~(uintptr_t)(PAGE - 1);
		span.end = span.start + PAGE;
	}
	while (count < room) {
		uint32_t rule;

		if (!trail && frames && !exact && (count || frame->ip == (uintptr_t)caller)) {
			count = walk_plainly(&span, &walk, &memory, frames, count, room, &sum);
			if (count == room || !frame->ip)
				break;
		}
		if (count || frame->ip == (uintptr_t)caller) {
			sum += hg_term(count, frame->ip);
			if (HG_LIKELY(frames != NULL))
				frames[count] = frame->ip;
			count++;
		} else if (++skipped > OWN_FRAMES) {
			return 0;
		}
		rule = HG_UNLIKELY(exact) ? find_exact_rule(frame->ip) : rule_of(&memory, frame);
		exact = false;
		if (HG_LIKELY(rule_kind(rule) <= CFI_RBP_DEREF)) {
			if (!step(&span, &walk, rule))
				return lost_way(count, sum, hash, trail);
			if (!frame->ip)
				break;
		} else if (rule_kind(rule) == CFI_SIGNAL) {
			uintptr_t before = frame->sp;

			hg_tls.interrupted = true;
			if (!step_signal(&span, &walk))
				return lost_way(count, sum, hash, trail);
			exact = true;
			if (frame->sp - before > MAX_GROWTH || frame->sp >= span.end) {
				remember = false;
				if (!on_other_stack(&span, frame->sp))
					return lost_way(count, sum, hash, trail);
			}
		} else if (rule_kind(rule) == CFI_END) {
			break;
		} else {
			return lost_way(count, sum, hash, trail);
		}
	}
	if (remember) {
		hg_tls.stack_start = span.start;
		hg_tls.stack_end = span.end;
	}
	if (trail && !remember)
		trail->count = trail->room + 1;
	keep(&memory);
	*hash = hg_mix(*hash, sum);
	return count;
}

__attribute__((noinline)) unsigned hg_unwind(const void *caller, uint64_t *frames, unsigned room,
					     uint64_t *hash)
{
	struct hg_frame start;

	hg_unwind_start(&start);
	return hg_unwind_from(&start, caller, frames, room, hash, NULL);
}
