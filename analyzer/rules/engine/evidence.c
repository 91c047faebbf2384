/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what findings rest on: instructions, memory, pages, numbers in sentences. */
#include "evidence.h"

#include <string.h>

#include "rule_api.h"
#include "tracer/api/hip_alloc_managed.h"

/* ---- instructions ---- */

static void code_site_free(gpointer data)
{
	struct code_site *site = data;

	g_free(site->instruction);
	g_free(site->function);
	g_free(site->file);
	g_free(site);
}

static bool is_same_site(const struct code_site *a, const struct code_site *b)
{
	return a->code_offset == b->code_offset && a->line == b->line &&
	       g_strcmp0(a->function, b->function) == 0 &&
	       g_strcmp0(a->instruction, b->instruction) == 0 && (!a->file == !b->file);
}

static bool has_site(const struct finding *finding, const struct code_site *site)
{
	for (unsigned i = 0; i < finding->instructions->len; i++)
		if (is_same_site(finding->instructions->pdata[i], site))
			return true;
	return false;
}

void finding_add_instruction(struct finding *finding, const struct code_site *site)
{
	struct code_site *copy;

	if (has_site(finding, site))
		return;
	copy = g_new(struct code_site, 1);
	*copy = (struct code_site){
		.instruction = g_strdup(site->instruction),
		.function = g_strdup(site->function),
		.code_offset = site->code_offset,
		.file = site->file && site->file[0] == '/'
			    ? g_canonicalize_filename(site->file, NULL)
			    : g_strdup(site->file),
		.line = site->line,
	};
	if (finding->instructions->len == 0) {
		finding->instruction = g_strdup(copy->instruction);
		finding->code_offset = copy->code_offset;
		finding->device_file = g_strdup(copy->file);
		finding->device_line = copy->line;
	}
	g_ptr_array_add(finding->instructions, copy);
}

/* ---- memory ---- */

static const struct pool_piece *live_piece(const struct place *place)
{
	return place->kind == PLACE_ALLOCATION && place->piece && !place->piece->freed
		   ? place->piece
		   : NULL;
}

void finding_met(struct finding *finding, const struct place *place)
{
	struct memory_range *met = &finding->met;
	const struct allocation *allocation = place->allocation;

	if (!allocation)
		return;
	finding->several_pieces |= finding->piece && finding->piece != live_piece(place);
	if (!met->any) {
		*met = (struct memory_range){
			.any = true,
			.first_ptr = allocation->ptr,
			.first_ns = allocation->ns,
			.least = allocation->size,
			.most = allocation->size,
			.first_offset = place->offset,
			.last_offset = place->offset,
		};
		return;
	}
	met->several |= allocation->ptr != met->first_ptr || allocation->ns != met->first_ns;
	met->least = MIN(met->least, allocation->size);
	met->most = MAX(met->most, allocation->size);
	met->first_offset = MIN(met->first_offset, place->offset);
	met->last_offset = MAX(met->last_offset, place->offset);
}

void finding_set_piece(struct finding *finding, const struct place *place)
{
	const struct pool_piece *piece = live_piece(place);

	if (!finding->piece && piece) {
		finding->piece = pool_piece_ref(place->piece);
		finding->piece_offset = place->piece_offset;
	}
}

uint64_t place_size(const struct place *place)
{
	const struct pool_piece *piece = live_piece(place);

	return piece ? piece->size : place->allocation->size;
}

uint64_t place_used(const struct place *place, const struct isa_kernel *code,
		    const struct isa_use *use)
{
	int64_t before = (int64_t)place->offset;
	int64_t behind = (int64_t)(place->allocation->size - place->offset);
	int64_t first, end;

	if (!code->uses_complete || !use->placed || behind < 0)
		return place_size(place);
	first = MAX(use->first, -before);
	end = MIN(use->end, behind);
	return first < end ? (uint64_t)(end - first) : 0;
}

char *piece_words(const struct pool_piece *piece, const char *size)
{
	char *of = piece->pool ? g_strdup_printf(" of pool \"%s\"", piece->pool) : g_strdup("");
	char *words = piece->name
			  ? g_strdup_printf("piece \"%s\" (%s bytes)%s", piece->name, size, of)
			  : g_strdup_printf("a piece of %s bytes%s", size, of);

	g_free(of);
	return words;
}

char *place_words(const struct place *place, const char *size)
{
	const struct allocation *allocation = place->allocation;
	const struct pool_piece *piece = live_piece(place);

	if (piece)
		return piece_words(piece, size);
	if (allocation->symbol)
		return g_strdup_printf("the variable %s (%s bytes)", allocation->symbol, size);
	if (allocation->view_space)
		return g_strdup_printf("View \"%s\" (%s), %s bytes from %s",
				       allocation->label ? allocation->label : "",
				       allocation->view_space, size, hg_api_name(allocation->api));
	return allocation->label
		   ? g_strdup_printf("\"%s\", %s bytes from %s", allocation->label, size,
				     hg_api_name(allocation->api))
		   : g_strdup_printf("%s bytes from %s", size, hg_api_name(allocation->api));
}

const char *piece_key(const struct place *place)
{
	static __thread char key[1200];
	const struct pool_piece *piece = place->piece;

	if (!piece)
		return place->allocation && place->allocation->label ? place->allocation->label
								     : "";
	g_snprintf(key, sizeof(key), "%u %d %s|%s", piece->stack_id, piece->freed,
		   piece->pool ? piece->pool : "", piece->name ? piece->name : "");
	return key;
}

struct collecting {
	struct finding *finding;
	enum granularity plain;
	bool advised;
};

static void add_stretch(void *data, uint64_t from, uint64_t to, const struct page_call *call)
{
	struct collecting *collecting = data;
	struct page_stretch stretch = {
		.offset = from - collecting->finding->allocation->ptr,
		.size = to - from,
		.granularity = collecting->plain,
		.advised = call,
	};

	if (call) {
		stretch.granularity = call->coarse ? GRAIN_COARSE : GRAIN_FINE;
		stretch.call = *call;
		collecting->advised = true;
	}
	g_array_append_val(collecting->finding->pages, stretch);
}

void finding_set_pages(struct finding *finding, const struct process *process,
		       enum granularity plain)
{
	struct collecting collecting = { finding, plain, false };
	const struct allocation *allocation = finding->allocation;

	g_array_set_size(finding->pages, 0);
	if (!allocation || !allocation->size)
		return;
	page_map_each(&process->pages, allocation->ptr, allocation->size, add_stretch, &collecting);
	if (!collecting.advised)
		g_array_set_size(finding->pages, 0);
}

const char *page_call_name(const struct page_call *call)
{
	switch (call->api) {
	case 0:
		return "hipgrain run --fix=coarse-managed";
	case HG_API_hipMemAdvise:
		return call->coarse ? "hipMemAdviseSetCoarseGrain" : "hipMemAdviseUnsetCoarseGrain";
	default:
		return hg_api_name(call->api);
	}
}

static void candidate_free(gpointer data)
{
	struct candidate *candidate = data;

	allocation_unref(candidate->allocation);
	g_free(candidate->why);
	g_free(candidate);
}

static bool is_alike(const struct candidate *candidate, const struct allocation *allocation,
		     enum granularity granularity, bool mixed)
{
	const struct allocation *first = candidate->allocation;

	return first == allocation ||
	       (first->api == allocation->api && first->flags == allocation->flags &&
		first->stack_id == allocation->stack_id && first->stack_id &&
		candidate->granularity == granularity && candidate->mixed == mixed);
}

void finding_add_candidate(struct finding *finding, struct allocation *allocation,
			   enum granularity granularity, bool mixed, const char *why,
			   int64_t kernarg)
{
	struct candidate *candidate;

	for (unsigned i = 0; i < finding->candidates->len; i++) {
		candidate = finding->candidates->pdata[i];
		if (is_alike(candidate, allocation, granularity, mixed)) {
			candidate->count += candidate->allocation != allocation;
			candidate->least = MIN(candidate->least, allocation->size);
			candidate->most = MAX(candidate->most, allocation->size);
			candidate->kernarg = candidate->kernarg < 0 ? kernarg : candidate->kernarg;
			return;
		}
	}
	if (finding->candidates->len == CANDIDATES_MOST) {
		finding->candidates_left_out++;
		return;
	}
	candidate = g_new(struct candidate, 1);
	*candidate = (struct candidate){ allocation_ref(allocation),
					 1,
					 allocation->size,
					 allocation->size,
					 granularity,
					 mixed,
					 kernarg,
					 g_strdup(why) };
	g_ptr_array_add(finding->candidates, candidate);
}

/* ---- numbers in sentences ---- */

void finding_figure(struct finding *finding, unsigned n, enum figure_kind kind, uint64_t value)
{
	struct figure *figure = &finding->figures[n];

	if (!figure->known) {
		*figure = (struct figure){ true, (int)kind, value, value, value };
		return;
	}
	figure->sum += value;
	figure->least = MIN(figure->least, value);
	figure->most = MAX(figure->most, value);
}

static void put_figure(GString *text, const struct figure *figure)
{
	switch (figure->kind) {
	case FIGURE_SUM:
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, figure->sum);
		break;
	case FIGURE_MOST:
		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT,
				       figure->least != figure->most ? "up to " : "", figure->most);
		break;
	default:
		g_string_append_printf(text, "%" G_GUINT64_FORMAT, figure->least);
		if (figure->least != figure->most)
			g_string_append_printf(text, " to %" G_GUINT64_FORMAT, figure->most);
		break;
	}
}

/* The text with its numbers; and in *pattern the text without, once it has any. */
static void render(const struct finding *finding, char **text, char **pattern, const char *end)
{
	const char *from;
	GString *rendered;

	if (!*pattern) {
		if (!*text || (!strchr(*text, '\x1f') && !*end))
			return;
		*pattern = g_strdup(*text);
	}
	rendered = g_string_new(NULL);
	for (from = *pattern; *from;) {
		size_t plain = strcspn(from, "\x1f");

		g_string_append_len(rendered, from, (gssize)plain);
		from += plain;
		if (from[0] && from[1] >= '0' && from[1] < '0' + FIGURES && from[2] == '\x1f') {
			put_figure(rendered, &finding->figures[from[1] - '0']);
			from += 3;
		} else if (*from) {
			from++; /* a name with this character in it */
		}
	}
	g_string_append(rendered, end);
	g_free(*text);
	*text = g_string_free(rendered, FALSE);
}

void finding_render(struct finding *finding)
{
	render(finding, &finding->message, &finding->message_pattern,
	       finding->varies ? FINDING_VARIES : "");
	render(finding, &finding->fix, &finding->fix_pattern, "");
}

void finding_set_message(struct finding *finding, char *message)
{
	g_free(finding->message);
	g_clear_pointer(&finding->message_pattern, g_free);
	finding->message = message;
}

void finding_set_fix(struct finding *finding, char *fix)
{
	g_free(finding->fix);
	g_clear_pointer(&finding->fix_pattern, g_free);
	finding->fix = fix;
}

void finding_detail(struct finding *finding, uint64_t detail)
{
	finding->varies |= finding->detailed && finding->detail != detail;
	if (!finding->detailed) {
		finding->detail = detail;
		finding->detailed = true;
	}
}

char *place_figure(struct finding *finding, unsigned n, const struct place *place)
{
	char mark[4] = { '\x1f', (char)('0' + n), '\x1f', 0 };

	switch (place->kind) {
	case PLACE_ALLOCATION:
	case PLACE_FREED:
	case PLACE_PAST_END:
		finding_figure(finding, n, FIGURE_RANGE, place_size(place));
		return place_words(place, mark);
	default:
		return place_text(place);
	}
}

/* ---- several findings ---- */

static void join_figures(struct finding *to, const struct finding *from)
{
	for (unsigned i = 0; i < FIGURES; i++) {
		struct figure *figure = &to->figures[i];
		const struct figure *other = &from->figures[i];

		if (figure->known && other->known) {
			figure->sum += other->sum;
			figure->least = MIN(figure->least, other->least);
			figure->most = MAX(figure->most, other->most);
		}
	}
}

void finding_join(struct finding *to, const struct finding *from)
{
	for (unsigned i = 0; i < from->instructions->len; i++)
		finding_add_instruction(to, from->instructions->pdata[i]);
	for (unsigned i = 0; i < from->candidates->len; i++) {
		const struct candidate *candidate = from->candidates->pdata[i];

		finding_add_candidate(to, candidate->allocation, candidate->granularity,
				      candidate->mixed, candidate->why, candidate->kernarg);
	}
	if (from->met.any && to->met.any) {
		to->met.several |= from->met.several || from->met.first_ptr != to->met.first_ptr ||
				   from->met.first_ns != to->met.first_ns;
		to->met.least = MIN(to->met.least, from->met.least);
		to->met.most = MAX(to->met.most, from->met.most);
		to->met.first_offset = MIN(to->met.first_offset, from->met.first_offset);
		to->met.last_offset = MAX(to->met.last_offset, from->met.last_offset);
	}
	to->beside += from->beside;
	to->unneeded += from->unneeded;
	to->unplaced += from->unplaced;
	to->varies |=
	    from->varies || (to->detailed && from->detailed && to->detail != from->detail);
	join_figures(to, from);
	finding_render(to);
}

void evidence_init(struct finding *finding)
{
	finding->instructions = g_ptr_array_new_with_free_func(code_site_free);
	finding->candidates = g_ptr_array_new_with_free_func(candidate_free);
	finding->pages = g_array_new(FALSE, FALSE, sizeof(struct page_stretch));
}

void evidence_free(struct finding *finding)
{
	g_ptr_array_free(finding->instructions, TRUE);
	g_ptr_array_free(finding->candidates, TRUE);
	g_array_free(finding->pages, TRUE);
	g_free(finding->message_pattern);
	g_free(finding->fix_pattern);
}
