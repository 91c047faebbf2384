/* SPDX-License-Identifier: Apache-2.0 */
/* The same description of each struct serves both directions, so that they cannot differ. */
#include "pack.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "isa.h"
#include "path.h"

/* Text that is no more than a word or a sentence of ours. */
#define STATIC_TEXT 256u

struct pack {
	bool writing;
	uint8_t *data; /* read: borrowed */
	size_t at, size, room;
	int status; /* of the first failure */
};

static void fail(struct pack *pack, int status)
{
	if (!pack->status)
		pack->status = status;
}

static void put(struct pack *pack, const void *bytes, size_t size)
{
	if (size > pack->room - pack->at) {
		size_t room = (pack->room + size) * 2;
		uint8_t *grown = pack->status ? NULL : realloc(pack->data, room);

		if (!grown) {
			fail(pack, -ENOMEM);
			return;
		}
		pack->data = grown;
		pack->room = room;
	}
	memcpy(pack->data + pack->at, bytes, size);
	pack->at += size;
}

/* Seven bits a byte, the lowest first; small negative numbers are short, too. */
static void put_number(struct pack *pack, int64_t number)
{
	uint64_t rest = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
	uint8_t bytes[10];
	size_t count = 0;

	do {
		bytes[count++] = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
		rest >>= 7;
	} while (rest);
	put(pack, bytes, count);
}

static int64_t get_number(struct pack *pack)
{
	uint64_t number = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		if (pack->status || pack->at == pack->size || shift > 63) {
			fail(pack, -EINVAL);
			return 0;
		}
		byte = pack->data[pack->at++];
		number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return (int64_t)(number >> 1 ^ -(number & 1));
}

/* A number of any type; one that it does not hold is refused. */
#define NUMBER(pack, member)                                    \
	do {                                                    \
		if ((pack)->writing) {                          \
			put_number((pack), (int64_t)(member));  \
		} else {                                        \
			int64_t number_ = get_number(pack);     \
                                                                \
			(member) = (__typeof__(member))number_; \
			if ((int64_t)(member) != number_)       \
				fail((pack), -EINVAL);          \
		}                                               \
	} while (0)

/* The member is one of an enumeration, from `first` to `last`. */
#define CHOICE(pack, member, first, last)                                        \
	do {                                                                     \
		NUMBER(pack, member);                                            \
		if ((int)(member) < (int)(first) || (int)(member) > (int)(last)) \
			fail((pack), -EINVAL);                                   \
	} while (0)
#define KNOWN(pack, member) CHOICE(pack, member, ISA_NOT_KNOWN, ISA_YES)

/* Packs how many elements follow, each of at least one byte. */
static size_t count_of(struct pack *pack, size_t count)
{
	NUMBER(pack, count);
	if (!pack->writing && count > pack->size - pack->at) {
		fail(pack, -EINVAL);
		return 0;
	}
	return pack->status ? 0 : count;
}

/* NULL, or text that does not end early; read: from malloc(). */
static void pack_text(struct pack *pack, char **text)
{
	size_t length = pack->writing && *text ? strlen(*text) + 1 : 0;

	length = count_of(pack, length);
	if (!length)
		return;
	if (pack->writing) {
		put(pack, *text, length);
		return;
	}
	if (memchr(pack->data + pack->at, 0, length) != pack->data + pack->at + length - 1) {
		fail(pack, -EINVAL);
		return;
	}
	*text = malloc(length);
	if (!*text) {
		fail(pack, -ENOMEM);
		return;
	}
	memcpy(*text, pack->data + pack->at, length);
	pack->at += length;
}

/* Packs text that is always there. */
static void pack_word(struct pack *pack, char **text)
{
	pack_text(pack, text);
	if (!*text)
		fail(pack, -EINVAL);
}

/* Packs text that nobody frees: one copy of each that was read, kept to the end. */
static void pack_static(struct pack *pack, const char **text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char *known[128];
	char *copy = pack->writing ? (char *)(uintptr_t)*text : NULL;
	size_t i;

	pack_text(pack, &copy);
	if (pack->writing || !copy)
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < sizeof(known) / sizeof(known[0]) && known[i]; i++)
		if (!strcmp(known[i], copy))
			break;
	if (i == sizeof(known) / sizeof(known[0]) || strlen(copy) >= STATIC_TEXT) {
		fail(pack, -EINVAL);
		free(copy);
	} else if (known[i]) {
		free(copy);
		*text = known[i];
	} else {
		*text = known[i] = copy;
	}
	pthread_mutex_unlock(&lock);
}

/* Returns room for an array that is being read; NULL on failure, which says so in pack->status. */
static void *room(struct pack *pack, size_t count, size_t size)
{
	void *array = calloc(count + 1, size);

	if (!array)
		fail(pack, -ENOMEM);
	return array;
}

/*
 * An array and its count, each element by one(). While it is read its count is that of the elements
 * that can be freed.
 */
#define ARRAY(pack, array, array_count, one)                                                      \
	do {                                                                                      \
		size_t count_ = count_of((pack), (array_count));                                  \
                                                                                                  \
		if (!(pack)->writing) {                                                           \
			(array_count) = 0;                                                        \
			(array) = (pack)->status ? NULL : room((pack), count_, sizeof(*(array))); \
		}                                                                                 \
		for (size_t i_ = 0; (array) && i_ < count_ && !(pack)->status; i_++) {            \
			(array_count) = (pack)->writing ? count_ : i_ + 1;                        \
			one((pack), &(array)[i_]);                                                \
		}                                                                                 \
	} while (0)

static void pack_offset(struct pack *pack, uint32_t *offset)
{
	NUMBER(pack, *offset);
}

static void pack_step(struct pack *pack, struct isa_step *step)
{
	NUMBER(pack, step->offset);
	NUMBER(pack, step->stride);
	NUMBER(pack, step->exact);
	NUMBER(pack, step->repeats);
	NUMBER(pack, step->bounded);
	NUMBER(pack, step->stored_before);
	NUMBER(pack, step->first);
	NUMBER(pack, step->last);
}

static void pack_path(struct pack *pack, struct isa_path *path)
{
	unsigned count = path->step_count;

	pack_text(pack, &path->symbol);
	NUMBER(pack, path->managed);
	NUMBER(pack, path->kernarg);
	NUMBER(pack, count);
	if (count > ISA_PATH_STEPS) {
		fail(pack, -EINVAL);
		return;
	}
	path->step_count = count;
	for (unsigned i = 0; i < count; i++) {
		pack_step(pack, &path->step[i]);
		pack_text(pack, &path->member[i]);
	}
}

static void pack_origin(struct pack *pack, struct isa_origin *origin)
{
	CHOICE(pack, origin->kind, ISA_ORIGIN_DIRECT, ISA_ORIGIN_UNKNOWN);
	ARRAY(pack, origin->kernarg, origin->kernarg_count, pack_offset);
	pack_text(pack, &origin->symbol);
	pack_text(pack, &origin->why);
	ARRAY(pack, origin->paths.path, origin->paths.count, pack_path);
	pack_text(pack, &origin->paths.why);
}

/* Packs bits, all of which count. */
static void pack_when(struct pack *pack, isa_when *when)
{
	int64_t bits = (int64_t)*when;

	NUMBER(pack, bits);
	*when = (isa_when)bits;
}

static void pack_choice(struct pack *pack, struct isa_choice *choice)
{
	pack_when(pack, &choice->when);
	pack_origin(pack, &choice->origin);
}

static void pack_field(struct pack *pack, struct isa_field *field)
{
	NUMBER(pack, field->kernarg);
	NUMBER(pack, field->wide);
	NUMBER(pack, field->shift);
	pack_when(pack, &field->mask);
	pack_when(pack, &field->add);
	if (field->shift > 63)
		fail(pack, -EINVAL);
}

static void pack_condition(struct pack *pack, struct isa_condition *condition)
{
	CHOICE(pack, condition->test, ISA_TEST_EQUAL, ISA_TEST_LESS_SIGNED);
	pack_field(pack, &condition->left);
	pack_field(pack, &condition->right);
}

static void pack_conditions(struct pack *pack, struct isa_kernel *kernel)
{
	unsigned count = kernel->condition_count;

	NUMBER(pack, count);
	if (count > ISA_CONDITIONS) {
		fail(pack, -EINVAL);
		return;
	}
	kernel->condition_count = count;
	for (unsigned i = 0; i < count; i++)
		pack_condition(pack, &kernel->condition[i]);
}

static void pack_frame(struct pack *pack, struct isa_frame *frame)
{
	pack_text(pack, &frame->function);
	pack_text(pack, &frame->file);
	NUMBER(pack, frame->line);
}

static void pack_atomic(struct pack *pack, struct isa_atomic *atomic)
{
	pack_word(pack, &atomic->mnemonic);
	NUMBER(pack, atomic->offset);
	NUMBER(pack, atomic->kernel_offset);
	pack_text(pack, &atomic->function);
	CHOICE(pack, atomic->space, ISA_SPACE_GLOBAL, ISA_SPACE_SCRATCH);
	CHOICE(pack, atomic->op, ISA_OP_ADD, ISA_OP_MINMAX);
	CHOICE(pack, atomic->type, ISA_TYPE_I32, ISA_TYPE_PK_BF16);
	NUMBER(pack, atomic->fp);
	NUMBER(pack, atomic->native);
	NUMBER(pack, atomic->cas_loop);
	NUMBER(pack, atomic->lock);
	pack_static(pack, &atomic->loop_why);
	CHOICE(pack, atomic->loop_op, ISA_OP_ADD, ISA_OP_MINMAX);
	NUMBER(pack, atomic->returns);
	NUMBER(pack, atomic->system_scope);
	CHOICE(pack, atomic->scope, ISA_SCOPE_UNSTATED, ISA_SCOPE_SYSTEM);
	NUMBER(pack, atomic->cache);
	pack_origin(pack, &atomic->origin);
	NUMBER(pack, atomic->placed);
	pack_step(pack, &atomic->place);
	ARRAY(pack, atomic->choices, atomic->choice_count, pack_choice);
	pack_when(pack, &atomic->when);
	pack_when(pack, &atomic->certain);
	pack_text(pack, &atomic->unsure);
	NUMBER(pack, atomic->by_word);
	if (!pack->writing)
		atomic->executes = atomic->certain == ISA_ALWAYS;
	NUMBER(pack, atomic->runtime);
	pack_text(pack, &atomic->file);
	NUMBER(pack, atomic->line);
	ARRAY(pack, atomic->frames, atomic->frame_count, pack_frame);
}

static void pack_reach(struct pack *pack, struct isa_reach *reach)
{
	NUMBER(pack, reach->known);
	if (!reach->known)
		return;
	NUMBER(pack, reach->grid);
	NUMBER(pack, reach->offset);
	NUMBER(pack, reach->stride);
	NUMBER(pack, reach->size);
	NUMBER(pack, reach->limit.known);
	NUMBER(pack, reach->limit.grid);
	NUMBER(pack, reach->limit.wide);
	NUMBER(pack, reach->limit.is_signed);
	NUMBER(pack, reach->limit.kernarg);
	NUMBER(pack, reach->limit.add);
}

static void pack_use(struct pack *pack, struct isa_use *use)
{
	NUMBER(pack, use->kernarg);
	NUMBER(pack, use->access);
	NUMBER(pack, use->certain);
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		pack_when(pack, &use->when[i]);
	NUMBER(pack, use->width);
	NUMBER(pack, use->placed);
	NUMBER(pack, use->first);
	NUMBER(pack, use->end);
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		pack_reach(pack, &use->reach[i]);
}

static void pack_read(struct pack *pack, struct isa_read *read)
{
	pack_path(pack, &read->path);
	NUMBER(pack, read->size);
	pack_when(pack, &read->when);
	pack_when(pack, &read->certain);
	if (!pack->writing)
		read->executes = read->certain == ISA_ALWAYS;
	NUMBER(pack, read->decides);
	NUMBER(pack, read->kernel_offset);
	pack_text(pack, &read->file);
	NUMBER(pack, read->line);
}

static void pack_path_use(struct pack *pack, struct isa_path_use *use)
{
	pack_path(pack, &use->path);
	NUMBER(pack, use->access);
	NUMBER(pack, use->certain);
	for (unsigned i = 0; i < ISA_ACCESSES; i++)
		pack_when(pack, &use->when[i]);
}

static void pack_store(struct pack *pack, struct isa_store *store)
{
	pack_path(pack, &store->path);
	NUMBER(pack, store->size);
	NUMBER(pack, store->value_known);
	ARRAY(pack, store->value, store->value_count, pack_path);
	pack_when(pack, &store->when);
	pack_when(pack, &store->certain);
	if (!pack->writing)
		store->executes = store->certain == ISA_ALWAYS;
}

static void pack_arg(struct pack *pack, struct isa_arg *arg)
{
	NUMBER(pack, arg->offset);
	NUMBER(pack, arg->size);
	NUMBER(pack, arg->pointer);
	pack_text(pack, &arg->name);
	pack_text(pack, &arg->type_name);
}

static void pack_hidden(struct pack *pack, struct isa_hidden *hidden)
{
	NUMBER(pack, hidden->offset);
	NUMBER(pack, hidden->size);
	pack_static(pack, &hidden->name);
}

static void pack_spin(struct pack *pack, struct isa_spin *spin)
{
	NUMBER(pack, spin->kernel_offset);
	pack_word(pack, &spin->mnemonic);
	pack_text(pack, &spin->function);
	pack_origin(pack, &spin->origin);
	pack_when(pack, &spin->when);
	pack_text(pack, &spin->file);
	NUMBER(pack, spin->line);
}

static void pack_party(struct pack *pack, struct isa_party *party)
{
	pack_word(pack, &party->mnemonic);
	NUMBER(pack, party->kernel_offset);
	NUMBER(pack, party->kernarg);
	pack_text(pack, &party->symbol);
	pack_text(pack, &party->file);
	NUMBER(pack, party->line);
	NUMBER(pack, party->placed);
	pack_step(pack, &party->place);
	NUMBER(pack, party->size);
}

static void pack_handover(struct pack *pack, struct isa_handover *handover)
{
	pack_party(pack, &handover->flag);
	pack_party(pack, &handover->data);
	NUMBER(pack, handover->pointer);
	NUMBER(pack, handover->reads);
	NUMBER(pack, handover->ordered);
	NUMBER(pack, handover->waits);
	pack_when(pack, &handover->when);
}

static void pack_line(struct pack *pack, struct isa_line *line)
{
	pack_text(pack, &line->file);
	NUMBER(pack, line->line);
}

static void pack_one(struct pack *pack, struct isa_kernel *kernel)
{
	pack_word(pack, &kernel->symbol);
	pack_word(pack, &kernel->name);
	NUMBER(pack, kernel->kernarg_size);
	ARRAY(pack, kernel->args, kernel->arg_count, pack_arg);
	pack_conditions(pack, kernel);
	ARRAY(pack, kernel->hidden, kernel->hidden_count, pack_hidden);
	ARRAY(pack, kernel->atomics, kernel->atomic_count, pack_atomic);
	ARRAY(pack, kernel->uses, kernel->use_count, pack_use);
	NUMBER(pack, kernel->uses_complete);
	ARRAY(pack, kernel->reads, kernel->read_count, pack_read);
	ARRAY(pack, kernel->path_uses, kernel->path_use_count, pack_path_use);
	NUMBER(pack, kernel->paths_complete);
	ARRAY(pack, kernel->stores, kernel->store_count, pack_store);
	NUMBER(pack, kernel->stores_complete);
	pack_text(pack, &kernel->incomplete);
	pack_text(pack, &kernel->unvisited);
	pack_line(pack, &kernel->incomplete_at);
	pack_line(pack, &kernel->unvisited_at);
	KNOWN(pack, kernel->uses_lds);
	KNOWN(pack, kernel->has_barrier);
	NUMBER(pack, kernel->wave_size);
	NUMBER(pack, kernel->lds_size);
	NUMBER(pack, kernel->scratch_size);
	KNOWN(pack, kernel->dynamic_stack);
	KNOWN(pack, kernel->hostcall);
	KNOWN(pack, kernel->printf_buffer);
	KNOWN(pack, kernel->system_release);
	KNOWN(pack, kernel->system_acquire);
	ARRAY(pack, kernel->spins, kernel->spin_count, pack_spin);
	ARRAY(pack, kernel->handovers, kernel->handover_count, pack_handover);
	NUMBER(pack, kernel->skipped);
}

static uint8_t *finish(struct pack *pack, size_t *size)
{
	*size = pack->at;
	if (!pack->status)
		return pack->data;
	free(pack->data);
	return NULL;
}

uint8_t *pack_kernel(const struct isa_kernel *kernel, size_t *size)
{
	struct pack pack = { .writing = true };
	struct isa_kernel copy = *kernel; /* is not written to */

	pack_one(&pack, &copy);
	return finish(&pack, size);
}

int unpack_kernel(const uint8_t *data, size_t size, struct isa_kernel *kernel)
{
	struct pack pack = { .data = (uint8_t *)(uintptr_t)data, .size = size };

	pack_one(&pack, kernel);
	if (!pack.status && pack.at != size)
		fail(&pack, -EINVAL);
	if (pack.status) {
		isa_kernel_clear(kernel);
		memset(kernel, 0, sizeof(*kernel));
	}
	return pack.status;
}

static void pack_head(struct pack *pack, struct isa_code_object *object)
{
	pack_word(pack, &object->target);
	pack_word(pack, &object->arch);
	pack_text(pack, &object->note);
	pack_text(pack, &object->debug_problem);
	for (size_t i = 0; i < sizeof(object->sha256) - 1; i++)
		NUMBER(pack, object->sha256[i]);
}

/* Ahead of each kernel stand the bytes that it takes, so that others can be passed over. */
uint8_t *pack_object(const struct isa_code_object *object, size_t *size)
{
	struct pack pack = { .writing = true };
	struct isa_code_object head = *object;

	pack_head(&pack, &head);
	(void)count_of(&pack, object->kernel_count);
	for (size_t i = 0; i < object->kernel_count && !pack.status; i++) {
		size_t length;
		uint8_t *bytes = pack_kernel(&object->kernels[i], &length);

		if (!bytes) {
			fail(&pack, -ENOMEM);
			break;
		}
		put_number(&pack, (int64_t)length);
		put(&pack, bytes, length);
		free(bytes);
	}
	return finish(&pack, size);
}

/* Returns true if the kernel at hand has that name. */
static bool is_named(const struct pack *pack, size_t length, const char *name)
{
	struct pack peek = *pack;
	size_t size;

	peek.size = peek.at + length;
	size = count_of(&peek, 0);
	return !peek.status && size == strlen(name) + 1 && !memcmp(peek.data + peek.at, name, size);
}

static void unpack_kernels(struct pack *pack, const char *only, struct isa_code_object *object)
{
	size_t count = count_of(pack, 0);

	object->kernels =
	    pack->status ? NULL : room(pack, only ? 1 : count, sizeof(*object->kernels));
	for (size_t i = 0; i < count && !pack->status; i++) {
		size_t length = count_of(pack, 0);

		if (pack->status || (only && !is_named(pack, length, only))) {
			pack->at += length;
			continue;
		}
		fail(pack, unpack_kernel(pack->data + pack->at, length,
					 &object->kernels[object->kernel_count]));
		object->kernel_count += !pack->status;
		pack->at += length;
		if (only)
			return;
	}
	if (!pack->status && pack->at != pack->size)
		fail(pack, -EINVAL);
}

int unpack_object(const uint8_t *data, size_t size, const char *only, struct isa_code_object **out)
{
	struct pack pack = { .data = (uint8_t *)(uintptr_t)data, .size = size };
	struct isa_code_object *object = calloc(1, sizeof(*object));

	*out = NULL;
	if (!object)
		return -ENOMEM;
	pack_head(&pack, object);
	if (!pack.status)
		unpack_kernels(&pack, only, object);
	if (pack.status) {
		isa_code_object_free(object);
		return pack.status;
	}
	*out = object;
	return 0;
}
