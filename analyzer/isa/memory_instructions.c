/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions: where their address is among the operands, what they load.
 *
 * Private memory is followed per dword; loads from the kernarg segment give its dwords, loads of
 * constants and relocated words in the code object give those; any other loaded dword becomes a
 * base of its own, named after the instruction.
 */
#include "flow.h"
#include "concrete.h"
#include "swaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Operands of one memory instruction, by role. */
struct layout {
	const struct operand *to;   /* destination or NULL */
	const struct operand *data; /* stored data or NULL */
	value_id low, high;         /* address without the instruction's offset */
	bool is_private;            /* low is a private address */
	bool lds;
	bool unknown; /* no address that this code understands */
	int64_t offset;
};

static size_t access_slot(const struct insn *insn, uint64_t context, size_t size)
{
	return (size_t)(insn->pc >> 2 ^ context >> 8) & (size - 1);
}

/*
 * Returns the context of a load: its address while it has few of them, so that a loop which loads
 * another pointer in each round is seen to use every one; 0 once there are too many.
 */
static uint64_t load_context(const struct flow *flow, const struct insn *insn, uint64_t address)
{
	unsigned count = 0;

	for (size_t i = 0; i < flow->access_count; i++) {
		if (flow->access[i].insn != insn)
			continue;
		if (flow->access[i].context == address)
			return address;
		count++;
	}
	return count < ACCESS_LOADS ? address : 0;
}

static struct access *access_of(struct flow *flow, const struct function *function,
				const struct insn *insn, uint64_t context)
{
	struct access *access;
	size_t slot;

	if (flow->access_count * 2 >= flow->access_table_size) {
		size_t size = flow->access_table_size ? flow->access_table_size * 2 : 256, i;
		uint32_t *table = calloc(size, sizeof(*table));

		if (!table)
			return NULL;
		for (i = 0; i < flow->access_count; i++) {
			slot = access_slot(flow->access[i].insn, flow->access[i].context, size);
			while (table[slot])
				slot = (slot + 1) & (size - 1);
			table[slot] = (uint32_t)i + 1;
		}
		free(flow->access_table);
		flow->access_table = table;
		flow->access_table_size = size;
	}
	slot = access_slot(insn, context, flow->access_table_size);
	while (flow->access_table[slot]) {
		access = &flow->access[flow->access_table[slot] - 1];
		if (access->insn == insn && access->context == context)
			return access;
		slot = (slot + 1) & (flow->access_table_size - 1);
	}
	if (flow->access_count == flow->access_room) {
		size_t room = flow->access_room ? flow->access_room * 2 : 64;

		access = reallocarray(flow->access, room, sizeof(*access));
		if (!access)
			return NULL;
		flow->access = access;
		flow->access_room = room;
	}
	access = &flow->access[flow->access_count++];
	flow->access_table[slot] = (uint32_t)flow->access_count;
	memset(access, 0, sizeof(*access));
	access->stored_before = UINT16_MAX;
	access->insn = insn;
	access->context = context;
	access->function = function;
	while (access->caller_count < ACCESS_CALLERS && access->caller_count + 1 < flow->depth) {
		access->caller[access->caller_count] =
		    flow->call[flow->depth - 2 - access->caller_count];
		access->caller_count++;
	}
	return access;
}

/* Finds the distances of one pair from its only base. False: it is no such pair, or not known. */
static bool distances(const struct value_store *store, value_id low, uint32_t *base, int64_t *first,
		      int64_t *last, uint32_t *stride)
{
	const struct value *value = value_get(store, low);
	const struct alt *alt = value->alt;

	if (value->lane_count || value->alt_count != 1 || alt->term_count != 1 ||
	    alt->term[0].sign != SIGN_WHOLE ||
	    (alt->flags && (alt->flags != ALT_OPAQUE || !alt->bound)))
		return false;
	*base = alt->term[0].base;
	*first = alt->constant;
	*last = (int64_t)alt->constant + alt->bound;
	*stride = alt->flags ? (alt->stride ? alt->stride : 1) : 0;
	return true;
}

/*
 * Rounds of a loop that an evaluation follows may come with more addresses than are kept: pairs
 * behind the same pointer become one, with the distances from the least to the greatest.
 */
static void unite_pairs(struct flow *flow, struct access *access)
{
	struct value_store *store = &flow->store;
	uint32_t base, own, stride, divisor = 0;
	int64_t first, last, least = 0, most = 0;
	unsigned kept = 1;

	if (!distances(store, access->pair[0].low, &base, &least, &most, &divisor))
		return;
	for (unsigned i = 1; i < access->pair_count; i++) {
		struct value_pair pair = access->pair[i];

		if (pair.high != access->pair[0].high ||
		    !distances(store, pair.low, &own, &first, &last, &stride) || own != base) {
			access->pair[kept++] = pair;
			continue;
		}
		divisor = value_divisor(divisor, stride,
					(uint32_t)(first > least ? first - least : least - first));
		least = first < least ? first : least;
		most = last > most ? last : most;
	}
	if (kept == access->pair_count || most - least > VALUE_BOUND)
		return;
	access->pair_count = kept;
	access->sure = 0;
	access->pair[0].low =
	    value_add(store, value_base(store, base, (int32_t)least),
		      value_bounded(store, divisor ? divisor : 1, (uint64_t)(most - least)));
}

static void add_pair(struct flow *flow, const struct state *state, struct access *access,
		     value_id low, value_id high)
{
	bool sure = flow->launch && concrete_is_sure(flow, state);
	unsigned i;

	if (low == VALUE_BOTTOM || high == VALUE_BOTTOM)
		return;
	access->executes |= sure;
	for (i = 0; i < access->pair_count; i++) {
		if (access->pair[i].low == low && access->pair[i].high == high) {
			access->sure |= (uint32_t)sure << i;
			return;
		}
	}
	if (i == ACCESS_PAIRS && flow->launch) {
		unite_pairs(flow, access);
		i = access->pair_count;
	}
	if (i == ACCESS_PAIRS) {
		access->overflow = true;
		return;
	}
	access->pair[i].low = low;
	access->pair[i].high = high;
	access->sure |= (uint32_t)sure << i;
	access->pair_count++;
}

static void add_word(struct stored_word *word, value_id low, value_id high)
{
	unsigned i;

	if (low == VALUE_BOTTOM || high == VALUE_BOTTOM)
		return;
	for (i = 0; i < word->count; i++)
		if (word->pair[i].low == low && word->pair[i].high == high)
			return;
	if (i == ACCESS_DATA) {
		word->overflow = true;
		return;
	}
	word->pair[i] = (struct value_pair){ low, high };
	word->count++;
}

/* Finds a 64-bit address in an operand, or a 32-bit offset added to a 64-bit scalar base. */
static void address_of(struct flow *flow, const struct state *state, const struct operand *vector,
		       const struct operand *scalar, struct layout *layout)
{
	struct value_store *store = &flow->store;

	if (scalar && scalar->kind == OPERAND_REG && scalar->count == 2) {
		layout->low = flow_operand(flow, state, scalar, 0);
		layout->high = flow_operand(flow, state, scalar, 1);
		if (vector && vector->kind == OPERAND_REG) {
			value_id index = flow_operand(flow, state, vector, 0);
			uint32_t top;

			layout->low = value_add(store, layout->low, index);
			/* A number of 32 bits without a sign, or nothing that is a number alone. */
			if (!value_top(store, index, &top))
				layout->high = value_blur(store, layout->high);
		}
	} else if (vector && vector->kind == OPERAND_REG && vector->count == 2) {
		layout->low = flow_operand(flow, state, vector, 0);
		layout->high = flow_operand(flow, state, vector, 1);
	} else {
		layout->unknown = true;
	}
}

/*
 * Finds the address of buffer_*: private memory by the private segment's descriptor, or a buffer.
 */
static void buffer_of(struct flow *flow, const struct state *state, const struct insn *insn,
		      struct layout *layout)
{
	struct value_store *store = &flow->store;
	const struct operand *vector = &insn->operand[1], *rsrc = &insn->operand[2];
	const struct operand *scalar = &insn->operand[3];
	value_id base, index = VALUE_BOTTOM;
	int32_t constant;

	if (insn->operand_count < 4 || rsrc->kind != OPERAND_REG || rsrc->count != 4) {
		layout->unknown = true;
		return;
	}
	base = flow_operand(flow, state, rsrc, 0);
	if (vector->kind == OPERAND_REG)
		index = flow_operand(flow, state, vector, 0);
	if (!value_has(store, base, BASE_SCRATCH_RSRC)) {
		layout->low = value_blur(store, base);
		layout->high = value_blur(store, flow_operand(flow, state, rsrc, 1));
		return;
	}
	/*
	 * Private memory is interleaved by lane: the scalar offset counts bytes of the whole wave
	 * [LUG, "Private Segment Buffer"].
	 */
	layout->is_private = true;
	layout->low = value_const(store, 0);
	if (scalar->kind == OPERAND_CONST) {
		layout->offset += scalar->value / flow->wave_size;
	} else if (scalar->kind == OPERAND_REG) {
		value_id offset = flow_operand(flow, state, scalar, 0);

		if (value_constant(store, offset, &constant))
			layout->offset += constant / (int32_t)flow->wave_size;
		else
			layout->low = VALUE_NUMBER;
	}
	if (insn->idxen)
		layout->low = VALUE_NUMBER;
	else if (insn->offen && vector->kind == OPERAND_REG)
		layout->low = value_add(store, layout->low, index);
}

static void scalar_of(struct flow *flow, const struct state *state, const struct insn *insn,
		      struct layout *layout)
{
	const struct operand *base = &insn->operand[1], *offset = &insn->operand[2];

	if (insn->operand_count < 2 || base->kind != OPERAND_REG) {
		layout->unknown = true;
		return;
	}
	layout->low = flow_operand(flow, state, base, 0);
	layout->high = flow_operand(flow, state, base, 1);
	if (insn->family == MEM_SCALAR_BUFFER) {
		layout->low = value_blur(&flow->store, layout->low);
		layout->high = value_blur(&flow->store, layout->high);
		return;
	}
	if (insn->operand_count < 3)
		return;
	if (offset->kind == OPERAND_CONST) {
		layout->offset += offset->value;
	} else {
		value_id index = flow_operand(flow, state, offset, 0);
		uint32_t top;

		layout->low = value_add(&flow->store, layout->low, index);
		if (!value_top(&flow->store, index, &top))
			layout->high = value_blur(&flow->store, layout->high);
	}
}

static void lay_out(struct flow *flow, const struct state *state, const struct insn *insn,
		    struct layout *layout)
{
	const struct operand *operand = insn->operand, *scalar, *vector;
	unsigned first = 0;

	memset(layout, 0, sizeof(*layout));
	layout->offset = insn->offset;
	if ((insn->load || (insn->atomic && insn->returns)) && !insn->lds)
		layout->to = &operand[0];
	switch (insn->family) {
	case MEM_SCALAR:
	case MEM_SCALAR_BUFFER:
		if (insn->store || insn->atomic)
			layout->data = &operand[0];
		scalar_of(flow, state, insn, layout);
		break;
	case MEM_GLOBAL:
	case MEM_FLAT:
	case MEM_SCRATCH:
		/* [destination,] address, [data,] [scalar address or off] */
		first = layout->to ? 1 : 0;
		vector = &operand[first];
		if (!insn->load)
			layout->data = &operand[first + 1];
		scalar = &operand[first + (insn->load ? 1 : 2)];
		if (insn->family == MEM_SCRATCH) {
			layout->is_private = true;
			layout->low = value_const(&flow->store, 0);
			if (vector->kind == OPERAND_REG)
				layout->low = value_add(&flow->store, layout->low,
							flow_operand(flow, state, vector, 0));
			if (scalar->kind == OPERAND_REG)
				layout->low = value_add(&flow->store, layout->low,
							flow_operand(flow, state, scalar, 0));
		} else {
			address_of(flow, state, vector, scalar, layout);
		}
		break;
	case MEM_BUFFER:
		if (!insn->load)
			layout->data = &operand[0];
		buffer_of(flow, state, insn, layout);
		break;
	case MEM_DS:
		layout->lds = true;
		break;
	default:
		layout->unknown = true;
		break;
	}
}

/* A dword that lies in the code object and cannot change, or bottom. */
static value_id image_dword(struct flow *flow, uint64_t address, bool high_of_pair)
{
	const struct isa_image *image = flow->program->image;
	const struct isa_reloc *reloc =
	    isa_image_reloc(image, high_of_pair ? address - 4 : address);
	const struct isa_section *section = isa_image_section(image, address);
	const struct isa_symbol *symbol = isa_image_symbol_at(image, address, false);
	uint32_t word;

	if (reloc && reloc->undefined)
		return value_unknown(&flow->store,
				     "a device variable that another code object defines");
	if (reloc)
		return high_of_pair ? flow_image_high(flow)
				    : flow_image_address(flow, reloc->target);
	/* The host fills constants by their names; clang 21 keeps them where nothing is written. */
	if (!section || section->writable || (symbol && symbol->global) ||
	    isa_image_read(image, address, &word, sizeof(word)) != sizeof(word))
		return VALUE_BOTTOM;
	return value_const(&flow->store, (int32_t)word);
}

static bool image_place(struct flow *flow, const struct target *target, int64_t offset,
			uint64_t *address)
{
	uint64_t base = 0;

	if (!target->exact)
		return false;
	if (BASE_KIND(target->base) == BASE_SYMBOL)
		base = flow->program->image->symbols[BASE_PAYLOAD(target->base)].address;
	*address = base + (uint64_t)((int64_t)target->constant + offset);
	return true;
}

/* Finds the dword of private memory at target + offset; returns false if it is not known. */
static bool private_dword(struct flow *flow, const struct target *target, int64_t offset,
			  uint32_t *dword)
{
	int64_t address = (int64_t)target->constant + offset;

	(void)flow;
	if (!target->exact || address < 0 || address & 3 || address >= PRIVATE_LIMIT)
		return false;
	*dword = (uint32_t)(address / 4);
	return true;
}

/* Returns a part of a dword. */
static value_id part_of(struct flow *flow, value_id value)
{
	return value == VALUE_BOTTOM ? VALUE_NUMBER
				     : flow_mixed(flow, value_plain(&flow->store, value));
}

/* Finds, in an evaluation, a part of a dword in private memory that is known. */
static bool private_part(struct flow *flow, const struct state *state, const struct insn *insn,
			 const struct target *target, int64_t offset, value_id *part)
{
	int64_t address = (int64_t)target->constant + offset;
	uint32_t dword = (uint32_t)(address / 4);

	return flow->launch && target->exact && address >= 0 && address < PRIVATE_LIMIT &&
	       concrete_part(
		   flow, insn,
		   state_private_load(&flow->store, state, dword, insn->family == MEM_FLAT),
		   (unsigned)(address & 3), part);
}

static value_id load_one(struct flow *flow, const struct state *state, const struct insn *insn,
			 const struct layout *layout, const struct target *target, size_t index,
			 unsigned part)
{
	struct value_store *store = &flow->store;
	int64_t offset = layout->offset + 4 * (int64_t)part;
	value_id fresh = VALUE_NUMBER, value;
	uint64_t address;
	uint32_t dword;

	if (!insn->sub_dword) {
		if (index << 4 < BASE_PAYLOAD_MAX && part < 16)
			fresh = value_base(store, BASE(BASE_LOADED, index << 4 | part), 0);
		else
			fresh = value_unknown(store, "too many loads");
	}
	switch (target->kind) {
	case TARGET_PRIVATE:
		if (insn->sub_dword && private_part(flow, state, insn, target, offset, &fresh))
			return fresh;
		value = private_dword(flow, target, insn->sub_dword ? offset & ~3 : offset, &dword)
			    ? state_private_load(store, state, dword, insn->family == MEM_FLAT)
			    : state_private_load_any(store, state);
		/* Part of a stored value: never an address by itself. */
		return insn->sub_dword ? part_of(flow, value) : value;
	case TARGET_KERNARG_SEGMENT:
		offset += target->constant;
		if (insn->sub_dword && target->exact && offset >= 0 && offset < 65536 &&
		    concrete_argument_part(flow, insn, (uint32_t)offset, &fresh))
			return fresh;
		if (!insn->sub_dword && target->exact && offset >= 0 && !(offset & 3) &&
		    offset < 65536)
			return concrete_argument(flow, (uint32_t)offset);
		return fresh;
	case TARGET_RUNTIME:
		return target->exact && target->base == BASE(BASE_DISPATCH_PTR, 0)
			   ? concrete_packet(flow, insn, offset + target->constant)
			   : VALUE_NUMBER;
	case TARGET_IMAGE:
		if (insn->sub_dword || !image_place(flow, target, offset, &address))
			return fresh;
		value = image_dword(flow, address, false);
		if (part && isa_image_reloc(flow->program->image, address - 4))
			value = image_dword(flow, address, true);
		return value == VALUE_BOTTOM ? fresh : value;
	default:
		return fresh;
	}
}

static bool is_plain_number(const struct value_store *store, value_id id)
{
	const struct value *value = value_get(store, id);

	return !value->lane_count && value->alt_count == 1 && !value->alt[0].term_count &&
	       value->alt[0].flags == ALT_OPAQUE && !value->alt[0].constant;
}

#define PRIVATE_DWORDS 64 /* one of so many at most may be stored to; else any is */

/*
 * Stores a dword to private memory at a place that is not known, but from where to where it may be:
 * other dwords stay what they are. Returns 0 or -ENOMEM.
 */
static int store_somewhere(struct flow *flow, struct state *state, const struct target *target,
			   int64_t offset, value_id value)
{
	int64_t first = target->first + offset, last = target->last + offset + 3;
	int status = 0;

	if (!target->bounded || first < 0 || last >= PRIVATE_LIMIT ||
	    last / 4 - first / 4 > PRIVATE_DWORDS)
		return state_private_store_any(&flow->store, state, value, false);
	for (int64_t dword = first / 4; !status && dword <= last / 4; dword++)
		status = state_private_store(
		    &flow->store, state, (uint32_t)dword,
		    value_join(&flow->store, value,
			       state_private_load(&flow->store, state, (uint32_t)dword, false)));
	return status;
}

static int store_private(struct flow *flow, struct state *state, const struct insn *insn,
			 const struct layout *layout, const struct target *target, bool only)
{
	struct value_store *store = &flow->store;
	unsigned part;
	int status = 0;

	for (part = 0; !status && part < insn->dwords; part++) {
		value_id value =
		    insn->atomic ? VALUE_NUMBER : flow_operand(flow, state, layout->data, part);
		value_id old;
		uint32_t dword;

		if (insn->sub_dword) {
			struct target aligned = *target;

			value = part_of(flow, value);
			/* The offset may be the byte's. */
			aligned.constant = (int32_t)(target->constant + layout->offset) & ~3;
			if (!private_dword(flow, &aligned, 0, &dword)) {
				value = value_add(
				    store, value,
				    value_unknown(store, "a value that was stored in parts"));
				status = state_private_store_any(store, state, value, false);
				continue;
			}
			/* Small numbers in their own slots are common; keep them so. */
			old = state_private_load(store, state, dword, false);
			if (old != VALUE_BOTTOM && !is_plain_number(store, old))
				value = value_add(
				    store, value_add(store, value, part_of(flow, old)),
				    value_unknown(store, "a value that was stored in parts"));
			status = state_private_store(store, state, dword, value);
			continue;
		}
		if (!private_dword(flow, target, layout->offset + 4 * (int64_t)part, &dword)) {
			status = store_somewhere(flow, state, target,
						 layout->offset + 4 * (int64_t)part, value);
			continue;
		}
		if (!only)
			value = value_join(store, value,
					   state_private_load(store, state, dword, false));
		status = state_private_store(store, state, dword, value);
	}
	return status;
}

int flow_private_some(struct flow *flow, const struct insn *insn, struct state *state,
		      bool *handled)
{
	struct target target[TARGETS_MAX];
	const struct operand *reg;
	struct layout layout;
	uint32_t dword;

	if ((!insn->load && !insn->store) || insn->atomic || insn->sub_dword || insn->dwords != 1 ||
	    insn->lds)
		return 0;
	lay_out(flow, state, insn, &layout);
	reg = insn->load ? layout.to : layout.data;
	if (!layout.is_private || !reg || reg->kind != OPERAND_REG || reg->count != 1 ||
	    reg->reg < REG_VECTOR || reg->reg >= REG_COUNT)
		return 0;
	layout.high = value_base(&flow->store, BASE(BASE_APERTURE, 0), 0);
	if (flow_targets(flow, layout.low, layout.high, target) != 1 ||
	    target[0].kind != TARGET_PRIVATE ||
	    !private_dword(flow, &target[0], layout.offset, &dword))
		return 0;
	*handled = true;
	return state_private_some(&flow->store, state, dword, reg->reg, insn->load);
}

/* Notes the data: they are the new value, then the expected one, in one run of registers. */
static int note_swap(struct flow *flow, const struct state *state, const struct operand *data,
		     size_t index)
{
	value_id half[2] = { VALUE_BOTTOM, VALUE_BOTTOM };
	unsigned i;

	for (i = 0; data->kind == OPERAND_REG && i < data->count; i++)
		half[i * 2 >= data->count] =
		    value_join(&flow->store, half[i * 2 >= data->count],
			       value_plain(&flow->store, flow_operand(flow, state, data, i)));
	return swaps_note(flow, index, half[0], half[1]);
}

/*
 * A pointer loaded from private memory at a computed place may be any that lies there. If these are
 * not all known, that is why.
 */
static void explain_choice(struct flow *flow, const struct target *from, unsigned count,
			   value_id result[2])
{
	struct target target[TARGETS_MAX];
	bool computed = false, unknown = false;
	unsigned i, n;

	for (i = 0; i < count; i++)
		computed |= from[i].kind == TARGET_PRIVATE && !from[i].exact;
	if (!computed || (!value_has(&flow->store, result[0], BASE_KERNARG) &&
			  !value_has(&flow->store, result[0], BASE_LOADED)))
		return;
	n = flow_targets(flow, result[0], result[1], target);
	for (i = 0; i < n; i++)
		unknown |= target[i].kind == TARGET_UNKNOWN;
	if (unknown)
		result[0] = result[1] = value_unknown(
		    &flow->store, "a pointer from private memory at a computed place");
}

/* Returns true if a dword lies behind an argument, at a known distance; finds which one it is. */
static bool is_behind_argument(const struct target *target, unsigned count, int64_t offset,
			       struct stored_dword *dword)
{
	int64_t distance = target->constant + offset;

	*dword = (struct stored_dword){ target->base, (int32_t)distance };
	return count == 1 && target->kind == TARGET_POINTER && target->exact &&
	       !target->other_count && !target->more_count &&
	       BASE_KIND(target->base) == BASE_KERNARG && distance == dword->distance;
}

/* Notes whole dwords that a vector instruction stores, or which of those that it loads were. */
static int follow_stored(const struct insn *insn, struct state *state, const struct layout *layout,
			 const struct target *target, unsigned count, struct access *access)
{
	bool vector = (insn->family == MEM_GLOBAL || insn->family == MEM_FLAT) &&
		      !insn->sub_dword && !insn->atomic && !insn->lds;
	struct stored_dword dword;
	uint16_t before = 0;
	int status = 0;

	for (unsigned part = 0; vector && !status && part < 16 && part < insn->dwords; part++) {
		if (!is_behind_argument(target, count, layout->offset + 4 * (int64_t)part, &dword))
			break;
		if (insn->store)
			status = state_note_stored(state, dword);
		else if (state_has_stored(state, dword))
			before |= (uint16_t)(1u << part);
	}
	access->stored_before &= before;
	return status;
}

int flow_memory(struct flow *flow, const struct function *function, const struct insn *insn,
		struct state *state)
{
	struct value_store *store = &flow->store;
	struct target target[TARGETS_MAX];
	value_id result[16];
	struct layout layout;
	struct access *access;
	unsigned count = 0, i, part;
	uint64_t address, context = 0;
	bool known;
	size_t index;
	int status = 0;

	if (!insn->load && !insn->store && !insn->atomic) {
		/* Neither prefetch nor cache control: say so where it writes a register. */
		if (insn->family == MEM_DS) {
			const struct operand *to = &insn->operand[0];
			value_id value =
			    value_add(store, value_unknown(store, "a value from another lane"),
				      flow_sources(flow, state, insn, false));

			flow->uses_lds = true;
			for (part = 0; !status && to->kind == OPERAND_REG && part < to->count;
			     part++)
				status = flow_write(flow, state, to, part, value);
			return status;
		}
		flow_broken(flow, insn, "the effect");
	}
	lay_out(flow, state, insn, &layout);
	known = flow->launch && !layout.is_private && !layout.lds && !layout.unknown &&
		concrete_address(flow, layout.low, layout.high, &address);
	if (flow->swaps)
		context = swaps_context(flow);
	else if (known && insn->load && !insn->sub_dword)
		context = load_context(flow, insn, address);
	access = access_of(flow, function, insn, context);
	if (!access)
		return -ENOMEM;
	index = (size_t)(access - flow->access);
	access->offset = layout.offset;
	if (layout.lds) {
		flow->uses_lds = true;
		add_pair(flow, state, access, VALUE_NUMBER,
			 value_base(store, BASE(BASE_APERTURE, 1), 0));
	} else if (layout.is_private) {
		if (layout.low == VALUE_BOTTOM)
			layout.low = VALUE_NUMBER;
		layout.high = value_base(store, BASE(BASE_APERTURE, 0), 0);
	} else if (layout.unknown) {
		layout.low = layout.high = value_unknown(
		    store, !strncmp(insn->mnemonic, "tensor_", 7)
			       ? "memory that a tensor's descriptor names"
			   : insn->family == MEM_IMAGE ? "memory that an image's descriptor names"
						       : "an addressing mode not followed");
		add_pair(flow, state, access, layout.low, layout.high);
	} else {
		add_pair(flow, state, access, layout.low, layout.high);
	}
	if (!layout.lds)
		count = flow_targets(flow, layout.low, layout.high, target);
	status = follow_stored(insn, state, &layout, target, count, access);
	if (status)
		return status;
	if (insn_stores_words(insn) && layout.data && !layout.is_private)
		for (part = 0; part < insn->dwords / 2u; part++)
			add_word(&access->word[part],
				 flow_operand(flow, state, layout.data, 2 * part),
				 flow_operand(flow, state, layout.data, 2 * part + 1));
	else if (insn_stores_half(insn) && layout.data && !layout.is_private)
		add_word(&access->word[0], flow_operand(flow, state, layout.data, 0), VALUE_NUMBER);
	if (flow->swaps && insn->atomic && insn->atomic_op == ISA_OP_CMPSWAP && layout.data)
		status = note_swap(flow, state, layout.data, index);
	if (status)
		return status;
	if (layout.to) {
		unsigned dwords = insn->atomic ? insn->dwords : layout.to->count;
		bool number;

		for (part = 0; part < dwords && part < 16; part++) {
			value_id value = VALUE_BOTTOM;

			if (insn->atomic) {
				struct target through = { .kind = TARGET_UNKNOWN };

				value = load_one(flow, state, insn, &layout, &through, index, part);
			} else if (layout.lds) {
				struct target through = { .kind = TARGET_LDS };

				value = load_one(flow, state, insn, &layout, &through, index, part);
			}
			number = known
				     ? concrete_load(flow, insn, address + (uint64_t)layout.offset,
						     part, &value)
				     : flow->launch && !layout.is_private && !layout.lds &&
					   concrete_load_each(
					       flow, insn,
					       &(struct value_pair){ layout.low, layout.high },
					       layout.offset + 4 * (int64_t)part, &value);
			for (i = 0; !insn->atomic && !number && i < count; i++)
				value = value_join(
				    store, value,
				    load_one(flow, state, insn, &layout, &target[i], index, part));
			result[part] = value;
		}
		if (dwords == 2 && insn->load)
			explain_choice(flow, target, count, result);
	}
	if ((insn->store || insn->atomic) && layout.data) {
		bool only = count == 1;

		for (i = 0; !status && i < count; i++) {
			if (target[i].kind == TARGET_PRIVATE)
				status =
				    store_private(flow, state, insn, &layout, &target[i], only);
			else if (target[i].kind == TARGET_UNKNOWN && insn->family == MEM_FLAT) {
				/* It might hit private memory. */
				for (part = 0; !status && part < insn->dwords; part++)
					status = state_private_store_any(
					    store, state,
					    insn->atomic
						? VALUE_NUMBER
						: flow_operand(flow, state, layout.data, part),
					    true);
			}
		}
	}
	if (layout.to) {
		unsigned dwords = insn->atomic ? insn->dwords : layout.to->count;

		for (part = 0; !status && part < dwords && part < 16; part++)
			status = flow_write(flow, state, layout.to, part, result[part]);
	}
	return status;
}
