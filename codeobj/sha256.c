/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 as specified by FIPS 180-4, over one contiguous buffer. Only for the preload library,
 * which must not bring a library of its own into the recorded process (docs/DECISIONS.md).
 */
#include "codeobj_internal.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned count)
{
	return (value >> count) | (value << (32 - count));
}

static void add_block(uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = __builtin_bswap32(codeobj_u32(block + 4 * i));
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
	}
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
			      choice + round_constants[i] + w[i];
		uint32_t t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + majority;

		/* These are copied singly: as a memmove() this took longer than all the rest. */
		v[7] = v[6];
		v[6] = v[5];
		v[5] = v[4];
		v[4] = v[3] + t1;
		v[3] = v[2];
		v[2] = v[1];
		v[1] = v[0];
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

static void add_plain(uint32_t state[8], const uint8_t *data, size_t blocks)
{
	while (blocks--) {
		add_block(state, data);
		data += 64;
	}
}

#ifdef __x86_64__
/*
 * With the processor's own instructions [SDM "SHA256RNDS2", "SHA256MSG1", "SHA256MSG2"]: two
 * rounds at a time, on the state as words ABEF and CDGH, highest first.
 */
__attribute__((target("sha,sse4.1"))) static void add_native(uint32_t state[8], const uint8_t *data,
							     size_t blocks)
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)&state[0]);
	__m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)&state[4]);
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
	__m128i w[4], first, second, sum, next;

	for (; blocks; blocks--, data += 64) {
		first = abef;
		second = cdgh;
#pragma GCC unroll 16
		for (unsigned i = 0; i < 16; i++) {
			__m128i *now = &w[i % 4], *before = &w[(i + 3) % 4];

			if (i < 4) {
				*now =
				    _mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i));
				*now = _mm_shuffle_epi8(*now, big_endian);
			} else {
				next = _mm_alignr_epi8(*before, w[(i + 2) % 4], 4);
				*now = _mm_sha256msg1_epu32(*now, w[(i + 1) % 4]);
				*now = _mm_sha256msg2_epu32(_mm_add_epi32(*now, next), *before);
			}
			sum = _mm_add_epi32(
			    *now, _mm_loadu_si128(
				      (const __m128i *)(const void *)&round_constants[4 * i]));
			next = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, next, _mm_shuffle_epi32(sum, 0x0e));
			cdgh = next;
		}
		abef = _mm_add_epi32(abef, first);
		cdgh = _mm_add_epi32(cdgh, second);
	}
	cdab = _mm_shuffle_epi32(abef, 0x1b);
	efgh = _mm_shuffle_epi32(cdgh, 0xb1);
	dcba = _mm_blend_epi16(cdab, efgh, 0xf0);
	hgfe = _mm_alignr_epi8(efgh, cdab, 8);
	_mm_storeu_si128((__m128i *)(void *)&state[0], dcba);
	_mm_storeu_si128((__m128i *)(void *)&state[4], hgfe);
}

/* Returns true if the processor has SHA, SSE4.1 and SSSE3 [SDM "CPUID"]: leaf 7, EBX bit 29; leaf
 * 1, ECX bit 19 for SSE4.1, 9 for SSSE3. */
static bool has_native(void)
{
	unsigned a, b, c, d, b7;

	return __get_cpuid_count(7, 0, &a, &b7, &c, &d) && b7 & 1u << 29 &&
	       __get_cpuid(1, &a, &b, &c, &d) && c & 1u << 19 && c & 1u << 9;
}
#endif

static void add_blocks(uint32_t state[8], const uint8_t *data, size_t blocks)
{
#ifdef __x86_64__
	if (blocks && has_native()) {
		add_native(state, data, blocks);
		return;
	}
#endif
	add_plain(state, data, blocks);
}

void codeobj_sha256(const void *data, size_t size, char hex[CODEOBJ_SHA256_SIZE])
{
	/* Fractional parts of the square roots of the first eight primes (5.3.3). */
	uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const uint8_t *bytes = data;
	uint8_t last[128] = { 0 };
	size_t rest = size % 64, last_size = rest < 56 ? 64 : 128;
	uint64_t bits = __builtin_bswap64((uint64_t)size * 8);

	add_blocks(state, bytes, size / 64);
	if (rest)
		memcpy(last, bytes + size - rest, rest);
	last[rest] = 0x80;
	memcpy(last + last_size - 8, &bits, 8);
	add_plain(state, last, last_size / 64);
	for (unsigned i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", state[i]);
}
