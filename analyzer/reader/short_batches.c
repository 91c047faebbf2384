/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of traces without the records of batches, and these records. */
#include "short_batches.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "layout.h"
#include "packet.h"
#include "temporary.h"

#define PACKET_MOST (64u << 20) /* bytes */
#define OPEN_FILES  16u
/* So many bytes are copied before it is judged whether batches make most of the trace. */
#define TRIAL_BYTES (4u << 20)

/* What the copy has in the place of a batch's records. */
struct reference {
	uint64_t mark; /* a random number: no trace can have been made to look like one */
	uint32_t file; /* number in `files` */
	uint32_t words;
	uint64_t offset; /* bytes */
};
#define REFERENCE_WORDS (sizeof(struct reference) / sizeof(uint64_t))

struct short_batches {
	uint64_t mark;
	GPtrArray *files; /* paths of stream files */
	struct {
		uint32_t file;
		int descriptor; /* -1: none */
	} open[OPEN_FILES];
};

struct short_batches *short_batches_new(void)
{
	struct short_batches *batches = g_new0(struct short_batches, 1);

	batches->files = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < OPEN_FILES; i++)
		batches->open[i].descriptor = -1;
	if (getrandom(&batches->mark, sizeof(batches->mark), 0) != sizeof(batches->mark))
		batches->mark = 0; /* no copies */
	return batches;
}

void short_batches_free(struct short_batches *batches)
{
	for (unsigned i = 0; i < OPEN_FILES; i++)
		if (batches->open[i].descriptor >= 0)
			close(batches->open[i].descriptor);
	g_ptr_array_free(batches->files, TRUE);
	g_free(batches);
}

/* ---- making a copy ---- */

struct copy {
	struct short_batches *batches;
	const struct layout *layout;
	GByteArray *packet; /* as it is */
	GByteArray *out;    /* as it becomes */
	uint64_t read, written;
};

/* The packet at hand, which lies at `offset` of its file, without records. False: it is not as it
 * should be. */
static bool shorten(struct copy *copy, uint64_t offset)
{
	const uint8_t *data = copy->packet->data;
	struct packet_header header;
	const struct layout_stream *stream;
	size_t at = LAYOUT_PACKET_HEAD, copied = 0, size, next, records;

	memcpy(&header, data, sizeof(header));
	size = header.content_bits / 8;
	stream = layout_stream(copy->layout, header.stream);
	if (!stream || header.content_bits % 8 || size < at ||
	    header.content_bits > header.packet_bits)
		return false;
	g_byte_array_set_size(copy->out, 0);
	for (; at < size; at = next) {
		struct reference reference = { copy->batches->mark, copy->batches->files->len - 1,
					       0, 0 };
		uint16_t words;

		next = layout_skip(stream, data, at, size, &records);
		if (!next)
			return false;
		if (!records || next - records - sizeof(words) <= sizeof(reference))
			continue;
		reference.words = (uint32_t)((next - records) / sizeof(uint64_t));
		reference.offset = offset + records + sizeof(words);
		words = REFERENCE_WORDS;
		g_byte_array_append(copy->out, data + copied, (guint)(records - copied));
		g_byte_array_append(copy->out, (const guint8 *)&words, sizeof(words));
		g_byte_array_append(copy->out, (const guint8 *)&reference, sizeof(reference));
		copied = next;
	}
	g_byte_array_append(copy->out, data + copied, (guint)(size - copied));
	header.packet_bits = header.content_bits = (uint64_t)copy->out->len * 8;
	memcpy(copy->out->data, &header, sizeof(header));
	return true;
}

static bool read_packet(struct copy *copy, int from, uint64_t offset, uint64_t left)
{
	struct packet_header header;
	guint size;

	if (left < LAYOUT_PACKET_HEAD ||
	    pread(from, &header, sizeof(header), (off_t)offset) != sizeof(header) ||
	    !packet_is_whole(&header, left) || header.packet_bits / 8 > PACKET_MOST ||
	    header.packet_bits / 8 < LAYOUT_PACKET_HEAD)
		return false;
	size = (guint)(header.packet_bits / 8);
	g_byte_array_set_size(copy->packet, size);
	return pread(from, copy->packet->data, size, (off_t)offset) == (ssize_t)size &&
	       memcmp(copy->packet->data, &header, sizeof(header)) == 0;
}

static bool is_worth_it(const struct copy *copy)
{
	return copy->written <= copy->read / 2;
}

static bool copy_packets(struct copy *copy, int from, FILE *to)
{
	off_t end = lseek(from, 0, SEEK_END);
	uint64_t size = end > 0 ? (uint64_t)end : 0;

	for (uint64_t at = 0; at < size; at += copy->packet->len) {
		if (!read_packet(copy, from, at, size - at) || !shorten(copy, at) ||
		    fwrite(copy->out->data, 1, copy->out->len, to) != copy->out->len)
			return false;
		copy->read += copy->packet->len;
		copy->written += copy->out->len;
		if (copy->written > TRIAL_BYTES && !is_worth_it(copy))
			return false;
	}
	return end >= 0;
}

static bool copy_stream(struct copy *copy, const char *source, const char *target)
{
	int from = open(source, O_RDONLY | O_CLOEXEC);
	FILE *to = fopen(target, "wxe");
	bool good = from >= 0 && to;

	g_ptr_array_add(copy->batches->files, g_strdup(source));
	good = good && copy_packets(copy, from, to);
	if (to && fclose(to) != 0)
		good = false;
	if (from >= 0)
		close(from);
	return good;
}

static bool copy_file(struct copy *copy, const char *trace, const char *folder, const char *name)
{
	char *source = g_build_filename(trace, name, NULL);
	char *target = g_build_filename(folder, name, NULL);
	char *absolute = g_canonicalize_filename(source, NULL);
	bool good = true;

	if (strcmp(name, "metadata") == 0)
		good = symlink(absolute, target) == 0;
	else if (g_file_test(
		     source,
		     G_FILE_TEST_IS_REGULAR)) /* not the index, of the packets as they were */
		good = copy_stream(copy, absolute, target);
	g_free(absolute);
	g_free(target);
	g_free(source);
	return good;
}

char *short_batches_copy(struct short_batches *batches, const char *trace)
{
	struct layout *layout = batches->mark ? layout_read(trace) : NULL;
	struct copy copy = { .batches = batches, .layout = layout };
	GDir *directory = layout ? g_dir_open(trace, 0, NULL) : NULL;
	char *folder = directory ? temporary_make("reading") : NULL;
	bool good = folder;
	const char *name;

	copy.packet = g_byte_array_new();
	copy.out = g_byte_array_new();
	while (good && (name = g_dir_read_name(directory)) != NULL)
		good = copy_file(&copy, trace, folder, name);
	if (folder && !(good && is_worth_it(&copy)))
		g_clear_pointer(&folder, temporary_remove);
	g_byte_array_free(copy.out, TRUE);
	g_byte_array_free(copy.packet, TRUE);
	if (directory)
		g_dir_close(directory);
	layout_free(layout);
	return folder;
}

/* ---- fetching records ---- */

static int descriptor_of(struct short_batches *batches, uint32_t file)
{
	unsigned slot = file % OPEN_FILES;

	if (batches->open[slot].descriptor >= 0 && batches->open[slot].file == file)
		return batches->open[slot].descriptor;
	if (batches->open[slot].descriptor >= 0)
		close(batches->open[slot].descriptor);
	batches->open[slot].file = file;
	batches->open[slot].descriptor =
	    file < batches->files->len ? open(batches->files->pdata[file], O_RDONLY | O_CLOEXEC)
				       : -1;
	return batches->open[slot].descriptor;
}

bool short_batches_fetch(struct short_batches *batches, GArray *words)
{
	struct reference reference;
	int descriptor;
	size_t size;

	if (words->len != REFERENCE_WORDS)
		return true;
	memcpy(&reference, words->data, sizeof(reference));
	if (!batches->mark || reference.mark != batches->mark)
		return true;
	descriptor = descriptor_of(batches, reference.file);
	g_array_set_size(words, reference.words);
	size = reference.words * sizeof(uint64_t);
	if (descriptor >= 0 &&
	    pread(descriptor, words->data, size, (off_t)reference.offset) == (ssize_t)size)
		return true;
	g_array_set_size(words, 0);
	return false;
}
