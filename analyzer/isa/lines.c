/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code to source lines. */
#include "lines.h"
#include "members.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scopes.h"
#include "search.h"
#include "skim.h"

/* This limits the depth of namespaces, and of scopes in a function; real ones stay far below. */
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

/* The line table of a unit. */
struct table {
	uint64_t offset;
	struct skim_lines *rows; /* NULL: left to libdw */
};

struct lines {
	Elf *elf;
	Dwarf *dwarf;
	struct function *function; /* ascending by low */
	size_t count, room;
	const struct function **by_name; /* has those with a name, ascending */
	size_t named;
	struct skim_sections sections;
	struct table *table;
	size_t table_count;
	/* find_scopes() found this last: both are looked up for the same places. */
	Dwarf_Die scope[MAX_DEPTH];
	unsigned scope_count;
	uint64_t scope_pc;
	struct scopes scopes;
};

/* Parts of paths under which headers are installed that no user wrote. */
static const char *const foreign[] = {
	"/hip/amd_detail/", "/include/hip/", "/__clang_", "__clang_hip_",
	"/lib/clang/",      "/include/c++/", "/c++/v1/",
};

/* And those of libraries. */
static const char *const library[] = {
#define WRAPPER(name, part) part,
#include "wrappers.def"
#undef WRAPPER
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

static void find_functions(struct lines *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub, die;
	Dwarf_Half version;
	uint64_t *offset;
	uint8_t type;
	size_t count;

	if (!skim_functions(&lines->sections, &offset, &count)) {
		for (size_t i = 0; i < count; i++)
			if (dwarf_offdie(lines->dwarf, offset[i], &die))
				add_function(lines, &die);
		free(offset);
		return;
	}
	while (!dwarf_get_units(lines->dwarf, cu, &cu, &version, &type, &unit, &sub))
		add_children(lines, &unit, 0);
}

static void index_functions(struct lines *lines)
{
	size_t i;

	find_functions(lines);
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
	size_t count = ROWS_UP_TO(lines->function, lines->count, low, pc);

	return count && pc < lines->function[count - 1].high ? &lines->function[count - 1] : NULL;
}

/* Finds the sections that are read here; without one of them libdw does it. */
static void find_sections(struct lines *lines)
{
	const struct {
		const char *name;
		struct skim_section *to;
	} wanted[] = {
		{ ".debug_info", &lines->sections.info },
		{ ".debug_abbrev", &lines->sections.abbrev },
		{ ".debug_line", &lines->sections.line },
		{ ".debug_str", &lines->sections.str },
		{ ".debug_line_str", &lines->sections.line_str },
	};
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(lines->elf, &names))
		return;
	while ((section = elf_nextscn(lines->elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
				       ? elf_strptr(lines->elf, names, header.sh_name)
				       : NULL;
		Elf_Data *data;

		for (size_t i = 0; name && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (strcmp(name, wanted[i].name) || header.sh_flags & SHF_COMPRESSED)
				continue;
			data = elf_rawdata(section, NULL);
			if (data && data->d_buf)
				*wanted[i].to = (struct skim_section){ data->d_buf, data->d_size };
		}
	}
}

struct lines *lines_open(const void *elf, size_t size)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	elf_version(EV_CURRENT);
	/* libdw writes through this pointer where sections are compressed; here none is. */
	lines->elf = elf_memory((char *)(uintptr_t)elf, size);
	if (lines->elf)
		lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	if (!lines->dwarf) {
		lines_close(lines);
		return NULL;
	}
	find_sections(lines);
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
	for (size_t i = 0; i < lines->table_count; i++)
		skim_lines_close(lines->table[i].rows);
	free(lines->table);
	scopes_clear(&lines->scopes);
	free(lines);
}

/* ---- questions ---- */

static bool has_part(const char *file, const char *const *part, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(file, part[i]))
			return true;
	return false;
}

enum lines_owner lines_owner(const char *file)
{
	if (has_part(file, foreign, sizeof(foreign) / sizeof(foreign[0])))
		return LINES_COMPILER;
	return has_part(file, library, sizeof(library) / sizeof(library[0])) ? LINES_LIBRARY
									     : LINES_PROGRAM;
}

bool lines_preferred(const char *file, const char *inner)
{
	enum lines_owner owner = lines_owner(file);

	return !inner || owner > lines_owner(inner) ||
	       (owner == LINES_COMPILER && lines_owner(inner) == LINES_COMPILER);
}

/*
 * Stores the function and the blocks and inlined functions in it that hold `pc`, outermost first,
 * in lines->scope. Returns how many there are.
 */
static unsigned find_scopes(struct lines *lines, const struct function *function, uint64_t pc)
{
	Dwarf_Die *scope = lines->scope;
	unsigned count = 1;

	if (lines->scope_count && lines->scope_pc == pc)
		return lines->scope_count;
	scope[0] = function->die;
	scopes_enter(&lines->scopes, &function->die);
	while (count < MAX_DEPTH &&
	       scopes_child(&lines->scopes, &scope[count - 1], pc, &scope[count]))
		count++;
	lines->scope_count = count;
	lines->scope_pc = pc;
	return count;
}

/* The rows and files of a unit come from `rows`, or from libdw. */
struct source {
	Dwarf_Die unit;
	struct skim_lines *rows;
	Dwarf_Files *files; /* without rows */
	size_t file_count;
};

/* The unit's own line table; NULL where libdw is to be used. */
static struct skim_lines *rows_of(struct lines *lines, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *directory = NULL;
	struct table *grown;
	Dwarf_Word offset;

	if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset))
		return NULL;
	for (size_t i = 0; i < lines->table_count; i++)
		if (lines->table[i].offset == offset)
			return lines->table[i].rows;
	grown = reallocarray(lines->table, lines->table_count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	lines->table = grown;
	grown += lines->table_count++;
	grown->offset = offset;
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		directory = dwarf_formstring(&attribute);
	skim_lines_open(&lines->sections, offset, directory, &grown->rows);
	return grown->rows;
}

static bool find_source(struct lines *lines, struct function *function, struct source *source)
{
	*source = (struct source){ .rows = NULL };
	if (!dwarf_diecu(&function->die, &source->unit, NULL, NULL))
		return false;
	source->rows = rows_of(lines, &source->unit);
	return source->rows ||
	       !dwarf_getsrcfiles(&source->unit, &source->files, &source->file_count);
}

static const char *file_name(const struct source *source, uint64_t index)
{
	if (source->rows)
		return skim_lines_file(source->rows, index);
	return index < source->file_count ? dwarf_filesrc(source->files, (size_t)index, NULL, NULL)
					  : NULL;
}

/* Returns what the line table has for an address; line 0: code that serves several lines. */
static const char *row_at(struct source *source, uint64_t pc, unsigned *line)
{
	Dwarf_Line *entry;
	unsigned file;
	int number;

	if (source->rows)
		return skim_lines_find(source->rows, pc, &file, line)
			   ? skim_lines_file(source->rows, file)
			   : NULL;
	entry = dwarf_getsrc_die(&source->unit, pc);
	if (!entry || dwarf_lineno(entry, &number))
		return NULL;
	*line = (unsigned)number;
	return dwarf_linesrc(entry, NULL, NULL);
}

/* Returns a position given by a pair of attributes, as DW_AT_call_file and DW_AT_call_line. */
static const char *position(Dwarf_Die *die, unsigned file_name_at, unsigned line_at,
			    const struct source *source, unsigned *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word index, at;

	if (!dwarf_attr_integrate(die, file_name_at, &attribute) ||
	    dwarf_formudata(&attribute, &index) || !file_name(source, index) ||
	    !dwarf_attr_integrate(die, line_at, &attribute) || dwarf_formudata(&attribute, &at))
		return NULL;
	*line = (unsigned)at;
	return file_name(source, index);
}

bool lines_are_merged(struct lines *lines, uint64_t pc)
{
	struct function *function = function_at(lines, pc);
	struct source source;
	unsigned line = 0;

	return function && find_source(lines, function, &source) && row_at(&source, pc, &line) &&
	       !line;
}

const char *lines_find(struct lines *lines, uint64_t pc, unsigned *line)
{
	struct function *function = function_at(lines, pc);
	const char *file, *best = NULL;
	struct source source;
	unsigned at = 0;

	if (!function || !find_source(lines, function, &source))
		return NULL;
	file = row_at(&source, pc, &at);
	if (!file)
		return NULL;
	if (at) {
		best = file;
		*line = at;
	}
	if (best && lines_owner(best) == LINES_PROGRAM)
		return best;
	/* Innermost first: leave inlined functions until the caller is the program's own. */
	for (unsigned count = find_scopes(lines, function, pc); count; count--) {
		Dwarf_Die *die = &lines->scope[count - 1];

		file = NULL;
		if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
			file = position(die, DW_AT_call_file, DW_AT_call_line, &source, &at);
		else if (dwarf_tag(die) == DW_TAG_subprogram && !best)
			file = position(die, DW_AT_decl_file, DW_AT_decl_line, &source, &at);
		if (file && at && lines_preferred(file, best)) {
			best = file;
			*line = at;
		}
		if (best && lines_owner(best) == LINES_PROGRAM)
			break;
	}
	return best;
}

void lines_frames(struct lines *lines, uint64_t pc,
		  void (*frame)(const char *function, const char *file, unsigned line, void *user),
		  void *user)
{
	struct function *function = function_at(lines, pc);
	struct source source;
	const char *file;
	unsigned count, line;

	if (!function || !find_source(lines, function, &source))
		return;
	file = row_at(&source, pc, &line);
	if (!file)
		return;
	for (count = find_scopes(lines, function, pc); file && count; count--) {
		Dwarf_Die *die = &lines->scope[count - 1];
		const char *name;

		if (dwarf_tag(die) == DW_TAG_lexical_block)
			continue;
		name = string_of(die, DW_AT_linkage_name);
		frame(name ? name : string_of(die, DW_AT_name), file, line, user);
		if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
			break;
		file = position(die, DW_AT_call_file, DW_AT_call_line, &source, &line);
	}
}

/* Finds the parameter of that number of a function with that linkage name. */
static bool find_parameter(struct lines *lines, const char *symbol, size_t number, Dwarf_Die *child)
{
	const struct function key = { .name = symbol }, *wanted = &key, **found;
	Dwarf_Die die;
	size_t seen = 0;

	found = lines->named
		    ? bsearch(&wanted, lines->by_name, lines->named, sizeof(wanted), by_name)
		    : NULL;
	if (!found)
		return false;
	die = (*found)->die;
	if (dwarf_child(&die, child))
		return false;
	do {
		if (dwarf_tag(child) == DW_TAG_formal_parameter && seen++ == number)
			return true;
	} while (!dwarf_siblingof(child, child));
	return false;
}

int lines_members(struct lines *lines, const char *symbol, size_t number, uint64_t offset,
		  struct isa_path *path)
{
	Dwarf_Die parameter;

	return find_parameter(lines, symbol, number, &parameter)
		   ? members_name(&parameter, offset, path)
		   : 0;
}

void lines_parameters(struct lines *lines, const char *symbol, const char **name, size_t count)
{
	const struct function key = { .name = symbol }, *wanted = &key, **found;
	Dwarf_Die die, child;
	size_t seen = 0;

	memset(name, 0, count * sizeof(*name));
	if (!lines->named || !count)
		return;
	found = bsearch(&wanted, lines->by_name, lines->named, sizeof(wanted), by_name);
	if (!found)
		return;
	die = (*found)->die;
	if (dwarf_child(&die, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			name[seen++] = string_of(&child, DW_AT_name);
	} while (seen < count && !dwarf_siblingof(&child, &child));
}
