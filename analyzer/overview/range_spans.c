/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the program from their beginnings to their ends, each on a level of its own row. */
#include <stdlib.h>

#include "overview.h"

/* A range that is open. */
struct open_span {
	unsigned span, level;
	uint64_t id;
	uint8_t source;
};

/* The ranges of a row that are open: pushed ones of a thread, or started ones of a process. */
struct open_row {
	struct open_span open[RANGE_LEVELS];
	unsigned count;
	uint64_t beyond; /* pushed ranges without a level */
};

struct maker {
	GArray *spans;
	GHashTable *rows; /* text -> struct open_row */
};

static struct open_row *row_of(struct maker *maker, const struct range_step *step, int32_t tid)
{
	char *key = g_strdup_printf("%p %d", (const void *)step->process, tid);
	struct open_row *row = g_hash_table_lookup(maker->rows, key);

	if (row) {
		g_free(key);
	} else {
		row = g_new0(struct open_row, 1);
		g_hash_table_insert(maker->rows, key, row);
	}
	return row;
}

static unsigned add_span(struct maker *maker, const struct range_step *step, int32_t tid,
			 unsigned level)
{
	struct range_span span = {
		.process = step->process,
		.name = step->name,
		.start_ns = step->ns,
		.end_ns = step->kind == HG_RANGE_MARK ? step->ns : INT64_MAX,
		.tid = tid,
		.level = level,
	};

	g_array_append_val(maker->spans, span);
	return maker->spans->len - 1;
}

/* Returns the level below all pushed ranges that are open. */
static unsigned next_level(const struct open_row *row)
{
	return row->count ? row->open[row->count - 1].level + 1 : 0;
}

/* Returns the first level that no started range has. */
static unsigned free_level(const struct open_row *row)
{
	uint32_t used = 0;

	for (unsigned i = 0; i < row->count; i++)
		used |= UINT32_C(1) << row->open[i].level;
	return used == UINT32_MAX ? RANGE_LEVELS : (unsigned)__builtin_ctz(~used);
}

static bool open_span(struct maker *maker, struct open_row *row, const struct range_step *step,
		      int32_t tid, unsigned level)
{
	if (level >= RANGE_LEVELS)
		return false;
	row->open[row->count++] = (struct open_span){ .span = add_span(maker, step, tid, level),
						      .level = level,
						      .id = step->id,
						      .source = step->source };
	return true;
}

/* Ends the innermost range of that source; of started ones, that with the number. */
static void close_span(struct maker *maker, struct open_row *row, const struct range_step *step)
{
	for (unsigned i = row->count; i-- > 0;) {
		if (row->open[i].source != step->source ||
		    (step->kind == HG_RANGE_STOP && row->open[i].id != step->id))
			continue;
		g_array_index(maker->spans, struct range_span, row->open[i].span).end_ns = step->ns;
		memmove(&row->open[i], &row->open[i + 1],
			(--row->count - i) * sizeof(row->open[0]));
		return;
	}
}

static void add_step(struct maker *maker, const struct range_step *step)
{
	bool of_process = step->kind == HG_RANGE_START || step->kind == HG_RANGE_STOP;
	int32_t tid = of_process ? RANGE_OF_PROCESS : step->tid;
	struct open_row *row = row_of(maker, step, tid);

	switch (step->kind) {
	case HG_RANGE_PUSH:
		row->beyond += row->beyond || !open_span(maker, row, step, tid, next_level(row));
		break;
	case HG_RANGE_POP:
		if (row->beyond)
			row->beyond--;
		else
			close_span(maker, row, step);
		break;
	case HG_RANGE_START:
		open_span(maker, row, step, tid, free_level(row));
		break;
	case HG_RANGE_STOP:
		close_span(maker, row, step);
		break;
	case HG_RANGE_MARK:
		add_span(maker, step, tid, MIN(next_level(row), RANGE_LEVELS - 1));
		break;
	default:
		break;
	}
}

GArray *overview_range_spans(const struct overview *overview)
{
	struct maker maker = {
		.spans = g_array_new(FALSE, FALSE, sizeof(struct range_span)),
		.rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
	};

	for (unsigned i = 0; i < overview->ranges->len; i++)
		add_step(&maker, &g_array_index(overview->ranges, struct range_step, i));
	g_hash_table_unref(maker.rows);
	return maker.spans;
}
