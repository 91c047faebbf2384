// SPDX-License-Identifier: Apache-2.0
/* Memory objects of the driver, where they are mapped, and what the interpreter asks of them. */
#include "kfd.h"
#include <errno.h>
#include <sys/mman.h>

volatile uint64_t softgpu_memory_generation = 1;

unsigned softgpu_page_state(unsigned gpu, uint64_t address)
{
	(void)gpu;
	(void)address;
	return 0;
}

unsigned softgpu_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			   uint64_t *last)
{
	(void)write;
	*first = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	*last = *first + SOFTGPU_PAGE_SIZE;
	return softgpu_page_state(gpu, address);
}

void *softgpu_host_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last)
{
	(void)address;
	(void)first;
	(void)last;
	return false;
}

int kfd_alloc_memory(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_free_memory(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_map_memory(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_unmap_memory(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

int kfd_available_memory(void *argument, size_t size)
{
	(void)argument;
	(void)size;
	return -ENOTTY;
}

void *kfd_object_host(uint64_t handle, uint64_t *size)
{
	(void)handle;
	*size = 0;
	return NULL;
}

void *kfd_memory_host(unsigned gpu, uint64_t address, uint64_t size, bool write)
{
	(void)gpu;
	(void)address;
	(void)size;
	(void)write;
	return NULL;
}

void *kfd_mmio_mmap(unsigned gpu, void *address, size_t size, int protection, int flags)
{
	(void)gpu;
	return kfd_real_mmap(address, size, protection, flags | MAP_ANONYMOUS, -1, 0);
}

void kfd_memory_forked(void)
{
}
