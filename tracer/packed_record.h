/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed records: the form of HG_RECORD_PACKED, which has blocks of the C library and copies of one
 * row one after the other in few bytes. The recorder writes it and the analyzer reads it, both with
 * what is here. Each stands for a record of batch_events.h: hg_packed_read() returns that.
 *
 * The first word: the kind in bits 56 to 63, the length in words in 48 to 55; the rest is zero.
 * Bytes follow. What begins with a byte of zero is not used, to the end of the length. Numbers are
 * little-endian. Times, addresses and members of copies are as differences from the packed record
 * before it in the batch, in whatever HG_RECORD_PACKED that is, and from zeros in the first one
 * (struct hg_packed). The time is that of the record; its difference is less than 2^32, mod 2^32.
 *
 * A block: the address is a multiple of 16 below 2^48. Of its difference, divided by 16, the sign
 * is moved to bit 0 (hg_packed_fold()). Small ones, with the first byte:
 *
 *   0x80 | api          time 2 bytes, address 2, size 2, stack_id 2: HG_RECORD_ALLOC(_STACK)
 *   0xc0 | api          time 2 bytes, address 2: HG_RECORD_FREE without a stack
 *
 * The others: api (below 63), then 16 bits with the number of bytes of each: bits 0 to 1 time, less
 * 1; 2 to 4 address; 5 to 7 size; 8 to 10 stack_id; bit 11: HG_RECORD_FREE. These follow.
 *
 * A copy: 0xff is one of which nothing is other than in the last copy: time 2 bytes, duration 2
 * bytes. 0x7f is another: then 32 bits with the number of bytes of each: bits 0 to 1 time, less 1;
 * 2 to 4 duration; 5 to 8 dst; 9 to 12 src; 13 to 16 size; 17 to 20 stream; 21 to 23 stack_id; 24
 * to 26 `what` (the first word of HG_RECORD_COPY, bits 0 to 39). Of dst and src the difference is
 * folded; of size, stream, stack_id and `what` the bits that differ from the last copy's follow.
 */
#ifndef HIPGRAIN_TRACER_PACKED_RECORD_H
#define HIPGRAIN_TRACER_PACKED_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/batch_events.h"

enum hg_packed_first {
	HG_PACKED_END = 0,
	HG_PACKED_APIS = 63, /* below it: a block of that api */
	HG_PACKED_COPY = 0x7f,
	HG_PACKED_SMALL_ALLOC = 0x80, /* and the api */
	HG_PACKED_SMALL_FREE = 0xc0,
	HG_PACKED_SAME_COPY = 0xff,
};

/* Room for any block, and any copy, with what is written behind it. */
#define HG_PACKED_BLOCK_MOST 32u
#define HG_PACKED_COPY_MOST  64u

/* Words of a run, with the first: at least, for there to be room for a record, and at most. */
#define HG_PACKED_WORDS_LEAST 9u
#define HG_PACKED_WORDS_MAX   255u

struct hg_packed_copy {
	uint64_t dst, src, size, stream;
	uint64_t what; /* api in bits 0 to 15, kind in 16 to 23, device in 24 to 39 */
	uint32_t stack_id, duration;
};

/* What is known of the record before. */
struct hg_packed {
	uint64_t address; /* of a block, divided by 16 */
	uint32_t since;
	struct hg_packed_copy copy;
};

static inline uint64_t hg_packed_fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t hg_packed_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

/* How many bytes a number takes; 0: none. */
static inline uint32_t hg_packed_bytes(uint64_t number)
{
	return number ? (71u - (uint32_t)__builtin_clzll(number)) / 8u : 0;
}

/* The same of one of less than 63 bits, in fewer instructions. */
static inline uint32_t hg_packed_bytes_less(uint64_t number)
{
	return (uint32_t)(70 - (__builtin_clzll(number << 1 | 1))) / 8u;
}

static inline char *hg_packed_put(char *to, uint64_t number, uint32_t bytes)
{
	__builtin_memcpy(to, &number, sizeof(number));
	return to + bytes;
}

/*
 * Ends a record: the next one's first byte is zero, and then this one's first is there. Whoever
 * reads the page of a process that was killed finds whole records.
 */
static inline void hg_packed_finish(char *from, char *end, uint8_t first)
{
	*end = HG_PACKED_END;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	__atomic_store_n(from, (char)first, __ATOMIC_RELAXED);
}

/* The first word of a run of so many words. */
static inline uint64_t hg_packed_head(uint64_t words)
{
	return (uint64_t)HG_RECORD_PACKED << 56 | words << 48;
}

/* Whether a block can be packed. */
static inline bool hg_packed_fits(uint16_t api, uint64_t address)
{
	return api && api < HG_PACKED_APIS && !(address & 15) && !(address >> 48);
}

/*
 * Store a block at `to`, which has room for HG_PACKED_BLOCK_MOST bytes; `address` is divided by 16,
 * `folded` is what hg_packed_fold() makes of its difference. Returns where it ends.
 */
static inline __attribute__((always_inline)) char *
hg_packed_put_block(char *to, struct hg_packed *packed, uint8_t api, bool freed, uint64_t address,
		    uint64_t folded, uint32_t size, uint32_t stack_id, uint32_t since)
{
	uint32_t passed = since - packed->since;
	uint64_t most = folded | size | stack_id | passed;
	char *end;

	packed->since = since;
	packed->address = address;
	if (__builtin_expect(most <= UINT16_MAX, 1) && (!freed || !stack_id)) {
		uint64_t word =
		    (uint64_t)stack_id << 48 | (uint64_t)size << 32 | folded << 16 | passed;

		end = hg_packed_put(to + 1, word, freed ? 4 : 8);
		hg_packed_finish(
		    to, end,
		    (uint8_t)(api | (freed ? HG_PACKED_SMALL_FREE : HG_PACKED_SMALL_ALLOC)));
	} else {
		uint32_t time = hg_packed_bytes_less(passed | 1),
			 place = hg_packed_bytes_less(folded), large = hg_packed_bytes_less(size),
			 stack = hg_packed_bytes_less(stack_id);
		uint16_t lengths = (uint16_t)((time - 1) | place << 2 | large << 5 | stack << 8 |
					      (freed ? 1u << 11 : 0));

		__builtin_memcpy(to + 1, &lengths, sizeof(lengths));
		end = hg_packed_put(to + 3, passed, time);
		end = hg_packed_put(end, folded, place);
		if (!freed)
			end = hg_packed_put(end, size, large);
		end = hg_packed_put(end, stack_id, stack);
		hg_packed_finish(to, end, api);
	}
	return end;
}

static inline bool hg_packed_is_same(const struct hg_packed_copy *copy,
				     const struct hg_packed_copy *last)
{
	return !((copy->dst ^ last->dst) | (copy->src ^ last->src) | (copy->size ^ last->size) |
		 (copy->stream ^ last->stream) | (copy->what ^ last->what) |
		 (copy->stack_id ^ last->stack_id));
}

/* Store a copy that is not the same as the last one, or longer after it. */
static inline char *hg_packed_put_other_copy(char *to, struct hg_packed *packed,
					     const struct hg_packed_copy *copy, uint32_t since)
{
	const struct hg_packed_copy *last = &packed->copy;
	const uint32_t passed = since - packed->since;
	const uint64_t parts[] = { passed,
				   copy->duration,
				   hg_packed_fold(copy->dst - last->dst),
				   hg_packed_fold(copy->src - last->src),
				   copy->size ^ last->size,
				   copy->stream ^ last->stream,
				   copy->stack_id ^ last->stack_id,
				   copy->what ^ last->what };
	static const uint8_t shifts[] = { 0, 2, 5, 9, 13, 17, 21, 24 };
	char *end = to + 1 + sizeof(uint32_t);
	uint32_t lengths = 0;

	for (unsigned i = 0; i < sizeof(shifts); i++) {
		uint32_t bytes = hg_packed_bytes(i ? parts[i] : parts[i] | 1);

		lengths |= (i ? bytes : bytes - 1) << shifts[i];
		end = hg_packed_put(end, parts[i], bytes);
	}
	__builtin_memcpy(to + 1, &lengths, sizeof(lengths));
	hg_packed_finish(to, end, HG_PACKED_COPY);
	packed->copy = *copy;
	packed->since = since;
	return end;
}

/* Store a copy at `to`, which has room for HG_PACKED_COPY_MOST bytes. Returns where it ends. */
static inline __attribute__((always_inline)) char *
hg_packed_put_copy(char *to, struct hg_packed *packed, const struct hg_packed_copy *copy,
		   uint32_t since)
{
	uint32_t passed = since - packed->since;
	char *end;

	if (__builtin_expect(!hg_packed_is_same(copy, &packed->copy), 0) ||
	    __builtin_expect((passed | copy->duration) > UINT16_MAX, 0))
		return hg_packed_put_other_copy(to, packed, copy, since);
	end = hg_packed_put(to + 1, (uint64_t)copy->duration << 16 | passed, 4);
	hg_packed_finish(to, end, HG_PACKED_SAME_COPY);
	packed->since = since;
	return end;
}

/* ---- reading ---- */

/* Bytes of a HG_RECORD_PACKED, from the next record on. */
struct hg_packed_bytes {
	const unsigned char *at, *end;
	bool damaged;
};

static inline uint64_t hg_packed_take(struct hg_packed_bytes *from, uint32_t bytes)
{
	uint64_t number = 0;

	if (bytes > sizeof(number) || (uint64_t)(from->end - from->at) < bytes) {
		from->damaged = true;
		return 0;
	}
	__builtin_memcpy(&number, from->at, bytes);
	from->at += bytes;
	return number;
}

static inline uint32_t hg_packed_write_block(uint64_t *record, const struct hg_packed *packed,
					     uint32_t api, bool freed, uint64_t size,
					     uint64_t stack_id)
{
	uint64_t kind = freed ? HG_RECORD_FREE : stack_id ? HG_RECORD_ALLOC_STACK : HG_RECORD_ALLOC;

	record[0] = kind << 56 | (uint64_t)api << 48 | (packed->address << 4 & HG_RECORD_ADDRESS);
	record[1] = (freed ? stack_id : size) << 32 | packed->since;
	record[2] = stack_id;
	return hg_record_words(record[0]);
}

static inline uint32_t hg_packed_read_small(struct hg_packed_bytes *from, struct hg_packed *packed,
					    uint32_t first, uint64_t *record)
{
	bool freed = (first & HG_PACKED_SMALL_FREE) == HG_PACKED_SMALL_FREE;
	uint64_t word = hg_packed_take(from, freed ? 4 : 8);

	packed->since += (uint32_t)(word & UINT16_MAX);
	packed->address += hg_packed_unfold(word >> 16 & UINT16_MAX);
	return hg_packed_write_block(record, packed, first & 0x3f, freed, word >> 32 & UINT16_MAX,
				     word >> 48);
}

static inline uint32_t hg_packed_read_block(struct hg_packed_bytes *from, struct hg_packed *packed,
					    uint32_t api, uint64_t *record)
{
	uint32_t lengths = (uint32_t)hg_packed_take(from, 2), size, stack_id;

	packed->since += (uint32_t)hg_packed_take(from, (lengths & 3) + 1);
	packed->address += hg_packed_unfold(hg_packed_take(from, lengths >> 2 & 7));
	size = (uint32_t)hg_packed_take(from, lengths >> 5 & 7);
	stack_id = (uint32_t)hg_packed_take(from, lengths >> 8 & 7);
	return hg_packed_write_block(record, packed, api, lengths >> 11 & 1, size, stack_id);
}

static inline uint32_t hg_packed_write_copy(uint64_t *record, const struct hg_packed *packed)
{
	const struct hg_packed_copy *copy = &packed->copy;

	record[0] = (uint64_t)HG_RECORD_COPY << 56 | (copy->what & ((UINT64_C(1) << 40) - 1));
	record[1] = (uint64_t)copy->duration << 32 | packed->since;
	record[2] = copy->dst;
	record[3] = copy->src;
	record[4] = copy->size;
	record[5] = copy->stream;
	record[6] = copy->stack_id;
	return HG_RECORD_COPY_WORDS;
}

static inline uint32_t hg_packed_read_copy(struct hg_packed_bytes *from, struct hg_packed *packed,
					   uint64_t *record)
{
	uint32_t lengths = (uint32_t)hg_packed_take(from, 4);
	struct hg_packed_copy *copy = &packed->copy;

	packed->since += (uint32_t)hg_packed_take(from, (lengths & 3) + 1);
	copy->duration = (uint32_t)hg_packed_take(from, lengths >> 2 & 7);
	copy->dst += hg_packed_unfold(hg_packed_take(from, lengths >> 5 & 15));
	copy->src += hg_packed_unfold(hg_packed_take(from, lengths >> 9 & 15));
	copy->size ^= hg_packed_take(from, lengths >> 13 & 15);
	copy->stream ^= hg_packed_take(from, lengths >> 17 & 15);
	copy->stack_id ^= (uint32_t)hg_packed_take(from, lengths >> 21 & 7);
	copy->what ^= hg_packed_take(from, lengths >> 24 & 7);
	return hg_packed_write_copy(record, packed);
}

/*
 * The next record, as batch_events.h has it: its words, at most HG_RECORD_COPY_WORDS. `packed`
 * begins as zeros in each batch. 0: there is no other, or it is damaged, and so is what follows.
 */
static inline uint32_t hg_packed_read(struct hg_packed_bytes *from, struct hg_packed *packed,
				      uint64_t *record)
{
	uint32_t first = HG_PACKED_END, words = 0;

	if (from->at < from->end)
		first = (uint32_t)hg_packed_take(from, 1);
	if (first == HG_PACKED_SAME_COPY) {
		packed->since += (uint32_t)hg_packed_take(from, 2);
		packed->copy.duration = (uint32_t)hg_packed_take(from, 2);
		words = hg_packed_write_copy(record, packed);
	} else if (first == HG_PACKED_COPY) {
		words = hg_packed_read_copy(from, packed, record);
	} else if (first >= HG_PACKED_SMALL_ALLOC) {
		words = hg_packed_read_small(from, packed, first, record);
	} else if (first && first < HG_PACKED_APIS) {
		words = hg_packed_read_block(from, packed, first, record);
	} else {
		from->damaged |= first != HG_PACKED_END;
	}
	return from->damaged ? 0 : words;
}

#endif
