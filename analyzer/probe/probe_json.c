/* SPDX-License-Identifier: Apache-2.0 */
/* A probe as JSON (hipgrain-probe-1.schema.json), and the comparison of two. */
#include <glib.h>
#include <string.h>

#include "analyzer/report/json_values.h"
#include "config.h"
#include "print.h"

static struct json_object *text(const char *value)
{
	return value[0] ? text_value(value) : NULL;
}

/* -1 is unknown in struct model_environment. */
static struct json_object *known(int value)
{
	return value < 0 ? NULL : json_object_new_boolean(value);
}

static struct json_object *result_to_json(const struct probe_mode *mode, unsigned placement,
					  int step)
{
	struct probe_comparison comparison = probe_compare(mode, placement, step);
	const struct probe_result *result = &mode->memory[placement].steps[step];
	double slowdown = probe_slowdown(mode, placement, step);
	struct json_object *object = json_object_new_object();

	put(object, "what", text(probe_step_text(step).id));
	put(object, "measured", text(comparison.measured));
	put(object, "model", text(comparison.model));
	put(object, "verdict", text(probe_verdict_name(comparison.verdict)));
	put(object, "certain", json_object_new_boolean(comparison.certain));
	put(object, "sources", text(comparison.sources));
	put(object, "nanoseconds",
	    result->nanoseconds > 0 ? json_object_new_double(result->nanoseconds) : NULL);
	put(object, "slowdown", slowdown > 0 ? json_object_new_double(slowdown) : NULL);
	return object;
}

static struct json_object *memory_to_json(const struct probe_mode *mode, unsigned placement)
{
	const struct probe_placement *row = &probe_placements[placement];
	struct json_object *object = json_object_new_object();
	struct json_object *results = json_object_new_array();
	char *flags = model_flags_text(row->api, row->flags);

	put(object, "call", text(row->call));
	put(object, "flags", json_object_new_int64((int64_t)row->flags));
	put(object, "flag_names", text(flags));
	put(object, "peer", json_object_new_boolean(row->way == PROBE_PEER));
	put(object, "advice", row->advice ? json_object_new_int(row->advice) : NULL);
	for (int step = 0; step < PROBE_STEPS; step++)
		json_object_array_add(results, result_to_json(mode, placement, step));
	put(object, "results", results);
	g_free(flags);
	return object;
}

static struct json_object *mode_to_json(const struct probe_mode *mode)
{
	const struct model_environment *environment = &mode->environment;
	struct json_object *object = json_object_new_object();
	struct json_object *memory = json_object_new_array();

	put(object, "hsa_xnack", known(mode->hsa_xnack));
	put(object, "problem", text(mode->problem));
	put(object, "target", text(mode->arch));
	put(object, "kernels", text(mode->code));
	if (mode->arch[0]) {
		put(object, "xnack", known(environment->xnack));
		put(object, "hmm", known(environment->hmm));
		put(object, "large_bar", known(environment->large_bar));
		put(object, "fine_pool", known(environment->fine_pool));
		put(object, "apu", known(environment->apu));
		put(object, "pcie_atomics", known(mode->pcie_atomics));
		put(object, "host_link", mode->link < 0 ? NULL : json_object_new_int(mode->link));
		for (unsigned i = 0; i < PROBE_PLACEMENTS; i++)
			json_object_array_add(memory, memory_to_json(mode, i));
	}
	put(object, "memory", memory);
	return object;
}

struct json_object *probe_to_json(const struct probe *probe)
{
	struct json_object *root = json_object_new_object();
	struct json_object *gpus = json_object_new_array();
	struct probe_counts counts = probe_count(probe);

	put(root, "schema", text("hipgrain-probe/1"));
	put(root, "hipgrain", text(HIPGRAIN_VERSION));
	put(root, "runtime", text(probe->runtime));
	put(root, "runtime_version", json_object_new_int(probe->runtime_version));
	put(root, "driver", text(probe->driver));
	for (unsigned gpu = 0; gpu < probe->gpus; gpu++) {
		const struct probe_gpu *row = &probe->gpu[gpu];
		struct json_object *object, *modes;

		if (!row->modes)
			continue;
		object = json_object_new_object();
		modes = json_object_new_array();
		put(object, "gpu", json_object_new_int((int)gpu));
		put(object, "name", text(row->name));
		for (unsigned mode = 0; mode < row->modes; mode++)
			json_object_array_add(modes, mode_to_json(&row->mode[mode]));
		put(object, "modes", modes);
		json_object_array_add(gpus, object);
	}
	put(root, "gpus", gpus);
	for (enum probe_verdict verdict = 0; verdict < VERDICTS; verdict++) {
		char *name = g_strdelimit(g_strdup(probe_verdict_name(verdict)), " ", '_');

		put(root, name, json_object_new_int64(counts.of[verdict]));
		g_free(name);
	}
	return root;
}

/* ---- two of them ---- */

/* Collects a line for each result of a probe: place and subject -> measurement. `order` has those
 * of both probes, each once, and `listed` the same as a set, which owns them. */
static void collect_results(struct json_object *mode, const char *where, GHashTable *results,
			    GHashTable *listed, GPtrArray *order)
{
	struct json_object *memory = get_array(mode, "memory");

	for (size_t i = 0; i < array_length(memory); i++) {
		struct json_object *row = json_object_array_get_idx(memory, i);
		struct json_object *list = get_array(row, "results");

		for (size_t r = 0; r < array_length(list); r++) {
			struct json_object *result = json_object_array_get_idx(list, r);
			char *key = g_strdup_printf(
			    "%s, %s(%#" PRIx64 ")%s%s: %s", where, get_text(row, "call"),
			    (uint64_t)get_number(row, "flags"),
			    get_number(row, "advice") ? ", advised" : "",
			    get_number(row, "peer") ? ", on the next GPU" : "",
			    get_text(result, "what"));

			if (!g_hash_table_contains(listed, key)) {
				char *copy = g_strdup(key);

				g_hash_table_add(listed, copy);
				g_ptr_array_add(order, copy);
			}
			g_hash_table_insert(results, key, g_strdup(get_text(result, "measured")));
		}
	}
}

/* Collects results by target and mode, so that the same kind of GPU in another slot is the same. */
static GHashTable *collect(struct json_object *probe, GHashTable *listed, GPtrArray *order)
{
	GHashTable *results = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct json_object *gpus = get_array(probe, "gpus");

	for (size_t g = 0; g < array_length(gpus); g++) {
		struct json_object *gpu = json_object_array_get_idx(gpus, g);
		struct json_object *modes = get_array(gpu, "modes");

		for (size_t m = 0; m < array_length(modes); m++) {
			struct json_object *mode = json_object_array_get_idx(modes, m);
			char *where = g_strdup_printf("GPU %d %s", (int)get_number(gpu, "gpu"),
						      get_text(mode, "target"));

			collect_results(mode, where, results, listed, order);
			g_free(where);
		}
	}
	return results;
}

static bool is_known(const char *measured)
{
	return !g_str_has_prefix(measured, PROBE_UNKNOWN) && strcmp(measured, "not measured") != 0;
}

int probe_print_comparison(struct json_object *const probes[2], FILE *stream, int *which)
{
	GHashTable *listed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *order = g_ptr_array_new();
	GHashTable *results[2];
	int differences = 0, unknown = 0;

	for (*which = 0; *which < 2; ++*which) {
		if (strcmp(get_text(probes[*which], "schema"), "hipgrain-probe/1") != 0) {
			differences = -1;
			goto out;
		}
	}
	for (int i = 0; i < 2; i++)
		results[i] = collect(probes[i], listed, order);
	for (unsigned i = 0; i < order->len; i++) {
		const char *key = order->pdata[i];
		const char *a = g_hash_table_lookup(results[0], key);
		const char *b = g_hash_table_lookup(results[1], key);

		if (g_strcmp0(a, b) == 0)
			continue;
		if (a && b && (!is_known(a) || !is_known(b))) {
			unknown++;
			continue;
		}
		fprintf(stream, "%s: %s, %s\n", key, a ? a : "absent", b ? b : "absent");
		differences++;
	}
	fprintf(stream, "%d of %u results differ", differences, order->len);
	if (unknown)
		fprintf(stream, "; %d are unknown in one of the files", unknown);
	fputc('\n', stream);
	g_hash_table_unref(results[0]);
	g_hash_table_unref(results[1]);
out:
	g_ptr_array_free(order, TRUE);
	g_hash_table_unref(listed);
	return differences;
}
