/* SPDX-License-Identifier: Apache-2.0 */
/* Device source positions and argument names, from a code object's DWARF. */
#ifndef HIPGRAIN_ISA_LINES_H
#define HIPGRAIN_ISA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_path;
struct lines;

/*
 * Returns NULL without usable debug information. The bytes are borrowed; they are those of a
 * debug_image, that is, no section is compressed.
 */
struct lines *lines_open(const void *elf, size_t size);
void lines_close(struct lines *lines);

/* A file is of the HIP runtime or compiler, of a known library (wrappers.def), or the program's. */
enum lines_owner { LINES_COMPILER, LINES_LIBRARY, LINES_PROGRAM };
enum lines_owner lines_owner(const char *file);

/* Returns true if a place in `file` is preferred to one further inside, in `inner` (NULL: none). */
bool lines_preferred(const char *file, const char *inner);

/*
 * Returns the file of the position of `pc`, owned by `lines`, and its line, or NULL. Where the
 * instruction was inlined from somebody else's file (atomicAdd of HIP, an atomic of Kokkos), it is
 * the place in the program that called it, else in the library; where the compiler merged lines, it
 * is that of the function.
 */
const char *lines_find(struct lines *lines, uint64_t pc, unsigned *line);
/* Returns true if the line table says that the compiler merged lines there. */
bool lines_are_merged(struct lines *lines, uint64_t pc);

/*
 * The functions that were inlined into each other at `pc`, and the place in each, to
 * frame(function, file, line, user), innermost first; `function` may be NULL. Texts are owned by
 * `lines`. Nothing without a line table.
 */
void lines_frames(struct lines *lines, uint64_t pc,
		  void (*frame)(const char *function, const char *file, unsigned line, void *user),
		  void *user);

/*
 * The names of the first `count` parameters of the function with that linkage name, in name[],
 * NULL for those that are not known. Owned by `lines`.
 */
void lines_parameters(struct lines *lines, const char *symbol, const char **name, size_t count);

/*
 * Names the members that a path leads through, which begins at byte `offset` of parameter `number`
 * of the function with that linkage name. Returns 0, or -1 without memory.
 */
int lines_members(struct lines *lines, const char *symbol, size_t number, uint64_t offset,
		  struct isa_path *path);

#endif
