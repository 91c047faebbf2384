/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: the one form in which events lie in the pages of processes' files (ring.h), in parts of
 * these pages in a trace (event `page`), and in the analyzer until their turn has come. What is
 * here writes them; event_record_reader.h reads them.
 *
 * A page has one record behind the other, of one thread, by time. The first byte of a record says
 * what it is; a byte of zero, that none follows. It is stored after the rest of its record, and
 * after the zero behind that: whole records are found whenever the page is read, also where a
 * process was killed. Numbers are little-endian, and not aligned. The time of a record is `since`,
 * in ns from the page's begin on, or from that of the last HG_RECORD_BEGIN.
 *
 * HG_RECORD_EVENT: type (2 bytes, event_layout.h), bytes of the fields (2), since (4), then the
 * fields in the order of events.def: integers of the field's type; a text is its bytes and a NUL; a
 * sequence is its length in elements (uint32_t) and its elements. Every event can be recorded so.
 * The other records are shorter forms of events that are many, of alloc, free, copy, stack and
 * launch with args.
 *
 * HG_RECORD_BEGIN: a moment (8 bytes), ns of CLOCK_MONOTONIC.
 *
 * A block of the C library, whose address is a multiple of 16 below 2^48. Times, addresses and
 * members of copies are as differences from the record before it in the page, and from zeros in the
 * first one (struct hg_record_before). The difference of times is less than 2^32, mod 2^32. Of that
 * of addresses, divided by 16, the sign is moved to bit 0 (hg_record_fold()). Small ones, with the
 * first byte:
 *
 *   0x80 | api          time 2 bytes, address 2, size 2, stack_id 2: alloc
 *   0xc0 | api          time 2 bytes, address 2: free, without a stack
 *
 * The others: api (below 63), then 16 bits with the number of bytes of each: bits 0 to 1 time, less
 * 1; 2 to 4 address; 5 to 7 size; 8 to 10 stack_id; bit 11: it is freed. These follow.
 *
 * A copy of one row: 0xff is one of which nothing is other than in the last copy: time 2 bytes,
 * duration 2 bytes. 0x7f is another: then 32 bits with the number of bytes of each: bits 0 to 1
 * time, less 1; 2 to 4 duration; 5 to 8 dst; 9 to 12 src; 13 to 16 size; 17 to 20 stream; 21 to 23
 * stack_id; 24 to 26 `what` (api in bits 0 to 15, kind in 16 to 23, device in 24 to 39). Of dst and
 * src the difference is folded; of size, stream, stack_id and `what` the bits that differ from the
 * last copy's follow.
 *
 * HG_RECORD_STACK: number of frames (1 byte), since (4), id (4), then values of 32 bits. Each frame
 * is its address less the one before (the first: less 0), as a signed value; if that does not fit,
 * HG_STACK_FAR and then the address itself, its lower half first.
 *
 * HG_RECORD_LAUNCH: slot (1 byte), since (4), api (2), bytes of the arguments (2), kernel_id (4),
 * then HG_LAUNCH_STATE words of 64 bits (enum hg_launch_word), and the arguments in words, of which
 * the last is filled up with zeros. HG_RECORD_LAUNCH_CHANGED: slot (1 byte), since (4), and 72 bits
 * that say which of those words are others than in the latest record of that slot in that page;
 * they follow in their order. Bit 0 is the first of HG_LAUNCH_STATE, the arguments begin at bit
 * HG_LAUNCH_STATE. All else is as in that record. Nothing depends on what is in another page but
 * for the definitions of kernels and stacks: a page that is lost takes its own launches with it and
 * no others, and the stacks that it defines.
 */
#ifndef HIPGRAIN_TRACER_EVENT_RECORD_H
#define HIPGRAIN_TRACER_EVENT_RECORD_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

/* First bytes. */
enum hg_record_first {
	HG_RECORD_END = 0,
	HG_RECORD_APIS = 63, /* below it: a block of that api */
	HG_RECORD_EVENT = 0x40,
	HG_RECORD_BEGIN = 0x41,
	HG_RECORD_STACK = 0x42,
	HG_RECORD_LAUNCH = 0x43,
	HG_RECORD_LAUNCH_CHANGED = 0x44,
	HG_RECORD_COPY = 0x7f,
	HG_RECORD_SMALL_ALLOC = 0x80, /* and the api */
	HG_RECORD_SMALL_FREE = 0xc0,
	HG_RECORD_SAME_COPY = 0xff,
};

/* Room for any block, and any copy, with what is written behind it. */
#define HG_RECORD_BLOCK_MOST 32u
#define HG_RECORD_COPY_MOST  64u
/* Bytes of a record, or ahead of what it has. */
#define HG_RECORD_EVENT_HEAD   9u
#define HG_RECORD_BEGIN_BYTES  9u
#define HG_RECORD_STACK_HEAD   10u
#define HG_RECORD_LAUNCH_HEAD  14u
#define HG_RECORD_CHANGED_HEAD 15u

struct hg_record_copy {
	uint64_t dst, src, size, stream;
	uint64_t what;
	uint32_t stack_id, duration;
};

/* What is known of the record before. */
struct hg_record_before {
	uint64_t address; /* of a block, divided by 16 */
	uint32_t since;
	struct hg_record_copy copy;
};

static inline uint64_t hg_record_fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

/* How many bytes a number takes; 0: none. */
static inline uint32_t hg_record_bytes(uint64_t number)
{
	return number ? (71u - (uint32_t)__builtin_clzll(number)) / 8u : 0;
}

/* The same of one of less than 63 bits, in fewer instructions. */
static inline uint32_t hg_record_bytes_less(uint64_t number)
{
	return (uint32_t)(70 - (__builtin_clzll(number << 1 | 1))) / 8u;
}

/* Stores a number's lower bytes; what is behind them is overwritten, up to 8 bytes. */
static inline char *hg_record_put(char *to, uint64_t number, uint32_t bytes)
{
	__builtin_memcpy(to, &number, sizeof(number));
	return to + bytes;
}

static inline char *hg_record_put32(char *to, uint32_t number)
{
	__builtin_memcpy(to, &number, sizeof(number));
	return to + sizeof(number);
}

static inline char *hg_record_put16(char *to, uint16_t number)
{
	__builtin_memcpy(to, &number, sizeof(number));
	return to + sizeof(number);
}

/* Ends a record: the next one's first byte is zero, and then this one's first is there. */
static inline void hg_record_finish(char *from, char *end, uint8_t first)
{
	*end = HG_RECORD_END;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	__atomic_store_n(from, (char)first, __ATOMIC_RELAXED);
}

/* ---- blocks ---- */

/* Whether a block can have a record of its own. */
static inline bool hg_record_fits(uint16_t api, uint64_t address)
{
	return api && api < HG_RECORD_APIS && !(address & 15) && !(address >> 48);
}

/*
 * Store a block at `to`, which has room for HG_RECORD_BLOCK_MOST bytes; `address` is divided by 16,
 * `folded` is what hg_record_fold() makes of its difference. Returns where it ends.
 */
static inline __attribute__((always_inline)) char *
hg_record_put_block(char *to, struct hg_record_before *before, uint8_t api, bool freed,
		    uint64_t address, uint64_t folded, uint32_t size, uint32_t stack_id,
		    uint32_t since)
{
	uint32_t passed = since - before->since;
	uint64_t most = folded | size | stack_id | passed;
	char *end;

	before->since = since;
	before->address = address;
	if (__builtin_expect(most <= UINT16_MAX, 1) && (!freed || !stack_id)) {
		uint64_t word =
		    (uint64_t)stack_id << 48 | (uint64_t)size << 32 | folded << 16 | passed;

		end = hg_record_put(to + 1, word, freed ? 4 : 8);
		hg_record_finish(
		    to, end,
		    (uint8_t)(api | (freed ? HG_RECORD_SMALL_FREE : HG_RECORD_SMALL_ALLOC)));
	} else {
		uint32_t time = hg_record_bytes_less(passed | 1),
			 place = hg_record_bytes_less(folded), large = hg_record_bytes_less(size),
			 stack = hg_record_bytes_less(stack_id);
		uint16_t lengths = (uint16_t)((time - 1) | place << 2 | large << 5 | stack << 8 |
					      (freed ? 1u << 11 : 0));

		__builtin_memcpy(to + 1, &lengths, sizeof(lengths));
		end = hg_record_put(to + 3, passed, time);
		end = hg_record_put(end, folded, place);
		if (!freed)
			end = hg_record_put(end, size, large);
		end = hg_record_put(end, stack_id, stack);
		hg_record_finish(to, end, api);
	}
	return end;
}

/* ---- copies ---- */

static inline bool hg_record_is_same(const struct hg_record_copy *copy,
				     const struct hg_record_copy *last)
{
	return !((copy->dst ^ last->dst) | (copy->src ^ last->src) | (copy->size ^ last->size) |
		 (copy->stream ^ last->stream) | (copy->what ^ last->what) |
		 (copy->stack_id ^ last->stack_id));
}

/* Store a copy that is not the same as the last one, or longer after it. */
static inline char *hg_record_put_other_copy(char *to, struct hg_record_before *before,
					     const struct hg_record_copy *copy, uint32_t since)
{
	const struct hg_record_copy *last = &before->copy;
	const uint32_t passed = since - before->since;
	const uint64_t parts[] = { passed,
				   copy->duration,
				   hg_record_fold(copy->dst - last->dst),
				   hg_record_fold(copy->src - last->src),
				   copy->size ^ last->size,
				   copy->stream ^ last->stream,
				   copy->stack_id ^ last->stack_id,
				   copy->what ^ last->what };
	static const uint8_t shifts[] = { 0, 2, 5, 9, 13, 17, 21, 24 };
	char *end = to + 1 + sizeof(uint32_t);
	uint32_t lengths = 0;

	for (unsigned i = 0; i < sizeof(shifts); i++) {
		uint32_t bytes = hg_record_bytes(i ? parts[i] : parts[i] | 1);

		lengths |= (i ? bytes : bytes - 1) << shifts[i];
		end = hg_record_put(end, parts[i], bytes);
	}
	hg_record_put32(to + 1, lengths);
	hg_record_finish(to, end, HG_RECORD_COPY);
	before->copy = *copy;
	before->since = since;
	return end;
}

/* Store a copy at `to`, which has room for HG_RECORD_COPY_MOST bytes. Returns where it ends. */
static inline __attribute__((always_inline)) char *
hg_record_put_copy(char *to, struct hg_record_before *before, const struct hg_record_copy *copy,
		   uint32_t since)
{
	uint32_t passed = since - before->since;
	char *end;

	if (__builtin_expect(!hg_record_is_same(copy, &before->copy), 0) ||
	    __builtin_expect((passed | copy->duration) > UINT16_MAX, 0))
		return hg_record_put_other_copy(to, before, copy, since);
	end = hg_record_put(to + 1, (uint64_t)copy->duration << 16 | passed, 4);
	hg_record_finish(to, end, HG_RECORD_SAME_COPY);
	before->since = since;
	return end;
}

/* ---- events, and the beginning of times ---- */

/* Stores what is ahead of an event's fields, which the caller stores behind it before it finishes
 * the record. Returns where they go. */
static inline char *hg_record_put_event(char *to, struct hg_record_before *before, unsigned type,
					size_t bytes, uint32_t since)
{
	before->since = since;
	hg_record_put16(to + 1, (uint16_t)type);
	hg_record_put16(to + 3, (uint16_t)bytes);
	return hg_record_put32(to + 5, since);
}

static inline char *hg_record_put_begin(char *to, struct hg_record_before *before, uint64_t when)
{
	char *end = hg_record_put(to + 1, when, sizeof(when));

	before->since = 0;
	hg_record_finish(to, end, HG_RECORD_BEGIN);
	return end;
}

/* ---- stacks ---- */

#define HG_STACK_FAR        INT32_MIN
#define HG_STACK_FRAMES_MAX 160u

/* Whether a frame takes one value; the addresses may be far apart. */
static inline bool hg_stack_is_near(uint64_t before, uint64_t frame)
{
	uint64_t step = frame - before + (uint64_t)INT32_MAX;

	return step <= (uint64_t)UINT32_MAX - 1;
}

/* Bytes of the record of so many frames at most. */
static inline uint32_t hg_stack_most(uint32_t count)
{
	return HG_RECORD_STACK_HEAD + count * 12u;
}

/* The same where only the first frame may take more than one value. */
static inline uint32_t hg_stack_least(uint32_t count)
{
	return HG_RECORD_STACK_HEAD + 8u + count * 4u;
}

static inline char *hg_stack_put_head(char *to, uint32_t id, uint32_t count, uint32_t since)
{
	to[1] = (char)count;
	return hg_record_put32(hg_record_put32(to + 2, since), id);
}

static inline char *hg_stack_put_frame(char *to, uint64_t before, uint64_t frame)
{
	if (__builtin_expect(hg_stack_is_near(before, frame), 1))
		return hg_record_put32(to, (uint32_t)(frame - before));
	to = hg_record_put32(to, (uint32_t)HG_STACK_FAR);
	to = hg_record_put32(to, (uint32_t)frame);
	return hg_record_put32(to, (uint32_t)(frame >> 32));
}

static inline char *hg_stack_finish(char *from, char *end, struct hg_record_before *before,
				    uint32_t since)
{
	before->since = since;
	hg_record_finish(from, end, HG_RECORD_STACK);
	return end;
}

/* Stores the record of 1 to HG_STACK_FRAMES_MAX frames. Returns where it ends. */
static inline char *hg_stack_write(char *from, struct hg_record_before *before, uint32_t id,
				   const uint64_t *frames, uint32_t count, uint32_t since)
{
	char *to = hg_stack_put_head(from, id, count, since);

	for (uint32_t i = 0; i < count; i++)
		to = hg_stack_put_frame(to, i ? frames[i - 1] : 0, frames[i]);
	return hg_stack_finish(from, to, before, since);
}

/*
 * The same record in one pass. NULL, and nothing is stored, if two frames that follow one another
 * are further apart than code mostly is.
 */
static inline char *hg_stack_write_close(char *from, struct hg_record_before *before, uint32_t id,
					 const uint64_t *frames, uint32_t count, uint32_t since)
{
	const __m128i most = _mm_set1_epi64x(1 << 30); /* bytes, less than a value can hold */
	char *to = hg_stack_put_frame(hg_stack_put_head(from, id, count, since), 0, frames[0]);
	__m128i apart = _mm_setzero_si128();
	uint64_t rest = 0;
	uint32_t i = 1;

	for (; i + 4 <= count; i += 4, to += 4 * sizeof(uint32_t)) {
		const char *at = (const char *)&frames[i];
		__m128i low = _mm_sub_epi64(_mm_loadu_si128((const void *)at),
					    _mm_loadu_si128((const void *)(at - 8)));
		__m128i high = _mm_sub_epi64(_mm_loadu_si128((const void *)(at + 16)),
					     _mm_loadu_si128((const void *)(at + 8)));

		apart = _mm_or_si128(apart, _mm_srli_epi64(_mm_add_epi64(low, most), 31));
		apart = _mm_or_si128(apart, _mm_srli_epi64(_mm_add_epi64(high, most), 31));
		_mm_storeu_si128((void *)to,
				 _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(low),
								 _mm_castsi128_ps(high), 0x88)));
	}
	for (; i < count; i++) {
		rest |= (frames[i] - frames[i - 1] + (1 << 30)) >> 31;
		to = hg_record_put32(to, (uint32_t)(frames[i] - frames[i - 1]));
	}
	if (rest || _mm_movemask_epi8(_mm_cmpeq_epi32(apart, _mm_setzero_si128())) != 0xffff)
		return NULL;
	return hg_stack_finish(from, to, before, since);
}

/* ---- launches ---- */

enum hg_launch_word {
	HG_LAUNCH_WHERE, /* stack_id in the upper half, device in the lower */
	HG_LAUNCH_GRID,  /* grid_y, grid_x */
	HG_LAUNCH_SHAPE, /* block_x, grid_z */
	HG_LAUNCH_BLOCK, /* block_z, block_y */
	HG_LAUNCH_SHARED,
	HG_LAUNCH_STREAM,
	HG_LAUNCH_STATE, /* so many */
};
#define HG_LAUNCH_ARGS  (72u - (uint32_t)HG_LAUNCH_STATE) /* words of arguments at most */
#define HG_LAUNCH_WORDS (HG_LAUNCH_STATE + HG_LAUNCH_ARGS)
#define HG_LAUNCH_SLOTS 256u
/* Bytes of a record with so many words of arguments at most. */
#define HG_LAUNCH_MOST(args) (HG_RECORD_CHANGED_HEAD + ((uint32_t)HG_LAUNCH_STATE + (args)) * 8u)

#endif
