/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the self-checking programs share. Each file is a table of programs; a program computes on
 * the GPU and on the host and compares. Without arguments all run; else those that are named.
 */
#ifndef SOFTGPU_PROGRAM_H
#define SOFTGPU_PROGRAM_H

#include <hip/hip_runtime.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define HIP(call)                                                                       \
	do {                                                                            \
		hipError_t error_ = (call);                                             \
		if (error_ != hipSuccess) {                                             \
			printf("Bail out! %s: %s\n", #call, hipGetErrorString(error_)); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

/* After a launch: did it start, and did it end well? */
#define FINISH()                             \
	do {                                 \
		HIP(hipGetLastError());      \
		HIP(hipDeviceSynchronize()); \
	} while (0)

/* The hash by which host and GPU draw the same numbers. */
static __host__ __device__ inline uint32_t hash32(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

/* In [0, 1), exact in float. */
static __host__ __device__ inline float unit(uint32_t x)
{
	return (float)(hash32(x) >> 8) / 16777216.0f;
}

/* Device memory that frees itself. */
template <class T> struct device {
	T *p = nullptr;
	size_t n;

	explicit device(size_t count) : n(count)
	{
		HIP(hipMalloc((void **)&p, n * sizeof(T)));
		HIP(hipMemset(p, 0, n * sizeof(T)));
	}
	explicit device(const std::vector<T> &from) : n(from.size())
	{
		HIP(hipMalloc((void **)&p, n * sizeof(T)));
		HIP(hipMemcpy(p, from.data(), n * sizeof(T), hipMemcpyHostToDevice));
	}
	device(const device &) = delete;
	~device()
	{
		(void)hipFree(p);
	}
	operator T *() const
	{
		return p;
	}
	std::vector<T> get() const
	{
		std::vector<T> v(n);

		FINISH();
		HIP(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
		return v;
	}
};

/* Same bits everywhere? */
template <class T> static bool same(const std::vector<T> &got, const std::vector<T> &want)
{
	for (size_t i = 0; i < want.size(); i++)
		if (memcmp(&got[i], &want[i], sizeof(T))) {
			printf("# element %zu: got %.17g, want %.17g\n", i, (double)got[i],
			       (double)want[i]);
			return false;
		}
	return got.size() == want.size();
}

/* |got - want| <= tolerance * max(1, |want|) everywhere? */
template <class T>
static bool near(const std::vector<T> &got, const std::vector<T> &want, double tolerance)
{
	for (size_t i = 0; i < want.size(); i++) {
		double g = (double)got[i], w = (double)want[i];

		if (!(fabs(g - w) <= tolerance * fmax(1, fabs(w)))) {
			printf("# element %zu: got %.17g, want %.17g\n", i, g, w);
			return false;
		}
	}
	return got.size() == want.size();
}

static inline unsigned groups(size_t n, unsigned size)
{
	return (unsigned)((n + size - 1) / size);
}

struct program {
	const char *name;
	bool (*run)(void);
};

static int run_programs(const program *programs, int argc, char **argv)
{
	int count = 0, failures = 0;

	for (const program *p = programs; p->name; p++) {
		bool wanted = argc < 2;

		for (int i = 1; i < argc; i++)
			wanted |= !strcmp(argv[i], p->name);
		if (!wanted)
			continue;
		bool good = p->run();

		printf("%sok %d - %s %s\n", good ? "" : "not ", ++count, p->name,
		       good ? "PASSED" : "FAILED");
		fflush(stdout);
		failures += !good;
	}
	printf("1..%d\n", count);
	return failures != 0;
}

#define MAIN(table)                                       \
	int main(int argc, char **argv)                   \
	{                                                 \
		return run_programs((table), argc, argv); \
	}

#endif
