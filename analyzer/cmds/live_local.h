/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain live of a bundle on this machine, without a relay. */
#ifndef HIPGRAIN_ANALYZER_CMDS_LIVE_LOCAL_H
#define HIPGRAIN_ANALYZER_CMDS_LIVE_LOCAL_H

#include "analyzer/cmds/report_options.h"

struct json_object;

/*
 * Print findings of the bundle, which is being recorded, as they appear, unless `quiet`; then the
 * report, when the recording ends or live_stop() is called. Prepared options are released. An enum
 * hg_exit, where it is not 0 after a message.
 */
int live_local(struct report_options *options, const char *bundle, bool quiet);

/*
 * Returns 1 if the bundle's recorder, which has a lock on its directory, still runs, 0 if not, or
 * -errno.
 */
int live_is_recorded(const char *bundle);

/*
 * Returns the report so far as JSON, which a child process makes, or NULL if there is none yet. The
 * caller puts it.
 */
struct json_object *live_look(const struct report_options *options, const char *bundle);

#endif
