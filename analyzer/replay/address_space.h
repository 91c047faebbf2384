/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocations of one process, live and freed, by address.
 *
 * Several layers, because one byte can belong to several: memory that was allocated by malloc
 * and then registered with HIP, or an mmap'ed arena with an allocator on top of it.
 */
#ifndef HIPGRAIN_ADDRESS_SPACE_H
#define HIPGRAIN_ADDRESS_SPACE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "attachments.h"
#include "host_blocks.h"
#include "tracer/events.h"

struct range_path;

enum layer {
	LAYER_REGISTERED, /* hipHostRegister: overlays others; found by host and by GPU address */
	LAYER_MAPPED,     /* hipMemMap: overlays a reservation of addresses */
	LAYER_HIP,        /* allocations of HIP's */
	LAYER_HOST,       /* malloc and friends */
	LAYER_MAPPING,    /* mmap, shmat, and what the program had by moving the break */
	LAYERS,
};

/* The runtime's report about an allocation: struct hg_ev_memory. */
struct memory_attributes {
	bool known; /* and not out of date */
	int32_t type, managed, coherency, preferred, last_prefetch;
	uint64_t pool_flags;
};

struct allocation {
	uint64_t ptr; /* must stay the first member: it is the key of the trees */
	uint64_t size;
	uint64_t device_ptr;
	uint64_t origin; /* of a piece of a mapping: where the whole began */
	uint16_t api;
	enum layer layer;
	uint64_t flags;
	int32_t device;
	int32_t tid;
	int64_t ns;
	uint64_t stream;
	uint32_t stack_id;
	char *symbol;                   /* device variables: the name, else NULL */
	char *label;                    /* by hipgrain_name(): printable; else NULL */
	char *view_space;               /* it is a View of Kokkos, in this space: likewise */
	const struct range_path *range; /* in which it was allocated (ranges.h), NULL: in none */
	unsigned references;
	struct memory_attributes attributes;
	struct attachments attachments;
	bool prefetched_to_gpu; /* at least in part, at some time */
	bool sync_memops;       /* HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS */

	/* Set when it was freed. */
	bool freed;
	uint16_t free_api;
	int32_t free_tid;
	int64_t free_ns;
	uint32_t free_stack_id;
};

/* Called for each allocation that begins or ends, mappings excepted. */
struct space_observer {
	/* `again`: it was released by a call that then failed. */
	void (*live)(void *data, void *owner, struct allocation *allocation, bool again);
	void (*ended)(void *data, void *owner, struct allocation *allocation);
	void *data;
};

/*
 * Blocks of the C library are records in as little memory as possible until somebody asks for what
 * lies at their address: then they become an allocation, and stay one. Not so for an observer, who
 * sees allocations only.
 */
struct address_space {
	struct host_blocks *blocks; /* these are not in the host's layer, nor in `freed` */
	GTree *layers[LAYERS];      /* live, by ptr */
	GTree *aliases;             /* live, those whose GPU address differs, by device_ptr */
	GTree *gone_aliases; /* by device_ptr: registrations that ended; the memory lives on */
	GTree *freed;        /* latest freed allocation at an address */
	GTree *unmapped;     /* parts of mappings that ended, unless something came there since */
	int64_t latest_free_ns;   /* when something was last released */
	uint64_t overlaps;        /* allocations that appeared on top of live ones of their layer */
	uint64_t longest_overlap; /* the size of the longest registration that others overlapped */

	const struct space_observer *observer; /* borrowed, or NULL */
	void *owner;                           /* for the observer: whose space this is */
};

void address_space_init(struct address_space *space);
void address_space_destroy(struct address_space *space);

/* For trees and arrays whose keys are addresses: orders two uint64_t that are pointed to. */
gint compare_addresses(gconstpointer a, gconstpointer b, gpointer unused);

/* In which layer a function allocates, or releases. */
enum layer layer_of_api(uint16_t api);

/*
 * Returns true for registered memory that the GPU has at the host's address: its pages have
 * attributes and are not pinned (docs/memory-model.md#hiphostregister).
 */
bool allocation_is_in_place(const struct allocation *allocation);

/* These add and remove a holder: the last one frees the allocation. */
struct allocation *allocation_ref(struct allocation *allocation);
void allocation_unref(struct allocation *allocation);

/*
 * Takes over the caller's reference. What it overlaps in its layer is taken as ended, but
 * registrations may overlap.
 */
void address_space_add(struct address_space *space, struct allocation *allocation);

/* Adds a block of the C library likewise and returns true, if nobody observes the space. */
bool address_space_add_block(struct address_space *space, const struct host_block *block);

/* Returns the block that begins at `ptr`, if nobody has looked it up yet, or NULL; it is valid
 * until the next change. */
struct host_block *address_space_block(const struct address_space *space, uint64_t ptr);

/* Releases that block; only the free_ members of `how` count. */
void address_space_release_block(struct address_space *space, struct host_block *block,
				 const struct host_block *how);

/* The live allocation that begins at `ptr` in one of the layers that `api` (a release function)
 * can release from, or NULL. */
struct allocation *address_space_find_base(const struct address_space *space, uint64_t ptr,
					   uint16_t api);

/* Move a live allocation to the freed ones; the caller has set its free_* members. */
void address_space_release(struct address_space *space, struct allocation *allocation);

/* Undoes the release by `api` of the allocation that began at `ptr`, if thread `tid` did it. */
struct allocation *address_space_restore(struct address_space *space, uint64_t ptr, int32_t tid,
					 uint16_t api);

/* The same of what began at `ptr` and was released at `ns`, by whomever. */
struct allocation *address_space_restore_at(struct address_space *space, uint64_t ptr, int64_t ns);

/* Tells how mappings ended. */
struct unmapping {
	uint16_t api;
	int32_t tid;
	int64_t ns;
	uint32_t stack_id;
};

/*
 * Removes [start, start + size) from the mmap layer, splitting what is only partly covered. `how`
 * is NULL where other memory replaces it, or takes it over.
 */
void address_space_unmap(struct address_space *space, uint64_t start, uint64_t size,
			 const struct unmapping *how);

/*
 * Returns what was released in that range last, also where smaller memory that is not recorded may
 * have come since, or NULL. *offset: of `start`, or 0 if it begins later.
 */
struct allocation *address_space_find_gone(const struct address_space *space, uint64_t start,
					   uint64_t size, uint64_t *offset);

/*
 * shmdt of what was attached at `start`: remove its pieces, whatever lies between them. Calls
 * `removed` for the pages of each.
 */
void address_space_detach(struct address_space *space, uint64_t start, const struct unmapping *how,
			  void (*removed)(void *data, uint64_t start, uint64_t size), void *data);

/*
 * `api` is called for memory at `ptr` that is released already: if that fails, the release before
 * it still holds, and address_space_restore() is not to undo it.
 */
void address_space_released_again(struct address_space *space, uint64_t ptr, uint16_t api);

/* Returns the live allocation that holds `address` (of the host or a GPU), topmost layer first. */
struct allocation *address_space_find(const struct address_space *space, uint64_t address,
				      uint64_t *offset);

/* Returns the freed allocation that last held `address`, or NULL. */
struct allocation *address_space_find_freed(const struct address_space *space, uint64_t address,
					    uint64_t *offset);

/* Returns the closest live HIP allocation that ends at or before `address`, or NULL. */
struct allocation *address_space_find_before(const struct address_space *space, uint64_t address,
					     uint64_t *past_end);

/* The first live allocation of a layer that overlaps [start, start + size), or NULL. */
struct allocation *address_space_overlapping(const struct address_space *space, enum layer layer,
					     uint64_t start, uint64_t size);

/* Returns the live device variable of that name, or NULL. */
struct allocation *address_space_find_symbol(const struct address_space *space, const char *symbol);

#endif
