// SPDX-License-Identifier: Apache-2.0
/*
 * The files that say which GPUs there are (amdkfd's topology, kfd_topology.c): a tree of ordinary
 * files in a folder of the user's, which the beginning of a path is exchanged for. A tree of other
 * settings has another name, so processes share them, and one that exists is complete.
 */
#include "kernels/softkfd/chip.h"
#include "kernels/softkfd/kfd.h"
#include "kernels/softkfd/file_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Room for a path of the tree in a path. */
#define TREE_ROOM (KFD_PATH_ROOM / 2)
static char tree[TREE_ROOM];

/* ---- the GPU ---- */

#define FAMILY_AI      141
#define FAMILY_GC_11_0 145
#define FAMILY_GC_12_0 152

static const struct kfd_chip chips[] = {
	[SOFTGPU_GFX90A] = { "aldebaran", 90010, 0x7408, 1, 64, 8, FAMILY_AI, 4, 64 },
	[SOFTGPU_GFX942] = { "ip discovery", 90402, 0x74a1, 1, 64, 8, FAMILY_AI, 4, 64 },
	[SOFTGPU_GFX950] = { "ip discovery", 90500, 0x75a0, 1, 160, 8, FAMILY_AI, 4, 64 },
	[SOFTGPU_GFX1100] = { "ip discovery", 110000, 0x744c, 1, 64, 16, FAMILY_GC_11_0, 2, 32 },
	[SOFTGPU_GFX1201] = { "ip discovery", 120001, 0x7550, 1, 64, 16, FAMILY_GC_12_0, 2, 32 },
};
static const struct kfd_chip mi300a = { "ip discovery", 90402, 0x74a0, 1, 64, 8, FAMILY_AI, 4, 64 };

const struct kfd_chip *kfd_chip(void)
{
	return sg_settings.apu && softgpu_config.processor == SOFTGPU_GFX942
		   ? &mi300a
		   : &chips[softgpu_config.processor];
}

unsigned kfd_chip_cus(void)
{
	unsigned xcds = (unsigned)softgpu_config.xcds;

	return xcds * (xcds > 8 ? 1 : 8 / xcds);
}

int kfd_gpu_number(uint32_t gpu_id)
{
	for (unsigned gpu = 0; gpu < sg_settings.gpus; gpu++)
		if (SG_KFD_ID(gpu) == gpu_id)
			return (int)gpu;
	return -1;
}

/* ---- writing files ---- */

/* The tree being made, and whether all of it could be. Without a folder only its sum is computed.
 */
struct making {
	char folder[TREE_ROOM];
	bool good;
	uint64_t sum;
};

/* Adds a text with its end to a sum, by FNV-1a. */
static uint64_t add_text(uint64_t sum, const char *text)
{
	do
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	while (*text++);
	return sum;
}

/* Makes the folders that lead to `path`, of which the first `from` characters exist. */
static bool make_folders(char *path, size_t from)
{
	for (char *at = strchr(path + from, '/'); at; at = strchr(at + 1, '/')) {
		bool made;

		*at = '\0';
		made = !mkdir(path, 0700) || errno == EEXIST;
		*at = '/';
		if (!made)
			return false;
	}
	return true;
}

/* Stores in `path` the place for `name`, in a folder that exists. Returns false if only the sum is
 * wanted. */
static bool place_for(struct making *making, const char *name, const char *text, char *path)
{
	making->sum = add_text(add_text(making->sum, name), text);
	if (!making->folder[0])
		return false;
	snprintf(path, KFD_PATH_ROOM, "%s/%s", making->folder, name);
	making->good = make_folders(path, strlen(making->folder) + 1);
	return making->good;
}

void kfd_put_link(struct making *making, const char *name, const char *target)
{
	char path[KFD_PATH_ROOM];

	if (making->good && place_for(making, name, target, path))
		making->good = !symlink(target, path);
}

void kfd_put(struct making *making, const char *name, const char *format, ...)
{
	char path[KFD_PATH_ROOM], text[4096];
	va_list arguments;
	int length, fd;

	if (!making->good)
		return;
	va_start(arguments, format);
	length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (!place_for(making, name, text, path))
		return;
	fd = kfd_real_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	making->good = fd >= 0 && length >= 0 && (size_t)length < sizeof text &&
		       write(fd, text, (size_t)length) == length;
	if (fd >= 0)
		close(fd);
}

#define NODE "kfd/topology/nodes/%u/"

/* ---- links ---- */

#define LINK_PCIE 2
#define LINK_XGMI 11
/* Weights as the driver gives them: of a PCIe link, of XGMI links of GPUs, and within an APU. */
#define WEIGHT_PCIE    20
#define WEIGHT_XGMI    15
#define WEIGHT_APU     13

#define LINK_OVERRIDE  1u
#define LINK_NO_ATOMIC (1u << 2 | 1u << 3)

/* Returns true if the node is a GPU: the nodes of CPUs come first. */
static bool is_gpu(unsigned node)
{
	return node >= sg_cpus();
}

struct link {
	unsigned type, weight, flags;
};

/* The link that leads from one node to another; false: there is none. */
static bool link_between(unsigned from, unsigned to, struct link *link)
{
	*link = (struct link){ LINK_XGMI, WEIGHT_XGMI, LINK_OVERRIDE };
	if (is_gpu(from) && is_gpu(to))
		return sg_settings.hive;
	if (!is_gpu(from) && !is_gpu(to))
		return true;
	if (sg_settings.apu)
		link->weight = from % sg_cpus() == to % sg_cpus() ? WEIGHT_APU : WEIGHT_XGMI;
	else if (!sg_settings.xgmi_cpu || sg_settings.gfx942)
		*link = (struct link){ LINK_PCIE, WEIGHT_PCIE,
				       LINK_OVERRIDE |
					   (softgpu_config.pcie_atomics ? 0 : LINK_NO_ATOMIC) };
	return true;
}

static unsigned put_links(struct making *making, unsigned node, unsigned nodes)
{
	unsigned count = 0;

	for (unsigned other = 0; other < nodes; other++) {
		struct link link;

		if (other == node || !link_between(node, other, &link))
			continue;
		PUT(making, (NODE "io_links/%u/properties", node, count),
		    "type %u\nversion_major 0\nversion_minor 0\nnode_from %u\nnode_to %u\nweight "
		    "%u\n"
		    "min_latency 0\nmax_latency 0\nmin_bandwidth %u\nmax_bandwidth %u\n"
		    "recommended_transfer_size 0\nrecommended_sdma_engine_id_mask 0\nflags %u\n",
		    link.type, node, other, link.weight, link.type == LINK_XGMI ? 50000u : 312u,
		    link.type == LINK_XGMI ? 50000u : 64000u, link.flags);
		count++;
	}
	return count;
}

/* ---- nodes ---- */

enum heap { HEAP_SYSTEM, HEAP_VRAM_PUBLIC };

static void put_memory(struct making *making, unsigned node, enum heap heap, uint64_t size)
{
	PUT(making, (NODE "mem_banks/0/properties", node),
	    "heap_type %u\nsize_in_bytes %lu\nflags 0\nwidth %u\nmem_clk_max %u\n", heap, size,
	    heap == HEAP_SYSTEM ? 64 : KFD_MEMORY_BITS, heap == HEAP_SYSTEM ? 0 : KFD_MEMORY_MHZ);
}

static void put_cpu(struct making *making, unsigned node, unsigned nodes)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned links = put_links(making, node, nodes);

	PUT(making, (NODE "gpu_id", node), "0\n");
	PUT(making, (NODE "name", node), "\n");
	put_memory(making, node, HEAP_SYSTEM, sg_settings.apu ? sg_settings.vram : memory);
	PUT(making, (NODE "properties", node),
	    "cpu_cores_count %ld\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\nio_links_count "
	    "%u\np2p_links_count 0\n"
	    "cpu_core_id_base 0\nsimd_id_base 0\nmax_waves_per_simd 0\nlds_size_in_kb "
	    "0\ngds_size_in_kb 0\nnum_gws 0\n"
	    "wave_front_size 0\narray_count 0\nsimd_arrays_per_engine 0\ncu_per_simd_array "
	    "0\nsimd_per_cu 0\n"
	    "max_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\ndevice_id 0\nlocation_id "
	    "0\ndomain 0\n"
	    "drm_render_minor 0\nhive_id 0\nnum_sdma_engines 0\nnum_sdma_xgmi_engines 0\n"
	    "num_sdma_queues_per_engine 0\nnum_cp_queues 0\nmax_engine_clk_ccompute 0\n",
	    processors < 1 ? 1 : processors, links);
}

static void put_cache(struct making *making, unsigned node, unsigned number, unsigned level,
		      unsigned kib, unsigned line, unsigned type)
{
	PUT(making, (NODE "caches/%u/properties", node, number),
	    "processor_id_low 0\nlevel %u\nsize %u\ncache_line_size %u\ncache_lines_per_tag "
	    "1\nassociation 16\n"
	    "latency 0\ntype %u\nsibling_map 1\n",
	    level, kib, line, type);
}

/* HSA_CAPABILITY of hsakmttypes.h. */
#define WATCH_POINTS   (1u << 7 | 2u << 8) /* 2 to the power of 2 */
#define DOORBELLS      (2u << 12)          /* of 64 bits */
#define REVISION_SHIFT 22
#define SRAM_ECC       (1u << 26)
#define SVM_API        (1u << 27)
#define HOST_COHERENT  (1u << 28)
#define DEBUG_FIRMWARE (1u << 30)

/* Data caches of compute units. */
#define CACHE_DATA (1u << 0 | 1u << 3)
#define CACHE_SIMD (1u << 0 | 1u << 3)

static void put_gpu(struct making *making, unsigned node, unsigned nodes)
{
	const struct kfd_chip *chip = kfd_chip();
	unsigned gpu = node - sg_cpus(), cus = kfd_chip_cus(), xcds = (unsigned)softgpu_config.xcds;
	unsigned links = put_links(making, node, nodes);
	uint32_t capability = WATCH_POINTS | DOORBELLS | chip->revision << REVISION_SHIFT |
			      (softgpu_executes(softgpu_config.processor) ? SRAM_ECC : 0) |
			      DEBUG_FIRMWARE | (sg_settings.svm ? SVM_API : 0) |
			      (sg_settings.apu || sg_settings.xgmi_cpu ? HOST_COHERENT : 0);

	PUT(making, (NODE "gpu_id", node), "%u\n", SG_KFD_ID(gpu));
	PUT(making, (NODE "name", node), "%s\n", chip->name);
	put_memory(making, node, HEAP_VRAM_PUBLIC, sg_settings.vram);
	put_cache(making, node, 0, 1, 16, 64, CACHE_SIMD);
	put_cache(making, node, 1, 2, 8192, 128, CACHE_DATA);
	PUT(making, (NODE "properties", node),
	    "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count 2\nio_links_count "
	    "%u\np2p_links_count 0\n"
	    "cpu_core_id_base 0\nsimd_id_base %u\nmax_waves_per_simd %u\nlds_size_in_kb "
	    "%u\ngds_size_in_kb 0\nnum_gws 64\n"
	    "wave_front_size %u\narray_count %u\nsimd_arrays_per_engine 1\ncu_per_simd_array "
	    "1\nsimd_per_cu %u\n"
	    "max_slots_scratch_cu 32\ngfx_target_version %u\nvendor_id 4098\ndevice_id "
	    "%u\nlocation_id %u\ndomain 0\n"
	    "drm_render_minor %u\nhive_id %lu\nnum_sdma_engines 2\nnum_sdma_xgmi_engines %u\n"
	    "num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute "
	    "%u\nlocal_mem_size %lu\n"
	    "fw_version 70\ncapability %u\ndebug_prop 1495\nsdma_fw_version 8\nunique_id "
	    "%lu\nnum_xcc %u\n"
	    "max_engine_clk_ccompute 0\nfamily_id %u\n",
	    cus * chip->simds_per_cu, links, 0x80001000u + 0x1000u * gpu, chip->waves_per_simd,
	    chip->lds_kib, chip->wavefront, cus, chip->simds_per_cu, chip->version, chip->device_id,
	    0x300u + 0x100u * gpu, 128 + gpu, sg_settings.hive ? UINT64_C(0x50f7690000000000) : 0,
	    sg_settings.hive ? SG_HIVE_ENGINES : 0, KFD_ENGINE_MHZ, sg_settings.vram, capability,
	    KFD_UNIQUE_ID(gpu), xcds, chip->family);
}

static void put_all(struct making *making)
{
	unsigned nodes = sg_cpus() + (unsigned)sg_settings.gpus;

	kfd_put(making, "kfd/topology/generation_id", "1\n");
	kfd_put(making, "kfd/topology/system_properties",
		"platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
	for (unsigned node = 0; node < nodes; node++)
		if (is_gpu(node))
			put_gpu(making, node, nodes);
		else
			put_cpu(making, node, nodes);
	kfd_put_machine(making);
}

/* ---- where the tree is ---- */

/* Returns the sum of all that is in the tree: a tree of other settings, or of another release, has
 * another name. */
static uint64_t sum_of_tree(void)
{
	struct making making = { .good = true, .sum = UINT64_C(0xcbf29ce484222325) };

	put_all(&making);
	return making.sum;
}

/* Returns true for a folder of this user's that other users can't write to. */
static bool is_own(const char *path)
{
	struct stat status;

	return !syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022);
}

/* Stores in `base` the folder of trees: the first place that this user can write to. */
static bool find_base(char base[static TREE_ROOM])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	for (unsigned i = 0; i < 3; i++) {
		const char *root = i == 0 ? cache : i == 1 ? home : "/tmp";
		int length;

		if (!root || root[0] != '/')
			continue;
		length =
		    i == 2 ? snprintf(base, TREE_ROOM - 64, "/tmp/hipgrain-softgpu-%u/", geteuid())
			   : snprintf(base, TREE_ROOM - 64, "%s%s/hipgrain/softgpu/topology/", root,
				      i ? "/.cache" : "");
		if (length < 0 || length >= TREE_ROOM - 64 || !make_folders(base, strlen(root)))
			continue;
		base[length - 1] = '\0';
		if (is_own(base))
			return true;
	}
	return false;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

static bool make_tree(const char *base)
{
	struct making making = { .good = true };

	if ((size_t)snprintf(making.folder, sizeof making.folder, "%s/new-XXXXXX", base) >=
		sizeof making.folder ||
	    !mkdtemp(making.folder))
		return false;
	put_all(&making);
	if (making.good && !rename(making.folder, tree))
		return true;
	/* Another process was first, or there is no room. */
	nftw(making.folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return is_own(tree);
}

static bool tree_found;

static void find_tree(void)
{
	char base[TREE_ROOM];

	if (!kfd_start())
		return; /* it has said why */
	if (!find_base(base)) {
		sg_warn("no folder can be written to for the files that describe the GPUs: name "
			"one in XDG_CACHE_HOME");
		return;
	}
	if ((size_t)snprintf(tree, sizeof tree, "%s/%016lx", base, sum_of_tree()) >= sizeof tree)
		return;
	tree_found = is_own(tree) || make_tree(base);
	if (!tree_found)
		sg_warn("%s can't be written: %s", tree, strerror(errno));
}

static bool have_tree(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_tree);
	return tree_found;
}

/* ---- paths ---- */

/* The beginning of a path and its replacement; `fallback`: used only if the path itself does not
 * exist; `in_tree` NULL: belongs to processes. */
static const struct place {
	const char *path, *in_tree;
	bool fallback;
} places[] = {
	{ "/sys/devices/virtual/kfd/kfd/proc", NULL, false },
	{ "/sys/class/kfd/kfd/proc", NULL, false },
	{ "/sys/devices/virtual/kfd/kfd", "kfd", false },
	{ "/sys/class/kfd/kfd", "kfd", false },
	{ "/sys/dev/char/226:", "char/226:", false },
	{ "/sys/module/amdgpu", "module/amdgpu", false },
	{ "/usr/share/libdrm/amdgpu.ids", "amdgpu.ids", false },
	{ "/proc/modules", "modules", false },
	{ "/dev/dri", "dri", false },
	{ "/sys/class/drm", "class/drm", false },
	{ "/sys/class/pci_bus/", "class/pci_bus/", true },
	{ "/sys/bus/pci/devices/", "bus/pci/devices/", true },
	{ "/sys/devices/system/node/node", "node/node", true },
};

#define RENDER "/dev/dri/renderD"

bool kfd_path_may_be_ours(const char *path)
{
	return path && path[0] == '/' &&
	       (!strncmp(path, "/dev/kfd", 8) || !strncmp(path, "/dev/dri", 8) ||
		!strncmp(path, "/sys/", 5) || !strncmp(path, "/usr/share/libdrm/", 18) ||
		!strncmp(path, "/proc/modules", 13));
}

/* Returns the GPU of which `path` tells how much memory is used, or -1. */
static int gpu_of_usage(const char *path)
{
	static const char end[] = "/device/mem_info_vram_used";
	int gpu = -1;

	if (strncmp(path, "/sys/class/drm/", 15) || strlen(path) < sizeof end ||
	    strcmp(path + strlen(path) - (sizeof end - 1), end))
		return -1;
	if (sscanf(path + 15, "renderD%d/", &gpu) == 1)
		gpu -= 128;
	else
		(void)sscanf(path + 15, "card%d/", &gpu);
	return kfd_start() && gpu >= 0 && gpu < (int)sg_settings.gpus ? gpu : -1;
}

const char *kfd_path(const char *path, char *room)
{
	int usage = gpu_of_usage(path);

	if (usage >= 0)
		return kfd_process_vram_path((unsigned)usage, room) ? room : NULL;
	if (!strcmp(path, "/dev/kfd"))
		return kfd_device_path(-1, room) ? room : NULL;
	if (!strncmp(path, RENDER, strlen(RENDER))) {
		char *end;
		unsigned long number = strtoul(path + strlen(RENDER), &end, 10);

		if (*end || number < 128 || number >= 128 + SG_MAX_GPUS)
			return NULL;
		return kfd_device_path((int)(number - 128), room) ? room : NULL;
	}
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		size_t length = strlen(places[i].path);

		if (strncmp(path, places[i].path, length))
			continue;
		if (places[i].fallback && !syscall(SYS_faccessat, AT_FDCWD, path, F_OK))
			return NULL;
		if (!places[i].in_tree)
			return kfd_process_path(path + length, room) ? room : NULL;
		if (!have_tree() ||
		    (size_t)snprintf(room, KFD_PATH_ROOM, "%s/%s%s", tree, places[i].in_tree,
				     path + length) >= KFD_PATH_ROOM)
			return NULL;
		return room;
	}
	return NULL;
}
