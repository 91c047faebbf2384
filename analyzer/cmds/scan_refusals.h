/* SPDX-License-Identifier: Apache-2.0 */
/* Why code objects of a file were not analysed: a line for each reason, however many there are. */
#ifndef HIPGRAIN_SCAN_REFUSALS_H
#define HIPGRAIN_SCAN_REFUSALS_H

#include <glib.h>

struct scan_refusals {
	GArray *rows; /* of struct refusal, in their order; NULL: none */
};

/* Notes one more code object that was refused for that reason, which is copied. */
void scan_refusals_add(struct scan_refusals *refusals, const char *reason);

/* Warn about them, of the file at `path`, and forget them. */
void scan_refusals_report(struct scan_refusals *refusals, const char *path);

#endif
