// SPDX-License-Identifier: Apache-2.0
/* The table of the requests of /dev/kfd, and those that concern the device as a whole. */
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The version of Linux 6.12, of which README.md says what this driver has. */
#define VERSION_MAJOR 1
#define VERSION_MINOR 17

static const struct request {
	const char *name;
	kfd_handler *handler; /* NULL: refused with `error` */
	size_t size;
	int error;
} requests[] = {
#define IOCTL(number, name, argument, handler) \
	[number] = { #name, handler, sizeof(struct argument), 0 },
#define REFUSED(number, name, error) [number] = { #name, NULL, 0, error },
#include "kernels/softkfd/ioctls.def"
#undef IOCTL
#undef REFUSED
};

static int unknown(unsigned number)
{
	static bool said[256];
	char room[KFD_ASKER_ROOM];

	if (!__atomic_exchange_n(&said[number], true, __ATOMIC_RELAXED))
		sg_warn("/dev/kfd: request %#x%s is not known", number, kfd_asker(room));
	return -ENOTTY;
}

static int refused(unsigned number, const struct request *request)
{
	static bool said[256];

	if (!__atomic_exchange_n(&said[number], true, __ATOMIC_RELAXED))
		sg_log("/dev/kfd: %s is refused: %s", request->name, strerror(request->error));
	return -request->error;
}

bool kfd_ioctl_waits(unsigned long code)
{
	unsigned number = _IOC_NR(code);

	return number < sizeof requests / sizeof *requests &&
	       requests[number].handler == kfd_wait_events;
}

int kfd_ioctl(unsigned long code, void *argument)
{
	unsigned number = _IOC_NR(code);
	const struct request *request =
	    number < sizeof requests / sizeof *requests ? &requests[number] : NULL;
	uint64_t caller = (uint64_t)(uintptr_t)argument;
	size_t given = _IOC_SIZE(code), size;
	_Alignas(16) char room[256];
	void *copy = room;
	int saved = errno, result = 0;

	if (!request || !request->name)
		return unknown(number);
	if (!request->handler)
		return refused(number, request);
	size = given > request->size ? given : request->size;
	if (size > sizeof room)
		copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	memset(copy, 0, size);
	if (_IOC_DIR(code) & _IOC_WRITE)
		result = kfd_copy_in(copy, caller, given);
	if (!result)
		result = request->handler(copy, given);
	if (_IOC_DIR(code) & _IOC_READ && kfd_copy_out(caller, copy, given))
		result = -EFAULT;
	if (copy != room)
		free(copy);
	if (result < 0)
		sg_log("/dev/kfd: %s fails: %s", request->name, strerror(-result));
	errno = saved;
	return result;
}

void *kfd_mmap(void *address, size_t size, int protection, int flags, uint64_t offset)
{
	int gpu = kfd_gpu_number((uint32_t)(offset >> KFD_MMAP_GPU_SHIFT & 0xffff));
	enum kfd_mmap_type type = (enum kfd_mmap_type)(offset >> KFD_MMAP_TYPE_SHIFT);

	if (type == KFD_MMAP_EVENTS)
		return kfd_events_mmap(address, size, protection, flags);
	if (gpu < 0 || type == KFD_MMAP_RESERVED) {
		errno = gpu < 0 ? ENODEV : EINVAL;
		return MAP_FAILED;
	}
	return type == KFD_MMAP_MMIO
		   ? kfd_mmio_mmap((unsigned)gpu, address, size, protection, flags)
		   : kfd_doorbell_mmap((unsigned)gpu, address, size, protection, flags);
}

/* ---- requests ---- */

int kfd_get_version(void *argument, size_t size)
{
	struct kfd_arg_version *version = argument;

	(void)size;
	kfd_check_asker(); /* it is the first request of each release */
	version->major = VERSION_MAJOR;
	version->minor = VERSION_MINOR;
	return 0;
}

/* Accepts the policy, which says which addresses are coherent by default: no GPU since gfx9 has
 * such apertures. */
int kfd_set_memory_policy(void *argument, size_t size)
{
	const struct kfd_arg_memory_policy *policy = argument;

	(void)size;
	return kfd_gpu_number(policy->gpu_id) < 0 || policy->default_policy > 1 ||
		       policy->alternate_policy > 1
		   ? -EINVAL
		   : 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int kfd_get_clock_counters(void *argument, size_t size)
{
	struct kfd_arg_clock_counters *counters = argument;

	(void)size;
	/* The driver answers for a GPU that it does not know, too, with 0 (kfd_chardev.c). */
	counters->gpu = kfd_gpu_number(counters->gpu_id) < 0 ? 0 : kfd_gpu_ticks();
	counters->cpu = clock_ns(CLOCK_MONOTONIC_RAW);
	counters->system = clock_ns(CLOCK_BOOTTIME);
	counters->system_frequency = 1000000000;
	return 0;
}

/* The interpreter's own numbers are the upper halves; the rest is as on gfx9 (kfd_flat_memory.c).
 */
static void describe_apertures(struct kfd_apertures *apertures, unsigned gpu)
{
	*apertures = (struct kfd_apertures){
		.lds_base = (uint64_t)SOFTGPU_SHARED_APERTURE_HI << 32,
		.lds_limit = ((uint64_t)SOFTGPU_SHARED_APERTURE_HI << 32) + UINT32_MAX,
		.scratch_base = (uint64_t)SOFTGPU_PRIVATE_APERTURE_HI << 32,
		.scratch_limit = ((uint64_t)SOFTGPU_PRIVATE_APERTURE_HI << 32) + UINT32_MAX,
		.gpuvm_base = 4 * SOFTGPU_PAGE_SIZE,
		.gpuvm_limit = (UINT64_C(1) << 47) - 1,
		.gpu_id = SG_KFD_ID(gpu),
	};
}

int kfd_get_apertures(void *argument, size_t size)
{
	struct kfd_arg_apertures *all = argument;
	unsigned limit = sizeof all->apertures / sizeof *all->apertures;

	(void)size;
	for (all->count = 0; all->count < sg_settings.gpus && all->count < limit; all->count++)
		describe_apertures(&all->apertures[all->count], all->count);
	return 0;
}

int kfd_get_apertures_new(void *argument, size_t size)
{
	struct kfd_arg_apertures_new *request = argument;
	struct kfd_apertures all[SG_MAX_GPUS];
	unsigned room = request->count;

	(void)size;
	if (room > sg_settings.gpus)
		room = (unsigned)sg_settings.gpus;
	/* Without room the question is how many there are. */
	request->count = (uint32_t)sg_settings.gpus;
	for (unsigned i = 0; i < room; i++)
		describe_apertures(&all[i], i);
	if (room)
		request->count = room;
	return kfd_copy_out(request->apertures, all, room * sizeof *all);
}

/* Only the old images' tiling asks for more: there is no tiled memory here. */
int kfd_get_tile_config(void *argument, size_t size)
{
	struct kfd_arg_tile_config *config = argument;

	(void)size;
	if (kfd_gpu_number(config->gpu_id) < 0)
		return -EINVAL;
	config->tile_count = config->macro_tile_count = 0;
	config->gb_addr_config = 0;
	config->banks = config->ranks = 0;
	return 0;
}

int kfd_acquire_vm(void *argument, size_t size)
{
	const struct kfd_arg_acquire_vm *request = argument;
	int gpu = kfd_gpu_number(request->gpu_id);
	unsigned node;

	(void)size;
	if (gpu < 0)
		return -EINVAL;
	if (kfd_device_of((int)request->drm_fd, &node) != KFD_RENDER_NODE || node != (unsigned)gpu)
		return -EINVAL;
	kfd_process_enter();
	return 0;
}

int kfd_smi_events(void *argument, size_t size)
{
	struct kfd_arg_smi_events *request = argument;
	int gpu = kfd_gpu_number(request->gpu_id), fd;
	uint32_t id;

	(void)size;
	if (gpu < 0)
		return -EINVAL;
	fd = softgpu_smi_open((unsigned)gpu, &id);
	if (fd < 0)
		return fd;
	request->fd = (uint32_t)fd;
	return 0;
}

/* For debuggers, of which there is none; ROCr also takes it that exceptions come with a queue's
 * error code. */
int kfd_runtime_enable(void *argument, size_t size)
{
	struct kfd_arg_runtime_enable *request = argument;

	(void)size;
	request->capabilities = 0;
	return 0;
}
