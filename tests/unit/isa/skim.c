/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information as it is read here against libdw: the same functions, and the same file and
 * line for every address. Usage: skim VARIANT...
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/skim.h"
#include "tests/unit/isa/variant.h"

static struct variant variants[16];
static size_t variant_count;

static struct skim_section section_of(const struct variant *variant, const char *name)
{
	struct codeobj_section section;

	if (codeobj_elf_section(variant->elf, variant->elf_size, name, &section, NULL))
		return (struct skim_section){ NULL, 0 };
	return (struct skim_section){ variant->elf + section.offset, (size_t)section.size };
}

static struct skim_sections sections_of(const struct variant *variant)
{
	return (struct skim_sections){ section_of(variant, ".debug_info"),
				       section_of(variant, ".debug_abbrev"),
				       section_of(variant, ".debug_line"),
				       section_of(variant, ".debug_str"),
				       section_of(variant, ".debug_line_str") };
}

/* Functions with code in a unit and its namespaces are those listed from *next on. */
static void check_children(Dwarf_Die *parent, const uint64_t *offset, size_t count, size_t *next)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_namespace) {
			check_children(&die, offset, count, next);
		} else if (dwarf_tag(&die) == DW_TAG_subprogram &&
			   (dwarf_hasattr(&die, DW_AT_low_pc) ||
			    dwarf_hasattr(&die, DW_AT_ranges))) {
			assert_true(*next < count);
			assert_int_equal(offset[*next], dwarf_dieoffset(&die));
			++*next;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static void check_rows(const struct skim_sections *sections, Dwarf_Die *unit)
{
	struct skim_lines *lines;
	Dwarf_Attribute attribute;
	Dwarf_Lines *rows;
	size_t count;
	Dwarf_Word offset;
	const char *directory = NULL;

	assert_non_null(dwarf_attr(unit, DW_AT_stmt_list, &attribute));
	assert_int_equal(dwarf_formudata(&attribute, &offset), 0);
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		directory = dwarf_formstring(&attribute);
	assert_int_equal(skim_lines_open(sections, offset, directory, &lines), 0);
	assert_int_equal(dwarf_getsrclines(unit, &rows, &count), 0);
	assert_true(count > 20);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr pc;

		assert_int_equal(dwarf_lineaddr(dwarf_onesrcline(rows, i), &pc), 0);
		for (Dwarf_Addr at = pc - 4; at <= pc + 4; at += 4) {
			Dwarf_Line *row = dwarf_getsrc_die(unit, at);
			unsigned file, line;
			int number;

			assert_int_equal(skim_lines_find(lines, at, &file, &line), row != NULL);
			if (!row)
				continue;
			assert_int_equal(dwarf_lineno(row, &number), 0);
			assert_int_equal(line, number);
			assert_string_equal(skim_lines_file(lines, file),
					    dwarf_linesrc(row, NULL, NULL));
		}
	}
	skim_lines_close(lines);
}

static void same(void **state)
{
	const struct variant *variant = *state;
	const struct skim_sections sections = sections_of(variant);
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	uint64_t *offset;
	size_t count, next = 0;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)variant->elf, variant->elf_size);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf);
	assert_int_equal(skim_functions(&sections, &offset, &count), 0);
	assert_true(count > 10);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &sub)) {
		check_children(&unit, offset, count, &next);
		check_rows(&sections, &unit);
	}
	assert_int_equal(next, count);
	free(offset);
	dwarf_end(dwarf);
	elf_end(elf);
}

/* Sections that end early are left to libdw, or have less in them. */
static void cut_off(void **state)
{
	const struct variant *variant = *state;
	const struct skim_sections whole = sections_of(variant);

	for (int which = 0; which < 5; which++) {
		for (size_t part = 0; part < 40; part++) {
			struct skim_sections sections = whole;
			struct skim_section *section = &sections.info + which;
			struct skim_lines *lines;
			uint64_t *offset;
			uint8_t *exact;
			size_t count;
			int status;

			/* Of exactly that size, for the address sanitizer. */
			section->size = section->size * part / 40;
			exact = malloc(section->size + !section->size);
			assert_non_null(exact);
			if (section->size)
				memcpy(exact, section->data, section->size);
			section->data = exact;
			status = skim_functions(&sections, &offset, &count);
			assert_true(status == 0 || status == -ENOTSUP);
			assert_true(which > 1 || status == -ENOTSUP);
			free(offset);
			status = skim_lines_open(&sections, 0, NULL, &lines);
			assert_true(status == 0 || status == -ENOTSUP);
			assert_true(which != 2 || status == -ENOTSUP);
			skim_lines_close(lines);
			free(exact);
		}
	}
}

int main(int argc, char **argv)
{
	static char names[32][96];
	struct CMUnitTest tests[32];
	size_t count = 0;
	int status;

	if (argc < 2 || argc > 1 + (int)(sizeof(variants) / sizeof(variants[0])))
		return 99;
	for (int i = 1; i < argc; i++) {
		struct variant *variant = &variants[variant_count++];

		variant_load(variant, argv[i]);
		snprintf(names[count], sizeof(names[0]), "as libdw reads %s", variant->name);
		tests[count] = (struct CMUnitTest){ names[count], same, NULL, NULL, variant };
		count++;
		snprintf(names[count], sizeof(names[0]), "%s cut off", variant->name);
		tests[count] = (struct CMUnitTest){ names[count], cut_off, NULL, NULL, variant };
		count++;
	}
	status = _cmocka_run_group_tests("skim", tests, count, NULL, NULL);
	for (size_t i = 0; i < variant_count; i++)
		free(variants[i].bytes);
	return status;
}
