/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends memory of GPUs between two ranks of MPI: what tests/real/rocm runs where a release packages an MPI library, but
 * no program that gives it such memory. Kernels write what is sent and check what arrived.
 *
 * usage: mpi WAY    in two ranks. WAY: send, synchronous, exchange, strided, to-host, from-host, managed, put, get,
 *                   broadcast, gather
 * Prints a line for each size, in rank 0. Exit status: 0 if all arrived, 1 if not, 2 for a wrong usage or a failed call.
 */
#include <hip/hip_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t status = (call);                                                        \
		if (status != hipSuccess) {                                                        \
			fprintf(stderr, "rank %d: %s: %s\n", rank, #call,                          \
				hipGetErrorString(status));                                        \
			MPI_Abort(MPI_COMM_WORLD, 2);                                              \
		}                                                                                  \
	} while (0)

__host__ __device__ static unsigned value(unsigned seed, unsigned i)
{
	return (seed + 1) * 2654435761u + i;
}

__global__ void fill(unsigned *memory, unsigned count, unsigned seed)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		memory[i] = value(seed, i);
}

/* Adds to *wrong the elements, `step` apart, that are not what fill() writes with this seed. */
__global__ void check(const unsigned *memory, unsigned count, unsigned step, unsigned seed, unsigned *wrong)
{
	unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * step;
	if (i < count && memory[i] != value(seed, i))
		atomicAdd(wrong, 1u);
}

static unsigned *allocate(const char *way, size_t count)
{
	unsigned *memory;
	if (strcmp(way, "managed") == 0)
		HIP(hipMallocManaged((void **)&memory, count * sizeof(*memory), hipMemAttachGlobal));
	else
		HIP(hipMalloc((void **)&memory, count * sizeof(*memory)));
	return memory;
}

/* The number of wrong elements in GPU memory. */
static unsigned wrong_on_gpu(const unsigned *memory, unsigned count, unsigned step, unsigned seed)
{
	unsigned *counter, wrong;
	HIP(hipMalloc((void **)&counter, sizeof(*counter)));
	HIP(hipMemset(counter, 0, sizeof(*counter)));
	check<<<(count / step) / 256 + 1, 256>>>(memory, count, step, seed, counter);
	HIP(hipGetLastError());
	HIP(hipMemcpy(&wrong, counter, sizeof(wrong), hipMemcpyDeviceToHost));
	HIP(hipFree(counter));
	return wrong;
}

/* Two-sided and one-sided ways from rank 0 to rank 1; the number of wrong elements in this rank. */
static unsigned run(const char *way, unsigned count)
{
	const int other = 1 - rank, tag = 7;
	unsigned *out = allocate(way, count), *in = allocate(way, 2 * (size_t)count);
	unsigned wrong = 0, step = 1;
	fill<<<count / 256 + 1, 256>>>(out, count, rank);
	HIP(hipGetLastError());
	HIP(hipMemset(in, 0xff, 2 * (size_t)count * sizeof(*in)));
	HIP(hipDeviceSynchronize());
	if (strcmp(way, "send") == 0 || strcmp(way, "managed") == 0 || strcmp(way, "synchronous") == 0) {
		if (rank == 0) {
			if (way[1] == 'y')
				MPI_Ssend(out, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD);
			else
				MPI_Send(out, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD);
		} else {
			MPI_Recv(in, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	} else if (strcmp(way, "exchange") == 0) {
		MPI_Request requests[2];
		MPI_Irecv(in, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(out, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (strcmp(way, "strided") == 0) {
		/* Every third element: a datatype that MPI has to pack. */
		MPI_Datatype third;
		step = 3;
		MPI_Type_vector((count + 2) / 3, 1, 3, MPI_UNSIGNED, &third);
		MPI_Type_commit(&third);
		MPI_Sendrecv(out, 1, third, other, tag, in, 1, third, other, tag, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Type_free(&third);
	} else if (strcmp(way, "to-host") == 0 || strcmp(way, "from-host") == 0) {
		unsigned *host = (unsigned *)malloc(count * sizeof(*host));
		const bool to = way[0] == 't';
		for (unsigned i = 0; i < count; i++)
			host[i] = to ? 0 : value(rank, i);
		if (rank == 0)
			MPI_Send(to ? out : host, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD);
		else
			MPI_Recv(to ? host : in, count, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		for (unsigned i = 0; to && rank == 1 && i < count; i++)
			wrong += host[i] != value(0, i);
		free(host);
		if (to) {
			HIP(hipFree(out));
			HIP(hipFree(in));
			return wrong;
		}
	} else if (strcmp(way, "put") == 0 || strcmp(way, "get") == 0) {
		MPI_Win window;
		const bool put = way[0] == 'p';
		MPI_Win_create(put ? in : out, count * sizeof(*in), sizeof(*in), MPI_INFO_NULL,
			       MPI_COMM_WORLD, &window);
		MPI_Win_fence(0, window);
		if (put && rank == 0)
			MPI_Put(out, count, MPI_UNSIGNED, other, 0, count, MPI_UNSIGNED, window);
		if (!put && rank == 1)
			MPI_Get(in, count, MPI_UNSIGNED, other, 0, count, MPI_UNSIGNED, window);
		MPI_Win_fence(0, window);
		MPI_Win_free(&window);
	} else if (strcmp(way, "broadcast") == 0) {
		MPI_Bcast(rank == 0 ? out : in, count, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
	} else if (strcmp(way, "gather") == 0) {
		MPI_Allgather(out, count, MPI_UNSIGNED, in, count, MPI_UNSIGNED, MPI_COMM_WORLD);
		wrong = wrong_on_gpu(in + (size_t)rank * count, count, 1, rank);
		wrong += wrong_on_gpu(in + (size_t)other * count, count, 1, other);
	} else {
		fprintf(stderr, "mpi: no way %s\n", way);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	if (strcmp(way, "gather") != 0 && (rank == 1 || strcmp(way, "exchange") == 0 || step > 1))
		wrong = wrong_on_gpu(in, count, step, other);
	HIP(hipFree(out));
	HIP(hipFree(in));
	return wrong;
}

int main(int count, char **arguments)
{
	static const unsigned sizes[] = {1, 1000, 30000, 1000000};
	unsigned total = 0;
	int ranks;
	MPI_Init(&count, &arguments);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (count != 2 || ranks != 2) {
		fprintf(stderr, "usage: mpi WAY, in two ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (unsigned size : sizes) {
		unsigned wrong = run(arguments[1], size), all = 0;
		MPI_Allreduce(&wrong, &all, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
		if (rank == 0)
			printf("%s of %u elements: %u wrong\n", arguments[1], size, all);
		total += all;
	}
	MPI_Finalize();
	return total != 0;
}
