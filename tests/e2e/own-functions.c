/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a function NAME of its own, by the name of one of the C library, which must not be
 * called; or with one that does as the C library's (PASSES_ON).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef PASSES_ON
char *NAME(const char *variable);
char *NAME(const char *variable)
{
	char *(*next)(const char *) = (char *(*)(const char *))dlsym(RTLD_NEXT, "getenv");

	return next(variable);
}
#else
void NAME(void);
void NAME(void)
{
	__builtin_trap();
}
#endif

int main(void)
{
	char *block = malloc(100000);

	if (!block)
		return 1;
	memset(block, 1, 100000);
	free(block);
	return 5;
}
