// SPDX-License-Identifier: Apache-2.0
/* The environment variables that choose what hardware is modelled. README.md lists them. */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

/* Half of the address window of memory.c. */
#define MAX_VRAM_MIB (512u << 10)

struct softgpu_config softgpu_config;
struct sg_settings sg_settings;

/* HSA_FORCE_FINE_GRAIN_PCIE has its ROCr meaning: it publishes the fine VRAM pool without XGMI. */
static bool force_fine_pool;
static uint64_t vram_mib;
/* SOFTGPU_ARCH: whose memory; an index of this. */
static const char *const architectures[] = { "gfx90a", "gfx942" };
enum { GFX90A, GFX942 };
static uint64_t architecture;

enum type { SWITCH, NUMBER, ARCHITECTURE };

static const struct {
	const char *name;
	enum type type;
	void *target; /* bool or uint64_t */
	uint64_t preset;
} variables[] = {
	{ "HSA_XNACK", SWITCH, &softgpu_config.xnack, 0 },
	{ "HSA_FORCE_FINE_GRAIN_PCIE", SWITCH, &force_fine_pool, 0 },
	{ "SOFTGPU_SEED", NUMBER, &softgpu_config.seed, 0 },
	{ "SOFTGPU_THREADS", NUMBER, &softgpu_config.threads, 0 },
	{ "SOFTGPU_NATIVE", NUMBER, &softgpu_config.native, 16 },
	{ "SOFTGPU_DROP_FINE_FP_ATOMICS", SWITCH, &softgpu_config.drop_fine_fp_atomics, 1 },
	{ "SOFTGPU_XGMI_CPU", SWITCH, &softgpu_config.xgmi_cpu, 0 },
	{ "SOFTGPU_PCIE_ATOMICS", SWITCH, &softgpu_config.pcie_atomics, 1 },
	{ "SOFTGPU_XGMI_HIVE", SWITCH, &sg_settings.hive, 1 },
	{ "SOFTGPU_SVM", SWITCH, &sg_settings.svm, 1 },
	{ "SOFTGPU_LOG", SWITCH, &sg_settings.log, 0 },
	{ "SOFTGPU_MIGRATION", SWITCH, &sg_settings.migration, 0 },
	{ "SOFTGPU_VRAM_MIB", NUMBER, &vram_mib, 65536 },
	{ "SOFTGPU_DEVICES", NUMBER, &sg_settings.gpus, 1 },
	{ "SOFTGPU_ARCH", ARCHITECTURE, &architecture, GFX90A },
};

static int read_architecture(const char *text)
{
	for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
		if (!strcmp(text, architectures[i])) {
			architecture = i;
			return 0;
		}
	sg_warn("SOFTGPU_ARCH=%s is neither gfx90a nor gfx942", text);
	return -EINVAL;
}

static int read_one(size_t index)
{
	const char *text = getenv(variables[index].name);
	uint64_t value = variables[index].preset;

	if (variables[index].type == ARCHITECTURE)
		return read_architecture(text && *text ? text : architectures[value]);
	if (text && *text) {
		char *end;
		errno = 0;
		value = strtoull(text, &end, 0);
		if (errno || *end || *text == '-' ||
		    (variables[index].type == SWITCH && value > 1)) {
			sg_warn("%s=%s is not %s", variables[index].name, text,
				variables[index].type == SWITCH ? "0 or 1" : "a number");
			return -EINVAL;
		}
	}
	if (variables[index].type == SWITCH)
		*(bool *)variables[index].target = value;
	else
		*(uint64_t *)variables[index].target = value;
	return 0;
}

int sg_settings_read(void)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		int error = read_one(i);
		if (error)
			return error;
	}
	if (!sg_settings.gpus || sg_settings.gpus > SG_MAX_GPUS) {
		sg_warn("SOFTGPU_DEVICES must be between 1 and %u", SG_MAX_GPUS);
		return -EINVAL;
	}
	if (!vram_mib || vram_mib > MAX_VRAM_MIB / sg_settings.gpus) {
		sg_warn("SOFTGPU_VRAM_MIB must be between 1 and %lu",
			MAX_VRAM_MIB / sg_settings.gpus);
		return -EINVAL;
	}
	if (!softgpu_config.threads) {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		/* Who names a seed wants the same result again. */
		softgpu_config.threads = softgpu_config.seed || online < 1 ? 1 : (uint64_t)online;
	}
	sg_settings.vram = vram_mib << 20;
	sg_settings.fine_pool = sg_settings.hive || force_fine_pool;
	sg_settings.xgmi_cpu = softgpu_config.xgmi_cpu;
	sg_settings.gfx942 = architecture == GFX942;
	/*
	 * MI300 does them all, on fine-grained device and host memory (memory-model.md B.2.2 and
	 * B.2.3). For system scope on host memory that is less than atomic against the CPU; here
	 * it is atomic.
	 */
	if (architecture == GFX942) {
		softgpu_config.drop_fine_fp_atomics = false;
		softgpu_config.xgmi_cpu = true;
	}
	softgpu_config.atomic_log = getenv("SOFTGPU_ATOMIC_LOG");
	if (softgpu_config.atomic_log && !*softgpu_config.atomic_log)
		softgpu_config.atomic_log = NULL;
	softgpu_config.access_log = getenv("SOFTGPU_ACCESS_LOG");
	if (softgpu_config.access_log && !*softgpu_config.access_log)
		softgpu_config.access_log = NULL;
	return 0;
}
