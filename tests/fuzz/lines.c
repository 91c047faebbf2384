/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever stands in the sections of debug information, what reads them itself (skim.h) ends and
 * stays inside. The input begins with the sizes of .debug_info, .debug_abbrev, .debug_line and
 * .debug_str, 16 bits each; these follow, and the rest is .debug_line_str.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/skim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of its own, for the address sanitizer. */
static struct skim_section part(const uint8_t **data, size_t *left, size_t size)
{
	struct skim_section section = { NULL, size < *left ? size : *left };
	uint8_t *copy = malloc(section.size ? section.size : 1);

	if (!copy)
		abort();
	memcpy(copy, *data, section.size);
	*data += section.size;
	*left -= section.size;
	section.data = copy;
	return section;
}

static void ask_lines(const struct skim_sections *sections, uint64_t at)
{
	struct skim_lines *lines;
	volatile unsigned sum = 0;

	if (skim_lines_open(sections, at, "/where", &lines))
		return;
	for (uint64_t pc = 0; pc < 1u << 16; pc += 60) {
		unsigned file, line;

		if (skim_lines_find(lines, pc, &file, &line)) {
			const char *name = skim_lines_file(lines, file);

			sum = sum + line + (name ? (unsigned)strlen(name) : 0);
		}
	}
	skim_lines_close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct skim_sections sections;
	uint64_t *offset = NULL;
	uint16_t sizes[4];
	size_t count;

	if (size < sizeof(sizes))
		return 0;
	memcpy(sizes, data, sizeof(sizes));
	data += sizeof(sizes);
	size -= sizeof(sizes);
	sections.info = part(&data, &size, sizes[0]);
	sections.abbrev = part(&data, &size, sizes[1]);
	sections.line = part(&data, &size, sizes[2]);
	sections.str = part(&data, &size, sizes[3]);
	sections.line_str = part(&data, &size, size);
	if (!skim_functions(&sections, &offset, &count)) {
		for (size_t i = 0; i < count; i++)
			if (offset[i] >= sections.info.size)
				abort();
		free(offset);
	}
	ask_lines(&sections, 0);
	free((void *)(uintptr_t)sections.info.data);
	free((void *)(uintptr_t)sections.abbrev.data);
	free((void *)(uintptr_t)sections.line.data);
	free((void *)(uintptr_t)sections.str.data);
	free((void *)(uintptr_t)sections.line_str.data);
	return 0;
}
