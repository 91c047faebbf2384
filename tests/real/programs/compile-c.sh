# SPDX-License-Identifier: Apache-2.0
# fast
# needs cc
# The C compiler's driver, compiler, assembler and linker.
cat >a.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int v[1000];
	for (int i = 0; i < 1000; i++) v[i] = (i * 7919) % 1009;
	qsort(v, 1000, sizeof(v[0]), compare);
	for (int i = 0; i < 1000; i += 100) printf("%d\n", v[i]);
	return v[999] & 3;
}
C
cc -O2 -g -c a.c && cc -o a a.o && cksum a.o a
./a
echo "status $?"
cc -c nothing.c
echo "status $?"
