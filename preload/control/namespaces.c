/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports libraries that dlmopen() loads into a namespace of their own: their calls do not pass the
 * preload library, nor does dl_iterate_phdr() show them. The process is reported as not recorded as
 * a whole as soon as it opens one, because it may be killed at any time; at its end that is taken
 * back if /proc/self/maps, which shows every namespace, has no GPU's runtime.
 *
 * The loader resolves paths by the caller, so that dlmopen() is jumped to, as dlsym() is.
 */
#include "preload/control/namespaces.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/trace/count_missed.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/jump.h"
#include "preload/core/libc.h"
#include "preload/core/libc_symbols.h"
#include "preload/core/start.h"

int hg_namespaces_opened;

static struct hg_missed_row *row; /* NULL: nothing is reported */
static bool found;                /* a runtime */

__attribute__((visibility("hidden"))) void *hg_real_dlmopen;
__attribute__((visibility("hidden"), used)) void *hg_dlmopen_hook(Lmid_t space);

HG_JUMP(dlmopen, "", hg_dlmopen_hook, hg_real_dlmopen);

void *hg_dlmopen_hook(Lmid_t space)
{
	int saved = errno;

	if (HG_UNLIKELY(!hg_real_dlmopen)) {
		hg_libc_init();
		hg_real_dlmopen = (void *)hg_libc.dlsym(RTLD_NEXT, "dlmopen");
	}
	hg_start(NULL);
	if (space != LM_ID_BASE && hg_config.recorded && getpid() == hg_process_id) {
		if (!__atomic_exchange_n(&hg_namespaces_opened, 1, __ATOMIC_ACQ_REL))
			row = hg_missed_add(HG_MISSED_NAMESPACE, program_invocation_short_name,
					    getpid());
	}
	errno = saved;
	return NULL;
}

/* ---- what is mapped ---- */

struct look {
	uintptr_t start;
	bool here; /* it is in the namespace that we are in */
};

static int compare(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !look->here; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = (info->dlpi_addr + segment->p_vaddr) & ~(uintptr_t)4095;

		look->here =
		    segment->p_type == PT_LOAD && look->start - start < segment->p_memsz + 4096;
	}
	return look->here;
}

static bool is_runtime(const char *line)
{
	static const char *const names[] = { "/libamdhip64.so", "/libhsa-runtime64.so" };
	struct look look = { .start = strtoull(line, NULL, 16) };
	bool named = false;

	for (size_t i = 0; i < HG_COUNT(names); i++)
		named |= strstr(line, names[i]) != NULL;
	if (named)
		hg_libc.dl_iterate_phdr(compare, &look);
	return named && !look.here;
}

/* Reads the file by lines, however long it is; a line that is too long is read in parts. */
static bool find_runtime(void)
{
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char text[4096 + 512];
	size_t held = 0;
	bool any = false;
	ssize_t got;

	while (file >= 0 && !any && (got = read(file, text + held, sizeof(text) - 1 - held)) > 0) {
		char *line = text, *end;

		held += (size_t)got;
		text[held] = 0;
		while (!any && (end = strchr(line, '\n')) != NULL) {
			*end = 0;
			any = is_runtime(line);
			line = end + 1;
		}
		held = (size_t)(text + held - line);
		if (held == sizeof(text) - 1)
			held = 0;
		memmove(text, line, held);
	}
	if (file >= 0)
		hg_libc.close(file);
	return any;
}

void hg_namespaces_look(bool end)
{
	int saved = errno, cancel = hg_keep_thread();

	if (!found && row)
		found = find_runtime();
	if (end && !found) {
		hg_missed_take_back(row);
		row = NULL;
	}
	hg_release_thread(cancel);
	errno = saved;
}

/* Looks also in a process that made no event, for which nothing else is done at its end. */
__attribute__((destructor)) static void end_of_process(void)
{
	if (HG_UNLIKELY(hg_namespaces_opened) && getpid() == hg_process_id)
		hg_namespaces_look(true);
}
