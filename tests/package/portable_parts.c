/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside LLVM's disassembler of AMDGPU in the portable tree: its version, and in place of libtinfo,
 * which only colours messages, functions that know no terminal [terminfo(3)].
 */
int setupterm(const char *name, int fd, int *error);
void *set_curterm(void *terminal);
int del_curterm(void *terminal);
int tigetnum(const char *capability);
void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

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
