/* SPDX-License-Identifier: Apache-2.0 */
/* posix_spawn(): it may execute a program that cannot be recorded. */
#include <dlfcn.h>
#include <spawn.h>

#include "preload/control/executable.h"
#include "preload/core/base.h"
#include "preload/core/libc.h"

typedef int spawn_function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const env[]);

static size_t count_entries(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

static int spawn(spawn_function *real, bool search, pid_t *pid, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const argv[], char *const env[])
{
	struct hg_image image = hg_image_of(path, -1, search, env);
	bool changed = image.foreign && env;
	char *list[changed ? count_entries(env) + 1 : 1];
	char preload[changed ? hg_image_preload_length(env) : 1];
	pid_t child = 0;
	int rc;

	rc = real(&child, path, actions, attributes, argv,
		  changed ? hg_image_environment(env, list, preload) : env);
	if (!rc && pid)
		*pid = child;
	if (!rc && image.why)
		hg_missed_add(image.why, image.name, child);
	return rc;
}

#define SPAWN(name, search)                                                             \
	HG_EXPORT int name(pid_t *restrict pid, const char *restrict path,              \
			   const posix_spawn_file_actions_t *restrict actions,          \
			   const posix_spawnattr_t *restrict attributes,                \
			   char *const argv[restrict], char *const env[restrict])       \
	{                                                                               \
		static spawn_function *real; /* atomic */                               \
		spawn_function *found = __atomic_load_n(&real, __ATOMIC_RELAXED);       \
                                                                                        \
		if (!found) {                                                           \
			hg_libc_init();                                                 \
			found = (spawn_function *)hg_libc.dlsym(RTLD_NEXT, #name);      \
			__atomic_store_n(&real, found, __ATOMIC_RELAXED);               \
		}                                                                       \
		if (HG_LIKELY(!hg_config.dir) || hg_tls.busy || hg_confined)            \
			return found(pid, path, actions, attributes, argv, env);        \
		return spawn(found, search, pid, path, actions, attributes, argv, env); \
	}

SPAWN(posix_spawn, false)
SPAWN(posix_spawnp, true)
