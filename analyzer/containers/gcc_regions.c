/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is the section .gnu.offload_funcs: addresses (GCC, gcc/omp-offload.cc). Code for
 * devices is passed to libgomp by a constructor, which is linked in with it
 * (gcc/config/gcn/mkoffload.cc).
 */
#include "analyzer/containers/gcc_regions.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#define TABLE    ".gnu.offload_funcs"
#define REGISTER "GOMP_offload_register_ver"

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

static bool names_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *wanted)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

static uint64_t registers_code(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
		    names_symbol(elf, section, &header, REGISTER))
			return 1;
	return 0;
}

/* Returns what `find` says of the file, or 0 if it cannot be read. */
static uint64_t look(const char *path, uint64_t (*find)(Elf *elf))
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t found = 0;
	Elf *elf;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		found = find(elf);
	elf_end(elf);
	close(fd);
	return found;
}

uint64_t gcc_regions(const char *path)
{
	return look(path, table_size) / sizeof(uint64_t);
}

bool gcc_device_code(const char *path)
{
	return look(path, registers_code) != 0;
}
