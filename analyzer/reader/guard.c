/* SPDX-License-Identifier: Apache-2.0 */
/* A crash inside of libbabeltrace2 becomes one line and an exit status. */
#include "guard.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracer/message.h"

/* SIGTRAP is how GLib ends where it gets no memory. */
static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGTRAP, SIGFPE, SIGILL };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[SIGNALS];
static char message[4400];
static __thread volatile sig_atomic_t reading;

static void ended(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (reading) {
		/* write() and _exit() alone are safe here; the message is ready. */
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
}

void guard_end(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

void guard_reading(bool now)
{
	reading = now;
}
