/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file in which a process recorded: as the analyzer reads it, whole; and as the recorder takes
 * its pages, in parts, which the analyzer puts together. The first byte of the input is how much of
 * a page is published between two looks at it.
 */
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/reader/page_parts.h"
#include "analyzer/reader/rings.h"
#include "tracer/batch_events.h"
#include "tracer/ring.h"
#include "tracer/ring_part.h"

static char folder[] = "/tmp/fuzz-rings-XXXXXX", file[64];

static void remove_folder(void)
{
	unlink(file);
	rmdir(folder);
}

/* The records are as batch_events.h has them, to the end. */
static void check(const uint64_t *records, uint32_t words)
{
	uint32_t at = 0, step;

	for (; at < words; at += step) {
		step = hg_record_words(records[at]);
		if (!step || records[at] >> 56 == HG_RECORD_PACKED)
			abort();
	}
	if (at != words)
		abort();
}

static void take_page(const struct ring_page *page, void *data)
{
	(void)data;
	check(page->records, page->words);
}

static void take_records(const struct order_records *records, void *data)
{
	(void)data;
	check(records->words, records->count);
}

static void read_file(const unsigned char *data, size_t size)
{
	static const struct ring_calls calls = { take_page, take_records, NULL };
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct counts *counts = counts_new();
	struct rings *rings;
	char *damage = NULL;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	rings = rings_open(folder, counts, &damage);
	while (rings && rings_pass(rings, INT64_MAX, (int64_t)size << 48, &calls, NULL)) {
	}
	rings_close(rings);
	counts_free(counts);
	g_free(damage);
}

static void take_batch(int32_t pid, const struct order_batch *batch, uint64_t begin, void *data)
{
	(void)pid;
	(void)begin;
	(void)data;
	check(batch->records, batch->words);
	g_free(batch->records);
}

static void read_parts(const unsigned char *data, size_t size, uint32_t step)
{
	static uint64_t out[RING_PART_WORDS];
	static struct hg_ring_page page;
	struct page_parts *parts = page_parts_new();
	struct ring_cursor cursor = { .number = 1 };
	uint32_t words;

	memset(&page, 0, sizeof(page));
	memcpy(&page, data, size < sizeof(page) ? size : sizeof(page));
	words = page.words;
	for (uint32_t round = 1; round < 300; round++) {
		page.words = words < round * step ? words : round * step;
		while (ring_part(&page, &cursor, out)) {
			if (cursor.taken > RING_PART_WORDS)
				abort();
			page_parts_take(parts,
					&(struct hg_ev_page){ .number = 1,
							      .part = cursor.parts,
							      .words = cursor.taken,
							      .begin = page.begin,
							      .records = out },
					take_batch, NULL);
		}
		if (page.words == words)
			break;
	}
	page_parts_free(parts);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!*file) {
		if (!mkdtemp(folder))
			abort();
		snprintf(file, sizeof(file), "%s/1-1", folder);
		atexit(remove_folder);
	}
	if (size < 1)
		return 0;
	read_file(data + 1, size - 1);
	if (size > 1 + sizeof(struct hg_ring))
		read_parts(data + 1 + sizeof(struct hg_ring), size - 1 - sizeof(struct hg_ring),
			   data[0] + 1u);
	return 0;
}
