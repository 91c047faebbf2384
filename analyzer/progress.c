/* SPDX-License-Identifier: Apache-2.0 */
/* The progress of the analysis, as a line that is written over. */
#include "progress.h"

#include <ftw.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/reader/packet.h"
#include "analyzer/reader/ring_file.h"
#include "tracer/ring.h"

#define CHECK_EVENTS 8192u /* events between two looks at the clock */
#define DRAW_EVERY   (G_USEC_PER_SEC / 5)
#define DRAW_AFTER   G_USEC_PER_SEC

struct packet {
	uint64_t end;  /* time stamp of its last event */
	uint64_t size; /* bytes of its own; once sorted: with all before it */
};

uint64_t progress_events, progress_next = UINT64_MAX;

static enum progress_when when = PROGRESS_NEVER;
static GArray *packets; /* struct packet, by end */
static uint64_t first_stamp;
static int64_t first_ns;
static gint64 started, drawn; /* microseconds; drawn 0: the line is empty */

void progress_set(enum progress_when requested)
{
	const char *term = getenv("TERM");
	bool terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;

	when = requested == PROGRESS_AUTO && !terminal ? PROGRESS_NEVER : requested;
}

static int add_packets(const char *path, const struct stat *status, int type, struct FTW *place)
{
	const char *name = path + place->base;
	struct packet_header header;
	uint64_t at = 0;
	FILE *file;

	if (type == FTW_D && strcmp(name, "index") == 0)
		return FTW_SKIP_SUBTREE;
	if (type != FTW_F || strcmp(name, "metadata") == 0)
		return FTW_CONTINUE;
	file = fopen(path, "r");
	while (file && fseeko(file, (off_t)at, SEEK_SET) == 0 &&
	       fread(&header, sizeof(header), 1, file) == 1 &&
	       packet_is_whole(&header, (uint64_t)status->st_size - at)) {
		struct packet packet = { header.end, header.packet_bits / 8 };

		g_array_append_val(packets, packet);
		first_stamp = MIN(first_stamp, header.begin);
		at += packet.size;
	}
	if (file)
		fclose(file);
	return FTW_CONTINUE;
}

/* Adds the pages of a process's file: a page counts as read when its first record is. */
static void add_pages(const char *path)
{
	char *name = g_strdup(path);
	struct ring_file file;
	struct hg_ring ring;
	const char *wrong;
	int fd = ring_file_open(name, &file, &ring, &wrong);

	for (uint32_t i = 0; fd >= 0 && i < file.pages; i++) {
		struct hg_ring_page head;
		const size_t size = offsetof(struct hg_ring_page, records);

		if (pread(fd, &head, size, (off_t)hg_ring_bytes(i)) == (ssize_t)size &&
		    head.state != HG_RING_FREE) {
			struct packet packet = { head.begin + (uint64_t)file.origin, HG_RING_PAGE };

			g_array_append_val(packets, packet);
			first_stamp = MIN(first_stamp, packet.end);
		}
	}
	if (fd >= 0)
		close(fd);
	g_free(name);
}

static void add_rings(const char *bundle)
{
	char *folder = g_build_filename(bundle, HG_RINGS, NULL);
	GDir *list = g_dir_open(folder, 0, NULL);
	const char *name;

	while (list && (name = g_dir_read_name(list)) != NULL) {
		char *path = g_build_filename(folder, name, NULL);

		add_pages(path);
		g_free(path);
	}
	if (list)
		g_dir_close(list);
	g_free(folder);
}

static gint by_end(gconstpointer a, gconstpointer b)
{
	const struct packet *first = a, *second = b;

	return (first->end > second->end) - (first->end < second->end);
}

void progress_begin(const char *traces, const char *bundle)
{
	uint64_t sum = 0;

	if (when == PROGRESS_NEVER)
		return;
	packets = g_array_new(FALSE, FALSE, sizeof(struct packet));
	first_stamp = UINT64_MAX;
	nftw(traces, add_packets, 16, FTW_PHYS | FTW_ACTIONRETVAL);
	if (bundle)
		add_rings(bundle);
	g_array_sort(packets, by_end);
	for (unsigned i = 0; i < packets->len; i++) {
		struct packet *packet = &g_array_index(packets, struct packet, i);

		sum += packet->size;
		packet->size = sum;
	}
	progress_events = 0;
	progress_next = 1;
	started = g_get_monotonic_time();
}

/* Returns the bytes of the packets that ended by then. */
static uint64_t bytes_until(uint64_t stamp)
{
	unsigned low = 0, high = packets->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(packets, struct packet, middle).end <= stamp)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? g_array_index(packets, struct packet, low - 1).size : 0;
}

static void draw(int64_t ns)
{
	uint64_t total =
	    packets->len ? g_array_index(packets, struct packet, packets->len - 1).size : 0;
	uint64_t done = bytes_until(first_stamp + (uint64_t)(ns - first_ns));
	double seconds = (double)(g_get_monotonic_time() - started) / G_USEC_PER_SEC;

	double rate = seconds > 0 ? (double)done / seconds : 0;
	char left[32] = "";

	/* Before a twentieth is done, the rate says little. */
	if (rate > 0 && done >= total / 20)
		snprintf(left, sizeof(left), ", about %.0f s left", (double)(total - done) / rate);
	/* stderr's stream shows control characters instead of sending them. */
	dprintf(STDERR_FILENO,
		"\rhipgrain: analysing: %3.0f %% of %.1f MB, %.1f million events in %.0f s%s\033[K",
		total ? 100.0 * (double)done / (double)total : 0.0, (double)total / 1e6,
		(double)progress_events / 1e6, seconds, left);
	drawn = g_get_monotonic_time();
}

void progress_slow_event(int64_t ns)
{
	gint64 now = g_get_monotonic_time();

	if (progress_events == 1)
		first_ns = ns;
	progress_next = progress_events + CHECK_EVENTS;
	if (now - drawn >= DRAW_EVERY && (when == PROGRESS_ALWAYS || now - started >= DRAW_AFTER))
		draw(ns);
}

void progress_end(void)
{
	if (!packets)
		return;
	if (drawn)
		dprintf(STDERR_FILENO, "\r\033[K");
	g_array_unref(packets);
	packets = NULL;
	drawn = 0;
	progress_next = UINT64_MAX;
}
