/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BUFFER_LOAD_FORMAT_* and BUFFER_STORE_FORMAT_*: accesses to elements of the format that the
 * buffer resource names (MI200 ISA, "Memory Buffer Instructions"). A texture over linear memory is
 * such a buffer (ROCm-Device-Libs, ockl/src/image.cl: image_load_1Db).
 */
#include "address.h"
#include "format.h"

/* NUM_FORMAT and DATA_FORMAT in a buffer resource's last word; DST_SEL are the bits below. */
#define WORD3_NUMBER(word) ((word) >> 12 & 7)
#define WORD3_DATA(word)   ((word) >> 15 & 15)
#define WORD3_SELECT(word) ((word)&0xfff)

/* Finds the format of `in`, whose operands are data, vaddr, resource and soffset. Returns false
 * after stopping the wave. */
static bool find_format(struct sg_wave *wave, const struct sg_insn *in, struct sg_format *format,
			struct sg_access *access)
{
	const struct sg_operand *resource = &in->o[2];
	uint32_t word;

	if (in->lds) {
		sg_unsupported(wave, in, "load with a format into LDS");
		return false;
	}
	if (in->nops != 4 || in->o[0].kind != SG_K_VECTOR || in->o[0].count != in->op->arg ||
	    resource->kind != SG_K_SCALAR || resource->count != 4) {
		sg_unsupported(wave, in, "operands of a buffer access with format");
		return false;
	}
	word = wave->s[resource->index + 3];
	if (!sg_format_find(WORD3_DATA(word), WORD3_NUMBER(word), WORD3_SELECT(word), format)) {
		sg_unsupported(wave, in, "format of a buffer");
		return false;
	}
	if (!sg_addresses(wave, in, SG_BUFFER, 1, 2, sg_format_size(format), access))
		return false;
	if (access->space != SG_GLOBAL) {
		sg_unsupported(wave, in, "private memory as a buffer with format");
		return false;
	}
	return true;
}

static void load(struct sg_wave *wave, const struct sg_insn *in)
{
	uint32_t(*d)[SG_LANES] = &wave->v[in->o[0].index], value[4];
	uint8_t element[SG_ELEMENT_MAX];
	struct sg_access access;
	struct sg_format format;
	unsigned i, l;
	uint64_t m;

	if (!find_format(wave, in, &format, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		l = (unsigned)__builtin_ctzll(m);
		if (!sg_read_lane(wave, in, &access, l, sg_format_size(&format), element))
			return;
		sg_format_load(&format, element, value);
		for (i = 0; i < in->op->arg; i++)
			d[i][l] = value[i];
	}
}

/*
 * Components that the instruction does not have are 0, as LLVM assumes when it leaves out trailing
 * zeros (AMDGPUInstCombineIntrinsic.cpp, trimTrailingZerosInVector).
 */
static void store(struct sg_wave *wave, const struct sg_insn *in)
{
	uint8_t element[SG_ELEMENT_MAX];
	struct sg_access access;
	struct sg_format format;
	unsigned i, l;
	uint64_t m;

	if (!find_format(wave, in, &format, &access))
		return;
	for (m = access.active; m; m &= m - 1) {
		uint32_t value[4] = { 0 };

		l = (unsigned)__builtin_ctzll(m);
		for (i = 0; i < in->op->arg; i++)
			value[i] = wave->v[in->o[0].index + i][l];
		sg_format_store(&format, value, element);
		if (!sg_write_lane(wave, in, &access, l, sg_format_size(&format), element))
			return;
	}
}

#define ROWS(text, components)                                                                   \
	{ .name = "buffer_load_format_" text, .exec = load, .c = SG_BUFFER, .arg = components }, \
	{                                                                                        \
		.name = "buffer_store_format_" text, .exec = store, .c = SG_BUFFER,              \
		.arg = components                                                                \
	}

const struct sg_op sg_table_formatted[] = {
	ROWS("x", 1), ROWS("xy", 2), ROWS("xyz", 3), ROWS("xyzw", 4), { .name = NULL },
};
