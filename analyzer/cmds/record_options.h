/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that every verb which records has: `record` and `run`.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_RECORD_OPTIONS_H
#define HIPGRAIN_ANALYZER_CMDS_RECORD_OPTIONS_H

#include <getopt.h>

#include "tracer/record.h"

/* Values of getopt_long beyond the short options; a verb's own begin at RECORD_OPTION_END. */
enum {
	RECORD_OPTION_SOFTGPU = 0x100,
	RECORD_OPTION_XCDS,
	RECORD_OPTION_SEED,
	RECORD_OPTION_STACK_DEPTH,
	RECORD_OPTION_THRESHOLD,
	RECORD_OPTION_TOTALS,
	RECORD_OPTION_OWN_DAEMON,
	RECORD_OPTION_NO_MEMORY_QUERIES,
	RECORD_OPTION_NO_MIGRATION,
	RECORD_OPTION_RESIDENCY,
	RECORD_OPTION_GPU_TIME,
	RECORD_OPTION_KERNEL_ARGUMENTS,
	RECORD_OPTION_HSA,
	RECORD_OPTION_ROTATE,
	RECORD_OPTION_KEEP_CHUNKS,
	RECORD_OPTION_QUOTA,
	RECORD_OPTION_URL,
	RECORD_OPTION_NO_SOURCES,
	RECORD_OPTION_END,
};

/* Rows for the verb's table of long options: what is for the command, and all. */
#define RECORD_COMMAND_LONG_OPTIONS                                                          \
	{ "softgpu", no_argument, NULL, RECORD_OPTION_SOFTGPU },                             \
	    { "xcds", required_argument, NULL, RECORD_OPTION_XCDS },                         \
	    { "seed", required_argument, NULL, RECORD_OPTION_SEED },                         \
	    { "stack-depth", required_argument, NULL, RECORD_OPTION_STACK_DEPTH },           \
	    { "threshold", required_argument, NULL, RECORD_OPTION_THRESHOLD },               \
	    { "totals", no_argument, NULL, RECORD_OPTION_TOTALS },                           \
	    { "kernel-arguments", required_argument, NULL, RECORD_OPTION_KERNEL_ARGUMENTS }, \
	    { "no-memory-queries", no_argument, NULL, RECORD_OPTION_NO_MEMORY_QUERIES },     \
	{                                                                                    \
		"no-migration", no_argument, NULL, RECORD_OPTION_NO_MIGRATION                \
	}
#define RECORD_LONG_OPTIONS                                                        \
	RECORD_COMMAND_LONG_OPTIONS,                                               \
	    { "residency", required_argument, NULL, RECORD_OPTION_RESIDENCY },     \
	    { "gpu-time", no_argument, NULL, RECORD_OPTION_GPU_TIME },             \
	    { "hsa", required_argument, NULL, RECORD_OPTION_HSA },                 \
	    { "rotate", required_argument, NULL, RECORD_OPTION_ROTATE },           \
	    { "keep-chunks", required_argument, NULL, RECORD_OPTION_KEEP_CHUNKS }, \
	    { "quota", required_argument, NULL, RECORD_OPTION_QUOTA },             \
	    { "url", required_argument, NULL, RECORD_OPTION_URL },                 \
	    { "no-sources", no_argument, NULL, RECORD_OPTION_NO_SOURCES },         \
	{                                                                          \
		"own-daemon", no_argument, NULL, RECORD_OPTION_OWN_DAEMON          \
	}

/* The usage text has these lines for them. */
#define RECORD_USAGE_KERNEL_ARGUMENTS                                                    \
	"      --kernel-arguments full|hashed|off\n"                                     \
	"                            record kernel arguments (full, the default), only " \
	"addresses\n"                                                                    \
	"                            and hashes of other values (hashed), or none (off)\n"
#define RECORD_USAGE_SOFTGPU                                                                     \
	"      --softgpu             run CMD on the software GPU instead of the machine's own\n" \
	"      --xcds N              with --softgpu: a gfx942 with N XCDs (1 to 8, default 1)\n" \
	"      --seed N              with --softgpu: order of work-groups and cache evictions\n"
#define RECORD_USAGE                                                                              \
	RECORD_USAGE_SOFTGPU                                                                      \
	"      --stack-depth N       frames recorded per call stack (0 to 128)\n"                 \
	"      --threshold BYTES     record host allocations of at least BYTES; or \"all\"\n"     \
	"      --totals              count smaller ones by call "                                 \
	"stack\n" RECORD_USAGE_KERNEL_ARGUMENTS                                                   \
	"      --no-memory-queries   do not query the HIP runtime about kernels' memory\n"        \
	"      --no-migration        do not record page faults and page migrations\n"             \
	"      --residency MS        sample page locations when CMD waits for the GPU, at most\n" \
	"                            every MS milliseconds\n"                                     \
	"      --gpu-time            record the GPU's time of each kernel and copy\n"             \
	"      --hsa yes|no|auto     record calls below HIP; auto: in OpenMP programs\n"          \
	"      --rotate SIZE|TIME    start a new chunk of the trace after SIZE (K, M, G, T) or\n" \
	"                            TIME (s, m, h, d)\n"                                         \
	"      --keep-chunks N       keep the latest N chunks and the one being written\n"        \
	"      --quota SIZE          delete the oldest chunks to keep the trace below SIZE\n"     \
	"      --url URL             record to LTTng's relay daemon at net://HOST\n"              \
	"      --no-sources          keep no source files in the bundle, only their hashes\n"     \
	"      --own-daemon          accepted for compatibility; has no effect\n"

#define RECORD_OPTIONS_DEFAULT    \
	{                         \
		.stack_depth = -1 \
	}

/*
 * Take option `code` with its argument. 1: taken; 0: not one of these; -EINVAL after a message.
 */
int record_parse_option(struct record_options *options, int code, const char *argument);

/* Checks, once all options are taken, that they go together. Returns 0, or -EINVAL after a
 * message. */
int record_settle_options(struct record_options *options);

#endif
