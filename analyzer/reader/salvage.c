/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that end inside a packet: a view of the trace with whole packets only. */
#include "salvage.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "packet.h"
#include "temporary.h"

#define EMPTY_CONTENT_BITS (88u * 8) /* the whole header and context, rounded up to 8 bytes */

/* Returns how many bytes at the start of a stream file are whole packets. */
static uint64_t whole_packets(const char *data, uint64_t size)
{
	uint64_t at = 0;

	while (size - at >= sizeof(struct packet_header)) {
		struct packet_header header;

		memcpy(&header, data + at, sizeof(header));
		if (!packet_is_whole(&header, size - at))
			break;
		at += header.packet_bits / 8;
	}
	return at;
}

/* Show one file in the directory: the file itself, or what is whole of it. Bytes left out, or -1.
 */
static gint64 show_file(const char *trace, const char *folder, const char *name)
{
	char *source = g_build_filename(trace, name, NULL);
	char *target = g_build_filename(folder, name, NULL);
	char *absolute = g_canonicalize_filename(source, NULL);
	GMappedFile *file = NULL;
	gint64 left_out = 0;
	uint64_t size, whole;

	if (strcmp(name, "metadata") != 0)
		file = g_mapped_file_new(source, FALSE, NULL);
	size = file ? g_mapped_file_get_length(file) : 0;
	whole = file && size ? whole_packets(g_mapped_file_get_contents(file), size) : 0;
	if (whole == size) {
		left_out = symlink(absolute, target) == 0 ? 0 : -1;
	} else {
		left_out = (gint64)(size - whole);
		/* A stream file without any packet is left out altogether. */
		if (whole && !g_file_set_contents(target, g_mapped_file_get_contents(file),
						  (gssize)whole, NULL))
			left_out = -1;
	}
	if (file)
		g_mapped_file_unref(file);
	g_free(absolute);
	g_free(target);
	g_free(source);
	return left_out;
}

/* Makes the view for salvage_trace() and trace_without_index(); *total is -1 if it cannot be
 * made. */
static char *make_view(const char *trace, unsigned *files, gint64 *total)
{
	GDir *directory = g_dir_open(trace, 0, NULL);
	char *folder = temporary_make("salvage");
	const char *name;

	*total = *files = 0;
	while (directory && folder && *total >= 0 && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);
		/* Index files may name packets that were removed: the reader does without them. */
		bool is_stream = g_file_test(path, G_FILE_TEST_IS_REGULAR);
		gint64 left_out = is_stream ? show_file(trace, folder, name) : 0;

		g_free(path);
		*files += left_out > 0;
		*total = left_out < 0 ? -1 : *total + left_out;
	}
	if (directory)
		g_dir_close(directory);
	return folder;
}

char *salvage_trace(const char *trace, char **what)
{
	gint64 total;
	unsigned files;
	char *folder = make_view(trace, &files, &total);

	if (folder && total <= 0) {
		temporary_remove(folder);
		folder = NULL;
	}
	if (folder) {
		*what = g_strdup_printf(
		    "%u stream file%s end%s inside a packet; the last %" G_GINT64_FORMAT
		    " bytes were not read",
		    files, files == 1 ? "" : "s", files == 1 ? "s" : "", total);
	}
	return folder;
}

/*
 * Index files of LTTng 2.x, big endian: magic, major and minor version, size of an entry; an entry
 * begins with the packet's offset in bytes, its size and its content's size in bits.
 */
#define INDEX_MAGIC       0xc1f1dcc1u
#define INDEX_HEADER_SIZE 16u
#define INDEX_ENTRY_MIN   24u

/* Returns true if every packet that an index names lies in its stream file of `size` bytes. */
static bool index_is_sound(const char *data, uint64_t length, uint64_t size)
{
	uint32_t magic, entry_size;
	uint64_t at, entry[3];

	if (length < INDEX_HEADER_SIZE)
		return false;
	memcpy(&magic, data, sizeof(magic));
	memcpy(&entry_size, data + INDEX_HEADER_SIZE - 4, sizeof(entry_size));
	entry_size = GUINT32_FROM_BE(entry_size);
	if (GUINT32_FROM_BE(magic) != INDEX_MAGIC || entry_size < INDEX_ENTRY_MIN ||
	    (length - INDEX_HEADER_SIZE) % entry_size)
		return false;
	for (at = INDEX_HEADER_SIZE; at < length; at += entry_size) {
		uint64_t offset, bytes;

		memcpy(entry, data + at, sizeof(entry));
		offset = GUINT64_FROM_BE(entry[0]);
		bytes = GUINT64_FROM_BE(entry[1]) / 8;
		if (offset > size || !bytes || bytes > size - offset ||
		    GUINT64_FROM_BE(entry[2]) > GUINT64_FROM_BE(entry[1]))
			return false;
	}
	return true;
}

bool trace_index_is_sound(const char *trace)
{
	char *folder = g_build_filename(trace, "index", NULL);
	GDir *directory = g_dir_open(folder, 0, NULL);
	bool sound = true;
	const char *name;

	while (directory && sound && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(folder, name, NULL);
		char *stem = g_strndup(name, MAX(strlen(name), 4) - 4);
		char *stream = g_build_filename(trace, stem, NULL);
		GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
		GStatBuf status;

		if (g_str_has_suffix(name, ".idx") && g_stat(stream, &status) == 0) {
			sound = file && index_is_sound(g_mapped_file_get_contents(file),
						       g_mapped_file_get_length(file),
						       (uint64_t)status.st_size);
		}
		if (file)
			g_mapped_file_unref(file);
		g_free(stream);
		g_free(stem);
		g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	g_free(folder);
	return sound;
}

bool trace_is_of_whole_packets(const char *trace)
{
	GDir *directory = g_dir_open(trace, 0, NULL);
	bool whole = true;
	const char *name;

	while (directory && whole && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);
		GMappedFile *file = NULL;

		if (strcmp(name, "metadata") != 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR))
			file = g_mapped_file_new(path, FALSE, NULL);
		if (file) {
			uint64_t size = g_mapped_file_get_length(file);

			whole = whole_packets(g_mapped_file_get_contents(file), size) == size;
			g_mapped_file_unref(file);
		}
		g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	return whole;
}

char *trace_without_index(const char *trace)
{
	gint64 total;
	unsigned files;
	char *folder = make_view(trace, &files, &total);

	if (folder && total < 0) {
		temporary_remove(folder);
		folder = NULL;
	}
	return folder;
}

bool trace_is_described(const char *trace)
{
	char *path = g_build_filename(trace, "metadata", NULL);
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	/* The text may begin with packet headers; what is looked for is plain text: TSDL, JSON. */
	static const char *const streams[] = { "stream {", "\"data-stream-class\"" };
	bool described = false;

	for (size_t i = 0; i < G_N_ELEMENTS(streams) && file && !described; i++)
		described = g_mapped_file_get_length(file) > 0 &&
			    memmem(g_mapped_file_get_contents(file), g_mapped_file_get_length(file),
				   streams[i], strlen(streams[i]));

	if (file)
		g_mapped_file_unref(file);
	g_free(path);
	return described;
}

/*
 * CTF 1.8, "Metadata packet": magic, UUID, checksum, then the content's and the packet's size in
 * bits, and five bytes more.
 */
#define METADATA_MAGIC               0x75d11d57u
#define METADATA_CONTENT_SIZE_OFFSET 24u
#define METADATA_PACKET_SIZE_OFFSET  28u
#define METADATA_HEADER_SIZE         37u

static bool is_packet_chain(const char *data, uint64_t size)
{
	for (uint64_t at = 0; at < size;) {
		uint32_t magic, content_bits, packet_bits;

		if (size - at < METADATA_HEADER_SIZE)
			return false;
		memcpy(&magic, data + at, sizeof(magic));
		memcpy(&content_bits, data + at + METADATA_CONTENT_SIZE_OFFSET, 4);
		memcpy(&packet_bits, data + at + METADATA_PACKET_SIZE_OFFSET, 4);
		if (magic != METADATA_MAGIC || content_bits > packet_bits ||
		    content_bits / 8 < METADATA_HEADER_SIZE || packet_bits / 8 > size - at)
			return false;
		at += packet_bits / 8;
	}
	return true;
}

/*
 * CTF 2, "Metadata stream": a JSON text sequence (RFC 7464). LTTng 2.16 ends its texts, which are
 * objects, with no line feed; it may follow.
 */
#define RECORD_SEPARATOR '\x1e'

static bool is_json_sequence(const char *data, uint64_t size)
{
	uint64_t end = size;

	if (size < 3 || data[0] != RECORD_SEPARATOR)
		return false;
	while (end) {
		const char *text = memrchr(data, RECORD_SEPARATOR, end);
		uint64_t last = end - 1;

		if (!text)
			return false;
		while (data + last > text && data[last] == '\n')
			last--;
		if (text + 1 >= data + last || text[1] != '{' || data[last] != '}')
			return false;
		end = (uint64_t)(text - data);
	}
	return true;
}

static bool starts_as_text(const char *data, uint64_t size)
{
	static const char plain_text[] = "/* CTF 1.8 */";

	return size > strlen(plain_text) && memcmp(data, plain_text, strlen(plain_text)) == 0;
}

bool trace_metadata_is_sound(const char *trace)
{
	char *path = g_build_filename(trace, "metadata", NULL);
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	const char *data = file ? g_mapped_file_get_contents(file) : NULL;
	uint64_t size = file ? g_mapped_file_get_length(file) : 0;
	bool sound = data && (starts_as_text(data, size) || is_packet_chain(data, size) ||
			      is_json_sequence(data, size));

	if (file)
		g_mapped_file_unref(file);
	g_free(path);
	return sound;
}

static bool stream_holds_events(const char *path)
{
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	const char *data = file ? g_mapped_file_get_contents(file) : NULL;
	uint64_t size = file ? g_mapped_file_get_length(file) : 0;
	uint64_t whole = data ? whole_packets(data, size) : 0;
	bool holds = whole < size;

	for (uint64_t at = 0; !holds && at < whole;) {
		struct packet_header header;

		memcpy(&header, data + at, sizeof(header));
		holds = header.content_bits > EMPTY_CONTENT_BITS;
		at += header.packet_bits / 8;
	}
	if (file)
		g_mapped_file_unref(file);
	return holds;
}

bool trace_holds_events(const char *trace)
{
	GDir *directory = g_dir_open(trace, 0, NULL);
	bool holds = false;
	const char *name;

	while (directory && !holds && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);

		holds = strcmp(name, "metadata") != 0 &&
			g_file_test(path, G_FILE_TEST_IS_REGULAR) && stream_holds_events(path);
		g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	return holds;
}

/* The first packet of a stream file began then, if there were others before it; else 0. */
static uint64_t stream_whole_since(const char *path)
{
	/* After the header's eight words comes the number of packets before this one. */
	uint64_t words[9] = { 0 };
	struct packet_header header = { 0 };
	FILE *file = fopen(path, "r");
	bool read = file && fread(words, sizeof(words), 1, file) == 1;

	if (file)
		fclose(file);
	memcpy(&header, words, sizeof(header));
	return read && header.magic == PACKET_MAGIC && words[8] ? words[4] : 0;
}

uint64_t trace_whole_since(const char *trace)
{
	GDir *directory = g_dir_open(trace, 0, NULL);
	uint64_t since = 0;
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);

		if (strcmp(name, "metadata") != 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR))
			since = MAX(since, stream_whole_since(path));
		g_free(path);
	}
	if (directory)
		g_dir_close(directory);
	return since;
}
