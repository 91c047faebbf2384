// SPDX-License-Identifier: Apache-2.0
/*
 * The pager: where pages are, what moves them, and who is told (pages.h). What moves together and
 * when is KFD's way of doing it (kfd_svm.c; memory-model.md F.4, F.5): a fault of the GPU moves the
 * aligned block around the address there, one of the host moves it back, a prefetch moves what it
 * names, and who has no room pushes the oldest out.
 */
#include "pages.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_SIZE  (512u << 10)
#define MAX_ENTRIES (1u << 20)
/* As much as is taken back at once of what was put away: spans of it are looked up one by one. */
#define BACK_SIZE UINT64_C(0x1000000)

/* Pages that are with a GPU, or with the host and entered into page tables of GPUs. */
struct entry {
	uint64_t start, end;
	uint64_t low, high; /* of its struct sg_range */
	uint64_t age;       /* evictions begin with the lowest */
	int32_t gpu;        /* or SG_WITH_HOST */
	uint32_t mapped;    /* SG_WITH_HOST: bit n: GPU n */
	uint8_t granularity;
	int8_t preferred, prefetched;
	bool parked;
	bool fixed; /* can't be */
};

enum operation { TOUCH, WHERE, MOVE, DROP, HOLD, RELEASE, PARK, CLIENT };

struct request {
	uint32_t state; /* futex */
	enum operation operation;
	unsigned gpu;
	uint64_t start, end;
	int target;
	bool retry, write;
	struct sg_range range;
	/* The answer. */
	int result;
	uint64_t first, last;
};
enum { IDLE, ASKED, ANSWERED };

struct pager {
	struct request request;
	struct sg_park park;
	struct sg_smi smi;
	int bell; /* eventfd */
	unsigned holds;
	uint64_t clock;
	uint64_t resident[SG_MAX_GPUS]; /* bytes */
	size_t count;
	struct entry entries[MAX_ENTRIES];
};

/* Initialised, so that they are not in .bss, which is anonymous memory and could move. */
static struct pager *pager __attribute__((section(".data"))) = NULL;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the list ---- */

/* Index of the first entry that ends above `address`. */
static size_t first_above(uint64_t address)
{
	size_t low = 0, high = pager->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (pager->entries[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct entry *find(uint64_t address)
{
	size_t index = first_above(address);

	return index < pager->count && pager->entries[index].start <= address
		   ? &pager->entries[index]
		   : NULL;
}

static void insert(size_t index, struct entry entry)
{
	if (pager->count == MAX_ENTRIES)
		sg_die("more than %u ranges of pages in different places", MAX_ENTRIES);
	memmove(&pager->entries[index + 1], &pager->entries[index],
		(pager->count - index) * sizeof entry);
	pager->entries[index] = entry;
	pager->count++;
}

static void split(uint64_t address)
{
	size_t index = first_above(address);
	struct entry upper;

	if (index == pager->count || pager->entries[index].start >= address)
		return;
	upper = pager->entries[index];
	upper.start = address;
	pager->entries[index].end = address;
	insert(index + 1, upper);
}

static bool alike(const struct entry *a, const struct entry *b)
{
	return a->end == b->start && a->low == b->low && a->high == b->high && a->gpu == b->gpu &&
	       a->mapped == b->mapped && a->granularity == b->granularity &&
	       a->preferred == b->preferred && a->prefetched == b->prefetched &&
	       a->parked == b->parked && a->fixed == b->fixed;
}

static void merge_around(uint64_t start, uint64_t end)
{
	size_t index = first_above(start ? start - 1 : 0);

	while (index + 1 < pager->count && pager->entries[index].start <= end) {
		struct entry *a = &pager->entries[index], *b = a + 1;
		if (!alike(a, b)) {
			index++;
			continue;
		}
		a->end = b->end;
		memmove(b, b + 1, (pager->count - index - 2) * sizeof *b);
		pager->count--;
	}
}

/* ---- moving ---- */

static void back(struct entry *entry)
{
	if (entry->parked)
		sg_park_back(&pager->park, entry->start, entry->end - entry->start, entry->start);
	entry->parked = false;
}

/* What [start, end) was entered as is void; it must be cut out already. */
static void erase(uint64_t start, uint64_t end)
{
	size_t first = first_above(start), last = first;

	while (last < pager->count && pager->entries[last].start < end) {
		struct entry *entry = &pager->entries[last++];
		if (entry->gpu >= 0)
			pager->resident[entry->gpu] -= entry->end - entry->start;
	}
	memmove(&pager->entries[first], &pager->entries[last],
		(pager->count - last) * sizeof *pager->entries);
	pager->count -= last - first;
}

static void unmapped(unsigned gpu, uint64_t start, uint64_t end, unsigned trigger)
{
	sg_smi_emit(&pager->smi, gpu, SG_SMI_UNMAP, "@%lx(%lx) %x %u", start / SOFTGPU_PAGE_SIZE,
		    (end - start) / SOFTGPU_PAGE_SIZE, SG_KFD_ID((int)gpu), trigger);
}

static unsigned id_of(int place)
{
	return place == (int)SG_MAX_GPUS ? 0 : SG_KFD_ID(place);
}

/* All of [start, end) is in one place and goes to another; one of them is the host. */
static void hop(uint64_t start, uint64_t end, int from, int to, enum sg_trigger trigger,
		const struct sg_range *range)
{
	unsigned gpu = (unsigned)(to == SG_WITH_HOST ? from : to);
	uint64_t first = start / SOFTGPU_PAGE_SIZE, pages = (end - start) / SOFTGPU_PAGE_SIZE;
	struct entry entry = { .start = start,
			       .end = end,
			       .low = range->low,
			       .high = range->high,
			       .age = ++pager->clock,
			       .gpu = to,
			       .granularity = (uint8_t)range->granularity,
			       .preferred = (int8_t)range->preferred,
			       .prefetched = (int8_t)range->prefetched };
	size_t index;

	sg_smi_emit(&pager->smi, gpu, SG_SMI_MIGRATE_START, "@%lx(%lx) %x->%x %x:%x %d", first,
		    pages, SG_KFD_ID(from), SG_KFD_ID(to), id_of(range->prefetched),
		    id_of(range->preferred), trigger);
	if (to == SG_WITH_HOST)
		unmapped(gpu, start, end, 1);
	sg_smi_emit(&pager->smi, gpu, SG_SMI_MIGRATE_END, "@%lx(%lx) %x->%x %d 0", first, pages,
		    SG_KFD_ID(from), SG_KFD_ID(to), trigger);
	sg_smi_log(&pager->smi, from, to, trigger, start, end - start);
	/* Told before who waits for the pages gets them. */
	split(start);
	split(end);
	index = first_above(start);
	for (; index < pager->count && pager->entries[index].start < end; index++)
		back(&pager->entries[index]);
	erase(start, end);
	if (to != SG_WITH_HOST) {
		insert(first_above(start), entry);
		pager->resident[to] += end - start;
		merge_around(start, end);
	}
	sg_memory_changed();
}

static struct sg_range range_of(const struct entry *entry)
{
	return (struct sg_range){ .low = entry->low,
				  .high = entry->high,
				  .granularity = entry->granularity,
				  .preferred = entry->preferred,
				  .prefetched = entry->prefetched };
}

/* The aligned block around `address`, not beyond [low, high). */
static void block_of(uint64_t address, unsigned granularity, uint64_t low, uint64_t high,
		     uint64_t *start, uint64_t *end)
{
	uint64_t size = (uint64_t)SOFTGPU_PAGE_SIZE << granularity;

	*start = address & ~(size - 1);
	*end = *start + size;
	*start = *start > low ? *start : low;
	*end = *end < high ? *end : high;
}

/* Push out what has been there longest, but not [start, end). False if nothing is left. */
static bool evict_one(unsigned gpu, uint64_t start, uint64_t end)
{
	const struct entry *oldest = NULL;
	struct sg_range range;
	uint64_t first, last;

	for (size_t i = 0; i < pager->count; i++) {
		const struct entry *entry = &pager->entries[i];
		if (entry->gpu == (int)gpu && (entry->end <= start || entry->start >= end) &&
		    (!oldest || entry->age < oldest->age))
			oldest = entry;
	}
	if (!oldest)
		return false;
	range = range_of(oldest);
	block_of(oldest->start, oldest->granularity, oldest->start, oldest->end, &first, &last);
	hop(first, last, (int)gpu, SG_WITH_HOST, SG_TRIGGER_EVICTION, &range);
	return true;
}

static bool make_room(unsigned gpu, uint64_t start, uint64_t end, const struct sg_range *range)
{
	uint64_t size = end - start, room = range->room[gpu];
	bool enough = true;

	if (size > room)
		return false;
	if (pager->resident[gpu] + size <= room)
		return true;
	sg_smi_emit(&pager->smi, gpu, SG_SMI_QUEUE_EVICTION, "%x 2", SG_KFD_ID((int)gpu));
	while (enough && pager->resident[gpu] + size > room)
		enough = evict_one(gpu, start, end);
	sg_smi_emit(&pager->smi, gpu, SG_SMI_QUEUE_RESTORE, "%x R", SG_KFD_ID((int)gpu));
	return enough;
}

/* Bring all of [start, end) to `to`; false: it has no room. */
static bool move_to(uint64_t start, uint64_t end, int to, enum sg_trigger trigger,
		    const struct sg_range *range)
{
	for (uint64_t at = start, next; at < end; at = next) {
		const struct entry *entry = find(at);
		size_t index = first_above(at);
		int from = entry ? entry->gpu : SG_WITH_HOST;

		next = entry                  ? entry->end
		       : index < pager->count ? pager->entries[index].start
					      : end;
		next = next < end ? next : end;
		if (from == to)
			continue;
		/* From one GPU to another by way of the host (svm_migrate_vram_to_vram). */
		if (from != SG_WITH_HOST)
			hop(at, next, from, SG_WITH_HOST, trigger, range);
		if (to == SG_WITH_HOST)
			continue;
		if (!make_room((unsigned)to, at, next, range))
			return false;
		hop(at, next, SG_WITH_HOST, to, trigger, range);
	}
	return true;
}

/* ---- what is asked for ---- */

/* Host pages that GPU `gpu` is going to use where they are, up to *last; entered once. */
static void enter_in_place(const struct request *request, uint64_t start, uint64_t end)
{
	struct entry entry = { .start = start,
			       .end = end,
			       .low = request->range.low,
			       .high = request->range.high,
			       .gpu = SG_WITH_HOST,
			       .mapped = UINT32_C(1) << request->gpu,
			       .granularity = (uint8_t)request->range.granularity };

	split(start);
	split(end);
	for (size_t i = first_above(start); i < pager->count && pager->entries[i].start < end; i++)
		if (pager->entries[i].gpu == SG_WITH_HOST)
			pager->entries[i].mapped |= entry.mapped;
	for (uint64_t at = start; at < end;) {
		size_t index = first_above(at);
		uint64_t stop = index < pager->count && pager->entries[index].start < end
				    ? pager->entries[index].start
				    : end;
		if (stop > at) {
			entry.start = at;
			entry.end = stop;
			insert(index, entry);
		}
		at = pager->entries[index].end;
	}
	merge_around(start, end);
}

static void fault(struct request *request)
{
	const struct sg_range *range = &request->range;
	uint64_t start, end, page = request->start / SOFTGPU_PAGE_SIZE;
	bool moves = request->target != SG_WITH_HOST && range->movable;

	block_of(request->start, range->granularity, range->low, range->high, &start, &end);
	sg_smi_emit(&pager->smi, request->gpu, SG_SMI_FAULT_START, "@%lx(%x) %c", page,
		    SG_KFD_ID((int)request->gpu), request->write ? 'W' : 'R');
	if (moves)
		moves = move_to(start, end, request->target, SG_TRIGGER_GPU_FAULT, range);
	if (!moves)
		enter_in_place(request, start, end);
	sg_smi_emit(&pager->smi, request->gpu, SG_SMI_FAULT_END, "@%lx(%x) %c", page,
		    SG_KFD_ID((int)request->gpu), moves ? 'M' : 'U');
}

/* Take back at least the page at `address`, without a word: the GPU uses it. */
static void take_back(uint64_t address)
{
	uint64_t start = address & ~(BACK_SIZE - 1), end = start + BACK_SIZE;
	struct entry *entry = find(address);

	if (!entry || !entry->parked)
		return;
	start = start > entry->start ? start : entry->start;
	end = end < entry->end ? end : entry->end;
	split(start);
	split(end);
	back(find(address));
	merge_around(start, end);
}

static void touch(struct request *request)
{
	struct entry *entry = find(request->start);
	bool reached = entry && (entry->gpu >= 0 || entry->mapped & UINT32_C(1) << request->gpu ||
				 !request->retry);

	/* Another GPU's memory is reached where it is, unless they must come. */
	if (reached && entry->gpu >= 0 && request->retry && request->target >= 0)
		reached = entry->gpu == request->target;
	if (!reached && request->retry)
		fault(request);
	take_back(request->start);
	entry = find(request->start);
	if (entry) {
		request->result = entry->gpu;
		request->first = entry->start;
		request->last = entry->end;
	} else {
		size_t index = first_above(request->start);
		request->result = SG_WITH_HOST;
		request->first = index ? pager->entries[index - 1].end : 0;
		request->last = index < pager->count ? pager->entries[index].start : UINT64_MAX;
	}
}

/* `gone`: and with the mapping what it held. */
static void drop(uint64_t start, uint64_t end, bool gone)
{
	split(start);
	split(end);
	for (size_t i = first_above(start); i < pager->count && pager->entries[i].start < end;
	     i++) {
		if (!gone)
			back(&pager->entries[i]);
		if (pager->entries[i].gpu >= 0)
			unmapped((unsigned)pager->entries[i].gpu, pager->entries[i].start,
				 pager->entries[i].end, 2);
	}
	erase(start, end);
}

static void hold(uint64_t start, uint64_t end)
{
	pager->holds++;
	for (size_t i = first_above(start); i < pager->count && pager->entries[i].start < end; i++)
		back(&pager->entries[i]);
}

static void park(void)
{
	bool any = false;

	if (pager->holds || pager->park.faults < 0)
		return;
	for (size_t i = 0; i < pager->count; i++) {
		struct entry *entry = &pager->entries[i];
		if (entry->gpu < 0 || entry->parked || entry->fixed)
			continue;
		entry->parked = sg_park_away(&pager->park, entry->start, entry->end - entry->start);
		entry->fixed = !entry->parked;
		any = true;
	}
	if (any) {
		merge_around(0, UINT64_MAX);
		sg_memory_changed();
	}
}

static void serve(struct request *request)
{
	switch (request->operation) {
	case TOUCH:
		touch(request);
		break;
	case WHERE: {
		const struct entry *entry = find(request->start);
		request->result = entry ? entry->gpu : SG_WITH_HOST;
		break;
	}
	case MOVE:
		move_to(request->start, request->end, request->target, SG_TRIGGER_PREFETCH,
			&request->range);
		park();
		break;
	case DROP:
		drop(request->start, request->end, false);
		break;
	case HOLD:
		hold(request->start, request->end);
		break;
	case RELEASE:
		pager->holds--;
		park();
		break;
	case PARK:
		park();
		break;
	case CLIENT:
		request->result = sg_smi_add(&pager->smi, request->target, request->gpu);
		break;
	}
}

/* ---- what the host does ---- */

static void host_access(uint64_t address)
{
	const struct entry *entry = find(address);
	uint64_t start, end;
	struct sg_range range;

	if (!entry || !entry->parked) {
		sg_park_pass(&pager->park, address);
		return;
	}
	range = range_of(entry);
	block_of(address, entry->granularity, entry->start, entry->end, &start, &end);
	hop(start, end, entry->gpu, SG_WITH_HOST, SG_TRIGGER_CPU_FAULT, &range);
}

/* Pages that were parked are now at another address. */
static void remapped(uint64_t from, uint64_t to, uint64_t size)
{
	drop(from, from + size, true);
	sg_park_back(&pager->park, from, size, to);
}

static void hear(void)
{
	struct uffd_msg message;

	while (sg_park_hear(&pager->park, &message)) {
		switch (message.event) {
		case UFFD_EVENT_PAGEFAULT:
			host_access(message.arg.pagefault.address &
				    ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1));
			break;
		case UFFD_EVENT_REMAP:
			remapped(message.arg.remap.from, message.arg.remap.to,
				 message.arg.remap.len);
			break;
		case UFFD_EVENT_UNMAP:
			drop(message.arg.remove.start, message.arg.remove.end, true);
			break;
		default:
			break;
		}
	}
}

/* ---- the thread ---- */

static void *run(void *unused)
{
	struct request *request = &pager->request;

	(void)unused;
	for (;;) {
		struct pollfd fds[2] = { { .fd = pager->bell, .events = POLLIN },
					 { .fd = pager->park.faults, .events = POLLIN } };
		uint64_t rings;

		/* Clients that were behind are looked at now and then. */
		poll(fds, 2, pager->park.queued ? 0 : sg_smi_pending(&pager->smi) ? 1 : -1);
		sg_smi_flush(&pager->smi);
		if (fds[1].revents || pager->park.queued)
			hear();
		if (fds[0].revents && read(pager->bell, &rings, sizeof rings) < 0)
			continue;
		if (__atomic_load_n(&request->state, __ATOMIC_ACQUIRE) == ASKED) {
			serve(request);
			__atomic_store_n(&request->state, ANSWERED, __ATOMIC_RELEASE);
			syscall(SYS_futex, &request->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
				0);
		}
	}
	return NULL;
}

/* Have it served; the answer is in *request. With the lock. */
static void ask_locked(struct request *request)
{
	struct request *shared = &pager->request;
	uint64_t one = 1;
	int saved = errno;
	uint32_t state;

	*shared = *request;
	__atomic_store_n(&shared->state, ASKED, __ATOMIC_RELEASE);
	while (write(pager->bell, &one, sizeof one) < 0 && errno == EINTR)
		;
	while ((state = __atomic_load_n(&shared->state, __ATOMIC_ACQUIRE)) != ANSWERED)
		syscall(SYS_futex, &shared->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
	*request = *shared;
	errno = saved;
}

/*
 * fork() copies only what is at home. The lock is held until it is over, and nothing is put away;
 * in the child nobody would bring it back.
 */
static void before_fork(void)
{
	struct request request = { .operation = HOLD, .end = UINT64_MAX };

	pthread_mutex_lock(&request_lock);
	if (pager)
		ask_locked(&request);
}

static void after_fork_parent(void)
{
	struct request request = { .operation = RELEASE };

	if (pager)
		ask_locked(&request);
	pthread_mutex_unlock(&request_lock);
}

static void after_fork_child(void)
{
	pager = NULL;
	sg_settings.migration = false;
	pthread_mutex_unlock(&request_lock);
}

static void open_log(struct pager *new)
{
	const char *path = getenv("SOFTGPU_MIGRATION_LOG");

	new->smi.log = -1;
	if (!path || !*path)
		return;
	new->smi.log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (new->smi.log < 0)
		sg_warn("can't open SOFTGPU_MIGRATION_LOG=%s", path);
}

static int start_thread(void)
{
	struct sg_mapping *stack = sg_memory_allocate(SG_INTERNAL, STACK_SIZE, 0, SG_NO_GPU, NULL);
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int error;

	if (!stack)
		return -ENOMEM;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = pthread_attr_setstack(&attributes, (void *)(uintptr_t)stack->host, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!error)
		error = pthread_create(&thread, &attributes, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		return -error;
	pthread_setname_np(thread, "softgpu-pages");
	return 0;
}

static struct pager *start(void)
{
	static bool registered;
	struct sg_mapping *mapping;
	struct pager *new;
	int error;

	pthread_mutex_lock(&start_lock);
	if (pager)
		goto out;
	mapping = sg_memory_allocate(SG_INTERNAL, sizeof *new, 0, SG_NO_GPU, NULL);
	if (!mapping)
		sg_die("out of memory for the list of pages");
	new = (struct pager *)(uintptr_t)mapping->host;
	new->smi.pid = getpid();
	new->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	open_log(new);
	error = sg_park_open(&new->park);
	if (error)
		sg_warn("pages don't come back when the host uses them: %s (it takes Linux 6.8, "
			"and permission for userfaultfd)",
			strerror(-error));
	pager = new;
	if (new->bell < 0 || start_thread())
		sg_die("can't start the thread that moves pages");
	if (!registered)
		registered = !pthread_atfork(before_fork, after_fork_parent, after_fork_child);
out:
	pthread_mutex_unlock(&start_lock);
	return pager;
}

/* False: nothing has moved yet, or never will. */
static bool ask(struct request *request, bool begin)
{
	if (!__atomic_load_n(&pager, __ATOMIC_ACQUIRE) && (!begin || !start()))
		return false;
	pthread_mutex_lock(&request_lock);
	if (pager)
		ask_locked(request);
	pthread_mutex_unlock(&request_lock);
	return true;
}

/* ---- for the others ---- */

int sg_pages_touch(unsigned gpu, uint64_t address, int target, bool retry, bool write,
		   const struct sg_range *range, uint64_t *first, uint64_t *last)
{
	struct request request = { .operation = TOUCH,
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
	struct request request = { .operation = WHERE, .start = address };

	return ask(&request, false) ? request.result : SG_WITH_HOST;
}

void sg_pages_move(uint64_t start, uint64_t end, int target, const struct sg_range *range)
{
	struct request request = {
		.operation = MOVE, .start = start, .end = end, .target = target, .range = *range
	};

	ask(&request, true);
}

void sg_pages_drop(uint64_t start, uint64_t end)
{
	struct request request = { .operation = DROP, .start = start, .end = end };

	ask(&request, false);
}

void sg_pages_hold(uint64_t start, uint64_t end)
{
	struct request request = { .operation = HOLD, .start = start, .end = end };

	ask(&request, true);
}

void sg_pages_release(void)
{
	struct request request = { .operation = RELEASE };

	ask(&request, false);
}

void sg_pages_park(void)
{
	struct request request = { .operation = PARK };

	ask(&request, false);
}

int softgpu_smi_open(unsigned gpu, uint32_t *id)
{
	struct request request = { .operation = CLIENT, .gpu = gpu };
	int ends[2], error;

	if (!sg_settings.migration || gpu >= sg_settings.gpus)
		return gpu < sg_settings.gpus ? -ENOTTY : -ENODEV;
	error = sg_smi_pair(ends);
	if (error)
		return error;
	request.target = ends[0];
	if (!ask(&request, true))
		request.result = -ENOTTY;
	if (request.result) {
		close(ends[0]);
		close(ends[1]);
		return request.result;
	}
	*id = SG_KFD_ID((int)gpu);
	return ends[1];
}
