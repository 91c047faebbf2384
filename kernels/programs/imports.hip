// SPDX-License-Identifier: Apache-2.0
// Memory of another process: the child opens what the parent exports.
//
// hipgrain-run: freed_first
// hipgrain-stdout: imports: sum 64 expected 64
// hipgrain-expect: HG609 call=hipIpcOpenMemHandle api=hipIpcOpenMemHandle at=@opened confidence=proven
//
// hipgrain-run: closed_first
// hipgrain-stdout: imports: sum 64 expected 64
// hipgrain-expect: none
//
// hipgrain-run: never_closed
// hipgrain-stdout: imports: sum 1024 expected 1024
// hipgrain-expect: HG612 call=hipIpcOpenMemHandle api=hipIpcOpenMemHandle at=@each
//
// hipgrain-run: each_closed
// hipgrain-stdout: imports: sum 1024 expected 1024
// hipgrain-expect: none
//
// A part of an allocation is exported: what opens the handle gets the allocation's start.
// hipgrain-run: inner_address
// hipgrain-stdout: imports: sum 0 expected 64
// hipgrain-expect: HG618 call=hipIpcOpenMemHandle api=hipIpcOpenMemHandle at=@part confidence=likely
//
// hipgrain-run: inner_offset
// hipgrain-stdout: imports: sum 64 expected 64
// hipgrain-expect: none

#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

#define BYTES  4096
#define ITEMS  64
#define BLOCKS 16

__global__ void count(int *sum)
{
	atomicAdd(sum, 1);
}

static int to_child[2], to_parent[2];

static void tell(int to, const void *what, size_t bytes)
{
	if (write(to, what, bytes) != (ssize_t)bytes) {
		_exit(1);
	}
}

static void hear(int from, void *what, size_t bytes)
{
	if (read(from, what, bytes) != (ssize_t)bytes) {
		_exit(1);
	}
}

/* Forks before the first call of HIP. Returns true in the child. */
static bool is_child()
{
	pid_t child;

	if (pipe(to_child) || pipe(to_parent) || (child = fork()) < 0) {
		perror("imports");
		exit(1);
	}
	return child == 0;
}

static int add_up(int *sum)
{
	int result;

	count<<<1, ITEMS>>>(sum);
	CHECK(hipMemcpy(&result, sum, sizeof(result), hipMemcpyDeviceToHost));
	return result;
}

static int *exported()
{
	hipIpcMemHandle_t handle;
	int *sum;

	CHECK(hipMalloc(&sum, BYTES));
	CHECK(hipMemset(sum, 0, BYTES));
	CHECK(hipDeviceSynchronize());
	CHECK(hipIpcGetMemHandle(&handle, sum));
	tell(to_child[1], &handle, sizeof(handle));
	return sum;
}

static void use_one(bool close_first)
{
	hipIpcMemHandle_t handle;
	int *sum, result;
	char word = 0;

	hear(to_child[0], &handle, sizeof(handle));
	CHECK(hipIpcOpenMemHandle((void **)&sum, handle, hipIpcMemLazyEnablePeerAccess)); // @opened
	result = add_up(sum);
	if (close_first) {
		CHECK(hipIpcCloseMemHandle(sum));
	}
	tell(to_parent[1], &word, 1);
	hear(to_child[0], &word, 1);
	if (!close_first) {
		CHECK(hipIpcCloseMemHandle(sum));
	}
	tell(to_parent[1], &result, sizeof(result));
	_exit(0);
}

static void share_one(bool close_first)
{
	int *sum, result, status;
	char word = 0;

	if (is_child()) {
		use_one(close_first);
	}
	sum = exported();
	hear(to_parent[0], &word, 1);
	CHECK(hipFree(sum));
	tell(to_child[1], &word, 1);
	hear(to_parent[0], &result, sizeof(result));
	printf("imports: sum %d expected %d\n", result, ITEMS);
	wait(&status);
}

static void use_each(bool close)
{
	int result = 0;

	for (int i = 0; i < BLOCKS; i++) {
		hipIpcMemHandle_t handle;
		int *sum;

		hear(to_child[0], &handle, sizeof(handle));
		CHECK(hipIpcOpenMemHandle((void **)&sum, handle, hipIpcMemLazyEnablePeerAccess)); // @each
		result += add_up(sum);
		if (close) {
			CHECK(hipIpcCloseMemHandle(sum));
		}
	}
	tell(to_parent[1], &result, sizeof(result));
	_exit(0);
}

static void share_each(bool close)
{
	int *sums[BLOCKS], result, status;

	if (is_child()) {
		use_each(close);
	}
	for (int i = 0; i < BLOCKS; i++)
		sums[i] = exported();
	hear(to_parent[0], &result, sizeof(result));
	printf("imports: sum %d expected %d\n", result, ITEMS * BLOCKS);
	wait(&status);
	for (int i = 0; i < BLOCKS; i++) {
		CHECK(hipFree(sums[i]));
	}
}

#define PART (BYTES / 2 / sizeof(int)) /* elements before the part that is exported */

static void use_part(bool adds_offset)
{
	hipIpcMemHandle_t handle;
	int *block, result;
	size_t offset;

	hear(to_child[0], &handle, sizeof(handle));
	hear(to_child[0], &offset, sizeof(offset));
	CHECK(hipIpcOpenMemHandle((void **)&block, handle, hipIpcMemLazyEnablePeerAccess)); // @part
	CHECK(hipMemcpy(&result, (char *)block + (adds_offset ? offset : 0), sizeof(result),
			hipMemcpyDeviceToHost));
	CHECK(hipIpcCloseMemHandle(block));
	tell(to_parent[1], &result, sizeof(result));
	_exit(0);
}

static void share_part(bool adds_offset)
{
	hipIpcMemHandle_t handle;
	int *block, result, status;
	hipDeviceptr_t start;
	size_t size, offset;

	if (is_child()) {
		use_part(adds_offset);
	}
	CHECK(hipMalloc(&block, BYTES));
	CHECK(hipMemset(block, 0, BYTES));
	count<<<1, ITEMS>>>(block + PART);
	CHECK(hipDeviceSynchronize());
	CHECK(hipIpcGetMemHandle(&handle, block + PART));
	CHECK(hipMemGetAddressRange(&start, &size, block + PART));
	offset = (char *)(block + PART) - (char *)start;
	tell(to_child[1], &handle, sizeof(handle));
	tell(to_child[1], &offset, sizeof(offset));
	hear(to_parent[0], &result, sizeof(result));
	printf("imports: sum %d expected %d\n", result, ITEMS);
	wait(&status);
	CHECK(hipFree(block));
}

static const variant variants[] = {
	{ "freed_first", [] { share_one(false); } },
	{ "closed_first", [] { share_one(true); } },
	{ "never_closed", [] { share_each(false); } },
	{ "each_closed", [] { share_each(true); } },
	{ "inner_address", [] { share_part(false); } },
	{ "inner_offset", [] { share_part(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
