/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the processors that the device code of a file is for. */
#ifndef HIPGRAIN_FILE_TARGETS_H
#define HIPGRAIN_FILE_TARGETS_H

#include <glib.h>
#include <stdbool.h>

/*
 * Returns the distinct target ids ("gfx90a:xnack+") of all code objects in the file. Returns NULL
 * if that is uncertain: the file cannot be read, holds none, or holds SPIR-V, which runs on
 * processors that it does not name. The caller unrefs the array of char *.
 */
GPtrArray *file_targets(const char *path);

/* Returns true if some of this code runs on a processor. */
bool file_targets_match(const GPtrArray *targets, const char *processor);

/* Returns "gfx906, gfx90a". The caller frees it. */
char *file_targets_text(const GPtrArray *targets);

#endif
