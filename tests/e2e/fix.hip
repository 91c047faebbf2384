// SPDX-License-Identifier: Apache-2.0
// What `hipgrain run --fix` changes, as a program sees it: sums in managed memory, launched as it
// is, through a graph and from a code object of its own; and where its memory begins.

#include <hip/hip_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <new>

#define CHECK(call)                                                                    \
	do {                                                                           \
		hipError_t error_ = (call);                                            \
		if (error_ != hipSuccess) {                                            \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { LAUNCHES = 3, ITEMS = 64, BLOCK = 2 << 20 };

__global__ void add(float *sum)
{
	unsafeAtomicAdd(sum, 1.0f);
}

// Which memory it updates is not among its arguments.
__global__ void add_through(float **sum)
{
	unsafeAtomicAdd(*sum, 1.0f);
}

static float *managed(size_t bytes)
{
	float *p = nullptr;

	CHECK(hipMallocManaged((void **)&p, bytes));
	memset(p, 0, bytes);
	return p;
}

static void sums()
{
	float *sum = managed(4096);

	for (int i = 0; i < LAUNCHES; i++) {
		add<<<1, ITEMS>>>(sum);
	}
	CHECK(hipDeviceSynchronize());
	printf("sum %g\n", sum[0]);
	for (int i = 0; i < LAUNCHES; i++) {
		add<<<1, ITEMS>>>(sum);
	}
	CHECK(hipDeviceSynchronize());
	printf("sum %g\n", sum[0]);
	CHECK(hipFree(sum));
}

static void graph()
{
	float *sum = managed(4096);
	hipStream_t stream;
	hipGraph_t graph;
	hipGraphExec_t instance;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	add<<<1, ITEMS, 0, stream>>>(sum);
	CHECK(hipStreamEndCapture(stream, &graph));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	CHECK(hipGraphLaunch(instance, stream));
	CHECK(hipStreamSynchronize(stream));
	printf("sum %g\n", sum[0]);
	CHECK(hipFree(sum));
}

static void through()
{
	float **box = (float **)managed(4096);

	*box = managed(4096);
	add_through<<<1, ITEMS>>>(box);
	CHECK(hipDeviceSynchronize());
	printf("sum %g\n", **box);
	CHECK(hipFree(*box));
	CHECK(hipFree(box));
}

// Allocated before main() begins, for the host only, and by the compiler.
static float *const early = managed(4096);
__managed__ float variable;

__global__ void add_inside()
{
	unsafeAtomicAdd(&variable, 1.0f);
}

static void kinds()
{
	float *host = nullptr;

	CHECK(hipMallocManaged((void **)&host, 4096, hipMemAttachHost));
	*host = variable = 0;
	for (float *sum : { early, host, &variable }) {
		add<<<1, ITEMS>>>(sum);
		CHECK(hipDeviceSynchronize());
		printf("sum %g\n", *sum);
	}
	CHECK(hipFree(host));
}

// That the memory is a variable is not among the arguments.
static void inside()
{
	variable = 0;
	add_inside<<<1, ITEMS>>>();
	CHECK(hipDeviceSynchronize());
	printf("sum %g\n", variable);
}

static void where(const char *what, const void *p)
{
	printf("%s %s\n", what, (uintptr_t)p % BLOCK ? "elsewhere" : "aligned");
}

static void places()
{
	void *p[5] = {};

	// Twice, so that not both can be by chance.
	for (int i = 0; i < 2; i++) {
		p[0] = managed(3 << 20);
		p[1] = aligned_alloc(4096, 3 << 20);
		if (posix_memalign(&p[2], 4096, 3 << 20)) {
			exit(1);
		}
		p[3] = operator new(3 << 20, std::align_val_t(4096));
		p[4] = managed(100);
		where("managed", p[0]);
		where("aligned_alloc", p[1]);
		where("posix_memalign", p[2]);
		where("new", p[3]);
		memset(p[1], 1, 3 << 20);
		add<<<1, ITEMS>>>((float *)p[0]);
		CHECK(hipDeviceSynchronize());
		CHECK(hipFree(p[0]));
		CHECK(hipFree(p[4]));
		free(p[1]);
		free(p[2]);
		operator delete(p[3], std::align_val_t(4096));
	}
	printf("wrong release: %d\n", hipFree((char *)p[0] + 64) != hipSuccess);
}

// More memory than is looked at in one round, in more pieces than are followed.
static void many()
{
	enum { PIECES = 300, PIECE = 128 << 10, LARGE = 512 << 20 };
	char *large = nullptr, *pieces[PIECES];

	CHECK(hipMallocManaged((void **)&large, LARGE));
	for (auto &piece : pieces) {
		piece = (char *)malloc(PIECE);
		memset(piece, 1, PIECE);
	}
	add<<<1, ITEMS>>>((float *)large);
	CHECK(hipDeviceSynchronize());
	for (auto &piece : pieces) {
		free(piece);
	}
	add<<<1, ITEMS>>>((float *)large);
	CHECK(hipDeviceSynchronize());
	CHECK(hipFree(large));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} parts[] = { { "sums", sums },
		      { "graph", graph },
		      { "through", through },
		      { "kinds", kinds },
		      { "inside", inside },
		      { "places", places },
		      { "many", many } };

	for (const auto &part : parts) {
		if (argc > 1 && !strcmp(argv[1], part.name)) {
			part.run();
			return 0;
		}
	}
	return 2;
}
