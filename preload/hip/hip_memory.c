/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This queries what the runtime itself reports about the memory that kernels are given: once for
 * each allocation, when it first is an argument of a launch, and again after advice has changed it.
 *
 * The live allocations are kept in a treap by GPU address, because arguments point anywhere into
 * them. It is accessed by allocation, release and advice, and by launches whose arguments have not
 * been checked since; a repeated launch costs one comparison.
 */
#include "preload/hip/hip_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip_runtime.h"
#include "tracer/api/hip_alloc_host.h"
#include "tracer/api/hip_alloc_managed.h"
#include "tracer/api/hip_modules.h"
#include "tracer/events.h"
#include "tracer/events/ev_alloc.h"
#include "tracer/events/ev_memory.h"
#include "tracer/provider.h"

#define MAX_NODES    (1u << 20)
#define SEEN_SLOTS   4096u
#define MAX_SUBJECTS HG_HIP_SUBJECTS

struct node {
	uint64_t base, size; /* as the GPU addresses it */
	uint64_t host;       /* as the application released it, and as the events name it */
	uint32_t left, right;
	uint32_t priority;
	uint32_t twin; /* of memory with two addresses: the other's node; 0: none */
	bool queried;
	bool managed;     /* hipMallocManaged's */
	uint8_t kind;     /* enum hg_hip_kind */
	bool coarse;      /* made so by fix.c */
	uint32_t moved;   /* prefetched there by fix.c ... */
	int32_t moved_to; /* ... at that value of hg_hip_memory_waits */
};

/* Nodes are numbers, 0 is none. */
static struct node *nodes;
static uint32_t root, used, free_list;
static uint64_t random_state = 0x9e3779b97f4a7c15u;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Changes whenever a query that was not made before may have to be made. */
static uint32_t change = 1;
/* args_id << 32 | change, of argument blocks for which nothing is left to query. */
static uint64_t seen[SEEN_SLOTS];

/* ---- the treap ---- */

static uint32_t new_node(void)
{
	uint32_t at = free_list;

	if (at) {
		free_list = nodes[at].left;
		return at;
	}
	if (!nodes) {
		void *space = hg_libc.mmap(NULL, MAX_NODES * sizeof(*nodes), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (space == MAP_FAILED)
			return 0;
		nodes = space;
	}
	return used + 1 < MAX_NODES ? ++used : 0;
}

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

/* Moves everything below `base` to *left, and the rest to *right. */
static void split(uint32_t tree, uint64_t base, uint32_t *left, uint32_t *right)
{
	while (tree) {
		struct node *node = &nodes[tree];

		if (node->base < base) {
			*left = tree;
			left = &node->right;
			tree = node->right;
		} else {
			*right = tree;
			right = &node->left;
			tree = node->left;
		}
	}
	*left = *right = 0;
}

static void merge(uint32_t *tree, uint32_t left, uint32_t right)
{
	while (left && right) {
		if (nodes[left].priority > nodes[right].priority) {
			*tree = left;
			tree = &nodes[left].right;
			left = nodes[left].right;
		} else {
			*tree = right;
			tree = &nodes[right].left;
			right = nodes[right].left;
		}
	}
	*tree = left ? left : right;
}

/* Returns the node that begins last at or before `address`, or 0. */
static uint32_t find_before(uint64_t address)
{
	uint32_t tree = root, found = 0;

	while (tree) {
		if (nodes[tree].base <= address) {
			found = tree;
			tree = nodes[tree].right;
		} else {
			tree = nodes[tree].left;
		}
	}
	return found;
}

static uint32_t find_base(uint64_t base)
{
	uint32_t found = find_before(base);

	return found && nodes[found].base == base ? found : 0;
}

static void remove_base(uint64_t base)
{
	uint32_t *tree = &root;

	while (*tree && nodes[*tree].base != base)
		tree = base < nodes[*tree].base ? &nodes[*tree].left : &nodes[*tree].right;
	if (*tree) {
		uint32_t removed = *tree;

		merge(tree, nodes[removed].left, nodes[removed].right);
		nodes[removed].left = free_list;
		free_list = removed;
	}
}

static uint32_t insert(uint64_t base, uint64_t size, uint64_t host)
{
	uint32_t at, left, right;

	remove_base(base); /* its release was not seen */
	at = new_node();
	if (!at)
		return 0;
	split(root, base, &left, &right);
	nodes[at] = (struct node){
		.base = base, .size = size ? size : 1, .host = host, .priority = next_random()
	};
	merge(&root, left, at);
	merge(&root, root, right);
	return at;
}

/* ---- calls that change allocations ---- */

/* Returns true if the list of allocations is needed. */
static bool is_wanted(void)
{
	return hg_config.memory_queries || hg_config.kernel_arguments != HG_ARGUMENTS_OFF ||
	       hg_config.fixes || hg_config.residency;
}

static enum hg_hip_kind kind_of(uint16_t api)
{
	switch (api) {
	case HG_API_hipHostMalloc:
	case HG_API_hipMallocHost:
	case HG_API_hipMemAllocHost:
		return HG_HIP_PINNED;
	case HG_API_hipMallocManaged:
	case HG_API___hipRegisterManagedVar:
	case HG_API_hipHostRegister:
		return HG_HIP_MANAGED;
	default:
		return HG_HIP_ON_DEVICE;
	}
}

/* All allocations that there ever were lie between these: most words lie elsewhere. They are
 * atomic. */
static uint64_t lowest = UINT64_MAX, highest;

static void widen(uint64_t base, uint64_t size)
{
	if (base < lowest)
		__atomic_store_n(&lowest, base, __ATOMIC_RELAXED);
	if (base + size > highest)
		__atomic_store_n(&highest, base + size, __ATOMIC_RELAXED);
}

void hg_hip_memory_add(const struct hg_ev_alloc *event)
{
	uint32_t first, second = 0;

	if (!event->ptr || !is_wanted())
		return;
	pthread_mutex_lock(&lock);
	first = insert(event->device_ptr, event->size, event->ptr);
	if (first)
		nodes[first].managed = event->api == HG_API_hipMallocManaged ||
				       event->api == HG_API___hipRegisterManagedVar;
	if (event->device_ptr != event->ptr)
		second = insert(event->ptr, event->size, event->ptr);
	if (first)
		nodes[first].kind = (uint8_t)kind_of(event->api);
	if (second)
		nodes[second].kind = (uint8_t)kind_of(event->api);
	widen(event->device_ptr, event->size);
	widen(event->ptr, event->size);
	if (first && second) {
		nodes[first].twin = second;
		nodes[second].twin = first;
	}
	change++;
	pthread_mutex_unlock(&lock);
}

void hg_hip_memory_remove(uint64_t ptr)
{
	uint32_t found, twin;

	if (!is_wanted())
		return;
	pthread_mutex_lock(&lock);
	found = find_base(ptr);
	if (found) {
		twin = nodes[found].twin;
		if (twin)
			remove_base(nodes[twin].base);
		remove_base(ptr);
	}
	pthread_mutex_unlock(&lock);
}

static void changed(uint64_t ptr, uint64_t size, bool ours)
{
	uint32_t at;

	if (!is_wanted() || !size)
		return;
	pthread_mutex_lock(&lock);
	for (at = find_before(ptr + size - 1); at && nodes[at].base + nodes[at].size > ptr;
	     at = nodes[at].base ? find_before(nodes[at].base - 1) : 0) {
		nodes[at].queried = false;
		nodes[at].coarse = nodes[at].coarse && ours;
	}
	change++;
	pthread_mutex_unlock(&lock);
}

void hg_hip_memory_changed(uint64_t ptr, uint64_t size)
{
	changed(ptr, size, false);
}

void hg_hip_memory_answered(uint64_t ptr, uint64_t size)
{
	changed(ptr, size, true);
}

bool hg_hip_memory_known(uint64_t address)
{
	uint32_t at;
	bool known;

	pthread_mutex_lock(&lock);
	at = find_before(address);
	known = at && address - nodes[at].base < nodes[at].size;
	pthread_mutex_unlock(&lock);
	return known;
}

bool hg_hip_memory_find(uint64_t address, struct hg_hip_block *block)
{
	uint32_t at;
	bool known;

	if (address < __atomic_load_n(&lowest, __ATOMIC_RELAXED) ||
	    address >= __atomic_load_n(&highest, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&lock);
	at = find_before(address);
	known = at && address - nodes[at].base < nodes[at].size;
	if (known)
		*block = (struct hg_hip_block){ nodes[at].base, nodes[at].size, nodes[at].host,
						(enum hg_hip_kind)nodes[at].kind };
	pthread_mutex_unlock(&lock);
	return known;
}

uint64_t hg_hip_memory_span(uint64_t *low)
{
	uint64_t end = __atomic_load_n(&highest, __ATOMIC_RELAXED);

	*low = __atomic_load_n(&lowest, __ATOMIC_RELAXED);
	return *low < end ? end - *low : 0;
}

uint32_t hg_hip_memory_pick(const uint64_t *words, uint32_t count, uint32_t *found)
{
	uint64_t low = __atomic_load_n(&lowest, __ATOMIC_RELAXED);
	uint64_t span = __atomic_load_n(&highest, __ATOMIC_RELAXED) + HG_PAST_END_LIMIT - low;
	uint32_t candidates = 0, kept = 0;

	if (low == UINT64_MAX)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		found[candidates] = i;
		candidates += words[i] - low < span;
	}
	if (HG_LIKELY(!candidates))
		return 0;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < candidates; i++) {
		uint64_t word = words[found[i]];
		uint32_t at = find_before(word);

		if (at && word - nodes[at].base < nodes[at].size + HG_PAST_END_LIMIT)
			found[kept++] = found[i];
	}
	pthread_mutex_unlock(&lock);
	return kept;
}

uint32_t hg_hip_memory_change(void)
{
	return __atomic_load_n(&change, __ATOMIC_RELAXED);
}

/* ---- changes by advice and fixes ---- */

uint32_t hg_hip_memory_waits = 1;

bool hg_hip_memory_claim(uint64_t address, unsigned fix, int32_t device,
			 struct hg_hip_subject *subject)
{
	uint32_t at, now = __atomic_load_n(&hg_hip_memory_waits, __ATOMIC_RELAXED);
	bool due = false;

	pthread_mutex_lock(&lock);
	at = find_before(address);
	if (at && address - nodes[at].base < nodes[at].size && nodes[at].managed) {
		struct node *node = &nodes[at];

		due = fix == HG_FIX_COARSE_MANAGED ? !node->coarse
						   : node->moved != now || node->moved_to != device;
		if (fix == HG_FIX_COARSE_MANAGED) {
			node->coarse = true;
		} else {
			node->moved = now;
			node->moved_to = device;
		}
		*subject = (struct hg_hip_subject){ node->base, node->size, node->host };
	}
	pthread_mutex_unlock(&lock);
	return due;
}

/* ---- queries before launches ---- */

bool hg_hip_memory_gather(struct hg_hip_subjects *subjects, const uint8_t *bytes, uint32_t length)
{
	uint64_t word;
	bool all = true;

	subjects->count = 0;
	pthread_mutex_lock(&lock);
	for (uint32_t offset = 0; root && offset + sizeof(word) <= length; offset += sizeof(word)) {
		uint32_t at;

		memcpy(&word, bytes + offset, sizeof(word));
		at = find_before(word);
		if (!at || word - nodes[at].base >= nodes[at].size || nodes[at].queried)
			continue;
		if (subjects->count == MAX_SUBJECTS) {
			all = false; /* the rest at the next launch */
			break;
		}
		nodes[at].queried = true;
		subjects->rows[subjects->count++] =
		    (struct hg_hip_subject){ nodes[at].base, nodes[at].size, nodes[at].host };
	}
	pthread_mutex_unlock(&lock);
	return all;
}

void hg_hip_memory_note(struct hg_hip_subjects *subjects, uint32_t args_id, const uint8_t *bytes,
			uint32_t length)
{
	uint64_t *slot = &seen[args_id % SEEN_SLOTS], mark;

	subjects->count = 0;
	if (!hg_config.memory_queries)
		return;
	mark = (uint64_t)args_id << 32 | __atomic_load_n(&change, __ATOMIC_RELAXED);
	if (HG_LIKELY(__atomic_load_n(slot, __ATOMIC_RELAXED) == mark))
		return;
	if (!hg_hip_memory_gather(subjects, bytes, length))
		mark = 0;
	__atomic_store_n(slot, mark, __ATOMIC_RELAXED);
}

/* ---- the questions ---- */

/* hipPointerAttribute_t, the same in 5.x and 6.x (docs/memory-model.md#types-and-attributes). */
struct attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	int managed;
	unsigned flags;
	uint64_t spare[8];
};

/* hipMemRangeAttribute (docs/memory-model.md#advice-constants) */
enum { PREFERRED_LOCATION = 2, LAST_PREFETCH = 4, COHERENCY = 100 };

/* hsa_amd_pointer_info_t up to global_flags [HSAH] */
struct hsa_info {
	uint32_t size, type; /* size: how much the runtime filled in */
	void *agent_base, *host_base;
	size_t bytes;
	void *user;
	uint64_t owner;
	uint32_t global_flags;
};

typedef int get_attributes_t(struct attributes *, const void *);
typedef int get_range_t(void *, size_t, int, const void *, size_t);
typedef int get_ranges_t(void **, size_t *, int *, size_t, const void *, size_t);
typedef int hsa_info_t(const void *, struct hsa_info *, void *, void *, void *);

/* The functions that are called for it, of each runtime; HSA's is one for all. */
struct questions {
	uint32_t runtime; /* atomic, written last */
	get_attributes_t *get_attributes;
	get_range_t *get_range;
	get_ranges_t *get_ranges;
	hsa_info_t *get_hsa_info;
};
static struct questions all_questions[HG_HIP_RUNTIMES];

/* Two threads may do this at once: they write the same. */
static const struct questions *find_questions(void)
{
	uint32_t runtime = hg_hip_runtime_number();
	struct questions *q = &all_questions[runtime % HG_HIP_RUNTIMES];

	if (HG_LIKELY(__atomic_load_n(&q->runtime, __ATOMIC_ACQUIRE) == runtime))
		return q;
	q->get_attributes = (get_attributes_t *)hg_hip_query("hipPointerGetAttributes");
	q->get_range = (get_range_t *)hg_hip_query("hipMemRangeGetAttribute");
	q->get_ranges = (get_ranges_t *)hg_hip_query("hipMemRangeGetAttributes");
	q->get_hsa_info = (hsa_info_t *)hg_hsa_query("hsa_amd_pointer_info");
	__atomic_store_n(&q->runtime, runtime, __ATOMIC_RELEASE);
	return q;
}

/* These queries reach the kernel's driver, the others only the runtime's own records. */
static void ask_range(const struct questions *q, const struct hg_hip_subject *subject,
		      struct hg_ev_memory *event)
{
	uint64_t base = subject->base, size = subject->size;
	int32_t *answers[] = { &event->coherency, &event->preferred, &event->last_prefetch };
	size_t sizes[] = { sizeof(int32_t), sizeof(int32_t), sizeof(int32_t) };
	int questions[] = { COHERENCY, PREFERRED_LOCATION, LAST_PREFETCH };
	size_t count = event->managed == 1 ? HG_COUNT(questions) : 1;

	if (count > 1)
		hg_whole_pages(&base, &size);
	if (count > 1 && q->get_ranges) {
		if (!q->get_ranges((void **)answers, sizes, questions, count,
				   (void *)(uintptr_t)base, size))
			return;
		hg_hip_forget_error();
	}
	/* HIP 7.2.4 answers them one by one, together not always (invalid value). */
	for (size_t i = 0; q->get_range && i < count; i++) {
		if (!q->get_range(answers[i], sizes[i], questions[i], (void *)(uintptr_t)base,
				  size))
			continue;
		hg_hip_forget_error();
		*answers[i] = HG_MEMORY_UNKNOWN;
	}
}

/*
 * ROCr 5.2.3 answers success and flags 2, fine-grained, for memory that it does not know, as
 * managed memory is [SEENROCR]. What a reserved address has is not told: nothing, or managed memory
 * of HIP 7.2.
 */
static uint32_t pool_flags(const struct hsa_info *info)
{
	if (info->type == HG_POINTER_UNKNOWN || info->type == HG_POINTER_RESERVED ||
	    info->size < offsetof(struct hsa_info, global_flags) + sizeof(info->global_flags))
		return 0;
	return info->global_flags;
}

static void ask(const struct questions *q, const struct hg_hip_subject *subject)
{
	const void *pointer = (const void *)(uintptr_t)subject->base;
	struct attributes attributes = { 0 };
	struct hsa_info info = { .size = sizeof(info) };
	struct hg_ev_memory event = {
		.ptr = subject->host,
		.size = subject->size,
		.type = HG_MEMORY_UNKNOWN,
		.device = HG_MEMORY_UNKNOWN,
		.managed = HG_MEMORY_UNKNOWN,
		.coherency = HG_MEMORY_UNKNOWN,
		.preferred = HG_MEMORY_UNKNOWN,
		.last_prefetch = HG_MEMORY_UNKNOWN,
		.hsa_type = HG_MEMORY_UNKNOWN,
	};

	if (q->get_attributes) {
		if (q->get_attributes(&attributes, pointer)) {
			hg_hip_forget_error();
		} else {
			event.type = attributes.type;
			event.device = attributes.device;
			event.managed = attributes.managed;
			event.flags = attributes.flags;
		}
	}
	if (q->get_hsa_info && !q->get_hsa_info(pointer, &info, NULL, NULL, NULL)) {
		event.hsa_type = (int32_t)info.type;
		event.pool_flags = pool_flags(&info);
	}
	/* Memory from a pool is all of one kind, and stays so. */
	if (!event.pool_flags)
		ask_range(q, subject, &event);
	hg_provider->memory(&event);
}

int32_t hg_hip_memory_device(uint64_t address)
{
	const struct questions *q = find_questions();
	struct attributes attributes = { .device = -1 };

	if (!q->get_attributes)
		return -1;
	if (q->get_attributes(&attributes, (const void *)(uintptr_t)address)) {
		hg_hip_forget_error();
		return -1;
	}
	return attributes.device;
}

void hg_hip_memory_ask(const struct hg_hip_subjects *subjects)
{
	const struct questions *questions;

	if (HG_LIKELY(!subjects->count))
		return;
	questions = find_questions();
	for (unsigned i = 0; i < subjects->count; i++)
		if (hg_hip_may_query())
			ask(questions, &subjects->rows[i]);
		else
			hg_hip_memory_changed(subjects->rows[i].base, 1); /* at a later launch */
}

static void forget(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 1; i <= used; i++)
		nodes[i].queried = false;
	change++;
	pthread_mutex_unlock(&lock);
}

static void reset(void)
{
	pthread_mutex_init(&lock, NULL);
	root = used = free_list = 0;
	change++;
}

HG_PART(.name = "hip-memory", .order = 33, .forget = forget, .fork_standby = reset,
	.fork_record = reset);
