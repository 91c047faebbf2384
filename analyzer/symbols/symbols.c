/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of stacks to functions and lines, by debug information. */
#include "symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "jit.h"
#include "names.h"
#include "source.h"
#include "codeobj/text.h"

/* Executables and libraries that are open at once: the memory of their line tables is bounded. */
#define MAX_FILES 64u

struct symbolizer {
	char *bundle;        /* path, or NULL */
	GHashTable *objects; /* "path build-id" -> struct object */
	uint64_t uses;
	GHashTable *stacks; /* "process stack" -> GPtrArray of struct source_frame */
	GHashTable *files;  /* path -> char ** lines, or an empty vector */
	GHashTable *jits;   /* struct process -> struct jit_map or NULL */
};

/* One file, as libdwfl sees it, at the addresses that the file itself gives. */
struct object {
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL if it cannot be used */
	uint64_t last_use;
};

/* As in elfutils' own tools: "" is the file's own directory. */
#define DEBUG_PATH ":.debug:/usr/lib/debug"

static char *debug_path; /* set before the first use, then constant */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* Directories of HIPGRAIN_DEBUG_PATH are searched besides the usual ones. */
static void find_debug_path(void)
{
	const char *more = getenv("HIPGRAIN_DEBUG_PATH");

	if (!debug_path) {
		debug_path =
		    more && *more ? g_strconcat(DEBUG_PATH, ":", more, NULL) : g_strdup(DEBUG_PATH);
	}
}

static void object_free(gpointer data)
{
	struct object *object = data;

	dwfl_end(object->dwfl);
	g_free(object);
}

static void jit_free(gpointer data)
{
	jit_map_free(data);
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

struct symbolizer *symbolizer_new(const char *bundle)
{
	struct symbolizer *symbolizer = g_new0(struct symbolizer, 1);

	find_debug_path();
	symbolizer->bundle = g_strdup(bundle);
	symbolizer->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, object_free);
	symbolizer->stacks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, frames_free);
	symbolizer->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lines_free);
	symbolizer->jits = g_hash_table_new_full(NULL, NULL, NULL, jit_free);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (symbolizer) {
		g_hash_table_destroy(symbolizer->objects);
		g_hash_table_destroy(symbolizer->stacks);
		g_hash_table_destroy(symbolizer->files);
		g_hash_table_destroy(symbolizer->jits);
		g_free(symbolizer->bundle);
		g_free(symbolizer);
	}
}

/* A file that was replaced since the recording must not lend its names to other code. */
static bool same_build(Dwfl_Module *module, const char *build_id)
{
	const unsigned char *bits;
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bits, &address);
	GString *text;
	bool same;

	if (length <= 0 || !build_id[0])
		return true;
	text = g_string_new(NULL);
	for (int i = 0; i < length; i++)
		g_string_append_printf(text, "%02x", bits[i]);
	same = strcmp(text->str, build_id) == 0;
	g_string_free(text, TRUE);
	return same;
}

static void close_oldest(struct symbolizer *symbolizer)
{
	const struct object *oldest = NULL;
	gpointer key, value, which = NULL;
	GHashTableIter iterator;

	g_hash_table_iter_init(&iterator, symbolizer->objects);
	while (g_hash_table_iter_next(&iterator, &key, &value)) {
		const struct object *object = value;

		if (!oldest || object->last_use < oldest->last_use) {
			oldest = object;
			which = key;
		}
	}
	g_hash_table_remove(symbolizer->objects, which);
}

static struct object *open_object(const struct host_module *host)
{
	struct object *object = g_new0(struct object, 1);
	GElf_Addr bias;

	object->dwfl = dwfl_begin(&callbacks);
	if (!object->dwfl)
		return object;
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_elf(object->dwfl, host->path, host->path, -1, 0, true);
	dwfl_report_end(object->dwfl, NULL, NULL);
	/* The build id can only be had once the ELF file has been opened. */
	if (object->module && (!dwfl_module_getelf(object->module, &bias) ||
			       !same_build(object->module, host->build_id)))
		object->module = NULL;
	return object;
}

/* Processes share what they have loaded, wherever it lies in each of them. */
static Dwfl_Module *module_of(struct symbolizer *symbolizer, const struct host_module *host)
{
	char *key = g_strdup_printf("%s %s", host->path, host->build_id);
	struct object *object = g_hash_table_lookup(symbolizer->objects, key);

	if (!object) {
		if (g_hash_table_size(symbolizer->objects) >= MAX_FILES)
			close_oldest(symbolizer);
		object = open_object(host);
		g_hash_table_insert(symbolizer->objects, g_strdup(key), object);
	}
	g_free(key);
	object->last_use = ++symbolizer->uses;
	return object->module;
}

/* Compilers write what they were given: "build/../src/main.cpp" is src/main.cpp. */
static char *full_path(Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *folder =
	    unit ? dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)) : NULL;

	if (!file || (file[0] != '/' && !(folder && folder[0] == '/')))
		return g_strdup(file);
	return g_canonicalize_filename(file, folder && folder[0] == '/' ? folder : NULL);
}

/* Frees the text. Of what stands in debug information every byte may be chosen. */
static char *on_one_line(char *text)
{
	char *line = text_one_line(text), *copy = g_strdup(line);

	free(line);
	g_free(text);
	return copy;
}

static void add_frame(GPtrArray *frames, const char *function, Dwarf_Die *unit, const char *file,
		      int line, const struct host_module *module, uint64_t address)
{
	struct source_frame *frame = g_new0(struct source_frame, 1);

	frame->function = on_one_line(demangled(function));
	frame->file = on_one_line(full_path(unit, file));
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

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0)
		*line = (int)value;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/*
 * The compilation unit of an address. libdwfl only asks .debug_aranges, which clang does not
 * write, so the units themselves are searched if that finds nothing.
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

	if (dwarf_getscopes(unit, unit_address, &scopes) <= 0)
		return false;
	/* getscopes() goes on with the abstract parents of an inlined scope; the concrete ones
	 * are the parents of the innermost scope. */
	count = dwarf_getscopes_die(&scopes[0], &chain);
	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&chain[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		add_frame(frames, dwarf_diename(&chain[i]), unit, file, line, host, address);
		found = true;
		if (tag == DW_TAG_subprogram)
			break;
		file = call_position(&chain[i], unit, &line);
	}
	free(scopes);
	free(chain);
	return found;
}

/* Code that is in no file: what its compiler tells about it, or nothing. */
static void add_jit(GPtrArray *frames, struct symbolizer *symbolizer, const struct process *process,
		    uint64_t address)
{
	struct source_frame *frame;
	gpointer map = NULL;
	const char *name = NULL;
	uint64_t offset = 0;

	if (!g_hash_table_lookup_extended(symbolizer->jits, process, NULL, &map)) {
		map = jit_map_read(symbolizer->bundle, process->pid, process->began_ns);
		g_hash_table_insert(symbolizer->jits, (gpointer)process, map);
	}
	if (map)
		name = jit_map_find(map, address, &offset);
	add_frame(frames, name, NULL, NULL, 0, NULL, address);
	if (name) {
		frame = frames->pdata[frames->len - 1];
		frame->module = "[JIT]";
		frame->offset = offset;
	}
}

/* How far behind an instruction without a line the next one with a line may lie, bytes. */
#define NEXT_LINE_LIMIT 64

/*
 * The position just behind an address that has none: compilers give the call of an OpenMP target
 * region line 0, and the check of its result the line of the directive.
 */
static Dwarf_Line *next_position(Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Lines *lines;
	size_t count, first = 0, last;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return NULL;
	for (last = count; first < last;) { /* the first one behind the address */
		size_t middle = first + (last - first) / 2;
		Dwarf_Addr at = 0;

		dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at);
		if (at <= address)
			first = middle + 1;
		else
			last = middle;
	}
	for (; first < count; first++) {
		Dwarf_Line *position = dwarf_onesrcline(lines, first);
		Dwarf_Addr at = 0;
		bool end = true;
		int line = 0;

		if (dwarf_lineaddr(position, &at) != 0 || at - address > NEXT_LINE_LIMIT ||
		    dwarf_lineendsequence(position, &end) != 0 || end)
			return NULL;
		if (dwarf_lineno(position, &line) == 0 && line > 0)
			return position;
	}
	return NULL;
}

static void add_address(GPtrArray *frames, struct symbolizer *symbolizer,
			const struct process *process, unsigned modules, uint64_t return_address)
{
	/* The call, not what follows it: the return address may belong to the next line. */
	uint64_t address = return_address ? return_address - 1 : 0;
	const struct host_module *host = process_module(process, address, modules);
	Dwfl_Module *module = host ? module_of(symbolizer, host) : NULL;
	uint64_t in_file = host ? address - host->bias : 0;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;
	Dwarf_Line *position;
	const char *file = NULL;
	int line = 0;

	if (!host) {
		add_jit(frames, symbolizer, process, address);
		return;
	}
	if (!module) {
		add_frame(frames, NULL, NULL, NULL, 0, host, address);
		return;
	}
	unit = unit_of(module, in_file, &bias);
	position = unit ? dwarf_getsrc_die(unit, in_file - bias) : NULL;
	if (position) {
		file = dwarf_linesrc(position, NULL, NULL);
		dwarf_lineno(position, &line);
		if (line == 0) {
			position = next_position(unit, in_file - bias);
			file = position ? dwarf_linesrc(position, NULL, NULL) : file;
			dwarf_lineno(position, &line);
		}
	}
	if (!unit || !add_scopes(frames, unit, in_file - bias, address, host, file, line)) {
		add_frame(frames, dwfl_module_addrname(module, in_file), unit, file, line, host,
			  address);
	}
}

const GPtrArray *symbolize_stack(struct symbolizer *symbolizer, const struct process *process,
				 uint32_t stack_id)
{
	char *key = g_strdup_printf("%p %u", (const void *)process, stack_id);
	GPtrArray *frames = g_hash_table_lookup(symbolizer->stacks, key);
	const struct call_stack *stack = process_stack(process, stack_id);

	if (frames) {
		g_free(key);
		return frames;
	}
	frames = g_ptr_array_new_with_free_func(frame_free);
	for (uint32_t i = 0; stack && i < stack->depth; i++)
		add_address(frames, symbolizer, process, stack->modules, stack->frames[i]);
	g_hash_table_insert(symbolizer->stacks, key, frames);
	return frames;
}

bool is_wrapping_place(const char *function, const char *file)
{
	return (function && strstr(function, "__device_stub__")) ||
	       (file && strstr(file, "/include/hip/"));
}

bool is_wrapping_frame(const struct source_frame *frame)
{
	return is_wrapping_place(frame->function, frame->file);
}

const struct source_frame *user_frame(const GPtrArray *frames)
{
	for (unsigned i = 0; i < frames->len; i++)
		if (!is_wrapping_frame(frames->pdata[i]))
			return frames->pdata[i];
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

	if (!frame && frames->len)
		frame = frames->pdata[0];
	return frame ? source_frame_text(frame) : g_strdup("(call stack not recorded)");
}

/* One for the process: fixes read lines of source before there is a report. */
static const char *source_root;

void symbols_restrict_sources(const char *root)
{
	source_root = root;
}

const char *symbols_source_root(void)
{
	return source_root;
}

const char *source_text_line(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	char **lines = g_hash_table_lookup(symbolizer->files, file);

	if (!lines) {
		lines = source_lines(file, source_root);
		g_hash_table_insert(symbolizer->files, g_strdup(file), lines);
	}
	if (line == 0 || line > g_strv_length(lines))
		return NULL;
	return lines[line - 1];
}

const char *source_line(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	const char *text = source_text_line(symbolizer, file, line);

	while (text && g_ascii_isspace(*text))
		text++;
	return text;
}
