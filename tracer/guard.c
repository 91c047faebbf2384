/* SPDX-License-Identifier: Apache-2.0 */
/* The process that owns a session daemon and ends it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/close_from.h"
#include "tracer/daemon.h"
#include "tracer/guard.h"
#include "tracer/install.h"
#include "tracer/missed.h"
#include "tracer/session.h"
#include "tracer/tree.h"

#define START_TIMEOUT_S 30
#define STOP_TIMEOUT_S  20
/* ... if it does not answer any more, for example because the disk is full. */
#define STUCK_TIMEOUT_S 1

/* The session has ended, and all of it is written. */
#define ENDED_TIMEOUT_S 1
/* Stopping waits until everything is written: limited by session.c, unless the daemon hangs. */
#define END_MS  60000
#define POLL_MS 200

/* A private daemon is probed so often, and its answer may take so long. */
#define PROBE_PAUSE_MS 10000
#define PROBE_LIMIT_MS 20000

static void guard_say(const struct guard *guard, enum guard_word word, const char *text)
{
	char message[512];
	int length = snprintf(message, sizeof(message), "%c%s", (char)word, text);

	if (length >= (int)sizeof(message))
		length = (int)sizeof(message) - 1;
	/* The recorder may have ended; then nobody needs to know. */
	(void)send(guard->channel, message, (size_t)length, MSG_NOSIGNAL);
}

/* ---- starting the daemon ---- */

/* Reads the last line of the daemon's own messages, for ours. */
static void read_last_line(int fd, char *line, size_t size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	off_t start = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
	ssize_t got = pread(fd, line, size - 1, start);
	char *newline;

	line[got > 0 ? got : 0] = '\0';
	while ((newline = strrchr(line, '\n'))) {
		if (newline[1]) {
			memmove(line, newline + 1, strlen(newline + 1) + 1);
			break;
		}
		*newline = '\0';
	}
}

/*
 * The daemon and its consumer each have a child that closes every descriptor there may be, one by
 * one (run-as.c of lttng-tools): with the limit of a container, a million, that is seconds. So many
 * serve 3000 processes at a time.
 */
#define DESCRIPTORS 8192u

static void limit_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= DESCRIPTORS)
		return;
	limit.rlim_cur = DESCRIPTORS;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* or it takes longer */
}

static void exec_daemon(const struct guard *guard, pid_t parent, int log)
{
	int null = open("/dev/null", O_RDWR);
	/* lttng-sessiond(8); it would look where it was installed first. */
	const char *consumer = install_bundled("lttng-consumerd");
	sigset_t none;

	/* No daemon without its guard, even if the guard is killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(S_IRWXG | S_IRWXO);
	limit_descriptors();
	client_raise_stack();
	/* Settings for the command must not affect the daemon. */
	unsetenv("LD_PRELOAD");
	/* LTTng 2.16 does not start with it, lest its own threads wait for themselves. */
	unsetenv("LTTNG_UST_ALLOW_BLOCKING");
	if (consumer) {
		char folder[PATH_MAX];
		const char *slash = strrchr(consumer, '/');

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - consumer), consumer);
		setenv("LTTNG_CONSUMERD64_BIN", consumer, 0);
		/* session.xsd, without which it does not start. */
		setenv("LTTNG_SESSION_CONFIG_XSD_PATH", folder, 0);
	}
	setenv("LTTNG_HOME", guard->client.home, 1);
	if (guard->shim)
		setenv("LD_PRELOAD", guard->shim, 1);
	execl(guard->program, "lttng-sessiond", "--no-kernel", "--sig-parent", (char *)NULL);
	dprintf(log, "%s: %s\n", guard->program, strerror(errno));
	_exit(127);
}

static bool end_daemon(struct guard *guard, int seconds);

/*
 * Start lttng-sessiond and wait until it answers. With --sig-parent it sends SIGUSR1 to its
 * parent when all its threads are ready (lttng-sessiond(8)). 0, or -1 with `why` filled.
 */
static int start_daemon(struct guard *guard, const sigset_t *signals, char *why, size_t why_size)
{
	const struct timespec limit = { .tv_sec = START_TIMEOUT_S };
	pid_t self = getpid();
	int log = memfd_create("lttng-sessiond-messages", MFD_CLOEXEC), word, result = -1;

	if (log < 0)
		log = open("/dev/null", O_RDWR | O_CLOEXEC);
	guard->daemon = fork();
	if (guard->daemon == 0)
		exec_daemon(guard, self, log);
	if (guard->daemon < 0) {
		snprintf(why, why_size, "cannot start %s: %s", guard->program, strerror(errno));
		goto out;
	}
	do {
		word = sigtimedwait(signals, NULL, &limit);
	} while (word < 0 && errno == EINTR);
	if (word == SIGUSR1) {
		result = 0;
	} else if (word == SIGCHLD && waitpid(guard->daemon, NULL, WNOHANG) == guard->daemon) {
		guard->daemon = -1;
		read_last_line(log, why, why_size);
		if (!*why)
			snprintf(why, why_size, "%s exited immediately", guard->program);
	} else {
		snprintf(why, why_size, "%s was not ready within %d s", guard->program,
			 START_TIMEOUT_S);
		end_daemon(guard, 0);
	}
out:
	if (log >= 0)
		close(log);
	return result;
}

/* ---- ending it, and all that it started ---- */

/* The parent of a process, 0 if it cannot be read. */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512], *end;
	int fd, parent = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return 0;
	line[got] = '\0';
	/* The name, in parentheses, may have any bytes. */
	end = strrchr(line, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* A child of ours: its number stays its own until we wait for it. */
static void end_child(pid_t child, int number)
{
	int fd = (int)syscall(SYS_pidfd_open, child, 0);

	if (fd < 0) { /* Linux before 5.3 */
		kill(child, number);
		return;
	}
	(void)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
	close(fd);
}

#define REAP_STEP_MS 2

/* Wait for the end of a child for at most `ms`; true when it has ended. */
static bool reap(pid_t child, int ms)
{
	for (;;) {
		pid_t got = waitpid(child, NULL, WNOHANG);

		if (got == child || (got < 0 && errno == ECHILD))
			return true;
		if (ms <= 0)
			return false;
		poll(NULL, 0, REAP_STEP_MS);
		ms -= REAP_STEP_MS;
	}
}

/* Ends what the daemon left behind, which became our children when it ended. */
static void end_orphans(void)
{
	DIR *list = opendir("/proc");
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (!isdigit((unsigned char)*entry->d_name) ||
		    parent_of(entry->d_name) != getpid() || reap(pid, 0))
			continue;
		end_child(pid, SIGKILL);
		reap(pid, 1000);
	}
	if (list)
		closedir(list);
}

/* `seconds` for ending properly; 0: it is killed. True if it ended by itself. */
static bool end_daemon(struct guard *guard, int seconds)
{
	bool ended = false;

	if (guard->daemon > 0) {
		if (seconds) {
			end_child(guard->daemon, SIGTERM);
			ended = reap(guard->daemon, seconds * 1000);
		}
		if (!ended) {
			end_child(guard->daemon, SIGKILL);
			reap(guard->daemon, 1000);
		}
		guard->daemon = -1;
	}
	/* A consumer whose session daemon has ended ends, too; one that hangs does not. */
	for (int i = 0; ended && i < 50 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
		poll(NULL, 0, 20);
	end_orphans();
	return ended;
}

/* ---- the process ---- */

/* Closes everything but the channel (moved to the first free place) and the standard streams. */
static void close_inherited(struct guard *guard)
{
	const int place = STDERR_FILENO + 1;

	if (guard->channel != place) {
		dup3(guard->channel, place, O_CLOEXEC);
		guard->channel = place;
	}
	close_from(place + 1);
}

static void end_session(void *argument, struct client_answer *answer)
{
	const struct guard *guard = argument;

	/* Stopping waits until the daemon has written its data. */
	session_stop(guard->session, answer->why, sizeof(answer->why));
	session_destroy(guard->session, answer->why, sizeof(answer->why));
}

static void remove_home(const char *home)
{
	char name[CLIENT_HOME_SIZE];
	int parent = tree_open_parent(home, name, sizeof(name));

	if (parent >= 0) {
		tree_remove(parent, name);
		close(parent);
	}
}

/* The recorder's message; 0: it has ended. */
static char receive(struct guard *guard)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char word = 0;
	struct iovec part = { &word, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head;

	if (recvmsg(guard->channel, &message, MSG_CMSG_CLOEXEC) != 1)
		return 0;
	head = CMSG_FIRSTHDR(&message);
	if (word == RECORDER_TABLE && head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&guard->table, CMSG_DATA(head), sizeof(guard->table));
	return word;
}

/*
 * Wait until the recorder reports how its session ended; 0 if it has ended without. A daemon of our
 * own that does not answer is ended meanwhile, so that programs that wait for it continue.
 */
static char wait_recorder(struct guard *guard)
{
	struct pollfd channel = { .fd = guard->channel, .events = POLLIN };

	guard->client.interrupt = guard->channel;
	for (;;) {
		bool watched = guard->daemon > 0;
		int got = poll(&channel, 1, watched ? PROBE_PAUSE_MS : -1);

		if (got > 0) {
			char word = receive(guard);

			if (word == RECORDER_TABLE)
				continue;
			guard->client.interrupt = -1;
			return word;
		}
		if (got == 0 && client_probe(&guard->client, PROBE_LIMIT_MS) == CLIENT_DAEMON_MUTE)
			end_daemon(guard, 0);
	}
}

void guard_main(struct guard *guard)
{
	struct client_answer answer;
	char why[400] = "";
	sigset_t signals;
	char word;
	int ended = -1;
	int null;

	/*
	 * A process session of its own, because the terminal's signals and its hang-up are not for
	 * the guard.
	 */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigfillset(&signals);
	sigdelset(&signals, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal(SIGTERM, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);

	/*
	 * A reader that reads the recorder's output until its end must not have to wait for the
	 * guard.
	 */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	guard->daemon = -1;
	guard->table = -1;
	guard->client.interrupt = -1;
	close_inherited(guard);

	if (start_daemon(guard, &signals, why, sizeof(why))) {
		guard_say(guard, GUARD_FAILED, why);
		goto out;
	}
	guard_say(guard, GUARD_READY, "");
	word = wait_recorder(guard);
	if (!word && guard->table >= 0)
		missed_stop(guard->table); /* programs count later events as missing */
	if (!word) {
		ended = client_call(&guard->client, end_session, guard, END_MS, &answer);
		word = ended == -ETIMEDOUT ? RECORDER_STUCK : 0;
	}
	if (guard->daemon > 0) {
		end_daemon(guard, word == RECORDER_STUCK     ? STUCK_TIMEOUT_S
				  : word == RECORDER_WRITTEN ? 0
				  : word || ended == 0       ? ENDED_TIMEOUT_S
							     : STOP_TIMEOUT_S);
	}
out:
	remove_home(guard->client.home);
}
