/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that the program obtains otherwise than by mmap(): System V shared memory, and the program
 * break where the program moves it itself. Moves of the break by the C library, for malloc(), do
 * not go through these functions. Not __sbrk(): in front of it an allocator has a sbrk(), of which
 * ours is the first.
 */
#include <errno.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/host/host_memory.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

/*
 * Returns the bytes of a segment that is attached, or 0 if the kernel does not say. It does not
 * call shmctl(), which may be another library's: a process that may attach a segment may ask for
 * this (shmctl(2), IPC_STAT).
 */
static size_t segment_size(int id)
{
	struct shmid_ds about;
	int saved = errno;
	size_t size = hg_syscall(SYS_shmctl, id, IPC_STAT, &about) ? 0 : about.shm_segsz;

	errno = saved;
	return size;
}

HG_EXPORT void *shmat(int id, const void *address, int flags)
{
	void *ptr = hg_libc.shmat(id, address, flags);

	if (HG_UNLIKELY(hg_active)) {
		uint64_t how = (uint64_t)(uint32_t)id << 32 | (uint32_t)flags;

		if (ptr == (void *)-1)
			hg_map_failed(HG_API_shmat, (void *)(uintptr_t)address, 0, how,
				      HG_CALLER());
		else
			hg_map_alloc(HG_API_shmat, ptr, segment_size(id), how, HG_CALLER());
	}
	return ptr;
}

HG_EXPORT int shmdt(const void *address)
{
	void *ptr = (void *)(uintptr_t)address;
	int rc;

	if (HG_LIKELY(!hg_active))
		return hg_libc.shmdt(address);
	hg_map_free(HG_API_shmdt, ptr, 0, HG_CALLER());
	rc = hg_libc.shmdt(address);
	if (rc)
		hg_map_failed(HG_API_shmdt, ptr, 0, 0, HG_CALLER());
	else
		hg_map_freed();
	return rc;
}

/*
 * The break was moved, if it was: a value below its start changes nothing, and succeeds (brk(2), "C
 * library/kernel differences"). Also where memory was released this is recorded afterwards:
 * addresses above the break are unused until it moves again.
 */
static void moved(uint16_t api, char *from, void *caller)
{
	intptr_t by = (char *)hg_libc.sbrk(0) - from;

	if (by > 0) {
		hg_map_alloc(api, from, (size_t)by, 0, caller);
	} else if (by < 0) {
		hg_map_free(api, from + by, (size_t)-by, caller);
		hg_map_freed();
	}
}

HG_EXPORT void *sbrk(intptr_t by)
{
	void *from = hg_libc.sbrk(by);

	if (HG_UNLIKELY(hg_active) && by) {
		if (from == (void *)-1)
			hg_map_failed(HG_API_sbrk, NULL, by > 0 ? (size_t)by : 0, 0, HG_CALLER());
		else
			moved(HG_API_sbrk, from, HG_CALLER());
	}
	return from;
}

HG_EXPORT int brk(void *end)
{
	char *from;
	int rc;

	if (HG_LIKELY(!hg_active))
		return hg_libc.brk(end);
	from = hg_libc.sbrk(0);
	rc = hg_libc.brk(end);
	if (rc)
		hg_map_failed(HG_API_brk, end, 0, 0, HG_CALLER());
	else
		moved(HG_API_brk, from, HG_CALLER());
	return rc;
}
