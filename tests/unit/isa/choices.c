/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyzer/isa/choice.c and given.c against choices.hip, certain_path.c against certain.hip,
 * reads.c and the bytes of uses against reads.hip, reach.c against reach.hip. Usage: choices SOURCE
 * VARIANT...; a variant's file is named choices-PROCESSOR-LEVEL.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/isa.h"
#include "tests/unit/isa/expect.h"

static struct expectations expectations;

/* Arguments as a line gives them. */
struct words {
	uint32_t word[16];
	bool known[16];
	unsigned count;
};

/* Returns what stands behind them. */
static const char *read_words(const char *text, struct words *words)
{
	char *end;

	words->count = 0;
	while (*text != ':') {
		unsigned i = words->count++;

		assert_true(i < 16);
		words->known[i] = *text != '-';
		words->word[i] = words->known[i] ? (uint32_t)strtoul(text, &end, 0) : 0;
		text = words->known[i] ? end : text + 1;
		text += strspn(text, " ");
	}
	return text + 1 + strspn(text + 1, " ");
}

static bool read_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	const struct words *words = user;

	*value = 0;
	for (unsigned i = 0; i < size / 4; i++) {
		if (offset / 4 + i >= words->count || !words->known[offset / 4 + i])
			return false;
		*value |= (uint64_t)words->word[offset / 4 + i] << 32 * i;
	}
	return true;
}

/* Explicit arguments only: some compilers' hidden ones are read, too. */
static bool is_argument(const struct isa_kernel *kernel, uint32_t kernarg)
{
	const struct isa_arg *last = &kernel->args[kernel->arg_count - 1];

	return kernarg < last->offset + last->size;
}

static void describe(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		if (use->access && is_argument(kernel, use->kernarg))
			used += (size_t)snprintf(
			    text + used, size - used, "%s%u:%s%s%s%s", used ? " " : "",
			    use->kernarg, use->access & ISA_READ ? "r" : "",
			    use->access & ISA_WRITE ? "w" : "", use->access & ISA_ATOMIC ? "a" : "",
			    use->certain ? "" : "~");
	}
	if (kernel->atomic_count)
		snprintf(text + used, size - used, " atomics %zu", kernel->atomic_count);
}

/* Says for each atomic of other memory than the work-group's if it is executed for certain. */
static void describe_certain(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "certain");

	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		if (atomic->space == ISA_SPACE_LDS || atomic->space == ISA_SPACE_SCRATCH)
			continue;
		used += (size_t)snprintf(text + used, size - used, " %s",
					 atomic->executes  ? "yes"
					 : atomic->by_word ? "word"
							   : "no");
		assert_true(!atomic->unsure == (atomic->certain == ISA_ALWAYS));
	}
}

/* The first byte of each read; of several of the same, what holds for any of them. */
static void describe_reads(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "reads");

	for (uint32_t kernarg = 0; kernarg < 64; kernarg += 8) {
		for (int64_t offset = 0; offset < 64; offset++) {
			bool any = false, executes = false, decides = false;

			for (size_t i = 0; i < kernel->read_count; i++) {
				const struct isa_read *read = &kernel->reads[i];

				if (read->path.kernarg != kernarg ||
				    read->path.step[0].offset != offset)
					continue;
				any = true;
				executes |= read->executes;
				decides |= read->executes && read->decides;
			}
			if (any) {
				used += (size_t)snprintf(text + used, size - used, " %u+%lld%s",
							 kernarg, (long long)offset,
							 decides     ? "!"
							 : !executes ? "?"
								     : "");
			}
		}
	}
}

static void describe_bytes(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "bytes");

	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		if (!use->access || !is_argument(kernel, use->kernarg))
			continue;
		used +=
		    (size_t)(use->placed
				 ? snprintf(text + used, size - used, " %u:%lld-%lld", use->kernarg,
					    (long long)use->first, (long long)use->end - 1)
				 : snprintf(text + used, size - used, " %u:?", use->kernarg));
	}
}

/* What leads to the address of each atomic: its argument, or why there is none. */
static void describe_addresses(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "addresses");

	for (size_t i = 0; i < kernel->atomic_count; i++) {
		const struct isa_origin *origin = &kernel->atomics[i].origin;

		used += (size_t)snprintf(text + used, size - used, " %s",
					 isa_origin_name(origin->kind));
		for (size_t k = 0; k < origin->kernarg_count; k++)
			used += (size_t)snprintf(text + used, size - used, "%c%u", k ? ',' : ':',
						 origin->kernarg[k]);
	}
}

static struct words launched;

/* The bytes that launches of 4 groups of 64 reach behind each argument, by its kinds of access. */
static void describe_reach(const struct isa_kernel *kernel, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "reach");
	int64_t first, end;

	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		for (unsigned k = 0; k < ISA_ACCESSES && is_argument(kernel, use->kernarg); k++)
			if (isa_reached(&use->reach[k], 4, 64, read_argument, &launched, &first,
					&end))
				used += (size_t)snprintf(text + used, size - used,
							 " %u%c:%lld-%lld", use->kernarg, "rwa"[k],
							 (long long)first, (long long)end - 1);
	}
}

/* What a line asks for, by its first word; else what the kernel does to its arguments. */
static void answer(const char *want, const struct isa_kernel *kernel, char *text, size_t size)
{
	static const struct {
		const char *word;
		void (*describe)(const struct isa_kernel *, char *, size_t);
	} answers[] = { { "certain", describe_certain }, { "reads", describe_reads },
			{ "bytes", describe_bytes },     { "addresses", describe_addresses },
			{ "reach", describe_reach },     { "", describe } };
	unsigned i = 0;

	while (strncmp(want, answers[i].word, strlen(answers[i].word)))
		i++;
	answers[i].describe(kernel, text, size);
}

/* Returns whether it is as expected. */
static bool compare(const struct variant *variant, const struct isa_kernel *kernel,
		    const struct expectation *expectation)
{
	struct words words;
	const char *want = read_words(expectation->spec, &words);
	isa_when now = isa_possible(kernel, read_argument, &words);
	bool failed;
	struct isa_kernel *given = isa_given(kernel, now, &failed);
	char text[256];

	assert_false(failed);
	launched = words;
	answer(want, given ? given : kernel, text, sizeof(text));
	isa_given_free(given);
	if (!strcmp(text, want))
		return true;
	print_message("# %s, line %u, %s: \"%s\" instead of \"%s\"\n", variant->name,
		      expectation->line, kernel->symbol, text, want);
	return false;
}

static void check(void **state)
{
	struct variant *variant = *state;
	const char *name = strchr(variant->name, '-') + 1;
	unsigned wrong = 0, compared = 0;

	assert_int_equal(isa_analyze(variant->elf, variant->elf_size, NULL, &variant->object, NULL),
			 0);
	for (size_t i = 0; i < expectations.count; i++) {
		const struct expectation *expectation = &expectations.row[i];
		const struct isa_kernel *kernel =
		    isa_find_kernel(variant->object, expectation->kernel);

		assert_non_null(kernel);
		if (fnmatch(expectation->variants, name, 0))
			continue;
		compared++;
		wrong += !compare(variant, kernel, expectation);
	}
	assert_int_equal(wrong, 0);
	assert_true(compared >= 20);
	isa_code_object_free(variant->object);
	free(variant->bytes);
}

/* Nothing is left out of a kernel without conditions, whatever else its parts say. */
static void no_conditions(void **state)
{
	struct isa_use use = { .kernarg = 0, .access = ISA_READ, .certain = true };
	struct isa_kernel kernel = { .uses = &use, .use_count = 1 };
	struct words words = { .count = 0 };
	bool failed;

	(void)state;
	assert_null(isa_given(&kernel, isa_possible(&kernel, read_argument, &words), &failed));
	assert_false(failed);
}

int main(int argc, char **argv)
{
	static struct variant variants[16];
	struct CMUnitTest tests[17] = { cmocka_unit_test(no_conditions) };
	size_t count = 0;

	if (argc < 3 || argc > 18)
		return 99;
	expect_read(&expectations, argv[1]);
	for (int i = 2; i < argc; i++, count++) {
		variant_load(&variants[count], argv[i]);
		tests[count + 1] = (struct CMUnitTest){ variants[count].name, check, NULL, NULL,
							&variants[count] };
	}
	return _cmocka_run_group_tests("choices", tests, count + 1, NULL, NULL);
}
