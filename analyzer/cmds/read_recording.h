/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording for verbs that do not analyse them. */
#ifndef HIPGRAIN_CMDS_READ_RECORDING_H
#define HIPGRAIN_CMDS_READ_RECORDING_H

#include "analyzer/reader/reader.h"

/*
 * Hands each event of `path`, a bundle or a directory of traces, to the callback, as read_trace()
 * does; on standard error, writes what is missing of a recording that is not complete, or why it
 * cannot be read. Returns HG_EXIT_OK or HG_EXIT_INPUT. The caller frees what `stats` holds
 * (reader_stats_clear()).
 */
int read_recording(const char *path, reader_callback callback, void *data,
		   struct reader_stats *stats);

#endif
