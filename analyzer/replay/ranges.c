/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of named ranges: each is a node of a tree that has the path around it above. */
#include "ranges.h"

#include "replay.h"

#include <string.h>

#include "tracer/events/ev_range.h"

/* The tree has so many nodes; then names without their numbers come, and then none. */
#define NODES_MOST   65536u
#define GROUPS_MOST  (2 * NODES_MOST)

#define STARTED_MOST 1024u  /* that have not been stopped */
#define THREADS_MOST 65536u /* whose ranges are kept */
#define RECENT       65536u /* events whose place is kept */

/* A range that is open. */
struct open_range {
	char *name;
	uint64_t id, instance;
	uint8_t source;
};

struct thread_ranges {
	GArray *open;     /* struct open_range, the innermost last */
	uint64_t beyond;  /* pushes that were too deep to be kept, and are open */
	uint64_t started; /* ranges.started_version, with which `place` was made */
	bool known;       /* `place` is */
	struct range_place place;
};

struct recent {
	int64_t ns;
	struct range_place place;
};

struct ranges {
	GStringChunk *names;
	GHashTable *nodes; /* set of struct range_path, which are its keys */
	GHashTable *threads;
	GArray *started; /* struct open_range */
	uint64_t started_version, instances, unbalanced;
	bool too_many;
	struct recent *recent;
};

/* ---- paths ---- */

static guint node_hash(gconstpointer key)
{
	const struct range_path *path = key;

	return g_direct_hash(path->up) * 31u + g_str_hash(path->name);
}

static gboolean node_equal(gconstpointer a, gconstpointer b)
{
	const struct range_path *one = a, *other = b;

	return one->up == other->up && strcmp(one->name, other->name) == 0;
}

static void open_clear(gpointer data)
{
	struct open_range *range = data;

	g_free(range->name);
}

static GArray *open_new(void)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct open_range));

	g_array_set_clear_func(list, open_clear);
	return list;
}

static struct ranges *ranges_new(void)
{
	struct ranges *ranges = g_new0(struct ranges, 1);

	ranges->names = g_string_chunk_new(4096);
	ranges->nodes = g_hash_table_new_full(node_hash, node_equal, g_free, NULL);
	ranges->threads = g_hash_table_new_full(NULL, NULL, NULL, NULL);
	ranges->started = open_new();
	ranges->recent = g_new0(struct recent, RECENT);
	return ranges;
}

static void thread_free(gpointer unused, gpointer data, gpointer unused_too)
{
	struct thread_ranges *thread = data;

	(void)unused;
	(void)unused_too;
	g_array_free(thread->open, TRUE);
	g_free(thread);
}

void ranges_free(struct ranges *ranges)
{
	if (!ranges)
		return;
	g_hash_table_foreach(ranges->threads, thread_free, NULL);
	g_hash_table_destroy(ranges->threads);
	g_hash_table_destroy(ranges->nodes);
	g_array_free(ranges->started, TRUE);
	g_string_chunk_free(ranges->names);
	g_free(ranges->recent);
	g_free(ranges);
}

/* Returns the name with "*" in place of each number; to be freed. */
static char *pattern_of(const char *name)
{
	GString *text = g_string_new(NULL);

	for (; *name; name++)
		if (!g_ascii_isdigit(*name))
			g_string_append_c(text, *name);
		else if (!text->len || text->str[text->len - 1] != '*')
			g_string_append_c(text, '*');
	return g_string_free(text, FALSE);
}

/* Returns the path that has `name` inside of `up`; NULL if there would be more than `most`. */
static struct range_path *node(struct ranges *ranges, const struct range_path *up, const char *name,
			       unsigned most)
{
	struct range_path key = { .up = up, .name = name }, *found;

	found = g_hash_table_lookup(ranges->nodes, &key);
	if (found)
		return found;
	if (g_hash_table_size(ranges->nodes) >= most) {
		ranges->too_many = true;
		return NULL;
	}
	found = g_new0(struct range_path, 1);
	found->up = up;
	found->name = g_string_chunk_insert(ranges->names, name);
	found->depth = up ? up->depth + 1 : 1;
	g_hash_table_add(ranges->nodes, found);
	return found;
}

static const struct range_path *group_of(struct ranges *ranges, const struct range_path *up,
					 const char *name)
{
	const struct range_path *above = up ? up->group : NULL;
	char *pattern = pattern_of(name);
	struct range_path *found = node(ranges, above, pattern, GROUPS_MOST);

	g_free(pattern);
	if (found)
		found->group = found;
	return found ? found : above;
}

static const struct range_path *inside(struct ranges *ranges, const struct range_path *up,
				       const char *name)
{
	const struct range_path *group;
	struct range_path *found;

	if (up && up->depth >= RANGE_DEPTH_MOST)
		return up;
	found = node(ranges, up, name, NODES_MOST);
	if (found && found->group)
		return found;
	group = group_of(ranges, up, name);
	if (!found)
		return group;
	found->group = group;
	return found;
}

char *range_path_text(const struct range_path *path)
{
	GString *text = g_string_new(NULL);

	for (; path; path = path->up) {
		g_string_prepend(text, path->name);
		if (path->up)
			g_string_prepend(text, " / ");
	}
	return g_string_free(text, FALSE);
}

/* ---- what is open ---- */

static struct thread_ranges *thread_of(struct ranges *ranges, int32_t tid)
{
	struct thread_ranges *thread = g_hash_table_lookup(ranges->threads, GINT_TO_POINTER(tid));

	if (!thread && g_hash_table_size(ranges->threads) < THREADS_MOST) {
		thread = g_new0(struct thread_ranges, 1);
		thread->open = open_new();
		g_hash_table_insert(ranges->threads, GINT_TO_POINTER(tid), thread);
	}
	return thread;
}

static void add_open(struct ranges *ranges, GArray *list, const struct hg_ev_range *event)
{
	struct open_range added = { .id = event->id,
				    .source = event->source,
				    .instance = ++ranges->instances };

	added.name = g_strdup(event->name[0]                      ? event->name
			      : event->cut == HG_RANGE_UNREADABLE ? "(unreadable)"
								  : "(no name)");
	g_array_append_val(list, added);
}

static void push(struct ranges *ranges, struct thread_ranges *thread,
		 const struct hg_ev_range *event)
{
	if (thread->open->len >= RANGE_DEPTH_MOST) {
		thread->beyond++;
		return;
	}
	add_open(ranges, thread->open, event);
	thread->known = false;
}

static void pop(struct ranges *ranges, struct thread_ranges *thread, uint8_t source)
{
	if (thread->beyond) {
		thread->beyond--;
		return;
	}
	for (unsigned i = thread->open->len; i-- > 0;) {
		if (g_array_index(thread->open, struct open_range, i).source == source) {
			g_array_remove_index(thread->open, i);
			thread->known = false;
			return;
		}
	}
	ranges->unbalanced++;
}

static void start(struct ranges *ranges, const struct hg_ev_range *event)
{
	if (ranges->started->len >= STARTED_MOST)
		return;
	add_open(ranges, ranges->started, event);
	ranges->started_version++;
}

static void stop(struct ranges *ranges, const struct hg_ev_range *event)
{
	for (unsigned i = ranges->started->len; i-- > 0;) {
		const struct open_range *range =
		    &g_array_index(ranges->started, struct open_range, i);

		if (range->id == event->id && range->source == event->source) {
			g_array_remove_index(ranges->started, i);
			ranges->started_version++;
			return;
		}
	}
}

void ranges_apply(struct process *process, const struct hg_event *event)
{
	struct thread_ranges *thread;

	if (!process->ranges)
		process->ranges = ranges_new();
	thread = thread_of(process->ranges, event->tid);
	if (event->range->kind == HG_RANGE_START)
		start(process->ranges, event->range);
	else if (event->range->kind == HG_RANGE_STOP)
		stop(process->ranges, event->range);
	else if (thread && event->range->kind == HG_RANGE_PUSH)
		push(process->ranges, thread, event->range);
	else if (thread && event->range->kind == HG_RANGE_POP)
		pop(process->ranges, thread, event->range->source);
}

/* ---- where something happened ---- */

static struct range_place enter(struct ranges *ranges, struct range_place place, const GArray *open)
{
	for (unsigned i = 0; i < open->len; i++) {
		const struct open_range *range = &g_array_index(open, struct open_range, i);

		place.path = inside(ranges, place.path, range->name);
		place.instance = range->instance;
	}
	return place;
}

struct range_place ranges_of_thread(const struct process *process, int32_t tid)
{
	struct range_place place = { 0 };
	struct ranges *ranges = process->ranges;
	struct thread_ranges *thread;

	if (!ranges)
		return place;
	thread = g_hash_table_lookup(ranges->threads, GINT_TO_POINTER(tid));
	if (!thread)
		return enter(ranges, place, ranges->started);
	if (!thread->known || thread->started != ranges->started_version) {
		place = enter(ranges, place, ranges->started);
		thread->place = enter(ranges, place, thread->open);
		thread->started = ranges->started_version;
		thread->known = true;
	}
	return thread->place;
}

static struct recent *recent_of(const struct ranges *ranges, int64_t ns)
{
	return &ranges->recent[(uint64_t)ns * UINT64_C(0x9e3779b97f4a7c15) >> 48 & (RECENT - 1)];
}

void ranges_note(const struct process *process, const struct hg_event *event)
{
	if (process->ranges) {
		*recent_of(process->ranges, event->ns) =
		    (struct recent){ .ns = event->ns,
				     .place = ranges_of_thread(process, event->tid) };
	}
}

struct range_place ranges_at(const struct process *process, int64_t ns)
{
	const struct recent *recent;

	if (!process->ranges)
		return (struct range_place){ 0 };
	recent = recent_of(process->ranges, ns);
	return recent->ns == ns ? recent->place : (struct range_place){ 0 };
}

uint64_t ranges_unbalanced(const struct process *process)
{
	return process->ranges ? process->ranges->unbalanced : 0;
}

bool ranges_too_many(const struct process *process)
{
	return process->ranges && process->ranges->too_many;
}
