/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder and its drain talk to one another: a request is one letter, its answer a number. */
#include "tracer/drain_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/drain.h"
#include "tracer/message.h"
#include "tracer/provider.h"
#include "tracer/ring.h"

#define REGISTER_MS 10000
#define END_MS      60000
#define SWEEP_MS    10000
#define ENABLE_MS   2000
/*
 * Between two looks whether there is still somebody who writes the trace, and how many in vain:
 * while a child of the daemon ends, /proc may not show the others.
 */
#define LIVES_NS  UINT64_C(200000000)
#define LIVES_NOT 3
/* Between two looks: soon after a page was full, else less often. */
#define BUSY_MS 1
#define IDLE_MS 20

/* Answers. At the end there is a number of lost records, or DRAIN_OVER. */
enum { DRAIN_READY, DRAIN_NO_MEMORY, DRAIN_NO_LIBRARY, DRAIN_NO_BUFFERS };
#define DRAIN_OVER UINT64_MAX

/* ---- the process ---- */

static const struct hg_tracepoints *open_provider(const char *path)
{
	const struct hg_tracepoints *(*get)(void);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct hg_tracepoints *provider;

	get = library
		  ? (const struct hg_tracepoints *(*)(void))dlsym(library, HG_TRACEPOINTS_SYMBOL)
		  : NULL;
	provider = get ? get() : NULL;
	return provider && provider->version == HG_TRACEPOINTS_VERSION ? provider : NULL;
}

static void answer(int socket, uint64_t number)
{
	(void)!send(socket, &number, sizeof(number), MSG_NOSIGNAL);
}

/* The trace: what it has of a session is lost with those who write it. */
struct trace {
	const struct daemon_link *daemon;
	const struct hg_tracepoints *provider;
	uint64_t looked; /* ns */
	int missed;      /* looks in vain, one after the other */
	bool over;
};

/*
 * Returns false if nobody takes events any more, as the session daemon or the consumer daemon was
 * killed. Whatever is in the files from then on stays there, for the analysis.
 */
static bool is_written(struct trace *trace)
{
	struct timespec time;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &time);
	now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	trace->over |= !*trace->provider->recording;
	if (!trace->over && now - trace->looked > LIVES_NS) {
		trace->looked = now;
		trace->missed = daemon_writer_lives(trace->daemon) ? 0 : trace->missed + 1;
		trace->over = trace->missed >= LIVES_NOT;
	}
	return !trace->over;
}

/* Returns true if LTTng takes events: where it has no memory for buffers, it never does. */
static bool wait_until_enabled(const struct hg_tracepoints *provider)
{
	for (int waited = 0; !*provider->recording && waited < ENABLE_MS; waited += IDLE_MS)
		poll(NULL, 0, IDLE_MS);
	return *provider->recording;
}

/* Serves until the recorder says that the recording ends. Does not return. */
static void serve(int socket, int folder, struct trace *trace)
{
	struct drain *drain = drain_new(folder, trace->provider);
	struct pollfd fd = { .fd = socket, .events = POLLIN };
	bool busy = false;
	char word;

	answer(socket, drain ? DRAIN_READY : DRAIN_NO_MEMORY);
	while (drain) {
		if (poll(&fd, 1, busy ? BUSY_MS : IDLE_MS) > 0) {
			/* The recorder may have been killed: the files are left as they are. */
			if (read(socket, &word, 1) != 1)
				_exit(1);
			if (word == 'E')
				break;
			if (is_written(trace))
				drain_sweep(drain, true);
			answer(socket, 0);
		}
		busy = is_written(trace) && drain_sweep(drain, false);
	}
	answer(socket, !drain ? 0 : is_written(trace) ? drain_end(drain) : DRAIN_OVER);
	_exit(drain ? 0 : 1);
}

static void run(const struct daemon_link *daemon, int socket, int folder, const char *path)
{
	struct trace trace = { .daemon = daemon };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGINT || number == SIGTERM || number == SIGQUIT ||
				       number == SIGHUP || number == SIGPIPE
				   ? SIG_IGN
				   : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "hipgrain-drain");
	client_be_application(&daemon->client, REGISTER_MS);
	/* It waits for room in the trace's buffers, and the processes for it. */
	setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
	trace.provider = open_provider(path);
	if (!trace.provider || !wait_until_enabled(trace.provider)) {
		answer(socket, trace.provider ? DRAIN_NO_BUFFERS : DRAIN_NO_LIBRARY);
		_exit(1);
	}
	serve(socket, folder, &trace);
}

/* ---- the recorder ---- */

/* Waits for an answer. Returns 0 and *number, or -errno. */
static int wait_answer(const struct drain_process *drain, int limit_ms, uint64_t *number)
{
	struct pollfd fd = { .fd = drain->socket, .events = POLLIN };
	int got;

	do
		got = poll(&fd, 1, limit_ms);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? -errno : -ETIMEDOUT;
	return recv(drain->socket, number, sizeof(*number), 0) == sizeof(*number) ? 0 : -EPIPE;
}

static void finish(struct drain_process *drain, bool kills)
{
	if (drain->pid > 0) {
		if (kills)
			kill(drain->pid, SIGKILL);
		waitpid(drain->pid, NULL, 0);
	}
	if (drain->socket >= 0)
		close(drain->socket);
	*drain = (struct drain_process)DRAIN_PROCESS_NONE;
}

int drain_process_begin(struct drain_process *drain, const struct daemon_link *daemon, int bundle,
			const char *provider, char *why, size_t why_size)
{
	int pair[2], folder, error;
	pid_t parent = getpid();
	uint64_t state = DRAIN_READY;

	folder = openat(bundle, HG_RINGS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return refuse(why, why_size, errno, HG_RINGS ": %s", strerror(errno));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		error = errno;
		close(folder);
		return refuse(why, why_size, error, "%s", strerror(error));
	}
	drain->pid = fork();
	if (!drain->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(bundle); /* the lock is the recorder's */
		close(pair[0]);
		run(daemon, pair[1], folder, provider);
	}
	error = drain->pid < 0 ? -errno : 0;
	close(folder);
	close(pair[1]);
	drain->socket = pair[0];
	if (!error)
		error = wait_answer(drain, 2 * REGISTER_MS, &state);
	if (!error && state == DRAIN_READY)
		return 0;
	finish(drain, true);
	if (state == DRAIN_NO_BUFFERS)
		return refuse(why, why_size, ENOMEM,
			      "LTTng takes no events: its daemon could not make trace buffers in "
			      "/dev/shm");
	if (!error)
		error = state == DRAIN_NO_LIBRARY ? -ELIBACC : -ENOMEM;
	return refuse(why, why_size, -error, "the process that hands records to LTTng: %s",
		      strerror(-error));
}

void drain_process_sweep(const struct drain_process *drain)
{
	uint64_t nothing;

	if (drain->socket >= 0 && send(drain->socket, "S", 1, MSG_NOSIGNAL) == 1)
		(void)wait_answer(drain, SWEEP_MS, &nothing);
}

int drain_process_end(struct drain_process *drain, uint64_t *lost, char *why, size_t why_size)
{
	int error = 0;

	*lost = 0;
	if (drain->pid < 0)
		return 0;
	if (send(drain->socket, "E", 1, MSG_NOSIGNAL) != 1)
		error = -errno;
	if (!error)
		error = wait_answer(drain, END_MS, lost);
	finish(drain, error != 0);
	if (!error && *lost == DRAIN_OVER) {
		*lost = 0;
		return refuse(
		    why, why_size, EPIPE,
		    "LTTng's daemons ended: what they had not written is lost, and what came "
		    "later is in '" HG_RINGS "'");
	}
	return error ? refuse(why, why_size, -error, "the process that hands records to LTTng: %s",
			      strerror(-error))
		     : 0;
}
