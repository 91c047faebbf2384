/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start-up.
 *
 * Constructors of the program's libraries run before ours, allocate, and register kernels. So the
 * first call of any interposed function starts the recording, except calls that the loader makes:
 * opening the provider from inside the loader would corrupt its state. The provider's dependency
 * LTTng-UST waits in its constructor until the session daemon has sent what to record, so what
 * static constructors do is recorded.
 *
 * (`-z initfirst` cannot be used: such a constructor runs before the C library's own, and opening a
 * library there initialises the C library without arguments and environment.)
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/files.h"
#include "preload/core/fork.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/own_stack.h"
#include "preload/core/message.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "tracer/build_mark.h"
#include "tracer/process_messages.h"
#include "tracer/provider.h"
#include "tracer/session_filter.h"

#define DEFAULT_THRESHOLD   4096u
#define DEFAULT_STACK_DEPTH 32u

/* Blocks that take longer to touch than to remember together with their call stack. */
#define DEFAULT_STANDBY_THRESHOLD 65536u

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));

int hg_active = HG_NEW;
struct hg_config hg_config;
const struct hg_provider *hg_provider;
bool hg_confined;
uint32_t hg_generation = 1;
uint32_t hg_threshold;
pid_t hg_process_id;
bool hg_process_forked;
struct hg_fork_origin hg_fork_origin;

enum state { STATE_NEW, STATE_STARTING, STATE_DONE };
static int state; /* enum state, atomic */

/* Read by the recorder in this library's file: tracer/install.c. */
__attribute__((used)) static const char build_mark[] = HG_BUILD_MARK;

/* A number of the environment; `fallback` if unset, with a message if it is not a number. */
static uint32_t read_number(const char *name, uint32_t fallback, uint32_t limit)
{
	const char *text = getenv(name);
	uint64_t value = 0;

	if (!text || !*text)
		return fallback;
	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9' || value > limit) {
			hg_say("%s=%s is not a number up to %u: %u is used", name, text, limit,
			       fallback);
			return fallback;
		}
		value = value * 10 + (uint64_t)(*p - '0');
	}
	return value > limit ? limit : (uint32_t)value;
}

/* enum hg_arguments. Unknown value: record no arguments. */
static unsigned read_arguments(void)
{
	static const char name[] = "HIPGRAIN_KERNEL_ARGUMENTS";
	static const struct {
		const char *text;
		unsigned value;
	} words[] = {
		{ "full", HG_ARGUMENTS_FULL },
		{ "hashed", HG_ARGUMENTS_HASHED },
		{ "off", HG_ARGUMENTS_OFF },
	};
	const char *text = getenv(name);
	unsigned value = text && *text ? HG_COUNT(words) : HG_ARGUMENTS_FULL;

	for (size_t i = 0; text && i < HG_COUNT(words); i++)
		if (!strcmp(text, words[i].text))
			value = words[i].value;
	if (value == HG_COUNT(words)) {
		hg_say("%s=%s is none of full, hashed and off: off is used", name, text);
		value = HG_ARGUMENTS_OFF;
	}
	return value;
}

bool hg_load_thread_end(void)
{
	if (dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL))
		return true;
	hg_say("nothing is recorded: %s", dlerror());
	return false;
}

/*
 * LTTng's threads: if they cannot be started, LTTng-UST crashes when the program ends; so it does
 * if the C library cannot load libgcc_s at that time, which ending a thread needs. So there must be
 * memory for threads and buffers within the limits, and libgcc_s is loaded now, unless there will
 * be no such threads.
 */
#define ROOM (32u << 20)

static int check_room(void)
{
	struct rlimit memory, data;
	void *room;

	if (!HG_ANY_PART(no_threads) && !hg_load_thread_end())
		return -ENOENT;
	if (getrlimit(RLIMIT_AS, &memory) || getrlimit(RLIMIT_DATA, &data) ||
	    (memory.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY))
		return 0;
	room = hg_libc.mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED) {
		hg_say("nothing is recorded: the process may not have %u MiB of memory more",
		       ROOM >> 20);
		return -ENOMEM;
	}
	hg_libc.munmap(room, ROOM);
	return 0;
}

bool hg_is_lttng_file(const char *path)
{
	return strstr(path, "/liblttng-ust") || strstr(path, "/" HG_PRIVATE_UST);
}

/*
 * Whether LTTng-UST was loaded with the program, which has tracepoints of its own. Its constructors
 * allocate: to start it from inside of them would start it half made.
 */
bool hg_brings_lttng(void)
{
	static int answer; /* atomic; 0: not checked yet, 1: no, 2: yes */
	int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);

	if (known)
		return known == 2;
	known = 1;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (strstr(map->l_name, "/liblttng-ust"))
			known = 2;
	__atomic_store_n(&answer, known, __ATOMIC_RELAXED);
	return known == 2;
}

/*
 * LTTng-UST reads every library's ELF file when it starts, for events with their addresses: half of
 * its start-up time. Our own events describe the libraries. Its constructor reads from the
 * environment whether to do so; the program's environment stays as it is.
 */
static void *open_without_statedump(const char *path, bool early)
{
	static char variable[] = "LTTNG_UST_WITHOUT_BADDR_STATEDUMP=1";
	char **old = environ, **list = NULL;
	size_t count = 0;
	void *library;

	while (old && old[count])
		count++;
	hg_config.own_lttng = !hg_brings_lttng();
	/* Else the events are the program's; other threads may use the environment. */
	if (early && hg_config.own_lttng)
		list = hg_pool_calloc(count + 2, sizeof(*list));
	if (list) {
		list[0] = variable;
		if (count)
			memcpy(list + 1, old, count * sizeof(*list));
		environ = list;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (list && environ == list) {
		environ = old;
		hg_pool_free(list);
	}
	return library;
}

/* The provider's shared object, which lies beside this one. */
static const struct hg_provider *open_provider(bool early)
{
	const struct hg_provider *provider;
	char path[PATH_MAX + 32];
	const struct hg_provider *(*get)(void);
	void *library;
	Dl_info own;
	const char *slash;

	if (!dladdr((void *)hg_init, &own) || !(slash = strrchr(own.dli_fname, '/')))
		return NULL;
	snprintf(path, sizeof(path), "%.*s/libhipgrain-provider.so", (int)(slash - own.dli_fname),
		 own.dli_fname);
	library = open_without_statedump(path, early);
	if (!library) {
		hg_say("nothing is recorded: %s", dlerror());
		return NULL;
	}
	get = (const struct hg_provider *(*)(void))hg_libc.dlsym(library, HG_PROVIDER_SYMBOL);
	provider = get ? get() : NULL;
	if (!provider || provider->version != HG_PROVIDER_VERSION) {
		hg_say("nothing is recorded: %s is of another version", path);
		return NULL;
	}
	return provider;
}

const struct hg_provider *hg_opened_provider;
const struct hg_provider *hg_early_provider;

bool hg_begin_early(void)
{
	const struct hg_provider *provider = NULL;
	const volatile int *recording = NULL;

	/* Once the recording has ended, its bundle is complete. */
	if (!HG_ANY_PART(early_allowed, &recording) || !*recording ||
	    !HG_ANY_PART(early_begin, recording, &provider))
		return false;
	hg_early_provider = provider;
	HG_EACH_PART(loaded, provider);
	HG_EACH_PART(joined, provider);
	__atomic_store_n(&hg_provider, provider, __ATOMIC_RELEASE);
	HG_EACH_PART(loaded_late);
	if (hg_process_forked)
		HG_EACH_PART(fork_record);
	hg_begin_first();
	HG_EACH_PART(started);
	return true;
}

bool hg_load_after_early(void)
{
	extern char __libc_single_threaded __attribute__((weak));

	if (hg_join(&__libc_single_threaded && __libc_single_threaded))
		return false;
	hg_early_provider = NULL;
	HG_EACH_PART(early_end, *hg_provider->recording);
	hg_changed(); /* threads have looked at the other provider's word (block.c) */
	if (*hg_provider->recording)
		HG_EACH_PART(recorded);
	HG_EACH_PART(begun);
	HG_EACH_PART(threads_started);
	return true;
}

int hg_join(bool early)
{
	const struct hg_provider *provider = hg_opened_provider;

	if (!provider && check_room())
		return -ENOENT;
	HG_EACH_PART(announce);
	if (provider) {
		hg_fork_join(provider);
	} else if (!(provider = open_provider(early))) {
		return -ENOENT;
	} else {
		hg_opened_provider = provider;
		hg_fork_loaded();
		HG_EACH_PART(loaded, provider);
	}
	HG_EACH_PART(joined, provider);
	__atomic_store_n(&hg_provider, provider, __ATOMIC_RELEASE);
	return 0;
}

void hg_begin_first(void)
{
	if (*hg_provider->recording) {
		HG_EACH_PART(record, false);
		HG_EACH_PART(recorded);
	}
	HG_EACH_PART(begun);
}

bool hg_load_late(void)
{
	extern char __libc_single_threaded __attribute__((weak));
	const volatile int *recording = NULL;
	bool refused = HG_ANY_PART(early_allowed, &recording);

	/* It could not store its records, and LTTng has no part in this recording. */
	if (refused && *recording) {
		HG_EACH_PART(announce);
		hg_say("nothing is recorded: no file can be made in HIPGRAIN_DIR");
	}
	if (refused || hg_join(&__libc_single_threaded && __libc_single_threaded)) {
		hg_small_request = SIZE_MAX;
		return false;
	}
	HG_EACH_PART(loaded_late);
	hg_begin_first();
	HG_EACH_PART(started);
	HG_EACH_PART(threads_started);
	return true;
}

/* ---- start ---- */

/*
 * That nothing is recorded because the program `what` `name`. As hg_say(), by hand: the functions
 * of such a program may not be called.
 */
static void report_unrecorded(const char *what, const char *name)
{
	static const char start_[] = "0 : nothing is recorded: the program ";
	static const char variable[] = "HIPGRAIN_DIR=", file[] = "/" HG_MESSAGES;
	char line[128], path[PATH_MAX + sizeof(file)];
	size_t length = 0, used = 0;
	long fd;

	for (char **env = environ; env && *env; env++) {
		size_t i = 0;

		while (variable[i] && (*env)[i] == variable[i])
			i++;
		if (variable[i] || !(*env)[i])
			continue;
		for (; (*env)[i] && used < PATH_MAX; i++)
			path[used++] = (*env)[i];
		for (size_t k = 0; k < sizeof(file); k++)
			path[used++] = file[k];
		for (size_t k = 0; k + 1 < sizeof(start_); k++)
			line[length++] = start_[k];
		for (; *what; what++)
			line[length++] = *what;
		for (; *name; name++)
			line[length++] = *name;
		line[length++] = '\n';
		fd = hg_syscall(SYS_open, path,
				O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (fd >= 0) {
			hg_syscall(SYS_write, fd, line, length);
			hg_syscall(SYS_close, fd);
		}
		return;
	}
}

static void read_settings(void)
{
	hg_config.threshold = read_number("HIPGRAIN_THRESHOLD", DEFAULT_THRESHOLD, UINT32_MAX - 1);
	hg_config.stack_depth =
	    read_number("HIPGRAIN_STACK_DEPTH", DEFAULT_STACK_DEPTH, HG_STACK_DEPTH_MAX);
	hg_config.memory_queries = read_number("HIPGRAIN_MEMORY_QUERIES", 1, 1);
	hg_config.kernel_arguments = read_arguments();
	hg_config.standby = read_number("HIPGRAIN_STANDBY", 0, 1);
	hg_config.standby_threshold =
	    read_number("HIPGRAIN_STANDBY_THRESHOLD", DEFAULT_STANDBY_THRESHOLD, UINT32_MAX - 1);
	if (hg_config.standby_threshold < hg_config.threshold)
		hg_config.standby_threshold = hg_config.threshold;
	hg_config.totals = read_number("HIPGRAIN_TOTALS", 0, 1);
	if (hg_config.totals && hg_config.threshold > HG_TOTALS_MAX) {
		hg_say("totals are of blocks below %u bytes: that is the threshold, then",
		       HG_TOTALS_MAX);
		hg_config.threshold = HG_TOTALS_MAX;
	}
	hg_config.omp_contents = read_number("HIPGRAIN_OMP_CONTENTS", 1, 2);
	hg_config.batch = read_number("HIPGRAIN_BATCH", 1, 1);
	hg_config.early = read_number("HIPGRAIN_EARLY", 1, 1);
	hg_config.migration = read_number("HIPGRAIN_MIGRATION", 1, 1);
	hg_config.recorded = getenv(HG_SESSION_VARIABLE) != NULL;
	hg_config.mute_daemon = read_number("HIPGRAIN_MUTE_DAEMON", 0, 1);
}

static void start(void)
{
	static char directory[PATH_MAX];
	const char *dir, *own_function;

	hg_parts_init();
	hg_libc_init();
	if (hg_sanitizer) {
		report_unrecorded("was built with ", hg_sanitizer);
		return;
	}
	/*
	 * A user who starts a program with more rights than he has does not choose where it writes.
	 */
	dir = secure_getenv("HIPGRAIN_DIR");
	if (!dir || !*dir)
		return;
	own_function = hg_own_function();
	if (own_function) {
		report_unrecorded("has a function of its own by the name of ", own_function);
		return;
	}
	if (getenv(HG_SESSION_VARIABLE) && HG_ANY_PART(refuse, dir))
		return;
	/* The program may change its working directory. */
	if (hg_real_path(dir, directory))
		hg_config.dir = directory;
	else
		hg_say("nothing is recorded: HIPGRAIN_DIR=%s: %s", dir, strerror(errno));
	read_settings();
	hg_process_id = getpid();
	hg_config.user = geteuid();
	HG_EACH_PART(early);
	if (!hg_config.dir)
		return;
	/*
	 * On standby nothing is opened until it is needed, because that would slow the program
	 * down.
	 */
	if (!HG_ANY_PART(postpone) && hg_join(true))
		return;
	hg_threshold = hg_config.threshold;
	hg_libc_measure(hg_config.threshold);
	if (hg_libc_is_passed())
		hg_say("host memory is not recorded: the program has a malloc() that comes before "
		       "ours");
	if (HG_ANY_PART(init))
		return;
	hg_fork_init();
	if (!hg_opened_provider && (!hg_config.standby || hg_config.recorded)) {
		hg_active = HG_FORKED;
		return;
	}
	hg_begin_first();
	hg_active = HG_ACTIVE;
	HG_EACH_PART(started);
}

static void start_here(void *unused)
{
	(void)unused;
	start();
}

/* The command itself is in every recording, others are if they do something that is recorded. */
static bool is_command(void)
{
	const char *command = getenv(HG_COMMAND_VARIABLE);

	return command && atol(command) == (long)hg_process_id;
}

void hg_init(void)
{
	int expected = STATE_NEW, saved = errno, cancel;

	if (HG_LIKELY(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_DONE) ||
	    !__atomic_compare_exchange_n(&state, &expected, STATE_STARTING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	hg_tls.busy++;
	cancel = hg_keep_thread();
	hg_room_init();
	if (hg_has_room())
		start();
	else
		hg_room_elsewhere(start_here, NULL);
	hg_release_thread(cancel);
	if (hg_active == HG_NEW) {
		hg_active = HG_DORMANT;
		hg_small_request = SIZE_MAX;
	}
	hg_tls.busy--;
	__atomic_store_n(&state, STATE_DONE, __ATOMIC_RELEASE);
	if (hg_active == HG_FORKED && is_command())
		hg_fork_wake();
	errno = saved;
}

uintptr_t hg_object_size(uintptr_t base)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(base + header->e_phoff);
	uintptr_t end = 0;

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD &&
		    segments[i].p_vaddr + segments[i].p_memsz > end)
			end = segments[i].p_vaddr + segments[i].p_memsz;
	return end;
}

bool hg_is_loader(const void *address)
{
	return (uintptr_t)address - _r_debug.r_ldbase < hg_object_size(_r_debug.r_ldbase);
}

bool hg_start(const void *caller)
{
	/* `environ` is set by the C library's constructor; before it nothing works. */
	if (hg_active == HG_NEW && environ && !hg_tls.in_phdr && !hg_tls.resolving &&
	    !hg_tls.busy && !hg_is_loader(caller) && !hg_brings_lttng())
		hg_init();
	return hg_active == HG_ACTIVE || hg_active > HG_NEW;
}

__attribute__((constructor)) static void construct(void)
{
	hg_init();
}
