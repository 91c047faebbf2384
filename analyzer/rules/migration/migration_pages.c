/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows where pages are, one by one, as the driver reported: which had been on a GPU before, and
 * whether anything could use them while they were there. Also finds pages that move back and forth
 * (HG302, HG303).
 */
#include <string.h>

#include "analyzer/rules/ids/hg3xx.h"
#include "migration_state.h"
#include "tracer/api/host.h"
#include "tracer/events/ev_free.h"

#define BLOCK_PAGES (MIGRATION_BLOCK / PAGE)
#define WORDS       (BLOCK_PAGES / 64)

/* Pages of a block: a bit each. */
struct pages {
	uint64_t bits[WORDS];
};

/* Pages of one part that came together. */
struct stay {
	struct stay *next;
	struct pages pages;
	int64_t ns;
	uint64_t start, end; /* this range moved with them */
	enum migration_trigger trigger;
	int32_t device;
	struct migration_row *row; /* borrowed */
	unsigned access;   /* of the launch that brought them; 0: no launch did, or unknown */
	int64_t launch_ns; /* its */
	bool launch_known;
	bool neighbour; /* it was not given them */
};

/* Holds what one allocation has of a block of 2 MiB. */
struct part {
	struct part *next;
	struct allocation *allocation; /* a reference */
	struct stay *stays;            /* on a GPU now */
	struct pages ever;             /* have been on one */
	/* The launch that brought pages by a fault; kernel_id 0: none did, or not known. */
	struct gpu_work launch;
	bool by_fault, neighbour;
	unsigned trips; /* back to the host by its faults, since the allocation was made */
	/*
	 * If realloc() made the block where another one lay, these are pages that were on a GPU
	 * then, and are not known to have gone since.
	 */
	struct pages kept;
	/* If it was a block of the C library that was freed, these are such pages. */
	struct pages left;
};

static unsigned count(const struct pages *pages)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < WORDS; i++)
		bits += (unsigned)__builtin_popcountll(pages->bits[i]);
	return bits;
}

/* Returns those pages of [start, end) that are in the block. */
static struct pages pages_of(uint64_t block, uint64_t start, uint64_t end)
{
	uint64_t low = MAX(start, block * MIGRATION_BLOCK), high;
	struct pages pages = { { 0 } };

	high = MIN(end, (block + 1) * (uint64_t)MIGRATION_BLOCK);
	for (uint64_t at = low; at < high; at += PAGE) {
		uint64_t page = at / PAGE % BLOCK_PAGES;

		pages.bits[page / 64] |= 1ull << page % 64;
	}
	return pages;
}

/* Its address; `pages` has one. */
static uint64_t first_page(uint64_t block, const struct pages *pages)
{
	unsigned word = 0;

	while (!pages->bits[word])
		word++;
	return block * MIGRATION_BLOCK +
	       (word * 64 + (unsigned)__builtin_ctzll(pages->bits[word])) * (uint64_t)PAGE;
}

static struct pages both(const struct pages *a, const struct pages *b)
{
	struct pages pages;

	for (unsigned i = 0; i < WORDS; i++)
		pages.bits[i] = a->bits[i] & b->bits[i];
	return pages;
}

static void add(struct pages *to, const struct pages *pages)
{
	for (unsigned i = 0; i < WORDS; i++)
		to->bits[i] |= pages->bits[i];
}

static void take(struct pages *from, const struct pages *pages)
{
	for (unsigned i = 0; i < WORDS; i++)
		from->bits[i] &= ~pages->bits[i];
}

/* ---- what was done to them there ---- */

/* Pages end their stay at `ns`; `returned`: the row of their move to the host, or NULL. */
static void end_stay(const struct migration *migration, const struct part *part,
		     const struct stay *stay, unsigned pages, int64_t ns,
		     struct migration_row *returned)
{
	uint64_t bytes = (uint64_t)pages * PAGE;
	int64_t from = stay->ns;
	unsigned access;
	enum page_use use;

	if (stay->trigger == MIGRATION_PREFETCH)
		from = prefetch_began(migration, stay->start, stay->end, stay->device, stay->ns);
	else if (stay->neighbour)
		from = stay->launch_ns;
	use = used_between(migration, part->allocation, from, ns, &access);
	/* A fault shows that a kernel used them; it must be known which one. */
	if (stay->trigger == MIGRATION_GPU_FAULT && !stay->neighbour) {
		use = stay->launch_known && use != USE_UNKNOWN ? USED : USE_UNKNOWN;
		access |= stay->access;
	}
	if (use == USE_UNKNOWN)
		stay->row->use_unknown += bytes;
	else if (use == NOT_USED)
		stay->row->unused += bytes;
	else
		stay->row->only_written += access & (ISA_READ | ISA_ATOMIC) ? 0 : bytes;
	if (returned && use != USE_UNKNOWN && !(access & (ISA_WRITE | ISA_ATOMIC)))
		returned->unchanged += bytes;
}

static void end_stays(const struct migration *migration, struct part *part,
		      const struct pages *pages, int64_t ns, struct migration_row *returned)
{
	for (struct stay **at = &part->stays; *at;) {
		struct stay *stay = *at;
		struct pages ended = both(&stay->pages, pages);
		unsigned bits = count(&ended);

		if (bits) {
			end_stay(migration, part, stay, bits, ns, returned);
			take(&stay->pages, &ended);
		}
		if (count(&stay->pages)) {
			at = &stay->next;
		} else {
			*at = stay->next;
			g_free(stay);
		}
	}
}

/* ---- blocks ---- */

static void free_part(struct part *part)
{
	while (part->stays) {
		struct stay *next = part->stays->next;

		g_free(part->stays);
		part->stays = next;
	}
	allocation_unref(part->allocation);
	g_free(part);
}

void parts_free(gpointer parts)
{
	for (struct part *part = parts, *next; part; part = next) {
		next = part->next;
		free_part(part);
	}
}

static bool is_realloc(uint16_t api)
{
	return api == HG_API_realloc || api == HG_API_reallocarray;
}

/*
 * free() keeps the pages where they are; who unmaps memory drops them. realloc() leaves none
 * behind: the host copies from all of them, or the block keeps them because it stays in its place.
 */
static bool leaves_pages(const struct part *part)
{
	return part->allocation->freed && part->allocation->layer == LAYER_HOST &&
	       !is_realloc(part->allocation->free_api);
}

/* realloc() did not move the block: its release and the new one are recorded all the same. */
static bool stayed(const struct allocation *old, const struct allocation *allocation)
{
	return old->freed && is_realloc(old->free_api) && allocation->api == old->free_api &&
	       allocation->ptr == old->ptr && allocation->tid == old->free_tid &&
	       allocation->ns >= old->free_ns;
}

/* Nothing more comes of it: what is there stays until the memory is released, or until `ns`. */
static void settle(const struct migration *migration, struct part *part, int64_t ns)
{
	static const struct pages all = { { -1ull, -1ull, -1ull, -1ull, -1ull, -1ull, -1ull,
					    -1ull } };

	for (const struct stay *stay = part->stays; stay && leaves_pages(part); stay = stay->next)
		add(&part->left, &stay->pages);
	if (leaves_pages(part))
		add(&part->left, &part->kept);
	take(&part->kept, &all);
	end_stays(migration, part, &all, part->allocation->freed ? part->allocation->free_ns : ns,
		  NULL);
}

/*
 * Makes what `old` has on a GPU `part`'s, whose block is in its place. The pages that it is too
 * short for are free.
 */
static void take_over(uint64_t block, struct part *old, struct part *part)
{
	uint64_t start = part->allocation->ptr & ~(uint64_t)(PAGE - 1);
	struct pages range = pages_of(block, start, part->allocation->ptr + part->allocation->size);

	for (const struct stay *stay = old->stays; stay; stay = stay->next)
		add(&old->kept, &stay->pages);
	part->kept = both(&old->kept, &range);
	part->ever = both(&old->ever, &range);
	take(&old->kept, &range);
	old->left = old->kept;
	part->launch = old->launch;
	part->by_fault = old->by_fault;
	part->neighbour = old->neighbour;
	part->trips = old->trips;
}

/* If two allocations overlap, the older one was unmapped, which is not kept as a release. */
static bool overlap(const struct allocation *a, const struct allocation *b)
{
	return a->layer == b->layer && a->ptr < b->ptr + b->size && b->ptr < a->ptr + a->size;
}

struct allocation *pages_owner(const struct migration *migration, uint64_t page)
{
	uint64_t block = page / MIGRATION_BLOCK;
	struct pages wanted = pages_of(block, page, page + PAGE);
	const struct part *part = g_hash_table_lookup(migration->blocks, GSIZE_TO_POINTER(block));

	for (; part; part = part->next) {
		struct pages found = both(&part->left, &wanted);
		struct pages kept = both(&part->kept, &wanted);

		if (count(&found) || count(&kept))
			return part->allocation;
		for (const struct stay *stay = part->stays; stay; stay = stay->next) {
			found = both(&stay->pages, &wanted);
			if (count(&found))
				return part->allocation;
		}
	}
	return NULL;
}

/* Returns the part of the allocation; makes it if there is none. */
static struct part *part_of(struct migration *migration, uint64_t block,
			    struct allocation *allocation)
{
	struct part *first = g_hash_table_lookup(migration->blocks, GSIZE_TO_POINTER(block)), *part;
	struct part **at = &first, *made;

	for (part = first; part; part = part->next)
		if (part->allocation == allocation)
			return part;
	made = g_new0(struct part, 1);
	made->allocation = allocation_ref(allocation);
	while (*at) {
		part = *at;
		if (stayed(part->allocation, allocation))
			take_over(block, part, made);
		if (part->allocation->freed || overlap(part->allocation, allocation)) {
			settle(migration, part, allocation->ns);
			if (count(&part->left)) {
				at = &part->next;
				continue;
			}
			*at = part->next;
			free_part(part);
		} else {
			at = &part->next;
		}
	}
	made->next = first;
	/* The list is its first part's: the table must not free it. */
	g_hash_table_steal(migration->blocks, GSIZE_TO_POINTER(block));
	g_hash_table_insert(migration->blocks, GSIZE_TO_POINTER(block), made);
	return made;
}

/* ---- realloc() ---- */

static bool known_part(const struct migration *migration, uint64_t block,
		       const struct allocation *allocation)
{
	const struct part *part = g_hash_table_lookup(migration->blocks, GSIZE_TO_POINTER(block));

	while (part && part->allocation != allocation)
		part = part->next;
	return part;
}

/* Returns the live block of memory at `ptr` of which pages are known, or NULL if there is none. */
static struct allocation *known_block(const struct migration *migration,
				      const struct rules_context *context, uint64_t ptr)
{
	const struct host_block *block = address_space_block(&context->process->space, ptr);
	const struct allocation *allocation = NULL;
	uint64_t end;

	if (!block)
		allocation = address_space_find_base(&context->process->space, ptr, HG_API_realloc);
	end = ptr + (block ? block->size : allocation ? allocation->size : 0);
	for (uint64_t at = ptr / MIGRATION_BLOCK; at * MIGRATION_BLOCK < end; at++) {
		const struct part *part =
		    g_hash_table_lookup(migration->blocks, GSIZE_TO_POINTER(at));

		for (; part; part = part->next)
			if (part->allocation->ptr == ptr && !part->allocation->freed)
				return part->allocation;
	}
	return NULL;
}

/* False: it is not known yet what became of the block. */
static bool follow(struct migration *migration, const struct rules_context *context,
		   const struct allocation *old)
{
	struct allocation *allocation =
	    address_space_find_base(&context->process->space, old->ptr, HG_API_free);
	uint64_t end = old->ptr + old->size;

	if (!allocation || allocation == old)
		return !old->freed;
	for (uint64_t block = old->ptr / MIGRATION_BLOCK;
	     stayed(old, allocation) && block * MIGRATION_BLOCK < end; block++)
		if (known_part(migration, block, old))
			part_of(migration, block, allocation);
	return true;
}

void pages_follow(struct migration *migration, const struct rules_context *context)
{
	for (unsigned i = migration->resized->len; i > 0; i--)
		if (follow(migration, context, migration->resized->pdata[i - 1]))
			g_ptr_array_remove_index(migration->resized, i - 1);
}

void pages_release(struct migration *migration, const struct rules_context *context)
{
	struct allocation *allocation;

	if (migration->resized->len)
		pages_follow(migration, context);
	if (!is_realloc(context->event->free->api) || !g_hash_table_size(migration->blocks))
		return;
	allocation = known_block(migration, context, context->event->free->ptr);
	if (!allocation)
		return;
	if (migration->resized->len == RESIZED) /* most probably it was moved */
		g_ptr_array_remove_index(migration->resized, 0);
	g_ptr_array_add(migration->resized, allocation_ref(allocation));
}

/* ---- moves ---- */

static void arrive(struct migration *migration, uint64_t block, struct allocation *allocation,
		   uint64_t start, uint64_t end, const struct arrival *arrival)
{
	struct part *part = part_of(migration, block, allocation);
	struct pages pages = pages_of(block, start, end), again = both(&part->ever, &pages);
	struct stay *stay = g_new0(struct stay, 1);

	/* That they left was not reported, or they come from another GPU. */
	end_stays(migration, part, &pages, arrival->ns, NULL);
	take(&part->kept, &pages);
	for (struct part *other = part; other; other = other->next)
		take(&other->left, &pages);
	arrival->row->again += (uint64_t)count(&again) * PAGE;
	add(&part->ever, &pages);
	stay->pages = pages;
	stay->ns = arrival->ns;
	stay->start = start;
	stay->end = end;
	stay->trigger = arrival->trigger;
	stay->device = arrival->device;
	stay->row = arrival->row;
	stay->neighbour = arrival->neighbour;
	stay->launch_known = arrival->launch && !arrival->neighbour;
	stay->launch_ns = arrival->launch ? arrival->launch->ns : 0;
	stay->access = stay->launch_known ? gpu_work_access(arrival->launch, allocation) : 0;
	stay->next = part->stays;
	part->stays = stay;
	part->by_fault = arrival->trigger == MIGRATION_GPU_FAULT;
	part->neighbour = arrival->neighbour;
	part->launch = arrival->launch ? *arrival->launch : (struct gpu_work){ .ns = 0 };
}

void pages_arrive(struct migration *migration, struct allocation *allocation, uint64_t start,
		  uint64_t end, const struct arrival *arrival)
{
	for (uint64_t block = start / MIGRATION_BLOCK; block <= (end - 1) / MIGRATION_BLOCK;
	     block++)
		arrive(migration, block, allocation, start, end, arrival);
}

/*
 * Counts that the host faulted on pages that a GPU's fault had moved. The launch whose fault it was
 * tells which memory of the block was used: if no launch can have caused it, but a copy for
 * example, all of the block moved and nothing is known of each part.
 */
static void count_return(struct migration *migration, const struct rules_context *context,
			 struct part *part, int64_t ns)
{
	part->by_fault = false;
	if (part->neighbour)
		count_neighbour(migration, context, &part->launch, part->allocation, ns);
	else if (part->launch.kernel_id)
		count_trip(migration, context, &part->launch, part->allocation, ++part->trips, ns);
}

/* Pages that memory which was freed left on a GPU went to the host; `owner`: whose they are. */
static void return_left(struct migration *migration, const struct rules_context *context,
			uint64_t block, struct pages pages, struct allocation *owner,
			const struct departure *departure)
{
	struct part *part = g_hash_table_lookup(migration->blocks, GSIZE_TO_POINTER(block));

	for (; part; part = part->next) {
		struct pages returned;

		if (!part->allocation->freed || part->allocation->free_ns >= departure->began)
			continue;
		if (leaves_pages(part)) {
			settle(migration, part, 0);
			part->by_fault = false;
		}
		returned = both(&part->left, &pages);
		take(&part->left, &returned);
		if (count(&returned) && departure->timed &&
		    departure->trigger == MIGRATION_CPU_FAULT)
			recycled_return(migration, context, part->allocation, owner,
					first_page(block, &returned),
					(uint64_t)count(&returned) * PAGE, departure->ns);
	}
}

void pages_leave(struct migration *migration, const struct rules_context *context,
		 struct allocation *allocation, uint64_t start, uint64_t end,
		 const struct departure *departure)
{
	for (uint64_t block = start / MIGRATION_BLOCK; block <= (end - 1) / MIGRATION_BLOCK;
	     block++) {
		struct pages pages = pages_of(block, start, end);
		struct part *part = part_of(migration, block, allocation);

		return_left(migration, context, block, pages, allocation, departure);
		take(&part->kept, &pages);
		end_stays(migration, part, &pages, departure->ns, departure->row);
		if (departure->trigger == MIGRATION_CPU_FAULT && part->by_fault)
			count_return(migration, context, part, departure->ns);
	}
}

void pages_settle(struct migration *migration)
{
	GHashTableIter iterator;
	gpointer parts;

	g_hash_table_iter_init(&iterator, migration->blocks);
	while (g_hash_table_iter_next(&iterator, NULL, &parts))
		for (struct part *part = parts; part; part = part->next)
			settle(migration, part, INT64_MAX);
}
