/* SPDX-License-Identifier: Apache-2.0 */
/* This finds where the address of an access comes from, or why that is unknown. */
#include "origin.h"
#include "choice.h"
#include "codeobj/text.h"
#include "handover.h"
#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More possible pointers than this say no more than "unknown". */
#define OFFSETS_MAX 32u
#define CHASE_DEPTH 16u
/* Loads looked at for one address; one that is reached in two ways counts twice. */
#define CHASE_LOADS 1000u

struct offsets {
	uint32_t offset[OFFSETS_MAX];
	unsigned count;
	bool overflow;
};

/* Everything an address may come from. */
struct sources {
	struct offsets direct, indirect;
	const char *symbol[2]; /* up to two names; [1] says that there are several */
	const char *through;   /* symbol that a pointer was loaded from */
	bool lds, private, runtime, kernarg_segment, literal, image, nothing;
	bool null;           /* or a null pointer, which nothing can be accessed through */
	const char *unknown; /* why, NULL if everything is known */
	unsigned chased;     /* loads on the way */
};

static void add_offset(struct offsets *offsets, uint32_t offset)
{
	unsigned i;

	for (i = 0; i < offsets->count && offsets->offset[i] < offset; i++)
		;
	if (i < offsets->count && offsets->offset[i] == offset)
		return;
	if (offsets->count == OFFSETS_MAX) {
		offsets->overflow = true;
		return;
	}
	memmove(&offsets->offset[i + 1], &offsets->offset[i],
		(offsets->count - i) * sizeof(offsets->offset[0]));
	offsets->offset[i] = offset;
	offsets->count++;
}

static void add_symbol(struct sources *sources, const char *name)
{
	if (!sources->symbol[0] || !strcmp(sources->symbol[0], name))
		sources->symbol[0] = name;
	else
		sources->symbol[1] = name;
}

static void add_unknown(struct sources *sources, const char *why)
{
	if (!sources->unknown)
		sources->unknown = why ? why : "not followed";
}

static void gather(struct flow *flow, const struct access *access, struct sources *sources,
		   bool *visited, unsigned depth);

/* Follows a pointer loaded by another instruction to what that instruction's address comes from. */
static void chase(struct flow *flow, uint32_t base, struct sources *sources, bool *visited,
		  unsigned depth)
{
	uint32_t index = BASE_PAYLOAD(base) >> 4, part = BASE_PAYLOAD(base) & 15;
	const struct access *load = &flow->access[index];
	struct target target[TARGETS_MAX];
	struct sources inner = { 0 };
	unsigned i, k, n;

	if (depth >= CHASE_DEPTH || sources->chased++ >= CHASE_LOADS) {
		add_unknown(sources, "a long chain of pointers");
		return;
	}
	/* Loaded from the kernarg segment at a computed place: one of the argument's words. */
	for (i = 0; i < load->pair_count; i++) {
		n = flow_targets(flow, load->pair[i].low, load->pair[i].high, target);
		for (k = 0; k < n; k++) {
			uint32_t at, offset;
			size_t a;

			if (target[k].kind != TARGET_KERNARG_SEGMENT)
				continue;
			at = (uint32_t)(target[k].constant + load->insn->offset) + part * 4;
			for (a = 0; a < flow->arg_count; a++)
				if (at >= flow->args[a].offset &&
				    at - flow->args[a].offset < flow->args[a].size)
					break;
			if (target[k].exact && !load->insn->sub_dword) {
				add_offset(&sources->direct, at);
			} else if (!target[k].constant_known || a == flow->arg_count ||
				   flow->args[a].size <= 8) {
				/* Inside of a single pointer there is nothing to choose from. */
				add_unknown(sources, "a kernel argument at a computed place");
			} else {
				for (offset = flow->args[a].offset & ~7u;
				     offset + 8 <= flow->args[a].offset + flow->args[a].size;
				     offset += 8)
					add_offset(&sources->direct, offset);
			}
		}
	}
	/* Already being followed: it leads to nothing that is not found there. */
	if (visited[index])
		return;
	visited[index] = true;
	inner.chased = sources->chased;
	gather(flow, load, &inner, visited, depth + 1);
	sources->chased = inner.chased;
	visited[index] = false;
	for (i = 0; i < inner.direct.count; i++)
		add_offset(&sources->indirect, inner.direct.offset[i]);
	for (i = 0; i < inner.indirect.count; i++)
		add_offset(&sources->indirect, inner.indirect.offset[i]);
	sources->direct.overflow |= inner.direct.overflow;
	sources->indirect.overflow |= inner.indirect.overflow;
	if (inner.symbol[0] || inner.through) {
		const char *name = inner.through ? inner.through : inner.symbol[0];

		if ((sources->through && strcmp(sources->through, name)) || inner.symbol[1])
			add_unknown(sources, "a pointer from one of several device variables");
		sources->through = name;
	}
	if (inner.lds)
		add_unknown(sources, "a pointer kept in LDS");
	if (inner.runtime)
		add_unknown(sources, "a pointer from the runtime's own structures");
	if (inner.image)
		add_unknown(sources, "a pointer from data of the code object");
	if (inner.literal)
		add_unknown(sources, "a pointer loaded from a fixed address");
	if (inner.unknown)
		add_unknown(sources, inner.unknown);
}

static void gather_pair(struct flow *flow, value_id low, value_id high, struct sources *sources,
			bool *visited, unsigned depth)
{
	struct target target[TARGETS_MAX];
	unsigned n = flow_targets(flow, low, high, target), i, k;

	if (n == TARGETS_MAX)
		add_unknown(sources, "too many possible addresses");
	for (i = 0; i < n; i++) {
		const struct target *t = &target[i];
		bool several = t->other_count;

		switch (t->kind) {
		case TARGET_KERNARG_SEGMENT:
			sources->kernarg_segment = true;
			break;
		case TARGET_RUNTIME:
			sources->runtime = true;
			break;
		case TARGET_PRIVATE:
			sources->private = true;
			break;
		case TARGET_LDS:
			sources->lds = true;
			break;
		case TARGET_IMAGE:
			if (BASE_KIND(t->base) == BASE_SYMBOL)
				add_symbol(
				    sources,
				    flow->program->image->symbols[BASE_PAYLOAD(t->base)].name);
			else
				sources->image = true;
			break;
		case TARGET_POINTER:
			for (k = 0; k <= t->other_count; k++) {
				uint32_t base = k ? t->other[k - 1] : t->base;

				if (BASE_KIND(base) == BASE_KERNARG)
					add_offset(&sources->direct, BASE_PAYLOAD(base));
				else if (several)
					add_unknown(
					    sources,
					    "a sum of two numbers, either may be a pointer");
				else
					chase(flow, base, sources, visited, depth);
			}
			break;
		case TARGET_NUMBER:
			sources->literal |= !t->null;
			sources->null |= t->null;
			break;
		case TARGET_UNKNOWN:
			add_unknown(sources, t->why);
			break;
		}
	}
}

static void gather(struct flow *flow, const struct access *access, struct sources *sources,
		   bool *visited, unsigned depth)
{
	unsigned i;

	if (access->overflow)
		add_unknown(sources, "too many different addresses");
	if (!access->pair_count)
		sources->nothing = true;
	for (i = 0; i < access->pair_count; i++)
		gather_pair(flow, access->pair[i].low, access->pair[i].high, sources, visited,
			    depth);
}

static int gather_all(struct flow *flow, const struct access *access, struct sources *sources)
{
	bool *visited = calloc(flow->access_count + 1, sizeof(*visited));

	memset(sources, 0, sizeof(*sources));
	if (!visited)
		return -ENOMEM;
	if (flow->exhausted)
		add_unknown(sources, "the kernel is too large to be analysed to the end");
	if (flow->broken)
		add_unknown(sources, flow->broken);
	/* The kernel itself is no target of calls. */
	if (flow->unseen && access->function != flow->kernel)
		add_unknown(sources, flow->unseen);
	gather(flow, access, sources, visited, 0);
	free(visited);
	if (sources->direct.overflow || sources->indirect.overflow)
		add_unknown(sources, "too many possible kernel arguments");
	return 0;
}

static int copy_offsets(struct isa_origin *origin, const struct offsets *offsets)
{
	free(origin->kernarg);
	origin->kernarg = calloc(offsets->count + 1, sizeof(*origin->kernarg));
	if (!origin->kernarg)
		return -ENOMEM;
	memcpy(origin->kernarg, offsets->offset, offsets->count * sizeof(*origin->kernarg));
	origin->kernarg_count = offsets->count;
	return 0;
}

static int set_why(struct isa_origin *origin, const char *why)
{
	free(origin->why);
	origin->why = text_one_line(why);
	return origin->why ? 0 : -ENOMEM;
}

static int unknown(struct isa_origin *origin, const char *why)
{
	origin->kind = ISA_ORIGIN_UNKNOWN;
	free(origin->symbol);
	origin->symbol = NULL;
	return set_why(origin, why);
}

/* Through pointers in memory: all paths are known. 0 or -ENOMEM. */
static int indirect(struct isa_origin *origin)
{
	struct offsets kernarg = { .count = 0 };
	const char *symbol = NULL;
	bool several = false;

	origin->kind = ISA_ORIGIN_INDIRECT;
	for (size_t i = 0; i < origin->paths.count; i++) {
		const struct isa_path *path = &origin->paths.path[i];

		if (!path->symbol) {
			add_offset(&kernarg, path->kernarg);
			continue;
		}
		several |= symbol && strcmp(symbol, path->symbol);
		symbol = symbol ? symbol : path->symbol;
	}
	if (symbol && !several) {
		origin->symbol = strdup(symbol);
		if (!origin->symbol)
			return -ENOMEM;
	}
	return copy_offsets(origin, &kernarg);
}

/* Sets an origin through pointers in memory, by ways that are not known. Returns 0 or -ENOMEM. */
static int somewhere(struct isa_origin *origin, const struct sources *s)
{
	if (s->direct.count || s->symbol[0] || (s->indirect.count && s->through))
		return unknown(origin, origin->paths.why);
	origin->kind = ISA_ORIGIN_INDIRECT;
	if (s->through) {
		origin->symbol = text_one_line(s->through);
		if (!origin->symbol)
			return -ENOMEM;
	}
	origin->why = strdup(origin->paths.why);
	return origin->why ? copy_offsets(origin, &s->indirect) : -ENOMEM;
}

/* Sets one pointer or variable, or several, where the address starts. Returns 0 or -ENOMEM. */
static int direct(struct isa_origin *origin, const struct sources *s)
{
	int status = copy_offsets(origin, &s->direct);

	origin->kind = s->direct.count > 1 || s->symbol[0] ? ISA_ORIGIN_SET : ISA_ORIGIN_DIRECT;
	if (!status && s->symbol[0])
		status = set_why(origin, "or the device variable");
	else if (!status && s->lds)
		status = set_why(origin, "or LDS, by the address at run time");
	return status;
}

int origin_resolve(struct flow *flow, const struct access *access, struct isa_origin *origin)
{
	struct sources s;
	char why[160];
	int status;

	memset(origin, 0, sizeof(*origin));
	/* Also where nothing is known of addresses. */
	if (access->insn->family == MEM_DS) {
		origin->kind = ISA_ORIGIN_LDS;
		return 0;
	}
	status = gather_all(flow, access, &s);
	if (!status && (s.indirect.count || s.through))
		status = path_find(flow, access, &origin->paths);
	if (status)
		return status;
	if (origin->paths.count)
		return indirect(origin);
	if (s.unknown)
		return unknown(origin, s.unknown);
	if (origin->paths.why)
		return somewhere(origin, &s);
	if (s.symbol[1]) {
		snprintf(why, sizeof(why), "one of several device variables (%.50s, %.50s)",
			 s.symbol[0], s.symbol[1]);
		return unknown(origin, why);
	}
	if (s.symbol[0]) {
		origin->symbol = text_one_line(s.symbol[0]);
		if (!origin->symbol)
			return -ENOMEM;
	}
	if (s.direct.count)
		return direct(origin, &s);
	if (s.symbol[0]) {
		origin->kind = ISA_ORIGIN_GLOBAL;
		return 0;
	}
	if (s.lds) {
		origin->kind = ISA_ORIGIN_LDS;
		return 0;
	}
	if (s.kernarg_segment)
		return unknown(origin, "the kernarg segment itself");
	if (s.runtime)
		return unknown(origin, "a structure of the runtime");
	if (s.image)
		return unknown(origin, "data of the code object without a symbol");
	if (s.private)
		return unknown(origin, "private memory");
	if (s.literal || s.null) {
		origin->kind = ISA_ORIGIN_CONSTANT;
		return 0;
	}
	return unknown(origin, "no address was determined here");
}

static bool is_argument(const struct sources *s)
{
	return s->direct.count == 1 && !s->indirect.count && !s->symbol[0] && !s->through &&
	       !s->lds && !s->private && !s->runtime && !s->kernarg_segment && !s->literal &&
	       !s->image && !s->unknown;
}

int origin_is_argument(struct flow *flow, const struct access *access, bool *argument)
{
	struct sources s;
	int status = gather_all(flow, access, &s);

	*argument = !status && is_argument(&s);
	return status;
}

int origin_writes(struct flow *flow, const struct access *access, bool *writes)
{
	struct sources s;
	int status;

	*writes = false;
	if ((!access->insn->store && !access->insn->atomic) || access->insn->family == MEM_DS)
		return 0;
	status = gather_all(flow, access, &s);
	*writes = !status && (s.direct.count || s.indirect.count || s.symbol[0] || s.through ||
			      s.literal || s.image || s.unknown);
	return status;
}

/* ---- uses ---- */

/*
 * Returns the bytes that it accesses for each work-item, at least, or 0 if all access the same
 * ones.
 */
static unsigned item_width(const struct insn *insn)
{
	if (insn->family != MEM_GLOBAL && insn->family != MEM_FLAT && insn->family != MEM_BUFFER)
		return 0;
	return insn->sub_dword ? 1u : 4u * insn->dwords;
}

/* Adds the bytes of one more access. */
static void add_place(struct isa_use *use, const struct isa_use *place)
{
	use->placed &= place->placed;
	if (place->first < use->first)
		use->first = place->first;
	if (place->end > use->end)
		use->end = place->end;
}

/* Adds a use; `one` is that by one access alone. */
static int add_use(struct isa_kernel *kernel, const struct isa_use *one, isa_when when)
{
	struct isa_use *grown;
	uint32_t offset = one->kernarg;
	size_t i;

	for (i = 0; i < kernel->use_count && kernel->uses[i].kernarg < offset; i++)
		;
	if (i < kernel->use_count && kernel->uses[i].kernarg == offset) {
		kernel->uses[i].access |= one->access;
		kernel->uses[i].certain |= one->certain;
		if (one->width > kernel->uses[i].width)
			kernel->uses[i].width = one->width;
		add_place(&kernel->uses[i], one);
		isa_add_when(kernel->uses[i].when, one->access, when);
		return 0;
	}
	grown = reallocarray(kernel->uses, kernel->use_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	kernel->uses = grown;
	memmove(&grown[i + 1], &grown[i], (kernel->use_count - i) * sizeof(*grown));
	grown[i] = *one;
	isa_add_when(grown[i].when, one->access, when);
	kernel->use_count++;
	return 0;
}

/* Sets the bytes that an access through one pointer has, if they are known. 0 or -ENOMEM. */
static int set_place(struct flow *flow, const struct access *access, struct isa_use *use)
{
	const struct insn *insn = access->insn;
	struct place place;
	int status = place_find(flow, access, &place);

	use->placed = !status && place.known && (place.step.exact || place.step.bounded);
	if (use->placed) {
		use->first = place.step.exact ? place.step.offset : place.step.first;
		use->end = (place.step.exact ? place.step.offset : place.step.last) +
			   (insn->sub_dword || !insn->dwords ? 1 : 4 * (int64_t)insn->dwords);
	}
	return status;
}

/*
 * Returns true if an access either goes through a word of a struct that was passed by value, or to
 * the work-group's or the work-item's own memory, where compilers keep such a struct: so a union of
 * a number and a pointer looks, of which a flag says which it is.
 */
static bool is_chosen(const struct flow *flow, const struct sources *sources, uint32_t kernarg)
{
	if (!sources->lds && !sources->private)
		return false;
	for (size_t i = 0; i < flow->arg_count; i++)
		if (flow->args[i].pointer && flow->args[i].offset == kernarg)
			return false;
	return true;
}

/*
 * Adds an access through pointers that were loaded from memory, or one whose origin is not known,
 * to the list of paths. Returns 0 or -ENOMEM.
 */
static int add_paths(struct flow *flow, const struct access *access, unsigned how,
		     struct isa_kernel *kernel)
{
	struct isa_paths paths;
	int status = path_find(flow, access, &paths);

	if (status)
		return status;
	if (paths.count)
		status = path_use(kernel, &paths, how, choices_when(flow, access));
	else
		kernel->paths_complete = false;
	path_clear(&paths);
	return status;
}

/* Adds each word of 64 bits by itself, with what it is. Returns 0 or -ENOMEM. */
static int add_words(struct flow *flow, const struct access *access, const struct isa_paths *paths,
		     struct isa_kernel *kernel)
{
	int status = 0;

	for (unsigned word = 0; !status && word < access->insn->dwords / 2u; word++) {
		struct isa_paths values;

		status = path_find_word(flow, access, word, &values);
		if (status)
			return status;
		status =
		    path_store(kernel, paths, 8 * (int64_t)word, 8, values.why ? NULL : &values,
			       choices_when(flow, access), values.count <= 1 ? access->certain : 0);
		path_clear(&values);
	}
	return status;
}

/* Returns the store of the other half of a word that one stores a half of; NULL: there is none. */
static const struct access *other_half(const struct flow *flow, const struct access *access)
{
	const struct function *function = access->function;
	uint32_t at = function_index(function, access->insn);
	uint32_t step = access->insn->low_half ? 1 : UINT32_MAX;
	const struct insn *insn = access->insn;

	if (at == NO_INSN || !insn_stores_half(insn))
		return NULL;
	do
		at += step;
	while (at < function->insn_count && !insn_stores_dword(function->insn[at]));
	if (at >= function->insn_count || !insn_stores_half(function->insn[at]) ||
	    function->insn[at]->low_half == insn->low_half)
		return NULL;
	for (size_t i = 0; i < flow->access_count; i++)
		if (flow->access[i].insn == function->insn[at] &&
		    flow->access[i].function == function &&
		    flow->access[i].context == access->context)
			return &flow->access[i];
	return NULL;
}

/* Returns true if one dword is stored, and which one is known. */
static bool is_one_dword(const struct access *access)
{
	return access->word[0].count == 1 && !access->word[0].overflow;
}

/* Returns true if two paths lead to the two dwords of one word. */
static bool is_one_word(const struct isa_paths *low, const struct isa_paths *high)
{
	const struct isa_step *x, *y;
	struct isa_path path;

	if (low->count != 1 || high->count != 1 ||
	    low->path->step_count != high->path->step_count || !low->path->step_count)
		return false;
	x = &low->path->step[low->path->step_count - 1];
	y = &high->path->step[low->path->step_count - 1];
	if (!x->exact || !y->exact || y->offset - x->offset != 4)
		return false;
	path = *high->path;
	path.step[path.step_count - 1] = *x;
	return path_same(low->path, &path);
}

/*
 * Adds a word that is stored by two instructions, with the first of which this is called; `done`
 * tells if it is one. Returns 0 or -ENOMEM.
 */
static int add_halves(struct flow *flow, const struct access *access, const struct access *other,
		      const struct isa_paths *paths, struct isa_kernel *kernel, bool *done)
{
	const struct access *low = access->insn->low_half ? access : other;
	const struct access *high = access->insn->low_half ? other : access;
	struct isa_paths others, values;
	int status = path_find(flow, other, &others);

	*done = false;
	if (status)
		return status;
	*done = is_one_dword(low) && is_one_dword(high) &&
		(low == access ? is_one_word(paths, &others) : is_one_word(&others, paths));
	if (*done && low == access) {
		status = path_find_halves(flow, access, low->word[0].pair[0].low,
					  high->word[0].pair[0].low, &values);
		if (!status) {
			status = path_store(kernel, paths, 0, 8, values.why ? NULL : &values,
					    choices_when(flow, access),
					    values.count <= 1 ? low->certain & high->certain : 0);
			path_clear(&values);
		}
	}
	path_clear(&others);
	return status;
}

/* Adds where a store may go. Returns 0 or -ENOMEM. */
static int add_stores(struct flow *flow, const struct access *access, const struct sources *sources,
		      struct isa_kernel *kernel)
{
	const struct insn *insn = access->insn;
	const struct access *other = other_half(flow, access);
	struct isa_paths paths;
	bool done = false;
	int status;

	if (!insn->store && !insn->atomic)
		return 0;
	if (sources->unknown || sources->image || sources->literal) {
		kernel->stores_complete = false;
		return 0;
	}
	/* Else it is LDS, private memory, or the runtime's. */
	if (!sources->direct.count && !sources->indirect.count && !sources->through &&
	    !sources->symbol[0])
		return 0;
	status = path_find(flow, access, &paths);
	if (status)
		return status;
	kernel->stores_complete &= paths.count > 0;
	if (other)
		status = add_halves(flow, access, other, &paths, kernel, &done);
	if (status || done)
		;
	else if (insn_stores_words(insn))
		status = add_words(flow, access, &paths, kernel);
	else
		status = path_store(kernel, &paths, 0, insn->dwords ? 4u * insn->dwords : 4u, NULL,
				    choices_when(flow, access), 0);
	path_clear(&paths);
	return status;
}

int origin_stores(struct flow *flow, struct isa_kernel *kernel)
{
	int status = 0;

	kernel->stores_complete &= !flow->incomplete && !flow->unseen && !flow->broken;
	for (size_t i = 0; !status && i < flow->access_count; i++) {
		const struct access *access = &flow->access[i];
		struct sources s;

		if (access->insn->family == MEM_DS)
			continue;
		status = gather_all(flow, access, &s);
		if (!status)
			status = add_stores(flow, access, &s, kernel);
	}
	return status;
}

int origin_uses(struct flow *flow, struct isa_kernel *kernel)
{
	size_t i;
	unsigned k;
	int status;

	kernel->paths_complete &= !flow->incomplete;
	kernel->stores_complete &= !flow->incomplete;
	for (i = 0; i < flow->access_count; i++) {
		const struct access *access = &flow->access[i];
		const struct insn *insn = access->insn;
		unsigned how = insn->atomic ? ISA_ATOMIC : insn->store ? ISA_WRITE : ISA_READ;
		struct sources s;

		if (insn->family == MEM_DS || !choices_when(flow, access))
			continue;
		status = gather_all(flow, access, &s);
		if (status)
			return status;
		for (k = 0; k < s.direct.count; k++) {
			bool chosen = is_chosen(flow, &s, s.direct.offset[k]);

			struct isa_use one = { .kernarg = s.direct.offset[k],
					       .access = how,
					       .certain = s.direct.count == 1 && !s.unknown &&
							  !s.symbol[0] && !chosen,
					       .width = item_width(insn) };

			flow->chosen |= chosen;
			status = is_argument(&s) ? set_place(flow, access, &one) : 0;
			if (!status)
				status = add_use(kernel, &one, choices_when(flow, access));
			if (status)
				return status;
		}
		if (s.indirect.count || s.through)
			status = add_paths(flow, access, how, kernel);
		else if (s.unknown)
			kernel->paths_complete = false;
		if (!status)
			status = add_stores(flow, access, &s, kernel);
		if (status)
			return status;
		if (s.unknown)
			flow_incomplete(flow, insn->pc, "%s at address 0x%llx: %s", insn->mnemonic,
					(unsigned long long)insn->pc, s.unknown);
		else if (s.indirect.count || s.through)
			flow_incomplete(
			    flow, insn->pc,
			    "%s at address 0x%llx goes through a pointer that is loaded "
			    "from memory",
			    insn->mnemonic, (unsigned long long)insn->pc);
	}
	if (flow->exhausted)
		flow_unvisited(flow, 0, "the kernel is too large to be analysed to the end");
	if (flow->store.failed)
		return -ENOMEM;
	kernel->uses_complete &= !flow->incomplete;
	kernel->paths_complete &= !flow->unvisited && !flow->unseen && !flow->broken;
	kernel->stores_complete &= !flow->unvisited && !flow->unseen && !flow->broken;
	if (flow->incomplete && !kernel->incomplete) {
		kernel->incomplete = text_one_line(flow->incomplete);
		if (!kernel->incomplete)
			return -ENOMEM;
	}
	if (flow->unvisited && !kernel->unvisited) {
		kernel->unvisited = text_one_line(flow->unvisited);
		if (!kernel->unvisited)
			return -ENOMEM;
	}
	return 0;
}
