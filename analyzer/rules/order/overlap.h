/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells if two uses of memory touch the same bytes.
 *
 * What a kernel accesses from a pointer is known as far as the work-item's number, the arguments
 * and the launch's size decide it (isa_reached()): there may be more. Two kernels in two streams
 * that work on two parts of one array are right, and where that is not known distinguished from a
 * race only by what chooses the part, and by how much they use:
 *  - ranges of two copies or fills overlap or not: proven;
 *  - what is known of a kernel overlaps what is known of the other, or a copy or fill: likely;
 *  - a copy or fill of the whole allocation meets whatever a kernel does in it: likely;
 *  - two kernels, or one twice, from the same pointer, whose scalars are equal too: possible;
 *  - from the same pointer, with so many work-items that there is no room for two parts: possible;
 *  - everything else is no finding.
 */
#ifndef HIPGRAIN_RULES_OVERLAP_H
#define HIPGRAIN_RULES_OVERLAP_H

#include "access_history.h"

#define ACCESS_CHANGES (ACCESS_WRITE | ACCESS_ATOMIC)

/*
 * Returns the confidence that both touch the same bytes, and in *doubt why it is not proven, a
 * constant, or NULL. Returns -1 if it is not known.
 */
int uses_overlap(const struct allocation *allocation, const struct use *a, const struct use *b,
		 const char **doubt);
bool uses_are_atomic(const struct use *a, const struct use *b);
/*
 * Returns true for atomics of two devices that meet in memory which is coherent within each of
 * them only.
 */
bool uses_are_split_atomics(const struct use *a, const struct use *b, const struct grain *grain);

#endif
