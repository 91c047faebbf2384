/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the libraries behind this one. */
#ifndef SOFTKFD_LIBC_H
#define SOFTKFD_LIBC_H

/* The function `name` that comes after this library, looked up once; NULL if there is none. */
void *kfd_next(void **cache, const char *name);

#endif
