// SPDX-License-Identifier: Apache-2.0
/*
 * What the driver tells of the processes that use it, in /sys/class/kfd/kfd/proc and of the card:
 * without AMD's library. TAP on stdout.
 */
#include "kernels/softgpu/softgpu.h"
#include "kernels/softkfd/abi.h"
#include "tests/e2e/softgpu/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB  (UINT64_C(1) << 20)
#define GPU  0x5000u
#define PROC "/sys/class/kfd/kfd/proc"
#define CARD "/sys/class/drm/card0/device/"

static int kfd;

enum { CREATE_QUEUE = 2, DESTROY_QUEUE, ACQUIRE_VM = 0x15, ALLOC, FREE };

static int ask(unsigned number, void *argument, size_t size)
{
	return ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, KFD_IOCTL_TYPE, number, size), argument)
		   ? errno
		   : 0;
}

/* What the file holds, or "". */
static const char *text_of(const char *format, int pid)
{
	static char text[64];
	char path[128];
	int file;
	ssize_t length = -1;

	snprintf(path, sizeof path, format, pid);
	file = open(path, O_RDONLY);
	if (file >= 0)
		length = read(file, text, sizeof text - 1);
	text[length > 0 ? length : 0] = '\0';
	if (file >= 0)
		close(file);
	return text;
}

static bool has(const char *format, int pid, const char *expected)
{
	return !strcmp(text_of(format, pid), expected);
}

/* Bytes of the card that are used; other processes may use some, too. */
static uint64_t used(void)
{
	return strtoull(text_of(CARD "mem_info_vram_used", 0), NULL, 10);
}

/* Is the process in the list? */
static bool listed(int pid)
{
	DIR *list = opendir(PROC);
	const struct dirent *entry;
	bool found = false;

	while (list && (entry = readdir(list)))
		found |= atoi(entry->d_name) == pid;
	if (list)
		closedir(list);
	return found;
}

static bool begin(void)
{
	struct kfd_arg_acquire_vm vm = { .gpu_id = GPU };

	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	vm.drm_fd = (uint32_t)open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	return kfd >= 0 && !ask(ACQUIRE_VM, &vm, sizeof vm);
}

static uint64_t allocate(uint64_t size, uint32_t kind, char **place)
{
	struct kfd_arg_alloc_memory request = {
		.size = size, .gpu_id = GPU, .flags = kind | KFD_ALLOC_WRITABLE | KFD_ALLOC_PUBLIC
	};

	*place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	request.address = (uint64_t)(uintptr_t)*place;
	if (kind == KFD_ALLOC_USERPTR)
		request.mmap_offset = request.address;
	return ask(ALLOC, &request, sizeof request) ? 0 : request.handle;
}

static bool map(uint64_t handle)
{
	uint32_t gpu = GPU;
	struct kfd_arg_map_memory request = { .handle = handle,
					      .gpu_ids = (uint64_t)(uintptr_t)&gpu,
					      .count = 1 };

	return !ask(0x18, &request, sizeof request);
}

static void test_own(void)
{
	struct kfd_arg_create_queue queue = {
		.gpu_id = GPU, .type = KFD_QUEUE_SDMA, .ring_size = 4096, .percentage = 100
	};
	struct kfd_arg_destroy_queue gone = { 0 };
	struct kfd_arg_free_memory release = { 0 };
	char *place, *ring, path[64];
	int self = getpid();

	check(!listed(self), "a process that does not use the driver is not listed");
	check(begin() && listed(self), "one that does is");
	check(atoi(text_of(PROC "/%d/pasid", self)) >= 0x8000, "it has an address space");
	check(has(PROC "/%d/vram_20480", self, "0\n") &&
		  has(PROC "/%d/stats_20480/evicted_ms", self, "0\n"),
	      "and no memory");
	release.handle = allocate(3 * MIB, KFD_ALLOC_VRAM, &place);
	check(release.handle && has(PROC "/%d/vram_20480", self, "3145728\n") &&
		  has("/sys/devices/virtual/kfd/kfd/proc/%d/vram_20480", self, "3145728\n"),
	      "until it has some");
	check(used() >= 3 * MIB, "the card has as much less");
	check(!ask(FREE, &release, sizeof release) && has(PROC "/%d/vram_20480", self, "0\n"),
	      "it is freed");

	check(map(allocate(2 * MIB, KFD_ALLOC_USERPTR, &ring)), "memory for a queue");
	queue.ring = (uint64_t)(uintptr_t)ring;
	queue.read_pointer = queue.ring + MIB;
	queue.write_pointer = queue.read_pointer + 8;
	check(!ask(CREATE_QUEUE, &queue, sizeof queue), "a queue");
	gone.queue_id = queue.queue_id;
	snprintf(path, sizeof path, PROC "/%%d/queues/%u/gpuid", queue.queue_id);
	check(has(path, self, "20480"), "is shown");
	snprintf(path, sizeof path, PROC "/%%d/queues/%u/size", queue.queue_id);
	check(has(path, self, "4096"), "with its size");
	snprintf(path, sizeof path, PROC "/%%d/queues/%u/type", queue.queue_id);
	check(has(path, self, "1"), "and type");
	check(!ask(DESTROY_QUEUE, &gone, sizeof gone) && has(path, self, ""),
	      "until it is destroyed");
}

/* Another process uses `mib` MiB, until it is killed or ends. */
static pid_t start_other(unsigned mib, int ends, int *wait_for)
{
	int ready[2], done[2];
	char *place, byte = 0;
	pid_t pid;

	if (pipe(ready) || pipe(done))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(done[1]);
		byte = begin() && allocate(mib * MIB, KFD_ALLOC_VRAM, &place);
		if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) < 0)
			_exit(2);
		if (ends)
			exit(0);
		_exit(0);
	}
	check(read(ready[0], &byte, 1) == 1 && byte, "another process has %u MiB", mib);
	close(ready[0]);
	close(ready[1]);
	close(done[0]);
	*wait_for = done[1];
	return pid;
}

static void test_others(void)
{
	int first_end, second_end, status;
	pid_t first = start_other(5, 0, &first_end), second = start_other(7, 1, &second_end);
	char *place;

	check(listed(first) && listed(second) && listed(getpid()), "all are listed");
	check(has(PROC "/%d/vram_20480", first, "5242880\n"), "each with its own memory");
	check(has(PROC "/%d/vram_20480", second, "7340032\n"), "and the other, too");
	check(has(PROC "/%d/vram_20480", getpid(), "0\n"), "this one has none");
	check(used() >= 12 * MIB, "the card lacks the sum");
	check(allocate(MIB, KFD_ALLOC_VRAM, &place) && used() >= 13 * MIB, "with this one's");
	kill(first, SIGKILL);
	waitpid(first, &status, 0);
	check(!listed(first) && has(PROC "/%d/vram_20480", first, "") && listed(second),
	      "one that was killed is gone");
	close(second_end);
	waitpid(second, &status, 0);
	check(!listed(second) && listed(getpid()), "and one that ended");
	close(first_end);
}

static void test_card(void)
{
	char target[256] = "", path[PATH_MAX];

	check(readlink("/sys/class/drm/renderD128", target, sizeof target - 1) > 0 &&
		  strstr(target, "/0000:03:00.0/drm/renderD128"),
	      "a node's link says which device it is: %s", target);
	check(has(CARD "vendor", 0, "0x1002\n") && has(CARD "drm/card0/dev", 0, "226:0\n") &&
		  has("/sys/dev/char/226:128/device/vendor", 0, "0x1002\n") &&
		  has("/sys/bus/pci/devices/0000:03:00.0/vendor", 0, "0x1002\n"),
	      "it is the same device, however it is found");
	check(realpath("/sys/class/pci_bus/0000:03/../../0000:03:00.0", path) &&
		  strstr(path, "/pci0000:00/0000:00:01.0/0000:03:00.0"),
	      "and is behind a bridge");
	check(has(CARD "hwmon/hwmon0/name", 0, "amdgpu\n") &&
		  has(CARD "hwmon/hwmon0/temp1_input", 0, ""),
	      "it has no thermometer");
}

int main(void)
{
	test_own();
	test_others();
	test_card();
	return tap_end();
}
