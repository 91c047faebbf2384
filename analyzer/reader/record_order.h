/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This passes on records of all processes in the order in which they happened, although they come
 * by pages, and late. Items that come beside them are held back until their time.
 */
#ifndef HIPGRAIN_READER_RECORD_ORDER_H
#define HIPGRAIN_READER_RECORD_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runs.h"

/* These take what was held back, when its turn has come. */
struct order_calls {
	void (*item)(void *item, void *data); /* the item is the callee's from then on */
	void (*record)(const struct order_record *record, void *data);
};

struct event_order;

struct event_order *order_new(const struct order_calls *calls, void *data);
/* Frees it. Nothing may be held back any more: order_end() was called. */
void order_free(struct event_order *order);

/* Returns true if `item`, of that process at `ns`, is held back. Items come in the order of time.
 */
bool order_hold(struct event_order *order, int32_t pid, int64_t ns, void *item);

/* Says that records of that process are to come, maybe of another program in it. */
void order_expect(struct event_order *order, int32_t pid);

/* The run of a page of that process has new records. */
void order_run(struct event_order *order, int32_t pid, struct record_run *run);

/*
 * Leaves out, from now on, records that come behind later ones: of a trace whose beginning was
 * deleted they may be older than the state that it begins with.
 */
void order_drop_late(struct event_order *order);

/*
 * Says that all of the process's records up to that moment were added. Records are passed on up to
 * the least of such moments of all processes that have records. INT64_MAX: nothing follows, except
 * maybe of another program in that process.
 */
void order_reach(struct event_order *order, int32_t pid, int64_t ns);

/* Passes on everything: nothing follows. */
void order_end(struct event_order *order);

#endif
