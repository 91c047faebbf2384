/* SPDX-License-Identifier: Apache-2.0 */
/* Units, functions and inlined calls of a file's debug information, by address. */
#include "debug_scopes.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

/* Deeper entries are passed over: debug information is input, and its depth is chosen there. */
#define MAX_DEPTH 256

/* Addresses [low, high) of an entry. */
struct span {
	Dwarf_Addr low, high;
	Dwarf_Addr highest; /* the largest `high` of this one and all before it */
	unsigned order;     /* in the debug information: of several, the first counts */
	Dwarf_Die die;
};

struct spans {
	GArray *array; /* struct span, by `low` once sealed */
	unsigned next_order;
};

struct unit {
	struct spans functions; /* functions in the unit, a namespace or a type */
	struct spans nested;    /* functions within functions; collected when first asked for */
};

struct scopes {
	Dwfl_Module *module;
	struct spans units; /* collected when first asked for */
	GHashTable *known;  /* address of a unit's entry -> struct unit */
};

static void spans_add(struct spans *spans, Dwarf_Die *die)
{
	struct span span = { .order = spans->next_order++, .die = *die };
	Dwarf_Addr base = 0;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &span.low, &span.high)) > 0)
		if (span.low < span.high)
			g_array_append_val(spans->array, span);
}

static gint by_low(gconstpointer a, gconstpointer b)
{
	const struct span *one = a, *other = b;

	return one->low < other->low ? -1 : one->low > other->low;
}

static void spans_seal(struct spans *spans)
{
	Dwarf_Addr highest = 0;

	g_array_sort(spans->array, by_low);
	for (unsigned i = 0; i < spans->array->len; i++) {
		struct span *span = &g_array_index(spans->array, struct span, i);

		highest = MAX(highest, span->high);
		span->highest = highest;
	}
}

/* Returns the entry that holds the address, or NULL. */
static struct span *spans_find(const struct spans *spans, Dwarf_Addr address)
{
	unsigned first = 0, last = spans->array->len;
	struct span *found = NULL;

	while (first < last) { /* to the first one that begins behind the address */
		unsigned middle = first + (last - first) / 2;

		if (g_array_index(spans->array, struct span, middle).low <= address)
			first = middle + 1;
		else
			last = middle;
	}
	while (first-- > 0) {
		struct span *span = &g_array_index(spans->array, struct span, first);

		if (span->highest <= address)
			break;
		if (address < span->high && (!found || span->order < found->order))
			found = span;
	}
	return found;
}

static void unit_free(gpointer data)
{
	struct unit *unit = data;

	g_array_free(unit->functions.array, TRUE);
	if (unit->nested.array)
		g_array_free(unit->nested.array, TRUE);
	g_free(unit);
}

struct scopes *scopes_new(Dwfl_Module *module)
{
	struct scopes *scopes = g_new0(struct scopes, 1);

	scopes->module = module;
	scopes->known = g_hash_table_new_full(NULL, NULL, NULL, unit_free);
	return scopes;
}

void scopes_free(struct scopes *scopes)
{
	if (!scopes)
		return;
	g_hash_table_destroy(scopes->known);
	if (scopes->units.array)
		g_array_free(scopes->units.array, TRUE);
	g_free(scopes);
}

/* libdwfl only asks .debug_aranges, which clang does not write. */
Dwarf_Die *scopes_unit(struct scopes *scopes, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(scopes->module, address, bias);
	struct span *span;

	if (unit || !dwfl_module_getdwarf(scopes->module, bias))
		return unit;
	if (!scopes->units.array) {
		scopes->units.array = g_array_new(FALSE, FALSE, sizeof(struct span));
		while ((unit = dwfl_module_nextcu(scopes->module, unit, bias)) != NULL)
			spans_add(&scopes->units, unit);
		spans_seal(&scopes->units);
	}
	span = spans_find(&scopes->units, address - *bias);
	return span ? &span->die : NULL;
}

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return true;
	default:
		return false;
	}
}

static bool is_block(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

/* Collects the functions below `unit` that stand in functions, or those that do not. */
static void collect(struct spans *spans, Dwarf_Die *unit, bool nested)
{
	Dwarf_Die path[MAX_DEPTH];
	bool within[MAX_DEPTH]; /* a function */
	const void *latest = NULL;
	int depth = 0;

	spans->array = g_array_new(FALSE, FALSE, sizeof(struct span));
	within[0] = false;
	if (dwarf_child(unit, &path[0]) != 0)
		return;
	while (depth >= 0) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);
		bool function = tag == DW_TAG_subprogram;

		/* Entries follow each other; what leads back would never end. */
		if ((const char *)die->addr <= (const char *)latest) {
			depth--;
			goto next;
		}
		latest = die->addr;
		if (function && within[depth] == nested)
			spans_add(spans, die);
		if ((may_hold_functions(tag) || (nested && (function || is_block(tag)))) &&
		    depth + 1 < MAX_DEPTH && dwarf_child(die, &path[depth + 1]) == 0) {
			within[depth + 1] = within[depth] || function;
			depth++;
			continue;
		}
	next:
		while (depth >= 0) {
			Dwarf_Die sibling;

			if (dwarf_siblingof(&path[depth], &sibling) == 0) {
				path[depth] = sibling;
				break;
			}
			depth--;
		}
	}
	spans_seal(spans);
}

static struct span *function_at(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address)
{
	struct unit *known = g_hash_table_lookup(scopes->known, unit->addr);
	struct span *span;

	if (!known) {
		known = g_new0(struct unit, 1);
		collect(&known->functions, unit, false);
		g_hash_table_insert(scopes->known, unit->addr, known);
	}
	span = spans_find(&known->functions, address);
	if (!span && !known->nested.array)
		collect(&known->nested, unit, true);
	return span ? span : spans_find(&known->nested, address);
}

/* Finds the block or inlined call directly below `die` that holds the address. */
static bool block_at(Dwarf_Die *die, Dwarf_Addr address, Dwarf_Die *block)
{
	const char *latest = die->addr;

	if (dwarf_child(die, block) != 0)
		return false;
	do {
		if ((const char *)block->addr <= latest)
			return false;
		latest = block->addr;
		if (is_block(dwarf_tag(block)) && dwarf_haspc(block, address) == 1)
			return true;
	} while (dwarf_siblingof(block, block) == 0);
	return false;
}

GArray *scopes_calls(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address)
{
	GArray *calls = g_array_new(FALSE, FALSE, sizeof(Dwarf_Die));
	struct span *function = function_at(scopes, unit, address);
	Dwarf_Die block;

	if (!function)
		return calls;
	block = function->die;
	g_array_append_val(calls, block);
	for (int depth = 0; depth < MAX_DEPTH && block_at(&block, address, &block); depth++)
		if (dwarf_tag(&block) == DW_TAG_inlined_subroutine)
			g_array_append_val(calls, block);
	for (unsigned i = 0; i < calls->len / 2; i++) {
		Dwarf_Die *inner = &g_array_index(calls, Dwarf_Die, i);
		Dwarf_Die *outer = &g_array_index(calls, Dwarf_Die, calls->len - 1 - i);
		Dwarf_Die kept = *inner;

		*inner = *outer;
		*outer = kept;
	}
	return calls;
}
