// SPDX-License-Identifier: Apache-2.0
// clang-format off
// y = A x again and again, as a solver does: with and without a data region around the loop.
//
// Each product maps the matrix and the vector anew, though nothing changes them. And arrays of known
// size without a map clause are mapped tofrom, and come back as they went.
// hipgrain-run: hazards
// hipgrain-stdout: each_time: 0 wrong
// hipgrain-stdout: implicit: 0 wrong
// hipgrain-expect: HG803 api=malloc at=@matrix confidence=proven
// hipgrain-expect: HG804 from=@implicit confidence=likely
//
// One data region around the loop; the same with enter data and exit data, in functions of their own;
// a vector that changes each time, and is all that is copied each time; a single product; explicit maps.
// hipgrain-run: well
// hipgrain-stdout: data_region: 0 wrong
// hipgrain-stdout: enter_exit: 0 wrong
// hipgrain-stdout: updated: 0 wrong
// hipgrain-stdout: once: 0 wrong
// hipgrain-stdout: explicit: 0 wrong
// hipgrain-expect: none

#include "omp_sample.h"


#define N      256
#define ROUNDS 6

static double *matrix, *vector, *product;
static double fixed_matrix[N][N], fixed_vector[N], fixed_product[N];

static double element(int i, int j)
{
	return (i + 2 * j) % 5;
}

static double expected(int i, double factor)
{
	double sum = 0;

	for (int j = 0; j < N; j++)
		sum += element(i, j) * factor * j;
	return sum;
}

static void make(void)
{
	matrix = malloc(N * N * sizeof(*matrix)); // @matrix
	vector = malloc(N * sizeof(*vector) * 2);
	product = malloc(N * sizeof(*product) * 2);
	if (!matrix || !vector || !product)
		exit(1);
	for (int i = 0; i < N; i++) {
		vector[i] = fixed_vector[i] = i;
		for (int j = 0; j < N; j++)
			matrix[i * N + j] = fixed_matrix[i][j] = element(i, j);
	}
}

static void compare(const char *name, const double *result, double factor)
{
	int wrong = 0;

	for (int i = 0; i < N; i++) {
		double difference = result[i] - expected(i, factor);

		wrong += difference > 1e-6 || difference < -1e-6;
	}
	printf("%s: %d wrong\n", name, wrong);
	free(matrix);
	free(vector);
	free(product);
}

static __attribute__((noinline)) void multiply(const double *a, const double *x, double *y)
{
#pragma omp target teams distribute parallel for map(to : a[:N * N], x[:2 * N]) map(from : y[:N])
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int j = 0; j < N; j++)
			sum += a[i * N + j] * x[j];
		y[i] = sum;
	}
}

static void each_time(void)
{
	make();
	for (int round = 0; round < ROUNDS; round++)
		multiply(matrix, vector, product);
	compare("each_time", product, 1);
}

static void once(void)
{
	make();
	multiply(matrix, vector, product);
	compare("once", product, 1);
}

static void data_region(void)
{
	make();
#pragma omp target data map(to : matrix[:N * N], vector[:2 * N]) map(from : product[:N])
	for (int round = 0; round < ROUNDS; round++)
		multiply(matrix, vector, product);
	compare("data_region", product, 1);
}

static void enter(void)
{
#pragma omp target enter data map(to : matrix[:N * N], vector[:2 * N]) map(alloc : product[:N])
}

static void leave(void)
{
#pragma omp target exit data map(delete : matrix[:N * N], vector[:2 * N]) map(from : product[:N])
}

static void enter_exit(void)
{
	make();
	enter();
	for (int round = 0; round < ROUNDS; round++)
		multiply(matrix, vector, product);
	leave();
	compare("enter_exit", product, 1);
}

static void updated(void)
{
	make();
#pragma omp target enter data map(to : matrix[:N * N]) map(alloc : vector[:2 * N], product[:N])
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < N; i++)
			vector[i] = (double)i * round;
#pragma omp target update to(vector[:2 * N])
		multiply(matrix, vector, product);
	}
	leave();
	compare("updated", product, ROUNDS);
}

static void implicit(void)
{
	make();
#pragma omp target teams distribute parallel for // @implicit
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int j = 0; j < N; j++)
			sum += fixed_matrix[i][j] * fixed_vector[j];
		fixed_product[i] = sum;
	}
	compare("implicit", fixed_product, 1);
}

static void explicit_maps(void)
{
	make();
#pragma omp target teams distribute parallel for map(to : fixed_matrix, fixed_vector) map(from : fixed_product)
	for (int i = 0; i < N; i++) {
		double sum = 0;

		for (int j = 0; j < N; j++)
			sum += fixed_matrix[i][j] * fixed_vector[j];
		fixed_product[i] = sum;
	}
	compare("explicit", fixed_product, 1);
}

static void hazards(void)
{
	each_time();
	implicit();
}

static void well(void)
{
	data_region();
	enter_exit();
	updated();
	once();
	explicit_maps();
}

int main(int argc, char **argv)
{
	static const struct variant variants[] = { { "hazards", hazards }, { "well", well } };

	return RUN_VARIANT(variants, argc, argv);
}
