/* SPDX-License-Identifier: Apache-2.0 */
/* amd_comgr where it is not linked but looked for: load.c. */
#ifndef HIPGRAIN_COMGR_LOAD_H
#define HIPGRAIN_COMGR_LOAD_H

/* Try this file first, which must stay the caller's until then: call it before any other function
 * of amd_comgr. NULL: none. */
void comgr_prefer(const char *path);

/* The library's file; NULL: this machine has none. Lives as long as the process. */
const char *comgr_path(void);

#endif
