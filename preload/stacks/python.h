/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of Python in call stacks: CPython's frames, read where the interpreter keeps them.
 *
 * The frames that a thread is in are its own: nobody changes or frees them while it is in a call of
 * ours. So they are read as they are, without a lock or a reference count, and no function of the
 * interpreter is called. A page is only read once the kernel has confirmed that it can be read.
 */
#ifndef HIPGRAIN_PRELOAD_STACKS_PYTHON_H
#define HIPGRAIN_PRELOAD_STACKS_PYTHON_H

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/base.h"
#include "preload/core/objects.h"
#include "preload/stacks/unwind.h"
#include "tracer/event_record.h"
#include "tracer/python_frame.h"

enum hg_python_calls { HG_PYTHON_EACH, HG_PYTHON_FLAGGED, HG_PYTHON_ENTRIES };

/* Offsets of members (python_layouts.def). */
struct hg_python_layout {
	uint16_t interpreters; /* of the runtime: the first interpreter */
	uint16_t interpreter_next, interpreter_threads;
	uint16_t thread_next, thread_interpreter, thread_id;
	uint16_t thread_frame;  /* the innermost frame; 0: in the cframe */
	uint16_t thread_cframe; /* the innermost call's, on the C stack; 0: there is none */
	uint16_t cframe_frame, cframe_before;
	uint16_t frame_back, frame_code;
	uint16_t frame_at; /* its instruction: a number, or with code_instructions an address */
	uint16_t frame_mark;
	uint16_t code_file, code_name, code_line, code_table;
	uint16_t code_instructions; /* 0: not in the code object */
	uint16_t ascii, compact;    /* characters of a string, by its form */
};

/* The interpreter of the process. */
struct hg_python {
	uintptr_t runtime;
	size_t runtime_size;
	uintptr_t start, end; /* of its object */
	uintptr_t code_type, string_type;
	uintptr_t eval, eval_end; /* the function that executes frames */
	uint8_t minor;            /* of 3.x */
	uint8_t calls;            /* enum hg_python_calls */
	struct hg_python_layout layout;
};

extern HG_HIDDEN struct hg_python hg_python;
extern HG_HIDDEN int hg_python_seen; /* atomic: hg_python is complete and does not change */

/* A frame, or the end of those that one call of the interpreter's function executes. */
struct hg_python_item {
	uintptr_t code;   /* 0: the end */
	uint64_t hash;    /* of what identifies the code: names, lines */
	uint32_t at;      /* byte of its instructions */
	uintptr_t anchor; /* of an end: an address in that call's native frame; 0: not known */
};

#define HG_PYTHON_PAGES      64u
#define HG_PYTHON_TABLE_MOST 16384u /* bytes of a table of lines that are recorded */

/* This is what is known of a thread, in a mapping of its own. */
struct hg_python_thread {
	uintptr_t state; /* its PyThreadState; 0: not known */
	uint32_t epoch;  /* of `pages` */
	bool broken;     /* the frames lead to memory that cannot be read */
	uintptr_t pages[HG_PYTHON_PAGES];
	uint64_t hash; /* of all items; 0: there are none */
	unsigned count;
	struct hg_python_item items[2 * HG_STACK_DEPTH_MAX + 2];
	uint64_t mixed[HG_STACK_FRAMES_MAX];
	char file[PATH_MAX], function[1024];
};

/* ---- reading: python_frames.c ---- */

/* Returns true if the bytes are in pages that can be read. */
bool hg_python_readable(struct hg_python_thread *thread, uintptr_t address, size_t size);
/* Reads a word. Returns false if it cannot be read. */
bool hg_python_word(struct hg_python_thread *thread, uintptr_t address, uintptr_t *word);
/* Reads at most `most` frames of the thread's state, innermost first, into thread->items. */
void hg_python_read(struct hg_python_thread *thread, unsigned most);
/*
 * Finds the state of the calling thread that has the innermost frames on the C stack, which has
 * come to `sp`, and reads it. Others' states may be freed meanwhile: the kernel reads them.
 */
void hg_python_find(struct hg_python_thread *thread, uintptr_t sp, unsigned most);
/* Returns true if there are several interpreters, in each of which a thread may have a state. */
bool hg_python_several(void);
/* Reads a string into UTF-8, cut to what fits. Returns false if it cannot be read. */
bool hg_python_text(struct hg_python_thread *thread, uintptr_t string, char *to, size_t size);
/* The bytes of a bytes object, cut to `most`; NULL if they cannot be read. */
const uint8_t *hg_python_bytes(struct hg_python_thread *thread, uintptr_t object, uint32_t most,
			       uint32_t *size);

/* ---- stacks: python.c ---- */

/* An object was loaded, and lies there: whether it is the interpreter. Under the loader's lock. */
void hg_python_look(const struct dl_phdr_info *info, const struct hg_object *object);
/* Records which interpreter there is, if that was not recorded. */
void hg_python_tell(void);
/*
 * Puts the calling thread's Python frames in place of the interpreter's own, and defines their
 * code; where there are any, *hash becomes that of the frames that are left, from `seed` on.
 * *frames: `count` return addresses that a walk from `start` found, then what is to be recorded.
 * Returns how many that are. *python: for hg_python_same(). *unsure: frames may be missing, so that
 * the stack is not to be recognised.
 */
unsigned hg_python_mix(const struct hg_frame *start, const uint64_t **frames, unsigned count,
		       uint64_t seed, uint64_t *hash, uint64_t *python, bool *unsure);
/* Returns true if the calling thread's Python frames are those of then. Keeps errno. */
bool hg_python_same(uint64_t python);
/* Records the code of a frame on standby, if that has not happened. */
void hg_python_define(uint64_t frame);

#endif
