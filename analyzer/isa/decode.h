/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns bytes into struct insn. Disassemblers are slow to create and slow to ask; the kernels of a
 * library consist of the same few thousand instructions, whatever code object they are in. So
 * decoders outlive code objects and remember what they have decoded.
 */
#ifndef HIPGRAIN_ISA_DECODE_H
#define HIPGRAIN_ISA_DECODE_H

#include "arch.h"
#include "disasm.h"
#include "insn.h"

struct decoder;

/*
 * Returns a decoder for waves of that many lanes, for the caller alone until decoder_put().
 * `backend` is the disassembler requested, or NULL. Returns NULL if there is none, with a static
 * text in *why.
 */
struct decoder *decoder_get(const struct arch *arch, unsigned wave_size, const char *backend,
			    const char **why);
/* Others may have it now; NULL is allowed. */
void decoder_put(struct decoder *decoder);

/* Returns the disassembler behind it, which stays the decoder's. */
struct isa_disasm *decoder_disasm(struct decoder *decoder);

/*
 * Decodes the instruction that begins the `size` bytes at `code` into *insn, which is zeroed:
 * everything but its pc. Its mnemonic is valid until decoder_put(); insn->dual, where there is one,
 * is the caller's to free. Returns false if these bytes are none.
 */
bool decoder_insn(struct decoder *decoder, const uint8_t *code, size_t size, struct insn *insn);

/* Finds the `hash` of that instruction. Returns false if these bytes are none. */
bool decoder_hash(struct decoder *decoder, const uint8_t *code, size_t size, uint64_t *hash);

#endif
