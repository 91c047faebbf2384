// SPDX-License-Identifier: Apache-2.0
/*
 * One process that uses HIP, the HSA runtime below it, and OpenMP's offloading, which sits on that,
 * too. Argument: kernels.hip as a code object. Prints "launches KERNEL COUNT" for each kernel,
 * having seen to it that it ran so often.
 */
#define __HIP_PLATFORM_AMD__
#include <elf.h>
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <link.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                           \
	do {                                                  \
		int rc = (int)(call);                         \
		if (rc) {                                     \
			printf("failed %s: %d\n", #call, rc); \
			exit(1);                              \
		}                                             \
	} while (0)

enum { PLACES = 5, GRAPHS = 3 };
static const char *const names[PLACES] = { "by_launch", "by_graph", "by_unseen", "by_packet",
					   "by_both" };
static const int expected[PLACES] = { 4, 2 * GRAPHS, 5, 6, 7 };

static unsigned char *image;
static size_t image_size;
static float *sums;

/* ---- HIP, as it is linked, and as nobody can see it ---- */

/* graph.hip: GRAPHS times a graph of two kernels */
void use_graph(float *sum, int count);

typedef hipError_t launch_function(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
				   unsigned, unsigned, hipStream_t, void **, void **);
static launch_function *unseen_launch;

/* Read from the library's own symbol table, without the loader. */
static void find_launch(void)
{
	const struct link_map *map = _r_debug.r_map;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;

	while (map && !strstr(map->l_name, "libamdhip64.so"))
		map = map->l_next;
	for (const ElfW(Dyn) *entry = map ? map->l_ld : NULL; entry && entry->d_tag; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			strings = (const void *)entry->d_un.d_ptr;
	}
	/* The strings follow the symbols. */
	for (; symbols && (const char *)symbols < strings; symbols++)
		if (symbols->st_value &&
		    !strcmp(strings + symbols->st_name, "hipModuleLaunchKernel"))
			unseen_launch = (launch_function *)(map->l_addr + symbols->st_value);
}

static void launch(launch_function *function, hipFunction_t kernel, int count)
{
	float value = 1;
	void *arguments[] = { &sums, &value };

	for (int i = 0; i < count; i++)
		CHECK(function(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
	CHECK(hipDeviceSynchronize());
}

static void use_hip(void)
{
	hipModule_t module;
	hipFunction_t kernels[PLACES];

	CHECK(hipModuleLoadData(&module, image));
	for (int i = 0; i < PLACES; i++)
		if (i != 1)
			CHECK(hipModuleGetFunction(&kernels[i], module, names[i]));
	find_launch();
	if (!unseen_launch) {
		printf("failed: no hipModuleLaunchKernel\n");
		exit(1);
	}
	launch(hipModuleLaunchKernel, kernels[0], expected[0]);
	use_graph(sums + 1, GRAPHS);
	launch(unseen_launch, kernels[2], expected[2]);
	launch(hipModuleLaunchKernel, kernels[4], 3);
	launch(unseen_launch, kernels[4], 2);
	launch(hipModuleLaunchKernel, kernels[4], 2);
}

/* ---- the HSA runtime ---- */

static hsa_agent_t gpu;
static hsa_amd_memory_pool_t arguments_pool;

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
	uint32_t flags = 0;

	(void)data;
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		arguments_pool = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;

	(void)data;
	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	else
		hsa_amd_agent_iterate_memory_pools(agent, find_pool, NULL);
	return HSA_STATUS_SUCCESS;
}

/* The code object in the bundle that hipcc --genco makes. */
static const unsigned char *find_code(size_t *size)
{
	for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= image_size; at += 8) {
		const Elf64_Ehdr *header = (const void *)(image + at);

		if (memcmp(header, ELFMAG, SELFMAG) || header->e_machine != 224)
			continue;
		*size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
		return image + at;
	}
	printf("failed: no code object\n");
	exit(1);
}

static uint64_t load_kernel(const char *name, uint32_t *private_size)
{
	hsa_executable_t executable;
	hsa_code_object_reader_t reader;
	hsa_executable_symbol_t symbol;
	uint64_t object = 0;
	size_t size;
	const unsigned char *code = find_code(&size);

	CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
					NULL, &executable));
	CHECK(hsa_code_object_reader_create_from_memory(code, size, &reader));
	CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
	CHECK(hsa_executable_freeze(executable, NULL));
	CHECK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
	CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
					     &object));
	CHECK(hsa_executable_symbol_get_info(
	    symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, private_size));
	return object;
}

static void use_hsa(int count)
{
	hsa_queue_t *queue;
	hsa_signal_t done;
	uint32_t private_size = 0;
	uint64_t object;
	struct {
		float *sums, value[64];
	} * arguments;

	CHECK(hsa_init());
	CHECK(hsa_iterate_agents(find_agent, NULL));
	object = load_kernel("by_packet.kd", &private_size);
	CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
			       &queue));
	CHECK(hsa_amd_memory_pool_allocate(arguments_pool, 4096, 0, (void **)&arguments));
	CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, arguments));
	memset(arguments, 0, 4096);
	arguments->sums = sums;
	arguments->value[0] = 1;
	for (int i = 0; i < count; i++) {
		uint64_t at = hsa_queue_add_write_index_relaxed(queue, 1);
		hsa_kernel_dispatch_packet_t *packet =
		    (hsa_kernel_dispatch_packet_t *)queue->base_address + at % queue->size;

		CHECK(hsa_signal_create(1, 0, NULL, &done));
		memset((char *)packet + 4, 0, sizeof(*packet) - 4);
		packet->workgroup_size_x = 64;
		packet->workgroup_size_y = packet->workgroup_size_z = 1;
		packet->grid_size_x = 64;
		packet->grid_size_y = packet->grid_size_z = 1;
		packet->private_segment_size = private_size;
		packet->kernel_object = object;
		packet->kernarg_address = arguments;
		packet->completion_signal = done;
		/* Type kernel dispatch, fences of the whole system; one dimension. */
		__atomic_store_n((uint32_t *)packet, 0x1402 | 1 << 16, __ATOMIC_RELEASE);
		hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)at);
		while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
						 HSA_WAIT_STATE_BLOCKED))
			;
	}
	CHECK(hsa_queue_destroy(queue));
}

/* ---- OpenMP ---- */

static int use_openmp(void)
{
	int runs = 0;

	for (int i = 0; i < 3; i++) {
#pragma omp target map(tofrom : runs)
		runs += !omp_is_initial_device();
	}
	return runs;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	float host[PLACES] = { 0 };
	int regions, wrong = 0;

	image = malloc(1 << 20);
	image_size = file ? fread(image, 1, 1 << 20, file) : 0;
	CHECK(hipMalloc((void **)&sums, 4096));
	CHECK(hipMemset(sums, 0, 4096));
	CHECK(hipDeviceSynchronize());
	regions = use_openmp();
	use_hip();
	use_hsa(expected[3]);
	CHECK(hipMemcpy(host, sums, sizeof(host), hipMemcpyDeviceToHost));
	for (int i = 0; i < PLACES; i++) {
		wrong += (int)host[i] != expected[i];
		printf("launches %s %d\n", names[i], (int)host[i]);
	}
	printf("launches __omp %d\n", regions);
	return wrong || regions != 3;
}
