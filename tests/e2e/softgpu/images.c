// SPDX-License-Identifier: Apache-2.0
/*
 * The functions of hsa_ext_image.h themselves: what they accept, what the descriptors hold, and
 * what they refuse by name. TAP on stdout; SOFTGPU_ARCH=gfx942, as the argument "none" says, has no
 * images.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>
#include <stdint.h>
#include <string.h>
#include "tap.h"

#define UNSUPPORTED ((hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED)
#define BAD_PITCH   ((hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED)
#define TOO_LARGE   ((hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED)

static const hsa_agent_t nobody = { 0 };
static hsa_agent_t gpu;

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	if (!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) && type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_ext_image_descriptor_t image_of(hsa_ext_image_geometry_t geometry, size_t width,
					   size_t height)
{
	return (hsa_ext_image_descriptor_t){
		.geometry = geometry,
		.width = width,
		.height = height,
		.format = { .channel_type = HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
			    .channel_order = HSA_EXT_IMAGE_CHANNEL_ORDER_R },
	};
}

static uint32_t capability(hsa_ext_image_geometry_t geometry, uint32_t type, uint32_t order)
{
	hsa_ext_image_format_t format = { .channel_type = type, .channel_order = order };
	uint32_t mask = 99;

	if (hsa_ext_image_get_capability(gpu, geometry, &format, &mask) != HSA_STATUS_SUCCESS)
		return 98;
	return mask;
}

static hsa_status_t info_of(hsa_ext_image_descriptor_t image, hsa_ext_image_data_info_t *info)
{
	memset(info, 0, sizeof *info);
	return hsa_ext_image_data_get_info(gpu, &image, HSA_ACCESS_PERMISSION_RO, info);
}

static hsa_status_t with_pitch(size_t row, size_t slice, hsa_ext_image_t *image)
{
	hsa_ext_image_descriptor_t description = image_of(HSA_EXT_IMAGE_GEOMETRY_2D, 100, 10);

	return hsa_ext_image_create_with_layout(
	    gpu, &description, (void *)(uintptr_t)0x123456700, HSA_ACCESS_PERMISSION_RO,
	    HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, row, slice, image);
}

static void sizes(void)
{
	hsa_ext_image_data_info_t info;
	hsa_ext_image_descriptor_t image = image_of(HSA_EXT_IMAGE_GEOMETRY_2D, 100, 10);

	check(info_of(image, &info) == HSA_STATUS_SUCCESS && info.size == 5120 &&
		  info.alignment == 256,
	      "rows begin at multiples of 256 bytes");
	image = image_of(HSA_EXT_IMAGE_GEOMETRY_2D, 16385, 1);
	check(info_of(image, &info) == TOO_LARGE, "too wide");
	image = image_of(HSA_EXT_IMAGE_GEOMETRY_1DB, 1 << 20, 0);
	check(info_of(image, &info) == HSA_STATUS_SUCCESS && info.size == 4 << 20,
	      "a buffer may be wider");
	image.format.channel_order = HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH;
	check(info_of(image, &info) == UNSUPPORTED, "a format that it lacks");
	image = image_of(HSA_EXT_IMAGE_GEOMETRY_2DA, 64, 4);
	image.array_size = 3;
	check(info_of(image, &info) == HSA_STATUS_SUCCESS && info.size == 3 * 1024, "layers");
}

static void images(void)
{
	hsa_ext_image_descriptor_t buffer = image_of(HSA_EXT_IMAGE_GEOMETRY_1DB, 1000, 0);
	const uint32_t *word;
	hsa_ext_image_t image;

	check(hsa_ext_image_create(gpu, &buffer, (void *)(uintptr_t)0x123456700,
				   HSA_ACCESS_PERMISSION_RO, &image) == HSA_STATUS_SUCCESS,
	      "a buffer is created");
	word = (const uint32_t *)(uintptr_t)image.handle;
	check(word[0] == 0x23456700 && word[1] == (1 | 4 << 16) && word[2] == 4000,
	      "base, stride, and the size in bytes");
	check(word[3] == (4 | 1 << 9 | 7 << 12 | 4 << 15), "x, 0, 0, 1 of one float");
	check(hsa_ext_image_destroy(gpu, image) == HSA_STATUS_SUCCESS &&
		  hsa_ext_image_destroy(gpu, image) != HSA_STATUS_SUCCESS,
	      "destroyed once");
	check(hsa_ext_image_create(gpu, &buffer, (void *)(uintptr_t)0x123456710,
				   HSA_ACCESS_PERMISSION_RO,
				   &image) == HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      "data must be aligned");
	check(hsa_ext_image_create(nobody, &buffer, (void *)(uintptr_t)0x123456700,
				   HSA_ACCESS_PERMISSION_RO,
				   &image) == HSA_STATUS_ERROR_INVALID_AGENT,
	      "an agent is needed");
	check(with_pitch(500, 0, &image) == BAD_PITCH && with_pitch(256, 0, &image) == BAD_PITCH &&
		  with_pitch(512, 512, &image) == BAD_PITCH,
	      "pitches that cannot be");
	check(with_pitch(1024, 10240, &image) == HSA_STATUS_SUCCESS, "a pitch");
	word = (const uint32_t *)(uintptr_t)image.handle;
	check(word[0] == 0x1234567 && word[2] == (99 | 9 << 14) && word[4] == 255 << 13,
	      "base, size, pitch");
	check(hsa_ext_image_destroy(gpu, image) == HSA_STATUS_SUCCESS, "destroyed");
	check(hsa_ext_image_import(gpu, &buffer, 0, 0, image, NULL) != HSA_STATUS_SUCCESS,
	      "import is refused");
}

static void samplers(void)
{
	hsa_ext_sampler_descriptor_t description = {
		.coordinate_mode = HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
		.filter_mode = HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
		.address_mode = HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER,
	};
	hsa_ext_sampler_t sampler;
	const uint32_t *word;

	check(hsa_ext_sampler_create(gpu, &description, &sampler) == HSA_STATUS_SUCCESS,
	      "a sampler is created");
	word = (const uint32_t *)(uintptr_t)sampler.handle;
	check(word[0] == (6 | 6 << 3 | 6 << 6 | 1 << 15) && word[2] == 5 << 20,
	      "border, not normalized, linear");
	check(hsa_ext_image_destroy(gpu, (hsa_ext_image_t){ sampler.handle }) !=
		      HSA_STATUS_SUCCESS &&
		  hsa_ext_sampler_destroy(gpu, sampler) == HSA_STATUS_SUCCESS &&
		  hsa_ext_sampler_destroy(gpu, sampler) != HSA_STATUS_SUCCESS,
	      "destroyed once, as a sampler");
	description.address_mode = 77;
	check(hsa_ext_sampler_create(gpu, &description, &sampler) ==
		  HSA_STATUS_ERROR_INVALID_ARGUMENT,
	      "an unknown addressing mode");
}

int main(int argc, char **argv)
{
	hsa_ext_image_data_info_t info;
	uint32_t handles = 1;

	if (hsa_init() != HSA_STATUS_SUCCESS || hsa_iterate_agents(find_gpu, NULL) || !gpu.handle) {
		puts("Bail out! no GPU");
		return 1;
	}
	hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES,
			   &handles);
	if (argc > 1 && !strcmp(argv[1], "none")) {
		check(!handles, "no images: no handles");
		check(!capability(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
				  HSA_EXT_IMAGE_CHANNEL_ORDER_R),
		      "no capability");
		check(info_of(image_of(HSA_EXT_IMAGE_GEOMETRY_2D, 8, 8), &info) == UNSUPPORTED,
		      "no size");
	} else {
		check(handles == 64, "images: handles");
		check(capability(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
				 HSA_EXT_IMAGE_CHANNEL_ORDER_R) == 7,
		      "read and written");
		check(!capability(HSA_EXT_IMAGE_GEOMETRY_2D,
				  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
				  HSA_EXT_IMAGE_CHANNEL_ORDER_RGB) &&
			  !capability(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
				      HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA) &&
			  !capability(HSA_EXT_IMAGE_GEOMETRY_2DDEPTH,
				      HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
				      HSA_EXT_IMAGE_CHANNEL_ORDER_R),
		      "formats that it lacks");
		check(capability(HSA_EXT_IMAGE_GEOMETRY_2D, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
				 HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA) == 1 &&
			  !capability(HSA_EXT_IMAGE_GEOMETRY_1DB,
				      HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
				      HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA),
		      "sRGB is only read, and no buffer");
		sizes();
		images();
		samplers();
	}
	hsa_shut_down();
	return tap_end();
}
