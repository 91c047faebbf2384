/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a function NAME of its own, by the name of one of the C library, which must not be
 * called.
 */
#include <string.h>

/* Not by the header, which may declare NAME. */
void *malloc(size_t size);
void free(void *block);

void NAME(void);
void NAME(void)
{
	__builtin_trap();
}

int main(void)
{
	char *block = malloc(100000);

	if (!block)
		return 1;
	memset(block, 1, 100000);
	free(block);
	return 5;
}
