/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is read by the kernel, also where it refuses process_vm_readv(2). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/peek.h"

#define PAGE 4096u

static int refuse(void **state)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), /* EPERM, as a container's */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog whole = { sizeof(program) / sizeof(program[0]), program };

	(void)state;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole);
}

/* Three pages, of which the last one may not be read. */
static unsigned char *pages(void)
{
	unsigned char *at =
	    mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	for (unsigned i = 0; i < 3 * PAGE; i++)
		at[i] = (unsigned char)(i * 7 + i / PAGE);
	assert_int_equal(mprotect(at + 2 * PAGE, PAGE, PROT_NONE), 0);
	return at;
}

static void test_pieces(void **state)
{
	unsigned char *at = pages(), to[2 * PAGE];
	struct hg_piece pieces[] = { { (uintptr_t)at + PAGE - 100, 300 },
				     { (uintptr_t)at, 8 },
				     { (uintptr_t)at + 3, PAGE } };

	(void)state;
	assert_int_equal(hg_peek(pieces, 3, to), 308 + PAGE);
	assert_memory_equal(to, at + PAGE - 100, 300);
	assert_memory_equal(to + 300, at, 8);
	assert_memory_equal(to + 308, at + 3, PAGE);
	munmap(at, 3 * PAGE);
}

static void test_edge(void **state)
{
	unsigned char *at = pages(), to[2 * PAGE];
	struct hg_piece piece = { (uintptr_t)at + 2 * PAGE - 24, 64 };
	struct hg_piece wild[] = { { (uintptr_t)at + 2 * PAGE, 8 },
				   { 8, 8 },
				   { UINT64_C(1) << 47, 8 },
				   { UINT64_MAX - 7, 8 } };

	(void)state;
	assert_int_equal(hg_peek(&piece, 1, to) & ~7u, 24);
	assert_memory_equal(to, at + 2 * PAGE - 24, 24);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(hg_peek(&wild[i], 1, to), 0);
	munmap(at, 3 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_edge),
		cmocka_unit_test_setup(test_pieces, refuse),
		cmocka_unit_test(test_edge),
	};

	return cmocka_run_group_tests_name("peek", tests, NULL, NULL);
}
