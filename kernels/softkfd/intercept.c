// SPDX-License-Identifier: Apache-2.0
/*
 * The functions of libc that take a path or a descriptor of a device file, by each of their names,
 * as libc's inner calls from one to another do not come by here.
 */
/* Else the headers would give both names of a function to one. */
#undef _FILE_OFFSET_BITS
#include "kernels/softkfd/libc_below.h"
#include "kernels/softkfd/memory.h"

#include <alloca.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Numbers of the device files: render nodes are DRM's; that of KFD is given out dynamically. */
#define DRM_MAJOR    226
#define RENDER_MINOR 128
#define KFD_MAJOR    234

/* `path`, or what to open instead. Callers may have little stack: only then is there a buffer on
 * it. */
#define OTHER(path) (kfd_path_may_be_ours(path) ? redirected(path, alloca(KFD_PATH_ROOM)) : (path))

static const char *redirected(const char *path, char *room)
{
	int saved = errno;
	const char *other = kfd_path(path, room);

	errno = saved;
	return other ? other : path;
}

/* The same for functions that say what a path leads to: a device file leads to itself. */
#define LINK_OF(path) (kfd_path_may_be_ours(path) ? tree_only(path, alloca(KFD_PATH_ROOM)) : (path))

static const char *tree_only(const char *path, char *room)
{
	const char *other = redirected(path, room);

	return strncmp(other, "/proc/self/fd/", 14) ? other : path;
}

#define PASS_ON(type, name, parameters, ...)    \
	type name parameters;                   \
	type name parameters                    \
	{                                       \
		return NEXT(name)(__VA_ARGS__); \
	}

/* ---- open ---- */

#define HAS_MODE(flags) ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)
#define MODE(flags)                                       \
	({                                                \
		mode_t mode = 0;                          \
		if (HAS_MODE(flags)) {                    \
			va_list arguments;                \
			va_start(arguments, flags);       \
			mode = va_arg(arguments, mode_t); \
			va_end(arguments);                \
		}                                         \
		mode;                                     \
	})

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
/* With _FORTIFY_SOURCE, these are called where the compiler knows the size of the buffer. */
ssize_t __readlink_chk(const char *path, char *result, size_t size, size_t room);
char *__realpath_chk(const char *path, char *result, size_t room);

PASS_ON(int, open, (const char *path, int flags, ...), OTHER(path), flags, MODE(flags))
PASS_ON(int, open64, (const char *path, int flags, ...), OTHER(path), flags, MODE(flags))
PASS_ON(int, openat, (int folder, const char *path, int flags, ...), folder, OTHER(path), flags,
	MODE(flags))
PASS_ON(int, openat64, (int folder, const char *path, int flags, ...), folder, OTHER(path), flags,
	MODE(flags))
PASS_ON(int, __open_2, (const char *path, int flags), OTHER(path), flags)
PASS_ON(int, __open64_2, (const char *path, int flags), OTHER(path), flags)
PASS_ON(int, __openat_2, (int folder, const char *path, int flags), folder, OTHER(path), flags)
PASS_ON(int, __openat64_2, (int folder, const char *path, int flags), folder, OTHER(path), flags)
PASS_ON(FILE *, fopen, (const char *path, const char *mode), OTHER(path), mode)
PASS_ON(FILE *, fopen64, (const char *path, const char *mode), OTHER(path), mode)
PASS_ON(DIR *, opendir, (const char *path), OTHER(path))
PASS_ON(int, access, (const char *path, int mode), OTHER(path), mode)
PASS_ON(int, euidaccess, (const char *path, int mode), OTHER(path), mode)
PASS_ON(int, eaccess, (const char *path, int mode), OTHER(path), mode)
PASS_ON(int, faccessat, (int folder, const char *path, int mode, int flags), folder, OTHER(path),
	mode, flags)
PASS_ON(ssize_t, readlink, (const char *path, char *result, size_t size), LINK_OF(path), result,
	size)
PASS_ON(ssize_t, __readlink_chk, (const char *path, char *result, size_t size, size_t room),
	LINK_OF(path), result, size, room)
PASS_ON(char *, realpath, (const char *path, char *result), LINK_OF(path), result)
PASS_ON(char *, __realpath_chk, (const char *path, char *result, size_t room), LINK_OF(path),
	result, room)

/* ---- stat: device files are memory files, and must look like what they stand for ---- */

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout");

static int disguised(int result, struct stat *status)
{
	unsigned gpu = 0;
	dev_t number = makedev(KFD_MAJOR, 0);

	if (result || !S_ISREG(status->st_mode))
		return result;
	switch (kfd_device_known(status->st_dev, status->st_ino, &gpu)) {
	case KFD_RENDER_NODE:
		number = makedev(DRM_MAJOR, RENDER_MINOR + gpu);
		break;
	case KFD_DEVICE:
		break;
	default:
		return 0;
	}
	status->st_mode = S_IFCHR | 0666;
	status->st_rdev = number;
	status->st_size = 0;
	status->st_blocks = 0;
	return 0;
}

/* A device file here is a link, which must not be seen by a program that looks at links. */
#define IS_OTHER(path) \
	(kfd_path_may_be_ours(path) && redirected(path, alloca(KFD_PATH_ROOM)) != (path))
#define FLAGS(path, flags) (IS_OTHER(path) ? (flags) & ~AT_SYMLINK_NOFOLLOW : (flags))

#define STAT(name, parameters, ...)                                                       \
	int name parameters;                                                              \
	int name parameters                                                               \
	{                                                                                 \
		return disguised(NEXT(name)(__VA_ARGS__), (struct stat *)(void *)status); \
	}

STAT(stat, (const char *path, struct stat *status), OTHER(path), status)
STAT(stat64, (const char *path, struct stat64 *status), OTHER(path), status)
int lstat(const char *path, struct stat *status)
{
	return IS_OTHER(path) ? stat(path, status) : NEXT(lstat)(path, status);
}

int lstat64(const char *path, struct stat64 *status)
{
	return IS_OTHER(path) ? stat64(path, status) : NEXT(lstat64)(path, status);
}

STAT(fstat, (int fd, struct stat *status), fd, status)
STAT(fstat64, (int fd, struct stat64 *status), fd, status)
STAT(fstatat, (int folder, const char *path, struct stat *status, int flags), folder, OTHER(path),
     status, FLAGS(path, flags))
STAT(fstatat64, (int folder, const char *path, struct stat64 *status, int flags), folder,
     OTHER(path), status, FLAGS(path, flags))
/* Programs that were linked to a glibc before 2.33 call these functions. */
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
STAT(__xstat, (int version, const char *path, struct stat *status), version, OTHER(path), status)
STAT(__xstat64, (int version, const char *path, struct stat64 *status), version, OTHER(path),
     status)
int __lxstat(int version, const char *path, struct stat *status)
{
	return IS_OTHER(path) ? __xstat(version, path, status)
			      : NEXT(__lxstat)(version, path, status);
}

int __lxstat64(int version, const char *path, struct stat64 *status)
{
	return IS_OTHER(path) ? __xstat64(version, path, status)
			      : NEXT(__lxstat64)(version, path, status);
}

STAT(__fxstat, (int version, int fd, struct stat *status), version, fd, status)
STAT(__fxstat64, (int version, int fd, struct stat64 *status), version, fd, status)

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status)
{
	int result = NEXT(statx)(folder, OTHER(path), FLAGS(path, flags), mask, status);
	struct stat short_form;

	if (result)
		return result;
	short_form = (struct stat){
		.st_mode = status->stx_mode,
		.st_dev = makedev(status->stx_dev_major, status->stx_dev_minor),
		.st_ino = status->stx_ino,
	};
	disguised(0, &short_form);
	if (short_form.st_mode != status->stx_mode) {
		status->stx_mode = (uint16_t)short_form.st_mode;
		status->stx_rdev_major = major(short_form.st_rdev);
		status->stx_rdev_minor = minor(short_form.st_rdev);
		status->stx_size = status->stx_blocks = 0;
	}
	return 0;
}

/* ---- the end of a dmabuf is that of its memory, whatever is behind it in the file ---- */

static int64_t end_of(int fd, int64_t end)
{
	int saved = errno;
	struct kfd_file look;

	if (end > 0 && !kfd_file_look(fd, &look))
		end = (int64_t)look.size;
	errno = saved;
	return end;
}

#define SEEK(name, type)                                                            \
	type name(int fd, type offset, int whence)                                  \
	{                                                                           \
		type result = NEXT(name)(fd, offset, whence);                       \
		return whence == SEEK_END && !offset ? end_of(fd, result) : result; \
	}

SEEK(lseek, off_t)
SEEK(lseek64, off64_t)

/* ---- requests and mappings ---- */

#define IOC_TYPE(request) ((request) >> 8 & 0xff)
#define DRM_IOCTL_TYPE    'd'

/*
 * Returns true for the request of the thread of AMD's runtime that waits for events, after the
 * program has closed its descriptor: the runtime of 6.4.3 asks again at once where that fails.
 */
static bool is_orphaned_wait(unsigned long request)
{
	return IOC_TYPE(request) == KFD_IOCTL_TYPE &&
	       _IOC_DIR(request) == (_IOC_READ | _IOC_WRITE) && kfd_device_opened() &&
	       kfd_ioctl_waits(request);
}

/* Returns true if a request is one to a device file, with its result in *result, else false. */
static bool requested(int *result, int fd, unsigned long request, void *argument)
{
	unsigned gpu = 0;

	if (IOC_TYPE(request) != KFD_IOCTL_TYPE && IOC_TYPE(request) != DRM_IOCTL_TYPE)
		return false;
	switch (kfd_device_of(fd, &gpu)) {
	case KFD_DEVICE:
		*result = kfd_ioctl(request, argument);
		break;
	case KFD_RENDER_NODE:
		*result = kfd_drm_ioctl(gpu, fd, request, argument);
		break;
	case KFD_STALE:
		/* KFD answers so to a child of the process that opened it. */
		*result = -EBADF;
		break;
	default:
		if (!is_orphaned_wait(request))
			return false;
		*result = kfd_ioctl(request, argument);
	}
	if (*result < 0) {
		errno = -*result;
		*result = -1;
	}
	return true;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	int result;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return requested(&result, fd, request, argument) ? result
							 : NEXT(ioctl)(fd, request, argument);
}

/* A mapping of a device file in *result; false: it is another one's. */
static bool mapped(void **result, void *address, size_t size, int protection, int flags, int fd,
		   int64_t offset)
{
	unsigned gpu;

	if (fd < 0)
		return false;
	switch (kfd_device_of(fd, &gpu)) {
	case KFD_DEVICE:
		*result = kfd_mmap(address, size, protection, flags, (uint64_t)offset);
		return true;
	case KFD_RENDER_NODE:
		*result = kfd_render_mmap(gpu, address, size, protection, flags, (uint64_t)offset);
		return true;
	default:
		return false;
	}
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *result;

	if (mapped(&result, address, size, protection, flags, fd, offset))
		return result;
	return NEXT(mmap)(address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	void *result;

	if (mapped(&result, address, size, protection, flags, fd, offset))
		return result;
	return NEXT(mmap64)(address, size, protection, flags, fd, offset);
}

/* ---- what may not reach what the driver has reserved, and processes that are copied ---- */

int mlockall(int flags)
{
	int saved = errno, error;

	if (!(flags & MCL_CURRENT) || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		return NEXT(mlockall)(flags);
	if (flags & MCL_FUTURE && NEXT(mlockall)(flags & ~MCL_CURRENT))
		return -1;
	error = kfd_arena_lock_all(flags & MCL_ONFAULT);
	errno = error ? -error : saved;
	return error ? -1 : 0;
}

/* libc's own fork() calls the functions of pthread_atfork(), and these do not. */
static void copied(bool child)
{
	if (child)
		sg_pages_after_fork_child();
	else
		sg_pages_after_fork_parent();
}

pid_t _Fork(void)
{
	pid_t (*real)(void) = NEXT(_Fork);
	pid_t result;

	sg_pages_before_fork();
	result = real();
	copied(!result);
	return result;
}

struct start {
	int (*function)(void *);
	void *argument;
};

static int begin(void *argument)
{
	const struct start *start = argument;

	copied(true);
	return start->function(start->argument);
}

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	struct start start = { function, argument };
	bool copies = !(flags & CLONE_VM);
	va_list others;
	void *other[3];
	int result;

	va_start(others, argument);
	for (unsigned i = 0; i < 3; i++)
		other[i] = va_arg(others, void *);
	va_end(others);
	if (copies)
		sg_pages_before_fork();
	result = NEXT(clone)(copies ? begin : function, stack, flags, copies ? &start : argument,
			     other[0], other[1], other[2]);
	if (copies)
		copied(false);
	return result;
}

/* Returns true if the system call copies the process. */
static bool copies(long number, const long a[6])
{
	uint64_t flags = (uint64_t)a[0];

	if (number == SYS_clone3 && kfd_copy_in(&flags, flags, sizeof flags))
		return false;
	return number == SYS_fork ||
	       ((number == SYS_clone || number == SYS_clone3) && !(flags & CLONE_VM));
}

/* Does what libc's syscall() does, but looks nothing up: the pager comes by here. */
static long direct(long number, const long a[6])
{
	register long fourth __asm__("r10") = a[3], fifth __asm__("r8") = a[4],
			     sixth __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth),
			   "r"(sixth)
			 : "rcx", "r11", "memory");
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/*
 * Libraries that hook functions of libc by writing into their code make the system call by this
 * function then (UCX: mmap). What this library and its interpreter need comes by here, too.
 */
long syscall(long number, ...)
{
	va_list arguments;
	long a[6];
	void *mapping;
	int result;

	va_start(arguments, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_mmap &&
	    mapped(&mapping, (void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]))
		return (long)mapping;
	if (number == SYS_ioctl && requested(&result, (int)a[0], (unsigned long)a[1], (void *)a[2]))
		return result;
	if (number == SYS_open)
		a[0] = (long)OTHER((const char *)a[0]);
	if (number == SYS_openat)
		a[1] = (long)OTHER((const char *)a[1]);
	if (number == SYS_mlockall)
		return mlockall((int)a[0]);
	if (copies(number, a)) {
		long child;

		sg_pages_before_fork();
		child = direct(number, a);
		copied(!child);
		return child;
	}
	return direct(number, a);
}
