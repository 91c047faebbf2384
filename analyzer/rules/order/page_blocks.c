/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which memory a fault's page stands for. The hardware reports a page; blocks of the C
 * library begin and end anywhere, so that several of them, also ones that are not recorded, share
 * one.
 */
#include "suspects.h"
#include "tracer/api/host.h"

/* The C library maps blocks of this size for themselves, whatever its threshold (glibc's
 * DEFAULT_MMAP_THRESHOLD_MAX), and its header of the block is in front. */
#define MAPPED_BLOCK (32u << 20)
#define BLOCK_HEADER 16u

#define BLOCKS_NAMED 3u /* beside the one that a finding is about */

/* Returns true for memory that begins and ends with a page, whatever size was requested. */
static bool has_whole_pages(const struct allocation *allocation)
{
	switch (allocation->layer) {
	case LAYER_HIP:
	case LAYER_MAPPED:
		return true;
	case LAYER_MAPPING:
		return allocation->api != HG_API_brk && allocation->api != HG_API_sbrk;
	case LAYER_HOST:
		return allocation->size >= MAPPED_BLOCK &&
		       allocation->ptr % FAULT_PAGE <= BLOCK_HEADER;
	default:
		return false;
	}
}

static bool has_all_of(const struct allocation *block, uint64_t page)
{
	return has_whole_pages(block) ||
	       (block->ptr <= page && page + FAULT_PAGE - block->ptr <= block->size);
}

bool page_means(const struct fault *fault, const struct allocation *block,
		const struct suspects *suspects)
{
	bool leads_there = false;

	if (block && has_all_of(block, fault->page))
		return true;
	for (unsigned i = 0; i < suspects->list->len; i++) {
		const struct suspect *suspect = &g_array_index(suspects->list, struct suspect, i);

		if (suspect->partly || (block && suspect->others) ||
		    (suspect->block && suspect->block != block))
			return false;
		leads_there |= block ? suspect->block == block : suspect->others;
	}
	return leads_there && suspects->all;
}

static char *block_text(const struct allocation *block, uint64_t page)
{
	struct place place = { .kind = PLACE_ALLOCATION, .allocation = (struct allocation *)block };
	char *name, *text;

	if (!block)
		place.kind = PLACE_HEAP;
	name = place_text(&place);
	if (!block || (block->ptr >= page && block->ptr + block->size <= page + FAULT_PAGE))
		return name;
	text = g_strdup_printf("the %s of %s", block->ptr < page ? "end" : "beginning", name);
	g_free(name);
	return text;
}

char *page_blocks_text(const struct rules_context *context, const struct fault *fault,
		       const struct allocation *block, unsigned *others)
{
	GString *text = g_string_new(NULL);
	uint64_t at = fault->page, end = fault->page + FAULT_PAGE;
	char *one = block_text(block, fault->page);

	g_string_append(text, one);
	g_free(one);
	*others = 0;
	while (at < end) {
		const struct allocation *next =
		    address_space_overlapping(&context->process->space, LAYER_HOST, at, end - at);

		if (!next)
			break;
		at = next->ptr + MAX(next->size, 1);
		if (next == block || ++*others > BLOCKS_NAMED)
			continue;
		one = block_text(next, fault->page);
		g_string_append_printf(text, ", and %s", one);
		g_free(one);
	}
	if (*others > BLOCKS_NAMED)
		g_string_append_printf(text, ", and %u more blocks", *others - BLOCKS_NAMED);
	return g_string_free(text, FALSE);
}

void page_doubt(const struct rules_context *context, const struct fault *fault,
		const struct allocation *block, bool alone, struct finding *finding)
{
	unsigned others;
	char *blocks = page_blocks_text(context, fault, block, &others);
	char *doubt = g_strdup_printf("the fault names a page, which holds %s: %s", blocks,
				      others ? "which of them was used is not known"
					     : "the kernel may have used what lies beside it");

	finding_at_most(finding, others && alone ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY, doubt);
	g_free(doubt);
	g_free(blocks);
}
