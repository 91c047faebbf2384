// SPDX-License-Identifier: Apache-2.0
// One mistake a function, to which tests/fixes/apply applies the fix that the report names.
//
// A line `// case: NAME RULE [VARIABLE=VALUE...] [quick]` begins a case; the report has to name RULE for
// the program run with NAME, and must not once the fix is applied. What follows, up to the next
// case, is applied:
//   // fix: TEXT         words of the fix in the report; of several such lines each has to be there
//   // fix from|before RELEASE: TEXT   the same, with the headers and the compiler of such releases of HIP
//   // runtime: from|before RELEASE [or from|before RELEASE]: REASON   only with such releases, else skipped
//   // literal           the change that the text itself describes (insert, write, hipHostMalloc)
//   ... //- and //+ ...  a line that goes, and one that comes: what the text says in words
// Each case prints "sum A expected B": A is B once the fix is applied.

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                      \
	do {                                                                             \
		hipError_t error_ = (call);                                              \
		if (error_ != hipSuccess) {                                              \
			printf("%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorName(error_)); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)

#define ITEMS 64

static void tell(double sum, double expected)
{
	printf("sum %g expected %g\n", sum, expected);
}

__global__ void unsafe_add(double *p, double v)
{
	unsafeAtomicAdd(p, v);
}

__global__ void add_twice(double *p, double v)
{
	unsafeAtomicAdd(p, v);
	unsafeAtomicAdd(p, 3 * v);
}

__global__ void flat_add(double *p, double v)
{
	__builtin_amdgcn_flat_atomic_fadd_f64((__attribute__((address_space(0))) double *)p, v);
}

__global__ void loop_add(double *p, double v)
{
	atomicAdd(p, v);
}

__global__ void loop_min(double *p, double v)
{
	atomicMin(p, v);
}

__device__ int max_by_loop(int *p, int v)
{
	int old = *p, seen;

	do {
		seen = old;
		old = atomicCAS(p, seen, seen > v ? seen : v);
	} while (old != seen);
	return old;
}

__global__ void largest(int *p, int *scale)
{
	atomicMax(p, (int)threadIdx.x * *scale); //-
#if HIP_VERSION < 60400000
	//+ max_by_loop(p, (int)threadIdx.x * *scale);
#else
	//+ atomicMax_system(p, (int)threadIdx.x * *scale);
#endif
}

__global__ void add_one(int *p)
{
	p[threadIdx.x] += 1;
}

// The kernels' own lines, where the report wants them changed.

// case: advise HG101 quick
// fix: insert after
// literal
static void advise()
{
	double *total;

	CHECK(hipMallocManaged(&total, sizeof(*total)));
	*total = 0;
	unsafe_add<<<1, ITEMS>>>(total, 1);
	CHECK(hipDeviceSynchronize());
	tell(*total, ITEMS);
}

// case: noncoherent HG101
// fix: hipHostMallocNonCoherent
// literal
static void noncoherent()
{
	double *pinned;

	CHECK(hipHostMalloc((void **)&pinned, sizeof(*pinned), hipHostMallocDefault));
	*pinned = 0;
	unsafe_add<<<1, ITEMS>>>(pinned, 1);
	CHECK(hipDeviceSynchronize());
	tell(*pinned, ITEMS);
}

// case: device_memory HG101
// fix: allocate it with hipMalloc
static void device_memory()
{
	double *total, sum = 0;

	CHECK(hipExtMallocWithFlags((void **)&total, 8, hipDeviceMallocFinegrained)); //-
	//+ CHECK(hipMalloc(&total, 8));
	CHECK(hipMemcpy(total, &sum, 8, hipMemcpyHostToDevice));
	unsafe_add<<<1, ITEMS>>>(total, 1);
	CHECK(hipMemcpy(&sum, total, 8, hipMemcpyDeviceToHost));
	tell(sum, ITEMS);
}

// case: safe_function HG101 quick
// fix before 6.4: write safeAtomicAdd instead of __builtin_amdgcn_flat_atomic_fadd_f64 at
// fix from 6.4: write [[clang::atomic(fine_grained_memory)]] { __hip_atomic_fetch_add(
// literal
static void safe_function()
{
	double *total;

	CHECK(hipMallocManaged(&total, sizeof(*total)));
	*total = 0;
	flat_add<<<1, ITEMS>>>(total, 1);
	CHECK(hipDeviceSynchronize());
	tell(*total, ITEMS);
}

// case: two_updates HG101 quick
// fix before 6.4: write safeAtomicAdd instead of unsafeAtomicAdd at
// runtime: before 6.4: the text from 6.4 on has placeholders
// literal
static void two_updates()
{
	double *total;

	CHECK(hipMallocManaged(&total, sizeof(*total)));
	*total = 0;
	add_twice<<<1, ITEMS>>>(total, 1);
	CHECK(hipDeviceSynchronize());
	tell(*total, 4 * ITEMS);
}

// case: unsafe_function HG107 quick
// runtime: before 6.4 or from 7.0: with the headers of 6.4 atomicAdd is the instruction by itself
// fix: write unsafeAtomicAdd instead of atomicAdd at
// literal
static void unsafe_function()
{
	double *total, sum = 0;

	CHECK(hipMalloc(&total, sizeof(*total)));
	CHECK(hipMemcpy(total, &sum, 8, hipMemcpyHostToDevice));
	loop_add<<<1, ITEMS>>>(total, 1);
	CHECK(hipMemcpy(&sum, total, 8, hipMemcpyDeviceToHost));
	tell(sum, ITEMS);
}

// case: minimum HG107
// fix: write __builtin_amdgcn_flat_atomic_fmin_f64
// literal
static void minimum()
{
	double *least, value = 5;

	CHECK(hipMalloc(&least, sizeof(*least)));
	CHECK(hipMemcpy(least, &value, 8, hipMemcpyHostToDevice));
	loop_min<<<1, ITEMS>>>(least, 3);
	CHECK(hipMemcpy(&value, least, 8, hipMemcpyDeviceToHost));
	tell(value, 3);
}

// case: loop_of_integers HG104 quick
// fix before 5.7: write a loop around atomicCAS instead of atomicMax at
// fix from 5.7: write atomicMax_system instead of atomicMax at
static void loop_of_integers()
{
	int *most, *scale;

	CHECK(hipHostMalloc((void **)&most, sizeof(*most), hipHostMallocDefault));
	CHECK(hipHostMalloc((void **)&scale, sizeof(*scale), hipHostMallocDefault));
	*most = 0;
	*scale = 2;
	largest<<<1, ITEMS>>>(most, scale);
	CHECK(hipDeviceSynchronize());
	tell(*most, 2 * (ITEMS - 1));
}

// case: kept_in_device_memory HG104
// fix: keep data that the kernel updates this way in device memory (hipMalloc)
__global__ void plain_max(int *p)
{
	atomicMax(p, (int)threadIdx.x);
}
static void kept_in_device_memory()
{
	int *most, result = 0;

	CHECK(hipHostMalloc((void **)&most, sizeof(*most), hipHostMallocDefault)); //-
	//+ CHECK(hipMalloc(&most, sizeof(*most)));
	CHECK(hipMemcpy(most, &result, sizeof(result), hipMemcpyDefault));
	plain_max<<<1, ITEMS>>>(most);
	CHECK(hipMemcpy(&result, most, sizeof(result), hipMemcpyDefault));
	tell(result, ITEMS - 1);
}

// case: host_alloc HG201
// runtime: before 6.4: from there on hipHostAlloc is hipHostMalloc
// fix: use hipHostMalloc
static void host_alloc()
{
	int *memory;

	CHECK(hipHostAlloc((void **)&memory, 4096, hipHostMallocDefault)); //-
	//+ CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocDefault));
	CHECK(hipMemset(memory, 0, 4096));
	CHECK(hipDeviceSynchronize());
	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: both_kinds HG203
// fix: drop hipHostMallocMapped (all pinned memory is mapped)
static void both_kinds()
{
	int *memory;

	CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocMapped | hipHostMallocNonCoherent)); //-
	//+ CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocNonCoherent));
	memset(memory, 0, 4096);
	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: contradiction HG204
// fix: drop one of the two flags, and check the result
static void contradiction()
{
	int *memory = NULL;

	(void)hipHostMalloc((void **)&memory, 4096, hipHostMallocCoherent | hipHostMallocNonCoherent); //-
	//+ CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocCoherent));
	if (memory) {
		memset(memory, 0, 4096);
		add_one<<<1, ITEMS>>>(memory);
		CHECK(hipDeviceSynchronize());
	}
	tell(memory ? memory[0] : 0, 1);
}

// case: no_xnack HG209 HSA_XNACK=0
// fix: allocate it with hipMallocManaged
static void no_xnack()
{
	int *memory = (int *)calloc(1, 4096); //-
	//+ int *memory; CHECK(hipMallocManaged(&memory, 4096)); memset(memory, 0, 4096);

	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: registered_instead HG209 HSA_XNACK=0
// fix: register it with hipHostRegister and pass what hipHostGetDevicePointer returns
static void registered_instead()
{
	int *memory = (int *)calloc(1, 4096), *pointer = memory;

	//+ CHECK(hipHostRegister(memory, 4096, hipHostRegisterDefault));
	//+ CHECK(hipHostGetDevicePointer((void **)&pointer, memory, 0));
	add_one<<<1, ITEMS>>>(pointer);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: copied_in HG209 HSA_XNACK=0
// fix: copy it to memory of hipMalloc with hipMemcpy, and pass that
static void copied_in()
{
	int *memory = (int *)calloc(1, 4096), *pointer = memory;

	//+ CHECK(hipMalloc(&pointer, 4096));
	//+ CHECK(hipMemcpy(pointer, memory, 4096, hipMemcpyHostToDevice));
	add_one<<<1, ITEMS>>>(pointer);
	CHECK(hipDeviceSynchronize());
	//+ CHECK(hipMemcpy(memory, pointer, 4096, hipMemcpyDeviceToHost));
	tell(memory[0], 1);
}

// case: on_the_stack HG209 HSA_XNACK=0
// fix: put it into memory of hipMallocManaged instead of a thread's stack
static void on_the_stack()
{
	int block[ITEMS] = { 0 }, *memory = block; //-
	//+ int *memory; CHECK(hipMallocManaged(&memory, 4096)); memset(memory, 0, 4096);

	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: host_variable HG209 HSA_XNACK=0
// fix: declare the variable __managed__, and pass its address
static int host_sums[ITEMS]; //-
//+ static __managed__ int host_sums[ITEMS];
static void host_variable()
{
	add_one<<<1, ITEMS>>>(host_sums);
	CHECK(hipDeviceSynchronize());
	tell(host_sums[0], 1);
}

// case: useless_advice HG214
// fix: drop the call or allocate the memory that way
static void useless_advice()
{
	int *memory, first = 0;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	(void)hipMemAdvise(memory, 4096, hipMemAdviseSetCoarseGrain, 0); //-
	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 1);
}

// case: useless_prefetch HG304
// fix: drop the call, or allocate that way, or use hipMemcpyAsync
static void useless_prefetch()
{
	int *memory;

	CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocDefault)); //-
	//+ CHECK(hipMallocManaged(&memory, 4096));
	memset(memory, 0, 4096);
	(void)hipMemPrefetchAsync(memory, 4096, 0, 0);
	add_one<<<1, ITEMS>>>(memory);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: event HG405
// fix: call hipEventRecord in the stream whose work is waited for
static void event()
{
	hipEvent_t done;
	int *memory;

	CHECK(hipEventCreate(&done));
	CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocDefault));
	memset(memory, 0, 4096);
	add_one<<<1, ITEMS>>>(memory);
	//+ CHECK(hipEventRecord(done, 0));
	CHECK(hipEventSynchronize(done));
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: pageable HG501
// fix: allocate the host buffer with hipHostMalloc
static void pageable()
{
	const size_t bytes = 1 << 20;
	char *from = (char *)calloc(1, bytes), *memory; //-
	//+ char *from, *memory; CHECK(hipHostMalloc((void **)&from, bytes, hipHostMallocDefault)); memset(from, 0, bytes);
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipMalloc(&memory, bytes));
	for (int i = 0; i < 4; i++) {
		CHECK(hipMemcpyAsync(memory, from, bytes, hipMemcpyHostToDevice, stream));
		add_one<<<1, ITEMS, 0, stream>>>((int *)memory);
	}
	CHECK(hipMemcpyAsync(from, memory, bytes, hipMemcpyDeviceToHost, stream));
	CHECK(hipStreamSynchronize(stream));
	tell(from[0], 1);
}

// case: one_call HG502
// fix: copy the 65536 bytes with one call
static void one_call()
{
	char *from, *memory;
	int first = 0;

	CHECK(hipHostMalloc((void **)&from, 65536, hipHostMallocDefault));
	memset(from, 0, 65536);
	CHECK(hipMalloc(&memory, 65536));
	for (int at = 0; at < 65536; at += 1024) { //-
		CHECK(hipMemcpyAsync(memory + at, from + at, 1024, hipMemcpyHostToDevice, 0)); //-
	} //-
	//+ CHECK(hipMemcpyAsync(memory, from, 65536, hipMemcpyHostToDevice, 0));
	add_one<<<1, ITEMS>>>((int *)memory);
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 1);
}

// case: wrong_kind HG508
// fix: pass the matching kind, or hipMemcpyDefault
static void wrong_kind()
{
	int *memory, first = 1;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	(void)hipMemcpy(&first, memory, sizeof(first), hipMemcpyHostToDevice); //-
	//+ CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDefault));
	tell(first, 0);
}

// case: freed HG601
// fix: move the hipFree after the last kernel that uses the memory has finished
static void freed()
{
	int *memory, *result, first = 0;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMalloc(&result, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	CHECK(hipMemset(result, 0, 4096));
	CHECK(hipFree(memory)); //-
	add_one<<<1, ITEMS>>>(memory);
	(void)hipDeviceSynchronize();
	//+ CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	//+ CHECK(hipFree(memory));
	tell(first, 1);
}

// case: registered_still HG603
// fix: call hipHostUnregister first
static void registered_still()
{
	int *memory = (int *)aligned_alloc(4096, 65536), *pointer;

	memset(memory, 0, 65536);
	CHECK(hipHostRegister(memory, 65536, hipHostRegisterDefault));
	CHECK(hipHostGetDevicePointer((void **)&pointer, memory, 0));
	add_one<<<1, ITEMS>>>(pointer);
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
	//+ CHECK(hipHostUnregister(memory));
	free(memory);
}

// case: freed_twice HG605
// fix: release it once, and set the pointer to NULL afterwards
static void freed_twice()
{
	int *memory;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipFree(memory));
	//+ memory = NULL;
	(void)hipFree(memory);
	tell(1, 1);
}

// case: freed_inside HG605
// fix: pass the pointer that the allocation returned
static void freed_inside()
{
	int *memory;

	CHECK(hipMalloc(&memory, 4096));
	(void)hipFree(memory + 16); //-
	//+ CHECK(hipFree(memory));
	tell(1, 1);
}

// case: too_long HG606
// fix: pass a size of at most 4096 bytes, or allocate 8192
static void too_long()
{
	static char from[8192];
	char *memory;
	int first = 0;

	CHECK(hipMalloc(&memory, 4096)); //-
	//+ CHECK(hipMalloc(&memory, 8192));
	(void)hipMemcpy(memory, from, 8192, hipMemcpyHostToDevice);
	add_one<<<1, ITEMS>>>((int *)memory);
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 1);
}

// case: in_each_round HG608
// runtime: before 7.2: pools of later releases have defects, and are not advised
// fix: use hipMallocAsync and hipFreeAsync in a created stream
static void in_each_round()
{
	hipStream_t stream;
	int first = 0;
	//+ hipMemPool_t pool; uint64_t all = UINT64_MAX;
	//+ CHECK(hipDeviceGetDefaultMemPool(&pool, 0));
	//+ CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));

	CHECK(hipStreamCreate(&stream));
	for (int i = 0; i < 32; i++) {
		int *scratch;

		CHECK(hipMalloc(&scratch, 1 << 20)); //-
		//+ CHECK(hipMallocAsync((void **)&scratch, 1 << 20, stream));
		CHECK(hipMemsetAsync(scratch, 0, 1 << 20, stream));
		add_one<<<1, ITEMS, 0, stream>>>(scratch);
		CHECK(hipMemcpyAsync(&first, scratch, sizeof(first), hipMemcpyDeviceToHost, stream));
		CHECK(hipStreamSynchronize(stream));
		CHECK(hipFree(scratch)); //-
		//+ CHECK(hipFreeAsync(scratch, stream));
	}
	tell(first, 1);
}

// case: pooled_kept HG620
// fix: release each block after its last use (hipFreeAsync), or allocate one before the loop
static void pooled_kept()
{
	hipStream_t stream;
	int first = 0;

	CHECK(hipStreamCreate(&stream));
	for (int i = 0; i < 32; i++) {
		int *scratch;

		CHECK(hipMallocAsync((void **)&scratch, 1 << 20, stream));
		CHECK(hipMemsetAsync(scratch, 0, 1 << 20, stream));
		add_one<<<1, ITEMS, 0, stream>>>(scratch);
		CHECK(hipMemcpyAsync(&first, scratch, sizeof(first), hipMemcpyDeviceToHost, stream));
		//+ CHECK(hipFreeAsync(scratch, stream));
		CHECK(hipStreamSynchronize(stream));
	}
	tell(first, 1);
}

// case: destroyed HG705
// fix: call hipStreamDestroy after the last use of the stream
static void destroyed()
{
	hipStream_t stream;
	int *memory;

	CHECK(hipHostMalloc((void **)&memory, 4096, hipHostMallocDefault));
	memset(memory, 0, 4096);
	CHECK(hipStreamCreate(&stream));
	add_one<<<1, ITEMS, 0, stream>>>(memory);
	CHECK(hipStreamDestroy(stream)); //-
	(void)hipStreamSynchronize(stream);
	//+ CHECK(hipStreamDestroy(stream));
	CHECK(hipDeviceSynchronize());
	tell(memory[0], 1);
}

// case: needless_wait HG704
// fix: remove hipDeviceSynchronize: kernels in one stream run in order anyway
static void needless_wait()
{
	int *memory, first = 0;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	for (int i = 0; i < 80; i++) {
		add_one<<<1, ITEMS>>>(memory);
		CHECK(hipDeviceSynchronize()); //-
	}
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 80);
}

// case: waits_in_a_row HG704
// fix: remove hipDeviceSynchronize, or call it once
static void waits_in_a_row()
{
	int *memory, first = 0;

	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	add_one<<<1, ITEMS>>>(memory);
	for (int i = 0; i < 80; i++) { //-
		CHECK(hipDeviceSynchronize()); //-
	} //-
	//+ CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 1);
}

// case: null_between HG702
// fix: use a separate stream for it, create the others with hipStreamNonBlocking and order them by events
static void null_between()
{
	hipStream_t stream, other = NULL;
	int *memory, *second, first = 0;

	CHECK(hipStreamCreate(&stream)); //-
	//+ CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	//+ CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
	CHECK(hipMalloc(&memory, 4096));
	CHECK(hipMalloc(&second, 4096));
	CHECK(hipMemset(memory, 0, 4096));
	CHECK(hipMemset(second, 0, 4096));
	CHECK(hipDeviceSynchronize());
	for (int i = 0; i < 70; i++) {
		add_one<<<1, ITEMS, 0, stream>>>(memory);
		add_one<<<1, ITEMS, 0, other>>>(second);
	}
	CHECK(hipDeviceSynchronize());
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 70);
}

// case: one_rectangle HG502
// fix: copy them with one hipMemcpy2DAsync: width 256, height 64, pitches 1024 and 256
static void one_rectangle()
{
	char *from, *memory;
	int last = 0;

	CHECK(hipHostMalloc((void **)&from, 64 * 256, hipHostMallocDefault));
	memset(from, 1, 64 * 256);
	CHECK(hipMalloc(&memory, 64 * 1024));
	for (int row = 0; row < 64; row++) { //-
		CHECK(hipMemcpyAsync(memory + row * 1024, from + row * 256, 256, hipMemcpyHostToDevice, 0)); //-
	} //-
	//+ CHECK(hipMemcpy2DAsync(memory, 1024, from, 256, 256, 64, hipMemcpyHostToDevice, 0));
	add_one<<<1, ITEMS>>>((int *)memory);
	CHECK(hipMemcpy(&last, memory + 63 * 1024, sizeof(last), hipMemcpyDeviceToHost));
	tell(last, 0x01010101);
}

// case: copied_twice HG505
// fix: omit the copy, or copy only data that a kernel reads afterwards
static void copied_twice()
{
	const size_t bytes = 8 << 20;
	char *from = (char *)calloc(1, bytes), *memory;
	int first = 0;

	CHECK(hipMalloc(&memory, bytes));
	CHECK(hipMemcpy(memory, from, bytes, hipMemcpyHostToDevice)); //-
	CHECK(hipMemcpy(memory, from, bytes, hipMemcpyHostToDevice));
	add_one<<<1, ITEMS>>>((int *)memory);
	CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	tell(first, 1);
}

// case: captured HG706
// fix: before hipStreamBeginCapture or after hipStreamEndCapture
static void captured()
{
	hipStream_t stream;
	hipGraph_t graph = NULL;
	hipGraphExec_t ready;
	int *memory, first = 0;

	CHECK(hipStreamCreate(&stream));
	CHECK(hipMalloc(&memory, 4096));
	//+ CHECK(hipMemset(memory, 0, 4096));
	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	(void)hipMemset(memory, 0, 4096); //-
	add_one<<<1, ITEMS, 0, stream>>>(memory);
	if (hipStreamEndCapture(stream, &graph) == hipSuccess && graph) {
		CHECK(hipGraphInstantiate(&ready, graph, NULL, NULL, 0));
		CHECK(hipGraphLaunch(ready, stream));
		CHECK(hipStreamSynchronize(stream));
		CHECK(hipMemcpy(&first, memory, sizeof(first), hipMemcpyDeviceToHost));
	}
	tell(first, 1);
}

// end of the cases

#define CASE(name) { #name, name }
static const struct {
	const char *name;
	void (*run)();
} cases[] = {
	CASE(advise),	       CASE(noncoherent),
	CASE(two_updates),
	CASE(device_memory),   CASE(safe_function),
	CASE(unsafe_function), CASE(minimum),
	CASE(loop_of_integers), CASE(kept_in_device_memory),
	CASE(host_alloc),      CASE(both_kinds),
	CASE(contradiction),   CASE(no_xnack),
	CASE(copied_in),       CASE(on_the_stack),
	CASE(host_variable),   CASE(pooled_kept),
	CASE(registered_instead), CASE(useless_advice),
	CASE(useless_prefetch), CASE(event),
	CASE(pageable),	       CASE(one_call),
	CASE(wrong_kind),      CASE(freed),
	CASE(registered_still), CASE(freed_twice),
	CASE(freed_inside),    CASE(too_long),
	CASE(in_each_round),   CASE(destroyed),
	CASE(needless_wait),   CASE(waits_in_a_row),
	CASE(null_between),    CASE(one_rectangle),
	CASE(copied_twice),    CASE(captured),
};

int main(int argc, char **argv)
{
	for (const auto &one : cases) {
		if (argc == 2 && strcmp(argv[1], one.name) == 0) {
			one.run();
			return 0;
		}
	}
	fprintf(stderr, "usage: %s CASE\n", argv[0]);
	return 2;
}
