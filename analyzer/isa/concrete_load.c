/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and addresses of an evaluation, and what loads from known places give. */
#include "concrete.h"

#include <string.h>

/* Words that one load reads for different work-items are looked up if there are at most so many. */
#define LOADED_WORDS 1024u

bool concrete_dword(const struct flow *flow, value_id id, uint32_t *dword, uint32_t *base)
{
	const struct value *value = value_get(&flow->store, id);
	const struct alt *alt = value->alt;
	uint32_t word;

	if (value->lane_count || value->alt_count != 1 || alt->flags || alt->term_count > 1)
		return false;
	*dword = (uint32_t)alt->constant;
	*base = 0;
	if (!alt->term_count)
		return true;
	if (alt->term[0].sign != SIGN_WHOLE || BASE_KIND(alt->term[0].base) != BASE_KERNARG ||
	    !launch_dword(flow->launch, BASE_PAYLOAD(alt->term[0].base), &word))
		return false;
	*dword += word;
	*base = alt->term[0].base;
	return true;
}

bool concrete_address(const struct flow *flow, value_id low, value_id high, uint64_t *address)
{
	uint32_t dword[2], base[2];

	if (low == VALUE_BOTTOM || high == VALUE_BOTTOM ||
	    !concrete_dword(flow, low, &dword[0], &base[0]) ||
	    !concrete_dword(flow, high, &dword[1], &base[1]))
		return false;
	*address = (uint64_t)dword[1] << 32 | dword[0];
	return true;
}

/* Returns how many bytes a load of a part of a dword takes; 0: not known. */
static unsigned loaded_bytes(const struct insn *insn, bool *is_signed)
{
	static const struct {
		const char *ending;
		uint8_t bytes;
		bool is_signed;
	} kinds[] = {
		{ "_ubyte", 1, false }, { "_u8", 1, false },     { "_sbyte", 1, true },
		{ "_i8", 1, true },     { "_ushort", 2, false }, { "_u16", 2, false },
		{ "_sshort", 2, true }, { "_i16", 2, true },
	};
	size_t length = strlen(insn->mnemonic);

	*is_signed = false;
	if (!insn->sub_dword)
		return 4;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t end = strlen(kinds[i].ending);

		if (length > end && !strcmp(insn->mnemonic + length - end, kinds[i].ending)) {
			*is_signed = kinds[i].is_signed;
			return kinds[i].bytes;
		}
	}
	return 0;
}

/* Fills the upper bits of a number of so many bytes with its sign. */
static uint32_t extended(uint32_t number, unsigned bytes, bool is_signed)
{
	unsigned more = 32 - 8 * bytes;

	return is_signed ? (uint32_t)((int32_t)(number << more) >> more) : number << more >> more;
}

bool concrete_part(struct flow *flow, const struct insn *insn, value_id dword, unsigned at,
		   value_id *part)
{
	bool is_signed;
	unsigned bytes = loaded_bytes(insn, &is_signed);
	int32_t constant;

	if (!flow->launch || !bytes || at + bytes > 4 ||
	    !value_constant(&flow->store, dword, &constant))
		return false;
	*part = value_const(&flow->store,
			    (int32_t)extended((uint32_t)constant >> 8 * at, bytes, is_signed));
	return true;
}

bool concrete_argument_part(struct flow *flow, const struct insn *insn, uint32_t offset,
			    value_id *part)
{
	return flow->launch &&
	       concrete_part(flow, insn, concrete_argument(flow, offset & ~3u), offset & 3, part);
}

/* Returns true if a half of an address has one base, an argument's dword; fills what that is. */
static bool is_counted(const struct flow *flow, value_id id, const struct alt **alt, uint32_t *word)
{
	const struct value *value = value_get(&flow->store, id);

	*alt = value->alt;
	return id != VALUE_BOTTOM && !value->lane_count && value->alt_count == 1 &&
	       value->alt->term_count == 1 && value->alt->term[0].sign == SIGN_WHOLE &&
	       BASE_KIND(value->alt->term[0].base) == BASE_KERNARG &&
	       launch_dword(flow->launch, BASE_PAYLOAD(value->alt->term[0].base), word);
}

/*
 * Finds the first address of several. A carry into the upper half is not part of its value where
 * that is not known: there must be none.
 */
static bool first_address(const struct flow *flow, const struct value_pair *pair, int64_t offset,
			  uint64_t *address, uint32_t *bound, uint32_t *stride)
{
	const struct alt *low, *high;
	uint32_t words[2];
	int64_t first;

	if (!is_counted(flow, pair->low, &low, &words[0]) ||
	    !is_counted(flow, pair->high, &high, &words[1]) || low->flags != ALT_OPAQUE ||
	    !low->bound || high->flags || high->constant ||
	    high->term[0].base != low->term[0].base + 4)
		return false;
	first = (int64_t)words[0] + low->constant;
	if (first < 0 || first + low->bound > UINT32_MAX)
		return false;
	*address = ((uint64_t)words[1] << 32) + (uint64_t)first + (uint64_t)offset;
	*bound = low->bound;
	*stride = low->stride ? low->stride : 1;
	return *bound / *stride < LOADED_WORDS;
}

bool concrete_load_each(struct flow *flow, const struct insn *insn, const struct value_pair *pair,
			int64_t offset, value_id *value)
{
	const struct isa_launch *launch = flow->launch->launch;
	uint32_t bound, stride, number, least = UINT32_MAX, most = 0;
	uint64_t address;
	bool is_signed;
	unsigned bytes = loaded_bytes(insn, &is_signed);

	if (!bytes || insn->atomic || insn->lds ||
	    !first_address(flow, pair, offset, &address, &bound, &stride))
		return false;
	for (uint32_t at = 0; at <= bound; at += stride) {
		if (!launch->memory(launch->user, address + at, bytes, &number))
			return false;
		number = extended(number, bytes, is_signed);
		least = number < least ? number : least;
		most = number > most ? number : most;
	}
	if (most > VALUE_BOUND && least != most)
		return false;
	*value = value_const(&flow->store, (int32_t)least);
	if (least != most)
		*value =
		    value_add(&flow->store, *value, value_bounded(&flow->store, 1, most - least));
	return true;
}

bool concrete_load(struct flow *flow, const struct insn *insn, uint64_t address, unsigned part,
		   value_id *value)
{
	const struct isa_launch *launch = flow->launch->launch;
	bool is_signed;
	unsigned bytes = loaded_bytes(insn, &is_signed);
	uint32_t number;

	if (!bytes || insn->atomic || insn->lds ||
	    !launch->memory(launch->user, address + 4 * part, bytes, &number))
		return false;
	*value = value_const(&flow->store, (int32_t)extended(number, bytes, is_signed));
	return true;
}
