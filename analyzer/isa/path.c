/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths through memory. A register that was loaded is a base named after the load and its dword;
 * the load's own address leads one pointer back, and so on to the kernel's arguments or to a device
 * variable. These loads are the nodes of a graph; its edges lead to where an address comes from.
 * Where loads depend on each other (p = p->next) they form a component, whose inner steps may be
 * repeated.
 */
#include "path.h"

#include "choice.h"
#include "codeobj/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loads on the way to one address, and the ways between them. */
#define NODES 64u
#define EDGES 256u

/* The address of a load, or of the access itself, comes from here. */
struct edge {
	int node;           /* another load, or -1: an argument or variable */
	const char *symbol; /* the image's; NULL for the argument */
	uint32_t kernarg;
	bool argument;        /* the pointer itself is a word of the arguments: nothing is loaded */
	struct isa_step step; /* from there */
};

struct node {
	uint32_t load;         /* index of an access << 4 | dword */
	unsigned first, count; /* edges */
	unsigned number, low;  /* of Tarjan's algorithm; number 0: not visited */
	unsigned component;    /* 0: none yet */
};

struct search {
	struct flow *flow;
	struct node node[NODES];
	unsigned node_count;
	struct edge edge[EDGES];
	unsigned edge_count;
	unsigned stack[NODES], depth, numbered, components;
	struct isa_path path[ISA_PATHS];
	unsigned count;
	const char *why; /* why a path is not known; NULL if all are */
	/* It begins here: with the address of an access, or with a word that it stores. */
	const struct value_pair *pair;
	unsigned pair_count;
	bool overflow, word;
	bool constants; /* some of what the word may be */
};

static void fail(struct search *search, const char *why)
{
	if (!search->why)
		search->why = why ? why : "not followed";
}

/* ---- the graph ---- */

static int node_of(struct search *search, uint32_t load)
{
	unsigned i;

	/* Node 0 is the access itself, which loads nothing that leads here. */
	for (i = 1; i < search->node_count; i++)
		if (search->node[i].load == load)
			return (int)i;
	if (i >= NODES) {
		fail(search, "a long chain of pointers");
		return 0;
	}
	search->node[i] = (struct node){ .load = load };
	return (int)search->node_count++;
}

static struct edge *new_edge(struct search *search, int64_t offset, bool exact)
{
	struct edge *edge = &search->edge[search->edge_count];

	if (search->edge_count == EDGES) {
		fail(search, "too many paths through memory");
		return NULL;
	}
	search->edge_count++;
	*edge = (struct edge){ .node = -1, .step.exact = exact, .step.offset = exact ? offset : 0 };
	return edge;
}

/* The offset is one of those that differ from `offset` by a multiple of `stride`. */
static void set_stride(struct isa_step *step, int64_t offset, uint32_t stride)
{
	if (step->exact || stride <= 1)
		return;
	step->stride = stride;
	step->offset = offset % (int64_t)stride;
	step->offset += step->offset < 0 ? stride : 0;
}

/* Sets how far the index leads that chooses the offset. */
static void set_range(struct isa_step *step, const struct target *target, int64_t offset)
{
	step->bounded = !step->exact && target->bounded;
	if (!step->bounded)
		return;
	step->first = target->first + offset;
	step->last = target->last + offset;
	if (step->stride)
		step->last -= (step->last - step->first) % step->stride;
}

/* Adds an edge to a base of the target, whose range is that of all its distances; or to another. */
static void edge_to_base(struct search *search, const struct target *target, uint32_t base,
			 int64_t distance, int64_t offset, bool exact, uint32_t stride)
{
	struct edge *edge = new_edge(search, offset + distance, exact);

	if (!edge)
		return;
	set_stride(&edge->step, offset + distance, stride);
	if (base == target->base)
		set_range(&edge->step, target, offset);
	if (BASE_KIND(base) == BASE_KERNARG)
		edge->kernarg = BASE_PAYLOAD(base);
	else
		edge->node = node_of(search, BASE_PAYLOAD(base));
}

/* Adds edges to a word of the arguments at a computed place: to any of the argument's words. */
static void edges_to_arguments(struct search *search, const struct target *target, int64_t offset)
{
	const struct flow *flow = search->flow;
	int64_t at = target->constant + offset;
	struct edge *edge;
	size_t a;

	if (target->exact) {
		edge = new_edge(search, 0, true);
		if (edge) {
			edge->kernarg = (uint32_t)at;
			edge->argument = true;
		}
		return;
	}
	for (a = 0; target->constant_known && a < flow->arg_count; a++)
		if (at >= flow->args[a].offset &&
		    at - flow->args[a].offset < (int64_t)flow->args[a].size)
			break;
	if (!target->constant_known || a == flow->arg_count || flow->args[a].size <= 8) {
		fail(search, "a kernel argument at a computed place");
		return;
	}
	for (uint32_t word = (flow->args[a].offset + 7) & ~7u;
	     word + 8 <= flow->args[a].offset + flow->args[a].size; word += 8) {
		edge = new_edge(search, 0, true);
		if (!edge)
			return;
		edge->kernarg = word;
		edge->argument = true;
	}
}

static void add_edges(struct search *search, const struct target *target, int64_t offset, bool load)
{
	const struct isa_symbol *symbols = search->flow->program->image->symbols;
	bool exact = target->exact && !target->other_count;
	struct edge *edge;

	switch (target->kind) {
	case TARGET_POINTER:
		edge_to_base(search, target, target->base, target->constant, offset, exact,
			     target->other_count ? 1 : target->stride);
		for (unsigned i = 0; exact && i < target->more_count; i++)
			edge_to_base(search, target, target->base, target->more[i], offset, true,
				     1);
		for (unsigned i = 0; i < target->other_count; i++)
			edge_to_base(search, target, target->other[i], 0, 0, false, 1);
		break;
	case TARGET_IMAGE:
		if (BASE_KIND(target->base) != BASE_SYMBOL) {
			fail(search, load ? "a pointer from data of the code object"
					  : "data of the code object without a symbol");
			break;
		}
		edge = new_edge(search, offset + target->constant, exact);
		if (!edge)
			break;
		edge->symbol = symbols[BASE_PAYLOAD(target->base)].name;
		set_stride(&edge->step, offset + target->constant, target->stride);
		break;
	case TARGET_KERNARG_SEGMENT:
		if (load)
			edges_to_arguments(search, target, offset);
		else if (search->word)
			fail(search, "a pointer to the arguments");
		break;
	case TARGET_RUNTIME:
		if (load || search->word)
			fail(search, "a pointer from the runtime's own structures");
		break;
	case TARGET_LDS:
		if (load || search->word)
			fail(search, "a pointer kept in LDS");
		break;
	case TARGET_PRIVATE:
		/* A value that lies there has its own origin (state_private_load()). */
		if (search->word)
			fail(search, "a pointer to private memory");
		break;
	case TARGET_NUMBER:
		/* Nothing is accessed through a null pointer. */
		if (target->null && !search->word)
			break;
		if (!load && search->word && target->exact) {
			search->constants = true;
			break;
		}
		fail(search, load ? "a pointer loaded from a fixed address" : "a fixed address");
		break;
	case TARGET_UNKNOWN:
		fail(search, target->why);
		break;
	}
}

static void find_edges(struct search *search, unsigned index)
{
	struct node *node = &search->node[index];
	const struct access *access = &search->flow->access[node->load >> 4];
	const struct value_pair *pair = index ? access->pair : search->pair;
	unsigned count = index ? access->pair_count : search->pair_count;
	int64_t offset = access->offset;
	struct target target[TARGETS_MAX];

	if (index)
		offset += 4 * (int64_t)(node->load & 15);
	else if (search->word)
		offset = 0;
	if (index && access->insn->atomic)
		fail(search, "a pointer that an atomic instruction returned");
	if (index ? access->overflow : search->overflow)
		fail(search, "too many different addresses");
	node->first = search->edge_count;
	for (unsigned i = 0; i < count && !search->why; i++) {
		unsigned n = flow_targets(search->flow, pair[i].low, pair[i].high, target);

		if (n == TARGETS_MAX)
			fail(search, "too many possible addresses");
		for (unsigned k = 0; k < n; k++)
			add_edges(search, &target[k], offset, index);
	}
	node->count = search->edge_count - node->first;
	for (unsigned i = 0; index && i < node->count; i++)
		search->edge[node->first + i].step.stored_before =
		    (access->stored_before >> (node->load & 15) & 3) == 3;
}

/* Strongly connected components, by Tarjan's algorithm; calls nest NODES deep at most. */
static void find_component(struct search *search, unsigned index)
{
	struct node *node = &search->node[index];

	node->number = node->low = ++search->numbered;
	search->stack[search->depth++] = index;
	for (unsigned i = node->first; i < node->first + node->count; i++) {
		struct node *to;

		if (search->edge[i].node < 0)
			continue;
		to = &search->node[search->edge[i].node];
		if (!to->number)
			find_component(search, (unsigned)search->edge[i].node);
		if (!to->component && to->low < node->low)
			node->low = to->low;
	}
	if (node->low != node->number)
		return;
	search->components++;
	do {
		search->node[search->stack[--search->depth]].component = search->components;
	} while (search->stack[search->depth] != index);
}

/* ---- paths ---- */

/* They may differ in how far their indices lead (join_ranges()). */
static int compare_steps(const struct isa_step *a, const struct isa_step *b)
{
	if (a->repeats != b->repeats)
		return a->repeats ? 1 : -1;
	if (a->exact != b->exact)
		return a->exact ? -1 : 1;
	if (a->stride != b->stride)
		return a->stride < b->stride ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Joins the ranges of equal steps: the one that is kept leads as far as either. */
static void join_ranges(struct isa_step *to, const struct isa_step *from)
{
	to->stored_before &= from->stored_before;
	to->bounded &= from->bounded;
	to->first = from->first < to->first ? from->first : to->first;
	to->last = from->last > to->last ? from->last : to->last;
	if (!to->bounded)
		to->first = to->last = 0;
}

static void join_paths(struct isa_path *to, const struct isa_path *from)
{
	for (unsigned i = 0; i < to->step_count; i++)
		join_ranges(&to->step[i], &from->step[i]);
}

static int compare_paths(const struct isa_path *a, const struct isa_path *b)
{
	int order;

	if (!a->symbol != !b->symbol)
		return a->symbol ? 1 : -1;
	order = a->symbol ? strcmp(a->symbol, b->symbol) : 0;
	if (order)
		return order;
	if (a->kernarg != b->kernarg)
		return a->kernarg < b->kernarg ? -1 : 1;
	if (a->step_count != b->step_count)
		return a->step_count < b->step_count ? -1 : 1;
	for (unsigned i = 0; i < a->step_count && !order; i++)
		order = compare_steps(&a->step[i], &b->step[i]);
	return order;
}

/* The steps from an access back to where it starts: the access itself first. */
struct trail {
	struct isa_step step[ISA_PATH_STEPS];
	unsigned count;
};

static bool add_step(struct search *search, struct trail *trail, const struct isa_step *step)
{
	if (trail->count == ISA_PATH_STEPS) {
		fail(search, "a long chain of pointers");
		return false;
	}
	trail->step[trail->count++] = *step;
	return true;
}

static void add_path(struct search *search, const struct edge *root, const struct trail *trail)
{
	/* Borrowed until copy_paths(). */
	struct isa_path path = { .symbol = (char *)root->symbol, .kernarg = root->kernarg };
	unsigned at;
	int order = 1;

	path.step_count = trail->count;
	for (unsigned i = 0; i < trail->count; i++)
		path.step[i] = trail->step[trail->count - 1 - i];
	for (at = 0; at < search->count; at++) {
		order = compare_paths(&path, &search->path[at]);
		if (order <= 0)
			break;
	}
	if (at < search->count && !order) {
		join_paths(&search->path[at], &path);
		return;
	}
	if (search->count == ISA_PATHS) {
		fail(search, "too many paths through memory");
		return;
	}
	memmove(&search->path[at + 1], &search->path[at],
		(search->count - at) * sizeof(search->path[0]));
	search->path[at] = path;
	search->count++;
}

static bool inner(const struct search *search, const struct edge *edge, unsigned component)
{
	return edge->node >= 0 && search->node[edge->node].component == component;
}

/* Adds the steps within a component, each once and ascending; false if they are too many. */
static bool add_inner_steps(struct search *search, unsigned component, struct trail *trail)
{
	unsigned from = trail->count;

	for (unsigned n = 0; n < search->node_count; n++) {
		const struct node *node = &search->node[n];

		if (node->component != component)
			continue;
		for (unsigned i = node->first; i < node->first + node->count; i++) {
			struct isa_step step = search->edge[i].step;
			unsigned at;

			if (!inner(search, &search->edge[i], component))
				continue;
			step.repeats = true;
			step.stored_before = false;
			for (at = from; at < trail->count; at++)
				if (compare_steps(&step, &trail->step[at]) >= 0)
					break;
			if (at < trail->count && !compare_steps(&step, &trail->step[at])) {
				join_ranges(&trail->step[at], &step);
				continue;
			}
			if (!add_step(search, trail, &step))
				return false;
			memmove(&trail->step[at + 1], &trail->step[at],
				(trail->count - 1 - at) * sizeof(step));
			trail->step[at] = step;
		}
	}
	return true;
}

/* Follows all ways to leave the component of a node, backwards. */
static void follow(struct search *search, unsigned index, const struct trail *before)
{
	unsigned component = search->node[index].component;
	struct trail trail = *before;

	if (!add_inner_steps(search, component, &trail))
		return;
	for (unsigned n = 0; n < search->node_count && !search->why; n++) {
		const struct node *node = &search->node[n];

		if (node->component != component)
			continue;
		for (unsigned i = node->first; i < node->first + node->count; i++) {
			const struct edge *edge = &search->edge[i];
			struct trail longer = trail;

			if (inner(search, edge, component) ||
			    (!edge->argument && !add_step(search, &longer, &edge->step)))
				continue;
			if (edge->node < 0)
				add_path(search, edge, &longer);
			else
				follow(search, (unsigned)edge->node, &longer);
		}
	}
}

/* Tells if what it begins with has another name, as compilers do for __managed__ [PROBE19]. */
static bool is_managed(const struct isa_image *image, const char *symbol)
{
	char name[1024];

	return snprintf(name, sizeof(name), "%s.managed", symbol) < (int)sizeof(name) &&
	       isa_image_symbol(image, name);
}

static int copy_paths(const struct search *search, struct isa_paths *paths)
{
	paths->path = calloc(search->count + 1, sizeof(*paths->path));
	if (!paths->path)
		return -ENOMEM;
	for (unsigned i = 0; i < search->count; i++) {
		struct isa_path *to = &paths->path[paths->count++];

		*to = search->path[i];
		if (!to->symbol)
			continue;
		to->managed = is_managed(search->flow->program->image, to->symbol);
		to->symbol = text_one_line(to->symbol);
		if (!to->symbol) {
			path_clear(paths);
			return -ENOMEM;
		}
	}
	return 0;
}

static int find(struct search *search, const struct access *access, struct isa_paths *paths)
{
	const struct trail empty = { .count = 0 };
	const struct flow *flow = search->flow;

	search->node[0] = (struct node){ .load = (uint32_t)(access - flow->access) << 4 };
	search->node_count = 1;
	if (flow->exhausted)
		fail(search, "the kernel is too large to be analysed to the end");
	if (flow->broken)
		fail(search, flow->broken);
	if (flow->unseen && access->function != flow->kernel)
		fail(search, flow->unseen);
	for (unsigned i = 0; i < search->node_count && !search->why; i++)
		find_edges(search, i);
	if (!search->why) {
		find_component(search, 0);
		follow(search, 0, &empty);
	}
	if (!search->count && !search->constants)
		fail(search, "no address was determined here");
	if (!search->why)
		return copy_paths(search, paths);
	paths->why = text_one_line(search->why);
	return paths->why ? 0 : -ENOMEM;
}

/* Nothing was found yet. The tables, which are large, are written before they are read. */
static void begin(struct search *search, struct flow *flow)
{
	search->flow = flow;
	search->node_count = search->edge_count = search->count = 0;
	search->depth = search->numbered = search->components = 0;
	search->why = NULL;
	search->pair = NULL;
	search->pair_count = 0;
	search->overflow = search->word = search->constants = false;
}

int path_find(struct flow *flow, const struct access *access, struct isa_paths *paths)
{
	struct search search;

	memset(paths, 0, sizeof(*paths));
	begin(&search, flow);
	search.pair = access->pair;
	search.pair_count = access->pair_count;
	search.overflow = access->overflow;
	return find(&search, access, paths);
}

int path_find_word(struct flow *flow, const struct access *access, unsigned word,
		   struct isa_paths *paths)
{
	struct search search;

	memset(paths, 0, sizeof(*paths));
	begin(&search, flow);
	search.word = true;
	search.pair = access->word[word].pair;
	search.pair_count = access->word[word].count;
	search.overflow = access->word[word].overflow;
	return find(&search, access, paths);
}

int path_find_halves(struct flow *flow, const struct access *access, value_id low, value_id high,
		     struct isa_paths *paths)
{
	const struct value_pair pair = { low, high };
	struct search search;

	memset(paths, 0, sizeof(*paths));
	begin(&search, flow);
	search.word = true;
	search.pair = &pair;
	search.pair_count = 1;
	return find(&search, access, paths);
}

bool path_same(const struct isa_path *a, const struct isa_path *b)
{
	return !compare_paths(a, b);
}

void path_free(struct isa_path *path)
{
	free(path->symbol);
	for (unsigned i = 0; i < ISA_PATH_STEPS; i++)
		free(path->member[i]);
}

void path_clear(struct isa_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		path_free(&paths->path[i]);
	free(paths->path);
	free(paths->why);
	memset(paths, 0, sizeof(*paths));
}

/* Makes room for one at `at` of `count` elements of `size` bytes, zeroed; false without memory. */
static bool make_room(void **list, size_t count, size_t size, size_t at)
{
	char *grown = reallocarray(*list, count + 1, size);

	if (!grown)
		return false;
	*list = grown;
	memmove(grown + (at + 1) * size, grown + at * size, (count - at) * size);
	memset(grown + at * size, 0, size);
	return true;
}

static int copy_path(struct isa_path *to, const struct isa_path *from)
{
	*to = *from;
	memset(to->member, 0, sizeof(to->member));
	if (from->symbol)
		to->symbol = strdup(from->symbol);
	return from->symbol && !to->symbol ? -ENOMEM : 0;
}

int path_use(struct isa_kernel *kernel, const struct isa_paths *paths, unsigned access,
	     isa_when when)
{
	for (size_t i = 0; i < paths->count; i++) {
		struct isa_path_use *use;
		size_t at;
		int order = 1;

		for (at = 0; at < kernel->path_use_count; at++) {
			order = compare_paths(&paths->path[i], &kernel->path_uses[at].path);
			if (order <= 0)
				break;
		}
		if (at < kernel->path_use_count && !order) {
			kernel->path_uses[at].access |= access;
			kernel->path_uses[at].certain |= paths->count == 1;
			isa_add_when(kernel->path_uses[at].when, access, when);
			join_paths(&kernel->path_uses[at].path, &paths->path[i]);
			continue;
		}
		if (!make_room((void **)&kernel->path_uses, kernel->path_use_count, sizeof(*use),
			       at))
			return -ENOMEM;
		use = &kernel->path_uses[at];
		kernel->path_use_count++;
		use->access = access;
		use->certain = paths->count == 1;
		isa_add_when(use->when, access, when);
		if (copy_path(&use->path, &paths->path[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Adds another value that a store may leave there. Returns 0 or -ENOMEM. */
static int add_value(struct isa_store *store, const struct isa_path *value)
{
	for (size_t i = 0; i < store->value_count; i++)
		if (!compare_paths(&store->value[i], value)) {
			join_paths(&store->value[i], value);
			return 0;
		}
	if (store->value_count == ISA_VALUES) {
		store->value_known = false;
		return 0;
	}
	if (!make_room((void **)&store->value, store->value_count, sizeof(*store->value),
		       store->value_count))
		return -ENOMEM;
	return copy_path(&store->value[store->value_count++], value);
}

static int store_to(struct isa_kernel *kernel, const struct isa_path *path, uint32_t size,
		    const struct isa_paths *values, isa_when when, isa_when certain)
{
	struct isa_store *store;
	size_t at;
	int order = 1, status = 0;

	for (at = 0; at < kernel->store_count; at++) {
		order = compare_paths(path, &kernel->stores[at].path);
		if (order <= 0)
			break;
	}
	if (at == kernel->store_count || order) {
		if (kernel->store_count == ISA_STORES) {
			kernel->stores_complete = false;
			return 0;
		}
		if (!make_room((void **)&kernel->stores, kernel->store_count,
			       sizeof(*kernel->stores), at))
			return -ENOMEM;
		kernel->store_count++;
		kernel->stores[at].value_known = values != NULL;
		if (copy_path(&kernel->stores[at].path, path))
			return -ENOMEM;
	} else {
		join_paths(&kernel->stores[at].path, path);
	}
	store = &kernel->stores[at];
	store->size = store->size < size ? size : store->size;
	store->value_known &= values != NULL;
	store->when |= when;
	store->certain |= certain;
	store->executes = store->certain == ISA_ALWAYS;
	for (size_t i = 0; !status && values && i < values->count; i++)
		status = add_value(store, &values->path[i]);
	return status;
}

/* Moves the address that it leads to by so many bytes. */
static void move_step(struct isa_step *step, int64_t distance)
{
	if (step->exact)
		step->offset += distance;
	else
		set_stride(step, step->offset + distance, step->stride);
	if (step->bounded) {
		step->first += distance;
		step->last += distance;
	}
}

int path_store(struct isa_kernel *kernel, const struct isa_paths *paths, int64_t distance,
	       uint32_t size, const struct isa_paths *values, isa_when when, isa_when certain)
{
	int status = 0;

	for (size_t i = 0; !status && i < paths->count; i++) {
		struct isa_path path = paths->path[i];

		if (path.step_count)
			move_step(&path.step[path.step_count - 1], distance);
		status =
		    store_to(kernel, &path, size, values, when, paths->count == 1 ? certain : 0);
	}
	return status;
}
