/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what others than the preload library know of the GPU work of each process, in DIR/witness.
 * The recorder makes the file; the software GPU maps it and counts the kernels that it begins. The
 * analyzer compares: kernels that are counted here and not in the recording were launched in a way
 * that is not recorded. If there is a driver, the recorder reads from it now and then the queues
 * that it has of each process: one that has some and made no recorded call uses the GPU unseen.
 *
 * A row belongs to a process; several program images of it share the row. A process that is killed
 * leaves its row as it is.
 */
#ifndef HIPGRAIN_TRACER_WITNESS_H
#define HIPGRAIN_TRACER_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HG_WITNESS         "witness"
#define HG_WITNESS_MAGIC   UINT64_C(0x7373656e74697767)
#define HG_WITNESS_ROWS    1023u
#define HG_WITNESS_PROGRAM 48u

struct hg_witness_row {
	int32_t pid;      /* atomic; 0: free */
	uint32_t queues;  /* the most that the driver had of it at once */
	uint64_t kernels; /* atomic; without those of the runtime's own copies and fills */
	char program[HG_WITNESS_PROGRAM]; /* NUL-terminated: its name, cut */
};

struct hg_witness_table {
	uint64_t magic;
	uint64_t others; /* atomic; kernels of processes for which there was no row */
	uint32_t closed; /* atomic; the recording has ended: nobody adds to it */
	uint32_t zero[11];
	struct hg_witness_row rows[HG_WITNESS_ROWS];
};
_Static_assert(sizeof(struct hg_witness_row) == 64 && sizeof(struct hg_witness_table) == 65536,
	       "pages");

/*
 * Returns the row of a process, which is made if there is a free one, or NULL if there is none. The
 * caller fills in its name.
 */
static inline struct hg_witness_row *hg_witness_row(struct hg_witness_table *table, int32_t pid)
{
	for (uint32_t i = 0; i < HG_WITNESS_ROWS; i++) {
		struct hg_witness_row *row = &table->rows[i];
		int32_t found = 0;

		if (__atomic_compare_exchange_n(&row->pid, &found, pid, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    found == pid)
			return row;
	}
	return NULL;
}

/* Make the recorder's table in a bundle, if there is room, and close it at the end. */
void witness_make(int bundle);
void witness_close(int bundle);

/*
 * The driver has a directory here for each process, by its number in the first namespace of
 * numbers, so that in a container none is found (kfd_process.c, kfd_create_process_sysfs(): KFD).
 */
#define WITNESS_KFD "/sys/class/kfd/kfd/proc"

/*
 * Notes the queues that the driver has of the processes whose HIPGRAIN_DIR is `path`, that of
 * `bundle`. Returns false if `kfd` is not there.
 */
bool witness_look(int bundle, const char *path, const char *kfd);

/*
 * Serve a recording of processes on standby: the first returns the counts below `directory` when
 * its session began (NULL: there is no table). witness_keep() makes, at the end, a table in the
 * bundle with the counts since then of those among `pids`, by their own number; without any it
 * keeps all. It frees them.
 */
struct hg_witness_table *witness_start(const char *directory);
void witness_keep(struct hg_witness_table *start, const char *directory, const pid_t *pids,
		  size_t pid_count, int bundle);

#endif
