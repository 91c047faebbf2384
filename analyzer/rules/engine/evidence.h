/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding that stands for several of a kind rests on these: the instructions, the memory, the
 * pages and the calls that gave these their granularity, the numbers in its sentences. A sentence
 * about all of them holds for each.
 */
#ifndef HIPGRAIN_RULES_EVIDENCE_H
#define HIPGRAIN_RULES_EVIDENCE_H

#include "analyzer/isa/isa.h"
#include "analyzer/rules/engine/findings.h"

/* ---- instructions ---- */

struct code_site {
	char *instruction;   /* mnemonic */
	char *function;      /* device function that holds it, NULL: the kernel itself */
	int64_t code_offset; /* bytes from that function's entry */
	char *file;          /* source, NULL without line tables */
	unsigned line;
};

/*
 * The finding is about this instruction, too. The first one is what finding->instruction and its
 * neighbours name. Strings are copied; a relative part of an absolute path is resolved.
 */
void finding_add_instruction(struct finding *finding, const struct code_site *site);

/* ---- memory ---- */

/*
 * The finding is about this memory, too: sizes of all, and offsets in them. The first is
 * finding->allocation. The allocation of `place` may be NULL.
 */
void finding_met(struct finding *finding, const struct place *place);

/* The finding is about the piece of a pool there, too, unless that was given back before. */
void finding_set_piece(struct finding *finding, const struct place *place);

/* Returns the bytes of the live piece of a pool there, or else of the allocation. */
uint64_t place_size(const struct place *place);
/*
 * Returns the bytes that a kernel's `use` of the pointer that leads there can touch: those that
 * the machine code tells if all accesses are known, as far as they are in the allocation, else
 * place_size().
 */
uint64_t place_used(const struct place *place, const struct isa_kernel *code,
		    const struct isa_use *use);
/*
 * Returns 'piece "energy" (64 bytes) of pool "arena"', "64 bytes from hipMalloc" or the like, of an
 * allocation; the caller frees it.
 */
char *place_words(const struct place *place, const char *size);
/* Returns the same of a piece. */
char *piece_words(const struct pool_piece *piece, const char *size);
/* Returns what is the same for memory that was taken from a pool by one name at one place; static
 * until the next call of the thread. */
const char *piece_key(const struct place *place);

/* Part of an allocation, all of one granularity. */
struct page_stretch {
	uint64_t offset, size; /* bytes from the allocation's start */
	enum granularity granularity;
	bool advised; /* `call` decided it */
	struct page_call call;
};

/*
 * The stretches of the finding's allocation as they are now, where any call decided one of them;
 * `plain` is what the others are. Nothing is added where no call did.
 */
void finding_set_pages(struct finding *finding, const struct process *process,
		       enum granularity plain);

/* Returns "hipMemAdviseSetCoarseGrain" or the like; static. */
const char *page_call_name(const struct page_call *call);

/* Memory that an address nobody could follow may lead to. */
struct candidate {
	struct allocation *allocation; /* the first of its call; a reference */
	uint64_t count;                /* allocations of that call with the same flags */
	uint64_t least, most;          /* bytes */
	enum granularity granularity;
	bool mixed;
	int64_t kernarg; /* offset of an argument that leads there, -1 if none does */
	char *why;       /* the chain that made it so */
};

/* It is one of those; `why` is copied. At most CANDIDATES_MOST calls are kept apart. */
#define CANDIDATES_MOST 64
void finding_add_candidate(struct finding *finding, struct allocation *allocation,
			   enum granularity granularity, bool mixed, const char *why,
			   int64_t kernarg);

/* ---- numbers in sentences ---- */

/* In a message or a fix: number `n` of the finding, a digit. */
#define FIGURE(n) "\x1f" #n "\x1f"

enum figure_kind {
	FIGURE_RANGE, /* "8", or "8 to 64" where they differ */
	FIGURE_SUM,
	FIGURE_MOST, /* "64", or "up to 64" where they differ */
};

/* Adds one more occurrence, which has `value` for the figure. */
void finding_figure(struct finding *finding, unsigned n, enum figure_kind kind, uint64_t value);

/*
 * The message names something of this occurrence that has no figure: a stream, a device, an error;
 * `detail` sums it up. Where occurrences differ in it the message says that it is about the first.
 */
void finding_detail(struct finding *finding, uint64_t detail);

/* Does the same as place_text(), with the size as figure `n`, so that other sizes can join it. */
char *place_figure(struct finding *finding, unsigned n, const struct place *place);

/* Sets another message, which is taken over, in place of what is there. */
void finding_set_message(struct finding *finding, char *message);
void finding_set_fix(struct finding *finding, char *fix);

/* Write the numbers into message and fix, which keep their patterns. */
void finding_render(struct finding *finding);
/* The report adds this to a sentence that does not hold for all. */
#define FINDING_VARIES " This describes the first occurrence; others differ."

/* ---- several findings ---- */

/* Adds what `from` rests on to `to`; occurrences are not added. */
void finding_join(struct finding *to, const struct finding *from);

/* Set up the evidence of a new finding, and free that of one that ends. */
void evidence_init(struct finding *finding);
void evidence_free(struct finding *finding);

#endif
