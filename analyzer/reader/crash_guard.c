/* SPDX-License-Identifier: Apache-2.0 */
/* This changes how the process ends while it reads a trace: a crash inside of libbabeltrace2
 * becomes one line and an exit status. */
#include "crash_guard.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "temporary.h"
#include "tracer/message.h"

/* GLib ends by SIGTRAP if it gets no memory. */
static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGTRAP, SIGFPE, SIGILL };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[SIGNALS];

/* These end the process in the middle: if one does, temporary files go with it. */
static const int ends[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ };
#define ENDS (sizeof(ends) / sizeof(ends[0]))
static struct sigaction before_ends[ENDS];

static char message[4400];
static __thread volatile sig_atomic_t reading;

static void ended(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (reading) {
		/* Little is safe here; the message is ready. */
		temporary_remove_all();
		if (write(STDERR_FILENO, message, strlen(message)) < 0)
			_exit(HG_EXIT_INTERNAL);
		_exit(HG_EXIT_INPUT);
	}
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			sigaction(number, &before[i], NULL);
	/* A fault repeats when this returns: a sanitizer then reports where it was. */
	if (number == SIGABRT || number == SIGTRAP || info->si_code <= 0)
		raise(number);
}

static void ended_by_signal(int number)
{
	temporary_remove_all();
	for (size_t i = 0; i < ENDS; i++)
		if (ends[i] == number)
			sigaction(number, &before_ends[i], NULL);
	raise(number);
}

/* Signals that are ignored, or that somebody handles, stay as they are. */
static void guard_ends(void)
{
	struct sigaction action = { .sa_handler = ended_by_signal, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &before_ends[i]) == 0 &&
		    before_ends[i].sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
}

void guard_begin(const char *directory)
{
	struct sigaction action = { .sa_sigaction = ended, .sa_flags = SA_SIGINFO };

	snprintf(message, sizeof(message),
		 "hipgrain: %.4000s: the recording is damaged: libbabeltrace2 ended while reading "
		 "the events\n",
		 directory);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
	guard_ends();
}

void guard_end(void)
{
	for (size_t i = 0; i < ENDS; i++)
		if (before_ends[i].sa_handler == SIG_DFL)
			sigaction(ends[i], &before_ends[i], NULL);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

void guard_reading(bool now)
{
	reading = now;
}
