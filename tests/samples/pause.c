/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded before everything else: the program waits at its first launch. It creates the file
 * that PAUSE_READY names, and goes on when there is the one that PAUSE_GO names.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

struct dim3 {
	unsigned x, y, z;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void pause_here(void)
{
	const char *ready = getenv("PAUSE_READY"), *go = getenv("PAUSE_GO");
	int fd = ready ? open(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd < 0 || !go)
		return;
	close(fd);
	while (access(go, F_OK))
		usleep(5000);
}

int hipLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
		    size_t shared, void *stream);
int hipLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
		    size_t shared, void *stream)
{
	int (*next)(const void *, struct dim3, struct dim3, void **, size_t, void *) =
	    (int (*)(const void *, struct dim3, struct dim3, void **, size_t, void *))dlsym(
		RTLD_NEXT, "hipLaunchKernel");

	pthread_once(&once, pause_here);
	return next(function, grid, block, args, shared, stream);
}

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra);
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
			  void **extra)
{
	int (*next)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		    void *, void **, void **) =
	    (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
		     void *, void **, void **))dlsym(RTLD_NEXT, "hipModuleLaunchKernel");

	pthread_once(&once, pause_here);
	return next(function, gx, gy, gz, bx, by, bz, shared, stream, args, extra);
}
