/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations of launches, kept by what they asked. */
#include "evaluations.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/paths.h"
#include "tracer/events/ev_launch.h"

/* ---- questions ---- */

enum question_kind { QUESTION_ARGUMENT, QUESTION_ADDRESS, QUESTION_MEMORY };

/* Holds a question of an evaluation and its answer. */
struct question {
	uint64_t at; /* an offset, a word or an address */
	uint8_t kind, size;
	bool answer;
	uint64_t value;
};

struct evaluated {
	uint32_t groups[3], items[3];
	GArray *questions;                 /* struct question, in their order */
	struct isa_evaluation *evaluation; /* NULL: it failed */
};

struct evaluations {
	GPtrArray *list; /* struct evaluated, the latest last */
};

/* An evaluation that is under way: its questions are noted and put to the launch once. */
struct asking {
	const struct isa_launch *launch;
	GArray *questions;
	GHashTable *known; /* struct question by kind, size and place -> index + 1 */
};

static guint question_hash(gconstpointer data)
{
	const struct question *question = data;

	return (guint)(question->at ^ question->at >> 32) * 31 + question->kind * 8u +
	       question->size;
}

static gboolean question_equal(gconstpointer a, gconstpointer b)
{
	const struct question *one = a, *other = b;

	return one->at == other->at && one->kind == other->kind && one->size == other->size;
}

static void put(const struct isa_launch *launch, struct question *question)
{
	uint32_t number = 0;

	question->value = 0;
	switch ((enum question_kind)question->kind) {
	case QUESTION_ARGUMENT:
		question->answer = launch->argument(launch->user, (uint32_t)question->at,
						    question->size, &question->value);
		break;
	case QUESTION_ADDRESS:
		question->answer = launch->is_address(launch->user, question->at);
		break;
	case QUESTION_MEMORY:
		question->answer =
		    launch->memory(launch->user, question->at, question->size, &number);
		question->value = number;
		break;
	}
	if (!question->answer)
		question->value = 0;
}

static struct question ask(struct asking *asking, enum question_kind kind, uint64_t at,
			   unsigned size)
{
	struct question question = { .at = at, .kind = (uint8_t)kind, .size = (uint8_t)size };
	const struct question *known = g_hash_table_lookup(asking->known, &question);

	if (known)
		return *known;
	put(asking->launch, &question);
	g_array_append_val(asking->questions, question);
	g_hash_table_add(asking->known, g_memdup2(&question, sizeof(question)));
	return question;
}

static bool ask_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	struct question question = ask(user, QUESTION_ARGUMENT, offset, size);

	*value = question.value;
	return question.answer;
}

static bool ask_address(void *user, uint64_t word)
{
	return ask(user, QUESTION_ADDRESS, word, 0).answer;
}

static bool ask_memory(void *user, uint64_t address, unsigned size, uint32_t *number)
{
	struct question question = ask(user, QUESTION_MEMORY, address, size);

	*number = (uint32_t)question.value;
	return question.answer;
}

/* ---- evaluations of one kernel ---- */

static void evaluated_free(gpointer data)
{
	struct evaluated *evaluated = data;

	g_array_free(evaluated->questions, TRUE);
	isa_evaluation_free(evaluated->evaluation);
	g_free(evaluated);
}

struct evaluations *evaluations_new(void)
{
	struct evaluations *evaluations = g_new0(struct evaluations, 1);

	evaluations->list = g_ptr_array_new_with_free_func(evaluated_free);
	return evaluations;
}

void evaluations_free(struct evaluations *evaluations)
{
	if (!evaluations)
		return;
	g_ptr_array_free(evaluations->list, TRUE);
	g_free(evaluations);
}

static bool answers_alike(const struct evaluated *evaluated, const struct isa_launch *launch)
{
	if (memcmp(evaluated->groups, launch->groups, sizeof(launch->groups)) != 0 ||
	    memcmp(evaluated->items, launch->items, sizeof(launch->items)) != 0)
		return false;
	for (unsigned i = 0; i < evaluated->questions->len; i++) {
		const struct question *known =
		    &g_array_index(evaluated->questions, struct question, i);
		struct question question = *known;

		put(launch, &question);
		if (question.answer != known->answer || question.value != known->value)
			return false;
	}
	return true;
}

static struct evaluated *evaluate(struct isa_session *session, const char *symbol,
				  const struct isa_launch *launch)
{
	struct evaluated *evaluated = g_new0(struct evaluated, 1);
	struct asking asking = {
		.launch = launch,
		.questions = g_array_new(FALSE, FALSE, sizeof(struct question)),
		.known = g_hash_table_new_full(question_hash, question_equal, g_free, NULL),
	};
	struct isa_launch own = *launch;
	char *message = NULL;

	own.argument = ask_argument;
	own.is_address = ask_address;
	own.memory = ask_memory;
	own.user = &asking;
	if (isa_session_evaluate(session, symbol, &own, &evaluated->evaluation, &message) < 0)
		evaluated->evaluation = NULL;
	free(message);
	memcpy(evaluated->groups, launch->groups, sizeof(launch->groups));
	memcpy(evaluated->items, launch->items, sizeof(launch->items));
	evaluated->questions = asking.questions;
	g_hash_table_destroy(asking.known);
	return evaluated;
}

const struct isa_evaluation *evaluations_find(struct evaluations *evaluations,
					      struct isa_session *session, const char *symbol,
					      const struct isa_launch *launch)
{
	struct evaluated *evaluated;

	for (unsigned i = evaluations->list->len; i-- > 0;) {
		evaluated = evaluations->list->pdata[i];
		if (answers_alike(evaluated, launch))
			return evaluated->evaluation;
	}
	if (!session || evaluations->list->len == EVALUATIONS_MOST)
		return NULL;
	evaluated = evaluate(session, symbol, launch);
	g_ptr_array_add(evaluations->list, evaluated);
	return evaluated->evaluation;
}

/* ---- the launch at hand ---- */

struct asked_launch {
	const struct rules_context *context;
	const struct launch *launch;
	/* Words (struct word) of which it was assumed that the launch does not store to them; NULL:
	 * none may be. */
	GArray *assumed;
};

static bool answer_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	const struct asked_launch *asked = user;

	return kernel_args_number(asked->launch->args, offset, size, value);
}

static bool answer_address(void *user, uint64_t word)
{
	const struct asked_launch *asked = user;
	enum place_kind kind = process_place(asked->context->process, word).kind;

	return kind != PLACE_UNKNOWN && kind != PLACE_NULL;
}

/* A number that a fill wrote or a small copy carried; others were not recorded. */
static bool answer_memory(void *user, uint64_t address, unsigned size, uint32_t *number)
{
	const struct asked_launch *asked = user;
	const struct rules_context *context = asked->context;
	struct content_word word = { .address = address };
	struct word own = { address, size };

	*asked->launch->numbers_matter = true;
	if (!contents_number(&context->process->contents, address, size, number, &word.stamp) ||
	    (*number && kernel_args_veiled(asked->launch->args)) ||
	    contents_doubt_of(context->process, context->event, &word))
		return false;
	if (!launch_may_store(context, asked->launch, address, size))
		return true;
	if (asked->assumed)
		g_array_append_val(asked->assumed, own);
	return asked->assumed != NULL;
}

/*
 * The code alone may say of a launch that it stores anywhere. So first of all it is assumed that
 * the words which the evaluation reads stay what they are. That is true if the evaluation has no
 * store to one of them: until the first such store it would be right.
 */
const struct isa_evaluation *launch_evaluate(const struct rules_context *context,
					     const struct launch *launch)
{
	const struct hg_ev_launch *event = context->event->launch;
	struct asked_launch asked = { context, launch,
				      g_array_new(FALSE, FALSE, sizeof(struct word)) };
	const struct isa_launch own = {
		.groups = { event->grid_x, event->grid_y, event->grid_z },
		.items = { event->block_x, event->block_y, event->block_z },
		.argument = answer_argument,
		.is_address = answer_address,
		.memory = answer_memory,
		.user = &asked,
	};

	const struct isa_evaluation *evaluation = NULL;

	if (!launch->args)
		goto out;
	*launch->items_matter = true;
	evaluation = kernels_evaluate(context->kernels, context->process, launch->kernel, &own);
	if (asked.assumed->len &&
	    (!evaluation || evaluation_may_store(context, launch, evaluation, asked.assumed))) {
		g_clear_pointer(&asked.assumed, g_array_unref);
		evaluation =
		    kernels_evaluate(context->kernels, context->process, launch->kernel, &own);
	}
out:
	g_clear_pointer(&asked.assumed, g_array_unref);
	return evaluation;
}
