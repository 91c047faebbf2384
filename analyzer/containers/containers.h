/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every code object in a file, however it is wrapped: bare, in offload bundles, compressed, in
 * section .hip_fatbin of an executable or library.
 */
#ifndef HIPGRAIN_CONTAINERS_H
#define HIPGRAIN_CONTAINERS_H

#include <stddef.h>

struct container_sink {
	/*
	 * A code object; `target` is the target id that its bundle gives it, NULL without a bundle.
	 * `elf` is valid during the call only.
	 */
	void (*object)(void *user, const void *elf, size_t size, const char *target);
	/* One line about something that could not be read. What follows may still come. */
	void (*problem)(void *user, const char *text);
	void *user;
};

/* Any length of any bytes. Entries for the host are left out. */
void containers_walk(const void *data, size_t size, const struct container_sink *sink);

#endif
