// SPDX-License-Identifier: Apache-2.0
/*
 * The analyzer's table of calls that wait (analyzer/model/waits.def) against what AMD's libamdhip64
 * does: each copy and fill is called while the null stream is held up, and returns at once or does
 * not. TAP on stdout. Two GPUs.
 */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include "analyzer/model/waits.h"
#include "tap.h"
#include "tracer/api.h"

#define SIZE   65536u
#define ROW    64u
#define ROWS   64u
#define MIDDLE 256u

/* How long a call that returns at once may take, and for how long one that waits is watched. */
#define LONG_MS  30000u
#define SHORT_MS 150u

static volatile uint32_t *gate;
static char *first, *second, *fine, *managed, *other, *pinned;
static int version;

struct attempt {
	hipError_t (*call)(void);
	hipError_t result;
	int returned;
};

static void *make(void *data)
{
	struct attempt *attempt = data;

	attempt->result = attempt->call();
	__atomic_store_n(&attempt->returned, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void test_call(unsigned api, enum wait_memory memory, const char *what,
		      hipError_t (*call)(void))
{
	bool waits = model_wait(api, version, memory) != WAIT_NOTHING;
	struct attempt attempt = { call, hipSuccess, 0 };
	pthread_t thread;
	int returned = 0;

	*gate = 0;
	if (hipStreamWaitValue32(NULL, (void *)gate, 1, hipStreamWaitValueEq, 0xffffffff) ||
	    pthread_create(&thread, NULL, make, &attempt)) {
		check(false, "%s: the null stream is held up", what);
		return;
	}
	for (unsigned ms = 0; !returned && ms < (waits ? SHORT_MS : LONG_MS); ms++) {
		usleep(1000);
		returned = __atomic_load_n(&attempt.returned, __ATOMIC_ACQUIRE);
	}
	*gate = 1;
	pthread_join(thread, NULL);
	if (attempt.result)
		printf("# %s\n", hipGetErrorString(attempt.result));
	check(!attempt.result && !hipDeviceSynchronize() && returned == !waits, "%s %s", what,
	      waits ? "waits" : "returns at once");
}

/* ---- one function for each call ---- */

#define CALL(name, expression)       \
	static hipError_t name(void) \
	{                            \
		return expression;   \
	}

CALL(copy, hipMemcpy(second, first, SIZE / 2, hipMemcpyDeviceToDevice))
CALL(copy_middle, hipMemcpy(second + MIDDLE, first + MIDDLE, SIZE / 2, hipMemcpyDeviceToDevice))
CALL(copy_fine, hipMemcpy(fine, first, SIZE / 2, hipMemcpyDeviceToDevice))
CALL(copy_managed, hipMemcpy(managed, first, SIZE / 2, hipMemcpyDeviceToDevice))
CALL(copy_pinned, hipMemcpy(pinned, first, SIZE / 2, hipMemcpyDeviceToHost))
CALL(copy_other, hipMemcpy(other, first, SIZE / 2, hipMemcpyDeviceToDevice))
CALL(copy_d, hipMemcpyDtoD((hipDeviceptr_t)second, (hipDeviceptr_t)first, SIZE / 2))
CALL(copy_h, hipMemcpyDtoH(pinned, (hipDeviceptr_t)first, SIZE / 2))
CALL(copy_with, hipMemcpyWithStream(second, first, SIZE / 2, hipMemcpyDeviceToDevice, NULL))
CALL(rows, hipMemcpy2D(second, ROW, first, ROW, ROW, ROWS, hipMemcpyDeviceToDevice))
CALL(rows_other, hipMemcpy2D(other, ROW, first, ROW, ROW, ROWS, hipMemcpyDeviceToDevice))
CALL(rows_pinned, hipMemcpy2D(pinned, ROW, first, ROW, ROW, ROWS, hipMemcpyDeviceToHost))
CALL(peer, hipMemcpyPeer(other, 1, first, 0, SIZE / 2))
CALL(peer_same, hipMemcpyPeer(second, 0, first, 0, SIZE / 2))
CALL(fill, hipMemset(second, 1, SIZE / 2))
CALL(fill_middle, hipMemset(second + MIDDLE, 1, SIZE / 2))
CALL(fill_fine, hipMemset(fine, 1, SIZE / 2))
CALL(fill_managed, hipMemset(managed, 1, SIZE / 2))
CALL(fill_8, hipMemsetD8((hipDeviceptr_t)second, 1, SIZE / 2))
CALL(fill_16, hipMemsetD16((hipDeviceptr_t)second, 1, SIZE / 4))
CALL(fill_32, hipMemsetD32((hipDeviceptr_t)second, 1, SIZE / 8))
CALL(fill_32_middle, hipMemsetD32((hipDeviceptr_t)(second + MIDDLE), 1, SIZE / 8))
CALL(fill_rows, hipMemset2D(second, ROW, 1, ROW, ROWS))
CALL(fill_rows_middle, hipMemset2D(second + MIDDLE, ROW, 1, ROW, ROWS))

static hipPitchedPtr pitched(char *memory)
{
	return (hipPitchedPtr){ .ptr = memory, .pitch = ROW, .xsize = ROW, .ysize = ROWS };
}

static hipError_t box(void)
{
	hipMemcpy3DParms parameters = { .srcPtr = pitched(first),
					.dstPtr = pitched(second),
					.extent = { ROW, ROWS, 1 },
					.kind = hipMemcpyDeviceToDevice };

	return hipMemcpy3D(&parameters);
}

static hipError_t fill_box(void)
{
	return hipMemset3D(pitched(second), 1, (hipExtent){ ROW, ROWS, 1 });
}

static hip_Memcpy2D flat(void)
{
	return (hip_Memcpy2D){ .srcMemoryType = hipMemoryTypeDevice,
			       .srcDevice = (hipDeviceptr_t)first,
			       .srcPitch = ROW,
			       .dstMemoryType = hipMemoryTypeDevice,
			       .dstDevice = (hipDeviceptr_t)second,
			       .dstPitch = ROW,
			       .WidthInBytes = ROW,
			       .Height = ROWS };
}

static hipError_t parameters_2d(void)
{
	hip_Memcpy2D parameters = flat();

	return hipMemcpyParam2D(&parameters);
}

static hipError_t unaligned_2d(void)
{
	hip_Memcpy2D parameters = flat();

	return hipDrvMemcpy2DUnaligned(&parameters);
}

static hipError_t driver_3d(void)
{
	HIP_MEMCPY3D parameters = { .srcMemoryType = hipMemoryTypeDevice,
				    .srcDevice = (hipDeviceptr_t)first,
				    .srcPitch = ROW,
				    .srcHeight = ROWS,
				    .dstMemoryType = hipMemoryTypeDevice,
				    .dstDevice = (hipDeviceptr_t)second,
				    .dstPitch = ROW,
				    .dstHeight = ROWS,
				    .WidthInBytes = ROW,
				    .Height = ROWS,
				    .Depth = 1 };

	return hipDrvMemcpy3D(&parameters);
}

static bool allocate(void)
{
	return !hipHostMalloc((void **)&gate, 4096, hipHostMallocCoherent) &&
	       !hipHostMalloc((void **)&pinned, SIZE, 0) && !hipMalloc((void **)&first, SIZE) &&
	       !hipMalloc((void **)&second, SIZE) &&
	       !hipExtMallocWithFlags((void **)&fine, SIZE, hipDeviceMallocFinegrained) &&
	       !hipMallocManaged((void **)&managed, SIZE, hipMemAttachGlobal) && !hipSetDevice(1) &&
	       !hipMalloc((void **)&other, SIZE) && !hipSetDevice(0);
}

#define TEST(api, memory, what, call) \
	test_call(HG_API_##api, WAIT_MEMORY_##memory, #api ", " what, call)

int main(void)
{
	if (hipRuntimeGetVersion(&version) || !allocate()) {
		printf("Bail out! no memory of two GPUs\n");
		return 2;
	}
	/* What the first calls set up is not what is measured. */
	*gate = 1;
	check(!fill() && !copy() && !copy_pinned() && !rows() && !box() && !copy_other() &&
		  !hipDeviceSynchronize(),
	      "HIP %d", version);

	TEST(hipMemcpy, GPU, "within a GPU", copy);
	TEST(hipMemcpy, GPU, "in the middle", copy_middle);
	TEST(hipMemcpy, GPU, "to fine-grained memory of the GPU", copy_fine);
	TEST(hipMemcpy, OTHER, "to managed memory", copy_managed);
	TEST(hipMemcpy, OTHER, "to the host", copy_pinned);
	TEST(hipMemcpy, GPUS, "to another GPU", copy_other);
	TEST(hipMemcpyDtoD, GPU, "within a GPU", copy_d);
	TEST(hipMemcpyDtoH, OTHER, "to the host", copy_h);
	TEST(hipMemcpyWithStream, GPU, "within a GPU", copy_with);
	TEST(hipMemcpy2D, GPU, "within a GPU", rows);
	TEST(hipMemcpy2D, GPUS, "to another GPU", rows_other);
	TEST(hipMemcpy2D, OTHER, "to the host", rows_pinned);
	TEST(hipMemcpy3D, GPU, "within a GPU", box);
	TEST(hipMemcpyParam2D, GPU, "within a GPU", parameters_2d);
	TEST(hipDrvMemcpy2DUnaligned, GPU, "within a GPU", unaligned_2d);
	TEST(hipDrvMemcpy3D, GPU, "within a GPU", driver_3d);
	TEST(hipMemcpyPeer, GPUS, "to another GPU", peer);
	TEST(hipMemcpyPeer, GPU, "within a GPU", peer_same);
	TEST(hipMemset, BEGINNING, "from the beginning", fill);
	TEST(hipMemset, GPU, "in the middle", fill_middle);
	TEST(hipMemset, GPU, "of fine-grained memory of the GPU", fill_fine);
	TEST(hipMemset, OTHER, "of managed memory", fill_managed);
	TEST(hipMemsetD8, BEGINNING, "from the beginning", fill_8);
	TEST(hipMemsetD16, BEGINNING, "from the beginning", fill_16);
	TEST(hipMemsetD32, BEGINNING, "from the beginning", fill_32);
	TEST(hipMemsetD32, GPU, "in the middle", fill_32_middle);
	TEST(hipMemset2D, BEGINNING, "from the beginning", fill_rows);
	TEST(hipMemset2D, GPU, "in the middle", fill_rows_middle);
	TEST(hipMemset3D, BEGINNING, "from the beginning", fill_box);
	return tap_end();
}
