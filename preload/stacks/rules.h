/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call-frame rules by the address of the code, packed into 32 bits, and the table of those that
 * were looked for before.
 *
 * The rules stand in a table of one 64-bit word each, so that readers need no lock: 31 bits of
 * the key (the other 16 are the word's place, and a multiplication by an odd number can be
 * undone, so a hit is exact), one bit that tells a word in its neighbour's place, and 32 bits of
 * rule. The word's place is shared by all threads, and a wrong guess at who writes last costs a
 * look into .eh_frame, no more.
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_RULES_H
#define HIPGRAIN_PRELOAD_STACKS_RULES_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/stacks/cfi.h"

#define HG_RULE_PLACE_BITS 16u
#define HG_RULE_TAG_BITS   31u
#define HG_RULE_KEY_BITS   (HG_RULE_PLACE_BITS + HG_RULE_TAG_BITS) /* user addresses have 47 */

/*
 * Of a rule, from the least significant bit: 1, whether the frame's end is found by rbp; 1, whether
 * rbp is saved at that end; what is odd about it, 3; rbp 10; cfa 17 (signed, in words). Nearly all
 * are plain: nothing is odd.
 */
#define HG_RULE_BY_RBP   1u
#define HG_RULE_SAVES    2u
#define HG_RULE_ODD      0x1cu
#define HG_RULE_ODD_AT   2u
#define HG_RULE_RBP_AT   5u
#define HG_RULE_RBP_BITS 10u
#define HG_RULE_CFA_AT   (HG_RULE_RBP_AT + HG_RULE_RBP_BITS)
#define HG_RULE_CFA_BITS (32 - HG_RULE_CFA_AT)

enum hg_rule_odd {
	HG_ODD_AT_RBP = 1, /* rbp is saved at an address that is found by rbp */
	HG_ODD_DEREF,      /* CFI_RBP_DEREF */
	HG_ODD_DEREF_AT_RBP,
	HG_ODD_SIGNAL,
	HG_ODD_END,
	HG_ODD_OTHER,
};

/* NULL: hg_rules_init() was not called. */
extern HG_HIDDEN _Atomic uint64_t *hg_rules;

/*
 * Changes whenever a rule is looked for in call-frame information, before it is used, and when the
 * objects are to be recorded anew; atomic.
 */
extern HG_HIDDEN uint32_t hg_rules_found;

int hg_rules_init(void);
void hg_rules_flush(void); /* forget all */
/* The rule at the call before a return address. */
uint32_t hg_rule_of_call(uintptr_t address);
/* Of an instruction that a signal has interrupted. */
uint32_t hg_rule_exact(uintptr_t pc);

static inline uint32_t hg_rule_odd(enum hg_rule_odd odd)
{
	return (uint32_t)odd << HG_RULE_ODD_AT;
}

static inline bool hg_rule_is_plain(uint32_t rule)
{
	return !(rule & HG_RULE_ODD);
}

/* enum cfi_kind, enum cfi_saved */
static inline unsigned hg_rule_kind(uint32_t rule)
{
	static const uint8_t kinds[] = { CFI_RSP,    CFI_RSP, CFI_RBP_DEREF, CFI_RBP_DEREF,
					 CFI_SIGNAL, CFI_END, CFI_OTHER,     CFI_OTHER };

	return rule & HG_RULE_BY_RBP ? CFI_RBP : kinds[(rule & HG_RULE_ODD) >> HG_RULE_ODD_AT];
}

static inline unsigned hg_rule_saved(uint32_t rule)
{
	uint32_t odd = rule & HG_RULE_ODD;

	if (odd == hg_rule_odd(HG_ODD_AT_RBP) || odd == hg_rule_odd(HG_ODD_DEREF_AT_RBP))
		return CFI_AT_RBP;
	return rule & HG_RULE_SAVES ? CFI_AT_CFA : CFI_SAME;
}

static inline int64_t hg_rule_cfa(uint32_t rule)
{
	return (int64_t)((int32_t)rule >> HG_RULE_CFA_AT) * 8;
}

static inline int64_t hg_rule_rbp(uint32_t rule)
{
	return (int64_t)((int32_t)(rule << HG_RULE_CFA_BITS) >> (32 - HG_RULE_RBP_BITS)) * 8;
}

static inline uint64_t hg_rule_key(uintptr_t address)
{
	return address * 0x9e3779b97f4a7c15u;
}

static inline uint32_t hg_rule_place(uint64_t key)
{
	return (uint32_t)(key >> HG_RULE_TAG_BITS) & ((1u << HG_RULE_PLACE_BITS) - 1);
}

/* What is above the rule in a word at its place: the tag. */
static inline uint64_t hg_rule_tag(uint64_t key)
{
	return key << (64 - HG_RULE_TAG_BITS);
}

/*
 * The rule of a call that is where it is first looked for; else not of use: more than 32 bits, or a
 * plain one of a frame that has no end.
 */
static inline uint64_t hg_rule_at_hand(uintptr_t address)
{
	uint64_t key = hg_rule_key(address);
	uint64_t word = atomic_load_explicit(&hg_rules[hg_rule_place(key)], memory_order_relaxed);

	return word ^ hg_rule_tag(key);
}

#endif
