/* SPDX-License-Identifier: Apache-2.0 */
/* HG220: registered memory in pages of 4 KiB. rules_world.h has the trace. */
#include <sys/mman.h>

#include "rules_world.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_call.h"
#include "tracer/events/ev_process.h"
#include "tracer/events/ev_runtime.h"

#define GIB (1ull << 30)

enum { NEVER = 1, ON_ADVICE, ALWAYS };
enum { PTR = 1 << 30 };

static bool late;

static void machine(uint8_t huge_pages, const char *env)
{
	apply((struct hg_event){ .type = HG_EVENT_process,
				 .process = &(struct hg_ev_process){ .page_size = 4096,
								     .version = "",
								     .exe = "a",
								     .cmdline = "",
								     .env = env,
								     .late = late } });
	apply((struct hg_event){ .type = HG_EVENT_runtime,
				 .runtime = &(struct hg_ev_runtime){
				     .path = "", .version = 60200000, .huge_pages = huge_pages } });
}

static void map(uint32_t flags, uint64_t size)
{
	alloc(HG_API_mmap, PTR, size, 3ull << 32 | flags, 4);
}

static void advise(uint64_t ptr, uint64_t size)
{
	apply((struct hg_event){ .type = HG_EVENT_call,
				 .call = &(struct hg_ev_call){ .api = HG_API_madvise,
							       .ptr = ptr,
							       .size = size,
							       .flags = MADV_HUGEPAGE,
							       .text = "" } });
}

static void registers(uint64_t size)
{
	alloc(HG_API_hipHostRegister, PTR, size, 0, 5);
}

static void of_malloc(void **state)
{
	(void)state;
	machine(ON_ADVICE, "");
	alloc(HG_API_malloc, PTR - 16, 2 * GIB, 0, 4);
	registers(GIB);
	assert_string_equal(found(), "HG220");
	assert_non_null(
	    strstr(finding(0)->message, "takes 1024 MiB from malloc in 262144 pages of 4 KiB"));
	assert_int_equal(finding(0)->confidence, CONFIDENCE_LIKELY);
}

static void of_a_mapping(void **state)
{
	(void)state;
	machine(ON_ADVICE, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, 2 * GIB);
	advise(PTR + 4 * GIB, GIB); /* something else */
	registers(2 * GIB);
	assert_string_equal(found(), "HG220");
}

static void advised(void **state)
{
	(void)state;
	machine(ON_ADVICE, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, 2 * GIB);
	advise(PTR, 2 * GIB);
	registers(2 * GIB);
	assert_string_equal(found(), "");
}

static void little(void **state)
{
	(void)state;
	machine(ON_ADVICE, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, GIB);
	registers(GIB - 4096);
	assert_string_equal(found(), "");
}

static void for_all_or_for_nobody(void **state)
{
	static const uint8_t modes[] = { NEVER, ALWAYS };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		machine(modes[i], "");
		map(MAP_PRIVATE | MAP_ANONYMOUS, GIB);
		registers(GIB);
	}
	assert_string_equal(found(), "");
}

static void the_mode_is_unknown(void **state)
{
	(void)state;
	machine(0, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, GIB);
	registers(GIB);
	assert_string_equal(found(), "");
}

static void memory_of_other_kinds(void **state)
{
	static const uint32_t kinds[] = { MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB,
					  MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		machine(ON_ADVICE, "");
		map(kinds[i], GIB);
		registers(GIB);
	}
	machine(ON_ADVICE, "");
	registers(GIB); /* of nobody knows where */
	machine(ON_ADVICE, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1");
	alloc(HG_API_malloc, PTR, GIB, 0, 4);
	registers(GIB);
	assert_string_equal(found(), "");
}

/* What it asked for before the recording began is not known. */
static void attached_late(void **state)
{
	(void)state;
	late = true;
	machine(ON_ADVICE, "");
	late = false;
	map(MAP_PRIVATE | MAP_ANONYMOUS, GIB);
	registers(GIB);
	assert_string_equal(found(), "");
}

/* Right before the registered memory, and right behind it: of something else. */
static void advice_beside_it(void **state)
{
	(void)state;
	machine(ON_ADVICE, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, 2 * GIB);
	advise(PTR - GIB, GIB);
	advise(PTR + 2 * GIB, GIB);
	registers(2 * GIB);
	assert_string_equal(found(), "HG220");
}

static void much_advice(unsigned count)
{
	machine(ON_ADVICE, "");
	map(MAP_PRIVATE | MAP_ANONYMOUS, 2 * GIB);
	for (unsigned i = 0; i < count; i++)
		advise(PTR + 4 * GIB, GIB);
	registers(2 * GIB);
}

static void as_much_advice_as_is_followed(void **state)
{
	(void)state;
	much_advice(4096);
	assert_string_equal(found(), "HG220");
}

static void more_advice_than_is_followed(void **state)
{
	(void)state;
	much_advice(4097);
	assert_string_equal(found(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FINDS(HG220, of_malloc),
		FINDS(HG220, of_a_mapping),
		SILENT(HG220, advised),
		SILENT(HG220, little),
		SILENT(HG220, for_all_or_for_nobody),
		DOUBTS(HG220, the_mode_is_unknown),
		DOUBTS(HG220, memory_of_other_kinds),
		DOUBTS(HG220, attached_late),
		FINDS(HG220, advice_beside_it),
		FINDS(HG220, as_much_advice_as_is_followed),
		DOUBTS(HG220, more_advice_than_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
