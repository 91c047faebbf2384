/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units, functions and inlined calls of a file's debug information, by address.
 *
 * libdw walks through a unit for each question, which takes 10 ms and more where templates have
 * made the unit large. Here each unit is walked through once, when its first address is resolved.
 */
#ifndef HIPGRAIN_DEBUG_SCOPES_H
#define HIPGRAIN_DEBUG_SCOPES_H

#include <elfutils/libdwfl.h>
#include <glib.h>

struct scopes;

/* Borrows the module, which must live longer. Never NULL. */
struct scopes *scopes_new(Dwfl_Module *module);
void scopes_free(struct scopes *scopes);

/*
 * Returns the unit of an address, or NULL; borrowed from the module. `address` and `bias`: as those
 * of dwfl_module_addrdie(); the other addresses here are those of the debug information, which is
 * `address - bias`.
 */
Dwarf_Die *scopes_unit(struct scopes *scopes, Dwarf_Addr address, Dwarf_Addr *bias);

/*
 * The calls at an address of `unit`, which must be from scopes_unit(): Dwarf_Die of each
 * DW_TAG_inlined_subroutine from the innermost on, then the DW_TAG_subprogram that holds them;
 * empty if no function is there. The caller frees the array.
 */
GArray *scopes_calls(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address);

#endif
