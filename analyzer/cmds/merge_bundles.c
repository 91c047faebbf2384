/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that are to be merged: analysed first, several at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/merge_parts.h"
#include "tracer/message.h"

/* Executes our own program again: a process a bundle, whose memory ends with it. */
static pid_t start_report(const struct merge_part *part, const struct merge_options *options)
{
	char *view = g_strdup_printf("--view=%u", options->count);
	const char *const *extra = options->extra;
	GPtrArray *arguments = g_ptr_array_new();
	const char *const fixed[] = { "hipgrain",         "report", "--format=json",
				      "--progress=never", "-o",     part->report };
	pid_t child;

	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
		g_ptr_array_add(arguments, (gpointer)fixed[i]);
	if (options->format == REPORT_HTML)
		g_ptr_array_add(arguments, view);
	if (options->format == REPORT_CHROME)
		g_ptr_array_add(arguments, (gpointer) "--chrome");
	for (; extra && *extra; extra++)
		g_ptr_array_add(arguments, (gpointer)*extra);
	g_ptr_array_add(arguments, (gpointer)part->path);
	g_ptr_array_add(arguments, NULL);
	child = fork();
	if (child == 0) {
		execv("/proc/self/exe", (char *const *)arguments->pdata);
		_exit(127);
	}
	g_ptr_array_free(arguments, TRUE);
	g_free(view);
	return child;
}

static int wait_report(struct merge_part *parts, unsigned count)
{
	int status;
	pid_t child = wait(&status);

	for (unsigned i = 0; i < count; i++) {
		if (parts[i].child == child && child > 0) {
			parts[i].child = 0;
			if (WIFEXITED(status) && WEXITSTATUS(status) == HG_EXIT_OK)
				continue;
			/* A child that cannot read its bundle has said so itself. */
			if (!WIFEXITED(status) || WEXITSTATUS(status) != HG_EXIT_INPUT)
				message_error("%s: could not be analysed", parts[i].path);
			return -EIO;
		}
	}
	return 0;
}

int merge_bundles(struct merge_part *parts, unsigned count, const struct merge_options *options)
{
	unsigned running = 0;
	int result = 0;

	for (unsigned i = 0; i < count; i++) {
		struct stat status;
		int fd;

		if (stat(parts[i].path, &status) < 0) {
			message_error("%s: %s", parts[i].path, strerror(errno));
			result = -errno;
			break;
		}
		if (!S_ISDIR(status.st_mode))
			continue;
		fd = g_file_open_tmp("hipgrain-XXXXXX", &parts[i].report, NULL);
		if (fd < 0) {
			message_error("cannot create a temporary file: %s", strerror(errno));
			result = -EIO;
			break;
		}
		close(fd);
		if (running == options->jobs) {
			result = wait_report(parts, count);
			running--;
			if (result < 0)
				break;
		}
		parts[i].child = start_report(&parts[i], options);
		if (parts[i].child < 0) {
			message_error("%s", strerror(errno));
			result = -EIO;
			break;
		}
		running++;
	}
	for (; running; running--) {
		int one = wait_report(parts, count);

		result = result ? result : one;
	}
	return result;
}
