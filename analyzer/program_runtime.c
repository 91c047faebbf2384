/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the dynamic linker prints with LD_TRACE_LOADED_OBJECTS, see ld.so(8): like its option
 * --list, but a library that is missing does not end it. */
#include "program_runtime.h"

#include <glib.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "comgr/rocm.h"
#include "tracer/command_file.h"
#ifdef HIPGRAIN_PORTABLE
#include "comgr/load.h"
#endif

/* The linker may take so much CPU time, and time, for a file that was made to delay it. */
#define LINKER_SECONDS 10

/* The first object is the program, this one: its PT_INTERP, or NULL. */
static int own_interpreter(struct dl_phdr_info *object, size_t size, void *found)
{
	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_INTERP)
			*(const char **)found =
			    (const char *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	return 1;
}

static void limit_time(void *unused)
{
	struct rlimit limit = { LINKER_SECONDS, LINKER_SECONDS };

	(void)unused;
	setrlimit(RLIMIT_CPU, &limit);
	alarm(LINKER_SECONDS);
}

static bool names(const char *text, const char *library)
{
	return g_str_has_prefix(text, library) && g_str_has_prefix(text + strlen(library), ".so");
}

/*
 * Parses "libamdhip64.so.6 => /opt/rocm/lib/libamdhip64.so.6 (0x00007f...)", or "=> not found", or
 * a path in place of a name. Returns false for another library; *file is NULL if it was not found.
 */
static bool read_line(const char *line, const char *library, char **name, char **file)
{
	const char *arrow = strstr(line, " => "), *address = g_strrstr(line, " (0x");
	char *base = NULL;
	bool matches;

	*name = *file = NULL;
	if (!arrow && !address)
		return false;
	*name = g_strndup(line, (gsize)((arrow ? arrow : address) - line));
	base = g_path_get_basename(*name);
	matches = names(base, library);
	g_free(base);
	if (matches && address)
		*file = g_strndup(arrow ? arrow + 4 : line,
				  (gsize)(address - (arrow ? arrow + 4 : line)));
	if (!matches) {
		g_free(*name);
		*name = NULL;
	}
	return matches;
}

static void find_beside(struct program_runtime *runtime)
{
	char *folder = g_path_get_dirname(runtime->hip);
	char **list = rocm_libraries_in(folder, "libamd_comgr.so");

	/* It may be opened when it is needed first. */
	if (list && list[0])
		runtime->comgr = g_strdup(list[0]);
	rocm_libraries_free(list);
	g_free(folder);
}

void program_runtime_find(const char *program, struct program_runtime *runtime)
{
	char *interpreter = NULL, *output = NULL, **lines, *name, *file;
	char *command[] = { NULL, (char *)program, NULL };
	char **environment =
	    g_environ_setenv(g_get_environ(), "LD_TRACE_LOADED_OBJECTS", "1", TRUE);
	bool started;

	*runtime = (struct program_runtime){ NULL, NULL, NULL };
	dl_iterate_phdr(own_interpreter, &interpreter);
	command[0] = interpreter;
	environment = g_environ_unsetenv(environment, "LD_VERBOSE");
	environment = g_environ_unsetenv(environment, "LD_WARN");
	started =
	    interpreter && g_spawn_sync(NULL, command, environment, G_SPAWN_STDERR_TO_DEV_NULL,
					limit_time, NULL, &output, NULL, NULL, NULL);
	g_strfreev(environment);
	if (!started)
		return;
	lines = g_strsplit(output, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_strstrip(*line);
		if (read_line(*line, "libamdhip64", &name, &file)) {
			if (file && !runtime->hip)
				runtime->hip = g_strdup(file);
			if (!file && !runtime->missing)
				runtime->missing = g_strdup(name);
		} else if (read_line(*line, "libamd_comgr", &name, &file) && file &&
			   !runtime->comgr) {
			runtime->comgr = g_strdup(file);
		}
		g_free(name);
		g_free(file);
	}
	if (runtime->hip && !runtime->comgr)
		find_beside(runtime);
	g_strfreev(lines);
	g_free(output);
}

void program_runtime_use(const char *command, struct program_runtime *runtime)
{
	char *path = NULL, why[512];

	*runtime = (struct program_runtime){ NULL, NULL, NULL };
	if (target_resolve(command, &path, why, sizeof(why)) != 0)
		return; /* the program's starter says why */
	program_runtime_find(path, runtime);
	free(path);
#ifdef HIPGRAIN_PORTABLE
	comgr_prefer(runtime->comgr);
#endif
}

void program_runtime_clear(struct program_runtime *runtime)
{
	g_free(runtime->hip);
	g_free(runtime->missing);
	g_free(runtime->comgr);
}
