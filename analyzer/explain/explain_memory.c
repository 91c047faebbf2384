/* SPDX-License-Identifier: Apache-2.0 */
/* The memory model's tables, laid out as the AMD slides lay out theirs (S0). */
#include <string.h>

#include "explain.h"
#include "tracer/api/hip_alloc_device.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_modules.h"
#include "tracer/api/hip_objects.h"
#include "tracer/api/host.h"
#include "tracer/events.h"

/* A column has the name that people use, and the call that stands for it. */
static const struct column {
	const char *title;
	uint16_t api;
	uint64_t flags;
} columns[] = {
	{ "malloc", HG_API_malloc, 0 },
	{ "hipMallocManaged", HG_API_hipMallocManaged, 1 },
	{ "hipMalloc", HG_API_hipMalloc, 0 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0 },
};

/* Calls whose flags, or whose release, decide: one line each. */
static const struct call {
	const char *name;
	uint16_t api;
	uint64_t flags;
} calls[] = {
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, 0x0 },
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, 0x1 },
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, 0x2 },
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, 0x3 },
	{ "hipExtMallocWithFlags", HG_API_hipExtMallocWithFlags, 0x4 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x0 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x1 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x2 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x4 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x10000000 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x20000000 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x40000000 },
	{ "hipHostMalloc", HG_API_hipHostMalloc, 0x80000000 },
	{ "hipMallocHost", HG_API_hipMallocHost, 0 },
	{ "hipMemAllocHost", HG_API_hipMemAllocHost, 0 },
	{ "hipHostAlloc", HG_API_hipHostAlloc, 0 },
	{ "hipHostRegister", HG_API_hipHostRegister, 0 },
	{ "hipHostRegister", HG_API_hipHostRegister, 0x8 },
	{ "hipMallocAsync", HG_API_hipMallocAsync, 0 },
	{ "hipMallocPitch", HG_API_hipMallocPitch, 0 },
	{ "hipMemCreate, hipMemMap", HG_API_hipMemMap, 1 },
	{ "hipIpcOpenMemHandle", HG_API_hipIpcOpenMemHandle, 0 },
	{ "__device__ variables", HG_API___hipRegisterVar, 0 },
	{ "__managed__ variables", HG_API___hipRegisterManagedVar, 0 },
};

/* Prints a cell. An answer that depends on something that could not be queried is marked. */
static void print_cell(const char *text, bool certain, unsigned column, FILE *stream)
{
	char cell[64];

	g_snprintf(cell, sizeof(cell), "%s%s", text, certain ? "" : " *");
	if (column + 1 < G_N_ELEMENTS(columns))
		fprintf(stream, "  %-18s", cell);
	else
		fprintf(stream, "  %s\n", cell);
}

static const char *granularity_cell(enum granularity granularity)
{
	return granularity == GRAIN_INACCESSIBLE ? "n/a" : model_granularity_name(granularity);
}

static void print_access(const struct model_environment *environment, FILE *stream)
{
	fprintf(stream, "%-29s", "");
	for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
		print_cell(columns[i].title, true, i, stream);
	for (int q = 0; q < QUESTIONS; q++) {
		fprintf(stream, "%-29s", model_question_text((enum model_question)q));
		for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++) {
			struct model_memory memory =
			    model_memory(columns[i].api, columns[i].flags, environment);
			struct model_answer answer =
			    model_ask((enum model_question)q, memory.kind, environment);

			print_cell(model_access_text(answer.access), answer.certain, i, stream);
		}
	}
	fprintf(stream, "%-29s", "granularity without advice");
	for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++) {
		struct model_memory memory =
		    model_memory(columns[i].api, columns[i].flags, environment);

		print_cell(granularity_cell(memory.granularity), memory.certain, i, stream);
	}
}

/* Returns what was measured of a call's memory, in the XNACK mode of `environment`, for the end of
 * a line; to be freed. */
static char *measured_text(const struct machine *machine, const struct measured *measured,
			   int xnack, const struct measured_memory *memory,
			   enum granularity expected)
{
	struct measured_key key = { .arch = machine->arch,
				    .xnack = xnack,
				    .runtime_version = machine->environment.runtime_version };
	enum granularity grain = measured_granularity(measured, &key, memory);

	if (grain == GRAIN_UNKNOWN)
		return NULL;
	return g_strdup_printf(", measured%s%s%s", xnack ? " with XNACK" : "",
			       grain == expected ? "" : ": ",
			       grain == expected ? "" : granularity_cell(grain));
}

static void print_calls(const struct machine *machine, const struct model_environment *environment,
			const struct measured *measured, FILE *stream)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(calls); i++) {
		struct model_memory memory =
		    model_memory(calls[i].api, calls[i].flags, environment);
		struct measured_memory row = { .api = calls[i].api, .flags = calls[i].flags };
		char *flags = model_flags_text(calls[i].api, calls[i].flags);

		fprintf(stream, "  %-23s %-31s %-14s %s%s", calls[i].name, flags,
			granularity_cell(memory.granularity), model_location_name(memory.location),
			memory.certain ? "" : " *");
		for (int xnack = 0; xnack <= 1; xnack++) {
			char *text =
			    environment->xnack == !xnack
				? NULL
				: measured_text(machine, measured, xnack, &row, memory.granularity);

			fputs(text ? text : "", stream);
			g_free(text);
		}
		fputc('\n', stream);
		g_free(flags);
	}
}

static bool measured_here(const struct machine *machine, const struct measured *measured)
{
	struct measured_key key = { .arch = machine->arch,
				    .runtime_version = machine->environment.runtime_version };

	if (measured_any(measured, &key))
		return true;
	key.xnack = 1;
	return measured_any(measured, &key);
}

static void print_machine(const struct machine *machine, FILE *stream)
{
	const struct model_environment *environment = &machine->environment;
	int version = environment->runtime_version;

	if (machine->runtime[0]) {
		fprintf(stream, "runtime  %s, HIP %d.%d\n", machine->runtime, version / 10000000,
			version / 100000 % 100);
	}
	if (machine->problem[0]) {
		fprintf(stream,
			"GPU      none: %s; what follows is for a discrete GPU\n"
			"         (--softgpu: for the software GPU)\n",
			machine->problem);
		return;
	}
	fprintf(stream, "GPU      %s, %s\n", machine->arch,
		environment->apu > 0 ? "shares the CPU's memory" : "has its own memory");
	fprintf(stream, "HMM      %s\n",
		environment->hmm > 0 ? "yes"
		: environment->hmm == 0
		    ? "no: managed memory is pinned host memory, and XNACK has no effect"
		    : "not known");
}

static void print_mode(const struct machine *machine, int xnack, FILE *stream)
{
	struct model_environment environment = machine->environment;

	environment.xnack = xnack;
	if (machine->problem[0]) {
		environment.hmm = environment.large_bar = 1;
		environment.apu = 0;
	}
	fprintf(stream, "\nXNACK is %s (HSA_XNACK=%d)\n\n", xnack ? "on" : "off", xnack);
	print_access(&environment, stream);
}

void explain_memory(const struct machine *machine, const struct measured *measured, FILE *stream)
{
	struct model_environment environment = machine->environment;

	print_machine(machine, stream);
	if (environment.xnack != 1)
		print_mode(machine, 0, stream);
	if (environment.xnack != 0)
		print_mode(machine, 1, stream);
	if (machine->problem[0]) {
		environment.hmm = environment.large_bar = 1;
		environment.apu = 0;
	}
	fputs("\nBy call and flags, before advice\n\n", stream);
	print_calls(machine, &environment, measured, stream);
	if (!machine->problem[0] && !measured_here(machine, measured))
		fputs("\nNothing was measured on this machine: hipgrain probe does that.\n",
		      stream);
	fputs("\n* depends on the release, or on a property that could not be queried\n"
	      "hipMemAdviseSetCoarseGrain makes pages of managed memory, and with XNACK on of "
	      "malloc, "
	      "coarse-grained:\nwhole pages, until their mapping ends. Hardware floating-point "
	      "atomics "
	      "on fine-grained memory are\nlost on MI100 and MI200: hipgrain explain HG101.\n",
	      stream);
}
