/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for translated code: nowhere can the process both write and execute it. */
#ifndef SOFTGPU_NATIVE_ROOM_H
#define SOFTGPU_NATIVE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_CHUNK  (1u << 20)
#define NATIVE_CHUNKS 64

/* A piece of the room for code: the same bytes at two addresses. */
struct native_room {
	uint8_t *write;     /* 16-byte aligned */
	const uint8_t *run; /* the address at which they are executed */
	size_t size;
	unsigned chunk;
};

/*
 * Find `size` bytes (at most NATIVE_CHUNK), which stay free until native_room_take(). False when
 * there are none, or when this process may not have such memory. Calls exclude each other by the
 * caller's lock, also with native_room_take().
 */
bool native_room_find(struct native_room *room, size_t size);
/* The first `used` bytes hold code now. */
void native_room_take(const struct native_room *room, size_t used);
/* Code in that chunk will not be executed again. Any thread, at any time. */
void native_room_return(unsigned chunk);
/* Chunks that hold code, or would take the next. */
unsigned native_room_chunks(void);

#endif
