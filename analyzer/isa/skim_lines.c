/* SPDX-License-Identifier: Apache-2.0 */
/* Line tables [DWARF 5, 6.2]. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "search.h"
#include "skim_cursor.h"

#define MAX_FORMATS 16u

struct row {
	uint64_t pc;
	uint32_t file, line;
};

/* Code in one piece. */
struct sequence {
	uint64_t low, high;
	size_t first, count; /* rows, ascending */
};

struct file {
	const char *name;
	uint64_t directory;
	char *path; /* made when requested */
};

struct skim_lines {
	struct row *row;
	size_t row_count, row_room;
	struct sequence *sequence; /* ascending */
	size_t sequence_count, sequence_room;
	struct file *file;
	size_t file_count, file_room;
	const char **directory;
	size_t directory_count, directory_room;
	unsigned version;
};

struct program {
	unsigned min_length, line_range, opcode_base;
	int line_base;
	uint8_t operands[256]; /* of standard opcodes */
};

/* Makes room for one more; false without memory. */
static bool room_for(void *array, size_t *room, size_t count, size_t size)
{
	void **at = array, *grown;
	size_t more = *room ? *room * 2 : 64;

	if (count < *room)
		return true;
	grown = reallocarray(*at, more, size);
	if (!grown)
		return false;
	*at = grown;
	*room = more;
	return true;
}

static int add_file(struct skim_lines *lines, const char *name, uint64_t directory)
{
	if (!room_for(&lines->file, &lines->file_room, lines->file_count, sizeof(*lines->file)))
		return -ENOMEM;
	lines->file[lines->file_count++] = (struct file){ name, directory, NULL };
	return 0;
}

static int add_directory(struct skim_lines *lines, const char *name)
{
	if (!room_for(&lines->directory, &lines->directory_room, lines->directory_count,
		      sizeof(*lines->directory)))
		return -ENOMEM;
	lines->directory[lines->directory_count++] = name;
	return 0;
}

static int read_files4(struct skim_lines *lines, struct cursor *cursor, const char *directory)
{
	int status = add_directory(lines, directory);
	const char *name;

	while (!status && (name = take_string(cursor)) && *name)
		status = add_directory(lines, name);
	if (!status)
		status = add_file(lines, "???", 0); /* they are counted from 1 */
	while (!status && (name = take_string(cursor)) && *name) {
		uint64_t where = take_unsigned(cursor);

		take_unsigned(cursor); /* time */
		take_unsigned(cursor); /* size */
		status = add_file(lines, name, where);
	}
	return status;
}

static const char *string_at(const struct skim_section *section, uint64_t offset)
{
	struct cursor cursor = cursor_at(section, offset);

	return cursor.bad ? NULL : take_string(&cursor);
}

/* Reads directories or files of version 5: rows whose columns are described ahead of them. */
static int read_files5(const struct skim_sections *sections, struct skim_lines *lines,
		       struct cursor *cursor, bool files)
{
	uint64_t type[MAX_FORMATS], form[MAX_FORMATS], formats = take(cursor, 1), count, i, k;
	int status = 0;

	if (formats > MAX_FORMATS)
		return -ENOTSUP;
	for (i = 0; i < formats; i++) {
		type[i] = take_unsigned(cursor);
		form[i] = take_unsigned(cursor);
	}
	count = take_unsigned(cursor);
	for (k = 0; !status && k < count && !cursor->bad; k++) {
		const char *name = NULL;
		uint64_t where = 0;

		for (i = 0; i < formats; i++) {
			const char *text = NULL;
			uint64_t number = 0;

			switch (form[i]) {
			case DW_FORM_string:
				text = take_string(cursor);
				break;
			case DW_FORM_line_strp:
				text = string_at(&sections->line_str, take(cursor, 4));
				break;
			case DW_FORM_strp:
				text = string_at(&sections->str, take(cursor, 4));
				break;
			case DW_FORM_udata:
				number = take_unsigned(cursor);
				break;
			case DW_FORM_data1:
				number = take(cursor, 1);
				break;
			case DW_FORM_data2:
				number = take(cursor, 2);
				break;
			case DW_FORM_data4:
				number = take(cursor, 4);
				break;
			case DW_FORM_data16:
				skip(cursor, 16);
				break;
			default:
				return -ENOTSUP;
			}
			if (type[i] == DW_LNCT_path)
				name = text;
			else if (type[i] == DW_LNCT_directory_index)
				where = number;
		}
		if (!name)
			return -ENOTSUP;
		status = files ? add_file(lines, name, where) : add_directory(lines, name);
	}
	return status;
}

/* Adds a row in the order of the program; false without memory. */
static bool add_row(struct skim_lines *lines, uint64_t pc, uint64_t file, uint64_t line)
{
	if (!room_for(&lines->row, &lines->row_room, lines->row_count, sizeof(*lines->row)))
		return false;
	lines->row[lines->row_count++] =
	    (struct row){ pc, file > UINT32_MAX ? UINT32_MAX : (uint32_t)file, (uint32_t)line };
	return true;
}

static int end_sequence(struct skim_lines *lines, size_t first, uint64_t high)
{
	size_t count = lines->row_count - first;

	/* Code that the linker has removed is at address 0. */
	if (!count || !lines->row[first].pc) {
		lines->row_count = first;
		return 0;
	}
	for (size_t i = first + 1; i < lines->row_count; i++)
		if (lines->row[i].pc < lines->row[i - 1].pc)
			return -ENOTSUP;
	if (high < lines->row[lines->row_count - 1].pc)
		return -ENOTSUP;
	if (!room_for(&lines->sequence, &lines->sequence_room, lines->sequence_count,
		      sizeof(*lines->sequence)))
		return -ENOMEM;
	lines->sequence[lines->sequence_count++] =
	    (struct sequence){ lines->row[first].pc, high, first, count };
	return 0;
}

struct registers {
	uint64_t pc, file, line;
};

static int run_extended(struct skim_lines *lines, struct cursor *cursor, struct registers *at,
			size_t *first)
{
	uint64_t length = take_unsigned(cursor);
	struct cursor operands = *cursor;
	int status = 0;

	if (!length || length > (uint64_t)(cursor->end - cursor->at))
		return -ENOTSUP;
	operands.end = cursor->at + length;
	switch (take(&operands, 1)) {
	case DW_LNE_end_sequence:
		status = end_sequence(lines, *first, at->pc);
		*first = lines->row_count;
		*at = (struct registers){ 0, 1, 1 };
		break;
	case DW_LNE_set_address:
		if (length != 9)
			return -ENOTSUP;
		at->pc = take(&operands, 8);
		break;
	case DW_LNE_define_file:
		return -ENOTSUP;
	default:
		break;
	}
	cursor->at = operands.end;
	return status;
}

static int run(struct skim_lines *lines, struct cursor *cursor, const struct program *program)
{
	const unsigned last_advance = (255u - program->opcode_base) / program->line_range;
	struct registers at = { 0, 1, 1 };
	size_t first = 0;
	int status = 0;

	while (!status && cursor->at < cursor->end && !cursor->bad) {
		unsigned code = *cursor->at++;

		if (code >= program->opcode_base) {
			code -= program->opcode_base;
			at.pc += (uint64_t)program->min_length * (code / program->line_range);
			at.line +=
			    (uint64_t)((int)(code % program->line_range) + program->line_base);
			if (!add_row(lines, at.pc, at.file, at.line))
				status = -ENOMEM;
			continue;
		}
		switch (code) {
		case 0:
			status = run_extended(lines, cursor, &at, &first);
			break;
		case DW_LNS_copy:
			if (!add_row(lines, at.pc, at.file, at.line))
				status = -ENOMEM;
			break;
		case DW_LNS_advance_pc:
			at.pc += program->min_length * take_unsigned(cursor);
			break;
		case DW_LNS_advance_line:
			at.line += (uint64_t)take_signed(cursor);
			break;
		case DW_LNS_set_file:
			at.file = take_unsigned(cursor);
			break;
		case DW_LNS_const_add_pc:
			at.pc += (uint64_t)program->min_length * last_advance;
			break;
		case DW_LNS_fixed_advance_pc:
			at.pc += take(cursor, 2);
			break;
		default:
			for (unsigned i = 0; i < program->operands[code]; i++)
				take_unsigned(cursor);
		}
	}
	/* Rows without an end belong to nothing. */
	return status ? status : cursor->bad || first != lines->row_count ? -ENOTSUP : 0;
}

static int by_low(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int read_table(const struct skim_sections *sections, struct cursor *cursor,
		      const char *directory, struct skim_lines *lines)
{
	struct program program;
	uint64_t length = take(cursor, 4), header;
	const uint8_t *begin;
	int status;

	if (length > (uint64_t)(cursor->end - cursor->at))
		return -ENOTSUP;
	cursor->end = cursor->at + length;
	lines->version = (unsigned)take(cursor, 2);
	if (lines->version != 4 && lines->version != 5)
		return -ENOTSUP;
	if (lines->version == 5 && take(cursor, 2) != 8) /* address size 8, no segments */
		return -ENOTSUP;
	header = take(cursor, 4);
	if (header > (uint64_t)(cursor->end - cursor->at))
		return -ENOTSUP;
	begin = cursor->at + header;
	program.min_length = (unsigned)take(cursor, 1);
	if (take(cursor, 1) != 1) /* operations an instruction: VLIW */
		return -ENOTSUP;
	take(cursor, 1); /* default_is_stmt */
	program.line_base = (int8_t)take(cursor, 1);
	program.line_range = (unsigned)take(cursor, 1);
	program.opcode_base = (unsigned)take(cursor, 1);
	if (!program.line_range || program.opcode_base <= DW_LNS_fixed_advance_pc)
		return -ENOTSUP;
	for (unsigned i = 1; i < program.opcode_base; i++)
		program.operands[i] = (uint8_t)take(cursor, 1);
	if (lines->version == 4) {
		status = read_files4(lines, cursor, directory);
	} else {
		status = read_files5(sections, lines, cursor, false);
		if (!status)
			status = read_files5(sections, lines, cursor, true);
	}
	if (status || cursor->bad || cursor->at > begin)
		return status ? status : -ENOTSUP;
	cursor->at = begin;
	status = run(lines, cursor, &program);
	if (status)
		return status;
	if (lines->sequence_count)
		qsort(lines->sequence, lines->sequence_count, sizeof(*lines->sequence), by_low);
	for (size_t i = 1; i < lines->sequence_count; i++)
		if (lines->sequence[i].low < lines->sequence[i - 1].high)
			return -ENOTSUP;
	return 0;
}

int skim_lines_open(const struct skim_sections *sections, uint64_t offset, const char *directory,
		    struct skim_lines **out)
{
	struct cursor cursor = cursor_at(&sections->line, offset);
	struct skim_lines *lines = calloc(1, sizeof(*lines));
	int status;

	*out = NULL;
	if (!lines)
		return -ENOMEM;
	status = cursor.bad ? -ENOTSUP : read_table(sections, &cursor, directory, lines);
	if (status)
		skim_lines_close(lines);
	else
		*out = lines;
	return status;
}

void skim_lines_close(struct skim_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->file_count; i++)
		free(lines->file[i].path);
	free(lines->file);
	free(lines->directory);
	free(lines->sequence);
	free(lines->row);
	free(lines);
}

bool skim_lines_find(const struct skim_lines *lines, uint64_t pc, unsigned *file, unsigned *line)
{
	size_t count = ROWS_UP_TO(lines->sequence, lines->sequence_count, low, pc);
	const struct sequence *sequence;
	const struct row *row;

	if (!count)
		return false;
	sequence = &lines->sequence[count - 1];
	if (pc >= sequence->high)
		return false;
	row = &lines->row[sequence->first];
	row += ROWS_UP_TO(row, sequence->count, pc, pc) - 1;
	*file = row->file;
	*line = row->line;
	return true;
}

const char *skim_lines_file(struct skim_lines *lines, uint64_t index)
{
	struct file *file = index < lines->file_count ? &lines->file[index] : NULL;
	const char *directory;
	size_t length;

	if (!file || file->directory >= lines->directory_count)
		return NULL;
	directory = lines->directory[file->directory];
	if (file->name[0] == '/' || !directory)
		return file->name;
	if (!file->path) {
		length = strlen(directory) + 1 + strlen(file->name) + 1;
		file->path = malloc(length);
		if (file->path) {
			strcpy(file->path, directory);
			strcat(file->path, "/");
			strcat(file->path, file->name);
		}
	}
	return file->path;
}
