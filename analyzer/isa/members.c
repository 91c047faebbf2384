/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the members that a path leads through, by the types in debug information. */
#include "members.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/text.h"

#define NESTED 8u /* structs in structs */

/* The type of a parameter, member or pointer, without names and qualifiers; false if it has none.
 */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type) && !dwarf_peel_type(type, type);
}

static bool is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static bool is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* Finds the member, or base class, in which byte *offset of a struct lies; *offset: within that. */
static bool find_member(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member)
{
	Dwarf_Die child, its_type;
	bool more = !dwarf_child(type, &child);

	for (; more; more = !dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute attribute;
		Dwarf_Word start = 0, size;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !dwarf_attr(&child, DW_AT_data_member_location, &attribute) ||
		    dwarf_formudata(&attribute, &start) || !type_of(&child, &its_type) ||
		    dwarf_aggregate_size(&its_type, &size) || *offset < start ||
		    *offset - start >= size)
			continue;
		*offset -= start;
		*member = child;
		return true;
	}
	return false;
}

/*
 * Finds what lies at a byte of a type: *type becomes its type, and `name` the members on the way,
 * joined by dots. Returns false if that is not known.
 */
static bool descend(Dwarf_Die *type, uint64_t offset, char *name, size_t room)
{
	Dwarf_Die member;
	size_t length = 0;

	name[0] = 0;
	for (unsigned depth = 0; depth < NESTED; depth++) {
		const char *own;

		while (dwarf_tag(type) == DW_TAG_array_type) {
			Dwarf_Word size;

			if (!type_of(type, type) || dwarf_aggregate_size(type, &size) || !size)
				return false;
			offset %= size;
		}
		if (!is_struct(type))
			return offset == 0;
		if (!find_member(type, &offset, &member))
			return false;
		own = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
		if (own && length + strlen(own) + 2 < room) {
			if (length)
				name[length++] = '.';
			strcpy(name + length, own);
			length += strlen(own);
		}
		if (!type_of(&member, type))
			return false;
	}
	return false;
}

/* Returns true if all that differs by the stride is the same member of the structs in an array. */
static bool is_element(Dwarf_Die *type, const struct isa_step *step, uint64_t *offset)
{
	Dwarf_Word size;

	if (!step->stride || !is_struct(type) || dwarf_aggregate_size(type, &size) || !size ||
	    step->stride % size)
		return false;
	*offset = (uint64_t)step->offset % size;
	return true;
}

int members_name(Dwarf_Die *parameter, uint64_t offset, struct isa_path *path)
{
	char name[256];
	Dwarf_Die type;

	if (!type_of(parameter, &type) || !descend(&type, offset, name, sizeof(name)))
		return 0;
	for (unsigned i = 0; i < path->step_count; i++) {
		const struct isa_step *step = &path->step[i];
		uint64_t at = (uint64_t)step->offset;

		if (!is_pointer(&type) || !type_of(&type, &type) || step->repeats)
			return 0;
		if (!step->exact && !is_element(&type, step, &at)) {
			/* It is in an array: if that is of pointers, it is a pointer, whichever. */
			if (!is_pointer(&type))
				return 0;
			continue;
		}
		if (step->offset < 0)
			return 0;
		if (is_pointer(&type) && step->offset % 8 == 0)
			continue;
		if (!descend(&type, at, name, sizeof(name)))
			return 0;
		if (name[0]) {
			path->member[i] = text_one_line(name);
			if (!path->member[i])
				return -1;
		}
	}
	return 0;
}
