/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The services that a software GPU needs of its machine: settings, messages, threads, and the pages
 * of host memory that GPUs use. These files are compiled into the driver (kernels/softkfd), which
 * defines the functions that are named as its own.
 */
#ifndef SOFTGPU_HOST_H
#define SOFTGPU_HOST_H

#include "kernels/softgpu/softgpu.h"

/* ---- messages: softgpu_message.c ---- */

/* Prints a line on stderr, prefixed "softgpu: ", only with SOFTGPU_LOG=1. */
void sg_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a line on stderr, prefixed "softgpu: ". */
void sg_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints such a line, then calls abort(). It is for a broken device. */
_Noreturn void sg_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- settings: config.c ---- */

struct sg_settings {
	bool svm;       /* SOFTGPU_SVM: KFD offers shared virtual memory */
	bool fine_pool; /* a fine-grained VRAM pool exists */
	bool xgmi_cpu;  /* CPU link is XGMI, else PCIe */
	bool log;       /* SOFTGPU_LOG */
	bool gfx942;    /* SOFTGPU_MEMORY: memory behaves like an MI300's */
	bool apu;       /* SOFTGPU_APU: the GPUs are APUs, each with the CPU of its NUMA node */
	bool migration; /* SOFTGPU_MIGRATION: pages move by faults, and back */
	uint64_t vram;  /* SOFTGPU_VRAM_MIB, in bytes, of each GPU */
	bool hive;      /* SOFTGPU_XGMI_HIVE: the GPUs reach each other's memory */
	uint64_t gpus;  /* SOFTGPU_DEVICES */
};

extern struct sg_settings sg_settings;

/* Read the environment once. 0, or -EINVAL after a message that names the variable. */
int sg_settings_read(void);
/* Unless SOFTGPU_MIGRATION says it, pages move with XNACK as it is now. */
void sg_migration_follow(void);

#define SG_MAX_GPUS 8u
/* Copy engines of each GPU for copies to other GPUs of its hive. */
#define SG_HIVE_ENGINES 3u

/* Returns the number of CPUs: one, or with SOFTGPU_APU that of each APU, which is a NUMA node. */
static inline unsigned sg_cpus(void)
{
	return sg_settings.apu ? (unsigned)sg_settings.gpus : 1;
}

/* Sets of GPUs: bit n is GPU n. */
#define SG_EVERY_GPU UINT32_MAX
#define SG_NO_GPU    0u

/* ---- how caches hold pages: mtype.c ---- */

#define SG_NO_NODE (-1)
enum sg_coherence { SG_PRESET, SG_EXTENDED, SG_UNCACHED };

/* Returns how GPU `gpu` caches memory of node `node` (number of a GPU, or SG_NO_NODE):
 * SOFTGPU_PAGE_RW, NC, CC or UC. It is RW if memory is not modelled as gfx942's, and for
 * SOFTGPU_ANY_GPU. */
unsigned sg_mtype(unsigned gpu, int node, enum sg_coherence coherence);

/* ---- host mappings: vma.c ---- */

struct sg_vma {
	uint64_t start, end;
	uint64_t offset, device, inode; /* of its file */
	bool readable, writable, executable, shared;
	bool anonymous; /* memory of no file, and not the first thread's stack */
	bool smaps;     /* read with its flags */
	bool advised;   /* one of them */
};

struct sg_vma_list {
	struct sg_vma *items;
	size_t count, capacity;
};

/*
 * Read the process' mappings into *list (reused between calls). Only then can their marks
 * be read, which may cost milliseconds. 0 or -errno.
 */
int sg_vma_read(struct sg_vma_list *list, bool with_mark);
/* Returns the item that holds `address`, or NULL. */
const struct sg_vma *sg_vma_find(const struct sg_vma_list *list, uint64_t address);
/* Returns the start of the first mapping above the unmapped `address`, or UINT64_MAX if there is
 * none. */
uint64_t sg_vma_next(const struct sg_vma_list *list, uint64_t address);
/*
 * Mark those of `list` in [start, end), so that a later mapping at the same place can be
 * distinguished. The list must be up to date.
 */
void sg_vma_mark(const struct sg_vma_list *list, uint64_t start, uint64_t end);
/* Returns true if the mapping is marked. The list must have been read with marks, before any
 * mapping changed. */
bool sg_vma_is_marked(const struct sg_vma *vma);

/*
 * Returns the end of the part without mark that begins at `at`, within [at, limit) of an unmarked
 * mapping of the list (`at` itself if there is none). Neighbours are listed as one mapping, and
 * other threads unmap one of them after the list was read; so each page is checked.
 */
uint64_t sg_vma_unmarked_end(const struct sg_vma *vma, uint64_t at, uint64_t limit);

/* ---- time and threads: work.c ---- */

/* Returns the time of CLOCK_MONOTONIC. */
uint64_t sg_now_ns(void);
/* Start a detached-at-exit helper thread with all signals blocked. 0 or -errno. */
int sg_thread_start(const char *name, void *(*body)(void *));

/*
 * The helper threads work in units, during which the process must not end: at exit, the compiler's
 * library is taken apart, and so is the memory of every library that registered a handler.
 */
enum sg_work { SG_WORK_QUEUES, SG_WORK_COPIES, SG_WORKS };
void sg_work_begin(enum sg_work work);
void sg_work_end(enum sg_work work);
/* For another thread, which ends it with sg_work_end: no unit runs meanwhile. */
void sg_work_exclude(enum sg_work work);
/* Units may begin. */
void sg_work_resume(void);
/* The process is a forked child: there are no threads, nor units of theirs. */
void sg_work_forked(void);

/* ---- a recording's witness: count_kernels.c ---- */

/* Count a kernel that begins, by its name or NULL, for the recording that runs (count_kernels.c).
 */
void sg_witness(const char *kernel);

/* ---- memory: the driver's ---- */

/* Every cached page state is void from now on. */
void sg_memory_changed(void);
/* Returns the number of bytes of a GPU's memory that are not allocated. */
uint64_t sg_vram_room(unsigned gpu);

#endif
