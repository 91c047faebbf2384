/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording needs: our own libraries, LTTng's daemon and its shared memory, the program. */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <lttng/lttng.h>
#include <lttng/ust-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "tracer/daemon.h"
#include "tracer/install.h"
#include "tracer/session.h"
#include "tracer/target.h"

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
	doctor_add(doctor, paths.softgpu ? HEALTH_OK : HEALTH_LIMITED, NULL,
		   paths.softgpu ? "the software GPU is installed (--softgpu)"
				 : "the software GPU is not installed: --softgpu does not work");
	install_paths_free(&paths);
}

/* ---- LTTng ---- */

/* "lttng-sessiond 2.13.9 - Nordicité - ...": the two numbers, false if there are none. */
static bool daemon_version(const char *program, unsigned *major, unsigned *minor)
{
	char *command[] = { (char *)program, (char *)"--version", NULL };
	char *output = NULL;
	const char *digit;
	bool found;

	if (!g_spawn_sync(NULL, command, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output,
			  NULL, NULL, NULL)) {
		return false;
	}
	digit = output ? strpbrk(output, "0123456789") : NULL;
	found = digit && sscanf(digit, "%u.%u", major, minor) == 2;
	g_free(output);
	return found;
}

static void check_daemon(struct doctor *doctor)
{
	char *program = daemon_program();
	unsigned major = 0, minor = 0;

	if (lttng_session_daemon_alive() == 1) {
		doctor_add(
		    doctor, HEALTH_OK, NULL,
		    "a session daemon runs; recordings share it (--own-daemon: not as root)");
	} else if (!program) {
		doctor->no_record = true;
		doctor_add(doctor, HEALTH_BROKEN,
			   "install LTTng's daemon (Debian: package lttng-tools)",
			   "no lttng-sessiond in PATH");
		return;
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "no session daemon runs; a recording starts one for itself");
	}
	if (!program || !daemon_version(program, &major, &minor)) {
		doctor_add(doctor, HEALTH_UNKNOWN, NULL,
			   "lttng-sessiond does not tell its version");
	} else if (major < LTTNG_UST_MAJOR_VERSION ||
		   (major == LTTNG_UST_MAJOR_VERSION && minor < LTTNG_UST_MINOR_VERSION)) {
		/* The library speaks the daemon's protocol of its own version (lttng-ust(3)). */
		doctor_add(doctor, HEALTH_LIMITED,
			   "use an lttng-tools at least as new as liblttng-ust",
			   "lttng-sessiond %u.%u is older than liblttng-ust %d.%d: it may refuse",
			   major, minor, LTTNG_UST_MAJOR_VERSION, LTTNG_UST_MINOR_VERSION);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "lttng-sessiond %u.%u, liblttng-ust %d.%d",
			   major, minor, LTTNG_UST_MAJOR_VERSION, LTTNG_UST_MINOR_VERSION);
	}
	free(program);
}

static void check_buffers(struct doctor *doctor)
{
	struct session_buffers buffers;
	char why[512];

	if (session_measure_buffers(&buffers, why, sizeof(why)) != 0) {
		doctor->no_record = true;
		doctor_add(doctor, HEALTH_BROKEN, "free shared memory (df /dev/shm)", "%s", why);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "trace buffers: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
			   " KiB for each CPU",
			   buffers.count, buffers.size / 1024);
	}
}

void doctor_check_recording(struct doctor *doctor)
{
	doctor->section = "Recording";
	check_install(doctor);
	check_daemon(doctor);
	check_buffers(doctor);
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

		if (!gelf_getshdr(section, &header)) {
			continue;
		}
		name = elf_strptr(elf, names, header.sh_name);
		facts->has_kernels |= name && strcmp(name, ".hip_fatbin") == 0;
		if (header.sh_type == SHT_DYNAMIC) {
			read_dynamic(elf, section, &header, facts);
		}
	}
	if (elf) {
		elf_end(elf);
	}
	if (fd >= 0) {
		close(fd);
	}
	return is_elf;
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
			   "it is a script: what it starts is recorded as well");
	} else if (facts.linked_to_hip) {
		doctor_add(doctor, HEALTH_OK, NULL, "it is linked to the HIP runtime%s",
			   facts.has_kernels ? " and has kernels in it" : "");
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "it is not linked to the HIP runtime itself%s: a library may be, or it "
			   "may be loaded while the program runs; both are seen",
			   facts.has_kernels ? " but has kernels in it" : "");
	}
	free(path);
}
