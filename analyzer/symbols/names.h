/* SPDX-License-Identifier: Apache-2.0 */
/* Linker symbols as their programmers wrote them. */
#ifndef HIPGRAIN_SYMBOLS_NAMES_H
#define HIPGRAIN_SYMBOLS_NAMES_H

/*
 * Returns a linker symbol as its programmer wrote it: C++ (Itanium ABI), Fortran procedures of
 * modules (gfortran, flang); others as they are. The caller frees; NULL for NULL.
 */
char *demangled(const char *symbol);

/*
 * A demangled name as short as it stands for the function: without result and parameters, and with
 * "<...>" for template arguments. A lambda among these, which is what the program gave a library's
 * kernel, comes first: "main::{lambda#1} in forall_kernel<...>". The caller frees; NULL for NULL.
 */
char *short_name(const char *name);

#endif
