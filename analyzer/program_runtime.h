/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which of AMD's libraries a program gets when it starts. */
#ifndef HIPGRAIN_PROGRAM_RUNTIME_H
#define HIPGRAIN_PROGRAM_RUNTIME_H

#include <stdbool.h>

struct program_runtime {
	char *hip; /* file of libamdhip64; NULL: neither it nor its libraries are linked to it */
	char *missing; /* name of the libamdhip64 that they need and the linker does not find */
	char *comgr;   /* file of libamd_comgr, as the runtime gets it */
};

/*
 * Asks the dynamic linker, which reads the program's RPATH and RUNPATH, those of its libraries,
 * LD_LIBRARY_PATH and the system's directories; the program is not started. `program` is a file.
 * All is NULL for a script or a static program. For program_runtime_clear().
 */
void program_runtime_find(const char *program, struct program_runtime *runtime);
/*
 * Does the same for the file that a shell would start as `command`. amd_comgr, where it is looked
 * for (comgr/load.h), is this program's from then on; so clear it when nothing of that is called
 * any more.
 */
void program_runtime_use(const char *command, struct program_runtime *runtime);
void program_runtime_clear(struct program_runtime *runtime);

#endif
