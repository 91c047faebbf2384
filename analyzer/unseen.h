/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds calls of processes that were made past the recorder, as far as the trace itself shows them.
 */
#ifndef HIPGRAIN_UNSEEN_H
#define HIPGRAIN_UNSEEN_H

#include <glib.h>

#include "analyzer/replay/replay.h"

struct findings;

/*
 * Returns a sentence for each process and way: char *. `aborted` is true if the command ended by
 * SIGABRT. The caller unrefs the array.
 */
GPtrArray *unseen_collect(const struct replay *replay, const struct findings *findings,
			  bool aborted);

/*
 * Notes children by fork() that used no GPU, of processes that did, and that a signal ended: which
 * one, and if that was meant, is not recorded.
 */
void unseen_note_children(const struct replay *replay, struct findings *findings);

/*
 * Adds to the limits OpenMP programs whose target regions ran on the host because the user
 * requested it, or because GCC's runtime has no plugin for AMD's GPUs; and copies by the HSA
 * runtime itself, which are counted only.
 */
void unseen_note_limits(const struct replay *replay, struct findings *findings);

/*
 * Returns true if the process called a GPU's runtime or, unless another one forked it, has it or
 * code for a GPU.
 */
bool unseen_is_gpu_program(const struct process *process, const struct findings *findings);

#endif
