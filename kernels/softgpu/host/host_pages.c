// SPDX-License-Identifier: Apache-2.0
/*
 * The thread that moves pages (host_pages.h): others hand it a request and wait for the answer; it
 * does nothing else but hear of accesses by the host. What it does then: pager.c.
 */
#include "pager.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_SIZE (512u << 10)

enum { IDLE, REQUESTED, ANSWERED };

struct desk {
	uint32_t state; /* futex: what `request` is */
	struct sg_request request;
	/* A pipe; the thread reads. It opens the writing end anew from the thread's table where the
	 * program has closed it. */
	int bell, ring;
	dev_t device; /* of the pipe */
	ino_t inode;
	pid_t thread;
	uint32_t started; /* futex */
	bool apart;       /* the thread has a table of descriptors of its own */
	struct sg_pager pager;
};

/* Initialised, so that they are not in .bss, which is anonymous memory and could move. */
static struct desk *desk __attribute__((section(".data"))) = NULL;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the thread ---- */

/* Closes all descriptors but the thread's own, and that of messages. */
static void close_others(void)
{
	const struct sg_park *park = &desk->pager.park;
	const int own[] = { STDERR_FILENO,
			    desk->bell,
			    desk->ring,
			    park->faults,
			    park->faults < 0 ? -1 : park->shadow,
			    desk->pager.smi.log };
	const unsigned count = sizeof own / sizeof *own;
	unsigned first = 0;

	for (;;) {
		unsigned next = UINT_MAX;

		for (unsigned i = 0; i < count; i++)
			if (own[i] >= 0 && (unsigned)own[i] >= first && (unsigned)own[i] < next)
				next = (unsigned)own[i];
		if (next > first)
			syscall(__NR_close_range, first, next == UINT_MAX ? next : next - 1, 0u);
		if (next == UINT_MAX)
			return;
		first = next + 1;
	}
}

/*
 * A program may close all descriptors, and with userfaultfd's the pages that were moved would be
 * lost. So the thread's are in a table of its own (unshare(2)), of which the program knows nothing.
 */
static void start_apart(void)
{
	desk->apart = !syscall(SYS_unshare, CLONE_FILES);
	if (desk->apart)
		close_others();
	desk->thread = (pid_t)syscall(SYS_gettid);
	__atomic_store_n(&desk->started, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &desk->started, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Replaces the number of a descriptor of the program's by that of a copy in this thread's table, or
 * by -errno. */
static void fetch(int *fd)
{
	/* (The oldest C library has no SYS_ name for one of these.) */
	int process = (int)syscall(SYS_pidfd_open, getpid(), 0u);

	*fd = process < 0 ? -1 : (int)syscall(__NR_pidfd_getfd, process, *fd, 0u);
	if (*fd < 0)
		*fd = -errno;
	if (process >= 0)
		syscall(SYS_close, process);
}

static void serve(void)
{
	struct sg_request *request = &desk->request;

	if (desk->apart && request->operation == SG_CLIENT)
		fetch(&request->target);
	sg_pager_serve(&desk->pager, request);
}

static void *run(void *unused)
{
	struct sg_pager *pager = &desk->pager;

	(void)unused;
	start_apart();
	for (;;) {
		struct pollfd fds[2] = { { .fd = desk->bell, .events = POLLIN },
					 { .fd = pager->park.faults, .events = POLLIN } };
		char rings[64];

		/* Clients that were behind are looked at now and then. */
		poll(fds, 2, pager->park.queued ? 0 : sg_smi_pending(&pager->smi) ? 1 : -1);
		sg_smi_flush(&pager->smi);
		if (fds[1].revents || pager->park.queued)
			sg_pager_hear(pager);
		if (fds[0].revents && read(desk->bell, rings, sizeof rings) < 0)
			continue;
		if (__atomic_load_n(&desk->state, __ATOMIC_ACQUIRE) == REQUESTED) {
			serve();
			__atomic_store_n(&desk->state, ANSWERED, __ATOMIC_RELEASE);
			syscall(SYS_futex, &desk->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
				0);
		}
	}
	return NULL;
}

static bool is_pipe(int fd)
{
	struct stat status;

	return !syscall(SYS_fstat, fd, &status) && status.st_dev == desk->device &&
	       status.st_ino == desk->inode;
}

static void ring(void)
{
	char path[64];

	if (!is_pipe(desk->ring)) {
		snprintf(path, sizeof path, "/proc/self/task/%d/fd/%d", (int)desk->thread,
			 desk->bell);
		desk->ring =
		    (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0);
		if (!desk->apart || desk->ring < 0 || !is_pipe(desk->ring))
			sg_die("the program has closed the driver's descriptors, and pages may be "
			       "on a GPU: SOFTGPU_MIGRATION=0 has them stay");
	}
	while (write(desk->ring, "", 1) < 0 && errno == EINTR)
		;
}

/* Has a request served; the answer is in *request. Called with the lock held. */
static void ask_locked(struct sg_request *request)
{
	int saved = errno;
	uint32_t state;

	desk->request = *request;
	__atomic_store_n(&desk->state, REQUESTED, __ATOMIC_RELEASE);
	ring();
	while ((state = __atomic_load_n(&desk->state, __ATOMIC_ACQUIRE)) != ANSWERED)
		syscall(SYS_futex, &desk->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
	*request = desk->request;
	errno = saved;
}

/* The lock is held until the fork is over. In the child no pager would bring the pages back. */
void sg_pages_before_fork(void)
{
	struct sg_request request = { .operation = SG_HOLD, .end = UINT64_MAX };

	pthread_mutex_lock(&request_lock);
	if (desk)
		ask_locked(&request);
}

void sg_pages_after_fork_parent(void)
{
	struct sg_request request = { .operation = SG_RELEASE };

	if (desk)
		ask_locked(&request);
	pthread_mutex_unlock(&request_lock);
}

void sg_pages_after_fork_child(void)
{
	if (desk && is_pipe(desk->ring))
		close(desk->ring);
	desk = NULL;
	sg_settings.migration = false;
	pthread_mutex_unlock(&request_lock);
}

static void open_log(struct sg_smi *smi)
{
	const char *path = getenv("SOFTGPU_MIGRATION_LOG");

	smi->log = -1;
	if (!path || !*path)
		return;
	smi->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (smi->log < 0)
		sg_warn("can't open SOFTGPU_MIGRATION_LOG=%s", path);
}

/* Shared memory does not move. NULL: there is none. */
static void *fixed_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static int open_bell(struct desk *new)
{
	struct stat status;
	int ends[2];

	if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	new->bell = ends[0];
	new->ring = ends[1];
	if (syscall(SYS_fstat, ends[0], &status))
		return -errno;
	new->device = status.st_dev;
	new->inode = status.st_ino;
	return 0;
}

static int start_thread(void)
{
	void *stack = fixed_memory(STACK_SIZE);
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (!stack)
		return -ENOMEM;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_attr_setstack(&attributes, stack, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!error)
		error = pthread_create(&thread, &attributes, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		return -error;
	pthread_setname_np(thread, "softgpu-pages");
	while (!__atomic_load_n(&desk->started, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &desk->started, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	if (desk->apart) {
		close(desk->bell);
		sg_park_leave(&desk->pager.park);
		if (desk->pager.smi.log >= 0)
			close(desk->pager.smi.log);
	}
	return 0;
}

static struct desk *start(void)
{
	static bool registered;
	struct desk *new;
	int error;

	pthread_mutex_lock(&start_lock);
	if (desk)
		goto out;
	new = fixed_memory(sizeof *new);
	if (!new)
		sg_die("out of memory for the list of pages");
	error = sg_park_open(&new->pager.park);
	if (error && !getenv("SOFTGPU_MIGRATION")) {
		/* The user did not ask for migration. */
		sg_warn("no page moves: %s (it takes Linux 6.8, and permission for userfaultfd)",
			strerror(-error));
		munmap(new, sizeof *new);
		sg_settings.migration = false;
		goto out;
	}
	new->pager.smi.pid = getpid();
	if (open_bell(new))
		sg_die("no descriptors for the thread that moves pages: %s", strerror(errno));
	open_log(&new->pager.smi);
	if (error)
		sg_warn("pages don't come back when the host uses them: %s (it takes Linux 6.8, "
			"and permission for userfaultfd)",
			strerror(-error));
	desk = new;
	if (start_thread())
		sg_die("can't start the thread that moves pages");
	if (!registered)
		registered = !pthread_atfork(sg_pages_before_fork, sg_pages_after_fork_parent,
					     sg_pages_after_fork_child);
out:
	pthread_mutex_unlock(&start_lock);
	return desk;
}

/* False: nothing has moved yet, or never will. */
static bool ask(struct sg_request *request, bool begin)
{
	if (!__atomic_load_n(&desk, __ATOMIC_ACQUIRE) && (!begin || !start()))
		return false;
	pthread_mutex_lock(&request_lock);
	if (desk)
		ask_locked(request);
	pthread_mutex_unlock(&request_lock);
	return true;
}

/* ---- for the others ---- */

int sg_pages_touch(unsigned gpu, uint64_t address, int target, bool retry, bool write,
		   const struct sg_range *range, uint64_t *first, uint64_t *last)
{
	struct sg_request request = { .operation = SG_TOUCH,
				      .gpu = gpu,
				      .start = address,
				      .target = target,
				      .retry = retry,
				      .write = write,
				      .range = *range };

	if (!ask(&request, retry)) {
		*first = range->low;
		*last = range->high;
		return SG_WITH_HOST;
	}
	*first = request.first > range->low ? request.first : range->low;
	*last = request.last < range->high ? request.last : range->high;
	return request.result;
}

int sg_pages_where(uint64_t address)
{
	struct sg_request request = { .operation = SG_WHERE, .start = address };

	return ask(&request, false) ? request.result : SG_WITH_HOST;
}

void sg_pages_move(uint64_t start, uint64_t end, int target, const struct sg_range *range)
{
	struct sg_request request = {
		.operation = SG_MOVE, .start = start, .end = end, .target = target, .range = *range
	};

	ask(&request, true);
}

void sg_pages_drop(uint64_t start, uint64_t end)
{
	struct sg_request request = { .operation = SG_DROP, .start = start, .end = end };

	ask(&request, false);
}

void sg_pages_hold(uint64_t start, uint64_t end)
{
	struct sg_request request = { .operation = SG_HOLD, .start = start, .end = end };

	ask(&request, true);
}

void sg_pages_release(void)
{
	struct sg_request request = { .operation = SG_RELEASE };

	ask(&request, false);
}

void sg_pages_park(void)
{
	struct sg_request request = { .operation = SG_PARK };

	ask(&request, false);
}

bool sg_pages_is_place(uint64_t address)
{
	const struct desk *own = __atomic_load_n(&desk, __ATOMIC_ACQUIRE);

	return own && sg_park_is_place(&own->pager.park, address);
}

int softgpu_smi_open(unsigned gpu, uint32_t *id)
{
	struct sg_request request = { .operation = SG_CLIENT, .gpu = gpu };
	int ends[2], error;

	if (!sg_settings.migration || gpu >= sg_settings.gpus)
		return gpu < sg_settings.gpus ? -ENOTTY : -ENODEV;
	error = sg_smi_pair(ends);
	if (error)
		return error;
	request.target = ends[0];
	if (!ask(&request, true))
		request.result = -ENOTTY;
	if (request.result || desk->apart)
		close(ends[0]);
	if (request.result) {
		close(ends[1]);
		return request.result;
	}
	*id = SG_KFD_ID((int)gpu);
	return ends[1];
}
