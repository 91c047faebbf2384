// SPDX-License-Identifier: Apache-2.0
/* The release that asks, as the names of AMD's files that are loaded tell it. */
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

const char *kfd_asker(char *room)
{
	*room = 0;
	dl_iterate_phdr(add, room);
	return room;
}
