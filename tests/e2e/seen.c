/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the library of seen.hip in the way of MODE, has it work, and ends by END: a signal's
 * number, a function, or "titled", exit() after it has changed its title. usage: seen MODE LIBRARY
 * [END]
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end(char **argv)
{
	const char *way = argv[3];

	if (!strcmp(way, "_exit"))
		_exit(6);
	if (!strcmp(way, "_Exit"))
		_Exit(6);
	if (!strcmp(way, "quick_exit"))
		quick_exit(6);
	if (!strcmp(way, "titled")) {
		/* The arguments lie behind each other, and the environment behind them. */
		memset(argv[0], 0, (size_t)(argv[3] + strlen(argv[3]) - argv[0]));
		strcpy(argv[0], "working");
		exit(6);
	}
	raise(atoi(way));
}

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
		end(argv);
	return status;
}
