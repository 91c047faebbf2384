// SPDX-License-Identifier: Apache-2.0
/*
 * MI300A, with SOFTGPU_APU=1, two of them with 256 MiB each: what AMD's libamdhip64 makes of an
 * APU, where memory comes from when a node is full, how the first APU's caches hold each, and that
 * nothing moves. TAP on stdout; meson.build sets the environments.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernels/softgpu/softgpu.h"
#include "tap.h"

extern unsigned softgpu_page_state_now(uint64_t address) __attribute__((weak));

#define MIB   ((size_t)1 << 20)
#define BLOCK (160 * MIB)

static unsigned state(const void *p)
{
	return softgpu_page_state_now((uint64_t)(uintptr_t)p);
}

static unsigned mtype(const void *p)
{
	return state(p) & SOFTGPU_PAGE_MTYPE;
}

static void test_devices(void)
{
	int devices = 0, value = -1, reach = 0;

	check(!hipGetDeviceCount(&devices) && devices == 2, "two APUs");
	check(!hipDeviceCanAccessPeer(&reach, 0, 1) && reach, "which reach each other's memory");
	/* Up to 5.7 the runtime asks for the agent's profile instead. */
	if (HIP_VERSION >= 60000000)
		check(!hipDeviceGetAttribute(&value, hipDeviceAttributeIntegrated, 0) && value == 1,
		      "hipDeviceAttributeIntegrated");
}

/* A node that is full lets the other one's memory be taken; who has none left is refused. */
static void test_nodes(void)
{
	void *own = NULL, *other = NULL, *third = NULL, *remote = NULL;
	size_t before = 0, after = 0, total = 0;

	check(!hipSetDevice(0) && !hipMemGetInfo(&before, &total) && !hipMalloc(&own, BLOCK),
	      "hipMalloc within the node");
	check(mtype(own) == SOFTGPU_PAGE_RW && !(state(own) & SOFTGPU_PAGE_HOST),
	      "is cached as the APU's own");
	check(!hipMemGetInfo(&after, &total) && before - after >= BLOCK, "as much less is free");
	check(!hipMalloc(&other, BLOCK), "hipMalloc beyond what the node has");
	check(other && mtype(other) == SOFTGPU_PAGE_NC, "comes from the other one");
	check(other && !hipMemset(other, 7, BLOCK) && !hipDeviceSynchronize() &&
		  ((unsigned char *)other)[BLOCK - 1] == 7,
	      "which both sides reach");
	check(hipMalloc(&third, BLOCK) == hipErrorOutOfMemory, "no node has more");
	hipGetLastError();
	check(!hipFree(own) && !hipMalloc(&third, BLOCK) && mtype(third) == SOFTGPU_PAGE_RW,
	      "what was freed is the node's again");
	check(!hipFree(other) && !hipFree(third), "hipFree");
	check(!hipSetDevice(1) && !hipMalloc(&remote, MIB) && !state(remote),
	      "memory of the other APU, without access");
	check(!hipSetDevice(0) && !hipDeviceEnablePeerAccess(1, 0) &&
		  mtype(remote) == SOFTGPU_PAGE_NC,
	      "and with");
	check(!hipFree(remote), "hipFree");
}

static void test_host_memory(void)
{
	bool xnack = getenv("HSA_XNACK") && atoi(getenv("HSA_XNACK"));
	char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *pinned = NULL, *managed = NULL;

	check(!hipHostMalloc(&pinned, MIB, 0) && mtype(pinned) == SOFTGPU_PAGE_RW &&
		  state(pinned) & SOFTGPU_PAGE_HOST,
	      "pinned memory is cached");
	check(!hipHostFree(pinned), "hipHostFree");
	memset(p, 1, MIB);
	check(!(state(p) & SOFTGPU_PAGE_MAPPED) == !xnack, "the system's memory is %sreached",
	      xnack ? "" : "not ");
	munmap(p, MIB);
	check(!hipMallocManaged(&managed, MIB, hipMemAttachGlobal), "hipMallocManaged");
	memset(managed, 1, MIB);
	check(!hipMemset(managed, 2, MIB) && !hipDeviceSynchronize() &&
		  state(managed) & SOFTGPU_PAGE_HOST,
	      "used by the GPU it stays");
	check(!hipMemPrefetchAsync(managed, MIB, 0, 0) && !hipDeviceSynchronize() &&
		  state(managed) & SOFTGPU_PAGE_HOST,
	      "and when it is prefetched");
	check(!hipFree(managed), "hipFree");
}

int main(void)
{
	if (!softgpu_page_state_now) {
		printf("Bail out! not on the software GPU\n");
		return 2;
	}
	test_devices();
	test_nodes();
	test_host_memory();
	return tap_end();
}
