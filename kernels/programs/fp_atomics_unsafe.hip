// SPDX-License-Identifier: Apache-2.0
// unsafeAtomicAdd, compiled without any option: hardware instructions by the programmer's own word.
// The float form tests at run time whether the address is LDS; the double form is a flat atomic.
//
// Coarse-grained memory: right and fast.
// hipgrain-run: hip_malloc
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
// hipgrain-run: managed
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
// hipgrain-run: malloc
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=malloc at=@malloc launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=malloc at=@malloc launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven

#include "sample.h"

__global__ void add_f32(float *sum, float value)
{
	unsafeAtomicAdd(sum, value);
}

__global__ void add_f64(double *sum, double value)
{
	unsafeAtomicAdd(sum, value);
}

#include "fp_atomics.h"
