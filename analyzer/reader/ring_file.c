/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the file has was written by somebody else, and is checked. */
#include "ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* An origin is at most so far from 1970. */
#define ORIGIN_MOST (INT64_MAX / 2)

_Static_assert(HG_RING_MAGIC >> 56 == 3, "judge() names the version");

/* Returns NULL, or why the file's pages cannot be read. */
static const char *judge(const struct hg_ring *ring, ssize_t size)
{
	if (size < (ssize_t)sizeof(*ring))
		return "it is cut off";
	if (GUINT64_SWAP_LE_BE(ring->magic) << 8 == HG_RING_MAGIC << 8)
		return "it was made on a machine with another order of bytes";
	if (ring->magic << 8 != HG_RING_MAGIC << 8)
		return "it has no records";
	if (ring->magic != HG_RING_MAGIC || ring->page_bytes != HG_RING_PAGE)
		return "another version of hipgrain made it: this one reads version 3 of the "
		       "records";
	return NULL;
}

/* A file that a process was making as it was killed has no magic number, and no page in use. */
static bool is_being_made(int fd, const struct hg_ring *ring, ssize_t size)
{
	uint32_t state = HG_RING_FREE;

	return size == (ssize_t)sizeof(*ring) && !ring->magic && !ring->number &&
	       pread(fd, &state, sizeof(state), (off_t)hg_ring_bytes(0)) >= 0 &&
	       state == HG_RING_FREE;
}

/* Sets the number of pages, which follows from the file's size, which a process never makes
 * smaller. Returns what is wrong with the file, or NULL. */
static const char *measure(struct ring_file *file, const struct hg_ring *ring, off_t size)
{
	uint64_t pages = ((uint64_t)size - sizeof(*ring)) / HG_RING_PAGE;
	const char *wrong = NULL;

	if (pages > HG_RING_PAGES || ring->pages > HG_RING_PAGES)
		wrong = "it claims more pages than a file has";
	else if (pages < ring->pages)
		wrong = "it is cut off";
	/* The rest of the last page is read, too. */
	if (((uint64_t)size - sizeof(*ring)) % HG_RING_PAGE)
		pages++;
	file->pages = (uint32_t)MIN(pages, HG_RING_PAGES);
	file->taken = ring->drained ? 0 : ring->number;
	return wrong;
}

static uint64_t first_begin(int fd, const struct hg_ring *ring)
{
	struct hg_ring_page head;
	const size_t size = offsetof(struct hg_ring_page, records);

	return !ring->drained && pread(fd, &head, size, (off_t)hg_ring_bytes(0)) == (ssize_t)size
		   ? head.begin
		   : 0;
}

static int open_it(const char *path, struct stat *status, const char **wrong)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	/* A file that is removed while the directory is read is in the trace by now. */
	if (fd < 0 && errno == ENOENT)
		return -1;
	if (fd < 0)
		*wrong = errno == ELOOP ? "it is a link" : g_strerror(errno);
	else if (!fstat(fd, status) && S_ISREG(status->st_mode))
		return fd;
	else
		*wrong = "it is not a file";
	if (fd >= 0)
		close(fd);
	return -1;
}

int ring_file_open(char *path, struct ring_file *file, struct hg_ring *ring, const char **wrong)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct stat status;
	ssize_t got;
	int fd;

	*wrong = NULL;
	fd = open_it(path, &status, wrong);
	if (fd < 0)
		return -1;
	got = pread(fd, ring, sizeof(*ring), 0);
	/* Its process may make it larger meanwhile: it has no less than what it says. */
	fstat(fd, &status);
	if (!status.st_size || is_being_made(fd, ring, got) || (*wrong = judge(ring, got))) {
		close(fd);
		return -1;
	}
	*file = (struct ring_file){ .path = path,
				    .pid = ring->pid,
				    .id = hg_ring_id(name),
				    .origin = (int64_t)ring->origin,
				    .clock = ring->clock,
				    .first = first_begin(fd, ring),
				    .device = status.st_dev,
				    .inode = status.st_ino };
	*wrong = measure(file, ring, status.st_size);
	if (!*wrong && strtol(name, NULL, 10) != ring->pid)
		*wrong = "another process made it than its name says";
	if (file->origin < -ORIGIN_MOST || file->origin > ORIGIN_MOST) {
		file->origin = 0;
		*wrong = "its clock's origin is no time";
	}
	return fd;
}
