/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that wavefronts hand over to each other; see handover.h and struct isa_handover.
 *
 * Which instructions are coherent and which order others, by processor [LUG, "Memory Model
 * GFX90A", "Memory Model GFX942", agent scope]:
 *
 *            reads a flag   writes a flag      data visible      old data dropped
 *   gfx90a   glc            (any store)        vmcnt(0)          buffer_wbinvl1_vol
 *   gfx942   sc1            sc1                buffer_wbl2 sc1   buffer_inv sc1
 *
 * and read-modify-write operations everywhere, which are performed in L2 or beyond.
 *
 * "Follows" means in the order of addresses, along branches, on every way but those of waves
 * without active lanes; that an instruction lies between two others, on any way at all: what may be
 * ordered is taken to be ordered.
 */
#include "handover_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "casloop.h"
#include "choice.h"
#include "origin.h"
#include "codeobj/text.h"

/* ---- what instructions are ---- */

static bool several_l2(const struct search *search)
{
	return search->analysis->arch->scope == ARCH_SCOPE_SC1;
}

bool handover_is_coherent(const struct search *search, const struct insn *insn)
{
	return insn->cache & (several_l2(search) ? ISA_CACHE_SC1 : ISA_CACHE_GLC);
}

/* Returns true if it is not known what it does: it may release and acquire. */
static bool leads_elsewhere(const struct insn *insn)
{
	return insn->class == OP_CALL || insn->class == OP_SETPC || insn->class == OP_ODD ||
	       insn->class == OP_UNKNOWN;
}

static bool releases(const struct search *search, const struct insn *insn)
{
	if (!several_l2(search))
		return insn->settles & 1;
	return insn->fence & 1 && insn->cache & ISA_CACHE_SC1;
}

static bool acquires(const struct search *search, const struct insn *insn)
{
	if (!several_l2(search))
		return insn->settles & 2 || insn->fence & 2;
	return insn->fence & 2 && insn->cache & ISA_CACHE_SC1;
}

bool handover_is_vector_memory(const struct insn *insn)
{
	return (insn->family == MEM_GLOBAL || insn->family == MEM_FLAT) && !insn->lds;
}

/* ---- order ---- */

/* Returns the blocks behind `block`, a bool for each; NULL without memory. */
static const bool *blocks_behind(struct search *search, uint32_t block, bool by_address)
{
	const struct function *function = search->function;
	bool *reached = search->reached[by_address][block];
	uint32_t *todo, top = 0;

	if (reached)
		return reached;
	reached = calloc(function->block_count, sizeof(*reached));
	todo = calloc((size_t)function->block_count + 1, sizeof(*todo));
	if (!reached || !todo) {
		free(reached);
		free(todo);
		return NULL;
	}
	todo[top++] = block;
	while (top) {
		uint32_t from = todo[--top];

		for (unsigned i = 0; i < 2; i++) {
			uint32_t to = function->block[from].successor[i];

			if (to == NO_BLOCK || reached[to] || (by_address && to <= from))
				continue;
			reached[to] = true;
			todo[top++] = to;
		}
	}
	free(todo);
	search->reached[by_address][block] = reached;
	return reached;
}

/* Tells if `b` can be executed after `a`; without memory, what whoever asks must take it for. */
static bool comes_after(struct search *search, struct code_point a, struct code_point b,
			bool by_address)
{
	const bool *behind;

	if (a.block == b.block && a.index < b.index)
		return true;
	behind = blocks_behind(search, a.block, by_address);
	return behind ? behind[b.block] : !by_address;
}

bool handover_between(struct search *search, struct code_point a, struct code_point b,
		      const struct code_point *fence, unsigned count)
{
	if (count == FENCES)
		return true;
	for (unsigned i = 0; i < count; i++)
		if (comes_after(search, a, fence[i], false) &&
		    comes_after(search, fence[i], b, false))
			return true;
	return false;
}

/* ---- the instructions of a kernel ---- */

bool handover_find_point(const struct function *function, const struct insn *insn,
			 struct code_point *at)
{
	return function_place(function, insn, &at->block, &at->index);
}

/* Only what lies behind one argument, or in one variable, can be distinguished from others. */
static int add_point(struct search *search, struct points *points, const struct access *access)
{
	struct point *point = &points->point[points->count];
	int status;

	if (points->count == POINTS)
		return 0;
	memset(point, 0, sizeof(*point));
	if (!handover_find_point(search->function, access->insn, &point->at))
		return 0;
	status = origin_resolve(search->flow, access, &point->origin);
	if (status)
		return status;
	if ((point->origin.kind == ISA_ORIGIN_DIRECT && point->origin.kernarg_count == 1) ||
	    (point->origin.kind == ISA_ORIGIN_GLOBAL && point->origin.symbol)) {
		point->access = access;
		points->count++;
		status = place_find(search->flow, access, &point->place);
	} else {
		isa_origin_clear(&point->origin);
	}
	return status;
}

/*
 * Adds an access that counts as either to two lists: where it lies is found once. The first one
 * keeps what the second one shows.
 */
static int add_to_both(struct search *search, struct points *first, struct points *second,
		       const struct access *access)
{
	unsigned count = first->count;
	int status = add_point(search, first, access);

	if (status)
		return status;
	if (first->count == count)
		return count == POINTS ? add_point(search, second, access) : 0;
	if (second->count < POINTS) {
		second->point[second->count] = first->point[count];
		second->point[second->count++].borrowed = true;
	}
	return 0;
}

static bool same_root(const struct isa_origin *a, const struct isa_origin *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == ISA_ORIGIN_GLOBAL ? !strcmp(a->symbol, b->symbol)
					    : a->kernarg[0] == b->kernarg[0];
}

bool handover_same_memory(const struct point *a, const struct point *b)
{
	return same_root(&a->origin, &b->origin) && !places_apart(&a->place, &b->place);
}

/* Notes if the innermost loop around a read does nothing but wait for what it reads. */
static int find_wait(struct search *search, struct point *read)
{
	const struct function *function = search->function;
	const struct insn *flag = read->access->insn;
	bool *in_loop = calloc(function->block_count, sizeof(*in_loop)), cyclic = false;
	struct value_use use = { 0 };
	struct casloop loop = { 0 };
	bool idle = true;
	uint32_t b, i;
	int status = in_loop ? 0 : -ENOMEM;

	if (read->access->classified)
		loop = read->access->loop;
	else if (!status && flag->atomic && flag->atomic_op == ISA_OP_CMPSWAP)
		status = casloop_classify(function, flag, &loop);
	read->update = loop.computes || loop.why;
	if (!status && !read->update)
		status = loop_find(function, read->at.block, in_loop, &cyclic);
	if (!status && cyclic)
		status = loop_innermost(function, read->at.block, in_loop);
	if (status || !cyclic)
		goto out;
	value_use_begin(&use, flag);
	/* Twice: what follows the read may stand ahead of it. */
	for (unsigned round = 0; round < 2; round++)
		for (b = 0; b < function->block_count; b++)
			for (i = 0; in_loop[b] && i < function->block[b].count; i++) {
				const struct insn *insn =
				    insn_at(function, (struct code_point){ b, i });

				if (insn == flag) {
					value_use_begin(&use, flag);
					continue;
				}
				idle &= !leads_elsewhere(insn) && insn->class != OP_BARRIER;
				if (insn->class == OP_MEMORY && !insn->load)
					idle = false;
				/* Each of several flags is read so. */
				if (insn->class == OP_MEMORY && handover_is_vector_memory(insn) &&
				    !handover_is_coherent(search, insn))
					idle = false;
				if (!value_use_over(&use))
					value_use_step(&use, insn);
				if (round)
					read->waits |= use.compared;
			}
	read->waits &= idle;
out:
	free(in_loop);
	return status;
}

static int sort_accesses(struct search *search)
{
	int status = 0;

	for (size_t i = 0; !status && i < search->flow->access_count; i++) {
		const struct access *access = &search->flow->access[i];
		const struct insn *insn = access->insn;
		bool coherent = handover_is_coherent(search, insn);

		if (access->function != search->function || !handover_is_vector_memory(insn))
			continue;
		if (insn->atomic) {
			status = insn->returns ? add_to_both(search, search->flag_writes,
							     search->flag_reads, access)
					       : add_point(search, search->flag_writes, access);
		} else if (insn->load) {
			status = add_point(
			    search, coherent ? search->flag_reads : search->data_reads, access);
		} else if (insn->store && several_l2(search)) {
			status = add_point(
			    search, coherent ? search->flag_writes : search->data_writes, access);
		} else if (insn->store) {
			/* Its reader shows which of them it is. */
			status =
			    add_to_both(search, search->data_writes, search->flag_writes, access);
		}
	}
	for (unsigned i = 0; !status && i < search->flag_reads->count; i++)
		status = find_wait(search, &search->flag_reads->point[i]);
	if (!status)
		handover_find_followed(search);
	return status;
}

static void find_fences(struct search *search)
{
	const struct function *function = search->function;

	for (uint32_t b = 0; b < function->block_count; b++)
		for (uint32_t i = 0; i < function->block[b].count; i++) {
			struct code_point at = { b, i };
			const struct insn *insn = insn_at(function, at);
			bool elsewhere = leads_elsewhere(insn);

			if ((elsewhere || releases(search, insn)) && search->release_count < FENCES)
				search->release[search->release_count++] = at;
			if ((elsewhere || acquires(search, insn)) && search->acquire_count < FENCES)
				search->acquire[search->acquire_count++] = at;
		}
}

/* ---- pairs ---- */

static int set_party(struct search *search, const struct point *point, struct isa_party *party)
{
	const struct insn *insn = point->access->insn;

	party->kernel_offset = (int64_t)(insn->pc - search->entry->start);
	party->placed = point->place.known;
	party->place = point->place.step;
	party->size = point->place.size;
	party->mnemonic = strdup(insn->mnemonic);
	if (point->origin.kind == ISA_ORIGIN_GLOBAL)
		party->symbol = strdup(point->origin.symbol);
	else
		party->kernarg = point->origin.kernarg[0];
	return !party->mnemonic || (point->origin.kind == ISA_ORIGIN_GLOBAL && !party->symbol)
		   ? -ENOMEM
		   : 0;
}

/* `together`: flag and data lie behind the same pointer. */
static bool is_party(const struct isa_party *party, const struct point *point, bool together)
{
	const struct isa_origin *origin = &point->origin;
	struct place place = { party->placed, party->place, party->size };

	if (together && !places_equal(&place, &point->place))
		return false;
	if (origin->kind == ISA_ORIGIN_GLOBAL)
		return party->symbol && !strcmp(party->symbol, origin->symbol);
	return !party->symbol && party->kernarg == origin->kernarg[0];
}

/* Each pair of memories is kept once a side: one that is not ordered rather than one that is, one
 * that waits rather than one that does not. */
int handover_add(struct search *search, const struct point *flag, const struct point *data,
		 const struct isa_handover *facts)
{
	struct isa_kernel *kernel = search->kernel;
	bool together = same_root(&flag->origin, &data->origin) && !facts->pointer;
	isa_when when =
	    choices_when(search->flow, flag->access) & choices_when(search->flow, data->access);
	struct isa_handover *handover = NULL;
	int status;

	for (size_t i = 0; i < kernel->handover_count; i++) {
		handover = &kernel->handovers[i];
		if (handover->reads == facts->reads && handover->pointer == facts->pointer &&
		    is_party(&handover->flag, flag, together) &&
		    is_party(&handover->data, data, together))
			break;
		handover = NULL;
	}
	if (handover && (!handover->ordered || facts->ordered) &&
	    (handover->ordered != facts->ordered || handover->waits || !facts->waits)) {
		handover->when |= when;
		return 0;
	}
	if (!handover && kernel->handover_count == HANDOVERS)
		return 0;
	if (!handover) {
		struct isa_handover *grown =
		    reallocarray(kernel->handovers, kernel->handover_count + 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		kernel->handovers = grown;
		handover = &grown[kernel->handover_count++];
	} else {
		when |= handover->when;
		free(handover->flag.mnemonic);
		free(handover->flag.symbol);
		free(handover->data.mnemonic);
		free(handover->data.symbol);
	}
	*handover = *facts;
	handover->when = when;
	status = set_party(search, flag, &handover->flag);
	return status ? status : set_party(search, data, &handover->data);
}

/* Returns true if some wait or decision of this kernel is about that memory. */
static bool is_awaited(const struct search *search, const struct point *point)
{
	for (unsigned i = 0; i < search->flag_reads->count; i++)
		if ((search->flag_reads->point[i].waits || search->flag_reads->point[i].followed) &&
		    handover_same_memory(&search->flag_reads->point[i], point))
			return true;
	return false;
}

static bool is_waiting_read(const struct search *search, const struct insn *insn)
{
	for (unsigned i = 0; i < search->flag_reads->count; i++)
		if (search->flag_reads->point[i].waits &&
		    search->flag_reads->point[i].access->insn == insn)
			return true;
	return false;
}

static int find_writers(struct search *search)
{
	int status = 0;

	for (unsigned i = 0; i < search->flag_writes->count; i++) {
		const struct point *flag = &search->flag_writes->point[i];

		/* A lock that is taken tells nobody anything. */
		if (is_waiting_read(search, flag->access->insn) ||
		    (!several_l2(search) && !flag->access->insn->atomic &&
		     !is_awaited(search, flag)))
			continue;
		for (unsigned k = 0; !status && k < search->data_writes->count; k++) {
			const struct point *data = &search->data_writes->point[k];
			struct isa_handover facts = { 0 };

			if (handover_same_memory(flag, data) ||
			    !comes_after(search, data->at, flag->at, true))
				continue;
			if (!handover_leads_to(search->function, data->at, flag->at) &&
			    !handover_always_after(search->function, data->at, flag->at))
				continue;
			facts.ordered = handover_between(search, data->at, flag->at,
							 search->release, search->release_count);
			status = handover_add(search, flag, data, &facts);
			facts.pointer = handover_is_pointer_to(search, flag, data);
			if (!status && facts.pointer)
				status = handover_add(search, flag, data, &facts);
		}
	}
	return status;
}

/* Follows the flag's value on the way to the data. */
static void follow_value(struct search *search, const struct point *flag, const struct point *data,
			 struct value_use *use)
{
	const struct function *function = search->function;

	value_use_begin(use, flag->access->insn);
	for (uint32_t b = flag->at.block; b <= data->at.block; b++) {
		struct code_point last = { b, function->block[b].count };
		uint32_t i = b == flag->at.block ? flag->at.index + 1 : 0;

		if (b != flag->at.block && b != data->at.block &&
		    !(comes_after(search, flag->at, last, true) &&
		      comes_after(search, last, data->at, true)))
			continue;
		if (b == data->at.block)
			last.index = data->at.index;
		for (; i < last.index; i++)
			value_use_step(use, insn_at(function, (struct code_point){ b, i }));
		if (value_use_over(use))
			return;
	}
}

/*
 * Returns true if all that this kernel stores there is what the same lane reads back here, or
 * overwrites after it without a lock: then no other wavefront takes part.
 */
static bool is_its_own(struct search *search, const struct point *flag, const struct point *data)
{
	bool own = false;

	for (unsigned i = 0; i < search->data_writes->count; i++) {
		const struct point *store = &search->data_writes->point[i];
		enum address_match match;

		if (!handover_same_memory(store, data))
			continue;
		match = value_match_addresses(search->function, search->entry, store->at, data->at);
		if (!(match == ADDRESS_OWN && comes_after(search, store->at, data->at, false)) &&
		    !(match != ADDRESS_OTHER && !flag->access->insn->atomic &&
		      comes_after(search, data->at, store->at, true)))
			return false;
		own = true;
	}
	return own;
}

/* A compare-and-swap that follows begins with it, and begins again where it was old. */
static bool is_guess(struct search *search, const struct point *data)
{
	for (unsigned i = 0; i < search->flag_writes->count; i++) {
		const struct point *swap = &search->flag_writes->point[i];

		if (swap->access->insn->atomic && swap->access->insn->atomic_op == ISA_OP_CMPSWAP &&
		    handover_same_memory(swap, data) &&
		    comes_after(search, data->at, swap->at, true))
			return true;
	}
	return false;
}

static int find_readers(struct search *search)
{
	int status = 0;

	for (unsigned i = 0; i < search->flag_reads->count; i++) {
		const struct point *flag = &search->flag_reads->point[i];

		for (unsigned k = 0; !status && k < search->data_reads->count; k++) {
			const struct point *data = &search->data_reads->point[k];
			struct isa_handover facts = { .reads = true, .waits = flag->waits };
			struct value_use use;

			if (flag->update || handover_same_memory(flag, data) ||
			    !comes_after(search, flag->at, data->at, true))
				continue;
			/* A work-item that has drawn a number looks at what that number belongs to.
			 */
			if (!flag->waits && !flag->access->insn->atomic)
				continue;
			if (!flag->waits) {
				follow_value(search, flag, data, &use);
				if (!use.equality || value_use_in_address(&use, data->access->insn))
					continue;
			}
			if (is_its_own(search, flag, data) || is_guess(search, data) ||
			    !handover_leads_to(search->function, flag->at, data->at))
				continue;
			facts.ordered = handover_between(search, flag->at, data->at,
							 search->acquire, search->acquire_count);
			status = handover_add(search, flag, data, &facts);
		}
	}
	return status;
}

static void clear_points(struct points *points)
{
	for (unsigned i = 0; points && i < points->count; i++)
		if (!points->point[i].borrowed)
			isa_origin_clear(&points->point[i].origin);
	free(points);
}

static void search_clear(struct search *search)
{
	clear_points(search->data_writes);
	clear_points(search->data_reads);
	clear_points(search->flag_writes);
	clear_points(search->flag_reads);
	clear_points(search->behind);
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t b = 0; search->reached[i] && b < search->function->block_count; b++)
			free(search->reached[i][b]);
		free(search->reached[i]);
	}
}

/* The rows, which are large, are written as they are added. */
static struct points *new_points(void)
{
	struct points *points = malloc(sizeof(*points));

	if (points)
		points->count = 0;
	return points;
}

int handover_find(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
		  struct isa_kernel *kernel)
{
	struct search search = { .analysis = analysis,
				 .flow = flow,
				 .entry = entry,
				 .kernel = kernel,
				 .function = flow->kernel };
	bool flags = false;
	int status = -ENOMEM;

	if ((analysis->arch->scope != ARCH_SCOPE_SC1 && analysis->arch->scope != ARCH_SCOPE_L2) ||
	    !flow->kernel || flow->exhausted || flow->broken)
		return 0;
	for (size_t i = 0; i < flow->access_count && !flags; i++)
		flags = handover_is_vector_memory(flow->access[i].insn) &&
			(flow->access[i].insn->atomic ||
			 handover_is_coherent(&search, flow->access[i].insn));
	if (!flags)
		return 0;
	search.data_writes = new_points();
	search.data_reads = new_points();
	search.flag_writes = new_points();
	search.flag_reads = new_points();
	search.behind = new_points();
	for (unsigned i = 0; i < 2; i++)
		search.reached[i] =
		    calloc((size_t)flow->kernel->block_count + 1, sizeof(*search.reached[i]));
	if (search.data_writes && search.data_reads && search.flag_writes && search.flag_reads &&
	    search.behind && search.reached[0] && search.reached[1])
		status = sort_accesses(&search);
	if (!status) {
		find_fences(&search);
		status = find_writers(&search);
	}
	if (!status)
		status = find_readers(&search);
	if (!status)
		status = handover_find_followers(&search);
	search_clear(&search);
	return status;
}
