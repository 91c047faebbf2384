// SPDX-License-Identifier: Apache-2.0
/*
 * Shared virtual memory: attributes of host pages, as KFD keeps them. They belong to pages, not
 * to allocations: a request is rounded outward to 4096 bytes (docs/memory-model.md#advice), stays
 * when heap memory is freed and reused, and ends with the mapping. Defaults: coherent
 * (fine-grained), granularity 9 (docs/memory-model.md#hsa-constants); accessible to the GPU only
 * with XNACK.
 */
#include "svm.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct sg_attributes sg_svm_preset = { .flags = SG_SVM_HOST_ACCESS | SG_SVM_COHERENT,
					     .granularity = 9,
					     .preferred = SG_NOWHERE,
					     .prefetched = SG_NOWHERE };

/* Greater blocks of pages than any memory has. */
#define MOST_GRANULARITY 30u

struct range {
	uint64_t start, end;
	struct sg_attributes attributes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges; /* sorted, without overlap; pages outside have the presets */
static size_t count, capacity;
static struct sg_vma_list vmas;
static uint64_t epoch = 1, vmas_epoch;
static bool marks_work = true;
static bool watched; /* queries include mappings without attributes */

static uint64_t page_down(uint64_t address)
{
	return address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
}

/* Returns the index of the first range that ends above `address`. */
static size_t first_above(uint64_t address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct range *find(uint64_t address)
{
	size_t index = first_above(address);
	return index < count && ranges[index].start <= address ? &ranges[index] : NULL;
}

static int insert(size_t index, struct range range)
{
	if (count == capacity) {
		size_t larger = capacity ? capacity * 2 : 64;
		struct range *moved = realloc(ranges, larger * sizeof *moved);
		if (!moved)
			return -1;
		ranges = moved;
		capacity = larger;
	}
	memmove(&ranges[index + 1], &ranges[index], (count - index) * sizeof *ranges);
	ranges[index] = range;
	count++;
	return 0;
}

/* Make `address` a boundary. */
static int split(uint64_t address)
{
	size_t index = first_above(address);
	struct range upper;

	if (index == count || ranges[index].start >= address)
		return 0;
	upper = ranges[index];
	upper.start = address;
	if (insert(index + 1, upper))
		return -1;
	ranges[index].end = address;
	return 0;
}

/* Cover [start, end) with ranges of their own, filling gaps with the presets. */
static int cover(uint64_t start, uint64_t end)
{
	if (split(start) || split(end))
		return -1;
	for (uint64_t at = start; at < end;) {
		size_t index = first_above(at);
		uint64_t stop =
		    index < count && ranges[index].start < end ? ranges[index].start : end;
		if (stop > at && insert(index, (struct range){ at, stop, sg_svm_preset }))
			return -1;
		at = ranges[index].end;
	}
	return 0;
}

/* Forget [start, end). */
static void drop(uint64_t start, uint64_t end)
{
	size_t first, last;

	if (split(start) || split(end))
		sg_die("out of memory for SVM attributes");
	first = first_above(start);
	last = first;
	while (last < count && ranges[last].start < end)
		last++;
	memmove(&ranges[first], &ranges[last], (count - last) * sizeof *ranges);
	count -= last - first;
}

static bool same(const struct sg_attributes *a, const struct sg_attributes *b)
{
	return !memcmp(a->access, b->access, sizeof a->access) && a->flags == b->flags &&
	       a->granularity == b->granularity && a->preferred == b->preferred &&
	       a->prefetched == b->prefetched;
}

static void merge(void)
{
	size_t kept = 0;
	for (size_t i = 1; i < count; i++)
		if (ranges[kept].end == ranges[i].start &&
		    same(&ranges[kept].attributes, &ranges[i].attributes))
			ranges[kept].end = ranges[i].end;
		else
			ranges[++kept] = ranges[i];
	if (count)
		count = kept + 1;
}

/* Attributes of unmapped pages are dropped, also if a new mapping took the place. */
static void drop_unmapped(void)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t at = ranges[i].start, end = ranges[i].end;
		while (at < end) {
			const struct sg_vma *vma = sg_vma_find(&vmas, at);
			uint64_t stop;
			if (vma && sg_vma_is_marked(vma)) {
				at = vma->end;
				continue;
			}
			stop = vma ? vma->end : sg_vma_next(&vmas, at);
			if (stop > end)
				stop = end;
			/* Only the start was checked, and by now that may have been unmapped alone.
			 */
			if (vma)
				stop = sg_vma_unmarked_end(vma, at, stop);
			if (stop == at) {
				at += SOFTGPU_PAGE_SIZE;
				continue;
			}
			drop(at, stop);
			if (sg_settings.migration)
				sg_pages_drop(at, stop);
			sg_log("svm: mapping of %#lx..%#lx was removed, attributes dropped", at,
			       stop);
			i = (size_t)-1; /* indices moved: start again */
			break;
		}
	}
}

/* Bring `vmas` and `ranges` up to date with the process' mappings. */
static void refresh(void)
{
	bool with_mark = count && marks_work;
	int error = sg_vma_read(&vmas, with_mark);

	if (error && with_mark) {
		marks_work = false;
		sg_warn("can't read /proc/self/smaps: SVM attributes will outlive munmap");
		error = sg_vma_read(&vmas, false);
	}
	if (error)
		sg_die("can't read /proc/self/maps: %s", strerror(-error));
	if (with_mark && marks_work)
		drop_unmapped();
	vmas_epoch = epoch;
}

void sg_svm_new_epoch(void)
{
	pthread_mutex_lock(&lock);
	if (count || softgpu_config.xnack || watched) {
		epoch++;
		sg_memory_changed();
	}
	pthread_mutex_unlock(&lock);
}

enum sg_reach sg_svm_access(const struct sg_attributes *a, unsigned gpu)
{
	if (a->access[gpu] != SG_ACCESS_PRESET)
		return a->access[gpu];
	return softgpu_config.xnack ? SG_ACCESS_MIGRATE : SG_ACCESS_NONE;
}

static const struct sg_attributes *attributes_of(const struct range *range)
{
	return range ? &range->attributes : &sg_svm_preset;
}

/*
 * Returns where pages go that shall be in `place`: to the host if another GPU may use them there
 * that does not reach `place` (svm_range_best_prefetch_location).
 */
static int best(const struct sg_attributes *a, int place)
{
	if (place == SG_NOWHERE || place == SG_WITH_HOST || sg_settings.apu)
		return SG_WITH_HOST;
	for (unsigned i = 0; !sg_settings.hive && i < sg_settings.gpus; i++) {
		enum sg_reach reach = sg_svm_access(a, i);

		if (i != (unsigned)place && (reach == SG_ACCESS_IN_PLACE ||
					     (reach == SG_ACCESS_MIGRATE && !softgpu_config.xnack)))
			return SG_WITH_HOST;
	}
	return place;
}

/* Returns the page's state, and in *place the GPU whose memory it is in, or SG_WITH_HOST. */
static unsigned state_of(unsigned gpu, const struct sg_attributes *a, int *place)
{
	unsigned state = SOFTGPU_PAGE_MAPPED;
	int where = a->prefetched;
	bool reached = false;

	for (unsigned i = 0; i < sg_settings.gpus; i++)
		if (gpu == i || gpu == SOFTGPU_ANY_GPU)
			reached |= sg_svm_access(a, i) != SG_ACCESS_NONE;
	if (!reached)
		return 0;
	if (softgpu_config.xnack && a->preferred != SG_NOWHERE &&
	    (where == SG_NOWHERE || where == SG_WITH_HOST))
		where = a->preferred;
	if (a->flags & (SG_SVM_COHERENT | SG_SVM_EXT_COHERENT))
		state |= SOFTGPU_PAGE_FINE;
	*place = best(a, where);
	if (a->flags & SG_SVM_READ_ONLY)
		state |= SOFTGPU_PAGE_READ;
	return state;
}

/* Adds to `state` where the page is: SOFTGPU_PAGE_HOST, and how GPU `gpu` caches it. Pages that the
 * system allocated are node 0's on APUs: their true node is not known here. */
static unsigned placed(unsigned gpu, unsigned state, int place)
{
	int node = place != SG_WITH_HOST ? place : sg_settings.apu ? 0 : SG_NO_NODE;

	if (!state)
		return 0;
	return state | (place == SG_WITH_HOST ? SOFTGPU_PAGE_HOST : 0) |
	       sg_mtype(gpu, node, SG_PRESET);
}

static const struct sg_vma *vma_at(uint64_t address)
{
	const struct sg_vma *vma;

	if (vmas_epoch != epoch)
		refresh();
	vma = sg_vma_find(&vmas, address);
	if (!vma) {
		/* Mapped since the last look? */
		refresh();
		vma = sg_vma_find(&vmas, address);
	}
	return vma;
}

bool sg_svm_mapped(uint64_t address, uint64_t *first, uint64_t *last)
{
	const struct sg_vma *vma;

	pthread_mutex_lock(&lock);
	watched = true;
	vma = vma_at(address);
	if (vma) {
		*first = vma->start;
		*last = vma->end;
	}
	pthread_mutex_unlock(&lock);
	return vma && vma->readable;
}

static unsigned page_state_locked(unsigned gpu, uint64_t address, int *place)
{
	const struct sg_vma *vma;
	unsigned state;

	if (!sg_settings.svm || (!count && !softgpu_config.xnack))
		return 0;
	vma = vma_at(address);
	*place = SG_WITH_HOST;
	state = vma && vma->readable ? state_of(gpu, attributes_of(find(address)), place) : 0;
	/* The driver maps pages with the permissions of the process. */
	return state && !vma->writable ? state | SOFTGPU_PAGE_READ : state;
}

unsigned sg_svm_page_state(unsigned gpu, uint64_t address)
{
	unsigned state;
	int place;

	pthread_mutex_lock(&lock);
	state = page_state_locked(gpu, address, &place);
	if (state && sg_settings.migration)
		place = sg_pages_where(address);
	pthread_mutex_unlock(&lock);
	return placed(gpu, state, place);
}

/* ---- pages that move ---- */

static bool continues(const struct sg_vma *a, const struct sg_vma *b)
{
	return a->end == b->start && a->readable == b->readable && a->writable == b->writable &&
	       a->shared == b->shared && a->anonymous == b->anonymous;
}

/*
 * Returns the range around `address` that is treated like its page: up to the end of the mapping or
 * of the attributes. Parts of one mapping may be listed one by one: marks and migrated pages
 * distinguish them.
 */
static struct sg_range range_around(uint64_t address, const struct sg_vma *vma)
{
	const struct sg_vma *first = vma, *last = vma, *end = vmas.items + vmas.count;
	size_t index = first_above(address);
	const struct range *around =
	    index < count && ranges[index].start <= address ? &ranges[index] : NULL;
	const struct sg_attributes *a = attributes_of(around);
	struct sg_range range = { .granularity = a->granularity < MOST_GRANULARITY
						     ? a->granularity
						     : MOST_GRANULARITY,
				  .movable = vma->anonymous && !vma->shared,
				  .preferred = a->preferred,
				  .prefetched = a->prefetched };

	while (first > vmas.items && continues(first - 1, first))
		first--;
	while (last + 1 < end && continues(last, last + 1))
		last++;
	range.low = first->start;
	range.high = last->end;
	if (around) {
		range.low = range.low > around->start ? range.low : around->start;
		range.high = range.high < around->end ? range.high : around->end;
	} else {
		if (index < count && range.high > ranges[index].start)
			range.high = ranges[index].start;
		if (index && range.low < ranges[index - 1].end)
			range.low = ranges[index - 1].end;
	}
	for (unsigned i = 0; i < sg_settings.gpus; i++)
		range.room[i] = sg_vram_room(i);
	return range;
}

/* Returns where a fault of GPU `gpu` wants the page (kfd_svm.c,
 * svm_range_best_restore_location). */
static int wanted(unsigned gpu, const struct sg_attributes *a)
{
	if (a->preferred != SG_NOWHERE)
		return a->preferred;
	return a->access[gpu] == SG_ACCESS_IN_PLACE ? SG_WITH_HOST : (int)gpu;
}

/* Has GPU `gpu` access a page that it can reach. Narrows [*first, *last). Returns where the page
 * is. */
static int touch(unsigned gpu, uint64_t address, bool write, const struct sg_vma *vma,
		 uint64_t *first, uint64_t *last)
{
	struct sg_range range = range_around(address, vma);
	const struct range *known = find(address);
	uint64_t from, to;
	int place;

	place = sg_pages_touch(gpu, address, wanted(gpu, attributes_of(known)),
			       softgpu_config.xnack, write, &range, &from, &to);
	*first = *first > from ? *first : from;
	*last = *last < to ? *last : to;
	/* From now on the driver has a range for it, which ends with the mapping. */
	if (!known && place != SG_WITH_HOST) {
		if (cover(range.low, range.high))
			sg_die("out of memory for SVM attributes");
		sg_vma_mark(&vmas, range.low, range.high);
	}
	return place;
}

unsigned softgpu_page_state_now(uint64_t address)
{
	sg_svm_new_epoch();
	return softgpu_page_state(0, address);
}

unsigned sg_svm_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			  uint64_t *last)
{
	const struct sg_vma *vma;
	unsigned state;
	size_t index;
	int place;

	*first = page_down(address);
	*last = *first + SOFTGPU_PAGE_SIZE;
	pthread_mutex_lock(&lock);
	state = page_state_locked(gpu, address, &place);
	vma = state ? sg_vma_find(&vmas, address) : NULL;
	if (vma) {
		/* Up to the next boundary of the mapping or of a range with attributes. */
		*first = vma->start;
		*last = vma->end;
		index = first_above(address);
		if (index < count && ranges[index].start <= address) {
			*first = *first > ranges[index].start ? *first : ranges[index].start;
			*last = *last < ranges[index].end ? *last : ranges[index].end;
		} else {
			if (index<count && * last> ranges[index].start)
				*last = ranges[index].start;
			if (index && *first < ranges[index - 1].end)
				*first = ranges[index - 1].end;
		}
		if (sg_settings.migration)
			place = touch(gpu, address, write, vma, first, last);
	}
	pthread_mutex_unlock(&lock);
	return placed(gpu, state, place);
}

void sg_svm_prefetch(uint64_t start, uint64_t end, int place)
{
	pthread_mutex_lock(&lock);
	refresh();
	if (cover(start, end))
		sg_die("out of memory for SVM attributes");
	for (size_t i = first_above(start); i < count && ranges[i].start < end; i++)
		ranges[i].attributes.prefetched = place;
	sg_vma_mark(&vmas, start, end);
	merge();
	for (uint64_t at = start, stop; sg_settings.migration && at < end; at = stop) {
		const struct sg_vma *vma = sg_vma_find(&vmas, at);
		struct sg_range range;

		stop = sg_vma_next(&vmas, at);
		if (!vma)
			continue;
		range = range_around(at, vma);
		stop = range.high < end ? range.high : end;
		if (range.movable)
			sg_pages_move(at, stop, best(attributes_of(find(at)), place), &range);
	}
	epoch++;
	sg_memory_changed();
	pthread_mutex_unlock(&lock);
}

/* ---- attributes ---- */

/* KFD refuses a range that is not wholly mapped. */
static bool wholly_mapped(uint64_t start, uint64_t end)
{
	while (start < end) {
		const struct sg_vma *vma = sg_vma_find(&vmas, start);
		if (!vma)
			return false;
		start = vma->end;
	}
	return true;
}

int sg_svm_change(uint64_t start, uint64_t end, void (*change)(struct sg_attributes *, void *),
		  void *data)
{
	int error = 0;

	pthread_mutex_lock(&lock);
	refresh();
	if (!wholly_mapped(start, end)) {
		error = -EFAULT;
	} else if (cover(start, end)) {
		error = -ENOMEM;
	} else {
		for (size_t i = first_above(start); i < count && ranges[i].start < end; i++)
			change(&ranges[i].attributes, data);
		sg_vma_mark(&vmas, start, end);
		merge();
		epoch++;
		sg_memory_changed();
	}
	pthread_mutex_unlock(&lock);
	return error;
}

int sg_svm_look(uint64_t start, uint64_t end, bool gaps,
		void (*look)(const struct sg_attributes *, void *), void *data)
{
	int error = 0;

	pthread_mutex_lock(&lock);
	refresh();
	if (!gaps && !wholly_mapped(start, end))
		error = -EFAULT;
	for (uint64_t at = start; !error && at < end;) {
		size_t index = first_above(at);
		if (index < count && ranges[index].start <= at) {
			look(&ranges[index].attributes, data);
			at = ranges[index].end;
		} else {
			if (gaps)
				look(&sg_svm_preset, data);
			at = index < count ? ranges[index].start : end;
		}
	}
	pthread_mutex_unlock(&lock);
	return error;
}

/* Has a part of [start, end) attributes that the program gave it? */
static bool given(uint64_t start, uint64_t end)
{
	for (size_t i = first_above(start); i < count && ranges[i].start < end; i++)
		if (!same(&ranges[i].attributes, &sg_svm_preset))
			return true;
	return false;
}

bool sg_svm_given(uint64_t start, uint64_t end)
{
	bool found;

	pthread_mutex_lock(&lock);
	/* A look at the mappings takes ranges away and adds none. */
	found = given(start, end);
	if (found) {
		refresh();
		found = given(start, end);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void sg_svm_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	count = 0;
	epoch++;
}
