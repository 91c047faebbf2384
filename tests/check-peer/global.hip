// SPDX-License-Identifier: Apache-2.0
// Accesses of kernels outside of an allocation.
#include "gpu.h"

#define COUNT 256

__global__ void store_at(int *to, long skip)
{
	to[blockIdx.x * blockDim.x + threadIdx.x + skip] = 1;
}

__global__ void load_at(const int *from, int *to, long skip)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i + skip];
}

static void try_store(int *memory, long skip)
{
	store_at<<<COUNT / 64, 64>>>(memory, skip);
	WAIT();
}

static void try_load(const int *memory, long skip)
{
	int *to = zeroed<int>(COUNT);

	load_at<<<COUNT / 64, 64>>>(memory, to, skip);
	WAIT();
	finish(to, COUNT);
}

CASE(store_past, "memcheck", "a store one element past the end")
{
	int *a = zeroed<int>(COUNT);

	try_store(a, PICK(1, 0));
	finish(a, COUNT);
}

CASE(load_past, "memcheck", "a load one element past the end")
{
	int *a = zeroed<int>(COUNT);

	try_load(a, PICK(1, 0));
	finish(a, COUNT);
}

CASE(store_far, "memcheck", "a store 64 GiB past the end, where no memory is")
{
	int *a = zeroed<int>(COUNT);

	try_store(a, PICK(1L << 34, 0));
	finish(a, COUNT);
}

CASE(load_far, "memcheck", "a load 2 KiB past the end")
{
	int *a = zeroed<int>(COUNT);

	try_load(a, PICK(512, 0));
	finish(a, COUNT);
}

CASE(store_before, "memcheck", "a store one element in front of the allocation")
{
	int *a = zeroed<int>(COUNT);

	try_store(a, PICK(-1, 0));
	finish(a, COUNT);
}

CASE(load_before, "memcheck", "a load one element in front of the allocation")
{
	int *a = zeroed<int>(COUNT);

	try_load(a, PICK(-1, 0));
	finish(a, COUNT);
}

__global__ void unsigned_index(const int *from, int *to, unsigned n)
{
	unsigned i = threadIdx.x;

	to[i] = from[PICK(i - n, i + n - 1)];
}

CASE(unsigned_wrap, "memcheck", "an unsigned index that goes below 0, and so 16 GiB past the end")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);

	unsigned_index<<<1, COUNT>>>(a, b, 1);
	WAIT();
	finish(a, COUNT);
	finish(b, COUNT);
}

__global__ void guarded_scale(int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (PICK(true, i < n))
		to[i] = 2 * i;
}

CASE(grid_rounded_up, "memcheck", "a grid rounded up to whole work-groups, and no comparison with the count")
{
	int n = 1000, *a = zeroed<int>(n);

	guarded_scale<<<(n + 127) / 128, 128>>>(a, n);
	WAIT();
	finish(a, n);
}

__global__ void transpose(const int *from, int *to, int rows, int columns)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < columns && y < rows)
		to[x * PICK(columns, rows) + y] = from[y * columns + x];
}

CASE(rows_for_columns, "memcheck", "a matrix of 16 x 48 is transposed with the wrong row length")
{
	int *a = zeroed<int>(16 * 48), *b = zeroed<int>(16 * 48);

	transpose<<<dim3(3, 1), dim3(16, 16)>>>(a, b, 16, 48);
	WAIT();
	finish(a, 16 * 48);
	finish(b, 16 * 48);
}

__global__ void fill_pitched(float *to, size_t pitch, int width, int height)
{
	int x = threadIdx.x, y = blockIdx.x;

	if (x < width && y < height)
		PICK(to + y * pitch, (float *)((char *)to + y * pitch))[x] = 1;
}

static float *pitched(size_t *pitch, int width, int height)
{
	void *memory = NULL;

	OK(GPU(MallocPitch)(&memory, pitch, width * sizeof(float), height));
	OK(GPU(Memset2D)(memory, *pitch, 0, width * sizeof(float), height));
	return (float *)memory;
}

CASE(pitch_in_elements, "memcheck", "the pitch, in bytes, is taken for elements")
{
	size_t pitch = 0;
	float *a = pitched(&pitch, 60, 20);

	fill_pitched<<<20, 64>>>(a, pitch, 60, 20);
	WAIT();
	OK(gpuFree(a));
}

__global__ void fill_rows(char *to, size_t pitch, int extra)
{
	((float *)(to + (blockIdx.x + extra) * pitch))[threadIdx.x] = 1;
}

CASE(pitch_row_past, "memcheck", "a row behind the last one of pitched memory")
{
	size_t pitch = 0;
	float *a = pitched(&pitch, 60, 20);

	fill_rows<<<20, 60>>>((char *)a, pitch, PICK(1, 0));
	WAIT();
	OK(gpuFree(a));
}

CASE(pitch_padding, "memcheck", "columns behind the last one of pitched memory, in its padding")
{
	size_t pitch = 0;
	float *a = pitched(&pitch, 60, 20);

	fill_rows<<<20, PICK(62, 60)>>>((char *)a, pitch, 0);
	WAIT();
	OK(gpuFree(a));
}

__global__ void add_fours(const int4 *from, int *to, int n)
{
	int i = threadIdx.x;

	if (i < n) {
		int4 four = from[i];

		to[i] = four.x + four.y + four.z + four.w;
	}
}

CASE(vector_tail, "memcheck", "a load of 16 bytes, of which 8 are past the end")
{
	int n = 1022, *a = zeroed<int>(n), *b = zeroed<int>(256);

	add_fours<<<1, 256>>>((const int4 *)a, b, PICK((n + 3) / 4, n / 4));
	WAIT();
	finish(a, n);
	finish(b, 256);
}

CASE(neighbour, "memcheck", "an index that leads from one allocation into the middle of another one")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(4 * COUNT);

	try_store(PICK(a, b), PICK((b - a) + COUNT, COUNT));
	finish(a, COUNT);
	finish(b, 4 * COUNT);
}

CASE(neighbour_load, "memcheck", "a load of another allocation by an index that is too large")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(4 * COUNT);

	try_load(PICK(a, b), PICK((b - a) + COUNT, COUNT));
	finish(a, COUNT);
	finish(b, 4 * COUNT);
}

CASE(off_by_one_neighbour, "memcheck", "one element past the end of one of several small allocations")
{
	int *a[8];

	for (int i = 0; i < 8; i++)
		a[i] = zeroed<int>(128);
	store_at<<<1, 128>>>(a[3], PICK(1, 0));
	WAIT();
	for (int i = 0; i < 8; i++)
		finish(a[i], 128);
}

struct record {
	int keys[16];
	int count;
};

__global__ void fill_record(struct record *to, int n)
{
	if ((int)threadIdx.x < n)
		to[blockIdx.x].keys[threadIdx.x] = 1;
}

CASE(within_structure, "memcheck", "one element past an array within a structure")
{
	struct record *a = zeroed<struct record>(8);

	fill_record<<<8, 64>>>(a, PICK(17, 16));
	WAIT();
	finish(a, 8);
}

CASE(last_structure, "memcheck", "an array that is the last structure's, two elements past the end")
{
	struct record *a = zeroed<struct record>(8);

	fill_record<<<8, 64>>>(a, PICK(18, 16));
	WAIT();
	finish(a, 8);
}

CASE(piece, "memcheck", "one element past a piece that the program cut from an allocation")
{
	int *pool = zeroed<int>(4 * COUNT), *a = pool + COUNT;

	try_store(a, PICK(1, 0));
	finish(pool, 4 * COUNT);
}

__global__ void count_at(int *to, int skip)
{
	atomicAdd(to + threadIdx.x + skip, 1);
}

CASE(atomic_past, "memcheck", "an atomic one element past the end")
{
	int *a = zeroed<int>(COUNT);

	count_at<<<1, COUNT>>>(a, PICK(1, 0));
	WAIT();
	finish(a, COUNT);
}

__device__ int table[COUNT];
__constant__ int constants[64];

__global__ void store_table(int skip)
{
	table[threadIdx.x + skip] = 1;
}

CASE(variable_past, "memcheck", "one element past a variable of the device")
{
	store_table<<<1, COUNT>>>(PICK(1, 0));
	WAIT();
}

__global__ void load_constants(int *to, int skip)
{
	to[threadIdx.x] = constants[threadIdx.x + skip];
}

CASE(constant_past, "memcheck", "elements past a variable in constant memory")
{
	int *a = zeroed<int>(64);

	load_constants<<<1, 64>>>(a, PICK(64, 0));
	WAIT();
	finish(a, 64);
}

__global__ void store_by_table(int *const *rows, int n)
{
	if ((int)threadIdx.x < n)
		rows[blockIdx.x][threadIdx.x] = 1;
}

CASE(row_pointers, "memcheck", "one element past rows whose pointers are in memory")
{
	int *rows[4], **a = zeroed<int *>(4);

	for (int i = 0; i < 4; i++)
		rows[i] = zeroed<int>(128);
	OK(GPU(Memcpy)(a, rows, sizeof(rows), GPU(MemcpyHostToDevice)));
	store_by_table<<<4, 192>>>(a, PICK(129, 128));
	WAIT();
	for (int i = 0; i < 4; i++)
		finish(rows[i], 128);
	finish(a, 4);
}

__global__ void row_past_table(int *const *rows, int *to)
{
	to[threadIdx.x] = rows[threadIdx.x] != NULL;
}

CASE(pointer_past, "memcheck", "pointers are loaded from behind a table of pointers")
{
	int **a = zeroed<int *>(COUNT), *b = zeroed<int>(2 * COUNT);

	row_past_table<<<1, PICK(COUNT + 8, COUNT)>>>(a, b);
	WAIT();
	finish(a, COUNT);
	finish(b, 2 * COUNT);
}

__global__ void store_bytes(char *to, int n)
{
	if ((int)threadIdx.x < n)
		to[threadIdx.x] = 1;
}

CASE(byte_past, "memcheck", "one byte past 1001 bytes")
{
	char *a = zeroed<char>(1001);

	store_bytes<<<1, 1024>>>(a, PICK(1002, 1001));
	WAIT();
	finish(a, 1001);
}

CASE(odd_size, "memcheck", "a store of 4 bytes, of which 2 are past 1022 bytes")
{
	char *a = zeroed<char>(1022);

	store_at<<<1, PICK(256, 255)>>>((int *)a, 0);
	WAIT();
	finish(a, 1022);
}

CASE(null_pointer, "memcheck", "a store to elements of a null pointer")
{
	int *a = zeroed<int>(COUNT);

	try_store(PICK((int *)NULL, a), 0);
	finish(a, COUNT);
}

CASE(managed_past, "memcheck", "one element past managed memory")
{
	void *a = NULL;

	OK(GPU(MallocManaged)(&a, COUNT * sizeof(int), GPU(MemAttachGlobal)));
	try_store((int *)a, PICK(1, 0));
	OK(gpuFree(a));
}

CASE(pinned_past, "memcheck", "one element past pinned memory of the host")
{
	int *a = pinned(COUNT);

	try_store(a, PICK(1, 0));
	OK(gpuFreeHost(a));
}

CASE(registered_past, "memcheck", "one element past registered memory, on its last page")
{
	int *a = pages(4096);
	void *device = NULL;

	OK(GPU(HostRegister)(a, COUNT * sizeof(int), GPU(HostRegisterMapped)));
	OK(GPU(HostGetDevicePointer)(&device, a, 0));
	try_store((int *)device, PICK(1, 0));
	OK(GPU(HostUnregister)(a));
	free(a);
}

CASE(stream_ordered_past, "memcheck", "one element past memory of a pool")
{
	gpuStream_t stream = new_stream();
	void *a = NULL;

	OK(GPU(MallocAsync)(&a, COUNT * sizeof(int), stream));
	store_at<<<COUNT / 64, 64, 0, stream>>>((int *)a, PICK(1, 0));
	OK(GPU(StreamSynchronize)(stream));
	OK(GPU(FreeAsync)(a, stream));
	OK(GPU(StreamSynchronize)(stream));
}

__global__ void fill_volume(int *to, int n)
{
	int z = blockIdx.z;

	to[(z * n + blockIdx.y) * n + threadIdx.x] = 1;
}

CASE(third_dimension, "memcheck", "a grid with one plane too many")
{
	int n = 32, *a = zeroed<int>(n * n * n);

	fill_volume<<<dim3(1, n, PICK(n + 1, n)), n>>>(a, n);
	WAIT();
	finish(a, n * n * n);
}

__global__ void sum_rows(const int *from, int *to, int n)
{
	int sum = 0;

	for (int k = 0; PICK(k <= n, k < n); k++)
		sum += from[threadIdx.x * n + k];
	to[threadIdx.x] = sum;
}

CASE(inclusive_loop, "memcheck", "a loop that includes its end")
{
	int *a = zeroed<int>(64 * 64), *b = zeroed<int>(64);

	sum_rows<<<1, 64>>>(a, b, 64);
	WAIT();
	finish(a, 64 * 64);
	finish(b, 64);
}

CASE(size_in_elements, "memcheck", "hipMalloc gets the number of elements instead of bytes")
{
	void *a = NULL;

	OK(gpuMalloc(&a, PICK(COUNT, COUNT * sizeof(int))));
	try_store((int *)a, 0);
	OK(gpuFree(a));
}

__device__ __noinline__ void store_deep(int *to, int i)
{
	to[i] = i;
}

__global__ void call_deep(int *to, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		store_deep(to, i);
}

CASE(in_function, "memcheck", "a function that a kernel calls stores past the end")
{
	int *a = zeroed<int>(COUNT);

	call_deep<<<1, 64>>>(a, PICK(COUNT + 1, COUNT));
	WAIT();
	finish(a, COUNT);
}

__global__ void broadcast(const int *from, int *to, int k)
{
	to[threadIdx.x] = from[k];
}

CASE(uniform_load_past, "memcheck", "an element past the end that all work-items load")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);

	broadcast<<<1, COUNT>>>(a, b, PICK(COUNT, COUNT - 1));
	WAIT();
	finish(a, COUNT);
	finish(b, COUNT);
}

__global__ void stencil(const int *from, int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (PICK(i < n, i > 0 && i < n - 1))
		to[i] = from[i - 1] + from[i] + from[i + 1];
}

CASE(stencil_edges, "memcheck", "a stencil that does not leave out the edges")
{
	int *a = zeroed<int>(COUNT), *b = zeroed<int>(COUNT);

	stencil<<<COUNT / 64, 64>>>(a, b, COUNT);
	WAIT();
	finish(a, COUNT);
	finish(b, COUNT);
}
