/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of namespaces, and of scopes in a function; real ones stay far below. */
#define MAX_DEPTH 64u

/*
 * A function that has code. libdw finds one only by reading every entry before it, and the entries
 * of device code are many (everything is inlined): they are read once, all.
 */
struct function {
	uint64_t low, high;
	const char *name; /* linkage name if it has one; NULL without any */
	Dwarf_Die die;
};

struct lines {
	Elf *elf;
	Dwarf *dwarf;
	struct function *function; /* ascending by low */
	size_t count, room;
	const struct function **by_name; /* those with a name, ascending */
	size_t named;
};

/* Parts of paths under which headers are installed that no user wrote. */
static const char *const foreign[] = {
	"/hip/amd_detail/", "/include/hip/", "/__clang_", "__clang_hip_", "/lib/clang/", "/c++/",
};

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* ---- index of functions ---- */

static void add_function(struct lines *lines, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;
	const char *name = string_of(die, DW_AT_linkage_name);

	if (!name)
		name = string_of(die, DW_AT_name);
	while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
		if (lines->count == lines->room) {
			size_t room = lines->room ? lines->room * 2 : 64;
			void *grown = reallocarray(lines->function, room, sizeof(*lines->function));

			if (!grown)
				return;
			lines->function = grown;
			lines->room = room;
		}
		lines->function[lines->count++] = (struct function){ low, high, name, *die };
	}
}

/* Functions lie in the unit itself and in namespaces. */
static void add_children(struct lines *lines, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_namespace:
			add_children(lines, &die, depth + 1);
			break;
		case DW_TAG_subprogram:
			/* Only the definition with code: declarations repeat the name. */
			if (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges))
				add_function(lines, &die);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static int by_low(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int by_name(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void index_functions(struct lines *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	Dwarf_Half version;
	uint8_t type;
	size_t i;

	while (!dwarf_get_units(lines->dwarf, cu, &cu, &version, &type, &unit, &sub))
		add_children(lines, &unit, 0);
	if (!lines->count)
		return;
	qsort(lines->function, lines->count, sizeof(*lines->function), by_low);
	lines->by_name = calloc(lines->count, sizeof(const struct function *));
	for (i = 0; lines->by_name && i < lines->count; i++)
		if (lines->function[i].name)
			lines->by_name[lines->named++] = &lines->function[i];
	if (lines->named)
		qsort(lines->by_name, lines->named, sizeof(const struct function *), by_name);
}

static struct function *function_at(const struct lines *lines, uint64_t pc)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->function[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < lines->function[low - 1].high ? &lines->function[low - 1] : NULL;
}

struct lines *lines_open(const void *elf, size_t size)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	elf_version(EV_CURRENT);
	/* elf_memory() does not write through its pointer as long as nobody asks for updates. */
	lines->elf = elf_memory((char *)(uintptr_t)elf, size);
	if (lines->elf)
		lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	if (!lines->dwarf) {
		lines_close(lines);
		return NULL;
	}
	index_functions(lines);
	return lines;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	if (lines->elf)
		elf_end(lines->elf);
	free(lines->function);
	free(lines->by_name);
	free(lines);
}

/* ---- questions ---- */

bool lines_foreign(const char *file)
{
	size_t i;

	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (strstr(file, foreign[i]))
			return true;
	return false;
}

/*
 * The function and the blocks and inlined functions in it that hold `pc`, outermost first.
 * Returns how many.
 */
static unsigned find_scopes(const struct function *function, uint64_t pc,
			    Dwarf_Die scope[MAX_DEPTH])
{
	unsigned count = 1;
	Dwarf_Die die;

	scope[0] = function->die;
	while (count < MAX_DEPTH && !dwarf_child(&scope[count - 1], &die)) {
		bool found = false;

		do {
			int tag = dwarf_tag(&die);

			found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
				dwarf_haspc(&die, pc) > 0;
		} while (!found && !dwarf_siblingof(&die, &die));
		if (!found)
			break;
		scope[count++] = die;
	}
	return count;
}

/* A position given by a pair of attributes, such as DW_AT_call_file and DW_AT_call_line. */
static const char *position(Dwarf_Die *die, unsigned file_name, unsigned line_name,
			    Dwarf_Files *files, size_t file_count, unsigned *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word index, at;

	if (!dwarf_attr_integrate(die, file_name, &attribute) ||
	    dwarf_formudata(&attribute, &index) || index >= file_count ||
	    !dwarf_attr_integrate(die, line_name, &attribute) || dwarf_formudata(&attribute, &at))
		return NULL;
	*line = (unsigned)at;
	return dwarf_filesrc(files, index, NULL, NULL);
}

const char *lines_find(struct lines *lines, uint64_t pc, unsigned *line)
{
	struct function *function = function_at(lines, pc);
	Dwarf_Die unit, scope[MAX_DEPTH];
	Dwarf_Files *files;
	const char *file, *outer;
	Dwarf_Line *entry;
	size_t file_count;
	unsigned count;
	int number;

	if (!function || !dwarf_diecu(&function->die, &unit, NULL, NULL))
		return NULL;
	entry = dwarf_getsrc_die(&unit, pc);
	file = entry ? dwarf_linesrc(entry, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(entry, &number))
		return NULL;
	*line = (unsigned)number;
	/* Line 0: code that serves several lines at once. */
	if ((number && !lines_foreign(file)) || dwarf_getsrcfiles(&unit, &files, &file_count))
		return number ? file : NULL;
	/* Innermost first: leave inlined functions until the caller is the program's own. */
	for (count = find_scopes(function, pc, scope); count; count--) {
		Dwarf_Die *die = &scope[count - 1];

		outer = NULL;
		if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
			outer = position(die, DW_AT_call_file, DW_AT_call_line, files, file_count,
					 line);
		else if (dwarf_tag(die) == DW_TAG_subprogram && !*line)
			outer = position(die, DW_AT_decl_file, DW_AT_decl_line, files, file_count,
					 line);
		file = outer ? outer : file;
		if (*line && !lines_foreign(file))
			break;
	}
	return *line ? file : NULL;
}

void lines_frames(struct lines *lines, uint64_t pc,
		  void (*frame)(const char *function, const char *file, unsigned line, void *user),
		  void *user)
{
	struct function *function = function_at(lines, pc);
	Dwarf_Die unit, scope[MAX_DEPTH];
	Dwarf_Files *files;
	Dwarf_Line *entry;
	const char *file;
	size_t file_count;
	unsigned count, line;
	int number;

	if (!function || !dwarf_diecu(&function->die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &file_count))
		return;
	entry = dwarf_getsrc_die(&unit, pc);
	file = entry ? dwarf_linesrc(entry, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(entry, &number))
		return;
	line = (unsigned)number;
	for (count = find_scopes(function, pc, scope); file && count; count--) {
		Dwarf_Die *die = &scope[count - 1];
		const char *name;

		if (dwarf_tag(die) == DW_TAG_lexical_block)
			continue;
		name = string_of(die, DW_AT_linkage_name);
		frame(name ? name : string_of(die, DW_AT_name), file, line, user);
		if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
			break;
		file = position(die, DW_AT_call_file, DW_AT_call_line, files, file_count, &line);
	}
}

const char *lines_parameter(struct lines *lines, const char *symbol, unsigned index)
{
	const struct function key = { .name = symbol }, *wanted = &key, **found;
	Dwarf_Die die, child;
	unsigned seen = 0;

	if (!lines->named)
		return NULL;
	found = bsearch(&wanted, lines->by_name, lines->named, sizeof(wanted), by_name);
	if (!found)
		return NULL;
	die = (*found)->die;
	if (dwarf_child(&die, &child))
		return NULL;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && seen++ == index)
			return string_of(&child, DW_AT_name);
	} while (!dwarf_siblingof(&child, &child));
	return NULL;
}
