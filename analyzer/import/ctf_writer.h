/* SPDX-License-Identifier: Apache-2.0 */
/* Events to a trace as a recording has it: CTF 1.8, in packets laid out as LTTng-UST's. */
#ifndef HIPGRAIN_IMPORT_CTF_WRITER_H
#define HIPGRAIN_IMPORT_CTF_WRITER_H

#include <stdint.h>

#include "analyzer/reader/event.h"

struct ctf_writer;

/* Describe the trace in directory `folder`: file "metadata". 0 or -errno. */
int ctf_write_metadata(int folder);

/* A stream of one process, file "process-PID" there; NULL and errno if it cannot be made. */
struct ctf_writer *ctf_writer_open(int folder, int32_t pid);

/* Its times must not decrease. */
void ctf_writer_event(struct ctf_writer *writer, const struct hg_event *event);

/* 0, or -errno of the first write that failed. */
int ctf_writer_close(struct ctf_writer *writer);

#endif
