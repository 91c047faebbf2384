/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata notes of a code object: kernels and their arguments
 * (docs/code-objects.md#metadata-notes). */
#include <errno.h>
#include <stdlib.h>

#include "codeobj_internal.h"
#include "msgpack.h"
#include "notes.h"
#include "text.h"

/* A field of a map: its key and the function that reads its value. */
struct field {
	const char *key;
	size_t length; /* of the key */
	int (*read)(struct msgpack *reader, const struct msgpack_value *value, void *into);
	size_t offset; /* of the member in the struct that `into` starts */
};

#define FIELD(key, read, offset)                   \
	{                                          \
		key, sizeof(key) - 1, read, offset \
	}

static int read_string(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	char **text = into;

	(void)reader;
	if (value->type != MSGPACK_STRING || *text)
		return -EINVAL;
	*text = strndup((const char *)value->bytes, value->length);
	return *text ? 0 : -ENOMEM;
}

static int read_u32(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	(void)reader;
	if (value->type != MSGPACK_UINT || value->number > UINT32_MAX)
		return -EINVAL;
	*(uint32_t *)into = (uint32_t)value->number;
	return 0;
}

static int read_bool(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	(void)reader;
	*(bool *)into = value->type == MSGPACK_BOOL && value->number;
	return value->type == MSGPACK_BOOL ? 0 : -EINVAL;
}

/* The compiler appends these to a kernel's arguments [LUG, "Code Object V5 Metadata"]. */
static const char *const hidden_kinds[] = {
	"hidden_block_count_x",     "hidden_block_count_y",
	"hidden_block_count_z",     "hidden_group_size_x",
	"hidden_group_size_y",      "hidden_group_size_z",
	"hidden_remainder_x",       "hidden_remainder_y",
	"hidden_remainder_z",       "hidden_global_offset_x",
	"hidden_global_offset_y",   "hidden_global_offset_z",
	"hidden_grid_dims",         "hidden_none",
	"hidden_printf_buffer",     "hidden_hostcall_buffer",
	"hidden_heap_v1",           "hidden_default_queue",
	"hidden_completion_action", "hidden_multigrid_sync_arg",
	"hidden_dynamic_lds_size",  "hidden_private_base",
	"hidden_shared_base",       "hidden_queue_ptr",
};

static int read_kind(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	static const struct {
		const char *name;
		enum codeobj_arg_kind kind;
	} kinds[] = {
		{ "by_value", CODEOBJ_ARG_BY_VALUE },
		{ "global_buffer", CODEOBJ_ARG_GLOBAL_BUFFER },
		{ "dynamic_shared_pointer", CODEOBJ_ARG_DYNAMIC_SHARED_POINTER },
		{ "sampler", CODEOBJ_ARG_SAMPLER },
		{ "image", CODEOBJ_ARG_IMAGE },
		{ "pipe", CODEOBJ_ARG_PIPE },
		{ "queue", CODEOBJ_ARG_QUEUE },
	};
	struct codeobj_arg *arg = into;

	(void)reader;
	if (value->type != MSGPACK_STRING)
		return -EINVAL;
	arg->kind = CODEOBJ_ARG_OTHER;
	if (value->length >= 7 && !memcmp(value->bytes, "hidden_", 7)) {
		arg->kind = CODEOBJ_ARG_HIDDEN;
		if (msgpack_is(value, "hidden_hostcall_buffer"))
			arg->hidden = CODEOBJ_HIDDEN_HOSTCALL;
		else if (msgpack_is(value, "hidden_printf_buffer"))
			arg->hidden = CODEOBJ_HIDDEN_PRINTF;
		for (size_t i = 0; i < sizeof(hidden_kinds) / sizeof(hidden_kinds[0]); i++)
			if (msgpack_is(value, hidden_kinds[i]))
				arg->hidden_name = hidden_kinds[i];
		return 0;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (msgpack_is(value, kinds[i].name))
			arg->kind = kinds[i].kind;
	return 0;
}

/*
 * Read the pairs of a map whose header is `map` into the members that `fields` names; other
 * keys are skipped.
 */
static int read_map(struct msgpack *reader, const struct msgpack_value *map,
		    const struct field *fields, size_t field_count, void *into)
{
	struct msgpack_value key, value;

	if (map->type != MSGPACK_MAP)
		return -EINVAL;
	for (uint64_t i = 0; i < map->number; i++) {
		const struct field *field = NULL;
		int rc;

		if (!msgpack_read(reader, &key) || !msgpack_skip_elements(reader, &key) ||
		    !msgpack_read(reader, &value))
			return -EINVAL;
		for (size_t j = 0; j < field_count; j++)
			if (key.type == MSGPACK_STRING && key.length == fields[j].length &&
			    !memcmp(key.bytes, fields[j].key, key.length))
				field = &fields[j];
		if (!field) {
			if (!msgpack_skip_elements(reader, &value))
				return -EINVAL;
			continue;
		}
		rc = field->read(reader, &value, (char *)into + field->offset);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Allocates room for the elements of an array. Each takes at least one byte of input, so a count
 * beyond the rest of the note is wrong and must not be allocated for.
 */
static int new_elements(const struct msgpack *reader, const struct msgpack_value *array,
			size_t element_size, void **elements)
{
	if (array->type != MSGPACK_ARRAY || array->number > (uint64_t)(reader->end - reader->at))
		return -EINVAL;
	*elements = calloc(array->number ? (size_t)array->number : 1, element_size);
	return *elements ? 0 : -ENOMEM;
}

static int read_args(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	static const struct field fields[] = {
		FIELD(".name", read_string, offsetof(struct codeobj_arg, name)),
		FIELD(".type_name", read_string, offsetof(struct codeobj_arg, type_name)),
		FIELD(".offset", read_u32, offsetof(struct codeobj_arg, offset)),
		FIELD(".size", read_u32, offsetof(struct codeobj_arg, size)),
		FIELD(".value_kind", read_kind, 0),
	};
	struct codeobj_kernel *kernel = into;
	struct msgpack_value map;
	int rc;

	if (kernel->args)
		return -EINVAL;
	rc = new_elements(reader, value, sizeof(*kernel->args), (void **)&kernel->args);
	for (uint64_t i = 0; !rc && i < value->number; i++) {
		kernel->arg_count++;
		kernel->args[i].kind = CODEOBJ_ARG_OTHER;
		rc = msgpack_read(reader, &map)
			 ? read_map(reader, &map, fields, sizeof(fields) / sizeof(fields[0]),
				    &kernel->args[i])
			 : -EINVAL;
	}
	return rc;
}

/* Finds the end of the explicit arguments, and verifies that all are as codeobj.h promises. */
static int finish_kernel(struct codeobj_kernel *kernel)
{
	bool hidden = false;

	if (!kernel->name)
		return -EINVAL;
	for (size_t i = 0; i < kernel->arg_count; i++) {
		const struct codeobj_arg *arg = &kernel->args[i];

		if (!codeobj_inside(arg->offset, arg->size, kernel->kernarg_size))
			return -EINVAL;
		if (arg->kind == CODEOBJ_ARG_HIDDEN) {
			hidden = true;
			continue;
		}
		if (hidden) /* hidden arguments come last: the compiler appends them */
			return -EINVAL;
		kernel->explicit_count++;
		if (arg->offset + arg->size > kernel->explicit_size)
			kernel->explicit_size = arg->offset + arg->size;
	}
	return 0;
}

static int read_kernels(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	static const struct field fields[] = {
		FIELD(".name", read_string, offsetof(struct codeobj_kernel, name)),
		FIELD(".symbol", read_string, offsetof(struct codeobj_kernel, symbol)),
		FIELD(".kernarg_segment_size", read_u32,
		      offsetof(struct codeobj_kernel, kernarg_size)),
		FIELD(".max_flat_workgroup_size", read_u32,
		      offsetof(struct codeobj_kernel, work_items)),
		FIELD(".private_segment_fixed_size", read_u32,
		      offsetof(struct codeobj_kernel, private_size)),
		FIELD(".vgpr_spill_count", read_u32, offsetof(struct codeobj_kernel, vgpr_spills)),
		FIELD(".uses_dynamic_stack", read_bool,
		      offsetof(struct codeobj_kernel, dynamic_stack)),
		FIELD(".args", read_args, 0),
	};
	struct codeobj_metadata *metadata = into;
	struct msgpack_value map;
	int rc;

	if (metadata->kernels)
		return -EINVAL;
	rc = new_elements(reader, value, sizeof(*metadata->kernels), (void **)&metadata->kernels);
	for (uint64_t i = 0; !rc && i < value->number; i++) {
		struct codeobj_kernel *kernel = &metadata->kernels[i];

		metadata->kernel_count++;
		rc =
		    msgpack_read(reader, &map)
			? read_map(reader, &map, fields, sizeof(fields) / sizeof(fields[0]), kernel)
			: -EINVAL;
		if (!rc)
			rc = finish_kernel(kernel);
	}
	return rc;
}

static int read_version(struct msgpack *reader, const struct msgpack_value *value, void *into)
{
	struct msgpack_value number;
	unsigned *version = into;

	if (value->type != MSGPACK_ARRAY || value->number != 2)
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++) {
		if (!msgpack_read(reader, &number) || number.type != MSGPACK_UINT)
			return -EINVAL;
		version[i] = (unsigned)number.number;
	}
	return 0;
}

static int parse(const uint8_t *note, size_t size, struct codeobj_metadata *metadata)
{
	static const struct field fields[] = {
		FIELD("amdhsa.version", read_version, offsetof(struct codeobj_metadata, version)),
		FIELD("amdhsa.target", read_string, offsetof(struct codeobj_metadata, target)),
		FIELD("amdhsa.kernels", read_kernels, 0),
	};
	struct msgpack reader = { .at = note, .end = note + size };
	struct msgpack_value map;

	if (!msgpack_read(&reader, &map))
		return -EINVAL;
	return read_map(&reader, &map, fields, sizeof(fields) / sizeof(fields[0]), metadata);
}

/* Leaves it empty. */
static void free_kernel(struct codeobj_kernel *kernel)
{
	for (size_t j = 0; j < kernel->arg_count; j++) {
		free(kernel->args[j].name);
		free(kernel->args[j].type_name);
	}
	free(kernel->args);
	free(kernel->name);
	free(kernel->symbol);
	memset(kernel, 0, sizeof(*kernel));
}

void codeobj_metadata_free(struct codeobj_metadata *metadata)
{
	if (!metadata)
		return;
	for (size_t i = 0; i < metadata->kernel_count; i++)
		free_kernel(&metadata->kernels[i]);
	free(metadata->kernels);
	free(metadata->target);
	free(metadata);
}

/* ---- several notes ---- */

/* The result of the notes before the current one, and the message for an error. */
struct reading {
	struct codeobj_metadata *metadata;
	size_t room; /* kernels that metadata->kernels has room for */
	bool any;
	struct codeobj_error *error;
};

/* Move the kernels of `note` to the result. */
static int add_kernels(struct reading *reading, struct codeobj_metadata *note)
{
	struct codeobj_metadata *metadata = reading->metadata;
	size_t count = metadata->kernel_count + note->kernel_count;

	if (count > reading->room) {
		size_t room = count > 2 * reading->room ? count : 2 * reading->room;
		void *grown = reallocarray(metadata->kernels, room, sizeof(*metadata->kernels));

		if (!grown)
			return -ENOMEM;
		metadata->kernels = grown;
		reading->room = room;
	}
	if (note->kernel_count)
		memcpy(metadata->kernels + metadata->kernel_count, note->kernels,
		       note->kernel_count * sizeof(*note->kernels));
	metadata->kernel_count = count;
	note->kernel_count = 0;
	return 0;
}

static int refuse_targets(struct reading *reading, const char *one, const char *other)
{
	char first[64], second[64];

	text_copy_visible(first, sizeof(first), one);
	text_copy_visible(second, sizeof(second), other);
	return codeobj_fail(reading->error, -EINVAL,
			    "code object's metadata notes are for %s and %s", first, second);
}

static int refuse_kernel(struct reading *reading, const char *name)
{
	char visible[96];

	text_copy_visible(visible, sizeof(visible), name);
	return codeobj_fail(reading->error, -EINVAL,
			    "code object's metadata describes kernel %s in several ways", visible);
}

/* All notes of one code object must agree about it. */
static int add_note(struct reading *reading, struct codeobj_metadata *note)
{
	struct codeobj_metadata *metadata = reading->metadata;

	if (!reading->any) {
		memcpy(metadata->version, note->version, sizeof(metadata->version));
	} else if (memcmp(metadata->version, note->version, sizeof(metadata->version))) {
		return codeobj_fail(reading->error, -EINVAL,
				    "code object's metadata notes are of versions %u.%u and %u.%u",
				    metadata->version[0], metadata->version[1], note->version[0],
				    note->version[1]);
	}
	if (metadata->target && note->target && strcmp(metadata->target, note->target))
		return refuse_targets(reading, metadata->target, note->target);
	if (!metadata->target) {
		metadata->target = note->target;
		note->target = NULL;
	}
	reading->any = true;
	return add_kernels(reading, note);
}

static int read_note(const uint8_t *payload, size_t size, void *user)
{
	struct reading *reading = user;
	struct codeobj_metadata *note = calloc(1, sizeof(*note));
	int rc = -ENOMEM;

	if (note)
		rc = parse(payload, size, note);
	if (rc == -EINVAL)
		codeobj_fail(reading->error, rc, "code object's metadata note is malformed");
	else if (!rc)
		rc = add_note(reading, note);
	codeobj_metadata_free(note);
	return rc;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_kernel(const struct codeobj_kernel *a, const struct codeobj_kernel *b)
{
	if (!same_text(a->symbol, b->symbol) || a->kernarg_size != b->kernarg_size ||
	    a->arg_count != b->arg_count)
		return false;
	for (size_t i = 0; i < a->arg_count; i++) {
		const struct codeobj_arg *x = &a->args[i], *y = &b->args[i];

		if (x->offset != y->offset || x->size != y->size || x->kind != y->kind ||
		    x->hidden != y->hidden)
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct codeobj_kernel *x = *(struct codeobj_kernel *const *)a;
	const struct codeobj_kernel *y = *(struct codeobj_kernel *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

/*
 * A kernel that is described several times is kept once, at its first place. If the descriptions
 * differ, none can be trusted: a wrong layout leads to wrong findings.
 */
static int unite_kernels(struct reading *reading)
{
	struct codeobj_metadata *metadata = reading->metadata;
	struct codeobj_kernel **sorted = calloc(metadata->kernel_count + 1, sizeof(*sorted));
	size_t kept = 0;
	int rc = sorted ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < metadata->kernel_count; i++)
		sorted[i] = &metadata->kernels[i];
	if (!rc)
		qsort(sorted, metadata->kernel_count, sizeof(struct codeobj_kernel *), by_name);
	for (size_t i = 1, first = 0; !rc && i < metadata->kernel_count; i++)
		if (strcmp(sorted[first]->name, sorted[i]->name))
			first = i;
		else if (!same_kernel(sorted[first], sorted[i]))
			rc = refuse_kernel(reading, sorted[i]->name);
		else
			free_kernel(sorted[i]); /* leaves it without a name */
	for (size_t i = 0; !rc && i < metadata->kernel_count; i++)
		if (metadata->kernels[i].name)
			metadata->kernels[kept++] = metadata->kernels[i];
	if (!rc)
		metadata->kernel_count = kept;
	free(sorted);
	return rc;
}

int codeobj_metadata_read(const void *elf, size_t size, struct codeobj_metadata **metadata,
			  struct codeobj_error *error)
{
	struct codeobj_error problem = { "" };
	struct reading reading = { .error = &problem };
	int rc = codeobj_elf_check(elf, size, error);

	*metadata = NULL;
	if (rc)
		return rc;
	reading.metadata = calloc(1, sizeof(*reading.metadata));
	rc = reading.metadata ? codeobj_notes_read(elf, size, read_note, &reading) : -ENOMEM;
	if (!rc)
		rc = unite_kernels(&reading);
	if (!rc) {
		*metadata = reading.metadata;
		return 0;
	}
	codeobj_metadata_free(reading.metadata);
	if (problem.text[0])
		return codeobj_fail(error, rc, "%s", problem.text);
	switch (rc) {
	case -ENOENT:
		return codeobj_fail(error, rc, "code object without a metadata note");
	case -ENOTSUP:
		return codeobj_fail(error, rc,
				    "code object of version 2, whose notes are not read");
	case -ENOMEM:
		return codeobj_fail(error, rc, "out of memory");
	default:
		return codeobj_fail(error, rc, "code object's notes are malformed");
	}
}

const struct codeobj_kernel *codeobj_metadata_kernel(const struct codeobj_metadata *metadata,
						     const char *name)
{
	for (size_t i = 0; i < metadata->kernel_count; i++)
		if (!strcmp(metadata->kernels[i].name, name))
			return &metadata->kernels[i];
	return NULL;
}
