/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a batch, each in full. */
#include "whole_records.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "launches.h"
#include "tracer/packed_record.h"

/* Bytes of the shortest packed record. */
#define LEAST 5u

/* What a batch consists of. */
struct survey {
	uint32_t words;  /* of whole records */
	uint32_t packed; /* bytes of packed ones */
	bool runs;       /* of packed records; may be empty */
	bool launches;
};

static enum hg_record kind_of(const uint64_t *record)
{
	return (enum hg_record)(record[0] >> 56);
}

/*
 * Words of the record there; 0: it is not whole, or not known. Where a process was killed, a run of
 * packed records may be the last record, and its length greater than what is left.
 */
static uint32_t step_at(const uint64_t *records, uint32_t at, uint32_t words)
{
	uint32_t step = hg_record_words(records[at]);

	if (kind_of(&records[at]) == HG_RECORD_PACKED)
		return MIN(step, words - at);
	return step <= words - at ? step : 0;
}

static struct survey survey(const uint64_t *records, uint32_t words)
{
	struct survey found = { 0 };
	uint32_t step;

	for (; found.words < words; found.words += step) {
		step = step_at(records, found.words, words);
		if (!step)
			break;
		if (kind_of(&records[found.words]) == HG_RECORD_PACKED) {
			found.runs = true;
			found.packed += (step - 1) * (uint32_t)sizeof(*records);
		}
		found.launches |= kind_of(&records[found.words]) == HG_RECORD_LAUNCH ||
				  kind_of(&records[found.words]) == HG_RECORD_LAUNCH_CHANGED;
	}
	return found;
}

/* The packed records of a run, at `out`; where they end. *damaged: what follows cannot be read. */
static uint64_t *unpack_run(const uint64_t *run, uint32_t words, struct hg_packed *packed,
			    uint64_t *out, bool *damaged)
{
	struct hg_packed_bytes bytes = { .at = (const unsigned char *)(run + 1),
					 .end = (const unsigned char *)(run + words) };
	uint32_t written;

	while ((written = hg_packed_read(&bytes, packed, out)))
		out += written;
	*damaged = bytes.damaged;
	return out;
}

static uint64_t *unpack(const uint64_t *records, const struct survey *found, uint32_t *words,
			bool *damaged)
{
	/* Each takes LEAST bytes at least, and becomes HG_RECORD_COPY_WORDS at most. */
	size_t most = found->words + (found->packed / LEAST + 1u) * (size_t)HG_RECORD_COPY_WORDS;
	uint64_t *copy = g_new(uint64_t, most), *out = copy;
	struct hg_packed packed = { 0 };
	bool broken = false;

	for (uint32_t at = 0, step; at < found->words && !broken; at += step) {
		step = step_at(records, at, found->words);
		if (kind_of(&records[at]) == HG_RECORD_PACKED) {
			out = unpack_run(&records[at], step, &packed, out, &broken);
		} else {
			memcpy(out, &records[at], step * sizeof(*out));
			out += step;
		}
	}
	*damaged |= broken;
	*words = (uint32_t)(out - copy);
	return copy;
}

uint64_t *whole_records(const uint64_t *records, uint32_t *words, bool *damaged)
{
	struct survey found = survey(records, *words);
	uint64_t *unpacked, *expanded;

	*damaged |= found.words < *words;
	if (!found.runs)
		return launches_expand(records, words);
	unpacked = unpack(records, &found, words, damaged);
	if (!found.launches)
		return unpacked;
	expanded = launches_expand(unpacked, words);
	g_free(unpacked);
	return expanded;
}
