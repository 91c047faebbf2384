/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of the events about offloading (tracer/offload_events.h), for fields.c. */
static const struct field omp_runtime_fields[] = {
	FIELD(omp_runtime, version, STRING),
	FIELD(omp_runtime, omp_version, UNSIGNED),
	FIELD(omp_runtime, callbacks, UNSIGNED),
	{ 0 },
};
static const struct field omp_device_fields[] = {
	FIELD(omp_device, device, SIGNED),
	FIELD(omp_device, type, STRING),
	FIELD(omp_device, documentation, STRING),
	{ 0 },
};
static const struct field omp_target_fields[] = {
	FIELD(omp_target, kind, UNSIGNED),
	FIELD(omp_target, endpoint, UNSIGNED),
	FIELD(omp_target, device, SIGNED),
	FIELD(omp_target, stack_id, UNSIGNED),
	{ 0 },
};
static const struct field omp_data_fields[] = {
	FIELD(omp_data, op_id, UNSIGNED),    FIELD(omp_data, op, UNSIGNED),
	FIELD(omp_data, src, UNSIGNED),      FIELD(omp_data, dst, UNSIGNED),
	FIELD(omp_data, src_device, SIGNED), FIELD(omp_data, dst_device, SIGNED),
	FIELD(omp_data, size, UNSIGNED),     FIELD(omp_data, duration, UNSIGNED),
	FIELD(omp_data, stack_id, UNSIGNED), { 0 },
};
static const struct field omp_content_fields[] = {
	FIELD(omp_content, op_id, UNSIGNED),
	FIELD(omp_content, hash, UNSIGNED),
	{ 0 },
};
static const struct field omp_map_fields[] = {
	FIELD(omp_map, host, UNSIGNED),     FIELD(omp_map, device, UNSIGNED),
	FIELD(omp_map, size, UNSIGNED),     FIELD(omp_map, flags, UNSIGNED),
	FIELD(omp_map, stack_id, UNSIGNED), { 0 },
};
static const struct field omp_submit_fields[] = {
	FIELD(omp_submit, device, SIGNED),
	FIELD(omp_submit, teams, UNSIGNED),
	FIELD(omp_submit, stack_id, UNSIGNED),
	{ 0 },
};
