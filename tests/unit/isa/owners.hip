/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic in a library's header, called by kernels of the program and of the library. */
#include <hip/hip_runtime.h>

#line 10 "/opt/raja/include/RAJA/policy/hip/atomic.hpp"
static __device__ void inlined(float *p) { atomicAdd(p, 1.0f); }
static __device__ __attribute__((noinline)) void called(float *p) { atomicAdd(p, 2.0f); }
extern "C" __global__ void of_library(float *p) { inlined(p); }
#line 20 "/home/u/app.hip"
extern "C" __global__ void of_program(float *p) { inlined(p); }
extern "C" __global__ void by_call(float *p) { called(p); }
