/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rocpd databases: SQLite files in which rocprofv3 keeps when kernels and copies ran. Both
 * forms of their tables are read: times in the rows themselves (schema 3), and in a table of their
 * own (schema 4) [ROCPD].
 */
#ifndef HIPGRAIN_TIMES_ROCPD_H
#define HIPGRAIN_TIMES_ROCPD_H

#include <glib.h>
#include <stdint.h>

/* All dispatches of a kernel in a process, or all copies of a kind. Times are in ns of the
 * database's clock. */
struct rocpd_total {
	int32_t pid;
	char *name; /* the kernel's symbol without ".kd"; "MEMORY_COPY_HOST_TO_DEVICE" or the like
		     */
	uint64_t count;
	uint64_t ns, most_ns;        /* sum of durations, and the longest */
	int64_t first_ns, latest_ns; /* when the first one began, and the last one */
	uint64_t wrong;              /* of `count`, those that end before they begin: not in `ns` */
};

struct rocpd {
	GArray *kernels, *copies; /* struct rocpd_total, by pid and name */
};

/*
 * Reads the database in file `path`. Returns 0; or a negative errno and a one-line message in
 * *error, which the caller frees with g_free(), if it cannot be read, is no such database, or takes
 * longer than ROCPD_SECONDS or more than ROCPD_MIB.
 */
#define ROCPD_SECONDS 60
#define ROCPD_MIB     512
int rocpd_read(const char *path, struct rocpd *database, char **error);
void rocpd_clear(struct rocpd *database);

#endif
