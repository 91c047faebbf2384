/* SPDX-License-Identifier: Apache-2.0 */
/* This tells which libraries an executable is linked with. */
#ifndef HIPGRAIN_TRACER_ELF_NEEDED_H
#define HIPGRAIN_TRACER_ELF_NEEDED_H

#include <stdbool.h>

/*
 * Returns true if the ELF file itself (not one of its libraries) needs a library (DT_NEEDED) whose
 * name begins with the given text. Returns false for other files, and damaged ones.
 */
bool elf_needs_library(const char *path, const char *prefix);

#endif
