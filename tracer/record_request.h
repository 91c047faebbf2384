/* SPDX-License-Identifier: Apache-2.0 */
/* This requests programs on standby to be recorded: tracer/requests.h. */
#ifndef HIPGRAIN_TRACER_RECORD_REQUEST_H
#define HIPGRAIN_TRACER_RECORD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/ring.h"

/* It means the processes that use one directory. */
struct record_request {
	int home;                 /* the directory */
	int file;                 /* HG_REQUESTS in it */
	int folder;               /* the processes make their files in it; locked */
	char name[HG_RINGS_NAME]; /* of that */
	uint64_t since;
	uint64_t files; /* that the processes have counted: known once it is withdrawn */
};

/*
 * A killed recorder left this folder. `unsaved` is true if it has records that are in no bundle.
 * The first argument is a descriptor of the directory.
 */
typedef void record_request_found(int home, const char *name, bool unsaved, void *data);

/* Calls `function` for each such folder of a directory of standby. */
void record_request_each_left(const char *directory, record_request_found *function, void *data);

/*
 * Returns 0 if processes of this version can be requested in a directory of standby; -errno with
 * one line in `why` if that has the page of another version.
 */
int record_request_check(int home, const char *directory, char *why, size_t why_size);

/*
 * Removes what killed recorders left, with a warning if that is in no bundle. Requests these
 * processes, by their numbers as they see them; count 0: all that use the directory, also those
 * that start later. Returns 0, or -errno with one line in `why`.
 */
int record_request_begin(struct record_request *request, const char *directory, const pid_t *pids,
			 size_t count, char *why, size_t why_size);

/* Withdraws the request: no process begins because of it any more; those that have begun go on
 * until rings_stop(). */
void record_request_withdraw(struct record_request *request);

/* Removes the files that are still in the folder, and the folder. */
void record_request_end(struct record_request *request);

/* Returns true if the process has made its file. */
bool record_request_is_heard(const struct record_request *request, pid_t pid);

/* Returns the number of the request for that process of a recorder that lives, or 0 if there is
 * none. */
uint64_t record_request_of(const char *directory, pid_t pid);

#endif
