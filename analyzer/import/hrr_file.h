/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture of HIP's runtime (HRR, HIP_HRR_CAPTURE_OUTPUT): a directory pid-PID for each process,
 * with events.bin, a manifest and the code objects; docs/INTERNALS.md. All of it is hostile input:
 * a function that fails leaves one line in *error, which the caller frees by g_free(), that says
 * what is wrong and where.
 */
#ifndef HIPGRAIN_IMPORT_HRR_FILE_H
#define HIPGRAIN_IMPORT_HRR_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Versions of events.bin whose numbers of functions are places in HipDispatchTable. */
#define HRR_FIRST_VERSION 5
#define HRR_LAST_VERSION  7

struct json_object;

struct hrr_record {
	uint64_t sequence, ns, thread;
	uint64_t at;         /* byte of the file where it begins */
	const uint8_t *data; /* behind its header */
	uint32_t length;     /* of these */
	uint32_t number;     /* from 1, in the order of the file */
	uint16_t type;
};

struct hrr_events {
	unsigned version;
	bool ended;      /* by the capture: nothing is cut off */
	uint64_t left;   /* bytes at the end that are no whole record */
	GArray *records; /* struct hrr_record, in the order of the calls */
};

/* Reads the events in `data`, which must outlive them. Returns 0 (hrr_events_clear() is due later)
 * or -EINVAL with *error. */
int hrr_events_read(struct hrr_events *events, const uint8_t *data, size_t size, char **error);
void hrr_events_clear(struct hrr_events *events);

struct hrr_process {
	int32_t pid;
	int folder;                   /* descriptor of its directory */
	char *name;                   /* of it, for messages: "pid-7/", or "" */
	struct json_object *manifest; /* NULL: there is none */
	GMappedFile *file;
	struct hrr_events events;
};

/* Returns the processes (struct hrr_process *, by pid) of the capture at `path`; NULL on
 * failure. */
GPtrArray *hrr_processes(const char *path, char **error);

/*
 * Maps a regular file of at most `most` bytes below directory `folder`, which `path` must not
 * leave. `name` is for *error. Returns NULL on failure; with `optional`, and without an error, if
 * there is none.
 */
GMappedFile *hrr_file(int folder, const char *path, const char *name, uint64_t most, bool optional,
		      char **error);

#endif
