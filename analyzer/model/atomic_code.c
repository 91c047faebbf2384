/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up in atomic_code.def how compilers translate atomic updates. */
#include "atomic_code.h"

#include <string.h>

#include "codeobj/processor.h"

#define LATE 21 /* from here on headers differ for one compiler */

static const struct row {
	int clang, hip;
	const char *arch;
	enum atomic_construct construct;
	const char *letters[CODE_OPERATIONS];
} rows[] = {
#define ATOMIC_CODE(clang, hip, arch, construct, ...) \
	{ clang, hip, arch, CONSTRUCT_##construct, { __VA_ARGS__ } },
#include "atomic_code.def"
#undef ATOMIC_CODE
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct clang_range atomic_code_range(int clang)
{
	struct clang_range range = { 0, 1000 };

	if (clang >= LATE)
		return CLANG_LATE;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].clang <= clang && rows[i].clang > range.first)
			range.first = rows[i].clang;
		if (rows[i].clang >= clang && rows[i].clang < range.last)
			range.last = rows[i].clang;
	}
	return range;
}

/* GPUs of one family have the same instructions. */
static bool is_arch(const char *seen, const char *arch)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);

	return processor && processor->code && strcmp(seen, processor->code) == 0;
}

char atomic_code(struct clang_range range, const char *arch, enum atomic_construct construct,
		 enum code_operation operation, enum code_options options)
{
	char letter = 0;

	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		const char *letters = row->letters[operation];

		if (row->clang < range.first || row->clang > range.last ||
		    row->construct != construct || !is_arch(row->arch, arch))
			continue;
		if (strlen(letters) <= (size_t)options || (letter && letters[options] != letter))
			return 0;
		letter = letters[options];
	}
	return letter;
}
