/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the directories of a capture, and cuts events.bin into records. */
#include "hrr_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAGIC     0x52524845u /* "EHRR" */
#define FILE_HEAD      8u
#define RECORD_HEAD    32u
#define RECORD_MAX     (64u << 20) /* AMD's reader takes no larger ones */
#define TRAILER        0xffffu
#define TRAILER_MAGIC  0x464f4548u /* "HEOF" */
#define TRAILER_LENGTH (RECORD_HEAD + 12)
#define EVENTS_MAX     (UINT64_C(64) << 30)
#define MANIFEST_MAX   (UINT64_C(16) << 20)
#define PROCESSES_MAX  65536u

static int __attribute__((format(printf, 2, 3))) fail(char **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*error = g_strdup_vprintf(format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- events.bin ---- */

static uint64_t number_at(const uint8_t *data, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, data, size);
	return GUINT64_FROM_LE(value);
}

static int by_sequence(const void *left, const void *right)
{
	const struct hrr_record *a = left, *b = right;

	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static struct hrr_record read_head(const uint8_t *data, uint64_t at, uint32_t number)
{
	const uint8_t *head = data + at;

	return (struct hrr_record){
		.type = (uint16_t)number_at(head, 2),
		.sequence = number_at(head + 2, 8),
		.ns = number_at(head + 10, 8),
		.thread = number_at(head + 18, 8),
		.length = (uint32_t)number_at(head + 26, 4),
		.at = at,
		.data = head + RECORD_HEAD,
		.number = number,
	};
}

static int check_trailer(struct hrr_events *events, const struct hrr_record *record, uint64_t left,
			 char **error)
{
	uint64_t count = events->records->len;

	if (record->length != TRAILER_LENGTH || number_at(record->data + 8, 4) != TRAILER_MAGIC) {
		return fail(error, "record %u at byte %" PRIu64 ": it is no valid end of a capture",
			    record->number, record->at);
	}
	if (left > TRAILER_LENGTH) {
		return fail(error,
			    "record %u at byte %" PRIu64 ": %" PRIu64 " bytes follow the end",
			    record->number, record->at, left - TRAILER_LENGTH);
	}
	if (number_at(record->data, 8) != count) {
		return fail(error,
			    "record %u at byte %" PRIu64 ": it says that there are %" PRIu64
			    " records, there are %" PRIu64,
			    record->number, record->at, number_at(record->data, 8), count);
	}
	events->ended = true;
	return 0;
}

static int read_records(struct hrr_events *events, const uint8_t *data, size_t size, char **error)
{
	uint64_t at = FILE_HEAD;

	while (size - at >= RECORD_HEAD && !events->ended) {
		struct hrr_record record = read_head(data, at, events->records->len + 1);
		uint32_t length = record.length; /* with its header */

		if (length < RECORD_HEAD || length > RECORD_MAX) {
			return fail(error,
				    "record %u at byte %" PRIu64
				    ": its size of %u bytes is not possible",
				    record.number, at, length);
		}
		if (length > size - at)
			break; /* cut off */
		if (record.type == TRAILER) {
			if (check_trailer(events, &record, size - at, error))
				return -EINVAL;
		} else if (record.ns > INT64_MAX / 2) {
			return fail(error,
				    "record %u at byte %" PRIu64 ": its time, %" PRIu64
				    " ns, is not possible",
				    record.number, at, record.ns);
		} else {
			record.length -= RECORD_HEAD;
			g_array_append_val(events->records, record);
		}
		at += length;
	}
	events->left = size - at;
	return 0;
}

int hrr_events_read(struct hrr_events *events, const uint8_t *data, size_t size, char **error)
{
	int result;

	*events = (struct hrr_events){ 0 };
	if (size < FILE_HEAD)
		return fail(error, "it has %zu bytes, fewer than its header", size);
	if (number_at(data, 4) != FILE_MAGIC)
		return fail(error, "it does not begin like a capture");
	events->version = (unsigned)number_at(data + 4, 2);
	if (events->version < HRR_FIRST_VERSION || events->version > HRR_LAST_VERSION) {
		return fail(error, "version %u of the format is not known, only %d to %d",
			    events->version, HRR_FIRST_VERSION, HRR_LAST_VERSION);
	}
	events->records = g_array_new(FALSE, FALSE, sizeof(struct hrr_record));
	result = read_records(events, data, size, error);
	if (result)
		hrr_events_clear(events);
	else if (events->records->len)
		qsort(events->records->data, events->records->len, sizeof(struct hrr_record),
		      by_sequence);
	return result;
}

void hrr_events_clear(struct hrr_events *events)
{
	g_clear_pointer(&events->records, g_array_unref);
}

/* ---- files ---- */

GMappedFile *hrr_file(int folder, const char *path, const char *name, uint64_t most, bool optional,
		      char **error)
{
	int file = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	GMappedFile *mapped = NULL;
	struct stat status;

	if (file < 0) {
		if (!(optional && errno == ENOENT))
			fail(error, "%s%s: %s", name, path, strerror(errno));
		return NULL;
	}
	if (fstat(file, &status))
		fail(error, "%s%s: %s", name, path, strerror(errno));
	else if (!S_ISREG(status.st_mode))
		fail(error, "%s%s is not a file", name, path);
	else if ((uint64_t)status.st_size > most)
		fail(error, "%s%s has more than %" PRIu64 " MiB", name, path, most >> 20);
	else if (!(mapped = g_mapped_file_new_from_fd(file, FALSE, NULL)))
		fail(error, "%s%s cannot be read", name, path);
	close(file);
	return mapped;
}

static int read_manifest(struct hrr_process *process, char **error)
{
	GMappedFile *file =
	    hrr_file(process->folder, "manifest.json", process->name, MANIFEST_MAX, true, error);
	struct json_tokener *tokener;
	size_t size;

	if (!file)
		return *error ? -EINVAL : 0;
	size = g_mapped_file_get_length(file);
	tokener = json_tokener_new();
	if (size)
		process->manifest =
		    json_tokener_parse_ex(tokener, g_mapped_file_get_contents(file), (int)size);
	json_tokener_free(tokener);
	g_mapped_file_unref(file);
	if (!json_object_is_type(process->manifest, json_type_object))
		return fail(error, "%smanifest.json is not a JSON object", process->name);
	return 0;
}

static void free_process(gpointer data)
{
	struct hrr_process *process = data;

	hrr_events_clear(&process->events);
	if (process->file)
		g_mapped_file_unref(process->file);
	json_object_put(process->manifest);
	close(process->folder);
	g_free(process->name);
	g_free(process);
}

/* Takes over the descriptor. */
static struct hrr_process *read_process(int folder, int32_t pid, const char *name, char **error)
{
	struct hrr_process *process = g_new0(struct hrr_process, 1);
	struct json_object *value = NULL;
	char *why = NULL;

	process->pid = pid;
	process->folder = folder;
	process->name = g_strdup(name);
	process->file = hrr_file(folder, "events.bin", name, EVENTS_MAX, false, error);
	if (!process->file || read_manifest(process, error))
		goto failed;
	if (hrr_events_read(&process->events,
			    (const uint8_t *)g_mapped_file_get_contents(process->file),
			    g_mapped_file_get_length(process->file), &why)) {
		fail(error, "%sevents.bin: %s", name, why);
		g_free(why);
		goto failed;
	}
	if (!pid && json_object_object_get_ex(process->manifest, "pid", &value))
		process->pid = MAX(json_object_get_int(value), 0);
	if (!process->pid)
		process->pid = 1;
	return process;
failed:
	free_process(process);
	return NULL;
}

/* Returns PID of the name "pid-PID"; 0 for another name. */
static int32_t pid_of_name(const char *name)
{
	char again[32];
	int pid = 0;

	if (sscanf(name, "pid-%9d", &pid) != 1 || pid < 1)
		return 0;
	snprintf(again, sizeof(again), "pid-%d", pid);
	return strcmp(again, name) ? 0 : pid;
}

static int by_pid(const void *left, const void *right)
{
	const struct hrr_process *const *a = left, *const *b = right;

	return ((*a)->pid > (*b)->pid) - ((*a)->pid < (*b)->pid);
}

static int add_process(GPtrArray *processes, int parent, const char *name, int32_t pid,
		       char **error)
{
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char *prefix = pid ? g_strdup_printf("%s/", name) : g_strdup("");
	struct hrr_process *process = NULL;

	if (folder < 0)
		fail(error, "%s: %s", name, strerror(errno));
	else if (processes->len == PROCESSES_MAX)
		fail(error, "there are more than %u processes", PROCESSES_MAX);
	else
		process = read_process(folder, pid, prefix, error);
	if (!process && folder >= 0 && processes->len == PROCESSES_MAX)
		close(folder);
	if (process)
		g_ptr_array_add(processes, process);
	g_free(prefix);
	return process ? 0 : -EINVAL;
}

GPtrArray *hrr_processes(const char *path, char **error)
{
	GPtrArray *processes = g_ptr_array_new_with_free_func(free_process);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;
	int result = 0;

	*error = NULL;
	if (!list) {
		result =
		    errno == ENOTDIR
			? fail(error,
			       "is a file; a capture is the directory of HIP_HRR_CAPTURE_OUTPUT")
			: fail(error, "%s", strerror(errno));
		if (folder >= 0)
			close(folder);
	}
	while (list && !result && (entry = readdir(list)) != NULL) {
		int32_t pid = pid_of_name(entry->d_name);

		if (pid)
			result = add_process(processes, folder, entry->d_name, pid, error);
	}
	/* A capture of one process, as written before processes had directories of their own. */
	if (list && !result && !processes->len &&
	    faccessat(folder, "events.bin", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		result = add_process(processes, folder, ".", 0, error);
	if (list && !result && !processes->len)
		result = fail(error, "it holds no events.bin, and no pid-* with one");
	if (list)
		closedir(list);
	if (result)
		g_clear_pointer(&processes, g_ptr_array_unref);
	else
		g_ptr_array_sort(processes, by_pid);
	return processes;
}
