/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every code object in a file, however it is wrapped: bare, in offload bundles, compressed, in
 * LLVM's offload binaries; these in section .hip_fatbin or .llvm.offloading of an executable,
 * library or object file, or in an archive of object files.
 */
#ifndef HIPGRAIN_CONTAINERS_H
#define HIPGRAIN_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>

#include "codeobj/codeobj.h"

struct container_sink {
	/*
	 * A code object; `target` is the target id that its container gives it (valid during the
	 * call), NULL without one. `elf` is valid as long as the data is; if it had to be
	 * decompressed, as long as the buffer is that is handed to keep() afterwards.
	 */
	void (*object)(void *user, const void *elf, size_t size, const char *target);
	/* Takes a line about something that could not be read. More may still come. */
	void (*problem)(void *user, const char *text);
	void *user;
	/* Takes over a buffer of `size` bytes, to be freed. NULL: freed at once. */
	void (*keep)(void *user, void *buffer, size_t size);
};

/* Walks through any number of any bytes. Entries for the host are left out. */
void containers_walk(const void *data, size_t size, const struct container_sink *sink);

/* Returns true if the device code of an executable or library begins with a compressed bundle. */
bool containers_compressed(const void *data, size_t size);

/* Returns true if an ELF file for the host has a section with device code. */
bool containers_in_host(const void *data, size_t size);

/*
 * The SHA-256 of `size` bytes in lower-case hex, which names a code object; the recorder computes
 * the same by codeobj_sha256(). 0, or -EIO if the library refuses.
 */
int containers_sha256(const void *data, size_t size, char hex[CODEOBJ_SHA256_SIZE]);

#endif
