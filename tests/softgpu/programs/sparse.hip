// SPDX-License-Identifier: Apache-2.0
// Sparse matrices and the solvers that use them.
#include "program.h"

struct csr {
	int n;
	std::vector<int> row, col;
	std::vector<double> value;
};

// Symmetric, diagonally dominant: some off-diagonals at hashed distances.
static csr matrix(int n)
{
	csr m = { n, { 0 }, {}, {} };

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			uint32_t h = hash32((uint32_t)(std::min(i, j) * n + std::max(i, j)));

			if (i == j || h % 40 == 0) {
				m.col.push_back(j);
				m.value.push_back(i == j ? 30 : (double)(h >> 8 & 3) - 1.5);
			}
		}
		m.row.push_back((int)m.col.size());
	}
	return m;
}

static std::vector<double> multiply(const csr &m, const std::vector<double> &x)
{
	std::vector<double> y(m.n);

	for (int i = 0; i < m.n; i++)
		for (int k = m.row[i]; k < m.row[i + 1]; k++)
			y[i] = fma(m.value[k], x[m.col[k]], y[i]);
	return y;
}

static std::vector<double> vector_of(int n)
{
	std::vector<double> x(n);

	for (int i = 0; i < n; i++)
		x[i] = (int)(hash32(i) % 64) / 8.0 - 4; // products and sums are exact
	return x;
}

// ---- a row per work-item ----

__global__ void csr_kernel(const int *row, const int *col, const double *value, const double *x,
			   double *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double sum = 0;

	if (i >= n)
		return;
	for (int k = row[i]; k < row[i + 1]; k++)
		sum = fma(value[k], x[col[k]], sum);
	y[i] = sum;
}

static bool spmv_csr(void)
{
	csr m = matrix(300);
	std::vector<double> x = vector_of(m.n);
	device<int> row(m.row), col(m.col);
	device<double> value(m.value), dx(x), y(m.n);

	csr_kernel<<<groups(m.n, 128), 128>>>(row, col, value, dx, y, m.n);
	return same(y.get(), multiply(m, x));
}

// ---- a row per wave ----

__global__ void wave_kernel(const int *row, const int *col, const double *value, const double *x,
			    double *y, int n)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x % 64;
	double sum = 0;

	if (i >= n)
		return;
	for (int k = row[i] + lane; k < row[i + 1]; k += 64)
		sum += value[k] * x[col[k]];
	for (int d = 32; d; d >>= 1)
		sum += __shfl_xor(sum, d);
	if (!lane)
		y[i] = sum;
}

static bool spmv_wave(void)
{
	csr m = matrix(130);
	std::vector<double> x = vector_of(m.n);
	device<int> row(m.row), col(m.col);
	device<double> value(m.value), dx(x), y(m.n);

	wave_kernel<<<groups(m.n, 4), 256>>>(row, col, value, dx, y, m.n);
	return same(y.get(), multiply(m, x));
}

// ---- ELL: rows padded to the same length, columns first ----

__global__ void ell_kernel(const int *col, const float *value, const float *x, float *y, int n,
			   int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k < width; k++) {
		int c = col[k * n + i];

		if (c >= 0)
			sum += value[k * n + i] * x[c];
	}
	y[i] = sum;
}

static bool spmv_ell(void)
{
	csr m = matrix(200);
	int width = 0;

	for (int i = 0; i < m.n; i++)
		width = std::max(width, m.row[i + 1] - m.row[i]);
	std::vector<int> col(width * m.n, -1);
	std::vector<float> value(width * m.n), x(m.n), want(m.n);
	std::vector<double> xd = vector_of(m.n), y = multiply(m, xd);

	for (int i = 0; i < m.n; i++) {
		x[i] = (float)xd[i];
		want[i] = (float)y[i];
		for (int k = m.row[i]; k < m.row[i + 1]; k++) {
			col[(k - m.row[i]) * m.n + i] = m.col[k];
			value[(k - m.row[i]) * m.n + i] = (float)m.value[k];
		}
	}
	device<int> dcol(col);
	device<float> dvalue(value), dx(x), dy(m.n);

	ell_kernel<<<groups(m.n, 64), 64>>>(dcol, dvalue, dx, dy, m.n, width);
	return same(dy.get(), want);
}

// ---- conjugate gradient; the host steers ----

__global__ void dot_kernel(const double *a, const double *b, double *out, int n)
{
	__shared__ double part[256];
	double sum = 0;

	for (int i = threadIdx.x; i < n; i += 256)
		sum += a[i] * b[i];
	part[threadIdx.x] = sum;
	for (int s = 128; s; s >>= 1) {
		__syncthreads();
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
	}
	if (!threadIdx.x)
		*out = part[0];
}

__global__ void axpy_kernel(double *y, double beta, const double *x, double alpha, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = beta * y[i] + alpha * x[i];
}

static bool conjugate_gradient(void)
{
	csr m = matrix(220);
	std::vector<double> solution = vector_of(m.n), b = multiply(m, solution);
	device<int> row(m.row), col(m.col);
	device<double> value(m.value), x(m.n), r(b), p(b), q(m.n), scalar(1);
	unsigned g = groups(m.n, 64);
	auto dot = [&](double *u, double *v) {
		dot_kernel<<<1, 256>>>(u, v, scalar, m.n);
		return scalar.get()[0];
	};
	double rr = dot(r, r);

	for (int step = 0; step < 60 && rr > 1e-20; step++) {
		csr_kernel<<<g, 64>>>(row, col, value, p, q, m.n);
		double alpha = rr / dot(p, q);

		axpy_kernel<<<g, 64>>>(x, 1, p, alpha, m.n);
		axpy_kernel<<<g, 64>>>(r, 1, q, -alpha, m.n);
		double next = dot(r, r);

		axpy_kernel<<<g, 64>>>(p, next / rr, r, 1, m.n);
		rr = next;
	}
	return near(x.get(), solution, 1e-9);
}

static const program programs[] = {
	{ "spmv_csr", spmv_csr },
	{ "spmv_wave", spmv_wave },
	{ "spmv_ell", spmv_ell },
	{ "conjugate_gradient", conjugate_gradient },
	{},
};
MAIN(programs)
