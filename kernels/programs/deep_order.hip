// SPDX-License-Identifier: Apache-2.0
// Pointers that lie in memory, and by which way they came there: graphs, copies of rows, streams that wait,
// registered memory.
//
// hipgrain-build: -munsafe-fp-atomics
//
// A graph makes the struct, then uses it.
// hipgrain-run: graph_made
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: graph_made_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// A graph copies the struct to the device, then uses it.
// hipgrain-run: graph_copied
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: graph_copied_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// The struct is in managed memory, and read before the graph is launched.
// hipgrain-run: graph_managed
// hipgrain-stdout: deep order: sum 0 expected 128
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=2 confidence=proven
//
// hipgrain-run: graph_managed_mended
// hipgrain-stdout: deep order: sum 128 expected 128
// hipgrain-expect: none
//
// Two branches of a graph: what the other one does, and when, is not followed.
// hipgrain-run: graph_branches
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=likely
//
// hipgrain-run: graph_branches_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// A column of pointers is copied row by row.
// hipgrain-run: copied_rows
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_rows argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: copied_rows_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// One stream exchanges the pointers, another one waits for that by an event, and the host for the second stream.
// hipgrain-run: event_wait
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: event_wait_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// The struct is in registered memory, which has another address on the GPU.
// hipgrain-run: registered
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipMallocManaged at=@fine launches=1 confidence=proven
//
// hipgrain-run: registered_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none
//
// What the struct leads to is.
// hipgrain-run: registered_sum
// hipgrain-stdout: deep order: sum 0 expected 64
// hipgrain-expect: HG101 kernel=add_energy argument=0 api=hipHostRegister at=@register launches=1 confidence=proven
//
// hipgrain-run: registered_sum_mended
// hipgrain-stdout: deep order: sum 64 expected 64
// hipgrain-expect: none

#include "sample.h"

#define ITEMS 64
#define ROWS  8

struct particles {
	long count;
	float *energy, *other;
};

/* A row of the host's table: its pointer is the second column. */
struct row {
	long number;
	float *sums;
};

__global__ void add_energy(particles *s)
{
	atomicAdd(s->energy, 1.0f);
}

__global__ void make_particles(particles *s, float *sum)
{
	s->energy = sum;
	s->other = nullptr;
}

__global__ void exchange(particles *s)
{
	float *energy = s->energy;

	s->energy = s->other;
	s->other = energy;
}

__global__ void add_rows(float **rows)
{
	atomicAdd(rows[threadIdx.x % ROWS] + threadIdx.x / ROWS, 1.0f);
}

static const size_t bytes = ITEMS * sizeof(float);

/* The memory of the sums. */
static float *fine()
{
	float *p;

	CHECK(hipMallocManaged(&p, bytes)); // @fine
	memset(p, 0, bytes);
	return p;
}

static float *coarse()
{
	float *p;

	CHECK(hipMalloc(&p, bytes));
	CHECK(hipMemset(p, 0, bytes));
	return p;
}

static float *sums(bool mended)
{
	return mended ? coarse() : fine();
}

static particles *managed_particles(float *energy, float *other)
{
	particles *s;

	CHECK(hipMallocManaged(&s, sizeof(*s)));
	*s = { ITEMS, energy, other };
	return s;
}

static particles *device_particles()
{
	particles *s;

	CHECK(hipMalloc(&s, sizeof(*s)));
	return s;
}

static float total(const float *p)
{
	float all[ITEMS], result = 0;

	CHECK(hipMemcpy(all, p, bytes, hipMemcpyDefault));
	for (float each : all) {
		result += each;
	}
	return result;
}

static void say(float sum, int expected)
{
	printf("deep order: sum %g expected %d\n", sum, expected);
}

static hipStream_t new_stream()
{
	hipStream_t stream;

	CHECK(hipStreamCreate(&stream));
	return stream;
}

static hipEvent_t new_event()
{
	hipEvent_t event;

	CHECK(hipEventCreate(&event));
	return event;
}

/* ---- graphs ---- */

static hipStream_t capture()
{
	hipStream_t stream = new_stream();

	CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	return stream;
}

static void launch(hipStream_t stream)
{
	hipGraph_t graph;
	hipGraphExec_t instance;

	CHECK(hipStreamEndCapture(stream, &graph));
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	CHECK(hipGraphLaunch(instance, stream));
	CHECK(hipStreamSynchronize(stream));
}

static void run_graph_made(bool mended)
{
	particles *s = device_particles();
	float *sum = sums(mended);
	hipStream_t stream = capture();

	make_particles<<<1, 1, 0, stream>>>(s, sum);
	add_energy<<<1, ITEMS, 0, stream>>>(s);
	launch(stream);
	say(total(sum), ITEMS);
}

static void run_graph_copied(bool mended)
{
	particles *s = device_particles(), *host;
	float *sum = sums(mended);
	hipStream_t stream;

	CHECK(hipHostMalloc(&host, sizeof(*host)));
	*host = { ITEMS, sum, nullptr };
	stream = capture();
	CHECK(hipMemcpyAsync(s, host, sizeof(*s), hipMemcpyHostToDevice, stream));
	add_energy<<<1, ITEMS, 0, stream>>>(s);
	launch(stream);
	say(total(sum), ITEMS);
}

static void run_graph_managed(bool mended)
{
	float *sum = sums(mended);
	particles *s = managed_particles(sum, nullptr);
	hipStream_t stream = capture();

	add_energy<<<1, ITEMS, 0, stream>>>(s);
	add_energy<<<1, ITEMS, 0, stream>>>(s);
	launch(stream);
	say(total(sum), 2 * ITEMS);
}

static hipGraphNode_t add_kernel(hipGraph_t graph, const hipGraphNode_t *after, void *function,
				 void **args, unsigned items)
{
	hipKernelNodeParams params = {};
	hipGraphNode_t node;

	params.func = function;
	params.gridDim = dim3(1);
	params.blockDim = dim3(items);
	params.kernelParams = args;
	CHECK(hipGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &params));
	return node;
}

static void run_graph_branches(bool mended)
{
	particles *s = device_particles(), *unused = device_particles();
	float *sum = sums(mended);
	void *makes[] = { &s, &sum }, *others[] = { &unused, &sum };
	hipStream_t stream = new_stream();
	hipGraphExec_t instance;
	hipGraph_t graph;
	hipGraphNode_t made;

	CHECK(hipGraphCreate(&graph, 0));
	made = add_kernel(graph, nullptr, (void *)make_particles, makes, 1);
	add_kernel(graph, &made, (void *)make_particles, others, 1);
	add_kernel(graph, &made, (void *)add_energy, makes, ITEMS);
	CHECK(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
	CHECK(hipGraphLaunch(instance, stream));
	CHECK(hipStreamSynchronize(stream));
	say(total(sum), ITEMS);
}

/* ---- rows and streams ---- */

static void run_copied_rows(bool mended)
{
	row host[ROWS];
	float **rows, sum = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < ROWS; i++) {
		host[i] = { i, sums(mended) };
	}
	CHECK(hipMalloc(&rows, ROWS * sizeof(*rows)));
	CHECK(hipMemcpy2D(rows, sizeof(*rows), &host[0].sums, sizeof(row), sizeof(*rows), ROWS,
			  hipMemcpyHostToDevice));
	add_rows<<<1, ITEMS>>>(rows);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	for (const row &each : host) {
		sum += total(each.sums);
	}
	say(sum, ITEMS);
}

static void run_event_wait(bool mended)
{
	float *first = coarse(), *second = sums(mended);
	particles *s = managed_particles(first, second);
	hipStream_t one = new_stream(), two = new_stream();
	hipEvent_t exchanged = new_event();

	exchange<<<1, 1, 0, one>>>(s);
	CHECK(hipEventRecord(exchanged, one));
	CHECK(hipStreamWaitEvent(two, exchanged, 0));
	CHECK(hipStreamSynchronize(two));
	add_energy<<<1, ITEMS, 0, two>>>(s);
	CHECK(hipStreamSynchronize(two));
	say(total(second), ITEMS);
}

/* ---- registered memory ---- */

static void *registered(void *memory, size_t size)
{
	void *device;

	CHECK(hipHostRegister(memory, size, hipHostRegisterMapped)); // @register
	CHECK(hipHostGetDevicePointer(&device, memory, 0));
	return device;
}

static void run_registered(bool mended)
{
	static particles s;
	float *sum = sums(mended);

	s = { ITEMS, sum, nullptr };
	add_energy<<<1, ITEMS>>>((particles *)registered(&s, sizeof(s)));
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	say(total(sum), ITEMS);
}

static void run_registered_sum(bool mended)
{
	static float sum[ITEMS];
	float *device = mended ? coarse() : (float *)registered(sum, bytes);
	particles filled = { ITEMS, device, nullptr }, *s = device_particles();

	CHECK(hipMemcpy(s, &filled, sizeof(*s), hipMemcpyHostToDevice));
	add_energy<<<1, ITEMS>>>(s);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	say(mended ? total(device) : sum[0], ITEMS);
}

static const variant variants[] = {
	{ "graph_made", [] { run_graph_made(false); } },
	{ "graph_made_mended", [] { run_graph_made(true); } },
	{ "graph_copied", [] { run_graph_copied(false); } },
	{ "graph_copied_mended", [] { run_graph_copied(true); } },
	{ "graph_managed", [] { run_graph_managed(false); } },
	{ "graph_managed_mended", [] { run_graph_managed(true); } },
	{ "graph_branches", [] { run_graph_branches(false); } },
	{ "graph_branches_mended", [] { run_graph_branches(true); } },
	{ "copied_rows", [] { run_copied_rows(false); } },
	{ "copied_rows_mended", [] { run_copied_rows(true); } },
	{ "event_wait", [] { run_event_wait(false); } },
	{ "event_wait_mended", [] { run_event_wait(true); } },
	{ "registered", [] { run_registered(false); } },
	{ "registered_mended", [] { run_registered(true); } },
	{ "registered_sum", [] { run_registered_sum(false); } },
	{ "registered_sum_mended", [] { run_registered_sum(true); } },
};

int main(int argc, char **argv)
{
	return run_variant(variants, argc, argv);
}
