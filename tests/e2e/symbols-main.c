/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols-main LIBRARY FUNCTION LIBRARY FUNCTION: allocations whose call stacks lead through
 * inlined functions, Fortran's names, two libraries that come to the same place, one after the
 * other, and code that is compiled at run time. Each has a size of its own.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *volatile kept;

static inline __attribute__((always_inline)) void inlined(size_t size)
{
	kept = malloc(size);
}

static __attribute__((noinline)) void holder(size_t size)
{
	inlined(size);
	__asm__ volatile("# one"); /* else the compiler makes one function of three */
}

/* As gfortran and flang name procedures of modules. */
void of_gfortran(size_t size) __asm__("__heat_MOD_solve");
void of_flang(size_t size) __asm__("_QMheatPrelax");

__attribute__((noinline)) void of_gfortran(size_t size)
{
	kept = malloc(size);
	__asm__ volatile("# two");
}

__attribute__((noinline)) void of_flang(size_t size)
{
	kept = malloc(size);
	__asm__ volatile("# three");
}

/* Whether the function lay at the same address in both libraries. */
static int plugins(char **names)
{
	void *at[2] = { NULL, NULL };

	for (int i = 0; i < 2; i++) {
		void *library = dlopen(names[2 * i], RTLD_NOW);

		at[i] = library ? dlsym(library, names[2 * i + 1]) : NULL;
		if (!at[i]) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		kept = ((void *(*)(size_t))(uintptr_t)at[i])(i ? 50001 : 40001);
		dlclose(library);
	}
	return at[0] == at[1];
}

/* push rbp; mov rbp, rsp; mov rax, malloc; call rax; pop rbp; ret */
static void compiled(size_t size)
{
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3
	};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t target = (uintptr_t)malloc;

	if (page == MAP_FAILED)
		exit(1);
	memcpy(page, code, sizeof(code));
	memcpy(page + 6, &target, sizeof(target));
	printf("%lx %zx lambda:at run time\n", (unsigned long)(uintptr_t)page, sizeof(code));
	kept = ((void *(*)(size_t))(uintptr_t)page)(size);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	holder(10001);
	of_gfortran(20001);
	of_flang(30001);
	printf("%d\n%d\n", (int)getpid(), plugins(argv + 1));
	compiled(60001);
	return 0;
}
