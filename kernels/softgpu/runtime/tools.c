// SPDX-License-Identifier: Apache-2.0
/*
 * Loads the libraries that get the table of functions when the runtime starts and may put theirs in
 * front (ROCr's interface for profilers). Each exports bool OnLoad(table, version, failed_count,
 * failed_names), and may export void OnUnload(void). They are those that HSA_TOOLS_LIB names,
 * separated by spaces, in that order, and then, as in ROCr from 6 on, those in the process that
 * export uint32_t HSA_AMD_TOOL_PRIORITY, in ascending order of it.
 *
 * From 6 on there is also rocprofiler-register, which the runtime calls first. It takes over where
 * a library exports rocprofiler_configure, or where ROCP_TOOL_LIBRARIES or
 * ROCPROFILER_REGISTER_LIBRARY names one; then no tool is looked for, unless
 * HSA_TOOLS_ROCPROFILER_V1_TOOLS=1. (LoadTools() in runtime.cpp of ROCr, August 2025. Nothing is
 * registered here: only what follows is modelled.)
 */
#include "runtime.h"
#include <dlfcn.h>
#include <link.h>
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
static void *table;
/* The names in `failed` point into it, and tools may keep them. */
static char *names;

/* Starts a tool. Returns false after a message. */
static bool start(void *tool, const char *name)
{
	on_load *function = (on_load *)dlsym(tool, "OnLoad");

	if (!function)
		sg_warn("tool %s has no OnLoad", name);
	else if (!function(table, RUNTIME_VERSION, failed_count, failed))
		sg_warn("tool %s refused to be loaded", name);
	else
		return true;
	return false;
}

static bool load(const char *name)
{
	void *tool = dlopen(name, RTLD_NOW);

	if (!tool)
		sg_warn("HSA_TOOLS_LIB: %s", dlerror());
	if (tool && start(tool, name)) {
		tools[tool_count++] = tool;
		return true;
	}
	if (tool)
		dlclose(tool);
	return false;
}

static void load_named(void)
{
	const char *list = secure_getenv("HSA_TOOLS_LIB");
	char *rest, *name;

	free(names);
	names = rest = list && *list ? strdup(list) : NULL;
	while (rest && (name = strsep(&rest, " "))) {
		if (!*name || tool_count == MAX_TOOLS || failed_count == MAX_TOOLS)
			continue;
		if (!load(name))
			failed[failed_count++] = name;
	}
}

/*
 * Returns the priority of the library, not that of a library that it needs, or NULL if it has none.
 */
static const uint32_t *priority_of(void *library, const struct link_map *map)
{
	const uint32_t *priority = dlsym(library, "HSA_AMD_TOOL_PRIORITY");
	struct link_map *owner = NULL;
	Dl_info info;

	if (!priority || !dladdr1(priority, &info, (void **)&owner, RTLD_DL_LINKMAP))
		return NULL;
	return owner == map ? priority : NULL;
}

struct loaded {
	void *library;
	const char *name;
	uint32_t priority;
};

static int by_priority(const void *a, const void *b)
{
	const struct loaded *left = a, *right = b;

	return left->priority < right->priority ? -1 : left->priority > right->priority;
}

/* Returns true if the library is a tool already, because it was named: it becomes one only once. */
static bool is_loaded(const void *library)
{
	for (unsigned i = 0; i < tool_count; i++)
		if (tools[i] == library)
			return true;
	return false;
}

static void load_exported(void)
{
	struct loaded found[MAX_TOOLS];
	struct link_map *map = NULL;
	unsigned count = 0;
	void *program = dlopen(NULL, RTLD_LAZY);

	if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map))
		return;
	for (; map && count < MAX_TOOLS; map = map->l_next) {
		void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
		const uint32_t *priority = library ? priority_of(library, map) : NULL;

		if (priority && !is_loaded(library))
			found[count++] = (struct loaded){ library, map->l_name, *priority };
		else if (library)
			dlclose(library);
	}
	qsort(found, count, sizeof(found[0]), by_priority);
	for (unsigned i = 0; i < count; i++)
		if (tool_count < MAX_TOOLS && start(found[i].library, found[i].name))
			tools[tool_count++] = found[i].library;
		else
			dlclose(found[i].library);
	dlclose(program);
}

static bool is_set(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value;
}

static bool is_registered(void)
{
	return dlsym(RTLD_DEFAULT, "rocprofiler_configure") || is_set("ROCP_TOOL_LIBRARIES") ||
	       is_set("ROCPROFILER_REGISTER_LIBRARY");
}

void sg_tools_load(void)
{
	const char *v1 = secure_getenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS");
	bool since_6 = sg_settings.table >= SG_TABLE_6_4;

	if (since_6 && is_registered() && (!v1 || strcmp(v1, "1"))) {
		sg_log("tools: left to rocprofiler-register");
		return;
	}
	table = sg_api_table();
	load_named();
	if (since_6)
		load_exported();
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
