// SPDX-License-Identifier: Apache-2.0
// Calls that fail or do nothing, and a program that goes on as if they had worked; and waits that cost.
//
// The work-group is larger than any GPU allows: nothing runs, and nobody asks.
// hipgrain-run: launch_fails
// hipgrain-note: hipLaunchKernel of fill(int*) (a grid of 4 x 1 x 1, blocks of 4096 x 1 x 1) failed with
// hipgrain-stdout: unnoticed: 0 of 1024 right
// hipgrain-expect: HG707 call=hipLaunchKernel api=hipMalloc at=@result confidence=likely
//
// Nor does any GPU have that much LDS.
// hipgrain-run: launch_without_room
// hipgrain-note: (a grid of 4 x 1 x 1, blocks of 256 x 1 x 1, 1048576 bytes of dynamic LDS) failed with
// hipgrain-stdout: unnoticed: 0 of 1024 right
// hipgrain-expect: HG707 call=hipLaunchKernel api=hipMalloc at=@result confidence=likely
//
// A second attempt with another size is as it should be.
// hipgrain-run: launch_retried
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: none
//
// hipgrain-run: copy_fails
// hipgrain-stdout: unnoticed: 0 of 1024 right
// hipgrain-expect: HG707 call=hipMemcpy api=hipMalloc at=@result confidence=likely
//
// More memory than there is; the kernel is given what hipMalloc left behind.
// hipgrain-run: allocation_fails
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG617 call=hipMalloc confidence=likely
//
// hipgrain-run: call_in_capture
// hipgrain-expect: HG706 call=hipMemset
//
// The wait names an event that nobody recorded, and returns at once.
// hipgrain-run: event_never_recorded
// hipgrain-stdout: unnoticed: 0 of 1024 right
// hipgrain-expect: HG405 call=hipEventSynchronize confidence=proven
//
// hipgrain-run: event_recorded
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: none
//
// hipgrain-run: stream_destroyed
// hipgrain-harmless: HIP 7.2 looks into the stream that was released, and returns success
// hipgrain-expect: HG705 call=hipStreamSynchronize
//
// hipgrain-run: null_stream_between
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: HG702 call=hipLaunchKernel
//
// hipgrain-run: wait_after_each
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: HG704 call=hipDeviceSynchronize
//
// hipgrain-run: wait_after_all
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: none
//
// hipgrain-run: no_such_device
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: HG313 call=hipMemPrefetchAsync
// hipgrain-expect: HG313 call=hipMemAdvise
//
// hipgrain-run: devices_that_are_there
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: none
//
// hipgrain-run: no_bytes
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: HG221 call=hipMallocManaged
//
// hipgrain-run: one_byte
// hipgrain-stdout: unnoticed: 1024 of 1024 right
// hipgrain-expect: none

#include "sample.h"

#define ELEMENTS   1024
#define BYTES      (ELEMENTS * sizeof(int))
#define GROUP_SIZE 256
#define TOO_LARGE  4096
#define TOO_MUCH   (1 << 20) /* bytes of LDS */
#define ROUNDS     70
#define VALUE      7

__global__ void fill(int *result)
{
	result[blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}

__global__ void copy(int *result, const int *input)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	result[i] = input[i];
}

__global__ void fill_behind(volatile int *gate, int *result)
{
	while (*gate == 0) {
		__builtin_amdgcn_s_sleep(1);
	}
	result[blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}

static int *zeros()
{
	int *p;

	CHECK(hipMalloc(&p, BYTES)); // @result
	CHECK(hipMemset(p, 0, BYTES));
	return p;
}

static void judge(const int *seen)
{
	int right = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		right += seen[i] == VALUE;
	}
	printf("unnoticed: %d of %d right\n", right, ELEMENTS);
}

static void show(const int *result)
{
	static int seen[ELEMENTS];

	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyDeviceToHost));
	judge(seen);
}

static void run_launch(int group_size, bool again)
{
	int *result = zeros();

	fill<<<ELEMENTS / GROUP_SIZE, group_size>>>(result);
	if (again && hipGetLastError() != hipSuccess) {
		fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result);
		CHECK(hipGetLastError());
	}
	show(result);
}

static void run_launch_without_room()
{
	int *result = zeros();

	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, TOO_MUCH>>>(result);
	show(result);
}

static void run_copy_fails()
{
	const int *values = nullptr; /* "was read from a file" */
	int *input = zeros(), *result = zeros();

	(void)hipMemcpy(input, values, BYTES, hipMemcpyHostToDevice);
	copy<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result, input);
	show(result);
}

static void run_allocation_fails()
{
	int *result = nullptr;

	(void)hipMalloc(&result, (size_t)1 << 50);
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result);
	CHECK(hipDeviceSynchronize());
}

static void run_call_in_capture()
{
	hipStream_t stream;
	hipGraph_t graph;
	int *result = zeros();

	CHECK(hipStreamCreate(&stream));
	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	SHOW("hipMemset", hipMemset(result, 0, BYTES));
	SHOW("hipStreamEndCapture", hipStreamEndCapture(stream, &graph));
}

static void run_event(bool recorded)
{
	int *gate, *result;
	hipStream_t stream;
	hipEvent_t event;

	CHECK(hipHostMalloc(&gate, sizeof(*gate), hipHostMallocDefault));
	CHECK(hipHostMalloc(&result, BYTES, hipHostMallocDefault));
	memset(result, 0, BYTES);
	*gate = recorded;
	CHECK(hipStreamCreate(&stream));
	CHECK(hipEventCreate(&event));
	fill_behind<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(gate, result);
	CHECK(hipGetLastError());
	if (recorded) {
		CHECK(hipEventRecord(event, stream));
	}
	CHECK(hipEventSynchronize(event));
	judge(result);
	__atomic_store_n(gate, 1, __ATOMIC_SEQ_CST);
	CHECK(hipDeviceSynchronize());
	CHECK(hipEventDestroy(event));
}

static void run_stream_destroyed()
{
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipStreamDestroy(stream));
	SHOW("hipStreamSynchronize", hipStreamSynchronize(stream));
}

static void run_null_stream_between()
{
	int *result = zeros(), *other = zeros();
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	for (int i = 0; i < ROUNDS; i++) {
		fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(result);
		fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(other);
	}
	show(result);
}

static void run_rounds(bool wait)
{
	int *result = zeros();

	for (int i = 0; i < ROUNDS; i++) {
		fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result);
		if (wait) {
			CHECK(hipDeviceSynchronize());
		}
	}
	show(result);
}

/* Places memory by calls for one GPU. */
static void run_placed(int device, int host)
{
	int *result;

	CHECK(hipMallocManaged(&result, BYTES));
	SHOW("hipMemAdvise", hipMemAdvise(result, BYTES, hipMemAdviseSetPreferredLocation, device));
	SHOW("hipMemPrefetchAsync", hipMemPrefetchAsync(result, BYTES, host, 0));
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result);
	CHECK(hipDeviceSynchronize());
	judge(result);
	CHECK(hipFree(result));
}

/* Allocates what belongs to each element; there may be none. */
static void run_extra(size_t bytes)
{
	int *result = zeros();
	void *extra = nullptr;

	SHOW("hipMallocManaged", hipMallocManaged(&extra, bytes));
	fill<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE>>>(result);
	CHECK(hipDeviceSynchronize());
	show(result);
	CHECK(hipFree(extra));
	CHECK(hipFree(result));
}

static const variant variants[] = {
	{ "launch_fails", [] { run_launch(TOO_LARGE, false); } },
	{ "launch_without_room", run_launch_without_room },
	{ "launch_retried", [] { run_launch(TOO_LARGE, true); } },
	{ "copy_fails", run_copy_fails },
	{ "allocation_fails", run_allocation_fails },
	{ "call_in_capture", run_call_in_capture },
	{ "event_never_recorded", [] { run_event(false); } },
	{ "event_recorded", [] { run_event(true); } },
	{ "stream_destroyed", run_stream_destroyed },
	{ "null_stream_between", run_null_stream_between },
	{ "wait_after_each", [] { run_rounds(true); } },
	{ "no_such_device", [] { run_placed(1, -2); } },
	{ "devices_that_are_there", [] { run_placed(0, hipCpuDeviceId); } },
	{ "no_bytes", [] { run_extra(0); } },
	{ "one_byte", [] { run_extra(1); } },
	{ "wait_after_all", [] { run_rounds(false); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
