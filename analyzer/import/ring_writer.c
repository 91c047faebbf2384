/* SPDX-License-Identifier: Apache-2.0 */
/* A page for each thread, which is written when it is full. */
#include "ring_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/reader/fields.h"
#include "tracer/event_layout.h"
#include "tracer/event_record.h"
#include "tracer/ring.h"
#include "tracer/tree.h"

static const uint16_t types[HG_EVENT_TYPES] = {
#define HG_EVENT_OF_BATCHES(name)
#define HG_EVENT(name) [HG_EVENT_##name] = HG_TYPE_##name,
#include "tracer/events/names.def"
};

struct page {
	char *at; /* where the next record begins; NULL: the page is not used */
	struct hg_record_before before;
	uint64_t begin; /* of the times of records that follow */
	struct hg_ring_page page;
};

struct ring_writer {
	int file, error;
	struct hg_ring ring;
	GHashTable *pages; /* struct page, by their threads */
	GByteArray *fields;
	uint64_t ns; /* of the last event */
};

static void write_at(struct ring_writer *writer, const void *data, size_t size, off_t place)
{
	if (!writer->error && lseek(writer->file, place, SEEK_SET) < 0)
		writer->error = -errno;
	if (!writer->error)
		writer->error = tree_write(writer->file, data, size);
}

struct ring_writer *ring_writer_open(int folder, int32_t pid)
{
	struct ring_writer *writer = g_new0(struct ring_writer, 1);
	char name[32];

	snprintf(name, sizeof(name), "%d-1", pid);
	writer->file =
	    openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	writer->error = writer->file < 0 ? -errno : 0;
	writer->ring = (struct hg_ring){ .magic = HG_RING_MAGIC,
					 .page_bytes = HG_RING_PAGE,
					 .page_limit = HG_RING_PAGES,
					 .pid = pid,
					 .end = HG_RING_UNKNOWN,
					 .stop = HG_RING_STOPPED };
	writer->pages = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	writer->fields = g_byte_array_new();
	return writer;
}

/* The page is full. */
static void give(struct ring_writer *writer, struct page *page)
{
	if (!page->at)
		return;
	page->page.state = HG_RING_FULL;
	for (unsigned group = 0; group < HG_GROUPS; group++)
		writer->ring.records[group] += page->page.counted[group];
	write_at(writer, &page->page, sizeof(page->page), (off_t)hg_ring_bytes(writer->ring.pages));
	writer->ring.pages++;
	page->at = NULL;
}

static void begin(struct ring_writer *writer, struct page *page, int32_t tid, uint64_t ns)
{
	memset(page, 0, sizeof(*page));
	page->at = (char *)page->page.records;
	page->begin = ns;
	page->page.number = ++writer->ring.number;
	page->page.thread = tid;
	page->page.begin = ns;
}

static bool has_room(const struct page *page, size_t bytes)
{
	/* A further byte says that no record follows. */
	return page->at && (size_t)((const char *)(&page->page + 1) - page->at) >
			       bytes + HG_RECORD_EVENT_HEAD + HG_RECORD_BEGIN_BYTES;
}

static struct page *page_of(struct ring_writer *writer, int32_t tid, size_t bytes)
{
	struct page *page = g_hash_table_lookup(writer->pages, GINT_TO_POINTER(tid));

	if (!page) {
		page = g_new0(struct page, 1);
		g_hash_table_insert(writer->pages, GINT_TO_POINTER(tid), page);
	}
	if (!has_room(page, bytes)) {
		give(writer, page);
		begin(writer, page, tid, writer->ns);
	}
	return page;
}

void ring_writer_event(struct ring_writer *writer, const struct hg_event *event)
{
	const unsigned type = types[event->type];
	struct page *page;
	char *fields;

	g_byte_array_set_size(writer->fields, 0);
	event_fields_append(writer->fields, event);
	writer->ns = MAX((uint64_t)event->ns, writer->ns + 1);
	page = page_of(writer, event->tid, writer->fields->len);
	if (!has_room(page, writer->fields->len) || writer->ring.pages == HG_RING_PAGES) {
		writer->error = writer->error ? writer->error : -EFBIG;
		return;
	}
	if (writer->ns - page->begin > UINT32_MAX) {
		page->at = hg_record_put_begin(page->at, &page->before, writer->ns);
		page->begin = writer->ns;
	}
	fields = hg_record_put_event(page->at, &page->before, type, writer->fields->len,
				     (uint32_t)(writer->ns - page->begin));
	memcpy(fields, writer->fields->data, writer->fields->len);
	hg_record_finish(page->at, fields + writer->fields->len, HG_RECORD_EVENT);
	page->at = fields + writer->fields->len;
	page->page.counted[hg_group_of_type(type)]++;
}

int ring_writer_close(struct ring_writer *writer)
{
	GHashTableIter iterator;
	gpointer page;
	int result;

	g_hash_table_iter_init(&iterator, writer->pages);
	while (g_hash_table_iter_next(&iterator, NULL, &page))
		give(writer, page);
	write_at(writer, &writer->ring, sizeof(writer->ring), 0);
	if (writer->file >= 0 && close(writer->file) && !writer->error)
		writer->error = -errno;
	result = writer->error;
	g_hash_table_destroy(writer->pages);
	g_byte_array_unref(writer->fields);
	g_free(writer);
	return result;
}
