/* SPDX-License-Identifier: Apache-2.0 */
/* Global wave sync: barriers and semaphores of a whole launch. */
#ifndef SOFTGPU_GWS_H
#define SOFTGPU_GWS_H

#include "interp.h"

/* May a wave that stopped with SG_GWS go on? */
bool sg_gws_ready(const struct sg_wave *wave);

#endif
