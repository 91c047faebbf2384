/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What queue.c, aql.c, sdma.c and doorbell.c share: queues of the process, which a program writes
 * packets into, and the threads that execute them.
 */
#ifndef SOFTKFD_QUEUE_H
#define SOFTKFD_QUEUE_H

#include "kernels/softkfd/kfd.h"

#endif
