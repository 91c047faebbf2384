/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies this build: results of a build must not be taken for those of another. */
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cache.h"
#include "cache_internal.h"

/* Describes an object file that is loaded; a file without build ID is described by its path, inode,
 * size and times. */
static bool describe(const struct dl_phdr_info *info, char *text, size_t size)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	struct stat status;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at = (const char *)info->dlpi_addr + segment->p_vaddr;
		const char *end = at + segment->p_memsz;

		if (segment->p_type != PT_NOTE)
			continue;
		while (end - at >= (long)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const uint8_t *id;

			at += sizeof(*note);
			id = (const uint8_t *)at + (note->n_namesz + 3) / 4 * 4;
			at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
			if (at > end || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 ||
			    2 * (size_t)note->n_descsz >= size)
				continue;
			for (size_t k = 0; k < note->n_descsz; k++)
				snprintf(text + 2 * k, size - 2 * k, "%02x", id[k]);
			return true;
		}
	}
	if (stat(path, &status))
		return false;
	snprintf(text, size, "%s %llx %llx %lld %lld.%ld %lld.%ld", path,
		 (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
		 (long long)status.st_size, (long long)status.st_mtim.tv_sec,
		 status.st_mtim.tv_nsec, (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
	return true;
}

struct build {
	char text[16384];
	bool known;
};

static int add_object(struct dl_phdr_info *info, size_t size, void *user)
{
	struct build *build = user;
	size_t used = strlen(build->text);

	(void)size;
	/* The kernel's own comes with every update of it, and computes nothing. */
	if (strstr(info->dlpi_name, "linux-vdso"))
		return 0;
	build->known &= sizeof(build->text) - used > 512 &&
			describe(info, build->text + used, sizeof(build->text) - used - 1);
	strcat(build->text, "\n");
	return 0;
}

static struct build build;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_build(void)
{
	build.known = true;
	dl_iterate_phdr(add_object, &build);
}

bool cache_find_build(void)
{
	pthread_once(&once, find_build);
	return build.known;
}

const char *cache_build(void)
{
	return cache_find_build() ? build.text : NULL;
}

struct wanted {
	uintptr_t address;
	char *text;
	size_t size;
};

static int if_wanted(struct dl_phdr_info *info, size_t size, void *user)
{
	const struct wanted *wanted = user;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    wanted->address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
			return describe(info, wanted->text, wanted->size) ? 1 : -1;
	}
	return 0;
}

bool cache_build_of(const void *address, char *text, size_t size)
{
	struct wanted wanted = { (uintptr_t)address, text, size };

	return dl_iterate_phdr(if_wanted, &wanted) == 1;
}
