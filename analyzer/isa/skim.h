/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two parts of debug information (DWARF 4 and 5, 32-bit) that are read as a whole: libdw makes
 * an object of each row of a line table and sorts them, and finds the abbreviation of each entry
 * anew. Device code has hundreds of thousands of both, of which a scan asks for a few. What is not
 * understood here is left to libdw.
 */
#ifndef HIPGRAIN_ISA_SKIM_H
#define HIPGRAIN_ISA_SKIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a section; all that is read lies in them. */
struct skim_section {
	const uint8_t *data; /* NULL: absent */
	size_t size;
};

struct skim_sections {
	struct skim_section info, abbrev, line, str, line_str;
};

/*
 * Stores the offsets in .debug_info of the functions that have code of their own (an address or
 * ranges), in a unit itself or in its namespaces, in *offset, which the caller frees. Returns 0,
 * -ENOMEM, or -ENOTSUP if anything is not understood.
 */
int skim_functions(const struct skim_sections *sections, uint64_t **offset, size_t *count);

struct skim_lines;

/*
 * The line table at `offset` of .debug_line; `directory` (may be NULL) is where the unit was
 * compiled. The sections and `directory` must outlive it. 0, -ENOMEM or -ENOTSUP.
 */
int skim_lines_open(const struct skim_sections *sections, uint64_t offset, const char *directory,
		    struct skim_lines **lines);
void skim_lines_close(struct skim_lines *lines);

/* Finds the row for an address: index of its file, and its line (0: none in particular). */
bool skim_lines_find(const struct skim_lines *lines, uint64_t pc, unsigned *file, unsigned *line);

/* Returns the path of a file, as libdw would make it, owned by `lines`; NULL: no such index. */
const char *skim_lines_file(struct skim_lines *lines, uint64_t index);

#endif
