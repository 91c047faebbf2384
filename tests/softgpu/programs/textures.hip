// SPDX-License-Identifier: Apache-2.0
// Texture objects over linear memory. Not for gfx942, which has no images.
#include "texture.h"

#define COUNT 1000

// ---- linear memory: tex1Dfetch ----

static hipResourceDesc linear(void *memory, size_t bytes, hipChannelFormatDesc format)
{
	hipResourceDesc resource = {};

	resource.resType = hipResourceTypeLinear;
	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = format;
	resource.res.linear.sizeInBytes = bytes;
	return resource;
}

template <class T> __global__ void fetch_kernel(hipTextureObject_t texture, T *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = tex1Dfetch<T>(texture, n - 1 - i);
}

// Every element as it is in memory, the last one first.
template <class T> static bool fetch(const char *type)
{
	std::vector<T> from(COUNT), reversed(COUNT);
	hipTextureObject_t texture;

	for (size_t i = 0; i < COUNT * sizeof(T); i++)
		((unsigned char *)from.data())[i] = (unsigned char)(hash32((uint32_t)i) % 127);
	for (int i = 0; i < COUNT; i++)
		reversed[i] = from[COUNT - 1 - i];
	device<T> memory(from), result(COUNT);
	hipResourceDesc resource = linear(memory, COUNT * sizeof(T), hipCreateChannelDesc<T>());
	hipTextureDesc description = reading(hipReadModeElementType);
	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	fetch_kernel<T><<<groups(COUNT, 256), 256>>>(texture, result, COUNT);
	bool good = same_bytes(result.get(), reversed);
	HIP(hipDestroyTextureObject(texture));
	if (!good)
		printf("# %s\n", type);
	return good;
}

#define FETCH(type) fetch<type>(#type)

static bool bytes(void)
{
	return FETCH(char) & FETCH(unsigned char) & FETCH(char2) & FETCH(uchar2) & FETCH(char4) & FETCH(uchar4);
}

static bool halves(void)
{
	return FETCH(short) & FETCH(unsigned short) & FETCH(short2) & FETCH(ushort2) & FETCH(short4) & FETCH(ushort4);
}

static bool words(void)
{
	return FETCH(int) & FETCH(unsigned) & FETCH(int2) & FETCH(uint2) & FETCH(int4) & FETCH(uint4);
}

static bool floats(void)
{
	return FETCH(float) & FETCH(float2) & FETCH(float4);
}


// Integers as fractions of the greatest one; and what is behind the last element: zeros.
template <class T, class F> static bool fraction(const char *type, float greatest, float least)
{
	std::vector<T> from(COUNT);
	std::vector<F> want(COUNT);
	hipTextureObject_t texture;

	for (int i = 0; i < COUNT; i++) {
		from[i] = (T)hash32(i);
		want[COUNT - 1 - i] = fmaxf((float)from[i] / greatest, least);
	}
	device<T> memory(from);
	device<F> result(COUNT);
	// hipCreateChannelDesc<signed char>() of HIP 5.2 is that of unsigned char.
	hipChannelFormatDesc format =
	    hipCreateChannelDesc(8 * sizeof(T), 0, 0, 0, least < 0 ? hipChannelFormatKindSigned : hipChannelFormatKindUnsigned);
	hipResourceDesc resource = linear(memory, COUNT * sizeof(T), format);
	hipTextureDesc description = reading(hipReadModeNormalizedFloat);
	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	fetch_kernel<F><<<groups(COUNT, 256), 256>>>(texture, result, COUNT);
	bool good = near(result.get(), want, 1e-7);
	HIP(hipDestroyTextureObject(texture));
	if (!good)
		printf("# %s\n", type);
	return good;
}

static bool fractions(void)
{
	return fraction<unsigned char, float>("unsigned char", 255, 0) & fraction<signed char, float>("signed char", 127, -1) &
	       fraction<unsigned short, float>("unsigned short", 65535, 0) & fraction<short, float>("short", 32767, -1);
}

__global__ void beyond_kernel(hipTextureObject_t texture, float4 *to)
{
	to[threadIdx.x] = tex1Dfetch<float4>(texture, 3 + (int)threadIdx.x);
}

// One byte an element, so that ROCr's limit, which counts bytes, is the number of elements. Alpha is 1 wherever the format has none.
static bool beyond(void)
{
	std::vector<unsigned char> from = { 10, 20, 30, 40, 50, 60 };
	hipTextureObject_t texture;
	device<unsigned char> memory(from);
	device<float4> result(4);
	hipResourceDesc resource = linear(memory, 4, hipCreateChannelDesc<unsigned char>());
	hipTextureDesc description = reading(hipReadModeNormalizedFloat);

	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	beyond_kernel<<<1, 4>>>(texture, result);
	std::vector<float4> got = result.get();
	HIP(hipDestroyTextureObject(texture));
	bool good = got[0].x == 40.0f / 255;
	for (int i = 0; i < 4; i++)
		good &= (!i || got[i].x == 0) && got[i].y == 0 && got[i].z == 0 && got[i].w == 1;
	return good;
}

MAIN(((const program[]){
    { "bytes", bytes },
    { "halves", halves },
    { "words", words },
    { "floats", floats },
    { "fractions", fractions },
    { "beyond", beyond },
    {},
}))
