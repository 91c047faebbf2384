/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a disassembler that crashed; see disasm_guard.h. */
#include "disasm_guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static const int signals[] = { SIGSEGV, SIGBUS };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[SIGNALS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `before` */
static _Thread_local sigjmp_buf *way_out;                /* of the call that this thread is in */

static void leave(int number, siginfo_t *info, void *context)
{
	size_t i;

	if (way_out)
		siglongjmp(*way_out, 1);
	for (i = 0; i < SIGNALS - 1 && signals[i] != number;)
		i++;
	if (before[i].sa_flags & SA_SIGINFO) {
		before[i].sa_sigaction(number, info, context);
	} else if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
		before[i].sa_handler(number);
	} else {
		sigaction(number, &before[i], NULL);
		raise(number);
	}
}

void disasm_guard_install(void)
{
	struct sigaction action = { .sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_NODEFER };
	size_t i;

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&lock);
	for (i = 0; i < SIGNALS; i++) {
		struct sigaction now;

		if (sigaction(signals[i], NULL, &now) ||
		    (now.sa_flags & SA_SIGINFO && now.sa_sigaction == leave))
			continue;
		before[i] = now;
		sigaction(signals[i], &action, NULL);
	}
	pthread_mutex_unlock(&lock);
}

size_t disasm_guarded(const struct disasm_backend *backend, void *handle, const uint8_t *code,
		      size_t size, char *text, size_t text_size)
{
	volatile size_t length = 0;
	sigjmp_buf here;

	/* The handler does not block its signal, so there is no mask to restore. */
	if (!sigsetjmp(here, 0)) {
		way_out = &here;
		length = backend->one(handle, code, size, text, text_size);
	}
	way_out = NULL;
	return length;
}
