/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libamd_comgr in front of the real one. libamdhip64 compiles its copy and fill kernels in
 * each process anew, 0.2 to 0.4 s; this library keeps what came out. It holds the one function that
 * compiles, and names the real library as its dependency, where the dynamic linker finds all else.
 *
 * It also keeps the program's compilations and the interpreter's disassembly apart: the compiler
 * sets LLVM's options, which are global, while the disassembler reads them.
 */
#ifndef SOFTGPU_COMGR_H
#define SOFTGPU_COMGR_H

#include AMD_COMGR_HEADER
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes under construction. After an error `failed` stays set and further calls do nothing. */
struct buffer {
	unsigned char *data;
	size_t size, capacity;
	bool failed;
};

/* Room for `size` more bytes, to be filled by the caller; NULL when out of memory. */
void *buffer_extend(struct buffer *buffer, size_t size);
void buffer_add(struct buffer *buffer, const void *data, size_t size);
void buffer_add_u64(struct buffer *buffer, uint64_t number);
/* Appends the length of `text` and the text. */
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_release(struct buffer *buffer);

/* ---- key.c ---- */

/*
 * Appends to *key everything on which the result of an action depends, as bytes. Returns false if
 * that is uncertain, so that the action must not be cached.
 */
bool key_make(amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
	      amd_comgr_data_set_t input, struct buffer *key);

/* ---- store.c ---- */

/* Appends the body of the entry with exactly this key to *body. Returns false if there is no sound
 * one. */
bool store_get(const struct buffer *key, struct buffer *body);
/* Keep it for later processes. Failure is silent: the next process compiles again. */
void store_put(const struct buffer *key, const struct buffer *body);

/* Prints a line on stderr if SOFTGPU_LOG=1. */
void cache_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
