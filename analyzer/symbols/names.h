/* SPDX-License-Identifier: Apache-2.0 */
/* Linker symbols as their programmers wrote them. */
#ifndef HIPGRAIN_SYMBOLS_NAMES_H
#define HIPGRAIN_SYMBOLS_NAMES_H

/*
 * A linker symbol as its programmer wrote it: C++ (Itanium ABI), Fortran procedures of modules
 * (gfortran, flang); others as they are. The caller frees; NULL for NULL.
 */
char *demangled(const char *symbol);

#endif
