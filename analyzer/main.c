/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain VERB: finds the verb's row and hands over.
 */
#include <errno.h>
#include <getopt.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/output.h"
#include "analyzer/cmds/defaults.h"
#include "analyzer/cmds/nearest.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/values.h"
#include "config.h"
#include "tracer/message.h"
#include "tracer/streams.h"

static int cmd_help(int argc, char **argv);

static const char usage_help[] =
    "Usage: hipgrain help [VERB]\n"
    "       hipgrain help --values VERB [OPTION]\n"
    "Print help for hipgrain or one of its verbs.\n"
    "\n"
    "      --values VERB         print the values that OPTION of VERB, or its arguments, can "
    "have,\n"
    "                            a word a line (for completion in shells)\n"
    "  -h, --help                print this help\n";

static const struct verb {
	const char *name, *summary, *usage;
	int (*function)(int argc, char **argv);
} verbs[] = {
	{ "run", "record a command and report what is wrong", usage_run, cmd_run },
	{ "check", "check each memory access of a command's kernels on the software GPU",
	  usage_check, cmd_check },
	{ "record", "record a command into a trace bundle", usage_record, cmd_record },
	{ "report", "analyse a trace bundle", usage_report, cmd_report },
	{ "diff", "compare the findings of two recordings", usage_diff, cmd_diff },
	{ "placement", "list the memory that a recorded program used, and where it was allocated",
	  usage_placement, cmd_placement },
	{ "scan", "list the atomics in a binary and where their addresses come from", usage_scan,
	  cmd_scan },
	{ "events", "print the events of a recording", usage_events, cmd_events },
	{ "export", "make a trace of ordinary events of a recording, for other tools", usage_export,
	  cmd_export },
	{ "import", "make a trace bundle of a capture that HIP made itself", usage_import,
	  cmd_import },
	{ "reduce", "make a bundle to give away, with placeholders for names", usage_reduce,
	  cmd_reduce },
	{ "merge", "merge the reports of a parallel job's nodes", usage_merge, cmd_merge },
	{ "live", "print findings while a recording is running", usage_live, cmd_live },
	{ "ps", "list recorded processes and the HIP calls that they are in", usage_ps, cmd_ps },
	{ "snapshot", "write the events that a flight recorder keeps", usage_snapshot,
	  cmd_snapshot },
	{ "standby", "run a command so that it can be recorded later", usage_standby, cmd_standby },
	{ "attach", "start to record programs that were started with standby", usage_attach,
	  cmd_attach },
	{ "detach", "stop recording", usage_detach, cmd_detach },
	{ "doctor", "check whether this machine and a program can be recorded", usage_doctor,
	  cmd_doctor },
	{ "demo", "show a recording and its report: a result that is silently wrong", usage_demo,
	  cmd_demo },
	{ "explain", "explain a rule, or the kinds of memory of this machine", usage_explain,
	  cmd_explain },
	{ "probe", "measure this machine's memory, and compare it with the memory model",
	  usage_probe, cmd_probe },
	{ "help", "print help for a verb", usage_help, cmd_help },
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

/* Says that `name` is no verb, with what may be meant. Returns the exit status. */
static int refuse_verb(const char *name)
{
	static const char own_options[] = " --help --version";
	struct nearest nearest = nearest_to(name);
	char *option = *name == '-' ? nearest_option(own_options, name) : NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++)
		nearest_offer(&nearest, verbs[i].name);
	if (option)
		message_error("unknown option '%s' (did you mean '%s'?)", name, option);
	else if (*name == '-')
		message_error("unknown option '%s': options follow the verb, as in 'hipgrain run "
			      "%s ...'",
			      name, name);
	else if (nearest.name)
		message_error("'%s' is not a verb (did you mean '%s'?)", name, nearest.name);
	else if (*name && g_file_test(name, G_FILE_TEST_IS_DIR))
		message_error("'%s' is not a verb (did you mean 'hipgrain report %s'?)", name,
			      name);
	else if (*name && g_file_test(name, G_FILE_TEST_EXISTS))
		message_error("'%s' is not a verb (did you mean './%s'?)", name, name);
	else
		message_error("'%s' is neither a verb nor a program (try 'hipgrain --help')", name);
	g_free(option);
	return HG_EXIT_USAGE;
}

/*
 * Returns true if `name` is a program to run: a path, or the name of an executable in PATH.
 */
static bool names_program(const char *name)
{
	char *found;
	bool is_program;

	if (strchr(name, '/'))
		return true;
	found = *name && *name != '-' ? g_find_program_in_path(name) : NULL;
	is_program = found != NULL;
	g_free(found);
	return is_program;
}

/* Says that `typed` ("--fromat=json") is no option of `verb`, and which one may be meant. */
static void refuse_long_option(const struct verb *verb, const char *typed)
{
	int length = (int)strcspn(typed, "=");
	char *near = nearest_option(verb->usage, typed);
	GPtrArray *options = options_beginning(verb->usage, typed);

	if (options->len > 1) {
		g_ptr_array_add(options, NULL);
		g_free(near);
		near = g_strjoinv(", ", (char **)options->pdata);
		message_error("option '%.*s' is ambiguous: %s", length, typed, near);
	} else if (near) {
		message_error("unknown option '%.*s' (did you mean '%s'?)", length, typed, near);
	} else {
		const char *other = NULL;

		for (size_t i = 0; i < G_N_ELEMENTS(verbs) && !other; i++) {
			g_ptr_array_unref(options);
			options = options_beginning(verbs[i].usage, typed);
			if (options->len == 1 &&
			    strlen(g_ptr_array_index(options, 0)) == (size_t)length)
				other = verbs[i].name;
		}
		message_error(other ? "unknown option '%.*s': it is one of 'hipgrain %s'"
				    : "unknown option '%.*s' (try 'hipgrain %s --help')",
			      length, typed, other ? other : verb->name);
	}
	g_ptr_array_unref(options);
	g_free(near);
}

/* Says what is wrong with the option at which the function of `verb` stopped: getopt_long(3) itself
 * prints no line here. */
static void refuse_option(const struct verb *verb, int argc, char **argv)
{
	const char *typed = optind > 1 && optind <= argc ? argv[optind - 1] : "";
	const char *group = optind < argc ? argv[optind] : "";
	bool is_short =
	    group[0] == '-' && group[1] != '-' && optopt && optopt < 128 && strchr(group, optopt);
	char known[] = { ' ', '-', (char)optopt, '\0' };

	if (!is_short && g_str_has_prefix(typed, "--")) {
		if (!optopt)
			refuse_long_option(verb, typed);
		else if (strchr(typed, '='))
			message_error("option '%.*s' takes no value", (int)strcspn(typed, "="),
				      typed);
		else
			message_error("option '%s' needs a value (try 'hipgrain %s --help')", typed,
				      verb->name);
	} else if (strstr(verb->usage, known)) {
		message_error("option '-%c' needs a value (try 'hipgrain %s --help')", optopt,
			      verb->name);
	} else {
		message_error("unknown option '-%c' (try 'hipgrain %s --help')", optopt,
			      verb->name);
	}
}

static void print_usage(FILE *stream)
{
	fputs("Usage: hipgrain VERB [OPTION]... [ARGUMENT]...\n"
	      "       hipgrain CMD...           the same as hipgrain run -- CMD...\n"
	      "Record where the memory of a HIP program lives and how its kernels use it, and "
	      "explain what is wrong.\n\n",
	      stream);
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++)
		fprintf(stream, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
	fputs("\n"
	      "  -h, --help     print this help; 'hipgrain VERB --help' for a verb\n"
	      "  -V, --version  print the version\n",
	      stream);
}

/* Output that could not be written (a full disk, a closed pipe) is an error, not success. */
static int finish(int status)
{
	if ((fflush(stdout) || ferror(stdout)) && status == HG_EXIT_OK) {
		message_error("cannot write the output: %s", strerror(errno));
		return HG_EXIT_INPUT;
	}
	return status;
}

/* Verbs are those of the table above; all else is in values.c. */
static int print_values(const char *name, const char *option)
{
	if (!find_verb(name))
		return refuse_verb(name);
	if (strcmp(name, "help") == 0 && !option) {
		for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++)
			puts(verbs[i].name);
		return HG_EXIT_OK;
	}
	if (values_print(name, option))
		return HG_EXIT_OK;
	message_error("%s: no values are known of %s", name, option ? option : "its arguments");
	return HG_EXIT_USAGE;
}

static int cmd_help(int argc, char **argv)
{
	const struct verb *verb;

	if (argc < 2) {
		print_usage(stdout);
		return HG_EXIT_OK;
	}
	if (strcmp(argv[1], "--values") == 0 && (argc == 3 || argc == 4))
		return print_values(argv[2], argc == 4 ? argv[3] : NULL);
	verb = find_verb(argv[1]);
	if (!verb && argv[1][0] == '-') {
		if (strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0) {
			message_error("unknown option '%s' (try 'hipgrain help --help')", argv[1]);
			return HG_EXIT_USAGE;
		}
		fputs(usage_help, stdout);
		return HG_EXIT_OK;
	}
	if (!verb)
		return refuse_verb(argv[1]);
	fputs(verb->usage, stdout);
	return HG_EXIT_OK;
}

/* The arguments with the defaults of files and variables; help is had whatever is wrong there. */
static char **defaults(const struct verb *verb, int *argc, char **argv)
{
	struct verb_help help[G_N_ELEMENTS(verbs)];

	if (verb->function == cmd_help ||
	    (*argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)))
		return argv;
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++)
		help[i] = (struct verb_help){ verbs[i].name, verbs[i].usage };
	return with_defaults(help, G_N_ELEMENTS(verbs), verb->name, argc, argv);
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	int status;

	streams_occupy();
	output_install();
	if (argc < 2) {
		message_error("no verb given (try 'hipgrain --help')");
		return HG_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return finish(HG_EXIT_OK);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("hipgrain " HIPGRAIN_VERSION);
		return finish(HG_EXIT_OK);
	}
	verb = find_verb(argv[1]);
	if (!verb && !names_program(argv[1]))
		return refuse_verb(argv[1]);
	if (verb) {
		argc--;
		argv++;
	} else {
		verb = find_verb("run");
	}
	message_set_verb(verb->name);
	argv = defaults(verb, &argc, argv);
	if (!argv)
		return HG_EXIT_USAGE;
	status = verb->function(argc, argv);
	if (status == HG_EXIT_USAGE && option_refused())
		refuse_option(verb, argc, argv);
	return finish(status);
}
