// SPDX-License-Identifier: Apache-2.0
/*
 * Keeps the content of /sys/class/kfd/kfd/proc about the processes that use the driver
 * (kfd_process.c): a folder for each, in memory (/dev/shm), for one user and one namespace of
 * process numbers. The process holds a lock on its folder, which ends with the process however that
 * ends; the next process that looks removes folders without a lock. The amount of memory in use is
 * in a page that the process writes to as it counts, and becomes text on request.
 */
#include "kernels/softkfd/libc_below.h"
#include "kernels/softkfd/memory.h"
#include "kernels/softkfd/file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM   128
#define USE    "/.use" /* that page: bytes of VRAM, by GPU */
#define PASIDS 0x8000u /* the driver's are from here on */

/* This process' folder; no descriptor: it has none. */
static struct {
	char path[ROOM];
	struct kfd_own file;
	pid_t pid;
} own = { .file.fd = -1 };

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

/* ---- the folder of all of them ---- */

static bool make_own(const char *path)
{
	struct stat status;

	return (!mkdir(path, 0700) || errno == EEXIST) &&
	       !syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022);
}

/* Stores the path of the folder for all processes in `path`; numbers of processes mean something in
 * their namespace only. */
static bool find_folder(char path[static ROOM])
{
	struct stat status;

	if (syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &status, 0))
		return false;
	snprintf(path, ROOM, "/dev/shm/hipgrain-softgpu-%u", geteuid());
	if (!make_own(path))
		return false;
	snprintf(path, ROOM, "/dev/shm/hipgrain-softgpu-%u/%lu", geteuid(), status.st_ino);
	return make_own(path);
}

static int open_folder(const char *path, int lock)
{
	int file = kfd_real_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

	if (file >= 0 && flock(file, lock)) {
		kfd_real_close(file);
		file = -1;
	}
	return file;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

static void remove_folder(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Calls `each` with the path of every process' folder in `all`. */
static void walk(const char *all, void (*each)(const char *path, void *data), void *data)
{
	DIR *list = NEXT(opendir)(all);
	const struct dirent *entry;
	char path[ROOM + 64];

	while (list && (entry = readdir(list))) {
		if (!is_number(entry->d_name) || strlen(entry->d_name) > 32)
			continue;
		snprintf(path, sizeof path, "%s/%s", all, entry->d_name);
		each(path, data);
	}
	if (list)
		closedir(list);
}

/* Removes a folder whose lock can be had: it is a past process'. */
static void sweep_one(const char *path, void *data)
{
	int file = open_folder(path, LOCK_EX | LOCK_NB);

	(void)data;
	if (file < 0)
		return;
	remove_folder(path);
	kfd_real_close(file);
}

/* Opens the folder of all of them, without those of past processes, and in `all` its path. While
 * it is open folders neither come nor go. */
static int enter(char all[static ROOM])
{
	int file = find_folder(all) ? open_folder(all, LOCK_EX) : -1;

	if (file >= 0)
		walk(all, sweep_one, NULL);
	return file;
}

/* Unlocks the lock itself: a child that was forked meanwhile has the descriptor, too. */
static void quit(int file)
{
	if (file < 0)
		return;
	flock(file, LOCK_UN);
	kfd_real_close(file);
}

/* ---- this process ---- */

static bool write_text(const char *path, const char *text)
{
	size_t length = strlen(text);
	int file = kfd_real_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	bool good = file >= 0 && pwrite(file, text, length, 0) == (ssize_t)length &&
		    !ftruncate(file, (off_t)length);

	if (file >= 0)
		kfd_real_close(file);
	return good;
}

static bool __attribute__((format(printf, 2, 3))) put(const char *text, const char *format, ...)
{
	char path[ROOM + 64];
	size_t length = strlen(own.path);
	va_list arguments;
	char *slash;

	memcpy(path, own.path, length);
	va_start(arguments, format);
	vsnprintf(path + length, sizeof path - length, format, arguments);
	va_end(arguments);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (mkdir(path, 0700) && errno != EEXIST)
		return false;
	*slash = '/';
	return write_text(path, text);
}

static bool count_use(void)
{
	char path[ROOM + 64];
	uint64_t *place = MAP_FAILED;
	int file;

	snprintf(path, sizeof path, "%s" USE, own.path);
	file = kfd_real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file >= 0 && !posix_fallocate(file, 0, SOFTGPU_PAGE_SIZE))
		place = kfd_real_mmap(NULL, SOFTGPU_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
				      file, 0);
	if (file >= 0)
		kfd_real_close(file);
	if (place == MAP_FAILED)
		return false;
	kfd_memory_count_in(place);
	return true;
}

static bool fill(void)
{
	char text[32], path[ROOM + 64];
	bool good;

	snprintf(text, sizeof text, "%u\n", PASIDS + (unsigned)own.pid % PASIDS);
	good = put(text, "/pasid");
	for (unsigned gpu = 0; good && gpu < sg_settings.gpus; gpu++)
		good =
		    put("0\n", "/vram_%u", SG_KFD_ID(gpu)) &&
		    /* It takes no queue off the GPU, unlike hardware with more queues than room. */
		    put("0\n", "/stats_%u/evicted_ms", SG_KFD_ID(gpu));
	snprintf(path, sizeof path, "%s/queues", own.path);
	return good && !mkdir(path, 0700) && count_use();
}

void kfd_process_enter(void)
{
	char all[ROOM];
	int file;

	if (own.file.fd >= 0)
		return;
	file = enter(all);
	own.pid = getpid();
	if (file >= 0 && snprintf(own.path, sizeof own.path, "%s/%d", all, own.pid) < ROOM &&
	    !mkdir(own.path, 0700)) {
		own.file = kfd_own(open_folder(own.path, LOCK_EX | LOCK_NB));
		if (own.file.fd >= 0 && !fill())
			kfd_close_own(&own.file);
	}
	if (own.file.fd < 0)
		sg_log("processes: this one can't be shown: %s", strerror(errno));
	quit(file);
}

static __attribute__((destructor)) void leave(void)
{
	if (own.file.fd >= 0 && own.pid == getpid())
		remove_folder(own.path);
}

void kfd_process_forked(void)
{
	kfd_close_own(&own.file);
}

/* ---- its queues ---- */

int kfd_process_create_queue(void *argument, size_t size)
{
	/* KFD's own numbers (kfd_priv.h). */
	static const char *const types[] = { [KFD_QUEUE_AQL] = "0",
					     [KFD_QUEUE_SDMA] = "1",
					     [KFD_QUEUE_SDMA_XGMI] = "4",
					     [KFD_QUEUE_SDMA_BY_ENGINE] = "5" };
	const struct kfd_arg_create_queue *request = argument;
	int error = kfd_create_queue(argument, size);
	char gpu[16], bytes[16];

	if (error || own.file.fd < 0)
		return error;
	snprintf(gpu, sizeof gpu, "%u", request->gpu_id);
	snprintf(bytes, sizeof bytes, "%u", request->ring_size);
	if (!put(gpu, "/queues/%u/gpuid", request->queue_id) ||
	    !put(bytes, "/queues/%u/size", request->queue_id) ||
	    !put(types[request->type], "/queues/%u/type", request->queue_id))
		sg_log("processes: queue %u can't be shown", request->queue_id);
	return 0;
}

int kfd_process_destroy_queue(void *argument, size_t size)
{
	const struct kfd_arg_destroy_queue *request = argument;
	int error = kfd_destroy_queue(argument, size);
	char path[ROOM + 64];

	if (!error && own.file.fd >= 0) {
		snprintf(path, sizeof path, "%s/queues/%u", own.path, request->queue_id);
		remove_folder(path);
	}
	return error;
}

/* ---- whoever looks ---- */

/* Adds what the process of that folder uses to *data, which begins with the GPU's number. */
struct use {
	unsigned gpu;
	uint64_t bytes;
};

static void add_use(const char *folder, void *data)
{
	struct use *use = data;
	char path[ROOM + 128];
	uint64_t bytes;
	int file;

	snprintf(path, sizeof path, "%s" USE, folder);
	file = kfd_real_open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (file >= 0 && pread(file, &bytes, sizeof bytes, (off_t)(use->gpu * sizeof bytes)) ==
			     (ssize_t)sizeof bytes)
		use->bytes += bytes;
	if (file >= 0)
		kfd_real_close(file);
}

static bool write_use(const struct use *use, const char *path)
{
	char text[32];

	snprintf(text, sizeof text, "%lu\n", use->bytes);
	return write_text(path, text);
}

bool kfd_process_path(const char *rest, char *room)
{
	char all[ROOM], folder[ROOM + 64];
	int file = enter(all), gpu;
	unsigned pid, gpu_id;

	if (file < 0)
		return false;
	snprintf(room, KFD_PATH_ROOM, "%s%s", all, rest);
	if (sscanf(rest, "/%u/vram_%u", &pid, &gpu_id) == 2 &&
	    (gpu = kfd_gpu_number(gpu_id)) >= 0) {
		struct use use = { (unsigned)gpu, 0 };
		struct stat status;

		snprintf(folder, sizeof folder, "%s/%u", all, pid);
		add_use(folder, &use);
		if (!syscall(SYS_newfstatat, AT_FDCWD, room, &status, 0))
			(void)write_use(&use, room);
	}
	quit(file);
	return true;
}

bool kfd_process_vram_path(unsigned gpu, char *room)
{
	struct use use = { gpu, 0 };
	char all[ROOM];
	int file = enter(all);
	bool good;

	if (file < 0)
		return false;
	walk(all, add_use, &use);
	snprintf(room, KFD_PATH_ROOM, "%s/vram_used_%u", all, gpu);
	good = write_use(&use, room);
	quit(file);
	return good;
}
