/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These replace values that are not to be recorded by others that show only which of them are
 * equal: each process draws a key that never leaves it.
 */
#ifndef HIPGRAIN_PRELOAD_TRACE_REDACT_H
#define HIPGRAIN_PRELOAD_TRACE_REDACT_H

#include <stddef.h>
#include <stdint.h>

/* Draws the key. Returns 0 or -errno; then nothing may be redacted. A child of fork() keeps its
 * parent's. */
int hg_redact_init(void);

/* Returns SipHash-2-4 of two words with a key of two (Aumasson and Bernstein 2012, section 2). */
uint64_t hg_redact_siphash(const uint64_t key[2], uint64_t first, uint64_t second);

/* Returns a word's hash by the process's key. */
uint64_t hg_redact_word(uint64_t word);

/*
 * Replaces 1 to 8 bytes by as many: equal ones of the same number by equal ones, different ones by
 * different ones.
 */
#define HG_REDACT_MAX 8u
void hg_redact_bytes(uint8_t *bytes, size_t size);

#endif
