/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder sets these in the environment of what it executes. */
#ifndef HIPGRAIN_TRACER_ENVIRONMENT_NAMES_H
#define HIPGRAIN_TRACER_ENVIRONMENT_NAMES_H

/* The name of the recording: the process is to be recorded until it ends. */
#define HG_SESSION_VARIABLE "HIPGRAIN_SESSION"

/* The process id of the command that is recorded. */
#define HG_COMMAND_VARIABLE "HIPGRAIN_COMMAND"

#endif
