/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of the machine code's analysis that find what the including file's `object` says, a
 * static struct isa_code_object. That file also has isa_analyze() and isa_find_kernel().
 */
#ifndef HIPGRAIN_TEST_ISA_SESSION_STUB_H
#define HIPGRAIN_TEST_ISA_SESSION_STUB_H

#include <errno.h>

/* The name of the code object that is analysed next. */
static const char *analyzed_name = "abc";

int isa_session_open(const void *elf, size_t size, const struct isa_options *options,
		     struct isa_session **session, char **error)
{
	(void)elf;
	(void)size;
	(void)options;
	(void)error;
	*session = (struct isa_session *)(void *)&object; /* never dereferenced */
	return 0;
}

int isa_session_analyze(struct isa_session *session, const struct isa_options *options,
			struct isa_code_object **out, char **error)
{
	int status = isa_analyze(NULL, 0, options, out, error);

	(void)session;
	if (!status && *out)
		snprintf((*out)->sha256, sizeof((*out)->sha256), "%s", analyzed_name);
	return status;
}

/* Nothing is found out of a launch, unless the including file says what. */
#ifndef EVALUATION_STUB
#define EVALUATION_STUB NULL
#endif

int isa_session_evaluate(struct isa_session *session, const char *symbol,
			 const struct isa_launch *launch, struct isa_evaluation **out, char **error)
{
	(void)session;
	(void)symbol;
	(void)launch;
	(void)error;
	*out = EVALUATION_STUB;
	return *out ? 0 : -ENOSYS;
}

void isa_evaluation_free(struct isa_evaluation *evaluation)
{
	(void)evaluation;
}

void isa_session_close(struct isa_session *session)
{
	(void)session;
}

void isa_code_object_free(struct isa_code_object *unused)
{
	(void)unused;
}

#endif
