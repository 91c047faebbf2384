/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct lines {
	Elf *elf;
	Dwarf *dwarf;
};

/* Parts of paths under which headers are installed that no user wrote. */
static const char *const foreign[] = {
	"/hip/amd_detail/", "/include/hip/", "/__clang_", "__clang_hip_", "/lib/clang/", "/c++/",
};

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
	free(lines);
}

bool lines_foreign(const char *file)
{
	size_t i;

	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (strstr(file, foreign[i]))
			return true;
	return false;
}

static bool find_unit(struct lines *lines, uint64_t pc, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die sub;
	Dwarf_Half version;
	uint8_t type;

	while (!dwarf_get_units(lines->dwarf, cu, &cu, &version, &type, unit, &sub))
		if (dwarf_haspc(unit, pc) > 0)
			return true;
	return false;
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
	Dwarf_Die unit, *innermost = NULL, *scopes = NULL;
	Dwarf_Files *files;
	const char *file, *outer;
	Dwarf_Line *entry;
	size_t file_count;
	int count, i, number;

	if (!find_unit(lines, pc, &unit))
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
	count = dwarf_getscopes(&unit, pc, &innermost);
	/* Its other elements lead out of the abstract function; these are the concrete ones. */
	count = count > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
	for (i = 0; i < count; i++) {
		outer = NULL;
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			outer = position(&scopes[i], DW_AT_call_file, DW_AT_call_line, files,
					 file_count, line);
		else if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && !*line)
			outer = position(&scopes[i], DW_AT_decl_file, DW_AT_decl_line, files,
					 file_count, line);
		file = outer ? outer : file;
		if (*line && !lines_foreign(file))
			break;
	}
	free(scopes);
	free(innermost);
	return *line ? file : NULL;
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static bool names_function(Dwarf_Die *die, const char *symbol)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	if (!name)
		name = string_of(die, DW_AT_name);
	return name && !strcmp(name, symbol);
}

const char *lines_parameter(struct lines *lines, const char *symbol, unsigned index)
{
	Dwarf_Die unit, sub, die, child;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;

	while (!dwarf_get_units(lines->dwarf, cu, &cu, &version, &type, &unit, &sub)) {
		if (dwarf_child(&unit, &die))
			continue;
		do {
			unsigned seen = 0;

			/* Only the definition with code: declarations repeat the name. */
			if (dwarf_tag(&die) != DW_TAG_subprogram ||
			    !(dwarf_hasattr(&die, DW_AT_low_pc) ||
			      dwarf_hasattr(&die, DW_AT_ranges)) ||
			    !names_function(&die, symbol) || dwarf_child(&die, &child))
				continue;
			do {
				if (dwarf_tag(&child) == DW_TAG_formal_parameter && seen++ == index)
					return string_of(&child, DW_AT_name);
			} while (!dwarf_siblingof(&child, &child));
			return NULL;
		} while (!dwarf_siblingof(&die, &die));
	}
	return NULL;
}
