/* SPDX-License-Identifier: Apache-2.0 */
/* Tells how to change what a compiler makes of an atomic update. */
#include "atomic_fixes.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/isa/lines.h"
#include "analyzer/rules/atomics/openmp_atomics.h"

/* ---- how the source writes it ---- */

/* Functions and builtins by their beginning; the longest that fits decides. */
static const struct spelling {
	const char *name;
	enum atomic_construct construct;
} spellings[] = {
	{ "atomicAdd", CONSTRUCT_ATOMIC },
	{ "atomicSub", CONSTRUCT_ATOMIC },
	{ "atomicMin", CONSTRUCT_ATOMIC },
	{ "atomicMax", CONSTRUCT_ATOMIC },
	{ "atomicInc", CONSTRUCT_ATOMIC },
	{ "atomicDec", CONSTRUCT_ATOMIC },
	{ "atomicAnd", CONSTRUCT_ATOMIC },
	{ "atomicOr", CONSTRUCT_ATOMIC },
	{ "atomicXor", CONSTRUCT_ATOMIC },
	{ "atomicAdd_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicSub_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicMin_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicMax_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicAnd_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicOr_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "atomicXor_system", CONSTRUCT_ATOMIC_SYSTEM },
	{ "safeAtomicAdd", CONSTRUCT_SAFE },
	{ "safeAtomicMin", CONSTRUCT_SAFE },
	{ "safeAtomicMax", CONSTRUCT_SAFE },
	{ "unsafeAtomicAdd", CONSTRUCT_UNSAFE },
	{ "unsafeAtomicMin", CONSTRUCT_UNSAFE },
	{ "unsafeAtomicMax", CONSTRUCT_UNSAFE },
	{ "atomicCAS", CONSTRUCT_LOOP },
	{ "atomicCAS_system", CONSTRUCT_LOOP },
	/* In source lines only: the compiler leaves no frame of them. */
	{ "__hip_atomic_fetch_add", CONSTRUCT_FETCH },
	{ "__hip_atomic_fetch_min", CONSTRUCT_FETCH },
	{ "__hip_atomic_fetch_max", CONSTRUCT_FETCH },
	{ "__atomic_fetch_add", CONSTRUCT_GENERIC },
	{ "__hip_atomic_compare_exchange_strong", CONSTRUCT_LOOP },
	{ "__hip_atomic_compare_exchange_weak", CONSTRUCT_LOOP },
	{ "__atomic_compare_exchange", CONSTRUCT_LOOP },
	{ "__atomic_compare_exchange_n", CONSTRUCT_LOOP },
	{ "__sync_bool_compare_and_swap", CONSTRUCT_LOOP },
	{ "__sync_val_compare_and_swap", CONSTRUCT_LOOP },
	{ "__builtin_amdgcn_global_atomic_fadd_f32", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_global_atomic_fadd_f64", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_global_atomic_fmin_f64", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_global_atomic_fmax_f64", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_flat_atomic_fadd_f32", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_flat_atomic_fadd_f64", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_flat_atomic_fmin_f64", CONSTRUCT_BUILTIN },
	{ "__builtin_amdgcn_flat_atomic_fmax_f64", CONSTRUCT_BUILTIN },
};

static const struct spelling *spelling_of(const char *name, size_t length)
{
	for (size_t i = 0; i < G_N_ELEMENTS(spellings); i++)
		if (strlen(spellings[i].name) == length &&
		    memcmp(spellings[i].name, name, length) == 0)
			return &spellings[i];
	return NULL;
}

/* A function of HIP's headers: "unsafeAtomicAdd(double*, double)", or its linkage name where that
 * cannot be read. */
static const struct spelling *spelling_of_frame(const struct isa_frame *frame)
{
	const char *name = frame->function;
	char *end;
	unsigned long length;

	if (!name || !frame->file || lines_owner(frame->file) != LINES_COMPILER)
		return NULL;
	if (!g_str_has_prefix(name, "_Z"))
		return spelling_of(name, strcspn(name, "(<"));
	if (!isdigit((unsigned char)name[2]))
		return NULL;
	length = strtoul(name + 2, &end, 10);
	return length <= strlen(end) ? spelling_of(end, length) : NULL;
}

static int operation_of(const struct isa_atomic *atomic, enum isa_op op)
{
	bool minmax = op == ISA_OP_MIN || op == ISA_OP_MAX || op == ISA_OP_MINMAX;
	bool bits = op == ISA_OP_AND || op == ISA_OP_OR || op == ISA_OP_XOR;

	if (atomic->fp) {
		if (!minmax && op != ISA_OP_ADD && op != ISA_OP_SUB)
			return -1;
		return atomic->type == ISA_TYPE_F32   ? minmax ? CODE_F32_MINMAX : CODE_F32_ADD
		       : atomic->type == ISA_TYPE_F64 ? minmax ? CODE_F64_MINMAX : CODE_F64_ADD
						      : -1;
	}
	/* 32 bits: what was tried. */
	if (atomic->type != ISA_TYPE_I32)
		return -1;
	return minmax ? CODE_INT_MINMAX : bits ? CODE_INT_BITS : -1;
}

/* A loop of which the machine code does not show the direction: the name in the source does. */
static void settle_direction(struct atomic_source *source)
{
	if (source->op != ISA_OP_MINMAX || !source->name)
		return;
	if (strstr(source->name, "Min") || strstr(source->name, "min"))
		source->op = ISA_OP_MIN;
	else if (strstr(source->name, "Max") || strstr(source->name, "max"))
		source->op = ISA_OP_MAX;
}

struct atomic_source *atomic_source_new(const struct launch *launch,
					const struct isa_atomic *atomic)
{
	struct atomic_source *source = g_new0(struct atomic_source, 1);

	source->arch = g_strdup(launch->arch);
	source->clang = launch->clang;
	source->amd = launch->amd_clang;
	source->omp = launch_is_omp(launch);
	source->returns = atomic->returns;
	source->op = atomic->cas_loop ? atomic->loop_op : atomic->op;
	source->operation = operation_of(atomic, source->op);
	/* The program calls the outermost one: atomicAdd() may call unsafeAtomicAdd(). */
	for (size_t i = 0; i < atomic->frame_count; i++) {
		const struct spelling *spelling = spelling_of_frame(&atomic->frames[i]);

		if (spelling) {
			source->construct = spelling->construct;
			g_free(source->name);
			source->name = g_strdup(spelling->name);
		}
	}
	settle_direction(source);
	return source;
}

void atomic_source_free(struct atomic_source *source)
{
	if (source) {
		g_free(source->arch);
		g_free(source->name);
		g_free(source->arguments);
		g_free(source);
	}
}

static void clear_source(void *data)
{
	atomic_source_free(*(struct atomic_source **)data);
}

static const struct attachment_type source_type = { sizeof(struct atomic_source *), NULL,
						    clear_source };

void finding_set_source(struct finding *finding, struct atomic_source *source)
{
	struct atomic_source **kept = attachment_get(&finding->evidence, &source_type);

	atomic_source_free(*kept);
	*kept = source;
}

struct atomic_source *finding_source(const struct finding *finding)
{
	struct atomic_source **kept = attachment_find(&finding->evidence, &source_type);

	return kept ? *kept : NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The text in the parentheses of "NAME(TEXT);", if the line is nothing else; to be freed. */
static char *only_arguments(const char *line, const char *name)
{
	size_t length = strlen(name), depth = 0;
	const char *at = line + length;

	if (strncmp(line, name, length) != 0 || *at != '(')
		return NULL;
	for (; *at && !strchr("\"'{}", *at); at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0) {
			const char *start = line + length + 1;

			return at[1] == ';' && (at[2] == 0 || isspace((unsigned char)at[2]))
				   ? g_strndup(start, (gsize)(at - start))
				   : NULL;
		}
	}
	return NULL;
}

void atomic_source_look(struct atomic_source *source, const char *line)
{
	const struct spelling *only = NULL;

	if (!line)
		return;
	for (const char *at = line; *at; at++) {
		const struct spelling *found;
		size_t length = 0;

		if (at > line && is_word(at[-1]))
			continue;
		while (is_word(at[length]))
			length++;
		found = spelling_of(at, length);
		if (found && only && found != only)
			return; /* it is not known which of them it is */
		only = found ? found : only;
	}
	if (only && (source->construct == CONSTRUCT_UNKNOWN ||
		     (source->name && strcmp(source->name, only->name) == 0))) {
		source->construct = only->construct;
		g_free(source->name);
		source->name = g_strdup(only->name);
		/* The others name order and scope as well. */
		if (only->construct != CONSTRUCT_FETCH && only->construct != CONSTRUCT_GENERIC)
			source->arguments = only_arguments(line, only->name);
	}
	settle_direction(source);
	if (source->construct == CONSTRUCT_FETCH) {
		/* The scope has to stand there, too. */
		if (strstr(line, "__HIP_MEMORY_SCOPE_SYSTEM"))
			source->construct = CONSTRUCT_FETCH_SYSTEM;
		else if (!strstr(line, "__HIP_MEMORY_SCOPE_"))
			source->construct = CONSTRUCT_UNKNOWN;
	}
	if (source->omp && source->construct == CONSTRUCT_UNKNOWN && !only &&
	    !strstr(line, "__builtin_") && !strstr(line, "asm") && strpbrk(line, "+-<>"))
		source->construct = CONSTRUCT_OMP;
}

/* ---- what helps ---- */

#define UNSAFE "-munsafe-fp-atomics"
#define SAFE   "-mno-unsafe-fp-atomics"
#define FINE   "-mno-unsafe-fp-atomics -fatomic-fine-grained-memory"

static bool gives(const struct atomic_source *source, struct clang_range range, char letter,
		  enum atomic_construct construct, enum code_options options)
{
	return source->operation >= 0 &&
	       atomic_code(range, source->arch, construct, (enum code_operation)source->operation,
			   options) == letter;
}

/* "Add", "Min": what follows `atomic` in the functions' names. */
static const char *suffix(const struct atomic_source *source)
{
	switch (source->op) {
	case ISA_OP_MIN:
		return "Min";
	case ISA_OP_MAX:
		return "Max";
	case ISA_OP_AND:
		return "And";
	case ISA_OP_OR:
		return "Or";
	case ISA_OP_XOR:
		return "Xor";
	default:
		return "Add";
	}
}

static const char *small_suffix(const struct atomic_source *source)
{
	switch (source->op) {
	case ISA_OP_MIN:
	case ISA_OP_MINMAX:
		return "min";
	case ISA_OP_MAX:
		return "max";
	default:
		return "add";
	}
}

/*
 * Returns "unsafeAtomicMin", or both functions if the direction is not known. The caller frees the
 * text.
 */
static char *function_of(const struct atomic_source *source, const char *prefix, const char *tail)
{
	if (source->op == ISA_OP_MINMAX)
		return g_strdup_printf("%sMin%s or %sMax%s", prefix, tail, prefix, tail);
	return g_strdup_printf("%s%s%s", prefix, suffix(source), tail);
}

static bool is_floating(const struct atomic_source *source)
{
	return source->operation < 0 || source->operation <= CODE_F64_MINMAX;
}

/* "unsafeAtomicAdd at k.hip:5": what is to be replaced. */
static char *instead_of(const struct atomic_source *source, enum atomic_construct construct,
			const char *place)
{
	const char *name = source->construct == construct && source->name ? source->name
			   : construct == CONSTRUCT_LOOP                  ? "a compare-and-swap"
			   : construct == CONSTRUCT_UNSAFE && is_floating(source) ? "unsafeAtomic"
										  : "atomic";

	char *function = name[strlen(name) - 1] == 'c' && !strstr(name, "fetch")
			     ? function_of(source, name, "")
			     : g_strdup(name);
	/*
	 * The program wrote such a loop itself, in several lines, so that no name in it stands for
	 * all.
	 */
	char *text =
	    g_strdup_printf("%s%s%s%s", construct == CONSTRUCT_LOOP ? "the whole loop around " : "",
			    function, place ? " at " : "", place ? place : "");

	g_free(function);
	return text;
}

static char *loop_in(const struct atomic_source *source, enum atomic_construct construct,
		     const char *place, struct clang_range range)
{
	bool one_function = source->op != ISA_OP_MINMAX;
	char *instead, *function = NULL, *text;
	bool no_option;

	if (gives(source, range, 'L', construct, OPTIONS_NONE))
		return g_strdup("compile with " SAFE);
	if (gives(source, range, 'L', construct, OPTIONS_FINE))
		return g_strdup("compile with " FINE);
	instead = instead_of(source, construct, place);
	no_option = construct == CONSTRUCT_UNSAFE || construct == CONSTRUCT_BUILTIN;
	if (!is_floating(source) && construct != CONSTRUCT_ATOMIC_SYSTEM &&
	    gives(source, range, 'L', CONSTRUCT_ATOMIC_SYSTEM, OPTIONS_NONE)) {
		function = function_of(source, "atomic", "_system");
		text = g_strdup_printf("write %s instead of %s", function, instead);
	} else if (gives(source, range, 'L', CONSTRUCT_SAFE, OPTIONS_NONE) &&
		   gives(source, range, 'L', CONSTRUCT_SAFE, OPTIONS_UNSAFE)) {
		function = function_of(source, "safeAtomic", "");
		text = g_strdup_printf("write %s instead of %s%s", function, instead,
				       no_option ? ", which no option changes" : "");
	} else if (one_function && gives(source, range, 'L', CONSTRUCT_ATTRIBUTE, OPTIONS_NONE) &&
		   gives(source, range, 'L', CONSTRUCT_ATTRIBUTE, OPTIONS_UNSAFE)) {
		text = g_strdup_printf(
		    "write [[clang::atomic(fine_grained_memory)]] { __hip_atomic_fetch_%s(%s, "
		    "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } instead of %s%s",
		    small_suffix(source), source->arguments ? source->arguments : "p, v", instead,
		    no_option ? ", which no option changes" : "");
	} else {
		text = g_strdup_printf("write a loop around atomicCAS instead of %s", instead);
	}
	g_free(function);
	g_free(instead);
	return text;
}

static char *instruction_in(const struct atomic_source *source, enum atomic_construct construct,
			    const char *place, struct clang_range range)
{
	bool by_option =
	    construct != CONSTRUCT_SAFE && gives(source, range, 'I', construct, OPTIONS_UNSAFE);
	bool one_function = source->op != ISA_OP_MINMAX;
	char *instead, *function, *text = NULL;

	if (source->omp && construct == CONSTRUCT_OMP)
		return by_option ? g_strdup("compile with " UNSAFE) : NULL;
	instead = instead_of(source, construct, place);
	function = function_of(source, "unsafeAtomic", "");
	if (gives(source, range, 'I', CONSTRUCT_UNSAFE, OPTIONS_NONE)) {
		text = g_strdup_printf("write %s instead of %s%s", function, instead,
				       by_option ? ", or compile with " UNSAFE : "");
	} else if (by_option) {
		text = g_strdup("compile with " UNSAFE);
	} else if (gives(source, range, 'I', CONSTRUCT_UNSAFE, OPTIONS_UNSAFE)) {
		text = g_strdup_printf("write %s instead of %s, and compile with " UNSAFE, function,
				       instead);
	} else if (one_function && gives(source, range, 'I', CONSTRUCT_FETCH, OPTIONS_UNSAFE)) {
		text = g_strdup_printf("write __hip_atomic_fetch_%s(%s, __ATOMIC_RELAXED, "
				       "__HIP_MEMORY_SCOPE_AGENT) instead of %s, and compile "
				       "with " UNSAFE,
				       small_suffix(source),
				       source->arguments ? source->arguments : "p, v", instead);
	} else if (gives(source, range, 'I', CONSTRUCT_BUILTIN, OPTIONS_NONE) &&
		   source->operation == CODE_F64_MINMAX) {
		text = g_strdup_printf(
		    "write __builtin_amdgcn_flat_atomic_f%s_f64((__attribute__((address_space(0))) "
		    "double *)p, v)%s instead of %s",
		    small_suffix(source), one_function ? "" : " (fmax for a maximum)", instead);
	}
	g_free(function);
	g_free(instead);
	return text;
}

typedef char *text_in(const struct atomic_source *, enum atomic_construct, const char *,
		      struct clang_range);

/* Returns the text for both sides of the change in clang 21 if the compiler is not known. */
static char *for_compiler(const struct atomic_source *source, enum atomic_construct construct,
			  const char *place, text_in *text)
{
	char *early, *late, *both;

	/* AMD's clang 19 and 20 branched off from LLVM in between. */
	if (source->clang && !(source->amd && (source->clang == 19 || source->clang == 20)))
		return text(source, construct, place, atomic_code_range(source->clang));
	early = text(source, construct, place, CLANG_EARLY);
	late = text(source, construct, place, CLANG_LATE);
	if (!early || !late || strcmp(early, late) == 0) {
		both = g_strdup(early && late ? early : NULL);
	} else {
		both =
		    g_strdup_printf("%s (clang before 21) or %s (clang 21 and later)", early, late);
	}
	g_free(early);
	g_free(late);
	return both;
}

/*
 * Returns a text with two ways to write it and the advice for each, which the caller frees. It
 * takes over both texts.
 */
static char *for_either(char *way, char *text, char *other_way, char *other)
{
	char *both = text && other
			 ? g_strdup_printf("where the source has %s, %s; where it has %s, %s", way,
					   text, other_way, other)
			 : NULL;

	g_free(way);
	g_free(other_way);
	if (!both)
		return text;
	g_free(text);
	g_free(other);
	return both;
}

/* Returns the text for the usual ways to write it if the source's way is not known. */
static char *for_source(const struct atomic_source *source, const char *place, text_in *text)
{
	enum atomic_construct usual = source->omp ? CONSTRUCT_OMP : CONSTRUCT_ATOMIC;
	enum atomic_construct other = text == instruction_in ? CONSTRUCT_LOOP
				      : source->omp          ? CONSTRUCT_BUILTIN
							     : CONSTRUCT_UNSAFE;
	char *plain, *way;

	if (source->construct != CONSTRUCT_UNKNOWN)
		return for_compiler(source, source->construct, place, text);
	plain = for_compiler(source, usual, place, text);
	if (!is_floating(source) || (source->omp && text == instruction_in))
		return plain;
	way = other == CONSTRUCT_LOOP      ? g_strdup("a loop of its own")
	      : other == CONSTRUCT_BUILTIN ? g_strdup("a builtin function")
					   : function_of(source, "unsafeAtomic", "");
	return for_either(source->omp ? g_strdup("omp atomic") : function_of(source, "atomic", ""),
			  plain, way, for_compiler(source, other, place, text));
}

char *atomic_loop_text(const struct atomic_source *source, const char *place)
{
	if (source->operation < 0)
		return g_strdup("write the update as a loop around atomicCAS");
	return for_source(source, place, loop_in);
}

char *atomic_instruction_text(const struct atomic_source *source, const char *place)
{
	return source->operation < 0 ? NULL : for_source(source, place, instruction_in);
}
