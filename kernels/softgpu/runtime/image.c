// SPDX-License-Identifier: Apache-2.0
/*
 * Images and samplers: hsa_ext_image.h, as far as libamdhip64 uses it for texture and surface
 * objects. A handle is the address of the descriptor that kernels read, 12 words for an image and
 * 8 for a sampler (HIP_IMAGE_OBJECT_SIZE_DWORD and HIP_SAMPLER_OBJECT_SIZE_DWORD of HIP's headers);
 * libamdhip64 copies them.
 *
 * What the words hold is what ROCr writes (image/image_manager_ai.cpp, resource_ai.h), but for one
 * thing: the layout that is left to the device (HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE) is linear here,
 * too, whereas ROCr tiles.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/softgpu/descriptor.h"
#include "runtime.h"

#define IMAGE_WORDS   12
#define SAMPLER_WORDS 8

/* Of rows and of an image's first byte, in bytes (Addr2ComputeSurfaceInfo for linear images). */
#define ALIGNMENT 256

/* Either kind. The words are in memory of their own that the GPU reaches: kernels of libamdhip64
 * that copy images get the handle itself. */
struct object {
	struct sg_mapping *words;
	bool sampler;
	struct object *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects;

static hsa_status_t publish(hsa_agent_t agent, bool sampler, const uint32_t *word, unsigned words,
			    uint64_t *handle)
{
	struct object *object = calloc(1, sizeof *object);

	if (!object)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	object->words = sg_memory_allocate(SG_INTERNAL, words * sizeof *word,
					   SOFTGPU_PAGE_FINE | SOFTGPU_PAGE_HOST,
					   sg_gpu_bit(sg_agent_get(agent)), NULL);
	if (!object->words) {
		free(object);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	memcpy((void *)(uintptr_t)object->words->host, word, words * sizeof *word);
	object->sampler = sampler;
	*handle = object->words->gpu;
	pthread_mutex_lock(&lock);
	object->next = objects;
	objects = object;
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t withdraw(bool sampler, uint64_t handle)
{
	struct object **at, *object;

	pthread_mutex_lock(&lock);
	for (at = &objects; (object = *at); at = &object->next)
		if (object->sampler == sampler && object->words->gpu == handle) {
			*at = object->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	if (!object)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	sg_memory_free(object->words);
	free(object);
	return HSA_STATUS_SUCCESS;
}

/* ---- formats and sizes ---- */

struct image_format {
	unsigned data, number, selects, size; /* fields of descriptors; bytes of an element */
};

/* DATA_FORMAT of `count` parts of `bits` bits; 0: there is none. */
static unsigned data_format(unsigned bits, unsigned count)
{
#define DATA(code, b, c)                 \
	if (bits == (b) && count == (c)) \
		return code;
#include "kernels/softgpu/data_format.def"
#undef DATA
	return 0;
}

/* False: this device has no images of that format and geometry. */
static bool find_format(const hsa_ext_image_format_t *format, uint32_t geometry,
			struct image_format *found)
{
	unsigned bits = 0, count = 0, number = 0, selects = 0;

	if (geometry > HSA_EXT_IMAGE_GEOMETRY_1DB)
		return false;
	switch (format->channel_type) {
#define ORDER(...)
#define TYPE(name, b, n)                        \
	case HSA_EXT_IMAGE_CHANNEL_TYPE_##name: \
		bits = (b);                     \
		number = (n);                   \
		break;
#include "image_format.def"
#undef TYPE
#undef ORDER
	default:
		return false;
	}
#define TYPE(...)
#define ORDER(name, c, x, y, z, w)                                                          \
	case HSA_EXT_IMAGE_CHANNEL_ORDER_##name:                                            \
		count = (c);                                                                \
		selects = SG_SEL_##x | SG_SEL_##y << 3 | SG_SEL_##z << 6 | SG_SEL_##w << 9; \
		break;
	switch (format->channel_order) {
#include "image_format.def"
	default:
		return false;
	}
#undef TYPE
#undef ORDER
	if ((format->channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA ||
	     format->channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB) &&
	    bits != 8)
		return false;
	if (format->channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA) {
		if (format->channel_type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 ||
		    geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
			return false;
		number = SG_SRGB;
	}
	*found = (struct image_format){ .data = data_format(bits, count),
					.number = number,
					.selects = selects,
					.size = bits / 8 * count };
	return true;
}

struct layout {
	struct image_format format;
	uint64_t width, height, depth; /* in elements; 1 where there is no such dimension; layers
					  of an array count as depth */
	uint64_t row, size;            /* bytes */
};

static uint64_t at_least_1(uint64_t n)
{
	return n ? n : 1;
}

/*
 * What an image takes. `row` and `slice`: pitches in bytes, 0: as the device likes.
 */
static hsa_status_t find_layout(const hsa_ext_image_descriptor_t *image, uint64_t row,
				uint64_t slice, struct layout *layout)
{
	uint32_t geometry = image->geometry;
	bool buffer = geometry == HSA_EXT_IMAGE_GEOMETRY_1DB;
	uint64_t most = buffer ? UINT32_MAX : 16384, deepest = 8192, least;

	memset(layout, 0, sizeof *layout);
	if (!find_format(&image->format, geometry, &layout->format)) {
		sg_warn("images of geometry %u, channel type %u and order %u are not supported by "
			"the software GPU",
			geometry, image->format.channel_type, image->format.channel_order);
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
	}
	layout->width = image->width;
	layout->height = layout->depth = 1;
	if (geometry == HSA_EXT_IMAGE_GEOMETRY_2D || geometry == HSA_EXT_IMAGE_GEOMETRY_2DA ||
	    geometry == HSA_EXT_IMAGE_GEOMETRY_3D)
		layout->height = at_least_1(image->height);
	if (geometry == HSA_EXT_IMAGE_GEOMETRY_3D)
		layout->depth = at_least_1(image->depth);
	if (geometry == HSA_EXT_IMAGE_GEOMETRY_1DA || geometry == HSA_EXT_IMAGE_GEOMETRY_2DA)
		layout->depth = at_least_1(image->array_size);
	if (!layout->width || layout->width > most || layout->height > most ||
	    layout->depth > deepest)
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
	least = layout->width * layout->format.size;
	layout->row = row && !buffer ? row : (least + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	layout->size = layout->row * layout->height * layout->depth;
	if (layout->row < least || layout->row % ALIGNMENT ||
	    (!buffer && (layout->row / layout->format.size > 65536 ||
			 (slice && slice != layout->row * layout->height))))
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
	return HSA_STATUS_SUCCESS;
}

/* ---- images ---- */

static bool has_images(hsa_agent_t handle)
{
	const struct sg_agent *agent = sg_agent_get(handle);

	return agent && agent->gpu && softgpu_config.processor == SOFTGPU_GFX90A;
}

static hsa_status_t capability(hsa_agent_t agent, uint32_t geometry,
			       const hsa_ext_image_format_t *format, uint32_t *mask)
{
	struct image_format found;

	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!format || !mask)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*mask = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
	if (has_images(agent) && find_format(format, geometry, &found)) {
		*mask = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY;
		if (found.number != SG_SRGB)
			*mask |= HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY |
				 HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
	}
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
					  const hsa_ext_image_format_t *format, uint32_t *mask)
{
	return capability(agent, geometry, format, mask);
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent,
						      hsa_ext_image_geometry_t geometry,
						      const hsa_ext_image_format_t *format,
						      hsa_ext_image_data_layout_t layout,
						      uint32_t *mask)
{
	if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return capability(agent, geometry, format, mask);
}

static hsa_status_t data_info(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image,
			      size_t row, size_t slice, hsa_ext_image_data_info_t *info)
{
	struct layout layout;
	hsa_status_t status;

	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!image || !info)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!has_images(agent))
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
	status = find_layout(image, row, slice, &layout);
	if (status != HSA_STATUS_SUCCESS)
		return status;
	*info = (hsa_ext_image_data_info_t){ .size = layout.size, .alignment = ALIGNMENT };
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image,
					 hsa_access_permission_t permission,
					 hsa_ext_image_data_info_t *info)
{
	(void)permission;
	return data_info(agent, image, 0, 0, info);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t agent,
						     const hsa_ext_image_descriptor_t *image,
						     hsa_access_permission_t permission,
						     hsa_ext_image_data_layout_t layout, size_t row,
						     size_t slice, hsa_ext_image_data_info_t *info)
{
	(void)permission;
	if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return data_info(agent, image, row, slice, info);
}

/* A buffer resource with a record for each element. ROCr counts num_records in bytes. */
static void buffer_words(const struct layout *layout, uint64_t base, uint32_t *word)
{
	word[0] = (uint32_t)base;
	word[1] = (uint32_t)(base >> 32 & 0xffff) | layout->format.size << 16;
	word[2] = (uint32_t)(layout->width * layout->format.size);
	word[3] = layout->format.selects | layout->format.number << 12 | layout->format.data << 15;
}

static void image_words(const struct layout *layout, uint32_t geometry, uint64_t base,
			uint32_t *word)
{
	static const uint8_t types[] = {
		[HSA_EXT_IMAGE_GEOMETRY_1D] = SG_IMAGE_1D,
		[HSA_EXT_IMAGE_GEOMETRY_2D] = SG_IMAGE_2D,
		[HSA_EXT_IMAGE_GEOMETRY_3D] = SG_IMAGE_3D,
		[HSA_EXT_IMAGE_GEOMETRY_1DA] = SG_IMAGE_1D_ARRAY,
		[HSA_EXT_IMAGE_GEOMETRY_2DA] = SG_IMAGE_2D_ARRAY,
	};

	word[0] = (uint32_t)(base >> 8);
	word[1] =
	    (uint32_t)(base >> 40 & 0xff) | layout->format.data << 20 | layout->format.number << 26;
	word[2] = (uint32_t)((layout->width - 1) | (layout->height - 1) << 14);
	word[3] = layout->format.selects | (uint32_t)types[geometry] << 28;
	word[4] = (uint32_t)((layout->depth - 1) | (layout->row / layout->format.size - 1) << 13);
}

static hsa_status_t create(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image,
			   const void *data, size_t row, size_t slice, hsa_ext_image_t *result)
{
	uint32_t word[IMAGE_WORDS] = { 0 };
	uint64_t base = (uint64_t)(uintptr_t)data;
	struct layout layout;
	hsa_status_t status;

	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!image || !data || !result || base % ALIGNMENT)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!has_images(agent))
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
	status = find_layout(image, row, slice, &layout);
	if (status != HSA_STATUS_SUCCESS)
		return status;
	if (image->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
		buffer_words(&layout, base, word);
	else
		image_words(&layout, image->geometry, base, word);
	/* For the device library: what a program asks its image about. */
	word[8] = image->format.channel_type;
	word[9] = image->format.channel_order;
	word[10] = (uint32_t)image->width;
	return publish(agent, false, word, IMAGE_WORDS, &result->handle);
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image,
				  const void *data, hsa_access_permission_t permission,
				  hsa_ext_image_t *result)
{
	(void)permission;
	return create(agent, image, data, 0, 0, result);
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t agent,
					      const hsa_ext_image_descriptor_t *image,
					      const void *data, hsa_access_permission_t permission,
					      hsa_ext_image_data_layout_t layout, size_t row,
					      size_t slice, hsa_ext_image_t *result)
{
	(void)permission;
	if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return create(agent, image, data, row, slice, result);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image)
{
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	return withdraw(false, image.handle);
}

/* ---- samplers ---- */

/* CLAMP_X and others; -1: no such mode. */
static int edge(uint32_t mode)
{
	switch (mode) {
	case HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED:
	case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT:
		return SG_WRAP;
	case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
		return SG_MIRROR;
	case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE:
		return SG_LAST_TEXEL;
	case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
		return SG_BORDER;
	}
	return -1;
}

hsa_status_t sg_hsa_ext_sampler_create_v2(hsa_agent_t agent,
					  const struct sg_sampler_descriptor *sampler,
					  hsa_ext_sampler_t *result)
{
	uint32_t word[SAMPLER_WORDS] = { 0 };
	unsigned i;

	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!sampler || !result || sampler->filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR ||
	    sampler->coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (!has_images(agent))
		return (hsa_status_t)HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
	for (i = 0; i < 3; i++) {
		int mode = edge(sampler->address_modes[i]);

		if (mode < 0)
			return HSA_STATUS_ERROR_INVALID_ARGUMENT;
		word[0] |= (uint32_t)mode << 3 * i;
	}
	if (sampler->coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED)
		word[0] |= 1u << 15;
	word[1] = 4095u << 12; /* MAX_LOD */
	if (sampler->filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR)
		word[2] = 1u << 20 | 1u << 22; /* XY_MAG_FILTER, XY_MIN_FILTER */
	return publish(agent, true, word, SAMPLER_WORDS, &result->handle);
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t *sampler,
				    hsa_ext_sampler_t *result)
{
	struct sg_sampler_descriptor all;

	if (!sampler)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	all = (struct sg_sampler_descriptor){
		.coordinate_mode = sampler->coordinate_mode,
		.filter_mode = sampler->filter_mode,
		.address_modes = { sampler->address_mode, sampler->address_mode,
				   sampler->address_mode },
	};
	return sg_hsa_ext_sampler_create_v2(agent, &all, result);
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler)
{
	if (!sg_agent_get(agent))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	return withdraw(true, sampler.handle);
}
