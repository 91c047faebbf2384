/* SPDX-License-Identifier: Apache-2.0 */
/* The table is the section .gnu.offload_funcs: addresses (GCC, gcc/omp-offload.cc). */
#include "analyzer/containers/gcc_regions.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#define TABLE ".gnu.offload_funcs"

static uint64_t table_size(Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && !strcmp(name, TABLE))
			return header.sh_size;
	}
	return 0;
}

uint64_t gcc_regions(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t size = 0;
	Elf *elf;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		size = table_size(elf);
	elf_end(elf);
	close(fd);
	return size / sizeof(uint64_t);
}
