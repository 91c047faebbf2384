/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed hashes and permutations that replace values which are not recorded. */
#include "preload/trace/redact.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "preload/core/base.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "tracer/events.h"

/*
 * Rounds of a Feistel network: four suffice for a permutation that cannot be distinguished from a
 * random one when its halves are long; those of a byte have four bits.
 */
#define ROUNDS 12u

static uint64_t own_key[2];

int hg_redact_init(void)
{
	size_t got = 0;

	while (got < sizeof(own_key)) {
		ssize_t more = getrandom((char *)own_key + got, sizeof(own_key) - got, 0);

		if (more < 0 && errno != EINTR)
			return -errno;
		got += more > 0 ? (size_t)more : 0;
	}
	return 0;
}

static inline uint64_t turn(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], unsigned rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = turn(v[1], 13) ^ v[0];
		v[3] = turn(v[3], 16) ^ v[2];
		v[0] = turn(v[0], 32) + v[3];
		v[2] += v[1];
		v[1] = turn(v[1], 17) ^ v[2];
		v[3] = turn(v[3], 21) ^ v[0];
		v[2] = turn(v[2], 32);
	}
}

uint64_t hg_redact_siphash(const uint64_t key[2], uint64_t first, uint64_t second)
{
	/* The last word of a message has its length in the highest byte. */
	const uint64_t words[] = { first, second, (uint64_t)16 << 56 };
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			  key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		v[3] ^= words[i];
		sip_rounds(v, 2);
		v[0] ^= words[i];
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hg_redact_word(uint64_t word)
{
	return hg_redact_siphash(own_key, word, UINT64_MAX);
}

/* This is a permutation of all values of so many bytes: a Feistel network with halves of 4 bits a
 * byte. */
void hg_redact_bytes(uint8_t *bytes, size_t size)
{
	unsigned bits = (unsigned)size * 4;
	uint64_t mask = ((uint64_t)1 << bits) - 1, word = 0, left, right;

	memcpy(&word, bytes, size);
	left = word >> bits;
	right = word & mask;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t mixed =
		    left ^ (hg_redact_siphash(own_key, right, size << 8 | round) & mask);

		left = right;
		right = mixed;
	}
	word = left << bits | right;
	memcpy(bytes, &word, size);
}

static int init(void)
{
	int rc = hg_redact_init();

	if (!rc)
		return 0;
	hg_config.omp_contents = HG_OMP_CONTENTS_NONE;
	if (hg_config.kernel_arguments == HG_ARGUMENTS_HASHED)
		hg_config.kernel_arguments = HG_ARGUMENTS_OFF;
	hg_say("contents of memory are not compared, nor arguments hashed: no random numbers: %s",
	       strerror(-rc));
	return 0;
}

HG_PART(.name = "redact", .order = 80, .init = init);
