/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects of the bundle, opened in turn; kernels, analysed once. */
#include "kernels.h"

#include <string.h>

#include "analyzer/rules/engine/evaluations.h"
#include "codeobj/processor.h"

/* Code objects that stay open; a program rarely launches kernels of more in turn. */
#define OPEN_MAX 8u

/* A code object while its kernels are being analysed. */
struct opened {
	GMappedFile *file;
	struct isa_session *session; /* NULL: it cannot be analysed, for `problem` */
	char *problem;
	int clang;
	bool amd; /* AMD's own clang */
	guint64 last_use;
	bool reported; /* that its debug information is not readable */
};

struct kernels {
	char *directory;
	GHashTable *opened; /* sha256 -> struct opened, at most OPEN_MAX */
	guint64 uses;
	GHashTable *analysed; /* struct key -> struct entry */
	GHashTable *modes;    /* "process arch symbol" -> bits, see kernels_modes() */
	GHashTable *metadata; /* sha256 -> struct codeobj_metadata, NULL if it has none */
};

/* Looked up with every launch: no text is made for that. */
struct key {
	const char *sha256; /* of the code object; of one that was not captured, why */
	const char *symbol;
	bool captured;
};

struct entry {
	struct key key;                 /* its texts are the entry's */
	struct isa_code_object *object; /* NULL: not available */
	const struct isa_kernel *kernel;
	GHashTable *given; /* isa_when -> what isa_given() made of it, or NULL; NULL: nothing yet */
	struct evaluations *evaluations; /* NULL: none yet */
	int clang;
	bool amd;
	char *problem;
};

static void entry_free(gpointer data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->given, g_hash_table_destroy);
	evaluations_free(entry->evaluations);
	isa_code_object_free(entry->object);
	g_free(entry->problem);
	g_free((char *)(uintptr_t)entry->key.sha256);
	g_free((char *)(uintptr_t)entry->key.symbol);
	g_free(entry);
}

static guint key_hash(gconstpointer data)
{
	const struct key *key = data;
	guint hash = g_str_hash(key->symbol);

	/* The beginning of a hash is as good as all of it. */
	for (unsigned i = 0; i < 8 && key->sha256[i]; i++)
		hash = hash * 33 + (guchar)key->sha256[i];
	return hash;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const struct key *one = a, *other = b;

	return one->captured == other->captured && strcmp(one->symbol, other->symbol) == 0 &&
	       strcmp(one->sha256, other->sha256) == 0;
}

static struct key key_of(const struct code_object_ref *object, const struct kernel_ref *kernel)
{
	bool captured = object && object->sha256[0];

	return (struct key){ captured ? object->sha256
			     : object ? object->problem
				      : "",
			     kernel->symbol, captured };
}

static void free_metadata(gpointer data)
{
	codeobj_metadata_free(data);
}

static void opened_free(gpointer data)
{
	struct opened *opened = data;

	isa_session_close(opened->session);
	g_mapped_file_unref(opened->file);
	g_free(opened->problem);
	g_free(opened);
}

struct kernels *kernels_new(const char *directory)
{
	struct kernels *kernels = g_new0(struct kernels, 1);

	kernels->directory = g_strdup(directory);
	kernels->opened = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, opened_free);
	kernels->analysed = g_hash_table_new_full(key_hash, key_equal, NULL, entry_free);
	kernels->modes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	kernels->metadata = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_metadata);
	return kernels;
}

void kernels_free(struct kernels *kernels)
{
	if (kernels) {
		g_hash_table_destroy(kernels->opened);
		g_hash_table_destroy(kernels->analysed);
		g_hash_table_destroy(kernels->modes);
		g_hash_table_destroy(kernels->metadata);
		g_free(kernels->directory);
		g_free(kernels);
	}
}

/*
 * Returns the major release of clang, 0 if unknown. Compilers name themselves in the section
 * .comment: "AMD clang version 14.0.0 ...".
 */
static int clang_of(const char *bytes, size_t size, bool *amd)
{
	static const char mark[] = "clang version ";
	const char *found = memmem(bytes, size, mark, sizeof(mark) - 1);
	const char *end = bytes + size;
	int major = 0;

	*amd = found && found - bytes >= 4 && memcmp(found - 4, "AMD ", 4) == 0;
	for (found += found ? sizeof(mark) - 1 : 0;
	     found && found < end && *found >= '0' && *found <= '9' && major < 1000; found++)
		major = major * 10 + (*found - '0');
	return major;
}

/*
 * Opens a code object of the bundle; else, for traces that an operator made with LTTng alone, opens
 * it from where the process put it on this machine. A trace must not name other files.
 */
static GMappedFile *open_object(const struct kernels *kernels, const struct process *process,
				const char *sha256, GError **error)
{
	const char *home = process_env(process, "HIPGRAIN_DIR");
	GMappedFile *file;
	char *path;

	if (strpbrk(sha256, "/.")) {
		g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
				    "its name in the trace is not a SHA-256");
		return NULL;
	}
	path = g_build_filename(kernels->directory, sha256, NULL);
	file = g_mapped_file_new(path, FALSE, error);
	g_free(path);
	if (!file && home) {
		path = g_build_filename(home, "code-objects", sha256, NULL);
		file = g_mapped_file_new(path, FALSE, NULL);
		g_free(path);
		if (file)
			g_clear_error(error);
	}
	return file;
}

static void close_oldest(struct kernels *kernels)
{
	guint64 oldest = G_MAXUINT64;
	gpointer key, value, which = NULL;
	GHashTableIter iterator;

	g_hash_table_iter_init(&iterator, kernels->opened);
	while (g_hash_table_iter_next(&iterator, &key, &value)) {
		const struct opened *opened = value;

		if (opened->last_use < oldest) {
			oldest = opened->last_use;
			which = key;
		}
	}
	g_hash_table_remove(kernels->opened, which);
}

/* Returns NULL with *error if the file is not there. */
static struct opened *open_session(struct kernels *kernels, const struct process *process,
				   const char *sha256, GError **error)
{
	struct opened *opened = g_hash_table_lookup(kernels->opened, sha256);
	char *message = NULL;
	GMappedFile *file;

	if (!opened) {
		file = open_object(kernels, process, sha256, error);
		if (!file)
			return NULL;
		opened = g_new0(struct opened, 1);
		opened->file = file;
		if (isa_session_open(g_mapped_file_get_contents(file),
				     g_mapped_file_get_length(file), NULL, &opened->session,
				     &message) < 0) {
			opened->problem = g_strdup(message ? message : "analysis failed");
			opened->session = NULL;
			free(message);
		} else {
			opened->clang = clang_of(g_mapped_file_get_contents(file),
						 g_mapped_file_get_length(file), &opened->amd);
		}
		if (g_hash_table_size(kernels->opened) >= OPEN_MAX)
			close_oldest(kernels);
		g_hash_table_insert(kernels->opened, g_strdup(sha256), opened);
	}
	opened->last_use = ++kernels->uses;
	return opened;
}

static struct entry *analyse(struct kernels *kernels, const struct process *process,
			     const char *sha256, const char *symbol, struct findings *findings)
{
	struct entry *entry = g_new0(struct entry, 1);
	struct isa_options options = { .only_symbol = symbol };
	GError *error = NULL;
	struct opened *opened = open_session(kernels, process, sha256, &error);
	char *message = NULL;

	if (!opened) {
		entry->problem = g_strdup(error->message);
		g_error_free(error);
		return entry;
	}
	if (!opened->session) {
		entry->problem = g_strdup(opened->problem);
		return entry;
	}
	if (isa_session_analyze(opened->session, &options, &entry->object, &message) < 0) {
		entry->problem = g_strdup(message ? message : "analysis failed");
		free(message);
		entry->object = NULL;
		return entry;
	}
	if (strcmp(entry->object->sha256, sha256) != 0) {
		entry->problem = g_strdup_printf("code object %.12s is damaged: its contents are "
						 "not those that its name stands for",
						 sha256);
		return entry;
	}
	entry->clang = opened->clang;
	entry->amd = opened->amd;
	entry->kernel = isa_find_kernel(entry->object, symbol);
	if (!entry->kernel)
		entry->problem = g_strdup_printf("code object %.12s has no such kernel", sha256);
	if (entry->object->debug_problem && !opened->reported) {
		opened->reported = true;
		findings_note(findings, "code object %.12s: %s; its source lines are unknown",
			      sha256, entry->object->debug_problem);
	}
	return entry;
}

/* Adds a line about a kernel without code, at its first launch. */
static void tell(struct findings *findings, const struct entry *entry)
{
	if (entry->key.captured) {
		findings_limit_of(findings, LIMIT_CODE,
				  "kernel %s: its machine code was not analysed: %s",
				  entry->key.symbol, entry->problem);
	} else {
		findings_limit_of(
		    findings, LIMIT_CODE, "kernel %s: its machine code was not captured%s%s",
		    entry->key.symbol, entry->key.sha256[0] ? ": " : "", entry->key.sha256);
	}
}

static struct entry *make_entry(struct kernels *kernels, const struct process *process,
				const struct key *key, struct findings *findings)
{
	struct entry *entry = key->captured
				  ? analyse(kernels, process, key->sha256, key->symbol, findings)
				  : g_new0(struct entry, 1);

	entry->key = *key;
	entry->key.sha256 = g_strdup(key->sha256);
	entry->key.symbol = g_strdup(key->symbol);
	g_hash_table_insert(kernels->analysed, &entry->key, entry);
	if (!entry->kernel)
		tell(findings, entry);
	return entry;
}

static struct entry *entry_of(struct kernels *kernels, const struct process *process,
			      const struct kernel_ref *kernel, struct findings *findings)
{
	const struct code_object_ref *object =
	    g_hash_table_lookup(process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));
	struct key key = key_of(object, kernel);
	struct entry *entry = g_hash_table_lookup(kernels->analysed, &key);

	return entry ? entry : make_entry(kernels, process, &key, findings);
}

/*
 * Returns true if the kernel's machine code says nothing of the GPU that is supposed: code of
 * another generation has other instructions. `gpu` may be NULL.
 */
static bool is_of_other_generation(const struct entry *entry, const char *gpu)
{
	const struct codeobj_processor *code =
	    entry->object ? codeobj_processor(entry->object->arch) : NULL;
	const struct codeobj_processor *then = gpu ? codeobj_processor(gpu) : NULL;

	return gpu && (!code || !then || code->generation != then->generation);
}

/* Returns the kernel's code, or NULL with a limit if what is supposed has other code. */
static const struct isa_kernel *code_of(const struct process *process, const struct entry *entry,
					struct findings *findings)
{
	const char *gpu = process->supposed ? process->supposed->gpu : NULL;

	if (!entry->kernel || !gpu || strcmp(gpu, entry->object->arch) == 0)
		return entry->kernel;
	if (is_of_other_generation(entry, gpu)) {
		findings_limit_of(
		    findings, LIMIT_CODE,
		    "kernel %s: its machine code for %s was not recorded; that for %s has "
		    "other instructions",
		    entry->key.symbol, gpu, entry->object->arch);
		return NULL;
	}
	findings_limit(findings,
		       "kernel %s: it is judged by its machine code for %s, in place of which a "
		       "compiler may choose other instructions for %s",
		       entry->key.symbol, entry->object->arch, gpu);
	return entry->kernel;
}

static const char *arch_of(const struct process *process, const struct entry *entry)
{
	if (!entry->kernel)
		return "";
	if (process->supposed && process->supposed->gpu)
		return process->supposed->gpu;
	return codeobj_is_generic(entry->object->arch)
		   ? process_arch_for_generic(process, entry->object->arch)
		   : entry->object->arch;
}

const struct isa_kernel *kernels_find(struct kernels *kernels, const struct process *process,
				      const struct kernel_ref *kernel, struct findings *findings,
				      const char **arch)
{
	struct entry *entry = entry_of(kernels, process, kernel, findings);

	*arch = arch_of(process, entry);
	return code_of(process, entry, findings);
}

static void free_given(gpointer data)
{
	isa_given_free(data);
}

static bool read_argument(void *user, uint32_t offset, unsigned size, uint64_t *value)
{
	return kernel_args_number(user, offset, size, value);
}

/* Returns the kernel as it is with these results of its conditions. */
static const struct isa_kernel *given(struct entry *entry, isa_when now)
{
	struct isa_kernel *made = NULL;
	gpointer kept = NULL;
	bool failed = false;

	if (!entry->given)
		entry->given =
		    g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_given);
	if (!g_hash_table_lookup_extended(entry->given, &now, NULL, &kept)) {
		made = isa_given(entry->kernel, now, &failed);
		if (failed)
			g_error("out of memory");
		g_hash_table_insert(entry->given, g_memdup2(&now, sizeof(now)), made);
		kept = made;
	}
	return kept ? kept : entry->kernel;
}

const struct isa_kernel *kernels_find_launched(struct kernels *kernels,
					       const struct process *process,
					       const struct kernel_ref *kernel,
					       struct kernel_args *args, struct findings *findings,
					       const char **arch)
{
	struct entry *entry = entry_of(kernels, process, kernel, findings);

	*arch = arch_of(process, entry);
	if (!code_of(process, entry, findings))
		return NULL;
	if (!entry->kernel->condition_count || !args)
		return entry->kernel;
	return given(entry, isa_possible(entry->kernel, read_argument, args));
}

const struct isa_evaluation *kernels_evaluate(struct kernels *kernels,
					      const struct process *process,
					      const struct kernel_ref *kernel,
					      const struct isa_launch *launch)
{
	const struct code_object_ref *object =
	    g_hash_table_lookup(process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));
	struct key key = key_of(object, kernel);
	struct entry *entry = g_hash_table_lookup(kernels->analysed, &key);
	GError *error = NULL;
	struct opened *opened;

	if (!entry || !entry->kernel || !key.captured)
		return NULL;
	opened = open_session(kernels, process, key.sha256, &error);
	g_clear_error(&error);
	if (!entry->evaluations)
		entry->evaluations = evaluations_new();
	return evaluations_find(entry->evaluations, opened ? opened->session : NULL, key.symbol,
				launch);
}

int kernels_clang(const struct kernels *kernels, const struct process *process,
		  const struct kernel_ref *kernel, bool *amd)
{
	const struct code_object_ref *object =
	    g_hash_table_lookup(process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));
	struct key key = key_of(object, kernel);
	const struct entry *entry = g_hash_table_lookup(kernels->analysed, &key);

	*amd = entry && entry->amd;
	return entry ? entry->clang : 0;
}

unsigned kernels_modes(struct kernels *kernels, const struct process *process, const char *symbol,
		       const char *arch, unsigned modes)
{
	char *key = g_strdup_printf("%p %s %s", (const void *)process, arch, symbol);
	unsigned before = GPOINTER_TO_UINT(g_hash_table_lookup(kernels->modes, key));

	g_hash_table_replace(kernels->modes, key, GUINT_TO_POINTER(before | modes));
	return before | modes;
}

static struct codeobj_metadata *read_metadata(const struct kernels *kernels,
					      const struct process *process, const char *sha256)
{
	GMappedFile *file = open_object(kernels, process, sha256, NULL);
	struct codeobj_metadata *metadata = NULL;

	if (file) {
		if (codeobj_metadata_read(g_mapped_file_get_contents(file),
					  g_mapped_file_get_length(file), &metadata, NULL) != 0)
			metadata = NULL;
		g_mapped_file_unref(file);
	}
	return metadata;
}

bool kernels_resources(struct kernels *kernels, const struct process *process,
		       const struct kernel_ref *kernel, struct codeobj_kernel *resources)
{
	const struct code_object_ref *object =
	    g_hash_table_lookup(process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));
	const struct codeobj_kernel *found;
	gpointer metadata = NULL;

	if (!object || !object->sha256[0])
		return false;
	if (!g_hash_table_lookup_extended(kernels->metadata, object->sha256, NULL, &metadata)) {
		metadata = read_metadata(kernels, process, object->sha256);
		g_hash_table_insert(kernels->metadata, g_strdup(object->sha256), metadata);
	}
	found = metadata ? codeobj_metadata_kernel(metadata, kernel->symbol) : NULL;
	if (found)
		*resources = *found;
	return found;
}

char *kernels_line(const struct kernels *kernels, const struct process *process,
		   const struct kernel_ref *kernel, int64_t offset, unsigned *line, bool *merged)
{
	const struct code_object_ref *object =
	    g_hash_table_lookup(process->code_objects, GUINT_TO_POINTER(kernel->code_object_id));
	GMappedFile *file = object ? open_object(kernels, process, object->sha256, NULL) : NULL;
	char *found, *name;

	if (!file)
		return NULL;
	found = isa_line_at(g_mapped_file_get_contents(file), g_mapped_file_get_length(file),
			    kernel->symbol, offset, line, merged);
	g_mapped_file_unref(file);
	name = g_strdup(found);
	free(found);
	return name;
}
