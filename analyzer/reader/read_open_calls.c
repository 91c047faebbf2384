/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads open calls. The files belong to other users, who may be writing them, so their content is
 * checked.
 */
#include "read_open_calls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sorted_files.h"

#define SLOTS_MOST 65536u
#define SIZE_MOST  65536u /* of a slot, or of the header */

static bool read_at(int file, void *to, size_t size, uint64_t at)
{
	return pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static bool is_sound(const struct hg_open_calls *head)
{
	return head->magic == HG_OPEN_CALLS_MAGIC && head->pid > 0 && head->slots <= SLOTS_MOST &&
	       head->slot_size >= sizeof(struct hg_open_call) && head->slot_size <= SIZE_MOST &&
	       head->header_size >= sizeof(*head) && head->header_size <= SIZE_MOST;
}

/* Reads a call twice, to be sure that it is the same call all the time. */
static bool read_call(int file, struct hg_open_call *call, uint64_t at)
{
	struct hg_open_call again;

	return read_at(file, call, sizeof(*call), at) && call->state && call->thread > 0 &&
	       call->state <= UINT16_MAX && call->start && call->start <= INT64_MAX &&
	       read_at(file, &again, sizeof(again), at) && memcmp(call, &again, sizeof(again)) == 0;
}

static void read_file(const char *path, GArray *calls, uint64_t *without)
{
	int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct hg_open_calls head;
	struct stat status;

	if (file < 0)
		return;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	    read_at(file, &head, sizeof(head), 0) && is_sound(&head)) {
		struct open_call one = { .pid = head.pid, .ended = head.ended != 0 };

		*without += head.without;
		memcpy(one.program, head.program, sizeof(head.program));
		for (uint64_t i = 0; i < head.slots; i++) {
			uint64_t at = head.header_size + i * head.slot_size;

			if (at >= (uint64_t)status.st_size)
				break;
			if (read_call(file, &one.call, at))
				g_array_append_val(calls, one);
		}
	}
	close(file);
}

static gint by_start(gconstpointer a, gconstpointer b)
{
	uint64_t one = ((const struct open_call *)a)->call.start;
	uint64_t other = ((const struct open_call *)b)->call.start;

	return one < other ? -1 : one > other;
}

GArray *open_calls_read(const char *folder, uint64_t *without)
{
	uint64_t threads = 0;
	GArray *calls = g_array_new(FALSE, FALSE, sizeof(struct open_call));
	GPtrArray *paths = sorted_files(folder);

	for (guint i = 0; i < paths->len; i++)
		read_file(paths->pdata[i], calls, &threads);
	g_ptr_array_free(paths, TRUE);
	g_array_sort(calls, by_start);
	if (without)
		*without = threads;
	return calls;
}
