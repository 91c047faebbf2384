/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel and its GPUs, according to /proc, /boot, /dev and /sys. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "codeobj/processor.h"
#include "doctor.h"

#define TOPOLOGY "/sys/class/kfd/kfd/topology/nodes"

/* Bits of `capability` of a node and of `flags` of a link, and link types [UAPI kfd_sysfs.h]. */
#define CAPABILITY_SVM     0x08000000u
#define CAPABILITY2_STALL  0x4u /* HSA_CAP2_STALL_ON_RETRY_FAULT, of `capability2` [ROCR11780] */
#define LINK_NO_ATOMICS_32 0x4u
#define LINK_NO_ATOMICS_64 0x8u
#define LINK_XGMI          11u

/* Bytes that are read at most of a configuration, and of a node's properties. */
#define CONFIG_MOST     (16 << 20)
#define PROPERTIES_MOST 65536

static char *in_root(const struct doctor *doctor, const char *path)
{
	return g_strconcat(doctor->root, path, NULL);
}

/* ---- the kernel's configuration ---- */

/* Opens a file, gzip-compressed or not. Reading a pipe or a device might not end. */
static gzFile open_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	gzFile file = NULL;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode))
		file = gzdopen(fd, "r");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Returns the value of NAME in a configuration file; NULL if it has none. */
static char *config_value(const char *path, const char *name, bool *readable)
{
	gzFile file = open_text(path);
	size_t length = strlen(name);
	char line[512];
	char *value = NULL;

	if (!file)
		return NULL;
	while (!value && gztell(file) < CONFIG_MOST && gzgets(file, line, sizeof(line))) {
		*readable = true;
		if (strncmp(line, name, length) == 0 && line[length] == '=')
			value = g_strndup(line + length + 1, strcspn(line + length + 1, "\n"));
	}
	gzclose(file);
	return value;
}

static void check_config(struct doctor *doctor)
{
	static const char *const needed[] = { "CONFIG_HSA_AMD", "CONFIG_HSA_AMD_SVM",
					      "CONFIG_DEVICE_PRIVATE" };
	char *candidates[2];
	struct utsname names;
	bool readable = false;

	uname(&names);
	candidates[0] = in_root(doctor, "/proc/config.gz");
	candidates[1] = g_strdup_printf("%s/boot/config-%s", doctor->root, names.release);
	for (unsigned c = 0; c < G_N_ELEMENTS(candidates) && !readable; c++) {
		GString *missing = g_string_new(NULL);

		for (unsigned i = 0; i < G_N_ELEMENTS(needed); i++) {
			char *value = config_value(candidates[c], needed[i], &readable);

			/* The driver itself may be a module. */
			if (!value || (*value != 'y' && *value != 'm')) {
				g_string_append_printf(missing, "%s%s", missing->len ? ", " : "",
						       needed[i]);
			}
			g_free(value);
		}
		if (readable && missing->len) {
			doctor->no_svm = true;
			doctor_add(
			    doctor, HEALTH_LIMITED,
			    "if the GPU driver was not built outside the kernel tree (DKMS), "
			    "use a kernel that has them",
			    "the kernel was built without %s: managed memory is pinned "
			    "host memory and never migrates",
			    missing->str);
		} else if (readable) {
			doctor_add(doctor, HEALTH_OK, NULL,
				   "the kernel has HMM and shared virtual memory for AMD GPUs");
		}
		g_string_free(missing, TRUE);
	}
	if (!readable) {
		doctor_add(doctor, HEALTH_UNKNOWN, NULL,
			   "the kernel's configuration was not found in %s or %s", candidates[0],
			   candidates[1]);
	}
	g_free(candidates[0]);
	g_free(candidates[1]);
}

/* ---- device files ---- */

static void check_device_file(struct doctor *doctor, const char *path)
{
	char *file = in_root(doctor, path);
	struct stat status;

	if (stat(file, &status) != 0) {
		doctor_add(doctor, HEALTH_LIMITED,
			   "load the amdgpu driver; in a container: --device=/dev/kfd "
			   "--device=/dev/dri. Without an AMD GPU: 'hipgrain run --softgpu'",
			   "%s: %s: no AMD GPU can be used", path, strerror(errno));
	} else if (access(file, R_OK | W_OK) != 0) {
		struct group *group = getgrgid(status.st_gid);
		char *advice = group ? g_strdup_printf("add yourself to group %s", group->gr_name)
				     : g_strdup_printf("get access to group %u", status.st_gid);

		doctor_add(doctor, HEALTH_BROKEN, advice, "%s: %s", path, strerror(errno));
		g_free(advice);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "%s can be opened", path);
	}
	g_free(file);
}

void doctor_check_kernel(struct doctor *doctor)
{
	doctor->section = "Kernel";
	check_config(doctor);
	check_device_file(doctor, "/dev/kfd");
}

/* ---- GPUs ---- */

/* Reads `name value` lines, as in the topology's properties files, into a table of name ->
 * value. */
static GHashTable *read_properties(const char *path)
{
	gzFile file = open_text(path);
	char text[PROPERTIES_MOST];
	char **lines;
	GHashTable *table;
	int size;

	if (!file)
		return NULL;
	size = gzread(file, text, sizeof(text) - 1);
	gzclose(file);
	text[MAX(size, 0)] = '\0';
	table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		char *blank = strchr(*line, ' ');

		if (blank) {
			g_hash_table_insert(table, g_strndup(*line, (gsize)(blank - *line)),
					    g_strdup(blank + 1));
		}
	}
	g_strfreev(lines);
	return table;
}

static uint64_t property(GHashTable *table, const char *name)
{
	const char *text = table ? g_hash_table_lookup(table, name) : NULL;

	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

/* major * 10000 + minor * 100 + stepping; the last two are one hexadecimal digit each. */
static char *target_name(uint64_t version)
{
	return g_strdup_printf("gfx%u%x%x", (unsigned)(version / 10000),
			       (unsigned)(version / 100 % 100), (unsigned)(version % 100));
}

/* The link to the CPU decides which atomics reach host memory. */
static void check_links(struct doctor *doctor, const char *node, const char *target)
{
	char *folder = g_build_filename(node, "io_links", NULL);
	GDir *directory = g_dir_open(folder, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(folder, name, "properties", NULL);
		GHashTable *link = read_properties(path);
		uint64_t flags = property(link, "flags");
		char *peer_path = g_strdup_printf("%s/../%u/properties", node,
						  (unsigned)property(link, "node_to"));
		GHashTable *peer = read_properties(peer_path);

		if (link && peer && property(peer, "simd_count") == 0) {
			if (property(link, "type") == LINK_XGMI) {
				doctor_add(doctor, HEALTH_OK, NULL,
					   "%s reaches host memory by XGMI: all integer atomics "
					   "work there",
					   target);
			} else if (flags & (LINK_NO_ATOMICS_32 | LINK_NO_ATOMICS_64)) {
				doctor_add(doctor, HEALTH_LIMITED,
					   "enable PCIe atomics in the firmware, or use another "
					   "slot; kernels must not update host memory atomically",
					   "the link of %s to host memory carries no atomics",
					   target);
			} else {
				doctor_add(doctor, HEALTH_OK, NULL,
					   "%s reaches host memory by PCIe: add, exchange and "
					   "compare-and-swap work there, other atomics do not",
					   target);
			}
		}
		if (peer)
			g_hash_table_unref(peer);
		if (link)
			g_hash_table_unref(link);
		g_free(peer_path);
		g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	g_free(folder);
}

static void check_xnack(struct doctor *doctor, const char *target)
{
	const char *wanted = getenv("HSA_XNACK");
	bool on = wanted && strcmp(wanted, "1") == 0;
	const struct codeobj_processor *processor = codeobj_processor(target);

	if (processor && processor->xnack == CODEOBJ_XNACK_ALWAYS) {
		doctor_add(doctor, HEALTH_OK, NULL, "%s retries faults always (XNACK)", target);
	} else if (!processor || processor->xnack != CODEOBJ_XNACK_SWITCHED) {
		doctor_add(doctor, on ? HEALTH_LIMITED : HEALTH_OK,
			   on ? "kernels cannot use memory of malloc here: unset HSA_XNACK" : NULL,
			   "%s has no XNACK mode that a process can enable%s", target,
			   on ? ": HSA_XNACK=1 has no effect" : "");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "%s can retry faults (XNACK); HSA_XNACK is %s",
			   target, wanted ? wanted : "not set: the driver's default applies");
	}
}

static void check_gpu(struct doctor *doctor, const char *node, GHashTable *properties)
{
	char *target = target_name(property(properties, "gfx_target_version"));
	bool svm = property(properties, "capability") & CAPABILITY_SVM;

	g_ptr_array_add(doctor->targets, g_strdup(target));
	doctor_add(doctor, svm ? HEALTH_OK : HEALTH_LIMITED,
		   svm ? NULL : "see the kernel's configuration above",
		   "node %s is a %s, %s shared virtual memory", strrchr(node, '/') + 1, target,
		   svm ? "with" : "without");
	/* A driver from outside the kernel tree may have what the configuration lacks. */
	doctor->no_svm = !svm || (doctor->no_svm && doctor->targets->len > 1);
	if (property(properties, "capability2") & CAPABILITY2_STALL) {
		doctor_add(
		    doctor, HEALTH_LIMITED,
		    "set HSA_USERPTR_FOR_PAGED_MEM=0 for a runtime that does not know this mode: "
		    "it "
		    "cannot make queues else",
		    "%s stalls on a fault until it is served: the driver registers no memory of "
		    "the host",
		    target);
	}
	check_xnack(doctor, target);
	check_links(doctor, node, target);
	g_free(target);
}

static int by_number(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return atoi(*x) - atoi(*y);
}

void doctor_check_gpus(struct doctor *doctor)
{
	char *folder = in_root(doctor, TOPOLOGY);
	GDir *directory = g_dir_open(folder, 0, NULL);
	GPtrArray *nodes = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	doctor->section = "GPUs";
	while (directory && (name = g_dir_read_name(directory)) != NULL)
		g_ptr_array_add(nodes, g_strdup(name));
	g_ptr_array_sort(nodes, by_number);
	for (unsigned i = 0; i < nodes->len; i++) {
		char *node = g_build_filename(folder, nodes->pdata[i], NULL);
		char *path = g_build_filename(node, "properties", NULL);
		GHashTable *properties = read_properties(path);

		/* A CPU's node has no SIMDs. */
		if (properties && property(properties, "simd_count") > 0)
			check_gpu(doctor, node, properties);
		if (properties)
			g_hash_table_unref(properties);
		g_free(path);
		g_free(node);
	}
	if (doctor->targets->len == 0) {
		doctor_add(
		    doctor, HEALTH_LIMITED, "without an AMD GPU, use 'hipgrain run --softgpu'",
		    directory ? "the driver reports no GPU" : "no KFD topology in %s", folder);
	}
	if (directory)
		g_dir_close(directory);
	g_ptr_array_unref(nodes);
	g_free(folder);
}
