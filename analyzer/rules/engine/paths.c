/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers through memory, step by step, as a set of places reached so far. */
#include "paths.h"

#include <string.h>

#include "tracer/api/hip_modules.h"

/* Text of a chain is for people: so many steps are written out. */
#define CHAIN_STEPS 6u

/* A pointer that was reached. */
struct node {
	uint64_t address;
	unsigned steps;
	char *chain; /* owned by the targets */
	const char *doubt;
	bool vague; /* another place in the same memory */
};

struct walk {
	const struct rules_context *context;
	struct path_targets *targets;
	GArray *from, *to;            /* struct node */
	unsigned left;                /* nodes that may still be made */
	bool values;                  /* the pointers that are reached are copied and not used */
	const struct launch *storing; /* it may store to the words; NULL: they are as before it */
	const struct kept_stores *stores; /* ... but for what these leave first; or NULL */
	/* These belong to the step at hand. */
	const struct node *at;
	const struct isa_step *step;
	bool last;          /* it loads what is copied */
	const char *member; /* that it leads to, or NULL */
	GHashTable *seen;   /* addresses in `to`, for steps that repeat; or NULL */
	bool several;       /* the word is one of several that kernels may have stored */
};

static void lose(struct walk *walk, const char *why)
{
	walk->targets->complete = false;
	if (!walk->targets->why)
		walk->targets->why = why;
}

static char *chain_text(const struct walk *walk, const struct node *node, int64_t offset)
{
	char *text;

	if (node->steps > CHAIN_STEPS)
		return node->chain;
	if (node->steps == CHAIN_STEPS)
		text = g_strdup_printf("%s -> ...", node->chain);
	else if (walk->member)
		text = g_strdup_printf("%s -> offset %" G_GINT64_FORMAT " (%s)", node->chain,
				       offset, walk->member);
	else
		text = g_strdup_printf("%s -> offset %" G_GINT64_FORMAT "%s", node->chain, offset,
				       walk->step && walk->step->exact ? "" : " (one of several)");
	g_ptr_array_add(walk->targets->texts, text);
	return text;
}

static void add_node(struct walk *walk, const struct content_word *word, const char *doubt)
{
	struct node node = { .address = word->value,
			     .steps = walk->at->steps + 1,
			     .doubt = walk->at->doubt ? walk->at->doubt : doubt,
			     .vague = word->vague };

	if (walk->seen && !g_hash_table_add(walk->seen, g_memdup2(&word->value, 8)))
		return;
	if (!walk->left) {
		lose(walk, "it may be reached by too many pointers");
		return;
	}
	walk->left--;
	walk->targets->doubted |= doubt != NULL;
	if (walk->several && !node.doubt)
		node.doubt = "a kernel may have stored another pointer in memory";
	node.chain = chain_text(walk, walk->at, (int64_t)(word->address - walk->at->address));
	g_array_append_val(walk->to, node);
}

/*
 * Finds what the launch itself may store to a word, which it may load afterwards. Returns true if
 * that is nothing, or all known.
 */
static bool find_stored(struct walk *walk, uint64_t address, struct content_values *values)
{
	values->count = 0;
	if (!walk->storing ||
	    launch_stores(walk->context, walk->storing, address, sizeof(uint64_t), values))
		return true;
	lose(walk, "the launch itself may store to the pointer in memory");
	return false;
}

/* Adds the node that a word leads to which was there before the launch. */
static void add_word(struct walk *walk, const struct content_word *word)
{
	add_node(walk, word, contents_doubt_of(walk->context->process, walk->context->event, word));
}

/* Adds what the launch stores there; `first`: before it loads that. */
static void add_stored(struct walk *walk, uint64_t address, const struct content_value *value,
		       bool first)
{
	const struct content_word word = { .address = address,
					   .value = value->address,
					   .stamp = { .source = CONTENT_STORED },
					   .vague = value->vague };

	if (first)
		add_node(walk, &word, NULL);
	else
		add_word(walk, &word);
}

static bool add_any(void *data, const struct content_word *word)
{
	struct walk *walk = data;
	int64_t stride = walk->step->stride,
		distance = (int64_t)(word->address - walk->at->address);
	struct content_values own;

	/* Not one that the index can choose. */
	if (stride && !walk->at->vague && word->stamp.source != CONTENT_STORED &&
	    ((distance - walk->step->offset) % stride))
		return true;
	walk->several = !find_stored(walk, word->address, &own) || own.count;
	walk->targets->own |= walk->several;
	walk->several |= word->stamp.source == CONTENT_STORED;
	add_word(walk, word);
	return walk->left > 0;
}

static bool is_choice(const struct content_choices *choices, const struct content_value *value)
{
	for (unsigned i = 0; i < choices->count; i++)
		if (choices->at[i].value == value->address && choices->at[i].vague == value->vague)
			return true;
	return false;
}

/* Takes what the launch itself stores to a word before. Returns false if that is not known. */
static bool take_own(struct walk *walk, uint64_t address)
{
	struct content_values own;

	if (!walk->step->stored_before ||
	    !(walk->storing
		  ? launch_leaves(walk->context, walk->storing, address, &own)
		  : walk->stores && stores_leave(walk->context, walk->stores, address, &own)))
		return false;
	walk->several = own.count > 1;
	walk->targets->stored |= walk->several;
	walk->targets->own |= walk->several;
	for (unsigned i = 0; i < own.count; i++)
		add_stored(walk, address, &own.at[i], true);
	return true;
}

/* Takes the word at a place that is known. */
static void take_exact_step(struct walk *walk)
{
	uint64_t address = walk->at->address + (uint64_t)walk->step->offset;
	struct content_choices choices;
	struct content_values own;
	unsigned others = 0;
	bool known;

	if (take_own(walk, address))
		return;
	known = find_stored(walk, address, &own);
	switch (contents_at(&walk->context->process->contents, address, &choices)) {
	case CONTENT_ADDRESS:
		break;
	case CONTENT_NUMBER: /* the end of a list, if it is one */
		if (!walk->step->repeats && !walk->last && !own.count)
			lose(walk, "the word in memory was no address of known memory");
		break;
	case CONTENT_UNKNOWN:
		lose(walk, "what the memory holds was not recorded, or has changed since");
		walk->context->process->contents.missed = true;
		break;
	}
	for (unsigned i = 0; i < own.count; i++)
		others += !is_choice(&choices, &own.at[i]);
	walk->several = !known || choices.count + others > 1;
	walk->targets->stored |= walk->several;
	walk->targets->own |= !known || others;
	for (unsigned i = 0; i < choices.count; i++)
		add_word(walk, &choices.at[i]);
	for (unsigned i = 0; i < own.count; i++)
		if (!is_choice(&choices, &own.at[i]))
			add_stored(walk, address, &own.at[i], false);
}

/* Keeps those of the memory's bytes that the index can choose. */
static void clip(const struct walk *walk, uint64_t *start, uint64_t *end)
{
	int64_t first = (int64_t)(walk->at->address + (uint64_t)walk->step->first);
	int64_t last = (int64_t)(walk->at->address + (uint64_t)walk->step->last) + 8;

	if (first > (int64_t)*start)
		*start = (uint64_t)first;
	if (last < (int64_t)*end)
		*end = (uint64_t)last;
	if (*start > *end)
		*start = *end;
}

/* Goes one pointer further, from one node. */
static void take_step(struct walk *walk)
{
	const struct process *process = walk->context->process;
	struct content_values own = { 0 };
	uint64_t start, end;
	struct place place;

	if (walk->step->exact && !walk->at->vague) {
		take_exact_step(walk);
		return;
	}
	walk->targets->chosen |= !walk->step->repeats;
	place = process_place(process, walk->at->address);
	if (place.kind != PLACE_ALLOCATION) {
		lose(walk, "what the memory holds was not recorded");
		return;
	}
	start = walk->at->address - place.offset;
	end = start + place.allocation->size;
	if (walk->step->bounded && !walk->at->vague)
		clip(walk, &start, &end);
	if (!contents_each(&process->contents, start, end, add_any, walk)) {
		lose(walk, "what the memory holds was recorded in part");
		walk->context->process->contents.missed = true;
	}
	/* Stores of something else are noted at the pointers that they may change. */
	if (walk->storing)
		launch_stores(walk->context, walk->storing, start, end - start, &own);
	walk->several = true;
	walk->targets->own |= own.count > 0;
	for (unsigned i = 0; i < own.count; i++)
		add_stored(walk, walk->at->address, &own.at[i], false);
}

static void swap(struct walk *walk)
{
	GArray *old = walk->from;

	walk->from = walk->to;
	walk->to = old;
	g_array_set_size(walk->to, 0);
}

static void plain_step(struct walk *walk, const struct isa_path *path, unsigned number)
{
	walk->step = &path->step[number];
	walk->member = path->member[number];
	walk->last = walk->values && number + 2 == path->step_count;
	for (unsigned i = 0; i < walk->from->len; i++) {
		walk->at = &g_array_index(walk->from, struct node, i);
		take_step(walk);
	}
	swap(walk);
}

/* Steps that may be made any number of times, in any order: all that they reach. */
static void repeated_steps(struct walk *walk, const struct isa_step *steps, unsigned count)
{
	walk->member = NULL;
	walk->last = false;
	walk->seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (unsigned i = 0; i < walk->from->len; i++) {
		struct node node = g_array_index(walk->from, struct node, i);

		if (g_hash_table_add(walk->seen, g_memdup2(&node.address, 8)))
			g_array_append_val(walk->to, node);
	}
	for (unsigned i = 0; i < walk->to->len && walk->left; i++) {
		struct node node = g_array_index(walk->to, struct node, i);

		walk->at = &node; /* the array grows */
		for (unsigned k = 0; k < count; k++) {
			walk->step = &steps[k];
			take_step(walk);
		}
	}
	g_hash_table_destroy(walk->seen);
	walk->seen = NULL;
	swap(walk);
}

/*
 * Returns where a device variable lies, or 0 if it is not known. A managed one's symbol holds a
 * pointer to it, which is known: the first step of the path is done (*taken).
 */
static uint64_t find_variable(const struct walk *walk, const struct isa_path *path, unsigned *taken)
{
	const struct allocation *variable =
	    address_space_find_symbol(&walk->context->process->space, path->symbol);
	const struct isa_step *first = &path->step[0];

	/*
	 * Calls and registration give of each variable the place of the memory, not of its symbol.
	 */
	if (!variable || (!path->managed && variable->api != HG_API___hipRegisterManagedVar))
		return variable ? variable->ptr : 0;
	*taken = 1;
	return path->step_count > 1 && first->exact && !first->offset && !first->repeats
		   ? variable->ptr
		   : 0;
}

/* Finds the pointer that a path starts from; *taken is the number of its steps that lead there. */
static bool find_root(struct walk *walk, const struct launch *launch, const struct isa_path *path,
		      struct node *root, unsigned *taken)
{
	struct pointer_argument argument = { .index = -1 };
	GString *text = g_string_new(NULL);

	*root = (struct node){ 0 };
	*taken = 0;
	if (path->symbol) {
		g_string_printf(text, "variable %s", path->symbol);
		root->address = find_variable(walk, path, taken);
	} else if (launch->args &&
		   kernel_args_address(launch->args, path->kernarg, &root->address)) {
		launch_argument(launch, path->kernarg, &argument);
		if (argument.name) {
			g_string_printf(text, "argument %s (number %d)", argument.name,
					argument.index);
		} else {
			g_string_printf(text, "argument number %d", argument.index);
		}
		if (argument.index >= 0 &&
		    path->kernarg != launch->code->args[argument.index].offset) {
			g_string_append_printf(text, " at offset %u",
					       path->kernarg -
						   launch->code->args[argument.index].offset);
		}
	} else {
		root->address = 0;
	}
	root->chain = g_string_free(text, FALSE);
	g_ptr_array_add(walk->targets->texts, root->chain);
	return root->address != 0;
}

/* The argument is a null pointer. */
static bool is_null(const struct launch *launch, const struct isa_path *path)
{
	uint64_t address;

	return !path->symbol && launch->args &&
	       kernel_args_address(launch->args, path->kernarg, &address) && !address;
}

static char *path_key(const struct isa_path *path)
{
	GString *text = g_string_new(path->symbol);

	if (!path->symbol)
		g_string_printf(text, "%u", path->kernarg);
	for (unsigned i = 0; i < path->step_count; i++) {
		if (path->step[i].exact)
			g_string_append_printf(text, ">%" G_GINT64_FORMAT, path->step[i].offset);
		else
			g_string_append_printf(text, ">any%" G_GINT64_FORMAT "/%u",
					       path->step[i].offset, path->step[i].stride);
		if (path->step[i].bounded)
			g_string_append_printf(text, "[%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT "]",
					       path->step[i].first, path->step[i].last);
		g_string_append(text, path->step[i].repeats ? "*" : "");
	}
	return g_string_free(text, FALSE);
}

/* Returns true if both say the same of one allocation, if its pages are of one kind. */
static bool are_alike(const struct pointer_argument *a, const struct pointer_argument *b)
{
	return a->place.kind == PLACE_ALLOCATION && b->place.kind == PLACE_ALLOCATION &&
	       a->place.allocation == b->place.allocation && !a->doubt == !b->doubt &&
	       a->vague == b->vague;
}

static bool has_pages_of_one_kind(const struct walk *walk, struct allocation *allocation)
{
	struct place all = { .kind = PLACE_ALLOCATION, .allocation = allocation };
	struct grain grain = place_grain(walk->context->process, &all);
	bool mixed = grain.mixed;

	grain_clear(&grain);
	return !mixed;
}

/*
 * Returns true if many other targets lie in the same allocation, of which all pages are of one
 * kind: this one says nothing new, but how far they reach, which the last of those says then.
 */
static bool is_repeated(const struct walk *walk, const struct pointer_argument *target)
{
	const GArray *list = walk->targets->list;
	struct pointer_argument *other = NULL;
	unsigned same = 0;

	for (unsigned i = 0; list->len >= PATH_ALIKE && i < list->len; i++) {
		struct pointer_argument *at = &g_array_index(list, struct pointer_argument, i);

		if (are_alike(at, target)) {
			same++;
			other = at;
		}
	}
	if (same < PATH_ALIKE || !has_pages_of_one_kind(walk, target->place.allocation))
		return false;
	if (target->address > other->address) {
		other->address = target->address;
		other->place = target->place;
	}
	return true;
}

/* Nodes that were reached: the last step adds to their addresses. */
static void add_targets(struct walk *walk, const struct launch *launch, const struct isa_path *path)
{
	const struct isa_step *last = path->step_count ? &path->step[path->step_count - 1] : NULL;
	char *key = path_key(path);

	g_ptr_array_add(walk->targets->texts, key);
	for (unsigned i = 0; i < walk->from->len; i++) {
		const struct node *node = &g_array_index(walk->from, struct node, i);
		struct pointer_argument target = { .kernarg =
						       path->symbol ? NO_KERNARG : path->kernarg,
						   .index = -1,
						   .address = node->address,
						   .path = key,
						   .doubt = node->doubt,
						   .at_most = CONFIDENCE_LIKELY };

		target.address += last && last->exact && !node->vague ? (uint64_t)last->offset : 0;
		target.vague = node->vague || (walk->values && last && !last->exact);
		target.placed = last && !target.vague && (last->exact || last->bounded);
		if (target.placed)
			target.distance = last->exact ? (struct isa_step){ .exact = true } : *last;
		if (node->vague && !target.doubt)
			target.doubt = "a kernel computed the pointer that lies in memory";
		target.place = process_place(walk->context->process, target.address);
		if (is_repeated(walk, &target))
			continue;
		if (walk->targets->list->len == PATH_TARGETS) {
			lose(walk, "it may lead to too many places");
			return;
		}
		target.chain = path->step_count > 1 ? node->chain : NULL;
		if (!path->symbol)
			launch_argument(launch, path->kernarg, &target);
		g_array_append_val(walk->targets->list, target);
	}
}

static void follow(struct walk *walk, const struct launch *launch, const struct isa_path *path)
{
	struct node root;
	unsigned taken;

	if (!find_root(walk, launch, path, &root, &taken)) {
		if (!walk->values || path->step_count > 1 || !is_null(launch, path))
			lose(walk, "the argument or variable that it starts from was not recorded");
		return;
	}
	g_array_set_size(walk->from, 0);
	g_array_set_size(walk->to, 0);
	g_array_append_val(walk->from, root);
	for (unsigned i = taken; i + 1 < path->step_count;) {
		unsigned repeated = 0;

		while (i + repeated + 1 < path->step_count && path->step[i + repeated].repeats)
			repeated++;
		if (repeated)
			repeated_steps(walk, &path->step[i], repeated);
		else
			plain_step(walk, path, i);
		i += repeated ? repeated : 1;
	}
	add_targets(walk, launch, path);
}

static void find(struct walk *walk, const struct launch *launch, const struct isa_path *paths,
		 size_t count)
{
	*walk->targets = (struct path_targets){
		.list = g_array_new(FALSE, FALSE, sizeof(struct pointer_argument)),
		.texts = g_ptr_array_new_with_free_func(g_free),
		.complete = count > 0,
	};
	walk->from = g_array_new(FALSE, FALSE, sizeof(struct node));
	walk->to = g_array_new(FALSE, FALSE, sizeof(struct node));
	for (size_t i = 0; i < count; i++)
		follow(walk, launch, &paths[i]);
	g_array_free(walk->from, TRUE);
	g_array_free(walk->to, TRUE);
}

void path_targets_find(const struct rules_context *context, const struct launch *launch,
		       const struct isa_path *paths, size_t count, struct path_targets *targets)
{
	struct walk walk = {
		.context = context, .targets = targets, .left = PATH_NODES, .storing = launch
	};

	find(&walk, launch, paths, count);
}

void path_targets_before(const struct rules_context *context, const struct launch *launch,
			 const struct isa_path *paths, size_t count,
			 const struct kept_stores *stores, struct path_targets *targets)
{
	struct walk walk = {
		.context = context, .targets = targets, .left = PATH_NODES, .stores = stores
	};

	find(&walk, launch, paths, count);
}

void path_values_find(const struct rules_context *context, const struct launch *launch,
		      const struct isa_path *paths, size_t count, struct path_targets *targets)
{
	struct walk walk = {
		.context = context, .targets = targets, .left = PATH_NODES, .values = true
	};

	find(&walk, launch, paths, count);
}

void path_targets_clear(struct path_targets *targets)
{
	g_array_free(targets->list, TRUE);
	g_ptr_array_free(targets->texts, TRUE);
}

/* ---- all memory of a launch ---- */

/* Returns true if they all lie in one allocation. */
static bool in_one(const struct path_targets *targets)
{
	const struct allocation *first = NULL;

	for (unsigned i = 0; i < targets->list->len; i++) {
		const struct pointer_argument *target =
		    &g_array_index(targets->list, struct pointer_argument, i);

		if (target->place.kind != PLACE_ALLOCATION ||
		    (first && target->place.allocation != first))
			return false;
		first = target->place.allocation;
	}
	return first != NULL;
}

/* Returns true if it is not known of one of them where in its memory it is. */
static bool is_vague(const struct path_targets *targets)
{
	for (unsigned i = 0; i < targets->list->len; i++)
		if (g_array_index(targets->list, struct pointer_argument, i).vague)
			return true;
	return false;
}

static void add_path_memory(const struct isa_path_use *path_use, struct path_targets *targets,
			    struct path_memory *memory)
{
	bool one = targets->list->len == 1 || in_one(targets);
	struct path_memory_use found = { .use = { .access = path_use->access } };

	found.use.certain = path_use->certain && targets->complete && one && !is_vague(targets);
	for (unsigned i = 0; i < targets->list->len; i++) {
		found.pointer = g_array_index(targets->list, struct pointer_argument, i);
		found.use.kernarg = found.pointer.kernarg;
		memory->doubted |= found.pointer.doubt != NULL;
		/* Without a load it is an argument's use. */
		if (!found.pointer.chain || (found.use.certain && i > 0))
			continue;
		if (!found.use.certain && !found.pointer.doubt) {
			found.pointer.doubt =
			    "the access goes through one of several pointers in memory";
		}
		g_array_append_val(memory->list, found);
	}
}

void path_memory_find(const struct rules_context *context, const struct launch *launch,
		      struct path_memory *memory)
{
	const struct isa_kernel *code = launch->code;

	*memory = (struct path_memory){
		.list = g_array_new(FALSE, FALSE, sizeof(struct path_memory_use)),
		.texts = g_ptr_array_new_with_free_func(g_free),
		.complete = code && code->paths_complete,
	};
	for (size_t i = 0; code && i < code->path_use_count; i++) {
		struct path_targets targets;

		path_targets_find(context, launch, &code->path_uses[i].path, 1, &targets);
		memory->complete &= targets.complete;
		add_path_memory(&code->path_uses[i], &targets, memory);
		g_ptr_array_extend_and_steal(memory->texts, targets.texts);
		g_array_free(targets.list, TRUE);
	}
}

void path_memory_clear(struct path_memory *memory)
{
	if (memory->list) {
		g_array_free(memory->list, TRUE);
		g_ptr_array_free(memory->texts, TRUE);
	}
	memset(memory, 0, sizeof(*memory));
}

bool path_memory_known(const struct launch *launch, const struct path_memory *memory)
{
	return launch->code->uses_complete || (memory->complete && !memory->doubted);
}

uint64_t path_memory_version(const struct rules_context *context, const struct isa_kernel *code)
{
	return code && code->path_use_count ? context->process->contents.version : 0;
}

/* The type of explicit argument `index` in a function's demangled name; NULL: it has none. */
static const char *argument_type(const char *name, int index)
{
	const char *at = strrchr(name, ')');
	int depth = 0;

	for (; at && at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			break;
	}
	if (!at || at < name)
		return NULL;
	depth = 0;
	for (at++; *at && index > 0; at++) {
		depth += strchr("(<[{", *at) != NULL;
		depth -= strchr(")>]}", *at) != NULL;
		index -= depth == 0 && *at == ',';
	}
	return index ? NULL : at + strspn(at, " ");
}

/*
 * Returns true for a texture or surface: HIP's pointer to a descriptor, in memory that it has
 * allocated itself. What is recorded there, or ends ahead of it, is something else.
 */
static bool is_descriptor(const struct isa_kernel *code, int index)
{
	const char *type = index >= 0 && code->name ? argument_type(code->name, index) : NULL;

	return type && (g_str_has_prefix(type, "__hip_texture*") ||
			g_str_has_prefix(type, "__hip_surface*"));
}

void launch_each_use(const struct rules_context *context, const struct launch *launch,
		     launch_use_function *function)
{
	const struct isa_kernel *code = launch->code;
	struct pointer_argument pointer;
	struct path_memory memory;

	for (size_t i = 0; code && i < code->use_count; i++)
		if (code->uses[i].access &&
		    launch_pointer(context, launch, code->uses[i].kernarg, &pointer) &&
		    !is_descriptor(code, pointer.index))
			function(context, launch, &code->uses[i], &pointer);
	path_memory_find(context, launch, &memory);
	for (unsigned i = 0; i < memory.list->len; i++) {
		const struct path_memory_use *found =
		    &g_array_index(memory.list, struct path_memory_use, i);

		function(context, launch, &found->use, &found->pointer);
	}
	path_memory_clear(&memory);
}

bool paths_known(const struct rules_context *context, const struct launch *launch)
{
	struct path_memory memory;
	bool known;

	path_memory_find(context, launch, &memory);
	known = memory.complete;
	path_memory_clear(&memory);
	return known;
}

static bool of_site(const struct allocation *a, const struct allocation *b)
{
	return a == b || (a->api == b->api && a->flags == b->flags && a->stack_id &&
			  a->stack_id == b->stack_id);
}

bool path_targets_alike(const struct path_targets *targets)
{
	const struct allocation *first = NULL;

	for (unsigned i = 0; i < targets->list->len; i++) {
		const struct pointer_argument *target =
		    &g_array_index(targets->list, struct pointer_argument, i);

		if (target->place.kind != PLACE_ALLOCATION)
			return false;
		first = first ? first : target->place.allocation;
		if (!of_site(first, target->place.allocation))
			return false;
	}
	return first != NULL;
}
