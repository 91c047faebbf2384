/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The room for code is an anonymous file, mapped twice: to write, and to execute. Code is put into
 * chunks one after the other; a chunk all of whose code was given back is used again, which is how
 * code objects that are unloaded return what was translated for them.
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "native_room.h"

#define SIZE ((size_t)NATIVE_CHUNK * NATIVE_CHUNKS)

static uint8_t *writable;
static const uint8_t *executable;
static uint32_t pieces[NATIVE_CHUNKS]; /* pieces of code in a chunk (atomic) */
static unsigned current;
static size_t filled; /* bytes of the current one */

static void *map(int file, int protection)
{
	void *p = mmap(NULL, SIZE, protection, MAP_SHARED | MAP_NORESERVE, file, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* A child would share the bytes, not copy them; it has no threads that execute them. */
	if (madvise(p, SIZE, MADV_DONTFORK)) {
		munmap(p, SIZE);
		return NULL;
	}
	return p;
}

/* Returns true if the file may grow: one greater than the limit would cost the process its life
 * (SIGXFSZ), also one without name. */
static bool may_grow(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur >= SIZE;
}

static bool create(void)
{
	static bool tried;
	int file;

	if (tried)
		return executable != NULL;
	tried = true;
	if (!may_grow())
		return false;
	file = memfd_create("softgpu-code", MFD_CLOEXEC);
	if (file < 0)
		return false;
	if (!ftruncate(file, (off_t)SIZE)) {
		writable = map(file, PROT_READ | PROT_WRITE);
		executable = writable ? map(file, PROT_READ | PROT_EXEC) : NULL;
	}
	if (writable && !executable)
		munmap(writable, SIZE);
	close(file);
	return executable != NULL;
}

static bool is_empty(unsigned chunk)
{
	return !__atomic_load_n(&pieces[chunk], __ATOMIC_ACQUIRE);
}

bool native_room_find(struct native_room *room, size_t size)
{
	unsigned i;

	if (size > NATIVE_CHUNK || !create())
		return false;
	if (is_empty(current))
		filled = 0;
	for (i = 0; filled + size > NATIVE_CHUNK && i < NATIVE_CHUNKS; i++) {
		if (!is_empty(i))
			continue;
		current = i;
		filled = 0;
	}
	if (filled + size > NATIVE_CHUNK)
		return false;
	room->write = writable + (size_t)current * NATIVE_CHUNK + filled;
	room->run = executable + (size_t)current * NATIVE_CHUNK + filled;
	room->size = NATIVE_CHUNK - filled;
	room->chunk = current;
	return true;
}

void native_room_take(const struct native_room *room, size_t used)
{
	__atomic_add_fetch(&pieces[room->chunk], 1, __ATOMIC_RELAXED);
	filled += (used + 15) & ~(size_t)15;
}

void native_room_return(unsigned chunk)
{
	__atomic_sub_fetch(&pieces[chunk], 1, __ATOMIC_RELEASE);
}

unsigned native_room_chunks(void)
{
	unsigned i, n = 0;

	for (i = 0; i < NATIVE_CHUNKS; i++)
		n += i == current || !is_empty(i);
	return n;
}
