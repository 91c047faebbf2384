/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the members that a path leads through. */
#ifndef HIPGRAIN_ISA_MEMBERS_H
#define HIPGRAIN_ISA_MEMBERS_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "isa.h"

/*
 * Fill in path->member as far as the debug information has the types, from byte `offset` of the
 * parameter on. 0; -1 without memory.
 */
int members_name(Dwarf_Die *parameter, uint64_t offset, struct isa_path *path);

#endif
