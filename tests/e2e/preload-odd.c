/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More that programs do to themselves, one thing a mode, as in preload-safety.c: look at errno
 * after every call, allocate in signal handlers that come amid calls, live on little stack, end
 * threads with much to free, and lock themselves up. usage: preload-odd MODE
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned allocate(void)
{
	void *volatile blocks[50];
	unsigned sum = 0;

	for (unsigned i = 0; i < 50; i++) {
		blocks[i] = malloc((size_t)1 << i % 18);
		memset(blocks[i], 1, (size_t)1 << i % 18);
	}
	for (unsigned i = 0; i < 50; i++) {
		sum += *(unsigned char *)blocks[i];
		free(blocks[i]);
	}
	return sum;
}

/* ---- errno after each of the C library's functions that are interposed ---- */

static volatile size_t huge = (size_t)PTRDIFF_MAX - 100000;
#define BEFORE 77 /* errno before each call */

static volatile size_t block_size; /* a small block, then a large one */
static void *block;                /* to be freed by the call */
static void *kept;                 /* to be freed after it */

static int count_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(int *)data;
	errno = 5;
	return 0;
}

static long visit(void)
{
	int count = 0;

	return dl_iterate_phdr(count_object, &count) + (count > 2);
}

/* A function of C++'s library by name, which a C program has if it is loaded; NULL: it is not. */
static void *cxx(const char *name)
{
	static void *library;

	if (!library)
		library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
	return library ? dlsym(RTLD_DEFAULT, name) : NULL;
}

#define NEW(name, ...)                                                           \
	{                                                                        \
		void *(*function)(size_t, uintptr_t, uintptr_t) =                \
		    (void *(*)(size_t, uintptr_t, uintptr_t))cxx(name);          \
		errno = BEFORE;                                                  \
		result = function && (kept = function(block_size, __VA_ARGS__)); \
	}
#define DELETE(name, ...)                                              \
	{                                                              \
		void (*function)(void *, uintptr_t, uintptr_t) =       \
		    (void (*)(void *, uintptr_t, uintptr_t))cxx(name); \
		errno = BEFORE;                                        \
		if (function)                                          \
			function(block, __VA_ARGS__);                  \
		else                                                   \
			free(block);                                   \
		result = function != NULL;                             \
	}

int capset(void *header, const void *data); /* in no header */

static const char nothing; /* std::nothrow is empty */
static struct pollfd *volatile nowhere = (struct pollfd *)8;
static void *volatile no_limit = NULL;
static int ends[2];
static char *none[] = { NULL }; /* arguments, and an environment */
static const char *const absent = "/nothing/there";
static const char *const too_long = "a name of a thread has 15 bytes";

static void *no_work(void *unused)
{
	return unused;
}

static int make_thread(void)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, no_work, NULL);

	return rc ? rc : pthread_detach(thread);
}

static int wait_until_past(sem_t *semaphore)
{
	static const struct timespec past = { 1, 0 };

	return sem_timedwait(semaphore, &past);
}

static int wait_for(int (*wait)(sem_t *), unsigned value)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, value);
	return wait(&semaphore);
}

/* name of the function, and a call: `result` is what it says of itself */
#define CALLS                                                                             \
	X("malloc", result = (kept = malloc(block_size)) != NULL)                         \
	X("malloc", result = malloc(huge) != NULL)                                        \
	X("calloc", result = (kept = calloc(block_size, 1)) != NULL)                      \
	X("calloc", result = calloc(huge, 3) != NULL)                                     \
	X("realloc", result = (kept = realloc(block, 3 * block_size)) != NULL)            \
	X("realloc", result = realloc(kept = block, huge) != NULL)                        \
	X("reallocarray", result = (kept = reallocarray(block, block_size, 2)) != NULL)   \
	X("reallocarray", result = reallocarray(kept = block, huge, 5) != NULL)           \
	X("free", free(block))                                                            \
	X("posix_memalign", result = posix_memalign(&kept, 64, block_size))               \
	X("posix_memalign", result = posix_memalign(&kept, 3, block_size))                \
	X("posix_memalign", result = posix_memalign(&kept, 64, huge))                     \
	X("aligned_alloc", result = (kept = aligned_alloc(64, block_size)) != NULL)       \
	X("aligned_alloc", result = aligned_alloc(64, huge) != NULL)                      \
	X("memalign", result = (kept = memalign(64, block_size)) != NULL)                 \
	X("memalign", result = memalign(64, huge) != NULL)                                \
	X("valloc", result = (kept = valloc(block_size)) != NULL)                         \
	X("valloc", result = valloc(huge) != NULL)                                        \
	X("pvalloc", result = (kept = pvalloc(block_size)) != NULL)                       \
	X("pvalloc", result = pvalloc(huge) != NULL)                                      \
	X("malloc_usable_size", result = malloc_usable_size(kept = block) >= block_size)  \
	X("mmap", result = unmapped(mmap(NULL, block_size, 3, 0x22, -1, 0)))              \
	X("mmap", result = unmapped(mmap(NULL, 0, 3, 0x22, -1, 0)))                       \
	X("mmap64", result = unmapped(mmap64(NULL, block_size, 3, 0x22, 1000000, 0)))     \
	X("mmap64", result = unmapped(mmap64(NULL, 4096, 3, 2, 1000000, 0)))              \
	X("munmap", result = munmap((void *)1, 4096))                                     \
	X("sbrk", result = sbrk(INTPTR_MAX) == (void *)-1)                                \
	X("brk", result = brk((void *)4096))                                              \
	X("mremap", result = mremap((void *)1, 4096, 8192, 0) == MAP_FAILED)              \
	X("madvise", result = madvise((void *)1, 4096, MADV_HUGEPAGE))                    \
	X("close", result = close(1000000))                                               \
	X("close", result = close(dup(0)))                                                \
	X("close_range", result = close_range(1000000, 1000001, 0))                       \
	X("close_range", result = close_range(5, 4, 0))                                   \
	X("closefrom", closefrom(1000000))                                                \
	X("syscall", result = (int)syscall(SYS_getpid) == getpid())                       \
	X("syscall", result = (int)syscall(SYS_close, 1000000))                           \
	X("syscall", result = (int)syscall(SYS_close_range, 1000000, 1000001, 0))         \
	X("syscall", result = (int)syscall(SYS_tgkill, 1, 2, 1000))                       \
	X("setuid", result = setuid(getuid()))                                            \
	X("seteuid", result = seteuid(geteuid()))                                         \
	X("setreuid", result = setreuid(-1u, -1u))                                        \
	X("setresuid", result = setresuid(-1u, -1u, -1u))                                 \
	X("setgid", result = setgid(getgid()))                                            \
	X("setegid", result = setegid(getegid()))                                         \
	X("setregid", result = setregid(-1u, -1u))                                        \
	X("setresgid", result = setresgid(-1u, -1u, -1u))                                 \
	X("setgroups", result = setgroups((size_t)1 << 40, NULL))                         \
	X("initgroups", result = initgroups("nobody", 0))                                 \
	X("chroot", result = chroot(absent))                                              \
	X("mount", result = mount(absent, absent, absent, 0, NULL))                       \
	X("setrlimit", result = setrlimit(1000, no_limit))                                \
	X("setrlimit64", result = setrlimit64(1000, no_limit))                            \
	X("capset", result = capset(NULL, NULL))                                          \
	X("unshare", result = unshare(0))                                                 \
	X("setns", result = setns(-1, 0))                                                 \
	X("posix_spawn", result = posix_spawn(NULL, absent, NULL, NULL, none, none))      \
	X("posix_spawnp", result = posix_spawnp(NULL, absent, NULL, NULL, none, none))    \
	X("prctl", result = prctl(PR_GET_DUMPABLE))                                       \
	X("prctl", result = prctl(PR_SET_SECCOMP, 2, NULL))                               \
	X("prctl", result = prctl(-1))                                                    \
	X("poll", result = poll(NULL, 0, 1))                                              \
	X("poll", result = poll(nowhere, 1, 0))                                           \
	X("pipe2", result = pipe2(ends, -1))                                              \
	X("pipe2", result = pipe2(ends, 0) || close(ends[0]) || close(ends[1]))           \
	X("socket", result = socket(-1, 0, 0))                                            \
	X("socket", result = close(socket(AF_UNIX, SOCK_STREAM, 0)))                      \
	X("connect", result = connect(1000000, NULL, 0))                                  \
	X("sendmsg", result = sendmsg(1000000, NULL, 0))                                  \
	X("recvmsg", result = recvmsg(1000000, NULL, 0))                                  \
	X("dlsym", result = dlsym(RTLD_DEFAULT, "strlen") != NULL)                        \
	X("dlsym", result = dlsym(RTLD_DEFAULT, "hipMalloc") != NULL)                     \
	X("dlvsym", result = dlvsym(RTLD_DEFAULT, "strlen", "GLIBC_0") != NULL)           \
	X("dlclose", result = dlclose(dlopen("libz.so.1", RTLD_NOW)))                     \
	X("dlmopen", result = !dlmopen(LM_ID_NEWLM, "/nowhere.so", RTLD_NOW))             \
	X("write", result = write(-1, "", 1))                                             \
	X("write", result = write(1, "", 0))                                              \
	X("dl_iterate_phdr", result = visit())                                            \
	X("pthread_create", result = make_thread())                                       \
	X("pthread_setname_np", result = pthread_setname_np(pthread_self(), absent))      \
	X("pthread_setname_np", result = pthread_setname_np(pthread_self(), too_long))    \
	X("sem_wait", result = wait_for(sem_wait, 1))                                     \
	X("sem_timedwait", result = wait_for(wait_until_past, 1))                         \
	X("sem_timedwait", result = wait_for(wait_until_past, 0))                         \
	X("sleep", result = sleep(0))                                                     \
	X("execv", result = execv(absent, none))                                          \
	X("execve", result = execve(absent, none, none))                                  \
	X("execvp", result = execvp(absent, none))                                        \
	X("execvpe", result = execvpe(absent, none, none))                                \
	X("fexecve", result = fexecve(1000000, none, none))                               \
	X("execl", result = execl(absent, absent, (char *)NULL))                          \
	X("execle", result = execle(absent, absent, (char *)NULL, none))                  \
	X("execlp", result = execlp(absent, absent, (char *)NULL))                        \
	X("shmat", result = shmat(-1, NULL, 0) == (void *)-1)                             \
	X("shmdt", result = shmdt((void *)1))                                             \
	X("_Znwm", NEW("_Znwm", 0, 0))                                                    \
	X("_Znam", NEW("_Znam", 0, 0))                                                    \
	X("_ZnwmRKSt9nothrow_t", NEW("_ZnwmRKSt9nothrow_t", (uintptr_t)&nothing, 0))      \
	X("_ZnamRKSt9nothrow_t", NEW("_ZnamRKSt9nothrow_t", (uintptr_t)&nothing, 0))      \
	X("_ZnwmSt11align_val_t", NEW("_ZnwmSt11align_val_t", 64, 0))                     \
	X("_ZnamSt11align_val_t", NEW("_ZnamSt11align_val_t", 64, 0))                     \
	X("_ZnwmSt11align_val_tRKSt9nothrow_t",                                           \
	  NEW("_ZnwmSt11align_val_tRKSt9nothrow_t", 64, (uintptr_t)&nothing))             \
	X("_ZnamSt11align_val_tRKSt9nothrow_t",                                           \
	  NEW("_ZnamSt11align_val_tRKSt9nothrow_t", 64, (uintptr_t)&nothing))             \
	X("_ZdlPv", DELETE("_ZdlPv", 0, 0))                                               \
	X("_ZdaPv", DELETE("_ZdaPv", 0, 0))                                               \
	X("_ZdlPvm", DELETE("_ZdlPvm", block_size, 0))                                    \
	X("_ZdaPvm", DELETE("_ZdaPvm", block_size, 0))                                    \
	X("_ZdlPvRKSt9nothrow_t", DELETE("_ZdlPvRKSt9nothrow_t", (uintptr_t)&nothing, 0)) \
	X("_ZdaPvRKSt9nothrow_t", DELETE("_ZdaPvRKSt9nothrow_t", (uintptr_t)&nothing, 0)) \
	X("_ZdlPvSt11align_val_t", DELETE("_ZdlPvSt11align_val_t", 16, 0))                \
	X("_ZdaPvSt11align_val_t", DELETE("_ZdaPvSt11align_val_t", 16, 0))                \
	X("_ZdlPvmSt11align_val_t", DELETE("_ZdlPvmSt11align_val_t", block_size, 16))     \
	X("_ZdaPvmSt11align_val_t", DELETE("_ZdaPvmSt11align_val_t", block_size, 16))     \
	X("_ZdlPvSt11align_val_tRKSt9nothrow_t",                                          \
	  DELETE("_ZdlPvSt11align_val_tRKSt9nothrow_t", 16, (uintptr_t)&nothing))         \
	X("_ZdaPvSt11align_val_tRKSt9nothrow_t",                                          \
	  DELETE("_ZdaPvSt11align_val_tRKSt9nothrow_t", 16, (uintptr_t)&nothing))

static bool unmapped(void *ptr)
{
	if (ptr == MAP_FAILED)
		return true;
	munmap(ptr, block_size);
	return false;
}

static void look_at_errno(void)
{
	static const size_t sizes[] = { 100, 50000, 400000 };

	setvbuf(stdout, NULL, _IONBF, 0);
	cxx("_Znwm");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		block_size = sizes[i];
#define X(name, call)                                                 \
	{                                                             \
		long result = 0;                                      \
		int code;                                             \
                                                                      \
		kept = NULL;                                          \
		block = malloc(block_size);                           \
		errno = BEFORE;                                       \
		call;                                                 \
		code = errno;                                         \
		printf(name ": %ld, errno %d\n", (long)result, code); \
		free(kept);                                           \
	}
		CALLS
#undef X
	}
}

/* ---- signal handlers ---- */

static volatile sig_atomic_t handled, failed;

/* malloc() may not be called there while the program is in it; mmap() may. */
static void map_in_handler(int number)
{
	void *ptr = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)number;
	if (ptr == MAP_FAILED || munmap(ptr, 8192))
		failed++;
	handled++;
}

static void allocate_in_handler(int number)
{
	void *ptr = malloc(6000);

	(void)number;
	failed += !ptr;
	free(ptr);
	handled++;
}

/*
 * Signals amid `work`, on a stack of their own, until 300 have come. Each is triggered anew: at
 * intervals, a handler that takes longer than one would leave no time for anything else.
 */
static void interrupt(void (*handler)(int), void (*work)(void))
{
	static char other[65536];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };
	struct itimerval soon = { { 0, 0 }, { 0, 0 } };

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	for (int interrupts = handled = 0; interrupts < 300; interrupts++) {
		soon.it_value.tv_usec = 1 + interrupts * 37 % 200;
		setitimer(ITIMER_REAL, &soon, NULL);
		while (handled <= interrupts)
			work();
	}
}

static void allocate_much(void)
{
	allocate();
}

static void map_much(void)
{
	void *ptr = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ptr = mremap(ptr, 4096, 65536, MREMAP_MAYMOVE);
	failed += ptr == MAP_FAILED || munmap(ptr, 65536);
}

static void be_interrupted(void)
{
	interrupt(map_in_handler, allocate_much);
	interrupt(allocate_in_handler, map_much);
	printf("failed %d, %u\n", (int)failed, allocate());
}

/* ---- little stack ---- */

static void *live_small(void *unused)
{
	for (unsigned i = 0; i < 200; i++)
		free(malloc(5000 + i));
	return unused;
}

static void use_least_stacks(void)
{
	pthread_attr_t attributes;
	pthread_t threads[4];
	unsigned made = 0;

	pthread_attr_init(&attributes);
	printf("size %d\n", pthread_attr_setstacksize(&attributes, 16384));
	for (unsigned i = 0; i < 4; i++)
		if (!pthread_create(&threads[i], &attributes, live_small, NULL))
			pthread_join(threads[i], NULL), made++;
	printf("made %u, %u\n", made, allocate());
}

/* ---- ends of threads ---- */

extern int __cxa_thread_atexit_impl(void (*function)(void *), void *data, void *object);
extern void *__dso_handle;

static __thread void *owned;

static void free_owned(void *data)
{
	free(owned);
	owned = NULL;
	free(data);
	allocate();
}

static void *with_destructor(void *unused)
{
	owned = malloc(7000);
	__cxa_thread_atexit_impl(free_owned, malloc(300), &__dso_handle);
	__cxa_thread_atexit_impl(free_owned, malloc(9000), &__dso_handle);
	return unused;
}

static void destroy_thread_local(void)
{
	pthread_t threads[8];

	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, with_destructor, NULL);
		for (unsigned i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
	with_destructor(NULL); /* the main thread's run at exit */
	printf("ended, %u\n", allocate());
}

static volatile unsigned within; /* an allocation that a thread was cancelled */

static void look_where(void *allocating)
{
	within += *(volatile bool *)allocating;
}

/* malloc() and free() are no cancellation points (pthreads(7)). */
static void *until_cancelled(void *unused)
{
	volatile bool allocating = false;

	pthread_cleanup_push(look_where, (void *)&allocating);
	for (;;) {
		allocating = true;
		free(malloc(70000));
		allocating = false;
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return unused;
}

static void cancel_threads(void)
{
	unsigned cancelled = 0;

	for (unsigned i = 0; i < 10; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, until_cancelled, NULL);
		usleep(1500 * i);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	printf("cancelled %u, within %u, %u\n", cancelled, within, allocate());
}

/* ---- another root ---- */

static void child_ends(pid_t child)
{
	int status = 0;
	bool mine = waitpid(child, &status, 0) == child;

	printf("waited %d, status %x, %u\n", mine, status, allocate());
}

static void in_chroot(void)
{
	pid_t child;

	if (chroot("root") || chdir("/"))
		_exit(2);
	printf("no /proc %d, %u\n", access("/proc", F_OK), allocate());
	printf("no library %d\n", dlopen("libz.so.1", RTLD_NOW) == NULL);
	printf("no program %d\n", execl("/bin/sh", "sh", (char *)NULL));
	fflush(stdout);
	child = fork();
	if (!child) {
		pthread_t thread;

		pthread_create(&thread, NULL, live_small, NULL);
		pthread_join(thread, NULL);
		exit((int)(allocate() & 63));
	}
	child_ends(child);
}

static void use_chroot(void)
{
	pid_t child;

	fflush(stdout);
	mkdir("root", 0755);
	child = fork();
	if (!child) {
		in_chroot();
		exit(7);
	}
	child_ends(child);
	rmdir("root");
}

/* ---- the last thread ---- */

static void say_goodbye(void)
{
	printf("at exit, in the process that began: %d\n", allocate() > 0);
}

static void *outlive_the_first(void *name)
{
	struct timespec nap = { .tv_nsec = 100000000 };

	nanosleep(&nap, NULL);
	printf("%s ends after %u\n", (const char *)name, allocate());
	return NULL;
}

/* The process ends with its last thread, whose end is exit(0). */
static void leave_last_thread(void)
{
	static char name[] = "the second";
	pthread_t thread;

	atexit(say_goodbye);
	pthread_create(&thread, NULL, outlive_the_first, name);
	pthread_detach(thread);
	pthread_exit(NULL);
}

/* The child's only thread is not its first, and returns from its function. */
static void *fork_child(void *name)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = fork();
	if (!child)
		return outlive_the_first(name);
	waitpid(child, &status, 0);
	printf("its status: %d\n", status);
	return NULL;
}

static void leave_childs_thread(void)
{
	static char name[] = "the child";
	pthread_t thread;

	pthread_create(&thread, NULL, fork_child, name);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "errno", look_at_errno },           { "interrupted", be_interrupted },
		{ "last-thread", leave_last_thread }, { "last-of-child", leave_childs_thread },
		{ "least-stacks", use_least_stacks }, { "thread-local", destroy_thread_local },
		{ "cancelled", cancel_threads },      { "chroot", use_chroot },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
		if (argc == 1)
			puts(modes[i].name);
	}
	return argc != 1;
}
