/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between queue.c, aql.c, sdma.c and doorbell.c: queues that a program writes packets
 * into, and the two workers that execute the packets, a thread for kernels and one for copies.
 */
#ifndef SOFTKFD_QUEUE_H
#define SOFTKFD_QUEUE_H

#include "kernels/softkfd/kfd.h"

enum kfd_worker { KFD_KERNELS, KFD_COPIES, KFD_WORKERS };

/* The progress that a queue made in its turn. */
enum kfd_progress {
	KFD_IDLE,     /* there is nothing to do until its doorbell is rung */
	KFD_BLOCKED,  /* its packet waits for a value in memory */
	KFD_PROGRESS, /* it did something; more may follow */
};

/* Why a queue can't go on. The rows of aql.c's table have what is reported to AMD's runtime. */
enum kfd_error {
	KFD_ERROR_TRAP,
	KFD_ERROR_INSTRUCTION,
	KFD_ERROR_SCRATCH,
	KFD_ERROR_DIMENSIONS,
	KFD_ERROR_GROUP_MEMORY,
	KFD_ERROR_CODE,
	KFD_ERROR_PACKET,
	KFD_ERROR_GROUP_SIZE,
	KFD_ERROR_VENDOR_PACKET,
	KFD_ERRORS,
};

/*
 * A queue belongs to its worker: it is read and changed in the worker's turns, or by others between
 * sg_work_exclude() and sg_work_end(). Pointers are the host's, addresses the GPU's.
 */
struct kfd_queue {
	uint32_t id;
	unsigned gpu;
	enum kfd_worker worker;
	char *ring;
	uint64_t ring_address, ring_size;       /* bytes */
	uint64_t *read_pointer, *write_pointer; /* packets, or of copies bytes; never wrapped */
	uint64_t read_address;
	uint64_t save_area; /* the host's address; 0: none */
	uint64_t *doorbell;
	uint64_t position; /* of the packet to do next; packets, or of copies bytes */
	uint64_t start;    /* when that packet began, in ticks; 0: not yet */
	uint64_t unrung; /* since when it is valid without a doorbell's ring, in ns; 0: it is not */
	uint32_t percentage, priority;
	bool cooperative;
	bool stopped; /* an error has stopped it for good */
	bool blocked; /* its last turn was KFD_BLOCKED */
	struct softgpu_run *run;
	struct kfd_queue *next;
};

/* ---- queue.c ---- */

/* Reports that GPU `gpu` has accessed `address`, which it may not, and stops it. */
void kfd_queue_fault(struct kfd_queue *queue, uint64_t address);
/* A value in memory has changed for which queues of workers other than `but` may wait. */
void kfd_queue_values_changed(enum kfd_worker but);

/* ---- aql.c, sdma.c ---- */

/*
 * Does the packet at the queue's position, or goes on with it for `budget` wave-instructions.
 * `ringing`: a store to its doorbell waits for this worker, or was let through a moment ago.
 */
enum kfd_progress kfd_aql_step(struct kfd_queue *queue, uint64_t budget, bool ringing);
/* Is there a packet that can be begun? */
bool kfd_aql_ready(const struct kfd_queue *queue);

/* Does the packets at the queue's position until one waits. */
enum kfd_progress kfd_sdma_step(struct kfd_queue *queue);
bool kfd_sdma_ready(const struct kfd_queue *queue);

/* ---- code.c: names of kernels, for the kernels' worker ---- */

/*
 * Returns the name of the kernel whose descriptor is at `kernel_object` ("name" without ".kd"), and
 * the loaded code object that holds it, as the dynamic symbols in GPU memory say; NULL and zeros if
 * they do not. Valid for ever.
 */
const char *kfd_kernel_name(unsigned gpu, uint64_t kernel_object, uint64_t *base, uint64_t *size);
/*
 * Returns the same for memory that is at GPU addresses [first, last), from the start of a page on,
 * and which the host sees at `memory`.
 */
const char *kfd_kernel_name_in(const char *memory, uint64_t first, uint64_t last, uint64_t kernel,
			       uint64_t *base, uint64_t *size);
/* New code may be where other code was. */
void kfd_kernel_names_forget(void);

/* ---- doorbell.c: pages of doorbells, and sleep until one is rung ---- */

/*
 * Takes a doorbell of GPU `gpu` that wakes `worker`: all ones until it is rung. Stores its place in
 * the mapping of kfd_doorbell_mmap() in *offset. Returns NULL if there is none left.
 */
uint64_t *kfd_doorbell_take(unsigned gpu, enum kfd_worker worker, uint64_t *offset);
void kfd_doorbell_return(unsigned gpu, uint64_t *doorbell);

/* Returns how often the worker was woken so far. */
uint32_t kfd_wakes(enum kfd_worker worker);
/* Wakes the worker if it sleeps, or keeps it from going to sleep. `blocked`: only if doorbells
 * alone would not wake it. */
void kfd_wake(enum kfd_worker worker, bool blocked);
/* To be called before a store to a doorbell of the worker's, at `address` in the program's mapping,
 * for a packet that is there: it does not wait, and the worker wakes up and looks for it. */
void kfd_doorbell_announce(enum kfd_worker worker, const volatile uint64_t *address);
/* Returns true if the store that was announced last is to that doorbell, and is yet to come. */
bool kfd_doorbell_is_awaited(enum kfd_worker worker, const uint64_t *doorbell);
/* To be called by a thread that is going to look at a signal without pause: the worker may have its
 * processor before, if they share one. */
void kfd_doorbell_let_work(enum kfd_worker worker);
/* Returns true if the worker has slept for long until a moment ago, and the thread that rang last
 * did so on the worker's processor: it waits there while the worker looks. */
bool kfd_doorbell_is_near(enum kfd_worker worker);
/*
 * Has a thread whose store was let through yet to store? It needs a processor for that; if its
 * doorbells were protected before, it would wait once more.
 */
bool kfd_doorbell_is_storing(enum kfd_worker worker);
/*
 * Sleeps until a doorbell of the worker's is rung or it is woken more often than `seen`; if it is
 * `blocked` by values in memory, or doorbells can't be watched, at most `nap_ns`, less than a
 * second. `ready` says, once doorbells are watched, whether there is something to do already.
 * Returns the doorbell whose ring ended the sleep, which may not have its new value yet, or NULL.
 */
const uint64_t *kfd_doorbell_wait(enum kfd_worker worker, uint32_t seen, uint64_t nap_ns,
				  bool blocked, bool (*ready)(enum kfd_worker worker));
void kfd_doorbells_forked(void);

#endif
