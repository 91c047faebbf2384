/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filtering PROGRAM [ARGUMENT]...: execute it under a filter that ends the process for what LTTng
 * does and small programs do not: sockets, threads, prctl(). Linked statically, so not recorded.
 * With --container before it the filter is that of an old container: process_vm_readv() is refused.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENDS(number)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

int main(int argc, char **argv)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ENDS(socket),
		ENDS(clone),
		ENDS(clone3),
		ENDS(prctl),
		ENDS(membarrier),
		ENDS(ftruncate),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_filter container[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog whole = { sizeof(program) / sizeof(program[0]), program };

	if (argc > 2 && !strcmp(argv[1], "--container")) {
		whole = (struct sock_fprog){ sizeof(container) / sizeof(container[0]), container };
		argv++;
		argc--;
	}
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole))
		return 99;
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 98;
}
