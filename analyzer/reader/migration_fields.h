/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of the events of tracer/migration_events.h, for fields.c. */
static const struct field fix_plan_fields[] = {
	FIELD(fix_plan, fixes, UNSIGNED),
	FIELD(fix_plan, code_objects, UNSIGNED),
	FIELD(fix_plan, kernels, UNSIGNED),
	FIELD(fix_plan, problem, STRING),
	{ 0 },
};
static const struct field fix_fields[] = {
	FIELD(fix, fix, UNSIGNED),      FIELD(fix, outcome, UNSIGNED),
	FIELD(fix, ptr, UNSIGNED),      FIELD(fix, size, UNSIGNED),
	FIELD(fix, given, UNSIGNED),    FIELD(fix, device, SIGNED),
	FIELD(fix, result, SIGNED),     FIELD(fix, kernel_id, UNSIGNED),
	FIELD(fix, stream, UNSIGNED),   FIELD(fix, duration, UNSIGNED),
	FIELD(fix, stack_id, UNSIGNED), { 0 },
};
static const struct field residency_fields[] = {
	FIELD(residency, round, UNSIGNED),
	FIELD(residency, ptr, UNSIGNED),
	FIELD(residency, size, UNSIGNED),
	FIELD(residency, looked, UNSIGNED),
	FIELD(residency, on_host, UNSIGNED),
	FIELD(residency, away, UNSIGNED),
	FIELD(residency, swapped, UNSIGNED),
	FIELD(residency, left_out, UNSIGNED),
	FIELD(residency, node, SIGNED),
	FIELD(residency, last_prefetch, SIGNED),
	{ 0 },
};
