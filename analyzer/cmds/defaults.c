/* SPDX-License-Identifier: Apache-2.0 */
/* Options from configuration files and the environment, ahead of those of the command line. */
#include "analyzer/cmds/defaults.h"

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tracer/message.h"

#define FRAMES_SECTION "frames"

struct reading {
	const struct verb_help *verbs;
	unsigned count;
	const struct verb_help *verb;
	GPtrArray *words; /* char *: the options found so far */
};

enum option_kind { OPTION_NONE, OPTION_FLAG, OPTION_VALUE };

/* "      --format FORMAT       text": one blank and a word stand for a value, two for a flag. */
static enum option_kind kind_of(const struct verb_help *verb, const char *name)
{
	char *option = g_strdup_printf("--%s", name);
	size_t length = strlen(option);
	enum option_kind kind = OPTION_NONE;

	for (const char *at = strstr(verb->usage, option); at && kind == OPTION_NONE;
	     at = strstr(at + 1, option)) {
		const char *end = at + length;

		if (at == verb->usage || at[-1] != ' ' || !strchr(" \n=[", *end))
			continue;
		kind = *end == '=' || (*end == ' ' && g_ascii_isupper(end[1])) ? OPTION_VALUE
									       : OPTION_FLAG;
	}
	g_free(option);
	/* A file with one of these would make the verb useless. */
	return strcmp(name, "help") == 0 || strcmp(name, "version") == 0 ? OPTION_NONE : kind;
}

static bool any_has(const struct reading *reading, const char *name)
{
	for (unsigned i = 0; i < reading->count; i++)
		if (kind_of(&reading->verbs[i], name) != OPTION_NONE)
			return true;
	return false;
}

/* Parses a switch. Key files know "true" and "false"; people write others, too. */
static int parse_switch(const char *value)
{
	static const char *const words[][2] = {
		{ "true", "false" }, { "yes", "no" }, { "on", "off" }, { "1", "0" }
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
		for (int no = 0; no < 2; no++)
			if (g_ascii_strcasecmp(words[i][no], value) == 0)
				return !no;
	}
	return -1;
}

static int add_option(struct reading *reading, const char *path, GKeyFile *file,
		      const char *section, const char *key)
{
	enum option_kind kind = kind_of(reading->verb, key);
	gsize length = 0;
	char **values;
	int on;

	if (kind == OPTION_NONE) {
		if (strcmp(section, "all") == 0 && any_has(reading, key))
			return 0;
		message_error("%s: [%s]: '%s' is not an option of %s", path, section, key,
			      strcmp(section, "all") ? section : "any verb");
		return -EINVAL;
	}
	values = g_key_file_get_string_list(file, section, key, &length, NULL);
	if (kind == OPTION_FLAG) {
		on = length == 1 ? parse_switch(g_strstrip(values[0])) : -1;
		if (on < 0) {
			message_error("%s: [%s]: %s must be true or false", path, section, key);
			g_strfreev(values);
			return -EINVAL;
		}
		if (on)
			g_ptr_array_add(reading->words, g_strdup_printf("--%s", key));
	}
	for (gsize i = 0; kind == OPTION_VALUE && i < length; i++)
		g_ptr_array_add(reading->words, g_strdup_printf("--%s=%s", key, values[i]));
	g_strfreev(values);
	return 0;
}

static int add_section(struct reading *reading, const char *path, GKeyFile *file,
		       const char *section)
{
	char **keys = g_key_file_get_keys(file, section, NULL, NULL);
	int result = 0;

	for (char **key = keys; key && *key && result == 0; key++)
		result = add_option(reading, path, file, section, *key);
	g_strfreev(keys);
	return result;
}

/* [frames] skip=PATTERN;...: for verbs that report. Other keys are wrong. */
static int add_frames(struct reading *reading, const char *path, GKeyFile *file)
{
	char **keys = g_key_file_get_keys(file, FRAMES_SECTION, NULL, NULL);
	char **patterns = g_key_file_get_string_list(file, FRAMES_SECTION, "skip", NULL, NULL);
	int result = 0;

	for (char **key = keys; key && *key && result == 0; key++) {
		if (strcmp(*key, "skip") != 0) {
			message_error("%s: [" FRAMES_SECTION "]: '%s' is not 'skip'", path, *key);
			result = -EINVAL;
		}
	}
	if (kind_of(reading->verb, "skip-frames") == OPTION_VALUE)
		for (char **pattern = patterns; pattern && *pattern && result == 0; pattern++)
			g_ptr_array_add(reading->words,
					g_strdup_printf("--skip-frames=%s", *pattern));
	g_strfreev(patterns);
	g_strfreev(keys);
	return result;
}

static bool is_section(const struct reading *reading, const char *name)
{
	for (unsigned i = 0; i < reading->count; i++)
		if (strcmp(reading->verbs[i].name, name) == 0)
			return true;
	return strcmp(name, "all") == 0 || strcmp(name, FRAMES_SECTION) == 0;
}

/* Returns true if the file cannot be there: its directory does not exist, or this user may not
 * enter it (another one's home, in a user namespace for example). */
static bool is_out_of_reach(const char *path, const GError *problem)
{
	char *folder = g_path_get_dirname(path);
	bool out = g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_ACCES) &&
		   access(folder, X_OK) != 0 && errno == EACCES;

	g_free(folder);
	return out || g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
	       g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOTDIR);
}

/* `required`: the file was named explicitly. */
static int read_file(struct reading *reading, const char *path, bool required)
{
	GKeyFile *file = g_key_file_new();
	GError *problem = NULL;
	char **sections = NULL;
	int result = 0;

	if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &problem)) {
		if (required || !is_out_of_reach(path, problem)) {
			message_error("%s: %s", path, problem->message);
			result = -EINVAL;
		}
		g_error_free(problem);
		goto out;
	}
	sections = g_key_file_get_groups(file, NULL);
	for (char **section = sections; *section; section++) {
		if (!is_section(reading, *section)) {
			message_error("%s: [%s] is neither a verb nor 'all' nor '" FRAMES_SECTION
				      "'",
				      path, *section);
			result = -EINVAL;
			goto out;
		}
	}
	if (g_key_file_has_group(file, FRAMES_SECTION))
		result = add_frames(reading, path, file);
	if (result == 0 && g_key_file_has_group(file, "all"))
		result = add_section(reading, path, file, "all");
	if (result == 0 && g_key_file_has_group(file, reading->verb->name))
		result = add_section(reading, path, file, reading->verb->name);
out:
	g_strfreev(sections);
	g_key_file_free(file);
	return result;
}

static int read_files(struct reading *reading)
{
	const char *chosen = getenv("HIPGRAIN_CONFIG");
	char *own;
	int result;

	if (chosen)
		return *chosen ? read_file(reading, chosen, true) : 0;
	result = read_file(reading, HIPGRAIN_SYSCONFDIR "/hipgrain.conf", false);
	if (result == 0) {
		own = g_build_filename(g_get_user_config_dir(), "hipgrain", "hipgrain.conf", NULL);
		result = read_file(reading, own, false);
		g_free(own);
	}
	return result;
}

/* Reads options only: another word could end up as the command to be run. */
static int read_variable(struct reading *reading)
{
	char *upper = g_ascii_strup(reading->verb->name, -1);
	char *name = g_strdup_printf("HIPGRAIN_%s_OPTIONS", upper);
	const char *value = getenv(name);
	GError *problem = NULL;
	char **words = NULL;
	int result = 0;

	/* A blank string has no words, which for g_shell_parse_argv() is an error. */
	if (value && value[strspn(value, " \t\n")] &&
	    !g_shell_parse_argv(value, NULL, &words, &problem)) {
		message_error("%s: %s", name, problem->message);
		g_error_free(problem);
		result = -EINVAL;
	}
	for (char **word = words; word && *word && result == 0; word++) {
		if ((*word)[0] != '-' || strcmp(*word, "-") == 0 || strcmp(*word, "--") == 0) {
			message_error("%s: '%s' is not an option (write --option=value)", name,
				      *word);
			result = -EINVAL;
		} else {
			g_ptr_array_add(reading->words, g_strdup(*word));
		}
	}
	g_strfreev(words);
	g_free(name);
	g_free(upper);
	return result;
}

char **with_defaults(const struct verb_help *verbs, unsigned count, const char *verb, int *argc,
		     char **argv)
{
	struct reading reading = { .verbs = verbs, .count = count };

	for (unsigned i = 0; i < count; i++)
		if (strcmp(verbs[i].name, verb) == 0)
			reading.verb = &verbs[i];
	reading.words = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(reading.words, g_strdup(argv[0]));
	if (!reading.verb || read_files(&reading) < 0 || read_variable(&reading) < 0) {
		g_ptr_array_unref(reading.words);
		return NULL;
	}
	for (int i = 1; i < *argc; i++)
		g_ptr_array_add(reading.words, g_strdup(argv[i]));
	*argc = (int)reading.words->len;
	g_ptr_array_add(reading.words, NULL);
	return (char **)g_ptr_array_free(reading.words, FALSE);
}
