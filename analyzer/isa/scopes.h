/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks and inlined functions of a function, by address. libdw reads every entry before the one
 * that is wanted, each time; the entries of one function are read once here.
 */
#ifndef HIPGRAIN_ISA_SCOPES_H
#define HIPGRAIN_ISA_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scopes {
	const void *function; /* the entry whose scopes are kept */
	struct scope_parent *parent;
	size_t count, room;
};

/* Forgets scopes of another function; `scopes` is zeroed before. */
void scopes_enter(struct scopes *scopes, const Dwarf_Die *function);
/* Finds the first child of a scope that holds `pc`. Returns false if none does. */
bool scopes_child(struct scopes *scopes, Dwarf_Die *parent, uint64_t pc, Dwarf_Die *child);
void scopes_clear(struct scopes *scopes);

#endif
