/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crashes inside of a disassembler. Code objects hold bytes that are no instructions, by mistake or
 * by intent, and LLVM from 21 on crashes for some of them when it makes its error message (a
 * missing stream). Such bytes are no instruction, and the analysis goes on.
 */
#ifndef HIPGRAIN_DISASM_GUARD_H
#define HIPGRAIN_DISASM_GUARD_H

#include <stddef.h>
#include <stdint.h>

#include "disasm.h"

/* Install the handlers that disasm_guarded() relies on, unless they are there; thread-safe. */
void disasm_guard_install(void);

/*
 * Returns what backend->one() does, or 0 where that ends in SIGSEGV or SIGBUS; it is thread-safe.
 * Handlers of these signals that were there before get all others. What the disassembler held at
 * that point is lost: some memory; it is used further.
 */
size_t disasm_guarded(const struct disasm_backend *backend, void *handle, const uint8_t *code,
		      size_t size, char *text, size_t text_size);

#endif
