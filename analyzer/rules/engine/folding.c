/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unites the findings of one group, and what is said of an instruction whose memory is known at
 * some launches and not at others.
 */
#include "analyzer/rules/engine/folding.h"

#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/findings.h"
#include "analyzer/rules/ids/hg1xx.h"

/*
 * Keeps the surest of the findings of one group and counts the launches of the others as its
 * neighbours.
 */
static void fold_groups(GPtrArray *list)
{
	GHashTable *groups = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; i < list->len; i++) {
		struct finding *finding = list->pdata[i], *best;

		if (!finding->group)
			continue;
		best = g_hash_table_lookup(groups, finding->group);
		if (!best || finding->place < best->place)
			g_hash_table_replace(groups, finding->group, finding);
	}
	for (unsigned i = 0; i < list->len;) {
		struct finding *finding = list->pdata[i];
		struct finding *best =
		    finding->group ? g_hash_table_lookup(groups, finding->group) : finding;

		if (best != finding) {
			best->beside += finding->launches;
			g_ptr_array_remove_index(list, i);
		} else {
			i++;
		}
	}
	g_hash_table_destroy(groups);
}

/* ---- launches of which the target is not known ---- */

static bool is_instruction_of(const struct finding *finding, const struct code_site *site)
{
	for (unsigned i = 0; i < finding->instructions->len; i++) {
		const struct code_site *own = finding->instructions->pdata[i];

		if (own->code_offset == site->code_offset &&
		    g_strcmp0(own->function, site->function) == 0 &&
		    g_strcmp0(own->instruction, site->instruction) == 0)
			return true;
	}
	return false;
}

static bool is_of(const struct finding *finding, enum rule_id rule)
{
	return finding->rule == &rules[rule];
}

/* Returns true if both are about updates that are lost, or both about the same else. */
static bool is_same_harm(const struct finding *finding, const struct finding *unknown)
{
	bool lost =
	    is_of(unknown, RULE_HG101) || is_of(unknown, RULE_HG108) || is_of(unknown, RULE_HG109);

	return lost ? is_of(finding, RULE_HG101) || is_of(finding, RULE_HG102)
		    : finding->rule == unknown->rule;
}

/*
 * Returns true if `finding` knows the memory that an instruction of `unknown` updates through the
 * same argument's memory, and came to know it later: what was known earlier may have been replaced.
 */
static bool knows(const struct finding *finding, const struct finding *unknown,
		  const struct code_site *site)
{
	return is_same_harm(finding, unknown) && finding->process == unknown->process &&
	       !finding->unknown_target && finding->allocation && finding->through &&
	       finding->through == unknown->through && unknown->first_ns <= finding->first_ns &&
	       g_strcmp0(finding->kernel_symbol, unknown->kernel_symbol) == 0 &&
	       is_instruction_of(finding, site);
}

/*
 * Returns the finding about the memory that the first instruction of `unknown` updates at other
 * launches, if there are such findings for all of its instructions; else NULL.
 */
static struct finding *known_target(GPtrArray *list, const struct finding *unknown)
{
	struct finding *first = NULL;

	for (unsigned i = 0; i < unknown->instructions->len; i++) {
		struct finding *found = NULL;

		for (unsigned k = 0; k < list->len && !found; k++)
			if (knows(list->pdata[k], unknown, unknown->instructions->pdata[i]))
				found = list->pdata[k];
		if (!found)
			return NULL;
		first = first ? first : found;
	}
	return first;
}

/*
 * An instruction whose memory is known at some launches is reported once, and the other launches
 * are counted there. What is not analysed at these stays among the limits.
 */
static void fold_unknown(GPtrArray *list)
{
	for (unsigned i = 0; i < list->len;) {
		struct finding *finding = list->pdata[i];
		struct finding *known =
		    finding->unknown_target ? known_target(list, finding) : NULL;

		if (known) {
			known->unplaced += finding->launches;
			g_ptr_array_remove_index(list, i);
		} else {
			i++;
		}
	}
}

void findings_fold(GPtrArray *list)
{
	fold_groups(list);
	fold_unknown(list);
}
