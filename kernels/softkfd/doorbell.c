// SPDX-License-Identifier: Apache-2.0
/*
 * Doorbells: a store to memory is all that a program does to start a queue. Each GPU has two pages
 * of them, one for each worker, in a file that the program maps. While a worker sleeps its pages
 * are write-protected by userfaultfd(2), of whose event the worker wakes up; where that is not to
 * be had (before Linux 5.19, some containers) it looks after ever longer naps.
 */
#include "kernels/softkfd/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* linux/userfaultfd.h of 5.11, 5.18 and 5.19. */
#define USER_MODE_ONLY        1
#define FEATURE_EXACT_ADDRESS (UINT64_C(1) << 11)
#define FEATURE_WP_SHMEM      (UINT64_C(1) << 12)

#define PAGE                  SOFTGPU_PAGE_SIZE
#define BELLS                 (PAGE / sizeof(uint64_t))
#define SILENT                UINT64_MAX /* a doorbell that was not rung */
#define MAPPINGS              32u
/* After an announced ring the next one is waited for so long before doorbells are protected. */
#define ANNOUNCED_NS 50000
/* A program that launches for longer without a pause is given processors of its own by Linux, if
 * there are any and the worker wants one, too. */
#define NEAR_NS 1000000u
/* For how long a store that was let through is waited for: it may leave a doorbell as it was. */
#define STORE_NS 20000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The doorbells of each GPU: their file, this library's own view of it, and which of them are
 * taken. */
static struct {
	struct kfd_own file; /* if there are bells */
	uint64_t *bells;
	bool taken[KFD_WORKERS * BELLS];
} pages[SG_MAX_GPUS];

/* Where the program maps the pages of a GPU. */
static struct {
	char *start;
	unsigned gpu;
} mappings[MAPPINGS];
static unsigned mapping_count;
static bool unwatched; /* some mapping that could not be registered */

enum sleep { AWAKE, SLEEPS_IDLE, SLEEPS_BLOCKED };

/* So long may a thread take from the announcement to the store: tools look at the packet there. */
#define AWAITED_NS 1000000000ull

static struct bell {
	bool open;
	bool lost;             /* the program has closed the descriptors */
	struct kfd_own faults; /* userfaultfd, if it is to be had */
	struct kfd_own wake;   /* eventfd, for a sleep that a fault ends, too */
	bool watches;          /* it sleeps so */
	uint32_t wakes, sleep;
	bool protected; /* with the lock held */
	bool announced; /* a ring was, since the worker slept last */
	struct {
		const uint64_t *doorbell; /* NULL: none */
		uint64_t before, when;
	} latest;       /* of these: its doorbell and what that had, and the time */
	int processor;  /* where the last ring was announced; -1: it was not */
	int place;      /* the processor where the worker went to sleep */
	uint64_t began; /* when its last long sleep ended */
	bool brief;     /* it sleeps for ANNOUNCED_NS at most */
	/* A store was seen to wait; it is done when the doorbells' sum is no longer this. */
	bool storing;
	uint64_t sum;
	uint64_t deadline;
} bells[KFD_WORKERS];

static struct kfd_own open_faults(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features =
		    UFFD_FEATURE_PAGEFAULT_FLAG_WP | FEATURE_EXACT_ADDRESS | FEATURE_WP_SHMEM,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);

	if (fd >= 0 && kfd_real_ioctl(fd, UFFDIO_API, &api)) {
		kfd_real_close(fd);
		fd = -1;
	}
	return kfd_own(fd);
}

/* Opens the descriptors of a doorbell. Returns false if none are left. Called with the lock
 * held. */
static bool open_bell(struct bell *bell)
{
	if (bell->open)
		return true;
	bell->wake = kfd_own(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (bell->wake.fd < 0)
		return false;
	bell->faults = open_faults();
	bell->open = true;
	return true;
}

/* Returns true if the descriptors are still the driver's. */
static bool is_whole(struct bell *bell)
{
	static bool said;

	if (bell->lost ||
	    (kfd_is_own(&bell->wake) && (bell->faults.fd < 0 || kfd_is_own(&bell->faults))))
		return !bell->lost;
	bell->lost = true;
	if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		sg_warn(
		    "the program has closed the driver's descriptors: launches are noticed within "
		    "a millisecond, and AMD's runtime gets no more memory");
	return false;
}

/* Returns the file of the GPU's pages. Called with the lock held. */
static int page_file(unsigned gpu)
{
	const size_t size = KFD_WORKERS * PAGE;
	void *view = MAP_FAILED;
	struct kfd_own file;

	if (pages[gpu].bells)
		return kfd_is_own(&pages[gpu].file) ? pages[gpu].file.fd : -1;
	file = kfd_own(memfd_create("hipgrain-doorbells", MFD_CLOEXEC));
	if (file.fd >= 0 && !ftruncate(file.fd, (off_t)size))
		view = kfd_real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
	if (view == MAP_FAILED) {
		kfd_close_own(&file);
		return -1;
	}
	kfd_real_madvise(view, size, MADV_DONTFORK);
	memset(view, 0xff, size);
	pages[gpu].bells = view;
	pages[gpu].file = file;
	return file.fd;
}

uint64_t *kfd_doorbell_take(unsigned gpu, enum kfd_worker worker, uint64_t *offset)
{
	uint64_t *found = NULL;

	pthread_mutex_lock(&lock);
	if (open_bell(&bells[worker]) && page_file(gpu) >= 0) {
		for (unsigned i = worker * BELLS; !found && i < (worker + 1) * BELLS; i++) {
			if (pages[gpu].taken[i])
				continue;
			pages[gpu].taken[i] = true;
			*offset = i * sizeof(uint64_t);
			found = &pages[gpu].bells[i];
			__atomic_store_n(found, SILENT, __ATOMIC_RELAXED);
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void kfd_doorbell_return(unsigned gpu, uint64_t *doorbell)
{
	pthread_mutex_lock(&lock);
	pages[gpu].taken[doorbell - pages[gpu].bells] = false;
	pthread_mutex_unlock(&lock);
}

/* With the lock held: stores to the worker's page of this mapping can be seen from now on. */
static bool watch_mapping(enum kfd_worker worker, char *mapping)
{
	struct uffdio_register request = {
		.range = { (uintptr_t)mapping + worker * PAGE, PAGE },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	return open_bell(&bells[worker]) && bells[worker].faults.fd >= 0 &&
	       is_whole(&bells[worker]) &&
	       !kfd_real_ioctl(bells[worker].faults.fd, UFFDIO_REGISTER, &request);
}

void *kfd_doorbell_mmap(unsigned gpu, void *address, size_t size, int protection, int flags)
{
	void *mapping = MAP_FAILED;
	int file, error = ENOMEM;

	if (size != KFD_WORKERS * PAGE) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	pthread_mutex_lock(&lock);
	file = page_file(gpu);
	if (file >= 0) {
		mapping = kfd_real_mmap(address, size, protection, (flags & ~MAP_TYPE) | MAP_SHARED,
					file, 0);
		error = errno;
	}
	if (mapping != MAP_FAILED) {
		/* A child process does not inherit it, as it does not inherit the driver's mapping
		 * of device registers. */
		kfd_real_madvise(mapping, size, MADV_DONTFORK);
		for (unsigned i = 0; i < KFD_WORKERS; i++)
			if (!watch_mapping(i, mapping))
				unwatched = true;
		if (mapping_count < MAPPINGS) {
			mappings[mapping_count].start = mapping;
			mappings[mapping_count++].gpu = gpu;
		} else {
			unwatched = true;
		}
	}
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < KFD_WORKERS; i++)
		kfd_wake(i, false);
	errno = error;
	return mapping;
}

static bool has_faults(const struct bell *bell)
{
	return bell->faults.fd >= 0 && !bell->lost;
}

/* Has stores to the worker's doorbells wait for the worker, or no longer. Returns false if they
 * would not. */
static bool watch(enum kfd_worker worker, bool on)
{
	bool all;

	pthread_mutex_lock(&lock);
	__atomic_store_n(&bells[worker].protected, on, __ATOMIC_RELAXED);
	for (unsigned i = 0; has_faults(&bells[worker]) && i < mapping_count; i++) {
		struct uffdio_writeprotect request = {
			.range = { (uintptr_t)mappings[i].start + worker * PAGE, PAGE },
			.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
		};
		int error;

		do
			error =
			    kfd_real_ioctl(bells[worker].faults.fd, UFFDIO_WRITEPROTECT, &request);
		while (error && errno == EAGAIN);
		/* The program has unmapped it. */
		if (error && errno == ENOENT)
			mappings[i--] = mappings[--mapping_count];
		else if (error)
			unwatched = true;
	}
	all = has_faults(&bells[worker]) && !unwatched;
	pthread_mutex_unlock(&lock);
	return all;
}

uint32_t kfd_wakes(enum kfd_worker worker)
{
	return __atomic_load_n(&bells[worker].wakes, __ATOMIC_SEQ_CST);
}

static void end_sleep(struct bell *bell)
{
	const uint64_t one = 1;

	if (!__atomic_load_n(&bell->watches, __ATOMIC_RELAXED))
		syscall(SYS_futex, &bell->wakes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	else if (kfd_is_own(&bell->wake))
		while (write(bell->wake.fd, &one, sizeof one) < 0 && errno == EINTR)
			;
}

void kfd_wake(enum kfd_worker worker, bool blocked)
{
	uint32_t sleep;
	int saved = errno;

	__atomic_add_fetch(&bells[worker].wakes, 1, __ATOMIC_SEQ_CST);
	sleep = __atomic_load_n(&bells[worker].sleep, __ATOMIC_SEQ_CST);
	if (sleep == SLEEPS_BLOCKED || (sleep == SLEEPS_IDLE && !blocked))
		end_sleep(&bells[worker]);
	errno = saved;
}

static uint64_t sum(enum kfd_worker worker)
{
	uint64_t total = 0;

	for (unsigned gpu = 0; gpu < SG_MAX_GPUS; gpu++)
		for (unsigned i = worker * BELLS; pages[gpu].bells && i < (worker + 1) * BELLS; i++)
			total =
			    total * 31 + __atomic_load_n(&pages[gpu].bells[i], __ATOMIC_RELAXED);
	return total;
}

bool kfd_doorbell_is_storing(enum kfd_worker worker)
{
	struct bell *bell = &bells[worker];

	if (bell->storing && (bell->sum != sum(worker) || sg_now_ns() > bell->deadline))
		bell->storing = false;
	return bell->storing;
}

/* Returns this library's view of the doorbell that the program has at `address`, or NULL. */
static const uint64_t *doorbell_at(uint64_t address)
{
	const uint64_t *found = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; !found && i < mapping_count; i++) {
		uint64_t offset = address - (uintptr_t)mappings[i].start;

		if (offset < KFD_WORKERS * PAGE)
			found = &pages[mappings[i].gpu].bells[offset / sizeof *found];
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* Sleeps until a store to a doorbell waits or the worker is woken. Returns true if a store waits;
 * stores in *doorbell which; of several, one. */
static bool sleep_watching(struct bell *bell, const struct timespec *limit,
			   const uint64_t **doorbell)
{
	struct pollfd events[2] = {
		{ .fd = bell->wake.fd, .events = POLLIN },
		{ .fd = bell->faults.fd, .events = POLLIN },
	};
	struct uffd_msg message;
	uint64_t woken;

	if (ppoll(events, 2, limit, NULL) <= 0 || !is_whole(bell))
		return false;
	if (events[0].revents & POLLIN)
		while (read(bell->wake.fd, &woken, sizeof woken) < 0 && errno == EINTR)
			;
	if (!(events[1].revents & POLLIN) ||
	    read(bell->faults.fd, &message, sizeof message) != sizeof message)
		return false;
	*doorbell = doorbell_at(message.arg.pagefault.address);
	return true;
}

static void sleep_unwatched(struct bell *bell, uint32_t seen, const struct timespec *limit)
{
	syscall(SYS_futex, &bell->wakes, FUTEX_WAIT_PRIVATE, seen, limit, NULL, 0);
}

/* ---- rings that are announced ---- */

/* Threads that ring at the same time may mix theirs up, which makes one be taken for no
 * announcement. */
static void note_latest(struct bell *bell, const volatile uint64_t *address)
{
	const uint64_t *doorbell = doorbell_at((uintptr_t)address);

	__atomic_store_n(&bell->latest.doorbell, NULL, __ATOMIC_RELAXED);
	if (!doorbell)
		return;
	__atomic_store_n(&bell->latest.before, __atomic_load_n(doorbell, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&bell->latest.when, sg_now_ns(), __ATOMIC_RELAXED);
	__atomic_store_n(&bell->latest.doorbell, doorbell, __ATOMIC_RELEASE);
}

bool kfd_doorbell_is_awaited(enum kfd_worker worker, const uint64_t *doorbell)
{
	struct bell *bell = &bells[worker];

	return __atomic_load_n(&bell->latest.doorbell, __ATOMIC_ACQUIRE) == doorbell &&
	       __atomic_load_n(&bell->latest.before, __ATOMIC_RELAXED) ==
		   __atomic_load_n(doorbell, __ATOMIC_ACQUIRE) &&
	       sg_now_ns() - __atomic_load_n(&bell->latest.when, __ATOMIC_RELAXED) < AWAITED_NS;
}

void kfd_doorbell_announce(enum kfd_worker worker, const volatile uint64_t *address)
{
	struct bell *bell = &bells[worker];
	int saved = errno, here = sched_getcpu();

	note_latest(bell, address);
	__atomic_store_n(&bell->processor, here, __ATOMIC_RELAXED);
	__atomic_store_n(&bell->announced, true, __ATOMIC_RELAXED);
	/* If it is protected again before the store, the store waits for the worker as any. */
	if (__atomic_load_n(&bell->protected, __ATOMIC_RELAXED))
		watch(worker, false);
	/* The worker says that it sleeps before it looks for packets a last time. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* A thread that launches several kernels would have to give up its processor for each. */
	if (__atomic_load_n(&bell->sleep, __ATOMIC_SEQ_CST) != AWAKE &&
	    !(__atomic_load_n(&bell->brief, __ATOMIC_RELAXED) &&
	      __atomic_load_n(&bell->place, __ATOMIC_RELAXED) == here))
		kfd_wake(worker, false);
	errno = saved;
}

void kfd_doorbell_let_work(enum kfd_worker worker)
{
	const struct bell *bell = &bells[worker];

	if (__atomic_load_n(&bell->announced, __ATOMIC_RELAXED) &&
	    __atomic_load_n(&bell->place, __ATOMIC_RELAXED) == sched_getcpu()) {
		if (__atomic_load_n(&bell->sleep, __ATOMIC_SEQ_CST) != AWAKE)
			kfd_wake(worker, false);
		sched_yield();
	}
}

bool kfd_doorbell_is_near(enum kfd_worker worker)
{
	const struct bell *bell = &bells[worker];

	return __atomic_load_n(&bell->processor, __ATOMIC_RELAXED) == sched_getcpu() &&
	       sg_now_ns() - bell->began < NEAR_NS;
}

const uint64_t *kfd_doorbell_wait(enum kfd_worker worker, uint32_t seen, uint64_t nap_ns,
				  bool blocked, bool (*ready)(enum kfd_worker worker))
{
	struct bell *bell = &bells[worker];
	/* A packet whose announced ring is yet to come is waited for before the next one. */
	bool soon = blocked ? __atomic_load_n(&bell->announced, __ATOMIC_RELAXED)
			    : __atomic_exchange_n(&bell->announced, false, __ATOMIC_RELAXED);
	struct timespec nap = { .tv_nsec = soon && !blocked ? ANNOUNCED_NS : (long)nap_ns };
	uint64_t before = sum(worker);
	const uint64_t *ringing = NULL;
	bool protected = !soon && is_whole(bell) && !kfd_doorbell_is_storing(worker),
	     watched = protected && watch(worker, true);

	__atomic_store_n(&bell->watches, watched, __ATOMIC_RELAXED);
	__atomic_store_n(&bell->brief, soon && !blocked, __ATOMIC_RELAXED);
	__atomic_store_n(&bell->place, sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&bell->sleep, (watched || soon) && !blocked ? SLEEPS_IDLE : SLEEPS_BLOCKED,
			 __ATOMIC_SEQ_CST);
	if (kfd_wakes(worker) == seen && !ready(worker)) {
		if (!watched) {
			sleep_unwatched(bell, seen, &nap);
		} else if (sleep_watching(bell, blocked ? &nap : NULL, &ringing)) {
			bell->storing = true;
			bell->sum = before;
			bell->deadline = sg_now_ns() + STORE_NS;
			__atomic_store_n(&bell->processor, -1, __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&bell->sleep, AWAKE, __ATOMIC_SEQ_CST);
	if (watched && !blocked)
		bell->began = sg_now_ns();
	/* This also lets those continue that wait in a store. */
	if (protected && __atomic_load_n(&bell->protected, __ATOMIC_RELAXED))
		watch(worker, false);
	return ringing;
}

void kfd_doorbells_forked(void)
{
	/* The parent's: what is done to its userfaultfd would be done to its memory. */
	for (unsigned i = 0; i < KFD_WORKERS; i++) {
		if (!bells[i].open)
			continue;
		kfd_close_own(&bells[i].wake);
		kfd_close_own(&bells[i].faults);
	}
	for (unsigned i = 0; i < SG_MAX_GPUS; i++)
		if (pages[i].bells)
			kfd_close_own(&pages[i].file);
	pthread_mutex_init(&lock, NULL);
	memset(pages, 0, sizeof pages);
	memset(bells, 0, sizeof bells);
	mapping_count = 0;
	unwatched = false;
}
