// SPDX-License-Identifier: Apache-2.0
/*
 * Moves pages and notifies clients (pager.h). Pages move as with KFD (kfd_svm.c;
 * docs/memory-model.md#migration): a fault of the GPU moves the aligned block around the address to
 * the GPU, a fault of the host moves it back, a prefetch moves the range that it names, and a GPU
 * without room pushes the oldest pages out.
 */
#include "pager.h"
#include <linux/userfaultfd.h>

/* At most so much of what was migrated is mapped back at once: its spans are looked up one by
 * one. */
#define BACK_SIZE UINT64_C(0x1000000)

/* ---- moving ---- */

static void back(struct sg_pager *pager, struct sg_entry *entry)
{
	if (entry->parked)
		sg_park_back(&pager->park, entry->start, entry->end - entry->start, entry->start);
	entry->parked = false;
}

static void unmapped(struct sg_pager *pager, unsigned gpu, uint64_t start, uint64_t end,
		     unsigned trigger)
{
	sg_smi_emit(&pager->smi, gpu, SG_SMI_UNMAP, "@%lx(%lx) %x %u", start / SOFTGPU_PAGE_SIZE,
		    (end - start) / SOFTGPU_PAGE_SIZE, SG_KFD_ID((int)gpu), trigger);
}

static unsigned id_of(int place)
{
	return place == (int)SG_MAX_GPUS ? 0 : SG_KFD_ID(place);
}

/* All of [start, end) is in one place and goes to another; one of them is the host. */
static void hop(struct sg_pager *pager, uint64_t start, uint64_t end, int from, int to,
		enum sg_trigger trigger, const struct sg_range *range)
{
	struct sg_page_list *list = &pager->list;
	unsigned gpu = (unsigned)(to == SG_WITH_HOST ? from : to);
	uint64_t first = start / SOFTGPU_PAGE_SIZE, pages = (end - start) / SOFTGPU_PAGE_SIZE;
	struct sg_entry entry = { .start = start,
				  .end = end,
				  .low = range->low,
				  .high = range->high,
				  .age = ++pager->clock,
				  .gpu = to,
				  .granularity = (uint8_t)range->granularity,
				  .preferred = (int8_t)range->preferred,
				  .prefetched = (int8_t)range->prefetched };
	size_t index;

	sg_smi_emit(&pager->smi, gpu, SG_SMI_MIGRATE_START, "@%lx(%lx) %x->%x %x:%x %d", first,
		    pages, SG_KFD_ID(from), SG_KFD_ID(to), id_of(range->prefetched),
		    id_of(range->preferred), trigger);
	if (to == SG_WITH_HOST)
		unmapped(pager, gpu, start, end, 1);
	sg_smi_emit(&pager->smi, gpu, SG_SMI_MIGRATE_END, "@%lx(%lx) %x->%x %d 0", first, pages,
		    SG_KFD_ID(from), SG_KFD_ID(to), trigger);
	sg_smi_log(&pager->smi, from, to, trigger, start, end - start);
	/* They are reported before the threads that wait for the pages get them. */
	sg_list_split(list, start);
	sg_list_split(list, end);
	index = sg_list_above(list, start);
	for (; index < list->count && list->entries[index].start < end; index++)
		back(pager, &list->entries[index]);
	sg_list_erase(list, start, end);
	if (to != SG_WITH_HOST) {
		sg_list_add(list, entry);
		sg_list_merge(list, start, end);
	}
	sg_memory_changed();
}

static struct sg_range range_of(const struct sg_entry *entry)
{
	return (struct sg_range){ .low = entry->low,
				  .high = entry->high,
				  .granularity = entry->granularity,
				  .preferred = entry->preferred,
				  .prefetched = entry->prefetched };
}

/* Stores the aligned block around `address` in *start and *end, without what lies beyond [low,
 * high). */
static void block_of(uint64_t address, unsigned granularity, uint64_t low, uint64_t high,
		     uint64_t *start, uint64_t *end)
{
	uint64_t size = (uint64_t)SOFTGPU_PAGE_SIZE << granularity;

	*start = address & ~(size - 1);
	*end = *start + size;
	*start = *start > low ? *start : low;
	*end = *end < high ? *end : high;
}

/* Push out what has been there longest, but not [start, end). False if nothing is left. */
static bool evict_one(struct sg_pager *pager, unsigned gpu, uint64_t start, uint64_t end)
{
	struct sg_page_list *list = &pager->list;
	const struct sg_entry *oldest = NULL;
	struct sg_range range;
	uint64_t first, last;

	for (size_t i = 0; i < list->count; i++) {
		const struct sg_entry *entry = &list->entries[i];
		if (entry->gpu == (int)gpu && (entry->end <= start || entry->start >= end) &&
		    (!oldest || entry->age < oldest->age))
			oldest = entry;
	}
	if (!oldest)
		return false;
	range = range_of(oldest);
	block_of(oldest->start, oldest->granularity, oldest->start, oldest->end, &first, &last);
	hop(pager, first, last, (int)gpu, SG_WITH_HOST, SG_TRIGGER_EVICTION, &range);
	return true;
}

static bool make_room(struct sg_pager *pager, unsigned gpu, uint64_t start, uint64_t end,
		      const struct sg_range *range)
{
	struct sg_page_list *list = &pager->list;
	uint64_t size = end - start, room = range->room[gpu];
	bool enough = true;

	if (size > room)
		return false;
	if (list->resident[gpu] + size <= room)
		return true;
	sg_smi_emit(&pager->smi, gpu, SG_SMI_QUEUE_EVICTION, "%x 2", SG_KFD_ID((int)gpu));
	while (enough && list->resident[gpu] + size > room)
		enough = evict_one(pager, gpu, start, end);
	sg_smi_emit(&pager->smi, gpu, SG_SMI_QUEUE_RESTORE, "%x R", SG_KFD_ID((int)gpu));
	return enough;
}

/* Bring all of [start, end) to `to`; false: it has no room. */
static bool move_to(struct sg_pager *pager, uint64_t start, uint64_t end, int to,
		    enum sg_trigger trigger, const struct sg_range *range)
{
	struct sg_page_list *list = &pager->list;

	for (uint64_t at = start, next; at < end; at = next) {
		const struct sg_entry *entry = sg_list_find(list, at);
		size_t index = sg_list_above(list, at);
		int from = entry ? entry->gpu : SG_WITH_HOST;

		next = entry ? entry->end : index < list->count ? list->entries[index].start : end;
		next = next < end ? next : end;
		if (from == to)
			continue;
		/* Pages move from one GPU to another by way of the host
		 * (svm_migrate_vram_to_vram). */
		if (from != SG_WITH_HOST)
			hop(pager, at, next, from, SG_WITH_HOST, trigger, range);
		if (to == SG_WITH_HOST)
			continue;
		if (!make_room(pager, (unsigned)to, at, next, range))
			return false;
		hop(pager, at, next, SG_WITH_HOST, to, trigger, range);
	}
	return true;
}

/* ---- what is requested ---- */

/* Enters, once, host pages that GPU `gpu` is going to use where they are, up to *last. */
static void enter_in_place(struct sg_pager *pager, const struct sg_request *request, uint64_t start,
			   uint64_t end)
{
	struct sg_page_list *list = &pager->list;
	struct sg_entry entry = { .start = start,
				  .end = end,
				  .low = request->range.low,
				  .high = request->range.high,
				  .gpu = SG_WITH_HOST,
				  .mapped = UINT32_C(1) << request->gpu,
				  .granularity = (uint8_t)request->range.granularity };

	sg_list_split(list, start);
	sg_list_split(list, end);
	for (size_t i = sg_list_above(list, start); i < list->count && list->entries[i].start < end;
	     i++)
		if (list->entries[i].gpu == SG_WITH_HOST)
			list->entries[i].mapped |= entry.mapped;
	for (uint64_t at = start; at < end;) {
		size_t index = sg_list_above(list, at);
		uint64_t stop = index < list->count && list->entries[index].start < end
				    ? list->entries[index].start
				    : end;
		if (stop > at) {
			entry.start = at;
			entry.end = stop;
			sg_list_add(list, entry);
		}
		at = list->entries[index].end;
	}
	sg_list_merge(list, start, end);
}

static void fault(struct sg_pager *pager, struct sg_request *request)
{
	const struct sg_range *range = &request->range;
	uint64_t start, end, page = request->start / SOFTGPU_PAGE_SIZE;
	bool moves = request->target != SG_WITH_HOST && range->movable;

	block_of(request->start, range->granularity, range->low, range->high, &start, &end);
	sg_smi_emit(&pager->smi, request->gpu, SG_SMI_FAULT_START, "@%lx(%x) %c", page,
		    SG_KFD_ID((int)request->gpu), request->write ? 'W' : 'R');
	if (moves)
		moves = move_to(pager, start, end, request->target, SG_TRIGGER_GPU_FAULT, range);
	if (!moves)
		enter_in_place(pager, request, start, end);
	sg_smi_emit(&pager->smi, request->gpu, SG_SMI_FAULT_END, "@%lx(%x) %c", page,
		    SG_KFD_ID((int)request->gpu), moves ? 'M' : 'U');
}

/* Take back at least the page at `address`, without a word: the GPU uses it. */
static void take_back(struct sg_pager *pager, uint64_t address)
{
	struct sg_page_list *list = &pager->list;
	uint64_t start = address & ~(BACK_SIZE - 1), end = start + BACK_SIZE;
	struct sg_entry *entry = sg_list_find(list, address);

	if (!entry || !entry->parked)
		return;
	start = start > entry->start ? start : entry->start;
	end = end < entry->end ? end : entry->end;
	sg_list_split(list, start);
	sg_list_split(list, end);
	back(pager, sg_list_find(list, address));
	sg_list_merge(list, start, end);
}

static void touch(struct sg_pager *pager, struct sg_request *request)
{
	struct sg_page_list *list = &pager->list;
	struct sg_entry *entry = sg_list_find(list, request->start);
	bool reached = entry && (entry->gpu >= 0 || entry->mapped & UINT32_C(1) << request->gpu ||
				 !request->retry);

	/* Another GPU's memory is reached where it is, unless they must come. */
	if (reached && entry->gpu >= 0 && request->retry && request->target >= 0)
		reached = entry->gpu == request->target;
	if (!reached && request->retry)
		fault(pager, request);
	take_back(pager, request->start);
	entry = sg_list_find(list, request->start);
	if (entry) {
		request->result = entry->gpu;
		request->first = entry->start;
		request->last = entry->end;
	} else {
		size_t index = sg_list_above(list, request->start);
		request->result = SG_WITH_HOST;
		request->first = index ? list->entries[index - 1].end : 0;
		request->last = index < list->count ? list->entries[index].start : UINT64_MAX;
	}
}

/* `discard`: the contents are discarded with the mapping. */
static void drop(struct sg_pager *pager, uint64_t start, uint64_t end, bool discard)
{
	struct sg_page_list *list = &pager->list;

	sg_list_split(list, start);
	sg_list_split(list, end);
	for (size_t i = sg_list_above(list, start); i < list->count && list->entries[i].start < end;
	     i++) {
		if (!discard)
			back(pager, &list->entries[i]);
		if (list->entries[i].gpu >= 0)
			unmapped(pager, (unsigned)list->entries[i].gpu, list->entries[i].start,
				 list->entries[i].end, 2);
	}
	sg_list_erase(list, start, end);
}

static void hold(struct sg_pager *pager, uint64_t start, uint64_t end)
{
	struct sg_page_list *list = &pager->list;

	pager->holds++;
	for (size_t i = sg_list_above(list, start); i < list->count && list->entries[i].start < end;
	     i++)
		back(pager, &list->entries[i]);
}

static void park(struct sg_pager *pager)
{
	struct sg_page_list *list = &pager->list;
	bool any = false;

	if (pager->holds || pager->park.faults < 0)
		return;
	for (size_t i = 0; i < list->count; i++) {
		struct sg_entry *entry = &list->entries[i];
		if (entry->gpu < 0 || entry->parked || entry->fixed)
			continue;
		entry->parked = sg_park_away(&pager->park, entry->start, entry->end - entry->start);
		entry->fixed = !entry->parked;
		any = true;
	}
	if (any) {
		sg_list_merge(list, 0, UINT64_MAX);
		sg_memory_changed();
	}
}

void sg_pager_serve(struct sg_pager *pager, struct sg_request *request)
{
	switch (request->operation) {
	case SG_TOUCH:
		touch(pager, request);
		break;
	case SG_WHERE: {
		const struct sg_entry *entry = sg_list_find(&pager->list, request->start);
		request->result = entry ? entry->gpu : SG_WITH_HOST;
		break;
	}
	case SG_MOVE:
		move_to(pager, request->start, request->end, request->target, SG_TRIGGER_PREFETCH,
			&request->range);
		park(pager);
		break;
	case SG_DROP:
		drop(pager, request->start, request->end, false);
		break;
	case SG_HOLD:
		hold(pager, request->start, request->end);
		break;
	case SG_RELEASE:
		pager->holds--;
		park(pager);
		break;
	case SG_PARK:
		park(pager);
		break;
	case SG_CLIENT:
		request->result = sg_smi_add(&pager->smi, request->target, request->gpu);
		break;
	}
}

/* ---- what the host does ---- */

static void host_access(struct sg_pager *pager, uint64_t address)
{
	const struct sg_entry *entry = sg_list_find(&pager->list, address);
	uint64_t start, end;
	struct sg_range range;

	if (!entry || !entry->parked) {
		sg_park_pass(&pager->park, address);
		return;
	}
	range = range_of(entry);
	block_of(address, entry->granularity, entry->start, entry->end, &start, &end);
	hop(pager, start, end, entry->gpu, SG_WITH_HOST, SG_TRIGGER_CPU_FAULT, &range);
}

/* Pages that were parked are now at another address. */
static void remapped(struct sg_pager *pager, uint64_t from, uint64_t to, uint64_t size)
{
	drop(pager, from, from + size, true);
	sg_park_back(&pager->park, from, size, to);
}

void sg_pager_hear(struct sg_pager *pager)
{
	struct uffd_msg message;

	while (sg_park_hear(&pager->park, &message)) {
		switch (message.event) {
		case UFFD_EVENT_PAGEFAULT:
			host_access(pager, message.arg.pagefault.address &
					       ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1));
			break;
		case UFFD_EVENT_REMAP:
			remapped(pager, message.arg.remap.from, message.arg.remap.to,
				 message.arg.remap.len);
			break;
		case UFFD_EVENT_UNMAP:
			drop(pager, message.arg.remove.start, message.arg.remove.end, true);
			break;
		default:
			break;
		}
	}
}
