/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng's session daemon: one of our own is started and used. Other recordings than those with the
 * options that FOR names need none.
 */
#include <lttng/ust-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "tracer/daemon.h"
#include "tracer/daemon_version.h"
#include "tracer/install.h"
#include "tracer/session.h"
#include "tracer/tree.h"

#define FOR "record --url, --rotate, --quota and --snapshot"

/* A daemon that works answers in milliseconds. */
#define ANSWER_MS 3000

/* ---- its version ---- */

static void check_version(struct doctor *doctor, const char *program)
{
	struct daemon_version version;

	if (!daemon_version_of(program, &version)) {
		doctor_add(doctor, HEALTH_UNKNOWN, NULL,
			   "lttng-sessiond does not report its version");
	} else if (version.major < LTTNG_UST_MAJOR_VERSION ||
		   (version.major == LTTNG_UST_MAJOR_VERSION &&
		    version.minor < LTTNG_UST_MINOR_VERSION)) {
		/* The library speaks the daemon's protocol of its own version (lttng-ust(3)). */
		doctor_add(
		    doctor, HEALTH_LIMITED, "use an lttng-tools at least as new as liblttng-ust",
		    "lttng-sessiond %u.%u is older than liblttng-ust %d.%d: it may refuse",
		    version.major, version.minor, LTTNG_UST_MAJOR_VERSION, LTTNG_UST_MINOR_VERSION);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL, "lttng-sessiond %u.%u, liblttng-ust %d.%d",
			   version.major, version.minor, LTTNG_UST_MAJOR_VERSION,
			   LTTNG_UST_MINOR_VERSION);
	}
}

/* ---- one of our own ---- */

/* Records a process that does nothing into `folder`. Returns 0, or -errno with one line in
 * `why`. */
static int try_session(const struct install_paths *paths, struct daemon_link *link,
		       const char *name, const char *folder, char *why, size_t why_size)
{
	struct session_plan plan = { .provider = paths->provider };
	struct session session;
	struct session_loss loss;
	int error = session_begin(&session, &link->client, name, folder, &plan, why, why_size);

	if (error)
		return error;
	if (client_probe(&link->client, ANSWER_MS) != CLIENT_DAEMON_ANSWERS)
		session.mute = true;
	return session_end(&session, &loss, why, why_size);
}

static int try_daemon(const struct install_paths *paths, const char *folder, char *why,
		      size_t why_size)
{
	char name[DAEMON_SESSION_NAME_SIZE];
	struct daemon_link link;
	int error;

	daemon_name_session(name, sizeof(name), g_get_real_time() * 1000);
	error = daemon_connect(&link, name, paths->shim, -1, why, why_size);
	if (error)
		return error;
	error = try_session(paths, &link, name, folder, why, why_size);
	link.stuck = error != 0;
	daemon_disconnect(&link);
	return error;
}

static void check_own(struct doctor *doctor)
{
	char *folder = g_dir_make_tmp("hipgrain-doctor-XXXXXX", NULL);
	gint64 begin = g_get_monotonic_time();
	struct install_paths paths = { 0 };
	char why[512];

	if (!folder || install_find(&paths, why, sizeof(why)) != 0) {
		/* A missing installation is reported in a line of its own. */
		doctor_add(doctor, HEALTH_UNKNOWN, NULL, "LTTng's daemons were not tried: %s",
			   folder ? "hipgrain is not installed"
				  : "cannot create a temporary directory");
	} else if (try_daemon(&paths, folder, why, sizeof(why)) != 0) {
		doctor_add(doctor, HEALTH_LIMITED, NULL,
			   "LTTng's daemons were tried, which " FOR " need: %s", why);
	} else {
		doctor_add(doctor, HEALTH_OK, NULL,
			   "LTTng's daemons were tried: they start, record and end (%d ms)",
			   (int)((g_get_monotonic_time() - begin) / 1000));
	}
	install_paths_free(&paths);
	if (folder)
		tree_remove_path(folder);
	g_free(folder);
}

void doctor_check_daemon(struct doctor *doctor)
{
	char *program = daemon_program();

	if (program) {
		check_version(doctor, program);
		check_own(doctor);
	} else {
		doctor_add(doctor, HEALTH_LIMITED,
			   "install LTTng's daemon (Debian: package lttng-tools)",
			   "no lttng-sessiond in PATH, which " FOR " need");
	}
	free(program);
}
