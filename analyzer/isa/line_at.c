/* SPDX-License-Identifier: Apache-2.0 */
/* The source line of one instruction, without an analysis of its kernel. */
#include <stdlib.h>
#include <string.h>

#include "debug_image.h"
#include "code_image.h"
#include "isa.h"
#include "lines.h"

char *isa_line_at(const void *elf, size_t size, const char *symbol, int64_t offset, unsigned *line,
		  bool *merged)
{
	const struct isa_symbol *kernel;
	struct debug_image debug = { 0 };
	struct isa_image image;
	struct lines *lines = NULL;
	char why[256], *file = NULL;
	const char *found = NULL;

	if (isa_image_open(&image, elf, size, why, sizeof(why)))
		return NULL;
	kernel = isa_image_symbol(&image, symbol);
	if (kernel && !debug_image_open(&debug, elf, size, why, sizeof(why)))
		lines = lines_open(debug.data, debug.size);
	if (lines) {
		found = lines_find(lines, kernel->address + (uint64_t)offset, line);
		*merged = lines_are_merged(lines, kernel->address + (uint64_t)offset);
	}
	if (found)
		file = strdup(found);
	if (lines)
		lines_close(lines);
	debug_image_close(&debug);
	isa_image_close(&image);
	return file;
}
