/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame of Python in a call stack is no address: it has HG_PYTHON_FRAME, the number of its code
 * (`python_code` in events.def) in bits 32 to 62, and in the others the byte of the instruction in
 * that code.
 */
#ifndef HIPGRAIN_TRACER_PYTHON_FRAME_H
#define HIPGRAIN_TRACER_PYTHON_FRAME_H

#include <stdint.h>

#define HG_PYTHON_FRAME    (UINT64_C(1) << 63)
#define HG_PYTHON_CODE_MAX 0x7fffffffu

static inline uint32_t hg_python_code(uint64_t frame)
{
	return (uint32_t)(frame >> 32) & HG_PYTHON_CODE_MAX;
}

#endif
