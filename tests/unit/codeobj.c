/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codeobj on containers built here byte by byte, whole, cut off at every length, and with
 * every byte damaged. Inputs lie at the end of their allocation, so that a sanitizer or valgrind
 * sees any read past them.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codeobj/codeobj.h"

/* ---- building ---- */

struct buffer {
	uint8_t bytes[16384];
	size_t size;
};

static void put(struct buffer *buffer, const void *data, size_t size)
{
	assert_true(buffer->size + size <= sizeof(buffer->bytes));
	memcpy(buffer->bytes + buffer->size, data, size);
	buffer->size += size;
}

static void put_u8(struct buffer *buffer, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	put(buffer, &byte, 1);
}

static void put_u64(struct buffer *buffer, uint64_t value)
{
	put(buffer, &value, 8);
}

static void put_text(struct buffer *buffer, const char *text)
{
	size_t length = strlen(text);

	if (length < 32) {
		put_u8(buffer, 0xa0 | (unsigned)length);
	} else {
		put_u8(buffer, 0xd9);
		put_u8(buffer, (unsigned)length);
	}
	put(buffer, text, length);
}

static void put_pair(struct buffer *buffer, const char *key, const char *value)
{
	put_text(buffer, key);
	put_text(buffer, value);
}

/* In the widest form that the format has, which a writer may choose. */
static void put_number(struct buffer *buffer, const char *key, unsigned value)
{
	put_text(buffer, key);
	put_u8(buffer, 0xcd);
	put_u8(buffer, value >> 8);
	put_u8(buffer, value & 0xff);
}

static void put_arg(struct buffer *buffer, unsigned offset, unsigned size, const char *kind)
{
	put_u8(buffer, 0x84);
	put_number(buffer, ".offset", offset);
	put_number(buffer, ".size", size);
	put_pair(buffer, ".value_kind", kind);
	put_text(buffer, ".unknown_to_us");
	put_u8(buffer, 0x92); /* a nested array to skip: [1, {"x": nil}] */
	put_u8(buffer, 1);
	put_u8(buffer, 0x81);
	put_text(buffer, "x");
	put_u8(buffer, 0xc0);
}

static void put_metadata(struct buffer *buffer)
{
	put_u8(buffer, 0x83);
	put_text(buffer, "amdhsa.kernels");
	put_u8(buffer, 0x92);

	put_u8(buffer, 0x84);
	put_text(buffer, ".args");
	put_u8(buffer, 0x94);
	put_arg(buffer, 0, 8, "global_buffer");
	put_arg(buffer, 8, 4, "by_value");
	put_arg(buffer, 16, 24, "by_value");
	put_arg(buffer, 40, 8, "hidden_global_offset_x");
	put_number(buffer, ".kernarg_segment_size", 96);
	put_pair(buffer, ".name", "_Z3addPfi1F");
	put_pair(buffer, ".symbol", "_Z3addPfi1F.kd");

	put_u8(buffer, 0x83);
	put_pair(buffer, ".name", "_Z4nonev");
	put_pair(buffer, ".symbol", "_Z4nonev.kd");
	put_number(buffer, ".kernarg_segment_size", 0);

	put_pair(buffer, "amdhsa.target", "amdgcn-amd-amdhsa--gfx90a:xnack+");
	put_text(buffer, "amdhsa.version");
	put_u8(buffer, 0x92);
	put_u8(buffer, 1);
	put_u8(buffer, 1);
}

/* A code object with nothing but its metadata note; returns where the note's payload begins. */
static size_t make_elf(struct buffer *elf, uint32_t flags)
{
	Elf64_Ehdr header = { .e_machine = 224,
			      .e_flags = flags,
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 1 };
	Elf64_Phdr segment = { .p_type = PT_NOTE, .p_offset = sizeof(header) + sizeof(segment) };
	Elf64_Nhdr note = { .n_namesz = 7, .n_type = 32 };
	static struct buffer payload;

	payload.size = 0;
	put_metadata(&payload);
	while (payload.size % 4)
		put_u8(&payload, 0xc0);
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_ABIVERSION] = 2;
	note.n_descsz = (uint32_t)payload.size;
	segment.p_filesz = sizeof(note) + 8 + payload.size;
	elf->size = 0;
	put(elf, &header, sizeof(header));
	put(elf, &segment, sizeof(segment));
	put(elf, &note, sizeof(note));
	put(elf, "AMDGPU\0", 8);
	put(elf, payload.bytes, payload.size);
	return elf->size - payload.size;
}

static void make_bundle(struct buffer *bundle)
{
	static const char *const ids[] = {
		"host-x86_64-unknown-linux--",
		"hipv4-amdgcn-amd-amdhsa--gfx90a",
		"hipv4-amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-",
		"hip-amdgcn-amd-amdhsa--gfx90a:xnack+",
	};
	uint64_t at = 4096;

	bundle->size = 0;
	put(bundle, "__CLANG_OFFLOAD_BUNDLE__", 24);
	put_u64(bundle, 4);
	for (unsigned i = 0; i < 4; i++) {
		put_u64(bundle, i ? at : 0);
		put_u64(bundle, i ? 16 : 0);
		put_u64(bundle, strlen(ids[i]));
		put(bundle, ids[i], strlen(ids[i]));
		at += i ? 16 : 0;
	}
	while (bundle->size < 4096)
		put_u8(bundle, 0);
	put(bundle, "first           second          third           ", 48);
}

/* A copy that ends where its allocation ends. */
static uint8_t *cut(const struct buffer *buffer, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, buffer->bytes, size);
	return copy;
}

/* ---- tests ---- */

static void sha256(void **state)
{
	static const struct {
		const char *text, *hex;
	} vectors[] = {
		/* FIPS 180-4 examples */
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[CODEOBJ_SHA256_SIZE];
	char *million = malloc(1000000);

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		codeobj_sha256(vectors[i].text, strlen(vectors[i].text), hex);
		assert_string_equal(hex, vectors[i].hex);
	}
	assert_non_null(million);
	memset(million, 'a', 1000000);
	codeobj_sha256(million, 1000000, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void target_ids(void **state)
{
	static const struct {
		const char *text, *canonical; /* NULL: refused */
	} cases[] = {
		{ "gfx90a", "gfx90a" },
		{ "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-" },
		{ "gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-" },
		{ "gfx906+xnack", "gfx906:xnack+" },
		{ "gfx906+sram-ecc+xnack", "gfx906:sramecc+:xnack+" },
		{ "gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+" },
		{ "gfx1250:xnack+", "gfx1250" },
		{ "gfx1250:xnack-", "gfx1250:xnack-" },
		{ "", NULL },
		{ "sm_80", NULL },
		{ "gfx90a:", NULL },
		{ "gfx90a:xnack", NULL },
		{ "gfx90a:bogus+", NULL },
		{ "gfx90a:xnack+junk", NULL },
		{ "gfx0123456789012345678901234567890123456789", NULL },
	};
	struct codeobj_target target;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = codeobj_target_parse(cases[i].text, &target);

		assert_int_equal(rc, cases[i].canonical ? 0 : -EINVAL);
		if (rc)
			continue;
		codeobj_target_format(&target, text);
		assert_string_equal(text, cases[i].canonical);
	}
}

/* LLVM's feature SupportsXNACK; a GPU without it has a name without the mode. */
static void xnack_of_devices(void **state)
{
	(void)state;
	assert_int_equal(codeobj_device_xnack("gfx90a:sramecc+:xnack-"), CODEOBJ_OFF);
	assert_int_equal(codeobj_device_xnack("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack+"),
			 CODEOBJ_ON);
	assert_int_equal(codeobj_device_xnack("gfx90a"), CODEOBJ_ANY);
	assert_int_equal(codeobj_device_xnack("gfx1010"), CODEOBJ_ANY);
	assert_int_equal(codeobj_device_xnack("gfx1030"), CODEOBJ_OFF);
	assert_int_equal(codeobj_device_xnack("amdgcn-amd-amdhsa--gfx1100"), CODEOBJ_OFF);
	assert_int_equal(codeobj_device_xnack("gfx1201"), CODEOBJ_OFF);
	/* It is always on there. */
	assert_int_equal(codeobj_device_xnack("gfx1250"), CODEOBJ_ON);
	assert_int_equal(codeobj_device_xnack("gfx1251"), CODEOBJ_ON);
	assert_int_equal(codeobj_device_xnack("gfx801"), CODEOBJ_ANY);
	assert_int_equal(codeobj_device_xnack("gfx803"), CODEOBJ_OFF);
	/* No processor that is known. */
	assert_int_equal(codeobj_device_xnack("gfx990"), CODEOBJ_ANY);
	assert_int_equal(codeobj_device_xnack(""), CODEOBJ_ANY);
}

static void matching(void **state)
{
	static const struct {
		const char *code, *device;
		int score;
	} cases[] = {
		{ "gfx90a", "gfx90a:sramecc+:xnack-", 3 },
		{ "gfx90a:xnack-", "gfx90a:sramecc+:xnack-", 4 },
		{ "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", 5 },
		{ "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", -1 },
		{ "gfx908", "gfx90a", -1 },
		{ "gfx90a:xnack+", "gfx90a", -1 }, /* the device's setting is not known to be on */
		/* Generic processors fit those that LLVM lists, behind their own code. */
		{ "gfx9-generic", "gfx906:sramecc+:xnack-", 0 },
		{ "gfx9-generic:xnack-", "gfx906:sramecc+:xnack-", 1 },
		{ "gfx9-generic:xnack+", "gfx906:sramecc+:xnack-", -1 },
		{ "gfx9-generic", "gfx908", -1 },
		{ "gfx9-generic", "gfx90a", -1 },
		{ "gfx9-generic", "gfx942", -1 },
		{ "gfx9-4-generic", "gfx942:sramecc+:xnack-", 0 },
		{ "gfx9-4-generic:sramecc+:xnack-", "gfx950:sramecc+:xnack-", 2 },
		{ "gfx9-4-generic", "gfx90a", -1 },
		{ "gfx10-1-generic", "gfx1013", 0 },
		{ "gfx10-1-generic", "gfx1030", -1 },
		{ "gfx10-3-generic", "gfx1036", 0 },
		{ "gfx11-generic", "gfx1153", 0 },
		{ "gfx11-generic", "gfx1170", -1 },
		{ "gfx12-generic", "gfx1201", 0 },
		{ "gfx12-generic", "gfx1250", -1 },
		{ "gfx12-5-generic", "gfx1250", 0 },
		/* No name of a device says it there, but e_flags of code may. */
		{ "gfx1250", "gfx1250", 3 },
		{ "gfx1250:xnack+", "gfx1250", 4 },
		{ "gfx1250:xnack-", "gfx1250", -1 },
		{ "gfx12-5-generic:xnack+", "gfx1251", 1 },
		{ "gfx99-generic", "gfx990", -1 },
		{ "gfx942", "gfx9-4-generic", -1 },
		{ "gfx9-4-generic", "gfx9-4-generic", 3 },
	};
	struct codeobj_target code, device;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(codeobj_target_parse(cases[i].code, &code), 0);
		assert_int_equal(codeobj_target_parse(cases[i].device, &device), 0);
		assert_int_equal(codeobj_target_match(&code, &device), cases[i].score);
	}
}

static void selection(void **state)
{
	static const struct {
		const char *device, *begin; /* NULL: none */
	} cases[] = {
		{ "gfx90a:sramecc+:xnack+", "third" },
		{ "gfx90a:sramecc+:xnack-", "first" },
		{ "gfx908:sramecc+:xnack-", "second" },
		{ "gfx908:sramecc-:xnack-", NULL },
		{ "gfx1030", NULL },
	};
	static struct buffer bundle;
	struct codeobj_error error;
	struct codeobj_entry entry;
	struct codeobj_target device;
	uint64_t extent;

	(void)state;
	make_bundle(&bundle);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc;

		assert_int_equal(codeobj_target_parse(cases[i].device, &device), 0);
		rc = codeobj_bundle_select(bundle.bytes, bundle.size, &device, &entry, &error);
		assert_int_equal(rc, cases[i].begin ? 0 : -ENOENT);
		if (!rc)
			assert_memory_equal(entry.data, cases[i].begin, strlen(cases[i].begin));
		else
			assert_non_null(strstr(error.text, "gfx908:sramecc+:xnack-"));
	}
	assert_int_equal(codeobj_bundle_extent(bundle.bytes, bundle.size, &extent, NULL), 0);
	assert_int_equal(extent, bundle.size);
}

static void finding(void **state)
{
	static struct buffer section, bundle;
	uint8_t compressed[32] = "CCOB\2\0\1\0\40\0\0\0\0\20\0\0";
	size_t at;

	(void)state;
	section.size = 0;
	make_bundle(&bundle);
	put(&section, bundle.bytes, bundle.size);
	while (section.size % 4096)
		put_u8(&section, 0);
	put(&section, bundle.bytes, bundle.size);
	while (section.size % 8)
		put_u8(&section, 0);
	put(&section, compressed, sizeof(compressed));
	assert_int_equal(codeobj_bundle_find(section.bytes, section.size, 0, &at), 0);
	assert_int_equal(at, 0);
	assert_int_equal(codeobj_bundle_find(section.bytes, section.size, 1, &at), 0);
	assert_int_equal(at, 8192);
	assert_int_equal(codeobj_bundle_find(section.bytes, section.size, 8193, &at), 0);
	assert_int_equal(at, section.size - sizeof(compressed));
	assert_int_equal(codeobj_bundle_find(section.bytes, section.size, at + 1, &at), -ENOENT);
}

static void compressed_headers(void **state)
{
	uint8_t header[40] = "CCOB\2\0\1\0\50\0\0\0\0\20\0\0";
	struct codeobj_compressed found;

	(void)state;
	assert_int_equal(codeobj_compressed_header(header, sizeof(header), &found, NULL), 0);
	assert_int_equal(found.method, 1);
	assert_int_equal(found.total_size, 40);
	assert_int_equal(found.uncompressed_size, 4096);
	assert_int_equal(found.header_size, 24);
	assert_int_equal(codeobj_compressed_header(header, 39, &found, NULL), -EINVAL);
	header[4] = 9;
	assert_int_equal(codeobj_compressed_header(header, sizeof(header), &found, NULL), -ENOTSUP);
}

static void metadata(void **state)
{
	static struct buffer elf;
	struct codeobj_metadata *found;
	const struct codeobj_kernel *kernel;
	struct codeobj_target target;
	char text[64];
	uint64_t extent;

	(void)state;
	/* gfx90a, xnack on, sramecc any; docs/code-objects.md#target-ids */
	make_elf(&elf, 0x33f | 0x400);
	assert_int_equal(codeobj_identify(elf.bytes, elf.size), CODEOBJ_ELF);
	assert_int_equal(codeobj_elf_target(elf.bytes, elf.size, &target, NULL), 0);
	codeobj_target_format(&target, text);
	assert_string_equal(text, "gfx90a:xnack+");
	assert_int_equal(codeobj_elf_extent(elf.bytes, sizeof(elf.bytes), &extent, NULL), 0);
	assert_int_equal(extent, elf.size);
	assert_int_equal(codeobj_metadata_read(elf.bytes, elf.size, &found, NULL), 0);
	assert_int_equal(found->kernel_count, 2);
	assert_string_equal(found->target, "amdgcn-amd-amdhsa--gfx90a:xnack+");
	kernel = codeobj_metadata_kernel(found, "_Z3addPfi1F");
	assert_non_null(kernel);
	assert_string_equal(kernel->symbol, "_Z3addPfi1F.kd");
	assert_int_equal(kernel->explicit_count, 3);
	assert_int_equal(kernel->explicit_size, 40);
	assert_int_equal(kernel->arg_count, 4);
	assert_int_equal(kernel->args[0].kind, CODEOBJ_ARG_GLOBAL_BUFFER);
	assert_int_equal(kernel->args[2].offset, 16);
	assert_int_equal(kernel->args[2].size, 24);
	assert_int_equal(kernel->args[3].kind, CODEOBJ_ARG_HIDDEN);
	kernel = codeobj_metadata_kernel(found, "_Z4nonev");
	assert_non_null(kernel);
	assert_int_equal(kernel->explicit_size, 0);
	assert_null(codeobj_metadata_kernel(found, "other"));
	codeobj_metadata_free(found);
}

/* Whatever comes of it, it comes back. */
static void read_everything(const uint8_t *data, size_t size)
{
	struct codeobj_metadata *found;
	struct codeobj_bundle bundle;
	struct codeobj_entry entry;
	struct codeobj_target target;
	struct codeobj_compressed header;
	struct codeobj_section section;
	struct codeobj_offload offload;
	struct codeobj_error error;
	uint64_t extent, binary;
	volatile uint8_t last;

	codeobj_target_parse("gfx90a:xnack+", &target);
	codeobj_identify(data, size);
	codeobj_wrapper(data, size, &binary, &error);
	codeobj_compressed_header(data, size, &header, &error);
	if (!codeobj_bundle_open(&bundle, data, size, &error)) {
		while (codeobj_bundle_next(&bundle, &entry, &error) > 0)
			if (entry.size)
				last = entry.data[entry.size - 1];
	}
	if (!codeobj_offload(data, size, &offload, &error)) {
		last = (uint8_t)(strlen(offload.arch) + strlen(offload.triple));
		if (offload.size)
			last = offload.data[offload.size - 1];
	}
	codeobj_bundle_select(data, size, &target, &entry, &error);
	codeobj_bundle_extent(data, size, &extent, &error);
	codeobj_elf_extent(data, size, &extent, &error);
	codeobj_elf_target(data, size, &target, &error);
	codeobj_elf_section(data, size, ".note", &section, &error);
	codeobj_elf_defines(data, size, "a");
	if (!codeobj_metadata_read(data, size, &found, &error))
		codeobj_metadata_free(found);
	(void)last;
}

static void truncated(void **state)
{
	static struct buffer inputs[2];
	struct codeobj_metadata *found;

	(void)state;
	make_elf(&inputs[0], 0x53f);
	make_bundle(&inputs[1]);
	for (unsigned i = 0; i < 2; i++) {
		for (size_t size = 0; size < inputs[i].size; size++) {
			uint8_t *copy = cut(&inputs[i], size);

			read_everything(copy, size);
			/* A shortened code object is never taken for a whole one. */
			if (!i)
				assert_int_not_equal(
				    codeobj_metadata_read(copy, size, &found, NULL), 0);
			free(copy);
		}
	}
}

static void damaged(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0x9f, 0xdd, 0xdf, 0xff };
	static struct buffer inputs[2];

	(void)state;
	make_elf(&inputs[0], 0x53f);
	make_bundle(&inputs[1]);
	for (unsigned i = 0; i < 2; i++) {
		size_t end = inputs[i].size < 700 ? inputs[i].size : 700;

		for (size_t at = 0; at < end; at++) {
			for (size_t v = 0; v < sizeof(values); v++) {
				uint8_t *copy = cut(&inputs[i], inputs[i].size);

				copy[at] = values[v];
				read_everything(copy, inputs[i].size);
				free(copy);
			}
		}
	}
}

/* Counts that promise more than there is must not be allocated for, nor nesting overflow. */
static void absurd(void **state)
{
	static struct buffer elf;
	struct codeobj_metadata *found;
	size_t payload = make_elf(&elf, 0x53f);
	static const uint8_t huge[] = { 0x81, 0xae, 'a', 'm', 'd', 'h',  's',  'a',  '.',  'k', 'e',
					'r',  'n',  'e', 'l', 's', 0xdd, 0xff, 0xff, 0xff, 0xff };

	(void)state;
	memcpy(elf.bytes + payload, huge, sizeof(huge));
	assert_int_equal(codeobj_metadata_read(elf.bytes, elf.size, &found, NULL), -EINVAL);
	memset(elf.bytes + payload, 0x91, elf.size - payload); /* [[[[... */
	assert_int_equal(codeobj_metadata_read(elf.bytes, elf.size, &found, NULL), -EINVAL);
	memcpy(elf.bytes + payload, "\x81\xa1x", 3); /* {"x": [[[[... to be skipped */
	assert_int_equal(codeobj_metadata_read(elf.bytes, elf.size, &found, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xnack_of_devices),
		cmocka_unit_test(sha256),
		cmocka_unit_test(target_ids),
		cmocka_unit_test(matching),
		cmocka_unit_test(selection),
		cmocka_unit_test(finding),
		cmocka_unit_test(compressed_headers),
		cmocka_unit_test(metadata),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(absurd),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
