// SPDX-License-Identifier: Apache-2.0
/*
 * Writes those files about the GPUs that do not belong to KFD: their devices of PCI and of DRM,
 * which libdrm, management tools and libraries of communication read. Files of what this GPU does
 * not have (sensors, counters, firmware) are not there.
 */
#include "kernels/softkfd/chip.h"
#include "kernels/softkfd/kfd.h"
#include "kernels/softkfd/file_tree.h"
#include "tracer/softgpu_name.h"

#include <unistd.h>

const char *kfd_arch_name(void)
{
	static const char *const names[] = {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) name,
#include "kernels/softgpu/processor.def"
	};

	return names[softgpu_config.processor];
}

/* Describes a processor's caches, for machines that say nothing of them (virtual machines, and
 * nodes of APUs that don't exist). */
static void put_processor(struct making *making, unsigned node, long processor)
{
	static const struct {
		unsigned level;
		const char *type, *size;
	} caches[] = { { 1, "Data", "32K" },
		       { 1, "Instruction", "32K" },
		       { 2, "Unified", "1024K" },
		       { 3, "Unified", "32768K" } };

	for (unsigned i = 0; i < sizeof caches / sizeof *caches; i++) {
#define CACHE "node/node%u/cpu%ld/cache/index%u/"
		PUT(making, (CACHE "level", node, processor, i), "%u\n", caches[i].level);
		PUT(making, (CACHE "type", node, processor, i), "%s\n", caches[i].type);
		PUT(making, (CACHE "size", node, processor, i), "%s\n", caches[i].size);
		PUT(making, (CACHE "coherency_line_size", node, processor, i), "64\n");
		PUT(making, (CACHE "ways_of_associativity", node, processor, i), "16\n");
		PUT(making, (CACHE "physical_line_partition", node, processor, i), "1\n");
		PUT(making, (CACHE "shared_cpu_map", node, processor, i), "%lx\n",
		    1ul << processor % 64);
		PUT(making, (CACHE "shared_cpu_list", node, processor, i), "%ld\n", processor);
#undef CACHE
	}
}

/* Each GPU is behind a bridge of its own, where processors are that are nearest to it. */
#define BRIDGE   "devices/pci0000:00/0000:00:%02x.0/"
#define DEVICE   BRIDGE "0000:%02x:00.0/"
#define BUS(gpu) (3 + (gpu))

static void put_device(struct making *making, unsigned gpu)
{
	const struct kfd_chip *chip = kfd_chip();
	unsigned bus = BUS(gpu), cpu = sg_settings.apu ? gpu : 0, minor = 128 + gpu;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

#define FILE_OF(name, ...)         PUT(making, (DEVICE name, 1 + gpu, bus), __VA_ARGS__)
#define LINK_OF(name, number, ...) PUT_LINK(making, (name, number), __VA_ARGS__)
	FILE_OF("vendor", "0x1002\n");
	FILE_OF("device", "0x%x\n", chip->device_id);
	FILE_OF("subsystem_vendor", "0x1002\n");
	FILE_OF("subsystem_device", "0x0\n");
	FILE_OF("revision", "0x%x\n", chip->revision);
	FILE_OF("class", "0x038000\n");
	FILE_OF("uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:%02x:00.0\n", bus);
	FILE_OF("numa_node", "%u\n", cpu);
	FILE_OF("local_cpulist", "0-%ld\n", processors - 1);
	FILE_OF("max_link_speed", "16.0 GT/s PCIe\n");
	FILE_OF("max_link_width", "16\n");
	FILE_OF("current_link_speed", "16.0 GT/s PCIe\n");
	FILE_OF("current_link_width", "16\n");
	FILE_OF("unique_id", "%lx\n", KFD_UNIQUE_ID(gpu));
	FILE_OF("product_name", "hipgrain software %s\n", sg_settings.apu ? "APU" : "GPU");
	FILE_OF("mem_info_vram_total", "%lu\n", sg_settings.vram);
	FILE_OF("mem_info_vis_vram_total", "%lu\n", sg_settings.vram);
	FILE_OF("mem_info_vram_used", "0\n"); /* elsewhere: kfd_process.c */
	FILE_OF("power_dpm_force_performance_level", "auto\n");
	FILE_OF("pp_dpm_sclk", "0: %uMhz *\n", KFD_ENGINE_MHZ);
	FILE_OF("pp_dpm_mclk", "0: %uMhz *\n", KFD_MEMORY_MHZ);
	FILE_OF("hwmon/hwmon0/name", "amdgpu\n");
	/* By the card's name libdrm tells one device from another. */
	PUT(making, (DEVICE "drm/card%u/dev", 1 + gpu, bus, gpu), "226:%u\n", gpu);
	PUT_LINK(making, (DEVICE "drm/card%u/device", 1 + gpu, bus, gpu), "../..");
	PUT(making, (DEVICE "drm/renderD%u/dev", 1 + gpu, bus, minor), "226:%u\n", minor);
	PUT_LINK(making, (DEVICE "drm/renderD%u/device", 1 + gpu, bus, minor), "../..");
	PUT(making, (BRIDGE "pci_bus/0000:%02x/cpulistaffinity", 1 + gpu, bus), "0-%ld\n",
	    processors - 1);
	PUT(making, (BRIDGE "class", 1 + gpu), "0x060400\n");
	PUT(making, (BRIDGE "max_link_speed", 1 + gpu), "16.0 GT/s PCIe\n");
	PUT(making, (BRIDGE "max_link_width", 1 + gpu), "16\n");
	LINK_OF("class/drm/card%u", gpu, "../../" DEVICE "drm/card%u", 1 + gpu, bus, gpu);
	LINK_OF("class/drm/renderD%u", minor, "../../" DEVICE "drm/renderD%u", 1 + gpu, bus, minor);
	LINK_OF("class/pci_bus/0000:%02x", bus, "../../" BRIDGE "pci_bus/0000:%02x", 1 + gpu, bus);
	LINK_OF("bus/pci/devices/0000:%02x:00.0", bus, "../../../" BRIDGE "0000:%02x:00.0", 1 + gpu,
		bus);
	LINK_OF("char/226:%u", gpu, "../" DEVICE "drm/card%u", 1 + gpu, bus, gpu);
	LINK_OF("char/226:%u", minor, "../" DEVICE "drm/renderD%u", 1 + gpu, bus, minor);
	PUT(making, ("dri/renderD%u", minor), "%s", "");
#undef FILE_OF
#undef LINK_OF
}

void kfd_put_machine(struct making *making)
{
	const struct kfd_chip *chip = kfd_chip();
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	for (unsigned gpu = 0; gpu < sg_settings.gpus; gpu++)
		put_device(making, gpu);
	/* The table of names is libdrm's: a GPU must not be taken for hardware. */
	kfd_put(making, "amdgpu.ids", "1.0.0\n%X,\t%02X,\t" HG_SOFTGPU_NAME "%s (%s%s)\n",
		chip->device_id, chip->revision, sg_settings.apu ? "APU" : "GPU", kfd_arch_name(),
		sg_settings.gfx942 == (softgpu_config.processor == SOFTGPU_GFX942 ||
				       softgpu_config.processor == SOFTGPU_GFX950)
		    ? ""
		: sg_settings.gfx942 ? ", memory of gfx942"
				     : ", memory of gfx90a");
	/* rocminfo asks lsmod, or this file. */
	kfd_put(making, "modules", "amdgpu 1 0 - Live 0x0000000000000000\n");
	kfd_put(making, "module/amdgpu/coresize", "1\n");
	kfd_put(making, "module/amdgpu/holders/.none", "%s", "");
	kfd_put(making, "module/amdgpu/refcnt", "1\n");
	kfd_put(making, "module/amdgpu/initstate", "live\n");
	kfd_put(making, "module/amdgpu/version", "hipgrain\n");
	for (unsigned node = 0; node < sg_cpus(); node++)
		for (long i = 0; i < processors; i++)
			put_processor(making, node, i);
}
