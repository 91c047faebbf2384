// SPDX-License-Identifier: Apache-2.0
// Values that nothing has written.
#include "gpu.h"

#define COUNT 256

__global__ void load(const int *from, int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = 3 * from[i];
}

__global__ void store(int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = i;
}

/* Multiplies COUNT numbers, and fetches the results. */
static void use(const int *from)
{
	int *to = zeroed<int>(COUNT);

	load<<<COUNT / 64, 64>>>(from, to, COUNT);
	WAIT();
	finish(to, COUNT);
}

CASE(never_written, "initcheck", "a kernel computes with memory into which nothing was written")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));

	use(a);
	OK(gpuFree(a));
}

CASE(partial_copy, "initcheck", "a copy leaves out the last element")
{
	int *a = unwritten<int>(COUNT), host[COUNT] = { 1, 2, 3 };

	OK(GPU(Memcpy)(a, host, (COUNT - PICK(1, 0)) * sizeof(int), GPU(MemcpyHostToDevice)));
	use(a);
	OK(gpuFree(a));
}

CASE(copy_in_elements, "initcheck", "a copy gets the number of elements instead of bytes")
{
	int *a = unwritten<int>(COUNT), host[COUNT] = { 1, 2, 3 };

	OK(GPU(Memcpy)(a, host, PICK(COUNT, COUNT * sizeof(int)), GPU(MemcpyHostToDevice)));
	use(a);
	OK(gpuFree(a));
}

CASE(partial_fill, "initcheck", "a fill gets the number of elements instead of bytes")
{
	int *a = unwritten<int>(COUNT);

	OK(GPU(Memset)(a, 0, PICK(COUNT, COUNT * sizeof(int))));
	use(a);
	OK(gpuFree(a));
}

CASE(partial_kernel, "initcheck", "a kernel that writes first has one work-group too few")
{
	int *a = unwritten<int>(COUNT);

	store<<<COUNT / 64 - PICK(1, 0), 64>>>(a, COUNT);
	use(a);
	OK(gpuFree(a));
}

CASE(partial_count, "initcheck", "a kernel that writes first leaves out one element")
{
	int *a = unwritten<int>(COUNT);

	store<<<COUNT / 64, 64>>>(a, COUNT - PICK(1, 0));
	use(a);
	OK(gpuFree(a));
}

__global__ void store_even(int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[2 * i] = i;
	RIGHT_ONLY(to[2 * i + 1] = i;)
}

CASE(every_other, "initcheck", "a kernel writes every other element")
{
	int *a = unwritten<int>(COUNT);

	store_even<<<COUNT / 128, 64>>>(a);
	use(a);
	OK(gpuFree(a));
}

__global__ void branch(const int *flags, int *to)
{
	if (flags[threadIdx.x] == 7)
		to[threadIdx.x] = 1;
}

CASE(decides_branch, "initcheck", "an unwritten flag decides whether a kernel stores")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT)), *b = zeroed<int>(COUNT);

	branch<<<1, COUNT>>>(a, b);
	WAIT();
	OK(gpuFree(a));
	finish(b, COUNT);
}

__global__ void loop(const int *n, int *to)
{
	int sum = 0;

	for (int i = 0; i < (n[0] & 15); i++)
		sum += to[i];
	to[16 + threadIdx.x] = sum;
}

CASE(decides_loop, "initcheck", "an unwritten count decides how often a loop runs")
{
	int *a = PICK(unwritten<int>(1), zeroed<int>(1)), *b = zeroed<int>(COUNT);

	loop<<<1, 64>>>(a, b);
	WAIT();
	OK(gpuFree(a));
	finish(b, COUNT);
}

__global__ void gather(const int *from, const int *index, int *to)
{
	to[threadIdx.x] = from[index[threadIdx.x] & (COUNT - 1)];
}

CASE(decides_address, "initcheck", "an unwritten index leads a load")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);
	int *index = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));

	gather<<<1, COUNT>>>(a, index, b);
	WAIT();
	finish(a, COUNT);
	finish(b, COUNT);
	OK(gpuFree(index));
}

__global__ void scatter(const int *index, int *to)
{
	to[index[threadIdx.x] & (COUNT - 1)] = 1;
}

CASE(decides_store_address, "initcheck", "an unwritten index leads a store")
{
	int *a = zeroed<int>(COUNT), *index = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));

	scatter<<<1, 64>>>(index, a);
	WAIT();
	finish(a, COUNT);
	OK(gpuFree(index));
}

CASE(copied_back, "initcheck", "memory into which nothing was written is copied to the host and used there")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));

	finish(a, COUNT);
}

CASE(partly_copied_back, "initcheck", "results are fetched, of which a kernel wrote three quarters")
{
	int *a = unwritten<int>(COUNT);

	store<<<PICK(3, 4), COUNT / 4>>>(a, COUNT);
	WAIT();
	finish(a, COUNT);
}

CASE(copied_then_used, "initcheck", "unwritten memory is copied on the device, and a kernel computes with the copy")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT)), *b = zeroed<int>(COUNT);

	OK(GPU(Memcpy)(b, a, COUNT * sizeof(int), GPU(MemcpyDeviceToDevice)));
	use(b);
	OK(gpuFree(a));
	OK(gpuFree(b));
}

__global__ void move(const int *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x];
}

CASE(moved_then_decides, "initcheck", "a kernel moves unwritten numbers, and another one decides by them")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT)), *b = zeroed<int>(COUNT);
	int *c = zeroed<int>(COUNT);

	move<<<1, COUNT>>>(a, b);
	branch<<<1, COUNT>>>(b, c);
	WAIT();
	OK(gpuFree(a));
	OK(gpuFree(b));
	finish(c, COUNT);
}

struct padded {
	char kind;
	int value;
};

__global__ void set_padded(struct padded *to)
{
	to[threadIdx.x].kind = 1;
	RIGHT_ONLY(to[threadIdx.x].value = 2;)
}

__global__ void copy_padded(const struct padded *from, struct padded *to)
{
	to[threadIdx.x] = from[threadIdx.x];
}

__global__ void sum_padded(const struct padded *from, int *to)
{
	to[threadIdx.x] = from[threadIdx.x].kind + from[threadIdx.x].value;
}

CASE(padding, "initcheck", "a member of structures is not written; in the twin their padding is not, and is copied with them")
{
	struct padded *a = unwritten<struct padded>(64), *b = unwritten<struct padded>(64);
	int *c = zeroed<int>(64);

	set_padded<<<1, 64>>>(a);
	copy_padded<<<1, 64>>>(a, b);
	sum_padded<<<1, 64>>>(b, c);
	WAIT();
	OK(gpuFree(a));
	OK(gpuFree(b));
	finish(c, 64);
}

CASE(padding_by_copy, "initcheck", "as padding, but copied by hipMemcpy on the device")
{
	struct padded *a = unwritten<struct padded>(64), *b = unwritten<struct padded>(64);
	int *c = zeroed<int>(64);

	set_padded<<<1, 64>>>(a);
	OK(GPU(Memcpy)(b, a, 64 * sizeof(struct padded), GPU(MemcpyDeviceToDevice)));
	sum_padded<<<1, 64>>>(b, c);
	WAIT();
	OK(gpuFree(a));
	OK(gpuFree(b));
	finish(c, 64);
}

__global__ void three_bytes(unsigned char *to)
{
	for (int i = 0; i < 3; i++)
		to[4 * threadIdx.x + i] = i;
}

__global__ void load_masked(const unsigned *from, unsigned *to)
{
	to[threadIdx.x] = from[threadIdx.x] & PICK(0x7fffffffu, 0xffffffu);
}

CASE(byte_of_word, "initcheck", "one byte of each word is not written, but used; the twin masks it out")
{
	unsigned *a = unwritten<unsigned>(64), *b = zeroed<unsigned>(64);

	three_bytes<<<1, 64>>>((unsigned char *)a);
	load_masked<<<1, 64>>>(a, b);
	WAIT();
	OK(gpuFree(a));
	finish(b, 64);
}

__global__ void accumulate(int *to)
{
	to[threadIdx.x] += threadIdx.x;
}

CASE(accumulated, "initcheck", "a kernel adds to results that were not cleared")
{
	int *a = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));

	accumulate<<<1, COUNT>>>(a);
	WAIT();
	finish(a, COUNT);
}

__global__ void count(int *to)
{
	atomicAdd(to, 1);
}

CASE(atomic_counter, "initcheck", "an atomic adds to a counter that was not cleared")
{
	int *a = PICK(unwritten<int>(1), zeroed<int>(1));

	count<<<4, 64>>>(a);
	WAIT();
	finish(a, 1);
}

__global__ void axpby(float *y, const float *x, float a, float b)
{
	y[threadIdx.x] = a * x[threadIdx.x] + PICK(b * y[threadIdx.x], b == 0 ? 0 : b * y[threadIdx.x]);
}

CASE(times_zero, "initcheck", "unwritten numbers are multiplied by 0, which is NaN for some")
{
	float *x = zeroed<float>(COUNT), *y = unwritten<float>(COUNT);

	axpby<<<1, COUNT>>>(y, x, 2, 0);
	WAIT();
	finish(x, COUNT);
	finish(y, COUNT);
}

__global__ void shared_sum(const int *from, int *to, int n)
{
	__shared__ int shared[64];
	int sum = 0;

	if ((int)threadIdx.x < n)
		shared[threadIdx.x] = from[threadIdx.x];
	__syncthreads();
	for (int i = 0; i < 64; i++)
		sum += shared[i];
	to[threadIdx.x] = sum;
}

CASE(shared_partly, "initcheck", "shared memory is summed, of which one element was not written")
{
	int *a = zeroed<int>(64), *b = zeroed<int>(64);

	shared_sum<<<1, 64>>>(a, b, PICK(63, 64));
	WAIT();
	finish(a, 64);
	finish(b, 64);
}

__global__ void shared_halo(const int *from, int *to)
{
	__shared__ int shared[66];
	int i = threadIdx.x;

	shared[i + 1] = from[i];
	if (i == 0) {
		RIGHT_ONLY(shared[0] = 0;)
		shared[65] = 0;
	}
	__syncthreads();
	to[i] = shared[i] + shared[i + 1] + shared[i + 2];
}

CASE(shared_halo, "initcheck", "one side of a tile's edge in shared memory is not written")
{
	int *a = zeroed<int>(64), *b = zeroed<int>(64);

	shared_halo<<<1, 64>>>(a, b);
	WAIT();
	finish(a, 64);
	finish(b, 64);
}

__global__ void shared_counters(const int *from, int *to)
{
	__shared__ int counters[64];

	RIGHT_ONLY(counters[threadIdx.x] = 0;)
	__syncthreads();
	atomicAdd(counters + (from[threadIdx.x] & 63), 1);
	__syncthreads();
	to[threadIdx.x] = counters[threadIdx.x];
}

CASE(shared_counters, "initcheck", "counters in shared memory are not cleared")
{
	int *a = zeroed<int>(64), *b = zeroed<int>(64);

	shared_counters<<<1, 64>>>(a, b);
	WAIT();
	finish(a, 64);
	finish(b, 64);
}

CASE(pinned_memory, "initcheck", "a kernel computes with pinned memory into which nothing was written")
{
	void *a = NULL;

	OK(gpuHostAlloc(&a, COUNT * sizeof(int)));
	RIGHT_ONLY(memset(a, 0, COUNT * sizeof(int));)
	use((int *)a);
	OK(gpuFreeHost(a));
}

CASE(managed_memory, "initcheck", "a kernel computes with managed memory into which nothing was written")
{
	void *a = NULL;

	OK(GPU(MallocManaged)(&a, COUNT * sizeof(int), GPU(MemAttachGlobal)));
	RIGHT_ONLY(memset(a, 0, COUNT * sizeof(int));)
	use((int *)a);
	OK(gpuFree(a));
}

CASE(pool_memory, "initcheck", "a kernel computes with memory of a pool into which nothing was written")
{
	gpuStream_t stream = new_stream();
	void *a = NULL;

	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	RIGHT_ONLY(OK(GPU(MemsetAsync)(a, 0, COUNT * sizeof(int), stream));)
	OK(GPU(StreamSynchronize)(stream));
	use((int *)a);
	OK(GPU(FreeAsync)(a, stream));
	OK(GPU(StreamSynchronize)(stream));
}

CASE(allocated_again, "initcheck", "memory is released and allocated anew, and the old content is expected")
{
	int *a = zeroed<int>(COUNT), *b;

	OK(gpuFree(a));
	b = PICK(unwritten<int>(COUNT), zeroed<int>(COUNT));
	use(b);
	OK(gpuFree(b));
}

__global__ void sum_rows(const char *from, size_t pitch, int width, int *to)
{
	const int *row = (const int *)(from + threadIdx.x * pitch);
	int sum = 0;

	for (int i = 0; i < width; i++)
		sum += row[i];
	to[threadIdx.x] = sum;
}

CASE(pitched_column, "initcheck", "a copy of two dimensions leaves out the last column")
{
	int host[16 * 60] = { 1, 2, 3 }, *b = zeroed<int>(16);
	size_t pitch = 0;
	void *a = NULL;

	OK(GPU(MallocPitch)(&a, &pitch, 60 * sizeof(int), 16));
	OK(GPU(Memcpy2D)(a, pitch, host, 60 * sizeof(int), (60 - PICK(1, 0)) * sizeof(int), 16,
			 GPU(MemcpyHostToDevice)));
	sum_rows<<<1, 16>>>((const char *)a, pitch, 60, b);
	WAIT();
	OK(gpuFree(a));
	finish(b, 16);
}

__global__ void sum_fours(const int4 *from, int *to)
{
	int4 four = from[threadIdx.x];

	to[threadIdx.x] = four.x + four.y + four.z + PICK(four.w, 0);
}

CASE(fourth_element, "initcheck", "the fourth of four elements is not written, but used; the twin loads it for nothing")
{
	int *a = unwritten<int>(COUNT), *b = zeroed<int>(64), host[COUNT] = { 1, 2, 3 };

	OK(GPU(Memcpy2D)(a, 16, host, 16, 12, 64, GPU(MemcpyHostToDevice)));
	sum_fours<<<1, 64>>>((const int4 *)a, b);
	WAIT();
	OK(gpuFree(a));
	finish(b, 64);
}

__global__ void own_partly(int *to, int n)
{
	volatile int own[16];
	int sum = 0;

	for (int i = 0; i < n; i++)
		own[i] = i;
	for (int i = 0; i < 16; i++)
		sum += own[i];
	to[threadIdx.x] = sum;
}

CASE(own_array, "initcheck", "a work-item sums its own array, of which it has written 15 of 16 elements")
{
	int *a = zeroed<int>(64);

	own_partly<<<1, 64>>>(a, PICK(15, 16));
	WAIT();
	finish(a, 64);
}
