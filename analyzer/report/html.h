/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report of a JSON report, which may be that of several recordings. */
#ifndef HIPGRAIN_REPORT_HTML_H
#define HIPGRAIN_REPORT_HTML_H

#include <stdio.h>

struct json_object;

/*
 * `views` is an array of view_object() (view.h), one a recording; null for one that has none. Both
 * stay the caller's. Returns 0 or a negative errno.
 */
int html_write(struct json_object *report, struct json_object *views, FILE *stream);

#endif
