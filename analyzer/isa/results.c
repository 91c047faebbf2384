/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of isa.h: releasing it, looking things up in it, names of its values. */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "path.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void isa_origin_clear(struct isa_origin *origin)
{
	free(origin->kernarg);
	free(origin->symbol);
	free(origin->why);
	path_clear(&origin->paths);
}

static void free_party(struct isa_party *party)
{
	free(party->mnemonic);
	free(party->symbol);
	free(party->file);
}

void isa_kernel_clear(struct isa_kernel *kernel)
{
	size_t i;

	for (i = 0; i < kernel->arg_count; i++) {
		free(kernel->args[i].name);
		free(kernel->args[i].type_name);
	}
	for (i = 0; i < kernel->atomic_count; i++) {
		struct isa_atomic *atomic = &kernel->atomics[i];

		free(atomic->mnemonic);
		free(atomic->function);
		free(atomic->file);
		free(atomic->unsure);
		isa_origin_clear(&atomic->origin);
		for (size_t k = 0; k < atomic->choice_count; k++)
			isa_origin_clear(&atomic->choices[k].origin);
		free(atomic->choices);
		for (size_t k = 0; k < atomic->frame_count; k++) {
			free(atomic->frames[k].function);
			free(atomic->frames[k].file);
		}
		free(atomic->frames);
	}
	for (i = 0; i < kernel->spin_count; i++) {
		free(kernel->spins[i].mnemonic);
		free(kernel->spins[i].function);
		free(kernel->spins[i].file);
		isa_origin_clear(&kernel->spins[i].origin);
	}
	free(kernel->spins);
	for (i = 0; i < kernel->handover_count; i++) {
		free_party(&kernel->handovers[i].flag);
		free_party(&kernel->handovers[i].data);
	}
	free(kernel->handovers);
	free(kernel->args);
	free(kernel->atomics);
	free(kernel->uses);
	for (i = 0; i < kernel->read_count; i++) {
		path_free(&kernel->reads[i].path);
		free(kernel->reads[i].file);
	}
	free(kernel->reads);
	for (i = 0; i < kernel->path_use_count; i++)
		path_free(&kernel->path_uses[i].path);
	free(kernel->path_uses);
	for (i = 0; i < kernel->store_count; i++) {
		path_free(&kernel->stores[i].path);
		for (size_t k = 0; k < kernel->stores[i].value_count; k++)
			path_free(&kernel->stores[i].value[k]);
		free(kernel->stores[i].value);
	}
	free(kernel->stores);
	free(kernel->symbol);
	free(kernel->name);
	free(kernel->hidden);
	free(kernel->incomplete);
	free(kernel->incomplete_at.file);
	free(kernel->unvisited_at.file);
	free(kernel->unvisited);
}

void isa_code_object_free(struct isa_code_object *object)
{
	size_t i;

	if (!object)
		return;
	for (i = 0; i < object->kernel_count; i++)
		isa_kernel_clear(&object->kernels[i]);
	free(object->kernels);
	free(object->target);
	free(object->arch);
	free(object->note);
	free(object->debug_problem);
	free(object);
}

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *object, const char *symbol)
{
	size_t i;

	for (i = 0; i < object->kernel_count; i++)
		if (!strcmp(object->kernels[i].symbol, symbol))
			return &object->kernels[i];
	return NULL;
}

/* ---- names ---- */

const char *isa_cache_word(unsigned bit)
{
	static const char *const names[ISA_CACHE_WORDS] = {
		"glc",
		"slc",
		"dlc",
		"scc",
		"sc0",
		"sc1",
		"nt",
		"scope:SCOPE_SE",
		"scope:SCOPE_DEV",
		"scope:SCOPE_SYS",
	};

	return bit < ISA_CACHE_WORDS ? names[bit] : "?";
}

const char *isa_scope_name(enum isa_scope scope)
{
	static const char *const names[] = {
		[ISA_SCOPE_UNSTATED] = "unstated",
		[ISA_SCOPE_NARROW] = "narrow",
		[ISA_SCOPE_AGENT] = "agent",
		[ISA_SCOPE_SYSTEM] = "system",
	};

	return (size_t)scope < ARRAY_SIZE(names) ? names[scope] : "?";
}

const char *isa_op_name(enum isa_op op)
{
	static const char *const names[] = {
		[ISA_OP_ADD] = "add",           [ISA_OP_SUB] = "sub",
		[ISA_OP_MIN] = "min",           [ISA_OP_MAX] = "max",
		[ISA_OP_AND] = "and",           [ISA_OP_OR] = "or",
		[ISA_OP_XOR] = "xor",           [ISA_OP_INC] = "inc",
		[ISA_OP_DEC] = "dec",           [ISA_OP_SWAP] = "swap",
		[ISA_OP_CMPSWAP] = "cmpswap",   [ISA_OP_OTHER] = "other",
		[ISA_OP_MINMAX] = "min-or-max",
	};

	return (size_t)op < ARRAY_SIZE(names) ? names[op] : "?";
}

const char *isa_type_name(enum isa_type type)
{
	static const char *const names[] = {
		[ISA_TYPE_I32] = "i32",       [ISA_TYPE_I64] = "i64",
		[ISA_TYPE_F32] = "f32",       [ISA_TYPE_F64] = "f64",
		[ISA_TYPE_PK_F16] = "pk_f16", [ISA_TYPE_PK_BF16] = "pk_bf16",
	};

	return (size_t)type < ARRAY_SIZE(names) ? names[type] : "?";
}

const char *isa_space_name(enum isa_space space)
{
	static const char *const names[] = {
		[ISA_SPACE_GLOBAL] = "global",   [ISA_SPACE_FLAT] = "flat",
		[ISA_SPACE_BUFFER] = "buffer",   [ISA_SPACE_LDS] = "lds",
		[ISA_SPACE_SCRATCH] = "scratch",
	};

	return (size_t)space < ARRAY_SIZE(names) ? names[space] : "?";
}

const char *isa_origin_name(enum isa_origin_kind kind)
{
	static const char *const names[] = {
		[ISA_ORIGIN_DIRECT] = "direct",     [ISA_ORIGIN_SET] = "set",
		[ISA_ORIGIN_INDIRECT] = "indirect", [ISA_ORIGIN_LDS] = "lds",
		[ISA_ORIGIN_GLOBAL] = "global",     [ISA_ORIGIN_CONSTANT] = "constant",
		[ISA_ORIGIN_UNKNOWN] = "unknown",
	};

	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : "?";
}
