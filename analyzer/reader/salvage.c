/* SPDX-License-Identifier: Apache-2.0 */
#include "salvage.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The start of every packet that LTTng-UST 2.x writes (its traces' metadata, packet.header and
 * packet.context): magic, UUID, stream id, stream instance id, first and last time stamp, then
 * the two sizes, in bits.
 */
#define PACKET_MAGIC       0xc1fc1fc1u
#define PACKET_SIZE_OFFSET 56u
#define PACKET_HEADER_SIZE 64u

/* Bytes of the whole packets at the start of a stream file. */
static uint64_t whole_packets(const char *data, uint64_t size)
{
	uint64_t at = 0;

	while (size - at >= PACKET_HEADER_SIZE) {
		uint32_t magic;
		uint64_t bits;

		memcpy(&magic, data + at, sizeof(magic));
		memcpy(&bits, data + at + PACKET_SIZE_OFFSET, sizeof(bits));
		if (magic != PACKET_MAGIC || bits / 8 < PACKET_HEADER_SIZE ||
		    bits / 8 > size - at) {
			break;
		}
		at += bits / 8;
	}
	return at;
}

/* Show one file in the folder: the file itself, or what is whole of it. Bytes left out, or -1. */
static gint64 show_file(const char *trace, const char *folder, const char *name)
{
	char *source = g_build_filename(trace, name, NULL);
	char *target = g_build_filename(folder, name, NULL);
	char *absolute = g_canonicalize_filename(source, NULL);
	GMappedFile *file = NULL;
	gint64 left_out = 0;
	uint64_t size, whole;

	if (strcmp(name, "metadata") != 0) {
		file = g_mapped_file_new(source, FALSE, NULL);
	}
	size = file ? g_mapped_file_get_length(file) : 0;
	whole = file && size ? whole_packets(g_mapped_file_get_contents(file), size) : 0;
	if (whole == size) {
		left_out = symlink(absolute, target) == 0 ? 0 : -1;
	} else {
		left_out = (gint64)(size - whole);
		/* A stream file without any packet is left out altogether. */
		if (whole && !g_file_set_contents(target, g_mapped_file_get_contents(file),
						  (gssize)whole, NULL)) {
			left_out = -1;
		}
	}
	if (file) {
		g_mapped_file_unref(file);
	}
	g_free(absolute);
	g_free(target);
	g_free(source);
	return left_out;
}

char *salvage_trace(const char *trace, char **what)
{
	GDir *directory = g_dir_open(trace, 0, NULL);
	char *folder = g_dir_make_tmp("hipgrain-salvage-XXXXXX", NULL);
	gint64 total = 0;
	unsigned files = 0;
	const char *name;

	while (directory && folder && total >= 0 && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);
		/* Index files name packets that may be gone: the reader does without them. */
		bool is_stream = g_file_test(path, G_FILE_TEST_IS_REGULAR);
		gint64 left_out = is_stream ? show_file(trace, folder, name) : 0;

		g_free(path);
		files += left_out > 0;
		total = left_out < 0 ? -1 : total + left_out;
	}
	if (directory) {
		g_dir_close(directory);
	}
	if (folder && total <= 0) {
		salvage_remove(folder);
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

void salvage_remove(char *folder)
{
	GDir *directory = folder ? g_dir_open(folder, 0, NULL) : NULL;
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL) {
		char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
		g_free(path);
	}
	if (directory) {
		g_dir_close(directory);
	}
	if (folder) {
		g_rmdir(folder);
	}
	g_free(folder);
}
