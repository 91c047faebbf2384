/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an OpenCL kernel; with an argument, one that does not end follows. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *const source = "kernel void add(global int *sum) { atomic_inc(sum); }\n"
				  "kernel void spin(global volatile int *sum) { while (*sum); }\n";

static void must(cl_int status, const char *what)
{
	if (status) {
		fprintf(stderr, "%s: %d\n", what, status);
		_Exit(3);
	}
}

int main(int argc, char **argv)
{
	size_t items = 64;
	int sum = 0;
	cl_platform_id platform;
	cl_device_id device;
	cl_int status;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem memory;

	(void)argv;
	must(clGetPlatformIDs(1, &platform, NULL), "platform");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	must(status, "context");
	queue = clCreateCommandQueue(context, device, 0, &status);
	must(status, "queue");
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
	must(status, "program");
	must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(sum), NULL, &status);
	must(status, "memory");
	must(clEnqueueWriteBuffer(queue, memory, 1, 0, sizeof(sum), &sum, 0, NULL, NULL), "write");
	for (int i = 0; i < (argc > 1 ? 2 : 1); i++) {
		kernel = clCreateKernel(program, i ? "spin" : "add", &status);
		must(status, "kernel");
		must(clSetKernelArg(kernel, 0, sizeof(memory), (void *)&memory), "argument");
		must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
		     "launch");
		if (i)
			clFinish(queue);
		must(clEnqueueReadBuffer(queue, memory, 1, 0, sizeof(sum), &sum, 0, NULL, NULL),
		     "read");
		printf("sum %d\n", sum);
		fflush(stdout);
	}
	return 0;
}
