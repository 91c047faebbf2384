/* SPDX-License-Identifier: Apache-2.0 */
/* Reads call-frame information (.eh_frame) and reduces it to rules. */
#include "preload/stacks/cfi.h"

#include <errno.h>
#include <string.h>

/* Register numbers of the x86-64 ABI's DWARF mapping (psABI, figure 3.36). */
#define REG_RBP 6u
#define REG_RSP 7u
#define REG_RA  16u

/* DW_EH_PE_*: how a pointer is stored in .eh_frame (LSB 5.0, 10.5.1). */
#define PE_ABSPTR   0x00u
#define PE_UDATA4   0x03u
#define PE_SDATA4   0x0bu
#define PE_UDATA8   0x04u
#define PE_SDATA8   0x0cu
#define PE_PCREL    0x10u
#define PE_DATAREL  0x30u
#define PE_OMIT     0xffu

#define DW_OP_deref 0x06u
#define DW_OP_breg0 0x70u

#define STATES      8u

/* ---- reading ---- */

/* Bytes from a place in a table; `bad` once something did not fit. */
struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint64_t read_bytes(struct reader *reader, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

static int32_t read_s32(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Reads a LEB128 number [DWARF 4, 7.6]. *shift is how many bits were read, *last the last byte. */
static uint64_t read_leb(struct reader *reader, unsigned *shift, uint64_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	do {
		*last = read_bytes(reader, 1);
		if (*shift < 64)
			value |= (*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return value;
}

static uint64_t read_uleb(struct reader *reader)
{
	unsigned shift;
	uint64_t last;

	return read_leb(reader, &shift, &last);
}

static int64_t read_sleb(struct reader *reader)
{
	unsigned shift;
	uint64_t last, value = read_leb(reader, &shift, &last);

	if (shift < 64 && last & 0x40)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

static void skip(struct reader *reader, uint64_t size)
{
	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		size = (uint64_t)(reader->end - reader->at);
	}
	reader->at += size;
}

static uint64_t read_encoded(struct reader *reader, unsigned encoding)
{
	uint64_t place = (uintptr_t)reader->at, value;

	switch (encoding & 0x0fu) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		value = read_bytes(reader, 8);
		break;
	case PE_UDATA4:
		value = read_bytes(reader, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)read_bytes(reader, 4);
		break;
	default:
		reader->bad = true;
		return 0;
	}
	if ((encoding & 0x70u) == PE_PCREL)
		value += place;
	else if (encoding & 0x70u)
		reader->bad = true;
	return value;
}

/* ---- the description of one function ---- */

struct description {
	struct reader initial, own; /* instructions: of the CIE, of the FDE */
	uint64_t start;             /* of the function */
	uint64_t code_align;
	int64_t data_align;
	unsigned encoding;
	bool signal;
};

/* A CIE or FDE from its length on; false if it ends the table or is of the 64-bit format. */
static bool open_entry(const uint8_t *at, struct reader *reader)
{
	uint32_t length;

	memcpy(&length, at, sizeof(length));
	if (!length || length >= 0xfffffff0u)
		return false;
	*reader = (struct reader){ .at = at + 4, .end = at + 4 + length };
	return true;
}

static bool read_cie(const uint8_t *at, struct description *out)
{
	struct reader reader;
	const char *augmentation;
	uint64_t version, size;
	const uint8_t *data_end;

	if (!open_entry(at, &reader) || read_bytes(&reader, 4))
		return false;
	version = read_bytes(&reader, 1);
	augmentation = (const char *)reader.at;
	while (read_bytes(&reader, 1))
		;
	if (version != 1 && version != 3)
		return false;
	out->code_align = read_uleb(&reader);
	out->data_align = read_sleb(&reader);
	if ((version == 1 ? read_bytes(&reader, 1) : read_uleb(&reader)) != REG_RA)
		return false;
	out->encoding = PE_ABSPTR;
	out->signal = false;
	if (augmentation[0] != 'z') {
		out->initial = reader;
		return !augmentation[0] && !reader.bad;
	}
	size = read_uleb(&reader);
	if (size > (uint64_t)(reader.end - reader.at))
		return false;
	data_end = reader.at + size;
	for (const char *p = augmentation + 1; *p; p++)
		if (*p == 'R')
			out->encoding = (unsigned)read_bytes(&reader, 1);
		else if (*p == 'L')
			read_bytes(&reader, 1);
		else if (*p == 'P') /* the value does not matter, only its size */
			read_encoded(&reader, (unsigned)read_bytes(&reader, 1) & 0x0fu);
		else if (*p == 'S')
			out->signal = true;
		else
			return false;
	reader.at = data_end;
	out->initial = reader;
	return !reader.bad;
}

static bool read_fde(const uint8_t *at, uintptr_t pc, struct description *out)
{
	struct reader reader;
	const uint8_t *place;
	uint64_t range;
	uint32_t distance;

	if (!open_entry(at, &reader))
		return false;
	place = reader.at;
	distance = (uint32_t)read_bytes(&reader, 4);
	if (!distance || !read_cie(place - distance, out))
		return false;
	out->start = read_encoded(&reader, out->encoding);
	range = read_encoded(&reader, out->encoding & 0x0fu);
	if (reader.bad || pc < out->start || pc - out->start >= range)
		return false;
	skip(&reader, read_uleb(&reader)); /* augmentation data: where exceptions land */
	out->own = reader;
	return !reader.bad;
}

/*
 * The FDE of an address by the sorted table of .eh_frame_hdr: version 1, encodings of three
 * things, pointer to .eh_frame, count, pairs (function, FDE) relative to the table's start. This
 * one encoding is all that linkers write.
 */
static const uint8_t *search(const uint8_t *table, uintptr_t pc)
{
	int64_t wanted = (int64_t)(pc - (uintptr_t)table);
	uint32_t low = 0, high;
	const uint8_t *pairs = table + 12;

	if (table[0] != 1 || table[1] != (PE_PCREL | PE_SDATA4) || table[2] != PE_UDATA4 ||
	    table[3] != (PE_DATAREL | PE_SDATA4))
		return NULL;
	memcpy(&high, table + 8, sizeof(high));
	while (low < high) { /* the first that begins after pc */
		uint32_t middle = low + (high - low) / 2;

		if (read_s32(pairs + 8 * (size_t)middle) <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table + read_s32(pairs + 8 * (size_t)(low - 1) + 4) : NULL;
}

/* ---- the instructions ---- */

enum where { SAME, UNDEFINED, AT_CFA, AT_RBP, ELSEWHERE };

struct state {
	uint64_t cfa_register;
	int64_t cfa_offset;
	int cfa; /* enum cfi_kind, of CFI_RSP, CFI_RBP_DEREF, CFI_OTHER */
	enum where rbp, ra;
	int64_t rbp_offset, ra_offset;
};

struct machine {
	const struct description *about;
	struct state now, initial, saved[STATES];
	unsigned depth;
	uint64_t location;
};

static void set_register(struct machine *m, uint64_t number, enum where where, int64_t offset)
{
	if (number == REG_RBP) {
		m->now.rbp = where;
		m->now.rbp_offset = offset;
	} else if (number == REG_RA) {
		m->now.ra = where;
		m->now.ra_offset = offset;
	}
}

static void restore_register(struct machine *m, uint64_t number)
{
	if (number == REG_RBP) {
		m->now.rbp = m->initial.rbp;
		m->now.rbp_offset = m->initial.rbp_offset;
	} else if (number == REG_RA) {
		m->now.ra = m->initial.ra;
		m->now.ra_offset = m->initial.ra_offset;
	}
}

static void set_cfa(struct machine *m, uint64_t number, int64_t offset)
{
	m->now.cfa_register = number;
	m->now.cfa_offset = offset;
	m->now.cfa = CFI_RSP;
}

/* Reads an expression of the form *(rbp + offset) or, without the dereference, rbp + offset.
 * Returns false if it is another. */
static bool read_rbp_expression(struct reader *reader, bool deref, int64_t *offset)
{
	uint64_t size = read_uleb(reader);
	struct reader part = *reader;

	skip(reader, size);
	if (reader->bad)
		return false;
	part.end = reader->at;
	if (read_bytes(&part, 1) != DW_OP_breg0 + REG_RBP)
		return false;
	*offset = read_sleb(&part);
	if (deref && read_bytes(&part, 1) != DW_OP_deref)
		return false;
	return !part.bad && part.at == part.end;
}

/* Runs an instruction whose operand is not in the opcode's low bits. Returns false if it is
 * unknown. */
static bool run_extended(struct machine *m, struct reader *reader, unsigned opcode)
{
	const struct description *d = m->about;
	uint64_t number;
	int64_t offset = 0;

	switch (opcode) {
	case 0x00: /* nop */
		return true;
	case 0x01: /* set_loc */
		m->location = read_encoded(reader, d->encoding);
		return true;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		m->location += read_bytes(reader, (size_t)1 << (opcode - 2)) * d->code_align;
		return true;
	case 0x05: /* offset_extended */
		number = read_uleb(reader);
		set_register(m, number, AT_CFA, (int64_t)read_uleb(reader) * d->data_align);
		return true;
	case 0x06: /* restore_extended */
		restore_register(m, read_uleb(reader));
		return true;
	case 0x07: /* undefined */
		set_register(m, read_uleb(reader), UNDEFINED, 0);
		return true;
	case 0x08: /* same_value */
		set_register(m, read_uleb(reader), SAME, 0);
		return true;
	case 0x09: /* register */
		number = read_uleb(reader);
		read_uleb(reader);
		set_register(m, number, ELSEWHERE, 0);
		return true;
	case 0x0a: /* remember_state */
		if (m->depth == STATES)
			return false;
		m->saved[m->depth++] = m->now;
		return true;
	case 0x0b: /* restore_state */
		if (!m->depth)
			return false;
		m->now = m->saved[--m->depth];
		return true;
	case 0x0c: /* def_cfa */
		number = read_uleb(reader);
		set_cfa(m, number, (int64_t)read_uleb(reader));
		return true;
	case 0x0d: /* def_cfa_register */
		m->now.cfa_register = read_uleb(reader);
		return true;
	case 0x0e: /* def_cfa_offset */
		m->now.cfa_offset = (int64_t)read_uleb(reader);
		return true;
	case 0x0f: /* def_cfa_expression */
		m->now.cfa = read_rbp_expression(reader, true, &offset) ? CFI_RBP_DEREF : CFI_OTHER;
		m->now.cfa_offset = offset;
		return true;
	case 0x10: /* expression */
		number = read_uleb(reader);
		if (read_rbp_expression(reader, false, &offset))
			set_register(m, number, AT_RBP, offset);
		else
			set_register(m, number, ELSEWHERE, 0);
		return true;
	case 0x11: /* offset_extended_sf */
		number = read_uleb(reader);
		set_register(m, number, AT_CFA, read_sleb(reader) * d->data_align);
		return true;
	case 0x12: /* def_cfa_sf */
		number = read_uleb(reader);
		set_cfa(m, number, read_sleb(reader) * d->data_align);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		m->now.cfa_offset = read_sleb(reader) * d->data_align;
		return true;
	case 0x14: /* val_offset, val_offset_sf */
	case 0x15:
		number = read_uleb(reader);
		read_uleb(reader);
		set_register(m, number, ELSEWHERE, 0);
		return true;
	case 0x16: /* val_expression */
		number = read_uleb(reader);
		skip(reader, read_uleb(reader));
		set_register(m, number, ELSEWHERE, 0);
		return true;
	case 0x2e: /* GNU_args_size */
		read_uleb(reader);
		return true;
	default:
		return false;
	}
}

/* Until the instructions are at an end or speak of code after pc. */
static bool run(struct machine *m, struct reader reader, uint64_t pc)
{
	while (reader.at < reader.end && m->location <= pc) {
		unsigned opcode = (unsigned)read_bytes(&reader, 1), low = opcode & 0x3fu;

		switch (opcode & 0xc0u) {
		case 0x40: /* advance_loc */
			m->location += low * m->about->code_align;
			break;
		case 0x80: /* offset */
			set_register(m, low, AT_CFA,
				     (int64_t)read_uleb(&reader) * m->about->data_align);
			break;
		case 0xc0: /* restore */
			restore_register(m, low);
			break;
		default:
			if (!run_extended(m, &reader, opcode))
				return false;
		}
	}
	return !reader.bad;
}

/* ---- to a rule ---- */

static bool fits(int64_t value)
{
	return value >= INT32_MIN && value <= INT32_MAX;
}

static uint8_t make_rule(const struct state *state, struct cfi_rule *rule)
{
	if (state->ra == UNDEFINED)
		return CFI_END;
	if (state->ra != AT_CFA || state->ra_offset != -8 || !fits(state->cfa_offset) ||
	    !fits(state->rbp_offset))
		return CFI_OTHER;
	rule->cfa = (int32_t)state->cfa_offset;
	rule->rbp = (int32_t)state->rbp_offset;
	switch (state->rbp) {
	case SAME:
		rule->saved = CFI_SAME;
		break;
	case AT_CFA:
		rule->saved = CFI_AT_CFA;
		break;
	case AT_RBP:
		rule->saved = CFI_AT_RBP;
		break;
	default:
		return CFI_OTHER;
	}
	if (state->cfa != CFI_RSP)
		return (uint8_t)state->cfa;
	if (state->cfa_register == REG_RSP)
		return CFI_RSP;
	return state->cfa_register == REG_RBP ? CFI_RBP : CFI_OTHER;
}

void cfi_find(cfi_find_table *find_table, uintptr_t pc, struct cfi_rule *rule)
{
	const uint8_t *table = find_table(pc), *fde = table ? search(table, pc) : NULL;
	struct description description;
	struct machine machine = { .about = &description, .now = { .cfa = CFI_OTHER } };

	*rule = (struct cfi_rule){ .kind = fde ? CFI_OTHER : CFI_UNKNOWN };
	if (!fde || !read_fde(fde, pc, &description))
		return;
	if (description.signal) {
		rule->kind = CFI_SIGNAL;
		return;
	}
	/* The CIE's hold everywhere; what they leave is what `restore` means. */
	machine.location = 0;
	if (!run(&machine, description.initial, UINT64_MAX))
		return;
	machine.initial = machine.now;
	machine.location = description.start;
	if (run(&machine, description.own, pc))
		rule->kind = make_rule(&machine.now, rule);
}

bool cfi_is_start(cfi_find_table *find_table, uintptr_t pc)
{
	const uint8_t *table = find_table(pc), *fde = table ? search(table, pc) : NULL;
	struct description description;

	return fde && read_fde(fde, pc, &description) && description.start == pc;
}
