/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demonstration of `hipgrain doctor --self-test`: the sample energy.hip as a program that any
 * release of HIP runs, which it opens at run time. It adds the energy of particles to a double in
 * managed memory by hardware atomics, which an MI200 discards there, so the result is 0.
 *
 * usage: hipgrain-demo [--host]
 *
 * Exit status: 0 if it ran, whatever the result; 1 if a call failed; 77 if there is no HIP runtime.
 * --host makes no HIP calls, only a host allocation.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/probe/hip_calls.h"

#define PARTICLES  4096
#define GROUP_SIZE 256
#define CODE       "energy.hipfb" /* beside this program: energy.hip for gfx90a */
#define KERNEL     "_Z14kinetic_energyPKfS0_Pdi"

enum { NO_RUNTIME = 77, GLOBAL = 1 /* hipMemAttachGlobal [H523] */ };

/* Returns the text of the file beside this program, malloc'ed; NULL after a message. */
static void *read_code(void)
{
	char path[PATH_MAX + sizeof(CODE)];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash, *code = NULL;
	FILE *file;
	long size;

	if (length < 0)
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, CODE);
	file = fopen(path, "rb");
	if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
		rewind(file);
		code = malloc((size_t)size);
		if (code && fread(code, 1, (size_t)size, file) != (size_t)size) {
			free(code);
			code = NULL;
		}
	}
	if (!code)
		fprintf(stderr, "hipgrain-demo: cannot read %s\n", path);
	if (file)
		fclose(file);
	return code;
}

static int check(int result, const char *call)
{
	if (result)
		fprintf(stderr, "hipgrain-demo: %s: error %d\n", call, result);
	return result;
}

static int simulate(const struct hip *hip, void *code)
{
	void *module = NULL, *kernel = NULL;
	float *mass = NULL, *speed = NULL;
	double *total = NULL, expected = 0;
	int count = PARTICLES;
	void *arguments[] = { &mass, &speed, &total, &count };

	if (check(hip->hipModuleLoadData(&module, code), "hipModuleLoadData") ||
	    check(hip->hipModuleGetFunction(&kernel, module, KERNEL), "hipModuleGetFunction") ||
	    check(hip->hipMallocManaged((void **)&mass, PARTICLES * sizeof(*mass), GLOBAL),
		  "hipMallocManaged") ||
	    check(hip->hipMallocManaged((void **)&speed, PARTICLES * sizeof(*speed), GLOBAL),
		  "hipMallocManaged") ||
	    check(hip->hipMallocManaged((void **)&total, sizeof(*total), GLOBAL),
		  "hipMallocManaged"))
		return 1;
	for (int i = 0; i < PARTICLES; i++) {
		mass[i] = 2;
		speed[i] = (float)(i % 2 + 1);
		expected += 0.5 * mass[i] * speed[i] * speed[i];
	}
	*total = 0;
	if (check(hip->hipModuleLaunchKernel(kernel, PARTICLES / GROUP_SIZE, 1, 1, GROUP_SIZE, 1, 1,
					     0, NULL, arguments, NULL),
		  "hipModuleLaunchKernel") ||
	    check(hip->hipDeviceSynchronize(), "hipDeviceSynchronize"))
		return 1;
	printf("energy: %g J, expected %g J\n", *total, expected);
	hip->hipFree(total);
	hip->hipFree(speed);
	hip->hipFree(mass);
	return 0;
}

int main(int argc, char **argv)
{
	static struct hip hip;
	char error[512];
	void *code;
	int status;

	if (argc > 1 && !strcmp(argv[1], "--host")) {
		char *volatile block = malloc(1u << 20);

		free(block);
		return block ? 0 : 1;
	}
	if (hip_load(&hip, error, sizeof(error)) != 0 || !hip.hipMallocManaged) {
		fprintf(stderr, "hipgrain-demo: %s\n", *error ? error : "no hipMallocManaged");
		return NO_RUNTIME;
	}
	code = read_code();
	status = code ? simulate(&hip, code) : 1;
	free(code);
	return status;
}
