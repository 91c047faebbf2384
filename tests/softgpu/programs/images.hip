// SPDX-License-Identifier: Apache-2.0
// Textures of two and three dimensions and of layers: rows with a pitch, arrays; surfaces. gfx90a only, and only optimized: unoptimized code
// has calls of all kinds of samples, which this processor lacks, and does not compile.
#include "texture.h"

#define WIDTH  37
#define HEIGHT 11
#define DEPTH  5

template <class T> static T value(int x, int y, int z);
template <> float value<float>(int x, int y, int z)
{
	return unit((uint32_t)(x + 100 * y + 10000 * z));
}
template <> uchar4 value<uchar4>(int x, int y, int z)
{
	uint32_t v = hash32((uint32_t)(x + 100 * y + 10000 * z));

	return make_uchar4(v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24);
}

template <class T> static std::vector<T> picture(int width, int height, int depth)
{
	std::vector<T> all;

	for (int z = 0; z < depth; z++)
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++)
				all.push_back(value<T>(x, y, z));
	return all;
}

template <class T> __global__ void sample_2d(hipTextureObject_t texture, T *to, float step, float from, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x < width && y < height)
		to[y * width + x] = tex2D<T>(texture, x * step + from, y * step + from);
}

// The element that OpenCL C 2.0, 8.2, chooses; -1: the border.
static int edge(int i, int n, hipTextureAddressMode mode)
{
	switch (mode) {
	case hipAddressModeWrap:
		return (i % n + n) % n;
	case hipAddressModeMirror:
		i = (i % (2 * n) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	case hipAddressModeBorder:
		return i < 0 || i >= n ? -1 : i;
	default:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	}
}

static float texel(int x, int y, hipTextureAddressMode mode)
{
	x = edge(x, WIDTH, mode);
	y = edge(y, HEIGHT, mode);
	return x < 0 || y < 0 ? 0 : value<float>(x, y, 0);
}

// At i / 4 - 3, so also outside of the image, and in between elements.
static bool sampled(hipTextureObject_t texture, hipTextureAddressMode mode, bool filtered, bool normalized)
{
	const int width = 4 * WIDTH + 24, height = 4 * HEIGHT + 24;
	std::vector<float> want;
	device<float> result((size_t)width * height);
	// Normalized coordinates: both are the same fraction, of the width and of the height.
	float step = normalized ? 1.0f / 64 : 0.25f, from = normalized ? -0.5f : -3;

	for (int j = 0; j < height; j++)
		for (int i = 0; i < width; i++) {
			float x = (i * step + from) * (normalized ? WIDTH : 1), y = (j * step + from) * (normalized ? HEIGHT : 1);

			if (filtered) {
				int x0 = (int)floorf(x - 0.5f), y0 = (int)floorf(y - 0.5f);
				float a = x - 0.5f - (float)x0, b = y - 0.5f - (float)y0;

				want.push_back((1 - a) * (1 - b) * texel(x0, y0, mode) + a * (1 - b) * texel(x0 + 1, y0, mode) +
					       (1 - a) * b * texel(x0, y0 + 1, mode) + a * b * texel(x0 + 1, y0 + 1, mode));
			} else {
				want.push_back(texel((int)floorf(x), (int)floorf(y), mode));
			}
		}
	sample_2d<float><<<dim3(groups(width, 64), height), 64>>>(texture, result, step, from, width, height);
	return near(result.get(), want, 1e-5);
}

static const hipTextureAddressMode modes[] = { hipAddressModeClamp, hipAddressModeBorder, hipAddressModeWrap, hipAddressModeMirror };

// Wrapping and mirroring take normalized coordinates.
static bool in_all_modes(hipResourceDesc resource)
{
	hipTextureObject_t texture;
	bool good = true;

	for (int i = 0; i < 16; i++) {
		hipTextureDesc description = reading(hipReadModeElementType);
		hipTextureAddressMode mode = modes[i & 3];
		bool filtered = i & 4, normalized = i & 8;

		if (!normalized && (i & 3) >= 2)
			continue;
		description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = mode;
		description.filterMode = filtered ? hipFilterModeLinear : hipFilterModePoint;
		description.normalizedCoords = normalized;
		HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
		if (!sampled(texture, mode, filtered, normalized)) {
			printf("# mode %d, filtered %d, normalized %d\n", (int)mode, filtered, normalized);
			good = false;
		}
		HIP(hipDestroyTextureObject(texture));
	}
	return good;
}

static bool pitch(void)
{
	std::vector<float> from = picture<float>(WIDTH, HEIGHT, 1);
	hipResourceDesc resource = {};
	size_t row = 0;
	void *memory;

	HIP(hipMallocPitch(&memory, &row, WIDTH * sizeof(float), HEIGHT));
	HIP(hipMemcpy2D(memory, row, from.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT, hipMemcpyHostToDevice));
	resource.resType = hipResourceTypePitch2D;
	resource.res.pitch2D.devPtr = memory;
	resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
	resource.res.pitch2D.width = WIDTH;
	resource.res.pitch2D.height = HEIGHT;
	resource.res.pitch2D.pitchInBytes = row;
	bool good = in_all_modes(resource);
	HIP(hipFree(memory));
	return good;
}

// ---- arrays ----

static hipResourceDesc array_of(hipArray_t array)
{
	hipResourceDesc resource = {};

	resource.resType = hipResourceTypeArray;
	resource.res.array.array = array;
	return resource;
}

// To the array and back, in between a texture.
static bool array(void)
{
	std::vector<float> from = picture<float>(WIDTH, HEIGHT, 1), back(from.size());
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	hipArray_t memory;

	HIP(hipMallocArray(&memory, &format, WIDTH, HEIGHT, hipArrayDefault));
	HIP(hipMemcpy2DToArray(memory, 0, 0, from.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT, hipMemcpyHostToDevice));
	bool good = in_all_modes(array_of(memory));
	HIP(hipMemcpy2DFromArray(back.data(), WIDTH * sizeof(float), memory, 0, 0, WIDTH * sizeof(float), HEIGHT, hipMemcpyDeviceToHost));
	HIP(hipFreeArray(memory));
	return good & same(back, from);
}

// ---- elements of each size, to arrays and back; one dimension ----

template <class T> __global__ void sample_1d(hipTextureObject_t texture, T *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = tex1D<T>(texture, n - 1 - i + 0.5f);
}

template <class T> static bool element(const char *type)
{
	const int n = 3000, width = 100;
	std::vector<T> from(n), reversed(n), back(n);
	hipTextureDesc description = reading(hipReadModeElementType);
	hipChannelFormatDesc format = hipCreateChannelDesc<T>();
	hipTextureObject_t texture;
	hipResourceDesc resource;
	device<T> result(n);
	hipArray_t line, area;
	bool good = true;

	for (size_t i = 0; i < n * sizeof(T); i++)
		((unsigned char *)from.data())[i] = (unsigned char)(hash32((uint32_t)i) % 127);
	for (int i = 0; i < n; i++)
		reversed[i] = from[n - 1 - i];
	HIP(hipMallocArray(&line, &format, n, 0, hipArrayDefault));
	HIP(hipMallocArray(&area, &format, width, n / width, hipArrayDefault));
	HIP(hipMemcpy2DToArray(line, 0, 0, from.data(), n * sizeof(T), n * sizeof(T), 1, hipMemcpyHostToDevice));
	HIP(hipMemcpy2DToArray(area, 0, 0, from.data(), width * sizeof(T), width * sizeof(T), n / width, hipMemcpyHostToDevice));
	HIP(hipMemcpy2DFromArray(back.data(), width * sizeof(T), area, 0, 0, width * sizeof(T), n / width, hipMemcpyDeviceToHost));
	good &= same_bytes(back, from);
	resource = array_of(line);
	description.addressMode[0] = hipAddressModeClamp;
	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	sample_1d<T><<<groups(n, 256), 256>>>(texture, result, n);
	good &= same_bytes(result.get(), reversed);
	HIP(hipDestroyTextureObject(texture));
	HIP(hipFreeArray(line));
	HIP(hipFreeArray(area));
	if (!good)
		printf("# %s\n", type);
	return good;
}

#define ELEMENT(type) element<type>(#type)

static bool elements(void)
{
	return ELEMENT(unsigned char) & ELEMENT(char2) & ELEMENT(uchar4) & ELEMENT(short) & ELEMENT(ushort2) & ELEMENT(short4) & ELEMENT(int) &
	       ELEMENT(uint2) & ELEMENT(int4) & ELEMENT(float2) & ELEMENT(float4);
}

__global__ void sample_colors(hipTextureObject_t texture, float4 *to)
{
	int x = threadIdx.x, y = blockIdx.x;

	if (x < WIDTH)
		to[y * WIDTH + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}

static float linear_of_srgb(float x)
{
	return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

// Bytes as fractions: another view of the array's elements.
static bool colors(bool srgb)
{
	std::vector<uchar4> from = picture<uchar4>(WIDTH, HEIGHT, 1);
	hipTextureDesc description = reading(hipReadModeNormalizedFloat);
	// hipCreateChannelDesc<uchar4>() of HIP 5.2 is that of char4.
	hipChannelFormatDesc format = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
	device<float4> result(from.size());
	std::vector<float> got, want;
	hipTextureObject_t texture;
	hipResourceDesc resource;
	hipArray_t memory;

	HIP(hipMallocArray(&memory, &format, WIDTH, HEIGHT, hipArrayDefault));
	HIP(hipMemcpy2DToArray(memory, 0, 0, from.data(), WIDTH * sizeof(uchar4), WIDTH * sizeof(uchar4), HEIGHT, hipMemcpyHostToDevice));
	resource = array_of(memory);
	description.sRGB = srgb;
	description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = hipAddressModeClamp;
	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	sample_colors<<<HEIGHT, 64>>>(texture, result);
	for (uchar4 v : from) {
		for (float x : { v.x / 255.0f, v.y / 255.0f, v.z / 255.0f })
			want.push_back(srgb ? linear_of_srgb(x) : x);
		want.push_back(v.w / 255.0f);
	}
	for (float4 v : result.get())
		for (float x : { v.x, v.y, v.z, v.w })
			got.push_back(x);
	HIP(hipDestroyTextureObject(texture));
	HIP(hipFreeArray(memory));
	return near(got, want, 1e-6);
}

static bool fractions(void)
{
	return colors(false);
}

static bool srgb(void)
{
	return colors(true);
}

__global__ void sample_3d(hipTextureObject_t texture, uchar4 *to)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

	if (x < WIDTH)
		to[(z * HEIGHT + y) * WIDTH + x] = tex3D<uchar4>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void sample_layers(hipTextureObject_t texture, uchar4 *to)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

	if (x < WIDTH)
		to[(z * HEIGHT + y) * WIDTH + x] = tex2DLayered<uchar4>(texture, x + 0.5f, y + 0.5f, z);
}

static bool volume(bool layered)
{
	std::vector<uchar4> from = picture<uchar4>(WIDTH, HEIGHT, DEPTH);
	hipTextureDesc description = reading(hipReadModeElementType);
	hipChannelFormatDesc format = hipCreateChannelDesc<uchar4>();
	hipExtent extent = make_hipExtent(WIDTH, HEIGHT, DEPTH);
	device<uchar4> result(from.size());
	hipTextureObject_t texture;
	hipMemcpy3DParms copy = {};
	hipResourceDesc resource;
	hipArray_t memory;

	HIP(hipMalloc3DArray(&memory, &format, extent, layered ? hipArrayLayered : hipArrayDefault));
	copy.srcPtr = make_hipPitchedPtr(from.data(), WIDTH * sizeof(uchar4), WIDTH, HEIGHT);
	copy.dstArray = memory;
	copy.extent = extent;
	copy.kind = hipMemcpyHostToDevice;
	HIP(hipMemcpy3D(&copy));
	resource = array_of(memory);
	description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = hipAddressModeClamp;
	HIP(hipCreateTextureObject(&texture, &resource, &description, NULL));
	if (layered)
		sample_layers<<<dim3(HEIGHT, DEPTH), 64>>>(texture, result);
	else
		sample_3d<<<dim3(HEIGHT, DEPTH), 64>>>(texture, result);
	bool good = same_bytes(result.get(), from);
	HIP(hipDestroyTextureObject(texture));
	HIP(hipFreeArray(memory));
	return good;
}

static bool three_dimensions(void)
{
	return volume(false);
}

static bool layers(void)
{
	return volume(true);
}

// ---- surfaces: x counts bytes; floats, as HIP 5.2 converts all else to them ----

__global__ void transpose_surface(hipSurfaceObject_t from, hipSurfaceObject_t to)
{
	int x = threadIdx.x, y = blockIdx.x;
	float v;

	if (x < WIDTH) {
		surf2Dread(&v, from, x * (int)sizeof(v), y);
		surf2Dwrite(-v, to, y * (int)sizeof(v), x);
	}
}

static bool surface(void)
{
	std::vector<float> from = picture<float>(WIDTH, HEIGHT, 1), back(from.size()), want;
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	hipResourceDesc resources[2];
	hipSurfaceObject_t surfaces[2];
	hipArray_t arrays[2];

	for (int x = 0; x < WIDTH; x++)
		for (int y = 0; y < HEIGHT; y++)
			want.push_back(-from[y * WIDTH + x]);
	HIP(hipMallocArray(&arrays[0], &format, WIDTH, HEIGHT, hipArrayDefault));
	HIP(hipMallocArray(&arrays[1], &format, HEIGHT, WIDTH, hipArrayDefault));
	HIP(hipMemcpy2DToArray(arrays[0], 0, 0, from.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT, hipMemcpyHostToDevice));
	for (int i = 0; i < 2; i++) {
		resources[i] = array_of(arrays[i]);
		HIP(hipCreateSurfaceObject(&surfaces[i], &resources[i]));
	}
	transpose_surface<<<HEIGHT, 64>>>(surfaces[0], surfaces[1]);
	FINISH();
	HIP(hipMemcpy2DFromArray(back.data(), HEIGHT * sizeof(float), arrays[1], 0, 0, HEIGHT * sizeof(float), WIDTH, hipMemcpyDeviceToHost));
	for (int i = 0; i < 2; i++) {
		HIP(hipDestroySurfaceObject(surfaces[i]));
		HIP(hipFreeArray(arrays[i]));
	}
	return same(back, want);
}

MAIN(((const program[]){
    { "pitch", pitch },
    { "array", array },
    { "three_dimensions", three_dimensions },
    { "layers", layers },
    { "surface", surface },
    { "fractions", fractions },
    { "srgb", srgb },
    { "elements", elements },
    {},
}))
