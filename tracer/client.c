/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of liblttng-ctl in a process of their own, with a time limit. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "tracer/client.h"
#include "tracer/message.h"

/* Sockets of LTTng's session daemon; the number of the second one is that of the protocol. */
#define CLIENT_SOCKET       "client-lttng-sessiond"
#define APPLICATIONS_SOCKET "lttng-ust-sock-"

/* connect() of this process connects as this says; only processes that client_call() made have
 * it. */
static struct {
	char client[sizeof(((struct sockaddr_un *)NULL)->sun_path)]; /* in place of any; or empty */
	const char *only;                                            /* applications: below it */
} route;

/*
 * liblttng-ctl reads it: nothing that it prints, at its start too, is for a user of ours. A static
 * liblttng-ctl has a definition of its own, which is set before its constructors run.
 */
extern int lttng_opt_quiet;
__attribute__((weak, visibility("default"))) int lttng_opt_quiet = 1;

__attribute__((constructor(101))) static void quieten(void)
{
	lttng_opt_quiet = 1;
}

/*
 * The executable's symbols come first, also for LTTng-UST, which reads the clock for each event:
 * no trace is ordered by the time that a preloaded library shows to programs, which may go back.
 */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
	return (int)syscall(SYS_clock_gettime, clock, time);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* The C library's connect(), or what a preloaded library has in its place. */
static int (*next_connect)(int, const void *, socklen_t);

/* Early: dlsym() takes a lock that another thread may hold when client_call() forks. */
__attribute__((constructor)) static void find_connect(void)
{
	next_connect = (__typeof__(next_connect))dlsym(RTLD_NEXT, "connect");
}

static int connect_next(int fd, const void *address, socklen_t length)
{
	return next_connect ? next_connect(fd, address, length)
			    : (int)syscall(SYS_connect, fd, address, length);
}

/*
 * In place of the C library's, for liblttng-ctl and LTTng-UST: the executable's symbols come first.
 * In the recorder itself it passes every call on.
 */
__attribute__((visibility("default"))) int connect(int fd, __CONST_SOCKADDR_ARG address,
						   socklen_t length)
{
	const struct sockaddr_un *local = address.__sockaddr_un__;
	struct sockaddr_un other = { .sun_family = AF_UNIX };

	if (length < sizeof(other) || local->sun_family != AF_UNIX)
		return connect_next(fd, address.__sockaddr__, length);
	if (strcmp(last_part(local->sun_path), CLIENT_SOCKET) == 0) {
		if (!*route.client)
			return connect_next(fd, local, length);
		memcpy(other.sun_path, route.client, sizeof(other.sun_path));
		return connect_next(fd, &other, sizeof(other));
	}
	if (route.only &&
	    strncmp(last_part(local->sun_path), APPLICATIONS_SOCKET,
		    sizeof(APPLICATIONS_SOCKET) - 1) == 0 &&
	    !is_below(local->sun_path, route.only)) {
		errno = ECONNREFUSED;
		return -1;
	}
	return connect_next(fd, address.__sockaddr__, length);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Threads have stacks of the limit's size; the daemon warns below 2 MiB. */
#define STACK ((size_t)8 << 20)

/* Only root can raise the hard limit. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK)
		return;
	limit.rlim_cur = STACK;
	if (limit.rlim_max < STACK) {
		struct rlimit both = { .rlim_cur = STACK, .rlim_max = STACK };

		if (setrlimit(RLIMIT_STACK, &both) == 0)
			return;
		limit.rlim_cur = limit.rlim_max;
	}
	(void)setrlimit(RLIMIT_STACK, &limit); /* or LTTng says what it lacks */
}

void client_raise_stack(void)
{
	pthread_attr_t attributes;
	size_t size;

	raise_limit();
	/* The C library read the limit when this process began. */
	if (pthread_getattr_default_np(&attributes))
		return;
	if (!pthread_attr_getstacksize(&attributes, &size) && size < STACK &&
	    !pthread_attr_setstacksize(&attributes, STACK))
		(void)pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

/* Prepares the new process. */
static void prepare(const struct client *client, pid_t parent)
{
	/*
	 * It inherits what the caller has open, a bundle's lock for example: it must not keep it.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	client_raise_stack();
	setenv("LTTNG_HOME", client->home, 1);
	if (snprintf(route.client, sizeof(route.client), "%s/.lttng/" CLIENT_SOCKET,
		     client->home) >= (int)sizeof(route.client))
		_exit(1); /* make_home() keeps it short enough */
	/* Otherwise a member of group "tracing" would connect to root's daemon first. */
	lttng_set_tracing_group("hipgrain-private");
}

/*
 * Wait until the process has ended (`end` then reads end of file): 0, -ETIMEDOUT or -EINTR. If both
 * are ready, the answer has precedence over an interruption.
 */
static int wait_end(const struct client *client, int end, int limit_ms)
{
	struct pollfd fds[] = { { .fd = end, .events = POLLIN },
				{ .fd = client->interrupt, .events = POLLIN } };
	int64_t limit = now_ms() + limit_ms;
	bool interrupted = false;

	for (;;) {
		int64_t left = limit - now_ms();
		int got = poll(fds, interrupted ? 1 : 2, left > 0 ? (int)left : 0);

		if (got > 0 && fds[0].revents)
			return 0;
		if (got > 0 && !interrupted && fds[1].revents) {
			interrupted = true;
			limit = now_ms() + client->grace_ms < limit ? now_ms() + client->grace_ms
								    : limit;
		}
		if (got == 0 && left <= 0)
			return interrupted ? -EINTR : -ETIMEDOUT;
	}
}

/* Messages for the errors that client_call() itself returns. */
static int explain(int error, int limit_ms, char *why, size_t why_size)
{
	if (error == -ETIMEDOUT) {
		return refuse(why, why_size, ETIMEDOUT,
			      "LTTng's session daemon does not answer within %d s",
			      (limit_ms + 999) / 1000);
	}
	if (error == -EINTR)
		return refuse(why, why_size, EINTR, "interrupted");
	return refuse(why, why_size, -error, "a process for LTTng's calls: %s",
		      error == -EPIPE ? "it was killed" : strerror(-error));
}

int client_call(const struct client *client, client_function *function, void *argument,
		int limit_ms, struct client_answer *answer)
{
	struct shared {
		bool whole;
		struct client_answer answer;
	} * shared;
	int end[2], error = 0;
	pid_t parent = getpid(), child;

	*answer = (struct client_answer){ 0 };
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return explain(-errno, 0, answer->why, sizeof(answer->why));
	if (pipe2(end, O_CLOEXEC)) {
		error = -errno;
		munmap(shared, sizeof(*shared));
		return explain(error, 0, answer->why, sizeof(answer->why));
	}
	child = fork();
	if (child == 0) {
		close(end[0]);
		prepare(client, parent);
		function(argument, &shared->answer);
		shared->whole = true;
		_exit(0);
	}
	error = child < 0 ? -errno : 0;
	close(end[1]);
	if (!error) {
		error = wait_end(client, end[0], limit_ms);
		kill(child, SIGKILL); /* not waited for yet: the number is still its own */
		waitpid(child, NULL, 0);
	}
	close(end[0]);
	if (!error && !shared->whole)
		error = -EPIPE;
	if (!error)
		*answer = shared->answer;
	munmap(shared, sizeof(*shared));
	return error ? answer->result = explain(error, limit_ms, answer->why, sizeof(answer->why))
		     : answer->result;
}

/* ---- is there a daemon, and does it answer? ---- */

static void probe(void *argument, struct client_answer *answer)
{
	struct lttng_session *sessions = NULL;

	(void)argument;
	if (lttng_session_daemon_alive() != 1) {
		answer->result = CLIENT_NO_DAEMON;
		return;
	}
	/* That one connects only. */
	answer->result =
	    lttng_list_sessions(&sessions) >= 0 ? CLIENT_DAEMON_ANSWERS : CLIENT_DAEMON_UNKNOWN;
}

enum client_daemon client_probe(const struct client *client, int limit_ms)
{
	struct client_answer answer;
	int result = client_call(client, probe, NULL, limit_ms, &answer);

	return result >= 0            ? (enum client_daemon)result
	       : result == -ETIMEDOUT ? CLIENT_DAEMON_MUTE
				      : CLIENT_DAEMON_UNKNOWN;
}

/* ---- a program that registers ---- */

struct registration {
	const struct client *client;
	const char *provider;
	int limit_ms;
};

/* LTTng-UST's constructor, which runs later, finds the daemon. */
void client_be_application(const struct client *client, int limit_ms)
{
	const char *none[] = { "LD_PRELOAD", "HIPGRAIN_SESSION", "HIPGRAIN_DIR",
			       "LTTNG_UST_DEBUG" };
	char limit[16];

	client_raise_stack(); /* a thread of LTTng-UST 2.16 needs more than 128 KiB */
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		unsetenv(none[i]);
	setenv("LTTNG_HOME", client->home, 1);
	/* LTTng-UST's constructor waits at most so long. */
	snprintf(limit, sizeof(limit), "%d", limit_ms);
	setenv("LTTNG_UST_REGISTER_TIMEOUT", limit, 1);
	setenv("LTTNG_UST_WITHOUT_BADDR_STATEDUMP", "1", 1);
	route.only = client->home;
}

static void register_here(void *argument, struct client_answer *answer)
{
	const struct registration *registration = argument;
	int64_t begin = now_ms(), took;

	client_be_application(registration->client, registration->limit_ms);
	if (!dlopen(registration->provider, RTLD_NOW | RTLD_LOCAL)) {
		answer->result = refuse(answer->why, sizeof(answer->why), ELIBACC, "%s", dlerror());
		return;
	}
	took = now_ms() - begin;
	if (took >= registration->limit_ms) {
		answer->result =
		    explain(-ETIMEDOUT, registration->limit_ms, answer->why, sizeof(answer->why));
	}
}

int client_register(const struct client *client, const char *provider, int limit_ms, char *why,
		    size_t why_size)
{
	struct registration registration = { client, provider, limit_ms };
	struct client_answer answer;
	int result;

	/* It stops by itself; but not where LTTng-UST waits without a limit. */
	result =
	    client_call(client, register_here, &registration, limit_ms + limit_ms / 2, &answer);
	if (result)
		snprintf(why, why_size, "%s", answer.why);
	return result;
}
