// SPDX-License-Identifier: Apache-2.0
/* Names of kernels from code objects in memory, and from what only looks like one. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "kernels/softkfd/queue.h"

#define BASE  UINT64_C(0x7000000000)
#define PAGES 4u
#define SIZE  ((size_t)PAGES * SOFTGPU_PAGE_SIZE)

volatile uint64_t softgpu_memory_generation = 1;
static char *memory; /* nothing can be read before and behind it */
static unsigned searches;

bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last)
{
	searches++;
	*first = BASE;
	*last = BASE + SIZE;
	return address - BASE < SIZE;
}

void *kfd_memory_host(unsigned gpu, uint64_t address, uint64_t size, bool write)
{
	(void)gpu, (void)write;
	return address - BASE <= SIZE && size <= SIZE - (address - BASE) ? memory + (address - BASE)
									 : NULL;
}

/* Offsets in a code object of two pages, which is in the second and third page here. */
enum {
	SEGMENTS = 64,
	SYMBOLS = 0x200,
	HASH = 0x300,
	GNU_HASH = 0x340,
	STRINGS = 0x400,
	DESCRIPTORS = 0x600,
	DYNAMIC = 0x1800,
	CODE_SIZE = 0x2000,
	SYMBOL_COUNT = 4,
};
#define OBJECT     (BASE + SOFTGPU_PAGE_SIZE)
#define DESCRIPTOR (OBJECT + DESCRIPTORS)

static const char strings[] = "\0first.kd\0variable\0second.kd";

static void put(size_t offset, const void *data, size_t size)
{
	memcpy(memory + SOFTGPU_PAGE_SIZE + offset, data, size);
}

static void make(bool hash)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = 224,
		.e_phoff = SEGMENTS,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
	};
	const Elf64_Phdr segments[] = {
		{ .p_type = PT_LOAD, .p_memsz = 0x1000 },
		{ .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_memsz = CODE_SIZE - 0x1000 },
		{ .p_type = PT_DYNAMIC, .p_vaddr = DYNAMIC, .p_memsz = 7 * sizeof(Elf64_Dyn) },
	};
	const Elf64_Sym symbols[SYMBOL_COUNT] = {
		{ 0 },
		{ .st_name = 1, .st_shndx = 1, .st_value = DESCRIPTORS, .st_size = 64 },
		{ .st_name = 10, .st_shndx = 1, .st_value = DESCRIPTORS + 64, .st_size = 64 },
		{ .st_name = 19, .st_shndx = 1, .st_value = DESCRIPTORS + 128, .st_size = 64 },
	};
	const Elf64_Dyn dynamic[] = {
		{ DT_SYMTAB, { SYMBOLS } },
		{ DT_STRTAB, { STRINGS } },
		{ DT_STRSZ, { sizeof strings } },
		{ hash ? DT_HASH : DT_GNU_HASH, { hash ? HASH : GNU_HASH } },
		{ DT_NULL, { 0 } },
	};
	const uint32_t table[] = { 1, SYMBOL_COUNT, 1, 0, 2, 3, 0 };
	/* One bucket, symbols from 1 on, one word of filter; a chain whose third ends it. */
	const uint32_t gnu[] = { 1, 1, 1, 0, 0, 0, 1, 2, 4, 7 };

	memset(memory, 0, SIZE);
	put(0, &header, sizeof header);
	put(SEGMENTS, segments, sizeof segments);
	put(SYMBOLS, symbols, sizeof symbols);
	put(STRINGS, strings, sizeof strings);
	put(DYNAMIC, dynamic, sizeof dynamic);
	put(HASH, table, sizeof table);
	put(GNU_HASH, gnu, sizeof gnu);
}

static const char *name_of(uint64_t kernel, uint64_t *base, uint64_t *size)
{
	return kfd_kernel_name_in(memory, BASE, BASE + SIZE, kernel, base, size);
}

static void expect_names(void)
{
	uint64_t base = 0, size = 0;
	const char *name = name_of(DESCRIPTOR, &base, &size);

	assert_string_equal(name, "first");
	assert_int_equal(base, OBJECT);
	assert_int_equal(size, CODE_SIZE);
	assert_string_equal(name_of(DESCRIPTOR + 128, &base, &size), "second");
	/* A variable, and no symbol at all. */
	assert_null(name_of(DESCRIPTOR + 64, &base, &size));
	assert_null(name_of(DESCRIPTOR + 192, &base, &size));
	assert_ptr_equal(name, name_of(DESCRIPTOR, &base, &size));
}

static void test_names(void **state)
{
	(void)state;
	make(true);
	expect_names();
	make(false);
	expect_names();
}

static void test_look_alike(void **state)
{
	uint64_t base, size;

	(void)state;
	/* The object's second page begins like an object: it is data. */
	make(true);
	memcpy(memory + 2 * SOFTGPU_PAGE_SIZE, memory + SOFTGPU_PAGE_SIZE, 64 + 3 * 56);
	put(SYMBOLS + sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_value),
	    &(uint64_t){ 0x1000 + DESCRIPTORS }, 8);
	assert_string_equal(name_of(DESCRIPTOR + 0x1000, &base, &size), "first");
	assert_int_equal(base, OBJECT);
}

static void test_cache(void **state)
{
	uint64_t base, size;
	unsigned before;

	(void)state;
	make(true);
	assert_string_equal(kfd_kernel_name(0, DESCRIPTOR, &base, &size), "first");
	before = searches;
	assert_string_equal(kfd_kernel_name(0, DESCRIPTOR, &base, &size), "first");
	assert_int_equal(searches, before);
	/* Other code at the same place: once caches are invalidated, or memory changes. */
	put(STRINGS + 1, "other", 5);
	kfd_kernel_names_forget();
	assert_string_equal(kfd_kernel_name(0, DESCRIPTOR, &base, &size), "other");
	put(STRINGS + 1, "third", 5);
	softgpu_memory_generation++;
	assert_string_equal(kfd_kernel_name(0, DESCRIPTOR, &base, &size), "third");
	assert_null(kfd_kernel_name(0, BASE + SIZE + 64, &base, &size));
}

/* Any bytes may be there: nothing outside is read, which would end the test. */
static void test_damaged(void **state)
{
	static const uint32_t values[] = { 0,          1,          7,          0x7fffffff,
					   0xffffffff, 0x80000000, 0x00010000, 0xfffffff8 };
	static const size_t parts[] = { 0, SEGMENTS, SYMBOLS, HASH, GNU_HASH, DYNAMIC };
	uint64_t base, size;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned part = 0; part < sizeof parts / sizeof *parts; part++)
			for (size_t at = 0; at < 176; at += 4)
				for (unsigned i = 0; i < 8; i++) {
					make(round);
					put(parts[part] + at, &values[i], 4);
					name_of(DESCRIPTOR, &base, &size);
					name_of(DESCRIPTOR + 128, &base, &size);
				}
	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		make(round & 1);
		for (unsigned i = 0; i < 4; i++)
			put((size_t)rand() % CODE_SIZE,
			    &(uint64_t){ (uint64_t)rand() << rand() % 40 }, rand() % 2 ? 1 : 8);
		name_of(DESCRIPTOR, &base, &size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_look_alike),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_damaged),
	};
	char *room =
	    mmap(NULL, SIZE + 2 * SOFTGPU_PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || mprotect(room + SOFTGPU_PAGE_SIZE, SIZE, PROT_READ | PROT_WRITE))
		return 1;
	memory = room + SOFTGPU_PAGE_SIZE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
