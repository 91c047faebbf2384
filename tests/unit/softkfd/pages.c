// SPDX-License-Identifier: Apache-2.0
/*
 * Pages of the host that are on a GPU, and what a program does to their mapping meanwhile: nothing
 * of it may lose what they hold. The driver is preloaded. TAP on stdout.
 */
#include "kernels/softkfd/abi.h"
#include "tests/e2e/softgpu/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SVM = 0x20, XNACK, PAGES = 64, PAGE = 4096, GPU = 0x5000 };
#define SIZE ((size_t)PAGES * PAGE)

static int kfd;
static char *memory;

static bool ask(unsigned number, void *argument, size_t size)
{
	return !ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, KFD_IOCTL_TYPE, number, size), argument);
}

/* New memory, which is on the GPU then. Its last page but one holds nothing. */
static void prepare(void)
{
	struct {
		struct kfd_arg_svm args;
		struct kfd_svm_attribute attribute;
	} request = { .attribute = { KFD_SVM_PREFETCH, GPU } };

	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < PAGES; i++)
		if (i != PAGES - 2)
			memset(memory + i * PAGE, (int)i + 1, PAGE);
	request.args.start = (uint64_t)(uintptr_t)memory;
	request.args.size = SIZE;
	request.args.operation = KFD_SVM_SET;
	request.args.count = 1;
	if (!ask(SVM, &request, sizeof request))
		printf("# prefetch: %s\n", strerror(errno));
}

static bool is_away(void)
{
	unsigned char there[PAGES];

	return !mincore(memory, SIZE, there) && !(there[0] & 1) && !(there[PAGES - 1] & 1);
}

static bool holds(void)
{
	bool good = true;

	for (unsigned i = 0; i < PAGES; i++) {
		char expected = i == PAGES - 2 ? 0 : (char)(i + 1);

		good = good && memory[i * PAGE] == expected && memory[i * PAGE + 9] == expected;
	}
	return good;
}

static void test_protection(void)
{
	int ends[2];
	char read_back = 0;

	prepare();
	mprotect(memory, SIZE, PROT_READ);
	check(holds(), "made read-only");
	prepare();
	mprotect(memory + 7 * PAGE, PAGE, PROT_READ);
	check(holds(), "a page of it made read-only");
	prepare();
	mprotect(memory, SIZE, PROT_READ);
	check(!pipe(ends) && write(ends[1], memory + PAGE, 1) == 1 &&
		  read(ends[0], &read_back, 1) == 1 && read_back == 2,
	      "made read-only, and used by the kernel");
	mprotect(memory, SIZE, PROT_READ | PROT_WRITE);
	check(holds(), "and made writable again");
	prepare();
	mprotect(memory, SIZE, PROT_NONE);
	mprotect(memory, SIZE, PROT_READ | PROT_WRITE);
	check(holds(), "made inaccessible for a while");
	prepare();
	mprotect(memory, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	check(holds(), "made executable");
}

static void test_locks(void)
{
	prepare();
	if (mlock(memory, SIZE))
		check(true, "mlock # SKIP %s", strerror(errno));
	else
		check(holds(), "mlock");
	prepare();
	if (mlockall(MCL_CURRENT))
		check(true, "mlockall # SKIP %s", strerror(errno));
	else
		check(holds(), "mlockall");
	munlockall();
	if (mlockall(MCL_FUTURE)) {
		check(true, "mlockall of what comes # SKIP %s", strerror(errno));
		return;
	}
	prepare();
	check(holds(), "mlockall of what comes");
	munlockall();
}

static int in_copy(void *unused)
{
	(void)unused;
	_exit(!holds());
}

static bool ended_well(long child)
{
	int status = -1;

	return child > 0 && waitpid((pid_t)child, &status, 0) == child && !status;
}

/* libc's fork() would tell the driver; others do not. */
static void test_copies(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	long child;

	for (unsigned way = 0; way < 4; way++) {
		static const char *const names[] = { "fork", "_Fork", "SYS_clone", "clone" };

		prepare();
		fflush(stdout);
		child = way == 0   ? fork()
			: way == 1 ? _Fork()
			: way == 2 ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
				   : clone(in_copy, stack + sizeof stack, SIGCHLD, NULL);
		if (!child)
			in_copy(NULL);
		check(ended_well(child), "%s: the child's", names[way]);
		check(holds(), "%s: the parent's", names[way]);
	}
	prepare();
	/* No library can see this one: the parent keeps what it has. */
	__asm__ volatile("syscall" : "=a"(child) : "a"((long)SYS_fork) : "rcx", "r11", "memory");
	if (!child)
		_exit(0);
	check(ended_well(child) && holds(), "fork without libc: the parent's");
}

int main(void)
{
	struct kfd_arg_xnack_mode mode = { .enabled = 1 };

	alarm(60);
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (kfd < 0 || !ask(XNACK, &mode, sizeof mode)) {
		printf("Bail out! the driver is not preloaded\n");
		return 2;
	}
	prepare();
	if (!is_away()) {
		printf("1..0 # SKIP pages don't move here\n");
		return 0;
	}
	check(holds(), "read");
	test_protection();
	test_copies();
	test_locks();
	return tap_end();
}
