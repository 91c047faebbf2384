/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps what a scan prints of a code object in the cache, so that a second scan neither takes the
 * results apart nor writes them anew. For scans of all kernels; JSON without indentation.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_SCAN_KEPT_H
#define HIPGRAIN_ANALYZER_CMDS_SCAN_KEPT_H

#include <stdbool.h>
#include <stddef.h>

struct scan;
struct scan_item;

/* The results that matter beside the text. */
struct scan_counts {
	unsigned matched, incomplete; /* kernels */
	bool hw_fp_atomics;
};

struct scan_kept {
	struct scan_counts counts;
	const char *note; /* as in struct isa_code_object */
	const char *text; /* as it is printed; JSON: one element of an array */
	size_t size;
	void *data; /* the memory that holds both */
};

/*
 * Find the text of the code object of an item, whose hash may be set here, in any thread. The
 * caller frees; NULL if there is none.
 */
struct scan_kept *scan_kept_find(const struct scan *scan, struct scan_item *item);
void scan_kept_free(struct scan_kept *kept);

/* Print the analysed code object of an item, and keep the text if that is possible. */
void scan_kept_print(struct scan *scan, const struct scan_item *item,
		     const struct scan_counts *counts);

#endif
