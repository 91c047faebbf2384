/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds bytes that a target region reads and that nothing sent to the device (HG805): members of a
 * struct of which only others are mapped. Only loads at exact places count before which the region
 * has stored nothing (struct isa_read). Compilers join loads, and make them wider than the
 * program's: by a word at the end, or to a whole word. So a first word counts that lacks as a
 * whole, and two words further on.
 */
#include "offload_copies.h"
#include "offload_state.h"

#include "analyzer/rules/engine/chain.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/ids/hg8xx.h"
#include "tracer/events/ev_launch.h"

#define WORD 4u

/* Holds a load with the memory that it leads to. */
struct reach {
	const struct isa_read *read;
	struct pointer_argument pointer; /* that it starts from */
	uint64_t first, size;            /* the bytes of it that nothing sent, on the device */
	bool later;                      /* they are not its first ones */
	struct device_copy *copy; /* that it reads, or NULL: it reads beside `beside` alone */
	const struct device_copy *beside;
};

/* Returns "bytes 8 to 15" of what the pointer leads to, from and to addresses on the device. */
static char *bytes_text(const struct reach *reach, uint64_t first, uint64_t end)
{
	int64_t from = (int64_t)(first - reach->pointer.address);
	int64_t last = (int64_t)(end - reach->pointer.address) - 1;

	return from == last
		   ? g_strdup_printf("byte %" G_GINT64_FORMAT, from)
		   : g_strdup_printf("bytes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, from, last);
}

/* Returns what was sent to the copy that the load reads: "only bytes 8 to 15 were". */
static char *sent_text(const struct reach *reach)
{
	const struct device_copy *copy = reach->copy;
	GString *text = g_string_new(copy->part_count ? "only " : "nothing of it was");

	for (unsigned i = 0; i < MIN(copy->part_count, 3); i++) {
		char *bytes = bytes_text(reach, copy->ptr + copy->parts[i].first,
					 copy->ptr + copy->parts[i].end);

		g_string_append_printf(text, "%s%s", i ? ", " : "", bytes);
		g_free(bytes);
	}
	if (copy->part_count > 3)
		g_string_append(text, " and others");
	if (copy->part_count)
		g_string_append(text, " were");
	return g_string_free(text, FALSE);
}

/* Returns true if nothing sent a word of the load, or the copy ends before it. */
static bool word_lacks(const struct reach *reach, uint64_t at)
{
	const struct device_copy *copy = reach->copy;

	return (!copy->filled && at - copy->ptr >= copy->size) ||
	       copy_lacks(copy, at, MIN(WORD, reach->read->size));
}

/* Finds the first bytes of the load that nothing sent to the copy. Returns false if all were. */
static bool find_lack(struct reach *reach)
{
	uint64_t start = reach->first, size = reach->read->size;

	for (uint64_t at = 0; at < size; at += WORD) {
		uint64_t end = at;

		while (end < size && word_lacks(reach, start + end))
			end = MIN(end + WORD, size);
		if (end == at)
			continue;
		reach->first = start + at;
		reach->size = end - at;
		reach->later = at > 0;
		return !reach->later || reach->size >= 2 * WORD;
	}
	return false;
}

static void set_message(struct finding *finding, const struct reach *reach, const char *name)
{
	char *read = bytes_text(reach, reach->first, reach->first + reach->size), *rest;

	if (reach->copy) {
		rest = sent_text(reach);
		finding->message = g_strdup_printf(
		    "%s reads %s of what argument %s points to, which no map, update or earlier "
		    "region wrote on the device: %s transferred.",
		    finding->kernel, read, name, rest);
	} else {
		rest =
		    bytes_text(reach, reach->beside->ptr, reach->beside->ptr + reach->beside->size);
		finding->message = g_strdup_printf(
		    "%s reads %s of what argument %s points to, which no map includes: the device "
		    "has a copy of %s alone.",
		    finding->kernel, read, name, rest);
	}
	g_free(rest);
	g_free(read);
}

static void report(const struct rules_context *context, const struct launch *launch,
		   struct reach *reach)
{
	const struct hg_ev_launch *event = context->event->launch;
	const struct device_copy *copy = reach->copy ? reach->copy : reach->beside;
	struct place place = process_place(context->process, copy->host);
	struct pointer_argument argument = reach->pointer;
	struct finding *finding;
	const char *name;
	bool is_new;
	char *number;

	offload_doubt(context->process);
	if (reach->copy)
		reach->copy->told = true;
	finding = findings_get(context->findings, RULE_HG805, context->process, &is_new,
			       "reads %s %u %" G_GINT64_FORMAT, launch->kernel->symbol,
			       reach->pointer.kernarg, reach->read->path.step[0].offset);
	finding_hit(finding, context->event->ns, event->stack_id);
	finding->launches++;
	finding->work_items = MAX(finding->work_items, launch->work_items);
	finding_met(finding, &place);
	if (!is_new)
		return;
	finding->absence = ABSENCE_BETWEEN;
	argument.place = place; /* the host's */
	argument.address = copy->host;
	finding_set_launch(finding, launch, &argument);
	finding->device_file = g_strdup(reach->read->file);
	finding->device_line = reach->read->line;
	number = g_strdup_printf("%d", reach->pointer.index);
	name = reach->pointer.name ? reach->pointer.name : number;
	set_message(finding, reach, name);
	finding->fix = g_strdup_printf(
	    "map all of it that the region reads: map(to: %s) besides the maps of its members or "
	    "elements, which transfer nothing else of it",
	    reach->pointer.name ? name : "NAME");
	g_free(number);
	if (reach->later) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"they are the last of a load, and compilers make loads wider than "
				"what the region reads");
	} else if (!reach->read->executes) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"it is not certain that the region executes this load");
	} else if (!reach->read->decides) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"the region executes this load, but may not use what it reads: "
				"compilers load ahead of conditions");
	} else {
		finding_at_most(finding, CONFIDENCE_LIKELY,
				"compilers also compare ahead of other conditions");
	}
}

/* Returns a copy of the host's memory that another load from the same pointer lies in, or NULL. */
static const struct device_copy *copy_beside(const struct process_copies *process,
					     const struct isa_kernel *code,
					     const struct reach *reach)
{
	for (size_t i = 0; i < code->read_count; i++) {
		const struct isa_read *read = &code->reads[i];
		const struct device_copy *copy;

		if (read->path.kernarg != reach->pointer.kernarg)
			continue;
		copy =
		    copy_at(process, reach->pointer.address + (uint64_t)read->path.step[0].offset);
		if (copy && copy->host)
			return copy;
	}
	return NULL;
}

void check_offload_reads(const struct rules_context *context, const struct process_copies *process,
			 const struct launch *launch)
{
	const struct isa_kernel *code = launch->code;

	for (size_t i = 0; launch_is_omp(launch) && i < code->read_count; i++) {
		struct reach reach = { .read = &code->reads[i] };

		if (!launch_pointer(context, launch, reach.read->path.kernarg, &reach.pointer))
			continue;
		reach.first = reach.pointer.address + (uint64_t)reach.read->path.step[0].offset;
		reach.size = reach.read->size;
		reach.copy = copy_at(process, reach.first);
		if (reach.copy) {
			if (reach.copy->host && !reach.copy->told && find_lack(&reach))
				report(context, launch, &reach);
		} else {
			reach.beside = copy_beside(process, code, &reach);
			if (reach.beside)
				report(context, launch, &reach);
		}
	}
}
