// SPDX-License-Identifier: Apache-2.0
/*
 * The host's mappings as the kernel lists them, and a mark by which one mapping is told from a
 * later one at the same address. KFD hears of munmap through an MMU notifier; we can't: hipFree
 * of managed memory is a plain munmap inside libamdhip64, and free() one inside libc. So a range
 * that gets SVM attributes is marked with MADV_RANDOM, which sets a flag of the mapping itself
 * ("rr" in /proc/self/smaps, proc(5)), is lost with it, and has no effect on anonymous memory.
 */
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whole file in one buffer, which is kept: the kernel makes it up on each read. */
static ssize_t slurp(const char *path, char **buffer, size_t *capacity)
{
	size_t length = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	for (;;) {
		if (*capacity - length < 65536) {
			size_t larger = *capacity ? *capacity * 2 : 262144;
			char *moved = realloc(*buffer, larger);
			if (!moved) {
				close(fd);
				return -ENOMEM;
			}
			*buffer = moved;
			*capacity = larger;
		}
		got = read(fd, *buffer + length, *capacity - length - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	got = got < 0 ? -errno : (ssize_t)length;
	close(fd);
	(*buffer)[length] = 0;
	return got;
}

static int append(struct sg_vma_list *list, struct sg_vma vma)
{
	if (list->count == list->capacity) {
		size_t larger = list->capacity ? list->capacity * 2 : 256;
		struct sg_vma *moved = realloc(list->items, larger * sizeof *moved);
		if (!moved)
			return -ENOMEM;
		list->items = moved;
		list->capacity = larger;
	}
	list->items[list->count++] = vma;
	return 0;
}

int sg_vma_read(struct sg_vma_list *list, bool with_mark)
{
	static _Thread_local char *buffer;
	static _Thread_local size_t capacity;
	ssize_t length =
	    slurp(with_mark ? "/proc/self/smaps" : "/proc/self/maps", &buffer, &capacity);

	list->count = 0;
	if (length < 0)
		return (int)length;
	for (char *line = buffer, *next; *line; line = next) {
		unsigned long long start, end;
		char rights[5];

		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		/* Fields begin with a capital, mappings with their address. */
		if (*line > 'Z' || *line < 'A') {
			if (sscanf(line, "%llx-%llx %4s ", &start, &end, rights) != 3)
				continue;
			struct sg_vma vma = {
				.start = start,
				.end = end,
				.readable = rights[0] == 'r',
				.writable = rights[1] == 'w',
			};
			int error = append(list, vma);
			if (error)
				return error;
		} else if (*line == 'V' && !strncmp(line, "VmFlags:", 8) && list->count) {
			list->items[list->count - 1].marked = strstr(line, " rr") != NULL;
		}
	}
	return 0;
}

const struct sg_vma *sg_vma_find(const struct sg_vma_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (list->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->items[low].start <= address ? &list->items[low] : NULL;
}

void sg_vma_mark(uint64_t start, uint64_t end)
{
	/* Fails with ENOMEM where nothing is mapped, after it did the rest: all we want. */
	madvise((void *)(uintptr_t)start, end - start, MADV_RANDOM);
}
