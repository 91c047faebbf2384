/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches read past libbabeltrace2, which makes an object of each word of a batch: nearly all that
 * reading a trace would take. A temporary copy of the trace has a reference in the place of each
 * batch's records, so that libbabeltrace2 reads everything but these, and they are fetched from the
 * trace itself by the reference.
 */
#ifndef HIPGRAIN_READER_SHORT_BATCHES_H
#define HIPGRAIN_READER_SHORT_BATCHES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct short_batches;

struct short_batches *short_batches_new(void); /* never NULL */
void short_batches_free(struct short_batches *batches);

/*
 * A temporary directory that is such a copy of the trace in directory `trace`; temporary_remove()
 * it. NULL where the trace has few records in batches, is not whole, its metadata is not what is
 * understood (layout.h), or no copy can be made: then libbabeltrace2 is to read the trace itself.
 */
char *short_batches_copy(struct short_batches *batches, const char *trace);

/*
 * The records of a batch, 64-bit words, as libbabeltrace2 read them: if they are a reference, they
 * are replaced by what it refers to. False if that cannot be read any more; then there are none.
 */
bool short_batches_fetch(struct short_batches *batches, GArray *words);

#endif
