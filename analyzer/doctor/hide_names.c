/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders for names in a text that is given away. */
#include "hide_names.h"

#include <stdbool.h>
#include <string.h>

#define NUMBER_MOST 16 /* characters of a number that is no secret: longer ones may be a key */

/* Every machine has these: names below tell nothing of the user. */
static const char *const system_folders[] = {
	"/usr", "/lib",  "/lib64", "/bin",  "/sbin", "/opt/rocm",
	"/dev", "/proc", "/sys",   "/boot", "/etc",
};

/* Names of files that tell which part of the software it is, and nothing else. */
static const char *const known_files[] = {
	"hipgrain",         "libhipgrain-*.so", "libamdhip64.so*", "libhsa-runtime64.so*",
	"libamd_comgr.so*", "libLLVM*.so*",     "lttng-sessiond",  "lttng-consumerd",
};

void redact_begin(struct redaction *redaction, const char *user, const char *host)
{
	*redaction = (struct redaction){
		.known = g_ptr_array_new_with_free_func(g_free),
		.places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.user = user && strcmp(user, "root") != 0 ? user : NULL,
		.host = host && *host ? host : NULL,
	};
}

void redact_end(struct redaction *redaction)
{
	g_ptr_array_unref(redaction->known);
	g_hash_table_unref(redaction->places);
}

static gint by_length(gconstpointer a, gconstpointer b)
{
	size_t x = strlen(*(const char *const *)a), y = strlen(*(const char *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

void redact_know(struct redaction *redaction, const char *paths)
{
	char **parts = g_strsplit(paths ? paths : "", ":", -1);

	for (char **part = parts; *part; part++) {
		size_t length = strlen(*part);

		while (length > 1 && (*part)[length - 1] == '/')
			(*part)[--length] = '\0';
		/* "." and "/" are everywhere. */
		if (length > 1)
			g_ptr_array_add(redaction->known, g_strdup(*part));
	}
	g_strfreev(parts);
	g_ptr_array_sort(redaction->known, by_length);
}

static bool is_of_system(const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(system_folders); i++) {
		const char *rest = path + strlen(system_folders[i]);

		/* Releases of ROCm lie beside each other: /opt/rocm-6.4. */
		if (g_str_has_prefix(path, system_folders[i]) &&
		    (*rest == '/' || *rest == '\0' ||
		     (*rest == '-' && strstr(path, "/opt/rocm-") == path)))
			return !g_str_has_prefix(path, "/usr/local") && !strstr(path, "/../");
	}
	return false;
}

static bool is_known_file(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(known_files); i++)
		if (g_pattern_match_simple(known_files[i], name))
			return true;
	return false;
}

/* Returns the placeholder of `path`, "DIR1" or "FILE1". */
static const char *place_of(struct redaction *redaction, const char *path, bool folder)
{
	const char *place = g_hash_table_lookup(redaction->places, path);
	char *made;

	if (place)
		return place;
	made = folder ? g_strdup_printf("DIR%u", ++redaction->folders)
		      : g_strdup_printf("FILE%u", ++redaction->files);
	g_hash_table_insert(redaction->places, g_strdup(path), made);
	return made;
}

static void add_path(struct redaction *redaction, GString *to, const char *path)
{
	char *folder, *name;

	if (is_of_system(path)) {
		g_string_append(to, path);
		return;
	}
	folder = g_path_get_dirname(path);
	name = g_path_get_basename(path);
	if (strcmp(folder, "/tmp") == 0 || strcmp(folder, "/") == 0)
		g_string_append_printf(to, "%s%s", folder, folder[1] ? "/" : "");
	else if (strcmp(folder, ".") != 0)
		g_string_append_printf(to, "%s/", place_of(redaction, folder, true));
	g_string_append(to, is_known_file(name) || strcmp(path, "/tmp") == 0
				? name
				: place_of(redaction, path, false));
	g_free(folder);
	g_free(name);
}

static bool ends_path(char byte)
{
	return !byte || strchr(" \t\n,;:()'\"<>|", byte);
}

static bool is_word(char byte)
{
	return g_ascii_isalnum(byte) || byte == '_' || (byte & 0x80);
}

/* Returns the length of the path at `at`, 0 if there is none. */
static size_t path_at(const struct redaction *redaction, const char *text, const char *at)
{
	char before = at > text ? at[-1] : ' ';
	size_t length = 0;

	if (is_word(before) || strchr("/.", before))
		return 0;
	for (guint i = 0; i < redaction->known->len && !length; i++) {
		const char *known = redaction->known->pdata[i];
		size_t whole = strlen(known);

		if (strncmp(at, known, whole) == 0 && !is_word(at[whole]))
			length = whole;
	}
	if (!length && *at != '/')
		return 0;
	while (!ends_path(at[length]))
		length++;
	return length > 1 ? length : 0;
}

/* Returns the length of `word` if it stands at `at` as a whole word, else 0. */
static size_t word_at(const char *word, const char *text, const char *at)
{
	size_t length = word ? strlen(word) : 0;

	return length && strncmp(at, word, length) == 0 && !is_word(at[length]) &&
		       !(at > text && is_word(at[-1]))
		   ? length
		   : 0;
}

char *redact_text(struct redaction *redaction, const char *text)
{
	GString *to = g_string_new(NULL);

	for (const char *at = text; *at;) {
		size_t length = path_at(redaction, text, at);

		if (length) {
			char *path = g_strndup(at, length);

			add_path(redaction, to, path);
			g_free(path);
		} else if ((length = word_at(redaction->user, text, at)) != 0) {
			g_string_append(to, "USER");
		} else if ((length = word_at(redaction->host, text, at)) != 0) {
			g_string_append(to, "HOST");
		} else {
			g_string_append_c(to, *at);
			length = 1;
		}
		at += length;
	}
	return g_string_free(to, FALSE);
}

char *redact_value(struct redaction *redaction, const char *value)
{
	static const char *const words[] = { "yes",  "no",    "on",        "off",
					     "true", "false", "mandatory", "disabled" };
	size_t length = strlen(value);

	if (length <= NUMBER_MOST && strspn(value, "0123456789,.:-") == length)
		return g_strdup(value);
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(value, words[i]) == 0)
			return g_strdup(value);
	if (*value == '/') {
		redact_know(redaction, value);
		return redact_text(redaction, value);
	}
	return g_strdup("(set)");
}
