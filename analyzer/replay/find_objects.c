/* SPDX-License-Identifier: Apache-2.0 */
/* These look up what is known of a process at this moment: objects by number, and memory by
 * address. */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>

#include "codeobj/codeobj.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"

const struct device *process_device(const struct process *process, int32_t ordinal)
{
	for (unsigned i = 0; i < process->devices->len; i++) {
		const struct device *device = process->devices->pdata[i];

		if (device->ordinal == ordinal)
			return device;
	}
	return process->devices->len ? process->devices->pdata[0] : NULL;
}

const char *process_arch_for_generic(const struct process *process, const char *generic)
{
	struct codeobj_target code, device, found = { "", 0, 0 };

	if (codeobj_target_parse(generic, &code))
		return "";
	for (unsigned i = 0; i < process->devices->len; i++) {
		const struct device *one = process->devices->pdata[i];

		if (codeobj_target_parse(one->arch, &device) ||
		    codeobj_target_match(&code, &device) < 0)
			continue;
		if (found.processor[0] && strcmp(found.processor, device.processor) != 0)
			return "";
		found = device;
	}
	return g_intern_string(found.processor);
}

bool process_passes_recorder(const struct process *process)
{
	return process->hsa_refused || g_hash_table_size(process->bypasses) ||
	       process->target_kernels > process->dispatches;
}

const char *process_env(const struct process *process, const char *name)
{
	return g_hash_table_lookup(process->env, name);
}

struct kernel_ref *process_kernel(const struct process *process, uint32_t id)
{
	return g_hash_table_lookup(process->kernels, GUINT_TO_POINTER(id));
}

struct kernel_args *process_args(const struct process *process, uint32_t id)
{
	return g_hash_table_lookup(process->args, GUINT_TO_POINTER(id));
}

const struct call_stack *process_stack(const struct process *process, uint32_t id)
{
	return id ? g_hash_table_lookup(process->stacks, GUINT_TO_POINTER(id)) : NULL;
}

const struct host_module *process_module(const struct process *process, uint64_t address,
					 unsigned known)
{
	for (unsigned i = MIN(known, process->modules->len); i > 0; i--) {
		const struct host_module *module = process->modules->pdata[i - 1];

		if (address - module->start < module->size)
			return module->path ? module : NULL;
	}
	return NULL;
}

/* Returns true just behind a HIP allocation, at most `limit` bytes after its end. */
static bool past_end(const struct process *process, uint64_t address, uint64_t limit,
		     struct place *place)
{
	place->allocation = address_space_find_before(&process->space, address, &place->offset);
	if (place->allocation && place->offset < limit) {
		place->kind = PLACE_PAST_END;
		return true;
	}
	place->allocation = NULL;
	return false;
}

/* The C library gives freed blocks to smaller requests, and small ones may not be recorded. */
static bool can_be_reused_unseen(const struct process *process, const struct allocation *freed)
{
	return freed->layer == LAYER_HOST && process->threshold > 1;
}

/* The reservation outlives what was mapped into it: then the latter is what the place was. */
static bool was_unmapped(const struct process *process, uint64_t address, struct place *place)
{
	struct allocation *freed;
	uint64_t offset;

	if (place->allocation->api != HG_API_hipMemAddressReserve)
		return false;
	freed = address_space_find_freed(&process->space, address, &offset);
	if (!freed || freed->layer != LAYER_MAPPED)
		return false;
	place->allocation = freed;
	place->offset = offset;
	return true;
}

/*
 * Returns true for addresses that mmap reserved without access: what is there, if anything, is
 * something else, as a runtime's device memory or pages that mprotect (not recorded) opened. Flags
 * of 0, which mmap refuses, are not known.
 */
static bool is_reservation(const struct allocation *allocation)
{
	return allocation->api == HG_API_mmap && allocation->flags &&
	       allocation->flags >> 32 == PROT_NONE;
}

static struct place find_place(const struct process *process, uint64_t address)
{
	struct place place = { .kind = PLACE_UNKNOWN };

	place.allocation = address_space_find(&process->space, address, &place.offset);
	if (place.allocation && is_reservation(place.allocation)) {
		place.allocation = NULL;
		place.offset = 0;
	}
	if (place.allocation && was_unmapped(process, address, &place)) {
		place.kind = PLACE_FREED;
		return place;
	}
	if (place.allocation) {
		place.kind = PLACE_ALLOCATION;
		return place;
	}
	if (address < process->page_size) {
		place.kind = PLACE_NULL;
		return place;
	}
	/*
	 * A library can be mapped right behind device memory (on the software GPU, or where the
	 * runtime maps it for the host). What runs off the end of an allocation by less than a
	 * page is not meant for the library's first page.
	 */
	if (past_end(process, address, process->page_size, &place))
		return place;
	for (unsigned i = 0; i < process->regions->len; i++) {
		const struct region *region = &g_array_index(process->regions, struct region, i);

		if (address - region->start < region->size) {
			place.kind = region->kind == HG_REGION_HEAP ? PLACE_HEAP : PLACE_STACK;
			return place;
		}
	}
	place.module = process_module(process, address, MODULES_ALL);
	if (place.module) {
		place.kind = PLACE_STATIC;
		return place;
	}
	place.allocation = address_space_find_freed(&process->space, address, &place.offset);
	if (place.allocation && can_be_reused_unseen(process, place.allocation)) {
		place.allocation = NULL;
		return place;
	}
	if (place.allocation) {
		place.kind = PLACE_FREED;
		return place;
	}
	past_end(process, address, HG_PAST_END_LIMIT, &place);
	return place;
}

/* Adds the piece of a pool that holds the address, or held it last. */
static struct place with_piece(const struct process *process, struct place place)
{
	const struct pool_pieces *pieces = &process->pool_pieces;
	uint64_t address;

	if ((place.kind != PLACE_ALLOCATION && place.kind != PLACE_FREED) ||
	    (!g_tree_nnodes(pieces->live) && !g_tree_nnodes(pieces->gone)))
		return place;
	address = place.allocation->ptr + place.offset;
	place.piece = pool_piece_at(pieces, place.allocation, address);
	place.piece_offset = place.piece ? address - place.piece->ptr : 0;
	return place;
}

/* Remembers the latest answers, because many rules look at the same few addresses of one event. */
struct place process_place(const struct process *process, uint64_t address)
{
	static __thread struct {
		const struct process *process;
		uint64_t turn, address;
		struct place place;
	} latest[4];
	static __thread unsigned next;
	struct place place;

	for (unsigned i = 0; i < G_N_ELEMENTS(latest); i++)
		if (latest[i].turn == replay_turn && latest[i].process == process &&
		    latest[i].address == address)
			return latest[i].place;
	place = with_piece(process, find_place(process, address));
	if (replay_turn % 2 == 0 && replay_turn) {
		latest[next].process = process;
		latest[next].turn = replay_turn;
		latest[next].address = address;
		latest[next].place = place;
		next = (next + 1) % G_N_ELEMENTS(latest);
	}
	return place;
}
