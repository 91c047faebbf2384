/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function of an OpenMP target region, in debug information. Compilers give the call of its
 * kernel no position, and so no scope either: it may seem to lie in what was inlined ahead of it.
 */
#ifndef HIPGRAIN_REGION_SCOPE_H
#define HIPGRAIN_REGION_SCOPE_H

#include <elfutils/libdw.h>
#include <glib.h>

struct region_scope {
	const char *name; /* of the function, borrowed from the debug information */
	const char *file; /* that declares it, likewise */
	Dwarf_Die unit;   /* the file's name counts from the folder of this unit */
	unsigned calls;   /* of those given, that the function's own frame replaces */
};

/*
 * Finds the function of that linker's name: among `calls` (as of scopes_calls()) at the address, or
 * else anywhere in `unit`, and then all of them are replaced. Returns false if it is not there.
 */
bool region_scope_find(const GArray *calls, Dwarf_Die *unit, const char *function,
		       struct region_scope *scope);

#endif
