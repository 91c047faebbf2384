/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libbabeltrace2 2.0 does not survive all damage: a length of an array, in an event, of billions
 * ends the process (our own sequences have at most 65535 elements: tracer/tracepoints.h). While a
 * thread reads, that becomes a message and the exit status for bad input; crashes of other threads
 * and of our own code are what they were. Signals that end the process do so as before, after
 * temporary_remove_all().
 */
#ifndef HIPGRAIN_CRASH_GUARD_H
#define HIPGRAIN_CRASH_GUARD_H

#include <stdbool.h>

/* Notes that the trace in directory `directory` is being read, until guard_end(). There is one at a
 * time. */
void guard_begin(const char *directory);
void guard_end(void);

/* Says if this thread is in libbabeltrace2. */
void guard_reading(bool now);

#endif
