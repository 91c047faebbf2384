/* SPDX-License-Identifier: Apache-2.0 */
/* From a file as stat(2) describes it to the hashes of what is in it. */
#include "analyzer/cmds/scan_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds: file systems count times in units of up to two. */
#define SETTLED 3

static bool is_settled(const struct stat *file)
{
	time_t now = time(NULL);

	return file->st_mtim.tv_sec < now - SETTLED && file->st_ctim.tv_sec < now - SETTLED;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Returns true if rows from the cache are good: in order, each with a hash. */
static bool are_good(const struct scan_sum *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strnlen(row[i].sha256, sizeof(row[i].sha256)) != sizeof(row[i].sha256) - 1 ||
		    strspn(row[i].sha256, "0123456789abcdef") != sizeof(row[i].sha256) - 1 ||
		    (i && row[i].offset <= row[i - 1].offset))
			return false;
	return true;
}

void scan_sums_begin(struct scan_sums *sums, int file)
{
	char identity[160];
	size_t size = 0;
	uint8_t *data;

	memset(sums, 0, sizeof(*sums));
	if (!cache_usable() || fstat(file, &sums->file) || !is_settled(&sums->file))
		return;
	snprintf(identity, sizeof(identity), "%llx %llx %lld %lld.%09ld %lld.%09ld",
		 (unsigned long long)sums->file.st_dev, (unsigned long long)sums->file.st_ino,
		 (long long)sums->file.st_size, (long long)sums->file.st_mtim.tv_sec,
		 sums->file.st_mtim.tv_nsec, (long long)sums->file.st_ctim.tv_sec,
		 sums->file.st_ctim.tv_nsec);
	sums->use = cache_name(&sums->name, "sums", identity, NULL);
	data = sums->use ? cache_get(&sums->name, &size) : NULL;
	if (data && !(size % sizeof(*sums->row)) &&
	    are_good((const void *)data, size / sizeof(*sums->row))) {
		sums->row = (void *)data;
		sums->count = sums->room = size / sizeof(*sums->row);
	} else {
		free(data);
	}
}

/* Returns the index of the row of this offset, or the index at which it belongs. */
static size_t place_of(const struct scan_sums *sums, uint64_t offset)
{
	size_t low = 0, high = sums->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sums->row[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *scan_sums_find(const struct scan_sums *sums, uint64_t offset, uint64_t size)
{
	size_t at = place_of(sums, offset);

	return at < sums->count && sums->row[at].offset == offset && sums->row[at].size == size
		   ? sums->row[at].sha256
		   : NULL;
}

void scan_sums_add(struct scan_sums *sums, uint64_t offset, uint64_t size, const char *sha256)
{
	size_t at = place_of(sums, offset);

	if (!sums->use || (at < sums->count && sums->row[at].offset == offset))
		return;
	if (sums->count == sums->room) {
		size_t room = sums->room ? sums->room * 2 : 64;
		struct scan_sum *grown = reallocarray(sums->row, room, sizeof(*grown));

		if (!grown)
			return;
		sums->row = grown;
		sums->room = room;
	}
	memmove(&sums->row[at + 1], &sums->row[at], (sums->count++ - at) * sizeof(*sums->row));
	memset(&sums->row[at], 0, sizeof(sums->row[at]));
	sums->row[at].offset = offset;
	sums->row[at].size = size;
	snprintf(sums->row[at].sha256, sizeof(sums->row[at].sha256), "%s", sha256);
	sums->changed = true;
}

void scan_sums_end(struct scan_sums *sums, int file)
{
	struct stat now;

	if (sums->use && sums->changed && !fstat(file, &now) && is_same(&now, &sums->file))
		cache_put(&sums->name, sums->row, sums->count * sizeof(*sums->row));
	free(sums->row);
	memset(sums, 0, sizeof(*sums));
}
