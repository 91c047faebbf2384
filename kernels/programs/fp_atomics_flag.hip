// SPDX-License-Identifier: Apache-2.0
// Ordinary atomicAdd, compiled with -munsafe-fp-atomics: the compiler emits the hardware instructions.
// On fine-grained memory an MI200 discards them without an error: the sum stays 0.
//
// hipgrain-build: -munsafe-fp-atomics
//
// Coarse-grained memory: right and fast.
// hipgrain-run: hip_malloc
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: ext_default
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_portable
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_write_combined
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_noncoherent
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_noncoherent
// hipgrain-env: HIP_HOST_COHERENT=1
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_mapped_noncoherent
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG203 api=hipHostMalloc call=hipHostMalloc at=@host_mapped_noncoherent confidence=proven
//
// hipgrain-run: malloc_host
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_alloc
// hipgrain-runtime: before 6.4: from there on hipHostAlloc is hipHostMalloc, whose memory is fine-grained host memory
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG201 api=hipHostAlloc call=hipHostAlloc at=@host_alloc confidence=proven
//
// hipgrain-run: managed_coarse
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: pages_coarse
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: mmap_coarse
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// Fine-grained memory: every update is lost.
// hipgrain-run: ext_fine
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipExtMallocWithFlags at=@ext_fine launches=1
//
// hipgrain-run: host_default
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
//
// hipgrain-run: host_mapped
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_mapped launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_mapped launches=1 confidence=proven
//
// hipgrain-run: host_numa
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_numa launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_numa launches=1 confidence=proven
//
// hipgrain-run: host_coherent
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_coherent launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_coherent launches=1 confidence=proven
//
// hipgrain-run: host_portable_coherent
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_portable_coherent launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_portable_coherent launches=1 confidence=proven
//
// hipgrain-run: host_portable
// hipgrain-env: HIP_HOST_COHERENT=1
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG904 call=hipHostMalloc api=hipHostMalloc at=@host_portable confidence=proven
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_portable launches=1 confidence=proven
//
// hipgrain-run: host_write_combined
// hipgrain-env: HIP_HOST_COHERENT=1
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG904 call=hipHostMalloc api=hipHostMalloc at=@host_write_combined confidence=proven
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_write_combined launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_write_combined launches=1 confidence=proven
//
// hipgrain-run: mem_alloc_host
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMemAllocHost at=@mem_alloc_host launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMemAllocHost at=@mem_alloc_host launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: managed_coarse_and_back
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: registered
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
//
// hipgrain-run: registered_coarse
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG206 api=hipHostRegister call=hipHostRegister confidence=proven
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostRegister at=@registered launches=1 confidence=proven
//
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=malloc at=@malloc launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=malloc at=@malloc launches=1 confidence=proven
//
// hipgrain-run: new
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=operator_new at=@new launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=operator_new at=@new launches=1 confidence=proven
//
// hipgrain-run: pages
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=aligned_alloc at=@pages launches=1 confidence=proven
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=mmap at=@map_pages launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// The operating system's memory without XNACK, advised or not: the GPU has no mapping for it.
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=add_f32 argument=0 api=malloc at=@malloc
//
// hipgrain-run: new
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=add_f32 argument=0 api=operator_new at=@new
//
// hipgrain-run: mmap
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=add_f32 argument=0 api=mmap at=@map_pages
//
// hipgrain-run: pages_coarse
// hipgrain-env: HSA_XNACK=0
// hipgrain-exit: 134 before 7.2: the runtime ends the program
// hipgrain-exit: 1 from 7.2: the runtime returns hipErrorIllegalAddress
// hipgrain-expect: HG209 kernel=add_f32 argument=0 api=aligned_alloc at=@pages

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
