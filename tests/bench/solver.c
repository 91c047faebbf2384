/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A threaded solver (OpenMP): conjugate gradients for a Poisson problem on a cube, of which each
 * thread allocates its work array of 32 KiB anew in every iteration, as solvers do that keep none.
 * Prints the residual. usage: solver SIDE ITERATIONS
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 4096 /* numbers of a work array */

static size_t side, points;

/* 6 x - (the sum of its neighbours), zero outside of the cube */
static double stencil(const double *x, size_t i)
{
	size_t column = i % side, row = i / side % side, plane = i / (side * side);
	double sum = 6 * x[i];

	if (column)
		sum -= x[i - 1];
	if (column + 1 < side)
		sum -= x[i + 1];
	if (row)
		sum -= x[i - side];
	if (row + 1 < side)
		sum -= x[i + side];
	if (plane)
		sum -= x[i - side * side];
	if (plane + 1 < side)
		sum -= x[i + side * side];
	return sum;
}

/* product = A x; returns x . product */
static double multiply(const double *x, double *product)
{
	double dot = 0;

#pragma omp parallel reduction(+ : dot)
	{
		double *tile = malloc(TILE * sizeof(*tile));

		if (!tile)
			abort();
#pragma omp for schedule(static)
		for (size_t begin = 0; begin < points; begin += TILE) {
			size_t count = points - begin < TILE ? points - begin : TILE;

			for (size_t i = 0; i < count; i++)
				tile[i] = stencil(x, begin + i);
			for (size_t i = 0; i < count; i++) {
				dot += x[begin + i] * tile[i];
				product[begin + i] = tile[i];
			}
		}
		free(tile);
	}
	return dot;
}

static double *numbers(void)
{
	double *found = calloc(points, sizeof(*found));

	if (!found)
		abort();
	return found;
}

int main(int argc, char **argv)
{
	int iterations = argc > 2 ? atoi(argv[2]) : 0;
	double *x, *residual, *direction, *product, norm;

	side = argc > 1 ? (size_t)atol(argv[1]) : 0;
	points = side * side * side;
	if (side < 2 || side > 512 || iterations < 1)
		return 2;
	x = numbers();
	residual = numbers();
	direction = numbers();
	product = numbers();
	for (size_t i = 0; i < points; i++)
		residual[i] = direction[i] = 1;
	norm = (double)points;
	for (int n = 0; n < iterations && norm > 1e-20; n++) {
		double step = norm / multiply(direction, product), next = 0;

#pragma omp parallel for reduction(+ : next) schedule(static)
		for (size_t i = 0; i < points; i++) {
			x[i] += step * direction[i];
			residual[i] -= step * product[i];
			next += residual[i] * residual[i];
		}
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < points; i++)
			direction[i] = residual[i] + next / norm * direction[i];
		norm = next;
	}
	printf("%d threads, residual %.6g\n", omp_get_max_threads(), sqrt(norm));
	free(x);
	free(residual);
	free(direction);
	free(product);
	return 0;
}
