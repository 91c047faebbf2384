// SPDX-License-Identifier: Apache-2.0
// safeAtomicAdd in a program that is compiled with -munsafe-fp-atomics: with headers before 6.4 a compare-and-swap
// loop all the same, because the programmer says so at the call. The option alone proves nothing, nor does the name.
//
// hipgrain-build: -munsafe-fp-atomics
// hipgrain-gpu: gfx942 without HG106 HG107: the headers' loops are for gfx90a and its like, here it is a hardware atomic
//
// hipgrain-run: hip_malloc
// hipgrain-runtime: before 6.4: with the headers of 6.4 and 7.2 these are hardware atomics
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG107 kernel=add_f32 argument=0 api=hipMalloc at=@hip_malloc launches=1 confidence=proven
// hipgrain-expect: HG107 kernel=add_f64 argument=0 api=hipMalloc at=@hip_malloc launches=1 confidence=proven
//
// hipgrain-run: host_default
// hipgrain-runtime: before 6.4: with the headers of 6.4 and 7.2 these are hardware atomics
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: before 6.4: with the headers of 6.4 and 7.2 these are hardware atomics
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: before 6.4: with the headers of 6.4 and 7.2 these are hardware atomics
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG106 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG106 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// From 6.4 on: hardware atomics, as if it said unsafeAtomicAdd. Right and fast in coarse-grained memory; in
// fine-grained memory every update is lost.
// hipgrain-run: hip_malloc
// hipgrain-runtime: from 6.4: with these headers safeAtomicAdd is a hardware atomic here (clang 21 and 22)
// hipgrain-stdout: float: sum 200 expected 200
// hipgrain-stdout: double: sum 200 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: none
//
// hipgrain-run: host_default
// hipgrain-runtime: from 6.4: with these headers safeAtomicAdd is a hardware atomic here (clang 21 and 22)
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipHostMalloc at=@host_default launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: from 6.4: with these headers safeAtomicAdd is a hardware atomic here (clang 21 and 22)
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
//
// hipgrain-run: managed
// hipgrain-runtime: from 6.4: with these headers safeAtomicAdd is a hardware atomic here (clang 21 and 22)
// hipgrain-env: HSA_XNACK=1 SOFTGPU_MIGRATION=0
// hipgrain-stdout: float: sum 0 expected 200
// hipgrain-stdout: double: sum 0 expected 200
// hipgrain-stdout: unsigned: sum 200 expected 200
// hipgrain-expect: HG101 kernel=add_f32 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven
// hipgrain-expect: HG101 kernel=add_f64 argument=0 api=hipMallocManaged at=@managed launches=1 confidence=proven

#include "sample.h"

__global__ void add_f32(float *sum, float value)
{
	safeAtomicAdd(sum, value);
}

__global__ void add_f64(double *sum, double value)
{
	safeAtomicAdd(sum, value);
}

#include "fp_atomics.h"
