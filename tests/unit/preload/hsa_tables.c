/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HSA runtime's tables: which place an exported function calls through, by its code; and that
 * places are verified in AMD's own library, patched by another tool or not, and refused otherwise.
 *
 * usage: test-preload-hsa-tables STUBS.so... (hsa_stubs.c)
 */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "preload/core/libc.h"
#include "preload/hsa/hsa_jump.h"
#include "preload/hsa/hsa_tables.h"

struct hg_libc hg_libc;

int hg_dlclose(void *handle)
{
	return dlclose(handle);
}

static char **stubs;
static int stub_count;

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		fail_msg("%s", dlerror());
	return found;
}

static void test_stubs(void **state)
{
	static const unsigned places[] = { 6, 7, 20, 40, 41 };

	(void)state;
	assert_true(stub_count > 0);
	for (int i = 0; i < stub_count; i++) {
		void *library = dlopen(stubs[i], RTLD_NOW | RTLD_LOCAL);
		struct hsa_table *table;

		assert_non_null(library);
		table = symbol(library, "stub_table");
		for (size_t k = 0; k < HG_COUNT(places); k++) {
			char name[16];

			snprintf(name, sizeof(name), "stub_%u", places[k]);
			if (hg_jump_slot(symbol(library, name)) != &table->functions[places[k]])
				fail_msg("%s: %s", stubs[i], name);
		}
		dlclose(library);
	}
}

static void test_other_code(void **state)
{
	static const char *const names[] = { "other_computes", "other_argument", "other_indexed" };

	(void)state;
	for (int i = 0; i < stub_count; i++) {
		void *library = dlopen(stubs[i], RTLD_NOW | RTLD_LOCAL);

		assert_non_null(library);
		for (size_t k = 0; k < HG_COUNT(names); k++)
			assert_null(hg_jump_slot(symbol(library, names[k])));
		dlclose(library);
	}
}

/* ---- AMD's own library, which needs no GPU to be opened; its tables are there at once ---- */

static const size_t HEADER = offsetof(struct hsa_table, functions);

/* False where it is not installed. */
static bool open_runtime(struct hsa_tables *tables, void **library)
{
	*library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!*library)
		return false;
	/* hsa_shut_down and hsa_amd_coherency_get_type are at places 1 and 0 of every release. */
	tables->core =
	    (struct hsa_table *)((char *)hg_jump_slot(symbol(*library, "hsa_shut_down")) - 8 -
				 HEADER);
	tables->amd = (struct hsa_table *)((char *)hg_jump_slot(
					       symbol(*library, "hsa_amd_coherency_get_type")) -
					   HEADER);
	tables->version = (struct hsa_version){ 1, sizeof(*tables), 0, 0 };
	return true;
}

static size_t functions_of(const struct hsa_table *table)
{
	return (table->version.minor - HEADER) / sizeof(void *);
}

static void test_installed_runtime(void **state)
{
	struct hsa_tables tables;
	void *library;
	size_t lock, get_info;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	assert_int_equal(functions_of(tables.core), 125);
	lock = functions_of(tables.amd) < 55 ? 20 : 22;
	get_info = 6;
	assert_null(hg_hsa_tables_read(&tables, &hg_hsa));
	assert_ptr_equal(hg_hsa.hsa_amd_memory_lock, tables.amd->functions[lock]);
	assert_ptr_equal(hg_hsa.hsa_agent_get_info, tables.core->functions[get_info]);
	/* ROCr's table holds other functions than those that are exported. */
	assert_ptr_not_equal(hg_hsa.hsa_amd_memory_lock, symbol(library, "hsa_amd_memory_lock"));
	dlclose(library);
}

static void wrapper(void)
{
}

static void test_patched_before(void **state)
{
	static const struct hsa_wrapper wrappers[] = { { "hsa_amd_memory_lock", (void *)wrapper },
						       { NULL, NULL } };
	struct hsa_tables tables;
	void *library, *before;
	size_t lock;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	lock = functions_of(tables.amd) < 55 ? 20 : 22;
	before = tables.amd->functions[lock];
	/* As another tool would, and as we do. */
	tables.amd->functions[lock] = (void *)test_patched_before;
	assert_null(hg_hsa_tables_read(&tables, &hg_hsa));
	assert_ptr_equal(hg_hsa.hsa_amd_memory_lock, (void *)test_patched_before);
	assert_false(hg_hsa_tables_have(&tables, wrappers));
	hg_hsa_tables_patch(&tables, wrappers);
	assert_true(hg_hsa_tables_have(&tables, wrappers));
	assert_ptr_equal(tables.amd->functions[lock], (void *)wrapper);
	tables.amd->functions[lock] = before;
	dlclose(library);
}

/*
 * A function that has an older release's name, too, is exported by both, and lies in one place of a
 * table.
 */
static void test_exports(void **state)
{
	struct hsa_tables tables;
	void *library;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	hg_hsa_exports_read(library, &hg_hsa);
	assert_ptr_equal(hg_hsa.hsa_amd_memory_lock, symbol(library, "hsa_amd_memory_lock"));
	assert_ptr_equal(hg_hsa.hsa_signal_store_release,
			 symbol(library, "hsa_signal_store_release"));
	hg_hsa_exports_read(stub_count ? dlopen(stubs[0], RTLD_NOW | RTLD_LOCAL) : NULL, &hg_hsa);
	assert_int_equal(HSA_REAL(hsa_agent_get_info, int, struct hsa_handle, int,
				  void *)((struct hsa_handle){ 0 }, 0, NULL),
			 0x1000);
	assert_null(hg_hsa_tables_read(&tables, &hg_hsa));
	assert_ptr_equal(hg_hsa.hsa_signal_store_release,
			 symbol(library, "hsa_signal_store_release"));
	dlclose(library);
}

/* Tables that the exported functions do not call through, whatever they hold. */
static void test_copy_refused(void **state)
{
	static struct {
		struct hsa_version version;
		void *functions[128];
	} copy;
	struct hsa_functions before;
	struct hsa_tables tables;
	const char *problem;
	void *library;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	hg_hsa_exports_read(library, &hg_hsa);
	before = hg_hsa;
	memcpy(&copy, tables.amd, tables.amd->version.minor);
	tables.amd = (struct hsa_table *)(void *)&copy;
	problem = hg_hsa_tables_read(&tables, &hg_hsa);
	assert_non_null(problem);
	/* Calls that come by name go on to what is exported. */
	assert_memory_equal(&before, &hg_hsa, sizeof(before));
	assert_non_null(strstr(problem, "hsa_amd_memory_pool_get_info could not be verified"));
	dlclose(library);
}

/* The other layout: only the places behind the insertion are wrong. */
static void test_other_layout_refused(void **state)
{
	struct hsa_tables tables;
	const char *problem;
	uint32_t size;
	void *library;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	size = tables.amd->version.minor;
	tables.amd->version.minor =
	    (uint32_t)(HEADER + (functions_of(tables.amd) < 55 ? 55u : 48u) * 8);
	problem = hg_hsa_tables_read(&tables, &hg_hsa);
	tables.amd->version.minor = size;
	assert_non_null(problem);
	assert_non_null(
	    strstr(problem, "hsa_amd_agent_memory_pool_get_info could not be verified"));
	dlclose(library);
}

static void test_sizes_refused(void **state)
{
	static const struct {
		unsigned functions;
		const char *says;
	} sizes[] = { { 52, "52 functions, as that of no known release" },
		      { 54, "54 functions, as that of no known release" },
		      { 44, "no place 44, for hsa_amd_svm_attributes_set" } };
	struct hsa_tables tables;
	uint32_t size;
	void *library;

	(void)state;
	if (!open_runtime(&tables, &library))
		skip();
	size = tables.amd->version.minor;
	for (size_t i = 0; i < HG_COUNT(sizes); i++) {
		const char *problem;

		if (sizes[i].functions == 44 && (size - HEADER) / 8 >= 55)
			continue; /* an earlier place is wrong by then */
		tables.amd->version.minor = (uint32_t)(HEADER + sizes[i].functions * 8);
		problem = hg_hsa_tables_read(&tables, &hg_hsa);
		tables.amd->version.minor = size;
		assert_non_null(problem);
		assert_non_null(strstr(problem, sizes[i].says));
	}
	dlclose(library);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_installed_runtime),
		cmocka_unit_test(test_patched_before),
		cmocka_unit_test(test_exports),
		cmocka_unit_test(test_copy_refused),
		cmocka_unit_test(test_other_layout_refused),
		cmocka_unit_test(test_sizes_refused),
	};

	hg_libc.dlsym = dlsym;
	hg_libc.dl_iterate_phdr = dl_iterate_phdr;
	stubs = argv + 1;
	stub_count = argc - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
