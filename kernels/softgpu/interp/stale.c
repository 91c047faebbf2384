/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers the last store to each byte, and finds loads that get an older value; see stale.h. */
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "stale.h"

#define LINE    128u   /* bytes, as of the caches */
#define LINES   16384u /* lines whose stores are known: 6 MiB */
#define BUCKETS 4096u
#define SITES   1024u /* store instructions; a power of two */
#define PAIRS   64u   /* of a load and a store that are reported, each once a process */

struct site {
	uint64_t pc; /* 0: free */
	char *kernel;
	int64_t offset;
};

struct stored_line {
	struct stored_line *next;
	uint64_t address;
	uint16_t site[LINE]; /* place in `sites` + 1; 0: not known */
	uint8_t value[LINE];
	uint8_t xcd[LINE];
	uint32_t group[LINE];
};

static struct stored_line *buckets[BUCKETS];
static unsigned line_count;
static struct site sites[SITES];
static unsigned site_count;
static struct {
	unsigned reader, writer;
} told[PAIRS];
static unsigned told_count;

/* Returns 1 + the place in `sites` of the wave's current instruction, 0 if there is no room. */
static unsigned site_of(const struct sg_wave *wave)
{
	const struct sg_insn *in = wave->worker->current;
	const char *name = wave->run->dispatch.kernel_name ? wave->run->dispatch.kernel_name : "?";
	unsigned i;

	for (i = (unsigned)(in->pc / 4 * 0x9e3779b1u) % SITES; sites[i].pc; i = (i + 1) % SITES)
		/* Other code may have been loaded to the same address. */
		if (sites[i].pc == in->pc && !strcmp(sites[i].kernel, name))
			return i + 1;
	if (site_count == SITES / 2)
		return 0;
	sites[i].kernel = strdup(name);
	if (!sites[i].kernel)
		return 0;
	sites[i].pc = in->pc;
	sites[i].offset = (int64_t)(in->pc - wave->run->entry);
	site_count++;
	return i + 1;
}

static struct stored_line *find(uint64_t address, bool make)
{
	uint64_t first = address & ~(uint64_t)(LINE - 1);
	struct stored_line **bucket = &buckets[address / LINE % BUCKETS], *line;

	for (line = *bucket; line && line->address != first; line = line->next)
		;
	if (line || !make || line_count == LINES)
		return line;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->address = first;
	line->next = *bucket;
	*bucket = line;
	line_count++;
	return line;
}

void sg_stale_stored(const struct sg_wave *wave, uint64_t address, unsigned size,
		     const uint8_t *from)
{
	struct stored_line *line = find(address, true);
	unsigned site = line ? site_of(wave) : 0, at = (unsigned)(address % LINE), i;

	for (i = 0; line && i < size; i++) {
		line->site[at + i] = (uint16_t)site;
		line->value[at + i] = from[i];
		line->xcd[at + i] = (uint8_t)wave->group->xcd;
		line->group[at + i] = (uint32_t)wave->group->linear;
	}
}

void sg_stale_forget(uint64_t address, unsigned size)
{
	struct stored_line *line;
	unsigned i;

	for (i = 0; line_count && i < size; i++) {
		line = find(address + i, false);
		if (line)
			line->site[(address + i) % LINE] = 0;
	}
}

void sg_stale_clear(void)
{
	unsigned i;

	for (i = 0; line_count && i < BUCKETS; i++)
		while (buckets[i]) {
			struct stored_line *line = buckets[i];

			buckets[i] = line->next;
			free(line);
			line_count--;
		}
}

bool sg_stale_knows(uint64_t address)
{
	return line_count && find(address, false);
}

bool sg_stale_writer(uint64_t address, struct sg_writer *writer)
{
	const struct stored_line *line = line_count ? find(address, false) : NULL;
	unsigned at = (unsigned)(address % LINE);

	if (!line || !line->site[at])
		return false;
	*writer =
	    (struct sg_writer){ sites[line->site[at] - 1].kernel, sites[line->site[at] - 1].offset,
				line->group[at], line->xcd[at], line->value[at] };
	return true;
}

void sg_stale_seen(const struct sg_wave *wave, uint64_t address, const struct sg_writer *writer)
{
	unsigned reader = site_of(wave), from, i;
	const struct stored_line *line = find(address, false);

	from = line ? line->site[address % LINE] : 0;
	if (!reader || !from || told_count == PAIRS)
		return;
	for (i = 0; i < told_count; i++)
		if (told[i].reader == reader && told[i].writer == from)
			return;
	told[told_count].reader = reader;
	told[told_count++].writer = from;
	sg_log_stale(&(struct softgpu_stale_read){ .kernel = sites[reader - 1].kernel,
						   .offset = sites[reader - 1].offset,
						   .writer = writer->kernel,
						   .writer_offset = writer->offset,
						   .address = address,
						   .seed = softgpu_config.seed,
						   .gpu = wave->run->dispatch.gpu,
						   .xcd = wave->group->xcd,
						   .writer_xcd = writer->xcd });
}
