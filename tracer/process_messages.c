/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the messages that the preload library left in the bundle. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/message.h"
#include "tracer/process_messages.h"

#define TEXTS_MAX 32u

static char *read_all(int folder)
{
	int file = openat(folder, HG_MESSAGES, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = file < 0 ? NULL : malloc(2 * HG_MESSAGES_MAX + 1);
	struct stat status;
	size_t used = 0;
	ssize_t got = 1;

	if (text && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		while (used < 2 * HG_MESSAGES_MAX &&
		       (got = read(file, text + used, 2 * HG_MESSAGES_MAX - used)) > 0)
			used += (size_t)got;
	if (text)
		text[used] = '\0';
	if (file >= 0)
		close(file);
	return text;
}

static void take_over(int folder, int file, const char *name)
{
	char line[1024];
	ssize_t length = readlinkat(folder, name, line, sizeof(line) - 1);

	if (length <= 0)
		return;
	line[length] = '\0';
	length = (ssize_t)strcspn(line, "\n");
	line[length++] = '\n';
	if (write(file, line, (size_t)length) == length)
		unlinkat(folder, name, 0);
}

void process_messages_collect(int folder)
{
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), file = -1;
	DIR *list = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		if (strncmp(entry->d_name, HG_MESSAGE_LINK, sizeof(HG_MESSAGE_LINK) - 1) != 0)
			continue;
		if (file < 0)
			file = openat(folder, HG_MESSAGES,
				      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
					  O_CLOEXEC,
				      0600);
		if (file >= 0)
			take_over(folder, file, entry->d_name);
	}
	if (file >= 0)
		close(file);
	if (list)
		closedir(list);
	else if (again >= 0)
		close(again);
}

void process_messages_show(int folder)
{
	char *all = read_all(folder), *rest = NULL;
	const char *texts[TEXTS_MAX];
	size_t count = 0;

	for (char *line = all ? strtok_r(all, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *text = strstr(line, ": ");
		bool known = !text || count == TEXTS_MAX;

		for (size_t i = 0; !known && i < count; i++)
			known = strcmp(texts[i], text) == 0;
		if (!known) {
			texts[count++] = text;
			message_warning("process %s", line);
		}
	}
	free(all);
}
