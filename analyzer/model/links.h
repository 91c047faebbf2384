/* SPDX-License-Identifier: Apache-2.0 */
/* Published bandwidths of links (links.def). */
#ifndef HIPGRAIN_LINKS_H
#define HIPGRAIN_LINKS_H

struct model_speed {
	double bytes; /* in a second, in one direction, at most */
	const char *name, *sources;
};

/* Returns the speed of PCIe between the host and a processor; `arch` may be "". */
struct model_speed model_pcie(const char *arch);

#endif
