/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the standard streams, where these are closed. */
#ifndef HIPGRAIN_TRACER_STREAMS_H
#define HIPGRAIN_TRACER_STREAMS_H

/*
 * Occupy the numbers of those of the descriptors 0, 1 and 2 that are closed, so that no file,
 * pipe or socket of ours gets one of these numbers. Reading descriptor 0 and writing descriptor 1
 * fail as before (EBADF); what is written to descriptor 2 is discarded. All three are closed on
 * exec(): commands start with the descriptors that we were started with. To be called before
 * anything is opened.
 */
void streams_occupy(void);

#endif
