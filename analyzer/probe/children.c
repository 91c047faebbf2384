/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the probe's children, one after the other, and keeps what they measured. A child that ends
 * in a step, or makes no progress for the time limit, leaves that step behind as what it was; the
 * next child goes on with the step after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"
#include "tracer/machine.h"

/* The driver may keep a killed process for a while, or for ever if it hangs itself. */
#define KILL_SECONDS 5
/* The first step takes time to load the runtime and to initialise it. */
#define START_SECONDS     60
#define POLL_MICROSECONDS 1000
/* Children that ended without finishing a step, in a row, until the GPU is given up. */
#define MAX_FRUITLESS 3

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns a number that changes with each step of the mode that begins or ends. */
static unsigned long progress(const struct probe_mode *mode)
{
	unsigned long sum = 0;

	for (unsigned i = 0; mode && i < PROBE_PLACEMENTS; i++)
		for (unsigned step = 0; step < PROBE_STEPS; step++)
			sum +=
			    __atomic_load_n(&mode->memory[i].steps[step].state, __ATOMIC_ACQUIRE);
	return sum;
}

/* Closes the output: the user of the probe need not see what the runtime prints when it aborts. */
static void become_quiet(void)
{
	struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	setrlimit(RLIMIT_CORE, &none);
}

static pid_t start(const struct probe_task *task, void (*child)(const struct probe_task *))
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		int hsa_xnack = task->probe->gpu[task->gpu].mode[task->mode].hsa_xnack;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		become_quiet();
		if (hsa_xnack >= 0)
			setenv("HSA_XNACK", hsa_xnack ? "1" : "0", 1);
		child(task);
	}
	return pid;
}

/* Returns true if the process was reaped within `limit` seconds, with its status in *status. */
static bool reap(pid_t pid, double limit, int *status)
{
	double until = seconds() + limit;

	for (;;) {
		pid_t reaped = waitpid(pid, status, WNOHANG);

		if (reaped == pid || (reaped < 0 && errno != EINTR))
			return true;
		if (seconds() > until)
			return false;
		usleep(POLL_MICROSECONDS);
	}
}

static struct probe_outcome watch(pid_t pid, const struct probe_mode *mode, unsigned step_seconds)
{
	unsigned long last = progress(mode), first = last;
	double since = seconds();
	int status = 0;

	while (!reap(pid, 0.01, &status)) {
		unsigned long current = progress(mode);
		double limit = current == first ? START_SECONDS : step_seconds;

		if (current != last) {
			last = current;
			since = seconds();
		} else if (seconds() - since > limit) {
			kill(pid, SIGKILL);
			return (struct probe_outcome){ reap(pid, KILL_SECONDS, &status)
							   ? PROBE_TIMED_OUT
							   : PROBE_STUCK,
						       SIGKILL };
		}
	}
	if (WIFSIGNALED(status))
		return (struct probe_outcome){ PROBE_ENDED_BY_SIGNAL, WTERMSIG(status) };
	return (struct probe_outcome){ PROBE_ENDED, 0 };
}

static bool finished(const struct probe_mode *mode)
{
	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++)
		for (unsigned step = 0; step < PROBE_STEPS; step++)
			if (mode->memory[i].steps[step].state == PROBE_PENDING)
				return false;
	return true;
}

static const char *ending_text(struct probe_outcome outcome, char *text, size_t size)
{
	if (outcome.ending == PROBE_STUCK)
		return "the driver holds a process that was killed: it hangs";
	if (outcome.ending == PROBE_TIMED_OUT)
		return "the HIP runtime hung when it was started";
	if (outcome.ending == PROBE_ENDED)
		return "the HIP runtime ended the process when it was started";
	snprintf(text, size, "the HIP runtime crashed when it was started: %s",
		 strsignal(outcome.signal));
	return text;
}

static void measure_mode(const struct probe_task *task)
{
	struct probe_mode *mode = &task->probe->gpu[task->gpu].mode[task->mode];
	unsigned fruitless = 0;
	char text[PROBE_TEXT];

	while (!finished(mode) && !mode->problem[0]) {
		unsigned long before = progress(mode);
		pid_t pid = start(task, probe_child_measure);
		struct probe_outcome outcome;
		bool any;

		if (pid < 0) {
			snprintf(mode->problem, PROBE_TEXT, "no process can be started: %s",
				 strerror(errno));
			return;
		}
		outcome = watch(pid, mode, task->settings->step_seconds);
		any = probe_settle(mode, outcome);
		fruitless = any || progress(mode) != before ? 0 : fruitless + 1;
		if (outcome.ending == PROBE_STUCK || fruitless >= MAX_FRUITLESS) {
			if (!mode->problem[0])
				snprintf(mode->problem, PROBE_TEXT, "%s",
					 ending_text(outcome, text, sizeof(text)));
		}
	}
}

/* Plans the XNACK modes. Only a GPU whose target id names the feature has both. */
static void plan_modes(struct probe_gpu *gpu)
{
	const char *environment = getenv("HSA_XNACK");

	gpu->modes = environment && environment[0] ? 1 : 2;
	gpu->mode[0].hsa_xnack = gpu->modes == 1 ? -1 : 0;
	gpu->mode[1].hsa_xnack = 1;
}

struct probe *probe_measure(const struct probe_settings *settings)
{
	struct probe *probe =
	    mmap(NULL, sizeof(*probe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct probe_task task = { .settings = settings, .probe = probe };
	struct probe_outcome outcome;
	char text[PROBE_TEXT];
	pid_t pid;

	if (probe == MAP_FAILED)
		return NULL;
	machine_driver(probe->driver, sizeof(probe->driver));
	probe->gpu[0].mode[0].hsa_xnack = -1;
	pid = start(&task, probe_child_survey);
	if (pid < 0) {
		snprintf(probe->problem, PROBE_TEXT, "no process can be started: %s",
			 strerror(errno));
		return probe;
	}
	outcome = watch(pid, NULL, settings->step_seconds);
	if (outcome.ending != PROBE_ENDED && !probe->problem[0])
		snprintf(probe->problem, PROBE_TEXT, "%s",
			 ending_text(outcome, text, sizeof(text)));
	if (!probe->problem[0] && settings->gpu >= 0 && (unsigned)settings->gpu >= probe->gpus)
		snprintf(probe->problem, PROBE_TEXT, "there is no GPU %d: the HIP runtime has %u",
			 settings->gpu, probe->gpus);
	for (task.gpu = 0; !probe->problem[0] && task.gpu < probe->gpus; task.gpu++) {
		struct probe_gpu *gpu = &probe->gpu[task.gpu];

		if (settings->gpu >= 0 && (unsigned)settings->gpu != task.gpu)
			continue;
		plan_modes(gpu);
		for (task.mode = 0; task.mode < gpu->modes; task.mode++) {
			measure_mode(&task);
			if (task.mode == 1 && gpu->mode[1].environment.xnack != 1)
				gpu->modes = 1; /* the same once more */
		}
	}
	return probe;
}

void probe_free(struct probe *probe)
{
	if (probe)
		munmap(probe, sizeof(*probe));
}
