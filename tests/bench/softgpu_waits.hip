// SPDX-License-Identifier: Apache-2.0
// How long a program waits for what the software GPU does: a line `NAME: MICROSECONDS` for each, the median; copies of
// 64 MiB as `NAME: MILLISECONDS` of processor time of all threads.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>
#include <vector>

#define LARGE (size_t(64) << 20)

static double now(clockid_t clock)
{
	timespec time;

	clock_gettime(clock, &time);
	return double(time.tv_sec) * 1e6 + double(time.tv_nsec) / 1e3;
}

static void check(hipError_t error)
{
	if (error) {
		fprintf(stderr, "%s\n", hipGetErrorString(error));
		exit(1);
	}
}

__global__ void store(int *p)
{
	*p = 1;
}

template <class F> static double median(int rounds, clockid_t clock, unsigned pause, F work)
{
	std::vector<double> times;

	for (int i = 0; i < rounds; i++) {
		if (pause)
			usleep(pause);
		double start = now(clock);
		work();
		times.push_back(now(clock) - start);
	}
	std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
	return times[size_t(rounds / 2)];
}

int main()
{
	const clockid_t wall = CLOCK_MONOTONIC, processor = CLOCK_PROCESS_CPUTIME_ID;
	char *device, *host = (char *)malloc(LARGE), *pinned;

	if (!host)
		return 1;
	memset(host, 1, LARGE);
	check(hipMalloc((void **)&device, LARGE));
	check(hipHostMalloc((void **)&pinned, LARGE, 0));
	int *word = (int *)device;
	auto launch = [&] { store<<<1, 64>>>(word); };
	auto wait = [] { check(hipDeviceSynchronize()); };
	auto to_device = [&](const char *from, size_t size) {
		check(hipMemcpy(device, from, size, hipMemcpyHostToDevice));
	};
	auto to_host = [&](size_t size) { check(hipMemcpy(host, device, size, hipMemcpyDeviceToHost)); };

	// What is done at the first time.
	launch();
	wait();
	to_device(host, LARGE);
	to_device(pinned, LARGE);
	to_host(LARGE);
	printf("launch and wait: %.1f us\n", median(1000, wall, 0, [&] { launch(), wait(); }));
	printf("the same after 2 ms: %.1f us\n", median(300, wall, 2000, [&] { launch(), wait(); }));
	printf("10 launches and wait: %.1f us\n", median(300, wall, 0, [&] {
		       for (int i = 0; i < 10; i++)
			       launch();
		       wait();
	       }));
	printf("4 KiB to the GPU: %.1f us\n", median(500, wall, 0, [&] { to_device(host, 4096); }));
	printf("4 KiB to the host: %.1f us\n", median(500, wall, 0, [&] { to_host(4096); }));
	printf("64 MiB to the GPU, pinned: %.1f ms of processor time\n",
	       median(9, processor, 0, [&] { to_device(pinned, LARGE); }) / 1e3);
	printf("64 MiB to the GPU: %.1f ms of processor time\n",
	       median(9, processor, 0, [&] { to_device(host, LARGE); }) / 1e3);
	printf("64 MiB to the host: %.1f ms of processor time\n",
	       median(9, processor, 0, [&] { to_host(LARGE); }) / 1e3);
	printf("32 MiB within the GPU: %.1f ms of processor time\n", median(9, processor, 0, [&] {
		       check(hipMemcpy(device, device + LARGE / 2, LARGE / 2, hipMemcpyDeviceToDevice));
		       wait();
	       }) / 1e3);
	// A worker that looks for work all the time shows here.
	double start = now(processor);
	sleep(1);
	printf("a second of idleness: %.1f ms of processor time\n", (now(processor) - start) / 1e3);
	return 0;
}
