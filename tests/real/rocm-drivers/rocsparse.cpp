/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of sparse matrices with dense ones and with vectors, by each of rocSPARSE's algorithms
 * that adds to the result atomically or may: what tests/real/rocm-oracle runs, as rocSPARSE's own
 * tests take minutes to start. All numbers are small integers, so that the order of additions makes
 * no difference.
 *
 * usage: rocsparse TYPE [COLUMNS]...    TYPE: f32, f64, c32, c64; COLUMNS: of the dense matrices (1
 * 2 3 7 12 40 70) Prints what was wrong, and a line with the numbers. Exit status: 0 if all results
 * are right, 1 if not, 2 for a wrong usage or a failed call. What the library does not implement is
 * counted only.
 */
#include <complex>
#include <hip/hip_runtime_api.h>
#include <rocsparse/rocsparse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define CHECK(call)                                                 \
	do {                                                        \
		int status = (int)(call);                           \
		if (status) {                                       \
			fprintf(stderr, "%s: %d\n", #call, status); \
			exit(2);                                    \
		}                                                   \
	} while (0)

enum { ROWS = 53, COLUMNS = 61 };

static rocsparse_handle handle;
static unsigned right, wrong, refused;

/* The sparse matrix: rows of 0 to 9 numbers, one that is full. */
struct sparse {
	std::vector<int64_t> begin, row, column;
	std::vector<int> value;

	sparse()
	{
		for (int i = 0; i < ROWS; i++) {
			begin.push_back((int64_t)column.size());
			for (int j = 0; j < COLUMNS; j++)
				if (i == 20 || (i * 7 + j * 11) % 97 < i % 10) {
					row.push_back(i);
					column.push_back(j);
					value.push_back((i + 2 * j) % 5 - 2);
				}
		}
		begin.push_back((int64_t)column.size());
	}
};

static const sparse matrix;

template <class To, class From> static To *on_gpu(const std::vector<From> &from)
{
	std::vector<To> copy;
	void *memory;

	for (const From &one : from)
		copy.push_back(To(one));
	CHECK(hipMalloc(&memory, copy.size() * sizeof(To)));
	CHECK(hipMemcpy(memory, copy.data(), copy.size() * sizeof(To), hipMemcpyHostToDevice));
	return (To *)memory;
}

template <class T, class Index> struct product {
	rocsparse_datatype type;
	rocsparse_indextype index;
	const char *format;
	bool transposed; /* the sparse matrix */
	Index *begin, *row, *column;
	T *value;
	rocsparse_spmat_descr a;

	product(rocsparse_datatype type, const char *format, bool transposed)
	    : type(type),
	      index(sizeof(Index) == 4 ? rocsparse_indextype_i32 : rocsparse_indextype_i64),
	      format(format), transposed(transposed), begin(on_gpu<Index>(matrix.begin)),
	      row(on_gpu<Index>(matrix.row)), column(on_gpu<Index>(matrix.column)),
	      value(on_gpu<T>(matrix.value))
	{
		int64_t count = (int64_t)matrix.value.size();

		if (!strcmp(format, "csr"))
			CHECK(rocsparse_create_csr_descr(&a, ROWS, COLUMNS, count, begin, column,
							 value, index, index,
							 rocsparse_index_base_zero, type));
		else
			CHECK(rocsparse_create_coo_descr(&a, ROWS, COLUMNS, count, row, column,
							 value, index, rocsparse_index_base_zero,
							 type));
	}

	~product()
	{
		CHECK(rocsparse_destroy_spmat_descr(a));
		for (void *memory : { (void *)begin, (void *)row, (void *)column, (void *)value })
			CHECK(hipFree(memory));
	}

	int64_t rows() const
	{
		return transposed ? COLUMNS : ROWS;
	}
	int64_t inner() const
	{
		return transposed ? ROWS : COLUMNS;
	}
	rocsparse_operation operation() const
	{
		return transposed ? rocsparse_operation_transpose : rocsparse_operation_none;
	}

	/* 2 A B + C, B of ones to threes, C of ones; as wanted, rows one behind the other. */
	static int dense(int64_t i, int64_t j)
	{
		return (int)((3 * i + j) % 3) + 1;
	}

	std::vector<int64_t> wanted(int n) const
	{
		std::vector<int64_t> sum((size_t)(rows() * n), 1);

		for (size_t k = 0; k < matrix.value.size(); k++) {
			int64_t i = transposed ? matrix.column[k] : matrix.row[k];
			int64_t j = transposed ? matrix.row[k] : matrix.column[k];

			for (int c = 0; c < n; c++)
				sum[(size_t)(i * n + c)] += 2 * matrix.value[k] * dense(j, c);
		}
		return sum;
	}

	void compare(const T *result, int n, rocsparse_order order, const char *what, int algorithm)
	{
		std::vector<int64_t> want = wanted(n);
		std::vector<T> have(want.size());
		bool same = true;

		CHECK(hipDeviceSynchronize());
		CHECK(
		    hipMemcpy(have.data(), result, have.size() * sizeof(T), hipMemcpyDeviceToHost));
		for (int64_t i = 0; i < rows(); i++)
			for (int c = 0; c < n; c++)
				same &=
				    have[(size_t)(order == rocsparse_order_row ? i * n + c
									       : c * rows() + i)] ==
				    T((double)want[(size_t)(i * n + c)]);
		if (!same)
			printf("wrong: %s %s, algorithm %d, %d columns, order %d, transposed %d\n",
			       what, format, algorithm, n, (int)order, transposed);
		(same ? right : wrong)++;
	}

	void by_matrix(int n, rocsparse_order order, bool b_transposed,
		       rocsparse_spmm_alg algorithm)
	{
		std::vector<int> numbers((size_t)(inner() * n)), ones((size_t)(rows() * n), 1);
		int64_t b_rows = b_transposed ? n : inner(), b_columns = b_transposed ? inner() : n;
		T *b, *c, alpha = T(2), beta = T(1);
		rocsparse_dnmat_descr b_descr, c_descr;
		rocsparse_status status = rocsparse_status_success;
		void *buffer = NULL;
		size_t size = 0;

		for (int64_t i = 0; i < inner(); i++)
			for (int k = 0; k < n; k++) {
				int64_t y = b_transposed ? k : i, x = b_transposed ? i : k;

				numbers[(size_t)(order == rocsparse_order_row ? y * b_columns + x
									      : x * b_rows + y)] =
				    dense(i, k);
			}
		b = on_gpu<T>(numbers);
		c = on_gpu<T>(ones);
		CHECK(rocsparse_create_dnmat_descr(
		    &b_descr, b_rows, b_columns, order == rocsparse_order_row ? b_columns : b_rows,
		    b, type, order));
		CHECK(rocsparse_create_dnmat_descr(&c_descr, rows(), n,
						   order == rocsparse_order_row ? n : rows(), c,
						   type, order));
		for (rocsparse_spmm_stage stage :
		     { rocsparse_spmm_stage_buffer_size, rocsparse_spmm_stage_preprocess,
		       rocsparse_spmm_stage_compute }) {
			status = rocsparse_spmm(handle, operation(),
						b_transposed ? rocsparse_operation_transpose
							     : rocsparse_operation_none,
						&alpha, a, b_descr, &beta, c_descr, type, algorithm,
						stage, &size, buffer);
			if (status)
				break;
			if (stage == rocsparse_spmm_stage_buffer_size)
				CHECK(hipMalloc(&buffer, size ? size : 4));
		}
		if (!status)
			compare(c, n, order, b_transposed ? "A B'" : "A B", algorithm);
		else if (status == rocsparse_status_not_implemented)
			refused++;
		else
			CHECK(status);
		CHECK(rocsparse_destroy_dnmat_descr(b_descr));
		CHECK(rocsparse_destroy_dnmat_descr(c_descr));
		CHECK(hipFree(buffer));
		CHECK(hipFree(b));
		CHECK(hipFree(c));
	}

	void by_vector(rocsparse_spmv_alg algorithm)
	{
		std::vector<int> numbers, ones((size_t)rows(), 1);
		T *x, *y, alpha = T(2), beta = T(1);
		rocsparse_dnvec_descr x_descr, y_descr;
		rocsparse_status status = rocsparse_status_success;
		void *buffer = NULL;
		size_t size = 0;

		for (int64_t i = 0; i < inner(); i++)
			numbers.push_back(dense(i, 0));
		x = on_gpu<T>(numbers);
		y = on_gpu<T>(ones);
		CHECK(rocsparse_create_dnvec_descr(&x_descr, inner(), x, type));
		CHECK(rocsparse_create_dnvec_descr(&y_descr, rows(), y, type));
		for (rocsparse_spmv_stage stage :
		     { rocsparse_spmv_stage_buffer_size, rocsparse_spmv_stage_preprocess,
		       rocsparse_spmv_stage_compute }) {
			status = rocsparse_spmv(handle, operation(), &alpha, a, x_descr, &beta,
						y_descr, type, algorithm, stage, &size, buffer);
			if (status)
				break;
			if (stage == rocsparse_spmv_stage_buffer_size)
				CHECK(hipMalloc(&buffer, size ? size : 4));
		}
		if (!status)
			compare(y, 1, rocsparse_order_row, "A x", algorithm);
		else if (status == rocsparse_status_not_implemented)
			refused++;
		else
			CHECK(status);
		CHECK(rocsparse_destroy_dnvec_descr(x_descr));
		CHECK(rocsparse_destroy_dnvec_descr(y_descr));
		CHECK(hipFree(buffer));
		CHECK(hipFree(x));
		CHECK(hipFree(y));
	}
};

template <class T, class Index>
static void all(rocsparse_datatype type, const std::vector<int> &columns)
{
	for (bool transposed : { false, true }) {
		product<T, Index> csr(type, "csr", transposed), coo(type, "coo", transposed);

		for (int n : columns)
			for (rocsparse_order order :
			     { rocsparse_order_column, rocsparse_order_row })
				for (bool b_transposed : { false, true }) {
					for (rocsparse_spmm_alg algorithm :
					     { rocsparse_spmm_alg_coo_atomic,
					       rocsparse_spmm_alg_coo_segmented_atomic })
						coo.by_matrix(n, order, b_transposed, algorithm);
					for (rocsparse_spmm_alg algorithm :
					     { rocsparse_spmm_alg_csr_row_split,
					       rocsparse_spmm_alg_csr_nnz_split,
					       rocsparse_spmm_alg_csr_merge_path })
						csr.by_matrix(n, order, b_transposed, algorithm);
				}
		/* What the library keeps of one algorithm for a matrix does not fit another. */
		for (rocsparse_spmv_alg algorithm :
		     { rocsparse_spmv_alg_coo, rocsparse_spmv_alg_coo_atomic })
			product<T, Index>(type, "coo", transposed).by_vector(algorithm);
		for (rocsparse_spmv_alg algorithm :
		     { rocsparse_spmv_alg_csr_adaptive, rocsparse_spmv_alg_csr_stream,
		       rocsparse_spmv_alg_csr_lrb })
			product<T, Index>(type, "csr", transposed).by_vector(algorithm);
	}
}

template <class T> static void both(rocsparse_datatype type, const std::vector<int> &columns)
{
	all<T, int32_t>(type, columns);
	all<T, int64_t>(type, columns);
}

int main(int argc, char **argv)
{
	const char *type = argc > 1 ? argv[1] : "";
	std::vector<int> columns;

	for (int i = 2; i < argc; i++)
		columns.push_back(atoi(argv[i]));
	if (columns.empty())
		columns = { 1, 2, 3, 7, 12, 40, 70 };
	CHECK(rocsparse_create_handle(&handle));
	if (!strcmp(type, "f32")) {
		both<float>(rocsparse_datatype_f32_r, columns);
	} else if (!strcmp(type, "f64")) {
		both<double>(rocsparse_datatype_f64_r, columns);
	} else if (!strcmp(type, "c32")) {
		both<std::complex<float>>(rocsparse_datatype_f32_c, columns);
	} else if (!strcmp(type, "c64")) {
		both<std::complex<double>>(rocsparse_datatype_f64_c, columns);
	} else {
		fprintf(stderr, "usage: rocsparse f32|f64|c32|c64 [COLUMNS]...\n");
		return 2;
	}
	CHECK(rocsparse_destroy_handle(handle));
	printf("%u right, %u wrong, %u not implemented\n", right, wrong, refused);
	return wrong ? 1 : 0;
}
