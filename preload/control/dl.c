/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlclose(), which may unload code, and dl_iterate_phdr(), whose callbacks run under the loader's
 * lock. dlopen() is never wrapped, because the loader resolves paths by its caller.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <unistd.h>

#include "preload/control/namespaces.h"
#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/stacks/modules.h"
#include "preload/trace/enter.h"

/*
 * AddressSanitizer ends the program if its library was not the first that was loaded. A library
 * that only forwards may come before it.
 */
struct without_us {
	int (*callback)(struct dl_phdr_info *, size_t, void *);
	void *data;
};

static int pass_others(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct without_us *to = data;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (uintptr_t)pass_others - start < segment->p_memsz)
			return 0;
	}
	return to->callback(info, size, to->data);
}

/* While the callback runs the loader's lock is held: no stack is unwound then (stack.c). */
HG_EXPORT int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	struct without_us others = { callback, data };
	int rc;

	hg_libc_init();
	if (HG_UNLIKELY(hg_sanitizer != NULL))
		return hg_libc.dl_iterate_phdr(pass_others, &others);
	if (HG_LIKELY(!hg_active))
		return hg_libc.dl_iterate_phdr(callback, data);
	hg_tls.in_phdr++;
	rc = hg_libc.dl_iterate_phdr(callback, data);
	hg_tls.in_phdr--;
	return rc;
}

/* Forget the frames of code that was unloaded, and what is known of its calls. */
HG_EXPORT int dlclose(void *handle)
{
	int rc, saved = errno;

	if (HG_UNLIKELY(hg_active == HG_ACTIVE) && hg_enter()) {
		hg_modules_look_again();
		hg_leave();
	}
	if (HG_UNLIKELY(hg_namespaces_opened) && getpid() == hg_process_id)
		hg_namespaces_look(false);
	errno = saved;
	rc = hg_dlclose(handle);
	HG_EACH_PART(unloaded);
	return rc;
}
