/* SPDX-License-Identifier: Apache-2.0 */
/* These list the files of a bundle's directory that processes have left there. */
#ifndef HIPGRAIN_READER_SORTED_FILES_H
#define HIPGRAIN_READER_SORTED_FILES_H

#include <glib.h>

/* Returns the paths of all that is in `directory`, as below. */
GPtrArray *sorted_entries(const char *directory);

/*
 * Returns the paths of the regular files in `directory`, in the order of their names; none if it
 * cannot be read. Others are left out, as reading a pipe would not end. The caller frees the array
 * by g_ptr_array_free(, TRUE).
 */
GPtrArray *sorted_files(const char *directory);

#endif
