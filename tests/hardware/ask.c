/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the memory model says of what somebody measured: a line of NAME=VALUE words on standard
 * input, a line with the answer on standard output. `score` writes the questions and compares.
 *
 * - ask=atomics, with op and scope (agent, system): right, lost, within device, loop (the GPU has
 *   no such instruction), unknown
 *
 * - ask=granularity: fine-grained, coarse-grained, none (the GPU has no access), unknown
 *
 * - ask=cpu, gpu, migration, prefetch, advice, fill: as model_access_text() has it
 *
 * - ask=waits, with device_only (memory of one GPU, from its beginning): yes, no
 *
 * The memory: api and flags, coarse (1: advised so); or grain (fine, coarse), where a source names
 * no allocator. The machine: arch, xnack, hmm, fine_pool, host_coherent, large_bar, apu, runtime
 * (hipRuntimeGetVersion), link (pcie, xgmi), pcie_atomics. Not known: -1, of the runtime 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/model.h"
#include "analyzer/model/waits.h"
#include "analyzer/reader/event.h"

#define LAST_API 4096

struct question {
	const char *ask, *arch, *op, *scope, *link, *grain;
	unsigned api;
	uint64_t flags;
	int coarse, device_only, pcie_atomics;
	struct model_environment machine;
};

static const struct {
	const char *name;
	enum atomic_kind kind;
} operations[] = {
	{ "f32_add", ATOMIC_F32_ADD },    { "f64_add", ATOMIC_F64_ADD },
	{ "int_add", ATOMIC_INT_PCIE },   { "int_swap", ATOMIC_INT_PCIE },
	{ "int_cas", ATOMIC_INT_PCIE },   { "int_min", ATOMIC_INT_MINMAX },
	{ "int_max", ATOMIC_INT_MINMAX }, { "int_sub", ATOMIC_INT_OTHER },
};

static const char *const outcomes[] = {
	[OUTCOME_UNKNOWN] = "unknown",
	[OUTCOME_WORKS] = "right",
	[OUTCOME_LOST] = "lost",
	[OUTCOME_NO_OPCODE] = "loop",
	[OUTCOME_DOWNGRADED] = "within device",
};

static unsigned api_of(const char *name)
{
	for (unsigned api = 1; api < LAST_API; api++) {
		const char *known = hg_api_name_if_known(api);

		if (known && !strcmp(known, name))
			return api;
	}
	return 0;
}

/* Returns false for a name or value that this does not know. */
static bool set(struct question *question, const char *name, const char *value)
{
	struct {
		const char *name, **place;
	} const texts[] = {
		{ "ask", &question->ask },   { "arch", &question->arch },
		{ "op", &question->op },     { "scope", &question->scope },
		{ "link", &question->link }, { "grain", &question->grain },
	};
	struct {
		const char *name;
		int *place;
	} const numbers[] = {
		{ "coarse", &question->coarse },
		{ "device_only", &question->device_only },
		{ "pcie_atomics", &question->pcie_atomics },
		{ "xnack", &question->machine.xnack },
		{ "hmm", &question->machine.hmm },
		{ "fine_pool", &question->machine.fine_pool },
		{ "host_coherent", &question->machine.host_coherent },
		{ "large_bar", &question->machine.large_bar },
		{ "apu", &question->machine.apu },
		{ "runtime", &question->machine.runtime_version },
	};
	char *end = NULL;
	long long number;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!strcmp(name, texts[i].name)) {
			*texts[i].place = value;
			return true;
		}
	}
	if (!strcmp(name, "api")) {
		question->api = api_of(value);
		return question->api != 0;
	}
	errno = 0;
	number = strtoll(value, &end, 0);
	if (errno || end == value || *end)
		return false;
	if (!strcmp(name, "flags")) {
		question->flags = (uint64_t)number;
		return true;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!strcmp(name, numbers[i].name)) {
			*numbers[i].place = (int)number;
			return true;
		}
	}
	return false;
}

static const char *granularity_of(const struct model_memory *memory)
{
	switch (memory->granularity) {
	case GRAIN_FINE:
	case GRAIN_COARSE:
		return model_granularity_name(memory->granularity);
	case GRAIN_INACCESSIBLE:
		return "none";
	default:
		return "unknown";
	}
}

/* NULL: the operation is not known. */
static const char *atomic(const struct question *question, const struct model_memory *memory)
{
	struct model_atomic_use use = {
		.arch = question->arch,
		.granularity = question->coarse ? GRAIN_COARSE : memory->granularity,
		.location = memory->location,
		.system_scope = !strcmp(question->scope, "system"),
		.link = !strcmp(question->link, "pcie")   ? LINK_PCIE
			: !strcmp(question->link, "xgmi") ? LINK_XGMI
							  : LINK_UNKNOWN,
		.pcie_atomics = question->pcie_atomics,
		.apu = question->machine.apu,
	};

	if (question->grain)
		use.granularity = strcmp(question->grain, "fine") ? GRAIN_COARSE : GRAIN_FINE;
	/* Where the GPU reaches it in place nothing moves, as the rules conclude, too. */
	if (use.location == LOCATION_MOVABLE &&
	    model_ask(QUESTION_GPU, memory->kind, &question->machine).access == ACCESS_REMOTE)
		use.location = LOCATION_HOST;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (!strcmp(question->op, operations[i].name)) {
			use.kind = operations[i].kind;
			return outcomes[model_atomic(&use).outcome];
		}
	}
	return NULL;
}

/* NULL: this is no question. */
static const char *answer(const struct question *question)
{
	static const struct {
		const char *name;
		enum model_question question;
	} questions[] = {
		{ "cpu", QUESTION_CPU },
		{ "gpu", QUESTION_GPU },
		{ "migration", QUESTION_MIGRATION },
		{ "prefetch", QUESTION_PREFETCH },
		{ "advice", QUESTION_ADVICE },
		{ "fill", QUESTION_FILL },
	};
	struct model_memory memory =
	    model_memory(question->api, question->flags, &question->machine);

	if (!strcmp(question->ask, "waits")) {
		return model_wait(question->api, question->machine.runtime_version,
				  question->device_only ? WAIT_MEMORY_BEGINNING
							: WAIT_MEMORY_OTHER) == WAIT_NOTHING
			   ? "no"
			   : "yes";
	}
	if (!strcmp(question->ask, "atomics"))
		return atomic(question, &memory);
	if (!strcmp(question->ask, "granularity"))
		return granularity_of(&memory);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (!strcmp(question->ask, questions[i].name)) {
			return model_access_text(
			    model_ask(questions[i].question, memory.kind, &question->machine)
				.access);
		}
	}
	return NULL;
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		struct question question = { .ask = "",
					     .arch = "",
					     .op = "",
					     .scope = "agent",
					     .link = "",
					     .pcie_atomics = -1,
					     .machine = { -1, -1, -1, -1, -1, -1, 0 } };
		const char *text;

		line[strcspn(line, "\n")] = '\0';
		for (char *rest = line, *word; (word = strtok_r(rest, " ", &rest));) {
			char *value = strchr(word, '=');

			if (value)
				*value++ = '\0';
			if (!value || !set(&question, word, value)) {
				fprintf(stderr, "ask: %s=%s\n", word, value ? value : "");
				return 2;
			}
		}
		text = answer(&question);
		if (!text) {
			fprintf(stderr, "ask: ask=%s op=%s\n", question.ask, question.op);
			return 2;
		}
		puts(text);
		fflush(stdout);
	}
	return ferror(stdin) ? 2 : 0;
}
