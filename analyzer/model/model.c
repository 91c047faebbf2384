/* SPDX-License-Identifier: Apache-2.0 */
/* Answers what memory is and what atomics do on it, by the first row of a table that fits. */
#include "model.h"

#include <glib.h>
#include <limits.h>
#include <string.h>

#include "codeobj/processor.h"
#include "tracer/api.h"
#include "tracer/events.h"

/* ---- memory ---- */

enum condition {
	CONDITION_ALWAYS,
	CONDITION_XNACK_ON,
	CONDITION_XNACK_OFF,
	CONDITION_FINE_POOL,
	CONDITION_NO_FINE_POOL,
	CONDITION_NO_EXTENDED_POOL,
	CONDITION_NO_EXTENDED_NOR_FINE_POOL,
	CONDITION_NO_HMM,
	CONDITION_HOST_COHERENT,
	CONDITION_RUNTIME_5_2,
	CONDITION_RUNTIME_BEFORE_6_2,
	CONDITION_RUNTIME_BEFORE_6_3,
	CONDITION_RUNTIME_BEFORE_6_4,
	CONDITION_RUNTIME_BEFORE_7,
	CONDITION_RUNTIME_SINCE_5_6,
	CONDITION_RUNTIME_SINCE_7,
	CONDITION_RUNTIME_5_7_TO_6_1_1,
	CONDITION_XNACK_UNKNOWN,
	CONDITION_XNACK_UNSERVED,
	CONDITION_APU,
	CONDITION_APU_IN_PLACE,
	CONDITION_SMALL_BAR,
	CONDITION_ASSUMED,
};

struct memory_row {
	unsigned api;
	uint64_t bits, value;
	enum condition condition;
	struct model_memory memory;
};

#define MEMORY(api, bits, value, condition, kind, granularity, location, why, sources)      \
	{ HG_API_##api,                                                                     \
	  bits,                                                                             \
	  value,                                                                            \
	  CONDITION_##condition,                                                            \
	  { KIND_##kind, GRAIN_##granularity, LOCATION_##location, false, false, true, why, \
	    sources } },

static const struct memory_row memory_rows[] = {
#include "memory.def"
};
#undef MEMORY

bool model_lacks_extended_pool(const char *arch, int runtime_version)
{
	const struct codeobj_processor *processor = codeobj_processor(arch);

	return processor && processor->generation == CODEOBJ_GFX12 && runtime_version >= 60300000 &&
	       runtime_version < 70000000;
}

/* Returns 1 if the runtime's release is in [from, to), as hipRuntimeGetVersion() counts, 0 if not,
 * -1 if it is unknown. */
static int is_release(const struct model_environment *environment, int from, int to)
{
	int version = environment->runtime_version;

	return version ? version >= from && version < to : -1;
}

/*
 * Returns 1 if faults of the GPU are served, 0 if not, -1 if it is unknown. Without HMM in the
 * kernel nobody serves them: the driver refuses the mode, older ones only the access [KFD
 * kfd_ioctl_set_xnack_mode, svm_range_restore_pages].
 */
static int serves_faults(const struct model_environment *environment)
{
	return environment->hmm == 0 ? 0 : environment->xnack;
}

/* 1 holds, 0 does not, -1 cannot be determined. */
static int holds(enum condition condition, const struct model_environment *environment)
{
	switch (condition) {
	case CONDITION_ALWAYS:
	case CONDITION_ASSUMED:
		return 1;
	case CONDITION_XNACK_ON:
		return serves_faults(environment);
	case CONDITION_XNACK_OFF:
		return serves_faults(environment) < 0 ? -1 : !serves_faults(environment);
	case CONDITION_FINE_POOL:
		return environment->fine_pool;
	case CONDITION_NO_FINE_POOL:
		return environment->fine_pool < 0 ? -1 : !environment->fine_pool;
	case CONDITION_NO_EXTENDED_POOL:
		return environment->no_extended_pool;
	case CONDITION_NO_EXTENDED_NOR_FINE_POOL:
		return environment->no_extended_pool ? holds(CONDITION_NO_FINE_POOL, environment)
						     : 0;
	case CONDITION_NO_HMM:
		return environment->hmm < 0 ? -1 : !environment->hmm;
	case CONDITION_HOST_COHERENT:
		return environment->host_coherent;
	case CONDITION_RUNTIME_5_2:
		return is_release(environment, 50200000, 50300000);
	case CONDITION_RUNTIME_BEFORE_6_2:
		return is_release(environment, 0, 60200000);
	case CONDITION_RUNTIME_BEFORE_6_3:
		return is_release(environment, 0, 60300000);
	case CONDITION_RUNTIME_BEFORE_6_4:
		return is_release(environment, 0, 60400000);
	case CONDITION_RUNTIME_BEFORE_7:
		return is_release(environment, 0, 70000000);
	case CONDITION_RUNTIME_SINCE_5_6:
		return is_release(environment, 50600000, INT_MAX);
	case CONDITION_RUNTIME_SINCE_7:
		return is_release(environment, 70000000, INT_MAX);
	case CONDITION_RUNTIME_5_7_TO_6_1_1:
		/* ROCm 6.1.2 has HIP 6.1.40093. */
		return is_release(environment, 50700000, 60140093);
	case CONDITION_XNACK_UNKNOWN:
		return serves_faults(environment) < 0;
	case CONDITION_XNACK_UNSERVED:
		return environment->xnack > 0 && environment->hmm == 0;
	case CONDITION_APU:
		return environment->apu;
	case CONDITION_APU_IN_PLACE:
		return environment->apu > 0 && environment->carve_out ? -1 : environment->apu;
	case CONDITION_SMALL_BAR:
		return environment->large_bar < 0 ? -1 : !environment->large_bar;
	}
	return -1;
}

struct access_row {
	enum model_question question;
	enum memory_kind kind;
	enum condition condition;
	struct model_answer answer;
};

#define ACCESS(question, kind, condition, answer, sources) \
	{ QUESTION_##question,                             \
	  KIND_##kind,                                     \
	  CONDITION_##condition,                           \
	  { ACCESS_##answer, true, sources } },

static const struct access_row access_rows[] = {
#include "access.def"
};
#undef ACCESS

struct model_answer model_ask(enum model_question question, enum memory_kind kind,
			      const struct model_environment *environment)
{
	struct model_answer found = { ACCESS_UNKNOWN, false, "" };
	bool certain = true;

	for (size_t i = 0; i < G_N_ELEMENTS(access_rows); i++) {
		const struct access_row *row = &access_rows[i];
		int answer;

		if (row->question != question || row->kind != kind)
			continue;
		answer = holds(row->condition, environment);
		if (answer < 0) {
			certain = false;
		} else if (answer) {
			found = row->answer;
			found.certain = certain;
			break;
		}
	}
	return found;
}

struct model_memory model_memory(unsigned api, uint64_t flags,
				 const struct model_environment *environment)
{
	static const struct model_memory unknown = { KIND_UNKNOWN,
						     GRAIN_UNKNOWN,
						     LOCATION_UNKNOWN,
						     true,
						     true,
						     false,
						     "this allocator is not in the table",
						     "" };
	bool certain = true;

	for (size_t i = 0; i < G_N_ELEMENTS(memory_rows); i++) {
		const struct memory_row *row = &memory_rows[i];
		struct model_memory found;
		int answer;

		if (row->api != api || (flags & row->bits) != row->value)
			continue;
		answer = holds(row->condition, environment);
		if (answer < 0)
			certain = false;
		if (answer <= 0)
			continue;
		found = row->memory;
		found.certain = certain && row->condition != CONDITION_ASSUMED;
		found.prefetchable =
		    model_ask(QUESTION_PREFETCH, found.kind, environment).access == ACCESS_YES;
		found.advisable =
		    model_ask(QUESTION_ADVICE, found.kind, environment).access == ACCESS_YES;
		return found;
	}
	return unknown;
}

/* ---- flags ---- */

struct flag_name {
	unsigned api;
	bool is_bit; /* else the whole value */
	uint64_t value;
	const char *name;
};

/* Values: docs/memory-model.md#flags-of-hiphostmalloc [H523, H62]. */
static const struct flag_name flag_names[] = {
	{ HG_API_hipHostMalloc, false, 0x0, "hipHostMallocDefault" },
	{ HG_API_hipHostMalloc, true, 0x1, "hipHostMallocPortable" },
	{ HG_API_hipHostMalloc, true, 0x2, "hipHostMallocMapped" },
	{ HG_API_hipHostMalloc, true, 0x4, "hipHostMallocWriteCombined" },
	{ HG_API_hipHostMalloc, true, 0x10000000, "hipHostMallocUncached" },
	{ HG_API_hipHostMalloc, true, 0x20000000, "hipHostMallocNumaUser" },
	{ HG_API_hipHostMalloc, true, 0x40000000, "hipHostMallocCoherent" },
	{ HG_API_hipHostMalloc, true, 0x80000000, "hipHostMallocNonCoherent" },
	{ HG_API_hipHostAlloc, false, 0x0, "hipHostAllocDefault" },
	{ HG_API_hipHostAlloc, true, 0x1, "hipHostAllocPortable" },
	{ HG_API_hipHostAlloc, true, 0x2, "hipHostAllocMapped" },
	{ HG_API_hipHostAlloc, true, 0x4, "hipHostAllocWriteCombined" },
	{ HG_API_hipHostAlloc, true, 0x10000000, "hipHostAllocUncached" },
	{ HG_API_hipExtMallocWithFlags, false, 0x0, "hipDeviceMallocDefault" },
	{ HG_API_hipExtMallocWithFlags, false, 0x1, "hipDeviceMallocFinegrained" },
	{ HG_API_hipExtMallocWithFlags, false, 0x2, "hipMallocSignalMemory" },
	{ HG_API_hipExtMallocWithFlags, false, 0x3, "hipDeviceMallocUncached" },
	{ HG_API_hipExtMallocWithFlags, false, 0x4, "hipDeviceMallocContiguous" },
	{ HG_API_hipHostRegister, false, 0x0, "hipHostRegisterDefault" },
	{ HG_API_hipHostRegister, true, 0x1, "hipHostRegisterPortable" },
	{ HG_API_hipHostRegister, true, 0x2, "hipHostRegisterMapped" },
	{ HG_API_hipHostRegister, true, 0x4, "hipHostRegisterIoMemory" },
	{ HG_API_hipHostRegister, true, 0x8, "hipExtHostRegisterCoarseGrained" },
	{ HG_API_hipHostRegister, true, 0x80000000, "hipExtHostRegisterUncached" },
	{ HG_API_hipMallocManaged, true, 0x1, "hipMemAttachGlobal" },
	{ HG_API_hipMallocManaged, true, 0x2, "hipMemAttachHost" },
	{ HG_API_hipMallocManaged, true, 0x4, "hipMemAttachSingle" },
};

char *model_flags_text(unsigned api, uint64_t flags)
{
	GString *text = g_string_new(NULL);
	uint64_t rest = flags;
	bool known = false;

	for (size_t i = 0; i < G_N_ELEMENTS(flag_names); i++) {
		const struct flag_name *row = &flag_names[i];

		if (row->api != api)
			continue;
		known = true;
		if (row->is_bit ? (flags & row->value) != 0 : flags == row->value) {
			g_string_append_printf(text, "%s%s", text->len ? " | " : "", row->name);
			rest &= ~row->value;
		}
	}
	if (known && rest) {
		g_string_append_printf(text, "%s0x%" G_GINT64_MODIFIER "x", text->len ? " | " : "",
				       rest);
	}
	return g_string_free(text, FALSE);
}

/* ---- atomics ---- */

/* Groups of kinds, beside enum atomic_kind. */
enum {
	ATOMIC_ANY = ATOMIC_KINDS,
	ATOMIC_ANY_FP,
	ATOMIC_ANY_INT,
	ATOMIC_INT_NOT_PCIE, /* minimum, maximum, and the other operations that PCIe does not carry
			      */
};
#define GRAIN_ANY    GRAIN_UNKNOWN
#define LOCATION_ANY LOCATION_UNKNOWN

enum atomic_condition {
	WHEN_ALWAYS,
	WHEN_PCIE,
	WHEN_XGMI,
	WHEN_NO_PCIE_ATOMICS,
	WHEN_SYSTEM_SCOPE,
	WHEN_APU,
};

struct atomic_row {
	const char *arch;
	unsigned kind;
	enum granularity granularity;
	enum location location;
	enum atomic_condition condition;
	struct model_outcome outcome;
};

#define ATOMIC(arch, kind, granularity, location, condition, outcome, sources) \
	{ arch,                                                                \
	  ATOMIC_##kind,                                                       \
	  GRAIN_##granularity,                                                 \
	  LOCATION_##location,                                                 \
	  WHEN_##condition,                                                    \
	  { OUTCOME_##outcome, true, sources, NULL } },
#define MAYBE(arch, kind, granularity, location, condition, outcome, doubt, sources) \
	{ arch,                                                                      \
	  ATOMIC_##kind,                                                             \
	  GRAIN_##granularity,                                                       \
	  LOCATION_##location,                                                       \
	  WHEN_##condition,                                                          \
	  { OUTCOME_##outcome, true, sources, doubt } },

static const struct atomic_row atomic_rows[] = {
#include "atomics.def"
};
#undef ATOMIC
#undef MAYBE

static bool is_of_kind(enum atomic_kind kind, unsigned group)
{
	bool integer = atomic_kind_is_integer(kind);

	return group == kind || group == ATOMIC_ANY || (group == ATOMIC_ANY_FP && !integer) ||
	       (group == ATOMIC_ANY_INT && integer) ||
	       (group == ATOMIC_INT_NOT_PCIE && integer && kind != ATOMIC_INT_PCIE);
}

/* 1 holds, 0 does not, -1 cannot be determined. */
static int is_when(enum atomic_condition condition, const struct model_atomic_use *use)
{
	switch (condition) {
	case WHEN_ALWAYS:
		return 1;
	case WHEN_PCIE:
		return use->link == LINK_UNKNOWN ? -1 : use->link == LINK_PCIE;
	case WHEN_XGMI:
		return use->link == LINK_UNKNOWN ? -1 : use->link == LINK_XGMI;
	case WHEN_NO_PCIE_ATOMICS:
		/* Assumed where unknown: all servers of the last decade have them. */
		return use->pcie_atomics == 0 && use->link == LINK_PCIE;
	case WHEN_SYSTEM_SCOPE:
		return use->system_scope;
	case WHEN_APU:
		return use->apu;
	}
	return -1;
}

struct model_outcome model_atomic(const struct model_atomic_use *use)
{
	struct model_outcome unknown = { OUTCOME_UNKNOWN, false, "", NULL };
	bool certain = true;

	for (size_t i = 0; i < G_N_ELEMENTS(atomic_rows); i++) {
		const struct atomic_row *row = &atomic_rows[i];
		int answer;

		if (strncmp(use->arch, row->arch, strlen(row->arch)) != 0 ||
		    !is_of_kind(use->kind, row->kind) ||
		    (row->granularity != GRAIN_ANY && row->granularity != use->granularity) ||
		    (row->location != LOCATION_ANY && row->location != use->location))
			continue;
		answer = is_when(row->condition, use);
		if (answer < 0) {
			certain = false;
		} else if (answer) {
			struct model_outcome found = row->outcome;

			found.certain = certain;
			return found;
		}
	}
	return unknown;
}

/* ---- names ---- */

const char *model_granularity_name(enum granularity granularity)
{
	static const char *const names[] = {
		[GRAIN_UNKNOWN] = "unknown",
		[GRAIN_INACCESSIBLE] = "inaccessible",
		[GRAIN_FINE] = "fine-grained",
		[GRAIN_COARSE] = "coarse-grained",
	};

	return names[granularity];
}

const char *model_location_name(enum location location)
{
	static const char *const names[] = {
		[LOCATION_UNKNOWN] = "unknown",
		[LOCATION_HOST] = "host memory",
		[LOCATION_DEVICE] = "device memory",
		[LOCATION_MOVABLE] = "pages that may migrate",
	};

	return names[location];
}

const char *model_access_text(enum model_access access)
{
	static const char *const texts[] = {
		[ACCESS_UNKNOWN] = "not known",
		[ACCESS_NONE] = "none",
		[ACCESS_FAULT] = "fault",
		[ACCESS_LOCAL] = "in place, local",
		[ACCESS_REMOTE] = "in place, remote",
		[ACCESS_MAY_MIGRATE] = "may migrate",
		[ACCESS_MIGRATES] = "migrates",
		[ACCESS_NO] = "no",
		[ACCESS_YES] = "yes",
	};

	return texts[access];
}

const char *model_question_text(enum model_question question)
{
	static const char *const texts[] = {
		[QUESTION_CPU] = "CPU access",
		[QUESTION_GPU] = "GPU access",
		[QUESTION_MIGRATION] = "migrates to the GPU on access",
		[QUESTION_PREFETCH] = "hipMemPrefetchAsync",
		[QUESTION_ADVICE] = "hipMemAdvise",
		[QUESTION_FILL] = "hipMemset",
	};

	return texts[question];
}

const char *model_hip_error_name(int code)
{
	switch (code) {
#define HIP_ERROR(value, name) \
	case value:            \
		return #name;
#include "hip_errors.def"
#undef HIP_ERROR
	default:
		return "unknown error";
	}
}
