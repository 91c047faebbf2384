/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of gfx9 and gfx10 encodings that may vary [LUG, "Instructions" of GFX9 and GFX10; the bits
 * as their assembler encodes them]. A field too many, or one that means something else in some
 * instruction, costs time only: what the disassembler makes of it decides.
 */
#include "pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS   6u
#define SLOTS    (1u << 14) /* a power of two */
#define SCALARS  102u       /* s0 to s101; what follows has other names */
#define UNUSABLE UINT32_MAX
#define UNTRIED  (UINT32_MAX - 1) /* met once: what is not met again is not worth a pattern */
/* A vector instruction with these as source has more about its sources behind it. */
#define SDWA 0xf9u
#define DPP  0xfau

enum field_kind {
	FIELD_END,
	FIELD_VECTOR,    /* number of a vector register, 8 bits */
	FIELD_SOURCE,    /* scalar register, constant, or from 256 on vector register, 9 bits */
	FIELD_SCALAR,    /* scalar register or constant, 8 bits */
	FIELD_SCALAR_TO, /* scalar register, 7 bits */
	FIELD_PAIR,      /* the same in units of two, 6 bits */
	FIELD_QUAD,      /* the same in units of four, 5 bits */
	FIELD_NUMBER12,  /* a number; the highest bit may be a sign */
	FIELD_NUMBER13,
	FIELD_NUMBER16,
	FIELD_NUMBER21,
};

static const struct {
	uint8_t width, unit;
} kinds[] = {
	[FIELD_VECTOR] = { 8, 1 },    [FIELD_SOURCE] = { 9, 1 },    [FIELD_SCALAR] = { 8, 1 },
	[FIELD_SCALAR_TO] = { 7, 1 }, [FIELD_PAIR] = { 6, 2 },      [FIELD_QUAD] = { 5, 4 },
	[FIELD_NUMBER12] = { 12, 1 }, [FIELD_NUMBER13] = { 13, 1 }, [FIELD_NUMBER16] = { 16, 1 },
	[FIELD_NUMBER21] = { 21, 1 },
};

struct field {
	uint8_t kind, shift;
};

/* Generations that have an encoding. */
#define GFX9  (1u << ARCH_GFX9)
#define GFX10 (1u << ARCH_GFX10)
#define BOTH  (GFX9 | GFX10)

/* The first row that fits is taken. SDWA and DPP have one more source, in the second word. */
static const struct encoding {
	uint8_t generations;
	uint32_t mask, value;
	struct field field[FIELDS];
} encodings[] = {
	/* VOP1 */
	{ BOTH,
	  0xfe000000,
	  0x7e000000,
	  { { FIELD_SOURCE, 0 }, { FIELD_VECTOR, 17 }, { FIELD_VECTOR, 32 } } },
	/* VOPC */
	{ BOTH,
	  0xfe000000,
	  0x7c000000,
	  { { FIELD_SOURCE, 0 }, { FIELD_VECTOR, 9 }, { FIELD_VECTOR, 32 } } },
	/* VOP2 */
	{ BOTH,
	  0x80000000,
	  0,
	  { { FIELD_SOURCE, 0 },
	    { FIELD_VECTOR, 9 },
	    { FIELD_VECTOR, 17 },
	    { FIELD_VECTOR, 32 } } },
	/* SOP1 */
	{ BOTH, 0xff800000, 0xbe800000, { { FIELD_SCALAR, 0 }, { FIELD_SCALAR_TO, 16 } } },
	/* SOPC */
	{ BOTH, 0xff800000, 0xbf000000, { { FIELD_SCALAR, 0 }, { FIELD_SCALAR, 8 } } },
	/* SOPP: s_branch, s_cbranch_*; others take the number apart */
	{ BOTH, 0xffff0000, 0xbf820000, { { FIELD_NUMBER16, 0 } } },
	{ BOTH, 0xfffc0000, 0xbf840000, { { FIELD_NUMBER16, 0 } } },
	{ BOTH, 0xfffe0000, 0xbf880000, { { FIELD_NUMBER16, 0 } } },
	/* s_version: some numbers have names */
	{ GFX10, 0xff800000, 0xb0800000, { { FIELD_END, 0 } } },
	/* SOPK, ahead of s_getreg and s_setreg */
	{ BOTH, 0xf8000000, 0xb0000000, { { FIELD_NUMBER16, 0 }, { FIELD_SCALAR_TO, 16 } } },
	/* these are left of both */
	{ BOTH, 0xff800000, 0xbf800000, { { FIELD_END, 0 } } },
	{ BOTH, 0xf0000000, 0xb0000000, { { FIELD_END, 0 } } },
	/* SOP2 */
	{ BOTH,
	  0xc0000000,
	  0x80000000,
	  { { FIELD_SCALAR, 0 }, { FIELD_SCALAR, 8 }, { FIELD_SCALAR_TO, 16 } } },
	/* VOP3, VOP3P */
	{ GFX9,
	  0xfc000000,
	  0xd0000000,
	  { { FIELD_VECTOR, 0 },
	    { FIELD_SOURCE, 32 },
	    { FIELD_SOURCE, 41 },
	    { FIELD_SOURCE, 50 } } },
	/* SMEM */
	{ GFX9,
	  0xfc000000,
	  0xc0000000,
	  { { FIELD_PAIR, 0 }, { FIELD_SCALAR_TO, 6 }, { FIELD_NUMBER21, 32 } } },
	/* DS */
	{ BOTH,
	  0xfc000000,
	  0xd8000000,
	  { { FIELD_NUMBER16, 0 },
	    { FIELD_VECTOR, 32 },
	    { FIELD_VECTOR, 40 },
	    { FIELD_VECTOR, 48 },
	    { FIELD_VECTOR, 56 } } },
	/* FLAT */
	{ GFX9,
	  0xfc000000,
	  0xdc000000,
	  { { FIELD_NUMBER13, 0 },
	    { FIELD_VECTOR, 32 },
	    { FIELD_VECTOR, 40 },
	    { FIELD_SCALAR_TO, 48 },
	    { FIELD_VECTOR, 56 } } },
	/* The same three of gfx10: VOP3P and VOP3 */
	{ GFX10,
	  0xfc000000,
	  0xcc000000,
	  { { FIELD_VECTOR, 0 },
	    { FIELD_SOURCE, 32 },
	    { FIELD_SOURCE, 41 },
	    { FIELD_SOURCE, 50 } } },
	{ GFX10,
	  0xfc000000,
	  0xd4000000,
	  { { FIELD_VECTOR, 0 },
	    { FIELD_SOURCE, 32 },
	    { FIELD_SOURCE, 41 },
	    { FIELD_SOURCE, 50 } } },
	{ GFX10,
	  0xfc000000,
	  0xf4000000,
	  { { FIELD_PAIR, 0 }, { FIELD_SCALAR_TO, 6 }, { FIELD_NUMBER21, 32 } } },
	{ GFX10,
	  0xfc000000,
	  0xdc000000,
	  { { FIELD_NUMBER12, 0 },
	    { FIELD_VECTOR, 32 },
	    { FIELD_VECTOR, 40 },
	    { FIELD_SCALAR_TO, 48 },
	    { FIELD_VECTOR, 56 } } },
	/* MUBUF */
	{ BOTH,
	  0xfc000000,
	  0xe0000000,
	  { { FIELD_NUMBER12, 0 },
	    { FIELD_VECTOR, 32 },
	    { FIELD_VECTOR, 40 },
	    { FIELD_QUAD, 48 },
	    { FIELD_SCALAR, 56 } } },
};

enum { IN_OFFSET = INSN_OPERANDS }; /* of a memory instruction, instead of an operand */

/* Fields that vary, and where they show. */
struct pattern {
	uint64_t key;
	uint8_t asked;   /* fields that were expected to vary: a bit for each */
	bool whole;      /* the asked ones do, so that `key` has all that does not */
	uint8_t varying; /* has a bit for each that does */
	uint32_t insn;   /* index of the instruction with the first probes; UNUSABLE */
	uint8_t places;
	struct {
		uint8_t place, field;
	} at[INSN_OPERANDS + 1];
};

struct patterns {
	const struct arch *arch;
	uint32_t slot[SLOTS]; /* index of the pattern + 1; 0: free */
	struct pattern *pattern;
	struct insn *insn;
	uint32_t count, room, insn_count, insn_room;
};

struct patterns *patterns_new(const struct arch *arch)
{
	struct patterns *patterns = calloc(1, sizeof(*patterns));

	if (patterns)
		patterns->arch = arch;
	return patterns;
}

void patterns_free(struct patterns *patterns)
{
	if (!patterns)
		return;
	free(patterns->pattern);
	free(patterns->insn);
	free(patterns);
}

static bool is_number(uint8_t kind)
{
	return kind >= FIELD_NUMBER12;
}

static uint64_t field_mask(struct field field)
{
	return ((UINT64_C(1) << kinds[field.kind].width) - 1) << field.shift;
}

static uint32_t get(uint64_t word, struct field field)
{
	return (uint32_t)((word & field_mask(field)) >> field.shift);
}

static uint64_t put(uint64_t word, struct field field, uint32_t value)
{
	return (word & ~field_mask(field)) | (uint64_t)value << field.shift;
}

/*
 * Returns what is the same in all values of a field that may be exchanged for one another: as the
 * value that stands for them in keys; or -1, if this one may not be. No number is 0: a disassembler
 * may leave it out.
 */
static int64_t kind_of_value(struct field field, uint32_t value)
{
	uint32_t sign = 1u << (kinds[field.kind].width - 1);

	if (is_number(field.kind))
		return value ? (int64_t)((value & sign) | 1) : -1;
	if (field.kind == FIELD_VECTOR)
		return 0;
	if (field.kind == FIELD_SOURCE && value >= 256)
		return 256;
	return value * kinds[field.kind].unit < SCALARS ? 0 : -1;
}

/*
 * Two values of each field that differ by different amounts from field to field; all are multiples
 * of four registers, ahead of as many as the longest operand may have.
 */
static uint32_t probe(struct field field, uint32_t value, unsigned index, bool second)
{
	uint32_t sign = 1u << (kinds[field.kind].width - 1);

	if (is_number(field.kind))
		return (value & sign) | (second ? 0x2a3 : 0x155);
	if (field.kind == FIELD_VECTOR || (field.kind == FIELD_SOURCE && value >= 256))
		return (value & 256) + 16 * (index + 1) + (second ? 72 + 16 * index : 0);
	return (second ? 84 - 16 * index : 16 * (index + 1)) / kinds[field.kind].unit;
}

/* Returns the difference between both probes, as it shows. */
static int64_t difference(struct field field, uint32_t value, unsigned index)
{
	return ((int64_t)probe(field, value, index, true) - probe(field, value, index, false)) *
	       kinds[field.kind].unit;
}

static const struct encoding *find_encoding(enum arch_generation generation, uint32_t word)
{
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++)
		if (encodings[i].generations >> generation & 1 &&
		    (word & encodings[i].mask) == encodings[i].value)
			return &encodings[i];
	return NULL;
}

/* Fields of an instruction whose values may be exchanged. */
static uint8_t candidates(const struct encoding *encoding, uint64_t word, size_t length)
{
	uint8_t found = 0;

	for (unsigned i = 0; i < FIELDS && encoding->field[i].kind; i++) {
		struct field field = encoding->field[i];

		if (field.shift >= length * 8)
			continue;
		/* Behind the short encodings may be a literal instead. */
		if (field.shift == 32 && !(encoding->value >> 31) && (word & 0x1ff) != SDWA &&
		    (word & 0x1ff) != DPP)
			continue;
		if (kind_of_value(field, get(word, field)) >= 0)
			found |= (uint8_t)(1u << i);
	}
	return found;
}

/* Returns the fields that are 0: a bit for each. */
static uint8_t zeros(const struct encoding *encoding, uint64_t word)
{
	uint8_t found = 0;

	for (unsigned i = 0; i < FIELDS && encoding->field[i].kind; i++)
		found |= (uint8_t)(!get(word, encoding->field[i]) << i);
	return found;
}

/* Returns the word whose `varying` fields stand for their kind (`probe_number` 0) or are probes. */
static uint64_t with_fields(const struct encoding *encoding, uint64_t word, uint8_t varying,
			    unsigned probe_number)
{
	uint64_t result = word;

	for (unsigned i = 0; i < FIELDS; i++) {
		struct field field = encoding->field[i];
		uint32_t value;

		if (!(varying >> i & 1))
			continue;
		value = get(word, field);
		result = put(result, field,
			     probe_number ? probe(field, value, i, probe_number == 2)
					  : (uint32_t)kind_of_value(field, value));
	}
	return result;
}

/* Returns which field a difference between the probes is of; -1 if it is of none. */
static int field_of(const struct encoding *encoding, uint64_t word, uint8_t varying, int64_t by,
		    bool number)
{
	for (unsigned i = 0; i < FIELDS; i++)
		if (varying >> i & 1 && is_number(encoding->field[i].kind) == number &&
		    difference(encoding->field[i], get(word, encoding->field[i]), i) == by)
			return (int)i;
	return -1;
}

static bool add_place(struct pattern *pattern, unsigned place, int field)
{
	if (field < 0)
		return false;
	pattern->at[pattern->places].place = (uint8_t)place;
	pattern->at[pattern->places++].field = (uint8_t)field;
	return true;
}

/*
 * Find out where the varying fields show in what the disassembler makes of both probes: false if
 * anything else differs. Those that do not show vary no longer.
 */
static bool compare(const struct encoding *encoding, uint64_t word, struct pattern *pattern,
		    const struct insn *first, const struct insn *second)
{
	struct insn same = *second;
	uint8_t shown = 0;
	bool good = true;

	for (unsigned i = 0; good && i < first->operand_count; i++) {
		const struct operand *a = &first->operand[i], *b = &second->operand[i];

		if (a->reg != b->reg) {
			good = add_place(pattern, i,
					 field_of(encoding, word, pattern->varying,
						  (int64_t)b->reg - a->reg, false));
			same.operand[i].reg = a->reg;
		}
		if (good && a->value != b->value) {
			good = a->kind == OPERAND_CONST &&
			       add_place(pattern, i,
					 field_of(encoding, word, pattern->varying,
						  b->value - a->value, true));
			same.operand[i].value = a->value;
		}
	}
	if (good && first->offset != second->offset) {
		good = add_place(pattern, IN_OFFSET,
				 field_of(encoding, word, pattern->varying,
					  (int64_t)second->offset - first->offset, true));
		same.offset = first->offset;
	}
	for (unsigned i = 0; good && i < pattern->places; i++)
		shown |= (uint8_t)(1u << pattern->at[i].field);
	pattern->varying &= shown;
	return good && !memcmp(first, &same, sizeof(same));
}

static bool ask(uint64_t word, size_t length, pattern_decode decode, void *user, struct insn *insn)
{
	uint8_t bytes[8];

	memcpy(bytes, &word, sizeof(bytes));
	memset(insn, 0, sizeof(*insn));
	if (!decode(user, bytes, length, insn))
		return false;
	if (insn->dual || insn->length != length) {
		free(insn->dual);
		return false;
	}
	return true;
}

static void *room_for(void *array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 256;
	void *grown;

	if (count < *room)
		return array;
	grown = reallocarray(array, more, size);
	if (grown)
		*room = more;
	return grown;
}

static uint32_t *slot_of(struct patterns *patterns, uint64_t key, uint8_t asked, bool whole)
{
	uint32_t slot =
	    (uint32_t)((key + asked * 2u + whole) * 0x9e3779b97f4a7c15u >> 40) & (SLOTS - 1);

	for (; patterns->slot[slot]; slot = (slot + 1) & (SLOTS - 1)) {
		const struct pattern *pattern = &patterns->pattern[patterns->slot[slot] - 1];

		if (pattern->key == key && pattern->asked == asked && pattern->whole == whole)
			break;
	}
	return &patterns->slot[slot];
}

/* Disassemble both probes of a pattern. */
static int try_pattern(struct patterns *patterns, const struct encoding *encoding, uint64_t word,
		       size_t length, pattern_decode decode, void *user, struct pattern *pattern)
{
	struct insn first, second;
	void *grown;

	pattern->insn = UNUSABLE;
	if (!ask(with_fields(encoding, word, pattern->asked, 1), length, decode, user, &first) ||
	    !ask(with_fields(encoding, word, pattern->asked, 2), length, decode, user, &second) ||
	    !compare(encoding, word, pattern, &first, &second) || !pattern->varying)
		return 0;
	grown = room_for(patterns->insn, patterns->insn_count, &patterns->insn_room, sizeof(first));
	if (!grown)
		return -ENOMEM;
	patterns->insn = grown;
	pattern->insn = patterns->insn_count;
	patterns->insn[patterns->insn_count++] = first;
	return 0;
}

static bool is_usable(const struct pattern *pattern)
{
	return pattern && pattern->insn != UNUSABLE && pattern->insn != UNTRIED;
}

/* Returns the pattern of that key, kept if it is new; NULL if none can be kept. */
static const struct pattern *find(struct patterns *patterns, const struct encoding *encoding,
				  uint64_t word, size_t length, uint8_t varying, bool whole,
				  pattern_decode decode, void *user)
{
	uint64_t key = with_fields(encoding, word, varying, 0);
	uint32_t *slot = slot_of(patterns, key, varying, whole);
	struct pattern *pattern;
	void *grown;

	if (!*slot) {
		if (patterns->count >= SLOTS / 2)
			return NULL;
		grown =
		    room_for(patterns->pattern, patterns->count, &patterns->room, sizeof(*pattern));
		if (!grown)
			return NULL;
		patterns->pattern = grown;
		patterns->pattern[patterns->count] = (struct pattern){ .key = key,
								       .asked = varying,
								       .whole = whole,
								       .varying = varying,
								       .insn = UNTRIED };
		*slot = ++patterns->count;
		return &patterns->pattern[*slot - 1];
	}
	pattern = &patterns->pattern[*slot - 1];
	if (pattern->insn == UNTRIED &&
	    try_pattern(patterns, encoding, word, length, decode, user, pattern))
		return NULL;
	return pattern;
}

/*
 * Moves an operand to other registers of the same kind. Returns false if encodings cannot name
 * them: tuples of scalar registers begin at even or fourth ones, those of vector registers at even
 * ones if they are `aligned`.
 */
static bool move(struct operand *operand, int64_t by, bool aligned)
{
	int64_t reg = operand->reg + by, count = operand->count;

	if (operand->reg < REG_VECTOR) {
		if (reg + count > SCALARS || (count > 2 ? reg & 3 : count == 2 ? reg & 1 : 0))
			return false;
	} else if ((reg - REG_VECTOR) % 256 + count > 256 || (aligned && count > 1 && reg & 1)) {
		return false;
	}
	operand->reg = (uint32_t)reg & 0x1fff;
	return true;
}

bool patterns_insn(struct patterns *patterns, uint64_t word, size_t length, pattern_decode decode,
		   void *user, struct insn *insn)
{
	const struct encoding *encoding = find_encoding(patterns->arch->generation, (uint32_t)word);
	uint8_t varying = encoding ? candidates(encoding, word, length) : 0;
	const struct pattern *pattern = NULL;

	if (varying)
		pattern = find(patterns, encoding, word, length, varying, false, decode, user);
	/* Fields that an instruction does not use must be 0. */
	if (pattern && pattern->insn == UNUSABLE) {
		varying &= (uint8_t)~zeros(encoding, word);
		pattern = varying
			      ? find(patterns, encoding, word, length, varying, false, decode, user)
			      : NULL;
	}
	if (!is_usable(pattern))
		return false;
	/* Fields that were expected to vary, but do not, belong to what a pattern is found by. */
	if (pattern->varying != varying)
		pattern =
		    find(patterns, encoding, word, length, pattern->varying, true, decode, user);
	if (!is_usable(pattern))
		return false;
	*insn = patterns->insn[pattern->insn];
	for (unsigned i = 0; i < pattern->places; i++) {
		struct field field = encoding->field[pattern->at[i].field];
		uint32_t value = get(word, field);
		int64_t by = ((int64_t)value - probe(field, value, pattern->at[i].field, false)) *
			     kinds[field.kind].unit;
		struct operand *operand = &insn->operand[pattern->at[i].place];

		if (pattern->at[i].place == IN_OFFSET)
			insn->offset = (int32_t)(insn->offset + by);
		else if (is_number(field.kind))
			operand->value += by;
		else if (!move(operand, by, patterns->arch->aligned))
			return false;
	}
	return true;
}
