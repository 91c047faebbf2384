// SPDX-License-Identifier: Apache-2.0
/*
 * The code object loader against broken files: argument 1 holds a gfx90a code object, which is
 * loaded as it is, cut off, and with bytes of its headers and tables changed. Whatever it says,
 * it must not crash, and good files must load. TAP on stdout.
 */
#include <hsa/hsa.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static hsa_agent_t gpu;

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;
	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) && type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

/* Load, ask for every kernel that `name` could be, unload. */
static hsa_status_t load(const void *image, size_t size, const char *name, uint64_t *kernel)
{
	hsa_executable_t executable;
	hsa_code_object_reader_t reader;
	hsa_executable_symbol_t symbol;
	hsa_status_t status;

	hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
				  &executable);
	status = hsa_code_object_reader_create_from_memory(image, size, &reader);
	if (!status)
		status = hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL);
	if (!status)
		status = hsa_executable_freeze(executable, NULL);
	if (!status && kernel)
		status = hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol);
	if (!status && kernel)
		status = hsa_executable_symbol_get_info(
		    symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, kernel);
	hsa_code_object_reader_destroy(reader);
	hsa_executable_destroy(executable);
	return status;
}

/* The first AMDGPU ELF file inside a bundle; its size is where its section headers end. */
static unsigned char *find_elf(unsigned char *bytes, size_t size, size_t *elf_size)
{
	for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= size; at += 8) {
		const Elf64_Ehdr *header = (const void *)(bytes + at);
		if (memcmp(header, ELFMAG, SELFMAG) || header->e_machine != 224)
			continue;
		*elf_size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
		return *elf_size <= size - at ? bytes + at : NULL;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static unsigned char bytes[1 << 20];
	FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
	size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0, elf_size;
	unsigned char *elf = find_elf(bytes, size, &elf_size), *copy;
	uint64_t state = 88172645463325252u, kernel = 0;
	unsigned loaded = 0, refused = 0;

	if (!elf || hsa_init() || hsa_iterate_agents(find_gpu, NULL)) {
		printf("Bail out! usage: %s CODE-OBJECT KERNEL.kd\n", argv[0]);
		return 2;
	}
	check(!load(elf, elf_size, argv[2], &kernel) && kernel && kernel % 64 == 0,
	      "the file as it is: kernel object %#lx", kernel);
	check(load(elf, elf_size, "no such.kd", &kernel) == HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
	      "a kernel that is not there");
	elf[16 + 2] = 62;
	check(load(elf, elf_size, argv[2], NULL) == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
	      "a file for the host");
	elf[16 + 2] = 224;

	/* Behind the end of the copy comes unmapped or poisoned memory only with tools; cut anyway.
	 */
	for (size_t cut = 0; cut < elf_size; cut += cut < 256 ? 1 : 61) {
		copy = malloc(cut ? cut : 1);
		memcpy(copy, elf, cut);
		if (!cut || load(copy, cut, argv[2], NULL))
			refused++;
		else
			loaded++;
		free(copy);
	}
	check(refused && !loaded, "cut off: %u refused, %u loaded", refused, loaded);

	copy = malloc(elf_size);
	loaded = refused = 0;
	for (int round = 0; round < 20000; round++) {
		memcpy(copy, elf, elf_size);
		for (int i = 0; i < 4; i++) {
			size_t at;
			state ^= state << 13, state ^= state >> 7, state ^= state << 17;
			/* Mostly where the structure is: headers, tables at both ends. */
			at = state % 3 == 0   ? state / 3 % elf_size
			     : state % 3 == 1 ? 24 + state / 3 % 1500
					      : elf_size - 1 - state / 3 % 1000;
			copy[at] = (unsigned char)(state >> 56);
		}
		if (load(copy, elf_size, argv[2], NULL))
			refused++;
		else
			loaded++;
	}
	check(loaded && refused, "changed bytes: %u refused, %u loaded", refused, loaded);
	free(copy);
	return tap_end();
}
