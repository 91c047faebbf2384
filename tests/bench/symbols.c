/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolizes addresses of a file as the reports do.
 *
 * usage: symbols FILE <ADDRESSES
 *
 * Reads addresses as FILE gives them, in hexadecimal, one on a line, and prints what `addr2line
 * -afiC -e FILE` prints: the address, then function and place of each frame.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/replay/replay.h"
#include "analyzer/symbols/symbols.h"

#define BIAS UINT64_C(0x500000000000)

static void print_stack(const GPtrArray *frames, uint64_t address)
{
	printf("0x%016" PRIx64 "\n", address);
	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		printf("%s\n", frame->function ? frame->function : "??");
		if (frame->file && frame->line)
			printf("%s:%u\n", frame->file, frame->line);
		else
			printf("%s:?\n", frame->file ? frame->file : "??");
	}
}

int main(int argc, char **argv)
{
	struct host_module module = { .bias = BIAS, .start = BIAS, .size = UINT64_C(1) << 40 };
	struct process process = { .modules = g_ptr_array_new(),
				   .stacks = g_hash_table_new(NULL, NULL) };
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	uint64_t address;
	uint32_t id = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE <ADDRESSES\n", argv[0]);
		return 2;
	}
	module.path = argv[1];
	module.build_id = (char *)"";
	g_ptr_array_add(process.modules, &module);
	while (scanf("%" SCNx64, &address) == 1) {
		/* A return address is behind the call. */
		uint64_t frame = BIAS + address + 1;
		struct call_stack stack = { .depth = 1, .modules = MODULES_ALL, .frames = &frame };

		g_hash_table_insert(process.stacks, GUINT_TO_POINTER(++id), &stack);
		print_stack(symbolize_stack(symbolizer, &process, id), address);
		g_hash_table_remove(process.stacks, GUINT_TO_POINTER(id));
	}
	symbolizer_free(symbolizer);
	g_hash_table_destroy(process.stacks);
	g_ptr_array_free(process.modules, TRUE);
	return 0;
}
