/* SPDX-License-Identifier: Apache-2.0 */
/* A process that makes a file larger than RLIMIT_FSIZE is sent a signal: tells that beforehand. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "preload/core/files.h"
#include "preload/core/kernel_call.h"

bool hg_may_have(uint64_t size)
{
	struct rlimit64 limit;

	return !hg_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) && limit.rlim_cur >= size;
}

bool hg_may_append(int fd, size_t size)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       hg_may_have((uint64_t)status.st_size + size);
}
