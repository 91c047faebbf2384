// SPDX-License-Identifier: Apache-2.0
// atomicAdd, compiled without any option: compare-and-swap loops, right on every kind of memory, and slow. (With the
// headers of 6.4 only for float: last section.)
//
// hipgrain-gpu: gfx942 without HG106 HG107: clang makes instructions of floating-point atomics there, without any option
//
// Coarse-grained memory: the hardware instruction would be right and tens of times faster.
// hipgrain-run: hip_malloc
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMalloc at=@hip_malloc launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipMalloc at=@hip_malloc launches=1 confidence=proven
//
// hipgrain-run: ext_default
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipExtMallocWithFlags at=@ext_default launches=1
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipExtMallocWithFlags at=@ext_default launches=1
//
// hipgrain-run: host_portable
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=proven
//
// hipgrain-run: host_noncoherent
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_noncoherent launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_noncoherent launches=1 confidence=proven
//
// hipgrain-run: malloc_host
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMallocHost at=@malloc_host launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipMallocHost at=@malloc_host launches=1 confidence=proven
//
// hipgrain-run: managed_coarse
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: pages_coarse
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
//
// Fine-grained memory: slower still by orders of magnitude.
// hipgrain-run: ext_fine
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
//
// hipgrain-run: host_default
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: registered
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
//
// hipgrain-run: malloc
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=malloc at=@malloc launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=malloc at=@malloc launches=1 confidence=proven
//
// hipgrain-run: pages
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
//
// hipgrain-run: mmap
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: before 6.4 or from 7.0: the header of 6.4 lets the compiler take the instruction for double
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// The headers of 6.4 with clang 21: the loop for float only. The instruction for double is right and fast in
// coarse-grained memory, and loses every update in fine-grained memory.
// hipgrain-run: hip_malloc
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMalloc at=@hip_malloc launches=1 confidence=proven
//
// hipgrain-run: ext_default
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipExtMallocWithFlags at=@ext_default launches=1
//
// hipgrain-run: host_portable
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=proven
//
// hipgrain-run: host_noncoherent
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_noncoherent launches=1 confidence=proven
//
// hipgrain-run: malloc_host
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMallocHost at=@malloc_host launches=1 confidence=proven
//
// hipgrain-run: managed_coarse
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: pages_coarse
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
//
// hipgrain-run: ext_fine
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
//
// hipgrain-run: host_default
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: registered
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
//
// hipgrain-run: malloc
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=malloc at=@malloc launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=malloc at=@malloc launches=1 confidence=proven
//
// hipgrain-run: pages
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
//
// hipgrain-run: mmap
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: from 6.4 before 7.0: atomicAdd of double is a hardware atomic there (clang 21)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven

#include "sample.h"

__global__ void add_f32(float *sum, float value)
{
	atomicAdd(sum, value);
}

__global__ void add_f64(double *sum, double value)
{
	atomicAdd(sum, value);
}

#include "fp_atomics.h"
