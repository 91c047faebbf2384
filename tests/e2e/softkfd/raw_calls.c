// SPDX-License-Identifier: Apache-2.0
/*
 * What a program sees that calls the kernel by an instruction of its own, past libc: no driver's
 * device, and a descriptor that libc opened is that of a file which knows no requests. TAP on
 * stdout.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../softgpu/tap.h"
#include "kernels/softkfd/abi.h"

#define GET_VERSION _IOR('K', 1, struct kfd_arg_version)

/* Returns the result, or an error's number below 0. */
static long call(long number, long first, long second, long third)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
}

int main(void)
{
	struct kfd_arg_version version = { 0 };
	int device;

	if (call(SYS_access, (long)"/dev/kfd", F_OK, 0) != -ENOENT) {
		puts("1..0 # SKIP this machine has a driver");
		return 0;
	}
	device = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	check(device >= 0, "libc's open finds the device");
	check(!ioctl(device, GET_VERSION, &version) && version.major == 1,
	      "libc's ioctl reaches the driver");
	check(call(SYS_open, (long)"/dev/kfd", O_RDWR, 0) == -ENOENT,
	      "the kernel's open does not: ENOENT");
	check(call(SYS_ioctl, device, GET_VERSION, (long)&version) == -ENOTTY,
	      "nor does its ioctl, on the descriptor that libc's open returned: ENOTTY");
	check(!syscall(SYS_ioctl, device, GET_VERSION, &version),
	      "syscall() is one of libc's functions");
	close(device);
	return tap_end();
}
