/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed bundles ("CCOB"; docs/code-objects.md#compressed-bundles): the one code object that a
 * device runs is taken out, as the runtime does. A bundle may hold gigabytes; no more is kept in
 * memory than that code object, a step of output, and the decoder's window.
 *
 * zlib and zstd are opened when the first such bundle comes by, for ourselves alone, so that other
 * processes do without them. Opening takes the dynamic linker's lock, which a thread may hold that
 * registers fat binaries and then wants ours: hg_hip_unpack_prepare() is called before ours.
 */
#include "preload/hip/hip_unpack.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "preload/core/base.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/hip/hip_runtime.h"
#include "codeobj/codeobj.h"

#define STEP  ((size_t)1 << 20) /* of output; the bundle's table must lie in the first one */
#define LIMIT ((uint64_t)8 << 30)
#define RATIO 2048u /* no more output for each byte of input: what is claimed is not trusted */

struct stream {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
	bool end;
	z_stream zlib;
	ZSTD_DStream *zstd;
};

static struct {
	__typeof__(inflateInit_) *init;
	__typeof__(inflate) *step;
	__typeof__(inflateEnd) *end;
} zlib;

static struct {
	__typeof__(ZSTD_createDStream) *init;
	__typeof__(ZSTD_decompressStream) *step;
	__typeof__(ZSTD_freeDStream) *end;
	__typeof__(ZSTD_isError) *failed;
} zstd;

static int zlib_begin(struct stream *stream)
{
	return zlib.init(&stream->zlib, ZLIB_VERSION, (int)sizeof(stream->zlib)) == Z_OK ? 0
											 : -ENOMEM;
}

static int zlib_step(struct stream *stream)
{
	size_t in = stream->in_left < STEP ? stream->in_left : STEP;
	int code;

	stream->zlib.next_in = (Bytef *)(uintptr_t)stream->in;
	stream->zlib.avail_in = (uInt)in;
	stream->zlib.next_out = stream->out;
	stream->zlib.avail_out = (uInt)stream->out_left;
	code = zlib.step(&stream->zlib, Z_NO_FLUSH);
	stream->in += in - stream->zlib.avail_in;
	stream->in_left -= in - stream->zlib.avail_in;
	stream->out += stream->out_left - stream->zlib.avail_out;
	stream->out_left = stream->zlib.avail_out;
	stream->end = code == Z_STREAM_END;
	return code == Z_OK || code == Z_STREAM_END ? 0 : code == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
}

static void zlib_finish(struct stream *stream)
{
	zlib.end(&stream->zlib);
}

static int zstd_begin(struct stream *stream)
{
	stream->zstd = zstd.init();
	return stream->zstd ? 0 : -ENOMEM;
}

static int zstd_step(struct stream *stream)
{
	ZSTD_inBuffer in = { stream->in, stream->in_left, 0 };
	ZSTD_outBuffer out = { stream->out, stream->out_left, 0 };
	size_t rest = zstd.step(stream->zstd, &out, &in);

	stream->in += in.pos;
	stream->in_left -= in.pos;
	stream->out += out.pos;
	stream->out_left -= out.pos;
	stream->end = !rest;
	return zstd.failed(rest) || (rest && !in.pos && !out.pos) ? -EINVAL : 0;
}

static void zstd_finish(struct stream *stream)
{
	zstd.end(stream->zstd);
}

/* By the method's number in the header. */
static struct method {
	const char *library;
	int (*begin)(struct stream *stream);
	int (*step)(struct stream *stream); /* 0: went on; -EINVAL: damaged or cut off; -ENOMEM */
	void (*finish)(struct stream *stream);
	struct {
		const char *name;
		void *to;
	} function[5];
	int state; /* atomic; 0 not opened yet, 1 usable, -1 not to be had */
} methods[] = {
	{ "libz.so.1",
	  zlib_begin,
	  zlib_step,
	  zlib_finish,
	  { { "inflateInit_", &zlib.init },
	    { "inflate", &zlib.step },
	    { "inflateEnd", &zlib.end } },
	  0 },
	{ "libzstd.so.1",
	  zstd_begin,
	  zstd_step,
	  zstd_finish,
	  { { "ZSTD_createDStream", &zstd.init },
	    { "ZSTD_decompressStream", &zstd.step },
	    { "ZSTD_freeDStream", &zstd.end },
	    { "ZSTD_isError", &zstd.failed } },
	  0 },
};

/* Eight bytes that may not be readable; the kernel is queried instead of trying. */
static bool peek(const void *image, uint8_t head[8])
{
	struct iovec to = { head, 8 }, from = { (void *)(uintptr_t)image, 8 };

	if (!image)
		return false;
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 8)
		return true;
	if ((errno != EPERM && errno != ENOSYS) || hg_readable_extent(image) < 8)
		return false;
	memcpy(head, image, 8);
	return true;
}

void hg_hip_unpack_prepare(const void *image)
{
	uint8_t head[8];
	int saved = errno;
	struct method *method;
	void *library;
	bool usable;

	if (!peek(image, head) || memcmp(head, "CCOB", 4) || head[6] >= HG_COUNT(methods) ||
	    head[7])
		goto out;
	method = &methods[head[6]];
	if (__atomic_load_n(&method->state, __ATOMIC_ACQUIRE))
		goto out;
	library = dlopen(method->library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	usable = library;
	for (size_t i = 0; usable && method->function[i].name; i++) {
		void *function = hg_libc.dlsym(library, method->function[i].name);

		usable = function;
		__atomic_store_n((void **)method->function[i].to, function, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&method->state, usable ? 1 : -1, __ATOMIC_RELEASE);
out:
	errno = saved;
}

/* This is an unpacking in progress: `claimed` bytes of address space, of which `made` are there. */
struct unpacking {
	struct stream stream;
	uint8_t *base;
	size_t claimed, made;
	const struct hg_hip_device *device;
	struct codeobj_entry entry;
	bool chosen;
};

__attribute__((format(printf, 3, 4))) static int fail(char *problem, int status, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(problem, HG_HIP_PROBLEM, format, args);
	va_end(args);
	return status;
}

/* Once the whole table of entries is there: which one. */
static int choose(struct unpacking *work, char *problem)
{
	struct codeobj_error error = { "" };
	struct codeobj_bundle bundle;
	struct codeobj_entry entry;
	int rc = codeobj_bundle_open(&bundle, work->base, work->claimed, &error);

	if (!rc)
		while (bundle.position <= work->made &&
		       (rc = codeobj_bundle_next(&bundle, &entry, &error)) > 0)
			;
	if (rc >= 0 && bundle.position > work->made)
		return fail(problem, -EINVAL, "compressed bundle: its table of entries is absurd");
	if (!rc)
		rc = codeobj_bundle_select(work->base, work->claimed, &work->device->target,
					   &work->entry, &error);
	work->chosen = !rc;
	return rc < 0 ? fail(problem, rc, "compressed bundle: %s", error.text) : 0;
}

static int run(struct unpacking *work, const struct method *method, char *problem)
{
	for (;;) {
		size_t left = work->claimed - work->made, room = left < STEP ? left : STEP;
		uint8_t *from = work->base + work->made;
		int rc;

		work->stream.out = from;
		work->stream.out_left = room;
		while (work->stream.out_left && !work->stream.end) {
			rc = method->step(&work->stream);
			if (rc)
				return fail(problem, rc, "compressed bundle %s",
					    rc == -ENOMEM ? "cannot be unpacked: out of memory"
							  : "is damaged or cut off");
		}
		work->made += room - work->stream.out_left;
		if (!work->chosen && choose(work, problem))
			return -EINVAL;
		if (work->made >= work->entry.offset + work->entry.size)
			break;
		if (work->stream.end)
			return fail(problem, -EINVAL,
				    "compressed bundle is shorter than its table says");
		if (!room)
			return fail(problem, -EINVAL,
				    "compressed bundle expands to more than it claims");
		if (work->made < work->entry.offset)
			hg_libc.madvise(from, room, MADV_DONTNEED);
	}
	return 0;
}

/* Give back what lies around the entry. */
static void trim(const struct unpacking *work, void **mapping, size_t *length)
{
	uintptr_t page = (uintptr_t)getpagesize(), base = (uintptr_t)work->base,
		  end = base + work->claimed;
	uintptr_t first = (uintptr_t)work->entry.data & -page,
		  last = ((uintptr_t)work->entry.data + work->entry.size + page - 1) & -page;

	end = (end + page - 1) & -page;
	if (first > base)
		hg_libc.munmap(work->base, first - base);
	if (last < end)
		hg_libc.munmap((void *)last, end - last);
	*mapping = (void *)first;
	*length = last - first;
}

int hg_hip_unpack(const uint8_t *image, size_t limit, const struct hg_hip_device *device,
		  struct hg_hip_unpacked *result, char *problem)
{
	struct codeobj_error error = { "" };
	struct codeobj_compressed header;
	struct unpacking work = { .device = device };
	const struct method *method;
	size_t payload;
	int rc = codeobj_compressed_header(image, limit, &header, &error);

	if (rc)
		return fail(problem, rc, "%s", error.text);
	payload =
	    (header.total_size ? (size_t)header.total_size : limit) - (size_t)header.header_size;
	if (!header.uncompressed_size || header.uncompressed_size > LIMIT ||
	    header.uncompressed_size / RATIO > payload)
		return fail(problem, -E2BIG, "compressed bundle claims an absurd size");
	method = &methods[header.method];
	if (__atomic_load_n(&method->state, __ATOMIC_ACQUIRE) != 1)
		return fail(problem, -ENOTSUP, "compressed bundle: %s is not installed",
			    method->library);
	work.claimed = (size_t)header.uncompressed_size;
	work.stream.in = image + header.header_size;
	work.stream.in_left = payload;
	work.base = hg_libc.mmap(NULL, work.claimed, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (work.base == MAP_FAILED)
		return fail(problem, -ENOMEM,
			    "compressed bundle cannot be unpacked: out of memory");
	rc = method->begin(&work.stream);
	if (rc)
		fail(problem, rc, "compressed bundle cannot be unpacked: out of memory");
	else
		rc = run(&work, method, problem);
	if (work.stream.zlib.state || work.stream.zstd)
		method->finish(&work.stream);
	if (rc) {
		hg_libc.munmap(work.base, work.claimed);
		return rc;
	}
	trim(&work, &result->mapping, &result->length);
	result->data = work.entry.data;
	result->size = work.entry.size;
	snprintf(result->target, sizeof(result->target), "%s", work.entry.target);
	return 0;
}
