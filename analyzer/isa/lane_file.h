/* SPDX-License-Identifier: Apache-2.0 */
/* A group of lanes holds this: vector registers and private memory. Shared, copied when written. */
#ifndef HIPGRAIN_ISA_LANE_FILE_H
#define HIPGRAIN_ISA_LANE_FILE_H

#include "insn.h"
#include "lane_pool.h"
#include "slice.h"
#include "value.h"

/* Vector and accumulation registers, and the private memory of the lanes, in dwords. */
#define LANE_REGS (REG_COUNT - REG_VECTOR)
/* Registers are distinguished by groups first: most files use few, and differ in fewer. */
#define LANE_GROUP 16u
_Static_assert(LANE_REGS == 32 * LANE_GROUP, "a bit for each group");
/* Private memory is followed up to this many bytes per lane. */
#define PRIVATE_LIMIT 65536u
/* So many dwords behind arguments are known to have been stored to; further ones are left out. */
#define LANE_STORED 8u

/* A dword so many bytes from where the pointer in a base leads, which is the same in all lanes. */
struct stored_dword {
	uint32_t base;
	int32_t distance;
};

struct lane_file {
	struct lane_pool *pool; /* NULL: none; copies have that of what they were made from */
	struct lane_file *next; /* in the pool */
	unsigned refs;
	uint32_t private_count;
	value_id *private; /* by dword; bottom: what is stored there is `wild` alone */
	value_id wild;     /* stored at unknown private addresses */
	value_id stray;    /* stored at addresses that may or may not be private */
	/* Each of the lanes has stored to these, whatever the way that it took; if there are no
	 * lanes (`empty`), that is true of all. */
	struct stored_dword stored[LANE_STORED];
	uint32_t stored_count;
	bool empty;
	uint32_t used; /* bit n: registers n * LANE_GROUP and following may not be 0 */
	value_id reg[LANE_REGS];
};

/* Returns a file with one reference and nothing written; NULL if out of memory. */
struct lane_file *lane_file_new(struct lane_pool *pool);
/* Drop a reference; NULL is allowed. */
void lane_file_put(struct lane_file *file);

/*
 * Does *into |= from. Returns 1 if it changed, 0 if not, -ENOMEM. With `widen` it converges.
 * Registers that are not in `live` stay as they are; with NULL all are in it.
 */
int lane_file_join(struct value_store *store, struct lane_file **into, const struct lane_file *from,
		   const struct reg_set *live, bool widen);
/* Forget the registers that are not in `live`. 0 or -ENOMEM. */
int lane_file_keep(struct lane_file **file, const struct reg_set *live);
bool lane_file_equal(const struct lane_file *a, const struct lane_file *b);

/* Set register `index` (0: v0). 0 or -ENOMEM. */
int lane_file_set(struct lane_file **file, unsigned index, value_id value);

/* These are for private memory; see state_private_load() and its neighbours. */
value_id lane_file_load(struct value_store *store, const struct lane_file *file, uint32_t dword,
			bool flat);
value_id lane_file_load_any(struct value_store *store, const struct lane_file *file);
int lane_file_store(struct lane_file **file, uint32_t dword, value_id value);
int lane_file_store_any(struct value_store *store, struct lane_file **file, value_id value,
			bool stray);

/* Notes that all lanes store to a dword of other memory. 0 or -ENOMEM. */
int lane_file_note(struct lane_file **file, struct stored_dword dword);
/* Returns true if all lanes have. */
bool lane_file_noted(const struct lane_file *file, struct stored_dword dword);

#endif
