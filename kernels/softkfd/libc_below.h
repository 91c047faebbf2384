/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the libraries behind this one. */
#ifndef SOFTKFD_LIBC_H
#define SOFTKFD_LIBC_H

/*
 * A function of the C library, in a section of its own: the first constructor that runs looks up
 * all of them. Later another thread may hold the loader's lock while it waits for a thread that
 * calls open().
 */
struct kfd_next {
	const char *name;
	void *found;
};

/* The function that comes after this library's own of that name, called as NEXT(open)(path, flags).
 */
#define NEXT(function)                                                                    \
	({                                                                                \
		static struct kfd_next next                                               \
		    __attribute__((section("softkfd_next"), used)) = { #function, NULL }; \
		(__typeof__(&function))kfd_next(&next);                                   \
	})

/* Returns the function, or NULL if there is none. */
void *kfd_next(struct kfd_next *next);

#endif
