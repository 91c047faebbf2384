/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This reads call-frame information of loaded code, reduced to what a walk from caller to caller
 * needs on x86-64: where the frame ends and where rbp was saved.
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_CFI_H
#define HIPGRAIN_PRELOAD_STACKS_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This says what is known of the code at an address. The CFA is the stack pointer after the
 * function returned. */
enum cfi_kind {
	CFI_RSP = 1,   /* CFA = rsp + cfa */
	CFI_RBP,       /* CFA = rbp + cfa */
	CFI_RBP_DEREF, /* CFA = *(rbp + cfa), in functions that align their stack */
	CFI_SIGNAL,    /* a signal handler's return: the registers are in a ucontext_t at rsp */
	CFI_END,       /* the outermost frame */
	CFI_OTHER,     /* described in a way that is not handled here */
	CFI_UNKNOWN,   /* not described */
};

enum cfi_saved {
	CFI_SAME,   /* rbp is as in the caller */
	CFI_AT_CFA, /* saved at CFA + rbp */
	CFI_AT_RBP, /* saved at rbp + rbp */
};

struct cfi_rule {
	uint8_t kind;  /* enum cfi_kind */
	uint8_t saved; /* enum cfi_saved */
	int32_t cfa;
	int32_t rbp;
};

/* Returns the table of the object that has the address (its PT_GNU_EH_FRAME), or NULL if there is
 * none. */
typedef const uint8_t *cfi_find_table(uintptr_t pc);

/*
 * Finds the rule in force at `pc`: for a return address, pass one less, which lies in the call. It
 * reads only what the object maps, takes no locks and allocates nothing. It always gives a rule.
 * Formats are those of DWARF 5, 6.4, and Linux Standard Base 5.0, 10.6 (.eh_frame, .eh_frame_hdr).
 */
void cfi_find(cfi_find_table *find_table, uintptr_t pc, struct cfi_rule *rule);

/* Returns true if a function with call-frame information begins there. */
bool cfi_is_start(cfi_find_table *find_table, uintptr_t pc);

#endif
