/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This declares the OpenMP runtime's interface for tools, as far as it is used here, and what the
 * files about it share. Numbers and signatures are those of OpenMP 5.1, chapter 4 and section 19
 * ("OMPT Interface"); they are written out, because no compiler's header is needed to build.
 */
#ifndef HIPGRAIN_PRELOAD_OMPT_OMPT_H
#define HIPGRAIN_PRELOAD_OMPT_OMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

union ompt_data {
	uint64_t value;
	void *ptr;
};

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);

/* ompt_start_tool_result_t */
struct ompt_tool {
	int (*initialize)(ompt_lookup lookup, int host, union ompt_data *data);
	void (*finalize)(union ompt_data *data);
	union ompt_data data;
};

/* ompt_callbacks_t */
enum {
	OMPT_TARGET = 8,
	OMPT_TARGET_DATA_OP = 9,
	OMPT_TARGET_SUBMIT = 10,
	OMPT_DEVICE_INITIALIZE = 12,
	OMPT_TARGET_MAP = 22,
	OMPT_TARGET_EMI = 33,
	OMPT_TARGET_DATA_OP_EMI = 34,
	OMPT_TARGET_SUBMIT_EMI = 35,
	OMPT_TARGET_MAP_EMI = 36,
};

/* ompt_set_result_t: from here on a callback is delivered, at least sometimes. */
#define OMPT_SET_SOMETIMES 3

typedef void ompt_target_fn(int kind, int endpoint, int device, union ompt_data *task,
			    uint64_t target_id, const void *code);
typedef void ompt_target_emi_fn(int kind, int endpoint, int device, union ompt_data *task,
				union ompt_data *target_task, union ompt_data *target,
				const void *code);
typedef void ompt_data_op_fn(uint64_t target_id, uint64_t op_id, int op, void *src, int src_device,
			     void *dst, int dst_device, size_t size, const void *code);
typedef void ompt_data_op_emi_fn(int endpoint, union ompt_data *target_task,
				 union ompt_data *target, uint64_t *op_id, int op, void *src,
				 int src_device, void *dst, int dst_device, size_t size,
				 const void *code);
typedef void ompt_submit_fn(uint64_t target_id, uint64_t op_id, unsigned teams);
typedef void ompt_submit_emi_fn(int endpoint, union ompt_data *target, uint64_t *op_id,
				unsigned teams);
typedef void ompt_map_fn(uint64_t target_id, unsigned count, void **host, void **device,
			 size_t *sizes, unsigned *flags, const void *code);
typedef void ompt_map_emi_fn(union ompt_data *target, unsigned count, void **host, void **device,
			     size_t *sizes, unsigned *flags, const void *code);
typedef void ompt_device_initialize_fn(int device, const char *type, void *handle,
				       ompt_lookup lookup, const char *documentation);

/* ---- ompt.c ---- */
/* ---- ompt_record.c: from a callback to its event; errno is kept ---- */

void hg_ompt_runtime(const char *version, unsigned omp_version, uint64_t callbacks);
/* This is NULL if the runtime has no such function. */
typedef int ompt_task_info_fn(int level, int *flags, union ompt_data **task, void **frame,
			      union ompt_data **parallel, int *thread);
void hg_ompt_set_task_info(ompt_task_info_fn *task_info);
void hg_ompt_device(int device, const char *type, const char *documentation);
void hg_ompt_target(int kind, int endpoint, int device, const void *code);
/* If the runtime reports a construct once, `endpoint` is HG_OMP_BEGIN_END. */
void hg_ompt_data(int endpoint, int op, void *src, int src_device, void *dst, int dst_device,
		  size_t size, const void *code);
void hg_ompt_map(unsigned count, void **host, void **device, size_t *sizes, unsigned *flags,
		 const void *code);
void hg_ompt_submit(int endpoint, unsigned teams);

/* Returns where in the application the target construct begins that this thread is in, or NULL. */
const void *hg_ompt_code(void);
/* Returns true if the thread is inside a data operation of the OpenMP runtime's. */
bool hg_ompt_in_data_op(void);
/* Returns true in a target construct that is published (trace/enter_calls.h). */
bool hg_ompt_in_region(void);
/* Publishes that the construct that the thread is in, if it is in one, has begun a kernel. */
void hg_ompt_dispatched(uint32_t kernel_id);

/* Returns a hash, never 0. The same bytes have the same hash, and others very likely another. */
uint64_t hg_ompt_hash(const void *data, size_t size);

/*
 * Reading what transfers carry costs time: whatever it takes for the first 64 MiB, and after that
 * no more than a 32nd of the process' time. It is read in bursts, because contents are compared
 * with those before: reading begins again when the share has sunk to a half.
 */
struct hg_ompt_reading {
	uint64_t bytes, ns; /* read, and spent; all atomic */
	bool resting;
};
/* Returns true if `size` bytes more may be read when the process is `age` ns old. */
bool hg_ompt_may_read(struct hg_ompt_reading *reading, size_t size, uint64_t age);
void hg_ompt_has_read(struct hg_ompt_reading *reading, size_t size, uint64_t ns);

#endif
