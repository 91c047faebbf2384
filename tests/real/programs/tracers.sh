# SPDX-License-Identifier: Apache-2.0
# needs gdb strace cc
# Programs under a debugger and a tracer that are recorded themselves, as their programs are.
cat >a.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int stop_here(char *block) { return block[3]; }
int main(void)
{
	char *block = calloc(10000, 1);
	block[3] = 7;
	printf("%d\n", stop_here(block));
	free(block);
	return 4;
}
C
cc -g -O1 -o a a.c
gdb -batch -nx -ex 'break stop_here' -ex run -ex 'print block[3]' -ex 'backtrace' -ex continue ./a 2>/dev/null </dev/null |
	grep -E '^\$1|^#[01]|exited with' | sed 's/0x[0-9a-f]*//g; s/process [0-9]*//'
strace -f -e trace=exit_group -e signal=none -o calls ./a
echo "status $?"
grep -c 'exit_group(4)' calls
