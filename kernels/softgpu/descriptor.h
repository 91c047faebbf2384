/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in the descriptors of buffers, images and samplers, which the runtime writes and the
 * interpreter reads; DATA_FORMAT is in data_format.def. Sources: MI200 ISA, "Memory Buffer
 * Instructions" and "Memory Image Instructions"; the same numbers are in ROCr's image/resource_kv.h
 * and resource_ai.h.
 */
#ifndef SOFTGPU_DESCRIPTOR_H
#define SOFTGPU_DESCRIPTOR_H

/* NUM_FORMAT of a descriptor. */
enum sg_number_format {
	SG_UNORM,
	SG_SNORM,
	SG_USCALED,
	SG_SSCALED,
	SG_UINT,
	SG_SINT,
	SG_FLOAT = 7,
	SG_SRGB = 9, /* of images: the first three parts are sRGB, the fourth a fraction */
};

/* DST_SEL: what a component of the result is. */
enum sg_select { SG_SEL_0, SG_SEL_1, SG_SEL_X = 4, SG_SEL_Y, SG_SEL_Z, SG_SEL_W };

/* TYPE of an image descriptor (the same values: SQ_RSRC_IMG_* in ROCr's image/resource_kv.h). */
enum sg_image_type {
	SG_IMAGE_1D = 8,
	SG_IMAGE_2D = 9,
	SG_IMAGE_3D = 10,
	SG_IMAGE_1D_ARRAY = 12,
	SG_IMAGE_2D_ARRAY = 13,
};

/* CLAMP_X and others of a sampler (SQ_TEX_CLAMP in ROCr's image/resource_ai.h). */
enum sg_edge { SG_WRAP = 0, SG_MIRROR = 1, SG_LAST_TEXEL = 2, SG_BORDER = 6 };

#endif
