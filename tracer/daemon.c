/* SPDX-License-Identifier: Apache-2.0 */
/* Starts, finds and probes LTTng session daemons. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/daemon.h"
#include "tracer/daemon_version.h"
#include "tracer/guard.h"
#include "tracer/install.h"
#include "tracer/message.h"

/* Longest LTTNG_HOME with which every socket below it fits into sun_path (108 bytes): the
 * longest one is .lttng/ustconsumerd64/command. */
#define HOME_LENGTH_MAX 70

/* lttng-sessiond is looked for here if it is not in PATH. */
static const char daemon_directories[] = "/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin";

void daemon_name_session(char *name, size_t size, int64_t start_ns)
{
	uint64_t random = 0;

	/* Without it (Linux before 3.17) the name is still unique. */
	(void)!getrandom(&random, sizeof(random), 0);
	snprintf(name, size, DAEMON_SESSION_PREFIX "%ld-%lld-%016llx", (long)getpid(),
		 (long long)(start_ns / 1000), (unsigned long long)random);
}

char *daemon_program(void)
{
	/* LTTng's own variable for this purpose, see lttng(1). */
	const char *configured = getenv("LTTNG_SESSIOND_PATH");
	const char *lists[] = { getenv("PATH"), daemon_directories };

	char *bundled;

	if (configured && *configured)
		return access(configured, X_OK) ? NULL : strdup(configured);
	/* It speaks the protocol of the LTTng-UST beside the provider. */
	bundled = install_bundled("lttng-sessiond");
	if (bundled)
		return bundled;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (const char *list = lists[i]; list && *list;) {
			size_t length = strcspn(list, ":");
			char *path;

			if (length && *list == '/' &&
			    asprintf(&path, "%.*s/lttng-sessiond", (int)length, list) >= 0) {
				if (access(path, X_OK) == 0)
					return path;
				free(path);
			}
			list += length + (list[length] == ':');
		}
	}
	return NULL;
}

/* ---- a directory for a private daemon ---- */

/* A user namespace shows owners that are not in it so, among them the system's root
 * (user_namespaces(7)). */
#define OVERFLOW_USER 65534u

/* Returns true if nobody else can rename or replace what is made in that directory. */
static bool is_safe(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       (status.st_uid == 0 || status.st_uid == geteuid() ||
		(status.st_uid == OVERFLOW_USER && strcmp(path, "/tmp") == 0)) &&
	       (!(status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_mode & S_ISVTX);
}

/* Makes a short directory of our own for a private daemon's sockets. Returns 0 or -errno. */
static int make_home(char *home, size_t size)
{
	const char *bases[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
	int error = ENOENT;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (!bases[i] || *bases[i] != '/' || !is_safe(bases[i]) ||
		    strlen(bases[i]) + sizeof("/hipgrain-XXXXXX") > HOME_LENGTH_MAX)
			continue;
		snprintf(home, size, "%s/hipgrain-XXXXXX", bases[i]);
		if (mkdtemp(home))
			return 0;
		error = errno;
	}
	*home = '\0';
	return -error;
}

/* ---- the guard ---- */

static void close_link(struct daemon_link *link)
{
	if (link->channel >= 0) {
		close(link->channel);
		link->channel = -1;
	}
}

/* Fork the guard. 0 or -errno. */
static int start_guard(struct daemon_link *link, struct guard *guard)
{
	int channels[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels))
		return -errno;
	link->channel = channels[0];
	guard->channel = channels[1];
	link->guard = fork();
	error = link->guard < 0 ? -errno : 0;
	if (link->guard == 0) {
		close(channels[0]);
		guard_main(guard);
		_exit(0);
	}
	close(channels[1]);
	return error;
}

/* Wait until the guard reports that the daemon answers. 0, or -errno with `why`. */
static int wait_ready(struct daemon_link *link, char *why, size_t why_size)
{
	struct pollfd fds[] = { { .fd = link->channel, .events = POLLIN },
				{ .fd = link->client.interrupt, .events = POLLIN } };
	char message[512];
	ssize_t length;

	while (poll(fds, 2, -1) < 0 && errno == EINTR) {
	}
	if (!fds[0].revents) {
		/* It finds its channel closed, and ends what it has started. */
		return refuse(why, why_size, EINTR, "interrupted");
	}
	length = recv(link->channel, message, sizeof(message) - 1, 0);
	if (length > 0 && message[0] == GUARD_READY)
		return 0;
	message[length > 0 ? length : 0] = '\0';
	waitpid(link->guard, NULL, 0);
	return refuse(why, why_size, EHOSTDOWN, "%s",
		      length > 1 ? message + 1 : "the guard process died");
}

int daemon_connect(struct daemon_link *link, const char *session, const char *shim, int interrupt,
		   char *why, size_t why_size)
{
	struct guard guard = { .session = session };
	char *program = NULL;
	int result;

	*link = (struct daemon_link)DAEMON_LINK_NONE;
	link->client.interrupt = interrupt;
	program = daemon_program();
	if (!program) {
		result = refuse(why, why_size, EHOSTDOWN,
				"lttng-sessiond is not installed "
				"(Debian: apt-get install lttng-tools)");
		goto error;
	}
	result = make_home(link->client.home, sizeof(link->client.home));
	if (result) {
		refuse(why, why_size, -result, "cannot make a directory for its sockets: %s",
		       strerror(-result));
		goto error;
	}
	guard.client = link->client;
	guard.program = program;
	guard.shim = shim;
	result = start_guard(link, &guard);
	if (result) {
		refuse(why, why_size, -result, "%s", strerror(-result));
		if (*link->client.home)
			rmdir(link->client.home);
		goto error;
	}
	result = wait_ready(link, why, why_size);
	if (!result) {
		free(program);
		return 0;
	}
error:
	link->guard = -1;
	free(program);
	close_link(link);
	return result;
}

/* Returns true if `found` is true of a child of that process, of any of its threads. */
static bool any_child(pid_t parent, bool (*found)(pid_t))
{
	char pattern[64];
	glob_t files;
	bool is_found = false;

	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*/children", (int)parent);
	if (glob(pattern, GLOB_NOSORT, NULL, &files))
		return false;
	for (size_t i = 0; i < files.gl_pathc && !is_found; i++) {
		FILE *file = fopen(files.gl_pathv[i], "re");
		int child;

		while (file && !is_found && fscanf(file, "%d", &child) == 1)
			is_found = found(child);
		if (file)
			fclose(file);
	}
	globfree(&files);
	return is_found;
}

/* A process that has ended has no executable any more. */
static bool is_writer(pid_t process)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return strstr(path, "/lttng-consumerd") != NULL;
}

static bool has_writer(pid_t daemon)
{
	return any_child(daemon, is_writer);
}

bool daemon_writer_lives(const struct daemon_link *link)
{
	return link->guard > 0 && any_child(link->guard, has_writer);
}

void daemon_disconnect(struct daemon_link *link)
{
	char message[512], word;

	if (link->guard < 0)
		return;
	word = link->stuck ? RECORDER_STUCK : link->written ? RECORDER_WRITTEN : RECORDER_DONE;
	(void)send(link->channel, &word, 1, MSG_NOSIGNAL);
	/* End of file: the guard has ended, and the daemon before it. */
	if (recv(link->channel, message, sizeof(message), 0) <= 0)
		waitpid(link->guard, NULL, 0);
	close_link(link);
	link->guard = -1;
}

void daemon_entrust(const struct daemon_link *link, int table)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char word = RECORDER_TABLE;
	struct iovec part = { &word, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &table, sizeof(table));
	if (link->channel >= 0)
		(void)!sendmsg(link->channel, &message, MSG_NOSIGNAL);
}
