/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which release of HIP a user means, as far as the tables of the model tell releases apart.
 */
#ifndef HIPGRAIN_RELEASES_H
#define HIPGRAIN_RELEASES_H

/*
 * Returns what hipRuntimeGetVersion says in the release "7.2" or "7.2.4", or in HIP's own number
 * "6.1.40093". Returns 0 for a release that is not in the table, and -1 for "6.1" where its patches
 * differ and none is named.
 */
int model_release(const char *text);

#endif
