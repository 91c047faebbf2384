/* SPDX-License-Identifier: Apache-2.0 */
/* The verb export: a trace for Perfetto. */
#ifndef HIPGRAIN_CMDS_EXPORT_PERFETTO_H
#define HIPGRAIN_CMDS_EXPORT_PERFETTO_H

/*
 * Writes the recording `path` into a new file: its events one after the other, so that memory does
 * not grow with them, and its findings. Returns an exit status, after a message if that is not
 * HG_EXIT_OK; then there is no file.
 */
int export_perfetto(const char *file, const char *path);

#endif
