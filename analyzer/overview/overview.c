/* SPDX-License-Identifier: Apache-2.0 */
/* Live memory over time by kind and by place, for pages and timelines. */
#include "overview.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/rules/engine/finding_ranges.h"
#include "analyzer/rules/engine/rule_api.h"
#include "overview_internal.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_host_totals.h"
#include "tracer/events/ev_launch.h"

/* A live allocation that is counted. */
struct living {
	struct memory_site *site;
	unsigned bar; /* index, NO_BAR without one */
	bool used;
};
#define NO_BAR UINT_MAX

/* The key of a site; compared and hashed as bytes, so padding is zeroed. */
struct site_key {
	struct process *process;
	const struct range_path *range;
	uint64_t flags;
	uint32_t api, stack_id;
	int32_t device;
	uint32_t totals;
};

static guint hash_site(gconstpointer data)
{
	const struct site_key *key = data;

	return g_direct_hash(key->process) ^ g_direct_hash(key->range) ^ (guint)key->flags * 31u ^
	       key->api * 65599u ^ key->stack_id * 2654435761u ^ (guint)key->device;
}

static gboolean equal_site(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct site_key)) == 0;
}

/* A report of many recordings may be larger than one of a single one, by this factor ... */
#define SHARED 4u
/* ... and each of them shows this much. */
#define LEAST_SHARE 64u

static unsigned shared_by = 1;

void overview_share(unsigned parts)
{
	shared_by = MAX(parts, 1u);
}

static unsigned share_of(unsigned most)
{
	unsigned parts = MIN(shared_by, 1000000u);

	return parts <= SHARED ? most : MAX(most * SHARED / parts, LEAST_SHARE);
}

static bool selected_ranges;

void overview_select_ranges(void)
{
	selected_ranges = true;
}

static bool parted_by_range;

void overview_part_by_range(void)
{
	parted_by_range = true;
}

struct overview *overview_new(void)
{
	struct overview *overview = g_new0(struct overview, 1);

	overview->most_bars = share_of(OVERVIEW_BARS);
	overview->most_spans = share_of(OVERVIEW_SPANS);
	overview->most_ranges = share_of(OVERVIEW_RANGES);
	overview->sites = g_ptr_array_new_with_free_func(g_free);
	overview->peaks = g_ptr_array_new_with_free_func(g_free);
	overview->bars = g_array_new(FALSE, FALSE, sizeof(struct memory_bar));
	overview->lanes = g_ptr_array_new_with_free_func(free_lane);
	overview->waiting = g_ptr_array_new();
	overview->kernels = g_ptr_array_new_with_free_func(g_free);
	overview->site_index = g_hash_table_new_full(hash_site, equal_site, g_free, NULL);
	overview->live = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	overview->lane_index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	overview->kernel_index = g_hash_table_new(NULL, NULL);
	overview->ranges = g_array_new(FALSE, FALSE, sizeof(struct range_step));
	overview->range_open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	overview->range_names = g_string_chunk_new(4096);
	overview->peak_index = g_hash_table_new(NULL, NULL);
	overview->scanned = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	overview->first_ns = INT64_MAX;
	overview->last_ns = INT64_MIN;
	return overview;
}

void overview_free(struct overview *overview)
{
	if (!overview)
		return;
	g_ptr_array_unref(overview->sites);
	g_ptr_array_unref(overview->peaks);
	g_array_unref(overview->bars);
	g_ptr_array_unref(overview->waiting);
	g_ptr_array_unref(overview->lanes);
	g_ptr_array_unref(overview->kernels);
	g_hash_table_unref(overview->site_index);
	g_hash_table_unref(overview->live);
	g_hash_table_unref(overview->lane_index);
	g_hash_table_unref(overview->kernel_index);
	g_array_free(overview->ranges, TRUE);
	g_hash_table_unref(overview->range_open);
	g_string_chunk_free(overview->range_names);
	g_hash_table_unref(overview->peak_index);
	g_hash_table_unref(overview->scanned);
	g_free(overview);
}

static struct memory_site *site_of(struct overview *overview, struct process *process,
				   const struct allocation *allocation, bool totals)
{
	struct site_key key;
	struct memory_site *site;

	memset(&key, 0, sizeof(key));
	key.process = process;
	key.range = parted_by_range ? allocation->range : NULL;
	key.flags = allocation->flags;
	key.api = allocation->api;
	key.stack_id = allocation->stack_id;
	key.device = allocation->device;
	key.totals = totals;
	site = g_hash_table_lookup(overview->site_index, &key);
	if (!site) {
		struct model_environment environment = process_environment(process);
		struct model_memory memory =
		    model_memory(allocation->api, allocation->flags, &environment);

		site = g_new0(struct memory_site, 1);
		site->process = process;
		site->range = key.range;
		site->api = allocation->api;
		site->stack_id = allocation->stack_id;
		site->layer = allocation->layer;
		site->device = allocation->device;
		site->flags = allocation->flags;
		site->totals = totals;
		site->location = memory.location;
		g_ptr_array_add(overview->sites, site);
		g_hash_table_insert(overview->site_index, g_memdup2(&key, sizeof(key)), site);
	}
	return site;
}

/* ---- high-water marks ---- */

static struct memory_peaks *peaks_of(struct overview *overview, struct process *process)
{
	struct memory_peaks *peaks = g_hash_table_lookup(overview->peak_index, process);

	if (!peaks) {
		peaks = g_new0(struct memory_peaks, 1);
		peaks->process = process;
		g_ptr_array_add(overview->peaks, peaks);
		g_hash_table_insert(overview->peak_index, process, peaks);
	}
	return peaks;
}

const struct memory_peaks *overview_peaks(const struct overview *overview,
					  const struct process *process)
{
	return g_hash_table_lookup(overview->peak_index, process);
}

/* Returns true for host memory that HIP allocated or registered: it is pinned, and stays where it
 * is. */
static bool is_pinned(const struct memory_site *site)
{
	return site->layer == LAYER_REGISTERED ||
	       (site->layer == LAYER_HIP && site->location == LOCATION_HOST);
}

static bool is_on_device(const struct memory_site *site)
{
	return site->layer == LAYER_HIP && site->location == LOCATION_DEVICE;
}

static void raise_mark(uint64_t *live, uint64_t *peak, uint64_t size)
{
	*live += size;
	*peak = MAX(*peak, *live);
}

/*
 * Notes the bytes of a site when the process was at its mark: those that it had before its first
 * change since then. So a new mark costs nothing, whatever the number of sites.
 */
static void note_peak(struct memory_site *site, const struct memory_peaks *peaks)
{
	if (site->peak_known != peaks->peak_number) {
		site->at_peak = site->live_bytes;
		site->peak_known = peaks->peak_number;
	}
}

/* At `ns` the site has `before` no more, but site->live_bytes. */
static void change_live(const struct memory_site *site, struct memory_peaks *peaks, uint64_t before,
			int64_t ns)
{
	if (site->layer == LAYER_REGISTERED)
		return;
	peaks->live = peaks->live - before + site->live_bytes;
	if (peaks->live > peaks->peak) {
		peaks->peak = peaks->live;
		peaks->peak_number++;
		peaks->peak_ns = ns;
	}
}

/* ---- bars ---- */

static int by_size(gconstpointer a, gconstpointer b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * Too many: leave out the smaller half; and where that is none because most are of one size, every
 * second one of that size.
 */
static void thin_bars(struct overview *overview)
{
	struct memory_bar *bars = (struct memory_bar *)(void *)overview->bars->data;
	unsigned count = overview->bars->len, left = 0, alike = 0;
	uint64_t *sizes = g_new(uint64_t, count);
	uint64_t median;

	for (unsigned i = 0; i < count; i++)
		sizes[i] = bars[i].size;
	qsort(sizes, count, sizeof(*sizes), by_size);
	median = sizes[count / 2];
	g_free(sizes);
	for (unsigned i = 0; i < count; i++) {
		bars[i].left_out = bars[i].size < median;
		left += bars[i].left_out;
	}
	overview->bar_minimum = MAX(overview->bar_minimum, median);
	if (left < count / 4) {
		for (unsigned i = 0; i < count; i++) {
			if (bars[i].size == median && alike++ % 2) {
				bars[i].left_out = true;
				left++;
			}
		}
	}
	overview->bars_left_out += left;
}

/* Drop the bars that are left out; the living ones learn their new places. */
static void compact_bars(struct overview *overview)
{
	struct memory_bar *bars = (struct memory_bar *)(void *)overview->bars->data;
	unsigned kept = 0;

	for (unsigned i = 0; i < overview->bars->len; i++) {
		if (bars[i].living)
			bars[i].living->bar = bars[i].left_out ? NO_BAR : kept;
		if (!bars[i].left_out)
			bars[kept++] = bars[i];
	}
	g_array_set_size(overview->bars, kept);
}

static unsigned add_bar(struct overview *overview, const struct memory_site *site,
			const struct allocation *allocation, struct living *living)
{
	struct memory_bar bar = { .site = site,
				  .living = living,
				  .address = allocation->ptr,
				  .size = allocation->size,
				  .start_ns = allocation->ns,
				  .end_ns = INT64_MAX };

	if (overview->bars->len >= overview->most_bars) {
		thin_bars(overview);
		compact_bars(overview);
	}
	if (allocation->size < overview->bar_minimum) {
		overview->bars_left_out++;
		return NO_BAR;
	}
	g_array_append_val(overview->bars, bar);
	return overview->bars->len - 1;
}

/* ---- what lives and ends ---- */

/* Forgets the bar of memory that went with its process, without an end of its own: it may have lain
 * at the same place. */
static void forget_bar(struct overview *overview, const struct allocation *allocation)
{
	const struct living *old = g_hash_table_lookup(overview->live, allocation);

	if (old && old->bar != NO_BAR)
		g_array_index(overview->bars, struct memory_bar, old->bar).living = NULL;
}

static void on_live(void *data, void *owner, struct allocation *allocation, bool again)
{
	struct overview *overview = data;
	struct memory_site *site;
	struct memory_peaks *peaks;
	struct living *living;
	uint64_t before;

	if (selected_ranges && !range_path_selected(allocation->range))
		return;
	site = site_of(overview, owner, allocation, false);
	peaks = peaks_of(overview, owner);
	living = g_new0(struct living, 1);
	before = site->live_bytes;

	note_peak(site, peaks);
	if (!again) {
		site->count++;
		site->bytes += allocation->size;
		overview->size_histogram[class_of(allocation->size)]++;
	}
	site->live_count++;
	raise_mark(&site->live_bytes, &site->peak_bytes, allocation->size);
	change_live(site, peaks, before, MAX(allocation->ns, overview->last_ns));
	site->largest = MAX(site->largest, allocation->size);
	if (is_on_device(site))
		raise_mark(&peaks->device_live, &peaks->device_peak, allocation->size);
	else if (is_pinned(site))
		raise_mark(&peaks->pinned_live, &peaks->pinned_peak, allocation->size);
	living->site = site;
	forget_bar(overview, allocation);
	living->bar = add_bar(overview, site, allocation, living);
	g_hash_table_insert(overview->live, allocation, living);
}

static void on_ended(void *data, void *owner, struct allocation *allocation)
{
	struct overview *overview = data;
	struct living *living = g_hash_table_lookup(overview->live, allocation);
	struct memory_peaks *peaks = peaks_of(overview, owner);
	/* An allocation that a new one has overwritten has no time of its own. */
	int64_t end = allocation->free_ns ? allocation->free_ns : overview->last_ns;

	if (!living)
		return; /* inherited from a parent process */
	note_peak(living->site, peaks);
	living->site->live_count--;
	living->site->live_bytes -= allocation->size;
	change_live(living->site, peaks, living->site->live_bytes + allocation->size, end);
	living->site->lifetime_ns += MAX(end - allocation->ns, 0);
	overview->lifetime_histogram[class_of((uint64_t)MAX(end - allocation->ns, 0))]++;
	if (is_on_device(living->site))
		peaks->device_live -= allocation->size;
	else if (is_pinned(living->site))
		peaks->pinned_live -= allocation->size;
	if (living->bar != NO_BAR) {
		struct memory_bar *bar =
		    &g_array_index(overview->bars, struct memory_bar, living->bar);

		bar->end_ns = end;
		bar->living = NULL;
	}
	g_hash_table_remove(overview->live, allocation);
}

const struct memory_site *overview_memory(const struct overview *overview,
					  const struct process *process, uint64_t address)
{
	uint64_t offset;
	struct allocation *allocation =
	    address ? address_space_find(&process->space, address, &offset) : NULL;
	const struct living *living =
	    allocation ? g_hash_table_lookup(overview->live, allocation) : NULL;

	return living ? living->site : NULL;
}

void overview_observe(struct overview *overview, struct replay *replay)
{
	overview->observer.live = on_live;
	overview->observer.ended = on_ended;
	overview->observer.data = overview;
	replay->observer = &overview->observer;
}

/* Sets what the program has counted since the recording began. */
static void set_totals(struct overview *overview, struct process *process,
		       const struct hg_ev_host_totals *totals)
{
	struct allocation blocks = { .api = totals->api ? totals->api : HG_API_malloc,
				     .stack_id = totals->stack_id,
				     .layer = LAYER_HOST,
				     .device = -1 };
	struct memory_site *site = site_of(overview, process, &blocks, true);
	struct memory_peaks *peaks = peaks_of(overview, process);
	uint64_t before = site->live_bytes;

	note_peak(site, peaks);
	site->count = totals->count;
	site->bytes = totals->bytes;
	site->largest = totals->largest;
	site->live_count = totals->count - MIN(totals->freed, totals->count);
	site->live_bytes = totals->bytes - MIN(totals->freed_bytes, totals->bytes);
	site->peak_bytes = MAX(site->peak_bytes, site->live_bytes);
	change_live(site, peaks, before, overview->last_ns);
}

/* ---- launches ---- */

/* Allocations that are followed further than the arguments, of one launch. */
#define REACHED 4096u

struct reached {
	const struct process *process;
	GHashTable *seen;  /* allocations */
	GPtrArray *starts; /* of them, as the GPU addresses them: uint64_t */
	GPtrArray *list;   /* the same as in `seen` */
};

static void reach(struct reached *reached, uint64_t address)
{
	uint64_t offset;
	struct allocation *allocation =
	    address >= reached->process->page_size
		? address_space_find(&reached->process->space, address, &offset)
		: NULL;

	if (!allocation || reached->list->len >= REACHED ||
	    !g_hash_table_add(reached->seen, allocation))
		return;
	address -= offset;
	g_ptr_array_add(reached->list, allocation);
	g_ptr_array_add(reached->starts, g_memdup2(&address, sizeof(address)));
}

static bool reach_word(void *data, const struct content_word *word)
{
	struct reached *reached = data;

	reach(reached, word->value);
	return reached->list->len < REACHED;
}

/* Follows pointers that are known to lie in that memory, to further memory, and so on. */
static void follow_reached(struct reached *reached)
{
	const struct contents *contents = &reached->process->contents;

	for (unsigned i = 0; i < reached->list->len && contents->words->len; i++) {
		const struct allocation *allocation = reached->list->pdata[i];
		uint64_t start = *(uint64_t *)reached->starts->pdata[i];

		contents_each(contents, start, start + allocation->size, reach_word, reached);
	}
}

/* The state at the latest launch with these arguments. */
struct scanned {
	uint64_t epoch, version;
};

/*
 * Marks used memory. Every aligned word of the arguments that is an address inside live memory
 * counts as a use, and every pointer that is known to lie there. The same bytes are looked at again
 * only when addresses may mean something else.
 */
static void mark_used(struct overview *overview, struct process *process,
		      const struct kernel_args *args)
{
	struct scanned *scanned = g_hash_table_lookup(overview->scanned, args);
	struct reached reached = { .process = process };

	if (scanned && scanned->epoch == process->epoch &&
	    scanned->version == process->contents.version)
		return;
	if (!scanned) {
		scanned = g_new(struct scanned, 1);
		g_hash_table_insert(overview->scanned, (gpointer)args, scanned);
	}
	scanned->epoch = process->epoch;
	scanned->version = process->contents.version;
	reached.seen = g_hash_table_new(NULL, NULL);
	reached.list = g_ptr_array_new();
	reached.starts = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t at = 0; at + sizeof(uint64_t) <= args->length; at += sizeof(uint64_t)) {
		uint64_t word;

		if (kernel_args_address(args, at, &word))
			reach(&reached, word);
	}
	follow_reached(&reached);
	for (unsigned i = 0; i < reached.list->len; i++) {
		const struct allocation *allocation = reached.list->pdata[i];
		struct living *living = g_hash_table_lookup(overview->live, allocation);

		if (living && !living->used) {
			living->used = true;
			living->site->used_bytes += allocation->size;
		}
	}
	g_hash_table_destroy(reached.seen);
	g_ptr_array_free(reached.list, TRUE);
	g_ptr_array_free(reached.starts, TRUE);
}

void overview_event(struct overview *overview, struct process *process,
		    const struct hg_event *event)
{
	overview->first_ns = MIN(overview->first_ns, event->ns);
	overview->last_ns = MAX(overview->last_ns, event->ns);
	if (process->foreign)
		return;
	if (event->type == HG_EVENT_launch && event->launch->args_id) {
		const struct kernel_args *args = process_args(process, event->launch->args_id);

		if (args)
			mark_used(overview, process, args);
	}
	if (event->type == HG_EVENT_host_totals && !selected_ranges)
		set_totals(overview, process, event->host_totals);
	if (event->type == HG_EVENT_range)
		overview_add_range(overview, process, event);
	overview_add_span(overview, process, event);
}

int64_t overview_moment(const struct overview *overview, int64_t ns)
{
	int64_t moment;

	if (ns <= overview->first_ns)
		return 0;
	/* Only times far before and far after 0 are further apart: those of a damaged trace. */
	return __builtin_sub_overflow(ns, overview->first_ns, &moment) ? INT64_MAX : moment;
}

int64_t overview_duration(const struct overview *overview)
{
	return overview_moment(overview, overview->last_ns);
}

/* ---- the end ---- */

static int by_peak(gconstpointer a, gconstpointer b)
{
	const struct memory_site *const *x = a, *const *y = b;

	return (*x)->peak_bytes < (*y)->peak_bytes   ? 1
	       : (*x)->peak_bytes > (*y)->peak_bytes ? -1
						     : 0;
}

static int by_launches(gconstpointer a, gconstpointer b)
{
	const struct kernel_total *const *x = a, *const *y = b;

	return (*x)->launches < (*y)->launches ? 1 : (*x)->launches > (*y)->launches ? -1 : 0;
}

void overview_finish(struct overview *overview)
{
	/* Early allocations come before the device is known: its kind is determined now.
	 */
	for (unsigned i = 0; i < overview->sites->len; i++) {
		struct memory_site *site = overview->sites->pdata[i];
		struct model_environment environment = process_environment(site->process);
		struct model_memory memory = model_memory(site->api, site->flags, &environment);

		site->granularity = memory.granularity;
		site->location = memory.location;
		site->kind = memory.kind;
		note_peak(site, peaks_of(overview, site->process));
	}
	g_ptr_array_sort(overview->sites, by_peak);
	g_ptr_array_sort(overview->kernels, by_launches);
}

char *memory_site_call(const struct memory_site *site)
{
	return g_strconcat(hg_api_name(site->api), site->totals ? " of small blocks" : NULL, NULL);
}
