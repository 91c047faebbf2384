/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that comes by other ways than a call of malloc() or mmap(): shared segments, the break,
 * functions of the C library that allocate for their caller, C23's releases. As preload-app.c each
 * mode prints, for every event that must be there, a line "event FIELD = VALUE, FIELD = VALUE".
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE  ((size_t)4096)
#define LONG  30000
#define LARGE ((size_t)1 << 20)

/* Ids of tracer/api/, written out: they are part of the trace format. */
enum {
	MALLOC = 1,
	REALLOC = 3,
	MMAP = 12,
	SHMAT = 14,
	BRK,
	SBRK,
	FREE = 30,
	MUNMAP = 34,
	SHMDT,
	FREE_SIZED,
	FREE_ALIGNED_SIZED
};

static void expect_map(int api, const void *ptr, size_t size, uint64_t flags)
{
	printf("alloc api = %d, ptr = 0x%" PRIXPTR ", device_ptr = 0x%" PRIXPTR
	       ", size = %zu, flags = 0x%" PRIX64 ", device = -1\n",
	       api, (uintptr_t)ptr, (uintptr_t)ptr, size, flags);
}

static void expect_unmap(int api, const void *ptr, size_t size)
{
	printf("free api = %d, ptr = 0x%" PRIXPTR ", size = %zu\n", api, (uintptr_t)ptr, size);
}

static void expect_error(int api, int code, const void *ptr, size_t size)
{
	printf("error api = %d, code = %d, ptr = 0x%" PRIXPTR ", size = %zu\n", api, code,
	       (uintptr_t)ptr, size);
}

/* ---- System V shared memory ---- */

static int segments(void)
{
	size_t size = 5 * PAGE + 100;
	int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600), status = 1;
	char *ptr, *second;
	pid_t child;

	if (id < 0) {
		printf("no segments: %s\n", strerror(errno));
		return 77;
	}
	errno = 77;
	ptr = shmat(id, NULL, 0);
	second = shmat(id, NULL, SHM_RDONLY);
	if (ptr == (void *)-1 || second == (void *)-1 || errno != 77)
		return 1;
	expect_map(SHMAT, ptr, size, (uint64_t)(uint32_t)id << 32);
	expect_map(SHMAT, second, size, (uint64_t)(uint32_t)id << 32 | SHM_RDONLY);
	fflush(stdout);
	/* What is removed stays until nobody has it, and can be attached until then. */
	shmctl(id, IPC_RMID, NULL);
	child = fork();
	if (!child) {
		ptr[1] = 5;
		expect_unmap(SHMDT, ptr, 0);
		_exit(shmdt(ptr) || fflush(stdout));
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status || second[1] != 5)
		return 2;
	expect_unmap(MUNMAP, ptr + PAGE, PAGE);
	if (munmap(ptr + PAGE, PAGE))
		return 3;
	expect_unmap(SHMDT, ptr, 0);
	expect_unmap(SHMDT, second, 0);
	if (errno != 77 || shmdt(ptr) || shmdt(second) || errno != 77)
		return 4;
	/* Failures; the release is recorded before, and then that it failed. */
	expect_unmap(SHMDT, ptr, 0);
	expect_error(SHMDT, EINVAL, ptr, 0);
	if (shmdt(ptr) != -1 || errno != EINVAL)
		return 5;
	expect_error(SHMAT, EINVAL, (void *)PAGE, 0);
	return shmat(-1, (void *)PAGE, 0) == (void *)-1 && errno == EINVAL ? 0 : 6;
}

/* What a recording that begins at the pause receives: the state by then. */
static int stays(void)
{
	int id = shmget(IPC_PRIVATE, 3 * PAGE, IPC_CREAT | 0600);
	char *ptr = id < 0 ? (void *)-1 : shmat(id, NULL, 0), *detached;

	if (ptr == (void *)-1)
		return 77;
	detached = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	if (shmdt(detached) || shmdt(detached) != -1)
		return 1;
	expect_map(SHMAT, ptr, 3 * PAGE, (uint64_t)(uint32_t)id << 32);
	printf("detached 0x%" PRIXPTR "\n", (uintptr_t)detached);
	printf("ready\n");
	fflush(stdout);
	getchar();
	free(malloc(LARGE)); /* whether it is to be recorded */
	return 0;
}

/* ---- the break ---- */

static int moves_break(void)
{
	char *ptr, *end;

	/* The C library's blocks must always lie below. */
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 16 << 20);
	free(malloc(100000));
	printf("the break\n");
	ptr = sbrk(3 * PAGE + 8);
	expect_map(SBRK, ptr, 3 * PAGE + 8, 0);
	ptr[3 * PAGE] = 1;
	end = sbrk(0); /* is no event */
	if (end != ptr + 3 * PAGE + 8 || brk(end + 2 * PAGE))
		return 1;
	expect_map(BRK, end, 2 * PAGE, 0);
	if (sbrk(0) != end + 2 * PAGE || brk(end))
		return 2;
	expect_unmap(BRK, end, 2 * PAGE);
	if (sbrk(-(intptr_t)(3 * PAGE + 8)) != end)
		return 3;
	expect_unmap(SBRK, ptr, 3 * PAGE + 8);
	errno = 0;
	if (sbrk(INTPTR_MAX) != (void *)-1 || errno != ENOMEM)
		return 4;
	expect_error(SBRK, ENOMEM, NULL, INTPTR_MAX);
	/* Below its start the break does not go, which is no failure. */
	if (brk((void *)PAGE) || sbrk(0) != ptr || sbrk(-((intptr_t)1 << 46)) != ptr)
		return 5;
	if (brk((void *)INTPTR_MAX) != -1 || errno != ENOMEM)
		return 7;
	expect_error(BRK, ENOMEM, (void *)INTPTR_MAX, 0);
	errno = 77;
	return sbrk(0) == ptr && errno == 77 ? 0 : 6;
}

/* ---- functions of the C library that allocate ---- */

/* A block that such a function made: recorded as one of malloc() or realloc(). */
static void made(int api, void *block)
{
	printf("alloc api = %d, ptr = 0x%" PRIXPTR "\n", api, (uintptr_t)block);
	printf("free api = %d, ptr = 0x%" PRIXPTR "\n", FREE, (uintptr_t)block);
	free(block);
}

static int all_entries(const struct dirent *entry)
{
	return entry != NULL;
}

static int within(void)
{
	static char text[LONG + 1];
	char *block = NULL, *path;
	struct dirent **list;
	size_t size = 0, count;
	FILE *stream;
	int found;

	setvbuf(stdout, NULL, _IOLBF, PAGE / 2);
	memset(text, 'x', LONG);
	made(MALLOC, strdup(text));
	made(MALLOC, strndup(text, LONG - 10));
	if (asprintf(&block, "%s and %d", text, 5) < 0)
		return 1;
	made(REALLOC, block);
	stream = open_memstream(&block, &size);
	if (!stream)
		return 2;
	for (unsigned i = 0; i < 10; i++)
		fputs(text, stream);
	fclose(stream);
	if (size != 10 * (size_t)LONG)
		return 3;
	made(REALLOC, block);
	for (int delimiter = '\n'; delimiter >= 0; delimiter -= '\n') {
		stream = tmpfile();
		if (!stream)
			return 4;
		fputs(text, stream);
		rewind(stream);
		block = NULL;
		count = 0;
		if ((delimiter ? getline(&block, &count, stream)
			       : getdelim(&block, &count, delimiter, stream)) != LONG)
			return 5;
		fclose(stream);
		made(REALLOC, block);
	}
	/* At least a page, by POSIX PATH_MAX: the same block, small or not, is freed once. */
	path = realpath("/proc/self/exe", NULL);
	free(path);
	found = scandir("/", &list, all_entries, alphasort);
	for (int i = 0; i < found; i++)
		free(list[i]);
	free(list);
	/* What says of the heap, or tidies it, is nobody's allocation. */
	malloc_trim(0);
	mallopt(M_PERTURB, 0);
	if (mallinfo2().arena == 0 || malloc_usable_size(NULL))
		return 6;
	return path && found > 0 ? 0 : 7;
}

/* ---- at the threshold, which is a page ---- */

static void at_threshold(int api, void *block)
{
	if (malloc_usable_size(block) >= PAGE)
		printf("free api = %d, ptr = 0x%" PRIXPTR "\n", FREE, (uintptr_t)block);
	else
		printf("nothing %d 0x%" PRIXPTR ",\n", api, (uintptr_t)block);
	free(block);
}

static int sizes(void)
{
	static char buffer[PAGE];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	for (size_t size = PAGE - 48; size <= PAGE + 48; size += 8) {
		void *block;

		at_threshold(MALLOC, malloc(size));
		for (size_t alignment = 16; alignment <= 2 * PAGE; alignment *= 8) {
			if (posix_memalign(&block, alignment, size))
				return 1;
			at_threshold(5, block);
			at_threshold(6, aligned_alloc(alignment, size));
			at_threshold(7, memalign(alignment, size));
		}
		at_threshold(8, valloc(size));
		at_threshold(9, pvalloc(size));
	}
	return 0;
}

/* ---- C23 ---- */

typedef void free_sized_t(void *block, size_t size);
typedef void free_aligned_t(void *block, size_t alignment, size_t size);

extern free_sized_t free_sized __attribute__((weak));
extern free_aligned_t free_aligned_sized __attribute__((weak));

static int sized(void)
{
	void *block, *everywhere = dlopen(NULL, RTLD_NOW);
	void *answers[] = { dlsym(RTLD_DEFAULT, "free_sized"), dlsym(everywhere, "free_sized"),
			    dlsym(RTLD_DEFAULT, "free_aligned_sized"),
			    dlsym(everywhere, "free_aligned_sized"),
			    dlvsym(RTLD_DEFAULT, "free_sized", "GLIBC_2.0") };

	/* Programs that ask for it by name must hear what they would without us. */
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		printf("by name %d\n", answers[i] != NULL);
	if (!free_sized || !free_aligned_sized)
		return 77;
	block = malloc(50000);
	errno = 77;
	printf("alloc api = %d, ptr = 0x%" PRIXPTR "\n", MALLOC, (uintptr_t)block);
	printf("free api = %d, ptr = 0x%" PRIXPTR "\n", FREE_SIZED, (uintptr_t)block);
	free_sized(block, 50000);
	block = aligned_alloc(8192, 65536);
	printf("free api = %d, ptr = 0x%" PRIXPTR "\n", FREE_ALIGNED_SIZED, (uintptr_t)block);
	free_aligned_sized(block, 8192, 65536);
	free_sized(malloc(100), 100);
	free_sized(NULL, 100);
	free_aligned_sized(NULL, 64, 100);
	return errno == 77 ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = { { "segments", segments }, { "stays", stays }, { "break", moves_break },
		      { "within", within },     { "sizes", sizes }, { "sized", sized } };

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 99;
}
