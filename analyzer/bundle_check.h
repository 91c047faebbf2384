/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the files of a bundle can be read safely. In another user's bundle, reading a FIFO
 * would block for ever, reading a device may have an effect, and a sparse file of many gigabytes
 * would fill the memory.
 */
#ifndef HIPGRAIN_ANALYZER_BUNDLE_CHECK_H
#define HIPGRAIN_ANALYZER_BUNDLE_CHECK_H

/*
 * Look at all files of the bundle, or directory of traces, at `path` that are read later: regular
 * files of a sensible size, and directories. Nothing is opened but directories. 0, or -EINVAL with
 * one line in *error, which the caller frees by free(). Whether there is a bundle is not checked.
 */
int bundle_check(const char *path, char **error);

#endif
