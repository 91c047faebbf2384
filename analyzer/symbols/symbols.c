/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct symbolizer {
	GHashTable *sessions; /* struct process -> struct session */
	GHashTable *stacks;   /* "process stack" -> GPtrArray of struct source_frame */
	GHashTable *files;    /* path -> char ** lines, or an empty vector */
};

/* The modules of one process, as libdwfl sees them. */
struct session {
	Dwfl *dwfl;
	GHashTable *reported; /* struct host_module -> Dwfl_Module, NULL if it cannot be used */
};

/* libstdc++'s demangler (Itanium C++ ABI); the result is malloc'ed. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static void session_free(gpointer data)
{
	struct session *session = data;

	dwfl_end(session->dwfl);
	g_hash_table_destroy(session->reported);
	g_free(session);
}

static void frame_free(gpointer data)
{
	struct source_frame *frame = data;

	g_free(frame->function);
	g_free(frame->file);
	g_free(frame);
}

static void frames_free(gpointer data)
{
	g_ptr_array_free(data, TRUE);
}

static void lines_free(gpointer data)
{
	g_strfreev(data);
}

struct symbolizer *symbolizer_new(void)
{
	struct symbolizer *symbolizer = g_new0(struct symbolizer, 1);

	symbolizer->sessions = g_hash_table_new_full(NULL, NULL, NULL, session_free);
	symbolizer->stacks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, frames_free);
	symbolizer->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lines_free);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (symbolizer) {
		g_hash_table_destroy(symbolizer->sessions);
		g_hash_table_destroy(symbolizer->stacks);
		g_hash_table_destroy(symbolizer->files);
		g_free(symbolizer);
	}
}

static struct session *session_of(struct symbolizer *symbolizer, const struct process *process)
{
	struct session *session = g_hash_table_lookup(symbolizer->sessions, process);

	if (!session) {
		session = g_new0(struct session, 1);
		session->dwfl = dwfl_begin(&callbacks);
		session->reported = g_hash_table_new(NULL, NULL);
		g_hash_table_insert(symbolizer->sessions, (gpointer)process, session);
	}
	return session;
}

/* A file that was replaced since the recording must not lend its names to other code. */
static bool same_build(Dwfl_Module *module, const char *build_id)
{
	const unsigned char *bits;
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bits, &address);
	GString *text;
	bool same;

	if (length <= 0 || !build_id[0]) {
		return true;
	}
	text = g_string_new(NULL);
	for (int i = 0; i < length; i++) {
		g_string_append_printf(text, "%02x", bits[i]);
	}
	same = strcmp(text->str, build_id) == 0;
	g_string_free(text, TRUE);
	return same;
}

static Dwfl_Module *module_of(struct session *session, const struct host_module *host)
{
	Dwfl_Module *module;
	gpointer known;
	GElf_Addr bias;

	if (g_hash_table_lookup_extended(session->reported, host, NULL, &known)) {
		return known;
	}
	dwfl_report_begin_add(session->dwfl);
	module = dwfl_report_elf(session->dwfl, host->path, host->path, -1, host->bias, true);
	dwfl_report_end(session->dwfl, NULL, NULL);
	/* The build id can only be had once the ELF file has been opened. */
	if (module && (!dwfl_module_getelf(module, &bias) || !same_build(module, host->build_id))) {
		module = NULL;
	}
	g_hash_table_insert(session->reported, (gpointer)host, module);
	return module;
}

static char *demangled(const char *symbol)
{
	int status = 0;
	char *text, *result;

	if (!symbol) {
		return NULL;
	}
	text = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	result = g_strdup(text ? text : symbol);
	free(text);
	return result;
}

/* Compilers write what they were given: "build/../src/main.cpp" is src/main.cpp. */
static char *full_path(Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *folder =
	    unit ? dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)) : NULL;

	if (!file || (file[0] != '/' && !(folder && folder[0] == '/'))) {
		return g_strdup(file);
	}
	return g_canonicalize_filename(file, folder && folder[0] == '/' ? folder : NULL);
}

static void add_frame(GPtrArray *frames, const char *function, Dwarf_Die *unit, const char *file,
		      int line, const struct host_module *module, uint64_t address)
{
	struct source_frame *frame = g_new0(struct source_frame, 1);

	frame->function = demangled(function);
	frame->file = full_path(unit, file);
	frame->line = line > 0 ? (unsigned)line : 0;
	frame->module = module ? module->path : NULL;
	frame->offset = module ? address - module->bias : address;
	g_ptr_array_add(frames, frame);
}

/* Where an inlined call stands in its caller. */
static const char *call_position(Dwarf_Die *inlined, Dwarf_Die *unit, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0, file = 0;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0) {
		*line = (int)value;
	}
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count) {
		return NULL;
	}
	return dwarf_filesrc(files, file, NULL, NULL);
}

/*
 * The compilation unit of an address. libdwfl only asks .debug_aranges, which clang does not
 * write, so the units are asked themselves if that leads nowhere.
 */
static Dwarf_Die *unit_of(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (!unit) {
		while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL &&
		       dwarf_haspc(unit, address - *bias) != 1) {
		}
	}
	return unit;
}

/* Inlined frames and the function that holds them; false if there is no debug information. */
static bool add_scopes(GPtrArray *frames, Dwarf_Die *unit, uint64_t unit_address, uint64_t address,
		       const struct host_module *host, const char *file, int line)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	bool found = false;
	int count;

	if (dwarf_getscopes(unit, unit_address, &scopes) <= 0) {
		return false;
	}
	/* getscopes() goes on with the abstract parents of an inlined scope; the concrete ones
	 * are the parents of the innermost scope. */
	count = dwarf_getscopes_die(&scopes[0], &chain);
	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&chain[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
			continue;
		}
		add_frame(frames, dwarf_diename(&chain[i]), unit, file, line, host, address);
		found = true;
		if (tag == DW_TAG_subprogram) {
			break;
		}
		file = call_position(&chain[i], unit, &line);
	}
	free(scopes);
	free(chain);
	return found;
}

static void add_address(GPtrArray *frames, struct session *session, const struct process *process,
			uint64_t return_address)
{
	/* The call, not what follows it: the return address may belong to the next line. */
	uint64_t address = return_address ? return_address - 1 : 0;
	const struct host_module *host = process_module(process, address);
	Dwfl_Module *module = host ? module_of(session, host) : NULL;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;
	Dwarf_Line *position;
	const char *file = NULL;
	int line = 0;

	if (!module) {
		add_frame(frames, NULL, NULL, NULL, 0, host, address);
		return;
	}
	unit = unit_of(module, address, &bias);
	position = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	if (position) {
		file = dwarf_linesrc(position, NULL, NULL);
		dwarf_lineno(position, &line);
	}
	if (!unit || !add_scopes(frames, unit, address - bias, address, host, file, line)) {
		add_frame(frames, dwfl_module_addrname(module, address), unit, file, line, host,
			  address);
	}
}

const GPtrArray *symbolize_stack(struct symbolizer *symbolizer, const struct process *process,
				 uint32_t stack_id)
{
	char *key = g_strdup_printf("%p %u", (const void *)process, stack_id);
	GPtrArray *frames = g_hash_table_lookup(symbolizer->stacks, key);
	const struct call_stack *stack = process_stack(process, stack_id);
	struct session *session;

	if (frames) {
		g_free(key);
		return frames;
	}
	frames = g_ptr_array_new_with_free_func(frame_free);
	session = session_of(symbolizer, process);
	for (uint32_t i = 0; stack && session->dwfl && i < stack->depth; i++) {
		add_address(frames, session, process, stack->frames[i]);
	}
	g_hash_table_insert(symbolizer->stacks, key, frames);
	return frames;
}

bool is_wrapping_frame(const struct source_frame *frame)
{
	return (frame->function && strstr(frame->function, "__device_stub__")) ||
	       (frame->file && strstr(frame->file, "/include/hip/"));
}

const struct source_frame *user_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++) {
		if (!is_wrapping_frame(frames->pdata[i])) {
			return frames->pdata[i];
		}
	}
	return NULL;
}

char *source_frame_text(const struct source_frame *frame)
{
	char *place;
	char *text;

	if (frame->file) {
		place = g_strdup_printf("%s:%u", frame->file, frame->line);
	} else {
		place = g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x",
					frame->module ? frame->module : "?", frame->offset);
	}
	text =
	    frame->function ? g_strdup_printf("%s (%s)", place, frame->function) : g_strdup(place);
	g_free(place);
	return text;
}

char *stack_place(struct symbolizer *symbolizer, const struct process *process, uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(symbolizer, process, stack_id);
	const struct source_frame *frame = user_frame(frames);

	if (!frame && frames->len) {
		frame = frames->pdata[0];
	}
	return frame ? source_frame_text(frame) : g_strdup("(call stack not recorded)");
}

const char *source_line(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	char **lines = g_hash_table_lookup(symbolizer->files, file);
	char *content;

	if (!lines) {
		if (!g_file_get_contents(file, &content, NULL, NULL)) {
			content = g_strdup("");
		}
		lines = g_strsplit(content, "\n", -1);
		g_free(content);
		g_hash_table_insert(symbolizer->files, g_strdup(file), lines);
	}
	if (line == 0 || line > g_strv_length(lines)) {
		return NULL;
	}
	return g_strchug(lines[line - 1]);
}
