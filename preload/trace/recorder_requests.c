/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page that a process on standby shares with recorders (tracer/requests.h). No thread and no
 * descriptor waits: a call of the program's looks at it by one load, and if one wants the process
 * to be recorded, it makes a file for that. So a process that makes no call is not recorded.
 */
#include "preload/trace/recorder_requests.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/core/recorder_message.h"
#include "preload/core/parts.h"
#include "preload/core/start.h"
#include "preload/trace/own_ring.h"
#include "tracer/requests.h"

static struct hg_requests *requests; /* NULL: nobody can request anything */
static uint32_t looked;              /* atomic: requests->changes when it looked last */
static uint64_t joined;              /* the request of the last recording, or 0 */

/* The first process on standby makes the file. */
static struct hg_requests *map_requests(void)
{
	char path[4096 + sizeof(HG_REQUESTS)];
	struct stat status;
	void *memory = MAP_FAILED;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" HG_REQUESTS, hg_config.dir) >= (int)sizeof(path))
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    (status.st_size == sizeof(*requests) ||
	     (!status.st_size && hg_may_have(sizeof(*requests)) &&
	      !fallocate(fd, 0, 0, sizeof(*requests)))))
		memory = hg_libc.mmap(NULL, sizeof(*requests), PROT_READ | PROT_WRITE, MAP_SHARED,
				      fd, 0);
	hg_libc.close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Returns true if the file is new, or has this version's layout. */
static bool is_ours(struct hg_requests *page)
{
	uint32_t version = 0;

	if (__atomic_compare_exchange_n(&page->version, &version, HG_REQUESTS_VERSION, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	    version == HG_REQUESTS_VERSION)
		return true;
	hg_say("it cannot be attached to: '%s/" HG_REQUESTS
	       "' has format %u, and this version of hipgrain uses format %u",
	       hg_config.dir, version, HG_REQUESTS_VERSION);
	hg_libc.munmap(page, sizeof(*page));
	return false;
}

/* Returns the request that the process is to be recorded for, or NULL. */
static struct hg_request *find_request(void)
{
	for (uint32_t i = 0; i < HG_REQUESTS_ROWS; i++)
		if (hg_request_means(&requests->rows[i], hg_process_id))
			return &requests->rows[i];
	return NULL;
}

bool hg_request_may_be(void)
{
	return requests && __atomic_load_n(&requests->changes, __ATOMIC_ACQUIRE) !=
			       __atomic_load_n(&looked, __ATOMIC_RELAXED);
}

bool hg_request_take(void)
{
	uint32_t changes = __atomic_load_n(&requests->changes, __ATOMIC_ACQUIRE);
	struct hg_request *row = find_request();
	int32_t recorder = row ? __atomic_load_n(&row->state.recorder, __ATOMIC_ACQUIRE) : 0;
	uint64_t request = recorder ? row->since : 0;
	char place[HG_RINGS_NAME];
	bool made, done;

	/* Before the recorder has stopped the file, its request may be gone. */
	if (joined && !hg_ring_stopped())
		return false;
	__atomic_store_n(&looked, changes, __ATOMIC_RELAXED);
	if (!request || request == joined)
		return false;
	joined = request;
	snprintf(place, sizeof(place), HG_RINGS_OF, request);
	made = hg_ring_renew(place);
	/* Not before: a process that is killed in between has no file that could be missing. */
	if (made)
		hg_request_count(row, recorder);
	done = made && hg_join();
	if (!done)
		hg_say("not recorded: no file can be made in %s/%s", hg_config.dir, place);
	return done;
}

static void early(void)
{
	if (hg_config.standby && !hg_config.recorded && hg_config.dir)
		requests = map_requests();
	if (requests && !is_ours(requests))
		requests = NULL;
}

static void forked(void)
{
	looked = 0;
	joined = 0;
}

HG_PART(.name = "requests", .order = 62, .early = early, .fork_standby = forked);
