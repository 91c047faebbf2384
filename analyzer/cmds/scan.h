/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of `hipgrain scan`. */
#ifndef HIPGRAIN_ANALYZER_CMDS_SCAN_H
#define HIPGRAIN_ANALYZER_CMDS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/cmds/json_stream.h"
#include "analyzer/cmds/scan_queue.h"
#include "analyzer/cmds/scan_refusals.h"
#include "analyzer/cmds/scan_sums.h"
#include "analyzer/isa/isa.h"
#include "codeobj/codeobj.h"

/* The bundle or the file's name, and the metadata note. */
#define SCAN_DISAGREEMENTS 2u

struct scan {
	bool json, all, runtime, disassemble, process;
	bool fail_on_hw_fp_atomics, fail_on_incomplete;
	const char *kernel;           /* glob or NULL */
	const char *arch;             /* as given, or NULL */
	struct codeobj_target device; /* valid if arch */
	unsigned jobs;
	FILE *out;                 /* stdout, or memory for what is kept */
	struct json_stream stream; /* with json: it writes to out */
	/* of the file at hand */
	const char *path;
	const uint8_t *mapping; /* of the file's bytes; NULL if they are not mapped from it */
	size_t mapping_size;
	struct scan_sums sums;
	struct scan_refusals refusals;
	struct scan_queue queue;
	char disagreement[SCAN_DISAGREEMENTS][256]; /* of the code object at hand */
	unsigned disagreement_count;
	unsigned analysed, refused,
	    passed_over; /* code objects; the last: of other architectures */
	/* of all files */
	char (*reported)[CODEOBJ_SHA256_SIZE]; /* with --pid: code objects */
	size_t reported_count;
	unsigned matched;       /* kernels that --kernel or --disassemble names */
	bool has_hw_fp_atomics; /* in one of the kernels that are wanted */
	unsigned incomplete;    /* of these: kernels that may have atomics which are not listed */
	unsigned unknown;       /* code objects of processors that are not known */
	int status;             /* enum hg_exit */
};

/* Returns true if --kernel or --disassemble leaves this kernel in. */
bool scan_wanted(const struct scan *scan, const struct isa_kernel *kernel);

/*
 * Warn, and remember in scan->disagreement, where the bundle's entry, the name of a file that is
 * nothing but a code object, or the metadata note (any may be NULL) names another target than the
 * ELF header, which the loader and the analysis go by.
 */
void scan_check_target(struct scan *scan, const void *elf, size_t size, const char *bundle,
		       const char *note);

/* Report what is wrong with the file at hand. */
void scan_bad(struct scan *scan, const char *what);

/* Print, or collect for printing, the kernels of the code object at `elf`. */
void scan_print_json(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size);
void scan_print_text(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size);

/* ---- parts of these two (scan_print.c, scan_paths.c, scan_facts.c) ---- */

/* Write members of the object that is being written (json), or the rest of a line. */
void scan_json_origin(struct json_stream *json, const struct isa_origin *origin);
/* Writes "file:line", or null without a file. */
void scan_json_place(struct json_stream *json, const char *key, const char *file, unsigned line);
void scan_json_atomic_facts(struct json_stream *json, const struct isa_atomic *atomic);
void scan_json_kernel_facts(struct json_stream *json, const struct isa_kernel *kernel);
void scan_print_origin(FILE *out, const struct isa_kernel *kernel, const struct isa_origin *origin);
/* Prints "argument 0 'head' (byte 0)", "hidden_hostcall_buffer (byte 40)". */
void scan_print_argument(FILE *out, const struct isa_kernel *kernel, uint32_t offset);
/* Prints "argument 0 's' (byte 0) -> +24 -> +any": each arrow but the last one loads a pointer. */
void scan_print_path(FILE *out, const struct isa_kernel *kernel, const struct isa_path *path);
/* Writes what is done to memory, and if that is certain, as members of an object. */
void scan_json_access(struct json_stream *json, unsigned access, bool certain);
void scan_json_paths(struct json_stream *json, const struct isa_paths *paths);
void scan_json_path_uses(struct json_stream *json, const struct isa_kernel *kernel);
void scan_print_frames(FILE *out, const struct isa_atomic *atomic);
void scan_print_facts(FILE *out, const struct isa_kernel *kernel);

/*
 * The files with device code that process `pid` (text) has loaded, to scan(path, user) one by one.
 * Returns their number, or a negative errno if the process cannot be looked at.
 */
int scan_process(const char *pid, void (*scan)(const char *path, void *user), void *user);

/*
 * The whole code objects in memory of process `pid` that belongs to no file, each to found() with a
 * text that says where it lies; both are valid during the call. One may be there several times.
 * Returns their number, or a negative errno if the memory cannot be read.
 */
int scan_memory(const char *pid,
		void (*found)(const char *name, const void *elf, size_t size, void *user),
		void *user);

#endif
