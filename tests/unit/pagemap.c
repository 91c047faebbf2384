/* SPDX-License-Identifier: Apache-2.0 */
/* Where the probe takes pages to be, by files like /proc/PID/pagemap, which no machine without an
 * AMD GPU has such entries in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/probe/pagemap.h"

#define PAGE    4096u
#define PAGES   1100u /* more than are read at once */
#define ADDRESS UINT64_C(0x7f0123456000)

/* [KPM]: present, swapped out, soft-dirty, and a frame or a place in the swap device, which others
 * do not see. */
enum { PRESENT = 63, SWAPPED = 62, DIRTY = 55 };

static char path[] = "/tmp/hipgrain-pagemap-XXXXXX";
static uint64_t entries[PAGES];

static uint64_t bit(unsigned number)
{
	return UINT64_C(1) << number;
}

/* The file has the entries of the pages from ADDRESS on, and nothing after them. */
static void write_entries(void)
{
	const off_t at = (off_t)(ADDRESS / PAGE * 8);
	char name[] = "/tmp/hipgrain-pagemap-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	strcpy(path, name);
	assert_int_equal(pwrite(fd, entries, sizeof(entries), at), sizeof(entries));
	close(fd);
}

static int away(uint64_t address, size_t pages)
{
	return pagemap_away(path, address, pages * PAGE, PAGE);
}

static int begin(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PAGES; i++)
		entries[i] = bit(PRESENT) | bit(DIRTY) | (0x1000 + i);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

static void all_with_the_host(void **state)
{
	(void)state;
	entries[3] = 0; /* never touched */
	write_entries();
	assert_int_equal(away(ADDRESS, PAGES), 0);
}

/* Entries of pages in a GPU's memory: swapped out, of a type that is hidden from ordinary users. */
static void some_with_a_gpu(void **state)
{
	(void)state;
	entries[0] = entries[511] = bit(SWAPPED);
	entries[512] = bit(SWAPPED) | bit(DIRTY) | 0x1f;
	entries[PAGES - 1] = bit(SWAPPED);
	write_entries();
	assert_int_equal(away(ADDRESS, PAGES), 4);
	assert_int_equal(away(ADDRESS + PAGE, PAGES - 2), 2);
	assert_int_equal(away(ADDRESS + PAGE / 2, 1), 1); /* the page that holds it */
	assert_int_equal(away(ADDRESS + PAGE, 510), 0);
}

static void not_all_is_known(void **state)
{
	(void)state;
	write_entries();
	assert_int_equal(away(ADDRESS + PAGE, PAGES), -1);
	assert_int_equal(pagemap_away("/nowhere/pagemap", ADDRESS, PAGE, PAGE), -1);
}

static void what_it_says_of_the_migration(void **state)
{
	(void)state;
	write_entries();
	assert_int_equal(pagemap_moved(0, 16), PROBE_WORKS);
	assert_int_equal(pagemap_moved(0, 1), PROBE_WORKS);
	assert_int_equal(pagemap_moved(0, 0), PROBE_LOST);
	assert_int_equal(pagemap_moved(2, 2), PROBE_SKIPPED); /* the machine swaps */
	assert_int_equal(pagemap_moved(-1, 0), PROBE_SKIPPED);
	assert_int_equal(pagemap_moved(0, -1), PROBE_SKIPPED);
}

/* The kernel's own file, of pages that were just written. */
static void of_this_process(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory =
	    mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	write_entries();
	assert_true(memory != MAP_FAILED);
	memset(memory, 1, 16 * page);
	assert_int_equal(pagemap_away("/proc/self/pagemap", (uintptr_t)memory, 16 * page, page), 0);
	munmap(memory, 16 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_with_the_host, begin, end),
		cmocka_unit_test_setup_teardown(some_with_a_gpu, begin, end),
		cmocka_unit_test_setup_teardown(not_all_is_known, begin, end),
		cmocka_unit_test_setup_teardown(what_it_says_of_the_migration, begin, end),
		cmocka_unit_test_setup_teardown(of_this_process, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
