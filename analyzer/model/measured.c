/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the results of `hipgrain probe` (analyzer/probe/hipgrain-probe-1.schema.json). */
#include "measured.h"

#include <glib.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "codeobj/text.h"
#include "tracer/api.h"

/* tracer/machine.c copies no larger ones. */
#define BYTES_MOST   (64 << 20)

#define PROBE_SCHEMA "hipgrain-probe/1"

/* The results seen of one kind of instruction: of several instructions, possibly on several
 * GPUs. */
struct seen {
	bool works, lost, else_;
};

struct row {
	struct measured_memory memory;
	bool fine, coarse;
	struct seen atomics[ATOMIC_KINDS][2]; /* by kind and system scope */
};

/* A GPU in an XNACK mode. */
struct mode {
	char arch[32]; /* without features */
	int xnack, runtime_version;
	GArray *rows; /* struct row */
};

struct measured {
	GPtrArray *modes; /* struct mode */
};

static void free_mode(void *data)
{
	struct mode *mode = data;

	g_array_free(mode->rows, TRUE);
	g_free(mode);
}

struct measured *measured_new(void)
{
	struct measured *measured = g_new0(struct measured, 1);

	measured->modes = g_ptr_array_new_with_free_func(free_mode);
	return measured;
}

void measured_free(struct measured *measured)
{
	if (!measured)
		return;
	g_ptr_array_free(measured->modes, TRUE);
	g_free(measured);
}

/* ---- JSON of any shape ---- */

static struct json_object *member(struct json_object *object, const char *name, enum json_type type)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

static const char *text(struct json_object *object, const char *name)
{
	struct json_object *value = member(object, name, json_type_string);

	return value ? json_object_get_string(value) : "";
}

static size_t length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

/* ---- what the probe calls things ---- */

static int api_by_name(const char *name)
{
#define HG_API(id, call, class, ...)  \
	if (strcmp(name, #call) == 0) \
		return id;
#include "tracer/api.def"
#undef HG_API
	return -1;
}

static const struct operation {
	const char *name;
	enum atomic_kind kind;
} operations[] = {
#define OPERATION(name, kind, ...) { #name, ATOMIC_##kind },
#include "kernels/probe/operations.def"
};

/* Parses the kind and scope of an atomic, such as "f32_add_system". Returns false if `what` is
 * something else. */
static bool read_atomic(const char *what, enum atomic_kind *kind, bool *system)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
		size_t size = strlen(operations[i].name);

		if (strncmp(what, operations[i].name, size) != 0)
			continue;
		*system = strcmp(what + size, "_system") == 0;
		*kind = operations[i].kind;
		if (!what[size] || *system)
			return true;
	}
	return false;
}

static void read_result(struct json_object *result, struct row *row)
{
	const char *what = text(result, "what"), *seen = text(result, "measured");
	enum atomic_kind kind;
	bool system;

	if (strcmp(what, "granularity") == 0) {
		row->fine |= strcmp(seen, model_granularity_name(GRAIN_FINE)) == 0;
		row->coarse |= strcmp(seen, model_granularity_name(GRAIN_COARSE)) == 0;
	} else if (read_atomic(what, &kind, &system)) {
		struct seen *all = &row->atomics[kind][system];

		if (strcmp(seen, "works") == 0)
			all->works = true;
		else if (strcmp(seen, "lost") == 0)
			all->lost = true;
		else if (strcmp(seen, "no instruction") != 0)
			all->else_ = true;
	}
}

static void read_row(struct json_object *object, struct mode *mode)
{
	struct json_object *results = member(object, "results", json_type_array);
	struct json_object *flags = member(object, "flags", json_type_int);
	int api = api_by_name(text(object, "call"));
	struct row row = { .memory = { .api = (unsigned)api,
				       .advised = member(object, "advice", json_type_int) } };

	/* A call alone does not tell the memory of another GPU. */
	if (api < 0 || !flags || json_object_get_boolean(member(object, "peer", json_type_boolean)))
		return;
	row.memory.flags = (uint64_t)json_object_get_int64(flags);
	for (size_t i = 0; i < length(results); i++)
		read_result(json_object_array_get_idx(results, i), &row);
	g_array_append_val(mode->rows, row);
}

static void read_mode(struct json_object *object, int runtime_version, struct measured *measured)
{
	struct json_object *memory = member(object, "memory", json_type_array);
	struct json_object *xnack = member(object, "xnack", json_type_boolean);
	struct mode *mode;

	if (!xnack || !text(object, "target")[0])
		return; /* not measured */
	mode = g_new0(struct mode, 1);
	g_strlcpy(mode->arch, text(object, "target"), sizeof(mode->arch));
	mode->arch[strcspn(mode->arch, ":")] = '\0';
	mode->xnack = json_object_get_boolean(xnack);
	mode->runtime_version = runtime_version;
	mode->rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	for (size_t i = 0; i < length(memory); i++)
		read_row(json_object_array_get_idx(memory, i), mode);
	g_ptr_array_add(measured->modes, mode);
}

int measured_add(struct measured *measured, const char *path, char **why)
{
	struct json_object *root = NULL, *version, *gpus;
	struct stat status;

	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= BYTES_MOST)
		root = json_object_from_file(path);
	version = member(root, "runtime_version", json_type_int);
	gpus = member(root, "gpus", json_type_array);
	if (g_str_has_prefix(text(root, "schema"), "hipgrain-probe/") &&
	    strcmp(text(root, "schema"), PROBE_SCHEMA) != 0) {
		char schema[64];

		text_copy_visible(schema, sizeof(schema), text(root, "schema"));
		*why = g_strdup_printf("%s: its schema is '%s'; this version reads " PROBE_SCHEMA,
				       path, schema);
		json_object_put(root);
		return -1;
	}
	if (strcmp(text(root, "schema"), PROBE_SCHEMA) != 0 || !version || !gpus) {
		*why = g_strdup_printf("%s: not written by 'hipgrain probe --format=json'", path);
		json_object_put(root);
		return -1;
	}
	for (size_t g = 0; g < length(gpus); g++) {
		struct json_object *gpu = json_object_array_get_idx(gpus, g);
		struct json_object *modes = member(gpu, "modes", json_type_array);

		for (size_t m = 0; m < length(modes); m++)
			read_mode(json_object_array_get_idx(modes, m), json_object_get_int(version),
				  measured);
	}
	json_object_put(root);
	return 0;
}

unsigned measured_add_directory(struct measured *measured, const char *directory,
				const char *prefix, GPtrArray *problems)
{
	GDir *folder = g_dir_open(directory, 0, NULL);
	unsigned count = 0;
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		char *path, *why = NULL;

		if (!g_str_has_suffix(name, ".json") || !g_str_has_prefix(name, prefix))
			continue;
		path = g_build_filename(directory, name, NULL);
		if (measured_add(measured, path, &why) == 0)
			count++;
		else
			g_ptr_array_add(problems, why);
		g_free(path);
	}
	if (folder)
		g_dir_close(folder);
	return count;
}

/* ---- answers ---- */

static bool fits(const struct mode *mode, const struct measured_key *key)
{
	size_t size = strcspn(key->arch, ":");

	return mode->xnack == key->xnack && mode->runtime_version == key->runtime_version &&
	       strlen(mode->arch) == size && strncmp(mode->arch, key->arch, size) == 0;
}

bool measured_any(const struct measured *measured, const struct measured_key *key)
{
	for (unsigned i = 0; measured && i < measured->modes->len; i++)
		if (fits(measured->modes->pdata[i], key))
			return true;
	return false;
}

/* Joins all rows of that memory, of every GPU that fits, into one. */
static struct row collect(const struct measured *measured, const struct measured_key *key,
			  const struct measured_memory *memory)
{
	struct row all = { .memory = *memory };

	for (unsigned i = 0; measured && i < measured->modes->len; i++) {
		const struct mode *mode = measured->modes->pdata[i];

		for (unsigned r = 0; fits(mode, key) && r < mode->rows->len; r++) {
			const struct row *row = &g_array_index(mode->rows, struct row, r);

			if (row->memory.api != memory->api || row->memory.flags != memory->flags ||
			    row->memory.advised != memory->advised)
				continue;
			all.fine |= row->fine;
			all.coarse |= row->coarse;
			for (unsigned k = 0; k < ATOMIC_KINDS * 2; k++) {
				all.atomics[k / 2][k % 2].works |= row->atomics[k / 2][k % 2].works;
				all.atomics[k / 2][k % 2].lost |= row->atomics[k / 2][k % 2].lost;
				all.atomics[k / 2][k % 2].else_ |= row->atomics[k / 2][k % 2].else_;
			}
		}
	}
	return all;
}

enum granularity measured_granularity(const struct measured *measured,
				      const struct measured_key *key,
				      const struct measured_memory *memory)
{
	struct row all = collect(measured, key, memory);

	if (all.fine == all.coarse)
		return GRAIN_UNKNOWN;
	return all.fine ? GRAIN_FINE : GRAIN_COARSE;
}

enum atomic_outcome measured_atomic(const struct measured *measured, const struct measured_key *key,
				    const struct measured_memory *memory, enum atomic_kind kind,
				    bool system_scope)
{
	struct row all = collect(measured, key, memory);
	const struct seen *seen = &all.atomics[kind][system_scope];

	if (seen->else_ || seen->works == seen->lost)
		return OUTCOME_UNKNOWN;
	return seen->works ? OUTCOME_WORKS : OUTCOME_LOST;
}
