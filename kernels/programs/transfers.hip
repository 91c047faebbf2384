// SPDX-License-Identifier: Apache-2.0
// Copies and allocations that cost more than they have to, and at the end all of them done well.
//
// 32 rows of 4 KiB, each with a call of its own.
// hipgrain-run: rows
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG502 call=hipMemcpyAsync confidence=proven
//
// The rows of a matrix that is wider on the host.
// hipgrain-run: wide_rows
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG502 call=hipMemcpyAsync confidence=proven
//
// 64 MiB, then the kernel that needs them, four times.
// hipgrain-run: large
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG503 call=hipMemcpyAsync api=hipMalloc at=@device confidence=proven
//
// Copied twice, computed with once.
// hipgrain-run: twice
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG505 call=hipMemcpy api=hipMalloc at=@device
//
// The result is fetched after each of 16 kernels, and each time the host waits.
// hipgrain-run: fetch_each
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG506 call=hipMemcpy api=hipHostMalloc at=@pinned confidence=proven
//
// The runtime goes by the pointers and copies all the same.
// hipgrain-run: wrong_kind
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG508 call=hipMemcpy confidence=proven
//
// Scratch memory for each of 16 kernels.
// hipgrain-run: scratch_each
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG608 call=hipMalloc api=hipMalloc at=@scratch confidence=proven
//
// hipgrain-run: scratch_kept
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG620 call=hipMalloc api=hipMalloc at=@scratch confidence=likely
//
// The program makes a pinned buffer, or a registration of the host's memory, for each of 16 copies.
// hipgrain-run: pinned_each
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG512 call=hipHostMalloc api=hipHostMalloc at=@buffer confidence=proven
//
// hipgrain-run: registered_each
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG512 call=hipHostRegister api=hipHostRegister at=@registered confidence=proven
//
// The program reads one number after each of 128 kernels, or after every 16 kernels.
// hipgrain-run: number_each
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: HG513 call=hipMemcpy confidence=proven
//
// hipgrain-run: number_seldom
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: none
//
// The same, done well: one call for all rows, hipMemcpy2DAsync, one upload, one fetch, one allocation.
// hipgrain-run: well
// hipgrain-stdout: transfers: 0 wrong
// hipgrain-expect: none

#include "sample.h"

#define ROWS       32
#define ROW_BYTES  4096
#define ROUNDS     16
#define LARGE      (64u << 20)
#define GROUP_SIZE 256

/* Reads a few of the elements only: what is measured is how they get there. */
__global__ void add_one(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		out[i] = in[i] + 1;
	}
}

static int *host, *device, *result;
static hipStream_t stream;

static void make(size_t bytes)
{
	CHECK(hipStreamCreate(&stream));
	CHECK(hipHostMalloc(&host, bytes, hipHostMallocDefault)); // @pinned
	CHECK(hipMalloc(&device, bytes)); // @device
	CHECK(hipMalloc(&result, ROWS * ROW_BYTES));
	for (int i = 0; i < ROWS * ROW_BYTES / (int)sizeof(int); i++) {
		host[i] = i;
	}
}

static void compute(const int *in, int *out)
{
	int n = ROWS * ROW_BYTES / (int)sizeof(int);

	add_one<<<n / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(in, out, n);
	CHECK(hipGetLastError());
}

/* Fetches the result and compares it: what was copied is i, and one more was computed. */
static void finish(int more)
{
	int n = ROWS * ROW_BYTES / (int)sizeof(int), wrong = 0;
	int *copy;

	CHECK(hipHostMalloc(&copy, ROWS * ROW_BYTES, hipHostMallocDefault));
	CHECK(hipMemcpyAsync(copy, result, ROWS * ROW_BYTES, hipMemcpyDeviceToHost, stream));
	CHECK(hipStreamSynchronize(stream));
	for (int i = 0; i < n; i++) {
		wrong += copy[i] != i + more;
	}
	printf("transfers: %d wrong\n", wrong);
	CHECK(hipHostFree(copy));
	CHECK(hipHostFree(host));
	CHECK(hipFree(device));
	CHECK(hipFree(result));
	CHECK(hipStreamDestroy(stream));
}

static void upload(size_t bytes)
{
	CHECK(hipMemcpyAsync(device, host, bytes, hipMemcpyHostToDevice, stream));
}

static void run_rows()
{
	make(ROWS * ROW_BYTES);
	for (int row = 0; row < ROWS; row++) {
		CHECK(hipMemcpyAsync((char *)device + row * ROW_BYTES, (char *)host + row * ROW_BYTES,
				     ROW_BYTES, hipMemcpyHostToDevice, stream));
	}
	compute(device, result);
	finish(1);
}

static void run_rows_at_once()
{
	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	compute(device, result);
	finish(1);
}

/* The matrix on the host: each row is followed by as much of something else. */
static char *wide()
{
	char *matrix;

	make(ROWS * ROW_BYTES);
	CHECK(hipHostMalloc(&matrix, 2 * ROWS * ROW_BYTES, hipHostMallocDefault));
	for (int row = 0; row < ROWS; row++) {
		memcpy(matrix + 2 * row * ROW_BYTES, (char *)host + row * ROW_BYTES, ROW_BYTES);
	}
	return matrix;
}

static void run_wide_rows()
{
	char *matrix = wide();

	for (int row = 0; row < ROWS; row++) {
		CHECK(hipMemcpyAsync((char *)device + row * ROW_BYTES, matrix + 2 * row * ROW_BYTES,
				     ROW_BYTES, hipMemcpyHostToDevice, stream));
	}
	compute(device, result);
	finish(1);
	CHECK(hipHostFree(matrix));
}

static void run_wide_rows_2d()
{
	char *matrix = wide();

	CHECK(hipMemcpy2DAsync(device, ROW_BYTES, matrix, 2 * ROW_BYTES, ROW_BYTES, ROWS,
			       hipMemcpyHostToDevice, stream));
	compute(device, result);
	finish(1);
	CHECK(hipHostFree(matrix));
}

static void run_large()
{
	make(LARGE);
	for (int round = 0; round < 4; round++) {
		upload(LARGE);
		compute(device, result);
	}
	finish(1);
}

static void run_large_once()
{
	make(LARGE);
	upload(LARGE);
	for (int round = 0; round < 4; round++) {
		compute(device, result);
	}
	finish(1);
}

static void run_twice()
{
	make(ROWS * ROW_BYTES);
	CHECK(hipMemcpy(device, host, ROWS * ROW_BYTES, hipMemcpyHostToDevice));
	CHECK(hipMemcpy(device, host, ROWS * ROW_BYTES, hipMemcpyHostToDevice));
	compute(device, result);
	finish(1);
}

static void run_once()
{
	make(ROWS * ROW_BYTES);
	CHECK(hipMemcpy(device, host, ROWS * ROW_BYTES, hipMemcpyHostToDevice));
	compute(device, result);
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipMemcpy(device, host, ROWS * ROW_BYTES, hipMemcpyHostToDevice));
	compute(device, result);
	finish(1);
}

static void run_fetch_each()
{
	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(device, result);
		CHECK(hipStreamSynchronize(stream));
		CHECK(hipMemcpy(host, result, ROWS * ROW_BYTES, hipMemcpyDeviceToHost));
	}
	finish(1);
}

static void run_fetch_last()
{
	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		compute(device, result);
	}
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipMemcpy(host, result, ROWS * ROW_BYTES, hipMemcpyDeviceToHost));
	finish(1);
}

static void with_kind(hipMemcpyKind kind)
{
	make(ROWS * ROW_BYTES);
	CHECK(hipMemcpy(device, host, ROWS * ROW_BYTES, kind));
	compute(device, result);
	finish(1);
}

static void run_wrong_kind()
{
	with_kind(hipMemcpyDeviceToHost);
}

static void run_right_kind()
{
	with_kind(hipMemcpyHostToDevice);
}

static int *scratch()
{
	int *memory;

	CHECK(hipMalloc(&memory, ROWS * ROW_BYTES)); // @scratch
	return memory;
}

/* Runs two kernels a round, with scratch memory between them. */
static void compute_with(int *memory)
{
	compute(device, memory);
	compute(memory, result);
}

static void run_scratch_each()
{
	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		int *memory = scratch();

		compute_with(memory);
		CHECK(hipFree(memory));
	}
	finish(2);
}

static void run_scratch_once()
{
	int *memory;

	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	memory = scratch();
	for (int round = 0; round < ROUNDS; round++) {
		compute_with(memory);
	}
	CHECK(hipFree(memory));
	finish(2);
}

static void run_scratch_kept()
{
	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	for (int round = 0; round < ROUNDS + 1; round++) {
		compute_with(scratch());
	}
	finish(2);
}

/* Sends the matrix through a pinned buffer, or through one for each row if it is NULL. */
static void send_through(int *buffer)
{
	make(ROWS * ROW_BYTES);
	for (int row = 0; row < ROUNDS; row++) {
		size_t part = ROWS / ROUNDS * ROW_BYTES, offset = row * part;
		int *own = buffer;

		if (!own) {
			CHECK(hipHostMalloc(&own, part, hipHostMallocDefault)); // @buffer
		}
		memcpy(own, (char *)host + offset, part);
		CHECK(hipMemcpyAsync((char *)device + offset, own, part, hipMemcpyHostToDevice, stream));
		CHECK(hipStreamSynchronize(stream));
		if (own != buffer) {
			CHECK(hipHostFree(own));
		}
	}
	compute(device, result);
	finish(1);
}

static void run_pinned_each()
{
	send_through(nullptr);
}

static void run_pinned_once()
{
	int *buffer;

	CHECK(hipHostMalloc(&buffer, ROWS / ROUNDS * ROW_BYTES, hipHostMallocDefault));
	send_through(buffer);
	CHECK(hipHostFree(buffer));
}

/* Uses the host's own memory, registered for each of the rounds or for all of them. */
static void send_registered(bool each)
{
	size_t bytes = ROWS * ROW_BYTES;
	int *own = (int *)aligned_alloc(4096, bytes);

	make(bytes);
	memcpy(own, host, bytes);
	if (!each) {
		CHECK(hipHostRegister(own, bytes, hipHostRegisterDefault));
	}
	for (int round = 0; round < ROUNDS; round++) {
		if (each) {
			CHECK(hipHostRegister(own, bytes, hipHostRegisterDefault)); // @registered
		}
		CHECK(hipMemcpyAsync(device, own, bytes, hipMemcpyHostToDevice, stream));
		compute(device, result);
		CHECK(hipStreamSynchronize(stream));
		if (each) {
			CHECK(hipHostUnregister(own));
		}
	}
	if (!each) {
		CHECK(hipHostUnregister(own));
	}
	finish(1);
	free(own);
}

static void run_registered_each()
{
	send_registered(true);
}

static void run_registered_once()
{
	send_registered(false);
}

/* Looks at one element after every `kernels` launches. */
static void look_every(int kernels)
{
	int first;

	make(ROWS * ROW_BYTES);
	upload(ROWS * ROW_BYTES);
	for (int i = 0; i < 128; i++) {
		compute(device, result);
		if ((i + 1) % kernels == 0) {
			CHECK(hipStreamSynchronize(stream));
			CHECK(hipMemcpy(&first, result, sizeof(first), hipMemcpyDeviceToHost));
		}
	}
	finish(1);
}

static void run_number_each()
{
	look_every(1);
}

static void run_number_seldom()
{
	look_every(16);
}

static void run_well()
{
	run_rows_at_once();
	run_wide_rows_2d();
	run_large_once();
	run_once();
	run_fetch_last();
	run_right_kind();
	run_scratch_once();
	run_pinned_once();
	run_registered_once();
}

static const variant variants[] = {
	{ "rows", run_rows },
	{ "wide_rows", run_wide_rows },
	{ "large", run_large },
	{ "twice", run_twice },
	{ "fetch_each", run_fetch_each },
	{ "wrong_kind", run_wrong_kind },
	{ "scratch_each", run_scratch_each },
	{ "scratch_kept", run_scratch_kept },
	{ "pinned_each", run_pinned_each },
	{ "registered_each", run_registered_each },
	{ "number_each", run_number_each },
	{ "number_seldom", run_number_seldom },
	{ "well", run_well },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
