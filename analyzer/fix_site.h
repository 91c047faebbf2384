/* SPDX-License-Identifier: Apache-2.0 */
/* Decide whether a fix can be inserted behind an allocation, by the source. */
#ifndef HIPGRAIN_FIX_SITE_H
#define HIPGRAIN_FIX_SITE_H

#include "analyzer/rules/engine/findings.h"
#include "analyzer/symbols/symbols.h"

struct fix_site {
	char *variable;   /* what gets the pointer; NULL: not told */
	char *size;       /* its size in bytes, as the source has it; NULL: not told */
	char *obstacle;   /* why nothing can be inserted, a clause; NULL: it can */
	const char *file; /* borrowed from the frame */
	unsigned line;    /* behind which to insert; with an obstacle the frame's */
	unsigned column;  /* in that line, behind so many characters; 0: a line of its own */
	char *indentation;
};

/*
 * Looks at the source line `frame` (with a file) that called `function`, an allocator. This alone
 * decides whether a fix is an edit, in all formats of the report: nothing is inserted into a source
 * that is not the recorded one, or was written after `began_ns` (since 1970; 0: not known), nor
 * into other languages than C and C++, nor where the statement may be executed without the call or
 * the call without it. The caller clears the site.
 */
struct fix_site fix_site_at(struct symbolizer *symbolizer, const struct source_frame *frame,
			    const char *function, int64_t began_ns);
void fix_site_clear(struct fix_site *site);

/* Returns the edit that inserts the statement: file is NULL where the site has an obstacle. */
struct fix_edit fix_site_edit(const struct fix_site *site, const char *statement);

/* Returns " after FILE:LINE", or what is to be done by hand, and why; to be freed. */
char *fix_site_text(const struct fix_site *site, bool requests);

/*
 * Parses a source line's call of `function` (an allocator), if it is certain: one call of that name
 * on the line, its arguments complete. Stores the name that gets the pointer in *variable, and in
 * *size the text of the size, for functions that have it as their second argument, if it can be
 * evaluated again. Both are NULL if not certain, and to be freed.
 */
void fix_parse_allocation(const char *line, const char *function, char **variable, char **size);

#endif
