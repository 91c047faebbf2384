/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the logs that tests compare with predictions: README.md, "The logs". */
#include <stdlib.h>

#include "log.h"

static FILE *atomic_file, *access_file, *stale_file;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static FILE *open_log(const char *path)
{
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (path && !file)
		fprintf(stderr, "softgpu: cannot write the log %s\n", path);
	return file;
}

static void open_logs(void)
{
	atomic_file = open_log(softgpu_config.atomic_log);
	access_file = open_log(softgpu_config.access_log);
	stale_file = open_log(softgpu_config.stale_log);
}

/*
 * Finds the byte offsets of all kernel arguments whose value points to where `address` does, and
 * "code" if that is the loaded code object itself (device variables): an analysis of the code may
 * say these.
 */
static void find_place(const struct softgpu_run *run, uint64_t address, struct sg_place *place)
{
	const uint64_t kernarg = (uint64_t)(uintptr_t)run->dispatch.packet.kernarg_address;
	const uint8_t *kd = softgpu_host_pointer(run->dispatch.packet.kernel_object);
	const uint8_t *bytes = softgpu_host_pointer(kernarg);
	uint32_t size;
	size_t at = 0;

	/* KERNARG_SIZE (docs/code-objects.md#kernel-descriptor) */
	memcpy(&size, kd + 8, sizeof(size));
	if (!softgpu_memory_range(address, &place->first, &place->last)) {
		place->first = place->last = 0;
		size = 0;
	}
	place->text[0] = 0;
	/* Packed structs have pointers anywhere. */
	for (uint32_t i = 0; kernarg && i + 8 <= size && at + 16 < sizeof(place->text); i++) {
		uint64_t value;

		memcpy(&value, bytes + i, sizeof(value));
		if (value >= place->first && value < place->last)
			at += (size_t)snprintf(place->text + at, sizeof(place->text) - at, "%s%u",
					       at ? "," : "", i);
	}
	if (address - run->dispatch.code_base < run->dispatch.code_size)
		at += (size_t)snprintf(place->text + at, sizeof(place->text) - at, "%scode",
				       at ? "," : "");
	if (!at)
		strcpy(place->text, "-");
}

/*
 * KERNEL OFFSET ADDRESS KERNARG MNEMONIC done|dropped PLACE; offset is relative to the kernel's
 * entry.
 */
void sg_log_atomic(const struct sg_wave *wave, const struct sg_insn *in, uint64_t address,
		   bool dropped, struct sg_place *place)
{
	const struct softgpu_run *run = wave->run;
	int64_t offset = (int64_t)(in->pc - run->entry);

	pthread_once(&once, open_logs);
	if (!atomic_file)
		return;
	if (address < place->first || address >= place->last)
		find_place(run, address, place);
	fprintf(atomic_file, "%s %s0x%llx 0x%llx 0x%llx %s %s %s\n",
		run->dispatch.kernel_name ? run->dispatch.kernel_name : "?", offset < 0 ? "-" : "",
		(unsigned long long)(offset < 0 ? -offset : offset), (unsigned long long)address,
		(unsigned long long)(uintptr_t)run->dispatch.packet.kernarg_address, in->op->name,
		dropped ? "dropped" : "done", place->text);
}

void sg_log_flush(void)
{
	if (atomic_file)
		fflush(atomic_file);
}

/* ---- stale reads ---- */

static struct {
	pthread_mutex_t lock;
	softgpu_stale_watcher *function;
	void *data;
} watcher = { .lock = PTHREAD_MUTEX_INITIALIZER };

void softgpu_watch_stale_reads(softgpu_stale_watcher *function, void *data)
{
	pthread_mutex_lock(&watcher.lock);
	watcher.function = function;
	watcher.data = data;
	pthread_mutex_unlock(&watcher.lock);
}

static void print_site(const char *kernel, int64_t offset)
{
	fprintf(stale_file, "%s %s0x%llx ", kernel, offset < 0 ? "-" : "",
		(unsigned long long)(offset < 0 ? -offset : offset));
}

/* Prints KERNEL OFFSET WRITER OFFSET ADDRESS SEED GPU XCD WRITERS-XCD. */
void sg_log_stale(const struct softgpu_stale_read *read)
{
	pthread_once(&once, open_logs);
	if (stale_file) {
		print_site(read->kernel, read->offset);
		print_site(read->writer, read->writer_offset);
		fprintf(stale_file, "0x%llx %llu %u %u %u\n", (unsigned long long)read->address,
			(unsigned long long)read->seed, read->gpu, read->xcd, read->writer_xcd);
		fflush(stale_file);
	}
	pthread_mutex_lock(&watcher.lock);
	if (watcher.function)
		watcher.function(read, watcher.data);
	pthread_mutex_unlock(&watcher.lock);
}

/* ---- reads and writes ---- */

/* Memory that a worker's waves touched, and how. */
struct sg_touch {
	struct sg_touch *next;
	struct sg_place place;
	unsigned kinds;
};

/* Prints KERNEL KERNARG read|write|atomic PLACE, once for each worker, allocation and kind. */
void sg_note_slow(struct sg_wave *wave, uint64_t address, enum sg_access_kind kind)
{
	static const char *const names[] = { "?", "read", "write", "?", "atomic" };
	const struct softgpu_run *run = wave->run;
	struct sg_touch **at = &wave->worker->touches, *touch;

	pthread_once(&once, open_logs);
	if (!access_file)
		return;
	for (; *at; at = &(*at)->next)
		if (address >= (*at)->place.first && address < (*at)->place.last)
			break;
	touch = *at;
	if (touch) {
		*at = touch->next;
	} else {
		touch = calloc(1, sizeof(*touch));
		if (!touch)
			return;
		find_place(run, address, &touch->place);
		if (touch->place.first == touch->place.last) {
			touch->place.first = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
			touch->place.last = touch->place.first + SOFTGPU_PAGE_SIZE;
		}
	}
	/* It goes to the front, where it is found at once the next time. */
	touch->next = wave->worker->touches;
	wave->worker->touches = touch;
	if (touch->kinds & kind)
		return;
	touch->kinds |= kind;
	fprintf(access_file, "%s 0x%llx %s %s\n",
		run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		(unsigned long long)(uintptr_t)run->dispatch.packet.kernarg_address, names[kind],
		touch->place.text);
	fflush(access_file);
}

void sg_notes_free(struct sg_worker *worker)
{
	while (worker->touches) {
		struct sg_touch *touch = worker->touches;

		worker->touches = touch->next;
		free(touch);
	}
}
