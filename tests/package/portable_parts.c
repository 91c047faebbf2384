/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside LLVM's disassembler of AMDGPU in the portable tree: its version, in place of libtinfo,
 * which only colours messages, functions that know no terminal [terminfo(3)], and what the C++
 * library expects of glibc 2.32.
 */
extern char __libc_single_threaded;
int setupterm(const char *name, int fd, int *error);
void *set_curterm(void *terminal);
int del_curterm(void *terminal);
int tigetnum(const char *capability);
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

/* There may be threads: counters are changed by atomic operations [sys/single_threaded.h]. */
char __libc_single_threaded;

int setupterm(const char *name, int fd, int *error)
{
	(void)name;
	(void)fd;
	if (error)
		*error = 0;
	return -1;
}

void *set_curterm(void *terminal)
{
	(void)terminal;
	return 0;
}

int del_curterm(void *terminal)
{
	(void)terminal;
	return -1;
}

int tigetnum(const char *capability)
{
	(void)capability;
	return -1;
}

void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch)
{
	*major = LLVM_MAJOR;
	*minor = LLVM_MINOR;
	*patch = LLVM_PATCH;
}
