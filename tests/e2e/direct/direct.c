/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses the HSA runtime itself. A kernel adds by a hardware floating-point atomic to
 * memory of a fine-grained pool, where the GPU drops it. Prints "ready" and waits for a line before
 * it launches the kernel, if its standard input has any; then prints the sum.
 *
 * usage: direct WAY CODE: how it gets the runtime's functions (-DLINKED: it refers to them itself)
 *	named		dlsym() of a library that was opened with RTLD_LOCAL
 *	versioned	the same by dlvsym()
 *	unseen		from the library's own symbol table: nobody can stand in between
 *	unseen-but-start the same of all but hsa_init
 *	regions		named, and the memory is from a region, not from a pool
 *	twice		named, and the runtime is shut down and started again before
 */
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of them has a newer name. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define FUNCTIONS(X)                                 \
	X(hsa_init)                                  \
	X(hsa_shut_down)                             \
	X(hsa_iterate_agents)                        \
	X(hsa_agent_get_info)                        \
	X(hsa_amd_agent_iterate_memory_pools)        \
	X(hsa_amd_memory_pool_get_info)              \
	X(hsa_amd_memory_pool_allocate)              \
	X(hsa_amd_memory_pool_free)                  \
	X(hsa_amd_agents_allow_access)               \
	X(hsa_agent_iterate_regions)                 \
	X(hsa_region_get_info)                       \
	X(hsa_memory_allocate)                       \
	X(hsa_memory_free)                           \
	X(hsa_memory_assign_agent)                   \
	X(hsa_executable_create_alt)                 \
	X(hsa_code_object_reader_create_from_memory) \
	X(hsa_executable_load_agent_code_object)     \
	X(hsa_executable_freeze)                     \
	X(hsa_executable_get_symbol_by_name)         \
	X(hsa_executable_symbol_get_info)            \
	X(hsa_queue_create)                          \
	X(hsa_queue_destroy)                         \
	X(hsa_queue_add_write_index_release)         \
	X(hsa_signal_create)                         \
	X(hsa_signal_store_screlease)                \
	X(hsa_signal_wait_scacquire)

static struct {
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
} hsa;

#define CHECK(call)                                           \
	do {                                                  \
		int rc = (int)(call);                         \
		if (rc) {                                     \
			printf("failed %s: %d\n", #call, rc); \
			exit(1);                              \
		}                                             \
	} while (0)

#ifndef LINKED
/* Reads a function's address from the symbol table of a loaded library, without the loader. */
static void *unseen(const struct link_map *map, const char *name)
{
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			strings = (const void *)entry->d_un.d_ptr;
	}
	/* The strings follow the symbols. */
	for (; symbols && (const char *)symbols < strings; symbols++)
		if (symbols->st_value && !strcmp(strings + symbols->st_name, name))
			return (void *)(map->l_addr + symbols->st_value);
	return NULL;
}

static void *find(void *library, const char *way, const char *name)
{
	struct link_map *map;
	void *found;

	if (!strcmp(way, "versioned")) {
		found = dlvsym(library, name, "ROCR_1");
	} else if (!strcmp(way, "unseen") ||
		   (!strcmp(way, "unseen-but-start") && strcmp(name, "hsa_init"))) {
		CHECK(dlinfo(library, RTLD_DI_LINKMAP, &map));
		found = unseen(map, name);
	} else {
		found = dlsym(library, name);
	}
	if (!found) {
		printf("failed: no %s\n", name);
		exit(1);
	}
	return found;
}
#endif

static void find_functions(const char *way)
{
#ifdef LINKED
	(void)way;
#define X(name) hsa.name = name;
	FUNCTIONS(X)
#undef X
#else
	void *library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		printf("failed: %s\n", dlerror());
		exit(1);
	}
#define X(name) hsa.name = (__typeof__(name) *)find(library, way, #name);
	FUNCTIONS(X)
#undef X
#endif
}

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t fine, kernarg;

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
	uint32_t flags = 0, segment = 1;

	(void)data;
	CHECK(hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	CHECK(
	    hsa.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		kernarg = pool;
	else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
		fine = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_region_t fine_region;

static hsa_status_t find_region(hsa_region_t region, void *data)
{
	uint32_t flags = 0, segment = 1;

	(void)data;
	CHECK(hsa.hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
	if (segment != HSA_REGION_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	CHECK(hsa.hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
	if (flags == HSA_REGION_GLOBAL_FLAG_FINE_GRAINED)
		fine_region = region;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;

	(void)data;
	CHECK(hsa.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU) {
		gpu = agent;
		/* As GCC's OpenMP does: the host's come last. */
		CHECK(hsa.hsa_agent_iterate_regions(agent, find_region, NULL));
	} else {
		CHECK(hsa.hsa_amd_agent_iterate_memory_pools(agent, find_pool, NULL));
	}
	return HSA_STATUS_SUCCESS;
}

static void start(void)
{
	CHECK(hsa.hsa_init());
	CHECK(hsa.hsa_iterate_agents(find_agent, NULL));
}

/* Returns the code object in the bundle that hipcc --genco makes. */
static const unsigned char *find_code(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *image = malloc(1 << 20);
	size_t image_size = file && image ? fread(image, 1, 1 << 20, file) : 0;

	for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= image_size; at += 8) {
		const Elf64_Ehdr *header = (const void *)(image + at);

		if (memcmp(header, ELFMAG, SELFMAG) || header->e_machine != 224)
			continue;
		*size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
		return image + at;
	}
	printf("failed: no code object in %s\n", path);
	exit(1);
}

static uint64_t load_kernel(const char *path, uint32_t *private_size)
{
	hsa_executable_t executable;
	hsa_code_object_reader_t reader;
	hsa_executable_symbol_t symbol;
	uint64_t object = 0;
	size_t size;
	const unsigned char *code = find_code(path, &size);

	CHECK(hsa.hsa_executable_create_alt(
	    HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
	CHECK(hsa.hsa_code_object_reader_create_from_memory(code, size, &reader));
	CHECK(hsa.hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
	CHECK(hsa.hsa_executable_freeze(executable, NULL));
	CHECK(hsa.hsa_executable_get_symbol_by_name(executable, "add.kd", &gpu, &symbol));
	CHECK(hsa.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
						 &object));
	CHECK(hsa.hsa_executable_symbol_get_info(
	    symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, private_size));
	return object;
}

static void launch(hsa_queue_t *queue, uint64_t object, uint32_t private_size, void *arguments)
{
	uint64_t at = hsa.hsa_queue_add_write_index_release(queue, 1);
	hsa_kernel_dispatch_packet_t *packet =
	    (hsa_kernel_dispatch_packet_t *)queue->base_address + at % queue->size;
	hsa_signal_t done;

	CHECK(hsa.hsa_signal_create(1, 0, NULL, &done));
	memset((char *)packet + 4, 0, sizeof(*packet) - 4);
	packet->workgroup_size_x = 64;
	packet->workgroup_size_y = packet->workgroup_size_z = 1;
	packet->grid_size_x = 64;
	packet->grid_size_y = packet->grid_size_z = 1;
	packet->private_segment_size = private_size;
	packet->kernel_object = object;
	packet->kernarg_address = arguments;
	packet->completion_signal = done;
	/* The header makes a kernel dispatch of one dimension with fences of the whole system. */
	__atomic_store_n((uint32_t *)packet, 0x1402 | 1 << 16, __ATOMIC_RELEASE);
	hsa.hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)at);
	while (hsa.hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
					     HSA_WAIT_STATE_BLOCKED))
		;
}

int main(int argc, char **argv)
{
	hsa_queue_t *queue;
	uint32_t private_size = 0;
	uint64_t object;
	bool regions;
	float *sum;
	struct {
		float *sum;
		uint64_t hidden[64];
	} * arguments;

	if (argc != 3)
		return 2;
	regions = !strcmp(argv[1], "regions");
	find_functions(argv[1]);
	start();
	if (!strcmp(argv[1], "twice")) {
		CHECK(hsa.hsa_shut_down());
		start();
	}
	object = load_kernel(argv[2], &private_size);
	CHECK(hsa.hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
				   UINT32_MAX, &queue));
	if (regions) {
		CHECK(hsa.hsa_memory_allocate(fine_region, 4096, (void **)&sum));
		CHECK(hsa.hsa_memory_assign_agent(sum, gpu, HSA_ACCESS_PERMISSION_RW));
	} else {
		CHECK(hsa.hsa_amd_memory_pool_allocate(fine, 4096, 0, (void **)&sum));
	}
	CHECK(hsa.hsa_amd_agents_allow_access(1, &gpu, NULL, sum));
	CHECK(hsa.hsa_amd_memory_pool_allocate(kernarg, 4096, 0, (void **)&arguments));
	CHECK(hsa.hsa_amd_agents_allow_access(1, &gpu, NULL, arguments));
	memset(arguments, 0, 4096);
	*sum = 0;
	arguments->sum = sum;
	printf("ready\n");
	fflush(stdout);
	(void)getchar();
	launch(queue, object, private_size, arguments);
	printf("sum %g\n", (double)*sum);
	CHECK(hsa.hsa_queue_destroy(queue));
	if (regions)
		CHECK(hsa.hsa_memory_free(sum));
	else
		CHECK(hsa.hsa_amd_memory_pool_free(sum));
	CHECK(hsa.hsa_shut_down());
	return 0;
}
