/* SPDX-License-Identifier: Apache-2.0 */
/* Reads DT_NEEDED of ELF files. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/elf_needed.h"

struct file {
	const uint8_t *bytes;
	uint64_t size;
};

/* `count` elements at `offset`, or NULL if they are not all in the file. */
static const void *at(const struct file *file, uint64_t offset, uint64_t count, uint64_t element)
{
	if (offset > file->size || count > (file->size - offset) / element)
		return NULL;
	return file->bytes + offset;
}

/* Returns where in the file an address lies, or UINT64_MAX if it is in none of the segments. */
static uint64_t file_offset(const Elf64_Phdr *segments, unsigned count, uint64_t address)
{
	for (unsigned i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    address - segments[i].p_vaddr < segments[i].p_filesz)
			return segments[i].p_offset + (address - segments[i].p_vaddr);
	return UINT64_MAX;
}

static bool names(const struct file *file, const Elf64_Phdr *segments, unsigned count,
		  const Elf64_Phdr *dynamic, const char *prefix)
{
	uint64_t entries = dynamic->p_filesz / sizeof(Elf64_Dyn), strings = UINT64_MAX;
	const Elf64_Dyn *rows = at(file, dynamic->p_offset, entries, sizeof(*rows));
	size_t length = strlen(prefix);

	for (uint64_t i = 0; rows && i < entries && rows[i].d_tag != DT_NULL; i++)
		if (rows[i].d_tag == DT_STRTAB)
			strings = file_offset(segments, count, rows[i].d_un.d_ptr);
	for (uint64_t i = 0; rows && strings != UINT64_MAX && i < entries; i++) {
		const char *name;

		if (rows[i].d_tag == DT_NULL)
			break;
		if (rows[i].d_tag != DT_NEEDED || rows[i].d_un.d_val > file->size)
			continue;
		name = at(file, strings + rows[i].d_un.d_val, length, 1);
		if (name && memcmp(name, prefix, length) == 0)
			return true;
	}
	return false;
}

static bool search(const struct file *file, const char *prefix)
{
	const Elf64_Ehdr *header = at(file, 0, 1, sizeof(*header));
	const Elf64_Phdr *segments;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(*segments))
		return false;
	segments = at(file, header->e_phoff, header->e_phnum, sizeof(*segments));
	for (unsigned i = 0; segments && i < header->e_phnum; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			return names(file, segments, header->e_phnum, &segments[i], prefix);
	return false;
}

bool elf_needs_library(const char *path, const char *prefix)
{
	struct file file = { NULL, 0 };
	struct stat status;
	bool found = false;
	void *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			file = (struct file){ bytes, (uint64_t)status.st_size };
			found = search(&file, prefix);
			munmap(bytes, (size_t)status.st_size);
		}
	}
	close(fd);
	return found;
}
