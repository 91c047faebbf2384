/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and inlined functions of a function, by address. */
#include "scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of the children of one scope; of more nothing is kept. */
#define RANGES_MAX 65536u

struct scope_range {
	Dwarf_Addr low, high;
	Dwarf_Die child;
};

struct scope_parent {
	const void *entry;
	struct scope_range *range; /* in the order of children */
	size_t count, room;
	bool complete; /* false: too many, or no memory */
};

void scopes_clear(struct scopes *scopes)
{
	for (size_t i = 0; i < scopes->count; i++)
		free(scopes->parent[i].range);
	free(scopes->parent);
	memset(scopes, 0, sizeof(*scopes));
}

void scopes_enter(struct scopes *scopes, const Dwarf_Die *function)
{
	if (scopes->function == function->addr)
		return;
	for (size_t i = 0; i < scopes->count; i++)
		free(scopes->parent[i].range);
	scopes->count = 0;
	scopes->function = function->addr;
}

static bool add_range(struct scope_parent *parent, const struct scope_range *range)
{
	if (parent->count == parent->room) {
		size_t room = parent->room ? parent->room * 2 : 16;
		struct scope_range *grown =
		    room > RANGES_MAX ? NULL
				      : reallocarray(parent->range, room, sizeof(*parent->range));

		if (!grown)
			return false;
		parent->range = grown;
		parent->room = room;
	}
	parent->range[parent->count++] = *range;
	return true;
}

static bool is_scope(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
}

static bool read_children(struct scope_parent *parent, Dwarf_Die *entry)
{
	struct scope_range range;
	Dwarf_Addr base;

	if (dwarf_child(entry, &range.child))
		return true;
	do {
		ptrdiff_t next = 0;

		if (!is_scope(&range.child))
			continue;
		while ((next = dwarf_ranges(&range.child, next, &base, &range.low, &range.high)) >
		       0)
			if (!add_range(parent, &range))
				return false;
	} while (!dwarf_siblingof(&range.child, &range.child));
	return true;
}

/* Returns NULL without memory. */
static struct scope_parent *parent_of(struct scopes *scopes, Dwarf_Die *entry)
{
	struct scope_parent *parent;

	for (size_t i = 0; i < scopes->count; i++)
		if (scopes->parent[i].entry == entry->addr)
			return &scopes->parent[i];
	if (scopes->count == scopes->room) {
		size_t room = scopes->room ? scopes->room * 2 : 16;

		parent = reallocarray(scopes->parent, room, sizeof(*parent));
		if (!parent)
			return NULL;
		scopes->parent = parent;
		scopes->room = room;
	}
	parent = &scopes->parent[scopes->count++];
	memset(parent, 0, sizeof(*parent));
	parent->entry = entry->addr;
	parent->complete = read_children(parent, entry);
	return parent;
}

/* Looks for a child by libdw. */
static bool look_for(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *child)
{
	if (dwarf_child(parent, child))
		return false;
	do {
		if (is_scope(child) && dwarf_haspc(child, pc) > 0)
			return true;
	} while (!dwarf_siblingof(child, child));
	return false;
}

bool scopes_child(struct scopes *scopes, Dwarf_Die *entry, uint64_t pc, Dwarf_Die *child)
{
	const struct scope_parent *parent = parent_of(scopes, entry);

	if (!parent || !parent->complete)
		return look_for(entry, pc, child);
	for (size_t i = 0; i < parent->count; i++) {
		if (pc >= parent->range[i].low && pc < parent->range[i].high) {
			*child = parent->range[i].child;
			return true;
		}
	}
	return false;
}
