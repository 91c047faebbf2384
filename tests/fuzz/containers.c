/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever bytes come as an executable, a bundle or a compressed bundle, the walk ends, and every
 * code object that it finds is readable.
 */
#include <stdlib.h>

#include "analyzer/containers/containers.h"
#include "codeobj/codeobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void object(void *user, const void *elf, size_t size, const char *target)
{
	struct codeobj_metadata *metadata = NULL;
	const uint8_t *bytes = elf;

	/* First and last byte, for the address sanitizer. */
	*(unsigned *)user += (unsigned)bytes[0] + bytes[size - 1] + (target ? target[0] : 0);
	if (!codeobj_metadata_read(elf, size, &metadata, NULL))
		codeobj_metadata_free(metadata);
}

static void problem(void *user, const char *text)
{
	*(unsigned *)user += (unsigned)text[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned sum = 0;
	const struct container_sink sink = { object, problem, &sum, NULL };

	containers_walk(data, size, &sink);
	return 0;
}
