/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process on standby only remembers calls (live_state.c). LTTng-UST with its threads, stacks and
 * buffers would take 130 MiB of address space and several milliseconds of each program that a shell
 * executes, so it is loaded when a recorder requests the process (tracer/requests.h). A thread
 * waits for that request. It is started by the first call that is remembered: a process without any
 * has no state, and a recorder's request is found when it makes one. The program's own threads
 * never load anything: they may be in the middle of something for which the loader, or another
 * thread that has its lock, waits.
 */
#include "preload/standby/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack.h"
#include "preload/trace/recording.h"
#include "tracer/provider.h"
#include "tracer/requests.h"
#include "tracer/session_filter.h"

#define STACK_SIZE ((size_t)256 << 10)

static struct hg_requests *requests;
static int joining;   /* atomic */
static int pausing;   /* atomic: the thread is to end */
static pid_t watcher; /* atomic: that thread, or 0 */
int hg_standby_unwatched;

/* ---- the provider that stands in ---- */

#define HG_EVENT(name, ...)                                       \
	static void idle_##name(const struct hg_ev_##name *event) \
	{                                                         \
		(void)event;                                      \
	}
#include "tracer/events.def"

static void ignore(sigset_t *saved)
{
	(void)saved;
}

static const volatile int not_recording;

static const struct hg_provider idle_provider = {
	.version = HG_PROVIDER_VERSION,
	.recording = &not_recording,
#define HG_EVENT(name, ...) .name = idle_##name,
#include "tracer/events.def"
	.before_fork = ignore,
	.after_fork_parent = ignore,
	.after_fork_child = ignore,
};

/* ---- requests ---- */

/* The first process on standby makes the file. */
static struct hg_requests *map_requests(void)
{
	char path[4096 + sizeof(HG_REQUESTS)];
	struct stat status;
	void *memory = MAP_FAILED;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" HG_REQUESTS, hg_config.dir) >= (int)sizeof(path))
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    (status.st_size == sizeof(*requests) ||
	     (!status.st_size && !fallocate(fd, 0, 0, sizeof(*requests)))))
		memory = hg_libc.mmap(NULL, sizeof(*requests), PROT_READ | PROT_WRITE, MAP_SHARED,
				      fd, 0);
	hg_libc.close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

static uint32_t *own_slot(void)
{
	return &requests->slots[(uint32_t)hg_process_id % HG_REQUESTS_SLOTS];
}

static bool is_wanted(uint32_t slot)
{
	return slot & HG_REQUESTS_WANTED || __atomic_load_n(&requests->all, __ATOMIC_ACQUIRE);
}

/*
 * What the command executes may end, or execute another program, before it does anything that is
 * recorded; most programs that scripts run do. So, like a process that fork() made, it does not set
 * up LTTng-UST until its first event (fork.c). This does not apply to the command itself, which is
 * in every recording, nor where the first block is an event, or where the program is linked to a
 * library that uses a GPU.
 */
static bool may_sleep(void)
{
	if (!hg_config.recorded)
		return false;
	hg_modules_find();
	return true;
}

/* Whether LTTng-UST is not needed yet. */
static bool postpone(void)
{
	const char *at_once = getenv("HIPGRAIN_STANDBY_LTTNG");

	/* What a recorder starts is recorded from its first event on. */
	if (!hg_config.standby || hg_config.recorded) {
		if (may_sleep())
			hg_provider = &idle_provider;
		return hg_provider != NULL;
	}
	requests = map_requests();
	if (!requests || (at_once && *at_once == '1') ||
	    is_wanted(__atomic_load_n(own_slot(), __ATOMIC_ACQUIRE)))
		return false;
	hg_standby_unwatched = 1;
	hg_provider = &idle_provider;
	return true;
}

static void *watch(void *unused)
{
	uint32_t *slot = own_slot(), value;

	(void)unused;
	hg_tls.busy = 1;
	hg_stack_open();
	__atomic_store_n(&watcher, (pid_t)hg_syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (!is_wanted(value = __atomic_load_n(slot, __ATOMIC_ACQUIRE))) {
		if (__atomic_load_n(&pausing, __ATOMIC_ACQUIRE))
			return NULL;
		hg_syscall(SYS_futex, slot, FUTEX_WAIT, value, NULL, NULL, 0);
	}
	if (hg_confined) /* what LTTng-UST needs may not be allowed: seccomp.c */
		return NULL;
	__atomic_store_n(&joining, 1, __ATOMIC_SEQ_CST);
	hg_fork_barrier();
	hg_join(false);
	__atomic_store_n(&joining, 0, __ATOMIC_SEQ_CST);
	if (*hg_provider->recording)
		hg_begin_recording(true);
	return NULL;
}

static bool is_joining(void)
{
	return __atomic_load_n(&joining, __ATOMIC_SEQ_CST);
}

void hg_standby_watch(const void *caller, bool anywhere)
{
	int saved = errno, one = 1, cancel;
	int (*set_name)(pthread_t, const char *); /* behind ours, which is in another part */
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (hg_tls.busy || hg_tls.in_phdr || hg_tls.resolving || (caller && hg_is_loader(caller)) ||
	    (anywhere && hg_stack_in_handler()) ||
	    !__atomic_compare_exchange_n(&hg_standby_unwatched, &one, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	hg_tls.busy++;
	cancel = hg_keep_thread();
	set_name = (__typeof__(set_name))hg_function_behind("pthread_setname_np");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_attr_init(&attributes)) {
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attributes, STACK_SIZE);
		/*
		 * Without one it cannot be recorded, and goes on. Its name says that it does not
		 * keep the process alive (thread_exit_watch.c), so it has it before the program
		 * continues.
		 */
		if (!pthread_create(&thread, &attributes, watch, NULL) && set_name)
			set_name(thread, "hipgrain-ust");
		pthread_attr_destroy(&attributes);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	HG_EACH_PART(threads_started);
	hg_release_thread(cancel);
	hg_tls.busy--;
	errno = saved;
}

#define PAUSE_STEP_NS 50000
#define PAUSE_STEPS   10000u

/* The thread ends: the next call that is remembered makes another. */
static void pause_watch(void)
{
	struct timespec nap = { .tv_nsec = PAUSE_STEP_NS };
	uint32_t *slot = own_slot();
	pid_t tid = 0;

	if (hg_provider != &idle_provider ||
	    __atomic_load_n(&hg_standby_unwatched, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&pausing, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < PAUSE_STEPS && !is_joining(); i++) {
		tid = __atomic_load_n(&watcher, __ATOMIC_ACQUIRE);
		/* A request between its check of `pausing` and its sleep would be missed. */
		hg_syscall(SYS_futex, slot, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		if (tid && hg_syscall(SYS_tgkill, getpid(), tid, 0))
			break;
		nanosleep(&nap, NULL);
	}
	__atomic_store_n(&pausing, 0, __ATOMIC_RELEASE);
	if (tid && hg_syscall(SYS_tgkill, getpid(), tid, 0)) {
		watcher = 0;
		__atomic_store_n(&hg_standby_unwatched, 1, __ATOMIC_RELEASE);
	}
}

static void forked(void)
{
	watcher = 0;
	pausing = 0;
	hg_provider = &idle_provider;
	joining = 0;
	hg_standby_unwatched = 1;
}

HG_PART(.name = "standby", .order = 61, .postpone = postpone, .joining = is_joining,
	.alone = pause_watch, .fork_standby = forked);
