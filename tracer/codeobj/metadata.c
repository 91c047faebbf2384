/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata note of a code object: kernels and their arguments (C.5). */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "msgpack.h"

#define NOTE_OWNER       "AMDGPU"
#define NOTE_METADATA    32u /* NT_AMDGPU_METADATA, MessagePack; C.5 */
#define NOTE_V2_ISA      3u  /* notes 1, 2, 3, 10, 11 are those of code object V2 */
#define NOTE_V2_METADATA 10u

/* One field of a map: its key and how to read its value. */
struct field {
	const char *key;
	int (*read)(struct msgpack *reader, const struct msgpack_value *value, void *into);
	size_t offset; /* of the member in the struct that `into` starts */
};

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
	if (value->length >= 7 && !memcmp(value->bytes, "hidden_", 7))
		arg->kind = CODEOBJ_ARG_HIDDEN;
	if (msgpack_is(value, "hidden_hostcall_buffer"))
		arg->hidden = CODEOBJ_HIDDEN_HOSTCALL;
	else if (msgpack_is(value, "hidden_printf_buffer"))
		arg->hidden = CODEOBJ_HIDDEN_PRINTF;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (msgpack_is(value, kinds[i].name))
			arg->kind = kinds[i].kind;
	}
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
		for (size_t j = 0; j < field_count; j++) {
			if (msgpack_is(&key, fields[j].key))
				field = &fields[j];
		}
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
 * Room for the elements of an array; each takes at least one byte of input, so a count beyond
 * the rest of the note is a lie and must not be allocated for.
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
		{ ".name", read_string, offsetof(struct codeobj_arg, name) },
		{ ".type_name", read_string, offsetof(struct codeobj_arg, type_name) },
		{ ".offset", read_u32, offsetof(struct codeobj_arg, offset) },
		{ ".size", read_u32, offsetof(struct codeobj_arg, size) },
		{ ".value_kind", read_kind, 0 },
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

/* Where the explicit arguments end, and that they are as this reader promises them. */
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
		if (hidden) /* the compiler appends hidden arguments; anything else is not its work
			     */
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
		{ ".name", read_string, offsetof(struct codeobj_kernel, name) },
		{ ".symbol", read_string, offsetof(struct codeobj_kernel, symbol) },
		{ ".kernarg_segment_size", read_u32,
		  offsetof(struct codeobj_kernel, kernarg_size) },
		{ ".private_segment_fixed_size", read_u32,
		  offsetof(struct codeobj_kernel, private_size) },
		{ ".vgpr_spill_count", read_u32, offsetof(struct codeobj_kernel, vgpr_spills) },
		{ ".uses_dynamic_stack", read_bool,
		  offsetof(struct codeobj_kernel, dynamic_stack) },
		{ ".args", read_args, 0 },
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
		{ "amdhsa.version", read_version, offsetof(struct codeobj_metadata, version) },
		{ "amdhsa.target", read_string, offsetof(struct codeobj_metadata, target) },
		{ "amdhsa.kernels", read_kernels, 0 },
	};
	struct msgpack reader = { .at = note, .end = note + size };
	struct msgpack_value map;

	if (!msgpack_read(&reader, &map))
		return -EINVAL;
	return read_map(&reader, &map, fields, sizeof(fields) / sizeof(fields[0]), metadata);
}

/* The metadata in one run of notes: 0, or -ENOENT, -ENOTSUP (V2), -EINVAL. */
static int find_in_notes(const uint8_t *notes, size_t size, const uint8_t **found, size_t *length)
{
	size_t at = 0;

	while (codeobj_inside(at, sizeof(Elf64_Nhdr), size)) {
		Elf64_Nhdr note;
		uint64_t name, descriptor, end;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		descriptor = name + ((note.n_namesz + (uint64_t)3) & ~(uint64_t)3);
		end = descriptor + note.n_descsz;
		if (end > size)
			return -EINVAL;
		if (note.n_namesz == sizeof(NOTE_OWNER) && note.n_type == NOTE_METADATA &&
		    !memcmp(notes + name, NOTE_OWNER, sizeof(NOTE_OWNER))) {
			*found = notes + descriptor;
			*length = note.n_descsz;
			return 0;
		}
		if (note.n_namesz == 4 && !memcmp(notes + name, "AMD", 4) &&
		    (note.n_type == NOTE_V2_METADATA || note.n_type == NOTE_V2_ISA))
			return -ENOTSUP;
		end = (end + 3) & ~(uint64_t)3;
		if (end > size)
			break;
		at = (size_t)end;
	}
	return -ENOENT;
}

/* The note is in a PT_NOTE segment; relocatable objects have only the section. */
static int find_note(const uint8_t *elf, size_t size, const uint8_t **found, size_t *length)
{
	Elf64_Ehdr header;
	int rc = -ENOENT;

	memcpy(&header, elf, sizeof(header));
	for (unsigned i = 0; rc == -ENOENT && i < header.e_phnum; i++) {
		Elf64_Phdr phdr;

		memcpy(&phdr, elf + header.e_phoff + i * sizeof(phdr), sizeof(phdr));
		if (phdr.p_type != PT_NOTE)
			continue;
		if (!codeobj_inside(phdr.p_offset, phdr.p_filesz, size))
			return -EINVAL;
		rc = find_in_notes(elf + phdr.p_offset, (size_t)phdr.p_filesz, found, length);
	}
	for (unsigned i = 0; rc == -ENOENT && i < header.e_shnum; i++) {
		Elf64_Shdr shdr;

		memcpy(&shdr, elf + header.e_shoff + i * sizeof(shdr), sizeof(shdr));
		if (shdr.sh_type != SHT_NOTE)
			continue;
		if (!codeobj_inside(shdr.sh_offset, shdr.sh_size, size))
			return -EINVAL;
		rc = find_in_notes(elf + shdr.sh_offset, (size_t)shdr.sh_size, found, length);
	}
	return rc;
}

int codeobj_metadata_read(const void *elf, size_t size, struct codeobj_metadata **metadata,
			  struct codeobj_error *error)
{
	const uint8_t *note;
	size_t length;
	int rc = codeobj_elf_check(elf, size, error);

	*metadata = NULL;
	if (rc)
		return rc;
	rc = find_note(elf, size, &note, &length);
	if (rc == -ENOENT)
		return codeobj_fail(error, rc, "code object without a metadata note");
	if (rc == -ENOTSUP)
		return codeobj_fail(error, rc,
				    "code object of version 2, whose notes are not read");
	if (rc)
		return codeobj_fail(error, rc, "code object's notes are malformed");
	*metadata = calloc(1, sizeof(**metadata));
	if (!*metadata)
		return codeobj_fail(error, -ENOMEM, "out of memory");
	rc = parse(note, length, *metadata);
	if (!rc)
		return 0;
	codeobj_metadata_free(*metadata);
	*metadata = NULL;
	return codeobj_fail(error, rc,
			    rc == -ENOMEM ? "out of memory"
					  : "code object's metadata note is malformed");
}

void codeobj_metadata_free(struct codeobj_metadata *metadata)
{
	if (!metadata)
		return;
	for (size_t i = 0; i < metadata->kernel_count; i++) {
		struct codeobj_kernel *kernel = &metadata->kernels[i];

		for (size_t j = 0; j < kernel->arg_count; j++) {
			free(kernel->args[j].name);
			free(kernel->args[j].type_name);
		}
		free(kernel->args);
		free(kernel->name);
		free(kernel->symbol);
	}
	free(metadata->kernels);
	free(metadata->target);
	free(metadata);
}

const struct codeobj_kernel *codeobj_metadata_kernel(const struct codeobj_metadata *metadata,
						     const char *name)
{
	for (size_t i = 0; i < metadata->kernel_count; i++) {
		if (!strcmp(metadata->kernels[i].name, name))
			return &metadata->kernels[i];
	}
	return NULL;
}
