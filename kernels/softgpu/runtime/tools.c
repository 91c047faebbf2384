// SPDX-License-Identifier: Apache-2.0
/*
 * HSA_TOOLS_LIB: libraries, separated by spaces, that are given the table of functions when the
 * runtime starts and may put theirs in front (ROCr's interface for profilers). Each exports
 * bool OnLoad(table, version, failed_count, failed_names), and may export void OnUnload(void).
 * They are loaded in the order of their names here; ROCr's HSA_AMD_TOOL_PRIORITY is not looked at.
 */
#include "runtime.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOOLS 16

typedef bool on_load(void *table, uint64_t version, uint64_t failed_count,
		     const char *const *failed_names);
typedef void on_unload(void);

/* What ROCr 5.2 passes: the runtime's version, 1.1, in no further documented form. */
#define RUNTIME_VERSION 1

static void *tools[MAX_TOOLS];
static const char *failed[MAX_TOOLS];
static unsigned tool_count, failed_count;
/* The names in `failed` point into it, and tools may keep them. */
static char *names;

/* NULL after a message. */
static void *load(const char *name, void *table)
{
	void *tool = dlopen(name, RTLD_NOW);
	on_load *function;

	if (!tool) {
		sg_warn("HSA_TOOLS_LIB: %s", dlerror());
		return NULL;
	}
	function = (on_load *)dlsym(tool, "OnLoad");
	if (!function)
		sg_warn("HSA_TOOLS_LIB: %s has no OnLoad", name);
	else if (!function(table, RUNTIME_VERSION, failed_count, failed))
		sg_warn("HSA_TOOLS_LIB: %s refused to be loaded", name);
	else
		return tool;
	dlclose(tool);
	return NULL;
}

void sg_tools_load(void)
{
	const char *list = secure_getenv("HSA_TOOLS_LIB");
	char *rest, *name;
	void *table;

	if (!list || !*list)
		return;
	free(names);
	names = rest = strdup(list);
	table = sg_api_table();
	while (rest && (name = strsep(&rest, " "))) {
		void *tool;
		if (!*name || tool_count == MAX_TOOLS || failed_count == MAX_TOOLS)
			continue;
		tool = load(name, table);
		if (tool)
			tools[tool_count++] = tool;
		else
			failed[failed_count++] = name;
	}
}

void sg_tools_unload(void)
{
	if (!tool_count)
		return;
	for (unsigned i = tool_count; i--;) {
		on_unload *function = (on_unload *)dlsym(tools[i], "OnUnload");
		if (function)
			function();
	}
	/* The libraries stay: another thread may be in one of their functions. */
	sg_api_table_reset();
	tool_count = failed_count = 0;
}
