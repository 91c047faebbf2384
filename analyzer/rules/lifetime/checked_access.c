/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrong memory accesses that the software GPU's checks saw (gpu_checked; `hipgrain check`): HG623,
 * uses of memory that nothing wrote: HG624, races in LDS: HG711, of work-groups: HG714, and
 * barriers that not all work-items reached: HG712, and kernels that were ended: HG715. They
 * happened, so that nothing about them is a guess but whether something else than a barrier orders
 * two accesses, and whether the program relies on what the hardware does with waves that ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/isa/isa.h"
#include "analyzer/isa/disasm.h"
#include "analyzer/rules/engine/evidence.h"
#include "analyzer/rules/engine/kernels.h"
#include "analyzer/rules/engine/rule_api.h"
#include "analyzer/rules/ids/hg6xx.h"
#include "analyzer/rules/ids/hg7xx.h"
#include "tracer/api/hsa.h"
#include "tracer/events/ev_call.h"

/* enum softgpu_check_kind */
enum kind {
	PAST_END,
	FREED,
	LDS_BOUNDS,
	MISALIGNED,
	RACE,
	FOREIGN,
	VARIABLES,
	UNWRITTEN_BRANCH,
	UNWRITTEN_ADDRESS,
	UNWRITTEN_RESULT,
	UNWRITTEN_ATOMIC,
	BARRIER_LANES,
	BARRIER_WAVES,
	GLOBAL_RACE,
	ENDLESS,
	UNWRITTEN_FETCHED,
	KINDS
};

/* The upper half of flat addresses in LDS: SOFTGPU_SHARED_APERTURE_HI */
#define LDS_HIGH 0x10000u

#define UNWRITTEN_FIX                                                                  \
	"copy to all bytes of the memory, fill them, or have a kernel store to them, " \
	"before they are used; LDS is not cleared, either"

static const struct check_kind {
	enum rule_id rule;
	const char *subject, *more, *fix; /* `more` ends the message's first sentence */
} kinds[KINDS] = {
	[PAST_END] = { RULE_HG623, "past the end", "",
		       "compare the kernel's index with the number of elements, or allocate as "
		       "many as it uses" },
	[FREED] = { RULE_HG623, "freed", "",
		    "release the memory after the last kernel that uses it has finished" },
	[LDS_BOUNDS] = { RULE_HG623, "beyond LDS", "",
			 "compare the index with the size of the __shared__ array, or pass the "
			 "bytes that the kernel uses as the launch's dynamic LDS size" },
	[MISALIGNED] = { RULE_HG623, "misaligned atomic", ": an atomic at no multiple of its size",
			 "align what the atomic updates to its size" },
	[RACE] = { RULE_HG711, "LDS", "", "call __syncthreads() between the two accesses" },
	[FOREIGN] = { RULE_HG623, "another allocation",
		      "; no argument of the launch and no pointer that a kernel loaded points to "
		      "that memory",
		      "compare the kernel's index with the number of elements of the allocation "
		      "that its pointer points to" },
	[VARIABLES] = { RULE_HG623, "past the variables",
			", behind the last variable of the kernel's code object",
			"compare the kernel's index with the number of elements of the variable" },
	[UNWRITTEN_BRANCH] = { RULE_HG624, "branch", "", UNWRITTEN_FIX },
	[UNWRITTEN_ADDRESS] = { RULE_HG624, "address", "", UNWRITTEN_FIX },
	[UNWRITTEN_RESULT] = { RULE_HG624, "result", "", UNWRITTEN_FIX },
	[UNWRITTEN_ATOMIC] = { RULE_HG624, "atomic", "", UNWRITTEN_FIX },
	[BARRIER_LANES] = { RULE_HG712, "lanes", "",
			    "call __syncthreads() outside of the condition, so that all work-items "
			    "of the work-group reach it" },
	[BARRIER_WAVES] = { RULE_HG712, "waves", "",
			    "let all waves of the work-group call __syncthreads() equally often, "
			    "at "
			    "the same places" },
	[GLOBAL_RACE] = { RULE_HG714, "work-groups", "",
			  "update what several work-groups use with atomics, let each work-group "
			  "store to memory of its own, or make two kernels of the two accesses" },
	[UNWRITTEN_FETCHED] = { RULE_HG624, "copy to the host", "", UNWRITTEN_FIX },
	[ENDLESS] = { RULE_HG715, "endless", "",
		      "store what the kernel waits for before it is launched or from a work-group "
		      "that does not wait, or launch work-groups that wait for each other "
		      "cooperatively" },
};

#define UNUSED "it is not known whether anything uses the result"

/* These say what may be otherwise than it looks. */
static const char *const doubts[KINDS] = {
	[RACE] = "an atomic or a flag may order the two, which machine code does not show",
	[GLOBAL_RACE] = "nothing may use what is loaded, or only to look at it again later",
	[UNWRITTEN_FETCHED] = "it is not known whether the host uses them",
	[ENDLESS] = "it may only need longer: see --time-limit",
	[FOREIGN] = "the program may compute one allocation's address from another's, or load a "
		    "pointer byte by byte",
	[UNWRITTEN_BRANCH] = UNUSED,
	[UNWRITTEN_ADDRESS] = UNUSED,
	[UNWRITTEN_RESULT] = UNUSED,
	[UNWRITTEN_ATOMIC] = UNUSED,
	[BARRIER_LANES] =
	    "the work-items may have returned: compilers merge the last stores of two "
	    "ways",
	[BARRIER_WAVES] =
	    "a program for AMD's hardware alone may count on its barriers, which take "
	    "in only waves that have not ended",
};

/* An event says this; the reader frees the names. */
struct access {
	char *kernel, *mnemonic;
	char *other; /* mnemonic of the other access of a race, "" if it is not known */
	enum kind kind;
	uint32_t group[3], item[3], other_item[3], other_group[3], lds_size;
	bool writes, doubtful;
};

static bool is_barrier(const struct access *access)
{
	return access->kind == BARRIER_LANES || access->kind == BARRIER_WAVES;
}

/* Takes the words of the event's text from its end, as names of kernels may hold anything. */
static bool read_access(const struct hg_ev_call *event, struct access *access)
{
	char **words = g_strsplit(event->text, " ", 0);
	unsigned count = g_strv_length(words);
	uint64_t kind = event->value & 255;
	uint32_t *triples[] = { access->group, access->item, access->other_item,
				access->other_group };
	static const unsigned places[] = { 2, 3, 4, 7 };
	bool valid = count == 8 && kind < KINDS && *words[0] && *words[1];

	for (unsigned i = 0; valid && i < G_N_ELEMENTS(places); i++) {
		char end;

		valid = sscanf(words[places[i]], "%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%c",
			       &triples[i][0], &triples[i][1], &triples[i][2], &end) == 3;
	}
	valid = valid && sscanf(words[5], "%" SCNu32, &access->lds_size) == 1;
	if (valid) {
		access->kernel = g_strdup(words[0]);
		access->mnemonic = g_strdup(words[1]);
		access->other = g_strdup(strcmp(words[6], "-") ? words[6] : "");
		access->kind = (enum kind)kind;
		access->writes = event->value >> 8 & 1;
		access->doubtful = event->value >> 9 & 1;
	}
	g_strfreev(words);
	return valid;
}

static const struct kernel_ref *find_kernel(const struct process *process, const char *symbol)
{
	const struct kernel_ref *found = NULL;
	GHashTableIter iterator;
	gpointer value;

	g_hash_table_iter_init(&iterator, process->kernels);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct kernel_ref *kernel = value;

		/* The latest of that name. */
		if (strcmp(kernel->symbol, symbol) == 0 && (!found || kernel->id > found->id))
			found = kernel;
	}
	return found;
}

static char *triple(const uint32_t number[3])
{
	return g_strdup_printf("(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", number[0], number[1],
			       number[2]);
}

static bool is_race(const struct access *access)
{
	return access->kind == RACE || access->kind == GLOBAL_RACE;
}

static bool is_unwritten(const struct access *access)
{
	return access->kind >= UNWRITTEN_BRANCH && access->kind <= UNWRITTEN_ATOMIC;
}

/* Returns what becomes of bytes that nothing wrote. */
static char *use_of(const struct access *access, uint64_t offset)
{
	static const char *const uses[] = {
		[UNWRITTEN_BRANCH] =
		    "They decide at +0x%" PRIx64 " which instructions are executed.",
		[UNWRITTEN_ADDRESS] = "They decide at +0x%" PRIx64 " which address is accessed.",
		[UNWRITTEN_RESULT] = "A result computed with them is stored at +0x%" PRIx64 ".",
		[UNWRITTEN_ATOMIC] = "The atomic at +0x%" PRIx64 " changes them.",
	};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return g_strdup_printf(uses[access->kind], offset);
#pragma GCC diagnostic pop
}

/* Returns "24 bytes past the end of 4096 bytes from hipMalloc" or the like. */
static char *where(const struct rules_context *context, const struct access *access)
{
	const struct hg_ev_call *event = context->event->call;
	struct place place = process_place(context->process, event->ptr);
	char *words, *text, *size;
	uint64_t end;

	if (access->kind == LDS_BOUNDS)
		return g_strdup_printf("at byte %" PRIu64 " of LDS, of which the work-group has "
				       "%" PRIu32 " bytes",
				       event->ptr, access->lds_size);
	if (access->kind == RACE)
		return g_strdup_printf("at byte %" PRIu64 " of LDS", event->ptr);
	if ((is_unwritten(access) || access->kind == ENDLESS) && event->ptr >> 32 == LDS_HIGH)
		return g_strdup_printf("at byte %" PRIu32 " of LDS", (uint32_t)event->ptr);
	if (!place.allocation)
		return g_strdup_printf("at 0x%" PRIx64, event->ptr);
	size = g_strdup_printf("%" PRIu64, place_size(&place));
	words = place_words(&place, size);
	g_free(size);
	end = place.offset + event->size;
	if ((access->kind != PAST_END && access->kind != VARIABLES) ||
	    (place.kind != PLACE_PAST_END && end < place.allocation->size)) {
		text = g_strdup_printf("at byte %" PRIu64 " of %s%s", place.offset,
				       access->kind == FREED ? "released memory: " : "", words);
	} else if (place.kind == PLACE_PAST_END) {
		text = g_strdup_printf("that begin %" PRIu64 " bytes past the end of %s",
				       place.offset, words);
	} else {
		text = g_strdup_printf("of which %" PRIu64 " bytes are past the end of %s",
				       end - place.allocation->size, words);
	}
	g_free(words);
	return text;
}

static char *barrier_message(const struct hg_ev_call *event, const struct access *access,
			     const char *name)
{
	char *group = triple(access->group), *item = triple(access->item);
	char *other = triple(access->other_item), *text;

	if (access->kind == BARRIER_LANES)
		text = g_strdup_printf(
		    "In work-group %s of %s, work-item %s did not reach the barrier at +0x%" PRIx64
		    ", which its wave passed without it and %" PRIu64
		    " others%s, and then executed %s at +0x%" PRIx64 ".",
		    group, name, item, event->handle, event->size - 1,
		    access->doubtful ? "" : ", none of which waited there", access->mnemonic,
		    event->flags);
	else
		text = g_strdup_printf(
		    "In work-group %s of %s, the wave of work-item %s waited at the barrier at "
		    "+0x%" PRIx64 " for that of work-item %s at +0x%" PRIx64
		    ". One of its waves then ended after %" PRIu64
		    " barriers, another one reached %" PRIu64 ".",
		    group, name, item, event->flags, other, event->handle, event->size, event->ptr);
	g_free(group);
	g_free(item);
	g_free(other);
	return text;
}

static char *endless_message(const struct rules_context *context, const struct access *access,
			     const char *name)
{
	const struct hg_ev_call *event = context->event->call;
	char *group = triple(access->group), *item = triple(access->item);
	char *place = where(context, access), *what = NULL, *text;

	if (event->size)
		what = g_strdup_printf("went on to read %" PRIu64 " bytes %s, with %s at",
				       event->size, place, access->mnemonic);
	text = g_strdup_printf(
	    "For %" PRIu64 " s no work-group of %s ended: %" PRIu32 " had ended before, %" PRIu32
	    " ran, and %" PRIu32 " had not begun. Work-item %s of work-group %s %s +0x%" PRIx64
	    ".%s The kernel was ended then.",
	    event->handle, name, access->other_group[0], access->other_group[1],
	    access->other_group[2], item, group, what ? what : "was at", event->flags,
	    access->doubtful ? ""
			     : " All its waves repeated the same instructions with "
			       "the same values, or waited at a barrier.");
	g_free(what);
	g_free(place);
	g_free(group);
	g_free(item);
	return text;
}

static char *message(const struct rules_context *context, const struct access *access,
		     const char *name)
{
	const struct hg_ev_call *event = context->event->call;
	char *group = triple(access->group), *item = triple(access->item);
	char *other = triple(access->other_item), *place = where(context, access), *text;

	text = g_strdup_printf("Work-item %s of work-group %s of %s %s %" PRIu64
			       " bytes %s, with %s at +0x%" PRIx64 "%s.",
			       item, group, name, access->writes ? "writes" : "reads", event->size,
			       place, access->mnemonic, event->flags, kinds[access->kind].more);
	if (access->kind == RACE) {
		char *race = g_strdup_printf("%s No barrier is between that and the access of "
					     "work-item %s at +0x%" PRIx64 ", of another wave.",
					     text, other, event->handle);

		g_free(text);
		text = race;
	}
	if (access->kind == GLOBAL_RACE) {
		char *other_group = triple(access->other_group);
		char *race = g_strdup_printf(
		    "%s Before that, in the same launch, work-item %s of work-group %s accessed "
		    "them at +0x%" PRIx64 ", and nothing that %s executed since orders the two.",
		    text, other, other_group, event->handle, group);

		g_free(other_group);
		g_free(text);
		text = race;
	}
	if (is_unwritten(access)) {
		char *use = use_of(access, event->handle);
		char *both = g_strdup_printf("%s Nothing wrote them before. %s", text, use);

		g_free(use);
		g_free(text);
		text = both;
	}
	g_free(group);
	g_free(item);
	g_free(other);
	g_free(place);
	return text;
}

/* Returns true if a line of the source is known of it alone. */
static bool add_instruction(const struct rules_context *context, struct finding *finding,
			    const struct kernel_ref *kernel, const char *mnemonic, uint64_t offset)
{
	struct code_site site = { .instruction = (char *)mnemonic, .code_offset = (int64_t)offset };
	bool merged = false, known;

	if (kernel)
		site.file = kernels_line(context->kernels, context->process, kernel,
					 (int64_t)offset, &site.line, &merged);
	finding_add_instruction(finding, &site);
	known = site.file && !merged;
	g_free(site.file);
	return known;
}

/* Fills in the message about a copy to the host. */
static void fill_fetched(const struct rules_context *context, const struct access *access,
			 struct finding *finding)
{
	const struct hg_ev_call *event = context->event->call;
	const struct check_kind *row = &kinds[access->kind];
	struct place place = process_place(context->process, event->ptr);
	char *at = where(context, access);

	finding->subject = g_strdup(row->subject);
	finding->message =
	    g_strdup_printf("hipMemcpy copies %" PRIu64 " bytes to the host, of which "
			    "nothing has written the %" PRIu64 " %s.",
			    event->flags, event->size, at);
	finding->fix = g_strdup(row->fix);
	if (place.allocation)
		finding_set_place(finding, &place, event->ptr);
	finding_at_most(finding, CONFIDENCE_POSSIBLE, doubts[access->kind]);
	finding->maybe_harmless = true;
	g_free(at);
}

static void fill(const struct rules_context *context, const struct access *access,
		 struct finding *finding)
{
	const struct hg_ev_call *event = context->event->call;
	const struct kernel_ref *kernel = find_kernel(context->process, access->kernel);
	const struct check_kind *row = &kinds[access->kind];
	struct place place = process_place(context->process, event->ptr);
	char *name = isa_demangle(access->kernel);
	bool has_line;

	finding->kernel = g_strdup(name ? name : access->kernel);
	finding->kernel_symbol = g_strdup(access->kernel);
	finding->subject = g_strdup(row->subject);
	if (access->kind == ENDLESS)
		finding->message = endless_message(context, access, finding->kernel);
	else if (is_barrier(access))
		finding->message = barrier_message(event, access, finding->kernel);
	else
		finding->message = message(context, access, finding->kernel);
	finding->fix = g_strdup(row->fix);
	has_line = add_instruction(context, finding, kernel, access->mnemonic, event->flags);
	if (is_race(access) || is_barrier(access) ||
	    (is_unwritten(access) && event->handle != event->flags))
		add_instruction(context, finding, kernel,
				is_barrier(access) ? "s_barrier" : access->other, event->handle);
	if (access->kind != RACE && !is_barrier(access) && access->kind != LDS_BOUNDS &&
	    place.allocation) {
		if (place.kind == PLACE_PAST_END) /* offsets are from the beginning */
			place.offset += place.allocation->size;
		finding_set_place(finding, &place, event->ptr);
	}
	if (access->doubtful && doubts[access->kind])
		finding_at_most(finding, CONFIDENCE_LIKELY, doubts[access->kind]);
	/* An instruction that was merged of two has the line of neither. */
	if (access->doubtful && access->kind == BARRIER_LANES && !has_line) {
		finding_at_most(finding, CONFIDENCE_POSSIBLE,
				"no line of the source is known of the store, as of merged ones");
		finding->maybe_harmless = true;
	}
	free(name);
}

/* Says what the checks leave out, where they were on. */
static void limit(const struct rules_context *context)
{
	const char *tools = process_env(context->process, "SOFTGPU_CHECK");

	if (tools && strstr(tools, "memcheck"))
		findings_limit_of(context->findings, LIMIT_MODEL,
				  "not checked: images, buffers with formats, loads "
				  "from memory into LDS, private memory; bytes in front of "
				  "allocations, or far behind them; memory of virtual memory "
				  "management, and of pools after its release; parts of "
				  "allocations");
	if (tools && strstr(tools, "initcheck"))
		findings_limit_of(context->findings, LIMIT_MODEL,
				  "not checked for being written: memory of other functions than "
				  "hipMalloc, hipExtMallocWithFlags, hipMallocPitch and "
				  "hipMallocAsync, allocations "
				  "of more than 256 MiB, private memory; what images, buffers with "
				  "formats and scalar stores access; what the host does with bytes "
				  "that it copies by other functions than hipMemcpy");
	if (tools && strstr(tools, "racecheck"))
		findings_limit_of(
		    context->findings, LIMIT_MODEL,
		    "not checked: races in global memory of waves of a work-group, with "
		    "atomics, and beyond 128 MiB of a launch; loads of LDS that atomics "
		    "update; ds_append, ds_consume and loads from memory into LDS");
	if (tools && strstr(tools, "synccheck"))
		findings_limit_of(context->findings, LIMIT_MODEL,
				  "not checked: work-items that do nothing after a barrier that "
				  "they did not reach, as those that have returned; barriers at "
				  "different places that all waves pass equally often; kernels for "
				  "a single wave, from which compilers remove barriers");
}

static void check_access(const struct rules_context *context)
{
	const struct hg_ev_call *event = context->event->call;
	struct access access = { 0 };
	struct finding *finding;
	bool is_new;

	if (event->api != HG_API_gpu_checked || !read_access(event, &access))
		return;
	if (access.kind == UNWRITTEN_FETCHED)
		finding = findings_get(context->findings, RULE_HG624, context->process, &is_new,
				       "fetched %" PRIu32, event->stack_id);
	else
		finding = findings_get(context->findings, kinds[access.kind].rule, context->process,
				       &is_new, "%d %s %" PRIx64 " %" PRIx64, (int)access.kind,
				       access.kernel, event->flags, event->handle);
	if (is_new && access.kind == UNWRITTEN_FETCHED) {
		fill_fetched(context, &access, finding);
		finding->api = g_strdup("hipMemcpy");
	} else if (is_new) {
		fill(context, &access, finding);
		finding->api = g_strdup("gpu_checked");
	}
	finding_hit(finding, context->event->ns, event->stack_id);
	g_free(access.kernel);
	g_free(access.mnemonic);
	g_free(access.other);
}

void check_accesses(const struct rules_context *context)
{
	if (context->wake == WAKE_FINISH)
		limit(context);
	else
		check_access(context);
}
