/* SPDX-License-Identifier: Apache-2.0 */
/* hipgrain explain: rules, kinds of memory. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/nearest.h"
#include "analyzer/explain/explain.h"
#include "analyzer/rules/rules.h"
#include "tracer/environment.h"
#include "tracer/install.h"
#include "tracer/machine.h"
#include "tracer/message.h"

const char usage_explain[] =
    "Usage: hipgrain explain [RULE]...\n"
    "       hipgrain explain [--softgpu] memory\n"
    "Explain what findings of RULE (HG101, or its name) mean and how to fix them, or list all\n"
    "rules. 'memory': how GPU and CPU reach each kind of memory on this machine, what migrates,\n"
    "and which calls return fine-grained or coarse-grained memory.\n"
    "\n"
    "      --softgpu             explain the software GPU's memory instead of this machine's\n"
    "  -h, --help                print this help\n";

/* Gets the software GPU beneath this process, which may execute itself again for that. */
static int enter_softgpu(char **arguments)
{
	struct install_paths paths = { 0 };
	char why[256] = "";
	int entered = -1;

	if (install_find(&paths, why, sizeof(why)) < 0 || environment_lacks(&paths)) {
		message_error("--softgpu: %s", why[0] ? why : environment_lacks(&paths));
	} else if ((entered = environment_enter(&paths, "explain", arguments)) < 0) {
		message_error("--softgpu: the software GPU cannot be preloaded: %s",
			      strerror(errno));
	}
	install_paths_free(&paths);
	return entered < 0 ? HG_EXIT_INPUT : HG_EXIT_OK;
}

static void explain_machine(bool softgpu)
{
	char key[MACHINE_KEY_SIZE], *cache = machine_probe_directory();
	GPtrArray *problems = g_ptr_array_new_with_free_func(g_free);
	struct measured *measured = measured_new();
	struct machine machine;

	machine_ask(&machine);
	machine_key(softgpu, key);
	if (cache)
		measured_add_directory(measured, cache, key, problems);
	for (guint i = 0; i < problems->len; i++)
		message_warning("%s", (const char *)problems->pdata[i]);
	explain_memory(&machine, measured, stdout);
	g_ptr_array_free(problems, TRUE);
	measured_free(measured);
	free(cache);
}

/* Says that there is no rule of that id or name, with the one that is near. */
static void refuse_rule(const char *name)
{
	struct nearest nearest = nearest_to(name);

	for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule)) {
		nearest_offer(&nearest, rule->id);
		nearest_offer(&nearest, rule->slug);
	}
	nearest_offer(&nearest, "memory");
	if (nearest.name)
		message_error("unknown rule '%s' (did you mean '%s'?)", name, nearest.name);
	else
		message_error("unknown rule '%s' ('hipgrain explain' lists the rules)", name);
}

int cmd_explain(int argc, char **argv)
{
	enum { OPTION_SOFTGPU = 256 };
	static const struct option long_options[] = {
		{ "softgpu", no_argument, NULL, OPTION_SOFTGPU },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool softgpu = false;
	int code, status = HG_EXIT_OK;

	while ((code = next_option(argc, argv, "h", long_options)) != -1) {
		switch (code) {
		case OPTION_SOFTGPU:
			softgpu = true;
			break;
		case 'h':
			fputs(usage_explain, stdout);
			return HG_EXIT_OK;
		default:
			return HG_EXIT_USAGE;
		}
	}
	/* Before anything is printed: it may be executed again. */
	if (softgpu)
		status = enter_softgpu(argv + 1);
	for (int i = optind; i < argc && status == HG_EXIT_OK; i++) {
		if (strcmp(argv[i], "memory") != 0 && !rule_by_name(argv[i])) {
			refuse_rule(argv[i]);
			status = HG_EXIT_USAGE;
		}
	}
	if (optind == argc && status == HG_EXIT_OK)
		explain_rules(stdout);
	for (int i = optind; i < argc && status == HG_EXIT_OK; i++) {
		const struct rule *rule = rule_by_name(argv[i]);

		if (i > optind)
			putchar('\n');
		if (strcmp(argv[i], "memory") == 0)
			explain_machine(softgpu);
		else
			explain_rule(rule, stdout);
	}
	return status;
}
