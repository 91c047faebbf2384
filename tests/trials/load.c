/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for tests/soak: load HOW COUNTER ROUNDS
 *
 * COUNTER is a file of 8 bytes, shared by all processes: the number of allocations of SIZE bytes
 * that malloc() has returned. What it prints and its exit status depend on its arguments alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 12345

static _Atomic uint64_t *counter;
static char *self, *counter_path;

static void allocate(long count)
{
	for (long i = 0; i < count; i++) {
		char *volatile block = malloc(SIZE);

		if (!block)
			_exit(90);
		atomic_fetch_add(counter, 1);
		block[i % SIZE] = (char)i;
		free(block);
	}
}

/* ---- ways to behave: each returns the exit status ---- */

static int slowly(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		allocate(10);
		usleep(1000);
	}
	printf("slowly %ld\n", rounds);
	return 7;
}

static int fast(long rounds)
{
	allocate(rounds * 1000);
	printf("fast %ld\n", rounds);
	return 8;
}

static void *thread_of(void *rounds)
{
	allocate(*(long *)rounds);
	return rounds;
}

static int threads(long rounds)
{
	pthread_t ids[16];
	long share = rounds * 10;
	int made = 0;

	for (int i = 0; i < 16; i++)
		made += pthread_create(&ids[i], NULL, thread_of, &share) == 0;
	for (int i = 0; i < made; i++)
		pthread_join(ids[i], NULL);
	printf("threads %d\n", made);
	return 9;
}

static int reap(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int forks(long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (child == 0) {
			allocate(i % 5);
			_exit((int)(i % 200));
		}
		sum += reap(child);
	}
	printf("forks %ld\n", sum);
	return 10;
}

/* 64 processes at a time */
static int many(long rounds)
{
	pid_t children[64];
	long sum = 0;

	for (int i = 0; i < 64; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			allocate(rounds);
			_exit(i);
		}
	}
	for (int i = 0; i < 64; i++)
		sum += reap(children[i]);
	printf("many %ld\n", sum);
	return 11;
}

static void *until_cancelled(void *held)
{
	for (;;) {
		/* Often cancelled in here, which is no cancellation point: cancellation waits. */
		atomic_store((atomic_bool *)held, true);
		allocate(100);
		atomic_store((atomic_bool *)held, false);
		usleep(50);
	}
	return NULL;
}

static int cancels(long rounds)
{
	static atomic_bool held;
	long cancelled = 0, amid = 0;

	for (long i = 0; i < rounds; i++) {
		pthread_t id;
		void *result = NULL;

		if (pthread_create(&id, NULL, until_cancelled, &held))
			return 91;
		usleep((useconds_t)(i * 37 % 900));
		pthread_cancel(id);
		pthread_join(id, &result);
		cancelled += result == PTHREAD_CANCELED;
		amid += atomic_exchange(&held, false);
	}
	printf("cancels %ld, in malloc %ld\n", cancelled, amid);
	return 12;
}

static int execs(long rounds)
{
	char rest[32];

	allocate(2);
	if (rounds == 0) {
		puts("execs");
		return 13;
	}
	snprintf(rest, sizeof(rest), "%ld", rounds - 1);
	execl(self, self, "execs", counter_path, rest, (char *)NULL);
	return 92;
}

/* A storm of short programs, as shells make them. */
static int spawns(long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		char *arguments[] = { "sh", "-c", i % 2 ? "exit 3" : "exit 4", NULL };
		pid_t child;

		if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ))
			return 93;
		sum += reap(child);
	}
	printf("spawns %ld\n", sum);
	return 14;
}

/* By system calls that no library sees: all at once, or one by one. */
static int closes(long rounds)
{
	allocate(rounds);
	for (unsigned fd = 3; fd < 1024 && rounds % 2; fd++)
		syscall(SYS_close, fd);
	if (rounds % 2 == 0)
		syscall(SYS_close_range, 3U, ~0U, 0U);
	allocate(rounds);
	/* The number that a program expects next is the lowest. */
	printf("closes %d\n", open("/dev/null", O_RDONLY));
	fflush(stdout);
	return forks(20) == 10 ? 15 : 94;
}

static atomic_long ticks;

static void tick(int number)
{
	(void)number;
	atomic_fetch_add(&ticks, 1);
}

static int signals(long rounds)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (atomic_load(&ticks) < rounds)
		allocate(10);
	setitimer(ITIMER_REAL, &never, NULL);
	puts("signals");
	return 16;
}

static void *end_later(void *rounds)
{
	allocate(*(long *)rounds);
	usleep(20000);
	puts("raw exit");
	exit(17);
}

/* The first thread ends by the system call; another one ends the process. */
static int raw_exit(long rounds)
{
	pthread_t id;

	if (pthread_create(&id, NULL, end_later, &rounds))
		return 95;
	syscall(SYS_exit, 0);
	return 96;
}

/* The only thread ends by the system call, and the process with it. */
static int last_exit(long rounds)
{
	allocate(rounds);
	puts("last exit");
	fflush(stdout);
	return (int)syscall(SYS_exit, 18);
}

static int aborts(long rounds)
{
	allocate(rounds);
	puts("aborts");
	fflush(stdout);
	abort();
}

static const struct {
	const char *name;
	int (*run)(long rounds);
} ways[] = {
	{ "slowly", slowly },   { "fast", fast },         { "threads", threads },
	{ "forks", forks },     { "many", many },         { "cancels", cancels },
	{ "execs", execs },     { "spawns", spawns },     { "closes", closes },
	{ "signals", signals }, { "raw-exit", raw_exit }, { "last-exit", last_exit },
	{ "aborts", aborts },
};

int main(int argc, char **argv)
{
	int fd = argc == 4 ? open(argv[2], O_RDWR | O_CLOEXEC) : -1;
	void *shared =
	    fd < 0 ? MAP_FAILED
		   : mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (shared == MAP_FAILED) {
		fprintf(stderr, "usage: load HOW COUNTER ROUNDS\n");
		return 2;
	}
	close(fd);
	counter = shared;
	self = argv[0];
	counter_path = argv[2];
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].run(atol(argv[3]));
	return 2;
}
