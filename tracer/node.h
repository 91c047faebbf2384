/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This makes one recording for all ranks of a job on this machine: `record --per-node`, called by
 * each rank, meets in a directory of the user's. The first one records; the others run their
 * commands under its recording.
 */
#ifndef HIPGRAIN_TRACER_NODE_H
#define HIPGRAIN_TRACER_NODE_H

#include <stdbool.h>
#include <stddef.h>

struct node {
	int leader;  /* file, locked by the rank that records; says where */
	int members; /* file, locked by the others while their commands run */
	bool leads;
	/* These are set in a rank that does not lead; malloc'ed. */
	char *bundle, *session;
};

#define NODE_NONE                            \
	{                                    \
		.leader = -1, .members = -1, \
	}

/*
 * Joins the ranks of this job step, found by the launcher's variables, without which the processes
 * of one parent are a step. Waits until one of them records. Returns 0, or -errno with one line in
 * `why`.
 */
int node_join(struct node *node, char *why, size_t why_size);

/* Tells the others, as the leader, what they need to join. Returns 0 or -errno. */
int node_announce(const struct node *node, const char *bundle, const char *session);

/* Waits, as the leader, until no other rank's command runs, and lets none join any more. */
void node_wait(const struct node *node);

/* Returns the path of a new bundle of this machine below `directory`, which is made if need be. It
 * is malloc'ed; if it is NULL errno says why. */
char *node_bundle(const char *directory);

void node_leave(struct node *node);

#endif
