/* SPDX-License-Identifier: Apache-2.0 */
/* `hipgrain standby`, and the processes on standby that `attach` finds. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "tracer/attach.h"
#include "tracer/bundle.h"
#include "tracer/environment.h"
#include "tracer/install.h"
#include "tracer/message.h"
#include "tracer/process_lives.h"
#include "tracer/record_request.h"
#include "tracer/ring.h"
#include "tracer/seccomp_filters.h"
#include "tracer/standby.h"
#include "tracer/command_file.h"
#include "tracer/witness.h"

#define DEFAULT_DIRECTORY "hipgrain.standby"

/* Reads NAME in /proc as a whole, NUL-terminated; malloc'ed. Returns NULL with errno if it
 * fails. */
static char *read_file(pid_t pid, const char *name, size_t *length)
{
	char folder[PROCESS_FOLDER], path[PROCESS_FOLDER + 16], *text = NULL;
	size_t used = 0, room = 0;
	ssize_t got = 1;
	int fd;

	process_folder(pid, folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (got > 0) {
		if (room - used < 4096) {
			char *more = realloc(text, room + 65536);

			if (!more)
				break;
			text = more;
			room += 65536;
		}
		got = read(fd, text + used, room - used - 1);
		used += got > 0 ? (size_t)got : 0;
	}
	if (got < 0 || !text) {
		int error = errno;

		close(fd);
		free(text);
		errno = error;
		return NULL;
	}
	close(fd);
	text[used] = '\0';
	*length = used;
	return text;
}

/* Returns the value of a variable in /proc/PID/environ, or NULL if it is not there. */
static const char *variable(const char *environment, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	for (const char *at = environment; at < environment + length; at += strlen(at) + 1)
		if (strncmp(at, name, name_length) == 0 && at[name_length] == '=')
			return at + name_length + 1;
	return NULL;
}

/* Returns the last number of the line "NStgid:" of /proc/PID/status, proc(5), or the pid itself
 * without it. */
static pid_t own_number(pid_t pid)
{
	size_t length;
	char *status = read_file(pid, "status", &length), *line, *last;
	pid_t number = pid;

	line = status ? strstr(status, "\nNStgid:") : NULL;
	if (line) {
		line++;
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
		number = last ? (pid_t)strtol(last + 1, NULL, 10) : pid;
	}
	free(status);
	return number;
}

static void copy_text(char *target, size_t size, const char *text)
{
	snprintf(target, size, "%s", text ? text : "");
}

int standby_examine(pid_t pid, struct standby_process *process, char *why, size_t why_size)
{
	char *maps = NULL, *environment = NULL;
	const char *value;
	size_t length;
	int result;

	*process = (struct standby_process){ .pid = pid };
	maps = read_file(pid, "maps", &length);
	if (!maps) {
		if (errno == ENOENT || errno == ESRCH)
			return refuse(why, why_size, ESRCH, "no such process");
		return refuse(why, why_size, errno, "it cannot be inspected: %s", strerror(errno));
	}
	if (!strstr(maps, "/libhipgrain-preload.so")) {
		result = refuse(why, why_size, EINVAL,
				"it runs without the preload library, which cannot be added later; "
				"start it with 'hipgrain standby -- CMD'");
		goto out;
	}
	environment = read_file(pid, "environ", &length);
	if (!environment) {
		result = refuse(why, why_size, errno, "its environment cannot be read: %s",
				strerror(errno));
		goto out;
	}
	/* A flight recorder's processes and those of a rotation are prepared like ones on standby.
	 */
	if (variable(environment, length, "HIPGRAIN_SESSION")) {
		result = refuse(why, why_size, EBUSY,
				"it is being recorded already; start it with 'hipgrain standby -- "
				"CMD'");
		goto out;
	}
	value = variable(environment, length, "HIPGRAIN_STANDBY");
	if (!value || strcmp(value, "1") != 0) {
		result = refuse(why, why_size, EINVAL,
				"it has the preload library but is not on standby; start it with "
				"'hipgrain standby -- CMD'");
		goto out;
	}
	process->vpid = own_number(pid);
	value = variable(environment, length, "HIPGRAIN_TOTALS");
	process->totals = value && strcmp(value, "1") == 0;
	copy_text(process->directory, sizeof(process->directory),
		  variable(environment, length, "HIPGRAIN_DIR"));
	if (record_request_of(process->directory, process->vpid)) {
		result = refuse(why, why_size, EBUSY, "another recording has it");
		goto out;
	}
	result = 0;
out:
	free(maps);
	free(environment);
	return result;
}

/* ---- how it stands ---- */

/* Returns true if the process has made a file of records in that folder. */
static bool has_file(const char *directory, const char *folder, pid_t pid)
{
	char *path = NULL;
	struct dirent *entry;
	DIR *list = NULL;
	bool found = false;

	if (asprintf(&path, "%s/%s", directory, folder) >= 0)
		list = opendir(path);
	while (list && !found && (entry = readdir(list)))
		found = strchr(entry->d_name, '-') && strtol(entry->d_name, NULL, 10) == (long)pid;
	if (list)
		closedir(list);
	free(path);
	return found;
}

/* Returns true if a filter ends or refuses system calls of the process, but not ours. */
static bool is_confined(pid_t pid)
{
	size_t length;
	char *its = read_file(pid, "status", &length),
	     *own = read_file(getpid(), "status", &length);
	bool confined = its && own &&
			(hg_seccomp_filters(its) > hg_seccomp_filters(own) ||
			 hg_status_number(its, "Seccomp:") > hg_status_number(own, "Seccomp:"));

	free(its);
	free(own);
	return confined;
}

static const char *note_recorded(const struct standby_process *process)
{
	if (is_confined(process->pid))
		return "it restricted its system calls (seccomp): not recorded from then on";
	if (!has_file(process->directory, HG_RINGS, process->vpid))
		return "nothing recorded: it has done nothing yet that is, or could not make its "
		       "file";
	return NULL;
}

static const char *note_waiting(const struct standby_process *process)
{
	uint64_t request = record_request_of(process->directory, process->vpid);
	char folder[HG_RINGS_NAME];

	if (is_confined(process->pid))
		return "it restricted its system calls (seccomp): it cannot be recorded";
	if (!request)
		return NULL;
	snprintf(folder, sizeof(folder), HG_RINGS_OF, request);
	return has_file(process->directory, folder, process->vpid)
		   ? "recorded: attached"
		   : "to be recorded: attached, and it has made no call since";
}

int standby_inspect(pid_t pid, struct standby_process *process, enum standby_state *state,
		    const char **note)
{
	char *maps = NULL, *environment;
	const char *value;
	size_t length;
	bool recorded;
	int result = -EINVAL;

	*process = (struct standby_process){ .pid = pid };
	*note = NULL;
	environment = read_file(pid, "environ", &length);
	value = environment ? variable(environment, length, "HIPGRAIN_DIR") : NULL;
	if (!value || !*value)
		goto out;
	recorded = variable(environment, length, "HIPGRAIN_SESSION") != NULL;
	maps = read_file(pid, "maps", &length);
	if (!maps)
		goto out;
	copy_text(process->directory, sizeof(process->directory), value);
	process->vpid = own_number(pid);
	*state = !strstr(maps, "/libhipgrain-preload.so") ? STANDBY_LEFT_OUT
		 : recorded                               ? STANDBY_RECORDED
							  : STANDBY_WAITS;
	if (*state == STANDBY_LEFT_OUT)
		*note = "not recorded: it runs without the preload library (statically linked, of "
			"another C library, or started without LD_PRELOAD)";
	else
		*note = *state == STANDBY_RECORDED ? note_recorded(process) : note_waiting(process);
	result = 0;
out:
	free(environment);
	free(maps);
	return result;
}

/* ---- all of them ---- */

struct standby_process *standby_find_all(const struct standby_users *users,
					 struct standby_found *found)
{
	struct standby_process *list = NULL;
	struct dirent *entry;
	DIR *directory = opendir("/proc");
	char why[256];

	*found = (struct standby_found){ 0 };
	while (directory && (entry = readdir(directory))) {
		struct standby_process process, *more;
		struct stat status;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		int result;

		if (*end || pid <= 0 || pid == getpid() ||
		    fstatat(dirfd(directory), entry->d_name, &status, 0))
			continue;
		result = standby_examine((pid_t)pid, &process, why, sizeof(why));
		if (!users->all && status.st_uid != users->user) {
			found->foreign += result == 0;
			continue;
		}
		found->recorded += result == -EBUSY;
		if (result)
			continue;
		more = realloc(list, (found->count + 1) * sizeof(*list));
		if (!more)
			break;
		list = more;
		list[found->count++] = process;
	}
	if (directory)
		closedir(directory);
	return list;
}

/* ---- becoming one ---- */

static int set_environment(const struct standby_options *options, const char *directory,
			   const struct install_paths *install)
{
	int result = 0;

	result |= setenv("HIPGRAIN_DIR", directory, 1);
	result |= setenv("HIPGRAIN_STANDBY", "1", 1);
	/* The recorder comes before a driver that is preloaded. */
	if (options->softgpu)
		result |= environment_softgpu(install, &options->softgpu_model);
	result |= environment_preload(install->preload) | environment_kokkos(install);
	result |= environment_options(options->stack_depth, options->threshold,
				      options->no_memory_queries, options->kernel_arguments);
	if (options->no_migration)
		result |= setenv("HIPGRAIN_MIGRATION", "0", 1);
	if (options->totals)
		result |= setenv("HIPGRAIN_TOTALS", "1", 1);
	return result;
}

int standby_exec(const struct standby_options *options, char **argv)
{
	const char *directory = options->directory ? options->directory : DEFAULT_DIRECTORY;
	const char *outer = getenv("HIPGRAIN_DIR");
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction before;
	struct install_paths install = { 0 };
	char *executable = NULL, *resolved = NULL, why[512];
	int status = HG_EXIT_INPUT, folder = -1;
	bool made;

	if (outer && *outer) {
		message_error(
		    "this process is being recorded already, or is on standby (HIPGRAIN_DIR "
		    "is set to '%s')",
		    outer);
		return HG_EXIT_INPUT;
	}
	if (target_resolve(argv[0], &executable, why, sizeof(why))) {
		message_error("'%s': %s", argv[0], why);
		goto out;
	}
	if (install_find(&install, why, sizeof(why))) {
		message_error("incomplete installation: %s", why);
		goto out;
	}
	if (options->softgpu && environment_lacks(&install)) {
		message_error("--softgpu: %s", environment_lacks(&install));
		goto out;
	}
	/* Ranks of one job share it. */
	made = mkdir(directory, 0700) == 0;
	if ((!made && errno != EEXIST) || !(resolved = realpath(directory, NULL)) ||
	    (folder = open(resolved, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		message_error("'%s': %s", directory, strerror(errno));
		goto out;
	}
	if (!made && bundle_check_owner(folder, why, sizeof(why))) {
		message_error("'%s': %s", directory, why);
		goto out;
	}
	if (record_request_check(folder, directory, why, sizeof(why))) {
		message_error("%s (use another directory, -o)", why);
		goto out;
	}
	fchmod(folder, S_IRWXU);               /* it may have been there */
	sigaction(SIGXFSZ, &ignored, &before); /* without it nothing is counted */
	witness_make(folder);
	sigaction(SIGXFSZ, &before, NULL);
	if (set_environment(options, resolved, &install)) {
		message_error("%s", strerror(errno));
		status = HG_EXIT_INTERNAL;
		goto out;
	}
	execvp(executable, argv);
	message_error("'%s': cannot be executed: %s", argv[0], strerror(errno));
out:
	if (folder >= 0)
		close(folder);
	free(resolved);
	free(executable);
	install_paths_free(&install);
	return status;
}
