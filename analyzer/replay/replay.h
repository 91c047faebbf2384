/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a trace: what every process of it looks like at the moment of each event.
 */
#ifndef HIPGRAIN_REPLAY_H
#define HIPGRAIN_REPLAY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/reader/event.h"
#include "analyzer/replay/address_space.h"
#include "analyzer/replay/attachments.h"
#include "analyzer/replay/contents.h"
#include "analyzer/replay/pages.h"
#include "analyzer/replay/pool_pieces.h"
#include "analyzer/reader/counts.h"
#include "tracer/events/ev_launch.h"

/* An executable or library; or that the one that began there was unloaded (path NULL). */
struct host_module {
	uint64_t bias, start, size;
	char *path;
	char *build_id;
};

#define MODULES_ALL G_MAXUINT

/* A code object of Python: a function, or a module's statements. */
struct python_code {
	char *file, *function;
	int first_line;
	unsigned minor; /* of the interpreter's version 3.x */
	uint32_t length;
	uint8_t *lines; /* by which python_line() finds one */
};

struct call_stack {
	uint32_t depth;
	unsigned modules;  /* of process->modules, how many were known then; MODULES_ALL: all */
	uint64_t *frames;  /* return addresses, innermost first; or of Python (python_frame.h) */
	GHashTable *codes; /* number -> struct python_code, of the process that recorded it */
};

struct code_object_ref {
	char *sha256;
	char *target;
	char *path;
	char *problem;
};

struct kernel_ref {
	uint32_t id;
	uint32_t code_object_id;
	uint32_t kernarg_size;
	char *symbol;
	uint64_t launches;           /* recorded */
	uint64_t dispatches, gpu_ns; /* of which the GPU's time was recorded (--gpu-time), and it */
	uint64_t gpu_most_ns;        /* the longest of them */
};

/* GPU's times of a process (--gpu-time), besides those of kernels. */
struct copy_times {
	uint64_t timed; /* kernels and copies that have a time */
	uint64_t copies, copies_ns;
	uint64_t left_out; /* kernels and copies that have none */
};

struct kernel_args {
	uint32_t id;
	uint32_t kernel_id;
	uint8_t status; /* enum hg_args_status */
	uint32_t length;
	uint8_t *bytes;
	uint32_t kept_length;
	uint8_t *kept; /* as in hg_ev_args: kernel_args_address() */
	struct attachments attachments;
};

/*
 * What `report --what-if` supposes instead of what was recorded. What a recorded call returned
 * stays as it was.
 */
struct supposed {
	int32_t version; /* as hipRuntimeGetVersion says; 0: the recorded one */
	const char *gpu; /* a processor's name; NULL: the recorded one */
	int xnack, apu;  /* 0, 1; -1: the recorded state */
};

struct device {
	int32_t ordinal;
	char *name;
	char *arch;          /* of what is supposed, if anything is; so are xnack and integrated */
	char *recorded_arch; /* what follows is NULL and 0 unless something is supposed */
	int8_t recorded_xnack, recorded_integrated;
	int8_t xnack;
	int8_t managed;
	int8_t pageable_access;
	int8_t large_bar;
	int8_t fine_grain;
	int8_t integrated;
	int8_t host_native_atomic;
	int8_t host_link; /* hsa_amd_link_info_type_t, -1 if unknown */
	uint64_t memory;
};

struct region {
	uint8_t kind; /* enum hg_region */
	uint64_t start, size;
};

/* Counts calls of one function at one place that failed with one error. */
struct failed_call {
	uint16_t api;
	bool elsewhere; /* it stands for all places beyond the FAILED_PLACES that are kept */
	bool sized;     /* `grid`, `block` and `lds` are known */
	int32_t code;
	uint32_t stack_id;
	uint32_t kernel_id;         /* a launch's */
	uint32_t grid[3], block[3]; /* of the first */
	uint32_t lds;               /* dynamic, of the first, bytes */
	uint64_t size;              /* of the first, bytes */
	uint64_t count;
};
#define FAILED_PLACES 256u

/* An mremap that has begun; size 0: none. */
struct remap {
	uint64_t start, size; /* it unmaps these bytes */
	int32_t tid;
	struct unmapping how;
};

/* A process tells this when recording begins in it late (struct hg_ev_state). */
struct process_state {
	bool late;        /* recording began when it had been running */
	bool state_known; /* its earlier state is known, as far as it was kept */
	bool telling;     /* thread `tid` tells it now */
	bool again;       /* ... what is known already: another session requested it */
	int32_t tid;
	uint64_t age; /* ns, when recording began */
	uint64_t calls, left_out;
	uint64_t threshold; /* smaller blocks are not recorded, bytes */
	uint64_t counted;   /* ns that these had been counted by then; 0: they are not */
};

struct measured;

struct process {
	int32_t pid;
	int32_t ppid;
	int64_t began_ns; /* its first event */
	uint32_t page_size;
	uint32_t threshold;
	bool announced;               /* its `process` event was seen */
	bool in_launch;               /* a launch had not returned when the recording ended */
	bool forked;                  /* by another one, whose program it runs */
	const struct process *parent; /* of one that is forked, if it is known; or NULL */
	bool foreign;                 /* belongs to another recording: see replay->session */
	bool over; /* as replay->over and its signal, which may be another process's */
	int end_signal;
	/* HG_ENDED_NOT: without exit() or exec, so by a signal; HG_ENDED_UNKNOWN: it may go on. */
	enum hg_ended ended;
	uint64_t instance; /* of its program image, 0 if not known */
	struct process_state state;
	char *exe;
	char *cmdline;
	GHashTable *env; /* name -> value */

	char *runtime_path;
	int32_t runtime_version; /* as hipRuntimeGetVersion says, or as is supposed; 0 if unknown */
	int32_t recorded_version;        /* as it said */
	const struct supposed *supposed; /* NULL: nothing is; borrowed */
	int32_t device_count;            /* -1: no HIP call was made */
	int32_t runtime_result;
	uint64_t host_memory; /* the machine's, bytes; 0 if unknown */
	uint8_t huge_pages;   /* of struct hg_ev_runtime */
	int64_t stopped_ns;   /* when a GPU stopped for good, as far as known; 0: none did */
	GPtrArray *devices;   /* struct device */
	const struct measured *measured; /* on the machine (model/measured.h), or NULL; borrowed */

	GPtrArray *modules;   /* struct host_module, in order of loading and unloading */
	GHashTable *bypasses; /* path of an object -> HIP functions that it calls unrecorded */
	char *hsa_refused; /* why no call below HIP was recorded; NULL: they were, or there was none
			    */
	GArray *regions;   /* struct region */
	GHashTable *stacks;
	GHashTable *codes;     /* number -> struct python_code */
	struct ranges *ranges; /* that the program named (ranges.h); NULL: none */
	char *python_problem; /* why stacks have not all functions of Python, a sentence, or NULL */
	GHashTable *regions_of_code; /* target_regions.h */
	GHashTable *streams;         /* handle -> number (stream_names.h) */
	GHashTable *stream_labels;   /* number -> char *, the program's name of it */
	GHashTable *thread_labels;   /* tid -> likewise, printable (thread_names.h) */
	unsigned stream_count, latest_stream_number;
	uint64_t latest_stream; /* which an event named last */
	GHashTable *code_objects;
	GHashTable *kernels;
	GHashTable *args;
	GArray *failed; /* struct failed_call */
	struct hg_ev_launch latest_launch;
	int32_t latest_launch_tid; /* 0: there was none */

	struct address_space space;
	struct pool_pieces pool_pieces;
	struct page_map pages;
	struct page_map attributed; /* calls gave GPUs access to these in place, which they keep */
	struct contents contents;
	struct remap remap;
	uint64_t inherited;     /* allocations that it has from the process that forked it */
	bool inherited_unknown; /* it has more than are kept */
	uint64_t epoch;         /* changes whenever an address may mean something else */
	struct attachments attachments;

	uint64_t launches, allocations, copies;
	uint64_t target_regions, target_transfers; /* OpenMP's */
	struct copy_times copy_times;
	uint64_t target_kernels; /* of these regions, that began on GPUs */
	uint64_t host_regions;   /* of these regions, that the runtime began on the host */
	uint64_t target_devices; /* bits: OpenMP's devices that were initialized, the first 64 */
	uint64_t target_gpus;    /* bits: which of OpenMP's devices are AMD's GPUs, the first 64 */
	uint64_t dispatches;     /* launches that were recorded below HIP */
	uint64_t hsa_copies;     /* copies and fills that the program made by the HSA runtime */
	uint16_t hsa_copy_api;   /* the function of the first one */
	uint64_t pinned;         /* bytes of host memory that are pinned or registered now */
	uint64_t unresolved_frees;
	/* Launches of graphs, and nodes in the largest of them, whose effect the recorder does not
	 * know. */
	uint64_t unknown_graphs, unknown_nodes;
};

struct replay {
	char *session;          /* of this recording, NULL if not known */
	bool attached;          /* to processes that ran: they begin by telling what they have */
	bool over;              /* the recorded command has ended, ... */
	int end_signal;         /* ... by this signal; -1: with a status that is not 0; 0: well */
	GPtrArray *processes;   /* struct process, in order of appearance */
	GPtrArray *foreign;     /* processes of other recordings, out of the way */
	GHashTable *by_pid;     /* the latest process with that pid */
	struct process *last;   /* that of the latest event, or NULL */
	uint64_t inherited;     /* allocations that forked processes have from their parents */
	uint64_t inherit_looks; /* at released ones, for that */
	const struct space_observer *observer; /* of every process's memory, or NULL; borrowed */
	const struct measured *measured;       /* on the machine, or NULL; borrowed */
	const struct supposed *supposed;       /* NULL: what was recorded; borrowed */
};

void replay_init(struct replay *replay);
void replay_destroy(struct replay *replay);

/*
 * Processes that do not say that they belong to this session (HIPGRAIN_SESSION), as where a file of
 * another recording was put into the bundle, and those whose beginning is missing, are put into
 * replay->foreign. Without a name nothing is.
 */
void replay_set_session(struct replay *replay, const char *session);

/*
 * Returns true if an event only repeats what is known of its process: another session that was
 * started in the same process has recorded it. Such events are not to be applied.
 */
bool replay_knows(const struct replay *replay, const struct hg_event *event);

/*
 * Changes with each event that is applied, and is odd meanwhile. The state of all processes is the
 * same while it is the same even number, so that look-ups need not be repeated.
 */
extern uint64_t replay_turn;

/* Bring the state up to after `event`; returns the process it happened in (never NULL). */
struct process *replay_apply(struct replay *replay, const struct hg_event *event);

/* The same for one of the C library (hg_event_is_of_c_library()) in a process that is known and not
 * state.again. */
void replay_apply_block(struct replay *replay, struct process *process,
			const struct hg_event *event);

/* Returns the latest process with that pid, or NULL. */
struct process *replay_process(const struct replay *replay, int32_t pid);

/* The first device where none has that number; NULL where none was recorded. */
/*
 * Returns true if a launch at `launch_ns` that failed with `code` never began. When a GPU stops,
 * the call during which that happens fails as well: the launch may be what stopped it.
 */
bool process_refused_launch(const struct process *process, int code, int64_t launch_ns);
const struct device *process_device(const struct process *process, int32_t ordinal);
/*
 * Returns the processor that runs code for a generic one ("gfx9-generic"): that of the process's
 * GPUs that can, if it is the same for all of them; else "". It lives as long as the program.
 */
const char *process_arch_for_generic(const struct process *process, const char *generic);
/*
 * Returns true if the process is known to have made calls that were not recorded; unseen.c names
 * them.
 */
bool process_passes_recorder(const struct process *process);
/* Returns what the recorder noted of the environment, or NULL if it was not set or is not noted. */
const char *process_env(const struct process *process, const char *name);
/* Returns what events with that id described, or NULL if there was none yet. The process owns it.
 */
struct kernel_ref *process_kernel(const struct process *process, uint32_t id);
struct kernel_args *process_args(const struct process *process, uint32_t id);
/*
 * The 8 bytes at an offset, if they were recorded, and as they were: what was veiled is no address
 * of anything.
 */
bool kernel_args_address(const struct kernel_args *args, uint32_t offset, uint64_t *address);
/* Gives the `size` bytes at an offset (up to 8) as a number, likewise. */
bool kernel_args_number(const struct kernel_args *args, uint32_t offset, unsigned size,
			uint64_t *number);
/* Returns true if any were recorded that are not as they were. */
bool kernel_args_veiled(const struct kernel_args *args);
/* Id 0 is no stack: NULL. */
const struct call_stack *process_stack(const struct process *process, uint32_t id);
/*
 * Returns what was loaded at the address when the process had recorded `known` modules
 * (MODULES_ALL: at the end), or NULL. Libraries come and go, and others come to their place.
 */
const struct host_module *process_module(const struct process *process, uint64_t address,
					 unsigned known);

/* This says what lies at an address. */
enum place_kind {
	PLACE_ALLOCATION,
	PLACE_HEAP,     /* the program break's range, below the recording threshold */
	PLACE_STACK,    /* a thread's stack */
	PLACE_STATIC,   /* a host executable's or library's own data */
	PLACE_FREED,    /* was an allocation */
	PLACE_PAST_END, /* outside, just after a HIP allocation */
	PLACE_NULL,     /* the first page */
	PLACE_UNKNOWN,
};

struct place {
	enum place_kind kind;
	struct allocation *allocation;    /* ALLOCATION, FREED, PAST_END */
	uint64_t offset;                  /* into it; PAST_END: bytes after its last byte */
	const struct host_module *module; /* STATIC */
	/* ALLOCATION, FREED: the pool's piece that holds it, or held it last; NULL: there is none.
	 */
	struct pool_piece *piece;
	uint64_t piece_offset; /* into that */
};

/* At this moment of the replay; the allocation is borrowed. */
struct place process_place(const struct process *process, uint64_t address);

#endif
