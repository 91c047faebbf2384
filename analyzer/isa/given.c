/* SPDX-License-Identifier: Apache-2.0 */
/* This finds what is left of a kernel with the arguments of a launch (isa_when). */
#include <stdlib.h>
#include <string.h>

#include "isa.h"

static bool value_of(const struct isa_field *field, isa_read_argument *read, void *user,
		     uint64_t *value)
{
	uint64_t word = 0;

	if (field->mask && !read(user, field->kernarg, field->wide ? 8 : 4, &word))
		return false;
	*value = (word >> field->shift & field->mask) + field->add;
	if (!field->wide)
		*value = (uint32_t)*value;
	return true;
}

/* False if it is not known whether the condition holds. */
static bool holds(const struct isa_condition *condition, isa_read_argument *read, void *user,
		  bool *yes)
{
	uint64_t left, right;

	if (!value_of(&condition->left, read, user, &left) ||
	    !value_of(&condition->right, read, user, &right))
		return false;
	switch (condition->test) {
	case ISA_TEST_EQUAL:
		*yes = left == right;
		return true;
	case ISA_TEST_LESS:
		*yes = left < right;
		return true;
	default: /* both sides have as many bits */
		*yes = condition->left.wide ? (int64_t)left < (int64_t)right
					    : (int32_t)left < (int32_t)right;
		return true;
	}
}

isa_when isa_possible(const struct isa_kernel *kernel, isa_read_argument *read, void *user)
{
	isa_when bits = ISA_ALWAYS;

	for (unsigned c = 0; c < kernel->condition_count; c++) {
		bool yes;

		if (!holds(&kernel->condition[c], read, user, &yes))
			continue;
		for (unsigned bit = 0; bit < 64; bit++)
			if ((bool)(bit >> c & 1) != yes)
				bits &= ~(UINT64_C(1) << bit);
	}
	return bits;
}

/* Returns true if it is known below which number the work-items are. */
static bool limit_value(const struct isa_limit *limit, isa_read_argument *read, void *user,
			int64_t *value)
{
	uint64_t word = 0;

	if (limit->kernarg >= 0 &&
	    !read(user, (uint32_t)limit->kernarg, limit->wide ? 8 : 4, &word))
		return false;
	if (!limit->wide)
		word = limit->is_signed ? (uint64_t)(int64_t)(int32_t)word : (uint32_t)word;
	else if (!limit->is_signed && word > INT64_MAX)
		word = INT64_MAX;
	return !__builtin_add_overflow((int64_t)word, limit->add, value);
}

/* Sums of so many bytes do not overflow, with a sign or without. */
#define REACH_MOST INT32_MAX

bool isa_reached(const struct isa_reach *reach, uint64_t groups, uint64_t items,
		 isa_read_argument *read, void *user, int64_t *first, int64_t *end)
{
	uint64_t count = items;
	int64_t limit;

	if (!reach->known || groups > REACH_MOST || items > REACH_MOST ||
	    groups * items > REACH_MOST)
		return false;
	if (reach->grid)
		count *= groups;
	if (reach->limit.known) {
		if (!limit_value(&reach->limit, read, user, &limit) || limit <= 0)
			return false;
		if ((uint64_t)limit < count)
			count = (uint64_t)limit;
	}
	if (!count || reach->offset > REACH_MOST || reach->offset < -REACH_MOST ||
	    groups * items > REACH_MOST / (reach->stride ? reach->stride : 1))
		return false;
	*first = reach->offset;
	*end = reach->offset + (int64_t)(count - 1) * reach->stride + reach->size;
	return true;
}

/* Returns true if a word of the arguments is declared to be a pointer. */
static bool is_pointer(const struct isa_kernel *kernel, uint32_t kernarg)
{
	for (size_t i = 0; i < kernel->arg_count; i++)
		if (kernel->args[i].pointer && kernel->args[i].offset == kernarg)
			return true;
	return false;
}

/* Returns those of the kinds of access that are possible; *sure tells if each is for certain. */
static unsigned access_left(unsigned access, const isa_when *when, isa_when now, bool *sure)
{
	unsigned left = access;

	*sure = true;
	for (unsigned i = 0; i < ISA_ACCESSES; i++) {
		if (!(access & 1u << i))
			continue;
		if (!(when[i] & now))
			left &= ~(1u << i);
		else
			*sure &= !(now & ~when[i]);
	}
	return left;
}

/* Returns a copy of an array; NULL only without memory. */
static void *copy(const void *array, size_t count, size_t size)
{
	void *copied = calloc(count + 1, size);

	if (copied && count)
		memcpy(copied, array, count * size);
	return copied;
}

static void keep_uses(struct isa_kernel *given, isa_when now)
{
	size_t count = 0;
	bool sure;

	for (size_t i = 0; i < given->use_count; i++) {
		struct isa_use *use = &given->uses[i];

		use->access = access_left(use->access, use->when, now, &sure);
		use->certain &= sure || is_pointer(given, use->kernarg);
	}
	for (size_t i = 0; i < given->path_use_count; i++) {
		struct isa_path_use use = given->path_uses[i];

		use.access = access_left(use.access, use.when, now, &sure);
		use.certain &= sure || use.path.symbol || is_pointer(given, use.path.kernarg);
		if (use.access)
			given->path_uses[count++] = use;
	}
	given->path_use_count = count;
}

/* Elements of an array whose isa_when `when` is possible. */
#define KEEP(array, array_count, now)                           \
	do {                                                    \
		size_t kept_ = 0;                               \
                                                                \
		for (size_t i_ = 0; i_ < (array_count); i_++)   \
			if ((array)[i_].when & (now))           \
				(array)[kept_++] = (array)[i_]; \
		(array_count) = kept_;                          \
	} while (0)

/* Returns true if each result that is left makes it certain. */
static bool executes(isa_when certain, isa_when now)
{
	return now && !(now & ~certain);
}

/* Returns the atomic's address with these results, or NULL if no more is known of it. */
static const struct isa_origin *chosen(const struct isa_atomic *atomic, isa_when now)
{
	for (size_t i = 0; i < atomic->choice_count; i++)
		if (!(now & ~atomic->choices[i].when))
			return &atomic->choices[i].origin;
	return NULL;
}

/* Returns true if something is left out, or doubted. */
static bool matters(const struct isa_kernel *kernel, isa_when now)
{
	bool sure = true;

	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		if (access_left(use->access, use->when, now, &sure) != use->access || !sure)
			return true;
	}
	for (size_t i = 0; i < kernel->path_use_count; i++) {
		const struct isa_path_use *use = &kernel->path_uses[i];

		if (access_left(use->access, use->when, now, &sure) != use->access || !sure)
			return true;
	}
	for (size_t i = 0; i < kernel->atomic_count; i++)
		if (!(kernel->atomics[i].when & now) ||
		    kernel->atomics[i].executes != executes(kernel->atomics[i].certain, now) ||
		    chosen(&kernel->atomics[i], now))
			return true;
	for (size_t i = 0; i < kernel->read_count; i++)
		if (!(kernel->reads[i].when & now) ||
		    kernel->reads[i].executes != executes(kernel->reads[i].certain, now))
			return true;
	for (size_t i = 0; i < kernel->store_count; i++)
		if (!(kernel->stores[i].when & now) ||
		    kernel->stores[i].executes != executes(kernel->stores[i].certain, now))
			return true;
	for (size_t i = 0; i < kernel->spin_count; i++)
		if (!(kernel->spins[i].when & now))
			return true;
	for (size_t i = 0; i < kernel->handover_count; i++)
		if (!(kernel->handovers[i].when & now))
			return true;
	return false;
}

struct isa_kernel *isa_given(const struct isa_kernel *kernel, isa_when now, bool *failed)
{
	struct isa_kernel *given;

	*failed = false;
	if (!kernel->condition_count || !matters(kernel, now))
		return NULL;
	given = malloc(sizeof(*given));
	*failed = !given;
	if (!given)
		return NULL;
	*given = *kernel;
	given->uses = copy(kernel->uses, kernel->use_count, sizeof(*kernel->uses));
	given->path_uses =
	    copy(kernel->path_uses, kernel->path_use_count, sizeof(*kernel->path_uses));
	given->atomics = copy(kernel->atomics, kernel->atomic_count, sizeof(*kernel->atomics));
	given->reads = copy(kernel->reads, kernel->read_count, sizeof(*kernel->reads));
	given->stores = copy(kernel->stores, kernel->store_count, sizeof(*kernel->stores));
	given->spins = copy(kernel->spins, kernel->spin_count, sizeof(*kernel->spins));
	given->handovers =
	    copy(kernel->handovers, kernel->handover_count, sizeof(*kernel->handovers));
	if (!given->uses || !given->path_uses || !given->atomics || !given->reads ||
	    !given->stores || !given->spins || !given->handovers) {
		isa_given_free(given);
		*failed = true;
		return NULL;
	}
	keep_uses(given, now);
	KEEP(given->atomics, given->atomic_count, now);
	for (size_t i = 0; i < given->atomic_count; i++) {
		struct isa_atomic *atomic = &given->atomics[i];
		const struct isa_origin *origin = chosen(atomic, now);

		atomic->executes = executes(atomic->certain, now);
		atomic->origin = origin ? *origin : atomic->origin;
	}
	KEEP(given->reads, given->read_count, now);
	for (size_t i = 0; i < given->read_count; i++)
		given->reads[i].executes = executes(given->reads[i].certain, now);
	KEEP(given->stores, given->store_count, now);
	for (size_t i = 0; i < given->store_count; i++)
		given->stores[i].executes = executes(given->stores[i].certain, now);
	KEEP(given->spins, given->spin_count, now);
	KEEP(given->handovers, given->handover_count, now);
	return given;
}

void isa_given_free(struct isa_kernel *given)
{
	if (!given)
		return;
	free(given->uses);
	free(given->path_uses);
	free(given->atomics);
	free(given->reads);
	free(given->stores);
	free(given->spins);
	free(given->handovers);
	free(given);
}
