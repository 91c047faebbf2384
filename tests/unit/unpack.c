/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed offload bundles of every version and method, good, damaged and malicious. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "analyzer/containers/containers.h"
#include "analyzer/containers/unpack.h"

#define ROOM 200000u

struct packed {
	uint8_t bytes[ROOM];
	size_t size, header;
};

/* A bundle with one entry for the host and one of `size` bytes. */
static size_t make_bundle(uint8_t *to, size_t size)
{
	static const char *const ids[] = { "host-x86_64-unknown-linux--",
					   "hipv4-amdgcn-amd-amdhsa--gfx90a" };
	uint64_t count = 2;
	size_t at = 32;

	memset(to, 0, 4096);
	memcpy(to, "__CLANG_OFFLOAD_BUNDLE__", 24);
	memcpy(to + 24, &count, 8);
	for (int i = 0; i < 2; i++) {
		uint64_t head[3] = { 4096, i ? size : 0, strlen(ids[i]) };

		memcpy(to + at, head, 24);
		memcpy(to + at + 24, ids[i], strlen(ids[i]));
		at += 24 + strlen(ids[i]);
	}
	for (size_t i = 0; i < size; i++)
		to[4096 + i] = (uint8_t)(i * i >> 3);
	return 4096 + size;
}

static void pack(struct packed *packed, unsigned version, unsigned method, const uint8_t *from,
		 size_t size, uint64_t claim)
{
	static const size_t headers[] = { 0, 20, 24, 32 };
	uint16_t words[2] = { (uint16_t)version, (uint16_t)method };
	uint8_t *to = packed->bytes;
	uLongf zlib_size = ROOM - 100;
	uint64_t total;

	memset(packed, 0, sizeof(*packed));
	packed->header = headers[version];
	if (method) {
		packed->size = ZSTD_compress(to + packed->header, ROOM - 100, from, size, 3);
		assert_false(ZSTD_isError(packed->size));
	} else {
		assert_int_equal(compress(to + packed->header, &zlib_size, from, size), Z_OK);
		packed->size = zlib_size;
	}
	packed->size += packed->header;
	total = packed->size;
	memcpy(to, "CCOB", 4);
	memcpy(to + 4, words, 4);
	if (version == 1) {
		memcpy(to + 8, &claim, 4);
	} else if (version == 2) {
		memcpy(to + 8, &total, 4);
		memcpy(to + 12, &claim, 4);
	} else {
		memcpy(to + 8, &total, 8);
		memcpy(to + 16, &claim, 8);
	}
}

static uint8_t bundle[100000];
static struct packed packed;

static int unpack(size_t size, size_t *out_size, size_t *used, uint8_t **out,
		  struct codeobj_error *error)
{
	/* Exactly as long as stated, for the address sanitizer. */
	uint8_t *exact = malloc(size ? size : 1);
	int status;

	memcpy(exact, packed.bytes, size);
	error->text[0] = 0;
	status = unpack_bundle(exact, size, out, out_size, used, error);
	free(exact);
	assert_int_equal(status < 0, error->text[0] != 0);
	return status;
}

static int unpack_only(size_t size)
{
	struct codeobj_error error;
	size_t out_size, used;
	uint8_t *out;
	int status = unpack(size, &out_size, &used, &out, &error);

	if (status)
		assert_null(out);
	free(out);
	return status;
}

static void every_kind(void **state)
{
	size_t size = make_bundle(bundle, 50000);

	(void)state;
	for (unsigned version = 1; version <= 3; version++) {
		for (unsigned method = 0; method < 2; method++) {
			struct codeobj_error error;
			size_t out_size, used;
			uint8_t *out;

			pack(&packed, version, method, bundle, size, size);
			/* Something follows: the bundle itself says where it ends. */
			assert_int_equal(unpack(packed.size + 17, &out_size, &used, &out, &error),
					 0);
			assert_int_equal(out_size, size);
			assert_int_equal(used, packed.size);
			assert_memory_equal(out, bundle, size);
			free(out);
			/* Cut off anywhere. */
			for (size_t cut = 0; cut < packed.size; cut += cut < 64 ? 1 : 97)
				assert_true(unpack_only(cut) < 0);
		}
	}
}

static void false_claims(void **state)
{
	size_t size = make_bundle(bundle, 50000);

	(void)state;
	for (unsigned version = 1; version <= 3; version++) {
		for (unsigned method = 0; method < 2; method++) {
			pack(&packed, version, method, bundle, size, size - 1);
			assert_int_equal(unpack_only(packed.size), -E2BIG);
			pack(&packed, version, method, bundle, size, 0);
			assert_int_equal(unpack_only(packed.size), -E2BIG);
			pack(&packed, version, method, bundle, size, size + 1);
			assert_int_equal(unpack_only(packed.size), -EINVAL);
			pack(&packed, version, method, bundle, size, 0xf0000000u);
			assert_int_equal(unpack_only(packed.size), -E2BIG);
			packed.bytes[4] = 4; /* version */
			assert_int_equal(unpack_only(packed.size), -ENOTSUP);
			packed.bytes[4] = (uint8_t)version;
			packed.bytes[6] = 2; /* method */
			assert_int_equal(unpack_only(packed.size), -ENOTSUP);
		}
	}
	pack(&packed, 3, 1, bundle, size, UINT64_MAX);
	assert_int_equal(unpack_only(packed.size), -E2BIG);
}

/* Few bytes that expand to many, with a claim to match. */
static void bomb(void **state)
{
	size_t size = 64u << 20;
	uint8_t *zeros = calloc(1, size);

	(void)state;
	assert_non_null(zeros);
	pack(&packed, 3, 1, zeros, size, size);
	assert_true(packed.size < size / UNPACK_RATIO);
	assert_int_equal(unpack_only(packed.size), -E2BIG);
	/* A smaller claim does not help. */
	pack(&packed, 3, 1, zeros, size, 1000);
	assert_int_equal(unpack_only(packed.size), -E2BIG);
	free(zeros);
}

static void damaged(void **state)
{
	size_t size = make_bundle(bundle, 20000);
	uint32_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 600; round++) {
		pack(&packed, 1 + round % 3, round & 1, bundle, size, size);
		for (int i = 0; i < 3; i++) {
			seed = seed * 1664525 + 1013904223;
			packed.bytes[4 + (seed >> 8) % (packed.size - 4)] = (uint8_t)(seed >> 24);
		}
		unpack_only(packed.size);
	}
}

/* ---- in their containers ---- */

static unsigned objects, problems;

static void count_object(void *user, const void *elf, size_t size, const char *target)
{
	(void)user;
	assert_int_equal(size, 3000);
	assert_memory_equal(elf, bundle + 4096, size);
	assert_string_equal(target, "gfx90a");
	objects++;
}

static void count_problem(void *user, const char *text)
{
	(void)user;
	assert_true(text[0]);
	problems++;
}

static void walk(void **state)
{
	static const struct container_sink sink = { count_object, count_problem, NULL, NULL };
	size_t size = make_bundle(bundle, 3000);

	(void)state;
	containers_walk(bundle, size, &sink);
	assert_int_equal(objects, 1);
	pack(&packed, 2, 1, bundle, size, size);
	containers_walk(packed.bytes, packed.size, &sink);
	assert_int_equal(objects, 2);
	assert_int_equal(problems, 0);
	containers_walk(packed.bytes, packed.size - 1, &sink);
	assert_int_equal(objects, 2);
	assert_int_equal(problems, 1);
}

/* FIPS 180-4's examples, and the recorder's hash for every length around a block. */
static void sha256(void **state)
{
	char recorder[CODEOBJ_SHA256_SIZE], analyzer[CODEOBJ_SHA256_SIZE];
	unsigned char data[200];

	(void)state;
	assert_int_equal(containers_sha256("abc", 3, analyzer), 0);
	assert_string_equal(analyzer,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 37);
	for (size_t size = 0; size <= sizeof(data); size++) {
		codeobj_sha256(data, size, recorder);
		assert_int_equal(containers_sha256(data, size, analyzer), 0);
		assert_string_equal(analyzer, recorder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind), cmocka_unit_test(false_claims),
		cmocka_unit_test(bomb),       cmocka_unit_test(damaged),
		cmocka_unit_test(walk),       cmocka_unit_test(sha256),
	};

	return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
