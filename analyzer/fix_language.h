/* SPDX-License-Identifier: Apache-2.0 */
/* Write a call of a fix in the language of the source, for the release of HIP that the program has.
 */
#ifndef HIPGRAIN_FIX_LANGUAGE_H
#define HIPGRAIN_FIX_LANGUAGE_H

#include "analyzer/symbols/symbols.h"

enum source_language { LANGUAGE_CPP, LANGUAGE_C, LANGUAGE_FORTRAN, LANGUAGE_PYTHON };

/* Returns the language of a frame's source; C++ where that is not known, or `frame` is NULL. */
enum source_language fix_language(const struct source_frame *frame);

/*
 * Replaces FIX_DEVICE in *fix, and writes its call of hipMemAdvise, if any, so that it compiles:
 * with the headers of HIP 10.2 and later the call takes a hipMemLocation [CLR102]. The functions
 * that hipfort and HIP Python call by their names keep the number. `version`: as
 * hipRuntimeGetVersion() counts, 0 if it is unknown.
 */
void fix_advise_in(char **fix, enum source_language language, int version);

#endif
