/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds call-frame rules by the address of the code, packed into 32 bits, and keeps a table of
 * those that were looked for before.
 *
 * The table's words stand for one return address each: the address and the number of a rule, of
 * which there are few. So readers need no lock, and a word may be anywhere. It grows, as a walk
 * looks for rules all over it: a page takes a place in the processor's table of pages, which the
 * program needs, too. The words' places are shared by all threads, and a wrong guess at who writes
 * last costs a look into .eh_frame, no more.
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_UNWIND_RULES_H
#define HIPGRAIN_PRELOAD_STACKS_UNWIND_RULES_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/stacks/cfi.h"

#define HG_RULE_NUMBER_BITS 16u /* user addresses have 47 */

/*
 * A rule has, from the least significant bit: 1 bit that is set if the frame's end is found by rbp;
 * 1 that is set if rbp is saved at that end; 3 for what is odd about it; 10 for rbp; 17 for cfa
 * (both signed, in words). Nearly all are plain: nothing is odd.
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
	HG_ODD_UNKNOWN, /* the rule is not at hand */
};

struct hg_rule_table {
	uint64_t places; /* a power of two */
	_Atomic uint64_t words[] __attribute__((aligned(64)));
};

/* Atomic; NULL: hg_rules_init() was not called. */
extern HG_HIDDEN struct hg_rule_table *hg_rules;
extern HG_HIDDEN _Atomic uint32_t hg_rules_by_number[1u << HG_RULE_NUMBER_BITS];

/*
 * Changes whenever a rule is looked for in call-frame information, before it is used, and when the
 * objects are to be recorded anew; atomic.
 */
extern HG_HIDDEN uint32_t hg_rules_found;

int hg_rules_init(void);
void hg_rules_flush(void); /* forget all */
/* Returns the rule at the call before a return address. */
uint32_t hg_rule_of_call(uintptr_t address);
/* Returns the rule at an instruction that a signal has interrupted. */
uint32_t hg_rule_exact(uintptr_t pc);

static inline uint32_t hg_rule_odd(enum hg_rule_odd odd)
{
	return (uint32_t)odd << HG_RULE_ODD_AT;
}

static inline bool hg_rule_is_plain(uint32_t rule)
{
	return !(rule & HG_RULE_ODD);
}

/* The first returns an enum cfi_kind, the second an enum cfi_saved. */
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

static inline uint64_t hg_rule_place(const struct hg_rule_table *table, uintptr_t address)
{
	return address * 0x9e3779b97f4a7c15u >> 40 & (table->places - 1);
}

/* Returns the rule of a call if it lies where it is looked for first; else HG_ODD_UNKNOWN. */
static inline uint32_t hg_rule_at_hand(uintptr_t address)
{
	const struct hg_rule_table *table = __atomic_load_n(&hg_rules, __ATOMIC_ACQUIRE);
	uint64_t word = atomic_load_explicit(&table->words[hg_rule_place(table, address)],
					     memory_order_relaxed);

	if (HG_UNLIKELY(word >> HG_RULE_NUMBER_BITS != address))
		return hg_rule_odd(HG_ODD_UNKNOWN);
	return atomic_load_explicit(&hg_rules_by_number[(uint16_t)word], memory_order_relaxed);
}

#endif
