/* SPDX-License-Identifier: Apache-2.0 */
/* Moves code objects from a capture into a bundle. */
#include "hrr_code.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/containers/containers.h"
#include "codeobj/codeobj.h"
#include "tracer/events/ev_code_object.h"
#include "tracer/events/ev_kernel.h"

#define OBJECT_MAX (UINT64_C(2) << 30) /* relocations of code reach 2 GiB */

struct object {
	uint32_t id;
	char target[64];
	struct codeobj_metadata *metadata; /* NULL: not known */
	GHashTable *kernels;               /* by name: struct hrr_kernel */
};

struct hrr_code {
	int from, to;        /* directories; from: -1 if there is none */
	GHashTable *objects; /* by hash, in hex */
	uint32_t object_count, kernel_count;
	void (*event)(const struct hg_event *event, void *user);
	void *user;
};

static void free_object(gpointer data)
{
	struct object *object = data;

	codeobj_metadata_free(object->metadata);
	g_hash_table_destroy(object->kernels);
	g_free(object);
}

struct hrr_code *hrr_code_new(const struct hrr_process *process, int folder,
			      void (*event)(const struct hg_event *event, void *user), void *user)
{
	struct hrr_code *code = g_new0(struct hrr_code, 1);

	code->from = openat(process->folder, "code_objects",
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	code->to = folder;
	code->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_object);
	code->event = event;
	code->user = user;
	return code;
}

void hrr_code_free(struct hrr_code *code)
{
	if (code->from >= 0)
		close(code->from);
	g_hash_table_destroy(code->objects);
	g_free(code);
}

/* NULL, or why it could not be written. */
static char *store(int folder, const char *name, const char *data, size_t size)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char *why = NULL;

	if (file < 0)
		return errno == EEXIST ? NULL : g_strdup(strerror(errno));
	while (size && !why) {
		ssize_t written = write(file, data, size);

		if (written < 0 && errno != EINTR)
			why = g_strdup(strerror(errno));
		data += MAX(written, 0);
		size -= (size_t)MAX(written, 0);
	}
	if (close(file) && !why)
		why = g_strdup(strerror(errno));
	return why;
}

/* Fill in what can be known of it. NULL, or why it is not in the bundle. */
static char *read_object(struct hrr_code *code, struct object *object, const char *path,
			 struct hg_ev_code_object *event, char sha256[CODEOBJ_SHA256_SIZE])
{
	struct codeobj_error error = { "" };
	struct codeobj_target target;
	GMappedFile *file;
	char *why = NULL;
	const char *data;
	size_t size;

	if (code->from < 0)
		return g_strdup("the capture has no code objects");
	file = hrr_file(code->from, path, "code_objects/", OBJECT_MAX, false, &why);
	if (!file)
		return why;
	data = g_mapped_file_get_contents(file);
	size = g_mapped_file_get_length(file);
	if (codeobj_elf_check(data, size, &error)) {
		why = g_strdup_printf("code_objects/%s is no code object: %s", path, error.text);
	} else if (containers_sha256(data, size, sha256)) {
		why = g_strdup("its SHA-256 could not be computed");
	} else {
		if (codeobj_elf_target(data, size, &target, NULL) == 0)
			codeobj_target_format(&target, object->target);
		if (codeobj_metadata_read(data, size, &object->metadata, NULL))
			object->metadata = NULL;
		why = store(code->to, sha256, data, size);
	}
	if (!why) {
		event->sha256 = sha256;
		event->size = size;
	}
	g_mapped_file_unref(file);
	return why;
}

static struct object *find_object(struct hrr_code *code, const uint64_t hash[2])
{
	char *name = g_strdup_printf("%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
	struct object *object = g_hash_table_lookup(code->objects, name);
	struct hg_ev_code_object fields = { .sha256 = "", .path = "" };
	const struct hg_event event = { .type = HG_EVENT_code_object, .code_object = &fields };
	char sha256[CODEOBJ_SHA256_SIZE], *path, *why;

	if (object) {
		g_free(name);
		return object;
	}
	object = g_new0(struct object, 1);
	object->id = ++code->object_count;
	object->kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	path = g_strdup_printf("%s.hsaco", name);
	fields.code_object_id = object->id;
	fields.target = object->target;
	why = hash[0] || hash[1] ? read_object(code, object, path, &fields, sha256)
				 : g_strdup("the capture does not say which it is");
	fields.problem = why ? why : "";
	code->event(&event, code->user);
	g_hash_table_insert(code->objects, name, object);
	g_free(path);
	g_free(why);
	return object;
}

const char *hrr_code_target(struct hrr_code *code, const uint64_t hash[2])
{
	return find_object(code, hash)->target;
}

const struct hrr_kernel *hrr_code_kernel(struct hrr_code *code, const struct hrr_launch *launch)
{
	struct object *object = find_object(code, launch->code_object);
	struct hrr_kernel *kernel = g_hash_table_lookup(object->kernels, launch->name);
	struct hg_event event = { .type = HG_EVENT_kernel };

	if (kernel)
		return kernel;
	kernel = g_new0(struct hrr_kernel, 1);
	kernel->id = ++code->kernel_count;
	if (object->metadata)
		kernel->layout = codeobj_metadata_kernel(object->metadata, launch->name);
	event.kernel = &(struct hg_ev_kernel){
		.kernel_id = kernel->id,
		.code_object_id = object->id,
		.symbol = launch->name,
		.kernarg_size = kernel->layout ? kernel->layout->explicit_size : 0,
	};
	code->event(&event, code->user);
	g_hash_table_insert(object->kernels, g_strdup(launch->name), kernel);
	return kernel;
}
