// SPDX-License-Identifier: Apache-2.0
/*
 * Compile-time checks against a release's own hsa_api_trace.h: the places of functions that the
 * preload library patches (preload/hsa/hsa_table.def), and the order of the software GPU's tables
 * (kernels/softgpu/api). Compiles, or the places are wrong for that release.
 *
 * Compiled by the build against the header that is installed, and by hand against others:
 * g++ -fsyntax-only -std=c++17 -I. -isystem FOLDER -Wno-invalid-offsetof
 * -Wno-deprecated-declarations \ tests/e2e/softgpu/hsa_layout.cpp Last with those of
 * ROCm 4.5.2, 5.0.0 to 5.7.1, 6.0.0 to 6.2.4, Debian 13 (6.1.2) and sid (6.4.3).
 */
#define AMD_INTERNAL_BUILD
#include <hsa_api_trace.h>
#include <cstddef>
#include <cstdint>

static_assert(offsetof(HsaApiTable, core_) == 16 && offsetof(HsaApiTable, amd_ext_) == 24,
	      "HsaApiTable");
static_assert(sizeof(ApiTableVersion) == 16, "ApiTableVersion");

#define PLACE(table, name) ((offsetof(table, name##_fn) - sizeof(ApiTableVersion)) / 8)
#define COUNT(table)       ((sizeof(table) - sizeof(ApiTableVersion)) / 8)

/* hsa_ext_amd.h: the interface's minor version was 0 up to ROCm 5.5. */
constexpr bool since_5_6 =
    HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR > 0;

/* ---- what the preload library patches, and how it chooses between layouts ---- */

static_assert(since_5_6 ? COUNT(AmdExtTable) >= 55 : COUNT(AmdExtTable) <= 51, "layouts");
#define HSA_CORE(place, name) static_assert(PLACE(CoreApiTable, name) == (place), #name);
#define HSA_AMD(before, since, name) \
	static_assert(PLACE(AmdExtTable, name) == (since_5_6 ? (since) : (before)), #name);
#define HSA_ALIAS(name) /* it has no place of its own */
#include "preload/hsa/hsa_table.def"

/* ---- the software GPU's tables ---- */

#define LACK(name)     HAVE(name)
#define LATER(name)    HAVE(name)
#define SINCE_7_0(row) row
#define SINCE_6_0(row) row /* at the end: a header need not have them all */
#define FOREIGN(row)

#define HAVE(name) CORE_##name,
enum {
#include "kernels/softgpu/runtime/api/core.def"
};
#undef HAVE
#define HAVE(name) IMAGE_##name,
enum {
#include "kernels/softgpu/runtime/api/image.def"
};
#undef HAVE
#define HAVE(name) AMD_##name,
enum {
#if HSA_AMD_INTERFACE_VERSION_MINOR > 0
#define SINCE_5_6(row) row
#else
#define SINCE_5_6(row)
#endif
#include "kernels/softgpu/runtime/api/amd.def"
};
#undef HAVE

#define HAVE(name) static_assert(PLACE(CoreApiTable, name) == CORE_##name, #name);
#include "kernels/softgpu/runtime/api/core.def"
#undef HAVE
#define HAVE(name) static_assert(PLACE(ImageExtTable, name) == IMAGE_##name, #name);
#undef SINCE_7_0
#define SINCE_7_0(row) /* not in every header */
#include "kernels/softgpu/runtime/api/image.def"
#undef SINCE_7_0
#define SINCE_7_0(row) row
#undef HAVE
/*
 * Of the rows beyond a release's own table nothing can be checked. ROCm 5.5 has the functions
 * hsa_amd_spm_* before the last one; the software GPU models 5.2.
 */
#define HAVE(name)                                                                                \
	template <class Table>                                                                    \
	constexpr auto place_##name(int)->decltype((void)((Table *)nullptr)->name##_fn, size_t()) \
	{                                                                                         \
		return PLACE(Table, name);                                                        \
	}                                                                                         \
	template <class Table> constexpr size_t place_##name(long)                                \
	{                                                                                         \
		return AMD_##name >= COUNT(Table) ? AMD_##name : SIZE_MAX;                        \
	}                                                                                         \
	static_assert(place_##name<AmdExtTable>(0) == AMD_##name ||                               \
			  (COUNT(AmdExtTable) == 51 && AMD_##name == 47),                         \
		      #name);
#include "kernels/softgpu/runtime/api/amd.def"
