/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a probe for later analyses of recordings of this machine. */
#ifndef HIPGRAIN_PROBE_KEEP_PROBE_H
#define HIPGRAIN_PROBE_KEEP_PROBE_H

#include "probe.h"

/*
 * Write the probe, as JSON, to the directory machine_probe_directory(), replacing an older one of
 * the same machine, driver and runtime. Returns the path (the caller frees); or NULL, with one line
 * in *why (likewise).
 */
char *probe_keep(const struct probe *probe, bool softgpu, char **why);

#endif
