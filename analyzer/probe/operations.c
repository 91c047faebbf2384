/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what the atomics of kernels/probe/operations.def must leave behind. */
#include "operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

static struct probe_operation_row rows[PROBE_OPERATIONS];

/* Converts as the kernel does: from the expression's own type to the operand's. */
#define BYTES(type, expression, to)                   \
	do {                                          \
		type value = (type)(expression);      \
                                                      \
		(to) = 0;                             \
		memcpy(&(to), &value, sizeof(value)); \
	} while (0)

static void fill_rows(void)
{
	const u64 n = PROBE_ITEMS;

	(void)n;
#define OPERATION(name_, kind_, type, instruction, start_, operand, result_, form_) \
	{                                                                           \
		struct probe_operation_row *row = &rows[PROBE_OP_##name_];          \
                                                                                    \
		*row = (struct probe_operation_row){ .name = #name_,                \
						     .kind = ATOMIC_##kind_,        \
						     .size = sizeof(type),          \
						     .form = PROBE_FORM_##form_ };  \
		BYTES(type, start_, row->start);                                    \
		BYTES(type, result_, row->result);                                  \
		for (u64 i = 0; i < PROBE_ITEMS; i++)                               \
			BYTES(type, operand, row->operands[i]);                     \
	}
#include "kernels/probe/operations.def"
}

const struct probe_operation_row *probe_operation_row(unsigned operation)
{
	if (!rows[0].name)
		fill_rows();
	return &rows[operation];
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Each value that was given came back once, or is the last one. */
static bool is_permutation(const struct probe_operation_row *row, uint64_t after,
			   const uint64_t *returned)
{
	uint64_t given[PROBE_ITEMS + 1], got[PROBE_ITEMS + 1];

	memcpy(given, row->operands, sizeof(row->operands));
	given[PROBE_ITEMS] = row->start;
	memcpy(got, returned, PROBE_ITEMS * sizeof(*returned));
	got[PROBE_ITEMS] = after;
	qsort(given, PROBE_ITEMS + 1, sizeof(*given), compare);
	qsort(got, PROBE_ITEMS + 1, sizeof(*got), compare);
	return memcmp(given, got, sizeof(given)) == 0;
}

enum probe_state probe_operation_judge(const struct probe_operation_row *row, uint64_t after,
				       const uint64_t *returned)
{
	bool right = row->form == PROBE_FORM_PLAIN ? after == row->result
						   : is_permutation(row, after, returned);

	if (right)
		return PROBE_WORKS;
	return after == row->start ? PROBE_LOST : PROBE_WRONG;
}

struct probe_step_text probe_step_text(int step)
{
	static const struct {
		const char *id, *name;
	} others[] = {
		[PROBE_STEP_ALLOCATE] = { "allocate", "allocation" },
		[PROBE_STEP_GRANULARITY] = { "granularity", "granularity" },
		[PROBE_STEP_HOST] = { "host_access", "access by the host" },
		[PROBE_STEP_LOAD] = { "gpu_load", "loads by the GPU" },
		[PROBE_STEP_STORE] = { "gpu_store", "stores by the GPU" },
		[PROBE_STEP_STREAM_WAIT] = { "visible_stream", "hipStreamSynchronize" },
		[PROBE_STEP_EVENT_WAIT] = { "visible_event", "hipEventSynchronize" },
		[PROBE_STEP_DEVICE_WAIT] = { "visible_device", "hipDeviceSynchronize" },
		[PROBE_STEP_FILL] = { "fill", "hipMemset" },
		[PROBE_STEP_PREFETCH] = { "prefetch", "hipMemPrefetchAsync" },
		[PROBE_STEP_ADVICE] = { "advice", "hipMemAdvise" },
		[PROBE_STEP_MIGRATION] = { "migration", "migration by loads of the GPU" },
		[PROBE_STEP_TOGETHER] = { "host_and_gpu_add",
					  "additions by host and GPU at the same time" },
	};
	struct probe_step_text text = { .kind = ATOMIC_KINDS };

	if (step >= PROBE_STEP_ATOMIC && step < PROBE_STEP_STREAM_WAIT) {
		const struct probe_operation_row *row =
		    probe_operation_row((unsigned)(step - PROBE_STEP_ATOMIC) / 2);

		text.kind = row->kind;
		text.system = (step - PROBE_STEP_ATOMIC) % 2;
		snprintf(text.id, sizeof(text.id), "%s%s", row->name, text.system ? "_system" : "");
		snprintf(text.name, sizeof(text.name), "atomic %s%s", row->name,
			 text.system ? " of system scope" : "");
	} else {
		snprintf(text.id, sizeof(text.id), "%s", others[step].id);
		snprintf(text.name, sizeof(text.name), "%s", others[step].name);
	}
	return text;
}
