/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shifts by its argument, in a child whose standard error is lost; from 32 on that is undefined.
 * Ends with 0 whatever becomes of the child. usage: undefined NUMBER
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int by = argc > 1 ? atoi(argv[1]) : 0;
	pid_t child = fork();

	if (child == 0) {
		volatile unsigned bits = 1;

		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		bits <<= by;
		_exit(bits == 0);
	}
	return child < 0 || waitpid(child, NULL, 0) < 0;
}
