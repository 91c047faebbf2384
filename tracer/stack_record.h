/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks in batches: the form of HG_RECORD_STACK, which defines a stack as the event `stack`
 * does. The recorder writes it and the analyzer reads it, both with what is here.
 *
 * The first word: the kind in bits 56 to 63, the record's length in words in 48 to 55, the number
 * of frames in 32 to 47, the stack's id in 0 to 31. The second: the time, as in other records. Then
 * values of 32 bits, two a word, the lower half first; the rest of the last word is zero. Each
 * frame is its address less the one before (the first: less 0), as a signed value; if that does not
 * fit, HG_STACK_FAR and then the address itself, its lower half first.
 */
#ifndef HIPGRAIN_TRACER_STACK_RECORD_H
#define HIPGRAIN_TRACER_STACK_RECORD_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/batch_events.h"

#define HG_STACK_FAR        INT32_MIN
#define HG_STACK_HEAD       2u   /* words before the values */
#define HG_STACK_FRAMES_MAX 160u /* whose record has a length that 8 bits can hold */

/* Whether a frame takes one value; the addresses may be far apart. */
static inline bool hg_stack_is_near(uint64_t before, uint64_t frame)
{
	uint64_t step = frame - before + (uint64_t)INT32_MAX;

	return step <= (uint64_t)UINT32_MAX - 1;
}

/* Words of the record of these frames, of which there are 1 to HG_STACK_FRAMES_MAX. */
static inline uint32_t hg_stack_words(const uint64_t *frames, uint32_t count)
{
	uint32_t values = 0; /* beyond one a frame */
	uint64_t before = 0;

	for (uint32_t i = 0; i < count; i++) {
		values += hg_stack_is_near(before, frames[i]) ? 0 : 2;
		before = frames[i];
	}
	return HG_STACK_HEAD + (count + values + 1) / 2;
}

static inline char *hg_stack_put(char *to, uint32_t value)
{
	__builtin_memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

static inline void hg_stack_put_head(uint64_t *out, uint32_t words, uint32_t id, uint32_t count,
				     uint32_t since)
{
	out[0] =
	    (uint64_t)HG_RECORD_STACK << 56 | (uint64_t)words << 48 | (uint64_t)count << 32 | id;
	out[1] = since;
}

/* Store the record, of hg_stack_words() words; `since`: ns since the batch's begin. */
static inline void hg_stack_write(uint64_t *out, uint32_t words, uint32_t id,
				  const uint64_t *frames, uint32_t count, uint32_t since)
{
	char *to = (char *)(out + HG_STACK_HEAD);
	uint64_t before = 0;

	out[words - 1] = 0;
	hg_stack_put_head(out, words, id, count, since);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t frame = frames[i];

		if (__builtin_expect(hg_stack_is_near(before, frame), 1)) {
			to = hg_stack_put(to, (uint32_t)(frame - before));
		} else {
			to = hg_stack_put(to, (uint32_t)HG_STACK_FAR);
			to = hg_stack_put(to, (uint32_t)frame);
			to = hg_stack_put(to, (uint32_t)(frame >> 32));
		}
		before = frame;
	}
}

/* Words of the record if only the first frame may take more than one value. */
static inline uint32_t hg_stack_words_close(const uint64_t *frames, uint32_t count)
{
	return HG_STACK_HEAD + (count + (hg_stack_is_near(0, frames[0]) ? 0 : 2) + 1) / 2;
}

/*
 * The same record in one pass, of hg_stack_words_close() words. False, and nothing of it is of use,
 * if two frames that follow one another are further apart than code mostly is.
 */
static inline bool hg_stack_write_close(uint64_t *out, uint32_t words, uint32_t id,
					const uint64_t *frames, uint32_t count, uint32_t since)
{
	const __m128i most = _mm_set1_epi64x(1 << 30); /* bytes, less than a value can hold */
	char *to = (char *)(out + HG_STACK_HEAD);
	__m128i apart = _mm_setzero_si128();
	uint64_t rest = 0;
	uint32_t i = 1;

	out[words - 1] = 0;
	hg_stack_put_head(out, words, id, count, since);
	if (hg_stack_is_near(0, frames[0])) {
		to = hg_stack_put(to, (uint32_t)frames[0]);
	} else {
		to = hg_stack_put(to, (uint32_t)HG_STACK_FAR);
		to = hg_stack_put(to, (uint32_t)frames[0]);
		to = hg_stack_put(to, (uint32_t)(frames[0] >> 32));
	}
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
		to = hg_stack_put(to, (uint32_t)(frames[i] - frames[i - 1]));
	}
	return !rest && _mm_movemask_epi8(_mm_cmpeq_epi32(apart, _mm_setzero_si128())) == 0xffff;
}

/*
 * The frames of a record, of `words` words by its first; *count: how many, at most
 * HG_STACK_FRAMES_MAX, for which there is room. False if it is damaged.
 */
static inline bool hg_stack_read(const uint64_t *record, uint32_t words, uint64_t *frames,
				 uint32_t *count)
{
	uint32_t values = 2 * (words - HG_STACK_HEAD), at = 0;
	uint64_t before = 0;

	*count = (uint32_t)(record[0] >> 32) & 0xffff;
	if (!*count || *count > HG_STACK_FRAMES_MAX)
		return false;
	for (uint32_t i = 0; i < *count; i++) {
		uint32_t taken = 1;
		uint32_t value[3] = { 0 };

		for (uint32_t part = 0; part < taken; part++, at++) {
			if (at == values)
				return false;
			value[part] =
			    (uint32_t)(record[HG_STACK_HEAD + at / 2] >> (at % 2 ? 32 : 0));
			taken = value[0] == (uint32_t)HG_STACK_FAR ? 3 : 1;
		}
		before = taken == 3 ? (uint64_t)value[2] << 32 | value[1]
				    : before + (uint64_t)(int64_t)(int32_t)value[0];
		frames[i] = before;
	}
	return at + 1 >= values; /* the last word may be half full */
}

#endif
