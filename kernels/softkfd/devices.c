// SPDX-License-Identifier: Apache-2.0
/*
 * The device files. Behind each is a memory file, whose device and inode numbers tell what a
 * descriptor is, whichever way the program came by it: dup(), fcntl(), a message, fork(). Opening
 * one opens that file by its path in /proc.
 */
#include "kernels/softkfd/libc_below.h"
#include "kernels/softkfd/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* KFD's, and from 1 on those of render nodes. */
static struct kfd_own files[1 + SG_MAX_GPUS];
static bool ready;
/* Files of the process that forked this one, of which descriptors were inherited. */
#define STALE 64
static struct {
	dev_t device;
	ino_t inode;
} stale[STALE];
static unsigned stale_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed;

enum kfd_device kfd_device_known(dev_t device, ino_t inode, unsigned *gpu)
{
	unsigned known = __atomic_load_n(&stale_count, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
		for (unsigned i = 0; i <= sg_settings.gpus; i++) {
			if (files[i].inode != inode || files[i].device != device)
				continue;
			if (!i)
				return KFD_DEVICE;
			*gpu = i - 1;
			return KFD_RENDER_NODE;
		}
	}
	for (unsigned i = 0; i < known && i < STALE; i++)
		if (stale[i].inode == inode && stale[i].device == device)
			return KFD_STALE;
	return KFD_NOT_OURS;
}

enum kfd_device kfd_device_of(int fd, unsigned *gpu)
{
	struct stat status;

	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE) &&
	    !__atomic_load_n(&stale_count, __ATOMIC_ACQUIRE))
		return KFD_NOT_OURS;
	if (syscall(SYS_fstat, fd, &status))
		return KFD_NOT_OURS;
	return kfd_device_known(status.st_dev, status.st_ino, gpu);
}

bool kfd_device_opened(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

bool kfd_device_path(int gpu, char *room)
{
	if (!kfd_start() || gpu >= (int)sg_settings.gpus)
		return false;
	snprintf(room, KFD_PATH_ROOM, "/proc/self/fd/%d", files[1 + gpu].fd);
	return true;
}

/* ---- start and fork ---- */

/* The driver does not know the child by the parent's descriptors; memory and queues are the
 * parent's. */
static void in_child(void)
{
	unsigned known = stale_count;
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	failed = false;
	if (!ready)
		return;
	ready = false;
	for (unsigned i = 0; i <= sg_settings.gpus; i++, known++) {
		stale[known % STALE].device = files[i].device;
		stale[known % STALE].inode = files[i].inode;
		kfd_close_own(&files[i]);
	}
	__atomic_store_n(&stale_count, known, __ATOMIC_RELEASE);
	kfd_process_forked();
	kfd_queues_forked();
	kfd_events_forked();
	kfd_memory_forked();
}

/* AMD's thunk would look for them for some 20 s, and say nothing. */
static bool has_addresses(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur > KFD_ARENA_LEAST)
		return true;
	sg_warn("no GPU: the process may have %lu MiB of addresses (ulimit -v), and more than %lu "
		"are needed",
		(unsigned long)(limit.rlim_cur >> 20), (unsigned long)(KFD_ARENA_LEAST >> 20));
	return false;
}

static bool start(void)
{
	static bool watches;

	if (sg_settings_read() || !has_addresses())
		return false;
	for (unsigned i = 0; i <= sg_settings.gpus; i++) {
		char name[32];

		snprintf(name, sizeof name, i ? "softkfd-render%u" : "softkfd", 127 + i);
		files[i] =
		    kfd_own((int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
		/* Nothing can be written to a device. */
		syscall(SYS_fcntl, files[i].fd, F_ADD_SEALS,
			F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
		if (files[i].fd < 0) {
			sg_warn("no memory file for a device: %s", strerror(errno));
			while (i--)
				kfd_close_own(&files[i]);
			return false;
		}
	}
	if (!watches)
		watches = !pthread_atfork(NULL, NULL, in_child);
	sg_work_resume();
	return true;
}

bool kfd_start(void)
{
	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		return true;
	pthread_mutex_lock(&lock);
	if (!ready && !failed) {
		failed = !start();
		__atomic_store_n(&ready, !failed, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return ready;
}
