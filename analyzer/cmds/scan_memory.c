/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code objects in the memory of a running process: what it compiled itself, decompressed, or read
 * from files that are no libraries. Whoever loads a code object passes the ELF file to the runtime,
 * and mostly keeps it; what the runtime made of it is not looked for.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cmds/scan.h"
#include "codeobj/codeobj.h"

#define CHUNK      ((size_t)1 << 20)
#define OBJECT_MAX ((uint64_t)1 << 30)

struct search {
	int memory;
	uint8_t *chunk;
	void (*found)(const char *name, const void *elf, size_t size, void *user);
	void *user;
	const char *pid;
	int count;
};

/* Reads as much as can be read of `size` bytes at `address`. Returns the number of bytes. */
static size_t read_at(const struct search *search, uint64_t address, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t part =
		    pread(search->memory, (char *)to + done, size - done, (off_t)(address + done));

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			break;
		done += (size_t)part;
	}
	return done;
}

/* Returns the bytes of the code object at `address`, before `end`; 0 if there is no whole one. */
static size_t look_at(struct search *search, uint64_t address, uint64_t end)
{
	struct codeobj_metadata *metadata = NULL;
	uint64_t size, extent;
	uint8_t *bytes = NULL;
	char name[96];
	Elf64_Ehdr head;

	if (read_at(search, address, &head, sizeof(head)) != sizeof(head) ||
	    codeobj_identify(&head, sizeof(head)) != CODEOBJ_ELF)
		return 0;
	/* Linkers put the section headers last. */
	size = (uint64_t)head.e_shnum * head.e_shentsize;
	if (head.e_shoff > OBJECT_MAX || size > OBJECT_MAX || head.e_shoff + size > end - address)
		return 0;
	size += head.e_shoff;
	bytes = malloc((size_t)size + 1);
	if (!bytes || read_at(search, address, bytes, (size_t)size) != size ||
	    codeobj_elf_extent(bytes, (size_t)size, &extent, NULL) || extent > size ||
	    codeobj_metadata_read(bytes, (size_t)extent, &metadata, NULL)) {
		free(bytes);
		return 0;
	}
	codeobj_metadata_free(metadata);
	snprintf(name, sizeof(name), "memory of process %s at 0x%llx", search->pid,
		 (unsigned long long)address);
	search->found(name, bytes, (size_t)extent, search->user);
	search->count++;
	free(bytes);
	return (size_t)extent;
}

static void search_mapping(struct search *search, uint64_t from, uint64_t end)
{
	while (from < end) {
		size_t size = end - from < CHUNK ? (size_t)(end - from) : CHUNK, whole;
		size_t got = read_at(search, from, search->chunk, size);
		const uint8_t *hit = NULL;

		if (got >= SELFMAG)
			hit = memmem(search->chunk, got, ELFMAG, SELFMAG);
		if (hit) {
			from += (uint64_t)(hit - search->chunk);
			whole = look_at(search, from, end);
			from += whole ? whole : SELFMAG;
		} else if (got == size && from + size < end) {
			/* A header may begin in the last bytes. */
			from += size - (SELFMAG - 1);
		} else {
			return;
		}
	}
}

/* Returns true for memory that is not of a file, which is scanned as such; shared memory without a
 * name counts as memory. */
static bool is_anonymous(const char *line)
{
	const char *path = strpbrk(line, "/[");

	return !path || !strncmp(path, "[heap]", 6) || !strncmp(path, "[anon", 5) ||
	       !strncmp(path, "[stack", 6) || !strncmp(path, "/memfd:", 7) ||
	       !strncmp(path, "/dev/zero", 9);
}

int scan_memory(const char *pid,
		void (*found)(const char *name, const void *elf, size_t size, void *user),
		void *user)
{
	struct search search = { .found = found, .user = user, .pid = pid };
	unsigned long long from, end;
	char *line = NULL, name[64], mode[8];
	size_t room = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%s/mem", pid);
	search.memory = open(name, O_RDONLY | O_CLOEXEC);
	if (search.memory < 0)
		return -errno;
	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	search.chunk = malloc(CHUNK);
	while (maps && search.chunk && getline(&line, &room, maps) > 0)
		if (sscanf(line, "%llx-%llx %7s", &from, &end, mode) == 3 && mode[0] == 'r' &&
		    is_anonymous(line))
			search_mapping(&search, from, end);
	if (!maps || !search.chunk)
		search.count = -ENOMEM;
	if (maps)
		fclose(maps);
	close(search.memory);
	free(search.chunk);
	free(line);
	return search.count;
}
