// SPDX-License-Identifier: Apache-2.0
/*
 * Pages that move, under HSA_XNACK=1 SOFTGPU_MIGRATION=1: by faults of either side, by prefetch and
 * advice, while the memory is resized, released or copied by fork. The driver's events are counted
 * on the way. Skipped where the kernel doesn't let userfaultfd move pages.
 */
#include <hip/hip_runtime.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <new>
#include <thread>
#include "tap.h"

#define MIB (1u << 20)

static int events;
static unsigned long to_gpu, to_host, faults_moved, faults_kept, evicted, dropped;
static unsigned long reads, writes;

/* Blocks of 2 MiB at the ends of a buffer hold other things, too: only these pages count. */
static unsigned long watch_first, watch_end;

static void watch(const void *data, size_t bytes, size_t block)
{
	uintptr_t start = (uintptr_t)data, end = start + bytes;

	watch_first = (start + block - 1) / block * block / 4096;
	watch_end = end / block * block / 4096;
}

__global__ void add(unsigned *data, unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		data[i] += i + 1;
}

/* As the kernel's readers do it: what came since the last look. Pages. */
static void look(void)
{
	static char text[1 << 16];
	static size_t used;
	ssize_t got;

	to_gpu = to_host = faults_moved = faults_kept = evicted = reads = writes = 0;
	while ((got = read(events, text + used, sizeof text - 1 - used)) > 0) {
		char *line = text, *next;
		used += (size_t)got;
		text[used] = 0;
		for (; (next = strchr(line, '\n')); line = next + 1) {
			unsigned kind, from, to, trigger;
			unsigned long first, pages;
			char how;
			sscanf(line, "%x", &kind);
			dropped += kind == 14;
			if (kind == 6 && sscanf(line, "%*x %*d -%*d @%lx(%lx) %x->%x %u", &first,
						&pages, &from, &to, &trigger) == 5) {
				unsigned long end = first + pages;
				first = first > watch_first ? first : watch_first;
				end = end < watch_end ? end : watch_end;
				pages = end > first ? end - first : 0;
				*(to ? &to_gpu : &to_host) += pages;
				evicted += trigger == 3 ? pages : 0;
			}
			if (kind == 7 && sscanf(line, "%*x %*d -%*d @%*x(%*x) %c", &how) == 1)
				*(how == 'R' ? &reads : &writes) += 1;
			if (kind == 8 && sscanf(line, "%*x %*d -%*d @%*x(%*x) %c", &how) == 1)
				*(how == 'M' ? &faults_moved : &faults_kept) += 1;
		}
		used -= (size_t)(line - text);
		memmove(text, line, used);
	}
}

static void run(unsigned *data, size_t bytes)
{
	unsigned count = (unsigned)(bytes / sizeof *data);
	add<<<(count + 255) / 256, 256>>>(data, count);
	(void)hipDeviceSynchronize();
}

static bool holds(const unsigned *data, size_t bytes, unsigned times)
{
	for (unsigned i = 0; i < bytes / sizeof *data; i++)
		if (data[i] != times * (i + 1))
			return false;
	return true;
}

__global__ void store(unsigned *data)
{
	*data = 1;
}

__global__ void load(const unsigned *data, unsigned *sum)
{
	if (*data == 7)
		*sum = 1;
}

__global__ void count(unsigned *data)
{
	atomicAdd(data, 1);
}

/* The driver says what kind of access a fault was for. */
static void check_kinds(void)
{
	unsigned *page[3];

	for (auto &at : page) {
		at = (unsigned *)aligned_alloc(2 * MIB, 2 * MIB);
		*at = 0;
	}
	look();
	store<<<1, 1>>>(page[0]);
	(void)hipDeviceSynchronize();
	look();
	check(!reads && writes == 1, "a store: %lu reads, %lu writes", reads, writes);
	load<<<1, 1>>>(page[1], page[0]);
	(void)hipDeviceSynchronize();
	look();
	check(reads == 1 && !writes, "a load: %lu reads, %lu writes", reads, writes);
	count<<<1, 1>>>(page[2]);
	(void)hipDeviceSynchronize();
	look();
	check(!reads && writes == 1, "an atomic: %lu reads, %lu writes", reads, writes);
	for (auto &at : page)
		free(at);
}

static void check_round(const char *what, unsigned *data, size_t bytes)
{
	unsigned long pages;
	unsigned *inside;

	watch(data, bytes, 2 * MIB);
	pages = watch_end - watch_first;
	inside = (unsigned *)(watch_first * 4096);
	memset(data, 0, bytes);
	look();
	for (unsigned times = 1; times <= 3; times++) {
		run(data, bytes);
		look();
		check(to_gpu == pages && faults_moved && !to_host, "%s: to the GPU, time %u", what,
		      times);
		run(data, bytes);
		look();
		check(!to_gpu && !to_host, "%s: stays there, time %u", what, times);
		inside[7]++;
		look();
		check(to_host == 512 && !to_gpu, "%s: a block comes back, time %u", what, times);
		inside[7]--;
		check(holds(data, bytes, 2 * times), "%s", what);
		look();
		check(to_host == pages - 512, "%s: and all of it, time %u", what, times);
	}
}

static void check_prefetch(unsigned *data, size_t bytes)
{
	watch(data, bytes, 4096);
	memset(data, 0, bytes);
	look();
	(void)hipMemPrefetchAsync(data, bytes, 0, 0);
	(void)hipDeviceSynchronize();
	look();
	check(to_gpu == bytes / 4096 && !faults_moved, "a prefetch moves all of it");
	run(data, bytes);
	look();
	check(!to_gpu && !faults_moved, "then nothing is left to fault");
	(void)hipMemPrefetchAsync(data, bytes, hipCpuDeviceId, 0);
	(void)hipDeviceSynchronize();
	look();
	check(to_host == bytes / 4096, "a prefetch moves it back");
	check(holds(data, bytes, 1), "with its contents");
	look();
	check(!to_host, "the host finds it there");
}

static void check_advice(unsigned *data, size_t bytes)
{
	memset(data, 0, bytes);
	look();
	(void)hipMemAdvise(data, bytes, hipMemAdviseSetAccessedBy, 0);
	run(data, bytes);
	look();
	check(!to_gpu && !faults_moved && faults_kept, "accessed by: used where it is");
	(void)hipMemAdvise(data, bytes, hipMemAdviseUnsetAccessedBy, 0);
	(void)hipMemAdvise(data, bytes, hipMemAdviseSetPreferredLocation, hipCpuDeviceId);
	run(data, bytes);
	look();
	check(!to_gpu, "preferred location host: stays");
	(void)hipMemAdvise(data, bytes, hipMemAdviseSetPreferredLocation, 0);
	(void)hipMemPrefetchAsync(data, bytes, 0, 0);
	run(data, bytes);
	look();
	check(to_gpu == bytes / 4096, "prefetched all the same");
	check(holds(data, bytes, 3), "three kernels counted");
}

static void check_system_calls(void)
{
	size_t bytes = 3 * MIB;
	char name[] = "/tmp/hipgrain-migration-XXXXXX";
	unsigned *data = (unsigned *)malloc(bytes), *moved;
	int fd = mkstemp(name), status;
	pid_t child;

	unlink(name);
	memset(data, 0, bytes);
	run(data, bytes);
	check(write(fd, data, bytes) == (ssize_t)bytes, "the kernel reads migrated pages");
	run(data, bytes);
	check(pread(fd, data, bytes, 0) == (ssize_t)bytes && holds(data, bytes, 1),
	      "and writes to them");
	run(data, bytes);
	moved = (unsigned *)realloc(data, 8 * bytes);
	check(holds(moved, bytes, 2), "realloc keeps migrated pages");
	run(moved, bytes);
	child = fork();
	if (!child)
		_exit(holds(moved, bytes, 3) ? 0 : 1);
	waitpid(child, &status, 0);
	check(!status, "a forked child has it, too");
	check(holds(moved, bytes, 3), "and so has the parent");
	run(moved, bytes);
	free(moved);
	moved = (unsigned *)calloc(1, 8 * bytes);
	check(holds(moved, bytes, 0), "what was released does not come back");
	run(moved, bytes);
	madvise((void *)(((uintptr_t)moved + 4095) & ~4095ul), MIB, MADV_DONTNEED);
	check(moved[MIB / 8] == 0 && moved[MIB / 2] == MIB / 2 + 1, "nor what was discarded");
	free(moved);
	close(fd);
}

static unsigned *mapped(size_t bytes)
{
	return (unsigned *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
}

/* Migrated memory, or memory whose destination is migrated, gets other addresses. */
static void check_remapping(void)
{
	static const struct {
		const char *what;
		bool from_away, to_away;
	} rounds[] = {
		{ "migrated memory onto migrated memory", true, true },
		{ "migrated memory onto memory that is not", true, false },
		{ "memory that is not migrated onto migrated memory", false, true },
	};
	size_t bytes = 4 * MIB;

	for (const auto &round : rounds) {
		unsigned *from = mapped(bytes), *to = mapped(bytes), *after = mapped(bytes);

		memset(from, 0, bytes);
		run(from, bytes);
		check(holds(from, bytes, 1), "%s: before", round.what);
		for (unsigned *place : { to, after })
			memset(place, 1, bytes);
		if (round.to_away)
			run(to, bytes);
		if (round.from_away)
			run(from, bytes);
		check(mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to,
		      "mremap of %s", round.what);
		check(holds(to, bytes, 1 + round.from_away), "%s: it holds the same", round.what);
		run(to, bytes);
		/* To where the kernel likes, with another page beyond. */
		from = (unsigned *)mremap(to, bytes, bytes + 4096, MREMAP_MAYMOVE);
		check(holds(from, bytes, 2 + round.from_away), "%s: and elsewhere", round.what);
		run(from, bytes);
		munmap((char *)from + MIB, MIB);
		check(holds(from, MIB, 3 + round.from_away), "%s: what is below a hole",
		      round.what);
		check(from[3 * MIB / 4] == (3 + round.from_away) * (3 * MIB / 4 + 1),
		      "%s: what is above it", round.what);
		munmap(from, bytes + 4096);
		munmap(after, bytes);
	}
}

/* Other threads change their mappings all the time while pages are taken and brought back. */
static void check_others(void)
{
	enum { ROUNDS = 20 };
	size_t bytes = 2 * MIB;
	unsigned *kept = mapped(4 * bytes), wrong = 0;
	bool stop = false;
	std::thread other([&] {
		while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
			unsigned *p = mapped(bytes), *q = mapped(bytes);
			memset(p, 0, bytes);
			run(p, bytes);
			madvise(p, bytes / 2, MADV_DONTNEED);
			wrong += p[1] != 0 || p[bytes / 4 - 1] != bytes / 4;
			run(p, bytes);
			wrong += mremap(p, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, q) != q;
			wrong += q[1] != 2 || q[bytes / 4 - 1] != bytes / 2;
			munmap(q, bytes);
		}
	});

	memset(kept, 0, 4 * bytes);
	for (unsigned i = 1; i <= ROUNDS; i++) {
		run(kept, 4 * bytes);
		wrong += kept[5] != 6 * i || kept[bytes - 1] != bytes * i;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	other.join();
	check(!wrong, "while another thread unmaps, discards and remaps: %u are wrong", wrong);
	check(holds(kept, 4 * bytes, ROUNDS), "... and all of it is right at the end");
	munmap(kept, 4 * bytes);
}

/* Whether the kernel lets this process move pages by userfaultfd, whatever the software GPU says:
 * queried with the features that it takes (UFFD_FEATURE_MOVE of Linux 6.8, and the events). */
static bool may_move_pages(void)
{
	uint64_t wanted = UINT64_C(1) << 16 | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE |
			  UFFD_FEATURE_EVENT_UNMAP;
	struct uffdio_api api = {};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC), device;
	bool may;

	if (fd < 0 && (device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC)) >= 0) {
		fd = ioctl(device, _IO(0xAA, 0x00), O_CLOEXEC);
		close(device);
	}
	api.api = UFFD_API;
	api.features = wanted;
	may = fd >= 0 && !ioctl(fd, UFFDIO_API, &api);
	if (fd >= 0)
		close(fd);
	return may;
}

static bool moves_back(void)
{
	unsigned *page = (unsigned *)aligned_alloc(2 * MIB, 2 * MIB);

	watch(page, 2 * MIB, 2 * MIB);
	page[0] = 1;
	run(page, 4096);
	page[0]++;
	look();
	return to_host > 0;
}

int main(void)
{
	int (*open_events)(unsigned, uint32_t *) =
	    (int (*)(unsigned, uint32_t *))dlsym(RTLD_DEFAULT, "softgpu_smi_open");
	uint64_t mask = ~0ull;
	uint32_t id = 0;
	int devices;
	unsigned *data;

	(void)hipGetDeviceCount(&devices);
	events = open_events ? open_events(0, &id) : -1;
	if (events < 0 || write(events, &mask, sizeof mask) != sizeof mask || !id) {
		check(false, "the driver's events: %d", events);
		return tap_end();
	}
	if (!may_move_pages()) {
		printf("1..0 # SKIP no permission for userfaultfd, or a kernel before 6.8: %s\n",
		       strerror(errno));
		return 0;
	}
	check(moves_back(), "pages come back when the host uses them");
	data = (unsigned *)malloc(5 * MIB);
	check_round("malloc", data, 5 * MIB);
	free(data);
	data = new (std::align_val_t(2 * MIB)) unsigned[4 * MIB / sizeof *data];
	check_round("aligned new", data, 4 * MIB);
	operator delete[](data, std::align_val_t(2 * MIB));
	(void)hipMallocManaged((void **)&data, 6 * MIB);
	check_round("managed", data, 6 * MIB);
	check_prefetch(data, 6 * MIB);
	check_advice(data, 6 * MIB);
	(void)hipFree(data);
	check_kinds();
	check_system_calls();
	check_remapping();
	check_others();
	check(!dropped, "no event was lost");
	return tap_end();
}
