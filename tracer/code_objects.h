/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code objects: moves them from where the processes store them into the bundle of an attached
 * recording.
 */
#ifndef HIPGRAIN_TRACER_CODE_OBJECTS_H
#define HIPGRAIN_TRACER_CODE_OBJECTS_H

/* Links or copies the code objects of a process's directory into `to_folder`; failures get a
 * warning. */
void code_objects_collect(const char *directory, int to_folder);

#endif
