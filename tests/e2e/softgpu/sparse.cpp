// SPDX-License-Identifier: Apache-2.0
/*
 * rocSPARSE's kernels, which nobody compiled for this: a product of a sparse matrix with a vector
 * and with a matrix, and the solution of a triangular system. All values are small multiples of
 * powers of two, so every order of the additions gives the same bits. TAP on stdout. C++, as some
 * headers of rocSPARSE 6 are for C++ alone.
 */
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>
#include <rocsparse/rocsparse.h>
#include <string.h>
#include "tap.h"

#define N       500
#define COLUMNS 5
#define SPACE   (N * 9)

struct matrix {
	int count, row[N + 1], column[SPACE];
	double value[SPACE];
};

/* Rows of 1 ... 8 values, among them empty ones for a general matrix. */
static void fill(struct matrix *m, bool triangular)
{
	m->count = 0;
	for (int i = 0; i < N; i++) {
		int j = i % 7;

		m->row[i] = m->count;
		for (int k = 0; k < i * 13 % 8; k++) {
			j += 1 + i * k % 50;
			if (j >= (triangular ? i : N))
				break;
			m->column[m->count] = j;
			m->value[m->count++] = triangular ? 0.5 * (k % 3 - 1) : i % 17 - 0.5 * k;
		}
		if (triangular) {
			m->column[m->count] = i;
			m->value[m->count++] = i % 2 ? 1 : 2;
		}
	}
	m->row[N] = m->count;
}

template <class T> static T *upload(const T *from, size_t size)
{
	T *to = NULL;

	if (hipMalloc((void **)&to, size) == hipSuccess &&
	    hipMemcpy(to, from, size, hipMemcpyHostToDevice) == hipSuccess)
		return to;
	printf("Bail out! no device memory\n");
	return NULL;
}

static bool equal(const void *device, const double *want, size_t size, const char *what)
{
	static double got[N * COLUMNS];

	if (hipMemcpy(got, device, size, hipMemcpyDeviceToHost) != hipSuccess)
		return false;
	for (size_t i = 0; i < size / sizeof *got; i++)
		if (got[i] != want[i]) {
			printf("# %s: element %zu is %g, not %g\n", what, i, got[i], want[i]);
			return false;
		}
	return true;
}

static void test_products(rocsparse_handle handle, rocsparse_mat_descr description)
{
	static struct matrix m;
	static double x[N * COLUMNS], y[N * COLUMNS], want[N * COLUMNS];
	const double alpha = 2, beta = 3;
	rocsparse_mat_info info;
	int *rows, *columns;
	double *values, *dx, *dy;

	fill(&m, false);
	for (int i = 0; i < N * COLUMNS; i++) {
		x[i] = i % 11 - 3.25;
		y[i] = i % 19;
	}
	for (int c = 0; c < COLUMNS; c++)
		for (int i = 0; i < N; i++) {
			double sum = 0;

			for (int k = m.row[i]; k < m.row[i + 1]; k++)
				sum += m.value[k] * x[c * N + m.column[k]];
			want[c * N + i] = alpha * sum + beta * y[c * N + i];
		}
	rows = upload(m.row, sizeof m.row);
	columns = upload(m.column, sizeof m.column);
	values = upload(m.value, sizeof m.value);
	dx = upload(x, sizeof x);
	dy = upload(y, sizeof y);
	check(!rocsparse_dcsrmv(handle, rocsparse_operation_none, N, N, m.count, &alpha,
				description, values, rows, columns, NULL, dx, &beta, dy) &&
		  equal(dy, want, N * sizeof *want, "product"),
	      "matrix and vector, row by row");

	dy = upload(y, sizeof y);
	rocsparse_create_mat_info(&info);
	check(!rocsparse_dcsrmv_analysis(handle, rocsparse_operation_none, N, N, m.count,
					 description, values, rows, columns, info) &&
		  !rocsparse_dcsrmv(handle, rocsparse_operation_none, N, N, m.count, &alpha,
				    description, values, rows, columns, info, dx, &beta, dy) &&
		  equal(dy, want, N * sizeof *want, "product"),
	      "matrix and vector, with the adaptive kernel");
	rocsparse_destroy_mat_info(info);

	dy = upload(y, sizeof y);
	check(!rocsparse_dcsrmm(handle, rocsparse_operation_none, rocsparse_operation_none, N,
				COLUMNS, N, m.count, &alpha, description, values, rows, columns, dx,
				N, &beta, dy, N) &&
		  equal(dy, want, sizeof want, "product"),
	      "matrix and dense matrix");
}

static void test_solution(rocsparse_handle handle, rocsparse_mat_descr description)
{
	static struct matrix m;
	static double x[N], want[N];
	const double one = 1;
	rocsparse_mat_info info;
	int *rows, *columns;
	double *values, *dx, *dy;
	size_t size;
	void *buffer = NULL;

	/* The right side that gives small integers; all sums on the way are exact. */
	fill(&m, true);
	for (int i = 0; i < N; i++) {
		want[i] = i % 8 - 4;
		for (int k = m.row[i]; k < m.row[i + 1]; k++)
			x[i] += m.value[k] * want[m.column[k]];
	}
	rows = upload(m.row, sizeof m.row);
	columns = upload(m.column, sizeof m.column);
	values = upload(m.value, sizeof m.value);
	dx = upload(x, sizeof x);
	dy = upload(x, sizeof x);
	rocsparse_create_mat_info(&info);
	rocsparse_set_mat_fill_mode(description, rocsparse_fill_mode_lower);
	check(!rocsparse_dcsrsv_buffer_size(handle, rocsparse_operation_none, N, m.count,
					    description, values, rows, columns, info, &size) &&
		  hipMalloc(&buffer, size) == hipSuccess &&
		  !rocsparse_dcsrsv_analysis(handle, rocsparse_operation_none, N, m.count,
					     description, values, rows, columns, info,
					     rocsparse_analysis_policy_force,
					     rocsparse_solve_policy_auto, buffer) &&
		  !rocsparse_dcsrsv_solve(handle, rocsparse_operation_none, N, m.count, &one,
					  description, values, rows, columns, info, dx, dy,
					  rocsparse_solve_policy_auto, buffer) &&
		  equal(dy, want, sizeof want, "solution"),
	      "triangular system, whose rows wait for each other");
	rocsparse_destroy_mat_info(info);
}

int main(void)
{
	rocsparse_mat_descr description;
	rocsparse_handle handle;

	if (rocsparse_create_handle(&handle) || rocsparse_create_mat_descr(&description)) {
		printf("Bail out! rocSPARSE does not start\n");
		return 1;
	}
	test_products(handle, description);
	test_solution(handle, description);
	rocsparse_destroy_mat_descr(description);
	rocsparse_destroy_handle(handle);
	return tap_end();
}
