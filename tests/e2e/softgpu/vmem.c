// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that later releases of HIP need and that no call of HIP 5.2.3 reaches: addresses and
 * memory apart (hsa_amd_vmem_*), chosen copy engines. TAP on stdout. Declared here, as not every
 * release's headers have them.
 */
#include <errno.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"

/* Headers from 1.12 on have a type for mapped ranges; a software GPU of earlier ones calls them
 * HSA's. */
#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 12
#define MAPPED_TYPE HSA_EXT_POINTER_TYPE_HSA_VMEM
#else
#define MAPPED_TYPE HSA_EXT_POINTER_TYPE_HSA
#endif

#define SIZE     8192u
#define PATIENCE 30000000000u /* ns */

struct access {
	hsa_access_permission_t permission;
	hsa_agent_t agent;
};

#define NAMED(name) __asm__("hsa_amd_" name)
hsa_status_t reserve(void **, size_t, uint64_t, uint64_t, uint64_t)
    NAMED("vmem_address_reserve_align");
hsa_status_t release_range(void *, size_t) NAMED("vmem_address_free");
hsa_status_t create(hsa_amd_memory_pool_t, size_t, int, uint64_t, uint64_t *)
    NAMED("vmem_handle_create");
hsa_status_t release(uint64_t) NAMED("vmem_handle_release");
hsa_status_t map(void *, size_t, size_t, uint64_t, uint64_t) NAMED("vmem_map");
hsa_status_t unmap(void *, size_t) NAMED("vmem_unmap");
hsa_status_t set_access(void *, size_t, const struct access *, size_t) NAMED("vmem_set_access");
hsa_status_t get_access(void *, hsa_access_permission_t *, hsa_agent_t) NAMED("vmem_get_access");
hsa_status_t export_memory(int *, uint64_t, uint64_t) NAMED("vmem_export_shareable_handle");
hsa_status_t import_memory(int, uint64_t *) NAMED("vmem_import_shareable_handle");
hsa_status_t retain(uint64_t *, void *) NAMED("vmem_retain_alloc_handle");
hsa_status_t copy_on(void *, hsa_agent_t, const void *, hsa_agent_t, size_t, uint32_t,
		     const hsa_signal_t *, hsa_signal_t, uint32_t, bool)
    NAMED("memory_async_copy_on_engine");
hsa_status_t engines(hsa_agent_t, hsa_agent_t, uint32_t *) NAMED("memory_copy_engine_status");
#define MEMORY_AVAIL ((hsa_agent_info_t)0xA015)

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t vram, host;

static hsa_status_t find_agent(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type))
		*(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *result)
{
	*(hsa_amd_memory_pool_t *)result = pool;
	return HSA_STATUS_INFO_BREAK;
}

static uint64_t available(void)
{
	uint64_t bytes = 0;

	hsa_agent_get_info(gpu, MEMORY_AVAIL, &bytes);
	return bytes;
}

/* Whether the host may read and write at `place`, found without a fault. */
static bool host_reads(void *place)
{
	int ends[2];
	bool reads = !pipe(ends) && write(ends[1], place, 1) == 1;

	close(ends[0]);
	close(ends[1]);
	return reads;
}

static bool host_writes(void *place)
{
	int ends[2];
	bool writes = !pipe(ends) && write(ends[1], "x", 1) == 1 && read(ends[0], place, 1) == 1;

	close(ends[0]);
	close(ends[1]);
	return writes;
}

/* The GPU copies `size` bytes by the engines `which`. */
static bool copies(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
		   uint32_t which)
{
	hsa_signal_t done;
	bool copied;

	hsa_signal_create(1, 0, NULL, &done);
	copied = !copy_on(to, to_agent, from, from_agent, SIZE, 0, NULL, done, which, false) &&
		 !hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, PATIENCE,
					    HSA_WAIT_STATE_BLOCKED);
	hsa_signal_destroy(done);
	return copied;
}

static void test_ranges(void)
{
	void *first = NULL, *second = NULL, *wanted = NULL, *second_kind = NULL;

	check(reserve(&first, 100, 0, 0, 0) == HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      "a range of no whole pages is refused");
	check(!reserve(&first, SIZE, 0, 0, 0) && !reserve(&second, SIZE, 0, 2 << 20, 0) &&
		  (uintptr_t)second % (2 << 20) == 0 && first != second && !host_reads(first),
	      "ranges are reserved, aligned, and nobody's memory");
	check(release_range(first, 4096) == HSA_STATUS_ERROR_INVALID_ARGUMENT &&
		  release_range((char *)first + 4096, 4096) ==
		      HSA_STATUS_ERROR_INVALID_ALLOCATION &&
		  !release_range(first, SIZE),
	      "a range is freed as a whole");
	check(!reserve(&second_kind, SIZE, 0, 2 << 20, 1) &&
		  (uintptr_t)second_kind % (2 << 20) == 0 && host_writes(second_kind) &&
		  release_range(second_kind, 4096) == HSA_STATUS_ERROR_INVALID_ALLOCATION &&
		  !release_range(second_kind, SIZE) && !host_reads(second_kind),
	      "an unregistered range is the host's memory until it is freed");
	check(!reserve(&wanted, SIZE, (uint64_t)(uintptr_t)first, 0, 0) && wanted == first,
	      "a free range is had where it is wanted");
	check(!reserve(&first, SIZE, (uint64_t)(uintptr_t)wanted, 0, 0) && first != wanted,
	      "where it is not free, another is");
	release_range(first, SIZE);
	release_range(second, SIZE);
	release_range(wanted, SIZE);
}

static void test_memory(void)
{
	struct access access[2] = { { HSA_ACCESS_PERMISSION_RW, gpu },
				    { HSA_ACCESS_PERMISSION_RO, cpu } };
	hsa_amd_pointer_info_t info = { .size = sizeof info };
	uint64_t before = available(), handle = 0, again = 0, imported = 0;
	char *range, *other, *staging;
	hsa_access_permission_t permission;
	int file = -1;

	reserve((void **)&range, 2 * SIZE, 0, 0, 0);
	reserve((void **)&other, SIZE, 0, 0, 0);
	hsa_amd_memory_pool_allocate(host, SIZE, 0, (void **)&staging);
	hsa_amd_agents_allow_access(1, &gpu, NULL, staging);
	memset(staging, 42, SIZE);

	check(!create(vram, SIZE, 0, 0, &handle) && before - available() == SIZE,
	      "memory is created, and counted as used");
	check(map(range + 1, SIZE, 0, handle, 0) && map(staging, SIZE, 0, handle, 0) &&
		  map(range, 4096, 0, handle, 0) && map(range, SIZE, 0, handle + 8, 0),
	      "it is mapped as a whole, within a range only");
	check(!map(range + SIZE, SIZE, 0, handle, 0) &&
		  release_range(range, 2 * SIZE) == HSA_STATUS_ERROR_RESOURCE_FREE,
	      "a range in use is not freed");
	check(!get_access(range + SIZE, &permission, gpu) && !permission &&
		  !host_reads(range + SIZE),
	      "at first nobody has access");
	check(!set_access(range + SIZE, SIZE, access, 1) &&
		  !get_access(range + SIZE, &permission, gpu) &&
		  permission == HSA_ACCESS_PERMISSION_RW && !host_reads(range + SIZE),
	      "the GPU has access, the host has not");
	check(copies(range + SIZE, gpu, staging, cpu, 1), "the GPU fills it by its first engine");
	check(!hsa_amd_pointer_info(range + SIZE + 4, &info, NULL, NULL, NULL) &&
		  info.type == MAPPED_TYPE && info.agentOwner.handle == gpu.handle &&
		  info.agentBaseAddress == range + SIZE && info.sizeInBytes == SIZE,
	      "its address is known as the GPU's memory");
	check(!hsa_amd_pointer_info(range, &info, NULL, NULL, NULL) && info.type == 5 &&
		  info.agentBaseAddress == range && info.sizeInBytes == 2 * SIZE,
	      "and the rest of the range as reserved");
	check(!set_access(range + SIZE, SIZE, access, 2) && host_reads(range + SIZE) &&
		  !host_writes(range + SIZE) && range[SIZE] == 42 && range[2 * SIZE - 1] == 42,
	      "the host may read what the GPU wrote");

	check(!export_memory(&file, handle, 0) && !import_memory(file, &imported) &&
		  imported != handle && !map(other, SIZE, 0, imported, 0) &&
		  !set_access(other, SIZE, access, 1),
	      "it is exported, and imported at other addresses");
	memset(staging, 7, SIZE);
	check(copies(other, gpu, staging, cpu, 2) && range[SIZE + 100] == 7,
	      "both are the same memory");
	check(import_memory(0, &imported) == HSA_STATUS_ERROR_INVALID_ALLOCATION,
	      "a descriptor of something else is refused");
	unmap(other, SIZE);
	release(imported);
	close(file);

	check(!retain(&again, range + SIZE + 5) && again == handle && !release(again) &&
		  !release(handle),
	      "the handle is had back from an address, and released");
	memset(staging, 0, SIZE);
	check(copies(staging, cpu, range + SIZE, gpu, 2) && staging[9] == 7 &&
		  before - available() == SIZE,
	      "memory without handle stays while it is mapped");
	check(unmap(range + SIZE, 4096) == HSA_STATUS_ERROR_INVALID_ARGUMENT &&
		  !unmap(range + SIZE, SIZE) && available() == before && !host_reads(range + SIZE),
	      "and is freed after that");
	check(!release_range(range, 2 * SIZE) && !release_range(other, SIZE) &&
		  !hsa_amd_pointer_info(range, &info, NULL, NULL, NULL) &&
		  info.type == HSA_EXT_POINTER_TYPE_UNKNOWN,
	      "as are the addresses");
	hsa_amd_memory_pool_free(staging);
}

/* Two engines for the host's memory, and as GPUs are in a hive by default, three for that. */
static void test_engines(void)
{
	hsa_signal_t gate, done;
	uint32_t idle = 0, rest = 0, after = 0;
	char *from, *to;

	hsa_amd_memory_pool_allocate(host, SIZE, 0, (void **)&from);
	hsa_amd_memory_pool_allocate(vram, SIZE, 0, (void **)&to);
	hsa_amd_agents_allow_access(1, &gpu, NULL, from);
	hsa_signal_create(1, 0, NULL, &gate);
	hsa_signal_create(1, 0, NULL, &done);
	check(!engines(gpu, cpu, &idle) && idle == 0x1f, "five engines are idle");
	check(copy_on(to, gpu, from, cpu, SIZE, 0, NULL, done, 3, false) ==
		      HSA_STATUS_ERROR_INVALID_ARGUMENT &&
		  copy_on(to, gpu, from, cpu, SIZE, 0, NULL, done, 64, false) ==
		      HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      "a copy is given to one engine that is there");
	/* ROCr's GpuAgent::DmaCopyStatus and DmaCopyOnEngine, of gfx90a. */
	check(!engines(cpu, gpu, &rest) && rest == 0x1e &&
		  copy_on(from, cpu, to, gpu, SIZE, 0, NULL, done, 1, false) ==
		      HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      "the first engine copies nothing to the host");
	check(engines(gpu, gpu, &rest) == HSA_STATUS_ERROR_INVALID_AGENT,
	      "no engine copies within one agent");
	check(!copy_on(to, gpu, from, cpu, SIZE, 1, &gate, done, 1, false) &&
		  !engines(gpu, cpu, &rest) && rest == 0x1e,
	      "an engine with a copy that waits is busy");
	hsa_signal_store_screlease(gate, 0);
	check(!hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, PATIENCE,
					 HSA_WAIT_STATE_BLOCKED) &&
		  !engines(gpu, cpu, &after) && after == 0x1f,
	      "and idle once it is done");
	hsa_signal_destroy(gate);
	hsa_signal_destroy(done);
	hsa_amd_memory_pool_free(from);
	hsa_amd_memory_pool_free(to);
}

int main(void)
{
	check(!hsa_init() && !hsa_iterate_agents(find_agent, NULL), "agents");
	hsa_amd_agent_iterate_memory_pools(gpu, find_pool, &vram);
	hsa_amd_agent_iterate_memory_pools(cpu, find_pool, &host);
	test_ranges();
	test_memory();
	test_engines();
	check(!hsa_shut_down(), "shut down");
	return tap_end();
}
