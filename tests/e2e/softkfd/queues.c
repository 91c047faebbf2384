// SPDX-License-Identifier: Apache-2.0
/*
 * Queues of AMD's HSA runtime over the driver in user space: their errors, several threads that
 * write to one, destruction while they wait, a forked child, what an idle device takes. TAP on
 * stdout.
 *
 * queues [polled]: without userfaultfd(2), as in some containers
 * queues [unlocked]: without memory that is locked, so that it makes no call that is recorded
 */
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../softgpu/shut_down.h"
#include "../softgpu/tap.h"

#define PATIENCE  30000000000u /* ns */
#define PRODUCERS 4
#define PACKETS   2000
#define MANY      40

static hsa_agent_t gpu;

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) && type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_signal_t signal_of(hsa_signal_value_t value)
{
	hsa_signal_t signal = { 0 };

	hsa_signal_create(value, 0, NULL, &signal);
	return signal;
}

static bool becomes(hsa_signal_t signal, hsa_signal_value_t value)
{
	return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, PATIENCE,
					 HSA_WAIT_STATE_BLOCKED) == value;
}

/* What a queue's callback was told; 0: it was not called. */
static hsa_signal_t told;

static void take_error(hsa_status_t status, hsa_queue_t *queue, void *unused)
{
	(void)queue, (void)unused;
	hsa_signal_store_screlease(told, (hsa_signal_value_t)status);
}

static hsa_queue_t *queue_of(uint32_t size, hsa_queue_type32_t type)
{
	hsa_queue_t *queue = NULL;

	hsa_queue_create(gpu, size, type, take_error, NULL, UINT32_MAX, UINT32_MAX, &queue);
	return queue;
}

/* Writes a packet; returns its index, by which its doorbell is to be rung. */
static uint64_t place_packet(hsa_queue_t *queue, const void *packet)
{
	uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
	char *place = (char *)queue->base_address + 64 * (index % queue->size);
	uint16_t header;

	while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
		usleep(10);
	memcpy(&header, packet, sizeof header);
	memcpy(place + sizeof header, (const char *)packet + sizeof header, 64 - sizeof header);
	__atomic_store_n((uint16_t *)(void *)place, header, __ATOMIC_RELEASE);
	return index;
}

static void submit(hsa_queue_t *queue, const void *packet)
{
	uint64_t index = place_packet(queue, packet);

	hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static void submit_barrier(hsa_queue_t *queue, hsa_signal_t awaited, hsa_signal_t completion)
{
	hsa_barrier_and_packet_t packet = { .header = HSA_PACKET_TYPE_BARRIER_AND,
					    .dep_signal[2] = awaited,
					    .completion_signal = completion };

	submit(queue, &packet);
}

static void take_end(void *done)
{
	hsa_signal_store_screlease(*(hsa_signal_t *)done, 1);
}

/*
 * Waits until the thread of AMD's runtime that calls queues' callbacks has returned from the last
 * one. Else hsa_queue_destroy() may wait for ever (ROCr 5.2.3 and 6.1.2, seen): ~AqlQueue() looks
 * whether that thread is done with the queue, then stores to the queue's inactive signal and waits
 * for another value; if the thread's last store is in between, it is lost.
 */
static bool callbacks_end(void)
{
	hsa_signal_t done = signal_of(0);

	return !hsa_amd_async_function(take_end, &done) && becomes(done, 1);
}

static hsa_signal_value_t error_of(const void *packet)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	hsa_signal_value_t status;

	hsa_signal_store_screlease(told, 0);
	submit(queue, packet);
	status = hsa_signal_wait_scacquire(told, HSA_SIGNAL_CONDITION_NE, 0, PATIENCE,
					   HSA_WAIT_STATE_BLOCKED);
	if (!callbacks_end())
		return 0;
	hsa_queue_destroy(queue);
	return status;
}

static bool unlocked;

/* A kernel whose code is no instruction of any GPU; its address for the GPU. */
static uint64_t no_instructions(void)
{
	static char memory[4096] __attribute__((aligned(4096)));
	const int64_t entry = 256;
	void *place = NULL;

	memcpy(memory + 16, &entry, sizeof entry); /* of a kernel descriptor */
	memset(memory + entry, 0xff, 256);
	return hsa_amd_memory_lock(memory, sizeof memory, &gpu, 1, &place) ? 0 : (uint64_t)place;
}

static void test_errors(void)
{
	const hsa_kernel_dispatch_packet_t good = {
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
		.setup = 1,
		.workgroup_size_x = 64,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = 64,
		.grid_size_y = 1,
		.grid_size_z = 1,
	};
	hsa_kernel_dispatch_packet_t packet = good;
	hsa_signal_value_t status;

	packet.setup = 0;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "no dimensions: %#lx",
	      (unsigned long)status);
	packet = good;
	packet.workgroup_size_y = 17;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INVALID_ARGUMENT, "a group too large: %#lx",
	      (unsigned long)status);
	packet = good;
	packet.group_segment_size = 1 << 20;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INVALID_ALLOCATION, "too much LDS: %#lx",
	      (unsigned long)status);
	packet = good;
	packet.kernel_object = 4;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no kernel descriptor: %#lx",
	      (unsigned long)status);
	/* As AMD's rocrtst has it. */
	packet = good;
	packet.kernel_object = 0;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "a null one: %#lx",
	      (unsigned long)status);
	if (!unlocked) {
		packet = good;
		packet.kernel_object = no_instructions();
		status = error_of(&packet);
		check(status == HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "no instruction: %#lx",
		      (unsigned long)status);
		packet.private_segment_size = 1 << 30;
		status = error_of(&packet);
		check(status == HSA_STATUS_ERROR_OUT_OF_RESOURCES, "too much private memory: %#lx",
		      (unsigned long)status);
	}
	packet = good;
	packet.header = 40;
	status = error_of(&packet);
	check(status == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "an unknown packet: %#lx",
	      (unsigned long)status);
}

static hsa_queue_t *shared;
static hsa_signal_t count;

static void *produce(void *unused)
{
	for (unsigned i = 0; i < PACKETS; i++)
		submit_barrier(shared, (hsa_signal_t){ 0 }, count);
	return unused;
}

static void test_producers(void)
{
	pthread_t threads[PRODUCERS];

	shared = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	count = signal_of(PRODUCERS * PACKETS);
	for (unsigned i = 0; i < PRODUCERS; i++)
		pthread_create(&threads[i], NULL, produce, NULL);
	for (unsigned i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	check(becomes(count, 0), "%d threads write to one queue", PRODUCERS);
	check(hsa_queue_load_read_index_scacquire(shared) == PRODUCERS * PACKETS,
	      "the read index follows");
	hsa_queue_destroy(shared);
}

static void test_many(void)
{
	hsa_queue_t *queues[MANY];
	hsa_signal_t chain[MANY + 1];
	unsigned created = 0;

	for (unsigned i = 0; i <= MANY; i++)
		chain[i] = signal_of(1);
	/* Each waits for the one before. */
	for (unsigned i = 0; i < MANY; i++) {
		queues[i] = queue_of(64, HSA_QUEUE_TYPE_MULTI);
		created += queues[i] != NULL;
		if (queues[i])
			submit_barrier(queues[i], chain[i], chain[i + 1]);
	}
	check(created == MANY && hsa_signal_load_relaxed(chain[MANY]) == 1, "%d queues wait", MANY);
	hsa_signal_store_screlease(chain[0], 0);
	check(becomes(chain[MANY], 0), "and pass one after the other");
	for (unsigned i = 0; i < MANY; i++)
		hsa_queue_destroy(queues[i]);
}

static void test_destroy(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	hsa_signal_t never = signal_of(1), completion = signal_of(1);

	submit_barrier(queue, never, completion);
	usleep(2000);
	check(!hsa_queue_destroy(queue) && hsa_signal_load_relaxed(completion) == 1,
	      "a queue that waits is destroyed");
	hsa_signal_store_screlease(never, 0);
	queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	check(becomes(completion, 0), "the next one works");
	check(!hsa_queue_inactivate(queue), "a queue is inactivated");
	hsa_queue_destroy(queue);
}

static void test_settings(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	const uint32_t mask[2] = { 0xf, 0 };
	hsa_signal_t completion = signal_of(1);

	check(!hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH), "priority");
	check(!hsa_amd_queue_cu_set_mask(queue, 64, mask), "mask of compute units");
	submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	check(becomes(completion, 0), "the queue goes on");
	hsa_queue_destroy(queue);
	check(!queue_of(32, HSA_QUEUE_TYPE_MULTI), "32 packets are too few");
	queue = queue_of(131072, HSA_QUEUE_TYPE_MULTI);
	check(queue != NULL, "131072 are not too many");
	hsa_queue_destroy(queue);
	queue = queue_of(1024, HSA_QUEUE_TYPE_COOPERATIVE);
	hsa_signal_store_screlease(completion, 1);
	if (queue)
		submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	check(queue && becomes(completion, 0), "a cooperative queue works");
	hsa_queue_destroy(queue);
}

static void test_fork(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	hsa_signal_t completion = signal_of(2);
	int status = -1;
	pid_t child;

	submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	child = fork();
	/* It has no device, but must come to its end. */
	if (!child)
		_exit(42);
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 42, "a forked child ends");
	submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	check(becomes(completion, 0), "its parent's queue goes on");
	hsa_queue_destroy(queue);
}

static double processor_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

/* Nobody looks for work all the time, whether there is none or a queue waits for a value. */
static void test_idle(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	hsa_signal_t awaited = signal_of(1), completion = signal_of(1);
	double start, used;

	usleep(100000);
	start = processor_ms();
	usleep(500000);
	used = processor_ms() - start;
	check(used < 50, "500 ms of idleness take %.1f ms of processor time", used);
	submit_barrier(queue, awaited, completion);
	usleep(100000);
	start = processor_ms();
	usleep(500000);
	used = processor_ms() - start;
	check(used < 150, "500 ms of waiting for a signal take %.1f ms", used);
	hsa_signal_store_screlease(awaited, 0);
	check(becomes(completion, 0), "which then is noticed");
	hsa_queue_destroy(queue);
}

#define PAUSES 20

static long sleeps_of_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Rings after a pause: by HSA's function, which the driver hears of, and by a store to the doorbell
 * itself, which is known by its page fault. */
static void test_rings_after_pauses(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	const amd_signal_t *doorbell = (void *)(uintptr_t)queue->doorbell_signal.handle;
	hsa_signal_t done = signal_of(PAUSES);
	hsa_barrier_and_packet_t packet = { .header = HSA_PACKET_TYPE_BARRIER_AND,
					    .completion_signal = done };
	unsigned slept = 0, heard = 0;

	for (unsigned i = 0; i < PAUSES; i++) {
		uint64_t index;
		long before;

		usleep(5000);
		index = place_packet(queue, &packet);
		before = sleeps_of_thread();
		hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
		slept += sleeps_of_thread() != before;
		heard += becomes(done, PAUSES - 1 - i);
	}
	check(heard == PAUSES, "rings by HSA's function after a pause are heard");
	/* The worker may protect the page again just then. */
	check(slept < PAUSES / 2, "... and do not wait for a page fault");
	hsa_signal_store_screlease(done, PAUSES);
	for (unsigned i = heard = 0; i < PAUSES; i++) {
		uint64_t index;

		usleep(5000);
		index = place_packet(queue, &packet);
		__atomic_store_n(doorbell->hardware_doorbell_ptr, index, __ATOMIC_RELEASE);
		heard += becomes(done, PAUSES - 1 - i);
	}
	check(heard == PAUSES, "so are stores to a doorbell");
	hsa_queue_destroy(queue);
	hsa_signal_destroy(done);
}

static void *set_later(void *signal)
{
	usleep(300000);
	hsa_signal_store_screlease(*(hsa_signal_t *)signal, 0);
	return NULL;
}

static double thread_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Processors are what executes a GPU's work here. */
static void test_active_wait(void)
{
	hsa_signal_t signal = signal_of(1);
	hsa_signal_value_t value;
	pthread_t thread;
	double before;

	if (pthread_create(&thread, NULL, set_later, &signal)) {
		check(false, "a thread");
		return;
	}
	before = thread_ms();
	value = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, PATIENCE,
					  HSA_WAIT_STATE_ACTIVE);
	check(!value && thread_ms() - before < 20, "an active wait takes no processor");
	pthread_join(thread, NULL);
	hsa_signal_destroy(signal);
}

/* Times of two packets, in the system's clock, around which the host has looked at it. */
static void test_times(void)
{
	hsa_queue_t *queue = queue_of(64, HSA_QUEUE_TYPE_MULTI);
	hsa_signal_t completion = signal_of(1);
	hsa_amd_profiling_dispatch_time_t time = { 0, 0 };
	uint64_t before, after;
	hsa_status_t status;

	hsa_amd_profiling_set_profiler_enabled(queue, 1);
	hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
	submit_barrier(queue, (hsa_signal_t){ 0 }, completion);
	becomes(completion, 0);
	hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
	status = hsa_amd_profiling_get_dispatch_time(gpu, completion, &time);
	check(!status && time.start <= time.end && time.start + 1000000 >= before &&
		  time.end <= after + 1000000,
	      "a packet's times are the system's: %ld and %ld ns from the host's",
	      (long)(time.start - before), (long)(after - time.end));
	hsa_queue_destroy(queue);
}

/* A request that the driver does not know, which a later release may have. */
static void test_unknown(void)
{
	int device = open("/dev/kfd", O_RDWR | O_CLOEXEC), errors = dup(STDERR_FILENO), ends[2];
	char said[512] = "", name[] = "libhsa-runtime64.so.1.";
	const char *found;
	ssize_t got = 0;
	int error;

	if (device < 0 || errors < 0 || pipe(ends)) {
		check(false, "/dev/kfd and a pipe are opened");
		return;
	}
	dup2(ends[1], STDERR_FILENO);
	error = ioctl(device, _IO('K', 0x7e), NULL) ? errno : 0;
	ioctl(device, _IO('K', 0x7e), NULL);
	dup2(errors, STDERR_FILENO);
	close(ends[1]);
	got = read(ends[0], said, sizeof said - 1);
	said[got > 0 ? got : 0] = 0;
	check(error == ENOTTY, "an unknown request fails: %d", error);
	found = strstr(said, name);
	check(strstr(said, "/dev/kfd: request 0x7e of ") && found && found[strlen(name)] > '0',
	      "a line names it and the release: %.*s", (int)strcspn(said, "\n"), said);
	check(strchr(said, '\n') == said + strlen(said) - 1, "... once");
	close(ends[0]);
	close(errors);
	close(device);
}

static bool refuse_userfaultfd(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the system call's number */),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof rules / sizeof *rules, rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	alarm(240);
	setvbuf(stdout, NULL, _IOLBF, 0);
	unlocked = argc > 1 && !strcmp(argv[1], "unlocked");
	if (argc > 1 && !strcmp(argv[1], "polled") && !refuse_userfaultfd()) {
		puts("1..0 # SKIP no seccomp");
		return 0;
	}
	if (hsa_init() || hsa_iterate_agents(find_gpu, NULL) || !gpu.handle) {
		puts("Bail out! no GPU");
		return 2;
	}
	told = signal_of(0);
	test_errors();
	test_producers();
	test_many();
	test_destroy();
	test_settings();
	test_fork();
	test_idle();
	test_rings_after_pauses();
	test_active_wait();
	test_times();
	test_unknown();
	check(!shut_down(), "end");
	return tap_end();
}
