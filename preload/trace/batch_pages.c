/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages in which batches lie until they are written: in a mapped file of the bundle, which
 * outlives a process that is killed. Processes that fork share the file, each with pages of its
 * own. Processes that have no LTTng-UST, which mostly end soon, share the one that the recorder
 * made: to make a file, and to remove it, takes longer than anything else they do.
 */
#include "preload/trace/batch_pages.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/start.h"
#include "tracer/early_events.h"

#define SHARED_MAX 64u /* threads with a page in a file */

/* The file's first page. Each record reads `hold`: what is written often is in lines of its own. */
struct header {
	int32_t pid;
	int32_t thread;
	uint32_t zero[2];
	uint64_t magic;
	uint64_t hold; /* atomic, the recorder's: the recording is about to end */
	uint32_t number __attribute__((aligned(128))); /* atomic: of a batch, the last one given */
	int32_t owners[SHARED_MAX] __attribute__((aligned(128))); /* atomic; processes, 0: free */
	int32_t left; /* atomic: nobody had pages in it, its name is removed */
};

static const uint64_t never __attribute__((aligned(128)));
const uint64_t *hg_batches_hold = &never;

static struct header *shared; /* NULL: memory of the process's alone */
static struct header *common; /* the recorder's file; NULL: it is not used, `shared` may be it */
static uint32_t own_number;   /* atomic; then in place of shared->number */
static char shared_path[PATH_MAX];

_Static_assert(offsetof(struct header, hold) == offsetof(struct hg_open_batch, hold), "hold");

_Static_assert(SHARED_MAX == HG_EARLY_BATCHES_PAGES, "pages");

static struct hg_open_batch *pages(struct header *file)
{
	return (struct hg_open_batch *)(void *)file + 1;
}

/* The file that a page is in; NULL: it is in memory of the process's alone. */
static struct header *file_of(const struct hg_open_batch *page)
{
	struct header *const files[] = { shared, common };

	for (unsigned i = 0; i < HG_COUNT(files); i++)
		if (files[i] && page >= pages(files[i]) && page < pages(files[i]) + SHARED_MAX)
			return files[i];
	return NULL;
}

static struct header *make_file(char *path, size_t size)
{
	struct header *made = hg_mapped_file(
	    HG_OPEN_BATCHES, (SHARED_MAX + 1) * sizeof(struct hg_open_batch), path, size);

	if (made)
		made->magic = HG_OPEN_BATCHES_MAGIC;
	return made;
}

static struct header *common_file(void)
{
	const size_t size = (SHARED_MAX + 1) * sizeof(struct hg_open_batch);
	char name[HG_EARLY_BATCHES_NAME];
	struct header *found;

	hg_early_batches(name);
	found = hg_mapped_file_there(HG_OPEN_BATCHES, name, size, shared_path, sizeof(shared_path));
	if (!found || found->magic == HG_OPEN_BATCHES_MAGIC)
		return found;
	hg_libc.munmap(found, size);
	return NULL;
}

/* A file in place of this one. What is open in that stays there. */
static void renew_file(const struct header *old)
{
	static int renewing;
	char path[PATH_MAX];
	struct header *made;
	int nobody = 0;

	if (!__atomic_compare_exchange_n(&renewing, &nobody, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	made = shared == old ? make_file(path, sizeof(path)) : NULL;
	if (made) {
		made->number = __atomic_load_n(&old->number, __ATOMIC_RELAXED);
		strcpy(shared_path, path);
		__atomic_store_n(&shared, made, __ATOMIC_RELEASE);
		__atomic_store_n(&hg_batches_hold, &made->hold, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&renewing, 0, __ATOMIC_RELEASE);
}

static struct hg_open_batch *page_in(struct header *file)
{
	for (uint32_t i = 0; file && i < SHARED_MAX; i++) {
		int32_t nobody = 0;

		if (__atomic_load_n(&file->owners[i], __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&file->owners[i], &nobody, hg_process_id, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		/* The other half of leave_file(). */
		if (!__atomic_load_n(&file->left, __ATOMIC_SEQ_CST))
			return &pages(file)[i];
		__atomic_store_n(&file->owners[i], 0, __ATOMIC_RELEASE);
		return NULL;
	}
	return NULL;
}

/*
 * A page of the recorder's file gets its room on the disk from the first process that has it. In
 * its place, if there is none or others have all pages: of a file of the process's own. errno
 * stays, and no thread is cancelled in it.
 */
static struct hg_open_batch *page_of_common(void)
{
	int saved = errno, cancel = hg_keep_thread();
	struct hg_open_batch *page = page_in(common);
	size_t at = page ? (size_t)((char *)page - (char *)common) : 0;

	if (page && !hg_mapped_file_grow(shared_path, at, at + sizeof(*page))) {
		__atomic_store_n(&common->owners[page - pages(common)], 0, __ATOMIC_RELEASE);
		page = NULL;
	}
	if (!page) {
		renew_file(common);
		page = shared == common ? NULL : page_in(shared);
	}
	hg_release_thread(cancel);
	errno = saved;
	return page;
}

static struct hg_open_batch *shared_page(void)
{
	if (shared && shared == common)
		return page_of_common();
	/*
	 * A process has its parent's file. If all that had pages in it left before this one had
	 * any, nobody finds it any more.
	 */
	if (shared && __atomic_load_n(&shared->left, __ATOMIC_SEQ_CST))
		renew_file(shared);
	return page_in(shared);
}

struct hg_open_batch *hg_batch_page_new(void)
{
	struct hg_open_batch *page = shared_page();

	if (!page) {
		page = hg_libc.mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return NULL;
	}
	page->words = 0;
	page->pid = hg_process_id;
	return page;
}

bool hg_batch_page_give_back(struct hg_open_batch *page)
{
	struct header *file = file_of(page);

	if (!file)
		return false;
	page->pid = 0;
	__atomic_store_n(&file->owners[page - pages(file)], 0, __ATOMIC_RELEASE);
	return true;
}

bool hg_batch_page_is_kept(const struct hg_open_batch *page)
{
	return file_of(page) != NULL;
}

bool hg_batch_pages_are_kept(void)
{
	return shared != NULL;
}

uint32_t hg_batch_number(void)
{
	return __atomic_add_fetch(shared ? &shared->number : &own_number, 1, __ATOMIC_RELAXED);
}

void hg_batch_pages_leave(void)
{
	bool any = false;

	if (!shared || shared == common)
		return;
	__atomic_store_n(&shared->left, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < SHARED_MAX; i++)
		any |= __atomic_load_n(&shared->owners[i], __ATOMIC_SEQ_CST) != 0;
	if (any)
		__atomic_store_n(&shared->left, 0, __ATOMIC_SEQ_CST);
	else
		unlink(shared_path);
}

void hg_batch_pages_leave_common(void)
{
	if (shared && shared == common)
		renew_file(common);
}

void hg_batch_pages_begin(void)
{
	if (hg_early_events())
		shared = common = common_file();
	if (!shared)
		shared = make_file(shared_path, sizeof(shared_path));
	hg_batches_hold = shared ? &shared->hold : &never;
}
