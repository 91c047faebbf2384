/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the processors that the device code of a file is for from the file's containers. */
#include "analyzer/containers/file_targets.h"

#include <string.h>

#include "analyzer/containers/containers.h"

struct targets {
	GPtrArray *list;
	bool problem;
};

static void add_target(void *user, const void *elf, size_t size, const char *target)
{
	struct targets *targets = user;

	(void)elf;
	(void)size;
	if (!target)
		targets->problem = true;
	else if (!g_ptr_array_find_with_equal_func(targets->list, target, g_str_equal, NULL))
		g_ptr_array_add(targets->list, g_strdup(target));
}

static void note_problem(void *user, const char *text)
{
	(void)text;
	((struct targets *)user)->problem = true;
}

GPtrArray *file_targets(const char *path)
{
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	struct targets targets = { .list = g_ptr_array_new_with_free_func(g_free),
				   .problem = !file };
	const struct container_sink sink = { .object = add_target,
					     .problem = note_problem,
					     .user = &targets };

	if (file) {
		containers_walk(g_mapped_file_get_contents(file), g_mapped_file_get_length(file),
				&sink);
		g_mapped_file_unref(file);
	}
	for (unsigned i = 0; i < targets.list->len; i++) {
		struct codeobj_target parsed;

		if (codeobj_target_parse(targets.list->pdata[i], &parsed) != 0 ||
		    strncmp(parsed.processor, "gfx", 3) != 0)
			targets.problem = true;
	}
	if (targets.problem || !targets.list->len)
		g_clear_pointer(&targets.list, g_ptr_array_unref);
	return targets.list;
}

bool file_targets_match(const GPtrArray *targets, const char *processor)
{
	struct codeobj_target wanted, have;

	if (codeobj_target_parse(processor, &wanted) != 0)
		return true; /* not known to be otherwise */
	for (unsigned i = 0; i < targets->len; i++)
		if (codeobj_target_parse(targets->pdata[i], &have) == 0 &&
		    codeobj_target_match(&have, &wanted) >= 0)
			return true;
	return false;
}

char *file_targets_text(const GPtrArray *targets)
{
	GString *text = g_string_new("");

	for (unsigned i = 0; i < targets->len; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "",
				       (const char *)targets->pdata[i]);
	return g_string_free(text, FALSE);
}
