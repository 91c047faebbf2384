/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's side of DIR/places: a process of its own answers, with the lowest priority, so
 * that what hostile or huge code objects cost is neither the program's nor the recorder's.
 */
#include "tracer/places.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/bundle.h"
#include "tracer/close_from.h"

#define MEMORY_MOST (UINT64_C(4) << 30)

static void hex(const uint8_t *bytes, char *text)
{
	for (unsigned i = 0; i < 32; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

static void answer(struct hg_places_table *table, unsigned row, int folder, places_finder *find,
		   uint32_t *used)
{
	/* The table may change at any time. */
	struct hg_place_kernel kernel = table->kernels[row];
	struct hg_place_path paths[HG_PLACES_OF_KERNEL];
	enum hg_place_state state;
	unsigned count = 0;
	char name[65];

	hex(kernel.code, name);
	state = find(folder, name, kernel.symbol, paths, &count);
	if (count > HG_PLACES_PATHS - *used) {
		count = HG_PLACES_PATHS - *used;
		state = count ? HG_PLACE_SOME : HG_PLACE_ANYWHERE;
	}
	if (state == HG_PLACE_LISTED || state == HG_PLACE_SOME) {
		memcpy(&table->paths[*used], paths, count * sizeof(paths[0]));
		table->kernels[row].first = *used;
		table->kernels[row].count = count;
		*used += count;
	}
	__atomic_store_n(&table->kernels[row].state, (uint32_t)state, __ATOMIC_RELEASE);
}

static void serve(struct hg_places_table *table, int folder, places_finder *find)
{
	uint32_t used = 0;

	for (;;) {
		uint32_t asked = __atomic_load_n(&table->asked, __ATOMIC_ACQUIRE);

		for (unsigned i = 0; i < HG_PLACES_KERNELS; i++)
			if (__atomic_load_n(&table->kernels[i].state, __ATOMIC_ACQUIRE) ==
			    HG_PLACE_ASKED)
				answer(table, i, folder, find, &used);
		syscall(SYS_futex, &table->asked, FUTEX_WAIT, asked, NULL, NULL, 0);
	}
}

/* AddressSanitizer reserves 20 TiB of addresses, which count. */
#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_ADDRESSES 0
#elif defined(__has_feature)
#define LIMITS_ADDRESSES !__has_feature(address_sanitizer)
#else
#define LIMITS_ADDRESSES 1
#endif

/* In the new process, which keeps nothing of the recorder's but what it needs. */
static void begin(struct hg_places_table *table, int folder, places_finder *find, pid_t parent)
{
	struct rlimit most = { MEMORY_MOST, MEMORY_MOST }, none = { 0, 0 };
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || nowhere < 0)
		_exit(1);
	/* The command's signals, from the terminal, are not for it; nor is its terminal. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 3; i++)
		dup2(nowhere, i);
	if (dup2(folder, 3) < 0)
		_exit(1);
	close_from(4);
	(void)setpriority(PRIO_PROCESS, 0, 19);
	if (LIMITS_ADDRESSES)
		setrlimit(RLIMIT_AS, &most);
	setrlimit(RLIMIT_CORE, &none);
	serve(table, 3, find);
}

/* A file system must have so much left: less of it is for the trace. */
#define ROOM_LEAST (64 * sizeof(struct hg_places_table))

static bool has_room(int folder)
{
	struct statvfs disk;

	return !fstatvfs(folder, &disk) && (uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_LEAST;
}

pid_t places_begin(int bundle, places_finder *find)
{
	int file =
		openat(bundle, HG_PLACES, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
	    folder = openat(bundle, BUNDLE_CODE_OBJECTS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct hg_places_table *table = MAP_FAILED;
	pid_t parent = getpid(), child = -1;

	/* Processes map the file: writing to a page for which the disk has no room would end them.
	 */
	if (file >= 0 && folder >= 0 && has_room(bundle) &&
	    !posix_fallocate(file, 0, sizeof(*table)))
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (table != MAP_FAILED) {
		table->magic = HG_PLACES_MAGIC;
		child = fork();
		if (child == 0)
			begin(table, folder, find, parent);
		munmap(table, sizeof(*table));
	}
	if (child < 0 && file >= 0)
		unlinkat(bundle, HG_PLACES, 0);
	if (file >= 0)
		close(file);
	if (folder >= 0)
		close(folder);
	return child;
}

void places_end(int bundle, pid_t helper)
{
	if (helper <= 0)
		return;
	kill(helper, SIGKILL);
	while (waitpid(helper, NULL, 0) < 0 && errno == EINTR) {
	}
	unlinkat(bundle, HG_PLACES, 0);
}
