/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata notes of a code object, one after the other. */
#ifndef HIPGRAIN_CODEOBJ_NOTES_H
#define HIPGRAIN_CODEOBJ_NOTES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Pass the payload (MessagePack) of each metadata note to note(), in the order of the file, each
 * once. `elf` passed codeobj_elf_check(). Stops at the first nonzero status that note() returns,
 * and returns it. Otherwise 0; -ENOENT without such a note; -ENOTSUP if there are only notes of
 * code object version 2; -EINVAL if notes lie outside of the file, are cut off, or overlap without
 * one holding the other; -ENOMEM.
 */
int codeobj_notes_read(const void *elf, size_t size,
		       int (*note)(const uint8_t *payload, size_t size, void *user), void *user);

#endif
