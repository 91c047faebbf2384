/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata notes of a code object. There may be several: each partition of a link-time
 * optimisation (-fgpu-rdc) writes one about its own kernels, and the linker keeps them all
 * (seen: clang 19 and 21 with --lto-partitions).
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "codeobj_internal.h"
#include "notes.h"

#define NOTE_OWNER       "AMDGPU"
#define NOTE_METADATA    32u /* NT_AMDGPU_METADATA, MessagePack */
#define NOTE_V2_OWNER    "AMD"
#define NOTE_V2_ISA      3u /* notes 1, 2, 3, 10, 11 are those of code object V2 */
#define NOTE_V2_METADATA 10u

/* Bytes of the file that hold notes: [from, end). */
struct range {
	uint64_t from, end;
};

struct walk {
	int (*note)(const uint8_t *payload, size_t size, void *user);
	void *user;
	bool found, old; /* a metadata note; a note of code object V2 */
};

static int read_notes(const uint8_t *notes, size_t size, struct walk *walk)
{
	size_t at = 0;

	while (codeobj_inside(at, sizeof(Elf64_Nhdr), size)) {
		Elf64_Nhdr note;
		uint64_t name, descriptor, end;
		int rc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		descriptor = name + ((note.n_namesz + (uint64_t)3) & ~(uint64_t)3);
		end = descriptor + note.n_descsz;
		if (end > size)
			return -EINVAL;
		if (note.n_namesz == sizeof(NOTE_OWNER) && note.n_type == NOTE_METADATA &&
		    !memcmp(notes + name, NOTE_OWNER, sizeof(NOTE_OWNER))) {
			walk->found = true;
			rc = walk->note(notes + descriptor, note.n_descsz, walk->user);
			if (rc)
				return rc;
		}
		walk->old |= note.n_namesz == sizeof(NOTE_V2_OWNER) &&
			     !memcmp(notes + name, NOTE_V2_OWNER, sizeof(NOTE_V2_OWNER)) &&
			     (note.n_type == NOTE_V2_METADATA || note.n_type == NOTE_V2_ISA);
		end = (end + 3) & ~(uint64_t)3;
		if (end > size)
			break;
		at = (size_t)end;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	/* The longer one first: it holds the other. */
	return x->end > y->end ? -1 : x->end < y->end;
}

/*
 * Every PT_NOTE segment and SHT_NOTE section, ascending: relocatable objects have no segments, and
 * a section need not be part of one. -EINVAL for one outside of the file.
 */
static int find_ranges(const uint8_t *elf, size_t size, const Elf64_Ehdr *header,
		       struct range *range, size_t *count)
{
	*count = 0;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr phdr;

		memcpy(&phdr, elf + header->e_phoff + i * sizeof(phdr), sizeof(phdr));
		if (phdr.p_type != PT_NOTE)
			continue;
		if (!codeobj_inside(phdr.p_offset, phdr.p_filesz, size))
			return -EINVAL;
		range[(*count)++] = (struct range){ phdr.p_offset, phdr.p_offset + phdr.p_filesz };
	}
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr shdr;

		memcpy(&shdr, elf + header->e_shoff + i * sizeof(shdr), sizeof(shdr));
		if (shdr.sh_type != SHT_NOTE)
			continue;
		if (!codeobj_inside(shdr.sh_offset, shdr.sh_size, size))
			return -EINVAL;
		range[(*count)++] = (struct range){ shdr.sh_offset, shdr.sh_offset + shdr.sh_size };
	}
	qsort(range, *count, sizeof(*range), by_place);
	return 0;
}

int codeobj_notes_read(const void *elf, size_t size,
		       int (*note)(const uint8_t *payload, size_t size, void *user), void *user)
{
	struct walk walk = { note, user, false, false };
	struct range *range;
	uint64_t read_to = 0;
	Elf64_Ehdr header;
	size_t count;
	int rc;

	memcpy(&header, elf, sizeof(header));
	range = calloc((size_t)header.e_phnum + header.e_shnum + 1, sizeof(*range));
	if (!range)
		return -ENOMEM;
	rc = find_ranges(elf, size, &header, range, &count);
	for (size_t i = 0; !rc && i < count; i++) {
		if (range[i].end <= read_to) /* a section of the segment before it */
			continue;
		/* No byte is read twice, however many headers there are. */
		rc = range[i].from < read_to
			 ? -EINVAL
			 : read_notes((const uint8_t *)elf + range[i].from,
				      (size_t)(range[i].end - range[i].from), &walk);
		read_to = range[i].end;
	}
	free(range);
	if (rc || walk.found)
		return rc;
	return walk.old ? -ENOTSUP : -ENOENT;
}
