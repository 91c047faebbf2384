/* SPDX-License-Identifier: Apache-2.0 */
/* The L1 and L2 caches of a GPU with several XCDs; see l2.h. Lines are kept by GPU address. */
#include <stdlib.h>

#include "l2.h"
#include "stale.h"

/* AMD CDNA 3 Architecture, white paper [CDNA3]: lines of 128 bytes, 32 KiB of L1, 4 MiB of L2. */
#define LINE     128u
#define L1_LINES 256u
#define L2_LINES 32768u

struct line {
	struct line *next;          /* in its bucket */
	struct line *older, **link; /* among all of the cache; the pointer to this one */
	uint64_t address;           /* of its first byte */
	uint8_t *memory;            /* address of the line in this process */
	uint64_t there[2], dirty[2];
	uint8_t data[LINE];
};

struct sg_cache {
	unsigned buckets, lines, most; /* buckets: a power of 2 */
	struct line *newest;           /* of all lines: those are few, and the buckets many */
	struct line *bucket[];
};

#define MAX_GPUS 8u
static struct sg_cache *caches[MAX_GPUS][SOFTGPU_MAX_XCDS];
static uint64_t draws; /* of the sequence that decides what is evicted */

static bool bit(const uint64_t *mask, unsigned i)
{
	return mask[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *mask, unsigned i)
{
	mask[i / 64] |= (uint64_t)1 << (i % 64);
}

static struct sg_cache *make_cache(unsigned lines)
{
	unsigned buckets = lines / 8;
	struct sg_cache *cache = calloc(1, sizeof(*cache) + buckets * sizeof(cache->bucket[0]));

	if (cache) {
		cache->buckets = buckets;
		cache->most = lines;
	}
	return cache;
}

static struct sg_cache *l2_of(const struct sg_wave *wave)
{
	struct sg_cache **cache =
	    &caches[wave->run->dispatch.gpu % MAX_GPUS][wave->group->xcd % SOFTGPU_MAX_XCDS];

	if (!*cache)
		*cache = make_cache(L2_LINES);
	return *cache;
}

static struct sg_cache *l1_of(const struct sg_wave *wave)
{
	if (!wave->group->l1)
		wave->group->l1 = make_cache(L1_LINES);
	return wave->group->l1;
}

/* Returns true for about one in `n` calls, in an order that the seed fixes; never without a
 * seed. */
static bool chance(unsigned n)
{
	uint64_t x = softgpu_config.seed * 0x9e3779b97f4a7c15u + ++draws;

	if (!softgpu_config.seed)
		return false;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) % n == 0;
}

/* Writes a line back. Memory that was freed meanwhile gets nothing. */
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

static struct line **find(struct sg_cache *cache, uint64_t address)
{
	struct line **at = &cache->bucket[address / LINE & (cache->buckets - 1)];

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

static void drop(struct sg_cache *cache, unsigned gpu, struct line **at)
{
	struct line *line = *at;

	write_back(gpu, line);
	*at = line->next;
	*line->link = line->older;
	if (line->older)
		line->older->link = line->link;
	cache->lines--;
	free(line);
}

static void drop_all(struct sg_cache *cache, unsigned gpu)
{
	while (cache && cache->newest)
		drop(cache, gpu, find(cache, cache->newest->address));
}

static void drop_range(struct sg_cache *cache, unsigned gpu, uint64_t address, unsigned size)
{
	uint64_t line;

	for (line = address & ~(uint64_t)(LINE - 1); cache && line < address + size; line += LINE) {
		struct line **at = find(cache, line);

		if (*at)
			drop(cache, gpu, at);
	}
}

/* A full cache makes room in the line's own bucket, or any that has one. */
static void make_room(struct sg_cache *cache, unsigned gpu, uint64_t address)
{
	unsigned i;

	for (i = 0; cache->lines >= cache->most && i < cache->buckets; i++) {
		struct line **at = &cache->bucket[(address / LINE + i) & (cache->buckets - 1)];

		if (*at)
			drop(cache, gpu, at);
	}
}

/* Returns the line of `address`, made if it is not there; NULL if there is no memory for it: then
 * the access is uncached. */
static struct line *get(struct sg_cache *cache, unsigned gpu, uint64_t address, uint8_t *memory)
{
	uint64_t first = address & ~(uint64_t)(LINE - 1);
	struct line **at, *line;

	if (!cache)
		return NULL;
	at = find(cache, first);
	line = *at;
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
	line->older = cache->newest;
	line->link = &cache->newest;
	if (line->older)
		line->older->link = &line->older;
	cache->newest = line;
	cache->lines++;
	return line;
}

/* ---- one line, of which an access has no more than this ---- */

static unsigned room_in_line(uint64_t address, unsigned size)
{
	unsigned room = LINE - (unsigned)(address % LINE);

	return size < room ? size : room;
}

static bool keeps_stale(unsigned state)
{
	return (state & SOFTGPU_PAGE_MTYPE) == SOFTGPU_PAGE_NC;
}

/* Reads the part of an access that is in the L2's line of its first byte. */
static void read_l2(struct sg_wave *wave, const struct sg_line_access *a, uint8_t *to)
{
	unsigned gpu = wave->run->dispatch.gpu, from = (unsigned)(a->address % LINE), i;
	struct sg_cache *cache = l2_of(wave);
	struct line *line, **known;

	if (chance(16) || (a->sc1 && keeps_stale(a->state)))
		drop_range(cache, gpu, a->address, a->size);
	if (keeps_stale(a->state) && !a->sc1) {
		/* A load brings the whole line, as far as its page goes: lines do not cross pages.
		 */
		line = get(cache, gpu, a->address, a->memory);
		for (i = 0; line && i < LINE; i++)
			if (!bit(line->there, i))
				line->data[i] = line->memory[i];
		if (line)
			line->there[0] = line->there[1] = ~(uint64_t)0;
		memcpy(to, line ? line->data + from : a->memory, a->size);
		return;
	}
	/* Bytes that the XCD did not write itself are as in memory: others' writes drop the
	 * line. */
	known = cache ? find(cache, a->address & ~(uint64_t)(LINE - 1)) : NULL;
	line = known ? *known : NULL;
	memcpy(to, a->memory, a->size);
	if (line && line->memory == a->memory - from)
		for (i = 0; i < a->size; i++)
			if (bit(line->dirty, from + i))
				to[i] = line->data[from + i];
}

static void read_line(struct sg_wave *wave, const struct sg_line_access *a, uint8_t *to)
{
	unsigned gpu = wave->run->dispatch.gpu, from = (unsigned)(a->address % LINE);
	struct sg_cache *cache = a->scalar ? NULL : l1_of(wave);
	struct sg_line_access whole = *a;
	struct line *line;

	if (a->sc1 || chance(16))
		drop_range(cache, gpu, a->address, a->size);
	line = a->sc1 ? NULL : get(cache, gpu, a->address, a->memory);
	if (!line) {
		read_l2(wave, a, to);
		return;
	}
	if (!line->there[0]) {
		whole.address -= from;
		whole.memory -= from;
		whole.size = LINE;
		read_l2(wave, &whole, line->data);
		line->there[0] = line->there[1] = ~(uint64_t)0;
	}
	memcpy(to, line->data + from, a->size);
}

static void write_line(struct sg_wave *wave, const struct sg_line_access *a, const uint8_t *from)
{
	unsigned gpu = wave->run->dispatch.gpu, at = (unsigned)(a->address % LINE), i;
	bool through = a->sc1 || (a->state & SOFTGPU_PAGE_MTYPE) == SOFTGPU_PAGE_CC;
	struct sg_cache *cache = l2_of(wave), *l1 = wave->group->l1;
	struct line *line = l1 && !a->scalar ? *find(l1, a->address - at) : NULL;

	if (line && line->there[0])
		memcpy(line->data + at, from, a->size);
	if (through)
		drop_range(cache, gpu, a->address, a->size);
	line = through ? NULL : get(cache, gpu, a->address, a->memory);
	if (!line) {
		memcpy(a->memory, from, a->size);
		return;
	}
	memcpy(line->data + at, from, a->size);
	for (i = at; i < at + a->size; i++) {
		set_bit(line->there, i);
		set_bit(line->dirty, i);
	}
	if (chance(4))
		write_back(gpu, line);
}

/* Returns true if memory, or the L2 of the XCD that stored it, has that value: then the value is
 * still the latest. */
static bool is_latest(const struct sg_wave *wave, const struct sg_line_access *a, unsigned i,
		      const struct sg_writer *writer)
{
	struct sg_cache *cache = caches[wave->run->dispatch.gpu % MAX_GPUS][writer->xcd];
	unsigned at = (unsigned)((a->address + i) % LINE);
	const struct line *line =
	    cache ? *find(cache, (a->address + i) & ~(uint64_t)(LINE - 1)) : NULL;

	if (line && bit(line->dirty, at))
		return line->data[at] == writer->value;
	return a->memory[i] == writer->value;
}

/* Compares what was read with what another work-group stored last. */
static void look_for_stale(const struct sg_wave *wave, const struct sg_line_access *a,
			   const uint8_t *got)
{
	struct sg_writer writer;
	unsigned i;

	if (!sg_stale_knows(a->address))
		return;
	for (i = 0; i < a->size; i++)
		if (sg_stale_writer(a->address + i, &writer) && writer.value != got[i] &&
		    writer.group != wave->group->linear && is_latest(wave, a, i, &writer)) {
			sg_stale_seen(wave, a->address + i, &writer);
			return;
		}
}

/* ---- accesses ---- */

static bool uncached(const struct sg_line_access *a)
{
	return (a->state & SOFTGPU_PAGE_MTYPE) == SOFTGPU_PAGE_UC;
}

void sg_l2_read(struct sg_wave *wave, const struct sg_line_access *access, void *to)
{
	struct sg_line_access a = *access;
	unsigned done = 0;

	if (uncached(access)) {
		memcpy(to, access->memory, access->size);
		return;
	}
	for (; done < access->size; done += a.size) {
		a.address = access->address + done;
		a.memory = access->memory + done;
		a.size = room_in_line(a.address, access->size - done);
		read_line(wave, &a, (uint8_t *)to + done);
		look_for_stale(wave, &a, (const uint8_t *)to + done);
	}
}

void sg_l2_write(struct sg_wave *wave, const struct sg_line_access *access, const void *from)
{
	struct sg_line_access a = *access;
	unsigned done = 0;

	if (uncached(access)) {
		sg_stale_forget(access->address, access->size);
		memcpy(access->memory, from, access->size);
		return;
	}
	for (; done < access->size; done += a.size) {
		a.address = access->address + done;
		a.memory = access->memory + done;
		a.size = room_in_line(a.address, access->size - done);
		sg_stale_stored(wave, a.address, a.size, (const uint8_t *)from + done);
		write_line(wave, &a, (const uint8_t *)from + done);
	}
}

void sg_l2_leave(struct sg_wave *wave, uint64_t address, unsigned size)
{
	drop_range(l2_of(wave), wave->run->dispatch.gpu, address, size);
	drop_range(wave->group->l1, wave->run->dispatch.gpu, address, size);
	sg_stale_forget(address, size);
}

void sg_l2_write_back(struct sg_wave *wave)
{
	struct sg_cache *cache = l2_of(wave);
	struct line *line;

	for (line = cache ? cache->newest : NULL; line; line = line->older)
		write_back(wave->run->dispatch.gpu, line);
}

/* Drops lines. Dirty bytes stay: they are newer than memory's. */
void sg_l2_invalidate(struct sg_wave *wave, bool sc1)
{
	struct sg_cache *cache = sc1 ? l2_of(wave) : NULL;
	struct line *line;

	drop_all(wave->group->l1, wave->run->dispatch.gpu);
	for (line = cache ? cache->newest : NULL; line; line = line->older) {
		line->there[0] = line->dirty[0];
		line->there[1] = line->dirty[1];
	}
}

void sg_l2_flush(unsigned gpu)
{
	unsigned xcd;

	for (xcd = 0; xcd < SOFTGPU_MAX_XCDS; xcd++)
		drop_all(caches[gpu % MAX_GPUS][xcd], gpu);
	sg_stale_clear();
}

void sg_l1_start(struct sg_group *group)
{
	drop_all(group->l1, 0);
}

void sg_l1_free(struct sg_group *group)
{
	drop_all(group->l1, 0);
	free(group->l1);
	group->l1 = NULL;
}
