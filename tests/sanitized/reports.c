/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of programs that are built with UndefinedBehaviorSanitizer: writes each of its reports to
 * $UNDEFINED_REPORTS.PID, too. GCC's library heeds log_path in no program that has
 * AddressSanitizer, and processes have their standard error elsewhere, where no test looks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The library's interface for debuggers (compiler-rt, ubsan_monitor.h). */
void __ubsan_on_report(void);
void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
				     unsigned *line, unsigned *column, char **address);

void __ubsan_on_report(void)
{
	const char *reports = getenv("UNDEFINED_REPORTS"), *kind, *message, *file;
	char path[4096], text[1024], *address;
	unsigned line, column;
	int output, length;

	if (!reports)
		return;
	__ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
	snprintf(path, sizeof(path), "%s.%d", reports, (int)getpid());
	length =
	    snprintf(text, sizeof(text), "%s:%u:%u: %s: %s\n", file, line, column, kind, message);
	length = length < (int)sizeof(text) ? length : (int)sizeof(text) - 1;
	output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (output < 0 || write(output, text, (size_t)length) != length)
		abort();
	close(output);
}
