/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to programs on standby, through the page that they map. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/record_request.h"
#include "tracer/requests.h"

/* The file; -1 if there is none. The directory may be another user's, who may do anything with it.
 */
static int open_file(const char *directory)
{
	int home = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;
	struct stat status;

	if (home < 0)
		return -1;
	file = openat(home, HG_REQUESTS, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(home);
	if (file >= 0 && (fstat(file, &status) || !S_ISREG(status.st_mode) ||
			  status.st_size != (off_t)sizeof(struct hg_requests))) {
		close(file);
		file = -1;
	}
	return file;
}

/*
 * Waiting processes check again. The page is only mapped for its addresses: a file that was
 * truncated meanwhile leads to an error here, not a signal.
 */
static void change(int file, struct hg_requests *page, uint32_t at, int wanted)
{
	off_t place = (off_t)(offsetof(struct hg_requests, slots) + at * sizeof(uint32_t));
	uint32_t slot = 0;

	if (pread(file, &slot, sizeof(slot), place) != sizeof(slot))
		return;
	slot += HG_REQUESTS_STEP;
	if (wanted >= 0)
		slot = (slot & ~HG_REQUESTS_WANTED) | (wanted ? HG_REQUESTS_WANTED : 0);
	if (pwrite(file, &slot, sizeof(slot), place) == sizeof(slot))
		syscall(SYS_futex, &page->slots[at], FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void change_all(int file, struct hg_requests *page, bool wanted)
{
	uint32_t all = 0;

	if (pread(file, &all, sizeof(all), offsetof(struct hg_requests, all)) != sizeof(all))
		return;
	all = wanted ? all + 1 : all - (all > 0);
	if (pwrite(file, &all, sizeof(all), offsetof(struct hg_requests, all)) != sizeof(all))
		return;
	for (uint32_t i = 0; wanted && i < HG_REQUESTS_SLOTS; i++)
		change(file, page, i, -1);
}

bool record_request_set(const char *directory, pid_t pid, bool wanted)
{
	int file = open_file(directory);
	struct hg_requests *page;

	if (file < 0)
		return false;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (page != MAP_FAILED) {
		if (pid)
			change(file, page, (uint32_t)pid % HG_REQUESTS_SLOTS, wanted);
		else
			change_all(file, page, wanted);
		munmap(page, sizeof(*page));
	}
	close(file);
	return page != MAP_FAILED;
}

bool record_request_is_heard(pid_t pid)
{
	static const char suffix[] = "-ust\n"; /* of LTTng-UST's threads, and of ours */
	char path[300];
	struct dirent *entry;
	bool heard = false;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	list = opendir(path);
	while (list && !heard && (entry = readdir(list))) {
		char name[32];
		ssize_t length;
		int file;

		snprintf(path, sizeof(path), "/proc/%ld/task/%s/comm", (long)pid, entry->d_name);
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			continue;
		length = read(file, name, sizeof(name));
		close(file);
		heard = length >= (ssize_t)sizeof(suffix) - 1 &&
			!memcmp(name + length - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1);
	}
	if (list)
		closedir(list);
	return heard;
}
