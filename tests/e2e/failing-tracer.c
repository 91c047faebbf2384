/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets system calls of the preload library fail, as a kernel that is out of memory does, or a
 *filter.
 *
 *	failing-tracer PRELOAD NAMES list PROGRAM [ARGUMENT]...
 *	failing-tracer PRELOAD NAMES ERRNO HOW CALL FUNCTIONS PROGRAM [ARGUMENT]...
 *
 * Runs PROGRAM, which the library PRELOAD is loaded into, follows its processes and threads, and
 *ends with its status. "list": prints a line for each system call that is the library's: its
 *number, and functions from the call outwards. Else the first that such a line describes fails; HOW
 *"once": it alone; "on": and the next FAILURES of the same number that are the library's, in any
 *task. What has failed is printed.
 *
 * A call is the library's if the library makes it, or has a library of the system make it; but not
 * if a function of NAMES, a file with those that the library stands in front of, passes on to the
 * one of the same name.
 *
 * The output goes to the file FAILING_LOG.
 */
#include <errno.h>
#include <libunwind-ptrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS       4096
#define FRAMES      40
#define NAME        96
#define SHOWN       8
#define NAMES_MAX   4096
#define FAILURES    200 /* as many have been seen to matter; each takes the tracer long */
#define EVENT(s)    ((unsigned)(s) >> 16)
#define SYSTEM_STOP (SIGTRAP | 0x80)

static struct task {
	pid_t tid;
	long calls;
	bool inside, fails;
} tasks[TASKS];
static int task_count;

static unw_addr_space_t space;
static char names[NAMES_MAX][NAME];
static int name_count;
static const char *preload;
static FILE *out;

/* What is to fail; error 0: nothing, calls are listed. */
static struct {
	long error;
	bool on, begun;
	unsigned failures;
	unsigned long long number;
	const char *functions;
} plan;

static struct task *task_of(pid_t tid)
{
	for (int i = task_count; i--;)
		if (tasks[i].tid == tid)
			return &tasks[i];
	if (task_count == TASKS)
		exit(99);
	tasks[task_count] = (struct task){ .tid = tid };
	return &tasks[task_count++];
}

/* ---- whose call it is ---- */

struct mapping {
	unsigned long start, end;
	char path[256];
};

static int read_maps(pid_t tid, struct mapping *maps, int most)
{
	char line[600], path[64];
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	file = fopen(path, "re");
	while (file && count < most && fgets(line, sizeof(line), file)) {
		struct mapping *map = &maps[count];

		map->path[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %255s", &map->start, &map->end,
			   map->path) >= 2)
			count++;
	}
	if (file)
		fclose(file);
	return count;
}

static const char *object_at(const struct mapping *maps, int count, unsigned long address)
{
	for (int i = 0; i < count; i++)
		if (address >= maps[i].start && address < maps[i].end)
			return maps[i].path;
	return "";
}

static bool is_system(const char *object)
{
	static const char *const parts[] = { "/libc.so", "/libc-",     "/ld-linux",
					     "[vdso]",   "/libunwind", "/liblzma" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(object, parts[i]))
			return true;
	return false;
}

/*
 * Returns true if both are names of the same function of the C library, which has some of them
 * twice and in parts: malloc, __libc_malloc and __libc_malloc2; mmap, mmap64 and __GI___mmap64.
 */
static bool is_same(const char *one, const char *other)
{
	static const char *const prefixes[] = { "__libc_", "__GI_" };
	const char *pair[] = { one, other };
	size_t lengths[2];

	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof(prefixes) / sizeof(prefixes[0]); k++)
			if (!strncmp(pair[i], prefixes[k], strlen(prefixes[k])))
				pair[i] += strlen(prefixes[k]);
		pair[i] += strspn(pair[i], "_");
		lengths[i] = strlen(pair[i]);
		while (lengths[i] && strchr("246", pair[i][lengths[i] - 1]))
			lengths[i]--;
	}
	return lengths[0] == lengths[1] && !strncmp(pair[0], pair[1], lengths[0]);
}

static bool is_passed(const char *function)
{
	for (int i = 0; i < name_count; i++)
		if (!strcmp(names[i], function))
			return true;
	return false;
}

/* By a system call of its own, or by a function that its caller has jumped to. */
static bool passes_on(const char *function, const char *called)
{
	static const char unusual[] = "unusual_";

	if (!strncmp(function, unusual, sizeof(unusual) - 1))
		function += sizeof(unusual) - 1;
	return is_passed(function) &&
	       (is_same(function, called) ||
		(!strcmp(called, "hg_syscall") &&
		 (!strcmp(function, "prctl") || !strcmp(function, "close_range"))) ||
		!strncmp(called, "exec", 4));
}

/* Writes the functions of a call that is the library's to `text`. */
static bool is_ours(pid_t tid, char *text, size_t size)
{
	static struct mapping maps[2048];
	char function[NAME] = "", called[NAME], first[NAME] = "";
	int count = read_maps(tid, maps, 2048), shown = 0;
	void *context = _UPT_create(tid);
	unw_cursor_t cursor;
	bool ours = false;
	size_t used = 0;

	text[0] = '\0';
	if (unw_init_remote(&cursor, space, context))
		goto out;
	for (int depth = 0; depth < FRAMES && shown < SHOWN; depth++) {
		const char *object;
		unw_word_t address, offset;

		unw_get_reg(&cursor, UNW_REG_IP, &address);
		object = object_at(maps, count, address);
		memcpy(called, function, sizeof(called));
		if (unw_get_proc_name(&cursor, function, sizeof(function), &offset))
			snprintf(function, sizeof(function), "?");
		if (!ours && strcmp(object, preload)) {
			if (!is_system(object))
				break;
		} else if (!ours) {
			if (passes_on(function, called))
				break;
			memcpy(first, called, sizeof(first));
			ours = true;
		} else if (strcmp(object, preload) && !is_system(object)) {
			break;
		} else if (*first && is_passed(function) && is_same(first, function)) {
			ours = false;
			break;
		}
		used +=
		    (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", function);
		shown++;
		if (unw_step(&cursor) <= 0)
			break;
	}
out:
	_UPT_destroy(context);
	return ours;
}

/* ---- system calls ---- */

static void enter(struct task *task, struct user_regs_struct *registers)
{
	char text[SHOWN * (NAME + 1)];
	unsigned long long number = registers->orig_rax;

	task->calls++;
	if (plan.error &&
	    (number != plan.number || (plan.begun && !plan.on) || plan.failures == FAILURES))
		return;
	if (!is_ours(task->tid, text, sizeof(text)) ||
	    (plan.error && !plan.begun && strcmp(text, plan.functions) != 0))
		return;
	fprintf(out, "%llu %s\n", number, text);
	fflush(out);
	if (!plan.error)
		return;
	plan.begun = task->fails = true;
	plan.failures++;
	registers->orig_rax = (unsigned long long)-1;
	ptrace(PTRACE_SETREGS, task->tid, NULL, registers);
}

static void system_stop(struct task *task)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, task->tid, NULL, &registers))
		return;
	task->inside = !task->inside;
	if (task->inside) {
		enter(task, &registers);
	} else if (task->fails) {
		task->fails = false;
		registers.rax = (unsigned long long)-plan.error;
		ptrace(PTRACE_SETREGS, task->tid, NULL, &registers);
	}
}

/* Returns the signal that the task is to be sent. */
static int stopped(struct task *task, int status)
{
	int number = WSTOPSIG(status);

	if (number == SYSTEM_STOP) {
		system_stop(task);
		return 0;
	}
	if (EVENT(status) == PTRACE_EVENT_EXEC) {
		unw_flush_cache(space, 0, 0);
		return 0;
	}
	if (EVENT(status))
		return 0;
	/* A new task stops first. */
	return number == SIGSTOP && !task->calls ? 0 : number;
}

static int follow(pid_t first)
{
	int status, last = 99;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			task_of(tid)->tid = 0;
			if (tid == first)
				last = WIFEXITED(status) ? WEXITSTATUS(status)
							 : 128 + WTERMSIG(status);
			continue;
		}
		ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(long)stopped(task_of(tid), status));
	}
	return last;
}

static void read_names(const char *path)
{
	FILE *file = fopen(path, "re");

	while (file && name_count < NAMES_MAX && fscanf(file, "%95s", names[name_count]) == 1)
		name_count++;
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	bool listing = argc > 4 && !strcmp(argv[3], "list");
	char **command = argv + (listing ? 4 : 7);
	const char *log = getenv("FAILING_LOG");
	int status;
	pid_t child;

	if (argc < (listing ? 5 : 8) || !log || !(out = fopen(log, "we"))) {
		fprintf(stderr, "usage: see failing-tracer.c\n");
		return 99;
	}
	preload = argv[1];
	read_names(argv[2]);
	if (!listing) {
		plan.error = atol(argv[3]);
		plan.on = !strcmp(argv[4], "on");
		plan.number = strtoull(argv[5], NULL, 10);
		plan.functions = argv[6];
	}
	space = unw_create_addr_space(&_UPT_accessors, 0);
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		unsetenv("FAILING_LOG");
		execvp(command[0], command);
		_exit(99);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL,
	       (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			      PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
	task_of(child);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	return follow(child);
}
