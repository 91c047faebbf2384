// SPDX-License-Identifier: Apache-2.0
/*
 * The functions that this library exports. Each only jumps to the address that the table holds, as
 * ROCr's do: HsaApiTable (hsa_api_trace.h) is what a tool gets, and what it patches takes effect
 * for every caller. A jump needs no parameters' types, so a function is one line in api/.
 */
#include "runtime.h"
#include <string.h>

#ifndef __x86_64__
#error "the exported functions are jumps in x86-64 assembly"
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- what is not there says so; callers pass arguments that it does not look at ---- */

#define HAVE(name)
#define LACK(name)                                                      \
	static hsa_status_t lack_##name(void)                           \
	{                                                               \
		sg_warn(#name " is not supported by the software GPU"); \
		return HSA_STATUS_ERROR;                                \
	}
#include "api/core.def"
#include "api/amd.def"
#include "api/image.def"
#include "api/finalizer.def"
#undef HAVE
#undef LACK

/* ---- the tables ---- */

/* HSA_*_API_TABLE_MAJOR_VERSION and STEP_VERSION; the minor version is the table's size. */
struct version {
	uint32_t major, minor, step, reserved;
};

/* Functions by number. */
#define HAVE(name) NUMBER_##name,
#define LACK(name) NUMBER_##name,
enum {
#include "api/core.def"
	CORE_COUNT
};
enum {
#include "api/amd.def"
	AMD_COUNT
};
enum {
#include "api/image.def"
	IMAGE_COUNT
};
enum {
#include "api/finalizer.def"
	FINALIZER_COUNT
};
#undef HAVE
#undef LACK

#define TABLE(name, count)                    \
	static struct name {                  \
		struct version version;       \
		const void *functions[count]; \
	} name __attribute__((used)) = { { 1, sizeof(struct name), 0, 0 }, {
#define END \
	}   \
	}

#define HAVE(name) (const void *)name,
#define LACK(name) (const void *)lack_##name,
/* clang-format off */
TABLE(core_table, CORE_COUNT)
#include "api/core.def"
END;
TABLE(amd_table, AMD_COUNT)
#include "api/amd.def"
END;
TABLE(image_table, IMAGE_COUNT)
#include "api/image.def"
END;
TABLE(finalizer_table, FINALIZER_COUNT)
#include "api/finalizer.def"
END;
/* clang-format on */
#undef HAVE
#undef LACK

static struct {
	struct version version;
	struct core_table *core;
	struct amd_table *amd;
	struct finalizer_table *finalizer;
	struct image_table *image;
} root = { { 1, sizeof root, 0, 0 }, &core_table, &amd_table, &finalizer_table, &image_table };

/* As they were before any tool came. */
static struct core_table core_first;
static struct amd_table amd_first;
static struct image_table image_first;
static struct finalizer_table finalizer_first;

void *sg_api_table(void)
{
	core_first = core_table;
	amd_first = amd_table;
	image_first = image_table;
	finalizer_first = finalizer_table;
	return &root;
}

void sg_api_table_reset(void)
{
	core_table = core_first;
	amd_table = amd_first;
	image_table = image_first;
	finalizer_table = finalizer_first;
}

/* ---- the exported functions ---- */

#define JUMP(table, name)                                 \
	__asm__ volatile(                                 \
	    ".pushsection .text.hsa,\"ax\",@progbits\n\t" \
	    ".balign 16\n\t"                              \
	    ".globl " #name "\n\t"                        \
	    ".type " #name ", @function\n" #name ":\n\t"  \
	    "jmp *" #table "+%c0(%%rip)\n\t"              \
	    ".size " #name ", . - " #name "\n\t"          \
	    ".popsection"                                 \
	    :                                             \
	    : "i"(offsetof(struct table, functions) + NUMBER_##name * sizeof(void *)));

/* Never called: extended assembly, which knows offsets, must stand in a function. */
static __attribute__((used, noinline, noclone)) void jumps(void)
{
#define HAVE(name) JUMP(core_table, name)
#define LACK(name) JUMP(core_table, name)
#include "api/core.def"
#undef HAVE
#undef LACK
#define HAVE(name) JUMP(amd_table, name)
#define LACK(name) JUMP(amd_table, name)
#include "api/amd.def"
#undef HAVE
#undef LACK
#define HAVE(name) JUMP(image_table, name)
#define LACK(name) JUMP(image_table, name)
#include "api/image.def"
#undef HAVE
#undef LACK
#define HAVE(name) JUMP(finalizer_table, name)
#define LACK(name) JUMP(finalizer_table, name)
#include "api/finalizer.def"
#undef HAVE
#undef LACK
}
