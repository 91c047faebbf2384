/* SPDX-License-Identifier: Apache-2.0 */
/* DIR/symbols of a bundle (analyzer/symbols/bundle_symbols.h). */
#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/bundle_symbols.h"

static void look(const struct kept *kept)
{
	const GPtrArray *frames = kept_place(kept, "/p", "b1", 0x10);
	unsigned calls;
	uint64_t offset;

	for (unsigned i = 0; frames && i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		/* All of each text is there, in one line. */
		if ((frame->function && strchr(frame->function, '\n')) ||
		    (frame->file && strchr(frame->file, '\n')) || strcmp(frame->module, "/p") != 0)
			abort();
	}
	(void)kept_region(kept, "/p", "b1", 0x10, "f", 3, &calls);
	(void)kept_jit(kept, 7, 0x10, &offset);
	if (kept_source(kept, "/s.c") && strlen(kept_source(kept, "/s.c")->sha256) != 64)
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = g_malloc(size + 1), *problem = NULL;
	struct kept *kept;

	memcpy(text, data, size);
	text[size] = '\0';
	kept = kept_parse(text, size, &problem);
	if (!kept != !!problem || (problem && strchr(problem, '\n')))
		abort();
	if (kept)
		look(kept);
	kept_free(kept);
	g_free(problem);
	return 0;
}
