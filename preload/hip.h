/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HIP half of the preload library: what its files share. Numbers of the runtime's interface
 * are written out here, because no HIP header is needed to build and none fits every release
 * (hip-api.md D; memory-model.md A.2.5).
 */
#ifndef HIPGRAIN_PRELOAD_HIP_H
#define HIPGRAIN_PRELOAD_HIP_H

#include "codeobj.h"
#include "preload.h"

/* hipError_t */
#define HIP_NO_RUNTIME 302 /* hipErrorSharedObjectSymbolNotFound: there is no runtime behind us */
#define HIP_NOT_READY  600 /* hipErrorNotReady: an answer, not a failure */

struct hg_dim3 {
	uint32_t x, y, z;
};

/* One interposed function; its rows are gathered by the linker (hip_wrap.h). */
struct hg_hip_function {
	const char *name;
	void *wrapper;
};

struct hg_hip_runtime; /* a copy of it in this process */

/* ---- hip_dispatch.c: the functions behind us ---- */

/*
 * The function that the object around `address` (where the call came from) would have reached, or
 * that was looked up by name and called. Its runtime becomes that of the thread's call in
 * progress. Never NULL: without a runtime it is a function that returns HIP_NO_RUNTIME. `frame`:
 * the wrapper's.
 */
void *hg_hip_real(const struct hg_hip_function *const *row, const void *address, const char *frame);

/* ---- hip_runtime.c: the runtimes behind us ---- */

/* Whether an address is inside a copy of the runtime, by the file's name. */
bool hg_hip_is_runtime(const void *address);
/* Whose function that is. NULL: there are too many. */
struct hg_hip_runtime *hg_hip_runtime_of(const void *real);
/* A function of the first runtime that is loaded, in whatever scope. */
void *hg_hip_find_loaded(const char *name);
/* After dlclose(): forget those at whose base nothing is loaded, after having called `forget`. */
void hg_hip_runtimes_unloaded(bool (*is_loaded)(uintptr_t base),
			      void (*forget)(const struct hg_hip_runtime *runtime));

/*
 * These, and all that asks the runtime, are about that of the thread's call in progress.
 * A function of it that is not interposed, by name; NULL if it has none.
 */
void *hg_hip_query(const char *name);

#define HG_HIP_RUNTIMES 8
#define HG_HIP_DEVICES  64
uint32_t hg_hip_runtime_number(void); /* from 1 on, in the order in which they were met */

struct hg_hip_call {
	uint16_t api;
	int rc;
	uint64_t start; /* ns, about: hg_now_about() */
	uint64_t end;   /* ns; where the event has a duration */
	const void *caller;
};

/*
 * Around a recorded call: begin is false if the call is to be forwarded only (dormant, nested in
 * another HIP call, or made by ourselves). At the first call of all it records the runtime and
 * its devices. After a true begin exactly one hg_finish_*() or hg_hip_end() must follow.
 */
bool hg_hip_begin(struct hg_hip_call *call, uint16_t api, const void *caller);
/* The same for calls that look after old batches themselves. */
bool hg_hip_begin_batched(struct hg_hip_call *call, uint16_t api, const void *caller);
/* The same for calls whose events have a duration. */
bool hg_hip_begin_timed(struct hg_hip_call *call, uint16_t api, const void *caller);
void hg_hip_end(void);

/* Around what the runtime does in a call that makes no event of its own. */
static inline void hg_hip_inside(void)
{
	hg_tls.hip++;
}

static inline void hg_hip_outside(void)
{
	if (hg_tls.hip)
		hg_tls.hip--;
}

/* Between begin and end: make events about the call (true), then hg_leave(). */
bool hg_hip_enter(void);

int hg_hip_device(void); /* current device, -1 if unknown */

/*
 * Calls of our own that may fail would change what the program reads from hipGetLastError():
 * they are made only while no error is pending, and their own error is taken away again.
 */
bool hg_hip_may_query(void);
void hg_hip_forget_error(void);

struct hg_hip_device {
	char name[256];
	char arch[128]; /* target id */
	struct codeobj_target target;
	bool known;    /* arch was parsed into target */
	int64_t place; /* on the bus: hg_smi_place(); -1: not known */
};

/* hipRuntimeGetVersion of the runtime: 50221153 for 5.2.21153. 0 if unknown. */
int hg_hip_version(void);

/* A device of the runtime; NULL without one of that ordinal. */
const struct hg_hip_device *hg_hip_device_info(int ordinal);

/* ---- hip_record.c: one function an event type ---- */

#define HG_FINISH(type) void hg_finish_##type(struct hg_hip_call *call, struct hg_ev_##type *event)
HG_FINISH(alloc);
HG_FINISH(copy);
HG_FINISH(fill);
HG_FINISH(prefetch);
HG_FINISH(advise);
HG_FINISH(stream);
HG_FINISH(event);
HG_FINISH(sync);
HG_FINISH(call);
#undef HG_FINISH
void hg_before_free(struct hg_hip_call *call, struct hg_ev_free *event);
void hg_finish_free(struct hg_hip_call *call, const struct hg_ev_free *event);
void hg_finish_checked(struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags);
/* Record that a call failed, unless it returned success or "not ready". */
void hg_hip_error(const struct hg_hip_call *call, uint64_t ptr, uint64_t size, uint64_t flags);
/* Device address of a __device__ variable, 0 if it cannot be had; `symbol` is the host shadow. */
uint64_t hg_hip_symbol_address(const void *symbol);

/* ---- hip_memory.c: what the runtime says about memory that kernels are given ---- */

#define HG_HIP_SUBJECTS 16

struct hg_hip_subject {
	uint64_t base, size, host;
};
struct hg_hip_subjects {
	unsigned count;
	struct hg_hip_subject rows[HG_HIP_SUBJECTS];
};

void hg_hip_memory_add(const struct hg_ev_alloc *event);
void hg_hip_memory_remove(uint64_t ptr);
/*
 * The live allocation of hipMallocManaged that holds the address, if this fix is to be done to it
 * now; it then counts as done. Prefetching is due again when the host has waited for anything.
 */
bool hg_hip_memory_claim(uint64_t address, unsigned fix, int32_t device,
			 struct hg_hip_subject *subject);
void hg_hip_memory_waited(void);
/* Its coarse-grained advice, if it was ours, and what the runtime said are out of date. */
void hg_hip_memory_answered(uint64_t ptr, uint64_t size);
/* Answers about memory that overlaps this range are no longer valid. */
void hg_hip_memory_changed(uint64_t ptr, uint64_t size);
/* Which allocations that these arguments point into have not been asked about. */
void hg_hip_memory_note(struct hg_hip_subjects *subjects, uint32_t args_id, const uint8_t *bytes,
			uint32_t length);
/* Whether an address lies in a live allocation of HIP's. */
bool hg_hip_memory_known(uint64_t address);
/* Ask, and record the answers. Needs hg_hip_enter(), and no lock of ours. */
void hg_hip_memory_ask(const struct hg_hip_subjects *subjects);
/* A function of the HSA runtime below HIP, if it is loaded; else NULL. */
void *hg_hsa_query(const char *name);
/*
 * hsa_amd_link_info_type_t between the GPUs and host memory, and whether it carries any atomics;
 * -1 if unknown or not all alike.
 */
int hg_hsa_host_link(int *atomics);
/* Have faults of GPUs recorded from now on; once. The HSA runtime is up. */
void hg_hsa_watch_faults(void);

/* ---- hip_veil.c ---- */

/*
 * The arguments in `bytes` with all that is no address veiled, to `veiled` (as long), and to `kept`
 * (HG_ARGS_KEPT_MAX) which bytes are as they were: hg_ev_args. Returns how many of `kept` there
 * are.
 */
uint32_t hg_hip_veil_arguments(const struct codeobj_kernel *layout, const uint8_t *bytes,
			       uint32_t length, uint8_t *veiled, uint8_t *kept);

/* Record a fill; what memory is filled with as arguments are recorded. */
void hg_hip_emit_fill(const struct hg_ev_fill *event);

/* ---- hip_launch.c ---- */

struct hg_fix_row {
	uint8_t fix, outcome; /* HG_FIX_DONE: to be done */
	uint64_t ptr, size;
};
struct hg_fixes {
	unsigned count;
	struct hg_fix_row rows[HG_HIP_SUBJECTS];
};

/* The argument bytes of a graph's kernel, for recordings that begin after it was instantiated. */
struct hg_hip_kept {
	uint8_t *bytes; /* malloc()'s; NULL: none yet, or of length 0 */
	uint32_t length;
	uint8_t status;
	bool known;
};

/* What changes when anything does that a launch was identified by. */
struct hg_hip_as_of {
	uint32_t epoch, generation, stack_generation;
};

struct hg_hip_kernel_variant;
struct hg_hip_launch {
	struct hg_hip_call call;
	struct hg_ev_launch event;
	const void *handle;
	void **params; /* one pointer per explicit argument; or NULL: */
	void **extra;
	bool node;    /* of a graph: it does not run now */
	bool settled; /* the module's variables are recorded: set with the name, as is: */
	struct hg_hip_as_of as_of;
	struct hg_hip_kept *kept; /* a node's: filled in, or if it is known in place of params */
	/* Set by hg_hip_launch_identify(): */
	struct hg_hip_subjects subjects;
	struct hg_fixes fixes; /* fix.c */
	const char *name;      /* the kernel's, NULL if unknown */
};

/*
 * The event's kernel_id and args_id for event.device, from handle and arguments; kernel and
 * arguments are recorded if they are new. Needs hg_hip_enter().
 */
void hg_hip_launch_identify(struct hg_hip_launch *launch);

/* Record it, shorter if this thread has made the same launch before. Needs hg_hip_enter(). */
void hg_hip_launch_emit(struct hg_ev_launch *event);

/* ---- hip_repeat.c: launches of a kernel that this thread launched before ---- */

/*
 * As hg_hip_launch_identify(), if that was with the same arguments and nothing has changed since.
 * Neither need modules and regions be looked after then. false: nothing was done.
 */
bool hg_hip_repeat(struct hg_hip_launch *launch);
/* The same with other arguments, which are recorded if they are new. */
bool hg_hip_repeat_other(struct hg_hip_launch *launch);
/* What a launch was: its arguments' id, and their bytes. */
void hg_hip_repeat_keep(const struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant,
			uint32_t args_id, const uint8_t *bytes, uint32_t length);
struct hg_hip_as_of hg_hip_now_as_of(void);
/* Whether these arguments have been recorded to the session that listens now. */
bool hg_hip_arguments_known(uint32_t id);

/* Terms of the `extra` list; code-objects.md C.5 */
#define HG_EXTRA_BUFFER ((void *)1)
#define HG_EXTRA_SIZE   ((void *)2)
#define HG_EXTRA_END    ((void *)3)

/* The launch's args_id for this kernel; recorded if new. Sets launch->subjects. */
uint32_t hg_hip_arguments(struct hg_hip_launch *launch, struct hg_hip_kernel_variant *variant);

/* ---- hsa_queue.c: launches that the queues will show once more ---- */

/* A kernel's name; and that so many launches of it were recorded, or did not happen after all. */
void hg_hsa_name(uint32_t kernel_id, const char *name);
void hg_hsa_expect(uint32_t kernel_id, int count);

/* ---- hip_graph.c ---- */

/* Whether what is submitted to a stream becomes a node of a graph instead of being carried out. */
bool hg_hip_capturing(uint64_t stream);
/* Remember a copy or fill that was captured; true if it was, and then has no event of its own. */
bool hg_hip_captured_copy(const struct hg_ev_copy *event);
bool hg_hip_captured_fill(const struct hg_ev_fill *event);

/* ---- hip_unpack.c: compressed bundles ---- */

#define HG_HIP_PROBLEM sizeof(((struct codeobj_error *)0)->text)

struct hg_hip_unpacked {
	void *mapping; /* to be unmapped, `length` bytes */
	size_t length;
	const uint8_t *data; /* the code object, inside */
	uint64_t size;
	char target[256]; /* what chose it */
};

/*
 * If a compressed bundle is at `image` (NULL and unreadable memory are not), make its decoder
 * available. Not under a lock of ours: it may need the dynamic linker's.
 */
void hg_hip_unpack_prepare(const void *image);

/*
 * The code object for a device out of the compressed bundle at `image`, of which at most `limit`
 * bytes are readable. 0, or a negative errno and the reason in `problem`, HG_HIP_PROBLEM bytes.
 */
int hg_hip_unpack(const uint8_t *image, size_t limit, const struct hg_hip_device *device,
		  struct hg_hip_unpacked *result, char *problem);

/* ---- hip_registry.c: modules and kernels; all under the lock of hg_hip_lock() ---- */

struct hg_hip_code { /* a module's code object for one target id */
	struct hg_hip_code *next;
	char arch[128];      /* of the device, as key */
	uint32_t id;         /* code_object_id; 0: not recorded in this process yet */
	uint32_t generation; /* in which it was recorded last */
	char sha256[CODEOBJ_SHA256_SIZE];
	char target[256];
	uint64_t size;
	char problem[HG_HIP_PROBLEM];
	struct codeobj_metadata *metadata; /* NULL if it could not be read */
	const uint8_t *elf; /* in the module's image, as long as that is there; NULL if unknown */
	void *unpacked;     /* or in this mapping of our own, if the image is compressed; or NULL */
	size_t unpacked_size;
};

struct hg_hip_variable {
	struct hg_hip_variable *next;
	const void *shadow; /* host variable; for managed ones the pointer to the pointer */
	const char *name;
	uint64_t size;
	/* Recorded at this address of each device; 0: not yet. One of all if managed or loaded. */
	uint64_t ptr[HG_HIP_DEVICES];
	bool absent; /* from the code object: it has no address to ask for */
	bool managed;
};

struct hg_hip_module {
	struct hg_hip_module *next;
	const void *handle; /* void** of __hipRegisterFatBinary, or hipModule_t */
	const uint8_t
	    *image; /* bundle in memory; NULL if loaded by hipModuleLoad* (captured then) */
	char *path; /* host file, empty from memory */
	struct hg_hip_code *code;
	struct hg_hip_variable *variables;
	uint64_t variables_done; /* a bit for each device */
	bool gone;
};

struct hg_hip_kernel {
	const void *handle; /* host function or hipFunction_t */
	struct hg_hip_module *module;
	char *name; /* mangled */
	struct hg_hip_kernel_variant *variants;
};

struct hg_fix_kernel;
struct hg_hip_kernel_variant { /* a kernel on devices of one target id */
	struct hg_hip_kernel_variant *next;
	struct hg_hip_code *code;
	const struct codeobj_kernel *layout; /* NULL: unknown */
	uint32_t id;                         /* kernel_id; 0: not recorded in this process yet */
	uint32_t generation;                 /* in which it was recorded last */
	const struct hg_fix_kernel *plan;    /* fix_plan.h, once it was looked for */
	bool plan_looked;
};

/* To look only: hg_hip_lock() makes all that was found out before invalid, by a new epoch. */
void hg_hip_look(void);
uint32_t hg_hip_epoch(void);
/* Whether the variables of a module are recorded for a device. */
bool hg_hip_variables_done(const struct hg_hip_module *module, int device);

/* Begin to remember something, with the lock: false when dormant. The runtime need not be up. */
bool hg_hip_remember(void);
void hg_hip_remembered(void);
struct hg_hip_module *hg_hip_module_add(const void *handle, const uint8_t *image, const char *path);
struct hg_hip_module *hg_hip_module_find(const void *handle);
void hg_hip_kernel_add(struct hg_hip_module *module, const void *handle, const char *name);
struct hg_hip_kernel *hg_hip_kernel_find(const void *handle); /* NULL: never registered */
void hg_hip_variable_add(struct hg_hip_module *module, const void *shadow, const char *name,
			 uint64_t size, bool managed);

/* ---- hip_blob.c: code objects into the bundle ---- */

/*
 * The code object of an image (offload bundle, compressed or not, or bare ELF, at most `size` bytes
 * readable) for a device: chosen, hashed, stored, its metadata read. What goes wrong is said in
 * code->problem.
 */
void hg_hip_capture(const uint8_t *image, size_t size, const struct hg_hip_device *device,
		    struct hg_hip_code *code);

/* Forget where the code object's bytes are: the image is about to go. */
void hg_hip_capture_done(struct hg_hip_code *code);

/* ---- hip_kernels.c ---- */

/* Record a code object, if it was not. `path`: the host file that holds it, or empty. */
void hg_hip_code_define(struct hg_hip_code *code, const char *path);
/* Whether a kernel is to be recorded now; then it has its number, of those of HIP's and HSA's. */
bool hg_hip_kernel_is_new(struct hg_hip_kernel_variant *variant, const char *name);
/* The code object of a module for a device, recorded if it was not. NULL: out of memory. */
struct hg_hip_code *hg_hip_code_for(struct hg_hip_module *module, int device);
/* A kernel for a device, it, its code object and its module's variables recorded if new. */
struct hg_hip_kernel_variant *hg_hip_kernel_for(struct hg_hip_kernel *kernel, int device,
						const void *caller);
/* The variables of a module are about to go away. */
void hg_hip_variables_free(struct hg_hip_module *module, uint16_t api, const void *caller);

#endif
