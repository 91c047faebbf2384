// SPDX-License-Identifier: Apache-2.0
/*
 * The host's mappings as the kernel lists them, and a mark that distinguishes one mapping from a
 * later one at the same address. KFD hears of munmap through an MMU notifier; we can't: hipFree
 * of managed memory is a plain munmap inside libamdhip64, and free() one inside libc. So a range
 * that gets SVM attributes carries two marks, which are properties of the mapping itself, are lost
 * with it, and have no effect on what it holds:
 *
 * - a memory policy, "allocate on the local node", which is what happens without one, too. Queried
 *   for by get_mempolicy(2), one fast call a mapping. Some containers forbid these calls; a shared
 *   mapping's policy belongs to what is mapped; and a thread with a policy of its own can't tell.
 * - MADV_RANDOM, the flag "rr" in /proc/self/smaps (proc(5)). Always there, but reading that file
 *   makes the kernel count all the process' pages: milliseconds.
 */
#include "softgpu_host.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

/* ---- marks ---- */

static enum { UNTRIED, WORKS, FAILS } policy;

/* Policy of the mapping at `address`, or else of this thread; -1: not to be had. */
static int policy_at(uint64_t address)
{
	int mode = -1;

	return syscall(SYS_get_mempolicy, &mode, NULL, 0ul, address, address ? MPOL_F_ADDR : 0ul)
		   ? -1
		   : mode;
}

/* Does a policy come and go with a mapping here? */
static void try_policy(void)
{
	void *page = mmap(NULL, SOFTGPU_PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uint64_t)(uintptr_t)page;

	policy = FAILS;
	if (page == MAP_FAILED)
		return;
	if (policy_at(address) == MPOL_DEFAULT &&
	    !syscall(SYS_mbind, page, (unsigned long)SOFTGPU_PAGE_SIZE, MPOL_LOCAL, NULL, 0ul, 0) &&
	    policy_at(address) > MPOL_DEFAULT)
		policy = WORKS;
	munmap(page, SOFTGPU_PAGE_SIZE);
}

void sg_vma_mark(const struct sg_vma_list *list, uint64_t start, uint64_t end)
{
	int saved = errno;

	if (policy == UNTRIED)
		try_policy();
	for (size_t i = 0; i < list->count; i++) {
		const struct sg_vma *vma = &list->items[i];
		uint64_t first = vma->start > start ? vma->start : start;
		uint64_t last = vma->end < end ? vma->end : end;
		if (first >= last)
			continue;
		/* Either fails if another thread has just unmapped it. */
		madvise((void *)(uintptr_t)first, last - first, MADV_RANDOM);
		/* A policy that the application chose is a mark as good as ours. */
		if (policy == WORKS && (vma->shared || (policy_at(first) == MPOL_DEFAULT &&
							syscall(SYS_mbind, first, last - first,
								MPOL_LOCAL, NULL, 0ul, 0))))
			policy = FAILS;
	}
	errno = saved;
}

bool sg_vma_is_marked(const struct sg_vma *vma)
{
	return vma->smaps ? vma->advised : policy_at(vma->start) > MPOL_DEFAULT;
}

uint64_t sg_vma_unmarked_end(const struct sg_vma *vma, uint64_t at, uint64_t limit)
{
	if (vma->smaps)
		return limit;
	while (at < limit && policy_at(at) <= MPOL_DEFAULT)
		at += SOFTGPU_PAGE_SIZE;
	return at < limit ? at : limit;
}

/* ---- the list ---- */

static uint64_t hexadecimal(const char **text)
{
	uint64_t number = 0;

	for (;; ++*text) {
		unsigned digit = (unsigned char)**text;
		if (digit - '0' < 10)
			number = number << 4 | (digit - '0');
		else if (digit - 'a' < 6)
			number = number << 4 | (digit - 'a' + 10);
		else
			return number;
	}
}

/* Parse "start-end rwxs ..." (proc(5)). */
static bool parse(const char *line, struct sg_vma *vma)
{
	vma->start = hexadecimal(&line);
	if (*line++ != '-')
		return false;
	vma->end = hexadecimal(&line);
	if (*line++ != ' ' || strnlen(line, 4) < 4)
		return false;
	vma->readable = line[0] == 'r';
	vma->writable = line[1] == 'w';
	vma->executable = line[2] == 'x';
	vma->shared = line[3] == 's';
	/* "rwxp offset device inode   name": without inode it is memory, but for "[stack]". */
	line = strchr(line, ' ');
	if (!line)
		return false;
	line++;
	vma->offset = hexadecimal(&line);
	if (*line++ != ' ')
		return false;
	vma->device = hexadecimal(&line) << 32;
	if (*line++ != ':')
		return false;
	vma->device |= hexadecimal(&line);
	if (*line++ != ' ')
		return false;
	vma->inode = strtoull(line, NULL, 10);
	vma->anonymous = !vma->inode && !strchr(line, '/') && !strstr(line, "[stack");
	return true;
}

int sg_vma_read(struct sg_vma_list *list, bool with_mark)
{
	static _Thread_local char *buffer;
	static _Thread_local size_t capacity;
	bool smaps = with_mark && (policy != WORKS || policy_at(0) != MPOL_DEFAULT);
	ssize_t length = slurp(smaps ? "/proc/self/smaps" : "/proc/self/maps", &buffer, &capacity);

	list->count = 0;
	if (length < 0)
		return (int)length;
	for (char *line = buffer, *next; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		/* Fields begin with a capital, mappings with their address. */
		if (*line > 'Z' || *line < 'A') {
			struct sg_vma vma = { .smaps = smaps };
			int error = parse(line, &vma) ? append(list, vma) : 0;
			if (error)
				return error;
		} else if (*line == 'V' && !strncmp(line, "VmFlags:", 8) && list->count) {
			list->items[list->count - 1].advised = strstr(line, " rr") != NULL;
		}
	}
	return 0;
}

/* Returns the index of the first item that ends above `address`. */
static size_t first_above(const struct sg_vma_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (list->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct sg_vma *sg_vma_find(const struct sg_vma_list *list, uint64_t address)
{
	size_t index = first_above(list, address);

	return index < list->count && list->items[index].start <= address ? &list->items[index]
									  : NULL;
}

uint64_t sg_vma_next(const struct sg_vma_list *list, uint64_t address)
{
	size_t index = first_above(list, address);

	return index < list->count ? list->items[index].start : UINT64_MAX;
}
