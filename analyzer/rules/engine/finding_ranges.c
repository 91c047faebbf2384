/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of findings: those that differ only by numbers are counted as one. */
#include "finding_ranges.h"

#include <fnmatch.h>

static const char *selected; /* NULL: all are */

void finding_ranges_select(const char *pattern)
{
	selected = pattern;
}

bool finding_in_selected_range(const struct finding *finding)
{
	bool found = !selected;

	for (unsigned i = 0; !found && finding->ranges && i < finding->ranges->len; i++)
		found = g_array_index(finding->ranges, struct finding_range, i).selected;
	return found;
}

bool range_path_selected(const struct range_path *path)
{
	bool found = !selected;

	for (; path && !found; path = path->up) {
		char *text = range_path_text(path);

		found = fnmatch(selected, text, 0) == 0 || fnmatch(selected, path->name, 0) == 0;
		g_free(text);
	}
	return found;
}

static const struct range_path *at_depth(const struct range_path *path, unsigned depth)
{
	while (path->depth > depth)
		path = path->up;
	return path;
}

static void vary(struct finding_range *range, const struct range_path *path)
{
	const struct range_path *first = range->first;

	for (; path && first && path != first; path = path->up, first = first->up)
		if (path->name != first->name)
			range->varies |= g_strcmp0(path->name, first->name)
					     ? UINT32_C(1) << (path->depth - 1)
					     : 0;
}

/* Returns the row of paths like that one, or NULL if there are too many. */
static struct finding_range *row_of(struct finding *finding, const struct range_path *path)
{
	struct finding_range fresh = { .first = path, .latest = path };

	if (!finding->ranges)
		finding->ranges = g_array_new(FALSE, FALSE, sizeof(fresh));
	for (unsigned i = 0; i < finding->ranges->len; i++) {
		struct finding_range *row =
		    &g_array_index(finding->ranges, struct finding_range, i);

		if (row->first->group == path->group)
			return row;
	}
	if (finding->ranges->len >= FINDING_RANGES_MOST)
		return NULL;
	g_array_append_val(finding->ranges, fresh);
	return &g_array_index(finding->ranges, struct finding_range, finding->ranges->len - 1);
}

void finding_in_range(struct finding *finding, int64_t ns)
{
	struct range_place place = ranges_at(finding->process, ns);
	struct finding_range *row;

	if (!place.path)
		return;
	row = row_of(finding, place.path);
	if (!row) {
		finding->ranges_left_out++;
		/* One of the others stands for it. */
		g_array_index(finding->ranges, struct finding_range, 0).selected |=
		    selected && range_path_selected(place.path);
		return;
	}
	vary(row, place.path);
	if (selected && !row->selected)
		row->selected = range_path_selected(place.path);
	row->ranges += place.instance != row->instance;
	row->latest = place.path;
	row->instance = place.instance;
	row->hits++;
}

void finding_ranges_join(struct finding *to, const struct finding *from)
{
	to->ranges_left_out += from->ranges_left_out;
	for (unsigned i = 0; from->ranges && i < from->ranges->len; i++) {
		const struct finding_range *range =
		    &g_array_index(from->ranges, struct finding_range, i);
		struct finding_range *row = row_of(to, range->first);

		if (!row) {
			to->ranges_left_out += range->hits;
			g_array_index(to->ranges, struct finding_range, 0).selected |=
			    range->selected;
			continue;
		}
		vary(row, range->first);
		row->varies |= range->varies;
		row->selected |= range->selected;
		row->ranges = MAX(row->ranges, range->ranges);
		row->hits += range->hits;
	}
}

char *finding_range_name(const struct finding_range *range, unsigned depth)
{
	bool varies = range->varies >> (depth - 1) & 1;

	return g_strdup(at_depth(varies ? range->first->group : range->first, depth)->name);
}

char *finding_range_text(const struct finding_range *range)
{
	GString *text = g_string_new(NULL);

	for (unsigned depth = 1; depth <= range->first->depth; depth++) {
		char *name = finding_range_name(range, depth);

		g_string_append_printf(text, "%s%s", depth > 1 ? " / " : "", name);
		g_free(name);
	}
	return g_string_free(text, FALSE);
}
