/* SPDX-License-Identifier: Apache-2.0 */
/* Samples pinned memory that copies read, and records a difference before the wait. */
#include "preload/hip/hip_sources.h"

#include <errno.h>

#include "preload/core/id_table.h"
#include "preload/core/peek.h"
#include "preload/hip/hip_memory.h"
#include "preload/hip/pointer_budget.h"
#include "preload/trace/enter.h"
#include "tracer/api/hsa.h"
#include "tracer/events.h"
#include "tracer/events/ev_call.h"
#include "tracer/provider.h"

#define FOLLOWED 4u    /* further copies that were not waited for are not followed */
#define WHOLE    1024u /* bytes; larger sources are sampled in pieces: */
#define PIECES   8u    /* the first and the last bytes among them */
#define PIECE    128u

__thread unsigned hg_hip_sources_followed __attribute__((tls_model("initial-exec")));

static __thread struct source {
	uint64_t address, size, hash;
} sources[FOLLOWED] __attribute__((tls_model("initial-exec")));

/* Returns the hash of a sample of the bytes, 0 if they cannot be read. */
static uint64_t sample(uint64_t address, uint64_t size)
{
	struct hg_piece pieces[PIECES] = { { address, size } };
	uint64_t words[WHOLE / 8] = { 0 }, hash = size;
	unsigned count = 1;
	size_t want = size;

	if (size > WHOLE) {
		want = WHOLE;
		for (count = 0; count < PIECES; count++) {
			pieces[count].address = address + (size - PIECE) / (PIECES - 1) * count;
			pieces[count].size = PIECE;
		}
		pieces[PIECES - 1].address = address + size - PIECE;
	}
	if (hg_peek(pieces, count, words) != want)
		return 0;
	for (size_t i = 0; i < (want + 7) / 8; i++)
		hash = hg_mix(hash, words[i]);
	return hash ? hash : 1;
}

/* Looks at a source. `later` is the number of copies of the same bytes that were recorded since. */
static void look_at(const struct source *source, unsigned later)
{
	struct hg_ev_call event = { .api = HG_API_host_source_changed,
				    .ptr = source->address,
				    .size = source->size,
				    .flags = later,
				    .device = -1,
				    .text = "" };
	uint64_t hash = sample(source->address, source->size);

	if (hash && hash != source->hash)
		hg_provider->call(&event);
}

/* Returns the calling thread's source that has some of these bytes, or NULL. */
static struct source *source_at(uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < hg_hip_sources_followed; i++)
		if (sources[i].address < address + size &&
		    address < sources[i].address + sources[i].size)
			return &sources[i];
	return NULL;
}

/* Reads the source of a copy. Returns false if it is not pinned, or there is no time. */
static bool read_source(uint64_t src, uint64_t size, struct source *before, uint64_t *hash)
{
	struct hg_hip_block block;
	uint64_t start;

	if (!size || !hg_hip_memory_find(src, &block) || block.kind != HG_HIP_PINNED ||
	    hg_pointers_off() || !hg_pointers_may_spend(&start))
		return false;
	if (before)
		look_at(before, before->address == src && before->size == size);
	*hash = sample(src, size);
	hg_pointers_spent(start);
	return *hash;
}

void hg_hip_sources_copy(uint64_t src, uint64_t size)
{
	struct source *before = source_at(src, size);
	uint64_t hash;

	if (!before && hg_hip_sources_followed == FOLLOWED)
		return;
	if (read_source(src, size, before, &hash)) {
		before = before ? before : &sources[hg_hip_sources_followed++];
		*before = (struct source){ src, size, hash };
	} else if (before) { /* the analyzer could not tell which of two copies was meant */
		*before = sources[--hg_hip_sources_followed];
	}
}

void hg_hip_sources_look(void)
{
	int saved = errno;

	if (hg_enter()) {
		for (unsigned i = 0; i < hg_hip_sources_followed; i++)
			look_at(&sources[i], 0);
		hg_hip_sources_followed = 0;
		hg_leave();
	}
	errno = saved;
}
