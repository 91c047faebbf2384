/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernel of seen.hip by HSA's functions alone. usage: seen-hsa CODE-OBJECT */
#include <elf.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <string.h>

static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t fine, kernarg;

static void must(hsa_status_t status, const char *what)
{
	if (status) {
		fprintf(stderr, "%s: %#x\n", what, status);
		_Exit(3);
	}
}

static hsa_status_t find_agent(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "agent");
	*(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *unused)
{
	uint32_t flags = 0;

	(void)unused;
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		kernarg = pool;
	else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
		fine = pool;
	return HSA_STATUS_SUCCESS;
}

/* Finds the first AMDGPU ELF file inside of a bundle. */
static const void *find_elf(const unsigned char *bytes, size_t size, size_t *elf_size)
{
	for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= size; at += 8) {
		const Elf64_Ehdr *header = (const void *)(bytes + at);

		if (memcmp(header, ELFMAG, SELFMAG) || header->e_machine != 224)
			continue;
		*elf_size = header->e_shoff + (size_t)header->e_shnum * sizeof(Elf64_Shdr);
		return header;
	}
	return NULL;
}

static uint64_t load(const char *path)
{
	static unsigned char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0, elf_size = 0;
	const void *elf = find_elf(bytes, size, &elf_size);
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	hsa_executable_symbol_t symbol;
	uint64_t kernel = 0;

	must(elf ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR, path);
	must(hsa_code_object_reader_create_from_memory(elf, elf_size, &reader), "reader");
	must(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
				       NULL, &executable),
	     "executable");
	must(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL), "load");
	must(hsa_executable_freeze(executable, NULL), "freeze");
	must(hsa_executable_get_symbol_by_name(executable, "seen_add.kd", &gpu, &symbol), "symbol");
	must(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
					    &kernel),
	     "kernel");
	return kernel;
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t size)
{
	void *memory = NULL;

	must(hsa_amd_memory_pool_allocate(pool, size, 0, &memory), "allocate");
	must(hsa_amd_agents_allow_access(1, &gpu, NULL, memory), "access");
	return memset(memory, 0, size);
}

int main(int argc, char **argv)
{
	hsa_kernel_dispatch_packet_t *packet;
	hsa_queue_t *queue;
	hsa_signal_t done;
	struct {
		double *total;
		int count;
	} * arguments;

	must(argc == 2 ? hsa_init() : HSA_STATUS_ERROR, "usage: CODE-OBJECT");
	must(hsa_iterate_agents(find_agent, NULL), "agents");
	must(hsa_amd_agent_iterate_memory_pools(cpu, find_pool, NULL), "pools");
	must(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, 0, 0, &queue), "queue");
	must(hsa_signal_create(1, 0, NULL, &done), "signal");
	arguments = allocate(kernarg, 4096);
	arguments->total = allocate(fine, 4096);
	arguments->count = 64;
	packet = queue->base_address;
	packet->setup = 1;
	packet->workgroup_size_x = 64;
	packet->grid_size_x = 64;
	packet->workgroup_size_y = packet->workgroup_size_z = 1;
	packet->grid_size_y = packet->grid_size_z = 1;
	packet->kernel_object = load(argv[1]);
	packet->kernarg_address = arguments;
	packet->completion_signal = done;
	__atomic_store_n(&packet->header,
			 HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			     HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			     HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
			 __ATOMIC_RELEASE);
	hsa_queue_store_write_index_screlease(queue, 1);
	hsa_signal_store_screlease(queue->doorbell_signal, 0);
	hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
				  HSA_WAIT_STATE_BLOCKED);
	return 0;
}
