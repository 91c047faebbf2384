/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hiding DIRECTORY... PROGRAM: mounts an empty file system over each directory, and executes
 * PROGRAM, as bubblewrap does with a tree of files of its own. Allocates nothing.
 */
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc - 1; i++)
		if (mount("none", argv[i], "tmpfs", 0, NULL))
			return 98;
	execl(argv[argc - 1], argv[argc - 1], (char *)NULL);
	return 99;
}
