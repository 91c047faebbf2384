/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a bundle's directory that processes have left there. */
#ifndef HIPGRAIN_READER_SORTED_FILES_H
#define HIPGRAIN_READER_SORTED_FILES_H

#include <glib.h>

/* The paths of all that is in `directory`, likewise. */
GPtrArray *sorted_entries(const char *directory);

/*
 * The paths of the regular files in `directory`, in the order of their names; none if it cannot be
 * read. Others are left out, as reading a pipe would not end. To be freed by g_ptr_array_free(,
 * TRUE).
 */
GPtrArray *sorted_files(const char *directory);

#endif
