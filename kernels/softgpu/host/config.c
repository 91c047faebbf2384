// SPDX-License-Identifier: Apache-2.0
/* The environment variables that choose what hardware is modelled. README.md lists them. */
#include "softgpu_host.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

/* The limit holds for all GPUs together. */
#define MAX_VRAM_MIB (512u << 10)

struct softgpu_config softgpu_config;
struct sg_settings sg_settings;

/* HSA_FORCE_FINE_GRAIN_PCIE has its ROCr meaning: it publishes the fine VRAM pool without XGMI. */
static bool force_fine_pool;
static uint64_t vram_mib;
/* SOFTGPU_ARCH: whose instructions, and SOFTGPU_MEMORY: whose memory, if it is not the same's. By
 * enum softgpu_processor. */
static const char *const architectures[] = {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) name,
#include "kernels/softgpu/processor.def"
	NULL
};
static const char *const memories[] = {
#define SOFTGPU_MEMORY(name) name,
#include "kernels/softgpu/processor.def"
	"same", NULL
};
#define ITS_OWN 2 /* of gfx950 as of gfx942, apart from its MTYPE of host memory */
static uint64_t architecture, memory;
/* SOFTGPU_QUIRK, by enum softgpu_quirk. */
static const char *const quirks[] = {
#define QUIRK(name, text, effect) text,
#include "kernels/softgpu/quirk.def"
	NULL
};

/* SOFTGPU_CHECK: SOFTGPU_MEMCHECK and the bits that follow. */
static const char *const checks[] = { "memcheck",  "racecheck", "initcheck",
				      "leakcheck", "synccheck", NULL };

enum type { SWITCH, NUMBER, CHOICE, SET, TEXT };

static const struct {
	const char *name;
	enum type type;
	void *target; /* bool, uint64_t, of a TEXT a pointer or NULL: another file reads it */
	uint64_t preset;
	const char *const *choices; /* NULL-terminated. The value of a CHOICE is the number of one,
				     * of a SET 1 << that of each in a list with commas */
} variables[] = {
	{ "HSA_XNACK", SWITCH, &softgpu_config.xnack, 0, NULL },
	{ "HSA_FORCE_FINE_GRAIN_PCIE", SWITCH, &force_fine_pool, 0, NULL },
	{ "SOFTGPU_SEED", NUMBER, &softgpu_config.seed, 0, NULL },
	{ "SOFTGPU_THREADS", NUMBER, &softgpu_config.threads, 0, NULL },
	{ "SOFTGPU_NATIVE", NUMBER, &softgpu_config.native, 16, NULL },
	{ "SOFTGPU_XGMI_CPU", SWITCH, &softgpu_config.xgmi_cpu, 0, NULL },
	{ "SOFTGPU_PCIE_ATOMICS", SWITCH, &softgpu_config.pcie_atomics, 1, NULL },
	{ "SOFTGPU_XGMI_HIVE", SWITCH, &sg_settings.hive, 1, NULL },
	{ "SOFTGPU_APU", SWITCH, &sg_settings.apu, 0, NULL },
	{ "SOFTGPU_SVM", SWITCH, &sg_settings.svm, 1, NULL },
	{ "SOFTGPU_LOG", SWITCH, &sg_settings.log, 0, NULL },
	{ "SOFTGPU_MIGRATION", SWITCH, &sg_settings.migration, 0, NULL },
	{ "SOFTGPU_VRAM_MIB", NUMBER, &vram_mib, 65536, NULL },
	{ "SOFTGPU_XCDS", NUMBER, &softgpu_config.xcds, 1, NULL },
	{ "SOFTGPU_DEVICES", NUMBER, &sg_settings.gpus, 1, NULL },
	{ "SOFTGPU_ARCH", CHOICE, &architecture, SOFTGPU_GFX90A, architectures },
	{ "SOFTGPU_MEMORY", CHOICE, &memory, ITS_OWN, memories },
	{ "SOFTGPU_QUIRK", SET, &softgpu_config.quirks, 0, quirks },
	{ "SOFTGPU_TIME_LIMIT", NUMBER, &softgpu_config.time_limit, 0, NULL },
	{ "SOFTGPU_CHECK", SET, &softgpu_config.check, 0, checks },
	{ "SOFTGPU_ATOMIC_LOG", TEXT, &softgpu_config.atomic_log, 0, NULL },
	{ "SOFTGPU_ACCESS_LOG", TEXT, &softgpu_config.access_log, 0, NULL },
	{ "SOFTGPU_STALE_LOG", TEXT, &softgpu_config.stale_log, 0, NULL },
	{ "SOFTGPU_MIGRATION_LOG", TEXT, NULL, 0, NULL },
	{ "SOFTGPU_CACHE", TEXT, NULL, 0, NULL },
};

/* Returns the number of the choice that text[length] names, or -EINVAL after a message. */
static int read_choice(size_t index, const char *text, size_t length)
{
	const char *const *choices = variables[index].choices;
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; choices[i]; i++) {
		int added;

		if (strlen(choices[i]) == length && !strncmp(text, choices[i], length))
			return (int)i;
		added = snprintf(list + used, sizeof list - used, " %s", choices[i]);
		used += (size_t)added < sizeof list - used ? (size_t)added : 0;
	}
	sg_warn("%s=%.*s is not one of:%s", variables[index].name, (int)length, text, list);
	return -EINVAL;
}

static int read_set(size_t index, const char *text)
{
	uint64_t set = 0;

	while (text && *text) {
		size_t length = strcspn(text, ",");
		int number = read_choice(index, text, length);

		if (number < 0)
			return number;
		set |= 1ull << number;
		text += length + (text[length] == ',');
	}
	*(uint64_t *)variables[index].target = set;
	return 0;
}

static int read_one(size_t index)
{
	const char *text = getenv(variables[index].name);
	uint64_t value = variables[index].preset;

	if (variables[index].type == SET)
		return read_set(index, text);
	if (variables[index].type == TEXT) {
		if (variables[index].target)
			*(const char **)variables[index].target = text && *text ? text : NULL;
		return 0;
	}
	if (variables[index].type == CHOICE) {
		int number;

		if (!text || !*text)
			text = variables[index].choices[value];
		number = read_choice(index, text, strlen(text));
		if (number < 0)
			return number;
		*(uint64_t *)variables[index].target = (uint64_t)number;
		return 0;
	}
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

#define MAX_NAME 64

/* Returns how many letters must be put in, left out or exchanged to make one name of the other. */
static size_t distance(const char *a, size_t length, const char *b)
{
	size_t row[MAX_NAME + 1];

	for (size_t i = 0; i <= length; i++)
		row[i] = i;
	for (size_t done = 0; b[done]; done++) {
		size_t corner = done;

		row[0] = done + 1;
		for (size_t i = 0; i < length; i++) {
			size_t exchanged = corner + (a[i] != b[done]);
			size_t moved = (row[i] < row[i + 1] ? row[i] : row[i + 1]) + 1;

			corner = row[i + 1];
			row[i + 1] = exchanged < moved ? exchanged : moved;
		}
	}
	return row[length];
}

/* Says so if there is no variable of the name that stands before the '=' in `text`. */
static void check_name(const char *text)
{
	size_t length = strcspn(text, "="), least = SIZE_MAX;
	const char *nearest = "";

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		size_t much =
		    distance(text, length < MAX_NAME ? length : MAX_NAME, variables[i].name);

		if (!much && length <= MAX_NAME)
			return;
		if (much < least) {
			least = much;
			nearest = variables[i].name;
		}
	}
	sg_warn("%.*s is unknown and has no effect; the nearest is %s", (int)length, text, nearest);
}

static void check_names(void)
{
	for (char *const *text = environ; *text; text++)
		if (!strncmp(*text, "SOFTGPU_", 8))
			check_name(*text);
}

void sg_migration_follow(void)
{
	const char *text = getenv("SOFTGPU_MIGRATION");

	if (!text || !*text)
		sg_settings.migration = softgpu_config.xnack && !sg_settings.apu;
}

int sg_settings_read(void)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		int error = read_one(i);
		if (error)
			return error;
	}
	check_names();
	if (!sg_settings.gpus || sg_settings.gpus > SG_MAX_GPUS) {
		sg_warn("SOFTGPU_DEVICES must be between 1 and %u", SG_MAX_GPUS);
		return -EINVAL;
	}
	if (!softgpu_config.xcds || softgpu_config.xcds > SOFTGPU_MAX_XCDS ||
	    (softgpu_config.xcds > 1 && architecture != SOFTGPU_GFX942 &&
	     architecture != SOFTGPU_GFX950)) {
		sg_warn("SOFTGPU_XCDS must be between 1 and %u, and 1 with SOFTGPU_ARCH=%s",
			SOFTGPU_MAX_XCDS, architectures[architecture]);
		return -EINVAL;
	}
	if (!vram_mib || vram_mib > MAX_VRAM_MIB / sg_settings.gpus) {
		sg_warn("SOFTGPU_VRAM_MIB must be between 1 and %lu",
			MAX_VRAM_MIB / sg_settings.gpus);
		return -EINVAL;
	}
	if (!softgpu_config.threads) {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		/* A user who names a seed wants the same result again. */
		softgpu_config.threads = softgpu_config.seed || online < 1 ? 1 : (uint64_t)online;
	}
	/* Without shared virtual memory nobody serves the faults, and the driver refuses the mode.
	 */
	softgpu_config.xnack = softgpu_config.xnack && sg_settings.svm;
	sg_settings.vram = vram_mib << 20;
	sg_settings.fine_pool = sg_settings.hive || force_fine_pool;
	sg_settings.xgmi_cpu = softgpu_config.xgmi_cpu;
	softgpu_config.processor = (enum softgpu_processor)architecture;
	sg_settings.gfx942 = memory == ITS_OWN
				 ? architecture == SOFTGPU_GFX942 || architecture == SOFTGPU_GFX950
				 : memory == SOFTGPU_GFX942;
	if (!softgpu_executes(softgpu_config.processor)) {
		if (memory != ITS_OWN) {
			sg_warn("SOFTGPU_MEMORY must be same with SOFTGPU_ARCH=%s",
				architectures[architecture]);
			return -EINVAL;
		}
		/* These have neither XGMI links nor XNACK. */
		sg_settings.hive = sg_settings.xgmi_cpu = softgpu_config.xgmi_cpu = false;
		sg_settings.fine_pool = force_fine_pool;
		softgpu_config.xnack = false;
	}
	if (sg_settings.apu && !sg_settings.gfx942) {
		sg_warn("SOFTGPU_APU must be 0 but with SOFTGPU_ARCH or SOFTGPU_MEMORY=gfx942");
		return -EINVAL;
	}
	/* There is one memory, so nothing migrates; the APUs of a machine are in one hive: XGMI
	 * joins all. */
	if (sg_settings.apu) {
		sg_settings.migration = false;
		sg_settings.hive = true;
		sg_settings.fine_pool = true;
		sg_settings.xgmi_cpu = true;
	}
	sg_migration_follow();
	/*
	 * MI300 does them all, on fine-grained device and host memory
	 * (docs/memory-model.md#fine-grained-host-memory). For system scope on host memory that is
	 * less than atomic against the CPU; here it is atomic.
	 */
	softgpu_config.drop_fine_fp_atomics = !sg_settings.gfx942;
	if (sg_settings.gfx942)
		softgpu_config.xgmi_cpu = true;
	return 0;
}
