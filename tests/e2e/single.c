/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only a process of one thread may do, or what a thread does for itself, one thing a mode. It
 * prints what came of it, which must not depend on a recorder. usage: single MODE [FILE]
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static void allocate(void)
{
	for (unsigned i = 0; i < 300; i++) {
		char *volatile block = malloc(5000 + i * 100);

		free(block);
	}
}

/* Whether nobody holds the other end of a pipe open. */
static void look_at_end(int fd)
{
	struct pollfd reader = { .fd = fd, .events = POLLIN };
	int rc = poll(&reader, 1, 1000);

	printf("%d %d\n", rc, (reader.revents & POLLHUP) != 0);
}

static void say(const char *what, long result)
{
	printf("%s: %s\n", what, result ? strerror(errno) : "done");
	allocate();
}

/* A user namespace: EINVAL for a process of several threads. */
static void unshare_user(void)
{
	say("unshare", unshare(CLONE_NEWUSER));
	say("unshare", syscall(SYS_unshare, CLONE_NEWNS));
}

static void setns_mount(void)
{
	int fd = open("/proc/self/ns/mnt", O_RDONLY);

	say("setns", setns(fd, CLONE_NEWNS));
	say("setns", syscall(SYS_setns, fd, CLONE_NEWNS));
}

/* As setpriv(1) does: rights are kept in this thread alone. */
static void keep_capabilities(void)
{
	say("prctl", prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
	say("setresuid", setresuid(NOBODY, NOBODY, NOBODY));
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	data[0].permitted = data[0].effective = 1 << CAP_SETGID;
	say("capset", syscall(SYS_capset, &header, data));
	say("setresgid", setresgid(NOBODY, NOBODY, NOBODY));
	printf("%d %d\n", (int)getuid(), (int)getgid());
}

/* The same without prctl(): the user changes for one thread. */
static void change_directly(void)
{
	say("setresgid", syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY));
	say("setgroups", syscall(SYS_setgroups, 0, NULL));
	say("setresuid", syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY));
	say("setgid", setgid(0));
	printf("%d %d\n", (int)getuid(), (int)getgid());
}

/* Descriptors of its own: what it closes then nobody else may hold open. */
static void unshare_descriptors(void)
{
	int ends[2];

	if (pipe(ends))
		exit(2);
	say("unshare", unshare(CLONE_FILES));
	close(ends[1]);
	look_at_end(ends[0]);
	if (pipe(ends))
		exit(2);
	/* CLOSE_RANGE_UNSHARE */
	say("close_range", syscall(SYS_close_range, (unsigned)ends[1], (unsigned)ends[1], 1u << 1));
	look_at_end(ends[0]);
}

/* No function of the C library: the only thread ends, and with it the process. */
static void leave_directly(void)
{
	allocate();
	fflush(stdout);
	__asm__ volatile("syscall" : : "a"((long)SYS_exit), "D"(9L) : "memory");
}

/* The program's threads, as it can see them once it has begun. */
static void count_threads(void)
{
	unsigned count = 0;

	for (unsigned tries = 0; tries < 200; tries++) {
		DIR *list = opendir("/proc/self/task");

		count = 0;
		while (list && readdir(list))
			count++;
		closedir(list);
		if (count <= 3)
			break;
		usleep(10000);
	}
	printf("%u threads\n", count - 2);
}

static void in_child(void)
{
	int status = 0;

	allocate();
	fflush(stdout);
	if (!fork()) {
		allocate();
		unshare_user();
		count_threads();
		leave_directly();
	}
	wait(&status);
	printf("%d\n", status);
}

/*
 * What glibc's malloc() and mutexes go by: that there was never a second thread, from glibc 2.32
 * on. And the name of the only one.
 */
extern char __libc_single_threaded __attribute__((weak));

static void say_alone(void)
{
	char name[17] = "";

	prctl(PR_GET_NAME, name);
	printf("%s: %d\n", name, &__libc_single_threaded ? __libc_single_threaded : -1);
	fflush(stdout);
}

/* The same of a child, and of the program that one executes. */
static void stay_alone(void)
{
	int status = 0;

	say_alone();
	for (unsigned child = 0; child < 2; child++) {
		if (!fork()) {
			if (child)
				execl("/proc/self/exe", "single", "say-alone", NULL);
			allocate();
			say_alone();
			_exit(0);
		}
		wait(&status);
		printf("%d\n", status);
	}
}

/* A program that goes on after the recording, with buffers that nobody empties. */
static void go_on(const char *file)
{
	FILE *result;

	allocate();
	if (fork())
		return;
	allocate();
	setsid();
	fclose(stdout);
	usleep(1500000);
	for (unsigned i = 0; i < 3000; i++)
		allocate();
	result = fopen(file, "w");
	fputs("done\n", result);
	fclose(result);
}

/* A program that begins while its session is stopped, and goes on when it was started. */
static void begin_early(const char *file)
{
	allocate();
	close(open(file, O_WRONLY | O_CREAT, 0600));
	for (unsigned tries = 0; !access(file, F_OK) && tries < 3000; tries++)
		usleep(10000);
	allocate();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "unshare-user", unshare_user },
		{ "setns-mount", setns_mount },
		{ "keep-capabilities", keep_capabilities },
		{ "change-directly", change_directly },
		{ "unshare-descriptors", unshare_descriptors },
		{ "leave-directly", leave_directly },
		{ "count-threads", count_threads },
		{ "in-child", in_child },
		{ "say-alone", say_alone },
		{ "stay-alone", stay_alone },
	};

	if (argc == 3) {
		if (!strcmp(argv[1], "begin-early"))
			begin_early(argv[2]);
		else
			go_on(argv[2]);
		return 0;
	}
	allocate();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc > 1;
}
