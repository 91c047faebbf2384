/* SPDX-License-Identifier: Apache-2.0 */
/* These make system calls without the functions of the C library, which ours stand in front of. */
#ifndef HIPGRAIN_PRELOAD_CORE_KERNEL_CALL_H
#define HIPGRAIN_PRELOAD_CORE_KERNEL_CALL_H

/* The first is like syscall(2). Our syscall() goes on to the second (control/syscall.c). */
long hg_syscall(long number, ...) __attribute__((visibility("hidden")));
extern long (*hg_next_syscall)(long number, ...) __attribute__((visibility("hidden")));

#endif
