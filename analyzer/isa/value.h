/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The abstract value of one 32-bit register.
 *
 * A value is a small set of alternatives; an alternative is a sum of bases (each once, added or
 * subtracted), a constant and, if OPAQUE, some number that is not followed. A 64-bit pointer is
 * two values whose bases belong together: dwords o and o+4 of the kernarg segment, dwords i and
 * i+1 of one load, and so on. It is the pairing that tells a pointer from an index that was
 * added to its lower half.
 *
 * Only sums are followed exactly. A number that is added to a pointer is an index, whatever it was
 * computed from. Where bits are combined in another way, a term says less: a mask that is not
 * known leaves the term or nothing (SIGN_MAYBE), and everything else leaves BASE_DELTA, which
 * makes a pointer of that base unknown.
 *
 * Values are interned: equal values have equal ids, so that states compare and copy as numbers.
 */
#ifndef HIPGRAIN_ISA_VALUE_H
#define HIPGRAIN_ISA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t value_id;

#define VALUE_BOTTOM 0u /* never written on any path seen so far */
#define VALUE_NUMBER 1u /* OPAQUE without bases: a number that is no pointer */

enum base_kind {
	BASE_KERNARG = 1,  /* payload: byte offset of the dword in the kernarg segment */
	BASE_LOADED,       /* payload: site << 4 | dword of a load from memory */
	BASE_KERNARG_PTR,  /* the kernarg segment's own address; payload: 0 low, 1 high */
	BASE_DISPATCH_PTR, /* likewise, the dispatch packet; 2 and 3: the queue */
	BASE_IMAGE,  /* address in the code object; low: constant = address, payload as above */
	BASE_SYMBOL, /* payload: symbol index; low half; pairs with BASE_IMAGE high */
	BASE_APERTURE_RAW, /* SH_MEM_BASES field: payload 0 private, 1 shared */
	BASE_APERTURE,     /* high half of the private (0) or shared (1) aperture */
	BASE_SCRATCH_RSRC, /* dword payload of the private segment buffer's descriptor */
	/*
	 * Some number times the difference of a dword from something else, or bits of it combined
	 * with bits of something else; payload: DELTA_KERNARG | byte offset, DELTA_IMAGE, or as for
	 * BASE_LOADED. p + 0 * (q - p) and p + 1 * (q - p) look alike.
	 */
	BASE_DELTA,
	BASE_RESULT,  /* computed from what was loaded: a row of swaps.c, in its pass only */
	BASE_TRUE,    /* result of a comparison that holds in all lanes of the mask named payload */
	BASE_FALSE,   /* that holds in none of them */
	BASE_MASK,    /* exec as it was when shrink site payload was the innermost */
	BASE_SUBMASK, /* some subset of that */
	BASE_BOTH,    /* exec while both sides of the if at shrink site payload were active */
	BASE_PART,    /* a set of lanes that together with exec makes that mask */
};

#define BASE(kind, payload) ((uint32_t)(kind) << 27 | (uint32_t)(payload))
#define BASE_KIND(base)     ((base) >> 27)
#define BASE_PAYLOAD(base)  ((base)&0x7ffffffu)
#define BASE_PAYLOAD_MAX    0x7ffffffu
#define DELTA_KERNARG       (1u << 26)
#define DELTA_IMAGE         (1u << 26 | 1u << 25) /* of any address in the code object */
#define BASE_IS_MASK(base)  (BASE_KIND(base) >= BASE_MASK)

#define ALT_OPAQUE          1u /* plus a number that is not followed */
#define ALT_TAINT           2u /* plus something that might be a pointer: `why` */
#define ALT_NOCONST         4u /* the constant is not known (it is 0, or what `stride` says) */
#define ALT_LOST            8u /* with ALT_TAINT: a pointer may have been subtracted, too */
/* Terms that value_store.keep does not ask for were too many: of those left out, some were... */
#define ALT_MORE   16u /* added */
#define ALT_LESS   32u /* subtracted, or BASE_DELTA */

#define ALT_TERMS  6
#define VALUE_ALTS 16

/* Signs of terms; a negative one is subtracted. */
#define SIGN_WHOLE 1
#define SIGN_MAYBE 2 /* or nothing, or some of its bits */
#define SIGN_CUT   3 /* its lower bits: of a pointer, the upper half at most */

struct term {
	uint32_t base;
	int32_t sign;
};

struct alt {
	uint8_t flags;
	uint8_t term_count;
	uint16_t why; /* index of a reason, with ALT_TAINT */
	int32_t constant;
	/*
	 * With ALT_OPAQUE: the number that is not followed is a multiple of this; 0: of 1. With
	 * ALT_NOCONST `constant` is then what remains of it, at least 0. In 32 bits only a power of
	 * 2 survives an overflow: others are kept beside a base alone, of an address that has
	 * another half with the same one, or to which distances of more than 32 bits were added.
	 */
	uint32_t stride;
	/*
	 * With ALT_OPAQUE and no other flag: the number that is not followed is at least 0 and at
	 * most this, and the sum with the constant does not overflow. 0: not known. Then a stride
	 * that is no power of 2 is kept as well.
	 */
	uint32_t bound;
	struct term term[ALT_TERMS]; /* ascending by base */
};

struct lane {
	uint32_t lane;
	value_id value;
};

#define VALUE_LANES 64

/* Either alternatives, or (lanes != NULL) a vector register used to keep scalars in its lanes. */
struct value {
	uint32_t alt_count;
	struct alt *alt;
	uint32_t lane_count;
	struct lane *lane; /* ascending */
	value_id rest;     /* the lanes not listed */
	uint32_t sole;     /* the only base, with nothing added, or 0 */
	uint64_t hash;
};

#define SIMPLE_CACHE 128u /* powers of two */
#define SUM_CACHE    256u
#define REASON_CACHE 32u

struct value_store {
	struct value *value;
	size_t count, room;
	value_id *table;
	size_t table_size;
	struct {
		value_id a, b, result;
	} * join_cache, *widen_cache, *sum_cache;
	/* value_const(), whose base is 0, and value_base(); bottom: none. */
	struct simple_value {
		uint32_t base;
		int32_t constant;
		value_id value;
	} simple[SIMPLE_CACHE];
	/*
	 * It tells if a term of that base must be kept, because it is known to be a pointer; NULL:
	 * each is.
	 */
	bool (*keep)(const void *user, uint32_t base);
	const void *user;
	/* Alternatives and lanes of values lie in these, which are freed together. */
	struct value_chunk {
		struct value_chunk *next;
		uint64_t bytes[];
	} * chunk;
	size_t chunk_left;
	value_id *mixed; /* flow_mixed() by value, for the first mixed_count; 0: not computed */
	size_t mixed_count;
	/* value_unknown() by where its text lies; NULL: none. */
	struct known_reason {
		const char *text; /* one of reason[] */
		value_id value;
	} known[REASON_CACHE];
	const char *reason[256]; /* static strings or owned by owned[] */
	char *owned[256];
	unsigned reason_count;
	bool failed; /* out of memory: every result since is VALUE_BOTTOM and worthless */
};

/* 0 or -ENOMEM; then there is nothing to free. */
int value_init(struct value_store *store);
void value_free(struct value_store *store);
/* Returns a value, which is valid until the next value is made. */
static inline const struct value *value_get(const struct value_store *store, value_id id)
{
	return &store->value[id];
}

/* Index of a reason (copied); the same text gives the same index. */
uint16_t value_reason(struct value_store *store, const char *text);

/* These are a known number; a base with a number added; what is not known, and why (copied). */
value_id value_const(struct value_store *store, int32_t constant);
value_id value_base(struct value_store *store, uint32_t base, int32_t constant);
value_id value_unknown(struct value_store *store, const char *why);

/* Intern a set of alternatives (merged, bounded; overflow gives an unknown value). */
value_id value_alts(struct value_store *store, const struct alt *alt, size_t count);

/* Returns true if something may be subtracted in one of them. */
bool value_subtracts(const struct alt *alt, size_t count);
/* In place of values that are too many or too large to be kept. */
value_id value_give_up(struct value_store *store, const char *why, bool subtracted);

/* Two that differ, and are not bottom. */
value_id value_join_both(struct value_store *store, value_id a, value_id b);
/* Either of them: what both paths may have left in a register. */
static inline value_id value_join(struct value_store *store, value_id a, value_id b)
{
	if (a == b || b == VALUE_BOTTOM)
		return a;
	return a == VALUE_BOTTOM ? b : value_join_both(store, a, b);
}
/* Like join, but so that a loop converges: constants that differ are given up. */
value_id value_widen(struct value_store *store, value_id a, value_id b);

/* Sum and difference of 32-bit values. */
value_id value_add(struct value_store *store, value_id a, value_id b);
value_id value_sub(struct value_store *store, value_id a, value_id b);
/* A number is added: bases stay, the constant goes. */
value_id value_blur(struct value_store *store, value_id a);
/* Returns what arithmetic that is not followed makes of it: a number; bottom stays bottom. */
value_id value_number(value_id a);
/* Some multiple of a number; without ALT_OPAQUE anywhere a multiple of 0 is 0. */
value_id value_multiple(struct value_store *store, uint32_t stride);
/* The same from 0 to `bound`; a bound above VALUE_BOUND says nothing. */
#define VALUE_BOUND 0x7fffffffu
value_id value_bounded(struct value_store *store, uint32_t stride, uint64_t bound);
/* Returns true if it is a number from 0 to *top, which is at most VALUE_BOUND. */
bool value_top(const struct value_store *store, value_id a, uint32_t *top);
/* Returns the value without what is known of bounds. */
value_id value_unbounded(struct value_store *store, value_id a);
/* Returns a number of which it is a multiple, whatever it is; 0: it is 0. */
uint32_t value_stride(const struct value_store *store, value_id a);
/* Returns the largest number of which all three are multiples. */
uint32_t value_divisor(uint32_t a, uint32_t b, uint32_t c);
/* Returns the largest power of 2 that divides it; 0 of 0. */
uint32_t value_power(uint32_t stride);

/* The constant, if that is all the value can be. */
bool value_constant(const struct value_store *store, value_id a, int32_t *constant);
/* Returns the only base with nothing added, or 0. */
static inline uint32_t value_sole_base(const struct value_store *store, value_id a)
{
	return a > VALUE_NUMBER ? value_get(store, a)->sole : 0;
}
/* Returns true if an alternative has a base of that kind. */
bool value_has(const struct value_store *store, value_id a, enum base_kind kind);

/* A lane of a vector register becomes `scalar` (v_writelane), or is read (v_readlane). */
value_id value_lane_write(struct value_store *store, value_id vector, uint32_t lane,
			  value_id scalar);
/* Tells if lanes of a vector register were written one by one: it holds spilled scalars. */
bool value_holds_lanes(const struct value_store *store, value_id value);
value_id value_lane_read(struct value_store *store, value_id vector, uint32_t lane);
/* For use as an ordinary vector: a register with spilled lanes is not followed. */
value_id value_plain(struct value_store *store, value_id a);

#endif
