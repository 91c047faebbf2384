/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in the file of a process: what a process stored is read, each record once and in order,
 * whatever interrupted or ended it; what found no page is counted. The process is a forked one, the
 * reader is the analyzer's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/reader/read_rings.h"
#include "preload/core/base.h"
#include "preload/core/clock.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/core/threads.h"
#include "preload/trace/batch.h"
#include "preload/trace/batch_add.h"
#include "tracer/provider.h"
#include "tracer/ring.h"
#include "tracer/ring_part.h"

/* ---- what the rest of the preload library has ---- */

__thread struct hg_tls hg_tls __attribute__((tls_model("initial-exec")));
struct hg_config hg_config = { .recorded = true };
struct hg_libc hg_libc;
pid_t hg_process_id;
bool hg_confined;
const struct hg_provider *hg_provider;

void hg_init(void)
{
}

int hg_open_folder(const char *name)
{
	char *path = g_build_filename(hg_config.dir, name, NULL);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	g_free(path);
	return folder;
}

/* ---- the process that records ---- */

#define THREADS 8u

/* How much each thread has stored; the process that reads sees it, too. */
static struct made {
	uint32_t records[THREADS];
	uint32_t lost;
} * made;

static char folder[] = "/tmp/ring-XXXXXX", *rings;
static int lock; /* the recorder's */

static void begin_process(void)
{
	hg_libc.close = close;
	hg_libc.mmap = mmap;
	hg_libc.madvise = madvise;
	hg_libc.munmap = munmap;
	hg_process_id = getpid();
	hg_tls.busy = 1;
	if (hg_threads_init() || !hg_batches_init())
		_exit(9);
	hg_parts_init();
}

/* Stores the thread's next record: mostly a packed one, some events of several sizes. */
static bool add(uint32_t thread)
{
	uint32_t number = made->records[thread], size = 8 + number % 97;
	struct hg_batch_block block = {
		.address = (uint64_t)(number + 1) * 16, .size = 1, .stack_id = thread + 1, .api = 1
	};
	struct hg_batch_room room;
	bool added;
	char *at;

	added = number % 10 &&
		((hg_tls.batch && hg_batch_add_here(block)) || hg_batch_add_block(&block));
	/* What cannot be packed becomes an event. */
	if (!added) {
		at = hg_batch_take_event(&room, 1, size);
		added = at != NULL;
		if (at) {
			memset(at, 0x5a, size);
			memcpy(at, &number, sizeof(number));
			memcpy(at + sizeof(number), &thread, sizeof(thread));
			hg_batch_put_event(&room, 1, at + size);
		}
	}
	if (added)
		__atomic_store_n(&made->records[thread], number + 1, __ATOMIC_RELEASE);
	else
		__atomic_fetch_add(&made->lost, 1, __ATOMIC_RELAXED);
	return added;
}

static void prepare(void)
{
	char *name;

	assert_non_null(mkdtemp(strcpy(folder, "/tmp/ring-XXXXXX")));
	lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	name = g_build_filename(folder, HG_RINGS, NULL);
	assert_int_equal(mkdir(name, 0700), 0);
	g_free(rings);
	rings = name;
	hg_config.dir = folder;
	memset(made, 0, sizeof(*made));
}

static void clean(void)
{
	DIR *list = opendir(rings);
	struct dirent *entry;

	while ((entry = readdir(list)))
		unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	close(lock);
	rmdir(rings);
	rmdir(folder);
}

static pid_t run(void (*function)(void))
{
	pid_t child = fork();

	if (!child) {
		begin_process();
		function();
		_exit(0);
	}
	return child;
}

static void run_whole(void (*function)(void))
{
	pid_t child = run(function);
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- reading ---- */

static uint64_t muted; /* not 0: what is wrong is not printed */

struct seen {
	uint32_t records[THREADS];
	uint64_t wrong;
	uint64_t full,
	    counted; /* records of full pages: that were read, and by the process's count */
	uint64_t unrecorded;
	int64_t last;
	unsigned kinds[HG_KIND_BEGIN + 1];
};

static enum hg_group group_of(unsigned type, void *data)
{
	(void)type;
	(void)data;
	return HG_GROUP_OTHER;
}

static void count_page(const struct ring_page *page, void *data)
{
	struct seen *seen = data;

	assert_int_equal(hg_ring_sum(page->known), 0);
	if (page->full)
		seen->full += hg_ring_sum(page->rest);
}

static void look_at(const struct hg_record *record, struct seen *seen)
{
	uint32_t thread, number;

	if (record->kind == HG_KIND_EVENT && record->event.size >= 8) {
		memcpy(&number, record->event.fields, sizeof(number));
		memcpy(&thread, record->event.fields + sizeof(number), sizeof(thread));
	} else if (record->kind == HG_KIND_BLOCK) {
		number = (uint32_t)(record->block.address / 16 - 1);
		thread = record->block.stack_id - 1;
	} else {
		seen->wrong++;
		return;
	}
	if (thread >= THREADS) {
		seen->wrong++;
	} else if (number != seen->records[thread]++) {
		if (!seen->wrong++)
			print_message("# thread %u: record %u, expected %u\n", thread, number,
				      seen->records[thread] - 1);
	}
}

static void look(const struct order_record *record, void *data)
{
	struct seen *seen = data;

	/* Two ways to read the clock differ by that (clock.h). */
	if (record->ns + 200 < seen->last && !seen->wrong++)
		print_message("# a record comes %d ns late\n", (int)(seen->last - record->ns));
	seen->last = record->ns;
	look_at(record->record, seen);
}

/* Returns how many records were lost. */
static uint64_t read_all(struct seen *seen, char **damage)
{
	static const struct ring_calls calls = { group_of, count_page, look, NULL, false };
	struct counts *counts = counts_new();
	struct rings *reader = rings_open(rings, counts, damage);
	const struct counts_process *process;
	uint64_t lost = 0;

	*seen = (struct seen){ .last = INT64_MIN, .wrong = muted };
	while (reader && rings_pass(reader, INT64_MAX, 0, &calls, seen)) {
	}
	for (guint i = 0; i < counts_processes(counts)->len; i++) {
		process = counts_processes(counts)->pdata[i];
		lost += hg_ring_sum(process->lost);
		seen->counted += hg_ring_sum(process->counted);
		for (unsigned what = 0; what < HG_UNRECORDED_KINDS; what++)
			seen->unrecorded += process->unrecorded[what];
	}
	rings_close(reader);
	counts_free(counts);
	return lost;
}

static void expect_all(void)
{
	char *damage = NULL;
	struct seen seen;

	assert_int_equal(read_all(&seen, &damage), 0);
	assert_null(damage);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.counted, seen.full);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(seen.records[i], made->records[i]);
}

static void count_kinds(const struct order_record *record, void *data)
{
	struct seen *seen = data;

	seen->kinds[record->record->kind]++;
}

static void read_kinds(const struct ring_calls *calls, struct seen *seen)
{
	char *damage = NULL;
	struct counts *counts = counts_new();
	struct rings *reader = rings_open(rings, counts, &damage);

	while (rings_pass(reader, INT64_MAX, 0, calls, seen)) {
	}
	assert_null(damage);
	rings_close(reader);
	counts_free(counts);
}

/* Without memory blocks all the others follow. */
static void expect_others(void)
{
	static const struct ring_calls all = { group_of, count_page, count_kinds, NULL, false },
				       others = { group_of, count_page, count_kinds, NULL, true };
	struct seen whole = { 0 }, rest = { 0 };

	read_kinds(&all, &whole);
	read_kinds(&others, &rest);
	assert_true(whole.kinds[HG_KIND_BLOCK] && whole.kinds[HG_KIND_EVENT]);
	whole.kinds[HG_KIND_BLOCK] = 0;
	assert_memory_equal(rest.kinds, whole.kinds, sizeof(whole.kinds));
	assert_int_equal(rest.full, whole.full);
}

/* ---- the tests ---- */

static void *work(void *number)
{
	hg_tls.busy = 1;
	for (uint32_t i = 0; i < 200000; i++)
		add(GPOINTER_TO_UINT(number));
	return NULL;
}

static void work_in_threads(void)
{
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, GUINT_TO_POINTER(i));
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void threads_are_merged(void **state)
{
	(void)state;
	prepare();
	run_whole(work_in_threads);
	assert_int_equal(made->records[0], 200000);
	expect_all();
	expect_others();
	clean();
}

static void on_alarm(int number)
{
	(void)number;
	for (unsigned i = 0; i < 3; i++)
		add(1);
}

static void work_interrupted(void)
{
	struct itimerval often = { .it_interval.tv_usec = 100, .it_value.tv_usec = 100 };
	uint64_t begin = hg_now();

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (hg_now() - begin < 1000000000)
		add(0);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static void handlers_record(void **state)
{
	(void)state;
	prepare();
	run_whole(work_interrupted);
	assert_true(made->records[1] > 100);
	expect_all();
	clean();
}

static void work_for_ever(void)
{
	pthread_t threads[THREADS];

	for (uint32_t i = 1; i < 3; i++)
		pthread_create(&threads[i], NULL, work, GUINT_TO_POINTER(i));
	for (;;)
		add(0);
}

/* The file is opened each time that it is made larger. */
static int close_slowly(int fd)
{
	usleep(300000);
	return close(fd);
}

/* Threads wait for one that makes the file larger, however slow that is: nothing is lost. */
static void work_slowly(void)
{
	hg_libc.close = close_slowly;
	work_in_threads();
}

static void growth_is_slow(void **state)
{
	(void)state;
	prepare();
	run_whole(work_slowly);
	assert_int_equal(made->lost, 0);
	expect_all();
	clean();
}

/* Killed between the two, a thread has stored a record more than it counted. */
static void killed_anywhere(void **state)
{
	char *damage = NULL;
	struct seen seen;
	pid_t child;

	(void)state;
	for (unsigned trial = 0; trial < 100; trial++) {
		prepare();
		child = run(work_for_ever);
		while (!__atomic_load_n(&made->records[0], __ATOMIC_ACQUIRE))
			usleep(10);
		usleep(trial * 61 % 2000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		assert_int_equal(read_all(&seen, &damage), 0);
		assert_null(damage);
		assert_int_equal(seen.wrong, 0);
		for (uint32_t i = 0; i < THREADS; i++)
			assert_in_range(seen.records[i] - made->records[i], 0, 1);
		clean();
	}
}

static void work_without_room(void)
{
	for (uint32_t i = 0; i < 400000; i++)
		add(0);
}

/* The file may have no more than a few pages: the records before are there, the others counted. */
static void losses_are_counted(void **state)
{
	struct rlimit before, limit;
	char *damage = NULL;
	struct seen seen;
	uint64_t lost;

	(void)state;
	prepare();
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 8 * HG_RING_PAGE;
	setrlimit(RLIMIT_FSIZE, &limit);
	run_whole(work_without_room);
	setrlimit(RLIMIT_FSIZE, &before);
	lost = read_all(&seen, &damage);
	assert_null(damage);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.records[0], made->records[0]);
	assert_true(made->lost > 1000);
	assert_int_equal(lost, made->lost);
	clean();
}

/*
 * A recorder that was killed lets go of its lock: nobody would end the recording. What the process
 * goes on to do is counted, also once the recorder's guard has ended the recording for all.
 */
static void work_unattended(void)
{
	for (uint32_t i = 0; i < 400000; i++)
		add(0);
	for (uint32_t i = 0; i < 500; i++)
		hg_ring_unrecorded();
	for (uint32_t i = 0; i < 300; i++)
		hg_ring_dropped(HG_GROUP_ALLOC);
}

static void recorder_is_gone(void **state)
{
	char *damage = NULL;
	struct seen seen;
	uint64_t lost;

	(void)state;
	prepare();
	flock(lock, LOCK_UN);
	run_whole(work_unattended);
	lost = read_all(&seen, &damage);
	assert_int_equal(seen.records[0] + lost, 400000 + 300);
	assert_int_equal(seen.unrecorded, 500);
	assert_null(damage);
	assert_int_equal(seen.wrong, 0);
	assert_in_range(seen.records[0], 1000, 10000);
	clean();
}

/* Times of a record are 32 bits of ns: after 4 s they count anew, in the same page. */
static void work_seldom(void)
{
	struct hg_batch_room room;
	uint64_t when = hg_now();

	for (uint32_t i = 0; i < 5; i++) {
		if (!hg_batch_take(&room, HG_RECORD_BLOCK_MOST, when + i * UINT64_C(10000000000)))
			_exit(8);
		hg_batch_put(&room,
			     hg_record_put_block(room.at, room.before, 1, false, i + 1,
						 hg_record_fold(i + 1 - room.before->address), 1, 1,
						 room.since),
			     HG_GROUP_ALLOC);
		made->records[0]++;
	}
}

static void long_pauses(void **state)
{
	struct stat status;
	char *damage = NULL, *path;
	struct seen seen;
	DIR *list;

	(void)state;
	prepare();
	run_whole(work_seldom);
	expect_all();
	read_all(&seen, &damage);
	list = opendir(rings);
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
		if (entry->d_name[0] == '.')
			continue;
		path = g_build_filename(rings, entry->d_name, NULL);
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_size, hg_ring_bytes(1));
		g_free(path);
	}
	closedir(list);
	clean();
}

/* ---- files that are not as they should be ---- */

/* Returns the content of the one file. */
static char *content(char **path, gsize *size)
{
	DIR *list = opendir(rings);
	struct dirent *entry;
	char *bytes;

	while ((entry = readdir(list)) && !strchr(entry->d_name, '-')) {
	}
	assert_non_null(entry);
	*path = g_build_filename(rings, entry->d_name, NULL);
	closedir(list);
	assert_true(g_file_get_contents(*path, &bytes, size, NULL));
	return bytes;
}

static void work_some(void)
{
	for (uint32_t i = 0; i < 20000; i++)
		add(0);
}

/* A file may end anywhere: what is before is read, and the rest is reported. */
static void files_cut_off(void **state)
{
	char *path, *bytes, *damage = NULL;
	struct seen seen;
	uint32_t last = 0;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	bytes = content(&path, &size);
	for (gsize cut = 1; cut < hg_ring_bytes(4); cut += 1237) {
		assert_true(g_file_set_contents(path, bytes, (gssize)cut, NULL));
		g_clear_pointer(&damage, g_free);
		read_all(&seen, &damage);
		assert_non_null(damage);
		assert_int_equal(seen.wrong, 0);
		assert_true(seen.records[0] >= last);
		last = seen.records[0];
	}
	assert_true(last > 1000);
	g_free(damage);
	g_free(bytes);
	g_free(path);
	clean();
}

/* Whatever bytes it has, reading comes to an end. */
static void any_bytes(void **state)
{
	char *path, *bytes, *damage = NULL;
	struct seen seen;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	bytes = content(&path, &size);
	srand(1);
	muted = 1;
	for (unsigned trial = 0; trial < 400; trial++) {
		char *other = g_memdup2(bytes, size);

		for (int i = rand() % 200; i >= 0; i--) {
			gsize at = (gsize)rand() % (trial % 2 ? size : hg_ring_bytes(1));

			other[at > 16 ? at : 16] = (char)rand();
		}
		assert_true(g_file_set_contents(path, other, (gssize)size, NULL));
		read_all(&seen, &damage);
		g_free(other);
	}
	muted = 0;
	g_free(damage);
	g_free(bytes);
	g_free(path);
	clean();
}

/* As the process counted the records of full pages, those of any that is gone are known to miss. */
static void pages_that_are_gone(void **state)
{
	struct hg_ring_page *page;
	char *path, *bytes, *damage = NULL;
	uint64_t counted, gone = 0;
	struct hg_records records;
	struct hg_record record;
	struct seen seen;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	read_all(&seen, &damage);
	counted = seen.counted;
	assert_true(counted > 10000);
	bytes = content(&path, &size);
	page = (struct hg_ring_page *)(void *)(bytes + hg_ring_bytes(2));
	assert_int_equal(page->state, HG_RING_FULL);
	records = (struct hg_records){ .at = page->records,
				       .end = page->records + sizeof(page->records) };
	while (hg_record_next(&records, &record))
		gone += record.kind != HG_KIND_BEGIN;
	memset(page, 0, offsetof(struct hg_ring_page, records));
	assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	muted = 1;
	read_all(&seen, &damage);
	muted = 0;
	assert_int_equal(seen.counted, counted);
	assert_int_equal(seen.full + gone, counted);
	assert_non_null(damage);
	assert_non_null(strstr(damage, "it lacks pages"));
	g_free(damage);
	g_free(bytes);
	g_free(path);
	clean();
}

/* Writes such a file, and expects that all its full pages are read, and that so many are counted.
 */
static void expect_counted(const char *path, const char *bytes, gsize size, uint64_t counted,
			   uint64_t gone)
{
	char *damage = NULL;
	struct seen seen;

	assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	muted = 1;
	read_all(&seen, &damage);
	muted = 0;
	assert_null(damage);
	assert_int_equal(seen.counted, counted);
	assert_int_equal(seen.full + gone, counted);
}

static struct hg_ring_page *page_of(char *bytes, uint32_t index)
{
	return (struct hg_ring_page *)(void *)(bytes + hg_ring_bytes(index));
}

static uint64_t count_of(const struct hg_ring_page *page)
{
	uint64_t sum = 0;

	for (unsigned group = 0; group < HG_GROUPS; group++)
		sum += page->counted[group];
	return sum;
}

/* A thread that is killed as it gives a page has counted it, or some of it, and it is open. */
static void killed_giving(void **state)
{
	char *path, *bytes, *damage = NULL;
	struct seen seen;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	read_all(&seen, &damage);
	bytes = content(&path, &size);
	page_of(bytes, 2)->state = HG_RING_OPEN;
	expect_counted(path, bytes, size, seen.counted - count_of(page_of(bytes, 2)), 0);
	g_free(bytes);
	g_free(path);
	clean();
}

static void make_drained(void)
{
	char *mark = g_build_filename(rings, HG_RINGS_DRAINED, NULL);

	close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	g_free(mark);
}

/* Puts the first page there, as the recorder does at the end of a process. */
static void keep_first_page(const char *path, const char *bytes)
{
	char *ended = g_build_filename(rings, HG_RINGS_ENDED, NULL);
	char *kept = g_build_filename(ended, strrchr(path, '/') + 1, NULL);
	struct hg_ring head = *(const struct hg_ring *)(const void *)bytes;

	head.pages = 0;
	head.settled = 1;
	assert_int_equal(mkdir(ended, 0700), 0);
	assert_true(g_file_set_contents(kept, (const char *)&head, sizeof(head), NULL));
	g_free(kept);
	g_free(ended);
}

static void remove_first_page(const char *path)
{
	char *ended = g_build_filename(rings, HG_RINGS_ENDED, NULL);
	char *kept = g_build_filename(ended, strrchr(path, '/') + 1, NULL);

	assert_int_equal(unlink(kept), 0);
	assert_int_equal(rmdir(ended), 0);
	g_free(kept);
	g_free(ended);
}

/* The recorder is killed as it makes a page free, or as it removes the file. */
static void killed_taking(void **state)
{
	struct hg_ring_page *page;
	char *path, *bytes, *damage = NULL;
	uint64_t counted, gone;
	struct hg_ring *ring;
	struct seen seen;
	gsize size;

	(void)state;
	prepare();
	make_drained();
	run_whole(work_some);
	read_all(&seen, &damage);
	counted = seen.counted;
	bytes = content(&path, &size);
	ring = (struct hg_ring *)(void *)bytes;
	page = page_of(bytes, 2);
	gone = count_of(page);
	assert_true(gone > 100);
	for (unsigned group = 0; group < HG_GROUPS; group++)
		ring->emptied[1][group] = page->counted[group];
	expect_counted(path, bytes, size, counted, 0);
	ring->emptying = (uint64_t)page->number << 32 | 1;
	expect_counted(path, bytes, size, counted, 0);
	page->state = HG_RING_FREE;
	expect_counted(path, bytes, size, counted, gone);
	/* Taken again, it still has what it had. */
	page->state = HG_RING_TAKEN;
	expect_counted(path, bytes, size, counted, gone);
	keep_first_page(path, bytes);
	expect_counted(path, bytes, size, counted, gone);
	remove_first_page(path);
	g_free(bytes);
	g_free(path);
	clean();
}

/* Returns true if the kernel maps what was written at once by one fault: mapped_file.c. */
static bool has_large_folios(void)
{
	struct utsname system;
	struct statfs status;
	int major = 0, minor = 0;

	return !statfs("/tmp", &status) && status.f_type == EXT4_SUPER_MAGIC && !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 && major * 1000 + minor >= 6018;
}

static void work_counted(void)
{
	struct rusage before, after;

	for (uint32_t i = 0; i < 200000; i++)
		add(0);
	getrusage(RUSAGE_SELF, &before);
	for (uint32_t i = 0; i < 800000; i++)
		add(0);
	getrusage(RUSAGE_SELF, &after);
	made->lost = (uint32_t)(after.ru_minflt - before.ru_minflt);
}

/* Where the kernel can, a process has less than two faults for each page of its file, not eight. */
static void few_faults(void **state)
{
	struct hg_ring *ring;
	char *path, *bytes;
	gsize size;

	(void)state;
	if (!has_large_folios())
		skip();
	prepare();
	run_whole(work_counted);
	assert_int_equal(made->records[0], 1000000);
	bytes = content(&path, &size);
	ring = (struct hg_ring *)(void *)bytes;
	assert_true(ring->number > 200);
	assert_in_range(made->lost, 1, ring->number * 2);
	made->lost = 0;
	g_free(bytes);
	g_free(path);
	expect_all();
	clean();
}

static void expect_damage(const char *path, const char *bytes, gsize size, const char *what)
{
	char *damage = NULL;
	struct seen seen;

	assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	read_all(&seen, &damage);
	assert_non_null(damage);
	assert_non_null(strstr(damage, what));
	assert_int_equal(seen.records[0], 0);
	g_free(damage);
}

static void foreign_files(void **state)
{
	struct hg_ring *ring;
	char *path, *bytes;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	bytes = content(&path, &size);
	ring = (struct hg_ring *)(void *)bytes;
	ring->magic += UINT64_C(1) << 56;
	expect_damage(path, bytes, size, "another version");
	ring->magic = GUINT64_SWAP_LE_BE(HG_RING_MAGIC);
	expect_damage(path, bytes, size, "another order of bytes");
	ring->magic = 1;
	expect_damage(path, bytes, size, "no records");
	ring->magic = HG_RING_MAGIC;
	ring->page_bytes *= 2;
	expect_damage(path, bytes, size, "another version");
	ring->page_bytes /= 2;
	ring->magic = 0;
	expect_damage(path, bytes, size, "no records");
	g_free(bytes);
	g_free(path);
	clean();
}

/* What is damaged is named, and all else is read: at least so many records. */
static void expect_rest(const char *what, uint32_t records)
{
	char *damage = NULL;
	struct seen seen;

	muted = 1;
	read_all(&seen, &damage);
	muted = 0;
	assert_non_null(damage);
	if (!strstr(damage, what))
		fail_msg("%s, not: %s", damage, what);
	assert_in_range(seen.records[0], records, made->records[0]);
	g_free(damage);
}

/* As expect_rest(), of a file with these bytes, which are as `from` again afterwards. */
static void try_bytes(const char *path, char *bytes, gsize size, const char *from, const char *what,
		      uint32_t records)
{
	assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	expect_rest(what, records);
	memcpy(bytes, from, size);
}

static void damaged_pages(void **state)
{
	struct hg_ring_page *pages;
	struct hg_ring *ring;
	char *path, *bytes, *from;
	uint32_t all;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	all = made->records[0];
	from = content(&path, &size);
	bytes = g_memdup2(from, size);
	ring = (struct hg_ring *)(void *)bytes;
	pages = (struct hg_ring_page *)(void *)(ring + 1);
	assert_true(ring->number > 3);
	ring->pages = UINT32_MAX;
	try_bytes(path, bytes, size, from, "claims more pages", all);
	ring->origin = UINT64_C(1) << 63;
	try_bytes(path, bytes, size, from, "origin is no time", all);
	ring->pid++;
	try_bytes(path, bytes, size, from, "another process made it", all);
	pages[1].state = 7;
	try_bytes(path, bytes, size, from, "a page's state is none", all);
	pages[1].state = HG_RING_FREE;
	try_bytes(path, bytes, size, from, "a page's state is none", all);
	pages[1].begin = INT64_MAX;
	try_bytes(path, bytes, size, from, "a time that is none", 1);
	/* A page that the disk lost, and a record. */
	memset(&pages[1], 0, sizeof(pages[1]));
	try_bytes(path, bytes, size, from, "it lacks pages", 1);
	memset(pages[1].records, HG_RECORD_COPY - 1, 8);
	try_bytes(path, bytes, size, from, "a record that is none", 1);
	g_free(bytes);
	g_free(from);
	g_free(path);
	clean();
}

/* What has a ring's name, and is none, is named and does not hide the others. */
static void no_files(void **state)
{
	char *path, *bytes, *other, *twice;
	uint32_t all;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	all = made->records[0];
	bytes = content(&path, &size);
	other = g_build_filename(rings, "1-1", NULL);
	assert_int_equal(symlink(path, other), 0);
	expect_rest("1-1' is damaged: it is a link", all);
	unlink(other);
	assert_int_equal(mkfifo(other, 0600), 0);
	expect_rest("it is not a file", all);
	unlink(other);
	assert_int_equal(mkdir(other, 0700), 0);
	expect_rest("it is not a file", all);
	rmdir(other);
	twice = g_strconcat(path, "0", NULL);
	assert_int_equal(link(path, twice), 0);
	expect_rest("it is another one once more", all);
	unlink(twice);
	g_free(twice);
	assert_true(g_file_set_contents(other, bytes, sizeof(struct hg_ring), NULL));
	assert_int_equal(truncate(other, (off_t)1 << 43), 0);
	expect_rest("claims more pages", all);
	unlink(other);
	g_free(bytes);
	g_free(other);
	g_free(path);
	clean();
}

/* ---- parts ---- */

/*
 * A page that is taken in parts, as it was at moments of its being filled, has the same records as
 * the whole one. The first byte of what is not published yet is zero.
 */
static void pages_in_parts(void **state)
{
	static struct hg_ring_page page;
	static uint64_t part[RING_PART_WORDS];
	static unsigned char whole[sizeof(page.records)], all[sizeof(page.records)];
	uint32_t *places = g_new(uint32_t, sizeof(whole)), count = 0;
	struct hg_records records = { .at = whole, .end = whole + sizeof(whole) };
	struct hg_record record;
	char *path, *bytes;
	gsize size;

	(void)state;
	prepare();
	run_whole(work_some);
	bytes = content(&path, &size);
	memcpy(&page, bytes + sizeof(struct hg_ring), sizeof(page));
	memcpy(whole, page.records, sizeof(whole));
	do
		places[count++] = (uint32_t)(records.at - whole);
	while (hg_record_next(&records, &record));
	assert_true(count > 1000);
	for (uint32_t step = 1; step < count; step += step / 3 + 1) {
		struct ring_cursor cursor = { 0 };
		uint32_t taken = 0;

		for (uint32_t published = 0; taken < places[count - 1]; published += step) {
			memcpy(page.records, whole, sizeof(whole));
			page.records[places[MIN(published, count - 1)]] = 0;
			while (ring_part(&page, &cursor, part)) {
				memcpy(all + taken, part, cursor.at - taken);
				taken = cursor.at;
			}
			assert_int_equal(taken, places[MIN(published, count - 1)]);
		}
		assert_memory_equal(all, whole, taken);
	}
	g_free(places);
	g_free(bytes);
	g_free(path);
	clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_merged),  cmocka_unit_test(handlers_record),
		cmocka_unit_test(killed_anywhere),     cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(long_pauses),         cmocka_unit_test(files_cut_off),
		cmocka_unit_test(any_bytes),           cmocka_unit_test(foreign_files),
		cmocka_unit_test(damaged_pages),       cmocka_unit_test(no_files),
		cmocka_unit_test(pages_in_parts),      cmocka_unit_test(recorder_is_gone),
		cmocka_unit_test(pages_that_are_gone), cmocka_unit_test(few_faults),
		cmocka_unit_test(growth_is_slow),      cmocka_unit_test(killed_giving),
		cmocka_unit_test(killed_taking),
	};

	hg_clock_gettime = clock_gettime; /* as libc.c finds it */
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
