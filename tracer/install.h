/* SPDX-License-Identifier: Apache-2.0 */
/* This finds hipgrain's own files: beside the executable in a build tree, else installed. */
#ifndef HIPGRAIN_TRACER_INSTALL_H
#define HIPGRAIN_TRACER_INSTALL_H

#include <stddef.h>

struct install_paths {
	char *preload;  /* libhipgrain-preload.so */
	char *provider; /* libhipgrain-provider.so, beside it */
	char *shim;     /* libhipgrain-sessiond.so, too: tracer/daemon_shim.c */
	char *kokkos;   /* libhipgrain-kokkos.so, too; NULL: it is not there */
	char *driver;   /* libhipgrain-softkfd.so, with comgr/ beside it; NULL: not built */
	char *demo;     /* hipgrain-demo with its code object beside it; NULL: not built */
	char *probe;    /* probe.hipfb, the kernels of `hipgrain probe`; NULL: not built */
};

/*
 * Finds them relative to /proc/self/exe, so that a build tree or an installation can be moved.
 * Returns 0 (install_paths_free() later) or -errno with one line in `why`. If the path of the
 * preload library has a space or a colon, which LD_PRELOAD does not take, `preload` leads there
 * through a link, and so do the paths of the software GPU.
 */
int install_find(struct install_paths *paths, char *why, size_t why_size);

/*
 * Returns the path of FILE among what a portable tree brings along, malloc'ed; NULL if there is
 * none, as in a build tree or an installation among the system's packages.
 */
char *install_bundled(const char *file);

void install_paths_free(struct install_paths *paths);

#endif
