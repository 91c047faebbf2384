// SPDX-License-Identifier: Apache-2.0
/*
 * A memory access fault while AMD's runtime polls signals and does not ask the driver for events,
 * as runtimes before 6.2.1 do while another thread waits for one of these signals: either the
 * runtime ends the program, or the driver says that nobody has heard of the fault. TAP on stdout.
 */
#include "kernels/softgpu/softgpu.h"
#include "tests/e2e/softgpu/tap.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOWHERE UINT64_C(0x7f0000000000)

enum { TOLD, TOLD_OTHERWISE, FAILED };

extern void softgpu_watch_faults(softgpu_fault_watcher *function, void *data) __attribute__((weak));

static hsa_agent_t gpu;
static hsa_signal_t signal_of_both;

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) && type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

static void on_fault(const struct softgpu_fault *fault, void *unused)
{
	(void)unused;
	_exit(fault->address == NOWHERE && !fault->gpu && fault->reason == 1 ? TOLD
									     : TOLD_OTHERWISE);
}

static void *wait_for_it(void *unused)
{
	hsa_signal_wait_scacquire(signal_of_both, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
				  HSA_WAIT_STATE_BLOCKED);
	return unused;
}

static bool keep(hsa_signal_value_t value, void *unused)
{
	(void)value, (void)unused;
	return true;
}

static void run(void)
{
	hsa_kernel_dispatch_packet_t packet = { .setup = 1,
						.workgroup_size_x = 1,
						.workgroup_size_y = 1,
						.workgroup_size_z = 1,
						.grid_size_x = 1,
						.grid_size_y = 1,
						.grid_size_z = 1,
						.kernel_object = NOWHERE };
	hsa_kernel_dispatch_packet_t *place;
	hsa_queue_t *queue;
	pthread_t thread;

	if (!softgpu_watch_faults || hsa_init() || hsa_iterate_agents(find_gpu, NULL) ||
	    hsa_signal_create(1, 0, NULL, &signal_of_both) ||
	    hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
			     &queue))
		_exit(FAILED);
	softgpu_watch_faults(on_fault, NULL);
	pthread_create(&thread, NULL, wait_for_it, NULL);
	usleep(300000);
	hsa_amd_signal_async_handler(signal_of_both, HSA_SIGNAL_CONDITION_EQ, 0, keep, NULL);
	usleep(300000);
	place = queue->base_address;
	memcpy((char *)place + 4, (char *)&packet + 4, sizeof packet - 4);
	__atomic_store_n((uint32_t *)place,
			 HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1u << 16,
			 __ATOMIC_RELEASE);
	hsa_queue_store_write_index_screlease(queue, 1);
	hsa_signal_store_screlease(queue->doorbell_signal, 0);
	pause();
}

int main(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		alarm(30);
		run();
	}
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		check(WTERMSIG(status) == SIGABRT, "the runtime ends the program: signal %d",
		      WTERMSIG(status));
	else
		check(WEXITSTATUS(status) == TOLD, "the driver says so: %d", WEXITSTATUS(status));
	return tap_end();
}
