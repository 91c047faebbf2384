/* SPDX-License-Identifier: Apache-2.0 */
/* This makes a struct isa_kernel of the descriptor and code of one kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "casloop.h"
#include "choice.h"
#include "handover.h"
#include "filter.h"
#include "origin.h"
#include "reach.h"
#include "reads.h"
#include "swaps.h"
#include "twins.h"
#include "certain_path.h"
#include "codeobj/text.h"

static char *copy(const char *text)
{
	return text ? text_one_line(text) : NULL;
}

/* ---- kernel descriptor ---- */

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* A work-group has at most so many work-items. */
#define WORK_ITEMS 1024u

/* Reads which registers are set at entry (docs/code-objects.md#kernel-descriptor). */
int kernel_descriptor(const struct isa_analysis *analysis, const char *symbol,
		      struct flow_entry *entry, char **error)
{
	const struct isa_image *image = &analysis->image;
	const struct isa_symbol *descriptor = isa_image_symbol(image, symbol);
	uint8_t bytes[64];
	uint32_t properties, preload;
	int64_t code;
	int next = 0;

	if (!descriptor)
		return isa_fail(error, -EINVAL, "no kernel descriptor %s", symbol);
	if (isa_image_read(image, descriptor->address, bytes, sizeof(bytes)) != sizeof(bytes))
		return isa_fail(error, -EINVAL, "kernel descriptor %s lies outside of the file",
				symbol);
	memcpy(&code, bytes + 16, sizeof(code));
	entry->pc = descriptor->address + (uint64_t)code;
	properties = get32(bytes + 56) & 0xffff;
	preload = get32(bytes + 56) >> 16;
	entry->wave_size = properties & 1u << 10 ? 32 : 64;
	entry->dynamic_stack = properties & 1u << 11;
	entry->lds_size = get32(bytes);
	entry->scratch_size = get32(bytes + 4);
	/*
	 * Without the other dimensions the first vector register has the work-item's number in the
	 * first alone, of at most 1024 in a work-group [LUG, "compute_pgm_rsrc2" and "AMDGPU Code
	 * Object Metadata"].
	 */
	entry->items = get32(bytes + 52) >> 11 & 3 ? 0 : WORK_ITEMS;
	entry->scratch_rsrc = entry->dispatch_ptr = entry->queue_ptr = entry->kernarg_ptr = -1;
	if (properties & 1u << 0) {
		entry->scratch_rsrc = next;
		next += 4;
	}
	if (properties & 1u << 1) {
		entry->dispatch_ptr = next;
		next += 2;
	}
	if (properties & 1u << 2) {
		entry->queue_ptr = next;
		next += 2;
	}
	if (properties & 1u << 3) {
		entry->kernarg_ptr = next;
		next += 2;
	}
	next += properties & 1u << 4 ? 2 : 0; /* dispatch id */
	next += properties & 1u << 5 ? 2 : 0; /* flat scratch */
	next += properties & 1u << 6 ? 1 : 0; /* private segment size */
	entry->preload = next;
	entry->preload_count = preload & 0x7f;
	entry->preload_offset = preload >> 7;
	if (entry->preload_count > 16)
		return isa_fail(error, -EINVAL, "kernel descriptor %s preloads %u registers",
				symbol, entry->preload_count);
	entry->user_count = (unsigned)next + entry->preload_count;
	/* gfx11 leaves a gap before the system's registers. */
	if ((get32(bytes + 52) >> 1 & 31) > entry->user_count)
		entry->user_count = get32(bytes + 52) >> 1 & 31;
	if (entry->preload_count && !analysis->arch->preload)
		return isa_fail(error, -EINVAL, "kernel descriptor %s preloads arguments on %s",
				symbol, analysis->arch->name);
	/*
	 * The first work-group has the numbers 0. The kernel gets x, y and z as far as its
	 * descriptor enables them.
	 */
	next = (int)entry->user_count;
	for (unsigned i = 0; i < 3; i++)
		entry->group[i] = get32(bytes + 52) >> (7 + i) & 1 ? next++ : -1;
	if (analysis->arch->generation == ARCH_GFX12) {
		/* ttmp7 has y and z, ttmp9 x [LUG, "Initial Kernel Execution State"]. */
		entry->group[0] = 108 + 9;
		entry->group[1] = 108 + 7;
		entry->group[2] = -1;
	} else if (analysis->arch->generation == ARCH_GFX12_5) {
		/* They depend on the position in a cluster, too [LUG, same section]. */
		entry->group[0] = entry->group[1] = entry->group[2] = -1;
	}
	/*
	 * The first 256 bytes then serve firmware that cannot preload; that of gfx125x can
	 * [SEEN72], by what clang 22 emits.
	 */
	entry->start = entry->pc;
	if (entry->preload_count && analysis->arch->generation != ARCH_GFX12_5)
		entry->pc += 256;
	return 0;
}

/* ---- results of one kernel ---- */

static enum isa_scope scope_of(const struct arch *arch, const struct insn *insn)
{
	/* LDS belongs to the work-group. */
	if (insn->family == MEM_DS)
		return ISA_SCOPE_NARROW;
	switch (arch->scope) {
	case ARCH_SCOPE_SC1:
		return insn->cache & ISA_CACHE_SC1 ? ISA_SCOPE_SYSTEM : ISA_SCOPE_AGENT;
	case ARCH_SCOPE_FIELD:
		return insn->cache & ISA_CACHE_SCOPE_SYS   ? ISA_SCOPE_SYSTEM
		       : insn->cache & ISA_CACHE_SCOPE_DEV ? ISA_SCOPE_AGENT
							   : ISA_SCOPE_NARROW;
	default:
		return ISA_SCOPE_UNSTATED;
	}
}

/* An isa_atomic.loop_why that settle_loops() replaces. */
static const char not_looked_for[] = "not determined";

/* True if `loop` leaves open whether the loop is elsewhere. */
static bool in_callers(const struct access *access, const struct flow_entry *entry,
		       const struct casloop *loop)
{
	/* Values that lie in private memory may have been left there through a pointer. */
	return !loop->computes && !loop->lock &&
	       (access->function->entry != entry->pc || (loop->loop && entry->scratch_size));
}

static void set_loop(struct isa_atomic *atomic, const struct casloop *loop)
{
	if (loop->computes) {
		atomic->cas_loop = true;
		atomic->native = false;
		atomic->loop_op = loop->op;
		atomic->type = loop->type;
		atomic->fp = loop->fp;
	}
	atomic->lock = loop->lock;
}

static int fill_atomic(struct isa_analysis *analysis, struct flow *flow, struct witness *witness,
		       struct access *access, const struct flow_entry *entry,
		       struct isa_atomic *atomic)
{
	static const uint8_t spaces[] = {
		[MEM_SCALAR] = ISA_SPACE_GLOBAL,   [MEM_SCALAR_BUFFER] = ISA_SPACE_BUFFER,
		[MEM_GLOBAL] = ISA_SPACE_GLOBAL,   [MEM_FLAT] = ISA_SPACE_FLAT,
		[MEM_SCRATCH] = ISA_SPACE_SCRATCH, [MEM_BUFFER] = ISA_SPACE_BUFFER,
		[MEM_DS] = ISA_SPACE_LDS,          [MEM_IMAGE] = ISA_SPACE_GLOBAL,
	};
	const struct insn *insn = access->insn;
	const struct isa_symbol *function = isa_image_symbol_at(&analysis->image, insn->pc, true);
	uint64_t start = function ? function->address : access->function->entry;
	int status;

	atomic->mnemonic = strdup(insn->mnemonic);
	if (!atomic->mnemonic)
		return -ENOMEM;
	if (access->function->entry != entry->pc) {
		atomic->function = isa_demangle(function ? function->name : "?");
		if (!atomic->function)
			return -ENOMEM;
	} else {
		start = entry->start;
	}
	atomic->offset = insn->pc - start;
	atomic->kernel_offset = (int64_t)(insn->pc - entry->start);
	atomic->space = spaces[insn->family];
	atomic->op = (enum isa_op)insn->atomic_op;
	atomic->type = (enum isa_type)insn->atomic_type;
	atomic->fp = insn->fp;
	atomic->native = true;
	atomic->returns = insn->returns;
	atomic->cache = insn->cache;
	atomic->scope = scope_of(analysis->arch, insn);
	atomic->system_scope = atomic->scope == ISA_SCOPE_SYSTEM;
	if (insn->atomic_op == ISA_OP_CMPSWAP) {
		status = casloop_classify(access->function, insn, &access->loop);
		if (status)
			return status;
		access->classified = true;
		set_loop(atomic, &access->loop);
		atomic->loop_why =
		    in_callers(access, entry, &access->loop) ? not_looked_for : access->loop.why;
	}
	atomic->when = choices_when(flow, access);
	status =
	    witness_access(witness, access, &atomic->certain, &atomic->unsure, &atomic->by_word);
	if (status)
		return status;
	atomic->executes = atomic->certain == ISA_ALWAYS;
	return place_resolve(flow, access, &atomic->origin, &atomic->placed, &atomic->place);
}

/* The kernel's own atomics first, then those of its callees by address. */
struct placed_access {
	struct access *access;
	bool callee;
};

static int by_place(const void *a, const void *b)
{
	const struct placed_access *x = a, *y = b;

	if (x->callee != y->callee)
		return x->callee ? 1 : -1;
	return x->access->insn->pc < y->access->insn->pc
		   ? -1
		   : x->access->insn->pc > y->access->insn->pc;
}

static int fill_atomics(struct isa_analysis *analysis, struct flow *flow, struct witness *witness,
			const struct flow_entry *entry, struct isa_kernel *kernel)
{
	struct placed_access *order = calloc(flow->access_count + 1, sizeof(*order));
	size_t count = 0, i;
	int status = -ENOMEM;

	if (!order)
		goto out;
	for (i = 0; i < flow->access_count; i++) {
		if (!flow->access[i].insn->atomic)
			continue;
		order[count].access = &flow->access[i];
		order[count++].callee = flow->access[i].function->entry != entry->pc;
	}
	qsort(order, count, sizeof(*order), by_place);
	kernel->atomics = calloc(count + 1, sizeof(*kernel->atomics));
	if (!kernel->atomics)
		goto out;
	for (status = 0, i = 0; !status && i < count; i++) {
		kernel->atomic_count = i + 1;
		status = fill_atomic(analysis, flow, witness, order[i].access, entry,
				     &kernel->atomics[i]);
	}
out:
	free(order);
	return status;
}

/* Returns true if one word that is seen to be one value is stored to one address. */
static bool is_plain_store(const struct flow *flow, const struct access *access)
{
	const struct value *low = value_get(&flow->store, access->pair[0].low);

	if ((!insn_stores_words(access->insn) && !insn_stores_half(access->insn)) ||
	    access->pair_count != 1 || access->overflow || low->lane_count || low->alt_count != 1)
		return false;
	for (unsigned i = 0; i < (access->insn->dwords + 1u) / 2u; i++)
		if (access->word[i].count != 1 || access->word[i].overflow)
			return false;
	return true;
}

/* Fills in which stores of one word are executed. Returns 0 or -ENOMEM. */
static int fill_stores(struct flow *flow, struct witness *witness)
{
	int status = 0;

	for (size_t i = 0; !status && i < flow->access_count; i++) {
		struct access *access = &flow->access[i];
		char *unsure = NULL;
		bool by_word;

		if (is_plain_store(flow, access))
			status =
			    witness_access(witness, access, &access->certain, &unsure, &by_word);
		free(unsure);
	}
	return status;
}

/* Fills in which atomics, stores and loads of known bytes are executed. Returns 0 or -ENOMEM. */
static int fill_executed(struct isa_analysis *analysis, struct flow *flow,
			 const struct flow_entry *entry, struct isa_kernel *kernel)
{
	struct witness *witness = witness_new(flow, entry, kernel);
	int status = witness ? fill_atomics(analysis, flow, witness, entry, kernel) : -ENOMEM;

	if (!status)
		status = fill_stores(flow, witness);
	if (!status)
		status = reads_find(flow, witness, entry, kernel);
	witness_free(witness);
	return status;
}

static int fill_args(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		     struct isa_kernel *kernel, struct flow_arg *flow_args, size_t *flow_count)
{
	size_t i;

	kernel->args = calloc(from->arg_count + 1, sizeof(*kernel->args));
	kernel->hidden = calloc(from->arg_count + 1, sizeof(*kernel->hidden));
	if (!kernel->args || !kernel->hidden)
		return -ENOMEM;
	*flow_count = 0;
	for (i = 0; i < from->arg_count; i++) {
		const struct codeobj_arg *arg = &from->args[i];
		struct isa_arg *to = &kernel->args[kernel->arg_count];

		flow_args[*flow_count].offset = arg->offset;
		flow_args[*flow_count].size = arg->size;
		flow_args[(*flow_count)++].pointer = arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER;
		if (arg->kind == CODEOBJ_ARG_HIDDEN) {
			kernel->hidden[kernel->hidden_count++] =
			    (struct isa_hidden){ arg->offset, arg->size, arg->hidden_name };
			continue;
		}
		to->offset = arg->offset;
		to->size = arg->size;
		to->pointer = arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER;
		to->name = copy(arg->name);
		to->type_name = copy(arg->type_name);
		kernel->arg_count++;
	}
	/* Skipped kernels get names later: it is chance if this thread has these yet. */
	return kernel->skipped ? 0 : kernel_name_arguments(analysis, from, kernel);
}

/* Nothing in the code of this kernel is an atomic or leads to other code. */
static bool boring(const struct isa_analysis *analysis, uint64_t entry)
{
	const struct isa_image *image = &analysis->image;
	const struct isa_symbol *symbol = isa_image_symbol_at(image, entry, true);
	const struct isa_section *section = isa_image_section(image, entry);
	uint64_t end;

	if (!symbol || !section || !section->bits || entry < symbol->address)
		return false;
	end = symbol->address + symbol->size;
	if (end < entry || end - section->address > section->size ||
	    section->offset > image->size || section->size > image->size - section->offset)
		return false;
	/* Code without an end runs on into what follows. */
	return end > entry &&
	       !filter_interesting(analysis->arch->generation,
				   image->data + section->offset + (entry - section->address),
				   (size_t)(end - entry));
}

/* Nothing is known about its code: no atomics are listed, and that says nothing. */
static int not_analysed(struct isa_kernel *kernel, unsigned wave_size, const char *why)
{
	if (asprintf(&kernel->incomplete, "code for waves of %u lanes: %s", wave_size, why) < 0) {
		kernel->incomplete = NULL;
		return -ENOMEM;
	}
	kernel->unvisited = strdup(kernel->incomplete);
	if (!kernel->unvisited)
		return -ENOMEM;
	return 0;
}

/* Loops around compare-and-swaps that fill_atomic() left open. */
static int settle_loops(struct isa_analysis *analysis, struct program *program,
			const struct flow_entry *entry, const struct flow_arg *args,
			size_t arg_count, struct isa_kernel *kernel)
{
	struct flow flow = { 0 };
	size_t i;
	int status;

	for (i = 0; i < kernel->atomic_count && kernel->atomics[i].loop_why != not_looked_for; i++)
		;
	if (i == kernel->atomic_count)
		return 0;
	status = flow_init(&flow, program, analysis->arch, args, arg_count);
	if (!status) {
		flow.swaps = swaps_new();
		status = flow.swaps ? flow_run(&flow, entry) : -ENOMEM;
	}
	for (; !status && i < kernel->atomic_count; i++) {
		struct isa_atomic *atomic = &kernel->atomics[i];
		uint64_t pc = entry->start + (uint64_t)atomic->kernel_offset;
		struct casloop loop;

		if (atomic->loop_why != not_looked_for)
			continue;
		status = swaps_classify(&flow, program_insn(program, pc), &loop, &atomic->loop_why);
		if (!status && !atomic->loop_why)
			set_loop(atomic, &loop);
	}
	swaps_free(flow.swaps);
	flow_free(&flow);
	return status;
}

/* Forget what origin_uses() found. */
static void forget_uses(struct isa_kernel *kernel)
{
	struct isa_kernel uses = { .uses = kernel->uses,
				   .path_uses = kernel->path_uses,
				   .path_use_count = kernel->path_use_count,
				   .stores = kernel->stores,
				   .store_count = kernel->store_count,
				   .incomplete = kernel->incomplete,
				   .unvisited = kernel->unvisited };

	isa_kernel_clear(&uses);
	kernel->uses = NULL;
	kernel->path_uses = NULL;
	kernel->stores = NULL;
	kernel->incomplete = kernel->unvisited = NULL;
	kernel->use_count = kernel->path_use_count = kernel->store_count = 0;
}

static int find_uses(struct flow *flow, struct isa_kernel *kernel)
{
	kernel->uses_complete = kernel->paths_complete = kernel->stores_complete = true;
	return origin_uses(flow, kernel);
}

/* Returns true if the address may be one of several. */
static bool is_one_of_several(const struct isa_origin *origin)
{
	return origin->kind == ISA_ORIGIN_SET || origin->paths.count > 1;
}

static bool any_selected(const struct flow *flow, const struct isa_kernel *kernel)
{
	bool any = flow->chosen;

	for (size_t i = 0; !any && i < kernel->atomic_count; i++)
		any = is_one_of_several(&kernel->atomics[i].origin);
	return any;
}

/*
 * Adds the addresses that atomics have with some results of the conditions. Returns 0 or -ENOMEM.
 */
static int choose_origins(struct flow *again, const struct flow_entry *entry, isa_when when,
			  struct isa_kernel *kernel)
{
	int status = 0;

	for (size_t i = 0; !status && i < kernel->atomic_count; i++) {
		struct isa_atomic *atomic = &kernel->atomics[i];
		const struct access *access = NULL;
		struct isa_choice *grown;

		if (!is_one_of_several(&atomic->origin))
			continue;
		for (size_t k = 0; !access && k < again->access_count; k++)
			if (again->access[k].insn->pc ==
			    entry->start + (uint64_t)atomic->kernel_offset)
				access = &again->access[k];
		if (!access)
			continue;
		grown = reallocarray(atomic->choices, atomic->choice_count + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		atomic->choices = grown;
		grown[atomic->choice_count].when = when;
		status = origin_resolve(again, access, &grown[atomic->choice_count++].origin);
	}
	return status;
}

/*
 * Once more for each way in which conditions on the arguments decide selections: what is selected
 * may be an address. 0 or -ENOMEM.
 */
static int uses_by_choice(struct flow *flow, const struct flow_entry *entry,
			  struct isa_kernel *kernel)
{
	struct choice_groups groups;
	int status = choices_groups(flow, entry, kernel, &groups);

	if (status || !groups.count)
		return status;
	forget_uses(kernel);
	kernel->uses_complete = kernel->paths_complete = kernel->stores_complete = true;
	for (unsigned i = 0; !status && i < groups.count; i++) {
		uint32_t blocks = flow->kernel->block_count;
		struct flow again;

		status = flow_init(&again, flow->program, flow->arch, flow->args, flow->arg_count);
		if (status)
			break;
		again.selects = groups.group[i].selects;
		again.when = calloc(blocks, sizeof(*again.when));
		status = again.when ? flow_run(&again, entry) : -ENOMEM;
		for (uint32_t b = 0; !status && b < blocks; b++)
			again.when[b] = flow->when[b] & groups.group[i].when;
		if (!status) {
			bool known = kernel->incomplete;

			status = origin_uses(&again, kernel);
			if (!status)
				status =
				    choose_origins(&again, entry, groups.group[i].when, kernel);
			if (!known)
				flow->incomplete_pc = again.incomplete_pc;
		}
		flow_free(&again);
	}
	choices_groups_clear(&groups);
	return status;
}

int kernel_analyse(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		   const struct isa_options *options, struct isa_kernel *kernel, char **error)
{
	struct flow_entry entry = { 0 };
	struct flow_arg *args = NULL;
	struct twin_key twin = { 0 };
	struct flow flow = { 0 };
	struct program *program;
	const char *why = NULL;
	uint64_t incomplete_pc = 0;
	size_t arg_count = 0;
	int status;

	kernel->symbol = text_one_line(from->name);
	kernel->name = isa_demangle(from->name);
	kernel->kernarg_size = from->kernarg_size;
	args = calloc(from->arg_count + 1, sizeof(*args));
	status = -ENOMEM;
	if (!kernel->symbol || !kernel->name || !args)
		goto out;
	status = kernel_descriptor(analysis, from->symbol, &entry, error);
	if (status)
		goto out;
	if (entry.items && from->work_items && from->work_items < entry.items)
		entry.items = from->work_items;
	facts_begin(analysis, &entry, kernel);
	kernel->skipped = options && options->atomics_only && boring(analysis, entry.pc);
	/* Line tables take long to open and serve atomics above all. */
	if (!kernel->skipped)
		analysis_open_lines(analysis);
	status = fill_args(analysis, from, kernel, args, &arg_count);
	if (status || kernel->skipped)
		goto out;
	status = analysis_program(analysis, entry.wave_size, &program, &why);
	if (status == -ENOTSUP) {
		status = not_analysed(kernel, entry.wave_size, why);
		goto out;
	}
	if (status)
		goto out;
	twin_key_make(&twin, analysis, from, &entry);
	if (twins_find(&twin, program, kernel, &incomplete_pc)) {
		status = names_find(analysis, NULL, &entry, incomplete_pc, kernel);
		program_trim(program);
		goto out;
	}
	status = flow_init(&flow, program, analysis->arch, args, arg_count);
	if (!status)
		status = flow_run(&flow, &entry);
	if (!status)
		status = choices_find(&flow, &entry, kernel);
	if (!status)
		status = fill_executed(analysis, &flow, &entry, kernel);
	if (!status)
		status = settle_loops(analysis, program, &entry, args, arg_count, kernel);
	if (!status)
		status = find_uses(&flow, kernel);
	if (!status && any_selected(&flow, kernel))
		status = uses_by_choice(&flow, &entry, kernel);
	if (!status)
		status = reach_find(&flow, &entry, kernel);
	if (!status)
		status = facts_end(analysis, &flow, &entry, from, kernel);
	if (!status)
		status = handover_find(analysis, &flow, &entry, kernel);
	if (!status)
		twins_add(&twin, &flow, kernel);
	if (!status)
		status = names_find(analysis, &flow, &entry, flow.incomplete_pc, kernel);
	flow_free(&flow);
	program_trim(program);
out:
	twin_key_clear(&twin);
	free(args);
	return status;
}
