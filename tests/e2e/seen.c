/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the library of seen.hip in the way of MODE, and has it work. usage: seen MODE LIBRARY */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = NULL;
	int (*work)(void);

	if (argc == 3 && !strcmp(argv[1], "local"))
		library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	else if (argc == 3 && !strcmp(argv[1], "deepbind"))
		library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	else if (argc == 3 && !strcmp(argv[1], "namespace"))
		library = dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW);
	work = library ? (int (*)(void))dlsym(library, "work") : NULL;
	if (!work) {
		fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: MODE LIBRARY");
		return 2;
	}
	return work();
}
