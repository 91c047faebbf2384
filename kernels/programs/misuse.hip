// SPDX-License-Identifier: Apache-2.0
// Calls that are given the wrong pointer or flags. The runtime reports some of it, at best by an error that
// nobody looks at.
//
// hipgrain-run: both_flags
// hipgrain-stdout: hipHostMalloc: hipErrorInvalidValue
// hipgrain-expect: HG204 call=hipHostMalloc confidence=proven
//
// hipgrain-run: freed_twice
// hipgrain-expect: HG605 call=hipFree api=hipMalloc at=@twice
//
// hipgrain-run: freed_inside
// hipgrain-expect: HG605 call=hipFree api=hipMalloc at=@inside
//
// hipgrain-run: still_registered
// hipgrain-expect: HG603 call=free api=hipHostRegister at=@still
// hipgrain-harmless: nothing uses the memory after that
//
// hipgrain-run: mapping_still_registered
// hipgrain-expect: HG603 call=munmap api=hipHostRegister at=@mapping_still
// hipgrain-harmless: nothing uses the memory after that
//
// hipgrain-run: segment_still_registered
// hipgrain-expect: HG603 call=shmdt api=hipHostRegister at=@segment_still
// hipgrain-harmless: nothing uses the memory after that
//
// hipgrain-run: unregistered_twice
// hipgrain-stdout: hipHostUnregister: hipErrorHostMemoryNotRegistered
// hipgrain-expect: HG604 call=hipHostUnregister
//
// hipgrain-run: in_order
// hipgrain-stdout: misuse: done
// hipgrain-expect: none

#include <sys/mman.h>
#include <sys/shm.h>
#include <stdlib.h>

#include "sample.h"

#define BYTES (64 * 1024)

static void run_both_flags()
{
	void *p = nullptr;

	SHOW("hipHostMalloc", hipHostMalloc(&p, BYTES, hipHostMallocCoherent | hipHostMallocNonCoherent));
}

static void run_freed_twice()
{
	void *p;

	CHECK(hipMalloc(&p, BYTES)); // @twice
	CHECK(hipFree(p));
	SHOW("hipFree", hipFree(p));
}

static void run_freed_inside()
{
	char *p;

	CHECK(hipMalloc(&p, BYTES)); // @inside
	SHOW("hipFree", hipFree(p + 256));
}

static void run_still_registered()
{
	void *p = aligned_alloc(4096, BYTES);

	CHECK(hipHostRegister(p, BYTES, hipHostRegisterDefault)); // @still
	free(p);
	printf("misuse: not noticed\n");
}

static void run_mapping_still_registered()
{
	void *p = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(hipHostRegister(p, BYTES, hipHostRegisterDefault)); // @mapping_still
	munmap(p, BYTES);
	printf("misuse: not noticed\n");
}

/* Attaches memory shared with other processes, as a library for messages between them does. */
static void *attach_segment()
{
	int id = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600);
	void *p = shmat(id, nullptr, 0);

	shmctl(id, IPC_RMID, nullptr);
	if (p == (void *)-1) {
		perror("shmat");
		exit(1);
	}
	return p;
}

static void run_segment_still_registered()
{
	void *p = attach_segment();

	CHECK(hipHostRegister(p, BYTES, hipHostRegisterDefault)); // @segment_still
	shmdt(p);
	printf("misuse: not noticed\n");
}

static void run_unregistered_twice()
{
	void *p = aligned_alloc(4096, BYTES);

	CHECK(hipHostRegister(p, BYTES, hipHostRegisterDefault));
	CHECK(hipHostUnregister(p));
	SHOW("hipHostUnregister", hipHostUnregister(p));
	free(p);
}

static void run_in_order()
{
	void *p = aligned_alloc(4096, BYTES), *device, *pinned;
	void *segment = attach_segment();

	CHECK(hipHostRegister(p, BYTES, hipHostRegisterDefault));
	CHECK(hipHostUnregister(p));
	free(p);
	CHECK(hipHostRegister(segment, BYTES, hipHostRegisterDefault));
	CHECK(hipMemset(segment, 0, BYTES));
	CHECK(hipHostUnregister(segment));
	shmdt(segment);
	CHECK(hipMalloc(&device, BYTES));
	CHECK(hipFree(device));
	CHECK(hipHostMalloc(&pinned, BYTES, hipHostMallocCoherent));
	CHECK(hipHostFree(pinned));
	printf("misuse: done\n");
}

static const variant variants[] = {
	{ "both_flags", run_both_flags },
	{ "freed_twice", run_freed_twice },
	{ "freed_inside", run_freed_inside },
	{ "still_registered", run_still_registered },
	{ "mapping_still_registered", run_mapping_still_registered },
	{ "segment_still_registered", run_segment_still_registered },
	{ "unregistered_twice", run_unregistered_twice },
	{ "in_order", run_in_order },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
