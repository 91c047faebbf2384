// SPDX-License-Identifier: Apache-2.0
// Loads a tool and calls it in the order in which Kokkos 4 does, around HIP's calls. usage: kokkos
// energy | odd. It prints what a program gets from a tool.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

struct space {
	char name[64];
};

static struct {
	void (*init)(int, uint64_t, uint32_t, void *);
	void (*request_tool_settings)(uint32_t, bool *);
	void (*parse_args)(int, char **);
	void (*begin_parallel_for)(const char *, uint32_t, uint64_t *);
	void (*end_parallel_for)(uint64_t);
	void (*begin_parallel_reduce)(const char *, uint32_t, uint64_t *);
	void (*end_parallel_reduce)(uint64_t);
	void (*begin_parallel_scan)(const char *, uint32_t, uint64_t *);
	void (*end_parallel_scan)(uint64_t);
	void (*push_profile_region)(const char *);
	void (*pop_profile_region)();
	void (*allocate_data)(space, const char *, const void *, uint64_t);
	void (*deallocate_data)(space, const char *, const void *, uint64_t);
	void (*begin_deep_copy)(space, const char *, const void *, space, const char *, const void *, uint64_t);
	void (*end_deep_copy)();
	void (*begin_fence)(const char *, uint32_t, uint64_t *);
	void (*end_fence)(uint64_t);
	void (*profile_event)(const char *);
	void (*request_values)();
	void (*finalize)();
} tool;

#define CALL(name, ...)                        \
	do {                                   \
		if (tool.name)                 \
			tool.name(__VA_ARGS__); \
	} while (0)

template <class F> static void look_up(void *library, const char *name, F &to)
{
	to = (F)dlsym(library, (std::string("kokkosp_") + name).c_str());
}

static void load()
{
	const char *list = getenv("KOKKOS_TOOLS_LIBS");
	std::string first = list ? list : "";
	bool settings[256] = { true };
	void *library;

	first = first.substr(0, first.find(';'));
	if (first.empty())
		return;
	library = dlopen(first.c_str(), RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		printf("%s\n", dlerror());
		return;
	}
	look_up(library, "begin_parallel_scan", tool.begin_parallel_scan);
	look_up(library, "begin_parallel_for", tool.begin_parallel_for);
	look_up(library, "begin_parallel_reduce", tool.begin_parallel_reduce);
	look_up(library, "end_parallel_scan", tool.end_parallel_scan);
	look_up(library, "end_parallel_for", tool.end_parallel_for);
	look_up(library, "end_parallel_reduce", tool.end_parallel_reduce);
	look_up(library, "init_library", tool.init);
	look_up(library, "finalize_library", tool.finalize);
	look_up(library, "push_profile_region", tool.push_profile_region);
	look_up(library, "pop_profile_region", tool.pop_profile_region);
	look_up(library, "allocate_data", tool.allocate_data);
	look_up(library, "deallocate_data", tool.deallocate_data);
	look_up(library, "begin_deep_copy", tool.begin_deep_copy);
	look_up(library, "end_deep_copy", tool.end_deep_copy);
	look_up(library, "begin_fence", tool.begin_fence);
	look_up(library, "end_fence", tool.end_fence);
	look_up(library, "profile_event", tool.profile_event);
	look_up(library, "request_values", tool.request_values);
	look_up(library, "parse_args", tool.parse_args);
	look_up(library, "request_tool_settings", tool.request_tool_settings);
	CALL(init, 0, 20240906, 0, nullptr);
	CALL(request_tool_settings, 1, settings);
	printf("fences for the tool: %d, a tool for tuning: %d, arguments: %d\n", settings[0], !!tool.request_values,
	       !!tool.parse_args);
}

__global__ void add(const double *mass, double *total, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(total, mass[i]);
}

static space named(const char *name)
{
	space handle;

	memset(&handle, 'x', sizeof(handle)); // Kokkos leaves the last byte as it was
	strncpy(handle.name, name, 63);
	return handle;
}

enum { COUNT = 4096 };

static void energy()
{
	static double host[COUNT];
	double *mass, *total;
	uint64_t id = 0;

	CALL(push_profile_region, "step 1");
	(void)hipMalloc(&mass, sizeof(host) + 128);
	CALL(allocate_data, named("HIP"), "mass", mass, sizeof(host));
	(void)hipMallocManaged(&total, 8 + 128);
	CALL(allocate_data, named("HIPManaged"), "energy", total, 8);
	CALL(begin_deep_copy, named("HIP"), "mass", mass, named("Host"), "mass_mirror", host, sizeof(host));
	(void)hipMemcpy(mass, host, sizeof(host), hipMemcpyHostToDevice);
	CALL(end_deep_copy);
	CALL(begin_parallel_reduce, "sum of mass", 0, &id);
	add<<<COUNT / 256, 256>>>(mass, total, COUNT);
	CALL(end_parallel_reduce, id);
	printf("id %d\n", (int)id);
	CALL(begin_fence, "Kokkos::fence", 0, &id);
	(void)hipDeviceSynchronize();
	CALL(end_fence, id);
	CALL(profile_event, "summed");
	CALL(deallocate_data, named("HIPManaged"), "energy", total, 8);
	(void)hipFree(total);
	CALL(pop_profile_region);
}

// What a tool must bear.
static void odd()
{
	const char *wild[] = { nullptr, (const char *)16, (const char *)-4096, "\033[2J\"red\"\n", "" };
	std::string longest(100000, 'x');
	double *mass, *total;
	uint64_t id = 0;
	space full;

	memset(&full, 's', sizeof(full));
	(void)hipMalloc(&mass, COUNT * sizeof(*mass));
	(void)hipMallocManaged(&total, 8);
	CALL(pop_profile_region);
	CALL(end_parallel_for, 77);
	CALL(end_fence, 78);
	CALL(end_deep_copy);
	for (const char *name : wild) {
		CALL(begin_parallel_for, name, 0, &id);
		CALL(profile_event, name);
		CALL(allocate_data, full, name, total, 8);
		CALL(allocate_data, named(""), name, name, 8);
	}
	CALL(allocate_data, named("HIP"), longest.c_str(), total, ~0ull);
	CALL(allocate_data, full, "\033[2Jred", total, 8);
	CALL(begin_parallel_scan, longest.c_str(), 0, &id);
	add<<<COUNT / 256, 256>>>(mass, total, COUNT);
	(void)hipDeviceSynchronize();
	(void)hipMemcpy(mass, total, 64, hipMemcpyDefault); // more than there is
	for (int i = 0; i < 100000; i++)
		CALL(push_profile_region, std::to_string(i).c_str());
}

int main(int argc, char **argv)
{
	load();
	if (argc > 1 && !strcmp(argv[1], "odd"))
		odd();
	else
		energy();
	CALL(finalize);
	puts("end");
	return 0;
}
