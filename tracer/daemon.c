/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/daemon.h"
#include "tracer/session.h"
#include "tracer/tree.h"

/* Held shared by every recording as root, exclusively by whoever ends the daemon. */
#define ROOT_LOCK_FILE         "/var/run/hipgrain-sessiond.lock"

#define DAEMON_START_TIMEOUT_S 30
#define DAEMON_STOP_TIMEOUT_S  20
/* ... when it does not answer any more, as with a disk that is full. */
#define DAEMON_STUCK_TIMEOUT_S 3
#define DAEMON_ANSWER_MS       5000
/* Stopping waits for what is written: session.c bounds it, unless the daemon is stuck. */
#define DAEMON_END_MS 60000
#define GUARD_POLL_MS 200

/* Longest LTTNG_HOME with which every socket below it fits into sun_path (108 bytes): the
 * longest one is .lttng/ustconsumerd64/command. */
#define HOME_LENGTH_MAX 70

/* Where to look for lttng-sessiond when PATH has none. */
static const char daemon_directories[] = "/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin";

/* What the guard tells the recorder, one message each. */
enum guard_word {
	GUARD_READY = 'r',  /* the daemon answers */
	GUARD_FAILED = 'f', /* the text says why */
	GUARD_KEPT = 'k',   /* other recordings use the daemon, the guard stays for them */
};

/* And what the recorder tells it, when it has ended its session, or could not. */
enum recorder_word {
	RECORDER_DONE = 'd',
	RECORDER_STUCK = 's',
};

struct guard {
	int channel;
	const char *session;
	const char *home;
	bool start; /* it is our task to start a daemon */
	bool stuck; /* the recorder could not end its session */
	pid_t daemon;
};

void daemon_name_session(char *name, size_t size, int64_t start_ns)
{
	uint64_t random = 0;

	/* Without it (Linux before 3.17) the name is still one of a kind. */
	(void)!getrandom(&random, sizeof(random), 0);
	snprintf(name, size, DAEMON_SESSION_PREFIX "%ld-%lld-%016llx", (long)getpid(),
		 (long long)(start_ns / 1000), (unsigned long long)random);
}

char *daemon_program(void)
{
	/* LTTng's own variable for this purpose, see lttng(1). */
	const char *configured = getenv("LTTNG_SESSIOND_PATH");
	const char *lists[] = { getenv("PATH"), daemon_directories };

	if (configured && *configured) {
		return access(configured, X_OK) ? NULL : strdup(configured);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (const char *list = lists[i]; list && *list;) {
			size_t length = strcspn(list, ":");
			char *path;

			if (length && *list == '/' &&
			    asprintf(&path, "%.*s/lttng-sessiond", (int)length, list) >= 0) {
				if (access(path, X_OK) == 0) {
					return path;
				}
				free(path);
			}
			list += length + (list[length] == ':');
		}
	}
	return NULL;
}

/* ---- the guard process ---- */

static void guard_say(const struct guard *guard, enum guard_word word, const char *text)
{
	char message[512];
	int length = snprintf(message, sizeof(message), "%c%s", (char)word, text);

	if (length >= (int)sizeof(message)) {
		length = (int)sizeof(message) - 1;
	}
	/* The recorder may be gone; then nobody needs to know. */
	(void)send(guard->channel, message, (size_t)length, MSG_NOSIGNAL);
}

/* The last line of the daemon's own messages, for ours. */
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
 * Who records first may do so in the background: whoever records beside him, into the same daemon,
 * would wait for one that hardly gets a processor, and lose events. Only root may undo that, and
 * only root's daemon is everybody's of his. It still gets no more than its container has.
 */
static void be_nice_to_nobody(void)
{
	const struct sched_param usual = { .sched_priority = 0 };
	cpu_set_t all;

	if (getuid() != 0) {
		return;
	}
	memset(&all, 0xff, sizeof(all));
	(void)sched_setscheduler(0, SCHED_OTHER, &usual);
	(void)sched_setaffinity(0, sizeof(all), &all);
	(void)setpriority(PRIO_PROCESS, 0, 0);
}

static void exec_daemon(const char *path, pid_t guard, int log)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	/* No daemon without its guard, even if the guard is killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != guard) {
		_exit(1);
	}
	be_nice_to_nobody();
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(S_IRWXG | S_IRWXO);
	/* What is set for the command must not happen to the daemon. */
	unsetenv("LD_PRELOAD");
	execl(path, "lttng-sessiond", "--no-kernel", "--sig-parent", (char *)NULL);
	dprintf(log, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

/*
 * Start lttng-sessiond and wait until it answers. With --sig-parent it sends SIGUSR1 to its
 * parent when all its threads are ready (lttng-sessiond(8)). 0, or -1 with `why` filled.
 */
static int guard_start_daemon(struct guard *guard, const sigset_t *signals, char *why,
			      size_t why_size)
{
	const struct timespec limit = { .tv_sec = DAEMON_START_TIMEOUT_S };
	char *path = daemon_program();
	pid_t self = getpid();
	int log = -1, word, result = -1;

	if (!path) {
		snprintf(why, why_size,
			 "no LTTng session daemon runs and lttng-sessiond is not installed "
			 "(Debian: apt-get install lttng-tools)");
		goto out;
	}
	log = memfd_create("lttng-sessiond-messages", MFD_CLOEXEC);
	if (log < 0) {
		log = open("/dev/null", O_RDWR | O_CLOEXEC);
	}
	guard->daemon = fork();
	if (guard->daemon == 0) {
		exec_daemon(path, self, log);
	}
	if (guard->daemon < 0) {
		snprintf(why, why_size, "cannot start %s: %s", path, strerror(errno));
		goto out;
	}
	do {
		word = sigtimedwait(signals, NULL, &limit);
	} while (word < 0 && errno == EINTR);
	if (word == SIGUSR1) {
		result = 0;
		goto out;
	}
	if (word == SIGCHLD && waitpid(guard->daemon, NULL, WNOHANG) == guard->daemon) {
		guard->daemon = -1;
		/* Somebody else was faster: that daemon serves us as well. */
		for (int i = 0; i < 20 && lttng_session_daemon_alive() != 1; i++) {
			poll(NULL, 0, 50);
		}
		if (lttng_session_daemon_alive() == 1) {
			result = 0;
			goto out;
		}
		read_last_line(log, why, why_size);
		if (!*why) {
			snprintf(why, why_size, "%s ended at once", path);
		}
		goto out;
	}
	snprintf(why, why_size, "%s did not get ready within %d s", path, DAEMON_START_TIMEOUT_S);
	if (guard->daemon > 0) {
		kill(guard->daemon, SIGKILL);
		waitpid(guard->daemon, NULL, 0);
		guard->daemon = -1;
	}
out:
	if (log >= 0) {
		close(log);
	}
	free(path);
	return result;
}

/*
 * Have another process ask the daemon, which may not answer at all; liblttng-ctl waits for ever.
 * What `ask` returned (0 to 127), or -ETIMEDOUT.
 */
static int guard_ask(struct guard *guard, int (*ask)(struct guard *), int timeout_ms)
{
	int result = -ETIMEDOUT, status;
	struct pollfd end = { .events = POLLIN };
	int alive[2];
	pid_t child;

	if (pipe2(alive, O_CLOEXEC)) {
		return -ETIMEDOUT;
	}
	child = fork();
	if (child == 0) {
		_exit(ask(guard));
	}
	close(alive[1]);
	end.fd = alive[0]; /* closed by its end */
	if (child > 0 && poll(&end, 1, timeout_ms) == 1 && waitpid(child, &status, 0) == child) {
		result = WIFEXITED(status) ? WEXITSTATUS(status) : -ETIMEDOUT;
	} else if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(alive[0]);
	return result;
}

/* Wait for the daemon's end for at most `seconds`; true when it is gone. */
static bool guard_reap(struct guard *guard, int seconds)
{
	for (int i = 0; i < seconds * 50; i++) {
		pid_t got = waitpid(guard->daemon, NULL, WNOHANG);

		if (got == guard->daemon || (got < 0 && errno == ECHILD)) {
			guard->daemon = -1;
			return true;
		}
		poll(NULL, 0, 20);
	}
	return false;
}

static void guard_end_daemon(struct guard *guard, int seconds)
{
	kill(guard->daemon, SIGTERM);
	if (!guard_reap(guard, seconds)) {
		kill(guard->daemon, SIGKILL);
		guard_reap(guard, 1);
	}
}

/* Somebody uses our daemon for recordings of their own: it is theirs now, too. */
static int has_foreign_sessions(struct guard *guard)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	bool foreign = false;

	(void)guard;
	for (int i = 0; i < count; i++) {
		if (strncmp(sessions[i].name, DAEMON_SESSION_PREFIX,
			    sizeof(DAEMON_SESSION_PREFIX) - 1)) {
			foreign = true;
		}
	}
	free(sessions);
	return foreign;
}

/*
 * End the daemon as soon as nobody needs it. In root's place that takes the exclusive lock: a
 * recording that starts now waits for it and then finds no daemon, never a dying one.
 */
static void guard_retire_daemon(struct guard *guard)
{
	int seconds = DAEMON_STOP_TIMEOUT_S, lock = -1;
	bool told = false;

	if (!*guard->home) {
		lock = open(ROOT_LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	}
	for (;;) {
		bool locked = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0;
		int foreign = locked ? guard_ask(guard, has_foreign_sessions, DAEMON_ANSWER_MS) : 1;

		if (foreign == -ETIMEDOUT ? *guard->home : !foreign) {
			/* One that does not answer, in a place of our own, serves nobody. */
			seconds = foreign || guard->stuck ? DAEMON_STUCK_TIMEOUT_S : seconds;
			break;
		}
		if (locked) {
			flock(lock, LOCK_UN);
		}
		if (!told) {
			guard_say(guard, GUARD_KEPT, "");
			told = true;
		}
		if (waitpid(guard->daemon, NULL, WNOHANG)) {
			goto out; /* somebody else ended it */
		}
		poll(NULL, 0, GUARD_POLL_MS);
	}
	guard_end_daemon(guard, seconds);
out:
	if (lock >= 0) {
		close(lock);
	}
}

/* Everything but the channel (moved to the first free place) and the standard streams. */
static void guard_close_inherited(struct guard *guard)
{
	const int place = STDERR_FILENO + 1;

	if (guard->channel != place) {
		dup3(guard->channel, place, O_CLOEXEC);
		guard->channel = place;
	}
	if (close_range((unsigned)place + 1, ~0U, 0)) {
		for (int fd = place + 1; fd < 1024; fd++) { /* Linux before 5.9 */
			close(fd);
		}
	}
}

static int end_session(struct guard *guard)
{
	char why[400];

	/* Stopping waits until the daemon wrote what it has. */
	session_stop(guard->session, why, sizeof(why));
	session_destroy(guard->session, why, sizeof(why));
	return 0;
}

static void remove_home(const char *home)
{
	char name[HOME_LENGTH_MAX + 1];
	int parent = tree_open_parent(home, name, sizeof(name));

	if (parent >= 0) {
		tree_remove(parent, name);
		close(parent);
	}
}

static void guard_main(struct guard *guard)
{
	struct pollfd poll_channel = { .events = POLLIN };
	char why[400] = "";
	sigset_t signals;
	char word = 0;
	int null;

	/* A session of its own: neither the terminal's signals nor its hang-up are for us. */
	setsid();
	sigfillset(&signals);
	sigdelset(&signals, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal(SIGTERM, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);

	/* Who reads the recorder's output to its end must not have to wait for us. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	guard_close_inherited(guard);

	if (guard->start && guard_start_daemon(guard, &signals, why, sizeof(why))) {
		guard_say(guard, GUARD_FAILED, why);
		goto out;
	}
	guard_say(guard, GUARD_READY, "");
	poll_channel.fd = guard->channel;
	while (poll(&poll_channel, 1, -1) < 0 && errno == EINTR) {
	}
	if (recv(guard->channel, &word, 1, 0) != 1) {
		guard_ask(guard, end_session, DAEMON_END_MS); /* the recorder died */
	}
	guard->stuck = word == RECORDER_STUCK;
	if (guard->daemon > 0) {
		guard_retire_daemon(guard);
	}
out:
	if (*guard->home) {
		remove_home(guard->home);
	}
}

/* ---- the recorder's side ---- */

/* A short directory of our own for a private daemon's sockets. 0 or -errno. */
static int make_home(char *home, size_t size)
{
	const char *bases[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (!bases[i] || *bases[i] != '/' ||
		    strlen(bases[i]) + sizeof("/hipgrain-XXXXXX") > HOME_LENGTH_MAX) {
			continue;
		}
		snprintf(home, size, "%s/hipgrain-XXXXXX", bases[i]);
		if (mkdtemp(home)) {
			return 0;
		}
	}
	*home = '\0';
	return errno ? -errno : -ENOENT;
}

static void close_link(struct daemon_link *link)
{
	if (link->channel >= 0) {
		close(link->channel);
		link->channel = -1;
	}
	if (link->lock >= 0) {
		close(link->lock);
		link->lock = -1;
	}
}

int daemon_connect(struct daemon_link *link, const char *session, enum daemon_choice choice,
		   char *why, size_t why_size)
{
	struct guard guard = { .session = session, .daemon = -1 };
	bool root = getuid() == 0;
	int channels[2], result;
	char message[512];
	ssize_t length;

	*link = (struct daemon_link){ .guard = -1, .channel = -1, .lock = -1 };
	if (root) {
		/* Taken before asking whether a daemon lives: from here on nobody ends it. */
		link->lock = open(ROOT_LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (link->lock >= 0) {
			flock(link->lock, LOCK_SH);
		}
	}
	guard.start = (choice == DAEMON_OWN && !root) || lttng_session_daemon_alive() != 1;
	link->shared = root || !guard.start || choice == DAEMON_COMMON;
	if (guard.start && !root && choice != DAEMON_COMMON) {
		result = make_home(link->home, sizeof(link->home));
		if (result) {
			snprintf(why, why_size, "cannot make a directory for its sockets: %s",
				 strerror(-result));
			return result;
		}
		setenv("LTTNG_HOME", link->home, 1);
		/* A member of group "tracing" would be taken to root's daemon first. */
		lttng_set_tracing_group("hipgrain-private");
	}
	guard.home = link->home;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels)) {
		result = -errno;
		snprintf(why, why_size, "%s", strerror(errno));
		goto error;
	}
	link->channel = channels[0];
	guard.channel = channels[1];
	link->guard = fork();
	if (link->guard == 0) {
		close(channels[0]);
		if (link->lock >= 0) {
			close(link->lock);
		}
		guard_main(&guard);
		_exit(0);
	}
	result = link->guard < 0 ? -errno : 0;
	close(channels[1]);
	if (result) {
		snprintf(why, why_size, "%s", strerror(-result));
		goto error;
	}
	length = recv(link->channel, message, sizeof(message) - 1, 0);
	if (length > 0 && message[0] == GUARD_READY) {
		return 0;
	}
	message[length > 0 ? length : 0] = '\0';
	snprintf(why, why_size, "%s", length > 1 ? message + 1 : "the guard process died");
	waitpid(link->guard, NULL, 0);
	close_link(link);
	return -EHOSTDOWN;
error:
	if (*link->home) {
		rmdir(link->home);
	}
	close_link(link);
	return result;
}

void daemon_disconnect(struct daemon_link *link)
{
	char message[512], word;

	if (link->guard < 0) {
		return;
	}
	if (link->lock >= 0) {
		close(link->lock);
		link->lock = -1;
	}
	word = link->stuck ? RECORDER_STUCK : RECORDER_DONE;
	(void)send(link->channel, &word, 1, MSG_NOSIGNAL);
	/* End of file: the guard is gone, and the daemon before it. */
	if (recv(link->channel, message, sizeof(message), 0) <= 0) {
		waitpid(link->guard, NULL, 0);
	}
	close_link(link);
	link->guard = -1;
}
