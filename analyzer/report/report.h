/* SPDX-License-Identifier: Apache-2.0 */
/* The formats (formats.h) share this: sections as rows of text and as JSON. */
#ifndef HIPGRAIN_REPORT_H
#define HIPGRAIN_REPORT_H

#include "analyzer/analyze.h"

struct finding;
struct printer;
struct json_object;

/*
 * Tells how the program ended, if it did not end well, and faults of GPUs: char *, a sentence each
 * without full stop; none if there is nothing to tell. The caller frees it.
 */
GPtrArray *report_death(const struct analysis *analysis);
/* Returns true if a signal ended the command, or another process of it that uses the GPU. */
bool report_killed(const struct analysis *analysis);
/* Returns what follows "nothing" and "nothing else" where there is no finding. */
const char *report_nothing(bool killed);
/* Returns the same as an object: what is known of the end, and each fault. */
struct json_object *json_death(const struct analysis *analysis);
/* Returns "SIGABRT" or the like, NULL for signals without a name. */
const char *signal_text(int number);

/* Prints which processes there were: lines of text, one for those that are alike. */
void put_processes(const struct printer *printer);

/* Tell what --access-if requested: rows of text; and a JSON object, NULL without it. */
void put_what_if(const struct printer *printer);
struct json_object *json_what_if(const struct analysis *analysis);

/* Tell how long kernels ran (--with): rows of text, nothing without it; a JSON object. */
void put_gpu_times(const struct printer *printer);
struct json_object *json_gpu_times(const struct analysis *analysis);
/* Returns the time of the finding's kernel, or NULL. */
struct json_object *json_gpu_time(const struct analysis *analysis, const struct finding *finding);

/*
 * Returns what advice would save, by measured time at most or by bytes at least; NULL if it is not
 * advice, or neither is known.
 */
struct json_object *json_worth(const struct analysis *analysis, const struct finding *finding);

/* A cause is worth this with all of its findings; each kernel counts once. */
struct cause_worth {
	unsigned kernels; /* whose time was measured */
	int64_t kernels_ns;
	double percent; /* of the time of kernels and copies */
	int64_t bytes, bytes_ns;
};
struct cause_worth cause_worth(struct json_object *cause);

/* Tell where memory was over time. */
struct json_object *json_residency(const struct analysis *analysis);
void write_residency_csv(const struct analysis *analysis, FILE *stream);

/* Tell what --fix did, likewise. */
void put_fixes(const struct printer *printer);
struct json_object *json_fixes(const struct analysis *analysis);

/* Tell the account of pages that moved: rows of text, nothing without any; and a JSON array. */
void put_moves(const struct printer *printer);
struct json_object *json_migration(const struct analysis *analysis);

/*
 * Tell if the recording is complete: a JSON object; and the line that a text report ends with if it
 * is not, by the object's members `status` and `missing`.
 */
struct json_object *json_recording(const struct analysis *analysis);
void recording_line(const char *status, int64_t missing, FILE *stream);

/*
 * Returns the findings as causes (causes.h), which the caller puts; the struct finding of each is
 * its userdata.
 */
struct json_object *json_causes(const struct analysis *analysis);

/* Returns the JSON report as an object, which the caller puts. */
struct json_object *report_json_object(const struct analysis *analysis);

/*
 * Read a JSON report that was written earlier: schema hipgrain-findings/1, its findings with
 * fingerprints. Returns 0; or a negative errno and a one-line message in *error, for the caller
 * to free.
 */
int report_read_json(const char *path, struct json_object **report, char **error);

#endif
