// SPDX-License-Identifier: Apache-2.0
/*
 * User-mode queues and the two workers that serve them. A worker takes a turn of each queue after
 * the other: a kernel may spin until another queue or the host does something
 * (hipStreamWaitValue is such a kernel), so none may run to its end while others wait.
 *
 * A worker's turns are units of work (kernels/softgpu/host/work.c); another thread that changes a
 * queue excludes them meanwhile, and takes the lists' lock for what is_ready() looks at.
 */
#include "kernels/softkfd/queue.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* Wave-instructions per turn: alone, and with other queues waiting. */
#define BUDGET_ALONE  100000
#define BUDGET_SHARED 10000

/* A worker looks so long before it sleeps: about the time that a program takes from one kernel's
 * end to the next launch, which then costs it no page fault. */
#define LINGER_NS 30000u
/* A thread whose store was let through needs so long until it has stored, if its processor fell
 * asleep meanwhile. */
#define STORE_LINGER_NS 60000u
/* If others want the processor, too, the scheduler takes it away from a worker that looks, and the
 * next launch waits for its return. After such a loss a worker sleeps at once so many times, twice
 * as often with each further loss. */
#define FIRST_PENALTY 64u
#define LAST_PENALTY  4096u
/* A sleep lasts so long at first, and at most, if nothing wakes the worker. */
#define FIRST_NAP_NS   5000u
#define STORE_NAP_NS   20000u /* at least, where a thread has yet to store: both need a processor */
#define LAST_NAP_NS    1000000u

#define MAX_PERCENTAGE 100u
#define MAX_PRIORITY   15u
#define MIN_RING_SIZE  1024u

static const enum sg_work unit[KFD_WORKERS] = { SG_WORK_QUEUES, SG_WORK_COPIES };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kfd_queue *queues[KFD_WORKERS];
static bool running[KFD_WORKERS];
static bool gpu_stopped[SG_MAX_GPUS];
static unsigned counts[SG_MAX_GPUS];

static bool is_active(const struct kfd_queue *queue)
{
	return queue->percentage && !queue->stopped &&
	       !__atomic_load_n(&gpu_stopped[queue->gpu], __ATOMIC_ACQUIRE);
}

static bool is_ready(const struct kfd_queue *queue)
{
	return is_active(queue) && !queue->blocked &&
	       (queue->worker == KFD_COPIES ? kfd_sdma_ready(queue) : kfd_aql_ready(queue));
}

/* Returns the queue after `previous` in the list, or the first for NULL; NULL behind the last. */
static struct kfd_queue *choose(enum kfd_worker worker, const struct kfd_queue *previous)
{
	struct kfd_queue *queue;

	pthread_mutex_lock(&list_lock);
	for (queue = queues[worker]; queue && queue != previous; queue = queue->next)
		;
	queue = queue ? queue->next : queues[worker];
	pthread_mutex_unlock(&list_lock);
	return queue;
}

static unsigned ready_queues(enum kfd_worker worker)
{
	unsigned ready = 0;

	pthread_mutex_lock(&list_lock);
	for (struct kfd_queue *queue = queues[worker]; queue; queue = queue->next)
		ready += is_ready(queue);
	pthread_mutex_unlock(&list_lock);
	return ready;
}

static bool any_ready(enum kfd_worker worker)
{
	return ready_queues(worker);
}

/* Gives every queue one turn; `ringing` is a doorbell whose store waits, or NULL. Returns the most
 * progress that a queue made. */
static enum kfd_progress serve_all(enum kfd_worker worker, const uint64_t *ringing)
{
	uint64_t budget =
	    worker == KFD_KERNELS && ready_queues(worker) > 1 ? BUDGET_SHARED : BUDGET_ALONE;
	enum kfd_progress most = KFD_IDLE;
	struct kfd_queue *queue = NULL;

	/* A unit of work is one turn: others must get in between. */
	for (;;) {
		enum kfd_progress progress = KFD_IDLE;

		sg_work_begin(unit[worker]);
		queue = choose(worker, queue);
		if (queue && is_active(queue)) {
			progress = worker == KFD_COPIES
				       ? kfd_sdma_step(queue)
				       : kfd_aql_step(queue, budget, queue->doorbell == ringing);
			queue->blocked = progress == KFD_BLOCKED;
		}
		sg_work_end(unit[worker]);
		if (progress > most)
			most = progress;
		if (!queue)
			return most;
	}
}

struct linger {
	uint64_t since, last; /* times; 0: it did something just now */
	unsigned penalty, skip;
	bool storing; /* a thread was to store when it looked last */
	bool never;   /* there is one processor only */
};

static bool one_processor(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) == 1;
}

/* To look took the processor from others, or was of no use because they had it. */
static bool give_up(struct linger *linger)
{
	linger->penalty = !linger->penalty                     ? FIRST_PENALTY
			  : linger->penalty < LAST_PENALTY / 2 ? linger->penalty * 2
							       : LAST_PENALTY;
	linger->skip = linger->penalty;
	return false;
}

/* Nothing was to be done: look again soon? */
static bool linger(struct linger *linger, enum kfd_worker worker)
{
	uint64_t now = sg_now_ns();
	bool stored;

	if (kfd_doorbell_is_near(worker))
		return false;
	if (linger->never || linger->skip) {
		linger->skip -= linger->skip > 0;
		return false;
	}
	if (!linger->since)
		linger->since = now;
	else if (now - linger->last > LINGER_NS)
		return give_up(linger);
	linger->last = now;
	stored = linger->storing;
	linger->storing = kfd_doorbell_is_storing(worker);
	if (linger->storing)
		return now - linger->since < STORE_LINGER_NS || give_up(linger);
	if (stored)
		linger->since = now;
	if (now - linger->since < LINGER_NS)
		return true;
	linger->penalty = 0;
	return false;
}

static _Noreturn void work(enum kfd_worker worker)
{
	struct linger state = { .never = one_processor() };
	const uint64_t *ringing = NULL;
	uint64_t nap = FIRST_NAP_NS;

	/* Naps are shorter than the kernel's preset slack. */
	prctl(PR_SET_TIMERSLACK, 1000ul);
	for (;;) {
		uint32_t seen = kfd_wakes(worker);
		enum kfd_progress progress = serve_all(worker, ringing);

		ringing = NULL;
		if (progress == KFD_PROGRESS) {
			state.since = 0;
			nap = FIRST_NAP_NS;
		} else if (linger(&state, worker)) {
			/* Not sched_yield(): the scheduler takes that for leave to come back late.
			 */
			__builtin_ia32_pause();
		} else {
			if (nap < STORE_NAP_NS && kfd_doorbell_is_storing(worker))
				nap = STORE_NAP_NS;
			ringing = kfd_doorbell_wait(worker, seen, nap, progress == KFD_BLOCKED,
						    any_ready);
			nap = nap < LAST_NAP_NS / 2 ? nap * 2 : LAST_NAP_NS;
		}
	}
}

static void *run_kernels(void *unused)
{
	(void)unused;
	work(KFD_KERNELS);
}

static void *run_copies(void *unused)
{
	(void)unused;
	work(KFD_COPIES);
}

/* Takes a kernel's message to the host: the number of the event that the kernel has written to a
 * mailbox, or only its lowest 8 bits (LLVM's and ROCm's device libraries). */
static void interrupt(unsigned gpu, uint32_t message)
{
	(void)gpu;
	kfd_event_raise(message);
	for (uint32_t id = message + 256; message < 256 && id < KFD_EVENT_LIMIT; id += 256)
		kfd_event_raise(id);
}

/* Starts a worker. Called with all workers excluded. Returns false if no thread can be made. */
static bool start(enum kfd_worker worker)
{
	softgpu_interrupt = interrupt;
	if (!running[worker])
		running[worker] = worker == KFD_COPIES
				      ? !sg_thread_start("softkfd-copies", run_copies)
				      : !sg_thread_start("softkfd-queues", run_kernels);
	return running[worker];
}

void kfd_queue_fault(struct kfd_queue *queue, uint64_t address)
{
	unsigned state = softgpu_page_state(queue->gpu, address);
	struct kfd_fault fault = {
		.gpu = queue->gpu,
		.address = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1),
		.read_only = state & SOFTGPU_PAGE_MAPPED && state & SOFTGPU_PAGE_READ,
	};

	fault.not_present = !fault.read_only;
	sg_log("queue %u: memory access fault at %#lx", queue->id, address);
	__atomic_store_n(&gpu_stopped[queue->gpu], true, __ATOMIC_RELEASE);
	kfd_event_memory_fault(&fault);
}

void kfd_queue_values_changed(enum kfd_worker but)
{
	for (unsigned i = 0; i < KFD_WORKERS; i++)
		if (i != but)
			kfd_wake(i, true);
}

/* ---- requests ---- */

/*
 * The link to queue `id`, with its worker excluded and the lists' lock held, which leave() ends;
 * NULL, with none: there is no such queue.
 */
static struct kfd_queue **enter(uint32_t id)
{
	for (unsigned worker = 0; worker < KFD_WORKERS; worker++) {
		sg_work_exclude(unit[worker]);
		pthread_mutex_lock(&list_lock);
		for (struct kfd_queue **link = &queues[worker]; *link; link = &(*link)->next)
			if ((*link)->id == id)
				return link;
		pthread_mutex_unlock(&list_lock);
		sg_work_end(unit[worker]);
	}
	return NULL;
}

static void leave(enum kfd_worker worker)
{
	pthread_mutex_unlock(&list_lock);
	sg_work_end(unit[worker]);
}

/* With the lists' lock held. */
static bool id_is_taken(uint32_t id)
{
	for (unsigned worker = 0; worker < KFD_WORKERS; worker++)
		for (struct kfd_queue *queue = queues[worker]; queue; queue = queue->next)
			if (queue->id == id)
				return true;
	return false;
}

static int check_settings(uint32_t percentage, uint32_t priority, uint32_t ring_size)
{
	/* Bits 8 to 15 choose an XCC for queues of PM4. */
	if ((percentage & 0xff) > MAX_PERCENTAGE || priority > MAX_PRIORITY ||
	    ring_size & (ring_size - 1))
		return -EINVAL;
	return 0;
}

static void release(struct kfd_queue *queue)
{
	if (queue->run)
		softgpu_run_destroy(queue->run);
	if (queue->doorbell)
		kfd_doorbell_return(queue->gpu, queue->doorbell);
	free(queue);
}

/* Sets where the ring is. -EINVAL: the GPU does not reach it. */
static int set_ring(struct kfd_queue *queue, uint64_t address, uint64_t size)
{
	char *ring = NULL;

	if (address && size) {
		if (size < MIN_RING_SIZE)
			size = MIN_RING_SIZE;
		ring = kfd_memory_host(queue->gpu, address, size, true);
		if (!ring)
			return -EINVAL;
	}
	queue->ring = ring;
	queue->ring_address = address;
	queue->ring_size = ring ? size : 0;
	return 0;
}

static int fill(struct kfd_queue *queue, const struct kfd_arg_create_queue *request)
{
	int error = set_ring(queue, request->ring, request->ring_size);

	if (error)
		return error;
	queue->read_address = request->read_pointer;
	queue->read_pointer = kfd_memory_host(queue->gpu, request->read_pointer, 8, true);
	queue->write_pointer = kfd_memory_host(queue->gpu, request->write_pointer, 8, true);
	if (!queue->ring || !queue->read_pointer || !queue->write_pointer)
		return -EINVAL;
	queue->percentage = request->percentage & 0xff;
	queue->priority = request->priority;
	queue->save_area = request->save_area;
	return 0;
}

int kfd_create_queue(void *argument, size_t size)
{
	struct kfd_arg_create_queue *request = argument;
	int gpu = kfd_gpu_number(request->gpu_id),
	    error = check_settings(request->percentage, request->priority, request->ring_size);
	struct kfd_queue *queue, **link;
	uint64_t offset;

	(void)size;
	if (error || gpu < 0)
		return -EINVAL;
	if (request->type == KFD_QUEUE_PM4 || request->type > KFD_QUEUE_SDMA_BY_ENGINE) {
		sg_warn("queues of type %u are not supported", request->type);
		return -EINVAL;
	}
	queue = calloc(1, sizeof *queue);
	if (!queue)
		return -ENOMEM;
	queue->gpu = (unsigned)gpu;
	queue->worker = request->type == KFD_QUEUE_AQL ? KFD_KERNELS : KFD_COPIES;
	error = fill(queue, request);
	if (!error) {
		queue->doorbell = kfd_doorbell_take(queue->gpu, queue->worker, &offset);
		if (!queue->doorbell)
			error = -ENOMEM;
	}
	if (error) {
		release(queue);
		return error;
	}
	kfd_queues_hold();
	pthread_mutex_lock(&list_lock);
	while (id_is_taken(queue->id))
		queue->id++;
	if (start(queue->worker)) {
		for (link = &queues[queue->worker]; *link; link = &(*link)->next)
			;
		*link = queue;
		counts[queue->gpu]++;
		request->queue_id = queue->id;
		request->doorbell_offset =
		    (uint64_t)KFD_MMAP_DOORBELL << KFD_MMAP_TYPE_SHIFT |
		    (uint64_t)(uint16_t)request->gpu_id << KFD_MMAP_GPU_SHIFT | offset;
		sg_log("queue: %u created on GPU %u, %lu bytes%s", queue->id, queue->gpu,
		       queue->ring_size, queue->worker == KFD_COPIES ? ", for copies" : "");
	} else {
		error = -ENOMEM;
	}
	pthread_mutex_unlock(&list_lock);
	kfd_queues_release();
	if (error)
		release(queue);
	return error;
}

int kfd_destroy_queue(void *argument, size_t size)
{
	const struct kfd_arg_destroy_queue *request = argument;
	struct kfd_queue **link = enter(request->queue_id), *queue;

	(void)size;
	if (!link)
		return -EINVAL;
	queue = *link;
	*link = queue->next;
	counts[queue->gpu]--;
	leave(queue->worker);
	release(queue);
	return 0;
}

int kfd_update_queue(void *argument, size_t size)
{
	const struct kfd_arg_update_queue *request = argument;
	int error = check_settings(request->percentage, request->priority, request->ring_size);
	struct kfd_queue **link, *queue;

	(void)size;
	if (error)
		return error;
	link = enter(request->queue_id);
	if (!link)
		return -EFAULT;
	queue = *link;
	error = set_ring(queue, request->ring, request->ring_size);
	if (!error) {
		queue->percentage = queue->ring ? request->percentage & 0xff : 0;
		queue->priority = request->priority;
	}
	leave(queue->worker);
	kfd_wake(queue->worker, false);
	return error;
}

/* Accepts the mask: the compute unit that runs a group has no effect on its result. */
int kfd_set_cu_mask(void *argument, size_t size)
{
	const struct kfd_arg_cu_mask *request = argument;
	struct kfd_queue **link;

	(void)size;
	if (!request->bits || request->bits % 32)
		return -EINVAL;
	link = enter(request->queue_id);
	if (!link)
		return -EFAULT;
	leave((*link)->worker);
	return 0;
}

/* Global wave sync is what cooperative launches rest on; a GPU has it for one queue of a process.
 */
int kfd_alloc_queue_gws(void *argument, size_t size)
{
	struct kfd_arg_queue_gws *request = argument;
	struct kfd_queue **link = enter(request->queue_id), *queue;
	int error = 0;

	(void)size;
	if (!link)
		return -EINVAL;
	queue = *link;
	if (queue->worker != KFD_KERNELS || !!request->count == queue->cooperative)
		error = -EINVAL;
	for (struct kfd_queue *other = queues[KFD_KERNELS]; !error && request->count && other;
	     other = other->next)
		if (other->gpu == queue->gpu && other->cooperative)
			error = -EBUSY;
	if (!error)
		queue->cooperative = request->count;
	leave(queue->worker);
	request->first = 0;
	return error;
}

/* Private memory is the interpreter's. */
int kfd_set_scratch_backing(void *argument, size_t size)
{
	const struct kfd_arg_scratch_backing *request = argument;

	(void)size;
	return kfd_gpu_number(request->gpu_id) < 0 ? -EINVAL : 0;
}

/* Accepts the address only: the interpreter itself does the work of AMD's trap handler. */
int kfd_set_trap_handler(void *argument, size_t size)
{
	const struct kfd_arg_trap_handler *request = argument;

	(void)size;
	return kfd_gpu_number(request->gpu_id) < 0 ? -EINVAL : 0;
}

/* ---- for the other files ---- */

void kfd_queues_wake(void)
{
	for (unsigned i = 0; i < KFD_WORKERS; i++)
		kfd_wake(i, true);
}

void kfd_queues_hold(void)
{
	for (unsigned i = 0; i < KFD_WORKERS; i++)
		sg_work_exclude(unit[i]);
}

void kfd_queues_release(void)
{
	for (unsigned i = 0; i < KFD_WORKERS; i++)
		sg_work_end(unit[i]);
}

unsigned kfd_queue_count(unsigned gpu)
{
	return __atomic_load_n(&counts[gpu], __ATOMIC_RELAXED);
}

void kfd_queues_forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	for (unsigned i = 0; i < KFD_WORKERS; i++) {
		queues[i] = NULL;
		running[i] = false;
	}
	for (unsigned i = 0; i < SG_MAX_GPUS; i++) {
		counts[i] = 0;
		gpu_stopped[i] = false;
	}
	kfd_doorbells_forked();
	sg_work_forked();
	softgpu_forked();
}
