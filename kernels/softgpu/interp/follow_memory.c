/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomic operations on bytes that nothing wrote. */
#include "undefined.h"

/* The largest element of a load of the scalar unit. */
#define WIDEST 64u

/* A load found this of each lane. */
struct found {
	uint16_t unwritten[2][SG_LANES]; /* a bit for each byte, by element */
	uint64_t lanes;                  /* that have any */
	uint64_t computed;               /* lanes with bytes that were computed */
	uint64_t address[SG_LANES];      /* of the first unwritten byte */
	uint8_t size[SG_LANES];          /* unwritten bytes from there on */
};

static bool is_lds(const struct sg_touched *touched, uint64_t address)
{
	return touched->lds || (touched->flat && address >> 32 == SG_SHARED_BASE_HI);
}

/*
 * Calls `each` for the states of the bytes of each lane. Returns false if that does, or where not
 * all of them lie in LDS, or in the same allocation, as those of most instructions do.
 */
static inline __attribute__((always_inline)) bool
in_one(const struct sg_wave *wave, const struct sg_touched *touched,
       bool (*each)(uint8_t *written, unsigned size))
{
	const struct sg_known *known = NULL;
	uint8_t *states = wave->group->lds_written;
	uint64_t first = 0, size = wave->group->lds_size;

	if (!touched->active || touched->flat)
		return false;
	if (!touched->lds) {
		known = sg_known_find(touched->address[0][__builtin_ctzll(touched->active)]);
		if (!known)
			return false;
		states = known->written;
		first = known->first;
		size = known->end - known->first;
	}
	if (!states || size < touched->size)
		return false;
	for (unsigned e = 0; e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1) {
			uint64_t at = touched->address[e][__builtin_ctzll(m)] - first;

			if (at > size - touched->size || !each(states + at, touched->size))
				return false;
		}
	return true;
}

/* Returns the states of a lane's bytes; NULL: all are written, or nothing is known of them. */
static uint8_t *find_bytes(const struct sg_wave *wave, const struct sg_touched *touched,
			   uint64_t address, const struct sg_known **known)
{
	const struct sg_group *group = wave->group;
	uint32_t at = (uint32_t)address;

	*known = NULL;
	if (touched->flat && address >> 32 == SG_PRIVATE_BASE_HI)
		return NULL;
	if (is_lds(touched, address))
		return group->lds_written && (uint64_t)at + touched->size <= group->lds_size
			   ? group->lds_written + at
			   : NULL;
	*known = sg_known_find(address);
	if (!*known)
		return NULL;
	return (*known)->written + (address - (*known)->first);
}

/* Returns how many bytes of the lane's access the entry has. */
static unsigned bytes_in(const struct sg_touched *touched, const struct sg_known *known,
			 uint64_t address)
{
	return known && known->end - address < touched->size ? (unsigned)(known->end - address)
							     : touched->size;
}

static bool is_whole(uint8_t *written, unsigned size)
{
	uint32_t word;

	for (; size >= 4; size -= 4, written += 4) {
		memcpy(&word, written, 4);
		if (word != 0x01010101u * SG_WRITTEN)
			return false;
	}
	for (unsigned i = 0; i < size; i++)
		if (written[i] != SG_WRITTEN)
			return false;
	return true;
}

static void find_lane(const struct sg_wave *wave, const struct sg_touched *touched, unsigned e,
		      unsigned lane, struct found *found)
{
	uint64_t address = touched->address[e][lane], bit_of_lane = (uint64_t)1 << lane;
	const struct sg_known *known;
	const uint8_t *written = find_bytes(wave, touched, address, &known);
	unsigned size = written ? bytes_in(touched, known, address) : 0;
	uint64_t flat = address + (touched->lds ? (uint64_t)SG_SHARED_BASE_HI << 32 : 0);

	found->unwritten[e][lane] = 0;
	for (unsigned i = 0; i < size && i < 16; i++) {
		if (written[i] == SG_WRITTEN)
			continue;
		if (known && !sg_known_unwritten(known, address + i - known->first))
			continue;
		found->unwritten[e][lane] |= (uint16_t)(1u << i);
		if (written[i] == SG_COMPUTED)
			found->computed |= bit_of_lane;
		if (!(found->lanes & bit_of_lane)) {
			found->address[lane] = flat + i;
			found->size[lane] = 0;
		}
		if (flat + i == found->address[lane] + found->size[lane])
			found->size[lane]++;
		found->lanes |= bit_of_lane;
	}
}

static void find_unwritten(const struct sg_wave *wave, const struct sg_touched *touched,
			   struct found *found)
{
	found->lanes = found->computed = 0;
	for (unsigned e = 0; e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1)
			find_lane(wave, touched, e, (unsigned)__builtin_ctzll(m), found);
}

/* Remembers the load, and returns its number. */
static uint32_t remember(struct sg_wave *wave, const struct sg_insn *in, const struct found *found)
{
	struct sg_undefined *u = wave->undefined;
	uint32_t number = u->nloads++;
	struct sg_unwritten_load *load = &u->loads[number % SG_UNWRITTEN_LOADS];

	load->name = in->op->name;
	load->pc = in->pc;
	load->number = number;
	load->lanes = found->lanes;
	memcpy(load->address, found->address, sizeof(load->address));
	memcpy(load->size, found->size, sizeof(load->size));
	return number;
}

/* The row's arg of loads and stores in vmem.c and lds.c. */
#define BYTES(arg) ((arg)&0x1fu)
#define SIGNED     0x20u
#define D16        0x40u
#define D16_HI     0x80u

/* Returns the mask of word `w` of a register that was loaded, from a bit for each byte. */
static uint32_t loaded_mask(unsigned bytes, unsigned w, unsigned arg)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < 4; i++)
		if (bytes >> (4 * w + i) & 1)
			mask |= 0xffu << 8 * i;
	if (BYTES(arg) == 1 && arg & SIGNED)
		mask = (uint32_t)(int32_t)(int8_t)mask;
	if (BYTES(arg) == 2 && arg & SIGNED)
		mask = (uint32_t)(int32_t)(int16_t)mask;
	return arg & D16 ? mask & 0xffff : arg & D16_HI ? mask << 16 : mask;
}

static void set_loaded(struct sg_wave *wave, const struct sg_insn *in,
		       const struct sg_touched *touched, const struct found *found, uint32_t load)
{
	struct sg_undefined *u = wave->undefined;
	unsigned words = (touched->size + 3) / 4;
	uint64_t exec = sg_exec(wave);

	for (unsigned i = 0; i < words * touched->elements; i++) {
		unsigned r = in->o[0].index + i, e = i / words;

		if (r >= SG_VECTORS || (!found->lanes && !sg_bit(u->rows, r)))
			continue;
		for (uint64_t m = exec; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctzll(m);

			u->v[r][l] = touched->active >> l & 1 ? loaded_mask(found->unwritten[e][l],
									    i % words, in->op->arg)
							      : 0;
		}
		sg_undefined_settle_row(u, r);
		u->computed[r] = (u->computed[r] & ~exec) | found->computed;
		if (found->lanes)
			u->load[r] = load;
	}
}

/* A load of the scalar unit is one access of 4 bytes or more for the wave. */
static void follow_scalar_load(struct sg_wave *wave, const struct sg_insn *in,
			       const struct sg_touched *touched)
{
	struct found found = { .lanes = 0 };
	struct sg_touched part = *touched;
	uint32_t masks[WIDEST / 4], load = 0, any = 0;

	part.size = 4;
	part.active = 1;
	sg_known_lock();
	for (unsigned w = 0; w < touched->size / 4 && w < WIDEST / 4; w++) {
		part.address[0][0] = touched->address[0][__builtin_ctzll(touched->active)] + 4 * w;
		find_lane(wave, &part, 0, 0, &found);
		masks[w] = loaded_mask(found.unwritten[0][0], 0, 4);
		any |= masks[w];
	}
	sg_known_unlock();
	in->op->exec(wave, in);
	if (wave->stop || (!any && !wave->followed) || !sg_undefined_of(wave) ||
	    in->o[0].kind != SG_K_SCALAR)
		return;
	if (any) {
		/* It counts for the first work-item. */
		found.lanes = (uint64_t)1 << (sg_exec(wave) ? __builtin_ctzll(sg_exec(wave)) : 0);
		found.address[__builtin_ctzll(found.lanes)] = found.address[0];
		found.size[__builtin_ctzll(found.lanes)] = found.size[0];
		load = remember(wave, in, &found);
	}
	for (unsigned w = 0; w < touched->size / 4 && w < WIDEST / 4; w++) {
		unsigned r = in->o[0].index + w;

		if (r >= SG_EXEC)
			break;
		wave->undefined->s[r] = masks[w];
		wave->undefined->scomputed[r] = false;
		wave->undefined->sload[r] = load;
		sg_set_bit(wave->undefined->scalars, r, masks[w] != 0);
	}
	sg_undefined_settle(wave);
}

static void follow_load(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
			sg_access_fn execute)
{
	struct found found;
	uint32_t load = 0;

	found.lanes = found.computed = 0;
	sg_known_lock();
	if (wave->followed || !in_one(wave, touched, is_whole))
		find_unwritten(wave, touched, &found);
	sg_known_unlock();
	execute(wave, in, touched);
	if (wave->stop || (!found.lanes && !wave->followed) || !sg_undefined_of(wave))
		return;
	if (found.lanes)
		load = remember(wave, in, &found);
	set_loaded(wave, in, touched, &found, load);
	sg_undefined_settle(wave);
}

/* Returns the register of an element's first word that a store writes to memory. */
static unsigned data_row(const struct sg_insn *in, const struct sg_touched *touched, unsigned e)
{
	bool buffer = strncmp(in->op->name, "buffer_", 7) == 0;

	return in->o[touched->lds ? 1 + e : buffer ? 0 : 1].index;
}

/* Returns the state of byte `i` of a lane that a store writes; *computed if it is a result. */
static uint8_t stored_byte(const struct sg_undefined *u, unsigned row, unsigned lane, unsigned i,
			   bool high, bool *computed)
{
	unsigned r = row + i / 4;
	uint32_t mask;

	if (r >= SG_VECTORS || !sg_bit(u->rows, r))
		return SG_WRITTEN;
	mask = u->v[r][lane] >> (high ? 16 : 0) >> 8 * (i % 4) & 0xff;
	if (!mask)
		return SG_WRITTEN;
	*computed = u->computed[r] >> lane & 1;
	/* A byte that is partly defined counts as written later. */
	return mask == 0xff ? SG_UNWRITTEN : SG_WRITTEN;
}

static bool write_whole(uint8_t *written, unsigned size)
{
	static const uint32_t word = 0x01010101u * SG_WRITTEN;

	for (; size >= 4; size -= 4, written += 4)
		memcpy(written, &word, 4);
	for (unsigned i = 0; i < size; i++)
		written[i] = SG_WRITTEN;
	return true;
}

static void store_lane(struct sg_wave *wave, const struct sg_insn *in,
		       const struct sg_touched *touched, unsigned e, unsigned lane,
		       uint64_t *results)
{
	uint64_t address = touched->address[e][lane];
	const struct sg_known *known;
	uint8_t *written = find_bytes(wave, touched, address, &known);
	unsigned size = written ? bytes_in(touched, known, address) : 0;
	unsigned row = data_row(in, touched, e);
	bool high = in->op->arg & D16_HI, lds = is_lds(touched, address);

	if (!wave->followed) {
		if (written)
			memset(written, SG_WRITTEN, size);
		return;
	}
	for (unsigned i = 0; i < touched->size; i++) {
		bool computed = false;
		uint8_t state = stored_byte(wave->undefined, row, lane, i, high, &computed);

		if (computed && lds)
			state = SG_COMPUTED;
		else if (computed && !lds)
			state = SG_WRITTEN; /* it is reported here */
		if (computed && !lds)
			*results |= (uint64_t)1 << lane;
		if (i < size)
			written[i] = state;
	}
}

static void follow_store(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
			 sg_access_fn execute)
{
	uint64_t results = 0;
	uint32_t load;
	bool whole;

	sg_known_lock();
	whole = !wave->followed && in_one(wave, touched, write_whole);
	for (unsigned e = 0; !whole && e < touched->elements; e++)
		for (uint64_t m = touched->active; m; m &= m - 1)
			store_lane(wave, in, touched, e, (unsigned)__builtin_ctzll(m), &results);
	sg_known_unlock();
	if (results) {
		struct sg_operand data = { .kind = SG_K_VECTOR,
					   .index = (uint16_t)data_row(in, touched, 0),
					   .count = (uint8_t)((touched->size + 3) / 4) };

		if (sg_is_undefined(wave->undefined, &data, &load))
			sg_undefined_report(wave, in, load, SOFTGPU_CHECK_UNWRITTEN_RESULT);
	}
	execute(wave, in, touched);
}

/* An exchange does not use what was there. */
static bool exchanges(const struct sg_insn *in)
{
	return strstr(in->op->name, "swap") && !strstr(in->op->name, "cmpswap");
}

static void follow_atomic(struct sg_wave *wave, const struct sg_insn *in,
			  struct sg_touched *touched, sg_access_fn execute)
{
	struct found found;

	sg_known_lock();
	find_unwritten(wave, touched, &found);
	for (uint64_t m = touched->active; m; m &= m - 1) {
		uint64_t address = touched->address[0][__builtin_ctzll(m)];
		const struct sg_known *known;
		uint8_t *written = find_bytes(wave, touched, address, &known);

		if (written)
			memset(written, SG_WRITTEN, bytes_in(touched, known, address));
	}
	sg_known_unlock();
	if (found.lanes && !exchanges(in) && sg_undefined_of(wave))
		sg_undefined_report(wave, in, remember(wave, in, &found),
				    SOFTGPU_CHECK_UNWRITTEN_ATOMIC);
	execute(wave, in, touched);
	if (wave->followed && (touched->lds ? !(in->op->flags & SG_F_NODST) : in->glc)) {
		sg_undefined_clear(wave->undefined, &in->o[0]);
		sg_undefined_settle(wave);
	}
}

void sg_follow_untouched(struct sg_wave *wave, const struct sg_insn *in)
{
	in->op->exec(wave, in);
	if (in->lds || strncmp(in->op->name, "ds_", 3) == 0 || strstr(in->op->name, "_lds_"))
		if (wave->group->lds_written)
			memset(wave->group->lds_written, SG_WRITTEN, wave->group->lds_size);
	if (wave->followed && in->nops && !strstr(in->op->name, "_store_")) {
		sg_undefined_clear(wave->undefined, &in->o[0]);
		sg_undefined_settle(wave);
	}
}

void sg_follow_memory(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched,
		      sg_access_fn execute)
{
	if (wave->followed)
		sg_follow_addresses(wave, in, touched);
	if (touched->scalar)
		follow_scalar_load(wave, in, touched);
	else if (touched->kind == SG_READ)
		follow_load(wave, in, touched, execute);
	else if (touched->kind == SG_WRITE)
		follow_store(wave, in, touched, execute);
	else
		follow_atomic(wave, in, touched, execute);
}
