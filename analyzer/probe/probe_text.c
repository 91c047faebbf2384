/* SPDX-License-Identifier: Apache-2.0 */
/* A probe as tables: a line for each kind of memory, and one for each difference. */
#include <glib.h>
#include <string.h>

#include "print.h"

#define NAME_WIDTH 51 /* of the longest in placements.def */
#define NO_KIND                            \
	{                                  \
		ATOMIC_KINDS, ATOMIC_KINDS \
	}
#define ATOMICS PROBE_STEP_ATOMIC, PROBE_STEP_STREAM_WAIT - 1

/* Steps that share a column: a range, of atomics those of two operand kinds. */
struct column {
	const char *title;
	int first, last;           /* enum probe_step */
	enum atomic_kind kinds[2]; /* ATOMIC_KINDS: none */
};

static const struct column access_columns[] = {
	{ "granularity", PROBE_STEP_GRANULARITY, PROBE_STEP_GRANULARITY, NO_KIND },
	{ "host", PROBE_STEP_HOST, PROBE_STEP_HOST, NO_KIND },
	{ "GPU", PROBE_STEP_LOAD, PROBE_STEP_STORE, NO_KIND },
	{ "waits", PROBE_STEP_STREAM_WAIT, PROBE_STEP_DEVICE_WAIT, NO_KIND },
	{ "fill", PROBE_STEP_FILL, PROBE_STEP_FILL, NO_KIND },
	{ "shared", PROBE_STEP_TOGETHER, PROBE_STEP_TOGETHER, NO_KIND },
	{ "migrates", PROBE_STEP_MIGRATION, PROBE_STEP_MIGRATION, NO_KIND },
	{ "prefetch", PROBE_STEP_PREFETCH, PROBE_STEP_PREFETCH, NO_KIND },
	{ "advice", PROBE_STEP_ADVICE, PROBE_STEP_ADVICE, NO_KIND },
	{ NULL, 0, 0, NO_KIND },
};

static const struct column atomic_columns[] = {
	{ "granularity", PROBE_STEP_GRANULARITY, PROBE_STEP_GRANULARITY, NO_KIND },
	{ "FP add", ATOMICS, { ATOMIC_F32_ADD, ATOMIC_F64_ADD } },
	{ "FP min", ATOMICS, { ATOMIC_F32_MINMAX, ATOMIC_F64_MINMAX } },
	{ "packed", ATOMICS, { ATOMIC_PK_F16_ADD, ATOMIC_PK_BF16_ADD } },
	{ "int add", ATOMICS, { ATOMIC_INT_PCIE, ATOMIC_KINDS } },
	{ "int min", ATOMICS, { ATOMIC_INT_MINMAX, ATOMIC_KINDS } },
	{ "int other", ATOMICS, { ATOMIC_INT_OTHER, ATOMIC_KINDS } },
	{ NULL, 0, 0, NO_KIND },
};

char *probe_placement_text(unsigned placement)
{
	const struct probe_placement *row = &probe_placements[placement];
	char *flags = model_flags_text(row->api, row->flags), *text;

	text = g_strconcat(row->call, flags[0] ? ", " : "", flags,
			   row->advice ? ", coarse advice" : "",
			   row->way == PROBE_PEER ? " on the next GPU" : "", NULL);
	g_free(flags);
	return text;
}

static void count_step(const struct probe_mode *mode, unsigned placement, int step,
		       struct probe_counts *counts)
{
	uint8_t state = mode->memory[placement].steps[step].state;

	counts->of[probe_compare(mode, placement, step).verdict]++;
	counts->time_limits += state == PROBE_TIME_LIMIT;
	counts->killed += state == PROBE_KILLED;
}

struct probe_counts probe_count(const struct probe *probe)
{
	struct probe_counts counts = { .of = { 0 } };

	for (unsigned gpu = 0; gpu < probe->gpus; gpu++)
		for (unsigned mode = 0; mode < probe->gpu[gpu].modes; mode++)
			for (unsigned i = 0; i < PROBE_PLACEMENTS; i++)
				for (int step = 0; step < PROBE_STEPS; step++)
					count_step(&probe->gpu[gpu].mode[mode], i, step, &counts);
	return counts;
}

static bool is_in(const struct column *column, int step)
{
	enum atomic_kind kind;

	if (step < column->first || step > column->last)
		return false;
	if (column->kinds[0] == ATOMIC_KINDS)
		return true;
	kind = probe_step_text(step).kind;
	return kind == column->kinds[0] || kind == column->kinds[1];
}

/* Fills a cell with one word for several steps: the common result, or "partly" if they differ. */
static void fill_cell(const struct probe_mode *mode, unsigned placement,
		      const struct column *column, char cell[24])
{
	const char *word = NULL, *mark = "";
	bool unknown = false;

	for (int step = column->first; step <= column->last; step++) {
		enum probe_state state =
		    (enum probe_state)mode->memory[placement].steps[step].state;
		struct probe_comparison comparison;
		const char *here = state == PROBE_WORKS     ? "works"
				   : state == PROBE_LOST    ? "lost"
				   : state == PROBE_WRONG   ? "wrong"
				   : state == PROBE_REFUSED ? "refused"
				   : state == PROBE_FAULTS  ? "faults"
							    : NULL;

		if (!is_in(column, step))
			continue;
		unknown |= probe_state_unknown(state);
		comparison = probe_compare(mode, placement, step);
		if (comparison.verdict == VERDICT_DIFFER)
			mark = "!";
		else if (comparison.verdict == VERDICT_MODEL_UNKNOWN && !mark[0])
			mark = "?";
		if (here && step == PROBE_STEP_GRANULARITY) {
			g_snprintf(cell, 24, "%s%s", comparison.measured, mark);
			return;
		}
		if (here)
			word = !word || strcmp(word, here) == 0 ? here : "partly";
	}
	g_snprintf(cell, 24, "%s%s", word ? word : unknown ? "unknown" : "-", mark);
}

/* Returns the greatest slowdown of an atomic here against memory of hipMalloc. */
static double worst_slowdown(const struct probe_mode *mode, unsigned placement)
{
	double worst = 0;

	for (int step = PROBE_STEP_ATOMIC; step < PROBE_STEP_STREAM_WAIT; step++)
		worst = MAX(worst, probe_slowdown(mode, placement, step));
	return worst;
}

static void print_table(const struct probe_mode *mode, const struct column *columns,
			bool with_slowdown, FILE *stream)
{
	char cell[24];

	fprintf(stream, "\n  %-*s", NAME_WIDTH, "");
	for (const struct column *column = columns; column->title; column++)
		fprintf(stream, column == columns ? " %-16s" : " %-9s", column->title);
	fputs(with_slowdown ? " slowdown\n" : "\n", stream);
	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++) {
		char *name = probe_placement_text(i);
		double slowdown = with_slowdown ? worst_slowdown(mode, i) : 0;

		fprintf(stream, "  %-*s", NAME_WIDTH, name);
		g_free(name);
		if (mode->memory[i].steps[PROBE_STEP_ALLOCATE].state == PROBE_WORKS) {
			for (const struct column *column = columns; column->title; column++) {
				fill_cell(mode, i, column, cell);
				fprintf(stream, column == columns ? " %-16s" : " %-9s", cell);
			}
			if (slowdown > 0)
				fprintf(stream, " %.1f", slowdown);
		} else {
			fprintf(stream, " %s",
				probe_compare(mode, i, PROBE_STEP_ALLOCATE).measured);
		}
		fputc('\n', stream);
	}
}

static void print_differences(const struct probe_mode *mode, FILE *stream)
{
	bool any = false;

	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++) {
		for (int step = 0; step < PROBE_STEPS; step++) {
			struct probe_comparison comparison = probe_compare(mode, i, step);
			char *name;

			if (comparison.verdict != VERDICT_DIFFER)
				continue;
			if (!any)
				fputs("\n  Differences\n", stream);
			any = true;
			name = probe_placement_text(i);
			fprintf(
			    stream, "  %s: %s: measured \"%s\", the model expects \"%s\"%s [%s]\n",
			    name, probe_step_text(step).name, comparison.measured, comparison.model,
			    comparison.certain ? "" : ", not certainly", comparison.sources);
			g_free(name);
		}
	}
}

/* The steps that began and have no result; not those that were not tried because of them. */
static void print_unknown(const struct probe_mode *mode, FILE *stream)
{
	bool any = false;

	for (unsigned i = 0; i < PROBE_PLACEMENTS; i++) {
		for (int step = 0; step < PROBE_STEPS; step++) {
			uint8_t state = mode->memory[i].steps[step].state;
			char *name;

			if (state != PROBE_TIME_LIMIT && state != PROBE_KILLED)
				continue;
			if (!any)
				fputs("\n  Unknown\n", stream);
			any = true;
			name = probe_placement_text(i);
			fprintf(stream, "  %s: %s: %s\n", name, probe_step_text(step).name,
				probe_compare(mode, i, step).measured);
			g_free(name);
		}
	}
}

static void print_mode(const struct probe_mode *mode, FILE *stream)
{
	const struct model_environment *environment = &mode->environment;

	if (mode->hsa_xnack >= 0)
		fprintf(stream, "\nHSA_XNACK=%d", mode->hsa_xnack);
	else
		fputs("\nHSA_XNACK as it is set", stream);
	if (!mode->arch[0]) {
		fprintf(stream, ": not measured: %s\n", mode->problem);
		return;
	}
	fprintf(stream, ": %s, XNACK %s, %s, host memory by %s\n", mode->arch,
		environment->xnack > 0    ? "on"
		: environment->xnack == 0 ? "off"
					  : "unknown",
		environment->apu > 0 ? "shares the CPU's memory" : "has its own memory",
		mode->link == 2   ? mode->pcie_atomics > 0    ? "PCIe, which carries atomics"
				    : mode->pcie_atomics == 0 ? "PCIe, which carries no atomics"
							      : "PCIe"
		: mode->link == 4 ? "XGMI"
				  : "an unknown link");
	print_table(mode, access_columns, false, stream);
	print_table(mode, atomic_columns, true, stream);
	print_differences(mode, stream);
	print_unknown(mode, stream);
	if (mode->problem[0])
		fprintf(stream, "\n  Not all was measured: %s\n", mode->problem);
}

void probe_print_text(const struct probe *probe, FILE *stream)
{
	struct probe_counts counts = probe_count(probe);

	fprintf(stream, "runtime  %s, HIP %d.%d\n", probe->runtime,
		probe->runtime_version / 10000000, probe->runtime_version / 100000 % 100);
	fprintf(stream, "driver   %s\n", probe->driver);
	for (unsigned gpu = 0; gpu < probe->gpus; gpu++) {
		const struct probe_gpu *row = &probe->gpu[gpu];

		if (!row->modes)
			continue;
		fprintf(stream, "\nGPU %u    %s\n", gpu, row->name);
		for (unsigned mode = 0; mode < row->modes; mode++)
			print_mode(&row->mode[mode], stream);
	}
	fprintf(stream,
		"\n\"-\": not measured. \"?\": the model does not know. \"!\": the model expects "
		"something "
		"else. slowdown: the most that an atomic\ntakes longer than in memory of "
		"hipMalloc.\n\n%u results agree with the memory model, %u differ; of %u it knows "
		"nothing; %u were not measured.\n",
		counts.of[VERDICT_AGREE], counts.of[VERDICT_DIFFER],
		counts.of[VERDICT_MODEL_UNKNOWN], counts.of[VERDICT_NOT_MEASURED]);
}
