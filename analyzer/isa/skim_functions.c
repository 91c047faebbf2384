/* SPDX-License-Identifier: Apache-2.0 */
/* Debugging information entries, passed over but for functions [DWARF 5, 7.5]. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "skim_cursor.h"

#define MAX_CODE 65536u /* of abbreviations; compilers number them from 1 on */

/* An attribute takes so many bytes, by its form. */
enum { VARIES = 0x80, NUMBER, BLOCK, BLOCK1, BLOCK2, BLOCK4, STRING, UNKNOWN = 0 };
static const uint8_t widths[] = {
	[DW_FORM_addr] = 8,          [DW_FORM_block2] = BLOCK2,    [DW_FORM_block4] = BLOCK4,
	[DW_FORM_data2] = 2,         [DW_FORM_data4] = 4,          [DW_FORM_data8] = 8,
	[DW_FORM_string] = STRING,   [DW_FORM_block] = BLOCK,      [DW_FORM_block1] = BLOCK1,
	[DW_FORM_data1] = 1,         [DW_FORM_flag] = 1,           [DW_FORM_sdata] = NUMBER,
	[DW_FORM_strp] = 4,          [DW_FORM_udata] = NUMBER,     [DW_FORM_ref_addr] = 4,
	[DW_FORM_ref1] = 1,          [DW_FORM_ref2] = 2,           [DW_FORM_ref4] = 4,
	[DW_FORM_ref8] = 8,          [DW_FORM_ref_udata] = NUMBER, [DW_FORM_sec_offset] = 4,
	[DW_FORM_exprloc] = BLOCK,   [DW_FORM_strx] = NUMBER,      [DW_FORM_addrx] = NUMBER,
	[DW_FORM_ref_sup4] = 4,      [DW_FORM_strp_sup] = 4,       [DW_FORM_data16] = 16,
	[DW_FORM_line_strp] = 4,     [DW_FORM_ref_sig8] = 8,       [DW_FORM_loclistx] = NUMBER,
	[DW_FORM_rnglistx] = NUMBER, [DW_FORM_ref_sup8] = 8,       [DW_FORM_strx1] = 1,
	[DW_FORM_strx2] = 2,         [DW_FORM_strx3] = 3,          [DW_FORM_strx4] = 4,
	[DW_FORM_addrx1] = 1,        [DW_FORM_addrx2] = 2,         [DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

struct abbreviation {
	uint32_t first, count; /* of its widths */
	bool used, children, outer, function;
};

struct abbreviations {
	struct abbreviation *row; /* by code */
	size_t rows;
	uint8_t *width; /* a run of fixed ones is one number, below VARIES */
	size_t count, room;
};

struct found {
	uint64_t *offset;
	size_t count, room;
};

static int add_width(struct abbreviations *table, struct abbreviation *row, uint8_t width)
{
	if (row->count && width < VARIES) {
		uint8_t *last = &table->width[table->count - 1];

		if (*last + width < VARIES) {
			*last = (uint8_t)(*last + width);
			return 0;
		}
	}
	if (table->count == table->room) {
		size_t room = table->room ? table->room * 2 : 1024;
		uint8_t *grown = realloc(table->width, room);

		if (!grown)
			return -ENOMEM;
		table->width = grown;
		table->room = room;
	}
	table->width[table->count++] = width;
	row->count++;
	return 0;
}

/* Reads the attributes of one abbreviation. */
static int read_attributes(struct cursor *cursor, struct abbreviations *table,
			   struct abbreviation *row)
{
	for (;;) {
		uint64_t name = take_unsigned(cursor), form = take_unsigned(cursor);
		int status;

		if (cursor->bad)
			return -ENOTSUP;
		if (!name && !form)
			return 0;
		row->function |= name == DW_AT_low_pc || name == DW_AT_ranges;
		if (form == DW_FORM_implicit_const)
			take_signed(cursor);
		if (form == DW_FORM_implicit_const || form == DW_FORM_flag_present)
			continue;
		if (form >= sizeof(widths) || widths[form] == UNKNOWN)
			return -ENOTSUP;
		status = add_width(table, row, widths[form]);
		if (status)
			return status;
	}
}

static int read_abbreviations(const struct skim_sections *sections, uint64_t offset,
			      struct abbreviations *table)
{
	struct cursor cursor = cursor_at(&sections->abbrev, offset);
	uint64_t code, tag;
	int status = 0;

	table->count = 0;
	if (table->row)
		memset(table->row, 0, table->rows * sizeof(*table->row));
	while (!status && (code = take_unsigned(&cursor))) {
		struct abbreviation *row;

		if (code >= MAX_CODE)
			return -ENOTSUP;
		if (code >= table->rows) {
			size_t rows = code < 128 ? 256 : (size_t)code * 2;

			row = reallocarray(table->row, rows, sizeof(*row));
			if (!row)
				return -ENOMEM;
			memset(row + table->rows, 0, (rows - table->rows) * sizeof(*row));
			table->row = row;
			table->rows = rows;
		}
		row = &table->row[code];
		tag = take_unsigned(&cursor);
		*row = (struct abbreviation){ .first = (uint32_t)table->count,
					      .used = true,
					      .children = take(&cursor, 1),
					      .outer = tag == DW_TAG_compile_unit ||
						       tag == DW_TAG_namespace };
		status = read_attributes(&cursor, table, row);
		row->function &= tag == DW_TAG_subprogram;
	}
	return status ? status : cursor.bad ? -ENOTSUP : 0;
}

static inline void skip_attributes(struct cursor *cursor, const uint8_t *width, uint32_t count)
{
	for (; count--; width++) {
		if (*width < VARIES) {
			skip(cursor, *width);
			continue;
		}
		switch (*width) {
		case NUMBER:
			take_unsigned(cursor);
			break;
		case BLOCK:
			skip(cursor, take_unsigned(cursor));
			break;
		case BLOCK1:
			skip(cursor, take(cursor, 1));
			break;
		case BLOCK2:
			skip(cursor, take(cursor, 2));
			break;
		case BLOCK4:
			skip(cursor, take(cursor, 4));
			break;
		default:
			take_string(cursor);
		}
	}
}

static int add_found(struct found *found, uint64_t offset)
{
	if (found->count == found->room) {
		size_t room = found->room ? found->room * 2 : 64;
		uint64_t *grown = reallocarray(found->offset, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		found->offset = grown;
		found->room = room;
	}
	found->offset[found->count++] = offset;
	return 0;
}

/* Reads the entries of one unit. */
static int read_unit(struct cursor *cursor, const struct abbreviations *table, const uint8_t *start,
		     struct found *found)
{
	/* `hidden` is where entries begin whose children are of no interest; 0: nowhere here. */
	size_t depth = 0, hidden = 0;

	while (cursor->at < cursor->end && !cursor->bad) {
		uint64_t offset = (uint64_t)(cursor->at - start);
		uint64_t code = take_unsigned(cursor);
		const struct abbreviation *row;
		int status;

		if (!code) {
			if (depth == hidden)
				hidden = 0;
			if (!depth || !--depth)
				break;
			continue;
		}
		row = code < table->rows ? &table->row[code] : NULL;
		if (!row || !row->used)
			return -ENOTSUP;
		if (row->function && !hidden) {
			status = add_found(found, offset);
			if (status)
				return status;
		}
		if (row->count)
			skip_attributes(cursor, table->width + row->first, row->count);
		if (!row->children && !depth)
			break;
		depth += row->children;
		if (row->children && !row->outer && !hidden)
			hidden = depth;
	}
	return cursor->bad ? -ENOTSUP : 0;
}

int skim_functions(const struct skim_sections *sections, uint64_t **offset, size_t *count)
{
	struct cursor cursor = cursor_at(&sections->info, 0);
	struct abbreviations table = { 0 };
	struct found found = { 0 };
	uint64_t known = UINT64_MAX;
	int status = cursor.bad ? -ENOTSUP : 0;

	while (!status && cursor.at < cursor.end) {
		uint64_t length = take(&cursor, 4), version = take(&cursor, 2), abbrev;
		struct cursor unit = cursor;
		bool fits =
		    length >= 7 && length - 2 <= (uint64_t)(cursor.end - cursor.at) && !cursor.bad;

		if (!fits || (version != 4 && version != 5)) {
			status = -ENOTSUP;
			break;
		}
		unit.end = cursor.at + (length - 2);
		cursor.at = unit.end;
		if (version == 5 && take(&unit, 1) != DW_UT_compile)
			status = -ENOTSUP;
		if (version == 5 && take(&unit, 1) != 8)
			status = -ENOTSUP;
		abbrev = take(&unit, 4);
		if (version == 4 && take(&unit, 1) != 8)
			status = -ENOTSUP;
		if (!status && abbrev != known)
			status = read_abbreviations(sections, abbrev, &table);
		known = abbrev;
		if (!status)
			status = read_unit(&unit, &table, sections->info.data, &found);
	}
	free(table.row);
	free(table.width);
	if (status) {
		free(found.offset);
		found = (struct found){ 0 };
	}
	*offset = found.offset;
	*count = found.count;
	return status;
}
