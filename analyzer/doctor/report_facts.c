/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain doctor --report: one block to paste into a report, with what was built, the machine,
 * what this user may do on it, its limits and settings, and below it the checks without their
 * advice.
 */
#include <dirent.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <grp.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"
#include "doctor.h"
#include "hide_names.h"
#include "tracer/install.h"

#define SMALL_FILE 4096
#define GIB        ((double)(1u << 30))
/* Groups of packages have numbers below it (Debian policy 9.2.2), those of people are above. */
#define FIRST_OF_PEOPLE 1000

extern char **environ;

/* Prints a line of the block: a name, and the text with placeholders. */
static void G_GNUC_PRINTF(3, 4)
    fact(struct redaction *redaction, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text, *shown;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_strdelimit(text, "\n\r", ' ');
	shown = redact_text(redaction, g_strstrip(text));
	printf("  %-12s %s\n", name, shown);
	g_free(shown);
	g_free(text);
}

/* Returns the beginning of a small file of the kernel or the system; NULL if it cannot be read. */
static char *read_small(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char buffer[SMALL_FILE + 1];
	ssize_t got = fd >= 0 ? read(fd, buffer, SMALL_FILE) : -1;

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return NULL;
	buffer[got] = '\0';
	return g_strdup(buffer);
}

/* Returns what follows NAME and a separator on a line of the text, up to the line's end; "" if
 * there is no such line. */
static char *field_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && strchr(":= \t", line[length]) &&
		    line[length]) {
			const char *value = line + length + strspn(line + length, ":= \t\"");

			return g_strndup(value, strcspn(value, "\n\""));
		}
	}
	return g_strdup("");
}

/* ---- hipgrain ---- */

/* Adds the build ID of the first object, which is the executable. */
static int add_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
	GString *text = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);
			const unsigned char *bytes =
			    (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && strcmp(name, "GNU") == 0)
				for (ElfW(Word) k = 0; k < note->n_descsz; k++)
					g_string_append_printf(text, "%02x", bytes[k]);
			at = (const char *)bytes + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1;
}

static const char *kind_of_installation(void)
{
	char *bundled = install_bundled("lttng-sessiond");
	char *self = realpath("/proc/self/exe", NULL);
	char *folder = self ? g_path_get_dirname(self) : NULL;
	char *ninja = folder ? g_build_filename(folder, "build.ninja", NULL) : NULL;
	const char *kind = bundled                                           ? "portable tree"
			   : ninja && g_file_test(ninja, G_FILE_TEST_EXISTS) ? "built from source"
			   : self && g_str_has_prefix(self, "/usr/bin/")     ? "package"
									     : "installed";

	g_free(ninja);
	g_free(folder);
	free(self);
	free(bundled);
	return kind;
}

static void tell_build(struct redaction *redaction)
{
	GString *id = g_string_new(NULL);

	dl_iterate_phdr(add_build_id, id);
	fact(redaction, "hipgrain", "%s, %s, build ID %s", HIPGRAIN_VERSION, kind_of_installation(),
	     id->len ? id->str : "unknown");
	fact(redaction, "built by", "compiler %s, for glibc %d.%d", __VERSION__, __GLIBC__,
	     __GLIBC_MINOR__);
	g_string_free(id, TRUE);
}

/* ---- the machine ---- */

static void tell_system(struct redaction *redaction)
{
	char *release = read_small("/etc/os-release"), *name = field_of(release, "PRETTY_NAME");
	char *processors = read_small("/proc/cpuinfo"), *model = field_of(processors, "model name");
	char *memory = read_small("/proc/meminfo"), *total = field_of(memory, "MemTotal");
	char *driver = read_small("/sys/module/amdgpu/version");
	bool contained = access("/.dockerenv", F_OK) == 0 ||
			 access("/run/.containerenv", F_OK) == 0 ||
			 access("/.singularity.d", F_OK) == 0;
	struct utsname names;

	uname(&names);
	fact(redaction, "system", "%s, glibc %s, %s%s", *name ? name : "unknown",
	     gnu_get_libc_version(), names.machine, contained ? ", in a container" : "");
	fact(redaction, "kernel", "%s %s %s", names.sysname, names.release, names.version);
	fact(redaction, "amdgpu", "%s",
	     driver                                    ? driver
	     : access("/sys/module/amdgpu", F_OK) == 0 ? "the kernel's own"
						       : "not loaded");
	fact(redaction, "processors", "%ld of %ld, %s; memory %s", sysconf(_SC_NPROCESSORS_ONLN),
	     sysconf(_SC_NPROCESSORS_CONF), *model ? model : "unknown model",
	     *total ? total : "unknown");
	g_free(driver);
	g_free(total);
	g_free(memory);
	g_free(model);
	g_free(processors);
	g_free(name);
	g_free(release);
}

/* ---- permissions ---- */

static void tell_device(struct redaction *redaction, const char *path)
{
	struct group *group;
	struct stat status;

	if (stat(path, &status) != 0) {
		fact(redaction, "device", "%s: %m", path);
		return;
	}
	group = status.st_gid < FIRST_OF_PEOPLE ? getgrgid(status.st_gid) : NULL;
	fact(redaction, "device", "%s: mode %o, user %s, group %s; %s", path,
	     (unsigned)(status.st_mode & 07777), status.st_uid ? "not root" : "root",
	     group ? group->gr_name : "of people",
	     access(path, R_OK | W_OK) == 0 ? "can be opened" : "cannot be opened");
}

static void tell_devices(struct redaction *redaction)
{
	struct dirent **names = NULL;
	int count = scandir("/dev/dri", &names, NULL, alphasort);

	tell_device(redaction, "/dev/kfd");
	for (int i = 0; i < count; i++) {
		if (g_str_has_prefix(names[i]->d_name, "renderD")) {
			char *path = g_build_filename("/dev/dri", names[i]->d_name, NULL);

			tell_device(redaction, path);
			g_free(path);
		}
		free(names[i]);
	}
	free(names);
}

/* Prints "NAME VALUE" of each of the kernel's settings that decide what a recorder may do. */
static void tell_permissions(struct redaction *redaction)
{
	static const char *const files[] = {
		"/proc/sys/kernel/yama/ptrace_scope",    "/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/vm/unprivileged_userfaultfd", "/proc/sys/vm/overcommit_memory",
		"/proc/sys/user/max_user_namespaces",    "/sys/kernel/security/lsm",
	};
	char *status = read_small("/proc/self/status"), *seccomp = field_of(status, "Seccomp");
	char *privileges = field_of(status, "NoNewPrivs"),
	     *capabilities = field_of(status, "CapEff");
	GString *text = g_string_new(NULL);

	fact(redaction, "user", "%s, capabilities %s, seccomp %s, no_new_privs %s",
	     geteuid() ? "not root" : "root", capabilities, seccomp, privileges);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *value = read_small(files[i]);

		if (value)
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "",
					       strrchr(files[i], '/') + 1, g_strstrip(value));
		g_free(value);
	}
	fact(redaction, "settings", "%s", text->str);
	tell_devices(redaction);
	g_string_free(text, TRUE);
	g_free(capabilities);
	g_free(privileges);
	g_free(seccomp);
	g_free(status);
}

/* ---- limits ---- */

static void add_limit(GString *text, rlim_t limit)
{
	if (limit == RLIM_INFINITY)
		g_string_append(text, "unlimited");
	else
		g_string_append_printf(text, "%llu", (unsigned long long)limit);
}

static void tell_space(struct redaction *redaction, const char *name, const char *path)
{
	struct statvfs space;

	if (statvfs(path, &space) != 0)
		fact(redaction, name, "%s: %m", path);
	else
		fact(redaction, name, "%.1f GiB free of %.1f%s",
		     (double)space.f_bavail * (double)space.f_frsize / GIB,
		     (double)space.f_blocks * (double)space.f_frsize / GIB,
		     space.f_flag & ST_NOEXEC ? ", noexec" : "");
}

static void tell_limits(struct redaction *redaction)
{
	static const struct {
		const char *name;
		__rlimit_resource_t resource;
	} limits[] = {
		{ "open files", RLIMIT_NOFILE },
		{ "processes", RLIMIT_NPROC },
		{ "locked memory", RLIMIT_MEMLOCK },
		{ "address space", RLIMIT_AS },
		{ "file size", RLIMIT_FSIZE },
		{ "stack", RLIMIT_STACK },
		{ "core", RLIMIT_CORE },
	};
	char *groups = read_small("/proc/self/cgroup"), *unified = field_of(groups, "0:");
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
		struct rlimit limit;

		if (getrlimit(limits[i].resource, &limit) != 0)
			continue;
		g_string_append_printf(text, "%s%s ", i ? ", " : "", limits[i].name);
		add_limit(text, limit.rlim_cur);
		g_string_append(text, " of ");
		add_limit(text, limit.rlim_max);
	}
	fact(redaction, "limits", "%s", text->str);
	g_string_truncate(text, 0);
	for (unsigned i = 0; i < 2; i++) {
		static const char *const names[] = { "memory.max", "cpu.max" };
		char *path = g_strdup_printf("/sys/fs/cgroup%s/%s", unified, names[i]);
		char *value = read_small(path);

		g_string_append_printf(text, "%s%s %s", i ? ", " : "", names[i],
				       value ? g_strstrip(value) : "unknown");
		g_free(value);
		g_free(path);
	}
	fact(redaction, "cgroup", "%s", text->str);
	tell_space(redaction, "/dev/shm", "/dev/shm");
	tell_space(redaction, "temporary", g_get_tmp_dir());
	g_string_free(text, TRUE);
	g_free(unified);
	g_free(groups);
}

/* ---- the environment ---- */

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints the variables that AMD's software, hipgrain, the loader and allocators read. */
static void tell_environment(struct redaction *redaction)
{
	static const char *const prefixes[] = {
		"AMD_",      "GPU_", "HIPGRAIN_",     "HIP_",   "HSA_",
		"KOKKOS_",   "LD_",  "LIBOMPTARGET_", "LTTNG_", "MALLOC_",
		"MPICH_GPU", "OMP_", "ROCM_",         "ROCR_",  "SOFTGPU_",
	};
	GPtrArray *names = g_ptr_array_new();

	for (char **variable = environ; *variable; variable++)
		for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
			if (g_str_has_prefix(*variable, prefixes[i]) && strchr(*variable, '='))
				g_ptr_array_add(names, *variable);
	g_ptr_array_sort(names, by_text);
	for (guint i = 0; i < names->len; i++) {
		const char *variable = names->pdata[i], *equals = strchr(variable, '=');
		char *value = redact_value(redaction, equals + 1);

		fact(redaction, "variable", "%.*s=%s", (int)(equals - variable), variable, value);
		g_free(value);
	}
	g_ptr_array_unref(names);
}

/* ---- the whole block ---- */

/* Tells the redaction which paths there are, also those with spaces in them. */
static void know_paths(struct redaction *redaction, const struct doctor *doctor,
		       const char *command)
{
	static const char *const variables[] = { "HOME",       "PWD",   "LD_LIBRARY_PATH",
						 "LD_PRELOAD", "PATH",  "ROCM_PATH",
						 "HIP_PATH",   "TMPDIR" };
	char *here = g_get_current_dir(), *self = realpath("/proc/self/exe", NULL);
	char *bin = self ? g_path_get_dirname(self) : NULL,
	     *tree = bin ? g_path_get_dirname(bin) : NULL;
	char *program = command ? realpath(command, NULL) : NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		redact_know(redaction, getenv(variables[i]));
	redact_know(redaction, here);
	redact_know(redaction, bin);
	redact_know(redaction, tree);
	redact_know(redaction, command);
	redact_know(redaction, program);
	redact_know(redaction, doctor->program.hip);
	free(program);
	g_free(tree);
	g_free(bin);
	free(self);
	g_free(here);
}

void doctor_print_report(const struct doctor *doctor, const char *command)
{
	struct redaction redaction;

	redact_begin(&redaction, g_get_user_name(), g_get_host_name());
	know_paths(&redaction, doctor, command);
	printf("hipgrain doctor --report\n");
	tell_build(&redaction);
	tell_system(&redaction);
	tell_permissions(&redaction);
	tell_limits(&redaction);
	tell_environment(&redaction);
	for (guint i = 0; i < doctor->checks->len; i++) {
		const struct check *check = doctor->checks->pdata[i];

		fact(&redaction, health_name(check->health), "%s", check->text);
	}
	redact_end(&redaction);
}
