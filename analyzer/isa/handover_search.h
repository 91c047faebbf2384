/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search for handovers: between handover.c and handover_pointer.c. */
#ifndef HIPGRAIN_ISA_HANDOVER_SEARCH_H
#define HIPGRAIN_ISA_HANDOVER_SEARCH_H

#include "handover.h"

/* These limit each kind; code that has more is not looked at, or no further. */
#define POINTS    96u
#define FENCES    96u
#define HANDOVERS 64u

struct point {
	const struct access *access;
	struct code_point at;
	struct isa_origin origin;
	struct place place;
	bool borrowed; /* the origin belongs to another list */
	bool waits;    /* reads: the loop that it is in waits for it */
	bool update; /* reads: a loop around it computes what is stored there, no signal is awaited
		      */
	bool followed; /* reads: it is a pointer that data are read by */
};

struct points {
	struct point point[POINTS];
	unsigned count;
};

struct search {
	struct isa_analysis *analysis;
	struct flow *flow;
	const struct flow_entry *entry;
	struct isa_kernel *kernel;
	const struct function *function;
	struct points *data_writes, *data_reads, *flag_writes, *flag_reads;
	struct points *behind; /* reads by pointers that flag_reads read, in the same order */
	struct point *pointer[POINTS];
	struct code_point release[FENCES], acquire[FENCES];
	unsigned release_count, acquire_count;
	bool **reached[2]; /* by block, or NULL: which blocks are behind it; [1]: by address */
};

/* ---- handover.c ---- */

bool handover_is_coherent(const struct search *search, const struct insn *insn);
/* Returns true if it accesses global or flat memory, not LDS. */
bool handover_is_vector_memory(const struct insn *insn);
/* Finds where an instruction is. Returns false if it is in no block. */
bool handover_find_point(const struct function *function, const struct insn *insn,
			 struct code_point *at);
/* Returns true if both may access the same bytes behind one argument, or in one variable. */
bool handover_same_memory(const struct point *a, const struct point *b);
/* Returns true if one of the fences may lie between the two. */
bool handover_between(struct search *search, struct code_point a, struct code_point b,
		      const struct code_point *fence, unsigned count);
/* Add a side to the kernel's, or what is worse to one that is there. 0 or -ENOMEM. */
int handover_add(struct search *search, const struct point *flag, const struct point *data,
		 const struct isa_handover *facts);

/* ---- handover_pointer.c ---- */

/* Find loads by pointers that were read as flags are: search->behind. */
void handover_find_followed(struct search *search);
/* Returns true if the flag is a pointer to the data, which somebody here follows. */
bool handover_is_pointer_to(const struct search *search, const struct point *flag,
			    const struct point *data);
/* Adds the reading sides of these pointers. Returns 0 or -ENOMEM. */
int handover_find_followers(struct search *search);

#endif
