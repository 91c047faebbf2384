/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly for people, annotated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"

static void list_function(struct isa_analysis *analysis, struct isa_disasm *disasm, uint64_t entry,
			  uint64_t pc, const struct isa_kernel *kernel,
			  void (*line)(void *, int64_t, const char *, const struct isa_atomic *),
			  void *user)
{
	const struct isa_symbol *symbol = isa_image_symbol_at(&analysis->image, pc, true);
	uint64_t end = symbol ? symbol->address + symbol->size : pc;
	uint8_t bytes[32];
	char text[256];

	if (symbol) {
		char *name = isa_demangle(symbol->name);

		pc = symbol->address;
		line(user, INT64_MIN, name ? name : symbol->name, NULL);
		free(name);
	}
	while (pc < end) {
		const struct isa_atomic *atomic = NULL;
		size_t length = isa_image_read(&analysis->image, pc, bytes, sizeof(bytes));

		if (length < 4)
			break;
		length = isa_disasm_one(disasm, bytes, length, text, sizeof(text));
		for (size_t i = 0; i < kernel->atomic_count && !atomic; i++)
			if (kernel->atomics[i].kernel_offset == (int64_t)(pc - entry))
				atomic = &kernel->atomics[i];
		line(user, (int64_t)(pc - entry), length ? text : "\t(no instruction)", atomic);
		pc += length ? length : 4;
	}
}

int isa_disassemble(const void *elf, size_t size, const struct isa_kernel *kernel,
		    void (*line)(void *, int64_t, const char *, const struct isa_atomic *),
		    void *user, char **error)
{
	struct isa_code_object scratch = { 0 };
	struct isa_analysis analysis = { 0 };
	struct flow_entry entry = { 0 };
	struct program *program = NULL;
	const char *why = NULL;
	char descriptor[4096];
	int status;

	if (error)
		*error = NULL;
	status = analysis_open(&analysis, elf, size, NULL, &scratch, error);
	if (!status && snprintf(descriptor, sizeof(descriptor), "%s.kd", kernel->symbol) >=
			   (int)sizeof(descriptor))
		status = isa_fail(error, -EINVAL, "code object: the name of a kernel is too long");
	if (!status)
		status = kernel_descriptor(&analysis, descriptor, &entry, error);
	if (!status)
		status = analysis_program(&analysis, entry.wave_size, &program, &why);
	if (status == -ENOTSUP)
		isa_fail(error, status, "code object: %s", why);
	if (!status)
		list_function(&analysis, decoder_disasm(program->decoder), entry.start, entry.start,
			      kernel, line, user);
	for (size_t i = 0; !status && i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];
		uint64_t start = entry.start + (uint64_t)atomic->kernel_offset - atomic->offset;
		size_t k = 0;

		while (k < i && (!kernel->atomics[k].function ||
				 entry.start + (uint64_t)kernel->atomics[k].kernel_offset -
					 kernel->atomics[k].offset !=
				     start))
			k++;
		if (atomic->function && k == i)
			list_function(&analysis, decoder_disasm(program->decoder), entry.start,
				      start, kernel, line, user);
	}
	analysis_close(&analysis);
	free(scratch.target);
	free(scratch.arch);
	free(scratch.note);
	return status;
}
