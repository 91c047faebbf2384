/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks from cached call-frame rules, without locks and, once the rules of the code are
 * known, without more than a few loads a frame.
 *
 * What a rule says is only believed as far as the stack is readable memory and grows outwards:
 * call-frame information written by hand is sometimes wrong. Up to where a thread's stack was
 * found readable is remembered.
 */
#include "preload/stacks/unwind.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/kernel_call.h"
#include "preload/core/threads.h"
#include "preload/stacks/past.h"
#include "preload/stacks/unwind_rules.h"

#define PAGE       4096u
#define MAX_GROWTH (8u << 20) /* bytes of stack between two frames */

static uint32_t epoch = 1; /* atomic: of what is known of code */

int hg_unwind_init(void)
{
	return hg_rules_init();
}

void hg_unwind_flush(void)
{
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED);
	hg_rules_flush();
}

/* ---- the thread's stack ---- */

/* The part of a stack that is known to be readable; what is read of it is noted in a trail. */
struct span {
	uintptr_t start, end;
	struct hg_cached_walk *trail; /* or NULL */
};

/*
 * Returns true if a page can be read, by a system call that reads it and then refuses: there is no
 * such way to change the signal mask.
 */
bool hg_page_readable(uintptr_t page)
{
	int saved = errno;
	bool readable = hg_syscall(SYS_rt_sigprocmask, ~0, page, NULL, 8) == 0 || errno == EINVAL;

	errno = saved;
	return readable;
}

static __attribute__((noinline)) bool grow(struct span *span, uintptr_t address)
{
	if (address < span->start || address - span->end > MAX_GROWTH)
		return false;
	while (address + sizeof(uintptr_t) > span->end) {
		if (!hg_page_readable(span->end))
			return false;
		span->end += PAGE;
	}
	return true;
}

/* Reads a word of the stack. Returns false if there is none at that address. */
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
 * This says where a walk stands. Most frames are found by rsp alone: what rbp was is only read
 * where a frame further out is found by it. For what is read must be the same again for a trail to
 * hold, and code that is compiled without frame pointers has anything in rbp.
 */
struct walk {
	struct hg_frame frame;
	bool bp_saved; /* frame.bp is where it is saved, and was not read from yet */
	bool begun;    /* frame.bp is no longer that of the start */
};

static inline bool need_bp(struct span *span, struct walk *walk)
{
	if (HG_LIKELY(!walk->bp_saved)) {
		if (span->trail && !walk->begun)
			span->trail->bp_used = true;
		return true;
	}
	walk->bp_saved = false;
	return read_word(span, walk->frame.bp, &walk->frame.bp);
}

/* Goes one frame outwards by a rule. Returns false if the rule cannot be believed. */
static bool step(struct span *span, struct walk *walk, uint32_t rule)
{
	struct hg_frame *frame = &walk->frame;
	uintptr_t cfa = frame->sp;

	if (hg_rule_kind(rule) != CFI_RSP || hg_rule_saved(rule) == CFI_AT_RBP) {
		if (!need_bp(span, walk))
			return false;
		if (hg_rule_kind(rule) != CFI_RSP)
			cfa = frame->bp;
	}
	cfa += (uintptr_t)hg_rule_cfa(rule);
	if (hg_rule_kind(rule) == CFI_RBP_DEREF && !read_word(span, cfa, &cfa))
		return false;
	if (HG_UNLIKELY(cfa <= frame->sp) || !read_word(span, cfa - 8, &frame->ip))
		return false;
	if (hg_rule_saved(rule) != CFI_SAME) {
		frame->bp = (hg_rule_saved(rule) == CFI_AT_CFA ? cfa : frame->bp) +
			    (uintptr_t)hg_rule_rbp(rule);
		walk->bp_saved = walk->begun = true;
	}
	frame->sp = cfa;
	return true;
}

/* These are offsets of the registers in the kernel's struct ucontext (asm/sigcontext.h,
 * asm/ucontext.h). */
#define UCONTEXT_RBP 120u
#define UCONTEXT_RSP 160u
#define UCONTEXT_RIP 168u

/*
 * Goes from a signal's handler into what it interrupted, which may run on another stack. The next
 * step goes out of that by the rule of the very instruction.
 */
static bool step_signal(struct span *span, struct walk *walk)
{
	struct hg_frame *frame = &walk->frame;
	uintptr_t base = frame->sp;

	walk->bp_saved = false;
	walk->begun = true;
	return read_word(span, base + UCONTEXT_RBP, &frame->bp) &&
	       read_word(span, base + UCONTEXT_RIP, &frame->ip) &&
	       read_word(span, base + UCONTEXT_RSP, &frame->sp);
}

static bool on_other_stack(struct span *span, uintptr_t sp)
{
	span->start = sp & ~(uintptr_t)(PAGE - 1);
	span->end = span->start + PAGE;
	return hg_page_readable(span->start);
}

/* ---- frames that are known ---- */

/* Returns true if the end of the frame, which is found by rbp, is where it was. */
static bool ends_there(const struct span *span, const struct hg_past_frame *frame, uintptr_t end)
{
	const struct hg_past_more *more = hg_past_more(frame);

	return !(frame->sp & HG_PAST_SAVED) ||
	       (more->bp >= span->start && more->bp <= span->end - sizeof(end) &&
		!(more->bp & 7u) &&
		*(const uintptr_t *)more->bp + (uintptr_t)hg_rule_cfa((uint32_t)more->rule) == end);
}

/* Returns true if the walk, which has come to this frame, leads to the next one as before. */
static inline bool follows(const struct span *span, const struct hg_past_frame *frame)
{
	uintptr_t flags = frame[1].sp, sp = hg_past_sp(frame + 1);

	if (flags & HG_PAST_LINK && (flags & HG_PAST_NONE || !ends_there(span, frame, sp)))
		return false;
	return sp <= span->end && *(const uintptr_t *)(sp - sizeof(sp)) == frame[1].ip;
}

/*
 * Goes on as long as what is known of frames holds; where it does not, the walk is there.
 * Returns how many frames there are now.
 */
static unsigned follow(const struct span *span, struct walk *walk, struct hg_past_walk *past,
		       uint64_t *frames, unsigned count, unsigned room)
{
	const struct hg_past_frame *old = past->old;

	past->run = old;
	past->run_flags = past->flags;
	for (; count < room && follows(span, old); old++)
		frames[count++] = old->ip;
	if (count == room)
		return count;
	if (old != past->run) {
		past->old = old;
		past->flags = old->sp & HG_PAST_FLAGS;
		walk->frame = (struct hg_frame){ old->ip, hg_past_sp(old), hg_past_more(old)->bp };
	}
	hg_past_end_run(past, old);
	return count;
}

/* Returns the rule of the walk's frame, and notes the frame. */
static uint32_t rule_of(struct hg_past_walk *past, const struct walk *walk)
{
	const struct hg_frame *frame = &walk->frame;
	uint32_t rule;

	if (HG_UNLIKELY(!past->past))
		return hg_rule_of_call(frame->ip);
	while (past->old->sp < frame->sp)
		past->old++;
	rule = hg_past_sp(past->old) == frame->sp && past->old->ip == frame->ip
		   ? (uint32_t)hg_past_more(past->old)->rule
		   : hg_rule_of_call(frame->ip);
	if (frame->sp & HG_PAST_FLAGS)
		past->of_no_use = true;
	if (!past->of_no_use)
		hg_past_add(past->next++, frame->ip, frame->sp, past->flags, frame->bp, rule);
	return rule;
}

/* Returns the flags of the frame to which the rule has led. */
static uintptr_t flags_after(uint32_t rule, const struct walk *walk)
{
	uintptr_t link = hg_rule_is_plain(rule) ? rule & HG_RULE_BY_RBP : HG_PAST_NONE;

	return link | (walk->bp_saved ? HG_PAST_SAVED : 0);
}

/*
 * Frames whose rules are at hand and like nearly all, on the part of the stack that is known to be
 * readable, and of which no trail is noted: with all that it needs in registers. It ends, with
 * nothing done, before the first other frame, or where the frames do: with no address.
 */
static unsigned walk_plainly(const struct span *span, struct walk *walk, struct hg_past_walk *past,
			     uint64_t *frames, unsigned count, unsigned room)
{
	const struct hg_past_frame *old = past->old;
	uintptr_t ip = walk->frame.ip, sp = walk->frame.sp, bp = walk->frame.bp;
	struct hg_past_frame *next = past->next;
	uintptr_t flags = past->flags;
	uint64_t rule;

	_Static_assert(HG_PAST_BP == HG_RULE_BY_RBP, "by which a frame is found");
	if (HG_UNLIKELY(sp & HG_PAST_FLAGS || sp < span->start || past->of_no_use))
		return count;
	while (count < room) {
		uintptr_t cfa = sp;

		if (HG_LIKELY(old->sp > (sp | HG_PAST_FLAGS))) {
			rule = hg_rule_at_hand(ip);
		} else {
			while (old->sp < sp)
				old++;
			if (old->ip != ip || hg_past_sp(old) != sp) {
				rule = hg_rule_at_hand(ip);
			} else {
				if (hg_past_more(old)->bp == bp &&
				    !((old->sp ^ flags) & HG_PAST_SAVED)) {
					past->old = old;
					past->next = next;
					past->flags = flags;
					count = follow(span, walk, past, frames, count, room);
					if (count == room)
						goto ended;
					old = past->old;
					next = past->next;
					flags = past->flags;
					ip = old->ip;
					cfa = sp = hg_past_sp(old);
					bp = hg_past_more(old)->bp;
				}
				rule = hg_past_more(old)->rule;
			}
		}
		if (HG_UNLIKELY(rule & HG_RULE_ODD)) {
			if (rule == hg_rule_odd(HG_ODD_UNKNOWN))
				rule = hg_rule_of_call(ip);
			if (rule == hg_rule_odd(HG_ODD_END)) {
				hg_past_add(next++, ip, sp, flags, bp, (uint32_t)rule);
				frames[count++] = ip;
				ip = 0;
			}
			if (rule & HG_RULE_ODD)
				break;
		}
		if (HG_UNLIKELY(rule & HG_RULE_BY_RBP)) {
			cfa = bp;
			if (flags & HG_PAST_SAVED) {
				if (bp < span->start || bp > span->end - sizeof(bp) || bp & 7u)
					break;
				cfa = *(const uintptr_t *)bp;
			}
			if (cfa & 7u)
				break;
		}
		cfa += (uintptr_t)hg_rule_cfa((uint32_t)rule);
		if (HG_UNLIKELY(cfa <= sp || cfa > span->end))
			break;
		hg_past_add(next++, ip, sp, flags, bp, (uint32_t)rule);
		frames[count++] = ip;
		if (rule & HG_RULE_BY_RBP) {
			bp = cfa - (uintptr_t)hg_rule_cfa((uint32_t)rule);
			flags = 0;
		}
		flags = (flags & HG_PAST_SAVED) | (rule & HG_RULE_BY_RBP);
		ip = *(const uintptr_t *)(cfa - sizeof(ip));
		sp = cfa;
		if (HG_LIKELY(rule & HG_RULE_SAVES)) {
			bp = cfa + (uintptr_t)hg_rule_rbp((uint32_t)rule);
			flags |= HG_PAST_SAVED;
		}
		if (HG_UNLIKELY(!ip))
			break;
	}
ended:
	walk->frame = (struct hg_frame){ ip, sp, bp };
	walk->bp_saved = flags & HG_PAST_SAVED;
	past->old = old;
	past->next = next;
	past->flags = flags;
	return count;
}

/*
 * The words that led through the frames of a walk, which are kept; false if there are frames that
 * are not plain.
 */
static bool note_words(const struct hg_past *past, uint32_t count, struct hg_cached_walk *trail)
{
	const struct hg_past_frame *frame = &past->frames[past->first], *end = frame + count;
	struct hg_cached_word *words = trail->read, *next = words;
	bool begun = false;

	if (2 * count > trail->room)
		return false;
	for (; frame < end; frame++) {
		const struct hg_past_more *more = hg_past_more(frame);
		uintptr_t cfa = hg_past_sp(frame), at;
		uint32_t rule = (uint32_t)more->rule;

		if (!hg_rule_is_plain(rule)) {
			if (frame + 1 != end || hg_rule_kind(rule) != CFI_END)
				return false;
			break;
		}
		if (rule & HG_RULE_BY_RBP) {
			cfa = more->bp;
			if (frame->sp & HG_PAST_SAVED) {
				cfa = *(const uintptr_t *)more->bp;
				*next++ = (struct hg_cached_word){ more->bp, cfa };
			} else if (!begun) {
				trail->bp_used = true;
			}
		}
		at = cfa + (uintptr_t)hg_rule_cfa(rule) - sizeof(at);
		*next++ = (struct hg_cached_word){ at, *(const uintptr_t *)at };
		begun |= (rule & HG_RULE_SAVES) != 0;
	}
	trail->count = (uint32_t)(next - words);
	return true;
}

/* ---- all of a walk ---- */

static void add_to_hash(const uint64_t *frames, unsigned count, uint64_t *hash)
{
	uint64_t sum = 0;

	for (unsigned i = 0; frames && i < count; i++)
		sum += hg_term(i, frames[i]);
	*hash = hg_mix(*hash, sum);
}

/* The stack ends where the walk does. */
static unsigned lost_way(unsigned count, const uint64_t *frames, uint64_t *hash,
			 struct hg_cached_walk *trail)
{
	if (trail)
		trail->count = trail->room + 1;
	add_to_hash(frames, count, hash);
	return count;
}

/* A walk in progress. */
struct progress {
	struct span span;
	struct walk walk;
	struct hg_past_walk past;
	unsigned count;
	bool exact; /* a signal has interrupted the frame's very instruction */
	bool other; /* it is on another stack than it was at first */
};

enum end { GOES_ON, ENDS, LOST };

/* Goes one frame outwards, of any kind, or of which nothing is known so far; its address was
 * noted. */
static __attribute__((noinline, cold)) enum end frame_otherwise(struct progress *at)
{
	struct hg_frame *frame = &at->walk.frame;
	uintptr_t before = frame->sp;
	uint32_t rule = at->exact ? hg_rule_exact(frame->ip) : rule_of(&at->past, &at->walk);

	at->exact = false;
	switch (hg_rule_kind(rule)) {
	case CFI_RSP:
	case CFI_RBP:
	case CFI_RBP_DEREF:
		if (!step(&at->span, &at->walk, rule))
			return LOST;
		at->past.flags = flags_after(rule, &at->walk);
		return frame->ip ? GOES_ON : ENDS;
	case CFI_SIGNAL:
		if (!hg_tls.interrupted)
			hg_tls.interrupted = before;
		at->past.of_no_use = true;
		if (!step_signal(&at->span, &at->walk))
			return LOST;
		at->exact = true;
		if (frame->sp - before > MAX_GROWTH || frame->sp >= at->span.end) {
			at->other = true;
			if (!on_other_stack(&at->span, frame->sp))
				return LOST;
		}
		return GOES_ON;
	case CFI_END:
		return ENDS;
	default:
		return LOST;
	}
}

/* Walks. Words are noted in `trail` as they are read, or in `later` afterwards; *noted becomes true
 * if that was possible. */
static unsigned walk_from(const struct hg_frame *start, const void *caller, uint64_t *frames,
			  unsigned room, uint64_t *hash, struct hg_cached_walk *trail,
			  struct hg_cached_walk *later, bool *noted)
{
	struct progress at = { .span = { hg_tls.stack_start, hg_tls.stack_end, trail },
			       .walk = { .frame = *start } };
	const struct hg_frame *frame = &at.walk.frame;
	enum end end = GOES_ON;
	unsigned skipped = 0;

	hg_past_begin(&at.past, __atomic_load_n(&epoch, __ATOMIC_RELAXED));
	hg_tls.interrupted = 0;
	if (HG_UNLIKELY(start->sp - at.span.start >= at.span.end - at.span.start)) {
		at.span.start = start->sp & ~(uintptr_t)(PAGE - 1);
		at.span.end = at.span.start + PAGE;
	}
	while (at.count < room && end == GOES_ON) {
		bool counts = at.count || frame->ip == (uintptr_t)caller;

		if (HG_LIKELY(counts && !trail && frames && !at.exact)) {
			at.count =
			    walk_plainly(&at.span, &at.walk, &at.past, frames, at.count, room);
			if (at.count == room || !frame->ip)
				break;
		}
		if (HG_LIKELY(counts)) {
			if (HG_LIKELY(frames != NULL))
				frames[at.count] = frame->ip;
			at.count++;
		} else if (++skipped > HG_PAST_OWN_FRAMES) {
			hg_past_end(&at.past);
			return 0;
		}
		end = frame_otherwise(&at);
	}
	if (HG_LIKELY(end != LOST && !at.past.of_no_use)) {
		hg_past_keep(&at.past);
		*noted = later && note_words(at.past.past, at.count + skipped, later);
	}
	hg_past_end(&at.past);
	if (HG_UNLIKELY(end == LOST))
		return lost_way(at.count, frames, hash, trail);
	if (HG_LIKELY(!at.other)) {
		hg_tls.stack_start = at.span.start;
		hg_tls.stack_end = at.span.end;
	} else if (trail) {
		trail->count = trail->room + 1;
	}
	add_to_hash(frames, at.count, hash);
	return at.count;
}

unsigned hg_unwind_from(const struct hg_frame *start, const void *caller, uint64_t *frames,
			unsigned room, uint64_t *hash, struct hg_cached_walk *trail)
{
	uint64_t before = *hash;
	bool noted = false;
	unsigned count = walk_from(start, caller, frames, room, hash, NULL, trail, &noted);

	if (!trail || !count || noted)
		return count;
	trail->count = 0;
	trail->bp_used = false;
	*hash = before;
	return walk_from(start, caller, frames, room, hash, trail, NULL, &noted);
}

const struct hg_past_frame *hg_unwind_last(const struct hg_frame *start, const uint64_t *frames,
					   unsigned count)
{
	const struct hg_past *past = hg_tls.thread ? hg_tls.thread->past : NULL;
	const struct hg_past_frame *first, *end;

	if (!past || !past->epoch || past->first == HG_PAST_FRAMES ||
	    hg_past_sp(&past->frames[past->first]) != start->sp)
		return NULL;
	first = &past->frames[past->first];
	end = &past->frames[HG_PAST_FRAMES];
	for (unsigned own = 0; own < HG_PAST_OWN_FRAMES && first < end; own++, first++)
		if (first->ip == frames[0])
			break;
	if (count > (size_t)(end - first))
		return NULL;
	for (unsigned i = 0; i < count; i++)
		if (first[i].ip != frames[i])
			return NULL;
	return first;
}

__attribute__((noinline)) unsigned hg_unwind(const void *caller, uint64_t *frames, unsigned room,
					     uint64_t *hash)
{
	struct hg_frame start;

	hg_unwind_start(&start);
	return hg_unwind_from(&start, caller, frames, room, hash, NULL);
}
