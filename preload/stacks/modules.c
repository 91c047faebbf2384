/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded objects of the host process. New ones are found by comparing the loader's count of
 * additions and removals when a launch, or a new stack that may lead through them (stack.c), is
 * recorded; dlopen() is not wrapped for it.
 */
#include "preload/stacks/modules.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/parts.h"
#include "preload/stacks/hip_bypass.h"
#include "preload/stacks/python.h"
#include "preload/stacks/unwind_rules.h"
#include "tracer/events.h"
#include "tracer/events/ev_module.h"
#include "tracer/provider.h"

struct module {
	uint64_t bias, start, end;
	char *path; /* as the loader has it */
	char build_id[2 * 64 + 1];
	bool seen;       /* in the current pass over the loader's list */
	bool is_runtime; /* HIP's */
	bool looked_at;  /* it calls HIP, and where its calls lead may change (hip_bypass.c) */
	bool told_again; /* `past` has changed since it was recorded */
	char *past;      /* HIP functions that it calls without passing us, or NULL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module *modules;
static size_t module_count, module_room, emitted;
static unsigned long long known_additions, known_removals;

/*
 * Address ranges of our own libraries and of the GPU runtime's: what these allocate, on whatever
 * thread, is not the program's memory. Only appended to, under the lock.
 */
static const char *const tool_names[] = {
	"/libhipgrain-", "/libamdhip64.so",  "/libhsa-runtime64.so",
	"/libhsakmt.so", "/libamd_comgr.so", "/libomptarget",
};
#define FIRST_OF_GPU 1u

int hg_gpu_seen;

static struct {
	uintptr_t start, end;
} tools[32];
size_t hg_tools_known; /* read without the lock */

/* hg_bypass_look() must know so many runtimes. It is atomic: read without the lock. */
static size_t runtimes_loaded;

static void note_tool(const char *path, uint64_t start, uint64_t end)
{
	size_t count = hg_tools_known;

	for (size_t i = 0; i < HG_COUNT(tool_names); i++) {
		if (!strstr(path, tool_names[i]) || count == HG_COUNT(tools))
			continue;
		tools[count].start = (uintptr_t)start;
		tools[count].end = (uintptr_t)end;
		__atomic_store_n(&hg_tools_known, count + 1, __ATOMIC_RELEASE);
		hg_changed();
		if (i >= FIRST_OF_GPU)
			__atomic_store_n(&hg_gpu_seen, 1, __ATOMIC_RELAXED);
		return;
	}
}

static void fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void fork_unlock(bool child)
{
	(void)child;
	pthread_mutex_unlock(&lock);
}

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment,
			  char hex[2 * 64 + 1])
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *note = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
	const uint8_t *end = note + segment->p_memsz;

	while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
		const uint8_t *name = note + sizeof(*header);
		const uint8_t *id = name + ((header->n_namesz + 3u) & ~3u);

		if (id > end || header->n_descsz > (size_t)(end - id))
			return;
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4) && header->n_descsz <= 64) {
			for (unsigned i = 0; i < header->n_descsz; i++) {
				hex[2 * i] = digits[id[i] >> 4];
				hex[2 * i + 1] = digits[id[i] & 15];
			}
			hex[2 * header->n_descsz] = '\0';
			return;
		}
		note = id + ((header->n_descsz + 3u) & ~3u);
	}
}

static void measure(const struct dl_phdr_info *info, struct module *module)
{
	module->bias = info->dlpi_addr;
	module->start = UINT64_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE)
			read_build_id(info, segment, module->build_id);
		if (segment->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + segment->p_vaddr < module->start)
			module->start = info->dlpi_addr + segment->p_vaddr;
		if (info->dlpi_addr + segment->p_vaddr + segment->p_memsz > module->end)
			module->end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
	}
	module->start &= ~(uint64_t)4095;
}

/*
 * The list may have to grow in a signal's handler that has interrupted malloc(), or while such a
 * thread waits for the lock: so it is in mappings. Paths are in blocks of two sizes, which are used
 * again, as programs may load and unload without end.
 */
#define SHORT_PATH 128u

static struct spare {
	struct spare *next;
} * spares[2];

static char *spare_end[2], *spare_at[2]; /* of a mapping: what was not given out yet */

static void *map(size_t size)
{
	void *memory =
	    hg_libc.mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Returns a copy of the path, or NULL if there is no memory or the path is too long. */
static char *keep_path(const char *path)
{
	static const size_t sizes[] = { SHORT_PATH, PATH_MAX };
	size_t length = strlen(path) + 1;
	unsigned kind = length > SHORT_PATH;
	char *copy = (char *)spares[kind];

	if (length > PATH_MAX)
		return NULL;
	if (copy) {
		spares[kind] = spares[kind]->next;
	} else {
		if (spare_at[kind] == spare_end[kind]) {
			spare_at[kind] = map(4 * (size_t)PATH_MAX);
			spare_end[kind] = spare_at[kind] ? spare_at[kind] + 4 * PATH_MAX : NULL;
			if (!spare_at[kind])
				return NULL;
		}
		copy = spare_at[kind];
		spare_at[kind] += sizes[kind];
	}
	return memcpy(copy, path, length);
}

static void drop_path(char *path)
{
	unsigned kind = strlen(path) + 1 > SHORT_PATH;
	struct spare *spare = (struct spare *)(void *)path;

	spare->next = spares[kind];
	spares[kind] = spare;
}

static bool make_room(void)
{
	size_t room = module_room ? 2 * module_room : 64;
	struct module *more = map(room * sizeof(*more));

	if (!more)
		return false;
	if (modules) {
		memcpy(more, modules, module_count * sizeof(*more));
		hg_libc.munmap(modules, module_room * sizeof(*more));
	}
	modules = more;
	module_room = room;
	return true;
}

/* Under the loader's lock: only remember, nothing is recorded here. */
static int remember(struct dl_phdr_info *info, size_t size, void *data)
{
	struct module module = { 0 };

	(void)data;
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
		known_additions = info->dlpi_adds;
		known_removals = info->dlpi_subs;
	}
	measure(info, &module);
	if (module.start >= module.end || !info->dlpi_name ||
	    !strncmp(info->dlpi_name, "linux-vdso", 10))
		return 0;
	for (size_t i = 0; i < module_count; i++) {
		if (modules[i].start == module.start && modules[i].end == module.end &&
		    !strcmp(modules[i].path, info->dlpi_name)) {
			modules[i].seen = true;
			return 0;
		}
	}
	module.seen = true;
	module.is_runtime = strstr(info->dlpi_name, "/libamdhip64") != NULL;
	module.looked_at = !module.is_runtime && hg_bypass_concerns(info);
	if (module_count == module_room && !make_room())
		return 0;
	module.path = keep_path(info->dlpi_name);
	if (!module.path)
		return 0;
	modules[module_count++] = module;
	note_tool(module.path, module.start, module.end);
	hg_python_look(info, &(struct hg_object){ module.start, module.end });
	return 0;
}

static struct module *find_module(const struct dl_phdr_info *info)
{
	struct module found = { 0 };

	measure(info, &found);
	for (size_t i = 0; i < module_count; i++)
		if (modules[i].start == found.start && modules[i].end == found.end)
			return &modules[i];
	return NULL;
}

#define RUNTIMES 8u

/* Looks where one object's references lead. Runs under the loader's lock. */
static int look_past(struct dl_phdr_info *info, size_t size, void *data)
{
	struct hg_bypass_range runtimes[RUNTIMES];
	char names[HG_BYPASS_NAMES];
	struct module *module = find_module(info);
	size_t count = 0;

	(void)size;
	(void)data;
	if (!module || !module->looked_at)
		return 0;
	for (size_t i = 0; i < module_count && count < RUNTIMES; i++) {
		if (modules[i].is_runtime)
			runtimes[count++] =
			    (struct hg_bypass_range){ modules[i].start, modules[i].end };
	}
	module->looked_at = !hg_bypass_look(
	    info, (struct hg_bypass_range){ module->start, module->end }, runtimes, count, names);
	if (!names[0] || (module->past && !strcmp(module->past, names)))
		return 0;
	if (module->past)
		drop_path(module->past);
	module->past = keep_path(names);
	module->told_again = module->past != NULL;
	return 0;
}

/* Returns true if any object's calls of HIP might still lead elsewhere than was recorded; they were
 * looked at then. */
static bool find_past(void)
{
	size_t runtimes = 0, open = 0;

	for (size_t i = 0; i < module_count; i++) {
		runtimes += modules[i].is_runtime;
		open += modules[i].looked_at;
	}
	__atomic_store_n(&runtimes_loaded, runtimes, __ATOMIC_RELAXED);
	if (!runtimes || !open)
		return false;
	hg_libc.dl_iterate_phdr(look_past, NULL);
	return true;
}

static void emit_unloaded(const struct module *module)
{
	struct hg_ev_module event = {
		.start = module->start, .path = "", .build_id = "", .past = ""
	};

	hg_provider->module(&event);
}

/* Forget what was unloaded, so that the same file at the same place counts as new again. */
static void drop_unseen(void)
{
	size_t kept = 0, kept_emitted = 0;

	for (size_t i = 0; i < module_count; i++) {
		if (!modules[i].seen) {
			if (i < emitted)
				emit_unloaded(&modules[i]);
			drop_path(modules[i].path);
			if (modules[i].past)
				drop_path(modules[i].past);
			continue;
		}
		kept_emitted += i < emitted;
		modules[kept] = modules[i];
		modules[kept++].seen = false;
	}
	module_count = kept;
	emitted = kept_emitted;
}

static int compare_additions(struct dl_phdr_info *info, size_t size, void *data)
{
	*(bool *)data = size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs) ||
			info->dlpi_adds != known_additions || info->dlpi_subs != known_removals;
	return 1;
}

static void emit(struct module *module)
{
	static char path[PATH_MAX]; /* under the lock; threads may have stacks of 16 KiB */
	ssize_t length;
	struct hg_ev_module event = { .bias = module->bias,
				      .start = module->start,
				      .size = module->end - module->start,
				      .path = path,
				      .build_id = module->build_id,
				      .past = module->past ? module->past : "" };

	if (!module->path[0]) { /* the executable */
		length = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = 0;
	} else if (module->path[0] == '/' || !hg_real_path(module->path, path)) {
		snprintf(path, sizeof(path), "%s", module->path);
	}
	hg_provider->module(&event);
	module->told_again = false;
}

void hg_modules_find(void)
{
	pthread_mutex_lock(&lock);
	hg_libc.dl_iterate_phdr(remember, NULL);
	pthread_mutex_unlock(&lock);
}

/* Records again the objects that were recorded before that was known. */
static void record_past(void)
{
	for (size_t i = 0; i < emitted; i++)
		if (modules[i].told_again)
			emit(&modules[i]);
}

void hg_modules_poll(void)
{
	bool changed = true;

	/*
	 * Inside a callback of dl_iterate_phdr() the loader's lock is held, and here it comes
	 * second: another thread that polls would wait for this one, and this one for it.
	 */
	if (hg_tls.in_phdr)
		return;
	pthread_mutex_lock(&lock);
	if (emitted)
		hg_libc.dl_iterate_phdr(compare_additions, &changed);
	if (changed) {
		hg_libc.dl_iterate_phdr(remember, NULL);
		drop_unseen();
		find_past();
		record_past();
		while (emitted < module_count)
			emit(&modules[emitted++]);
		hg_python_tell();
	}
	pthread_mutex_unlock(&lock);
}

void hg_modules_look_again(void)
{
	if (hg_tls.in_phdr || !__atomic_load_n(&runtimes_loaded, __ATOMIC_RELAXED))
		return;
	hg_modules_poll();
	pthread_mutex_lock(&lock);
	if (find_past())
		record_past();
	pthread_mutex_unlock(&lock);
}

/* A stack that is recorded ahead of begin() asks, too: stack.c. */
static void forget(void)
{
	emitted = 0;
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
}

__attribute__((noinline)) bool hg_modules_is_tool_anywhere(uintptr_t address)
{
	size_t known = __atomic_load_n(&hg_tools_known, __ATOMIC_ACQUIRE);
	uintptr_t low = 0, high = UINTPTR_MAX;

	for (size_t i = 0; i < known; i++) {
		if (address >= tools[i].start && address < tools[i].end)
			return true;
		if (address < tools[i].start && tools[i].start < high)
			high = tools[i].start;
		if (address >= tools[i].end && tools[i].end > low)
			low = tools[i].end;
	}
	/* A signal's handler may come in between: it finds no span, and leaves one of its own. */
	hg_tls.apart_size = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.apart_from = low;
	hg_tls.apart_known = known;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hg_tls.apart_size = high - low;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (hg_tls.apart_from != low)
		hg_tls.apart_size = 0;
	return false;
}

static int init(void)
{
	hg_modules_find();
	return 0;
}

static void begin(bool late)
{
	(void)late;
	hg_modules_poll();
}

HG_PART(.name = "modules", .order = 50, .init = init, .forget = forget, .begin = begin,
	.fork_lock = fork_lock, .fork_unlock = fork_unlock, .fork_record = forget);
