/* SPDX-License-Identifier: Apache-2.0 */
/* At the end of a recording: a record whose thread is just opening its batch is waited for. TAP. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracer/batch_events.h"
#include "tracer/open_batches.h"

static struct hg_open_batch *pages; /* of the process: the first says what they are */

static void nap(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000 * 1000 };

	nanosleep(&time, NULL);
}

/* As preload/trace/batch.c does, off the processor for a while. */
static void *finish_opening(void *argument)
{
	(void)argument;
	while (!__atomic_load_n(&pages[0].hold, __ATOMIC_ACQUIRE))
		nap(1);
	nap(150);
	__atomic_store_n(&pages[1].begin, 1000, __ATOMIC_RELEASE);
	pages[1].records[0] = 7;
	__atomic_store_n(&pages[1].words, 1, __ATOMIC_RELEASE);
	return NULL;
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int failed;

static void check(int number, int good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", number, what);
	failed |= !good;
}

int main(void)
{
	char home[] = "/tmp/open-batches-XXXXXX", bundle[] = "/tmp/open-batches-XXXXXX", path[300];
	struct hg_open_batch kept[2] = { 0 };
	int file, folder;
	pthread_t thread;
	double start;

	if (!mkdtemp(home) || !mkdtemp(bundle) || chdir(home) || mkdir(HG_OPEN_BATCHES, 0700))
		return 99;
	file = open(HG_OPEN_BATCHES "/1-a", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	folder = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file < 0 || folder < 0 || ftruncate(file, sizeof(kept)))
		return 99;
	pages = mmap(NULL, sizeof(kept), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (pages == MAP_FAILED)
		return 99;
	pages[0].begin = HG_OPEN_BATCHES_MAGIC;
	pages[1].pid = getpid();
	pages[1].number = 1;
	if (pthread_create(&thread, NULL, finish_opening, NULL))
		return 99;
	puts("1..4");
	open_batches_keep(home, folder);
	pthread_join(thread, NULL);
	snprintf(path, sizeof(path), "%s/" HG_OPEN_BATCHES "/1-a.held", bundle);
	file = open(path, O_RDONLY | O_CLOEXEC);
	check(1, file >= 0 && read(file, kept, sizeof(kept)) == sizeof(kept) && kept[1].words == 1,
	      "the record of a batch that is being opened is kept");
	start = seconds();
	open_batches_keep(home, folder);
	check(2, seconds() - start < 0.02, "what was kept is not waited for again");
	unlink(path);
	start = seconds();
	pages[1].begin = 0;
	open_batches_keep(home, folder);
	check(3, seconds() - start > 0.5 && seconds() - start < 30,
	      "... and waited for, but not for ever");
	unlink(path);
	pages[1].pid = 0;
	start = seconds();
	open_batches_keep(home, folder);
	check(4, seconds() - start < 0.5, "pages of nobody are not");
	unlink(path);
	unlink(HG_OPEN_BATCHES "/1-a");
	rmdir(HG_OPEN_BATCHES);
	rmdir(home);
	snprintf(path, sizeof(path), "%s/" HG_OPEN_BATCHES, bundle);
	rmdir(path);
	rmdir(bundle);
	return failed;
}
