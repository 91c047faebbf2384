/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of the machine code's analysis that find what the including file's `object` says, a
 * static struct isa_code_object. That file also has isa_analyze() and isa_find_kernel().
 */
#ifndef HIPGRAIN_TEST_ISA_SESSION_STUB_H
#define HIPGRAIN_TEST_ISA_SESSION_STUB_H

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
	(void)session;
	return isa_analyze(NULL, 0, options, out, error);
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
