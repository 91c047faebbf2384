/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start-up, and what fork() changes.
 *
 * Constructors of the program's libraries run before ours, and allocate, and register kernels. So
 * the first call of any interposed function starts the recording, except those that the loader
 * makes for itself: opening the provider from inside the loader would confuse it. The provider's
 * dependency LTTng-UST waits in its constructor until the session daemon has told it what to
 * record, so what static constructors do is not lost.
 *
 * (`-z initfirst` would not do: it runs before the C library's own constructor, and opening a
 * library from there initialises the C library without arguments and environment.)
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counts.h"
#include "fix.h"
#include "ompt.h"
#include "residency.h"
#include "smi.h"
#include "state.h"
#include "totals.h"
#include "tracer/belonging.h"
#include "veil.h"

#define DEFAULT_THRESHOLD   4096u
#define DEFAULT_STACK_DEPTH 32u

/* Blocks that take longer to touch than to remember with their stack. */
#define DEFAULT_STANDBY_THRESHOLD 65536u

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));

int hg_active = HG_NEW;
struct hg_config hg_config;
const struct hg_provider *hg_provider;

enum state { STATE_NEW, STATE_STARTING, STATE_DONE };
static int state; /* enum state, atomic */

void hg_say(const char *format, ...)
{
	char line[512] = "hipgrain: ";
	size_t used = strlen(line);
	va_list args;
	int length, saved = errno, cancel = hg_keep_thread();

	va_start(args, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	used += length < 0 ? 0 : (size_t)length;
	if (used > sizeof(line) - 2)
		used = sizeof(line) - 2;
	line[used++] = '\n';
	used = (size_t)write(STDERR_FILENO, line, used); /* nowhere left to say that it failed */
	(void)used;
	hg_release_thread(cancel);
	errno = saved;
}

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

/* enum hg_arguments; of what is not understood nothing is recorded, which is what was meant least
 * harmfully. */
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

	for (size_t i = 0; text && i < HG_COUNT(words); i++) {
		if (!strcmp(text, words[i].text))
			value = words[i].value;
	}
	if (value == HG_COUNT(words)) {
		hg_say("%s=%s is none of full, hashed and off: off is used", name, text);
		value = HG_ARGUMENTS_OFF;
	}
	return value;
}

/*
 * LTTng's threads: where they cannot be had it crashes when the program ends, and so it does where
 * the C library cannot load, at that time, what ending a thread needs. So there must be memory for
 * them within the limits, and libgcc_s is loaded now.
 */
#define ROOM_BESIDE_STACKS (32u << 20)

static int check_room(void)
{
	struct rlimit memory, data, stack;
	size_t size = 2 * (8u << 20) + ROOM_BESIDE_STACKS;
	void *room;

	if (!dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL)) {
		hg_say("nothing is recorded: %s", dlerror());
		return -ENOENT;
	}
	if (getrlimit(RLIMIT_AS, &memory) || getrlimit(RLIMIT_DATA, &data) ||
	    (memory.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY))
		return 0;
	if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur != RLIM_INFINITY)
		size = 2 * (size_t)stack.rlim_cur + ROOM_BESIDE_STACKS;
	room = hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED) {
		hg_say("nothing is recorded: the process may not have %zu MiB of memory more",
		       size >> 20);
		return -ENOMEM;
	}
	hg_libc.munmap(room, size);
	return 0;
}

/*
 * Whether LTTng-UST was loaded with the program, which has tracepoints of its own. Its constructors
 * allocate: to start it from inside of them would start it half made.
 */
static bool brings_lttng(void)
{
	static int answer; /* atomic; 0: nobody has looked, 1: no, 2: yes */
	int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);

	if (known)
		return known == 2;
	known = 1;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (strstr(map->l_name, "/liblttng-ust"))
			known = 2;
	}
	__atomic_store_n(&answer, known, __ATOMIC_RELAXED);
	return known == 2;
}

/*
 * LTTng-UST reads every library's ELF file as it starts, for events that tell a session their
 * addresses: half of what starting costs, and ours are told by events of our own. It asks its
 * environment whether to, in its constructor; the program's stays what it is.
 */
static void *open_without_statedump(const char *path)
{
	static char variable[] = "LTTNG_UST_WITHOUT_BADDR_STATEDUMP=1";
	char **old = environ, **list = NULL;
	size_t count = 0;
	void *library;

	while (old && old[count])
		count++;
	if (!brings_lttng()) /* else the events are the program's */
		list = hg_libc.calloc(count + 2, sizeof(*list));
	if (list) {
		list[0] = variable;
		if (count)
			memcpy(list + 1, old, count * sizeof(*list));
		environ = list;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (list && environ == list) {
		environ = old;
		hg_libc.free(list);
	}
	return library;
}

/* The provider's shared object, which lies beside this one. */
static int open_provider(void)
{
	char path[PATH_MAX + 32];
	const struct hg_provider *(*get)(void);
	void *library;
	Dl_info own;
	const char *slash;

	if (!dladdr((void *)hg_init, &own) || !(slash = strrchr(own.dli_fname, '/')))
		return -ENOENT;
	snprintf(path, sizeof(path), "%.*s/libhipgrain-provider.so", (int)(slash - own.dli_fname),
		 own.dli_fname);
	library = open_without_statedump(path);
	if (!library) {
		hg_say("nothing is recorded: %s", dlerror());
		return -ENOENT;
	}
	get = (const struct hg_provider *(*)(void))hg_libc.dlsym(library, HG_PROVIDER_SYMBOL);
	hg_provider = get ? get() : NULL;
	if (!hg_provider || hg_provider->version != HG_PROVIDER_VERSION) {
		hg_say("nothing is recorded: %s is of another version", path);
		return -EINVAL;
	}
	return 0;
}

bool hg_is_tracers_thread(void)
{
	static const char suffix[] = "-ust"; /* lttng-ust 2.13, src/common/procname.h */
	char name[16] = "";
	size_t length;

	hg_tls.looked++;
	if (prctl(PR_GET_NAME, name))
		return false;
	length = strnlen(name, sizeof(name));
	if (length < sizeof(suffix) - 1 ||
	    memcmp(name + length - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1))
		return false;
	hg_tls.busy = 1;
	return true;
}

/* ---- fork ---- */

static bool fork_prepared; /* under the locks taken by before_fork() */

static void before_fork(void)
{
	hg_tls.busy++;
	hg_last_before_fork();
	hg_state_fork_lock(true);
	hg_hip_graph_lock();
	hg_hip_lock();
	hg_modules_lock();
	hg_state_fork_lock(false);
	hg_batches_fork();
	hg_provider->before_fork(&hg_tls.saved_signals);
	fork_prepared = true;
}

static void after_fork_parent(void)
{
	if (!fork_prepared)
		return;
	hg_provider->after_fork_parent(&hg_tls.saved_signals);
	hg_batches_forked();
	hg_state_fork_unlock();
	hg_modules_unlock();
	hg_hip_unlock();
	hg_hip_graph_unlock();
	hg_tls.busy--;
}

/*
 * What the parent defined (stacks, modules, kernels) is not defined in the child's events. While
 * LTTng-UST starts its threads anew it waits for them, and they allocate, through the loader, too:
 * none of that is the program's, and they must not wait for a lock of ours.
 */
static void after_fork_child(void)
{
	if (!fork_prepared)
		return;
	hg_active = HG_DORMANT;
	hg_state_fork_unlock();
	hg_modules_unlock();
	hg_hip_unlock();
	hg_hip_graph_unlock();
	hg_provider->after_fork_child(&hg_tls.saved_signals);
	hg_threads_reset();
	hg_stack_reset();
	hg_totals_reset();
	if (!hg_config.standby)
		hg_totals_begin();
	hg_modules_reset();
	hg_regions_reset();
	hg_hip_reset();
	hg_smi_reset();
	hg_wait_reset();
	hg_residency_reset();
	hg_cost_init();
	hg_recording_begun = 0;
	hg_process_forked = true;
	hg_process_begin();
	hg_process_id = getpid();
	hg_counts_init();
	if (*hg_provider->recording)
		hg_begin_recording(false);
	hg_active = HG_ACTIVE; /* only now: others would wait for the beginning */
	hg_last_after_fork();
	hg_tls.busy--;
}

/* ---- start ---- */

static int start_totals(void)
{
	int rc = hg_totals_init(hg_small_chunk);

	if (rc) {
		hg_say("nothing is recorded: no memory for totals: %s", strerror(-rc));
		return rc;
	}
	/* From here on no block is small enough to be of no interest; else state.c says when. */
	if (!hg_config.standby) {
		hg_libc_limit(0);
		hg_totals_begin();
	}
	return 0;
}

/* By hand: at this time the functions of such a program may not be called. */
static void tell_sanitizer(void)
{
	static const char start_[] = "hipgrain: nothing is recorded: the program was built with ";
	static const char variable[] = "HIPGRAIN_DIR=";
	size_t length = 0;

	for (char **env = environ; env && *env; env++) {
		size_t i = 0;

		while (variable[i] && (*env)[i] == variable[i])
			i++;
		if (variable[i] || !(*env)[i])
			continue;
		while (hg_sanitizer[length])
			length++;
		syscall(SYS_write, 2, start_, sizeof(start_) - 1);
		syscall(SYS_write, 2, hg_sanitizer, length);
		syscall(SYS_write, 2, "\n", 1);
		return;
	}
}

static void start(void)
{
	const char *dir;

	hg_libc_init();
	if (hg_sanitizer) {
		tell_sanitizer();
		return;
	}
	/* Who starts a program with more rights than his own does not choose where it writes. */
	dir = secure_getenv("HIPGRAIN_DIR");
	if (!dir || !*dir)
		return;
	/* The program may change its working directory. */
	hg_config.dir = realpath(dir, NULL);
	if (!hg_config.dir)
		hg_say("nothing is recorded: HIPGRAIN_DIR=%s: %s", dir, strerror(errno));
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
	if (hg_config.totals && hg_config.threshold > HG_TOTALS_LIMIT) {
		hg_say("totals are of blocks below %u bytes: that is the threshold, then",
		       HG_TOTALS_LIMIT);
		hg_config.threshold = HG_TOTALS_LIMIT;
	}
	hg_config.omp_contents = read_number("HIPGRAIN_OMP_CONTENTS", 1, 2);
	hg_config.batch = read_number("HIPGRAIN_BATCH", 1, 1);
	hg_config.migration = read_number("HIPGRAIN_MIGRATION", 1, 1);
	hg_config.recorded = getenv(HG_SESSION_VARIABLE) != NULL;
	if (!hg_config.dir || check_room() || open_provider() || hg_stack_init())
		return;
	if (hg_veil_init()) {
		hg_config.omp_contents = HG_OMP_CONTENTS_NONE;
		if (hg_config.kernel_arguments == HG_ARGUMENTS_HASHED)
			hg_config.kernel_arguments = HG_ARGUMENTS_OFF;
		hg_say("contents of memory are not compared, nor arguments hashed: no random "
		       "numbers: %s",
		       strerror(errno));
	}
	hg_fix_init();
	hg_residency_init();
	hg_threshold = hg_config.threshold;
	hg_libc_measure(hg_config.threshold);
	if (hg_libc_is_passed())
		hg_say("host memory is not recorded: the program has a malloc() that comes before "
		       "ours");
	if (hg_config.standby && hg_state_init())
		return;
	if (hg_config.totals && start_totals())
		return;
	hg_modules_find();
	hg_process_id = getpid();
	hg_counts_init();
	hg_batches_init();
	*hg_provider->at_exit = hg_leave_at_exit;
	hg_cost_init();
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	hg_process_begin();
	if (*hg_provider->recording)
		hg_begin_recording(false);
	hg_active = HG_ACTIVE;
	hg_ompt_check();
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
	start();
	hg_release_thread(cancel);
	if (hg_active == HG_NEW) {
		hg_active = HG_DORMANT;
		hg_small_request = SIZE_MAX;
	}
	hg_tls.busy--;
	__atomic_store_n(&state, STATE_DONE, __ATOMIC_RELEASE);
	errno = saved;
}

/* Whether an address is the loader's: between its base and the end of its last segment. */
static bool is_loader(const void *address)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)_r_debug.r_ldbase;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)((const char *)header + header->e_phoff);
	uintptr_t offset = (uintptr_t)address - (uintptr_t)header, end = 0;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD &&
		    segments[i].p_vaddr + segments[i].p_memsz > end)
			end = segments[i].p_vaddr + segments[i].p_memsz;
	}
	return offset < end;
}

bool hg_start(const void *caller)
{
	/* `environ` is set by the C library's constructor; before it nothing works. */
	if (hg_active == HG_NEW && environ && !hg_tls.in_phdr && !hg_tls.resolving &&
	    !hg_tls.busy && !is_loader(caller) && !brings_lttng())
		hg_init();
	return hg_active == HG_ACTIVE;
}

__attribute__((constructor)) static void construct(void)
{
	hg_init();
}
