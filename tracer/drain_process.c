/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder and its drain say to one another: one letter, and a number as the answer. */
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
#include <unistd.h>

#include "tracer/drain.h"
#include "tracer/message.h"
#include "tracer/provider.h"
#include "tracer/ring.h"

#define REGISTER_MS 10000
#define END_MS      60000
#define SWEEP_MS    10000
/* Between two looks: soon after a page was full, else less often. */
#define BUSY_MS 1
#define IDLE_MS 20

/* ---- the process ---- */

static const struct hg_provider *open_provider(const char *path)
{
	const struct hg_provider *(*get)(void);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct hg_provider *provider;

	get = library ? (const struct hg_provider *(*)(void))dlsym(library, HG_PROVIDER_SYMBOL)
		      : NULL;
	provider = get ? get() : NULL;
	return provider && provider->version == HG_PROVIDER_VERSION ? provider : NULL;
}

static void answer(int socket, uint64_t number)
{
	(void)!send(socket, &number, sizeof(number), MSG_NOSIGNAL);
}

/* Serves until the recorder says that the recording ends. Does not return. */
static void serve(int socket, int folder, const struct hg_provider *provider)
{
	struct drain *drain = drain_new(folder, provider);
	struct pollfd fd = { .fd = socket, .events = POLLIN };
	bool busy = false;
	char word;

	answer(socket, !drain);
	while (drain) {
		if (poll(&fd, 1, busy ? BUSY_MS : IDLE_MS) > 0) {
			/* The recorder may have been killed: the files are left as they are. */
			if (read(socket, &word, 1) != 1)
				_exit(1);
			if (word == 'E')
				break;
			drain_sweep(drain, true);
			answer(socket, 0);
		}
		busy = drain_sweep(drain, false);
	}
	answer(socket, drain ? drain_end(drain) : 0);
	_exit(drain ? 0 : 1);
}

static void run(const struct client *client, int socket, int folder, const char *path)
{
	const struct hg_provider *provider;
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGINT || number == SIGTERM || number == SIGQUIT ||
				       number == SIGHUP || number == SIGPIPE
				   ? SIG_IGN
				   : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "hipgrain-drain");
	client_be_application(client, REGISTER_MS);
	/* It waits for room in the trace's buffers, and the processes for it. */
	setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
	provider = open_provider(path);
	if (!provider) {
		answer(socket, 2);
		_exit(1);
	}
	serve(socket, folder, provider);
}

/* ---- the recorder ---- */

/* 0 and *number, or -errno. */
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

int drain_process_begin(struct drain_process *drain, const struct client *client, int bundle,
			const char *provider, char *why, size_t why_size)
{
	int pair[2], folder, error;
	pid_t parent = getpid();
	uint64_t wrong;

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
		run(client, pair[1], folder, provider);
	}
	error = drain->pid < 0 ? -errno : 0;
	close(folder);
	close(pair[1]);
	drain->socket = pair[0];
	if (!error)
		error = wait_answer(drain, 2 * REGISTER_MS, &wrong);
	if (!error && wrong)
		error = wrong == 2 ? -ELIBACC : -ENOMEM;
	if (!error)
		return 0;
	finish(drain, true);
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
	return error ? refuse(why, why_size, -error, "the process that hands records to LTTng: %s",
			      strerror(-error))
		     : 0;
}
