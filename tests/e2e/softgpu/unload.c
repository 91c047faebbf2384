// SPDX-License-Identifier: Apache-2.0
/*
 * The runtime under a program that opens and closes it, as LLVM's OpenMP runtime does: its threads
 * live on. Argument: the library. TAP on stdout.
 */
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <stdint.h>
#include <unistd.h>
#include "tap.h"

typedef hsa_status_t start_function(void);

static hsa_status_t choose_gpu(hsa_agent_t agent, void *data)
{
	void *library = *(void **)data;
	__typeof__(hsa_agent_get_info) *get_info = dlsym(library, "hsa_agent_get_info");
	hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;

	if (!get_info || get_info(agent, HSA_AGENT_INFO_DEVICE, &type) ||
	    type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	*(uint64_t *)data = agent.handle;
	return HSA_STATUS_INFO_BREAK;
}

/* Start the runtime and its worker, send a barrier packet through, and stop it again. */
static void test_round(const char *path, const char *when)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	start_function *start = library ? dlsym(library, "hsa_init") : NULL;
	start_function *stop = library ? dlsym(library, "hsa_shut_down") : NULL;
	hsa_barrier_and_packet_t *packet;
	hsa_signal_t done = { 0 };
	hsa_queue_t *queue = NULL;
	uint64_t gpu;

	check(start && stop && !start(), "hsa_init, %s", when);
	if (!library)
		return;
	__typeof__(hsa_iterate_agents) *iterate = dlsym(library, "hsa_iterate_agents");
	__typeof__(hsa_queue_create) *create = dlsym(library, "hsa_queue_create");
	__typeof__(hsa_queue_destroy) *destroy = dlsym(library, "hsa_queue_destroy");
	__typeof__(hsa_signal_create) *create_signal = dlsym(library, "hsa_signal_create");
	__typeof__(hsa_signal_store_screlease) *ring = dlsym(library, "hsa_signal_store_screlease");
	__typeof__(hsa_signal_wait_scacquire) *wait = dlsym(library, "hsa_signal_wait_scacquire");
	__typeof__(hsa_queue_add_write_index_relaxed) *add =
	    dlsym(library, "hsa_queue_add_write_index_relaxed");

	gpu = (uint64_t)(uintptr_t)library;
	check(
	    iterate(choose_gpu, &gpu) == HSA_STATUS_INFO_BREAK &&
		!create((hsa_agent_t){ gpu }, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue) &&
		!create_signal(1, 0, NULL, &done),
	    "queue, %s", when);
	if (!queue)
		return;
	packet = (hsa_barrier_and_packet_t *)queue->base_address + add(queue, 1) % queue->size;
	packet->completion_signal = done;
	__atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
	ring(queue->doorbell_signal, 0);
	check(!wait(done, HSA_SIGNAL_CONDITION_EQ, 0, 20000000000, HSA_WAIT_STATE_BLOCKED),
	      "barrier packet, %s", when);
	check(!destroy(queue) && !stop(), "hsa_shut_down, %s", when);
	check(!dlclose(library), "dlclose, %s", when);
	/* Longer than the worker sleeps when it is idle. */
	usleep(250000);
	check(true, "still alive, %s", when);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		printf("Bail out! usage: %s LIBRARY\n", argv[0]);
		return 2;
	}
	test_round(argv[1], "first");
	test_round(argv[1], "again");
	return tap_end();
}
