/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of ordinary host memory are with the host or with a GPU, and move. This is so only with
 * SOFTGPU_MIGRATION.
 *
 * One thread, the pager, owns the list of pages that are with a GPU. What it touches (its stack,
 * this memory, initialised variables of this library) never moves: it lies in shared memory or in
 * mappings of files. So a thread that touches a migrated page waits for the pager, and the pager
 * waits for no thread.
 */
#ifndef SOFTGPU_PAGES_H
#define SOFTGPU_PAGES_H

#include "softgpu_host.h"
#include <linux/userfaultfd.h>

/* Why pages move: migrate triggers of kfd_ioctl.h (docs/memory-model.md#driver-events). */
enum sg_trigger {
	SG_TRIGGER_PREFETCH,
	SG_TRIGGER_GPU_FAULT,
	SG_TRIGGER_CPU_FAULT,
	SG_TRIGGER_EVICTION,
};

#define SG_WITH_HOST (-1)

/* A range of host memory whose pages are treated alike, as svm.c knows it. */
struct sg_range {
	uint64_t low, high;   /* bytes, whole pages: no block of pages reaches beyond */
	unsigned granularity; /* blocks of 2^granularity pages, aligned, move together */
	bool movable;         /* private anonymous memory */
	int preferred;        /* GPU, SG_WITH_HOST; SG_MAX_GPUS: not set */
	int prefetched;
	uint64_t room[SG_MAX_GPUS]; /* bytes of each GPU's memory that allocations leave */
};

/* ---- host_pages.c ---- */

/*
 * Has the pages moved that an access of GPU `gpu` to `address` needs. `target`: the GPU that must
 * have the pages; SG_WITH_HOST: they may be anywhere. Without `retry` (XNACK) there is no fault and
 * nothing moves. `write`: the access that faults is a store. Returns where the pages are then; in
 * [*first, *last) others that may be accessed likewise.
 */
int sg_pages_touch(unsigned gpu, uint64_t address, int target, bool retry, bool write,
		   const struct sg_range *range, uint64_t *first, uint64_t *last);
/* Returns where the page is now. */
int sg_pages_where(uint64_t address);
/* A prefetch of [start, end), within `range`, to GPU `target` or SG_WITH_HOST. */
void sg_pages_move(uint64_t start, uint64_t end, int target, const struct sg_range *range);
/* The mapping was removed. */
void sg_pages_drop(uint64_t start, uint64_t end);
/* The copy engine is going to access [start, end), which must not count as the host's access. */
void sg_pages_hold(uint64_t start, uint64_t end);
void sg_pages_release(void);
/* No kernel runs: from now on the host's accesses are seen. */
void sg_pages_park(void);
/* Returns true if pages that are on a GPU are put at `address`. */
bool sg_pages_is_place(uint64_t address);
/*
 * A system call that copies the process, unless libc's fork() makes it, is between the first of
 * these and, in parent and child, one of the others: a copy has only what is mapped. Nothing moves
 * meanwhile, and in the child nothing ever does.
 */
void sg_pages_before_fork(void);
void sg_pages_after_fork_parent(void);
void sg_pages_after_fork_child(void);

/* ---- host_access.c: pages are put where an access by the host is noticed; the pager's only ----
 */

/* Messages that wait while pages are moved: of each thread at most a few. */
#define SG_PARK_QUEUE 4096u

struct sg_park {
	int faults; /* userfaultfd whose events tell of accesses; -1: not to be had */
	int shadow; /* userfaultfd of the places to put pages */
	struct {
		uint64_t key, base;
	} areas[32];
	unsigned area_count;
	unsigned queued;
	bool hearing; /* the first of the queue is being dealt with */
	struct uffd_msg queue[SG_PARK_QUEUE];
};

/* 0, or -errno: accesses of the host can't be noticed here. */
int sg_park_open(struct sg_park *park);
/* Closes the descriptors, of which the pager's thread has its own. */
void sg_park_leave(const struct sg_park *park);
/* Unmap the pages from the host. False if that is not possible for this memory; nothing happened
 * then. */
bool sg_park_away(struct sg_park *park, uint64_t start, uint64_t size);
/* Bring them back, to `home` (their old address unless it was remapped), or lose them if the
 * mapping was removed. */
void sg_park_back(struct sg_park *park, uint64_t start, uint64_t size, uint64_t home);
/*
 * An access or a mapping that the kernel has reported, in its order; asking for the next says that
 * this one is dealt with. False: nothing. What was discarded is lost already.
 */
bool sg_park_hear(struct sg_park *park, struct uffd_msg *message);
/* Returns true if `address` is where pages are put; any thread may ask. */
bool sg_park_is_place(const struct sg_park *park, uint64_t address);
/* Maps zeros as mmap(2) does, MAP_FAILED on failure, of which mlockall(MCL_FUTURE) has none filled
 * or locked. */
void *sg_reserve(void *address, uint64_t size, int flags);
/* A page that was not migrated was accessed: let the access continue. */
void sg_park_pass(struct sg_park *park, uint64_t page);

/* ---- softgpu_smi.c: the driver's events as text; the pager's only, but for sg_smi_pair ---- */

#define SG_SMI_CLIENTS 16u
#define SG_SMI_PENDING (1u << 20)

struct sg_smi {
	struct {
		int fd;
		unsigned gpu;
		uint64_t mask; /* bit n: event n + 1 */
		uint32_t used, lost;
		char pending[SG_SMI_PENDING];
	} clients[SG_SMI_CLIENTS];
	unsigned count;
	int log; /* SOFTGPU_MIGRATION_LOG, -1 */
	int pid;
	uint64_t ns; /* of the event at hand */
};

/* Ids of KFD's nodes; 0 is the host. */
#define SG_KFD_ID(gpu) ((int)(gpu) == SG_WITH_HOST ? 0u : 0x5000u + (unsigned)(gpu))

/* Makes both ends of a client's connection. Returns 0 or -errno. */
int sg_smi_pair(int ends[2]);
/* Take on a client of the events of `gpu`; -ENOSPC: there are too many. */
int sg_smi_add(struct sg_smi *smi, int fd, unsigned gpu);
/* Sends a line to those clients of `gpu` that requested `event`. */
void sg_smi_emit(struct sg_smi *smi, unsigned gpu, unsigned event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Send on what could not be sent at once. */
void sg_smi_flush(struct sg_smi *smi);
bool sg_smi_pending(const struct sg_smi *smi);
/* Writes a line of the log that counts what moved. */
void sg_smi_log(struct sg_smi *smi, int from, int to, enum sg_trigger trigger, uint64_t start,
		uint64_t size);

enum sg_smi_event {
	SG_SMI_MIGRATE_START = 5,
	SG_SMI_MIGRATE_END = 6,
	SG_SMI_FAULT_START = 7,
	SG_SMI_FAULT_END = 8,
	SG_SMI_QUEUE_EVICTION = 9,
	SG_SMI_QUEUE_RESTORE = 10,
	SG_SMI_UNMAP = 11,
	SG_SMI_DROPPED = 14,
};

#endif
