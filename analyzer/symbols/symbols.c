/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of stacks to functions and lines, by debug information. */
#include "symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf_symbols.h"
#include "jit.h"
#include "keeping.h"
#include "bundle_symbols.h"
#include "demangle.h"
#include "python_lines.h"
#include "region_scope.h"
#include "debug_scopes.h"
#include "source.h"
#include "analyzer/replay/target_regions.h"
#include "codeobj/codeobj.h"
#include "codeobj/text.h"
#include "tracer/python_frame.h"

/* Executables and libraries that are open at once: the memory of their line tables is bounded. */
#define MAX_FILES 64u

struct symbolizer {
	char *bundle;        /* path, or NULL */
	GHashTable *objects; /* "path build-id" -> struct object */
	unsigned open;       /* of these */
	uint64_t uses;
	GHashTable *stacks;      /* "process stack" -> struct stack */
	GPtrArray *unmatched;    /* struct source_frame of addresses in no file */
	GPtrArray *regions;      /* struct source_frame of target regions */
	GHashTable *files;       /* path -> struct source_file */
	struct kept *kept;       /* of the bundle; NULL: none */
	char *kept_problem;      /* a line, or NULL */
	struct keeping *keeping; /* gets what is found out, borrowed; NULL: nothing does */
	int64_t began_ns;        /* of the recording, since 1970; 0: not known */
	GHashTable *wrappers;    /* source_frame_text() of lines that allocate for others */
	GHashTable *python; /* struct python_code -> GHashTable of a byte -> struct source_frame */
	GHashTable *jits;   /* struct process -> struct jit_map or NULL */
};

/* A file, as libdwfl sees it, at the addresses that the file itself gives. */
struct object {
	char *path;
	char *build_id;      /* of the recorded file; "": not known */
	char *problem;       /* why the file that is there lends no names, a clause; or NULL */
	Dwfl *dwfl;          /* NULL while it is closed */
	Dwfl_Module *module; /* NULL if it cannot be used */
	struct scopes *scopes;
	struct elf_symbols *symbols; /* NULL until asked for */
	GHashTable *places; /* uint64_t of an address -> GPtrArray of struct source_frame */
	uint64_t last_use;
};

/* A recorded stack; what is outside of the frames that were requested is not resolved. */
struct stack {
	GPtrArray *frames; /* struct source_frame, borrowed */
	uint32_t resolved; /* addresses */
	bool has_python;   /* a function of Python is in it */
	bool led; /* one was resolved, or a native function that is not the interpreter's */
};

/* The same path as in elfutils' own tools: "" is the file's own directory. */
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

static void object_close(struct object *object)
{
	scopes_free(object->scopes);
	elf_symbols_free(object->symbols);
	dwfl_end(object->dwfl);
	object->scopes = NULL;
	object->symbols = NULL;
	object->dwfl = NULL;
	object->module = NULL;
}

static void object_free(gpointer data)
{
	struct object *object = data;

	object_close(object);
	g_hash_table_destroy(object->places);
	g_free(object->path);
	g_free(object->build_id);
	g_free(object->problem);
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

static void stack_free(gpointer data)
{
	struct stack *stack = data;

	g_ptr_array_free(stack->frames, TRUE);
	g_free(stack);
}

static void source_free(gpointer data)
{
	struct source_file *source = data;

	g_strfreev(source->lines);
	g_free(source);
}

struct symbolizer *symbolizer_new(const char *bundle)
{
	struct symbolizer *symbolizer = g_new0(struct symbolizer, 1);

	find_debug_path();
	symbolizer->bundle = g_strdup(bundle);
	if (bundle)
		symbolizer->kept = kept_read(bundle, &symbolizer->kept_problem);
	symbolizer->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, object_free);
	symbolizer->stacks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, stack_free);
	symbolizer->unmatched = g_ptr_array_new_with_free_func(frame_free);
	symbolizer->regions = g_ptr_array_new_with_free_func(frame_free);
	symbolizer->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, source_free);
	symbolizer->wrappers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	symbolizer->python =
	    g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_destroy);
	symbolizer->jits = g_hash_table_new_full(NULL, NULL, NULL, jit_free);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (symbolizer) {
		g_hash_table_destroy(symbolizer->stacks);
		g_hash_table_destroy(symbolizer->objects);
		g_ptr_array_free(symbolizer->unmatched, TRUE);
		g_ptr_array_free(symbolizer->regions, TRUE);
		g_hash_table_destroy(symbolizer->files);
		g_hash_table_destroy(symbolizer->wrappers);
		g_hash_table_destroy(symbolizer->python);
		g_hash_table_destroy(symbolizer->jits);
		kept_free(symbolizer->kept);
		g_free(symbolizer->kept_problem);
		g_free(symbolizer->bundle);
		g_free(symbolizer);
	}
}

/* Returns the build ID of a module as text, to be freed; NULL: it has none. */
static char *build_id_of(Dwfl_Module *module)
{
	const unsigned char *bits;
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bits, &address);
	GString *text;

	if (length <= 0)
		return NULL;
	text = g_string_new(NULL);
	for (int i = 0; i < length; i++)
		g_string_append_printf(text, "%02x", bits[i]);
	return g_string_free(text, FALSE);
}

/*
 * Returns why the file must not lend its names to the code that was recorded, or NULL: it was
 * replaced since. Without build IDs its time decides.
 */
static char *difference(Dwfl_Module *module, const struct object *object, int64_t began_ns)
{
	char *build_id = build_id_of(module), *text = NULL;
	struct stat status;

	if (build_id && object->build_id[0]) {
		if (strcmp(build_id, object->build_id) != 0)
			text = g_strdup_printf(
			    "is not the file that was recorded: its build ID is %s, not %s",
			    build_id, object->build_id);
	} else if (!build_id && object->build_id[0]) {
		text = g_strdup_printf("is not the file that was recorded: it has no build ID, "
				       "not %s",
				       object->build_id);
	} else if (began_ns && stat(object->path, &status) == 0 &&
		   status.st_mtim.tv_sec > began_ns / 1000000000) {
		text = g_strdup("has changed since the recording began, and has no build ID");
	}
	g_free(build_id);
	return text;
}

static void close_oldest(struct symbolizer *symbolizer)
{
	struct object *oldest = NULL;
	gpointer value;
	GHashTableIter iterator;

	g_hash_table_iter_init(&iterator, symbolizer->objects);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		struct object *object = value;

		if (object->dwfl && (!oldest || object->last_use < oldest->last_use))
			oldest = object;
	}
	if (oldest) {
		object_close(oldest);
		symbolizer->open--;
	}
}

static void open_object(struct object *object, int64_t began_ns)
{
	GElf_Addr bias;

	object->dwfl = dwfl_begin(&callbacks);
	if (!object->dwfl)
		return;
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_elf(object->dwfl, object->path, object->path, -1, 0, true);
	dwfl_report_end(object->dwfl, NULL, NULL);
	g_clear_pointer(&object->problem, g_free);
	/* The build id can only be had once the ELF file has been opened. */
	if (!object->module || !dwfl_module_getelf(object->module, &bias))
		object->problem = g_strdup("cannot be read");
	else
		object->problem = difference(object->module, object, began_ns);
	if (object->problem)
		object->module = NULL;
	if (object->module)
		object->scopes = scopes_new(object->module);
}

/* Processes share what they have loaded, wherever it lies in each of them. */
static struct object *object_of(struct symbolizer *symbolizer, const struct host_module *host)
{
	char *key = g_strdup_printf("%s %s", host->path, host->build_id);
	struct object *object = g_hash_table_lookup(symbolizer->objects, key);

	if (object) {
		g_free(key);
		return object;
	}
	object = g_new0(struct object, 1);
	object->path = g_strdup(host->path);
	object->build_id = g_strdup(host->build_id);
	object->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, frames_free);
	g_hash_table_insert(symbolizer->objects, key, object);
	return object;
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

static struct source_frame *add_frame(GPtrArray *frames, const char *function, Dwarf_Die *unit,
				      const char *file, int line, const char *module,
				      uint64_t offset)
{
	struct source_frame *frame = g_new0(struct source_frame, 1);

	frame->function = on_one_line(demangled(function));
	frame->file = on_one_line(full_path(unit, file));
	frame->line = line > 0 ? (unsigned)line : 0;
	frame->module = module;
	frame->offset = offset;
	g_ptr_array_add(frames, frame);
	return frame;
}

/* Returns the file of an inlined call's place in its caller, and the line in *line. */
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

/* Adds inlined frames and the function that holds them. Returns false if there is no debug
 * information. */
static bool add_scopes(GPtrArray *frames, const struct object *object, Dwarf_Die *unit,
		       Dwarf_Addr bias, uint64_t address, const char *file, int line)
{
	GArray *calls = scopes_calls(object->scopes, unit, address - bias);
	bool found = calls->len != 0;

	for (unsigned i = 0; i < calls->len; i++) {
		Dwarf_Die *call = &g_array_index(calls, Dwarf_Die, i);

		add_frame(frames, dwarf_diename(call), unit, file, line, object->path, address);
		if (i + 1 < calls->len)
			file = call_position(call, unit, &line);
	}
	g_array_free(calls, TRUE);
	return found;
}

/* Returns a frame of code that is in no file, with what its compiler tells about it, or nothing. */
static struct source_frame *jit_frame(struct symbolizer *symbolizer, const struct process *process,
				      uint64_t address)
{
	struct source_frame *frame;
	gpointer map = NULL;
	const char *name = NULL;
	uint64_t offset = 0;

	if (symbolizer->kept)
		name = kept_jit(symbolizer->kept, process->pid, address, &offset);
	if (!name && !g_hash_table_lookup_extended(symbolizer->jits, process, NULL, &map)) {
		map = jit_map_read(symbolizer->bundle, process->pid, process->began_ns);
		g_hash_table_insert(symbolizer->jits, (gpointer)process, map);
	}
	if (map)
		name = jit_map_find(map, address, &offset);
	if (name && symbolizer->keeping)
		keeping_jit(symbolizer->keeping, process->pid, address, name, offset);
	frame = add_frame(symbolizer->unmatched, name, NULL, NULL, 0, NULL, address);
	if (name) {
		frame->module = "[JIT]";
		frame->offset = offset;
	}
	return frame;
}

/* The next instruction with a line may lie so many bytes behind one without. */
#define NEXT_LINE_LIMIT 64

/*
 * Returns the position just behind an address that has none: compilers give the call of an OpenMP
 * target region line 0, and the check of its result the line of the directive.
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

/* Adds the frames of an address of the file, which is open. */
static void add_place(GPtrArray *frames, struct object *object, uint64_t address)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;
	Dwarf_Line *position;
	const char *file = NULL;
	int line = 0;

	if (!object->module) {
		add_frame(frames, NULL, NULL, NULL, 0, object->path, address);
		return;
	}
	unit = scopes_unit(object->scopes, address, &bias);
	position = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	if (position) {
		file = dwarf_linesrc(position, NULL, NULL);
		dwarf_lineno(position, &line);
		if (line == 0) {
			position = next_position(unit, address - bias);
			file = position ? dwarf_linesrc(position, NULL, NULL) : file;
			dwarf_lineno(position, &line);
		}
	}
	if (unit && add_scopes(frames, object, unit, bias, address, file, line))
		return;
	if (!object->symbols)
		object->symbols = elf_symbols_new(object->module);
	add_frame(frames, elf_symbols_find(object->symbols, address), unit, file, line,
		  object->path, address);
}

static void use_object(struct symbolizer *symbolizer, struct object *object)
{
	if (!object->dwfl) {
		if (symbolizer->open >= MAX_FILES)
			close_oldest(symbolizer);
		open_object(object, symbolizer->began_ns);
		symbolizer->open += object->dwfl != NULL;
	}
	object->last_use = ++symbolizer->uses;
}

/* Returns true for frames without lines, if the user names debug information that was not used at
 * the end of the recording. */
static bool is_worth_another_look(const GPtrArray *frames)
{
	const char *path = getenv("HIPGRAIN_DEBUG_PATH"), *urls = getenv("DEBUGINFOD_URLS");

	for (unsigned i = 0; i < frames->len; i++)
		if (((const struct source_frame *)frames->pdata[i])->file)
			return false;
	return (path && *path) || (urls && *urls);
}

/* Many stacks go through the same calls. */
static const GPtrArray *place_of(struct symbolizer *symbolizer, const struct host_module *host,
				 uint64_t address)
{
	struct object *object = object_of(symbolizer, host);
	GPtrArray *frames = g_hash_table_lookup(object->places, &address);
	const GPtrArray *kept;
	uint64_t *key;

	if (frames)
		return frames;
	kept = symbolizer->kept ? kept_place(symbolizer->kept, host->path, host->build_id, address)
				: NULL;
	if (kept && !is_worth_another_look(kept))
		return kept;
	use_object(symbolizer, object);
	if (kept && !object->module)
		return kept;
	frames = g_ptr_array_new_with_free_func(frame_free);
	add_place(frames, object, address);
	key = g_new(uint64_t, 1);
	*key = address;
	g_hash_table_insert(object->places, key, frames);
	if (symbolizer->keeping)
		keeping_place(symbolizer->keeping, host->path, host->build_id, address, frames);
	return frames;
}

/*
 * Adds the frame of a target region at the address of its call, with the line that the kernel's
 * name has. Returns how many of the address's own frames that replaces, 0 if nothing was added.
 */
static unsigned add_region(struct stack *stack, struct symbolizer *symbolizer,
			   const struct host_module *host, uint64_t address,
			   const struct target_region *region)
{
	struct object *object = object_of(symbolizer, host);
	struct source_frame *frame;
	struct region_scope scope;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;
	GArray *calls;
	bool found;

	if (symbolizer->kept) {
		unsigned replaced;
		const struct source_frame *kept =
		    kept_region(symbolizer->kept, host->path, host->build_id, address,
				region->function, region->line, &replaced);

		if (kept)
			g_ptr_array_add(stack->frames, (gpointer)kept);
		if (kept || kept_place(symbolizer->kept, host->path, host->build_id, address))
			return replaced;
	}
	use_object(symbolizer, object);
	unit = object->module ? scopes_unit(object->scopes, address, &bias) : NULL;
	if (!unit)
		return 0;
	calls = scopes_calls(object->scopes, unit, address - bias);
	found = calls->len && region_scope_find(calls, unit, region->function, &scope);
	g_array_free(calls, TRUE);
	if (!found)
		return 0;
	frame = add_frame(symbolizer->regions, scope.name, &scope.unit, scope.file,
			  (int)region->line, object->path, address);
	g_ptr_array_add(stack->frames, frame);
	if (symbolizer->keeping)
		keeping_region(symbolizer->keeping, host->path, host->build_id, region->function,
			       frame, scope.calls);
	return scope.calls;
}

/* Returns the frame of a function of Python, NULL if it was lost. */
static struct source_frame *python_frame(struct symbolizer *symbolizer,
					 const struct call_stack *recorded, uint64_t word)
{
	const struct python_code *code =
	    g_hash_table_lookup(recorded->codes, GUINT_TO_POINTER(hg_python_code(word)));
	gpointer at = GUINT_TO_POINTER((uint32_t)word);
	struct source_frame *frame;
	GHashTable *places;

	if (!code)
		return NULL;
	places = g_hash_table_lookup(symbolizer->python, code);
	if (!places) {
		places = g_hash_table_new_full(NULL, NULL, NULL, frame_free);
		g_hash_table_insert(symbolizer->python, (gpointer)code, places);
	}
	frame = g_hash_table_lookup(places, at);
	if (!frame) {
		frame = g_new0(struct source_frame, 1);
		frame->function = on_one_line(g_strdup(code->function));
		frame->file = on_one_line(g_strdup(code->file));
		frame->line = python_line(code, (uint32_t)word);
		frame->module = PYTHON_MODULE;
		frame->offset = (uint32_t)word;
		g_hash_table_insert(places, at, frame);
	}
	return frame;
}

static bool has_python(const struct call_stack *recorded)
{
	for (uint32_t i = 0; i < recorded->depth; i++)
		if (recorded->frames[i] & HG_PYTHON_FRAME)
			return true;
	return false;
}

static void resolve_next(struct stack *stack, struct symbolizer *symbolizer,
			 const struct process *process, const struct call_stack *recorded)
{
	uint64_t return_address = recorded->frames[stack->resolved++];
	bool is_python = (return_address & HG_PYTHON_FRAME) != 0;
	/* The call, not what follows it: the return address may belong to the next line. */
	uint64_t address = return_address ? return_address - 1 : 0;
	const struct host_module *host =
	    is_python ? NULL : process_module(process, address, recorded->modules);
	const struct target_region *region =
	    stack->resolved == 1 ? target_region_at(process, return_address) : NULL;
	const GPtrArray *frames;
	unsigned first = 0;

	if (is_python) {
		struct source_frame *frame = python_frame(symbolizer, recorded, return_address);

		stack->led = true;
		if (frame)
			g_ptr_array_add(stack->frames, frame);
		return;
	}
	/* The interpreter's own functions lead from one of the program's to the next. */
	if (stack->has_python && host && is_python_module(host->path)) {
		if (stack->led)
			return;
	} else {
		stack->led = true;
	}
	if (!host) {
		g_ptr_array_add(stack->frames, jit_frame(symbolizer, process, address));
		return;
	}
	frames = place_of(symbolizer, host, address - host->bias);
	if (region)
		first = add_region(stack, symbolizer, host, address - host->bias, region);
	for (unsigned i = first; i < frames->len; i++)
		g_ptr_array_add(stack->frames, frames->pdata[i]);
}

static struct stack *stack_of(struct symbolizer *symbolizer, const struct process *process,
			      uint32_t stack_id)
{
	char *key = g_strdup_printf("%p %u", (const void *)process, stack_id);
	const struct call_stack *recorded = process_stack(process, stack_id);
	struct stack *stack = g_hash_table_lookup(symbolizer->stacks, key);

	if (stack) {
		g_free(key);
		return stack;
	}
	stack = g_new0(struct stack, 1);
	stack->frames = g_ptr_array_new();
	stack->has_python = recorded && has_python(recorded);
	g_hash_table_insert(symbolizer->stacks, key, stack);
	return stack;
}

const GPtrArray *symbolize_stack(struct symbolizer *symbolizer, const struct process *process,
				 uint32_t stack_id)
{
	struct stack *stack = stack_of(symbolizer, process, stack_id);
	const struct call_stack *recorded = process_stack(process, stack_id);

	while (recorded && stack->resolved < recorded->depth)
		resolve_next(stack, symbolizer, process, recorded);
	return stack->frames;
}

const struct source_frame *stack_user_frame(struct symbolizer *symbolizer,
					    const struct process *process, uint32_t stack_id)
{
	struct stack *stack = stack_of(symbolizer, process, stack_id);
	const struct call_stack *recorded = process_stack(process, stack_id);
	const struct source_frame *found;

	/* Frames that are further out decide about native frames. */
	if (stack->has_python)
		symbolize_stack(symbolizer, process, stack_id);
	found = user_frame(stack->frames);
	while (!found && recorded && stack->resolved < recorded->depth) {
		resolve_next(stack, symbolizer, process, recorded);
		found = user_frame(stack->frames);
	}
	/* A library's own program. */
	return found ? found : innermost_frame(stack->frames);
}

void symbolizer_mark_wrapper(struct symbolizer *symbolizer, const struct source_frame *frame)
{
	g_hash_table_add(symbolizer->wrappers, source_frame_text(frame));
}

static bool is_marked(const struct symbolizer *symbolizer, const struct source_frame *frame)
{
	char *text = source_frame_text(frame);
	bool marked = g_hash_table_contains(symbolizer->wrappers, text);

	g_free(text);
	return marked;
}

const struct source_frame *stack_requester(struct symbolizer *symbolizer,
					   const struct process *process, uint32_t stack_id)
{
	const GPtrArray *frames = symbolize_stack(symbolizer, process, stack_id);
	bool marked = false;

	for (unsigned i = 0; i < frames->len; i++) {
		const struct source_frame *frame = frames->pdata[i];

		if (!is_user_frame(frames, i))
			continue;
		if (!is_marked(symbolizer, frame))
			return marked ? frame : NULL;
		marked = true;
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
	const struct source_frame *frame = stack_user_frame(symbolizer, process, stack_id);
	const GPtrArray *frames = frame ? NULL : symbolize_stack(symbolizer, process, stack_id);

	if (frames && frames->len)
		frame = frames->pdata[0];
	return frame ? source_frame_text(frame) : g_strdup("(call stack not recorded)");
}

char *return_place(struct symbolizer *symbolizer, const struct process *process, uint64_t address)
{
	const struct host_module *host =
	    address ? process_module(process, address - 1, MODULES_ALL) : NULL;
	const GPtrArray *frames =
	    host ? place_of(symbolizer, host, address - 1 - host->bias) : NULL;

	return frames && frames->len ? source_frame_text(frames->pdata[0]) : NULL;
}

/* The process has a single one: fixes read lines of source before there is a report. */
static const char *source_root;

void symbols_restrict_sources(const char *root)
{
	source_root = root;
}

const char *symbols_source_root(void)
{
	return source_root;
}

/*
 * Fills in a source as it was recorded: what the bundle has, or the file that is there, if that is
 * the same one. Without a hash its time decides.
 */
static void read_source(struct symbolizer *symbolizer, const char *name, struct source_file *file)
{
	const struct kept_source *kept =
	    symbolizer->kept ? kept_source(symbolizer->kept, name) : NULL;
	char *now, *recorded = NULL, hash[KEPT_HASH_SIZE] = "";
	gsize length;

	now = source_content(name, source_root, &length, &file->changed_ns);
	if (kept) {
		if (now)
			codeobj_sha256(now, length, hash);
		file->differs = now && strcmp(hash, kept->sha256) != 0;
		file->changed_ns = kept->changed_ns;
		memcpy(file->sha256, kept->sha256, sizeof(file->sha256));
		if (now || !source_root || source_was_below(name, source_root))
			recorded = kept_content(symbolizer->kept, kept);
	}
	/* Written while it was recorded: which lines were compiled is not known. */
	file->newer = symbolizer->began_ns && file->changed_ns > symbolizer->began_ns;
	if (!recorded && !file->differs)
		recorded = g_steal_pointer(&now);
	file->lines = recorded && !file->newer ? g_strsplit(recorded, "\n", -1) : g_new0(char *, 1);
	file->line_count = g_strv_length(file->lines);
	g_free(recorded);
	g_free(now);
}

const struct source_file *symbolizer_source(struct symbolizer *symbolizer, const char *name)
{
	struct source_file *file = g_hash_table_lookup(symbolizer->files, name);

	if (!file) {
		file = g_new0(struct source_file, 1);
		read_source(symbolizer, name, file);
		g_hash_table_insert(symbolizer->files, g_strdup(name), file);
	}
	return file;
}

const char *source_text_line(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	const struct source_file *source = symbolizer_source(symbolizer, file);

	return line == 0 || line > source->line_count ? NULL : source->lines[line - 1];
}

const char *source_line(struct symbolizer *symbolizer, const char *file, unsigned line)
{
	const char *text = source_text_line(symbolizer, file, line);

	while (text && g_ascii_isspace(*text))
		text++;
	return text;
}

void symbolizer_set_began(struct symbolizer *symbolizer, int64_t began_ns)
{
	symbolizer->began_ns = began_ns;
}

void symbolizer_keep(struct symbolizer *symbolizer, struct keeping *keeping)
{
	symbolizer->keeping = keeping;
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *symbolizer_problems(const struct symbolizer *symbolizer)
{
	GPtrArray *problems = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iterator;
	gpointer value;

	if (symbolizer->kept_problem)
		g_ptr_array_add(problems, g_strdup(symbolizer->kept_problem));
	g_hash_table_iter_init(&iterator, symbolizer->objects);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct object *object = value;

		if (object->problem && g_path_is_absolute(object->path)) {
			g_ptr_array_add(problems,
					g_strdup_printf("no functions and lines of %s: it %s",
							object->path, object->problem));
		}
	}
	g_ptr_array_sort(problems, by_text);
	return problems;
}
