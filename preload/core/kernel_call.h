/* SPDX-License-Identifier: Apache-2.0 */
/* System calls without the functions of the C library, which ours stand in front of. */
#ifndef HIPGRAIN_PRELOAD_CORE_KERNEL_CALL_H
#define HIPGRAIN_PRELOAD_CORE_KERNEL_CALL_H

/* As syscall(2), and what our syscall() goes on to (control/syscall.c). */
long hg_syscall(long number, ...) __attribute__((visibility("hidden")));
extern long (*hg_next_syscall)(long number, ...) __attribute__((visibility("hidden")));

#endif
