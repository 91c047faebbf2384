// SPDX-License-Identifier: Apache-2.0
// One kernel, launched from the program's own fat binary or from images in memory:
//
//   compressed                  the program's own
//   compressed module FILE...   each by hipModuleLoadData
//   compressed garbage FILE...  whatever becomes of these, by hipModuleLoadData; then the program's own
//
// An image ends where readable memory ends. Atomics go to fine-grained memory, where they are lost.
#include <hip/hip_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" __global__ void update(double *total, double value)
{
	unsafeAtomicAdd(total, value);
}

static void *read_image(const char *path)
{
	size_t page = (size_t)getpagesize();
	FILE *file = fopen(path, "rb");

	if (!file || fseek(file, 0, SEEK_END))
		exit(2);
	size_t size = (size_t)ftell(file), room = (size + page - 1) & -page;
	char *base = (char *)mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rewind(file);
	if (base == MAP_FAILED || mprotect(base + room, page, PROT_NONE) ||
	    fread(base + room - size, 1, size, file) != size)
		exit(2);
	fclose(file);
	return base + room - size;
}

static hipError_t launch_from(const char *path, double *total)
{
	double value = 1;
	void *params[] = { &total, &value };
	hipFunction_t function;
	hipModule_t module;
	hipError_t error = hipModuleLoadData(&module, read_image(path));

	if (!error)
		error = hipModuleGetFunction(&function, module, "update");
	if (!error)
		error = hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
	if (!error)
		error = hipDeviceSynchronize();
	return error;
}

int main(int argc, char **argv)
{
	bool own = argc < 2 || strcmp(argv[1], "module");
	double *total;

	if (hipHostMalloc((void **)&total, sizeof(*total), 0))
		return 2;
	*total = 0;
	for (int i = 2; i < argc; i++) {
		hipError_t error = launch_from(argv[i], total);

		printf("%s\n", error ? "refused" : "launched");
		if (error && !own)
			return 3;
	}
	(void)hipGetLastError();
	if (own) {
		update<<<1, 64>>>(total, 1.0);
		if (hipDeviceSynchronize())
			return 4;
	}
	printf("total %g\n", *total);
	return 0;
}
