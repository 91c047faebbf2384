/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects: from where the processes put them into an attached recording's bundle. */
#ifndef HIPGRAIN_TRACER_CODE_OBJECTS_H
#define HIPGRAIN_TRACER_CODE_OBJECTS_H

/* Link or copy those of a process's folder into `to_folder`; what fails gets a warning. */
void code_objects_collect(const char *directory, int to_folder);

#endif
