/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start-up.
 *
 * Constructors of the program's libraries run before ours, allocate, and register kernels. So the
 * first call of any interposed function starts the recording, except calls that the loader makes.
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
#include "preload/core/mapped_file.h"
#include "preload/core/own_stack.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "tracer/build_mark.h"
#include "tracer/process_messages.h"
#include "tracer/provider.h"
#include "tracer/environment_names.h"

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

/* The recorder reads this in this library's file: tracer/install.c. */
__attribute__((used)) static const char build_mark[] = HG_BUILD_MARK;

/* Returns a number of the environment, at most `limit`; or `fallback` if it is unset, or with a
 * message if it is not a number. */
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

/* Returns an enum hg_arguments. If the value is unknown, no arguments are recorded. */
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

bool hg_join(void)
{
	const struct hg_provider *provider = NULL;

	if (!HG_ANY_PART(early_begin, &provider))
		return false;
	HG_EACH_PART(joined);
	__atomic_store_n(&hg_provider, provider, __ATOMIC_RELEASE);
	return true;
}

bool hg_begin_early(void)
{
	/* Once the recording has ended, its bundle is complete. */
	if (hg_config.recorded && !HG_ANY_PART(wanted))
		return false;
	if (!hg_join()) {
		if (!HG_ANY_PART(unmade))
			hg_say("nothing is recorded: no file can be made in HIPGRAIN_DIR");
		return false;
	}
	if (hg_process_forked)
		HG_EACH_PART(fork_record);
	HG_EACH_PART(record, false);
	HG_EACH_PART(started);
	return true;
}

/* ---- start ---- */

/*
 * Reports that nothing is recorded because the program `what` `name`. It does what hg_say() does,
 * but by hand: the functions of such a program may not be called.
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
		if (fd >= 0 && hg_may_have(HG_MESSAGES_MAX))
			hg_syscall(SYS_write, fd, line, length);
		if (fd >= 0)
			hg_syscall(SYS_close, fd);
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
	hg_config.migration = read_number("HIPGRAIN_MIGRATION", 1, 1);
	hg_config.recorded = getenv(HG_SESSION_VARIABLE) != NULL;
}

/* Keeps an absolute path of something that exists. If it cannot be opened just now, as memory or
 * descriptors are short, it may be there all the same. */
static bool keep_path(const char *path, char *kept)
{
	struct stat status;

	return *path == '/' && (!stat(path, &status) || errno != ENOENT) &&
	       snprintf(kept, PATH_MAX, "%s", path) < PATH_MAX;
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
	/* The program may change its working directory. A recorder's path is real already. */
	if ((getenv(HG_SESSION_VARIABLE) && keep_path(dir, directory)) ||
	    hg_real_path(dir, directory) || keep_path(dir, directory))
		hg_config.dir = directory;
	read_settings();
	hg_process_id = getpid();
	hg_config.user = geteuid();
	HG_EACH_PART(early);
	if (!hg_config.dir)
		return;
	hg_threshold = hg_config.threshold;
	hg_libc_measure(hg_config.threshold);
	if (hg_libc_is_passed())
		hg_say(HG_MESSAGE_HOST_MEMORY
		       ": the program has a malloc() that comes before ours");
	if (HG_ANY_PART(init)) {
		hg_say("nothing is recorded: no memory for it");
		return;
	}
	hg_fork_init();
	if (!hg_config.standby || hg_config.recorded) {
		hg_active = HG_FORKED;
		return;
	}
	hg_active = HG_ACTIVE;
	HG_EACH_PART(started);
}

static void start_here(void *unused)
{
	(void)unused;
	start();
}

/*
 * The command itself is in every recording, others are if they do something that is recorded; so is
 * what is recorded without a recorder.
 */
static bool is_command(void)
{
	const char *command = getenv(HG_COMMAND_VARIABLE);

	return command ? atol(command) == (long)hg_process_id : !hg_config.recorded;
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
	    !hg_tls.busy && !hg_is_loader(caller))
		hg_init();
	return hg_active == HG_ACTIVE || hg_active > HG_NEW;
}

__attribute__((constructor)) static void construct(void)
{
	hg_init();
}
