/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of open calls, which a process makes at its first HIP call. A forked child has none of
 * its parent's slots; the thread that forks may be in a call, of which the child stores the rest
 * where nobody reads it.
 */
#include "preload/trace/enter_calls.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/parts.h"
#include "preload/core/threads.h"

#define PAGE 4096u
#define SIZE (sizeof(struct hg_open_calls) + HG_OPEN_CALLS_SLOTS * sizeof(struct hg_open_call))

_Static_assert(SIZE % PAGE == 0, "whole pages");

struct hg_open_call hg_open_call_new, hg_open_call_none;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nothing is called with it but files */
static struct hg_open_calls *file;
static size_t reserved; /* bytes of it with room on the disk */
static bool tried;      /* to make it */
static char path[PATH_MAX];

static void make_file(void)
{
	struct hg_open_calls *made =
	    hg_mapped_file_part(HG_OPEN_CALLS, SIZE, PAGE, path, sizeof(path));

	tried = true;
	if (!made)
		return;
	reserved = PAGE;
	made->pid = hg_process_id;
	made->slots = HG_OPEN_CALLS_SLOTS;
	made->slot_size = sizeof(struct hg_open_call);
	made->header_size = sizeof(*made);
	strncpy(made->program, program_invocation_short_name, sizeof(made->program) - 1);
	__atomic_store_n(&made->magic, HG_OPEN_CALLS_MAGIC, __ATOMIC_RELEASE);
	file = made;
}

/* Returns the first free slot, or NULL if there is none, or no room for it. */
static struct hg_open_call *free_slot(void)
{
	struct hg_open_call *slots = (struct hg_open_call *)(void *)(file + 1);

	for (uint32_t i = 0; i < HG_OPEN_CALLS_SLOTS; i++) {
		size_t end = (size_t)((char *)&slots[i + 1] - (char *)file);

		if (end > reserved) {
			if (!hg_mapped_file_grow(file, path, reserved, reserved + PAGE))
				return NULL;
			reserved += PAGE;
		}
		if (!__atomic_load_n(&slots[i].thread, __ATOMIC_RELAXED))
			return &slots[i];
	}
	return NULL;
}

void hg_open_call_find(void)
{
	int saved = errno, cancel = hg_keep_thread();
	struct hg_open_call *slot = NULL;

	/* Nothing would say when the thread ends without its record. */
	if (hg_thread()) {
		pthread_mutex_lock(&lock);
		if (!tried)
			make_file();
		slot = file ? free_slot() : NULL;
		if (slot) {
			memset(slot, 0, sizeof(*slot));
			__atomic_store_n(&slot->thread, gettid(), __ATOMIC_RELAXED);
		} else if (file) {
			__atomic_fetch_add(&file->without, 1, __ATOMIC_RELAXED);
		}
		pthread_mutex_unlock(&lock);
	}
	hg_tls.open_call = slot ? slot : &hg_open_call_none;
	hg_release_thread(cancel);
	errno = saved;
}

static void thread_end(void)
{
	struct hg_open_call *slot = hg_tls.open_call;

	if (!slot || slot == &hg_open_call_new || slot == &hg_open_call_none)
		return;
	hg_tls.open_call = &hg_open_call_none;
	__atomic_store_n(&slot->state, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->thread, 0, __ATOMIC_RELEASE);
}

/* The parent's file stays mapped, as its slots may be in use here until the call is over. */
static void fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
	file = NULL;
	tried = false;
	if (hg_tls.open_call)
		hg_tls.open_call = &hg_open_call_new;
}

static void end(void)
{
	if (file)
		__atomic_store_n(&file->ended, 1, __ATOMIC_RELAXED);
}

static void again(void)
{
	if (file)
		__atomic_store_n(&file->ended, 0, __ATOMIC_RELAXED);
}

HG_PART(.name = "open-calls", .order = 74, .fork_child = fork_child, .exit = end, .again = again,
	.thread_end = thread_end);
