/* SPDX-License-Identifier: Apache-2.0 */
/* Makes placeholders. */
#include "placeholders.h"

#include <stdio.h>
#include <string.h>

#define FILL '_'

static const char *const prefixes[] = {
	[NAME_FILE] = "/file_", [NAME_KERNEL] = "kernel_", [NAME_FUNCTION] = "function_",
	[NAME_TEXT] = "name_",  [NAME_BUILD_ID] = "",      [NAME_RANGE] = "",
};

/* Returns true for what compilers and runtimes name. Names of target regions tell their line, and
 * have the name of the function that they are in. */
static bool is_of_system(const char *name)
{
	static const char *const known[] = { "__hip_",   "__ockl_", "__ocml_",
					     "__oclc_",  "llvm.",   "_ZN17__HIP_Coordinates",
					     "_DYNAMIC", "__omp",   "__kmpc",
					     "hidden_" };

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_has_prefix(name, known[i]))
			return true;
	return false;
}

bool names_is_system_file(const char *path)
{
	static const char *const known[] = { "/lib/",       "/lib64/",       "/usr/lib/",
					     "/usr/lib64/", "/usr/libexec/", "/usr/include/",
					     "/opt/rocm" };

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_has_prefix(path, known[i]))
			return !strstr(path, "/../");
	return false;
}

void names_init(struct names *names)
{
	*names = (struct names){ 0 };
	names->placeholders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

void names_clear(struct names *names)
{
	g_hash_table_destroy(names->placeholders);
}

void names_set(struct names *names, const char *name, const char *placeholder)
{
	g_hash_table_insert(names->placeholders, g_strdup(name), g_strdup(placeholder));
}

/* Returns what stays at the end of a path: the name of a library that the analysis knows, or the
 * suffix of the file. */
static const char *end_of_file(const char *path)
{
	static const char *const libraries[] = { "libhipgrain", "libamdhip64", "libhsa",
						 "libamd_comgr", "libomp" };
	const char *base = strrchr(path, '/'), *dot;

	for (size_t i = 0; base && i < G_N_ELEMENTS(libraries); i++)
		if (g_str_has_prefix(base + 1, libraries[i]))
			return base;
	dot = strrchr(base ? base : path, '.');
	return dot && strlen(dot) <= 5 && !strpbrk(dot, "/ ") ? dot : "";
}

/* Returns letters in place of letters, which depend on all but the digits. */
static char *hide_letters(const char *name)
{
	char *hidden = g_strdup(name);
	guint hash = 5381;

	for (const char *at = name; *at; at++)
		if (!g_ascii_isdigit(*at))
			hash = hash * 33 + (guchar)*at;
	for (char *at = hidden; *at; at++) {
		hash = hash * 1103515245 + 12345;
		if (!g_ascii_isdigit(*at) && !strchr(" /:", *at))
			*at = (char)('a' + (hash >> 16) % 26);
	}
	return hidden;
}

/* Returns `number` in letters, `length` of them. */
static char *in_letters(unsigned number, size_t length)
{
	char *text = g_strnfill(length, 'a');

	for (size_t i = length; i-- && number; number /= 26)
		text[i] = (char)('a' + number % 26);
	return text;
}

static char *make(struct names *names, const char *name, enum name_kind kind, bool same_length)
{
	const char *end = kind == NAME_FILE ? end_of_file(name) : "";
	unsigned number = ++names->counts[kind];
	size_t length = strlen(name);
	char *text, *filled;

	if (kind == NAME_RANGE)
		return hide_letters(name);
	if (kind == NAME_BUILD_ID)
		return g_strdup_printf("%0*x", (int)MIN(length, 4096), number);
	text = g_strdup_printf("%s%u", prefixes[kind], number);
	if (!same_length) {
		filled = g_strconcat(text, end, NULL);
	} else if (strlen(text) + strlen(end) <= length) {
		char *fill = g_strnfill(length - strlen(text) - strlen(end), FILL);

		filled = g_strconcat(text, fill, end, NULL);
		g_free(fill);
	} else {
		filled = in_letters(number, length);
	}
	g_free(text);
	return filled;
}

const char *names_of(struct names *names, const char *name, enum name_kind kind, bool same_length)
{
	const char *known = g_hash_table_lookup(names->placeholders, name);
	char *made;

	if (known)
		return known;
	if (!*name || (kind == NAME_FILE ? names_is_system_file(name) : is_of_system(name)))
		return name;
	made = make(names, name, kind, same_length);
	g_hash_table_insert(names->placeholders, g_strdup(name), made);
	return made;
}

void names_overwrite(struct names *names, char *name, size_t length, enum name_kind kind)
{
	char *text = g_strndup(name, length);
	const char *placeholder = names_of(names, text, kind, true);

	if (strlen(text) == length && strlen(placeholder) == length)
		memcpy(name, placeholder, length);
	else
		memset(name, FILL, length);
	g_free(text);
}

static bool may_stay(const char *value, size_t length)
{
	static const char *const words[] = { "yes",  "no",    "on",        "off",
					     "true", "false", "mandatory", "disabled" };
	bool plain = true;

	for (size_t i = 0; i < length && plain; i++)
		plain = g_ascii_isdigit(value[i]) || strchr(",.:-", value[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(words) && !plain; i++)
		plain =
		    strlen(words[i]) == length && g_ascii_strncasecmp(value, words[i], length) == 0;
	return plain;
}

void names_hide_values(char *lines, size_t length)
{
	char *end = lines + length;

	while (lines < end) {
		char *line_end = memchr(lines, '\n', (size_t)(end - lines));
		char *value;
		bool is_own;

		line_end = line_end ? line_end : end;
		value = memchr(lines, '=', (size_t)(line_end - lines));
		value = value ? value + 1 : lines;
		/* Our own ones name the recording and its options. */
		is_own = value - lines > 9 && strncmp(lines, "HIPGRAIN_", 9) == 0 &&
			 !memchr(value, '/', (size_t)(line_end - value));
		if (!is_own && !may_stay(value, (size_t)(line_end - value)))
			memset(value, FILL, (size_t)(line_end - value));
		lines = line_end + 1;
	}
}
