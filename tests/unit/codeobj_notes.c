/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code objects with several metadata notes, built here byte by byte: in one segment, in several, in
 * sections; notes that repeat and that contradict each other; and what no linker writes.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codeobj/codeobj.h"

#define HEADERS_MAX 65535u

/* The file under construction: headers first, then notes. */
static struct {
	uint8_t *bytes;
	size_t size, room;
} file;

static void put(const void *data, size_t size)
{
	if (file.size + size > file.room) {
		file.room = 2 * (file.size + size);
		file.bytes = realloc(file.bytes, file.room);
		assert_non_null(file.bytes);
	}
	memcpy(file.bytes + file.size, data, size);
	file.size += size;
}

static void put_u8(unsigned value)
{
	uint8_t byte = (uint8_t)value;

	put(&byte, 1);
}

static void put_text(const char *text)
{
	assert_true(strlen(text) < 32);
	put_u8(0xa0 | (unsigned)strlen(text));
	put(text, strlen(text));
}

/* An empty file with room for the headers. */
static void begin(unsigned segments, unsigned sections)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64, 3 },
		.e_machine = 224,
		.e_flags = 0x53f,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)segments,
		.e_shoff = sizeof(header) + segments * sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)sections,
	};
	static const uint8_t zero[sizeof(Elf64_Shdr)];

	assert_true(segments <= HEADERS_MAX && sections <= HEADERS_MAX);
	file.size = 0;
	put(&header, sizeof(header));
	for (unsigned i = 0; i < segments; i++)
		put(zero, sizeof(Elf64_Phdr));
	for (unsigned i = 0; i < sections; i++)
		put(zero, sizeof(Elf64_Shdr));
}

static void set_segment(unsigned index, size_t from, size_t end)
{
	const Elf64_Phdr segment = { .p_type = PT_NOTE, .p_offset = from, .p_filesz = end - from };

	memcpy(file.bytes + sizeof(Elf64_Ehdr) + index * sizeof(segment), &segment,
	       sizeof(segment));
}

static void set_section(unsigned index, size_t from, size_t end)
{
	const Elf64_Shdr section = { .sh_type = SHT_NOTE,
				     .sh_offset = from,
				     .sh_size = end - from };
	Elf64_Ehdr header;

	memcpy(&header, file.bytes, sizeof(header));
	memcpy(file.bytes + header.e_shoff + index * sizeof(section), &section, sizeof(section));
}

/* A note about one kernel with one argument of `size` bytes, of version 1.`version`. */
static void put_note(const char *kernel, unsigned size, unsigned version, const char *target)
{
	Elf64_Nhdr note = { .n_namesz = 7, .n_type = 32 };
	size_t start = file.size, payload;
	char symbol[40];

	put(&note, sizeof(note));
	put("AMDGPU\0", 8);
	payload = file.size;
	put_u8(target ? 0x83 : 0x82);
	put_text("amdhsa.version");
	put_u8(0x92);
	put_u8(1);
	put_u8(version);
	if (target) {
		put_text("amdhsa.target");
		put_text(target);
	}
	put_text("amdhsa.kernels");
	put_u8(0x91);
	put_u8(0x84);
	put_text(".name");
	put_text(kernel);
	put_text(".symbol");
	snprintf(symbol, sizeof(symbol), "%s.kd", kernel);
	put_text(symbol);
	put_text(".kernarg_segment_size");
	put_u8(64);
	put_text(".args");
	put_u8(0x91);
	put_u8(0x83);
	put_text(".offset");
	put_u8(8);
	put_text(".size");
	put_u8(size);
	put_text(".value_kind");
	put_text("by_value");
	while ((file.size - payload) % 4)
		put_u8(0xc0);
	note.n_descsz = (uint32_t)(file.size - payload);
	memcpy(file.bytes + start, &note, sizeof(note));
}

/* What codeobj_metadata_read() makes of a copy that ends where its allocation ends. */
static struct codeobj_metadata *read_file(size_t size, int *rc, struct codeobj_error *error)
{
	struct codeobj_metadata *metadata;
	uint8_t *copy = malloc(size);

	assert_non_null(copy);
	memcpy(copy, file.bytes, size);
	*rc = codeobj_metadata_read(copy, size, &metadata, error);
	free(copy);
	return metadata;
}

/* The names of the kernels, in their order, are `names`, separated by spaces. */
static void expect(const char *names)
{
	struct codeobj_error error = { "" };
	char found[256] = "";
	int rc;
	struct codeobj_metadata *metadata = read_file(file.size, &rc, &error);

	assert_string_equal(error.text, "");
	assert_int_equal(rc, 0);
	for (size_t i = 0; i < metadata->kernel_count; i++) {
		const struct codeobj_kernel *kernel = &metadata->kernels[i];

		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s", i ? " " : "",
			 kernel->name);
		assert_int_equal(kernel->explicit_count, 1);
		assert_ptr_equal(codeobj_metadata_kernel(metadata, kernel->name), kernel);
	}
	assert_string_equal(found, names);
	codeobj_metadata_free(metadata);
}

/* It is refused, with one line that has `text` in it. */
static void refuse(const char *text)
{
	struct codeobj_error error = { "" };
	int rc;

	assert_null(read_file(file.size, &rc, &error));
	assert_int_equal(rc, -EINVAL);
	assert_null(strchr(error.text, '\n'));
	if (!strstr(error.text, text))
		fail_msg("'%s' does not say '%s'", error.text, text);
}

static void in_one_segment(void **state)
{
	size_t start;

	(void)state;
	begin(1, 0);
	start = file.size;
	put_note("last", 8, 2, "amdgcn-amd-amdhsa--gfx90a");
	put_note("first", 4, 2, "amdgcn-amd-amdhsa--gfx90a");
	put_note("middle", 16, 2, NULL);
	set_segment(0, start, file.size);
	expect("last first middle");
}

static void in_several_places(void **state)
{
	size_t a, b, c, end;

	(void)state;
	begin(2, 3);
	a = file.size;
	put_note("one", 8, 2, NULL);
	b = file.size;
	put_note("two", 8, 2, NULL);
	c = file.size;
	put_note("three", 8, 2, NULL);
	end = file.size;
	/* Not in the order of the file; sections within the segments, and one that is in none. */
	set_segment(0, b, c);
	set_segment(1, a, b);
	set_section(0, c, end);
	set_section(1, b, c);
	set_section(2, a, b);
	expect("one two three");
}

static void in_sections(void **state)
{
	size_t a, b;

	(void)state;
	begin(0, 2);
	a = file.size;
	put_note("one", 8, 2, NULL);
	b = file.size;
	put_note("two", 8, 2, NULL);
	set_section(0, b, file.size);
	set_section(1, a, b);
	expect("one two");
}

static void repeated(void **state)
{
	size_t start;

	(void)state;
	begin(1, 0);
	start = file.size;
	put_note("same", 8, 2, NULL);
	put_note("other", 8, 2, NULL);
	put_note("same", 8, 2, NULL);
	set_segment(0, start, file.size);
	expect("same other");
	put_note("other", 4, 2, NULL);
	set_segment(0, start, file.size);
	refuse("describes kernel other in several ways");
}

static void contradictory(void **state)
{
	size_t start;

	(void)state;
	begin(1, 0);
	start = file.size;
	put_note("one", 8, 2, NULL);
	put_note("two", 8, 1, NULL);
	set_segment(0, start, file.size);
	refuse("of versions 1.2 and 1.1");
	begin(1, 0);
	put_note("one", 8, 2, "amdgcn-amd-amdhsa--gfx90a");
	put_note("two", 8, 2, "amdgcn-amd-amdhsa--gfx908");
	set_segment(0, start, file.size);
	refuse("for amdgcn-amd-amdhsa--gfx90a and amdgcn-amd-amdhsa--gfx908");
}

static void damaged(void **state)
{
	size_t start, second;
	int rc;

	(void)state;
	begin(2, 0);
	start = file.size;
	put_note("one", 8, 2, NULL);
	second = file.size;
	put_note("two", 8, 2, NULL);
	/* One begins within the other. */
	set_segment(0, start, second + 4);
	set_segment(1, second, file.size);
	refuse("notes are malformed");
	/* The second is shorter than it says. */
	begin(1, 0);
	start = file.size;
	put_note("one", 8, 2, NULL);
	second = file.size;
	put_note("two", 8, 2, NULL);
	set_segment(0, start, file.size - 4);
	refuse("notes are malformed");
	/* The file ends within it. */
	set_segment(0, start, file.size);
	for (size_t size = start; size < file.size; size++) {
		assert_null(read_file(size, &rc, NULL));
		assert_int_equal(rc, -EINVAL);
	}
	/* It is no map. */
	file.bytes[second + sizeof(Elf64_Nhdr) + 8] = 0x91;
	refuse("note is malformed");
}

/* As many headers and notes as a file can have are read once each. */
static void many(void **state)
{
	struct codeobj_metadata *metadata;
	size_t start;
	char name[16];
	int rc;

	(void)state;
	begin(HEADERS_MAX, HEADERS_MAX);
	start = file.size;
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "kernel%u", i % 10000);
		put_note(name, 8, 2, NULL);
	}
	for (unsigned i = 0; i < HEADERS_MAX; i++) {
		set_segment(i, start, file.size);
		set_section(i, start, file.size);
	}
	metadata = read_file(file.size, &rc, NULL);
	assert_int_equal(rc, 0);
	assert_int_equal(metadata->kernel_count, 10000);
	assert_string_equal(metadata->kernels[9999].name, "kernel9999");
	codeobj_metadata_free(metadata);
}

static int release(void **state)
{
	(void)state;
	free(file.bytes);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_one_segment), cmocka_unit_test(in_several_places),
		cmocka_unit_test(in_sections),    cmocka_unit_test(repeated),
		cmocka_unit_test(contradictory),  cmocka_unit_test(damaged),
		cmocka_unit_test(many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, release);
}
