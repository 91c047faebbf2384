/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a recorded program: how it starts others, what it may use, and how it ends; one
 * thing a mode, as in preload-safety.c. usage: preload-bounds MODE
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;
extern char **environ;

static unsigned allocate(void)
{
	void *volatile blocks[100];
	unsigned sum = 0;

	for (unsigned i = 0; i < 100; i++) {
		blocks[i] = malloc((size_t)1 << i % 18);
		if (blocks[i])
			memset(blocks[i], 1, (size_t)1 << i % 18);
	}
	for (unsigned i = 0; i < 100; i++) {
		sum += blocks[i] && *(unsigned char *)blocks[i];
		free(blocks[i]);
	}
	return sum;
}

static void say(const char *what)
{
	printf("%s %u\n", what, allocate());
	fflush(stdout);
}

static void child_ends(pid_t child)
{
	int status = 0;
	bool mine = waitpid(child, &status, 0) == child;

	printf("waited %d, status %x, %u\n", mine, status, allocate());
}

static void use_spawn(void)
{
	char *const args[] = { "sh", "-c", "echo spawned; exit 9", NULL };
	posix_spawnattr_t attributes;
	int failed;
	pid_t child;

	fflush(stdout);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	failed = posix_spawnp(&child, "sh", NULL, &attributes, args, environ);
	child_ends(child);
	printf("spawn %d\n", failed);
	printf("spawn %d\n", posix_spawn(&child, "/nothing", NULL, NULL, args, environ));
}

static void use_system(void)
{
	fflush(stdout);
	printf("status %x\n", (unsigned)system("echo in the shell; exit 2"));
	printf("status %x\n", (unsigned)system("kill -9 $$"));
	say("after");
}

/* Each step by another function, and once without the environment. */
static void use_exec(void)
{
	const char *step = getenv("STEP");
	int at = step ? atoi(step) : 0, fd;
	char next[16], *args[] = { (char *)self, "exec-chain", NULL };
	char variable[32], *bare[] = { variable, NULL };

	printf("step %d, %u\n", at, allocate());
	fflush(stdout);
	snprintf(next, sizeof(next), "%d", at + 1);
	snprintf(variable, sizeof(variable), "STEP=%d", at + 1);
	setenv("STEP", next, 1);
	switch (at) {
	case 0:
		execv(self, args);
		break;
	case 1:
		execvp(self, args);
		break;
	case 2:
		execl(self, self, "exec-chain", (char *)NULL);
		break;
	case 3:
		execve("/nothing/there", args, environ);
		printf("failed %d\n", errno == ENOENT);
		fflush(stdout);
		fd = open(self, O_RDONLY | O_CLOEXEC);
		fexecve(fd, args, environ);
		break;
	case 4:
		execve(self, args, bare);
		break;
	}
}

/* Under limits that were there before the program began. */
static void limited(int resource, rlim_t limit)
{
	struct rlimit both = { limit, limit };
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		if (setrlimit(resource, &both))
			_exit(99);
		execl(self, self, "allocate", (char *)NULL);
		_exit(98);
	}
	child_ends(child);
}

static void few_files(void)
{
	limited(RLIMIT_NOFILE, 4);
	limited(RLIMIT_NOFILE, 12);
}

static void small_files(void)
{
	limited(RLIMIT_FSIZE, 16384);
}

static void small_stack(void)
{
	limited(RLIMIT_STACK, 128 << 10);
}

static void little_memory(void)
{
	limited(RLIMIT_AS, 64 << 20);
	limited(RLIMIT_AS, 512 << 20);
	limited(RLIMIT_DATA, 8 << 20);
}

static void few_processes(void)
{
	limited(RLIMIT_NPROC, 1);
}

/* And under some that come later. */
static void no_more(void)
{
	struct rlimit files = { 3, 3 }, memory = { 1, 1 };
	void *volatile large;

	say("before");
	setrlimit(RLIMIT_NOFILE, &files);
	printf("open %d, %d\n", open("/dev/null", O_RDONLY), errno == EMFILE);
	setrlimit(RLIMIT_AS, &memory);
	errno = 0;
	large = malloc(64 << 20);
	printf("large %d, %d\n", large != NULL, errno == ENOMEM);
	allocate(); /* as far as there is memory */
}

/* Makes children of a process that may have no more data of its own. */
static void no_more_data(void)
{
	struct rlimit none = { 0, 0 };

	say("before");
	setrlimit(RLIMIT_DATA, &none);
	for (int i = 0; i < 3; i++) {
		pid_t child;
		int status = 0;

		fflush(stdout);
		child = fork();
		if (!child) {
			free(malloc(12345));
			exit(i);
		}
		waitpid(child, &status, 0);
		printf("status %x\n", (unsigned)status);
	}
}

/* Calls malloc() by code without rules by which it could be unwound. */
void *without_rules(size_t size);
__asm__(".text\n"
	".type without_rules, @function\n"
	"without_rules:\n"
	"	subq $8, %rsp\n"
	"	call malloc@PLT\n"
	"	addq $8, %rsp\n"
	"	ret\n"
	".size without_rules, .-without_rules\n");

/* Closes the descriptors as daemons do: the next file gets the lowest numbers. */
static void new_streams(void)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (int i = 0; i < 100; i++)
		free(without_rules(5000 + (size_t)i));
	for (int i = 0; i < 3; i++)
		dprintf(kept, "%d\n", open("/dev/null", O_RDWR));
}

/* One line of a descriptor, without more than read(). */
static void show(int fd)
{
	char text[64] = "";

	if (lseek(fd, 0, SEEK_SET) || read(fd, text, sizeof(text) - 1) < 0)
		perror("read");
	fputs(text, stdout);
}

/* Descriptors of the program's choice, wherever others may be; children use and close them. */
static void choose_numbers(void)
{
	char name[] = "numbers.XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	dprintf(file, "a line of text\n");
	for (int fd = 3; fd < 60; fd++)
		if (fd != file)
			printf("%d ", dup2(file, fd) == fd);
	for (int round = 0; round < 3; round++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child) {
			for (int fd = 3; fd < 60; fd++)
				show(fd);
			say("child");
			for (int fd = 3; fd < 60; fd++)
				printf("%d", close(fd));
			exit(round);
		}
		child_ends(child);
	}
	for (int fd = 3; fd < 60; fd++)
		show(fd);
}

static void at_exit(void)
{
	say("atexit");
}

static void last(void)
{
	free(malloc(20000));
	fputs("atexit, first registered\n", stdout);
}

__attribute__((destructor)) static void destroy(void)
{
	free(malloc(30000));
	if (getenv("DESTRUCTOR"))
		fputs("destructor\n", stdout);
}

static void *runs_on(void *started)
{
	*(volatile int *)started = 1;
	for (;;)
		free(malloc(12345));
	return NULL;
}

/* Another thread allocates until the very end. */
static void use_exit(void)
{
	static volatile int started;
	pthread_t thread;

	setenv("DESTRUCTOR", "1", 1);
	atexit(last);
	atexit(at_exit);
	pthread_create(&thread, NULL, runs_on, (void *)&started);
	while (!started)
		sched_yield();
	exit(7);
}

static void exits_quickly(void)
{
	atexit(last);
	at_quick_exit(at_exit);
	fflush(stdout);
	quick_exit(6);
}

__attribute__((noinline)) static int depth(int (*backtrace)(void **, int), unsigned more)
{
	void *frames[64];
	int found = more ? depth(backtrace, more - 1) : backtrace(frames, 64);

	free(malloc(8000));
	return found;
}

/* With the library in the global scope, as of a program that is linked to it. */
static void use_libunwind(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_GLOBAL);
	int (*backtrace)(void **, int) =
	    library ? (int (*)(void **, int))dlsym(library, "unw_backtrace") : NULL;

	if (!backtrace)
		printf("no libunwind here\n");
	else
		printf("deeper by %d\n", depth(backtrace, 10) - depth(backtrace, 3));
	say("after");
}

static void only_allocate(void)
{
	say("here");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "allocate", only_allocate },      { "spawn", use_spawn },
		{ "system", use_system },           { "exec-chain", use_exec },
		{ "few-files", few_files },         { "small-files", small_files },
		{ "small-stack", small_stack },     { "little-memory", little_memory },
		{ "few-processes", few_processes }, { "no-more", no_more },
		{ "numbers", choose_numbers },      { "exit", use_exit },
		{ "quick-exit", exits_quickly },    { "libunwind", use_libunwind },
		{ "no-more-data", no_more_data },   { "new-streams", new_streams },
	};

	self = argv[0];
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc != 1;
}
