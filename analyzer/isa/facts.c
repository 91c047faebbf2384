/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a kernel besides its atomics: sizes, host calls, fences, loops that wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "casloop.h"
#include "choice.h"
#include "origin.h"

/* Nobody distinguishes more of them. */
#define SPINS_MAX 16u

static enum isa_known known(bool yes)
{
	return yes ? ISA_YES : ISA_NO;
}

void facts_begin(const struct isa_analysis *analysis, const struct flow_entry *entry,
		 struct isa_kernel *kernel)
{
	const struct codeobj_metadata *metadata = analysis->metadata;
	/* Code object version 5 and later tell [LUG, "Code Object V5 Metadata"]. */
	bool tells = metadata->version[0] > 1 || metadata->version[1] >= 2;

	kernel->wave_size = entry->wave_size;
	kernel->lds_size = entry->lds_size;
	kernel->scratch_size = entry->scratch_size;
	kernel->dynamic_stack = tells ? known(entry->dynamic_stack) : ISA_NOT_KNOWN;
	kernel->hostcall = kernel->printf_buffer = ISA_NOT_KNOWN;
	kernel->system_release = kernel->system_acquire = ISA_NOT_KNOWN;
	kernel->uses_lds = kernel->has_barrier = ISA_NOT_KNOWN;
}

/* Tells if the kernel goes through the pointer that stands in this hidden argument. */
static enum isa_known uses_hidden(const struct codeobj_kernel *from,
				  const struct isa_kernel *kernel, enum codeobj_hidden hidden)
{
	size_t i, k;

	for (i = 0; i < from->arg_count; i++) {
		if (from->args[i].kind != CODEOBJ_ARG_HIDDEN || from->args[i].hidden != hidden)
			continue;
		for (k = 0; k < kernel->use_count; k++)
			if (kernel->uses[k].kernarg == from->args[i].offset &&
			    kernel->uses[k].certain)
				return ISA_YES;
		return kernel->uses_complete ? ISA_NO : ISA_NOT_KNOWN;
	}
	/* It gets no such pointer. */
	return ISA_NO;
}

static bool sleeps(const struct insn *insn)
{
	return insn->class == OP_NOTHING && insn->traits & INSN_SLEEPS;
}

/* Blocks of loops that sleep, in waits[]. */
static int find_waits(const struct function *function, bool *waits)
{
	bool *in_loop = calloc(function->block_count, sizeof(*in_loop)), cyclic;
	uint32_t b, i;
	int status = in_loop ? 0 : -ENOMEM;

	for (b = 0; !status && b < function->block_count; b++) {
		const struct block *block = &function->block[b];

		for (i = 0; i < block->count && !sleeps(function->insn[block->first + i]); i++)
			;
		if (i == block->count)
			continue;
		memset(in_loop, 0, function->block_count * sizeof(*in_loop));
		status = loop_find(function, b, in_loop, &cyclic);
		if (!status && cyclic)
			status = loop_innermost(function, b, in_loop);
		for (i = 0; !status && cyclic && i < function->block_count; i++)
			waits[i] |= in_loop[i];
	}
	free(in_loop);
	return status;
}

static bool in_blocks(const struct function *function, const bool *blocks, const struct insn *insn)
{
	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct block *block = &function->block[b];

		if (blocks[b] && insn->pc >= function->insn[block->first]->pc &&
		    insn->pc <= function->insn[block->first + block->count - 1]->pc)
			return true;
	}
	return false;
}

static int add_spin(struct isa_analysis *analysis, struct flow *flow, const struct access *access,
		    const struct flow_entry *entry, struct isa_kernel *kernel)
{
	const struct insn *insn = access->insn;
	const struct isa_symbol *symbol = isa_image_symbol_at(&analysis->image, insn->pc, true);
	struct isa_spin *spin, *grown;
	struct isa_origin origin;
	int status = origin_resolve(flow, access, &origin);

	if (status)
		return status;
	grown = reallocarray(kernel->spins, kernel->spin_count + 1, sizeof(*grown));
	if (!grown) {
		isa_origin_clear(&origin);
		return -ENOMEM;
	}
	kernel->spins = grown;
	spin = &grown[kernel->spin_count++];
	memset(spin, 0, sizeof(*spin));
	spin->origin = origin;
	spin->when = choices_when(flow, access);
	spin->kernel_offset = (int64_t)(insn->pc - entry->start);
	spin->mnemonic = strdup(insn->mnemonic);
	if (!spin->mnemonic)
		return -ENOMEM;
	if (access->function->entry != entry->pc) {
		spin->function = isa_demangle(symbol ? symbol->name : "?");
		if (!spin->function)
			return -ENOMEM;
	}
	return 0;
}

/* Tells if a waiting loop reads it: not its own registers' spills, and not its argument. */
static bool is_awaited(struct flow *flow, const struct access *access)
{
	const struct insn *insn = access->insn;
	struct target target[TARGETS_MAX];
	unsigned i, k, n;

	if (!(insn->load || (insn->atomic && insn->returns)) || insn->family == MEM_SCALAR_BUFFER ||
	    insn->family == MEM_SCRATCH)
		return false;
	for (i = 0; i < access->pair_count; i++) {
		n = flow_targets(flow, access->pair[i].low, access->pair[i].high, target);
		for (k = 0; k < n; k++)
			if (target[k].kind != TARGET_PRIVATE && target[k].kind != TARGET_RUNTIME &&
			    target[k].kind != TARGET_KERNARG_SEGMENT)
				return true;
	}
	return false;
}

static int find_spins(struct isa_analysis *analysis, struct flow *flow,
		      const struct flow_entry *entry, struct isa_kernel *kernel)
{
	const struct function *function = NULL;
	bool *waits = NULL;
	size_t i;
	int status = 0;

	/* Accesses of one function mostly follow each other. */
	for (i = 0; !status && i < flow->access_count && kernel->spin_count < SPINS_MAX; i++) {
		const struct access *access = &flow->access[i];

		if (access->function != function) {
			free(waits);
			function = access->function;
			waits = calloc(function->block_count + 1, sizeof(*waits));
			status = waits ? find_waits(function, waits) : -ENOMEM;
		}
		if (!status && in_blocks(function, waits, access->insn) && is_awaited(flow, access))
			status = add_spin(analysis, flow, access, entry, kernel);
	}
	free(waits);
	return status;
}

int facts_end(struct isa_analysis *analysis, struct flow *flow, const struct flow_entry *entry,
	      const struct codeobj_kernel *from, struct isa_kernel *kernel)
{
	/* Code that was not seen may do it, too. */
	bool seen = !flow->unseen && !flow->exhausted && !flow->broken;

	if (seen || flow->uses_lds)
		kernel->uses_lds = known(flow->uses_lds);
	if (seen || flow->has_barrier)
		kernel->has_barrier = known(flow->has_barrier);
	kernel->hostcall = uses_hidden(from, kernel, CODEOBJ_HIDDEN_HOSTCALL);
	kernel->printf_buffer = uses_hidden(from, kernel, CODEOBJ_HIDDEN_PRINTF);
	if (analysis->arch->scope != ARCH_SCOPE_NONE) {
		if (seen || flow->system_release)
			kernel->system_release = known(flow->system_release);
		if (seen || flow->system_acquire)
			kernel->system_acquire = known(flow->system_acquire);
	}
	return find_spins(analysis, flow, entry, kernel);
}
