/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hangs below HIP: with -DREGION in a target region of OpenMP after one that ends, else in a wait
 * for a signal that nobody changes. Another way to hang, by its argument: "jump" leaves the wait by
 * a jump out of a signal's handler and hangs elsewhere.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

#ifdef REGION

int main(void)
{
	static volatile int flag[1];

#pragma omp target map(tofrom : flag)
	flag[0] = 0;
	say("waiting");
#pragma omp target map(tofrom : flag)
	while (!flag[0]) {
	}
	return flag[0];
}

#else

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

static sigjmp_buf back;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static int64_t wait_for(hsa_signal_t signal, uint64_t timeout)
{
	hsa_signal_condition_t below = HSA_SIGNAL_CONDITION_LT;
	hsa_wait_state_t blocked = HSA_WAIT_STATE_BLOCKED;

	return hsa_signal_wait_scacquire(signal, below, 1, timeout, blocked); // HANG
}

int main(int argc, char **argv)
{
	hsa_signal_t done;

	if (hsa_init() || hsa_signal_create(1, 0, NULL, &done))
		return 3;
	for (int i = 0; i < 1000; i++)
		wait_for(done, 1);
	if (argc > 1 && !strcmp(argv[1], "jump")) {
		signal(SIGALRM, leave);
		alarm(1);
		if (!sigsetjmp(back, 1))
			wait_for(done, UINT64_MAX);
		wait_for(done, 1);
		say("waiting");
		pause();
	}
	say("waiting");
	return (int)wait_for(done, UINT64_MAX);
}

#endif
