// SPDX-License-Identifier: Apache-2.0
/* The release that asks, as the names of AMD's files that are loaded tell it, and what it knows. */
#include "kernels/softkfd/kfd.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int add(struct dl_phdr_info *library, size_t size, void *room)
{
	static const char *const names[] = { "libhsa-runtime64.so", "libhsakmt.so",
					     "libamdhip64.so" };
	char target[256], *text = room;
	const char *file = base_of(library->dlpi_name);
	size_t length = strlen(text);

	(void)size;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ssize_t got;

		if (strncmp(file, names[i], strlen(names[i])) != 0)
			continue;
		/* The link is named after the interface, the file after the release. */
		got = syscall(SYS_readlink, library->dlpi_name, target, sizeof target - 1);
		if (got > 0) {
			target[got] = 0;
			file = base_of(target);
		}
		snprintf(text + length, KFD_ASKER_ROOM - length, "%s%s", *text ? ", " : " of ",
			 file);
		break;
	}
	return 0;
}

/* The runtime has a table of processors by name. Returns 1, which ends the search, if it has not
 * this one. */
static int lacks_processor(struct dl_phdr_info *library, size_t size, void *data)
{
	const char *name = data;

	(void)size;
	if (strncmp(base_of(library->dlpi_name), "libhsa-runtime64.so", 19) != 0)
		return 0;
	for (unsigned i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &library->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    memmem((const void *)(library->dlpi_addr + segment->p_vaddr), segment->p_filesz,
			   name, strlen(name)))
			return 0;
	}
	return 1;
}

void kfd_check_asker(void)
{
	static const char *const since[] = {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) since,
#include "kernels/softgpu/processor.def"
	};
	static bool said;
	const char *name = kfd_arch_name();
	char room[KFD_ASKER_ROOM];

	if (!dl_iterate_phdr(lacks_processor, (void *)name) ||
	    __atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		return;
	sg_warn("the HSA runtime%s does not know %s and finds no GPU: use a later release (%s "
		"knows it), or another processor (SOFTGPU_ARCH=gfx90a)",
		kfd_asker(room), name, since[softgpu_config.processor]);
}

const char *kfd_asker(char *room)
{
	*room = 0;
	dl_iterate_phdr(add, room);
	return room;
}
