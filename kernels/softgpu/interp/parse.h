/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the disassembler's text into a decoded instruction. */
#ifndef SOFTGPU_PARSE_H
#define SOFTGPU_PARSE_H

#include "interp.h"

/*
 * Fill `in` from the disassembler's text (`in->raw` and `in->pc` are set already). Returns NULL,
 * or a constant string saying what isn't supported; `in->op` stays NULL for an unknown mnemonic.
 */
const char *sg_parse(const char *text, struct sg_insn *in);

#endif
