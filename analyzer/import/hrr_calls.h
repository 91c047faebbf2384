/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records of a capture by the rows of hrr.def. */
#ifndef HIPGRAIN_IMPORT_HRR_CALLS_H
#define HIPGRAIN_IMPORT_HRR_CALLS_H

#include "analyzer/import/hrr_file.h"

enum hrr_kind {
	HRR_UNKNOWN, /* of no interest here */
	HRR_IS_CALL,
	HRR_IS_LAUNCH,
	HRR_IS_OTHER,
};

struct hrr_row {
	const char *name;
	enum hrr_kind kind;
	unsigned api;       /* HG_API_... */
	const char *fields; /* as in hrr.def */
};

/* Returns the row of a record's type; static. */
const struct hrr_row *hrr_row(uint16_t type);

/* Members whose letters a row does not have are 0. */
struct hrr_call {
	int32_t result;
	uint64_t ptr, src, size, rows, width, pitch, src_pitch, stream, event;
	uint32_t flags, value;
	int32_t kind, device, advice, priority;
	int32_t location, location_id;
};

/* Returns 0, or -EINVAL with *error. */
int hrr_call_read(struct hrr_call *call, const struct hrr_row *row, const struct hrr_record *record,
		  char **error);

struct hrr_argument {
	const uint8_t *data;
	uint16_t size;
};

/* The launch points into the record; the caller frees the name with g_free(). */
struct hrr_launch {
	uint64_t stream;
	char *name;
	uint64_t code_object[2]; /* its hash; 0: not known */
	uint32_t grid[3], block[3], shared;
	GArray *arguments; /* struct hrr_argument: the explicit ones */
};

int hrr_launch_read(struct hrr_launch *launch, const struct hrr_row *row,
		    const struct hrr_record *record, char **error);
void hrr_launch_clear(struct hrr_launch *launch);

#endif
