// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* One write per line, so that lines of several threads don't mix. */
static void print_line(const char *format, va_list arguments)
{
	char line[1024];
	vsnprintf(line, sizeof line, format, arguments);
	fprintf(stderr, "softgpu: %s\n", line);
}

void sg_log(const char *format, ...)
{
	va_list arguments;

	if (!sg_settings.log)
		return;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
}

void sg_warn(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
}

void sg_die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_line(format, arguments);
	va_end(arguments);
	abort();
}

void sg_memory_fault(unsigned gpu, uint64_t address)
{
	/* ROCr's own words; the hardware reports the page, not the byte. */
	fprintf(stderr,
		"Memory access fault by GPU node-%u (Agent handle: %p) on address %p. "
		"Reason: Page not present or supervisor privilege.\n",
		gpu + 1, (void *)&sg_gpu_agents[gpu],
		(void *)(uintptr_t)(address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1)));
	abort();
}
