/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the HSA runtime half share. Only softgpu.h is the seam to the interpreter.
 *
 * Handles: an agent, pool, ISA, signal, queue, reader or executable handle is the address of the
 * object behind it. Locks are taken in this order, never backwards: queue list, queue step,
 * SVM, memory map; the signal and copy locks are leaves.
 */
#ifndef SOFTGPU_RUNTIME_H
#define SOFTGPU_RUNTIME_H

#include "kernels/softgpu/host/svm.h"
#include "kernels/softgpu/softgpu.h"
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#include "later.h"

/*
 * Of hsa_api_trace.h, which is for C++: a tool's look at the packets of a queue, from the packet
 * with `index` on, who passes on what it wants by `writer`, inside of the call.
 */
typedef void (*hsa_amd_queue_intercept_packet_writer)(const void *packets, uint64_t count);
typedef void (*hsa_amd_queue_intercept_handler)(const void *packets, uint64_t count, uint64_t index,
						void *data,
						hsa_amd_queue_intercept_packet_writer writer);
typedef void (*hsa_amd_runtime_queue_notifier)(const hsa_queue_t *queue, hsa_agent_t agent,
					       void *data);
hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size,
					    hsa_queue_type32_t type,
					    void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					    void *data, uint32_t private_size, uint32_t group_size,
					    hsa_queue_t **queue);
hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t *queue,
					      hsa_amd_queue_intercept_handler handler, void *data);
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier notifier,
						   void *data);

/*
 * What is written here as hsa_NAME is the symbol sg_hsa_NAME. The exported hsa_NAME, in table.c,
 * jumps to whatever the table says, so that a tool's function comes first (HSA_TOOLS_LIB).
 */
#define HAVE(name) extern __typeof__(name) name __asm__("sg_" #name);
#define LACK(name)
#define LATER(name)
#define SINCE_5_6(row) row
#define SINCE_6_0(row) row
#define SINCE_7_0(row) row
#define FOREIGN(row)   row
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "kernels/softgpu/runtime/api/core.def"
#include "kernels/softgpu/runtime/api/amd.def"
#include "kernels/softgpu/runtime/api/image.def"
#pragma GCC diagnostic pop
#undef HAVE
#undef LACK
#undef LATER
#undef SINCE_5_6
#undef SINCE_6_0
#undef SINCE_7_0
#undef FOREIGN

/* ---- faults: fault.c ---- */

/*
 * A memory access fault of GPU `gpu` at `address`; of memory that it may read, the access was a
 * write. Returns only if a handler of system events took it over; the GPU is stopped then. Else
 * ROCr's report and abort().
 */
void sg_memory_fault(unsigned gpu, uint64_t address);
/* Whether a fault that was taken over has stopped it: it does nothing any more. */
bool sg_gpu_stopped(unsigned gpu);

/* ---- tools: table.c, tools.c ---- */

/* The table by which every call of this library goes: HsaApiTable of hsa_api_trace.h. */
void *sg_api_table(void);
/* Take back what tools patched. */
void sg_api_table_reset(void);
/* Load the libraries that HSA_TOOLS_LIB names and give them the table; tell them that it ends. */
void sg_tools_load(void);
void sg_tools_unload(void);

/* ---- agents and pools: agent.c, pool.c ---- */

struct sg_agent {
	bool gpu;
	unsigned number; /* of those of its kind, from 0; nodes of GPUs follow those of CPUs */
};
extern struct sg_agent sg_cpu_agents[SG_MAX_GPUS], sg_gpu_agents[SG_MAX_GPUS];

static inline uint32_t sg_gpu_bit(const struct sg_agent *agent)
{
	return agent->gpu ? UINT32_C(1) << agent->number : SG_NO_GPU;
}

static inline hsa_agent_t sg_agent_handle(const struct sg_agent *agent)
{
	return (hsa_agent_t){ (uint64_t)(uintptr_t)agent };
}

/* NULL if `handle` is not one of the agents that exist under the present settings. */
const struct sg_agent *sg_agent_get(hsa_agent_t handle);

struct sg_pool {
	const struct sg_agent *agent;
	hsa_amd_segment_t segment;
	uint32_t flags; /* HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_* */
	uint64_t size;  /* bytes offered */
	uint64_t used;  /* bytes allocated (atomic) */
};

/* NULL if `handle` is not a pool that exists under the present settings. */
struct sg_pool *sg_pool_get(hsa_amd_memory_pool_t handle);
/* Pools have the same numbers in all processes. NULL if there is none. */
unsigned sg_pool_number(const struct sg_pool *pool);
struct sg_pool *sg_pool_by_number(unsigned number);
/*
 * Take `size` bytes for the pool, and in *node whose memory they are (SG_NO_NODE: the host's, of a
 * machine without APUs); false: no room. On APUs the memory of a node is that of all its pools, and
 * who finds it full gets another node's. To be returned with the same numbers.
 */
bool sg_pool_take(struct sg_pool *pool, uint64_t size, int *node);
void sg_pool_return(struct sg_pool *pool, uint64_t size, int node);
/* Whose memory a pool's is if its node is not full. */
int sg_pool_node(const struct sg_pool *pool);
/* Bytes of a GPU's memory that its pools have not given out. */
uint64_t sg_pool_room(const struct sg_agent *gpu);
/* SOFTGPU_PAGE_* of its memory, apart from MAPPED. */
unsigned sg_pool_state(const struct sg_pool *pool);
/* The GPUs among `agents` that have a path to the memory of `owner`; false: one has none. */
bool sg_pool_reachable(uint32_t count, const hsa_agent_t *agents, const struct sg_agent *owner,
		       uint32_t *gpus);

/* ---- the GPU's address space: memory.c ---- */

enum sg_kind {
	SG_POOL,     /* hsa_amd_memory_pool_allocate */
	SG_LOCK,     /* hsa_amd_memory_lock*: host pages behind another GPU address */
	SG_INTERNAL, /* the runtime's own: signals, rings */
	SG_CODE,     /* a loaded code object */
	SG_VMEM,     /* hsa_amd_vmem_map */
};

/* One contiguous GPU mapping. Address and size never change while it is in the map. */
struct sg_mapping {
	uint64_t gpu;     /* first byte, page aligned */
	uint64_t host;    /* host address of the same byte */
	uint64_t size;    /* bytes, whole pages */
	uint64_t request; /* bytes requested; for locks from the locked address on */
	uint64_t lead;    /* locks: offset of the locked address in its first page */
	enum sg_kind kind;
	unsigned state;       /* SOFTGPU_PAGE_* for the GPUs that have access */
	uint32_t gpus;        /* these */
	uint32_t readers;     /* those of them that may only read */
	struct sg_pool *pool; /* NULL for internal mappings */
	int node;             /* whose memory it is: number of a GPU, or SG_NO_NODE */
	enum sg_coherence coherence;
	void *user_data;
	unsigned references; /* locks of the same bytes */
	int file;            /* descriptor that other processes may open; 0: private memory */
	bool attached;       /* it is another process' memory */
};

/*
 * Allocate `size` zeroed bytes (rounded up to pages) and map them for the set `gpus`.
 * NULL when out of memory. Free with sg_memory_free.
 */
struct sg_mapping *sg_memory_allocate(enum sg_kind kind, uint64_t size, unsigned state,
				      uint32_t gpus, struct sg_pool *pool);
/*
 * The same, of memory that another process shares as `file`, which then belongs to the mapping.
 * On error it stays the caller's.
 */
struct sg_mapping *sg_memory_attach(int file, uint64_t size, unsigned state, uint32_t gpus,
				    struct sg_pool *pool);
/*
 * Put what a mapping holds into memory that other processes can open by descriptor, at the same
 * address. No kernel or copy may run meanwhile. `name`: of the file. The descriptor, or -errno.
 */
int sg_memory_share(struct sg_mapping *mapping, const char *name);
/* Addresses [*start, *end) for reservations of vmm.c, inaccessible to the host. False: there are
 * none. */
bool sg_memory_window(uint64_t *start, uint64_t *end);
/*
 * Map the first `size` bytes of `file` for no GPU yet at `address`, within that window and free.
 * The host sees them elsewhere, the caller may map them there for it. NULL when out of memory.
 */
struct sg_mapping *sg_memory_map(uint64_t address, int file, uint64_t size, unsigned state,
				 struct sg_pool *pool);
/* Unmap and release. */
void sg_memory_free(struct sg_mapping *mapping);
/*
 * The mapping that holds GPU address `address`; for locks also found by host address. It is the
 * caller's own memory, which nobody frees meanwhile; who can't know that takes a copy, with false
 * if there is none.
 */
struct sg_mapping *sg_memory_find(uint64_t address);
bool sg_memory_describe(uint64_t address, struct sg_mapping *copy);
/* Exactly the set `gpus` has access from now on, `readers` of them without writing. */
void sg_memory_set_access(struct sg_mapping *mapping, uint32_t gpus, uint32_t readers);
/*
 * Host pointer behind [address, ...) as the GPU sees it, and in *span how many of the next `size`
 * bytes are contiguous there. NULL if no GPU can read, or else write, at `address`.
 */
void *sg_memory_span(uint64_t address, uint64_t size, bool write, uint64_t *span);
/*
 * A lock's mapping: enter a host range into the alias window, for the set `gpus` and those that
 * locked the same bytes before. NULL when out of memory.
 */
struct sg_mapping *sg_memory_lock(uint64_t host, uint64_t size, unsigned state, uint32_t gpus,
				  struct sg_pool *pool);
/* The lock whose locked address is exactly `host`, or NULL. */
struct sg_mapping *sg_memory_find_lock(uint64_t host);

/* ---- addresses and memory apart: vmm.c ---- */

/* The reserved range that holds `address`, of `*size` bytes from `*start` on; false: there is none.
 */
bool sg_vmem_find(uint64_t address, uint64_t *start, size_t *size);

/* ---- shared virtual memory: svm_hsa.c ---- */

/* A prefetch of [start, end) to a GPU or to the host. */
void sg_svm_set_location(uint64_t start, uint64_t end, const struct sg_agent *agent);

/* ---- signals: signal.c ---- */

static inline amd_signal_t *sg_signal(hsa_signal_t handle)
{
	return (amd_signal_t *)(uintptr_t)handle.handle;
}

/* Whether the value meets the condition of a wait. */
bool sg_condition(hsa_signal_value_t value, hsa_signal_condition_t condition,
		  hsa_signal_value_t compare);
/* Signal `handle` (may be null): end of the work that it stands for. Subtracts 1. */
void sg_signal_complete(hsa_signal_t handle, uint64_t start_ns, uint64_t end_ns);
/* All of `signals` (null handles count) have the value 0. */
bool sg_signals_are_zero(const hsa_signal_t *signals, uint32_t count);
/* New signal that the GPU can reach. 0 handle when out of memory. */
hsa_signal_t sg_signal_create(amd_signal_kind64_t kind, hsa_signal_value_t value);
void sg_signal_release(hsa_signal_t handle);
/* Wait, a second at most, until no asynchronous handler is due or runs. At exit, see there. */
void sg_handlers_settle(void);

/* ---- code: executable.c, loader.c ---- */

/* Mangled name of the kernel with its descriptor at `kernel_object`, with its code object; NULL if
 * none. */
const char *sg_kernel_name(uint64_t kernel_object, uint64_t *base, uint64_t *size);

struct sg_symbol {
	const struct sg_agent *agent;
	const char *name;  /* in the loaded image's string table copy */
	char *kernel_name; /* kernels: without ".kd"; owned */
	uint64_t address;
	uint64_t size;
	bool kernel;
	bool constant;
};

struct sg_define {
	char *name;
	const struct sg_agent *agent;
	uint64_t address;
	struct sg_define *next;
};

/* A code object that the runtime keeps a copy of; freed with its last user. */
struct sg_image {
	size_t size;
	unsigned references; /* changed under the lock of executables */
	unsigned char data[];
};

struct sg_code_object {
	const struct sg_agent *agent;
	struct sg_mapping *mapping;
	uint64_t load_base; /* run-time address of virtual address 0 of the file */
	uint64_t code_size;
	const void *storage; /* file image in memory, of the reader or of `image` */
	struct sg_image *image;
	size_t storage_size;
	char *strings;
	struct sg_symbol *symbols;
	size_t symbol_count;
	struct sg_code_object *next;
};

/*
 * Load the ELF file [image, image + size) for GPU `agent`: copy its segments, apply its
 * relocations (undefined symbols from those of `defines` that are for this GPU). HSA_STATUS_SUCCESS
 * and *result, or an error after a message.
 */
hsa_status_t sg_load(const struct sg_agent *agent, const void *image, size_t size,
		     const struct sg_define *defines, struct sg_code_object **result);
void sg_unload(struct sg_code_object *object);

/* AMD_LOADER extension: the table of functions, `length` bytes of it copied to `table`. */
hsa_status_t sg_loader_table(size_t length, void *table);

/* ---- queues: queue.c; packets: packet.c; tools that see them: intercept.c ---- */

struct sg_intercept;

struct sg_queue {
	amd_queue_t amd; /* first: hsa_queue_t * is this object */
	const struct sg_agent *agent;
	struct sg_mapping *mapping, *ring;
	void (*callback)(hsa_status_t, hsa_queue_t *, void *);
	void *callback_data;
	struct softgpu_run *run;        /* kernel being executed */
	struct sg_intercept *intercept; /* NULL: the device takes packets from the ring */
	uint64_t start_ns;              /* when the packet at the read index started; 0: not yet */
	bool cooperative, inactive;
	unsigned priority;
	struct sg_queue *next;
};

enum sg_progress {
	SG_IDLE,     /* nothing to do until something changes */
	SG_PROGRESS, /* did something; more may follow */
};

/* Process the packet at the read index, or continue it for `budget` wave-instructions. */
enum sg_progress sg_packet_step(struct sg_queue *queue, uint64_t budget);

/*
 * Of a queue with `intercept`: the packet to do next, or NULL; it is done; is there one? and what
 * the queue's end frees (also of queues without).
 */
hsa_kernel_dispatch_packet_t *sg_intercept_packet(struct sg_queue *queue);
void sg_intercept_done(struct sg_queue *queue);
bool sg_intercept_busy(const struct sg_queue *queue);
void sg_intercept_destroy(struct sg_queue *queue);

#endif
