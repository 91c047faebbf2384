/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about memory that is not released share this. */
#ifndef HIPGRAIN_RULES_LEAKS_H
#define HIPGRAIN_RULES_LEAKS_H

/* Returns the name of the function that releases memory which `api` allocated. */
const char *release_of(unsigned api);

#endif
