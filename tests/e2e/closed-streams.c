/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the descriptors 0, 1 and 2 are open, and the number of the next file, into a file; what
 * the preload library says meanwhile is not in that file. usage: closed-streams FILE
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile size_t huge = SIZE_MAX / 4;

/* A message of the preload library, in a child that has another file as descriptor 2. */
static long size_after_message(const char *path)
{
	void *(*new)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znwm");
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat status;
	pid_t child = new ? fork() : -1;

	if (child == 0) {
		if (file != STDERR_FILENO)
			dup2(file, STDERR_FILENO);
		free(new (huge)); /* says that this is too much, and aborts */
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	unlink(path);
	return fstat(file, &status) ? -1 : (long)status.st_size;
}

int main(int argc, char **argv)
{
	char text[64] = "", name[4096];
	int next, file;

	if (argc != 2)
		return 2;
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			text[strlen(text)] = (char)('0' + fd);
	free(malloc(100000));
	next = open("/dev/null", O_RDONLY);
	snprintf(name, sizeof(name), "%s.message", argv[1]);
	snprintf(text + strlen(text), 32, " %d %ld\n", next, size_after_message(name));
	file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	return file < 0 || write(file, text, strlen(text)) < 0 ? 1 : 7;
}
