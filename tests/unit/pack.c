/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the analysis as bytes: the same comes back, and no bytes do harm. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/isa/analysis.h"
#include "analyzer/isa/isa.h"
#include "analyzer/isa/pack.h"

static struct isa_path path(uint32_t kernarg)
{
	return (struct isa_path){ .kernarg = kernarg,
				  .step_count = 2,
				  .step = { { .offset = -8, .exact = true },
					    { .stride = 24, .bounded = true, .last = 1 << 20 } },
				  .member = { (char *)"view.data" } };
}

/* Something in every member, with arrays of none, one and several. */
static void fill(struct isa_kernel *kernel, const char *symbol)
{
	static struct isa_path paths[2];
	static uint32_t kernargs[] = { 0, 0xfffffff8 };
	static struct isa_frame frames[] = { { (char *)"inner", (char *)"a.h", 3 },
					     { NULL, NULL, 0 } };
	static struct isa_atomic atomics[2];
	static struct isa_choice choices[2];
	static struct isa_arg args[] = { { 0, 8, true, (char *)"out", (char *)"float*" },
					 { 8, 4, false, NULL, NULL } };
	static struct isa_hidden hidden[] = { { 16, 8, "hidden_hostcall_buffer" },
					      { 24, 4, NULL } };
	static struct isa_use uses[] = {
		{ .access = ISA_READ | ISA_ATOMIC,
		  .certain = true,
		  .when = { ISA_ALWAYS, 0, 0xaaaaaaaaaaaaaaaa },
		  .width = 16 },
		{ .kernarg = 8, .access = ISA_WRITE, .when = { 0, 1, 0 } }
	};
	static struct isa_path_use path_uses[1];
	static struct isa_store stores[2];
	static struct isa_spin spins[1];
	static struct isa_handover handovers[1];

	paths[0] = path(8);
	paths[1] = path(16);
	paths[1].symbol = (char *)"table";
	choices[0] = (struct isa_choice){
		1, { .kind = ISA_ORIGIN_DIRECT, .kernarg = kernargs, .kernarg_count = 1 }
	};
	choices[1] =
	    (struct isa_choice){ 2, { .kind = ISA_ORIGIN_INDIRECT, .paths = { paths, 2, NULL } } };
	atomics[0] = (struct isa_atomic){ .mnemonic = (char *)"global_atomic_add_f64",
					  .offset = UINT64_MAX,
					  .kernel_offset = INT64_MIN,
					  .function = (char *)"callee",
					  .space = ISA_SPACE_FLAT,
					  .op = ISA_OP_ADD,
					  .type = ISA_TYPE_F64,
					  .fp = true,
					  .loop_why = "not determined",
					  .loop_op = ISA_OP_MINMAX,
					  .scope = ISA_SCOPE_AGENT,
					  .cache = ISA_CACHE_SC1,
					  .origin = { .kind = ISA_ORIGIN_INDIRECT,
						      .kernarg = kernargs,
						      .kernarg_count = 2,
						      .why = (char *)"",
						      .paths = { paths, 2, NULL } },
					  .file = (char *)"k.hip",
					  .line = 7,
					  .when = 0x8000000000000000,
					  .certain = 0x4000000000000001,
					  .unsure = (char *)"it may not",
					  .by_word = true,
					  .choices = choices,
					  .choice_count = 2,
					  .frames = frames,
					  .frame_count = 2 };
	atomics[1].mnemonic = (char *)"ds_add_u32";
	path_uses[0] = (struct isa_path_use){ path(24), ISA_READ, true, { 3, 0, 0 } };
	stores[0] = (struct isa_store){ path(0), 8, true, paths, 2, 5, 4, false };
	stores[1] = (struct isa_store){ .path = path(8), .size = 4 };
	spins[0] =
	    (struct isa_spin){ .mnemonic = (char *)"global_load_dword", .when = 6, .line = 5 };
	handovers[0].when = 7;
	handovers[0].flag.mnemonic = (char *)"a";
	handovers[0].data.mnemonic = (char *)"b";
	handovers[0].data.place = paths[0].step[1];
	*kernel = (struct isa_kernel){ .symbol = (char *)(uintptr_t)symbol,
				       .name = (char *)"kernel(float*)",
				       .kernarg_size = 280,
				       .args = args,
				       .arg_count = 2,
				       .condition = { { .test = ISA_TEST_LESS_SIGNED,
							.left = { .kernarg = 8,
								  .shift = 31,
								  .mask = UINT32_MAX,
								  .add = UINT64_MAX },
							.right = { .wide = true, .add = 1 } } },
				       .condition_count = 1,
				       .hidden = hidden,
				       .hidden_count = 2,
				       .atomics = atomics,
				       .atomic_count = 2,
				       .uses = uses,
				       .use_count = 2,
				       .path_uses = path_uses,
				       .path_use_count = 1,
				       .stores = stores,
				       .store_count = 2,
				       .incomplete = (char *)"because",
				       .incomplete_at = { (char *)"k.hip", 9 },
				       .uses_lds = ISA_NOT_KNOWN,
				       .has_barrier = ISA_YES,
				       .wave_size = 64,
				       .spins = spins,
				       .spin_count = 1,
				       .handovers = handovers,
				       .handover_count = 1 };
}

static struct isa_kernel kernels[2];
static struct isa_code_object object = {
	.target = (char *)"gfx90a:xnack-",
	.arch = (char *)"gfx90a",
	.sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	.kernels = kernels,
	.kernel_count = 2,
};

static int begin(void **state)
{
	(void)state;
	fill(&kernels[0], "first");
	fill(&kernels[1], "second");
	return 0;
}

static void test_round(void **state)
{
	struct isa_code_object *back;
	size_t size, again;
	uint8_t *bytes = pack_object(&object, &size), *same;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(unpack_object(bytes, size, NULL, &back), 0);
	same = pack_object(back, &again);
	assert_int_equal(again, size);
	assert_memory_equal(same, bytes, size);
	assert_string_equal(back->sha256, object.sha256);
	assert_null(back->note);
	assert_int_equal(back->kernel_count, 2);
	assert_true(back->kernels[0].atomics[0].offset == UINT64_MAX);
	assert_true(back->kernels[0].atomics[0].kernel_offset == INT64_MIN);
	assert_int_equal(back->kernels[1].atomics[0].origin.kernarg[1], 0xfffffff8);
	assert_int_equal(back->kernels[1].uses_lds, ISA_NOT_KNOWN);
	assert_string_equal(back->kernels[1].stores[0].value[1].symbol, "table");
	assert_string_equal(back->kernels[0].hidden[0].name, "hidden_hostcall_buffer");
	assert_null(back->kernels[0].hidden[1].name);
	assert_int_equal(back->kernels[1].condition_count, 1);
	assert_memory_equal(back->kernels[1].condition, kernels[1].condition,
			    sizeof(kernels[1].condition));
	assert_true(back->kernels[1].uses[0].when[2] == 0xaaaaaaaaaaaaaaaa);
	assert_true(back->kernels[1].atomics[0].when == 0x8000000000000000);
	assert_true(back->kernels[1].atomics[0].certain == 0x4000000000000001);
	assert_string_equal(back->kernels[1].atomics[0].unsure, "it may not");
	assert_true(back->kernels[1].atomics[0].by_word);
	assert_int_equal(back->kernels[1].atomics[0].choice_count, 2);
	assert_true(back->kernels[1].atomics[0].choices[1].when == 2);
	assert_int_equal(back->kernels[1].atomics[0].choices[1].origin.paths.count, 2);
	assert_true(back->kernels[1].path_uses[0].when[0] == 3);
	assert_true(back->kernels[1].stores[0].when == 5);
	assert_true(back->kernels[1].spins[0].when == 6);
	assert_true(back->kernels[1].handovers[0].when == 7);
	/* A text of ours is one of all that are the same. */
	assert_ptr_equal(back->kernels[0].atomics[0].loop_why,
			 back->kernels[1].atomics[0].loop_why);
	isa_code_object_free(back);
	free(same);
	free(bytes);
}

static void test_one(void **state)
{
	struct isa_code_object *back;
	size_t size;
	uint8_t *bytes = pack_object(&object, &size);

	(void)state;
	assert_int_equal(unpack_object(bytes, size, "second", &back), 0);
	assert_int_equal(back->kernel_count, 1);
	assert_string_equal(back->kernels[0].symbol, "second");
	isa_code_object_free(back);
	assert_int_equal(unpack_object(bytes, size, "secon", &back), 0);
	assert_int_equal(back->kernel_count, 0);
	isa_code_object_free(back);
	free(bytes);
}

/* A copy that ends where its memory does. */
static int unpack(const uint8_t *bytes, size_t size, struct isa_code_object **back)
{
	uint8_t *exact = malloc(size ? size : 1);
	int status;

	memcpy(exact, bytes, size);
	status = unpack_object(exact, size, NULL, back);
	free(exact);
	return status;
}

static void test_short(void **state)
{
	struct isa_code_object *back;
	size_t size;
	uint8_t *bytes = pack_object(&object, &size);

	(void)state;
	for (size_t i = 0; i < size; i++)
		assert_int_equal(unpack(bytes, i, &back), -EINVAL);
	free(bytes);
}

/* Each byte with other values: refused, or something that can be read and freed. */
static void test_changed(void **state)
{
	static const uint8_t values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	struct isa_code_object *back;
	size_t size, again;
	uint8_t *bytes = pack_object(&object, &size);
	unsigned refused = 0;

	(void)state;
	for (size_t i = 0; i < size; i++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			uint8_t before = bytes[i];

			bytes[i] = values[k];
			if (unpack(bytes, size, &back)) {
				refused++;
			} else {
				free(pack_object(back, &again));
				for (size_t n = 0; n < back->kernel_count; n++)
					assert_non_null(back->kernels[n].symbol);
				isa_code_object_free(back);
			}
			bytes[i] = before;
		}
	}
	assert_true(refused > size);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_changed),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
