/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways in which a program reaches a HIP runtime, one a mode: it prints which copy and which
 * version it reached. LINKED: it is linked to the first copy itself.
 * usage: program MODE DIR
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST  "libamdhip64.so.5"
#define SECOND "libamdhip64-second.so.7"

typedef int malloc_t(void **ptr, size_t size);
typedef int free_t(void *ptr);
typedef int error_t(void);
typedef int copy_t(void *to, const void *from, size_t size, int kind);
typedef int lookup_t(const char *symbol, void **function, int version, uint64_t flags,
		     void *status);

static const char *folder;
static size_t next_size = 1000;

static void *load(const char *name, int flags)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	handle = dlopen(path, RTLD_NOW | flags);
	if (!handle) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return handle;
}

/* Each allocation has a size of its own, by which it is found in the trace. */
static void *allocate(const char *what, malloc_t *function)
{
	void *ptr = NULL;
	int rc = function(&ptr, next_size);

	printf("alloc %zu %p %s %d\n", next_size, ptr, what, rc);
	next_size += 8;
	return ptr;
}

static void release(const char *what, free_t *function, void *ptr)
{
	printf("free %p %s %d\n", ptr, what, function(ptr));
}

static void use(const char *what, void *handle)
{
	release(what, (free_t *)dlsym(handle, "caller_free"),
		allocate(what, (malloc_t *)dlsym(handle, "caller_allocate")));
}

#ifdef LINKED
int hipMalloc(void **ptr, size_t size);
int hipFree(void *ptr);
int helper_free(void *ptr);

static void linked(void)
{
	release("linked", hipFree, allocate("linked", hipMalloc));
	release("static library", helper_free, allocate("linked", hipMalloc));
	use("linked by old names", load("libold.so", RTLD_LOCAL));
	use("bound to itself", load("libsymbolic.so", RTLD_LOCAL));
	/* The global scope is searched first, so this is the first copy. */
	use("linked to the second, in a local scope", load("libsecond.so", RTLD_LOCAL));
}

static void next(void)
{
	release("RTLD_NEXT", (free_t *)dlsym(RTLD_NEXT, "hipFree"),
		allocate("RTLD_NEXT", (malloc_t *)dlsym(RTLD_NEXT, "hipMalloc")));
}

/* Such a library reaches its own copy without passing by anything that was preloaded. */
static void deepbind(void)
{
	use("linked to the second, bound deeply", load("libsecond.so", RTLD_LOCAL | RTLD_DEEPBIND));
}
#endif

static void local(void)
{
	void *first = load("libfirst.so", RTLD_LOCAL), *second = load("libsecond.so", RTLD_LOCAL);
	void *old = load("libold.so", RTLD_LOCAL);

	for (unsigned i = 0; i < 2; i++) {
		use("linked to the first", first);
		use("linked to the second", second);
		use("linked to the first by old names", old);
	}
}

static void handles(void)
{
	void *first = load(FIRST, RTLD_LOCAL), *second = load(SECOND, RTLD_LOCAL), *ptr, *other;
	malloc_t *allocate_first = (malloc_t *)dlsym(first, "hipMalloc");
	malloc_t *allocate_second = (malloc_t *)dlsym(second, "hipMalloc");
	free_t *free_first = (free_t *)dlsym(first, "hipFree");
	free_t *free_second = (free_t *)dlsym(second, "hipFree");
	error_t *error_first = (error_t *)dlsym(first, "hipGetLastError");
	error_t *error_second = (error_t *)dlsym(second, "hipGetLastError");

	for (unsigned i = 0; i < 2; i++) {
		ptr = allocate("first", allocate_first);
		other = allocate("second", allocate_second);
		release("second's to first", free_first, other);
		release("second", free_second, other);
		release("first", free_first, ptr);
		printf("errors %d %d\n", error_first(), error_second());
	}
	printf("old name is there %d\n", dlsym(first, "hipMallocOld") != NULL);
}

static void versions(void)
{
	void *first = load(FIRST, RTLD_LOCAL), *second = load(SECOND, RTLD_LOCAL);

	allocate("first 4.2", (malloc_t *)dlvsym(first, "hipMalloc", "hip_4.2"));
	allocate("first 6.0", (malloc_t *)dlvsym(first, "hipMalloc", "hip_6.0"));
	allocate("second 4.2", (malloc_t *)dlvsym(second, "hipMalloc", "hip_4.2"));
	allocate("second", (malloc_t *)dlsym(second, "hipMalloc"));
	printf("first 9.9 is there %d\n", dlvsym(first, "hipMalloc", "hip_9.9") != NULL);
}

static void by_name(const char *what, void *handle)
{
	lookup_t *look_up = (lookup_t *)dlsym(handle, "hipGetProcAddress");
	static char to[64], from[64];
	void *function = NULL, *ptr;
	int rc;

	rc = look_up("hipMalloc", &function, 602, 0, NULL);
	ptr = rc ? NULL : allocate(what, (malloc_t *)function);
	if (!look_up("hipFree", &function, 602, 0, NULL))
		release(what, (free_t *)function, ptr);
	if (!look_up("hipMalloc", &function, 502, 0, NULL))
		allocate(what, (malloc_t *)function);
	for (uint64_t flags = 0; flags <= 2; flags += 2)
		if (!look_up("hipMemcpy", &function, 602, flags, NULL))
			printf("copy %d\n", ((copy_t *)function)(to, from, 40 + flags, 4));
	rc = look_up("hipNothing", &function, 602, 0, NULL);
	printf("nothing %d %p\n", rc, function);
}

static void names(void)
{
	by_name("first by name", load(FIRST, RTLD_LOCAL));
	by_name("second by name", load(SECOND, RTLD_LOCAL));
}

static void global(void)
{
	void *everywhere = dlopen(NULL, RTLD_NOW);

	printf("nothing yet %d %d\n", dlsym(RTLD_DEFAULT, "hipMalloc") != NULL,
	       dlsym(everywhere, "hipMalloc") != NULL);
	load(FIRST, RTLD_GLOBAL);
	allocate("RTLD_DEFAULT", (malloc_t *)dlsym(RTLD_DEFAULT, "hipMalloc"));
	allocate("handle of all", (malloc_t *)dlsym(everywhere, "hipMalloc"));
	use("linked to the second, in a local scope", load("libsecond.so", RTLD_LOCAL));
}

/* What stood at an address may be something else the next time. */
static void again(void)
{
	for (unsigned i = 0; i < 20; i++) {
		void *handle = load(i % 2 ? "libfirst.so" : "libsecond.so", RTLD_LOCAL);

		use(i % 2 ? "first" : "second", handle);
		dlclose(handle);
	}
}

static void *allocate_many(void *function)
{
	uintptr_t kind = 0;

	for (unsigned i = 0; i < 5000; i++) {
		void *ptr = NULL;

		if (((malloc_t *)function)(&ptr, 1))
			return NULL;
		if (kind && (uintptr_t)ptr >> 40 != kind)
			return NULL;
		kind = (uintptr_t)ptr >> 40;
	}
	return (void *)kind;
}

static void threads(void)
{
	const char *const files[] = { "libfirst.so", "libsecond.so", FIRST, SECOND };
	pthread_t ids[4];
	void *kind;

	for (unsigned i = 0; i < 4; i++) {
		void *handle = load(files[i], RTLD_LOCAL);
		void *function = dlsym(handle, i < 2 ? "caller_allocate" : "hipMalloc");

		pthread_create(&ids[i], NULL, allocate_many, function);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(ids[i], &kind);
		printf("thread %u: %p\n", i, kind);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
#ifdef LINKED
		{ "linked", linked },   { "next", next },       { "deepbind", deepbind },
#endif
		{ "local", local },     { "handles", handles }, { "versions", versions },
		{ "names", names },     { "global", global },   { "again", again },
		{ "threads", threads },
	};

	if (argc != 3)
		return 2;
	folder = argv[2];
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	}
	return 2;
}
