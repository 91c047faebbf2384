/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever bytes come as a code object, analyzer/isa answers. To be run with -detect_leaks=0: libdw
 * leaks on damaged debug information.
 */
#include <stdlib.h>

#include "analyzer/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct isa_code_object *object = NULL;
	char *error = NULL;

	if (isa_analyze(data, size, NULL, &object, &error) && (object || !error))
		abort();
	isa_code_object_free(object);
	free(error);
	return 0;
}
