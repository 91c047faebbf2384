/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the library of seen.hip in the way of MODE, has it work, and is ended by SIGNAL. usage:
 * seen MODE LIBRARY [SIGNAL] */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = NULL;
	int (*work)(void);
	int status;

	if (argc >= 3 && !strcmp(argv[1], "local"))
		library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	else if (argc >= 3 && !strcmp(argv[1], "deepbind"))
		library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	else if (argc >= 3 && !strcmp(argv[1], "namespace"))
		library = dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW);
	work = library ? (int (*)(void))dlsym(library, "work") : NULL;
	if (!work) {
		fprintf(stderr, "%s\n", argc >= 3 ? dlerror() : "usage: MODE LIBRARY");
		return 2;
	}
	status = work();
	if (argc == 4)
		raise(atoi(argv[3]));
	return status;
}
