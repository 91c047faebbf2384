/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects analysed at the same time, and reported in the order in which they came. */
#ifndef HIPGRAIN_ANALYZER_CMDS_SCAN_QUEUE_H
#define HIPGRAIN_ANALYZER_CMDS_SCAN_QUEUE_H

#include "analyzer/isa/isa.h"
#include "codeobj/codeobj.h"

struct scan_kept;

struct scan_item {
	const void *elf; /* borrowed until it is reported */
	size_t size;
	char *target;                     /* the target that its container names, or NULL */
	char sha256[CODEOBJ_SHA256_SIZE]; /* of its bytes; "" if it is not known */
	/* Results of isa_analyze(). */
	struct isa_code_object *object;
	char *error;
	int status;
	struct scan_kept *kept; /* then there are no results, but what they are printed as */
	bool done;
};

struct scan_queue {
	struct isa_options options;
	unsigned jobs;
	/* Returns what was kept of the item, if that is enough, in any thread; NULL: nothing
	 * was. */
	struct scan_kept *(*recall)(const void *user, struct scan_item *item);
	void (*report)(void *user, struct scan_item *item);
	void *user;
	struct scan_item *item;
	size_t count, room;
	void **buffer; /* kept until the items are reported */
	size_t buffer_count, buffer_room, buffer_bytes;
};

/*
 * Set options, jobs, recall, report and user of a zeroed queue; then these. `target` and `sha256`
 * may be NULL and are copied. 0 or -ENOMEM.
 */
int scan_queue_add(struct scan_queue *queue, const void *elf, size_t size, const char *target,
		   const char *sha256);

/* Free `buffer` once everything added so far is reported; on -ENOMEM too. */
int scan_queue_keep(struct scan_queue *queue, void *buffer, size_t size);

/* Analyse and report what was added, and forget it. */
void scan_queue_flush(struct scan_queue *queue);

/* Called within report(): puts results in the place of what was kept of the item. */
void scan_queue_analyse(const struct scan_queue *queue, struct scan_item *item);

/* Frees the queue, after scan_queue_flush(). */
void scan_queue_free(struct scan_queue *queue);

#endif
