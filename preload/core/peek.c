/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the process's own memory by the kernel, which refuses what is not mapped: by
 * process_vm_readv(2), or where that is refused (a container's filter of system calls, a kernel
 * without it) through a pipe, which write(2) fills with EFAULT in place of a fault.
 */
#include "preload/core/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"

#define PAGES 16u /* entries of the page table that are read at once */

/* Below this nothing can be mapped (/proc/sys/vm/mmap_min_addr, by default), and counts are. */
#define LOWEST 65536u
/* /proc/PID/pagemap: an entry of 64 bits a page; this bit: it is in the host's memory. [KPM] */
#define PRESENT (UINT64_C(1) << 63)

/* A pipe surely holds so much [pipe(7)]: one page also for a user who has many of them. */
#define PIPE_SIZE 4096u

static bool refused; /* atomic: process_vm_readv() is refused */

/* Reads from `address` on, through a pipe of nobody else's. Returns how many bytes could be
 * read. */
static size_t read_through(const int ends[2], uint64_t address, size_t size, char *to)
{
	size_t done = 0;

	while (done < size) {
		/* Up to the end of a page: what follows may not be there. */
		size_t part = PIPE_SIZE - (address + done) % PIPE_SIZE;
		long got;

		if (part > size - done)
			part = size - done;
		got = hg_syscall(SYS_write, ends[1], address + done, part);
		if (got > 0)
			got = hg_syscall(SYS_read, ends[0], to + done, (size_t)got);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static size_t peek_by_pipe(const struct hg_piece *pieces, unsigned count, char *to)
{
	size_t done = 0;
	int ends[2];

	if (hg_syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK))
		return 0;
	for (unsigned i = 0; i < count; i++) {
		size_t got = read_through(ends, pieces[i].address, pieces[i].size, to + done);

		done += got;
		if (got < pieces[i].size)
			break;
	}
	hg_syscall(SYS_close, ends[0]);
	hg_syscall(SYS_close, ends[1]);
	return done;
}

size_t hg_peek(const struct hg_piece *pieces, unsigned count, void *to)
{
	struct iovec remote[HG_PEEK_PIECES], local = { .iov_base = to, .iov_len = 0 };
	long got;

	if (__atomic_load_n(&refused, __ATOMIC_RELAXED))
		return peek_by_pipe(pieces, count, to);
	for (unsigned i = 0; i < count; i++) {
		remote[i].iov_base = (void *)(uintptr_t)pieces[i].address;
		remote[i].iov_len = pieces[i].size;
		local.iov_len += pieces[i].size;
	}
	got = hg_syscall(SYS_process_vm_readv, hg_syscall(SYS_getpid), &local, 1UL, remote,
			 (unsigned long)count, 0UL);
	if (got < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES)) {
		__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
		return peek_by_pipe(pieces, count, to);
	}
	return got > 0 ? (size_t)got : 0;
}

int hg_pagemap_open(void)
{
	return (int)hg_syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
}

void hg_pagemap_close(int pagemap)
{
	if (pagemap >= 0)
		hg_syscall(SYS_close, pagemap);
}

size_t hg_resident(int pagemap, uint64_t address, size_t size)
{
	uint64_t page = (uint64_t)getpagesize(), first = address / page, entries[PAGES];
	uint64_t pages = (address % page + size + page - 1) / page, known;
	long got;

	if (pages > PAGES)
		pages = PAGES;
	got = hg_syscall(SYS_pread64, pagemap, entries, (size_t)(pages * sizeof(entries[0])),
			 (off_t)(first * sizeof(entries[0])));
	for (pages = 0; got > 0 && pages < (uint64_t)got / sizeof(entries[0]); pages++)
		if (!(entries[pages] & PRESENT))
			break;
	known = pages ? pages * page - address % page : 0;
	return known < size ? (size_t)known : size;
}

bool hg_is_mapped(uint64_t address)
{
	uint64_t mask = (uint64_t)getpagesize() - 1;
	unsigned char ignored;

	return address >= LOWEST && address < UINT64_C(1) << 47 &&
	       hg_syscall(SYS_mincore, address & ~mask, (size_t)1, &ignored) == 0;
}
