/* SPDX-License-Identifier: Apache-2.0 */
/* The table of values that options and arguments can have, for completion in shells. */
#include "analyzer/cmds/values.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/formats.h"
#include "analyzer/rules/rules.h"

#define FORMATS_BY_NAME "text json"
#define SEVERITIES      "error warning advice note"
#define WHEN            "auto always never"

/*
 * verb ("*": every other one that has the option), option ("": arguments), values. What a program
 * computes has a name with '%'. The first row that fits counts.
 */
static const struct row {
	const char *verb, *option, *values;
} rows[] = {
	{ "diff", "--format", FORMATS_BY_NAME },
	{ "doctor", "--format", FORMATS_BY_NAME },
	{ "placement", "--format", "text csv folded ranges residency" },
	{ "check", "--tools", "memcheck initcheck racecheck leakcheck synccheck" },
	{ "probe", "--format", FORMATS_BY_NAME },
	{ "scan", "--format", FORMATS_BY_NAME },
	{ "*", "--format", REPORT_FORMAT_NAMES },
	{ "scan", "--fail-on", "@list hw-fp-atomics incomplete" },
	{ "*", "--fail-on", SEVERITIES },
	{ "*", "--color", WHEN },
	{ "*", "--progress", WHEN },
	{ "report", "--what-if", "xnack=0 xnack=1 hip=5.7 hip=6.4 hip=7.2" },
	{ "*", "--access-if", "xnack=0 xnack=1" },
	{ "*", "--kernel-arguments", "full hashed off" },
	{ "*", "--hsa", "yes no auto" },
	{ "*", "--fix", "@list coarse-managed prefetch align" },
	{ "*", "--threshold", "all" },
	{ "*", "--xcds", "1 2 4 8" },
	{ "*", "--gpu", "%gpus" },
	{ "*", "--user", "@user" },

	{ "attach", "--output", "@directory" },
	{ "check", "--output", "@directory" },
	{ "import", "--output", "@directory" },
	{ "reduce", "--output", "@directory" },
	{ "record", "--output", "@directory" },
	{ "run", "--output", "@directory" },
	{ "standby", "--output", "@directory" },
	{ "*", "--output", "@file" },
	{ "*", "--rule", "%rules" },
	{ "*", "--finding", "@none" },
	{ "*", "--report", "@file" },
	{ "*", "--partial", "@file" },
	{ "*", "--suppressions", "@file" },
	{ "*", "--baseline", "@file" },
	{ "report", "--with", "@file" },
	{ "report", "--worth", "@none" },
	{ "*", "--bundle", "@directory" },
	{ "*", "--ctf", "@directory" },
	{ "export", "--perfetto", "@file" },
	{ "*", "--root", "@directory" },
	{ "*", "--source-root", "@directory" },
	{ "*", "--stage", "@directory" },
	{ "*", "--trace", "@directory" },

	{ "*", "--arch", "@none" },
	{ "*", "--disassemble", "@none" },
	{ "*", "--jobs", "@none" },
	{ "*", "--keep-chunks", "@none" },
	{ "*", "--kernel", "@none" },
	{ "*", "--pid", "@none" },
	{ "*", "--port", "@none" },
	{ "*", "--quota", "@none" },
	{ "*", "--range", "@none" },
	{ "*", "--residency", "@none" },
	{ "*", "--rotate", "@none" },
	{ "*", "--seconds", "@none" },
	{ "*", "--seed", "@none" },
	{ "*", "--seeds", "@none" },
	{ "*", "--skip-frames", "@none" },
	{ "*", "--snapshot", "@none" },
	{ "*", "--stack-depth", "@none" },
	{ "*", "--time-limit", "@none" },
	{ "*", "--url", "@none" },
	{ "*", "--view", "@none" },

	{ "explain", "", "memory %rules" },
	{ "detach", "", "@directory" },
	{ "events", "", "@directory" },
	{ "export", "", "@directory" },
	{ "import", "", "@directory" },
	{ "placement", "", "@directory" },
	{ "demo", "", "@none" },
	{ "ps", "", "@none" },
	{ "reduce", "", "@directory" },
	{ "report", "", "@directory" },
	{ "snapshot", "", "@directory" },
	{ "*", "", "@file" },
};

/* Prints the numbers of this machine's GPUs, as the driver has them: nodes whose gpu_id is not
 * 0. */
static void print_gpus(void)
{
	const char *folder = "/sys/class/kfd/kfd/topology/nodes";
	GDir *nodes = g_dir_open(folder, 0, NULL);
	const char *name;
	unsigned count = 0;

	while (nodes && (name = g_dir_read_name(nodes)) != NULL) {
		char *path = g_build_filename(folder, name, "gpu_id", NULL), *id = NULL;

		if (g_file_get_contents(path, &id, NULL, NULL) && g_ascii_strtoull(id, NULL, 10))
			printf("%u\n", count++);
		g_free(id);
		g_free(path);
	}
	if (nodes)
		g_dir_close(nodes);
}

static void print_word(const char *word)
{
	if (strcmp(word, "%gpus") == 0)
		print_gpus();
	else if (strcmp(word, "%rules") == 0)
		for (const struct rule *rule = rule_after(NULL); rule; rule = rule_after(rule))
			puts(rule->id);
	else if (*word)
		puts(word);
}

bool values_print(const char *verb, const char *option)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		char **words;

		if ((strcmp(rows[i].verb, "*") != 0 && strcmp(rows[i].verb, verb) != 0) ||
		    strcmp(rows[i].option, option ? option : "") != 0)
			continue;
		words = g_strsplit(rows[i].values, " ", -1);
		for (char **word = words; *word; word++)
			print_word(*word);
		g_strfreev(words);
		return true;
	}
	return false;
}
