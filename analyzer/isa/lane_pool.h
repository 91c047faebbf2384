/* SPDX-License-Identifier: Apache-2.0 */
/* Lane files (lane_file.h) that were released, for the next ones of the same program. */
#ifndef HIPGRAIN_ISA_LANE_POOL_H
#define HIPGRAIN_ISA_LANE_POOL_H

struct lane_file;

struct lane_pool {
	struct lane_file *released;
};

/* After all files of the pool were released. */
void lane_pool_free(struct lane_pool *pool);

#endif
