/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever a code object has for compressed debug information, it is expanded within its limits,
 * and what comes out is an ELF file whose sections can be read (skim.h).
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/debug_image.h"
#include "analyzer/isa/skim.h"
#include "codeobj/codeobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct skim_section part(const struct debug_image *image, const char *name)
{
	struct codeobj_section section;

	if (codeobj_elf_section(image->data, image->size, name, &section, NULL))
		return (struct skim_section){ NULL, 0 };
	return (struct skim_section){ image->data + section.offset, (size_t)section.size };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char problem[256] = "";
	struct debug_image image;
	struct skim_sections sections;
	struct skim_lines *lines;
	uint64_t *offset = NULL;
	size_t count;

	if (debug_image_open(&image, data, size, problem, sizeof(problem))) {
		if (!problem[0] || strchr(problem, '\n'))
			abort();
		debug_image_close(&image);
		return 0;
	}
	if (image.owned && image.size > 2 * (DEBUG_IMAGE_BYTES + DEBUG_IMAGE_RATIO * size))
		abort();
	sections.info = part(&image, ".debug_info");
	sections.abbrev = part(&image, ".debug_abbrev");
	sections.line = part(&image, ".debug_line");
	sections.str = part(&image, ".debug_str");
	sections.line_str = part(&image, ".debug_line_str");
	if (!skim_functions(&sections, &offset, &count))
		free(offset);
	if (!skim_lines_open(&sections, 0, "/where", &lines))
		skim_lines_close(lines);
	debug_image_close(&image);
	return 0;
}
