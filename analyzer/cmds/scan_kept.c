/* SPDX-License-Identifier: Apache-2.0 */
/* Printed results of code objects, and the cache. */
#include "analyzer/cmds/scan_kept.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cache/cache.h"
#include "analyzer/cmds/scan.h"
#include "analyzer/containers/containers.h"
#include "analyzer/isa/cached_analysis.h"

/* The head of an entry; the note and the text follow. */
struct head {
	uint32_t matched, incomplete, hw_fp_atomics;
	uint32_t note_size; /* with the end of the text; 0: there is none */
};

/* Returns true if this scan prints what every scan of its kind prints: of all kernels, JSON without
 * indentation. */
static bool is_kept(const struct scan *scan)
{
	return !scan->kernel && !(scan->json && scan->stream.indent);
}

/* Returns true if results of that code object can be kept, and begins with the name of `kept`. */
static bool can_keep(const struct scan *scan, const struct scan_item *item, struct kept *kept)
{
	return is_kept(scan) && kept_begin(kept, item->elf, item->size, &scan->queue.options);
}

/* Stores the name, in the cache, of what this scan prints of the code object. */
static bool name_of(const struct scan *scan, const struct kept *kept, const char *sha256,
		    struct cache_name *name)
{
	return *sha256 &&
	       cache_name(name, scan->json ? "scan" : "scan as text", sha256, kept->disassembler,
			  scan->all ? "all" : "atomics", scan->runtime ? "runtime" : "", NULL);
}

struct scan_kept *scan_kept_find(const struct scan *scan, struct scan_item *item)
{
	struct scan_kept *kept = NULL;
	struct cache_name name;
	struct kept analysed;
	struct head head;
	size_t size = 0;
	uint8_t *data;

	/* First: what is of no known processor need not be hashed. */
	if (!can_keep(scan, item, &analysed))
		return NULL;
	if (!*item->sha256 && containers_sha256(item->elf, item->size, item->sha256)) {
		*item->sha256 = 0;
		return NULL;
	}
	data = name_of(scan, &analysed, item->sha256, &name) ? cache_get(&name, &size) : NULL;
	if (data && size > sizeof(head)) {
		memcpy(&head, data, sizeof(head));
		if (head.note_size < size - sizeof(head) &&
		    (!head.note_size || !data[sizeof(head) + head.note_size - 1]))
			kept = calloc(1, sizeof(*kept));
	}
	if (!kept) {
		free(data);
		return NULL;
	}
	kept->counts = (struct scan_counts){ head.matched, head.incomplete, head.hw_fp_atomics };
	kept->data = data;
	kept->note = head.note_size ? (const char *)data + sizeof(head) : NULL;
	kept->text = (const char *)data + sizeof(head) + head.note_size;
	kept->size = size - sizeof(head) - head.note_size;
	return kept;
}

void scan_kept_free(struct scan_kept *kept)
{
	if (kept)
		free(kept->data);
	free(kept);
}

/* Writes the head into the file that is open for an entry. */
static void write_head(FILE *file, const struct isa_code_object *object,
		       const struct scan_counts *counts)
{
	struct head head = { .matched = counts->matched,
			     .incomplete = counts->incomplete,
			     .hw_fp_atomics = counts->hw_fp_atomics };

	head.note_size = object->note ? (uint32_t)strlen(object->note) + 1 : 0;
	fwrite(&head, sizeof(head), 1, file);
	if (object->note)
		fwrite(object->note, head.note_size, 1, file);
}

static void print(struct scan *scan, const struct scan_item *item)
{
	if (scan->json)
		scan_print_json(scan, item->object, item->elf, item->size);
	else
		scan_print_text(scan, item->object, item->elf, item->size);
}

/* Print to memory; false if what is printed begins with the comma of a JSON array. */
static bool print_to(FILE *memory, struct scan *scan, const struct scan_item *item)
{
	FILE *file = scan->out;
	bool first = !scan->json || json_stream_divert(&scan->stream, memory);

	scan->out = memory;
	print(scan, item);
	scan->out = file;
	if (scan->json)
		json_stream_divert(&scan->stream, file);
	return first;
}

void scan_kept_print(struct scan *scan, const struct scan_item *item,
		     const struct scan_counts *counts)
{
	const struct isa_code_object *object = item->object;
	struct cache_name name;
	struct kept kept;
	FILE *memory = NULL;
	char *text = NULL;
	size_t size = 0, begin;
	bool first;

	/* Text that comes from containers and names of files is not the code object's own. */
	if (object->lasting && !object->debug_problem && !scan->disagreement_count &&
	    can_keep(scan, item, &kept) && name_of(scan, &kept, object->sha256, &name))
		memory = open_memstream(&text, &size);
	if (!memory) {
		print(scan, item);
		return;
	}
	write_head(memory, object, counts);
	fflush(memory);
	begin = size;
	first = print_to(memory, scan, item);
	if (fclose(memory) == 0) {
		fwrite(text + begin, 1, size - begin, scan->out);
		if (!first)
			memmove(text + begin, text + begin + 1, --size - begin);
		cache_put(&name, text, size);
	} else {
		scan_bad(scan, "out of memory");
	}
	free(text);
}
