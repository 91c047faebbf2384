/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the uses of a finding that it does not describe, one for each pointer. */
#include "other_uses.h"

#include "analyzer/rules/engine/evidence.h"

struct other_use {
	struct pointer_argument
	    pointer; /* its place has a reference; the name and chain are its own */
	char *name, *chain, *message;
};

static void free_use(void *data)
{
	struct other_use *use = data;

	allocation_unref(use->pointer.place.allocation);
	g_free(use->name);
	g_free(use->chain);
	g_free(use->message);
	g_free(use);
}

static const struct attachment_list_type uses_type = ATTACHMENT_LIST(free_use);

static bool is_same_pointer(const struct other_use *use, const struct pointer_argument *pointer)
{
	return use->pointer.kernarg == pointer->kernarg && !g_strcmp0(use->chain, pointer->chain);
}

void finding_add_use(struct finding *finding, const struct pointer_argument *pointer, char *message)
{
	GPtrArray *uses = attachment_list(&finding->evidence, &uses_type);
	struct other_use *use = g_new0(struct other_use, 1);

	for (unsigned i = 0; i < uses->len; i++) {
		if (is_same_pointer(uses->pdata[i], pointer)) {
			g_ptr_array_remove_index(uses, i);
			break;
		}
	}
	use->pointer = *pointer;
	use->pointer.place.allocation = allocation_ref(pointer->place.allocation);
	use->name = g_strdup(pointer->name);
	use->chain = g_strdup(pointer->chain);
	use->message = message;
	g_ptr_array_add(uses, use);
}

bool use_meets(const struct allocation *allocation, uint64_t address, uint64_t start, uint64_t size)
{
	bool inside =
	    allocation && allocation->size && address - allocation->ptr < allocation->size;
	uint64_t from = inside ? allocation->ptr : address;
	uint64_t bytes = inside ? allocation->size : 1;

	return from < start + size && start < from + bytes;
}

static void describe(struct finding *finding, struct other_use *use)
{
	g_free(finding->argument_name);
	g_free(finding->chain);
	allocation_unref(finding->allocation);
	finding->argument_name = g_steal_pointer(&use->name);
	finding->chain = g_steal_pointer(&use->chain);
	finding->kernarg_offset =
	    use->pointer.kernarg == NO_KERNARG ? -1 : (int64_t)use->pointer.kernarg;
	finding->argument = use->pointer.index;
	finding->met = (struct memory_range){ 0 };
	finding_set_place(finding, &use->pointer.place, use->pointer.address);
	finding_set_message(finding, g_steal_pointer(&use->message));
	finding->detailed = finding->varies = false;
}

void finding_turn_to(struct finding *finding, uint64_t start, uint64_t size)
{
	GPtrArray *uses = attachment_list(&finding->evidence, &uses_type);

	if (use_meets(finding->allocation, finding->address, start, size))
		return;
	for (unsigned i = 0; i < uses->len; i++) {
		struct other_use *use = uses->pdata[i];

		if (!use_meets(use->pointer.place.allocation, use->pointer.address, start, size))
			continue;
		describe(finding, use);
		g_ptr_array_remove_index(uses, i);
		return;
	}
}
