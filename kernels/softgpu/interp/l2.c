/* SPDX-License-Identifier: Apache-2.0 */
/* Several L2 caches of one GPU; see l2.h. Lines are kept by GPU address. */
#include <stdlib.h>

#include "l2.h"

#define LINE    128u   /* bytes; assumed, as is the size below: no document was read */
#define BUCKETS 4096u  /* of a cache */
#define LINES   32768u /* 4 MiB an XCD */

struct line {
	struct line *next;
	uint64_t address; /* of its first byte */
	uint8_t *memory;  /* where that is in this process */
	uint64_t there[2], dirty[2];
	uint8_t data[LINE];
};

struct cache {
	struct line *bucket[BUCKETS];
	unsigned lines;
};

#define MAX_GPUS 8u
static struct cache *caches[MAX_GPUS][SOFTGPU_MAX_XCDS];
static uint64_t draws; /* of the sequence that decides what is evicted */

static bool bit(const uint64_t *mask, unsigned i)
{
	return mask[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *mask, unsigned i)
{
	mask[i / 64] |= (uint64_t)1 << (i % 64);
}

static struct cache *cache_of(const struct sg_wave *wave)
{
	struct cache **cache =
	    &caches[wave->run->dispatch.gpu % MAX_GPUS][wave->group->xcd % SOFTGPU_MAX_XCDS];

	if (!*cache)
		*cache = calloc(1, sizeof(**cache));
	return *cache;
}

/* One in `n`, in an order that the seed fixes; never without a seed. */
static bool chance(unsigned n)
{
	uint64_t x = softgpu_config.seed * 0x9e3779b97f4a7c15u + ++draws;

	if (!softgpu_config.seed)
		return false;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) % n == 0;
}

/* Memory that was freed meanwhile gets nothing. */
static void write_back(unsigned gpu, struct line *line)
{
	unsigned i;

	if (!line->dirty[0] && !line->dirty[1])
		return;
	if (softgpu_page_state(gpu, line->address) & SOFTGPU_PAGE_MAPPED &&
	    softgpu_host_pointer(line->address) == (void *)line->memory)
		for (i = 0; i < LINE; i++)
			if (bit(line->dirty, i))
				line->memory[i] = line->data[i];
	line->dirty[0] = line->dirty[1] = 0;
}

static struct line **find(struct cache *cache, uint64_t address)
{
	struct line **at = &cache->bucket[address / LINE % BUCKETS];

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

static void drop(struct cache *cache, unsigned gpu, struct line **at)
{
	struct line *line = *at;

	write_back(gpu, line);
	*at = line->next;
	cache->lines--;
	free(line);
}

/* A full cache makes room in the line's own bucket, or any that has one. */
static void make_room(struct cache *cache, unsigned gpu, uint64_t address)
{
	unsigned i;

	for (i = 0; cache->lines >= LINES && i < BUCKETS; i++) {
		struct line **at = &cache->bucket[(address / LINE + i) % BUCKETS];

		if (*at)
			drop(cache, gpu, at);
	}
}

/* The line of `address`, made if it is not there; NULL without memory for it: then as uncached. */
static struct line *get(struct cache *cache, unsigned gpu, uint64_t address, uint8_t *memory)
{
	uint64_t first = address & ~(uint64_t)(LINE - 1);
	struct line **at = find(cache, first), *line = *at;

	if (line && line->memory == memory - (address - first))
		return line;
	if (line)
		drop(cache, gpu, at);
	make_room(cache, gpu, first);
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	at = find(cache, first);
	line->address = first;
	line->memory = memory - (address - first);
	line->next = *at;
	*at = line;
	cache->lines++;
	return line;
}

/* How much of an access is in the line of its first byte. */
static unsigned part(uint64_t address, unsigned size)
{
	unsigned room = LINE - (unsigned)(address % LINE);

	return size < room ? size : room;
}

void sg_l2_read(struct sg_wave *wave, uint64_t address, const uint8_t *memory, void *to,
		unsigned size, bool fresh)
{
	unsigned gpu = wave->run->dispatch.gpu, i;
	struct cache *cache = cache_of(wave);
	struct line *line;

	if (part(address, size) < size) {
		unsigned n = part(address, size);

		sg_l2_read(wave, address, memory, to, n, fresh);
		sg_l2_read(wave, address + n, memory + n, (uint8_t *)to + n, size - n, fresh);
		return;
	}
	if (fresh || chance(16))
		sg_l2_leave(wave, address, size);
	line = fresh || !cache ? NULL : get(cache, gpu, address, (uint8_t *)(uintptr_t)memory);
	if (!line) {
		memcpy(to, memory, size);
		return;
	}
	/* A load brings the whole line, as far as its page goes: lines do not cross pages. */
	for (i = 0; i < LINE; i++)
		if (!bit(line->there, i))
			line->data[i] = line->memory[i];
	line->there[0] = line->there[1] = ~(uint64_t)0;
	memcpy(to, line->data + address % LINE, size);
}

void sg_l2_write(struct sg_wave *wave, uint64_t address, uint8_t *memory, const void *from,
		 unsigned size, bool through)
{
	unsigned gpu = wave->run->dispatch.gpu, at = (unsigned)(address % LINE), i;
	struct cache *cache = cache_of(wave);
	struct line *line;

	if (part(address, size) < size) {
		unsigned n = part(address, size);

		sg_l2_write(wave, address, memory, from, n, through);
		sg_l2_write(wave, address + n, memory + n, (const uint8_t *)from + n, size - n,
			    through);
		return;
	}
	if (through)
		sg_l2_leave(wave, address, size);
	line = through || !cache ? NULL : get(cache, gpu, address, memory);
	if (!line) {
		memcpy(memory, from, size);
		return;
	}
	memcpy(line->data + at, from, size);
	for (i = at; i < at + size; i++) {
		set_bit(line->there, i);
		set_bit(line->dirty, i);
	}
	if (chance(4))
		write_back(gpu, line);
}

void sg_l2_leave(struct sg_wave *wave, uint64_t address, unsigned size)
{
	struct cache *cache = cache_of(wave);
	uint64_t line;

	if (!cache)
		return;
	for (line = address & ~(uint64_t)(LINE - 1); line < address + size; line += LINE) {
		struct line **at = find(cache, line);

		if (*at)
			drop(cache, wave->run->dispatch.gpu, at);
	}
}

void sg_l2_write_back(struct sg_wave *wave)
{
	struct cache *cache = cache_of(wave);
	struct line *line;
	unsigned i;

	for (i = 0; cache && i < BUCKETS; i++)
		for (line = cache->bucket[i]; line; line = line->next)
			write_back(wave->run->dispatch.gpu, line);
}

/* What is dirty stays: it is newer than what memory has. */
void sg_l2_invalidate(struct sg_wave *wave)
{
	struct cache *cache = cache_of(wave);
	struct line *line;
	unsigned i;

	for (i = 0; cache && i < BUCKETS; i++)
		for (line = cache->bucket[i]; line; line = line->next) {
			line->there[0] = line->dirty[0];
			line->there[1] = line->dirty[1];
		}
}

void sg_l2_flush(unsigned gpu)
{
	unsigned i, xcd;

	for (xcd = 0; xcd < SOFTGPU_MAX_XCDS; xcd++) {
		struct cache *cache = caches[gpu % MAX_GPUS][xcd];

		for (i = 0; cache && i < BUCKETS; i++)
			while (cache->bucket[i])
				drop(cache, gpu, &cache->bucket[i]);
	}
}
