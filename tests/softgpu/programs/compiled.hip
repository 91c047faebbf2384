// SPDX-License-Identifier: Apache-2.0
// Kernels that the program compiles itself, with hipRTC.
#include "program.h"

#include <hip/hiprtc.h>
#include <string>

static const char source[] =
    "template <class T> __global__ void scale(T *v, T factor, int n)\n"
    "{\n"
    "	int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "	if (i < n)\n"
    "		v[i] = v[i] * factor + SHIFT;\n"
    "}\n"
    "__constant__ int offset = 4;\n"
    "extern \"C\" __global__ void reverse(const int *from, int *to, int n)\n"
    "{\n"
    "	extern __shared__ int part[];\n"
    "	part[threadIdx.x] = from[threadIdx.x] + offset;\n"
    "	__syncthreads();\n"
    "	to[threadIdx.x] = part[n - 1 - threadIdx.x];\n"
    "}\n";

static hipModule_t module;
static std::vector<const char *> names = { "scale<float>", "scale<double>" };
static std::vector<std::string> lowered;

static bool compile(void)
{
#ifdef GFX942
	const char *architecture = "--gpu-architecture=gfx942";
#else
	const char *architecture = "--gpu-architecture=gfx90a";
#endif
	hiprtcProgram p;
	const char *options[] = { architecture, "-DSHIFT=3" };
	size_t size;

	if (module)
		return true;
	if (hiprtcCreateProgram(&p, source, "source.hip", 0, NULL, NULL) != HIPRTC_SUCCESS)
		return false;
	for (const char *n : names)
		if (hiprtcAddNameExpression(p, n) != HIPRTC_SUCCESS)
			return false;
	if (hiprtcCompileProgram(p, 2, options) != HIPRTC_SUCCESS ||
	    hiprtcGetCodeSize(p, &size) != HIPRTC_SUCCESS)
		return false;
	std::vector<char> code(size);

	if (hiprtcGetCode(p, code.data()) != HIPRTC_SUCCESS)
		return false;
	for (const char *n : names) {
		const char *symbol;

		if (hiprtcGetLoweredName(p, n, &symbol) != HIPRTC_SUCCESS)
			return false;
		lowered.push_back(symbol);
	}
	HIP(hipModuleLoadData(&module, code.data()));
	return hiprtcDestroyProgram(&p) == HIPRTC_SUCCESS;
}

template <class T> static bool scaled(size_t name)
{
	int n = 300;
	T factor = (T)1.5, *p;
	std::vector<T> v(n), want(n);
	hipFunction_t f;

	if (!compile())
		return false;
	for (int i = 0; i < n; i++) {
		v[i] = (T)i;
		want[i] = v[i] * factor + 3;
	}
	device<T> dv(v);

	p = dv;
	void *arguments[] = { &p, &factor, &n };

	HIP(hipModuleGetFunction(&f, module, lowered[name].c_str()));
	HIP(hipModuleLaunchKernel(f, groups(n, 128), 1, 1, 128, 1, 1, 0, 0, arguments, NULL));
	return same(dv.get(), want);
}

static bool templates(void)
{
	return scaled<float>(0) && scaled<double>(1);
}

static bool dynamic_lds(void)
{
	int n = 100, *from, *to;
	std::vector<int> v(n), want(n);
	hipFunction_t f;

	if (!compile())
		return false;
	for (int i = 0; i < n; i++) {
		v[i] = (int)hash32(i) >> 4;
		want[n - 1 - i] = v[i] + 4;
	}
	device<int> a(v), b(n);

	from = a;
	to = b;
	void *arguments[] = { &from, &to, &n };

	HIP(hipModuleGetFunction(&f, module, "reverse"));
	HIP(hipModuleLaunchKernel(f, 1, 1, 1, n, 1, 1, n * sizeof(int), 0, arguments, NULL));
	return same(b.get(), want);
}

static const program programs[] = {
	{ "templates", templates },
	{ "dynamic_lds", dynamic_lds },
	{},
};
MAIN(programs)
