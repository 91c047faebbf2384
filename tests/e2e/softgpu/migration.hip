// SPDX-License-Identifier: Apache-2.0
/*
 * Pages that move, under HSA_XNACK=1 SOFTGPU_MIGRATION=1: by faults of either side, by prefetch and
 * advice, while the memory is resized, released or copied by fork. The driver's events are counted
 * on the way. Skipped where userfaultfd can't move pages.
 */
#include <hip/hip_runtime.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <new>
#include "tap.h"

#define MIB (1u << 20)

static int events;
static unsigned long to_gpu, to_host, faults_moved, faults_kept, evicted, dropped;

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

	to_gpu = to_host = faults_moved = faults_kept = evicted = 0;
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
	check(write(fd, data, bytes) == (ssize_t)bytes, "the kernel reads pages that are away");
	run(data, bytes);
	check(pread(fd, data, bytes, 0) == (ssize_t)bytes && holds(data, bytes, 1),
	      "and writes to them");
	run(data, bytes);
	moved = (unsigned *)realloc(data, 8 * bytes);
	check(holds(moved, bytes, 2), "realloc keeps what is away");
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
	if (!moves_back()) {
		printf("1..0 # SKIP userfaultfd can't move pages here\n");
		return 0;
	}
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
	check_system_calls();
	check(!dropped, "no event was lost");
	return tap_end();
}
