// SPDX-License-Identifier: Apache-2.0
/*
 * Counts the kernels that begin in a table of the recording (tracer/witness.h), if there is one,
 * so that launches that nobody recorded are noticed.
 */
#include "softgpu_host.h"
#include "tracer/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hg_witness_table *table;
static struct hg_witness_row *own; /* of this process, or of the one that forked it */

static void open_table(void)
{
	const char *folder = getenv("HIPGRAIN_DIR");
	char path[PATH_MAX];
	struct stat status;
	void *memory = MAP_FAILED;
	int file;

	if (!folder ||
	    (size_t)snprintf(path, sizeof(path), "%s/" HG_WITNESS, folder) >= sizeof(path))
		return;
	file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size == (off_t)sizeof(*table))
		memory = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory != MAP_FAILED)
		table = memory;
}

void sg_witness(const char *kernel)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int32_t pid = (int32_t)getpid();

	pthread_once(&once, open_table);
	/* The runtime's own kernels copy and fill. */
	if (!table || table->magic != HG_WITNESS_MAGIC ||
	    __atomic_load_n(&table->closed, __ATOMIC_RELAXED) ||
	    (kernel && !strncmp(kernel, "__amd_rocclr_", 13)))
		return;
	if (!own || own->pid != pid) {
		own = hg_witness_row(table, pid);
		if (own)
			strncpy(own->program, program_invocation_short_name,
				HG_WITNESS_PROGRAM - 1);
	}
	__atomic_fetch_add(own ? &own->kernels : &table->others, 1, __ATOMIC_RELAXED);
}
