// SPDX-License-Identifier: Apache-2.0
// Transforms made of butterflies.
#include "program.h"

#include <complex>

// ---- FFT, radix 2, a line of 256 complex numbers per group in LDS ----

#define LINE 256

__global__ void fft_kernel(float2 *data, float sign)
{
	__shared__ float2 x[LINE];
	int t = threadIdx.x;
	float2 *line = data + blockIdx.x * LINE;

	for (int i = t; i < LINE; i += LINE / 2)
		x[__brev((unsigned)i) >> 24] = line[i];
	for (int half = 1; half < LINE; half <<= 1) {
		__syncthreads();
		int k = t & (half - 1), i = 2 * t - k;
		float s, c;

		sincospif(sign * (float)k / (float)half, &s, &c);
		float2 a = x[i], b = x[i + half];
		float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);

		x[i] = make_float2(a.x + w.x, a.y + w.y);
		x[i + half] = make_float2(a.x - w.x, a.y - w.y);
	}
	__syncthreads();
	for (int i = t; i < LINE; i += LINE / 2)
		line[i] = x[i];
}

static bool fft(void)
{
	const int lines = 3;
	std::vector<float2> in(lines * LINE);
	std::vector<float> want, got, back, original;

	for (int i = 0; i < lines * LINE; i++) {
		in[i] = make_float2(unit(2 * i) - 0.5f, unit(2 * i + 1) - 0.5f);
		original.push_back(in[i].x);
	}
	for (int l = 0; l < lines; l++)
		for (int k = 0; k < LINE; k++) {
			std::complex<double> sum = 0;

			for (int i = 0; i < LINE; i++)
				sum += std::complex<double>(in[l * LINE + i].x, in[l * LINE + i].y) *
				       std::polar(1.0, -2 * M_PI * (i * k % LINE) / LINE);
			want.push_back((float)sum.real());
			want.push_back((float)sum.imag());
		}
	device<float2> data(in);

	fft_kernel<<<lines, LINE / 2>>>(data, -1);
	for (float2 z : data.get()) {
		got.push_back(z.x);
		got.push_back(z.y);
	}
	fft_kernel<<<lines, LINE / 2>>>(data, 1);
	for (float2 z : data.get())
		back.push_back(z.x / LINE);
	return near(got, want, 1e-5) && near(back, original, 1e-6);
}

// ---- Walsh-Hadamard in integers, over memory ----

__global__ void walsh_kernel(int *v, int half)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (half - 1));
	int a = v[i], b = v[i + half];

	v[i] = a + b;
	v[i + half] = a - b;
}

static bool walsh(void)
{
	const int n = 1024;
	std::vector<int> v(n);

	for (int i = 0; i < n; i++)
		v[i] = (int)(hash32(i) % 2001) - 1000;
	device<int> dv(v);

	for (int half = 1; half < n; half <<= 1) {
		walsh_kernel<<<n / 2 / 128, 128>>>(dv, half);
		for (int t = 0; t < n / 2; t++) {
			int i = 2 * t - (t & (half - 1)), a = v[i], b = v[i + half];

			v[i] = a + b;
			v[i + half] = a - b;
		}
	}
	return same(dv.get(), v);
}

// ---- cosine transform of 8 x 8 blocks ----

__global__ void dct_kernel(const float *in, float *out, int w)
{
	__shared__ float block[8][8], half[8][8];
	int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * w + blockIdx.x * 8 + x;
	float sum = 0;

	block[y][x] = in[at];
	__syncthreads();
	for (int i = 0; i < 8; i++)
		sum += block[y][i] * cosf(3.14159265f / 16 * (2 * i + 1) * x);
	half[y][x] = sum * (x ? 0.5f : 0.35355339f);
	__syncthreads();
	sum = 0;
	for (int i = 0; i < 8; i++)
		sum += half[i][x] * cosf(3.14159265f / 16 * (2 * i + 1) * y);
	out[at] = sum * (y ? 0.5f : 0.35355339f);
}

static bool dct(void)
{
	const int w = 32, h = 16;
	std::vector<float> in(w * h), want(w * h);

	for (int i = 0; i < w * h; i++)
		in[i] = unit(i) * 2 - 1;
	for (int v = 0; v < h; v++)
		for (int u = 0; u < w; u++) {
			double sum = 0;

			for (int y = 0; y < 8; y++)
				for (int x = 0; x < 8; x++)
					sum += in[(v / 8 * 8 + y) * w + u / 8 * 8 + x] *
					       cos(M_PI / 16 * (2 * x + 1) * (u % 8)) *
					       cos(M_PI / 16 * (2 * y + 1) * (v % 8));
			want[v * w + u] = (float)(sum * (u % 8 ? 0.5 : sqrt(0.125)) *
						  (v % 8 ? 0.5 : sqrt(0.125)));
		}
	device<float> din(in), out(w * h);

	dct_kernel<<<dim3(w / 8, h / 8), dim3(8, 8)>>>(din, out, w);
	return near(out.get(), want, 3e-6);
}

// ---- Haar wavelet, lifting in integers: exact back and forth ----

__global__ void haar_kernel(const short *in, short *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n / 2) {
		short d = in[2 * i + 1] - in[2 * i];

		out[i] = in[2 * i] + (d >> 1);
		out[n / 2 + i] = d;
	}
}

static bool haar(void)
{
	const int n = 600;
	std::vector<short> in(n), want(n);

	for (int i = 0; i < n; i++)
		in[i] = (short)hash32(i);
	for (int i = 0; i < n / 2; i++) {
		short d = (short)(in[2 * i + 1] - in[2 * i]);

		want[i] = (short)(in[2 * i] + (d >> 1));
		want[n / 2 + i] = d;
	}
	device<short> din(in), out(n);

	haar_kernel<<<groups(n / 2, 64), 64>>>(din, out, n);
	return same(out.get(), want);
}

static const program programs[] = {
	{ "fft", fft },
	{ "walsh", walsh },
	{ "dct", dct },
	{ "haar", haar },
	{},
};
MAIN(programs)
