/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by name, for region_scope.h. */
#include "region_scope.h"

#include <dwarf.h>
#include <string.h>

/* A unit is searched no further, and its entries are nested no deeper. */
#define ENTRIES_MAX (1u << 20)
#define DEPTH_MAX   32u

/* Returns the declaration of an inlined call's function, in its class if it has one. */
static Dwarf_Die declaration(const Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin = *die;

	for (unsigned i = 0; i < 3; i++) {
		if (!dwarf_formref_die(dwarf_attr(&origin, DW_AT_abstract_origin, &attribute),
				       &origin))
			dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attribute),
					  &origin);
	}
	return origin;
}

/* Fills in name, file and unit. Returns false if the file is not known. */
static bool set_scope(Dwarf_Die *die, struct region_scope *scope)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin = declaration(die);
	Dwarf_Word file = 0;
	Dwarf_Files *files;
	size_t count;

	/* dwarf_decl_file() knows no file 0, which DWARF 5 has. */
	if (!dwarf_diecu(&origin, &scope->unit, NULL, NULL) ||
	    dwarf_formudata(dwarf_attr(&origin, DW_AT_decl_file, &attribute), &file) != 0 ||
	    dwarf_getsrcfiles(&scope->unit, &files, &count) != 0 || file >= count)
		return false;
	scope->name = dwarf_diename(&origin);
	scope->file = dwarf_filesrc(files, file, NULL, NULL);
	return scope->file != NULL;
}

/* Returns true if the function, or one that the compiler made of a part of it, has that name. */
static bool has_name(Dwarf_Die *die, const char *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin = declaration(die);
	const char *name = dwarf_formstring(dwarf_attr(&origin, DW_AT_linkage_name, &attribute));
	size_t length = strlen(function);

	name = name ? name : dwarf_diename(&origin);
	return name && strncmp(name, function, length) == 0 &&
	       (!name[length] || name[length] == '.');
}

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* Searches what lies below an entry, in order; *left counts down. */
static bool search(Dwarf_Die *parent, const char *function, unsigned depth, unsigned *left,
		   Dwarf_Die *found)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (!*left || !--*left)
			return false;
		if (tag == DW_TAG_subprogram && has_name(&die, function)) {
			*found = die;
			return true;
		}
		if (may_hold_functions(tag) && search(&die, function, depth + 1, left, found))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool region_scope_find(const GArray *calls, Dwarf_Die *unit, const char *function,
		       struct region_scope *scope)
{
	unsigned left = ENTRIES_MAX;
	Dwarf_Die found;

	for (unsigned i = 0; i < calls->len; i++) {
		Dwarf_Die *call = &g_array_index(calls, Dwarf_Die, i);

		scope->calls = i + 1;
		if (has_name(call, function))
			return set_scope(call, scope);
	}
	scope->calls = calls->len;
	return search(unit, function, 0, &left, &found) && set_scope(&found, scope);
}
