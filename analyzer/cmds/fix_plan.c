/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of --fix: which kernels of a program need what, for the recorder to read. */
#include "analyzer/cmds/fix_plan.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cmds/scan_queue.h"
#include "analyzer/containers/containers.h"
#include "analyzer/rules/atomics/atomics.h"
#include "tracer/message.h"
#include "tracer/command_file.h"

struct plan {
	FILE *file;
	const char *path; /* of the file at hand */
	struct scan_queue queue;
	unsigned objects, kernels;
	int error;
};

/* ---- what is in a code object ---- */

/* Returns true if managed memory loses the instruction unless it is coarse-grained. */
static bool is_lost(const char *arch, const struct isa_atomic *atomic)
{
	struct model_atomic_use use = { .arch = arch,
					.kind = atomic_instruction_kind(atomic),
					.granularity = GRAIN_FINE,
					.location = LOCATION_MOVABLE,
					.pcie_atomics = -1,
					.apu = -1 };

	if (!atomic->fp || !atomic->native || atomic_kind_is_integer(use.kind) ||
	    atomic->space == ISA_SPACE_LDS || atomic->space == ISA_SPACE_SCRATCH ||
	    model_atomic(&use).outcome != OUTCOME_LOST)
		return false;
	use.granularity = GRAIN_COARSE;
	return model_atomic(&use).outcome == OUTCOME_WORKS;
}

static void plan_kernel(struct plan *plan, const struct isa_code_object *object,
			const struct isa_kernel *kernel)
{
	GHashTable *offsets = g_hash_table_new(NULL, NULL);
	bool any = false, partial = false;

	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];
		const struct isa_origin *origin = &atomic->origin;

		if (!is_lost(object->arch, atomic) || origin->kind == ISA_ORIGIN_LDS ||
		    origin->kind == ISA_ORIGIN_GLOBAL)
			continue;
		any = true;
		partial |= origin->kind != ISA_ORIGIN_DIRECT && origin->kind != ISA_ORIGIN_SET;
		for (size_t k = 0;
		     k < origin->kernarg_count &&
		     (origin->kind == ISA_ORIGIN_DIRECT || origin->kind == ISA_ORIGIN_SET);
		     k++)
			g_hash_table_add(offsets, GUINT_TO_POINTER(origin->kernarg[k]));
	}
	if (any) {
		GList *list = g_hash_table_get_keys(offsets);

		fprintf(plan->file, "kernel %s", kernel->symbol);
		for (const GList *at = list; at; at = at->next)
			fprintf(plan->file, " %u", GPOINTER_TO_UINT(at->data));
		fprintf(plan->file, "%s\n", partial ? " ?" : "");
		plan->kernels++;
		g_list_free(list);
	}
	g_hash_table_destroy(offsets);
}

static void plan_object(void *user, struct scan_item *item)
{
	struct plan *plan = user;

	if (item->status) {
		/* Left out: its kernels are reported as not covered when they are launched. */
		message_warning("--fix: %s: %s", plan->path,
				item->error ? item->error : strerror(-item->status));
		return;
	}
	fprintf(plan->file, "object %s\n", item->object->sha256);
	plan->objects++;
	for (size_t i = 0; i < item->object->kernel_count; i++)
		plan_kernel(plan, item->object, &item->object->kernels[i]);
}

/* ---- what is in a file ---- */

static void found(void *user, const void *elf, size_t size, const char *target)
{
	struct plan *plan = user;

	if (scan_queue_add(&plan->queue, elf, size, target, NULL))
		plan->error = -ENOMEM;
}

static void problem(void *user, const char *text)
{
	message_warning("--fix: %s: %s", ((struct plan *)user)->path, text);
}

static void keep(void *user, void *buffer, size_t size)
{
	struct plan *plan = user;

	if (scan_queue_keep(&plan->queue, buffer, size))
		plan->error = -ENOMEM;
}

static void plan_file(struct plan *plan, const char *path)
{
	const struct container_sink sink = { found, problem, plan, keep };
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *data = MAP_FAILED;

	plan->path = path;
	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size)
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (data != MAP_FAILED) {
		if (containers_in_host(data, (size_t)status.st_size)) {
			plan->queue = (struct scan_queue){ .options = { .atomics_only = true },
							   .jobs = g_get_num_processors(),
							   .report = plan_object,
							   .user = plan };
			containers_walk(data, (size_t)status.st_size, &sink);
			scan_queue_flush(&plan->queue);
			scan_queue_free(&plan->queue);
		}
		munmap(data, (size_t)status.st_size);
	}
	if (file >= 0)
		close(file);
}

/* ---- which files ---- */

/* The loader that an executable names (PT_INTERP), to be freed; NULL: it is none of this kind. */
static char *loader_of(const char *path)
{
	char *data = NULL, *loader = NULL;
	const Elf64_Ehdr *header;
	gsize size = 0;

	if (!g_file_get_contents(path, &data, &size, NULL) || size < sizeof(*header) ||
	    memcmp(data, ELFMAG, SELFMAG) != 0 || data[EI_CLASS] != ELFCLASS64) {
		g_free(data);
		return NULL;
	}
	header = (const Elf64_Ehdr *)data;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;
		uint64_t at = header->e_phoff + (uint64_t)i * sizeof(segment);

		if (at > size || size - at < sizeof(segment))
			break;
		memcpy(&segment, data + at, sizeof(segment));
		if (segment.p_type == PT_INTERP && segment.p_offset < size &&
		    segment.p_filesz <= size - segment.p_offset) {
			loader = g_strndup(data + segment.p_offset, segment.p_filesz);
			break;
		}
	}
	g_free(data);
	return loader;
}

/* Returns the libraries that the loader would load with it: lines "NAME => PATH (0xADDRESS)" of
 * `ld.so --list`. */
static char *list_libraries(const char *path)
{
	char *loader = loader_of(path), *output = NULL;
	char *argv[] = { loader, (char *)"--list", (char *)(uintptr_t)path, NULL };
	char **environment = g_environ_unsetenv(g_get_environ(), "LD_PRELOAD");
	int status = 0;

	if (loader && !g_spawn_sync(NULL, argv, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
				    &output, NULL, &status, NULL))
		output = NULL;
	g_strfreev(environment);
	g_free(loader);
	return output;
}

static void plan_libraries(struct plan *plan, const char *executable)
{
	char *output = list_libraries(executable);
	char **lines = g_strsplit(output ? output : "", "\n", -1);

	for (char **line = lines; *line; line++) {
		char *path = strstr(*line, "=> /"), *end = path ? strrchr(path, '(') : NULL;

		if (end) {
			path += 3;
			end[-1] = 0;
			plan_file(plan, path);
		}
	}
	g_strfreev(lines);
	g_free(output);
}

int fix_plan_write(const char *command, char **path)
{
	const char *folder = getenv("TMPDIR");
	struct plan plan = { 0 };
	char *executable = NULL, why[512];
	int file;

	*path = NULL;
	if (target_resolve(command, &executable, why, sizeof(why)) < 0) {
		message_error("'%s': %s", command, why);
		return -ENOENT;
	}
	*path = g_strdup_printf("%s/hipgrain-fix-XXXXXX", folder && *folder ? folder : "/tmp");
	file = mkstemp(*path);
	plan.file = file < 0 ? NULL : fdopen(file, "w");
	if (!plan.file) {
		message_error("%s: %s", *path, strerror(errno));
		plan.error = -errno;
		goto out;
	}
	fputs("hipgrain-fix-plan 1\n", plan.file);
	plan_file(&plan, executable);
	plan_libraries(&plan, executable);
	if (fclose(plan.file) != 0) {
		plan.error = -errno;
		message_error("%s: %s", *path, strerror(-plan.error));
	} else if (!plan.objects) {
		message_warning(
		    "--fix=coarse-managed: no device code in %s or its libraries: kernels of "
		    "programs that it starts and of libraries that it loads later are not covered",
		    executable);
	}
out:
	free(executable);
	if (plan.error) {
		g_free(*path);
		*path = NULL;
	}
	return plan.error;
}
