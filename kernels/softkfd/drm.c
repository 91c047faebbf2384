// SPDX-License-Identifier: Apache-2.0
/* Requests of a render node that tell libdrm_amdgpu what GPU it is (drm.h, amdgpu_drm.h); memory's
 * are in gem.c. */
#include "kernels/softkfd/chip.h"
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <string.h>

#define DRM_VERSION     0x00
#define DRM_AMDGPU_INFO 0x45 /* DRM_COMMAND_BASE + 5 */

struct drm_version {
	int32_t major, minor, patch;
	uint64_t name_length, name, date_length, date, text_length, text; /* addresses of buffers */
};

enum info_query {
	INFO_ACCEL_WORKING = 0x00,
	INFO_HW_IP_INFO = 0x02,
	INFO_HW_IP_COUNT = 0x03,
	INFO_FW_VERSION = 0x0e,
	INFO_VRAM_USAGE = 0x10,
	INFO_GTT_USAGE = 0x11,
	INFO_VRAM_GTT = 0x14,
	INFO_READ_MMR_REG = 0x15,
	INFO_DEV_INFO = 0x16,
	INFO_VIS_VRAM_USAGE = 0x17,
	INFO_MEMORY = 0x19,
};

struct info_request {
	uint64_t answer;
	uint32_t size, query;
	uint32_t more[4];
};

/* drm_amdgpu_info_device, as far as it is read; the rest is 0. */
struct device_info {
	uint32_t device_id, chip_rev, external_rev, pci_rev, family;
	uint32_t shader_engines, arrays_per_engine, counter_hz_k;
	uint64_t max_engine_khz, max_memory_khz;
	uint32_t cus, cu_mask, cu_bitmap[16], backends, rb_pipes, contexts, pad;
	uint64_t flags;
	uint64_t address_start, address_end;
	uint32_t address_alignment, pte_fragment, gart_page, ce_ram;
	uint32_t vram_type, vram_bits;
	uint32_t rest[80];
};
_Static_assert(sizeof(struct device_info) >= 448, "as long as that of libdrm 2.4.134");

#define IS_APU      1u /* of `flags` */
#define VRAM_IS_HBM 6

/* A caller's buffer of *length bytes gets the beginning of `text`, and *length becomes what there
 * is. */
static int give_text(uint64_t buffer, uint64_t *length, const char *text)
{
	uint64_t size = strlen(text), room = buffer ? *length : 0;

	*length = size;
	return kfd_copy_out(buffer, text, size < room ? size : room);
}

static int version(uint64_t caller, size_t size)
{
	struct drm_version answer;

	if (size != sizeof answer)
		return -EINVAL;
	if (kfd_copy_in(&answer, caller, sizeof answer))
		return -EFAULT;
	answer.major = 3;
	answer.minor = 54;
	answer.patch = 0;
	if (give_text(answer.name, &answer.name_length, "amdgpu") ||
	    give_text(answer.date, &answer.date_length, "20150101") ||
	    give_text(answer.text, &answer.text_length, "hipgrain software GPU"))
		return -EFAULT;
	return kfd_copy_out(caller, &answer, sizeof answer);
}

static void describe_device(struct device_info *info, unsigned gpu)
{
	const struct kfd_chip *chip = kfd_chip();

	(void)gpu;
	info->device_id = chip->device_id;
	info->chip_rev = info->external_rev = info->pci_rev = chip->revision;
	info->family = chip->family;
	info->shader_engines = kfd_chip_cus();
	info->arrays_per_engine = 1;
	info->counter_hz_k = KFD_GPU_HZ / 1000;
	info->max_engine_khz = KFD_ENGINE_MHZ * 1000;
	info->max_memory_khz = KFD_MEMORY_MHZ * 1000;
	info->cus = kfd_chip_cus();
	info->flags = sg_settings.apu ? IS_APU : 0;
	info->address_start = 1 << 21;
	info->address_end = UINT64_C(1) << 47;
	info->address_alignment = SOFTGPU_PAGE_SIZE;
	info->pte_fragment = 1 << 21;
	info->gart_page = SOFTGPU_PAGE_SIZE;
	info->vram_type = VRAM_IS_HBM;
	info->vram_bits = KFD_MEMORY_BITS;
}

static int info(unsigned gpu, uint64_t caller, size_t size)
{
	struct info_request request = { 0 };
	union {
		struct device_info device;
		uint32_t word;
		uint64_t numbers[2];
		char bytes[1024];
	} answer = { .bytes = { 0 } };
	char asker[KFD_ASKER_ROOM];

	if (kfd_copy_in(&request, caller, size < sizeof request ? size : sizeof request))
		return -EFAULT;
	switch ((enum info_query)request.query) {
	case INFO_ACCEL_WORKING:
		answer.word = 1;
		break;
	case INFO_DEV_INFO:
		describe_device(&answer.device, gpu);
		break;
	case INFO_VRAM_GTT:
		answer.numbers[0] = answer.numbers[1] = sg_settings.vram;
		break;
	case INFO_VRAM_USAGE:
	case INFO_VIS_VRAM_USAGE: {
		struct kfd_arg_available_memory room = { .gpu_id = SG_KFD_ID(gpu) };

		if (!kfd_available_memory(&room, sizeof room))
			answer.numbers[0] = sg_settings.vram - room.available;
		break;
	}
	/* No graphics: neither engines of it nor registers. */
	case INFO_HW_IP_INFO:
	case INFO_HW_IP_COUNT:
	case INFO_FW_VERSION:
	case INFO_GTT_USAGE:
	case INFO_READ_MMR_REG:
	case INFO_MEMORY:
		break;
	default:
		sg_warn("/dev/dri/renderD%u: AMDGPU_INFO %#x%s is not known", 128 + gpu,
			request.query, kfd_asker(asker));
		return -EINVAL;
	}
	return kfd_copy_out(request.answer, &answer,
			    request.size < sizeof answer ? request.size : sizeof answer);
}

int kfd_drm_ioctl(unsigned gpu, int fd, unsigned long request, void *argument)
{
	uint64_t caller = (uint64_t)(uintptr_t)argument;
	char asker[KFD_ASKER_ROOM];
	int result;

	switch (_IOC_NR(request)) {
	case DRM_VERSION:
		return version(caller, _IOC_SIZE(request));
	case DRM_AMDGPU_INFO:
		return info(gpu, caller, _IOC_SIZE(request));
	}
	result = kfd_gem_ioctl(gpu, fd, request, argument);
	if (result == -ENOTTY)
		sg_warn("/dev/dri/renderD%u: request %#lx%s is not known", 128 + gpu,
			_IOC_NR(request), kfd_asker(asker));
	return result;
}
