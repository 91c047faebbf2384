// SPDX-License-Identifier: Apache-2.0
// Work in streams that nothing orders. The kernels here do not begin before the host has opened a gate in
// pinned memory, which it does too late: so what goes wrong goes wrong at every run.
//
// Another stream copies the result before the kernel has written it.
// hipgrain-run: copy_too_early
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG701 call=hipMemcpyAsync api=hipMalloc at=@result confidence=likely
//
// hipgrain-run: copy_after_event
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The null stream does not wait for a non-blocking stream, not even in hipMemcpy.
// hipgrain-run: null_too_early
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG703 call=hipMemcpy api=hipMalloc at=@result confidence=likely
//
// But it waits for the others.
// hipgrain-run: null_blocking
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The host copies from memory that the kernel has not written yet.
// hipgrain-run: host_too_early
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG403 call=hipMemcpy api=hipHostMalloc at=@host_result
//
// That a third stream waits does not help the host.
// hipgrain-run: host_waits_elsewhere
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG402 call=hipMemcpy api=hipHostMalloc at=@host_result
//
// hipgrain-run: host_waits
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The host writes what the kernel has yet to read.
// hipgrain-run: input_overwritten
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG215 call=hipMemcpy api=hipHostMalloc at=@input
//
// One stream gives memory back to the pool while another still uses it.
// hipgrain-run: freed_in_flight
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG602 call=hipFreeAsync api=hipMallocAsync at=@pooled confidence=proven
//
// hipgrain-run: freed_in_order
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// Memory of a pool is used in a stream that does not wait for its allocation: the block's last owner still writes it.
// hipgrain-run: pool_too_early
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG708 call=hipMemsetAsync api=hipMallocAsync at=@second confidence=proven
//
// hipgrain-run: pool_after_event
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The next result is copied over one for which the host has not waited.
// hipgrain-run: results_unseen
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG407 call=hipMemcpyAsync api=hipHostMalloc at=@pinned confidence=likely
//
// hipgrain-run: results_seen
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The host writes the next input where the copy of this one has not begun.
// hipgrain-run: source_changed
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG408 call=hipMemcpyAsync api=hipHostMalloc at=@pinned confidence=likely
//
// hipgrain-run: source_kept
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// Another kernel reads what the first has not written yet. Their numbers differ, but each needs all of the memory.
// hipgrain-run: consumed_too_early
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG701 kernel=consume argument=1 api=hipMalloc at=@result confidence=possible
//
// hipgrain-run: consumed_after_event
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// Halves of one array in two streams, chosen by the pointer and by a number.
// hipgrain-run: halves
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// A part of what one stream writes is copied, and read by a kernel, in the other: behind its pointer.
// hipgrain-run: part_copied
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG701 call=hipMemcpyAsync api=hipMalloc at=@result confidence=likely
//
// hipgrain-run: part_read
// hipgrain-stdout: ordering: 0 of 1024 seen
// hipgrain-expect: HG701 kernel=copy_below argument=1 api=hipMalloc at=@result confidence=likely
//
// hipgrain-run: parts_apart
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: none
//
// The same kernel from the same pointer in two streams: lists in memory say that it is right.
// hipgrain-run: lists
// hipgrain-stdout: ordering: 1024 of 1024 seen
// hipgrain-expect: HG701 kernel=add_listed argument=0 api=hipMalloc at=@result confidence=possible

#include "sample.h"

#define ELEMENTS   1024
#define BYTES      (ELEMENTS * sizeof(int))
#define GROUP_SIZE 256
#define VALUE      7

static int *gate; /* the kernels wait until the host stores 1 here */

__global__ void fill_behind(volatile int *gate, int *result, int from)
{
	while (*gate == 0) {
		__builtin_amdgcn_s_sleep(1);
	}
	result[from + blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}

__global__ void copy_behind(volatile int *gate, int *result, const int *input)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	while (*gate == 0) {
		__builtin_amdgcn_s_sleep(1);
	}
	result[i] = input[i];
}

__global__ void consume(int *result, const int *input, int factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	result[i] = input[i] * factor;
}

__global__ void fill_below(int *result, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count) {
		result[i] = VALUE;
	}
}

__global__ void copy_below(int *result, const int *input, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count) {
		result[i] = input[i];
	}
}

__global__ void wait_behind(volatile int *gate)
{
	while (*gate == 0) {
		__builtin_amdgcn_s_sleep(1);
	}
}

__global__ void add_listed(int *result, const int *list, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count) {
		result[list[i]] += VALUE;
	}
}

static hipStream_t make_stream(unsigned flags)
{
	hipStream_t stream;

	CHECK(hipStreamCreateWithFlags(&stream, flags));
	return stream;
}

static int *pinned(unsigned flags)
{
	int *p;

	CHECK(hipHostMalloc(&p, BYTES, flags)); // @pinned
	memset(p, 0, BYTES);
	return p;
}

static int *on_device()
{
	int *p;

	CHECK(hipMalloc(&p, BYTES)); // @result
	CHECK(hipMemset(p, 0, BYTES));
	CHECK(hipDeviceSynchronize());
	return p;
}

static void fill(hipStream_t stream, int *result, int from, int count)
{
	fill_behind<<<count / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(gate, result, from);
	CHECK(hipGetLastError());
}

static void open_gate()
{
	__atomic_store_n(gate, 1, __ATOMIC_SEQ_CST);
}

/* The kernels may go on; then everything ends, and what was seen before is judged. */
static void finish(const int *seen)
{
	int right = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		right += seen[i] == VALUE;
	}
	open_gate();
	CHECK(hipDeviceSynchronize());
	printf("ordering: %d of %d seen\n", right, ELEMENTS);
}

static void order(hipStream_t from, hipStream_t to)
{
	hipEvent_t event;

	CHECK(hipEventCreate(&event));
	CHECK(hipEventRecord(event, from));
	CHECK(hipStreamWaitEvent(to, event, 0));
}

/* ---- device memory ---- */

static void run_copy(bool ordered)
{
	hipStream_t a = make_stream(hipStreamDefault), b = make_stream(hipStreamDefault);
	int *result = on_device(), *seen = pinned(hipHostMallocDefault);

	if (ordered) {
		open_gate();
	}
	fill(a, result, 0, ELEMENTS);
	if (ordered) {
		order(a, b);
	}
	CHECK(hipMemcpyAsync(seen, result, BYTES, hipMemcpyDeviceToHost, b));
	CHECK(hipStreamSynchronize(b));
	finish(seen);
}

static void run_null(unsigned flags)
{
	hipStream_t a = make_stream(flags);
	int *result = on_device(), *seen = pinned(hipHostMallocDefault);

	if (flags != hipStreamNonBlocking) {
		open_gate();
	}
	fill(a, result, 0, ELEMENTS);
	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyDeviceToHost));
	finish(seen);
}

static void run_freed(bool ordered)
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *first, *second, *seen = pinned(hipHostMallocDefault);

	CHECK(hipMallocAsync((void **)&first, BYTES, a)); // @pooled
	CHECK(hipStreamSynchronize(a));
	fill(b, first, 0, ELEMENTS); /* VALUE, where the next owner's bytes are by then */
	if (ordered) {
		order(b, a);
		open_gate();
	}
	CHECK(hipFreeAsync(first, a));
	CHECK(hipMallocAsync((void **)&second, BYTES, a));
	CHECK(hipMemsetAsync(second, 0, BYTES, a));
	CHECK(hipStreamSynchronize(a));
	open_gate();
	CHECK(hipStreamSynchronize(b));
	CHECK(hipMemcpyAsync(seen, second, BYTES, hipMemcpyDeviceToHost, a));
	CHECK(hipStreamSynchronize(a));
	for (int i = 0; i < ELEMENTS; i++) {
		seen[i] = seen[i] == 0 ? VALUE : 0; /* whole, or overwritten by the old owner */
	}
	finish(seen);
	CHECK(hipFreeAsync(second, a));
}

static void run_pool(bool ordered)
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *first, *second, *seen = pinned(hipHostMallocDefault);

	CHECK(hipMallocAsync((void **)&first, BYTES, a));
	fill(a, first, 0, ELEMENTS);
	if (ordered) {
		open_gate();
	}
	CHECK(hipFreeAsync(first, a));
	CHECK(hipMallocAsync((void **)&second, BYTES, a)); // @second
	if (ordered) {
		order(a, b);
	}
	CHECK(hipMemsetAsync(second, 0, BYTES, b));
	CHECK(hipStreamSynchronize(b));
	open_gate();
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(seen, second, BYTES, hipMemcpyDeviceToHost));
	for (int i = 0; i < ELEMENTS; i++) {
		seen[i] = seen[i] == 0 ? VALUE : 0; /* whole, or overwritten by the old owner */
	}
	finish(seen);
	CHECK(hipFreeAsync(second, a));
}

static void run_results(bool waits)
{
	hipStream_t a = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *seen = pinned(hipHostMallocDefault), *kept = pinned(hipHostMallocDefault);

	for (int round = 0; round < 2; round++) {
		if (waits) {
			open_gate();
		}
		fill(a, result, 0, ELEMENTS);
		CHECK(hipMemcpyAsync(seen, result, BYTES, hipMemcpyDeviceToHost, a));
		if (waits) {
			CHECK(hipStreamSynchronize(a));
		}
		memcpy(kept, seen, BYTES); /* the host uses it now */
	}
	open_gate();
	CHECK(hipStreamSynchronize(a));
	finish(kept);
}

static void run_source(bool waits)
{
	hipStream_t a = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *input = pinned(hipHostMallocDefault), *seen = pinned(hipHostMallocDefault);

	if (waits) {
		open_gate();
	}
	fill(a, result, 0, ELEMENTS);
	for (int i = 0; i < ELEMENTS; i++) {
		input[i] = VALUE;
	}
	CHECK(hipMemcpyAsync(result, input, BYTES, hipMemcpyHostToDevice, a));
	if (waits) {
		CHECK(hipStreamSynchronize(a));
	}
	memset(input, 0, BYTES); /* the next one */
	open_gate();
	CHECK(hipStreamSynchronize(a));
	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyDeviceToHost));
	finish(seen);
}

static void run_consumed(bool ordered)
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *consumed = on_device(), *seen = pinned(hipHostMallocDefault);

	if (ordered) {
		open_gate();
	}
	fill(a, result, 0, ELEMENTS);
	if (ordered) {
		order(a, b);
	}
	consume<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, b>>>(consumed, result, 1);
	CHECK(hipGetLastError());
	CHECK(hipMemcpyAsync(seen, consumed, BYTES, hipMemcpyDeviceToHost, b));
	CHECK(hipStreamSynchronize(b));
	finish(seen);
}

static void run_halves()
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *seen = pinned(hipHostMallocDefault);

	open_gate();
	fill(a, result, 0, ELEMENTS / 2);
	fill(b, result, ELEMENTS / 2, ELEMENTS / 2);
	CHECK(hipDeviceSynchronize());
	fill(a, result, 0, ELEMENTS / 2);
	fill(b, result + ELEMENTS / 2, 0, ELEMENTS / 2);
	CHECK(hipMemcpyAsync(seen, result, BYTES / 2, hipMemcpyDeviceToHost, a));
	CHECK(hipMemcpyAsync(seen + ELEMENTS / 2, result + ELEMENTS / 2, BYTES / 2, hipMemcpyDeviceToHost,
			     b));
	CHECK(hipStreamSynchronize(a));
	CHECK(hipStreamSynchronize(b));
	finish(seen);
}

static void fill_part(hipStream_t stream, int *part, int count)
{
	fill_below<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, stream>>>(part, count);
	CHECK(hipGetLastError());
}

static void run_parts()
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *seen = pinned(hipHostMallocDefault);

	fill_part(a, result, ELEMENTS / 2);
	fill_part(b, result + ELEMENTS / 2, ELEMENTS / 2);
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyDeviceToHost));
	finish(seen);
}

static void run_part(bool by_kernel)
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *copied = on_device(), *seen = pinned(hipHostMallocDefault);
	int *part = result + ELEMENTS / 2;

	wait_behind<<<1, 1, 0, a>>>(gate);
	CHECK(hipGetLastError());
	fill_part(a, result, ELEMENTS);
	if (by_kernel) {
		copy_below<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, b>>>(copied, part, ELEMENTS / 2);
		CHECK(hipGetLastError());
		part = copied;
	}
	CHECK(hipMemcpyAsync(seen, part, BYTES / 2, hipMemcpyDeviceToHost, b));
	CHECK(hipStreamSynchronize(b));
	finish(seen);
}

static void run_lists()
{
	hipStream_t stream[2];
	int *result = on_device(), *seen = pinned(hipHostMallocDefault);

	for (int k = 0; k < 2; k++) {
		int *list = pinned(hipHostMallocDefault);

		stream[k] = make_stream(hipStreamNonBlocking);
		for (int i = 0; i < ELEMENTS / 2; i++) {
			list[i] = 2 * i + k;
		}
		add_listed<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, stream[k]>>>(result, list, ELEMENTS / 2);
		CHECK(hipGetLastError());
	}
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyDeviceToHost));
	finish(seen);
}

/* ---- host memory ---- */

enum host_wait { NO_WAIT, ELSEWHERE, WAIT };

static void run_host(host_wait wait)
{
	hipStream_t a = make_stream(hipStreamNonBlocking), b = make_stream(hipStreamNonBlocking);
	int *seen = pinned(hipHostMallocDefault), *result;

	CHECK(hipHostMalloc(&result, BYTES, hipHostMallocNonCoherent)); // @host_result
	memset(result, 0, BYTES);
	if (wait == WAIT) {
		open_gate();
	}
	fill(a, result, 0, ELEMENTS);
	if (wait == ELSEWHERE) {
		order(a, b);
	} else if (wait == WAIT) {
		CHECK(hipStreamSynchronize(a));
	}
	CHECK(hipMemcpy(seen, result, BYTES, hipMemcpyHostToHost));
	finish(seen);
}

static void run_input_overwritten()
{
	hipStream_t a = make_stream(hipStreamNonBlocking);
	int *result = on_device(), *next = pinned(hipHostMallocDefault), *input;

	CHECK(hipHostMalloc(&input, BYTES, hipHostMallocNonCoherent)); // @input
	for (int i = 0; i < ELEMENTS; i++) {
		input[i] = VALUE;
	}
	copy_behind<<<ELEMENTS / GROUP_SIZE, GROUP_SIZE, 0, a>>>(gate, result, input);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(input, next, BYTES, hipMemcpyHostToHost)); /* the next round's input: zeros */
	open_gate();
	CHECK(hipStreamSynchronize(a));
	CHECK(hipMemcpy(next, result, BYTES, hipMemcpyDeviceToHost));
	finish(next);
}

static const variant variants[] = {
	{ "copy_too_early", [] { run_copy(false); } },
	{ "copy_after_event", [] { run_copy(true); } },
	{ "null_too_early", [] { run_null(hipStreamNonBlocking); } },
	{ "null_blocking", [] { run_null(hipStreamDefault); } },
	{ "host_too_early", [] { run_host(NO_WAIT); } },
	{ "host_waits_elsewhere", [] { run_host(ELSEWHERE); } },
	{ "host_waits", [] { run_host(WAIT); } },
	{ "input_overwritten", run_input_overwritten },
	{ "freed_in_flight", [] { run_freed(false); } },
	{ "freed_in_order", [] { run_freed(true); } },
	{ "pool_too_early", [] { run_pool(false); } },
	{ "pool_after_event", [] { run_pool(true); } },
	{ "results_unseen", [] { run_results(false); } },
	{ "results_seen", [] { run_results(true); } },
	{ "source_changed", [] { run_source(false); } },
	{ "source_kept", [] { run_source(true); } },
	{ "consumed_too_early", [] { run_consumed(false); } },
	{ "consumed_after_event", [] { run_consumed(true); } },
	{ "halves", run_halves },
	{ "part_copied", [] { run_part(false); } },
	{ "part_read", [] { run_part(true); } },
	{ "parts_apart", run_parts },
	{ "lists", run_lists },
};

int main(int argc, char **argv)
{
	gate = pinned(hipHostMallocDefault);
	return run_variant(variants, argc, argv);
}
