/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the needs of a recording: our own libraries, shared memory for LTTng's buffers, the
 * program. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/containers/containers.h"
#include "analyzer/containers/file_targets.h"
#include "doctor.h"
#include "tracer/buffers.h"
#include "tracer/environment.h"
#include "tracer/install.h"
#include "tracer/softgpu_name.h"
#include "tracer/command_file.h"

/* ---- our own files ---- */

static void check_install(struct doctor *doctor)
{
	struct install_paths paths;
	char why[512];

	if (install_find(&paths, why, sizeof(why)) != 0) {
		doctor->no_record = true;
		doctor_add(doctor, HEALTH_BROKEN, "install hipgrain again", "%s", why);
		return;
	}
	doctor_add(doctor, HEALTH_OK, NULL, "%s would be preloaded", paths.preload);
	if (environment_lacks(&paths))
		doctor_add(doctor, HEALTH_LIMITED, NULL, "--softgpu does not work: %s",
			   environment_lacks(&paths));
	else
		doctor_add(doctor, HEALTH_OK, NULL, "the software GPU is installed (--softgpu)");
	install_paths_free(&paths);
}

void doctor_check_softgpu(struct doctor *doctor, char **arguments)
{
	const char *xcds = getenv("SOFTGPU_XCDS"), *arch = getenv("SOFTGPU_ARCH");
	struct install_paths paths = { 0 };
	char why[512];

	doctor->section = "GPUs";
	if (install_find(&paths, why, sizeof(why)) != 0 || environment_lacks(&paths)) {
		doctor_add(doctor, HEALTH_BROKEN,
			   "install hipgrain with it, or run on a machine with an AMD GPU",
			   "the software GPU is not installed");
	} else if (environment_enter(&paths, "doctor", arguments) < 0) {
		doctor_add(doctor, HEALTH_BROKEN, NULL, "the software GPU cannot be preloaded: %s",
			   strerror(errno));
	} else {
		if (!arch || !*arch)
			arch = xcds && atoi(xcds) > 1 ? HG_SOFTGPU_XCDS_ARCH : HG_SOFTGPU_ARCH;
		g_ptr_array_add(doctor->targets, g_strdup(arch));
		doctor_add(doctor, HEALTH_OK, NULL, "the software GPU models a %s (SOFTGPU_ARCH)",
			   arch);
	}
	install_paths_free(&paths);
}

/* ---- shared memory ---- */

static void check_buffers(struct doctor *doctor)
{
	struct buffers buffers;
	char why[512];

	if (buffers_measure(&buffers, why, sizeof(why)) != 0) {
		doctor->no_record = true;
		doctor_add(doctor, HEALTH_BROKEN, "free shared memory (df /dev/shm)", "%s", why);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "trace buffers: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
			   " KiB for each CPU",
			   buffers.count, buffers.size / 1024);
	}
}

/* ---- MPI ---- */

/*
 * Checks for cray-mpich, which with GPU support hands memory to other ranks of the node by IPC,
 * unless that is turned off [https://github.com/BLAST-WarpX/warpx/issues/6382].
 */
static void check_mpi(struct doctor *doctor)
{
	const char *support = getenv("MPICH_GPU_SUPPORT_ENABLED");
	const char *ipc = getenv("MPICH_GPU_IPC_ENABLED");

	if (!support || strcmp(support, "1") != 0)
		return;
	if (ipc && strcmp(ipc, "0") == 0) {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "MPICH_GPU_SUPPORT_ENABLED=1, MPICH_GPU_IPC_ENABLED=0: cray-mpich takes "
			   "GPU memory, and opens none of other ranks");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "MPICH_GPU_SUPPORT_ENABLED=1: cray-mpich opens GPU memory of other "
			   "ranks of the node (IPC); that is recorded as calls of libmpi_gtl_hsa");
	}
}

void doctor_check_recording(struct doctor *doctor)
{
	doctor->section = "Recording";
	check_install(doctor);
	check_buffers(doctor);
	doctor_check_daemon(doctor);
	check_mpi(doctor);
}

/* ---- the program ---- */

/* Does the dynamic section name libamdhip64, and is there a .hip_fatbin? */
struct program_facts {
	bool dynamic, linked_to_hip, has_kernels;
};

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			 struct program_facts *facts)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	facts->dynamic = true;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name = entry.d_tag == DT_NEEDED
				       ? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
				       : NULL;

		facts->linked_to_hip |= name && g_str_has_prefix(name, "libamdhip64.so");
	}
}

/* False if the file is no ELF file (a script, say). */
static bool read_program(const char *path, struct program_facts *facts)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	size_t names = 0;
	Elf *elf;
	bool is_elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	is_elf = elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0;
	while (is_elf && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		facts->has_kernels |= name && strcmp(name, ".hip_fatbin") == 0;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(elf, section, &header, facts);
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return is_elf;
}

static bool is_compressed(const char *path)
{
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	bool compressed = file && containers_compressed(g_mapped_file_get_contents(file),
							g_mapped_file_get_length(file));

	if (file)
		g_mapped_file_unref(file);
	return compressed;
}

/* Checks for each processor of the machine if the program's own kernels can run on it. */
static void check_targets(struct doctor *doctor, const char *path)
{
	GPtrArray *targets = file_targets(path);
	char *text = targets ? file_targets_text(targets) : NULL;
	unsigned fitting = 0;

	for (guint i = 0; targets && i < doctor->targets->len; i++) {
		const char *processor = doctor->targets->pdata[i];

		fitting += file_targets_match(targets, processor);
		if (!file_targets_match(targets, processor)) {
			char *advice =
			    g_strdup_printf("compile it with --offload-arch=%s as well", processor);

			doctor_add(doctor, HEALTH_LIMITED, advice,
				   "its kernels are for %s and cannot run on %s", text, processor);
			g_free(advice);
		}
	}
	doctor->no_kernel = targets && doctor->targets->len && !fitting;
	if (targets)
		g_ptr_array_unref(targets);
	g_free(text);
}

void doctor_check_program(struct doctor *doctor, const char *command)
{
	struct program_facts facts = { 0 };
	char *path = NULL;
	char why[512];

	doctor->section = "Program";
	if (target_resolve(command, &path, why, sizeof(why)) != 0) {
		doctor->no_record = true;
		doctor_add(doctor, HEALTH_BROKEN, NULL, "%s: %s", command, why);
		return;
	}
	doctor_add(doctor, HEALTH_OK, NULL, "%s can be preloaded", path);
	if (!read_program(path, &facts)) {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "it is a script: programs that it starts are recorded as well");
	} else if (facts.linked_to_hip) {
		doctor_add(doctor, HEALTH_OK, NULL, "it is linked to the HIP runtime%s",
			   facts.has_kernels ? " and has kernels in it" : "");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "it is not linked to the HIP runtime itself%s: a library may be, or the "
			   "program may load it at run time; both are recorded",
			   facts.has_kernels ? " but has kernels in it" : "");
	}
	/* OpenMP has its code for GPUs in other sections. */
	check_targets(doctor, path);
	if (doctor->program.missing) {
		doctor_add(doctor, HEALTH_BROKEN,
			   "set LD_LIBRARY_PATH to the directory where your ROCm has it",
			   "it needs %s, which the dynamic linker does not find",
			   doctor->program.missing);
	}
	if (doctor->runtime >= 50700000 && doctor->runtime < 60000000 && is_compressed(path))
		doctor_add(doctor, HEALTH_BROKEN,
			   "compile it without --offload-compress, or use HIP 6 or later",
			   "its device code is in compressed bundles, on which HIP 5.7.1 crashes "
			   "by itself at the first call");
	free(path);
}
