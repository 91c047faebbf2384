/* SPDX-License-Identifier: Apache-2.0 */
/* Source positions of recorded call stacks, offline, through elfutils' libdwfl. */
#ifndef HIPGRAIN_SYMBOLS_H
#define HIPGRAIN_SYMBOLS_H

#include <glib.h>
#include <stdint.h>

#include "analyzer/replay/replay.h"

/* A frame as a person sees it; an inlined call is a frame of its own. */
struct source_frame {
	char *function; /* demangled; NULL if unknown */
	char *file;     /* NULL without line tables */
	unsigned line;
	const char *module; /* path, the symbolizer's; NULL if the address is in none, "[JIT]" for
			     * code that its compiler described, "[Python]" for its functions */
	uint64_t offset;    /* of the address in the module's file view (address minus bias) */
};

/* The module of Python's functions. */
#define PYTHON_MODULE "[Python]"

struct symbolizer;

/* Creates a symbolizer. `bundle` is the directory that may hold the maps of code compiled at run
 * time, or NULL. */
struct symbolizer *symbolizer_new(const char *bundle);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Returns the frames of a recorded stack, innermost first: struct source_frame, owned by the
 * symbolizer, cached by process and stack id. There are none for stack id 0 and for stacks that
 * were lost.
 */
const GPtrArray *symbolize_stack(struct symbolizer *symbolizer, const struct process *process,
				 uint32_t stack_id);

/*
 * The innermost frames are not always the place that a finding is about: launch stubs that the
 * compiler generates, inline functions of HIP's own headers, known libraries (wrappers.def), and
 * what --skip-frames names.
 */
bool is_wrapping_frame(const struct source_frame *frame);
/* Returns true for a function of Python. */
bool is_python_frame(const struct source_frame *frame);
/*
 * Returns true unless the frame is a wrapper's. In a stack with a function of Python further out,
 * native frames of the interpreter, and those of which no line is known, are wrappers.
 */
bool is_user_frame(const GPtrArray *frames, unsigned number);
/* Returns true if a native module, a path, is of the interpreter. */
bool is_python_module(const char *path);
/* Returns the same for a frame's function and file, which may be NULL. */
bool is_wrapping_place(const char *function, const char *file);
/* Returns true for stubs and HIP's own headers alone. */
bool is_runtime_place(const char *function, const char *file);
/*
 * Frames whose file or function matches the shell's pattern, which is borrowed, are no places of
 * findings. A path matches as a whole or by its last part, a function with or without its
 * parameters.
 */
void symbols_skip_frames(const char *pattern);

/* Returns the innermost frame outside of wrappers, or NULL. */
const struct source_frame *user_frame(const GPtrArray *frames);
/* Returns the innermost frame that is not the runtime's, or NULL: a wrapper's, if the memory has
 * one. */
const struct source_frame *innermost_frame(const GPtrArray *frames);
/*
 * Returns the frame outside of wrappers of a recorded stack, or where all of it is a library the
 * innermost one; frames outside of it are not resolved. Owned by the symbolizer.
 */
const struct source_frame *stack_user_frame(struct symbolizer *symbolizer,
					    const struct process *process, uint32_t stack_id);

/*
 * Marks the frame's line as a wrapper's: it allocates for others. Frames that read the same are
 * the same.
 */
void symbolizer_mark_wrapper(struct symbolizer *symbolizer, const struct source_frame *frame);
/*
 * Who requests memory of a wrapper that is marked: the first frame outside of all wrappers. NULL
 * if the innermost line that a person wrote is no wrapper's, or nothing is outside of it.
 */
const struct source_frame *stack_requester(struct symbolizer *symbolizer,
					   const struct process *process, uint32_t stack_id);

/* "file.c:12 (function)", or "library.so+0x1234" without line tables; the caller frees. */
char *source_frame_text(const struct source_frame *frame);

/* The innermost frame of a recorded stack that a person wrote, as text; the caller frees. */
char *stack_place(struct symbolizer *symbolizer, const struct process *process, uint32_t stack_id);

/* Returns the same for a call of which only the return address is known; NULL: in no object. */
char *return_place(struct symbolizer *symbolizer, const struct process *process, uint64_t address);

/* Has source files read only below `root`, borrowed; NULL: any (source.h). */
void symbols_restrict_sources(const char *root);
/* Returns that root, borrowed; NULL: any. */
const char *symbols_source_root(void);

/* Returns line `line` of a source file without its indentation; NULL if it cannot be had.
 * Borrowed. */
const char *source_line(struct symbolizer *symbolizer, const char *file, unsigned line);
/* Returns the same with its indentation. */
const char *source_text_line(struct symbolizer *symbolizer, const char *file, unsigned line);

/* A source file as it was recorded. */
struct source_file {
	char **lines; /* without line ends; none if they cannot be had as they were */
	unsigned line_count;
	int64_t changed_ns; /* when it was written last, since 1970; 0: not known */
	char sha256[65];    /* of its content at the end of the recording; "": not known */
	bool differs;       /* the file that is there now is another one */
	bool newer;         /* it was written after the recording began */
};

/* Returns the source file of that name, borrowed; never NULL. */
const struct source_file *symbolizer_source(struct symbolizer *symbolizer, const char *name);
/* Tells when the recording began (ns since 1970): what was written later is not what was recorded.
 */
void symbolizer_set_began(struct symbolizer *symbolizer, int64_t began_ns);

struct keeping;

/* Has all that is found out from now on kept (keeping.h); borrowed. */
void symbolizer_keep(struct symbolizer *symbolizer, struct keeping *keeping);

/*
 * Returns what prevented names so far: char *, a line each, sorted, to be freed with the array.
 * Files that were replaced lend no names.
 */
GPtrArray *symbolizer_problems(const struct symbolizer *symbolizer);

#endif
