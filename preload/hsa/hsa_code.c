/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code below HIP: images as they are loaded, captured at once, because the memory that they come
 * from may be freed when a kernel of theirs is launched; and kernels by the address that packets
 * name, known when the executable is complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/pool.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_registry.h"
#include "preload/hsa/hsa_half.h"
#include "preload/hsa/hsa_wrap.h"
#include "preload/ompt/ompt.h"
#include "preload/trace/enter.h"
#include "codeobj/codeobj.h"
#include "tracer/events.h"
#include "tracer/events/ev_kernel.h"
#include "tracer/provider.h"

#define BUCKETS 1024u

enum {
	SYMBOL_TYPE = 0,
	SYMBOL_NAME_LENGTH = 1,
	SYMBOL_NAME = 2,
	SYMBOL_KERNEL_OBJECT = 22,
	SYMBOL_KIND_KERNEL = 1,
};

/* This says where a reader or a deserialized code object has its bytes. */
struct image {
	struct image *next;
	uint64_t handle;
	const uint8_t *bytes;
	size_t size;
};

/*
 * This is a code object that was loaded into an executable. HIP keeps the bytes for as long as the
 * executable lives, and its own launches know their code: here it is captured when a kernel is
 * launched that HIP's functions did not announce. Code that others load is captured at once.
 */
struct loaded {
	struct loaded *next;
	uint64_t executable;
	struct hg_hip_code code;
	const uint8_t *bytes; /* still to be captured; NULL: done */
	size_t size;
	uint64_t hash; /* of the bytes, so that others in their place are noticed */
	int ordinal;   /* of the GPU */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;
static struct loaded *objects;
static struct hsa_kernel *kernels[BUCKETS];

/* ---- images ---- */

static void add_image(uint64_t handle, const void *bytes, size_t size)
{
	struct image *image;

	pthread_mutex_lock(&lock);
	for (image = images; image && image->handle != handle; image = image->next)
		;
	if (!image && (image = hg_pool_calloc(1, sizeof(*image)))) {
		image->next = images;
		images = image;
		image->handle = handle;
	}
	if (image) {
		image->bytes = bytes;
		image->size = size;
	}
	pthread_mutex_unlock(&lock);
}

static void capture_bytes(struct loaded *loaded)
{
	if (loaded->hash && (hg_readable_extent(loaded->bytes) < loaded->size ||
			     hg_ompt_hash(loaded->bytes, loaded->size) != loaded->hash))
		strcpy(loaded->code.problem, "no longer in memory when a kernel was launched");
	else
		hg_hip_capture(loaded->bytes, loaded->size, hg_hsa_device(loaded->ordinal),
			       &loaded->code);
	loaded->bytes = NULL;
}

/* The bytes of a handle are to be found while the runtime loads it. */
static void note_loaded(uint64_t executable, uint64_t agent, uint64_t handle)
{
	struct loaded *loaded = hg_pool_calloc(1, sizeof(*loaded));
	struct image *image;

	if (!loaded)
		return;
	loaded->executable = executable;
	loaded->ordinal = hg_hsa_ordinal(agent);
	pthread_mutex_lock(&lock);
	for (image = images; image && image->handle != handle; image = image->next)
		;
	if (image && image->bytes) {
		loaded->bytes = image->bytes;
		loaded->size = image->size;
		if (hg_tls.hip)
			loaded->hash = hg_ompt_hash(loaded->bytes, loaded->size);
		else
			capture_bytes(loaded);
	} else {
		strcpy(loaded->code.problem, "loaded in a way that was not recorded");
	}
	loaded->next = objects;
	objects = loaded;
	pthread_mutex_unlock(&lock);
}

static int reader_from_memory(const void *bytes, size_t size, struct hsa_handle *reader)
{
	int rc = HSA_REAL(hsa_code_object_reader_create_from_memory, int, const void *, size_t,
			  struct hsa_handle *)(bytes, size, reader);

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		add_image(reader->handle, bytes, size);
		hg_leave();
	}
	return rc;
}

/* The file stays mapped for as long as the process lives: few programs load from files, and few
 * files. */
static int reader_from_file(int fd, struct hsa_handle *reader)
{
	int rc = HSA_REAL(hsa_code_object_reader_create_from_file, int, int,
			  struct hsa_handle *)(fd, reader);
	int saved = errno;
	struct stat status;

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		if (!fstat(fd, &status) && status.st_size > 0) {
			void *bytes = hg_libc.mmap(NULL, (size_t)status.st_size, PROT_READ,
						   MAP_PRIVATE, fd, 0);

			if (bytes != MAP_FAILED)
				add_image(reader->handle, bytes, (size_t)status.st_size);
		}
		hg_leave();
	}
	errno = saved;
	return rc;
}

/* LLVM's OpenMP uses this and hsa_executable_load_code_object(), which are deprecated. */
static int deserialize(void *bytes, size_t size, const char *options, struct hsa_handle *object)
{
	int rc = HSA_REAL(hsa_code_object_deserialize, int, void *, size_t, const char *,
			  struct hsa_handle *)(bytes, size, options, object);

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		add_image(object->handle, bytes, size);
		hg_leave();
	}
	return rc;
}

static int load_code(struct hsa_handle executable, struct hsa_handle agent,
		     struct hsa_handle object, const char *options)
{
	int rc =
	    HSA_REAL(hsa_executable_load_code_object, int, struct hsa_handle, struct hsa_handle,
		     struct hsa_handle, const char *)(executable, agent, object, options);
	int saved = errno;

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		note_loaded(executable.handle, agent.handle, object.handle);
		hg_leave();
	}
	errno = saved;
	return rc;
}

static int load_agent_code(struct hsa_handle executable, struct hsa_handle agent,
			   struct hsa_handle reader, const char *options, struct hsa_handle *result)
{
	int rc = HSA_REAL(hsa_executable_load_agent_code_object, int, struct hsa_handle,
			  struct hsa_handle, struct hsa_handle, const char *,
			  struct hsa_handle *)(executable, agent, reader, options, result);
	int saved = errno;

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		note_loaded(executable.handle, agent.handle, reader.handle);
		hg_leave();
	}
	errno = saved;
	return rc;
}

/* ---- kernels ---- */

static struct hsa_kernel **bucket_of(uint64_t object)
{
	return &kernels[(object >> 6) % BUCKETS];
}

struct hsa_kernel *hg_hsa_kernel(uint64_t object)
{
	struct hsa_kernel *kernel;

	pthread_mutex_lock(&lock);
	for (kernel = *bucket_of(object); kernel && kernel->object != object; kernel = kernel->next)
		;
	pthread_mutex_unlock(&lock);
	return kernel;
}

/* Returns the code object of an executable that has the kernel, another of it if none has, or NULL
 * if there is none. The caller holds the lock. */
static struct hg_hip_code *code_of(uint64_t executable, const char *name,
				   const struct codeobj_kernel **layout)
{
	struct hg_hip_code *code = NULL;

	for (struct loaded *loaded = objects; loaded; loaded = loaded->next) {
		if (loaded->executable != executable)
			continue;
		if (loaded->bytes)
			capture_bytes(loaded);
		*layout = loaded->code.metadata
			      ? codeobj_metadata_kernel(loaded->code.metadata, name)
			      : NULL;
		if (*layout)
			return &loaded->code;
		code = code ? code : &loaded->code;
	}
	return code;
}

static int note_symbol(struct hsa_handle executable, struct hsa_handle symbol, void *data)
{
	int (*info)(struct hsa_handle, int, void *) =
	    (int (*)(struct hsa_handle, int, void *))hg_hsa.hsa_executable_symbol_get_info;
	uint32_t kind = 0, length = 0;
	struct hsa_kernel *kernel;

	(void)data;
	if (info(symbol, SYMBOL_TYPE, &kind) || kind != SYMBOL_KIND_KERNEL ||
	    info(symbol, SYMBOL_NAME_LENGTH, &length) || !length)
		return 0;
	kernel = hg_pool_calloc(1, sizeof(*kernel));
	if (!kernel || !(kernel->name = hg_pool_calloc(1, length + 1)) ||
	    info(symbol, SYMBOL_NAME, kernel->name) ||
	    info(symbol, SYMBOL_KERNEL_OBJECT, &kernel->object)) {
		hg_pool_free(kernel ? kernel->name : NULL);
		hg_pool_free(kernel);
		return 0;
	}
	/* "NAME.kd": the descriptor's name. */
	if (length > 3 && !strcmp(kernel->name + length - 3, ".kd"))
		kernel->name[length - 3] = 0;
	pthread_mutex_lock(&lock);
	kernel->executable = executable.handle;
	kernel->next = *bucket_of(kernel->object);
	*bucket_of(kernel->object) = kernel;
	pthread_mutex_unlock(&lock);
	return 0;
}

static int executable_freeze(struct hsa_handle executable, const char *options)
{
	int rc = HSA_REAL(hsa_executable_freeze, int, struct hsa_handle, const char *)(executable,
										       options);
	int saved = errno;

	if (!rc && hg_hsa_enter(0, HG_CALLER(), HSA_BELOW_HIP | HSA_LASTING)) {
		HSA_REAL(hsa_executable_iterate_symbols, int, struct hsa_handle,
			 int (*)(struct hsa_handle, struct hsa_handle, void *), void *)
		(executable, note_symbol, NULL);
		hg_leave();
	}
	errno = saved;
	return rc;
}

/* Another executable's kernels may come to lie where these were; what was recorded stays. */
static int executable_destroy(struct hsa_handle executable)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < BUCKETS; i++) {
		for (struct hsa_kernel *kernel = kernels[i]; kernel; kernel = kernel->next)
			if (kernel->executable == executable.handle)
				kernel->object = kernel->executable = 0;
	}
	for (struct loaded *loaded = objects; loaded; loaded = loaded->next) {
		if (loaded->executable == executable.handle) {
			loaded->executable = 0;
			loaded->bytes = NULL;
		}
	}
	pthread_mutex_unlock(&lock);
	return HSA_REAL(hsa_executable_destroy, int, struct hsa_handle)(executable);
}

void hg_hsa_kernel_define(struct hsa_kernel *kernel)
{
	struct hg_hip_kernel_variant *variant = &kernel->variant;

	pthread_mutex_lock(&lock);
	if (!variant->code && kernel->executable)
		variant->code = code_of(kernel->executable, kernel->name, &variant->layout);
	if (variant->code && hg_hip_kernel_is_new(variant, kernel->name)) {
		struct hg_ev_kernel event = { .handle = kernel->object, .symbol = kernel->name };

		hg_hip_code_define(variant->code, "");
		event.code_object_id = variant->code->id;
		event.kernarg_size = variant->layout ? variant->layout->explicit_size : 0;
		event.kernel_id = variant->id;
		hg_provider->kernel(&event);
	}
	pthread_mutex_unlock(&lock);
}

HSA_WRAP(hsa_code_object_reader_create_from_memory, reader_from_memory,
	 (const void *bytes, size_t size, struct hsa_handle *reader), (bytes, size, reader))
HSA_WRAP(hsa_code_object_reader_create_from_file, reader_from_file,
	 (int fd, struct hsa_handle *reader), (fd, reader))
HSA_WRAP(hsa_code_object_deserialize, deserialize,
	 (void *bytes, size_t size, const char *options, struct hsa_handle *object),
	 (bytes, size, options, object))
HSA_WRAP(hsa_executable_load_code_object, load_code,
	 (struct hsa_handle executable, struct hsa_handle agent, struct hsa_handle object,
	  const char *options),
	 (executable, agent, object, options))
HSA_WRAP(hsa_executable_load_agent_code_object, load_agent_code,
	 (struct hsa_handle executable, struct hsa_handle agent, struct hsa_handle reader,
	  const char *options, struct hsa_handle *result),
	 (executable, agent, reader, options, result))
HSA_WRAP(hsa_executable_freeze, executable_freeze,
	 (struct hsa_handle executable, const char *options), (executable, options))
HSA_WRAP(hsa_executable_destroy, executable_destroy, (struct hsa_handle executable), (executable))

const struct hsa_wrapper hg_hsa_code_wrappers[] = {
	{ "hsa_code_object_reader_create_from_memory", (void *)reader_from_memory },
	{ "hsa_code_object_reader_create_from_file", (void *)reader_from_file },
	{ "hsa_code_object_deserialize", (void *)deserialize },
	{ "hsa_executable_load_code_object", (void *)load_code },
	{ "hsa_executable_load_agent_code_object", (void *)load_agent_code },
	{ "hsa_executable_freeze", (void *)executable_freeze },
	{ "hsa_executable_destroy", (void *)executable_destroy },
	{ NULL, NULL },
};
