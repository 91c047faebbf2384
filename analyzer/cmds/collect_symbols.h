/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the symbols of a recording that has ended in its bundle
 * (analyzer/symbols/bundle_symbols.h). */
#ifndef HIPGRAIN_ANALYZER_CMDS_COLLECT_SYMBOLS_H
#define HIPGRAIN_ANALYZER_CMDS_COLLECT_SYMBOLS_H

#include <stdbool.h>

/*
 * Finds functions and lines of all call stacks of the bundle in directory `bundle`, and hash and
 * time of the source files that they and its code objects name; with `sources` the bundle gets
 * their contents, too, unless a process hid values of kernels' arguments. Stops looking after
 * KEEP_SECONDS: reports find the rest. Returns 0 or a negative errno; then the bundle keeps
 * nothing.
 */
#define KEEP_SECONDS 30
int keep_symbols(const char *bundle, bool sources);

#endif
