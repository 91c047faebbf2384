/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of C and C++ source, by their tokens alone: nothing is preprocessed or parsed. */
#ifndef HIPGRAIN_SYMBOLS_STATEMENT_H
#define HIPGRAIN_SYMBOLS_STATEMENT_H

#include <stdbool.h>

/* A call on a line of source, and the place behind the statement that holds it. */
struct statement {
	char *obstacle; /* why nothing can be inserted there: a clause; NULL: something can */
	char *call; /* the call's text in one line, "f(&p, n)"; NULL: there is none, or several */
	unsigned line; /* the statement's last line */
	unsigned
	    column; /* other code follows there: how many characters stay before; 0: none does */
};

/*
 * Finds the only call of `function` on line `line` of `lines` (NULL-terminated, without line ends),
 * or later in the statement that the line begins. What is inserted behind the statement is executed
 * whenever the call has returned, unless that failed, and in the block that declares the names that
 * the statement uses. There is an obstacle where that is not certain. The caller clears it.
 */
struct statement statement_of_call(char *const *lines, unsigned line, const char *function);
void statement_clear(struct statement *statement);

/* Returns true if the file has the name of C or C++ source, which HIP's functions are called in. */
bool is_c_source(const char *file);
/* Returns true if the file has the name of Fortran source. */
bool is_fortran_source(const char *file);

#endif
