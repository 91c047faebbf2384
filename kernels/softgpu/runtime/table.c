// SPDX-License-Identifier: Apache-2.0
/*
 * The functions that this library exports. Each only jumps to the address that the table holds, as
 * ROCr's do: HsaApiTable (hsa_api_trace.h) is what a tool gets, and what it patches takes effect
 * for every caller. A jump needs no parameters' types, so a function is one line in api/.
 *
 * The table of AMD's extensions has several layouts. There is one table for each, and a pointer for
 * each function to its place in the one that was chosen (SOFTGPU_HSA_TABLE).
 */
#include "runtime.h"
#include <string.h>

#ifndef __x86_64__
#error "the exported functions are jumps in x86-64 assembly"
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- what is not there says so; callers pass arguments that it does not look at ---- */

#define HAVE(name)
#define LATER(name)
#define LACK(name)                                                      \
	static hsa_status_t lack_##name(void)                           \
	{                                                               \
		sg_warn(#name " is not supported by the software GPU"); \
		return HSA_STATUS_ERROR;                                \
	}
#define SINCE_5_6(row) row
#define SINCE_6_0(row) row
#define SINCE_7_0(row) row
#define FOREIGN(row)   row
#include "kernels/softgpu/runtime/api/core.def"
#include "kernels/softgpu/runtime/api/amd.def"
#include "kernels/softgpu/runtime/api/image.def"
#include "kernels/softgpu/runtime/api/finalizer.def"
#undef HAVE
#undef LACK
#undef LATER

/* ---- the tables ---- */

/* HSA_*_API_TABLE_MAJOR_VERSION and STEP_VERSION; the minor version is the table's size. */
struct version {
	uint32_t major, minor, step, reserved;
};

/* Functions by number. */
#define HAVE(name)  NUMBER_##name,
#define LACK(name)  NUMBER_##name,
#define LATER(name) NUMBER_##name,
enum {
#include "kernels/softgpu/runtime/api/core.def"
	CORE_COUNT
};
/* Of all layouts together: numbers of amd_places. */
enum {
#include "kernels/softgpu/runtime/api/amd.def"
	AMD_COUNT
};
enum {
#include "kernels/softgpu/runtime/api/image.def"
	IMAGE_COUNT
};
enum {
#include "kernels/softgpu/runtime/api/finalizer.def"
	FINALIZER_COUNT
};
#undef HAVE
#undef LACK
#undef LATER

#define TABLE(name, count)                    \
	static struct name {                  \
		struct version version;       \
		const void *functions[count]; \
	} name __attribute__((used)) = { { 1, sizeof(struct name), 0, 0 }, {
#define END \
	}   \
	}

#define HAVE(name)  (const void *)name,
#define LACK(name)  (const void *)lack_##name,
#define LATER(name) (const void *)sg_##name,
/* clang-format off */
TABLE(core_table, CORE_COUNT)
#include "kernels/softgpu/runtime/api/core.def"
END;
TABLE(image_table, IMAGE_COUNT)
#include "kernels/softgpu/runtime/api/image.def"
END;
TABLE(finalizer_table, FINALIZER_COUNT)
#include "kernels/softgpu/runtime/api/finalizer.def"
END;
/* clang-format on */

/* The minor version, which is the size of those in use, is set when a layout is chosen. */
static struct amd_table {
	struct version version;
	const void *functions[AMD_COUNT];
} amd_tables[SG_TABLES] __attribute__((used)) = {
#undef SINCE_5_6
#undef SINCE_6_0
#undef SINCE_7_0
#undef FOREIGN
#define SINCE_5_6(row)
#define SINCE_6_0(row)
#define SINCE_7_0(row)
#define FOREIGN(row)
	[SG_TABLE_5_2] = { { 1, 0, 0, 0 },
			   {
#include "kernels/softgpu/runtime/api/amd.def"
			   } },
#undef SINCE_5_6
#define SINCE_5_6(row) row
	[SG_TABLE_5_6] = { { 1, 0, 0, 0 },
			   {
#include "kernels/softgpu/runtime/api/amd.def"
			   } },
#undef SINCE_6_0
#define SINCE_6_0(row) row
	[SG_TABLE_6_4] = { { 2, 0, 0, 0 },
			   {
#include "kernels/softgpu/runtime/api/amd.def"
			   } },
#undef SINCE_7_0
#define SINCE_7_0(row) row
	[SG_TABLE_7_2] = { { 2, 0, 0, 0 },
			   {
#include "kernels/softgpu/runtime/api/amd.def"
			   } },
#undef FOREIGN
#define FOREIGN(row) row
	[SG_TABLE_FOREIGN] = { { 1, 0, 0, 0 },
			       {
#include "kernels/softgpu/runtime/api/amd.def"
			       } },
};
#undef HAVE
#undef LACK
#undef LATER

/* The places of all functions, first in the largest table, which has them all. */
#define HAVE(name)  &amd_tables[SG_TABLE_FOREIGN].functions[NUMBER_##name],
#define LACK(name)  &amd_tables[SG_TABLE_FOREIGN].functions[NUMBER_##name],
#define LATER(name) &amd_tables[SG_TABLE_FOREIGN].functions[NUMBER_##name],
static const void **amd_places[AMD_COUNT] __attribute__((used)) = {
#include "kernels/softgpu/runtime/api/amd.def"
};
#undef HAVE
#undef LACK
#undef LATER

static struct {
	struct version version;
	struct core_table *core;
	struct amd_table *amd;
	struct finalizer_table *finalizer;
	struct image_table *image;
} root = { { 1, sizeof root, 0, 0 }, &core_table, NULL, &finalizer_table, &image_table };

/* As they were before any tool came. */
static struct core_table core_first;
static struct amd_table amd_first;
static struct image_table image_first;
static struct finalizer_table finalizer_first;

/* Each function is in both tables, so that callers meanwhile reach it by either. */
static void choose_layout(struct amd_table *table)
{
	unsigned count = 0;

	while (count < AMD_COUNT && table->functions[count])
		count++;
	for (unsigned i = 0; i < AMD_COUNT; i++) {
		const void *function = amd_tables[SG_TABLE_FOREIGN].functions[i];

		for (unsigned k = 0; k < count; k++)
			if (table->functions[k] == function)
				__atomic_store_n(&amd_places[i], &table->functions[k],
						 __ATOMIC_RELAXED);
	}
	/* HSA_API_TABLE_MAJOR_VERSION and others: 1, and in the headers of 6.1.2, 6.4.3, 7.2.4: */
	if (table == &amd_tables[SG_TABLE_6_4] || table == &amd_tables[SG_TABLE_7_2]) {
		root.version.major = 3;
		core_table.version.major = image_table.version.major = 2;
		finalizer_table.version.major = 2;
	}
	if (table != &amd_tables[SG_TABLE_7_2])
		image_table.version.minor =
		    offsetof(struct image_table, functions) +
		    NUMBER_hsa_ext_sampler_create_v2 * (uint32_t)sizeof(void *);
	table->version.minor =
	    (uint32_t)(offsetof(struct amd_table, functions) + count * sizeof(void *));
	root.amd = table;
}

void *sg_api_table(void)
{
	if (!root.amd)
		choose_layout(&amd_tables[sg_settings.table]);
	core_first = core_table;
	amd_first = *root.amd;
	image_first = image_table;
	finalizer_first = finalizer_table;
	return &root;
}

void sg_api_table_reset(void)
{
	core_table = core_first;
	*root.amd = amd_first;
	image_table = image_first;
	finalizer_table = finalizer_first;
}

/* ---- the exported functions ---- */

#define JUMP(table, name) JUMP_AS(table, name, name)
#define JUMP_AS(table, name, function)                    \
	__asm__ volatile(                                 \
	    ".pushsection .text.hsa,\"ax\",@progbits\n\t" \
	    ".balign 16\n\t"                              \
	    ".globl " #name "\n\t"                        \
	    ".type " #name ", @function\n" #name ":\n\t"  \
	    "jmp *" #table "+%c0(%%rip)\n\t"              \
	    ".size " #name ", . - " #name "\n\t"          \
	    ".popsection"                                 \
	    :                                             \
	    : "i"(offsetof(struct table, functions) + NUMBER_##function * sizeof(void *)));

/* rax is no argument of functions with a fixed number of them. */
#define JUMP_BY_PLACE(places, name)                                    \
	__asm__ volatile(".pushsection .text.hsa,\"ax\",@progbits\n\t" \
			 ".balign 16\n\t"                              \
			 ".globl " #name "\n\t"                        \
			 ".type " #name ", @function\n" #name ":\n\t"  \
			 "movq " #places "+%c0(%%rip), %%rax\n\t"      \
			 "jmp *(%%rax)\n\t"                            \
			 ".size " #name ", . - " #name "\n\t"          \
			 ".popsection"                                 \
			 :                                             \
			 : "i"(NUMBER_##name * sizeof(void *)));

/* Never called: extended assembly, which knows offsets, must stand in a function. */
#ifdef __clang__ /* which clones nothing */
#define ONCE used, noinline
#else
#define ONCE used, noinline, noclone
#endif
static __attribute__((ONCE)) void jumps(void)
{
#define HAVE(name) JUMP(core_table, name)
#define LACK(name) JUMP(core_table, name)
#include "kernels/softgpu/runtime/api/core.def"
#define OLD(name, function) JUMP_AS(core_table, name, function)
#include "kernels/softgpu/runtime/api/old_names.def"
#undef OLD
#undef HAVE
#undef LACK
#undef LATER
#define HAVE(name)  JUMP_BY_PLACE(amd_places, name)
#define LACK(name)  JUMP_BY_PLACE(amd_places, name)
#define LATER(name) JUMP_BY_PLACE(amd_places, name)
#include "kernels/softgpu/runtime/api/amd.def"
#undef HAVE
#undef LACK
#undef LATER
#define HAVE(name)  JUMP(image_table, name)
#define LACK(name)  JUMP(image_table, name)
#define LATER(name) JUMP(image_table, name)
#include "kernels/softgpu/runtime/api/image.def"
#undef HAVE
#undef LACK
#undef LATER
#define HAVE(name) JUMP(finalizer_table, name)
#define LACK(name) JUMP(finalizer_table, name)
#include "kernels/softgpu/runtime/api/finalizer.def"
#undef HAVE
#undef LACK
#undef LATER
}
