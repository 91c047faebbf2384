/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a thread that may be cancelled at any instruction from being cancelled while it makes
 * events.
 */
#include "preload/core/cancel.h"

#include <dlfcn.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"

static int (*set_cancel_type)(int type, int *before);

HG_EXPORT int pthread_setcanceltype(int type, int *before)
{
	bool async = hg_tls.async;
	int rc;

	if (!set_cancel_type) {
		hg_libc_init();
		set_cancel_type =
		    (__typeof__(set_cancel_type))hg_libc.dlsym(RTLD_NEXT, "pthread_setcanceltype");
	}
	/* A thread that is cancelled here does not return. */
	hg_tls.async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (hg_tls.async) /* block.c */
		hg_tls.ordinary = hg_tls.ordinary_stacks = 0;
	else
		hg_tls.ordinary_but_async = 0;
	rc = set_cancel_type(type, before);
	if (rc)
		hg_tls.async = async;
	return rc;
}

/* This does not call pthread_setcancelstate(): a thread that this cancels has another result (glibc
 * 2.36). */
void hg_defer_cancel(bool yes)
{
	set_cancel_type(yes ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}
