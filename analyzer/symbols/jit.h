/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that was compiled at run time, from the map that its compiler writes for perf:
 * perf-PID.map, lines of START SIZE NAME, numbers in hexadecimal.
 */
#ifndef HIPGRAIN_SYMBOLS_JIT_H
#define HIPGRAIN_SYMBOLS_JIT_H

#include <stdint.h>

struct jit_map;

/*
 * The map of process `pid`: from the directory `bundle` (may be NULL) if there is one, else from
 * /tmp if it was last written after `began_ns` (since 1970) by this user or root: a process id can
 * be another process's by then. NULL if there is none. jit_map_free() it.
 */
struct jit_map *jit_map_read(const char *bundle, int pid, int64_t began_ns);
void jit_map_free(struct jit_map *map);

/* Returns the function that holds the address and the address's offset in it, or NULL. */
const char *jit_map_find(const struct jit_map *map, uint64_t address, uint64_t *offset);

#endif
