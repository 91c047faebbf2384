/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the probe's kernels (probe.hip) and the host that launches them
 * (analyzer/probe). */
#ifndef HIPGRAIN_PROBE_LAYOUT_H
#define HIPGRAIN_PROBE_LAYOUT_H

#define PROBE_ITEMS 64   /* work-items of a launch: `n` of operations.def */
#define PROBE_GROUP 16   /* work-items of a work-group */
#define PROBE_TRIES 4096 /* of a compare-and-swap, until it gives up */

#endif
