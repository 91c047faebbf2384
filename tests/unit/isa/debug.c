/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information that is compressed in each way that compilers and linkers know, in memory that
 * cannot be written to: the same lines come out as without. What is damaged, or claims too much, is
 * refused with one line and costs nothing but the lines. And a session leads to the same results,
 * kernel by kernel, as all at once.
 * usage: test-isa-debug VARIANT...   code objects with debug information
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "analyzer/isa/debug_image.h"
#include "variant.h"

enum how { HOW_ZLIB, HOW_ZSTD, HOW_GNU };

/* A code object in pages that cannot be written to. */
struct file {
	uint8_t *bytes;
	size_t size, room;
};

static struct file file_new(const struct variant *variant)
{
	struct file file = { .room = 2 * variant->elf_size + (1 << 20) };

	file.bytes =
	    mmap(NULL, file.room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(file.bytes != MAP_FAILED);
	memcpy(file.bytes, variant->elf, variant->elf_size);
	file.size = variant->elf_size;
	return file;
}

static void file_free(struct file *file)
{
	munmap(file->bytes, file->room);
}

static uint64_t append(struct file *file, const void *data, size_t size)
{
	uint64_t at = (file->size + 7) & ~(size_t)7;

	assert_true(at + size <= file->room);
	memcpy(file->bytes + at, data, size);
	file->size = at + size;
	return at;
}

static Elf64_Shdr *section_of(const struct file *file, unsigned index)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;

	return (Elf64_Shdr *)(void *)(file->bytes + header->e_shoff) + index;
}

static unsigned section_count(const struct file *file)
{
	return ((const Elf64_Ehdr *)(const void *)file->bytes)->e_shnum;
}

static const char *name_of(const struct file *file, const Elf64_Shdr *section)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;

	return (const char *)file->bytes + section_of(file, header->e_shstrndx)->sh_offset +
	       section->sh_name;
}

static Elf64_Shdr *find_section(const struct file *file, const char *name)
{
	for (unsigned i = 0; i < section_count(file); i++)
		if (!strcmp(name_of(file, section_of(file, i)), name))
			return section_of(file, i);
	fail_msg("no section %s", name);
	return NULL;
}

static void compress_section(struct file *file, Elf64_Shdr *section, enum how how)
{
	const uint8_t *data = file->bytes + section->sh_offset;
	size_t room = compressBound(section->sh_size) + ZSTD_compressBound(section->sh_size) + 64;
	uint8_t *out = calloc(1, room);
	uint64_t claimed = htobe64(section->sh_size);
	const Elf64_Chdr header = { .ch_type = how == HOW_ZSTD ? 2 : ELFCOMPRESS_ZLIB,
				    .ch_size = section->sh_size,
				    .ch_addralign = 1 };
	size_t start = how == HOW_GNU ? 12 : sizeof(header), length;
	uLongf size = room - start;

	assert_non_null(out);
	if (how == HOW_GNU) {
		memcpy(out, "ZLIB", 4);
		memcpy(out + 4, &claimed, 8);
	} else {
		memcpy(out, &header, sizeof(header));
		section->sh_flags |= SHF_COMPRESSED;
	}
	if (how == HOW_ZSTD) {
		length = ZSTD_compress(out + start, size, data, section->sh_size, 3);
		assert_false(ZSTD_isError(length));
	} else {
		assert_int_equal(compress(out + start, &size, data, section->sh_size), Z_OK);
		length = size;
	}
	section->sh_offset = append(file, out, start + length);
	section->sh_size = start + length;
	free(out);
}

/* .debug_* become .zdebug_*: a new table of names, the old one first. */
static void rename_sections(struct file *file)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)file->bytes;
	Elf64_Shdr *names = section_of(file, header->e_shstrndx);
	size_t size = names->sh_size;
	char table[4096];

	assert_true(size + 1024 < sizeof(table));
	memcpy(table, file->bytes + names->sh_offset, size);
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr *section = section_of(file, i);
		const char *name = name_of(file, section);

		if (strncmp(name, ".debug_", 7))
			continue;
		section->sh_name = (Elf64_Word)size;
		size += (size_t)snprintf(table + size, sizeof(table) - size, ".z%s", name + 1) + 1;
	}
	names->sh_offset = append(file, table, size);
	names->sh_size = size;
}

static struct file compressed(const struct variant *variant, enum how how)
{
	struct file file = file_new(variant);

	for (unsigned i = 0; i < section_count(&file); i++) {
		Elf64_Shdr *section = section_of(&file, i);

		if (!strncmp(name_of(&file, section), ".debug_", 7))
			compress_section(&file, section, how);
	}
	if (how == HOW_GNU)
		rename_sections(&file);
	return file;
}

static struct isa_code_object *analyze(const struct file *file, unsigned jobs)
{
	const struct isa_options options = { .jobs = jobs };
	struct isa_code_object *object;
	char *error = NULL;

	assert_int_equal(mprotect(file->bytes, file->room, PROT_READ), 0);
	if (isa_analyze(file->bytes, file->size, &options, &object, &error))
		fail_msg("%s", error ? error : "?");
	assert_int_equal(mprotect(file->bytes, file->room, PROT_READ | PROT_WRITE), 0);
	return object;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a != NULL, b != NULL);
	if (a)
		assert_string_equal(a, b);
}

static size_t same_kernel(const struct isa_kernel *a, const struct isa_kernel *b)
{
	size_t lines = 0;

	assert_string_equal(a->symbol, b->symbol);
	assert_int_equal(a->arg_count, b->arg_count);
	for (size_t i = 0; i < a->arg_count; i++)
		same_text(a->args[i].name, b->args[i].name);
	assert_int_equal(a->atomic_count, b->atomic_count);
	assert_int_equal(a->use_count, b->use_count);
	for (size_t i = 0; i < a->atomic_count; i++) {
		const struct isa_atomic *x = &a->atomics[i], *y = &b->atomics[i];

		assert_int_equal(x->kernel_offset, y->kernel_offset);
		assert_int_equal(x->origin.kind, y->origin.kind);
		same_text(x->file, y->file);
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->frame_count, y->frame_count);
		lines += x->file != NULL;
	}
	return lines;
}

static void same_object(const struct isa_code_object *a, const struct isa_code_object *b)
{
	size_t lines = 0;

	assert_int_equal(a->kernel_count, b->kernel_count);
	for (size_t i = 0; i < a->kernel_count; i++)
		lines += same_kernel(&a->kernels[i], &b->kernels[i]);
	assert_true(lines > 0);
}

static void same_lines(void **state)
{
	struct variant *variant = *state;

	for (enum how how = HOW_ZLIB; how <= HOW_GNU; how++) {
		struct file file = compressed(variant, how);
		struct isa_code_object *object = analyze(&file, how == HOW_ZLIB ? 3 : 1);

		assert_null(object->debug_problem);
		same_object(object, variant->object);
		isa_code_object_free(object);
		file_free(&file);
	}
}

static void session(void **state)
{
	struct variant *variant = *state;
	struct isa_session *session;

	assert_int_equal(isa_session_open(variant->elf, variant->elf_size, NULL, &session, NULL),
			 0);
	for (size_t i = variant->object->kernel_count; i--;) {
		const struct isa_kernel *kernel = &variant->object->kernels[i];
		const struct isa_options options = { .only_symbol = kernel->symbol };
		struct isa_code_object *object;

		assert_int_equal(isa_session_analyze(session, &options, &object, NULL), 0);
		assert_int_equal(object->kernel_count, 1);
		assert_string_equal(object->sha256, variant->object->sha256);
		same_kernel(&object->kernels[0], kernel);
		isa_code_object_free(object);
	}
	isa_session_close(session);
}

/* The lines are missing, for the reason `text`; all else is there. */
static void refused(struct file *file, const struct variant *variant, const char *text)
{
	struct isa_code_object *object = analyze(file, 1);

	assert_non_null(object->debug_problem);
	assert_null(strchr(object->debug_problem, '\n'));
	if (!strstr(object->debug_problem, text))
		fail_msg("'%s' does not say '%s'", object->debug_problem, text);
	assert_int_equal(object->kernel_count, variant->object->kernel_count);
	for (size_t i = 0; i < object->kernel_count; i++) {
		assert_int_equal(object->kernels[i].atomic_count,
				 variant->object->kernels[i].atomic_count);
		for (size_t k = 0; k < object->kernels[i].atomic_count; k++)
			assert_null(object->kernels[i].atomics[k].file);
	}
	isa_code_object_free(object);
	file_free(file);
}

static Elf64_Chdr *header_of(const struct file *file, const Elf64_Shdr *section)
{
	return (Elf64_Chdr *)(void *)(file->bytes + section->sh_offset);
}

static void damaged(void **state)
{
	struct variant *variant = *state;
	struct file file = compressed(variant, HOW_ZLIB);
	Elf64_Shdr *info = find_section(&file, ".debug_info");

	header_of(&file, info)->ch_size = UINT64_C(1) << 62;
	refused(&file, variant, "which is beyond the limit");
	file = compressed(variant, HOW_ZLIB);
	header_of(&file, find_section(&file, ".debug_info"))->ch_size += 1;
	refused(&file, variant, ".debug_info is damaged or cut off");
	file = compressed(variant, HOW_ZSTD);
	header_of(&file, find_section(&file, ".debug_line"))->ch_size -= 1;
	refused(&file, variant, ".debug_line expands to more than it claims");
	file = compressed(variant, HOW_ZLIB);
	header_of(&file, find_section(&file, ".debug_info"))->ch_type = 7;
	refused(&file, variant, ".debug_info is compressed by method 7");
	file = compressed(variant, HOW_ZLIB);
	find_section(&file, ".debug_str")->sh_size = 20;
	refused(&file, variant, ".debug_str has no compression header");
	file = compressed(variant, HOW_ZLIB);
	info = find_section(&file, ".debug_info");
	memset(file.bytes + info->sh_offset + sizeof(Elf64_Chdr), 0xff, 16);
	refused(&file, variant, ".debug_info is damaged or cut off");
	file = compressed(variant, HOW_GNU);
	memset(file.bytes + find_section(&file, ".zdebug_info")->sh_offset, 'X', 1);
	refused(&file, variant, ".debug_info has no compression header");
}

/* A small stream that expands to more than memory should be taken for. */
static void bomb(void **state)
{
	struct variant *variant = *state;
	size_t zeros = DEBUG_IMAGE_BYTES + DEBUG_IMAGE_RATIO * (2 * variant->elf_size + (1 << 20));
	struct file file = compressed(variant, HOW_ZLIB);
	Elf64_Shdr *info = find_section(&file, ".debug_info");
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = zeros, .ch_addralign = 1 };
	uint8_t *zero = calloc(1, zeros), *out = malloc(compressBound(zeros));
	uLongf size = compressBound(zeros);

	assert_true(zero && out);
	assert_int_equal(compress(out, &size, zero, zeros), Z_OK);
	info->sh_offset = append(&file, &header, sizeof(header));
	append(&file, out, size);
	info->sh_size = sizeof(header) + size;
	free(zero);
	free(out);
	refused(&file, variant, "which is beyond the limit");
}

/* Many headers of one section: its bytes are not copied for each. */
static void overlapping(void **state)
{
	struct variant *variant = *state;
	struct file file = compressed(variant, HOW_ZLIB);
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)file.bytes;
	Elf64_Shdr info = *find_section(&file, ".debug_info");
	Elf64_Shdr *more = calloc(4096, sizeof(*more));
	unsigned count = header->e_shnum;

	assert_non_null(more);
	memcpy(more, section_of(&file, 0), count * sizeof(*more));
	for (; count < 4096; count++)
		more[count] = info;
	header->e_shoff = append(&file, more, count * sizeof(*more));
	header->e_shnum = (Elf64_Half)count;
	free(more);
	refused(&file, variant, "debug information: more than");
}

int main(int argc, char **argv)
{
	static struct variant variant[4];
	static char names[32][96];
	struct CMUnitTest tests[32];
	size_t count = 0;
	int status;

	static const struct {
		const char *name;
		CMUnitTestFunction test;
	} all[] = {
		{ "compressed and not", same_lines },
		{ "a session", session },
		{ "damaged", damaged },
		{ "beyond all bounds", bomb },
		{ "overlapping", overlapping },
	};

	if (argc < 2 || argc > 5)
		return 99;
	for (int i = 1; i < argc; i++) {
		struct variant *one = &variant[i - 1];
		char *error = NULL;

		variant_load(one, argv[i]);
		if (isa_analyze(one->elf, one->elf_size, NULL, &one->object, &error)) {
			fprintf(stderr, "%s: %s\n", one->name, error ? error : "?");
			return 1;
		}
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
			snprintf(names[count], sizeof(names[0]), "%.60s: %.30s", one->name,
				 all[k].name);
			tests[count] =
			    (struct CMUnitTest){ names[count], all[k].test, NULL, NULL, one };
			count++;
		}
	}
	status = _cmocka_run_group_tests("debug", tests, count, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		isa_code_object_free(variant[i - 1].object);
		free(variant[i - 1].bytes);
	}
	return status;
}
