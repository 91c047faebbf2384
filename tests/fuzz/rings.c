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
#include "analyzer/reader/read_rings.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_page.h"
#include "tracer/ring.h"
#include "tracer/ring_part.h"

static char folder[] = "/tmp/fuzz-rings-XXXXXX", file[64];

static void remove_folder(void)
{
	unlink(file);
	rmdir(folder);
}

static enum hg_group group_of(unsigned type, void *data)
{
	(void)type;
	(void)data;
	return HG_GROUP_OTHER;
}

static void take_page(const struct ring_page *page, void *data)
{
	uint64_t *announced = data;

	*announced += hg_ring_sum(page->rest);
}

/* Each record that was counted comes, whole. */
static void take_record(const struct order_record *record, void *data)
{
	uint64_t *announced = data, frames[HG_STACK_FRAMES_MAX];
	struct hg_ev_launch launch;

	if (!(*announced)--)
		abort();
	if (record->record->kind == HG_KIND_STACK)
		hg_stack_read(record->record, frames);
	if (record->launch)
		launch_read(record->launch, &launch);
}

static void read_file(const unsigned char *data, size_t size)
{
	static const struct ring_calls calls = { group_of, take_page, take_record, NULL, false };
	uint64_t announced = 0;
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct counts *counts = counts_new();
	struct rings *rings;
	char *damage = NULL;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	rings = rings_open(folder, counts, &damage);
	while (rings && rings_pass(rings, INT64_MAX, (int64_t)size << 48, &calls, &announced)) {
	}
	if (announced)
		abort();
	rings_close(rings);
	counts_free(counts);
	g_free(damage);
}

static void take_item(void *item, void *data)
{
	(void)item;
	(void)data;
}

/* As much is published with each look as `step` says: a first byte behind that is zero. */
static void read_parts(const unsigned char *data, size_t size, uint32_t step)
{
	static const struct order_calls calls = { take_item, take_record };
	static uint64_t out[RING_PART_WORDS];
	static struct hg_ring_page page;
	uint64_t announced = 0;
	struct event_order *order = order_new(&calls, &announced);
	struct page_parts *parts = page_parts_new(order);
	struct ring_cursor cursor = { .number = 1 };
	struct page_taken taken;

	memset(&page, 0, sizeof(page));
	memcpy(&page, data, size < sizeof(page) ? size : sizeof(page));
	for (uint32_t published = step; published < HG_RING_RECORDS + step; published += step) {
		uint32_t end = published < HG_RING_RECORDS ? published : HG_RING_RECORDS - 1;
		uint8_t kept = page.records[end];

		page.records[end] = 0;
		while (ring_part(&page, &cursor, out)) {
			if (cursor.taken > RING_PART_WORDS || cursor.at > HG_RING_RECORDS)
				abort();
			page_parts_take(parts,
					&(struct hg_ev_page){ .number = 1,
							      .part = cursor.parts,
							      .words = cursor.taken,
							      .begin = page.begin,
							      .records = out },
					0, group_of, NULL, &taken);
			announced += hg_ring_sum(taken.records);
			order_reach(order, 0, (int64_t)(page.begin + published));
		}
		page.records[end] = kept;
	}
	order_end(order);
	if (announced)
		abort();
	page_parts_free(parts);
	order_free(order);
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
			   (data[0] + 1u) * 16u);
	return 0;
}
