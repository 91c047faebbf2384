// SPDX-License-Identifier: Apache-2.0
// What C++ brings: calls, recursion, pointers to functions, virtual functions, printf, globals.
#include "program.h"

#include <assert.h>
#include <unistd.h>

#define N 200

static std::vector<int> run(void (*kernel)(int *))
{
	device<int> out(N);

	kernel<<<groups(N, 64), 64>>>(out);
	return out.get();
}

template <class F> static std::vector<int> each(F f)
{
	std::vector<int> v(N);

	for (int i = 0; i < N; i++)
		v[i] = f(i);
	return v;
}

#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define BOTH  static __host__ __device__ __attribute__((noinline))

// ---- calls and recursion ----

BOTH long long many(int a, long long b, float c, double d, short e, int f, int g, int h, long long i)
{
	return a + b * 2 + (long long)(c * 4) + (long long)(d * 8) + e * 16 + f - g + h * i;
}

BOTH int collatz(long long n)
{
	return n == 1 ? 0 : 1 + collatz(n & 1 ? 3 * n + 1 : n / 2);
}

BOTH int ackermann(int m, int n)
{
	return !m ? n + 1 : ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__global__ void calls_kernel(int *out)
{
	int i = INDEX;

	if (i < N)
		out[i] = (int)many(i, 3ll * i, i * 0.25f, i * 0.5, (short)(i - 100), 3, i, i, i) +
			 collatz(i + 1) + ackermann(2, i % 4);
}

static bool calls(void)
{
#if HIP_VERSION >= 60000000
	/*
	 * Code objects of version 5 and later do not say how much stack recursion takes, and HIP gives 1 KiB
	 * [SEEN64]; those before say 16 KiB.
	 */
	if (hipDeviceSetLimit(hipLimitStackSize, 16384))
		return false;
#endif
	return same(run(calls_kernel), each([](int i) {
			    return (int)many(i, 3ll * i, i * 0.25f, i * 0.5, (short)(i - 100), 3, i, i, i) +
				   collatz(i + 1) + ackermann(2, i % 4);
		    }));
}

// ---- pointers to functions that differ between lanes ----

BOTH int twice(int x)
{
	return 2 * x;
}
BOTH int square(int x)
{
	return x * x;
}
BOTH int negate(int x)
{
	return -x;
}

typedef int (*function)(int);

__device__ function chosen[3] = { twice, square, negate };

__global__ void pointers_kernel(int *out)
{
	int i = INDEX;

	if (i < N)
		out[i] = chosen[hash32(i) % 3](i);
}

static bool function_pointers(void)
{
	function host[3] = { twice, square, negate };

	return same(run(pointers_kernel), each([&](int i) { return host[hash32(i) % 3](i); }));
}

// ---- virtual functions ----

struct shape {
	int size;

	__host__ __device__ explicit shape(int s) : size(s)
	{
	}
	__host__ __device__ virtual int area() const = 0;
	__host__ __device__ virtual int corners() const
	{
		return 0;
	}
};

struct box : shape {
	using shape::shape;
	__host__ __device__ int area() const override
	{
		return size * size;
	}
	__host__ __device__ int corners() const override
	{
		return 4;
	}
};

struct disc : shape {
	using shape::shape;
	__host__ __device__ int area() const override
	{
		return 3 * size * size;
	}
};

BOTH int describe(const shape *s)
{
	return s->area() * 8 + s->corners();
}

__global__ void virtual_kernel(int *out)
{
	int i = INDEX;
	box b(i);
	disc d(i + 1);

	if (i < N)
		out[i] = describe(hash32(i) & 1 ? (const shape *)&b : &d);
}

static bool virtual_functions(void)
{
	return same(run(virtual_kernel), each([](int i) {
			    box b(i);
			    disc d(i + 1);

			    return describe(hash32(i) & 1 ? (const shape *)&b : &d);
		    }));
}

// ---- switches, arrays that are indexed, 128 bits, lambdas ----

BOTH int jumble(int i)
{
	int v[12];
	unsigned __int128 wide = 1;
	auto add = [&](int x) { v[(x & 0x7fffffff) % 12] += x; };

	for (int k = 0; k < 12; k++)
		v[k] = k * i;
	for (int k = 0; k < 9; k++) {
		switch ((i + k) % 9) {
		case 0: add(1); break;
		case 1: add(v[k]); break;
		case 2: v[3] ^= v[5]; // and on
		case 3: v[4] += 17; break;
		case 4: add(v[2] * 3); break;
		case 5: v[6] = v[7] - v[8]; break;
		case 6: return v[i % 12];
		default: v[k] *= 5;
		}
		wide = wide * (unsigned)(i + 3) + (unsigned)v[k];
	}
	return (int)(wide >> 70) ^ (int)(wide * wide >> 33);
}

__global__ void jumble_kernel(int *out)
{
	int i = INDEX;

	if (i < N)
		out[i] = jumble(i);
}

static bool control(void)
{
	return same(run(jumble_kernel), each(jumble));
}

// ---- a struct by value, with arrays and pointers in it ----

struct settings {
	char tag;
	short step[5];
	double scale;
	int *out;
	struct {
		long long a;
		uint8_t b;
	} inner[3];
};

BOTH int use(const settings &s, int i)
{
	return (int)(s.tag + s.step[i % 5] * s.scale) + (int)s.inner[i % 3].a + s.inner[(i + 1) % 3].b;
}

__global__ void struct_kernel(settings s, char last)
{
	int i = INDEX;

	if (i < N)
		s.out[i] = use(s, i) + last;
}

static bool structs(void)
{
	device<int> out(N);
	settings s = { 'x', { 1, -2, 3, -4, 5 }, 1.5, out, { { -7, 200 }, { 1ll << 33, 3 }, { 9, 255 } } };

	struct_kernel<<<groups(N, 64), 64>>>(s, -3);
	return same(out.get(), each([&](int i) { return use(s, i) - 3; }));
}

// ---- globals, constants, read and written by name ----

__device__ int counter = 5;
__device__ double table[8];
__constant__ float factor = 2.5f;
__managed__ int shared_by_both = 3;

__global__ void globals_kernel(int *out)
{
	int i = INDEX;

	if (i < N) {
		out[i] = (int)(table[i % 8] * factor);
		atomicAdd(&counter, i);
		if (!i)
			shared_by_both *= 7;
	}
}

static bool globals(void)
{
	double values[8];
	int count;

	for (int i = 0; i < 8; i++)
		values[i] = i * 1.25;
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof(values)));
	std::vector<int> got = run(globals_kernel);

	HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof(count)));
	return same(got, each([&](int i) { return (int)(values[i % 8] * 2.5f); })) &&
	       count == 5 + N * (N - 1) / 2 && shared_by_both == 21;
}

// ---- printf, and assertions that hold ----

__global__ void print_kernel(int *out)
{
	int i = INDEX;

	assert(i >= 0 && blockDim.x == 64);
	if (i < N && i % 50 == 0)
		out[i] = printf("# item %d of %s: %5.2f %llx %c%%\n", i, "language", i / 4.0,
				(unsigned long long)i << 40, 'a' + i / 50);
}

static bool print(void)
{
	char line[200];
	FILE *file = tmpfile();
	int output = dup(1), seen = 0;

	if (!file || output < 0)
		return false;
	fflush(stdout);
	dup2(fileno(file), 1);
	std::vector<int> got = run(print_kernel);

	fflush(stdout);
	dup2(output, 1);
	close(output);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		for (int i = 0; i < N; i += 50) {
			char want[200];

			snprintf(want, sizeof(want), "# item %d of %s: %5.2f %llx %c%%\n", i, "language",
				 i / 4.0, (unsigned long long)i << 40, 'a' + i / 50);
			seen += !strcmp(line, want);
		}
	fclose(file);
	return seen == N / 50 && got[0] > 0;
}

// ---- an array of each thread's own, counted from its end ----

static __host__ __device__ inline int from_the_end(int seed)
{
	double row[120];
	int sum = 0;

	for (int i = 0; i < 120; i++)
		row[i] = i * seed;
	for (int k = 1 + seed; k < 300 + seed; k += 7)
		row[120 - ((unsigned)log2f((float)(k & -k)) + 1)] += 2.0 * k;
	for (int i = 0; i < 120; i++)
		sum += (i + 1) * (int)row[i];
	return sum;
}

__global__ void from_the_end_kernel(int *out)
{
	int i = INDEX;

	if (i < N)
		out[i] = from_the_end(i);
}

static bool own_array(void)
{
	return same(run(from_the_end_kernel), each([](int i) { return from_the_end(i); }));
}

static const program programs[] = {
	{ "calls", calls },
	{ "function_pointers", function_pointers },
	{ "virtual_functions", virtual_functions },
	{ "control", control },
	{ "structs", structs },
	{ "globals", globals },
	{ "printf", print },
	{ "own_array", own_array },
	{},
};
MAIN(programs)
