// SPDX-License-Identifier: Apache-2.0
// Functions of libamd_comgr, in front of the real ones: compilations from the cache, one call at a
// time.
#include "comgr.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef amd_comgr_status_t action_function(amd_comgr_action_kind_t, amd_comgr_action_info_t,
					   amd_comgr_data_set_t, amd_comgr_data_set_t);
typedef amd_comgr_status_t directory_function(amd_comgr_action_info_t, const char *);

typedef __typeof__(amd_comgr_create_disassembly_info) create_function;
typedef __typeof__(amd_comgr_disassemble_instruction) disassemble_function;

static action_function *real_action;
static directory_function *real_directory;
static create_function *real_create;
static disassemble_function *real_disassemble;
/* Recursive: an action may disassemble. */
static pthread_mutex_t llvm = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool enabled, logging;
/* A compiler that runs elsewhere sees other files. No info object is queried: one crashes if unset.
 */
static bool directory_was_set;

static void set_up(void)
{
	const char *text = secure_getenv("SOFTGPU_CACHE"), *log = getenv("SOFTGPU_LOG");
	void *real = dlopen(SOFTGPU_REAL_COMGR, RTLD_NOW | RTLD_NOLOAD);

	if (real) {
		real_action = (action_function *)dlsym(real, "amd_comgr_do_action");
		real_create = (create_function *)dlsym(real, "amd_comgr_create_disassembly_info");
		real_disassemble =
		    (disassemble_function *)dlsym(real, "amd_comgr_disassemble_instruction");
		real_directory = (directory_function *)dlsym(
		    real, "amd_comgr_action_info_set_working_directory_path");
	}
	enabled = !text || strcmp(text, "0");
	logging = log && !strcmp(log, "1");
}

static void initialise(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, set_up);
}

void cache_log(const char *format, ...)
{
	va_list arguments;
	char *line = NULL;

	if (!logging)
		return;
	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) >= 0)
		fprintf(stderr, "softgpu: %s\n", line);
	va_end(arguments);
	free(line);
}

/* ---- buffers ---- */

void *buffer_extend(struct buffer *buffer, size_t size)
{
	void *room;

	if (buffer->failed)
		return NULL;
	if (buffer->capacity - buffer->size < size || !buffer->data) {
		size_t larger = 2 * buffer->capacity > buffer->size + size ? 2 * buffer->capacity
									   : buffer->size + size;
		unsigned char *moved = realloc(buffer->data, larger + 1);
		if (!moved) {
			buffer->failed = true;
			return NULL;
		}
		buffer->data = moved;
		buffer->capacity = larger;
	}
	room = buffer->data + buffer->size;
	buffer->size += size;
	return room;
}

void buffer_add(struct buffer *buffer, const void *data, size_t size)
{
	void *room = buffer_extend(buffer, size);

	if (room)
		memcpy(room, data, size);
}

void buffer_add_u64(struct buffer *buffer, uint64_t number)
{
	buffer_add(buffer, &number, sizeof number);
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add_u64(buffer, strlen(text));
	buffer_add(buffer, text, strlen(text));
}

void buffer_release(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

/* ---- results ---- */

struct item {
	uint64_t kind, name_size, size; /* name_size with the terminator; both follow */
};

/* Packs the results of an action as bytes. Returns false if they can't be kept. */
static bool pack(amd_comgr_data_set_t result, struct buffer *body)
{
	for (int kind = AMD_COMGR_DATA_KIND_SOURCE; kind <= AMD_COMGR_DATA_KIND_LAST; kind++) {
		size_t count = 0;

		if (amd_comgr_action_data_count(result, (amd_comgr_data_kind_t)kind, &count))
			continue;
		for (size_t i = 0; i < count; i++) {
			struct item item = { .kind = (uint64_t)kind };
			amd_comgr_data_t data;
			char *name = NULL, *bytes = NULL;
			if (amd_comgr_action_data_get_data(result, (amd_comgr_data_kind_t)kind, i,
							   &data))
				return false;
			if (!amd_comgr_get_data_name(data, &item.name_size, NULL) &&
			    !amd_comgr_get_data(data, &item.size, NULL)) {
				buffer_add(body, &item, sizeof item);
				/* Extended in one go: the second call may move the first's. */
				name = buffer_extend(body, item.name_size + item.size);
			}
			if (name) {
				bytes = name + item.name_size;
				if (amd_comgr_get_data_name(data, &item.name_size, name) ||
				    (item.size && amd_comgr_get_data(data, &item.size, bytes)))
					body->failed = true;
			}
			amd_comgr_release_data(data);
			if (!bytes || body->failed)
				return false;
		}
	}
	return !body->failed;
}

/* An empty log, which only the real library can make. Kept as long as the process lives. */
static struct {
	pthread_mutex_t lock;
	amd_comgr_data_t data;
	bool there;
} empty_log = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Keep the first empty log that is in `set`, if there is none yet. */
static void keep_empty_log(amd_comgr_data_set_t set)
{
	amd_comgr_data_t data;
	size_t count = 0, size = 1;

	pthread_mutex_lock(&empty_log.lock);
	if (amd_comgr_action_data_count(set, AMD_COMGR_DATA_KIND_LOG, &count))
		count = 0;
	for (size_t i = 0; i < count && !empty_log.there; i++) {
		if (amd_comgr_action_data_get_data(set, AMD_COMGR_DATA_KIND_LOG, i, &data))
			break;
		if (!amd_comgr_get_data(data, &size, NULL) && !size) {
			empty_log.data = data;
			empty_log.there = true;
		} else {
			amd_comgr_release_data(data);
		}
	}
	pthread_mutex_unlock(&empty_log.lock);
}

/* Give `result` the empty log of an earlier action, such as the adding of headers, which is never
 * cached. */
static bool add_empty_log(amd_comgr_data_set_t result)
{
	bool good;

	pthread_mutex_lock(&empty_log.lock);
	good = empty_log.there && !amd_comgr_data_set_add(result, empty_log.data);
	pthread_mutex_unlock(&empty_log.lock);
	return good;
}

static bool add_result(amd_comgr_data_set_t result, const struct item *item, const char *name)
{
	amd_comgr_data_t data;
	bool good;

	/* amd_comgr_set_data refuses 0 bytes. */
	if (!item->size)
		return item->kind == AMD_COMGR_DATA_KIND_LOG && add_empty_log(result);
	if (amd_comgr_create_data((amd_comgr_data_kind_t)item->kind, &data))
		return false;
	good = !amd_comgr_set_data(data, item->size, name + item->name_size) &&
	       !amd_comgr_set_data_name(data, name) && !amd_comgr_data_set_add(result, data);
	amd_comgr_release_data(data);
	return good;
}

/* Kind "undefined" should stand for all (amd_comgr.h), and is refused. */
static void remove_all(amd_comgr_data_set_t result)
{
	for (int kind = AMD_COMGR_DATA_KIND_SOURCE; kind <= AMD_COMGR_DATA_KIND_LAST; kind++)
		amd_comgr_data_set_remove(result, (amd_comgr_data_kind_t)kind);
}

/* Reads `body` into `result`. On failure returns false and leaves something in `result`, which the
 * real library removes first. */
static bool unpack(const struct buffer *body, amd_comgr_data_set_t result)
{
	const unsigned char *at = body->data, *end = at + body->size;

	remove_all(result);
	while (at < end) {
		struct item item;
		if ((size_t)(end - at) < sizeof item)
			return false;
		memcpy(&item, at, sizeof item);
		at += sizeof item;
		if (!item.name_size || item.name_size > (size_t)(end - at) ||
		    item.size > (size_t)(end - at) - item.name_size || at[item.name_size - 1] ||
		    !add_result(result, &item, (const char *)at))
			return false;
		at += item.name_size + item.size;
	}
	return true;
}

amd_comgr_status_t amd_comgr_do_action(amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
				       amd_comgr_data_set_t input, amd_comgr_data_set_t result)
{
	struct buffer key = { 0 }, body = { 0 };
	amd_comgr_status_t status;
	bool cacheable;

	initialise();
	if (!real_action)
		return AMD_COMGR_STATUS_ERROR;
	keep_empty_log(input);
	cacheable = enabled && !__atomic_load_n(&directory_was_set, __ATOMIC_RELAXED) &&
		    key_make(kind, info, input, &key);
	if (cacheable && store_get(&key, &body) && unpack(&body, result)) {
		cache_log("comgr: action %#x from the cache, %zu bytes", kind, body.size);
		status = AMD_COMGR_STATUS_SUCCESS;
	} else {
		pthread_mutex_lock(&llvm);
		status = real_action(kind, info, input, result);
		pthread_mutex_unlock(&llvm);
		if (!status)
			keep_empty_log(result);
		buffer_release(&body);
		if (cacheable && !status && pack(result, &body))
			store_put(&key, &body);
	}
	buffer_release(&key);
	buffer_release(&body);
	return status;
}

amd_comgr_status_t amd_comgr_action_info_set_working_directory_path(amd_comgr_action_info_t info,
								    const char *path)
{
	initialise();
	if (path && *path)
		__atomic_store_n(&directory_was_set, true, __ATOMIC_RELAXED);
	return real_directory ? real_directory(info, path) : AMD_COMGR_STATUS_ERROR;
}

amd_comgr_status_t amd_comgr_create_disassembly_info(
    const char *isa, uint64_t (*read)(uint64_t, char *, uint64_t, void *),
    void (*print)(const char *, void *), void (*annotate)(uint64_t, void *),
    amd_comgr_disassembly_info_t *info)
{
	amd_comgr_status_t status = AMD_COMGR_STATUS_ERROR;

	initialise();
	pthread_mutex_lock(&llvm);
	if (real_create)
		status = real_create(isa, read, print, annotate, info);
	pthread_mutex_unlock(&llvm);
	return status;
}

amd_comgr_status_t amd_comgr_disassemble_instruction(amd_comgr_disassembly_info_t info,
						     uint64_t address, void *data, uint64_t *size)
{
	amd_comgr_status_t status = AMD_COMGR_STATUS_ERROR;

	initialise();
	pthread_mutex_lock(&llvm);
	if (real_disassemble)
		status = real_disassemble(info, address, data, size);
	pthread_mutex_unlock(&llvm);
	return status;
}
