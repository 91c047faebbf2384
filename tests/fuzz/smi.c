/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's lines about migrations, in pieces as long as the first byte says. */
#include <stdlib.h>
#include <string.h>

#include "preload/migration/smi_text.h"

static void take(void *data, const char *text, size_t length, bool whole)
{
	/* Of its own size, so that a byte beyond it is noticed. */
	char *copy = malloc(length ? length : 1);
	struct hg_smi_line line;

	(void)data;
	if (!copy || !whole) {
		free(copy);
		return;
	}
	memcpy(copy, text, length);
	if (hg_smi_parse(copy, length, &line) == HG_SMI_EVENT &&
	    (line.start + line.size < line.start || line.ns < 0 || line.pid < 0))
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct hg_smi_cutter cutter = { .used = 0 };
	size_t step = size ? (size_t)data[0] + 1 : 1;

	for (size_t at = 1; at < size; at += step)
		hg_smi_cut(&cutter, (const char *)data + at, step < size - at ? step : size - at,
			   take, NULL);
	return 0;
}
