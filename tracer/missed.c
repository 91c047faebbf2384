/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of DIR/missed, the table of processes that are not recorded. */
#include "tracer/missed.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "tracer/seccomp_filters.h"

/* Returns the number of filters that the recorder itself has: a container's, or a service's. */
static uint32_t own_filters(void)
{
	char status[HG_STATUS_SIZE];
	int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, status, sizeof(status) - 1);

	if (file >= 0)
		close(file);
	status[got < 0 ? 0 : got] = '\0';
	return (uint32_t)hg_seccomp_filters(status);
}

int missed_make(int bundle)
{
	const struct hg_missed_table table = { .magic = HG_MISSED_MAGIC,
					       .recording = 1,
					       .filters = own_filters() };
	int file =
	    openat(bundle, HG_MISSED, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (file < 0)
		return -1;
	/*
	 * Processes map the file: writing to a page for which the disk has no room would end them.
	 */
	if (posix_fallocate(file, 0, sizeof(table)) ||
	    pwrite(file, &table, sizeof(table), 0) != (ssize_t)sizeof(table)) {
		unlinkat(bundle, HG_MISSED, 0);
		close(file);
		return -1;
	}
	return file;
}

void missed_stop(int file)
{
	static const int32_t none;

	(void)!pwrite(file, &none, sizeof(none), offsetof(struct hg_missed_table, recording));
}

void missed_close(int bundle)
{
	static const uint32_t closed = 1;
	int file = openat(bundle, HG_MISSED, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file >= 0) {
		(void)!pwrite(file, &closed, sizeof(closed),
			      offsetof(struct hg_missed_table, closed));
		missed_stop(file);
		close(file);
	}
}

uint64_t missed_count(int bundle, enum hg_missed why)
{
	int file = openat(bundle, HG_MISSED, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct hg_missed_row row;
	uint64_t count = 0;

	for (size_t i = 0; file >= 0 && i < HG_MISSED_ROWS; i++)
		if (pread(file, &row, sizeof(row),
			  (off_t)(offsetof(struct hg_missed_table, rows) + i * sizeof(row))) ==
			(ssize_t)sizeof(row) &&
		    row.state == HG_MISSED_READY && row.why == (uint32_t)why)
			count += row.count;
	if (file >= 0)
		close(file);
	return count;
}
