// SPDX-License-Identifier: Apache-2.0
/*
 * A tool as HSA_TOOLS_LIB loads it, against ROCr's own header: puts functions in front of the
 * runtime's and counts what comes by. Writes its counts to the file TOOL_OUTPUT. With
 * TOOL_REFUSES set, OnLoad fails. With TOOL_INTERCEPT, every queue is one whose packets pass two
 * handlers; the one that was registered last puts a barrier before each packet.
 */
#define AMD_INTERNAL_BUILD
#include <hsa_api_trace.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static decltype(hsa_queue_create) *queue_create;
static decltype(hsa_amd_memory_pool_allocate) *pool_allocate;
static decltype(hsa_executable_load_agent_code_object) *load_code;
static decltype(hsa_signal_store_screlease) *store_signal;
static unsigned queues, allocations, objects, doorbells, agents, unloaded;
static unsigned long long largest;

static hsa_status_t (*intercept_create)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
					void (*)(hsa_status_t, hsa_queue_t *, void *), void *,
					uint32_t, uint32_t, hsa_queue_t **);
static decltype(hsa_amd_queue_intercept_register) *intercept_register;
static unsigned packets_before, packets_between, barriers, indices_wrong;
static uint64_t next_index[64];

/* Registered first, so it sees what the other has made of the packets. */
static void see(const void *packets, uint64_t count, uint64_t, void *,
		hsa_amd_queue_intercept_packet_writer writer)
{
	const hsa_barrier_and_packet_t *packet =
	    static_cast<const hsa_barrier_and_packet_t *>(packets);

	for (uint64_t i = 0; i < count; i++)
		barriers +=
		    packet[i].header == HSA_PACKET_TYPE_BARRIER_AND && packet[i].reserved1 == 77;
	packets_between += static_cast<unsigned>(count);
	writer(packets, count);
}

static void change(const void *packets, uint64_t count, uint64_t index, void *data,
		   hsa_amd_queue_intercept_packet_writer writer)
{
	uint64_t *expected = static_cast<uint64_t *>(data);

	indices_wrong += index != *expected;
	*expected = index + count;
	packets_before += static_cast<unsigned>(count);
	/* Once: AMD's runtime, seen with 5.2.3, crashes in a handler's second call of the writer. */
	std::vector<hsa_barrier_and_packet_t> both(2 * count);
	for (uint64_t i = 0; i < count; i++) {
		both[2 * i].header = HSA_PACKET_TYPE_BARRIER_AND;
		both[2 * i].reserved1 = 77;
		memcpy(&both[2 * i + 1], static_cast<const char *>(packets) + 64 * i, 64);
	}
	writer(both.data(), 2 * count);
}

static hsa_status_t my_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				    void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				    void *data, uint32_t private_size, uint32_t group_size,
				    hsa_queue_t **queue)
{
	unsigned number = __atomic_fetch_add(&queues, 1, __ATOMIC_RELAXED);

	if (intercept_create && number < sizeof next_index / sizeof *next_index) {
		hsa_status_t status = intercept_create(agent, size, type, callback, data,
						       private_size, group_size, queue);
		if (!status)
			status = intercept_register(*queue, see, nullptr);
		if (!status)
			status = intercept_register(*queue, change, &next_index[number]);
		return status;
	}
	return queue_create(agent, size, type, callback, data, private_size, group_size, queue);
}

static hsa_status_t my_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
				     void **pointer)
{
	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	if (size > largest)
		largest = size;
	return pool_allocate(pool, size, flags, pointer);
}

static hsa_status_t my_load_code(hsa_executable_t executable, hsa_agent_t agent,
				 hsa_code_object_reader_t reader, const char *options,
				 hsa_loaded_code_object_t *loaded)
{
	__atomic_add_fetch(&objects, 1, __ATOMIC_RELAXED);
	return load_code(executable, agent, reader, options, loaded);
}

static void my_store_signal(hsa_signal_t signal, hsa_signal_value_t value)
{
	__atomic_add_fetch(&doorbells, 1, __ATOMIC_RELAXED);
	store_signal(signal, value);
}

static hsa_status_t count_agent(hsa_agent_t, void *)
{
	agents++;
	return HSA_STATUS_SUCCESS;
}

extern "C" bool OnLoad(HsaApiTable *table, uint64_t, uint64_t failed, const char *const *names)
{
	const char *text = nullptr;

	if (getenv("TOOL_REFUSES"))
		return false;
	if (table->version.major_id != HSA_API_TABLE_MAJOR_VERSION ||
	    table->core_->version.major_id != HSA_CORE_API_TABLE_MAJOR_VERSION ||
	    table->core_->version.minor_id < sizeof(CoreApiTable) ||
	    table->amd_ext_->version.minor_id <
		offsetof(AmdExtTable, hsa_amd_queue_cu_get_mask_fn) + 8 ||
	    !table->image_ext_ || !table->finalizer_ext_)
		return false;
	/* The runtime works from here on, but for hsa_init and hsa_shut_down: their lock is held. */
	if (table->core_->hsa_status_string_fn(HSA_STATUS_SUCCESS, &text) || !text ||
	    table->core_->hsa_iterate_agents_fn(count_agent, nullptr))
		return false;
	fprintf(stderr, "tool: %llu failed before%s%s\n", static_cast<unsigned long long>(failed),
		failed ? ": " : "", failed ? names[0] : "");
	if (getenv("TOOL_INTERCEPT")) {
		intercept_create = table->amd_ext_->hsa_amd_queue_intercept_create_fn;
		intercept_register = table->amd_ext_->hsa_amd_queue_intercept_register_fn;
	}
	queue_create = table->core_->hsa_queue_create_fn;
	table->core_->hsa_queue_create_fn = my_queue_create;
	pool_allocate = table->amd_ext_->hsa_amd_memory_pool_allocate_fn;
	table->amd_ext_->hsa_amd_memory_pool_allocate_fn = my_pool_allocate;
	load_code = table->core_->hsa_executable_load_agent_code_object_fn;
	table->core_->hsa_executable_load_agent_code_object_fn = my_load_code;
	store_signal = table->core_->hsa_signal_store_screlease_fn;
	table->core_->hsa_signal_store_screlease_fn = my_store_signal;
	return true;
}

static void report()
{
	const char *path = getenv("TOOL_OUTPUT");
	FILE *file = path ? fopen(path, "w") : nullptr;

	if (!file)
		return;
	fprintf(file, "agents %u\nqueues %u\nallocations %u\nlargest %llu\nobjects %u\n", agents,
		queues, allocations, largest, objects);
	fprintf(file, "doorbells %u\nunloaded %u\n", doorbells, unloaded);
	fprintf(file, "before %u\nbetween %u\nbarriers %u\nwrong %u\n", packets_before,
		packets_between, barriers, indices_wrong);
	fclose(file);
}

extern "C" void OnUnload()
{
	unloaded = 1;
	report();
}

/* A program need not call hsa_shut_down. */
__attribute__((destructor)) static void end()
{
	if (!unloaded && queue_create)
		report();
}
