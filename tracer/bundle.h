/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace bundle on disk:
 *
 *   DIR/ctf/            the LTTng trace
 *   DIR/code-objects/   device code objects, one file each, named by its SHA-256
 *   DIR/manifest.json   what was recorded, where, and whether the recording ended properly
 *   DIR/places          while it is recorded: where kernels load pointers from (places.h)
 *   DIR/recorder.socket while it is recorded: takes requests (control.h)
 *
 * The manifest is always a whole JSON object: it is replaced by rename(2). "complete" is false
 * until the recording was ended and flushed, so a bundle of a killed recorder says so.
 */
#ifndef HIPGRAIN_TRACER_BUNDLE_H
#define HIPGRAIN_TRACER_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/rotation.h"
#include "tracer/running.h"

#define BUNDLE_MANIFEST        "manifest.json"
#define BUNDLE_CTF             "ctf"
#define BUNDLE_CODE_OBJECTS    "code-objects"
#define BUNDLE_MANIFEST_SCHEMA "hipgrain-manifest/3"

struct json_object;

struct bundle {
	char *path; /* absolute, owned */
	int lock;   /* descriptor of the directory, holds the recorder's flock(2) */
};

/* The manifest says this. Strings are borrowed; NULL becomes null. */
struct bundle_manifest {
	char *const *argv;
	const char *executable;
	bool softgpu;
	const char *threshold; /* bytes or "all"; NULL: the preload library's default */
	int stack_depth;       /* frames; negative: the preload library's default */
	const char *session;   /* of the recording; NULL: processes do not know it (attached) */
	const pid_t *pids;     /* attached to these */
	size_t pid_count;
	bool attached;
	int snapshots;                        /* taken so far; negative: none are */
	const struct rotation_plan *rotation; /* NULL: it is not rotated */
	struct rotation_state rotated;
	const char *url;                          /* the trace is with the relay there; or NULL */
	const char *daemon;                       /* "private", or "none" */
	uint64_t subbuffer_size, subbuffer_count; /* bytes; per CPU */
	int64_t start_ns, end_ns;          /* CLOCK_REALTIME; end_ns is 0 until the command ended */
	int exit_status;                   /* of the command, negative if it has none */
	int exit_signal;                   /* 0 if no signal killed it */
	int64_t lost_events, lost_packets; /* -1: could not be queried */
	bool complete;
	const struct running *running; /* processes that lived when the recording ended */
	size_t running_count;
	uint64_t files;      /* of records, that processes say they made, if there are less */
	uint64_t unrecorded; /* processes that should have been recorded, and were not */
};

/*
 * Make the directories of a new bundle at `path`, whose parent must exist. A bundle that is
 * there already is renamed to PATH.old, replacing an older bundle of that name; any other
 * non-empty directory, a bundle that another recorder writes to, a directory of another user's and
 * a link that one has made are refused.
 *
 * Returns 0 (bundle_close() later) or -errno with one line in `why`.
 */
int bundle_create(struct bundle *bundle, const char *path, char *why, size_t why_size);

/*
 * Returns the manifest in directory `folder`, which the caller json_object_put()s, or NULL if there
 * is none, if it is no JSON, or no regular file of a sensible size.
 */
struct json_object *bundle_manifest_at(int folder);

/* Returns 0 if the directory is the caller's own, so that no other user can put links into it, or
 * -errno with one line in `why`. */
int bundle_check_owner(int folder, char *why, size_t why_size);

/* Lets only its owner read what is in it: LTTng's daemons make files that a group can read. */
void bundle_hide(const struct bundle *bundle);

/* Writes the manifest. Returns 0 or -errno. */
int bundle_write_manifest(const struct bundle *bundle, const struct bundle_manifest *manifest);

/* Removes what bundle_create() made, for a recording that never began. */
void bundle_remove(const struct bundle *bundle);

/* Unlocks and closes it; its contents stay on disk. */
void bundle_close(struct bundle *bundle);

#endif
