// SPDX-License-Identifier: Apache-2.0
/*
 * Processes over the driver in user space (kernels/softkfd): children that were forked before and
 * after the parent used the GPU, a program that a child starts, several at once, and ends while
 * kernels run. TAP on stdout.
 */
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tap.h"

#define COUNT 5000
#define GOOD  7

__global__ void square(int *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < COUNT)
		data[i] = i * i;
}

__global__ void spin(volatile int *flag)
{
	while (!*flag)
		;
}

/* Whether the GPU computes for this process. */
static bool computes(void)
{
	static int result[COUNT];
	int *data, wrong = 0;

	memset(result, 0, sizeof result);
	if (hipMalloc((void **)&data, sizeof result))
		return false;
	square<<<(COUNT + 255) / 256, 256>>>(data);
	if (hipMemcpy(result, data, sizeof result, hipMemcpyDeviceToHost))
		return false;
	for (int i = 0; i < COUNT; i++)
		wrong += result[i] != i * i;
	return !hipFree(data) && !wrong;
}

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* This program, as `what` says. */
static pid_t start(const char *what)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", "processes", what, (char *)NULL);
		_exit(1);
	}
	return child;
}

/* Leaves while a kernel runs that waits for what never comes. */
static int leave_running(void)
{
	int *flag;

	if (hipHostMalloc((void **)&flag, sizeof *flag, hipHostMallocDefault))
		return 1;
	*flag = 0;
	spin<<<1, 1>>>(flag);
	_exit(GOOD);
}

static void test_files(void)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), again;
	struct stat by_fd, by_path;
	uint32_t version[2] = { 0, 0 };
	int error = -1;
	pid_t child;

	check(fd >= 0 && !fstat(fd, &by_fd) && S_ISCHR(by_fd.st_mode) &&
		  !stat("/dev/kfd", &by_path) && by_path.st_rdev == by_fd.st_rdev,
	      "/dev/kfd is a character device");
	check(!stat("/dev/dri/renderD128", &by_path) && S_ISCHR(by_path.st_mode) &&
		  major(by_path.st_rdev) == 226 && minor(by_path.st_rdev) == 128,
	      "and so is the render node");
	check(!ioctl(fd, _IOR('K', 1, version), version) && version[0] == 1,
	      "the driver has a version");
	again = dup(fd);
	check(!ioctl(again, _IOR('K', 1, version), version), "by another descriptor, too");
	close(again);
	child = fork();
	if (child == 0)
		_exit(ioctl(fd, _IOR('K', 1, version), version) < 0 && errno == EBADF ? GOOD : 1);
	check(status_of(child) == GOOD, "but not to a child of whoever opened it");
	close(fd);
	error = open("/dev/dri/renderD140", O_RDWR | O_CLOEXEC);
	check(error < 0, "there is no render node of a GPU that is not there");
}

int main(int argc, char **argv)
{
	pid_t children[4];
	bool all = true;
	struct timespec begin, end;

	if (argc > 1 && !strcmp(argv[1], "compute"))
		return computes() ? GOOD : 1;
	if (argc > 1 && !strcmp(argv[1], "leave"))
		return leave_running();

	children[0] = fork();
	if (children[0] == 0)
		exit(computes() ? GOOD : 1);
	check(status_of(children[0]) == GOOD, "a child that was forked before computes");
	check(computes(), "and so does the parent");
	check(status_of(start("compute")) == GOOD,
	      "a program that a child of a user of the GPU starts computes");
	/* exit() would end in an assertion of ROCr's, whose memory the thunk does not free in a child. */
	children[0] = fork();
	if (children[0] == 0)
		_exit(GOOD);
	check(status_of(children[0]) == GOOD, "a child that does not use it ends");
	check(computes(), "the parent goes on");
	for (int i = 0; i < 4; i++)
		children[i] = start("compute");
	for (int i = 0; i < 4; i++)
		all = status_of(children[i]) == GOOD && all;
	check(all, "four at once compute");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	check(status_of(start("leave")) == GOOD, "a process ends while a kernel runs");
	clock_gettime(CLOCK_MONOTONIC, &end);
	check(end.tv_sec - begin.tv_sec < 20, "soon");
	test_files();
	return tap_end();
}
