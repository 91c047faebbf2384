/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations of launches are kept by their questions' answers. */
#include <errno.h>
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/rules/engine/evaluations.h"

/* ---- a code object whose evaluation asks three questions, twice ---- */

static struct isa_evaluation results[EVALUATIONS_MOST + 1];
static unsigned evaluated, freed;
static bool fails;

int isa_session_evaluate(struct isa_session *session, const char *symbol,
			 const struct isa_launch *launch, struct isa_evaluation **out, char **error)
{
	(void)session;
	(void)symbol;
	for (int i = 0; i < 2; i++) {
		uint64_t value;
		uint32_t number;

		launch->argument(launch->user, 8, 4, &value);
		launch->argument(launch->user, 8, 8, &value);
		launch->argument(launch->user, 16, 4, &value);
		launch->is_address(launch->user, 0x1000);
		if (!launch->memory(launch->user, 8, 4, &number))
			assert_int_equal(number, 0);
	}
	*out = &results[evaluated++];
	if (fails) {
		*error = strdup("no kernel");
		return -EINVAL;
	}
	return 0;
}

void isa_evaluation_free(struct isa_evaluation *evaluation)
{
	freed += evaluation != NULL;
}

/* ---- launches ---- */

struct answers {
	uint64_t word;   /* the argument at 8 */
	uint32_t number; /* in memory at 8 */
	bool address;    /* 0x1000 is one */
	bool known;      /* ... the number */
	unsigned asked;
};

static bool argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	struct answers *answers = user;

	answers->asked++;
	*value = offset == 8 ? answers->word : 0;
	if (size == 4)
		*value = (uint32_t)*value;
	return true;
}

static bool is_address(void *user, uint64_t word)
{
	struct answers *answers = user;

	answers->asked++;
	return word == 0x1000 && answers->address;
}

static bool memory(void *user, uint64_t address, unsigned size, uint32_t *number)
{
	struct answers *answers = user;

	assert_int_equal(address, 8);
	assert_int_equal(size, 4);
	answers->asked++;
	*number = answers->number; /* also where it is not known */
	return answers->known;
}

static struct isa_launch launch_of(struct answers *answers)
{
	return (struct isa_launch){ .groups = { 4, 1, 1 },
				    .items = { 64, 1, 1 },
				    .argument = argument,
				    .is_address = is_address,
				    .memory = memory,
				    .user = answers };
}

static struct evaluations *evaluations;
static struct isa_session *const session = (struct isa_session *)(void *)results;

static int setup(void **state)
{
	(void)state;
	evaluations = evaluations_new();
	evaluated = freed = 0;
	fails = false;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	evaluations_free(evaluations);
	assert_int_equal(freed, fails ? 0 : evaluated);
	evaluations_free(NULL);
	return 0;
}

static const struct isa_evaluation *find(const struct isa_launch *launch)
{
	return evaluations_find(evaluations, session, "kernel", launch);
}

static void equal_answers_are_evaluated_once(void **state)
{
	struct answers answers = { .word = 7, .known = true, .number = 3 };
	struct isa_launch launch = launch_of(&answers);

	(void)state;
	assert_ptr_equal(find(&launch), &results[0]);
	/* The two sizes, the two places and the two kinds at one number are five questions. */
	assert_int_equal(answers.asked, 5);
	assert_ptr_equal(find(&launch), &results[0]);
	assert_int_equal(evaluated, 1);
	/* The code object may be gone. */
	assert_ptr_equal(evaluations_find(evaluations, NULL, "kernel", &launch), &results[0]);
	answers.word = 8;
	assert_null(evaluations_find(evaluations, NULL, "kernel", &launch));
	assert_int_equal(evaluated, 1);
}

static void other_answers_are_another_launch(void **state)
{
	struct answers answers = { .word = 7, .known = true, .number = 3 };
	struct isa_launch launch = launch_of(&answers);

	(void)state;
	find(&launch);
	answers.word = 7 | UINT64_C(1) << 40; /* the half that is read alone is the same */
	assert_ptr_equal(find(&launch), &results[1]);
	answers.address = true;
	assert_ptr_equal(find(&launch), &results[2]);
	answers.number = 4;
	assert_ptr_equal(find(&launch), &results[3]);
	answers.known = false;
	assert_ptr_equal(find(&launch), &results[4]);
	answers.number = 5; /* which is not known */
	assert_ptr_equal(find(&launch), &results[4]);
	/* Unknown is not the same as 0. */
	answers.number = 0;
	answers.known = true;
	assert_ptr_equal(find(&launch), &results[5]);
	/* The earlier ones are kept. */
	answers = (struct answers){ .word = 7, .known = true, .number = 3 };
	assert_ptr_equal(find(&launch), &results[0]);
}

static void other_sizes_are_another_launch(void **state)
{
	struct answers answers = { .word = 7 };
	struct isa_launch launch = launch_of(&answers);

	(void)state;
	find(&launch);
	launch.groups[2] = 2;
	assert_ptr_equal(find(&launch), &results[1]);
	launch.items[1] = 2;
	assert_ptr_equal(find(&launch), &results[2]);
	launch.groups[2] = 1;
	assert_ptr_equal(find(&launch), &results[3]);
	launch.items[1] = 1;
	assert_ptr_equal(find(&launch), &results[0]);
}

static void few_kinds_are_kept(void **state)
{
	struct answers answers = { 0 };
	struct isa_launch launch = launch_of(&answers);

	(void)state;
	for (answers.word = 0; answers.word < EVALUATIONS_MOST; answers.word++)
		assert_ptr_equal(find(&launch), &results[answers.word]);
	assert_null(find(&launch));
	assert_int_equal(evaluated, EVALUATIONS_MOST);
	answers.word = 5;
	assert_ptr_equal(find(&launch), &results[5]);
}

static void a_failure_is_kept_as_one(void **state)
{
	struct answers answers = { 0 };
	struct isa_launch launch = launch_of(&answers);

	(void)state;
	fails = true;
	assert_null(find(&launch));
	assert_null(find(&launch));
	assert_int_equal(evaluated, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_answers_are_evaluated_once), TEST(other_answers_are_another_launch),
		TEST(other_sizes_are_another_launch),   TEST(few_kinds_are_kept),
		TEST(a_failure_is_kept_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
