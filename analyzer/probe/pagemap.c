/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the kernel which pages are swapped out. */
#include "pagemap.h"

#include <fcntl.h>
#include <unistd.h>

#define SWAPPED (UINT64_C(1) << 62)
#define AT_ONCE 512u /* entries */

int pagemap_away(const char *path, uint64_t address, size_t bytes, size_t page)
{
	uint64_t entries[AT_ONCE], first = address / page, count = bytes / page;
	int fd = open(path, O_RDONLY | O_CLOEXEC), away = 0;

	if (fd < 0)
		return -1;
	for (uint64_t done = 0, some; done < count && away >= 0; done += some) {
		ssize_t got;

		some = count - done < AT_ONCE ? count - done : AT_ONCE;
		got = pread(fd, entries, some * sizeof(*entries),
			    (off_t)((first + done) * sizeof(*entries)));
		if (got != (ssize_t)(some * sizeof(*entries)))
			away = -1;
		for (uint64_t i = 0; i < some && away >= 0; i++)
			away += (entries[i] & SWAPPED) != 0;
	}
	close(fd);
	return away;
}

enum probe_state pagemap_moved(int before, int after)
{
	if (before != 0 || after < 0)
		return PROBE_SKIPPED;
	return after ? PROBE_WORKS : PROBE_LOST;
}
