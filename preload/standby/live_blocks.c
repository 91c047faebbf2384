/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standby: the blocks of the C library that a recording which begins late must receive, by
 * their address (live_state.c has the rest). Each belongs to one of many shards, so that threads
 * that allocate do not wait for each other.
 */
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/id_table.h"
#include "preload/core/libc.h"
#include "preload/stacks/stack.h"
#include "preload/standby/live_state.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/provider.h"

static uint64_t left_out; /* atomic */

#define SHARDS 64u

struct block {
	uint64_t ptr; /* 0: free */
	uint64_t size, flags;
	uint32_t stack_id;
	uint16_t api;
};

static struct shard {
	pthread_mutex_t lock;
	struct block *blocks; /* open addressing, a power of two, at most half full */
	size_t size, used;
} shards[SHARDS];

static uint64_t spread(uint64_t ptr)
{
	return hg_mix(0, ptr);
}

static struct shard *shard_of(uint64_t ptr)
{
	return &shards[spread(ptr) >> 58];
}

void hg_live_block_lock(uint64_t ptr)
{
	pthread_mutex_lock(&shard_of(ptr)->lock);
}

void hg_live_block_unlock(uint64_t ptr)
{
	pthread_mutex_unlock(&shard_of(ptr)->lock);
}

static struct block *slot_of(const struct shard *shard, uint64_t ptr)
{
	size_t at = spread(ptr) & (shard->size - 1);

	while (shard->blocks[at].ptr && shard->blocks[at].ptr != ptr)
		at = (at + 1) & (shard->size - 1);
	return &shard->blocks[at];
}

static bool grow(struct shard *shard)
{
	struct shard old = *shard;
	size_t size = old.size ? 2 * old.size : 256;
	void *space = hg_libc.mmap(NULL, size * sizeof(struct block), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (space == MAP_FAILED)
		return false;
	shard->blocks = space;
	shard->size = size;
	for (size_t i = 0; i < old.size; i++)
		if (old.blocks[i].ptr)
			*slot_of(shard, old.blocks[i].ptr) = old.blocks[i];
	if (old.blocks)
		hg_libc.munmap(old.blocks, old.size * sizeof(struct block));
	return true;
}

void hg_live_block(const struct hg_ev_alloc *event)
{
	struct shard *shard = shard_of(event->ptr);
	struct block *block;

	if (2 * (shard->used + 1) > shard->size && !grow(shard)) {
		__atomic_fetch_add(&left_out, 1, __ATOMIC_RELAXED);
		return;
	}
	block = slot_of(shard, event->ptr);
	shard->used += !block->ptr;
	*block =
	    (struct block){ event->ptr, event->size, event->flags, event->stack_id, event->api };
}

/* Removes a block. Blocks behind it that are not where they belong move up, so that no mark is
 * needed. */
static void remove_block(struct shard *shard, size_t at)
{
	size_t mask = shard->size - 1;

	for (size_t next = (at + 1) & mask; shard->blocks[next].ptr; next = (next + 1) & mask) {
		size_t home = spread(shard->blocks[next].ptr) & mask;

		if (((next - home) & mask) >= ((next - at) & mask)) {
			shard->blocks[at] = shard->blocks[next];
			at = next;
		}
	}
	shard->blocks[at].ptr = 0;
	shard->used--;
}

void hg_live_block_free(uint64_t ptr)
{
	struct shard *shard = shard_of(ptr);
	struct block *block = shard->size ? slot_of(shard, ptr) : NULL;

	if (block && block->ptr)
		remove_block(shard, (size_t)(block - shard->blocks));
}

static uint64_t record_shard(struct shard *shard)
{
	uint64_t count = 0;

	pthread_mutex_lock(&shard->lock);
	for (size_t i = 0; i < shard->size; i++) {
		const struct block *block = &shard->blocks[i];
		struct hg_ev_alloc event = { .api = block->api,
					     .ptr = block->ptr,
					     .device_ptr = block->ptr,
					     .size = block->size,
					     .flags = block->flags,
					     .device = -1,
					     .symbol = "",
					     .stack_id = block->stack_id };

		if (!block->ptr)
			continue;
		hg_stack_define(event.stack_id);
		hg_provider->alloc(&event);
		count++;
	}
	pthread_mutex_unlock(&shard->lock);
	return count;
}

uint64_t hg_live_blocks_record(void)
{
	uint64_t count = 0;

	for (size_t i = 0; i < SHARDS; i++)
		count += record_shard(&shards[i]);
	return count;
}

uint64_t hg_live_blocks_left_out(void)
{
	return __atomic_load_n(&left_out, __ATOMIC_RELAXED);
}

void hg_live_blocks_init(void)
{
	for (size_t i = 0; i < SHARDS; i++)
		pthread_mutex_init(&shards[i].lock, NULL);
}

void hg_live_blocks_lock_all(void)
{
	for (size_t i = 0; hg_config.standby && i < SHARDS; i++)
		pthread_mutex_lock(&shards[i].lock);
}

void hg_live_blocks_unlock_all(void)
{
	for (size_t i = 0; hg_config.standby && i < SHARDS; i++)
		pthread_mutex_unlock(&shards[i].lock);
}
