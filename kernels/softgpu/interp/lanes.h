/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a vector-ALU row's body: arrays of 64 lanes, and helpers on single values. */
#ifndef SOFTGPU_LANES_H
#define SOFTGPU_LANES_H

#include "interp.h"

/*
 * Rows of 64 words; the ones with h are the high words of 64-bit operands. The destination may be
 * one of the sources.
 */
struct sg_lanes {
	uint32_t *d, *dh;
	const uint32_t *a, *ah, *b, *bh, *c, *ch;
	const uint32_t *cin;  /* 0 or 1 per lane */
	uint32_t *cout;       /* ditto; a compare's result is in d */
	const uint32_t *mask; /* lanes that are written: all ones or 0; NULL: every one */
};

/* ---- division and reduction helpers, in math.c ---- */

float sg_div_scale32(float a, float b, float c, uint32_t *vcc);
double sg_div_scale64(double a, double b, double c, uint32_t *vcc);
float sg_div_fmas32(float a, float b, float c, uint32_t vcc);
double sg_div_fmas64(double a, double b, double c, uint32_t vcc);
float sg_div_fixup32(float a, float b, float c);
double sg_div_fixup64(double a, double b, double c);
float sg_div_fixup16(float a, float b, float c);
double sg_trig_preop(double a, uint32_t segment);
float sg_sin_turns(float a);
float sg_cos_turns(float a);
uint32_t sg_half_rtz(float a);

#endif
