/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of a rotated recording, in order. */
#include "chunks.h"

#include <string.h>

#include "tracer/rotation.h"

struct place {
	char *trace;    /* the part of the path that all its chunks share */
	guint64 number; /* of the chunk; the largest for the one that is not finished */
};

/* CHUNK ends in "-NUMBER". */
static struct place place_of(const char *path)
{
	static const char folder[] = "/" ROTATION_ARCHIVES "/";
	const char *archives = g_strrstr(path, folder);
	const char *chunk = archives ? archives + strlen(folder) : NULL;
	const char *rest = chunk ? strchr(chunk, '/') : NULL;
	const char *number = rest ? g_strrstr_len(chunk, rest - chunk, "-") : NULL;
	struct place place = { NULL, G_MAXUINT64 };
	char *end = NULL;

	if (number)
		place.number = g_ascii_strtoull(number + 1, &end, 10);
	if (number && end == rest && end > number + 1) {
		place.trace = g_strdup_printf("%.*s%s", (int)(archives - path), path, rest);
	} else {
		place.number = G_MAXUINT64;
		place.trace = g_strdup(path);
	}
	return place;
}

static gint compare_chunks(gconstpointer a, gconstpointer b)
{
	const char *one = *(char *const *)a, *other = *(char *const *)b;
	struct place place = place_of(one), another = place_of(other);
	int order = strcmp(place.trace, another.trace);

	order = order ? order : (place.number > another.number) - (place.number < another.number);
	g_free(place.trace);
	g_free(another.trace);
	return order ? order : strcmp(one, other);
}

void chunks_sort(GPtrArray *traces)
{
	g_ptr_array_sort(traces, compare_chunks);
}

bool chunk_continues(const GPtrArray *traces, unsigned index)
{
	struct place before, place;
	bool same;

	if (!index)
		return false;
	before = place_of(traces->pdata[index - 1]);
	place = place_of(traces->pdata[index]);
	same = before.number != G_MAXUINT64 && strcmp(before.trace, place.trace) == 0;
	g_free(before.trace);
	g_free(place.trace);
	return same;
}
