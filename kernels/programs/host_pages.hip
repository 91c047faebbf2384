// SPDX-License-Identifier: Apache-2.0
// What the pages of host memory cost when the GPU's driver pins them.
//
// hipgrain-run: registered
// hipgrain-pages: madvise
// hipgrain-stdout: host_pages: sum 64 expected 64
// hipgrain-expect: HG220 call=hipHostRegister api=hipHostRegister at=@registered
//
// hipgrain-run: advised
// hipgrain-pages: madvise
// hipgrain-stdout: host_pages: sum 64 expected 64
// hipgrain-expect: none
//
// hipgrain-run: file_mapped
// hipgrain-stdout: host_pages: sum 512 expected 512
// hipgrain-expect: HG511 call=hipMemcpy api=mmap at=@file
//
// hipgrain-run: file_read
// hipgrain-stdout: host_pages: sum 512 expected 512
// hipgrain-expect: none

#include <sys/mman.h>
#include <unistd.h>

#include "sample.h"

#define GIB   ((size_t)1 << 30)
#define ITEMS 64
#define PART  ((size_t)9 << 20) /* bytes: HIP 5.2 pins pages from 8 MiB on */
#define PARTS 8

__global__ void count(int *sum)
{
	atomicAdd(sum, 1);
}

/* Adds up the first words of a part of the file. */
__global__ void add_up(const int *part, int *sum)
{
	atomicAdd(sum, part[threadIdx.x]);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Returns a file without a name, of parts that begin with ITEMS times 1. */
static int make_file()
{
	char path[] = "/var/tmp/host_pages-XXXXXX";
	int file = mkstemp(path), ones[ITEMS];

	if (file < 0 || unlink(path) || ftruncate(file, PARTS * PART)) {
		fail(path);
	}
	for (int &one : ones)
		one = 1;
	for (int i = 0; i < PARTS; i++) {
		if (pwrite(file, ones, sizeof(ones), i * PART) != (ssize_t)sizeof(ones)) {
			fail(path);
		}
	}
	return file;
}

static void load_file(bool mapped)
{
	int file = make_file(), *device, *sum, result;
	char *host;

	CHECK(hipMalloc(&device, PART));
	CHECK(hipMalloc(&sum, sizeof(*sum)));
	CHECK(hipMemset(sum, 0, sizeof(*sum)));
	if (mapped) {
		host = (char *)mmap(nullptr, PARTS * PART, PROT_READ, MAP_PRIVATE, file, 0); // @file
		if (host == MAP_FAILED) {
			fail("mmap");
		}
	} else {
		CHECK(hipHostMalloc((void **)&host, PART, hipHostMallocNonCoherent));
	}
	for (int i = 0; i < PARTS; i++) {
		if (!mapped && pread(file, host, PART, i * PART) != (ssize_t)PART) {
			fail("pread");
		}
		CHECK(hipMemcpy(device, mapped ? host + i * PART : host, PART, hipMemcpyHostToDevice));
		add_up<<<1, ITEMS>>>(device, sum);
	}
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDeviceToHost));
	printf("host_pages: sum %d expected %d\n", result, ITEMS * PARTS);
	if (mapped) {
		munmap(host, PARTS * PART);
	} else {
		CHECK(hipHostFree(host));
	}
	CHECK(hipFree(device));
	CHECK(hipFree(sum));
	close(file);
}

static void use_registered(bool advise)
{
	int *p = (int *)aligned_alloc(2 << 20, GIB), *device;

	if (!p || (advise && madvise(p, GIB, MADV_HUGEPAGE))) {
		fail("host_pages");
	}
	*p = 0;
	CHECK(hipHostRegister(p, GIB, hipHostRegisterDefault)); // @registered
	CHECK(hipHostGetDevicePointer((void **)&device, p, 0));
	count<<<1, ITEMS>>>(device);
	CHECK(hipDeviceSynchronize());
	printf("host_pages: sum %d expected %d\n", *p, ITEMS);
	CHECK(hipHostUnregister(p));
	free(p);
}

static const variant variants[] = {
	{ "registered", [] { use_registered(false); } },
	{ "advised", [] { use_registered(true); } },
	{ "file_mapped", [] { load_file(true); } },
	{ "file_read", [] { load_file(false); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
