/* SPDX-License-Identifier: Apache-2.0 */
/* The preload library carries this mark, and the recorder looks for it in its file: both must be of
 * one version. */
#ifndef HIPGRAIN_TRACER_BUILD_MARK_H
#define HIPGRAIN_TRACER_BUILD_MARK_H

#include "tracer/provider.h"

#define HG_MARK_TEXT_(number) #number
#define HG_MARK_TEXT(number)  HG_MARK_TEXT_(number)

/* This is used in files for which HIPGRAIN_VERSION, the release, is defined. */
#define HG_BUILD_MARK_BEGIN "hipgrain-build:"
#define HG_BUILD_MARK       HG_BUILD_MARK_BEGIN HIPGRAIN_VERSION ":" HG_MARK_TEXT(HG_PROVIDER_NUMBER)

#endif
