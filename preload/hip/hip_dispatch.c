/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This finds the real function behind a wrapper. A process may hold several copies of the runtime,
 * and several versions of one function: every call is forwarded to the function that its caller
 * would have reached.
 *
 * A call through a wrapper's own address came from a reference that the loader resolved, so it is
 * resolved for the calling object as the loader would have done it, once: by the version that the
 * object requests, in the global scope, then among its own dependencies. For functions that were
 * looked up by name (dlsym, hipGetProcAddress) this does not hold, because the caller may be
 * another object than the one that looked them up: unless every caller reaches the same function, a
 * lookup returns a thunk, a few instructions that note the real function before they enter the
 * wrapper.
 */
#include "preload/hip/hip_dispatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/base.h"
#include "preload/core/hip_call.h"
#include "preload/core/libc.h"
#include "preload/core/objects.h"
#include "preload/core/parts.h"
#include "preload/core/pool.h"
#include "preload/core/start.h"
#include "preload/core/wrappers.h"
#include "preload/gpu/gpu.h"
#include "preload/hip/hip.h"
#include "preload/hip/hip_runtime.h"

/* ---- thunks ---- */

#define HSA_NOT_INITIALIZED 0x100B /* hsa_status_t */

#define THUNKS              2048
#define THUNK_SIZE          16
#define STRINGIFY(x)        #x
#define STRING(x)           STRINGIFY(x)

/* 32 bytes, and the wrapper first: the assembly below relies on it. */
struct via {
	void *wrapper;
	void *real; /* atomic: if set, the members above are set */
	const struct hg_hip_function *row;
	struct hg_hip_runtime *runtime;
};
_Static_assert(sizeof(struct via) == 32, "as in the assembly");

__attribute__((visibility("hidden"))) struct via hg_hip_vias[THUNKS];
static size_t via_count; /* atomic */

/* The thunk that the calling thread came through, until the wrapper has looked. */
__thread const struct via *hg_hip_via
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern const char hg_hip_thunks[] __attribute__((visibility("hidden")));

/* Registers that carry arguments, and those of the caller's, stay as they are. */
__asm__(".text\n"
	".balign " STRING(
	    THUNK_SIZE) "\n"
			".globl hg_hip_thunks\n"
			".hidden hg_hip_thunks\n"
			".type hg_hip_thunks, @function\n"
			"hg_hip_thunks:\n"
			"	.cfi_startproc\n"
			"	.set hg_hip_thunk, 0\n"
			"	.rept " STRING(
			    THUNKS) "\n"
				    "	.balign " STRING(
					THUNK_SIZE) "\n"
						    "	endbr64\n"
						    "	movl $hg_hip_thunk, %r11d\n"
						    "	jmp 1f\n"
						    "	.set hg_hip_thunk, hg_hip_thunk + 1\n"
						    "	.endr\n"
						    "1:	shlq $5, %r11\n"
						    "	leaq hg_hip_vias(%rip), %r10\n"
						    "	addq %r10, %r11\n"
						    "	movq hg_hip_via@gottpoff(%rip), %r10\n"
						    "	movq %r11, %fs:(%r10)\n"
						    "	jmp *(%r11)\n"
						    "	.cfi_endproc\n"
						    ".size hg_hip_thunks, .-hg_hip_thunks\n");

/* NULL: there are no more. Two threads at once may get one each. */
static void *thunk_for(const struct hg_hip_function *row, void *real)
{
	size_t count = __atomic_load_n(&via_count, __ATOMIC_RELAXED), at;

	for (at = 0; at < count && at < THUNKS; at++)
		if (__atomic_load_n(&hg_hip_vias[at].real, __ATOMIC_ACQUIRE) == real &&
		    hg_hip_vias[at].row == row)
			break;
	if (at == count || at == THUNKS) {
		at = __atomic_fetch_add(&via_count, 1, __ATOMIC_RELAXED);
		if (at >= THUNKS) {
			__atomic_store_n(&via_count, THUNKS, __ATOMIC_RELAXED);
			return NULL;
		}
		hg_hip_vias[at].wrapper = row->wrapper;
		hg_hip_vias[at].row = row;
		hg_hip_vias[at].runtime = row->of == HG_OF_HIP ? hg_hip_runtime_of(real) : NULL;
		__atomic_store_n(&hg_hip_vias[at].real, real, __ATOMIC_RELEASE);
	}
	return (void *)(hg_hip_thunks + at * THUNK_SIZE);
}

/*
 * A name may stand for the function of per-thread default streams (hipGetProcAddress() with such a
 * flag): then that is what is called.
 */
static const struct hg_hip_function *row_of(const char *name, void *real)
{
	size_t length = strlen(name);
	Dl_info info;

	if (dladdr(real, &info) && info.dli_sname && info.dli_saddr == real &&
	    !strncmp(info.dli_sname, name, length) && !strcmp(info.dli_sname + length, "_spt")) {
		const struct hg_hip_function *row = hg_hip_find_row(info.dli_sname);

		if (row)
			return row;
	}
	return hg_hip_find_row(name);
}

void *hg_hip_offer(const char *name, void *real)
{
	const struct hg_hip_function *row;
	void *offered;

	hg_tls.busy++;
	row = row_of(name, real);
	if (!row || real == row->wrapper)
		offered = real;
	else if (!strcmp(row->name, name) && real == hg_libc.dlsym(RTLD_NEXT, name))
		offered = row->wrapper; /* every caller reaches that one */
	else
		offered = thunk_for(row, real);
	hg_tls.busy--;
	return offered ? offered : real;
}

/* ---- callers ---- */

/* This is a function as one calling object reaches it; `real` is NULL until it is resolved. */
struct target {
	struct hg_hip_runtime *runtime;
	void *real; /* atomic; written after the runtime */
};

/* An object that has called; never freed, but used again once it was unloaded. */
struct caller {
	struct caller *next;
	uintptr_t start, size; /* atomic; no size: unloaded */
	int taken;             /* atomic; of one that is unloaded: by its next user */
	bool page;             /* not an object */
	bool hip;              /* HIP's runtime */
	struct target targets[];
};

static struct caller *callers; /* atomic: only prepended to */

/* Code made at run time is in no object: each such page is a caller, so many at most. */
#define CODE_PAGES 64
static unsigned code_pages; /* atomic */

static inline bool is_in(const struct caller *caller, uintptr_t address)
{
	uintptr_t size = __atomic_load_n(&caller->size, __ATOMIC_ACQUIRE);

	return address - __atomic_load_n(&caller->start, __ATOMIC_ACQUIRE) < size &&
	       size == __atomic_load_n(&caller->size, __ATOMIC_RELAXED);
}

static inline struct caller *find_caller(const void *address)
{
	struct caller *caller = __atomic_load_n(&callers, __ATOMIC_ACQUIRE);

	while (caller && !is_in(caller, (uintptr_t)address))
		caller = caller->next;
	return caller;
}

static struct caller *unloaded_caller(void)
{
	struct caller *caller = __atomic_load_n(&callers, __ATOMIC_ACQUIRE);
	int expected = 0;

	while (caller && (__atomic_load_n(&caller->size, __ATOMIC_ACQUIRE) ||
			  !__atomic_compare_exchange_n(&caller->taken, &expected, 1, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))) {
		caller = caller->next;
		expected = 0;
	}
	return caller;
}

/* NULL: there is no memory, or too much of such code. Two threads at once may add two. */
static struct caller *add_caller(const void *address)
{
	size_t rows = (size_t)(__stop_hg_hip_functions - __start_hg_hip_functions);
	struct hg_object range;
	bool in_object = hg_object_of(hg_libc.dl_iterate_phdr, address, &range);
	struct caller *caller;

	if (!in_object) {
		if (__atomic_fetch_add(&code_pages, 1, __ATOMIC_RELAXED) >= CODE_PAGES)
			return NULL;
		range.start = (uintptr_t)address & ~(uintptr_t)4095;
		range.end = range.start + 4096;
	}
	caller = in_object ? unloaded_caller() : NULL;
	if (caller) {
		memset(caller->targets, 0, rows * sizeof(struct target));
		caller->hip = hg_hip_is_runtime(address);
		__atomic_store_n(&caller->start, range.start, __ATOMIC_RELEASE);
		__atomic_store_n(&caller->size, range.end - range.start, __ATOMIC_RELEASE);
		return caller;
	}
	caller = hg_pool_calloc(1, sizeof(*caller) + rows * sizeof(struct target));
	if (!caller)
		return NULL;
	caller->start = range.start;
	caller->size = range.end - range.start;
	caller->taken = 1;
	caller->page = !in_object;
	caller->hip = in_object && hg_hip_is_runtime(address);
	caller->next = __atomic_load_n(&callers, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&callers, &caller->next, caller, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return caller;
}

static bool is_loaded(uintptr_t start)
{
	Dl_info info;

	return dladdr((void *)start, &info) && (uintptr_t)info.dli_fbase == start;
}

/* Code made at run time may call again, unless an object was loaded in its place. */
static bool is_gone(const struct caller *caller)
{
	Dl_info info;

	return caller->page ? dladdr((void *)caller->start, &info) != 0 : !is_loaded(caller->start);
}

static void forget_runtime(const struct hg_hip_runtime *runtime)
{
	size_t rows = (size_t)(__stop_hg_hip_functions - __start_hg_hip_functions);

	for (struct caller *c = __atomic_load_n(&callers, __ATOMIC_ACQUIRE); c; c = c->next) {
		for (size_t i = 0; i < rows; i++)
			if (__atomic_load_n(&c->targets[i].runtime, __ATOMIC_RELAXED) == runtime)
				__atomic_store_n(&c->targets[i].real, NULL, __ATOMIC_RELEASE);
	}
}

/* Only functions of other libraries than HIP's are known here. */
static void forget_unloaded(struct caller *caller)
{
	size_t rows = (size_t)(__stop_hg_hip_functions - __start_hg_hip_functions);
	Dl_info info;

	for (size_t i = 0; i < rows; i++) {
		void *real = __atomic_load_n(&caller->targets[i].real, __ATOMIC_RELAXED);

		if (real && __start_hg_hip_functions[i]->of != HG_OF_HIP && !dladdr(real, &info))
			__atomic_store_n(&caller->targets[i].real, NULL, __ATOMIC_RELEASE);
	}
}

static void unloaded(void)
{
	struct caller *caller = __atomic_load_n(&callers, __ATOMIC_ACQUIRE);

	hg_hip_runtimes_unloaded(is_loaded, forget_runtime);
	for (; caller; caller = caller->next) {
		forget_unloaded(caller);
		if (!__atomic_load_n(&caller->size, __ATOMIC_ACQUIRE) || !is_gone(caller))
			continue;
		__atomic_store_n(&caller->size, 0, __ATOMIC_RELEASE);
		if (!caller->page)
			__atomic_store_n(&caller->taken, 0, __ATOMIC_RELEASE);
	}
}

/* ---- as the loader would have resolved it ---- */

/* wanted_version() reads these tables of an object. */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Half) * versions;
	const char *needs;
	const ElfW(Rela) * tables[2]; /* of functions called, and of all else */
	size_t sizes[2];              /* bytes */
};

/* The loader has made addresses of what it uses itself; not so of DT_VERNEED. */
static struct dynamic read_dynamic(const struct link_map *map)
{
	struct dynamic found = { 0 };

	for (const ElfW(Dyn) *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++) {
		const void *pointer = (const void *)dyn->d_un.d_ptr;

		if (dyn->d_tag == DT_SYMTAB)
			found.symbols = pointer;
		else if (dyn->d_tag == DT_STRTAB)
			found.strings = pointer;
		else if (dyn->d_tag == DT_VERSYM)
			found.versions = pointer;
		else if (dyn->d_tag == DT_VERNEED)
			found.needs = (const char *)map->l_addr + dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_JMPREL)
			found.tables[0] = pointer;
		else if (dyn->d_tag == DT_PLTRELSZ)
			found.sizes[0] = dyn->d_un.d_val;
		else if (dyn->d_tag == DT_RELA)
			found.tables[1] = pointer;
		else if (dyn->d_tag == DT_RELASZ)
			found.sizes[1] = dyn->d_un.d_val;
	}
	return found;
}

/* Returns the index of the version in an object's reference to a function; 0 and 1 mean none. */
static unsigned version_index(const struct dynamic *from, const char *name)
{
	for (size_t table = 0; table < HG_COUNT(from->tables); table++) {
		size_t count = from->tables[table] ? from->sizes[table] / sizeof(ElfW(Rela)) : 0;

		for (size_t i = 0; i < count; i++) {
			size_t symbol = ELF64_R_SYM(from->tables[table][i].r_info);

			if (symbol && from->symbols[symbol].st_shndx == SHN_UNDEF &&
			    !strcmp(from->strings + from->symbols[symbol].st_name, name))
				return from->versions[symbol] & 0x7fffu;
		}
	}
	return 0;
}

/* Returns the version of a function that an object asks for (gABI, "Symbol Versioning"), or NULL if
 * any will do. */
static const char *wanted_version(const struct link_map *map, const char *name)
{
	struct dynamic from = read_dynamic(map);
	const ElfW(Verneed) *need = (const void *)from.needs;
	unsigned index;

	if (!from.symbols || !from.strings || !from.versions || !need)
		return NULL;
	index = version_index(&from, name);
	while (index > 1) {
		const ElfW(Vernaux) *item = (const void *)((const char *)need + need->vn_aux);

		for (unsigned i = 0; i < need->vn_cnt; i++) {
			if (item->vna_other == index)
				return from.strings + item->vna_name;
			item = (const void *)((const char *)item + item->vna_next);
		}
		if (!need->vn_next)
			break;
		need = (const void *)((const char *)need + need->vn_next);
	}
	return NULL;
}

/* A definition without a version satisfies every reference; another tool's is like that. */
static bool is_unversioned(const void *function)
{
	struct link_map *map = NULL;
	const ElfW(Sym) *symbol = NULL;
	struct dynamic from;
	Dl_info info;

	if (!dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
	    !dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return false;
	from = read_dynamic(map);
	return !from.versions || (from.versions[symbol - from.symbols] & 0x7fffu) <= 1;
}

static void *resolve(const struct hg_hip_function *row, const void *caller)
{
	const char *name = row->name;
	void *found = hg_find_function(name, NULL, caller), *versioned;
	struct link_map *map = NULL;
	const char *version = NULL;
	Dl_info info;

	if (!found && row->of == HG_OF_ROCTX)
		return (void *)hg_no_roctx;
	if (!found)
		return row->of == HG_OF_HSA ? hg_hsa_query(name) : hg_hip_find_loaded(name);
	if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		version = wanted_version(map, name);
	if (!version || is_unversioned(found))
		return found;
	versioned = hg_find_function(name, version, caller);
	return versioned ? versioned : found;
}

static int no_runtime(void)
{
	return HIP_NO_RUNTIME;
}

/* The linker resolves no call to it: its address stands for a function that is not there. */
void hg_no_roctx(void)
{
}

static int no_hsa_runtime(void)
{
	return HSA_NOT_INITIALIZED;
}

static void *find_real(const struct hg_hip_function *const *row, const void *address)
{
	struct hg_hip_runtime *runtime = NULL;
	struct caller *caller;
	int saved = errno;
	void *real;

	hg_init();
	hg_tls.busy++;
	real = resolve(*row, address);
	if (real) {
		runtime = (*row)->of == HG_OF_HIP ? hg_hip_runtime_of(real) : NULL;
		caller = find_caller(address);
		if (!caller)
			caller = add_caller(address);
		if (caller) {
			__atomic_store_n(&caller->targets[row - __start_hg_hip_functions].runtime,
					 runtime, __ATOMIC_RELAXED);
			__atomic_store_n(&caller->targets[row - __start_hg_hip_functions].real,
					 real, __ATOMIC_RELEASE);
		}
	}
	hg_tls.busy--;
	if (!hg_tls.hip && (*row)->of == HG_OF_HIP)
		hg_tls.hip_runtime = runtime;
	errno = saved;
	if (!real)
		return (*row)->of == HG_OF_HSA ? (void *)no_hsa_runtime : (void *)no_runtime;
	return real;
}

void *hg_hip_real(const struct hg_hip_function *const *row, const void *address, const char *frame)
{
	const struct via *via = hg_hip_via;
	const struct target *target;
	struct caller *caller;
	bool nested = HG_UNLIKELY(hg_tls.hip) && hg_hip_goes_on(frame);
	void *real;

	if (!nested) {
		hg_tls.hip_frame = frame;
		hg_tls.hip_caller = address;
	}
	if (HG_UNLIKELY(via != NULL)) {
		hg_hip_via = NULL;
		/* Not if a signal came in between, whose handler made another call. */
		if (via->row == *row) {
			if (!nested)
				hg_tls.hip_runtime = via->runtime;
			return via->real;
		}
	}
	caller = find_caller(address);
	if (HG_UNLIKELY(!caller))
		return find_real(row, address);
	target = &caller->targets[row - __start_hg_hip_functions];
	real = __atomic_load_n(&target->real, __ATOMIC_ACQUIRE);
	if (HG_UNLIKELY(!real))
		return find_real(row, address);
	if (!nested)
		hg_tls.hip_runtime = __atomic_load_n(&target->runtime, __ATOMIC_RELAXED);
	return real;
}

void *hg_plain_real(const struct hg_hip_function *const *row, const void *address)
{
	const struct via *via = hg_hip_via;
	struct caller *caller;
	void *real;

	if (HG_UNLIKELY(via != NULL)) {
		hg_hip_via = NULL;
		if (via->row == *row)
			return via->real;
	}
	caller = find_caller(address);
	if (HG_UNLIKELY(!caller))
		return find_real(row, address);
	real = __atomic_load_n(&caller->targets[row - __start_hg_hip_functions].real,
			       __ATOMIC_ACQUIRE);
	return HG_LIKELY(real != NULL) ? real : find_real(row, address);
}

bool hg_hip_has_caller(const void *address)
{
	const struct caller *caller = find_caller(address);

	return caller && caller->hip;
}

HG_PART(.name = "hip-dispatch", .order = 35, .unloaded = unloaded);
