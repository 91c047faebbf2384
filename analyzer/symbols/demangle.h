/* SPDX-License-Identifier: Apache-2.0 */
/* Linker symbols as their programmers wrote them. */
#ifndef HIPGRAIN_SYMBOLS_DEMANGLE_H
#define HIPGRAIN_SYMBOLS_DEMANGLE_H

/*
 * Returns a linker symbol as its programmer wrote it: C++ (Itanium ABI), Fortran procedures of
 * modules (gfortran, flang); others as they are. The caller frees; NULL for NULL.
 */
char *demangled(const char *symbol);

/*
 * Returns the short form of a demangled name: without result and parameters, and with "<...>" for
 * template arguments of more than 16 characters. A lambda among these, which is what the program
 * gave a library's kernel, comes first: "main::{lambda#1} in forall_kernel<...>". The caller frees
 * it; NULL for NULL.
 */
char *short_name(const char *name);

/*
 * Returns a text with the short form of a demangled name that occurs in it, if that is long or has
 * long template arguments. The caller frees it; NULL for NULL.
 */
char *with_short_name(const char *text, const char *name);
/* Does the same for a limit, which begins with "kernel NAME: ". */
char *limit_with_short_name(const char *text);

#endif
