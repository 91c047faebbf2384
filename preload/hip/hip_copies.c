/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers of copies and fills. Layouts as in driver_types.h (5.2, and 6.0 where that changed
 * them).
 */
#include "preload/core/base.h"
#include "preload/hip/hip_record.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_types.h"
#include "preload/hip/hip_wrap.h"
#include "tracer/api/hip_copies.h"
#include "tracer/events.h"
#include "tracer/events/ev_copy.h"

#define H2D     1
#define D2H     2
#define D2D     3
#define DEFAULT 4

/* hipMemcpy3DParms */
struct copy_3d {
	void *src_array;
	struct position src_position;
	struct pitched src;
	void *dst_array;
	struct position dst_position;
	struct pitched dst;
	struct extent extent;
	int kind;
};

/* hip_Memcpy2D */
struct copy_2d {
	size_t src_x, src_y;
	int src_type;
	const void *src_host;
	void *src_device;
	void *src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	int dst_type;
	void *dst_host;
	void *dst_device;
	void *dst_array;
	size_t dst_pitch;
	size_t width, height;
};

/* HIP_MEMCPY3D before and since 6.0, which widened its numbers. */
#define DRIVER_COPY(name, number)                    \
	struct name {                                \
		number src_x, src_y, src_z, src_lod; \
		int src_type;                        \
		const void *src_host;                \
		void *src_device;                    \
		void *src_array;                     \
		number src_pitch, src_height;        \
		number dst_x, dst_y, dst_z, dst_lod; \
		int dst_type;                        \
		void *dst_host;                      \
		void *dst_device;                    \
		void *dst_array;                     \
		number dst_pitch, dst_height;        \
		number width, height, depth;         \
	}
DRIVER_COPY(driver_copy_5, unsigned);
DRIVER_COPY(driver_copy_6, size_t);

/* Returns the address of one side of a copy by its hipMemoryType, whose values changed in HIP 6.0;
 * 0 for arrays. */
static uint64_t side(int type, const void *host, const void *device)
{
	if (hg_hip_version() >= 60000000)
		return type == 10 ? 0 : type >= 2 ? HG_PTR(device) : HG_PTR(host);
	return type == 2 ? 0 : type ? HG_PTR(device) : HG_PTR(host);
}

/* 0, an array's address, stays 0. */
static uint64_t moved(uint64_t base, size_t offset)
{
	return base ? base + offset : 0;
}

static struct hg_ev_copy from_3d(const struct copy_3d *from, uint16_t api, void *stream)
{
	bool array = from->src_array || from->dst_array;
	size_t src_slice = from->src.pitch * from->src.ysize;
	size_t dst_slice = from->dst.pitch * from->dst.ysize;
	struct hg_ev_copy event = {
		.api = api,
		.size = array ? 0 : from->extent.width,
		.rows = from->extent.height,
		.depth = from->extent.depth,
		.kind = from->kind,
		.stream = HG_PTR(stream),
	};

	if (!from->dst_array) {
		event.dst =
		    moved(HG_PTR(from->dst.ptr), from->dst_position.z * dst_slice +
						     from->dst_position.y * from->dst.pitch +
						     from->dst_position.x);
		event.dst_pitch = from->dst.pitch;
		event.dst_slice = dst_slice;
	}
	if (!from->src_array) {
		event.src =
		    moved(HG_PTR(from->src.ptr), from->src_position.z * src_slice +
						     from->src_position.y * from->src.pitch +
						     from->src_position.x);
		event.src_pitch = from->src.pitch;
		event.src_slice = src_slice;
	}
	return event;
}

static struct hg_ev_copy from_2d(const struct copy_2d *from, uint16_t api, void *stream)
{
	struct hg_ev_copy event = {
		.api = api,
		.size = from->width,
		.rows = from->height,
		.dst_pitch = from->dst_pitch,
		.src_pitch = from->src_pitch,
		.kind = DEFAULT,
		.stream = HG_PTR(stream),
	};

	event.dst = moved(side(from->dst_type, from->dst_host, from->dst_device),
			  from->dst_y * from->dst_pitch + from->dst_x);
	event.src = moved(side(from->src_type, from->src_host, from->src_device),
			  from->src_y * from->src_pitch + from->src_x);
	return event;
}

static struct hg_ev_copy from_driver(const void *descriptor, uint16_t api, void *stream)
{
	const struct driver_copy_5 *old = descriptor;
	struct driver_copy_6 from;
	struct hg_ev_copy event = { .api = api, .kind = DEFAULT, .stream = HG_PTR(stream) };

	if (hg_hip_version() >= 60000000)
		from = *(const struct driver_copy_6 *)descriptor;
	else
		from = (struct driver_copy_6){
			.src_x = old->src_x,
			.src_y = old->src_y,
			.src_z = old->src_z,
			.src_type = old->src_type,
			.src_host = old->src_host,
			.src_device = old->src_device,
			.src_pitch = old->src_pitch,
			.src_height = old->src_height,
			.dst_x = old->dst_x,
			.dst_y = old->dst_y,
			.dst_z = old->dst_z,
			.dst_type = old->dst_type,
			.dst_host = old->dst_host,
			.dst_device = old->dst_device,
			.dst_pitch = old->dst_pitch,
			.dst_height = old->dst_height,
			.width = old->width,
			.height = old->height,
			.depth = old->depth,
		};
	event.size = from.width;
	event.rows = from.height;
	event.depth = from.depth;
	event.dst_pitch = from.dst_pitch;
	event.src_pitch = from.src_pitch;
	event.dst_slice = from.dst_pitch * from.dst_height;
	event.src_slice = from.src_pitch * from.src_height;
	event.dst = moved(side(from.dst_type, from.dst_host, from.dst_device),
			  from.dst_z * event.dst_slice + from.dst_y * from.dst_pitch + from.dst_x);
	event.src = moved(side(from.src_type, from.src_host, from.src_device),
			  from.src_z * event.src_slice + from.src_y * from.src_pitch + from.src_x);
	return event;
}

/* hipMemcpy3DPeerParms */
struct copy_peer {
	void *src_array;
	struct position src_position;
	struct pitched src;
	int src_device;
	void *dst_array;
	struct position dst_position;
	struct pitched dst;
	int dst_device;
	struct extent extent;
};

static struct hg_ev_copy from_peer(const struct copy_peer *from, uint16_t api, void *stream)
{
	struct copy_3d same = {
		.src_array = from->src_array,
		.src_position = from->src_position,
		.src = from->src,
		.dst_array = from->dst_array,
		.dst_position = from->dst_position,
		.dst = from->dst,
		.extent = from->extent,
		.kind = D2D,
	};

	return from_3d(&same, api, stream);
}

/* ---- many copies at once ---- */

HG_HIP(int, hipMemcpyBatchAsync,
       (void **dsts, void **srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
	size_t attribute_count, size_t *failed, void *stream))
{
	HG_REAL(int, hipMemcpyBatchAsync,
		(void **, void **, size_t *, size_t, void *, size_t *, size_t, size_t *, void *));
	struct hg_hip_call call;
	struct hg_ev_copy event = { .api = HG_API_hipMemcpyBatchAsync };
	size_t i = 0;

	if (!hg_hip_begin_walked(&call, HG_API_hipMemcpyBatchAsync, HG_CALLER()))
		return real(dsts, srcs, sizes, count, attributes, indices, attribute_count, failed,
			    stream);
	hg_tls.open_call->stream = HG_PTR(stream);
	call.rc =
	    real(dsts, srcs, sizes, count, attributes, indices, attribute_count, failed, stream);
	hg_open_call_end();
	do {
		event.rows = 1;
		event.kind = DEFAULT;
		event.stream = HG_PTR(stream);
		if (count && dsts && srcs && sizes) {
			event.dst = HG_PTR(dsts[i]);
			event.src = HG_PTR(srcs[i]);
			event.size = sizes[i];
		}
		if (i)
			hg_tls.hip++; /* every finisher ends a call */
		hg_finish_copy(&call, &event);
	} while (++i < count && !call.rc);
	return call.rc;
}

/* hipMemcpy3DOperand: lengths in elements, which are bytes unless the other side is an array. */
struct operand {
	int type; /* 1: a pointer, 2: an array */
	union {
		struct {
			void *ptr;
			size_t row_length, layer_height;
			int location[2];
		} pointer;
		struct {
			void *array;
			struct position offset;
		} array;
	};
};

/* hipMemcpy3DBatchOp */
struct batch_copy {
	struct operand src, dst;
	struct extent extent;
	int order;
	unsigned flags;
};

static size_t or_else(size_t size, size_t otherwise)
{
	return size ? size : otherwise;
}

static struct hg_ev_copy from_batch(const struct batch_copy *from, void *stream)
{
	bool array = from->src.type != 1 || from->dst.type != 1;
	struct hg_ev_copy event = { .api = HG_API_hipMemcpy3DBatchAsync,
				    .size = array ? 0 : from->extent.width,
				    .rows = from->extent.height,
				    .depth = from->extent.depth,
				    .kind = DEFAULT,
				    .stream = HG_PTR(stream) };

	if (from->dst.type == 1)
		event.dst = HG_PTR(from->dst.pointer.ptr);
	if (from->src.type == 1)
		event.src = HG_PTR(from->src.pointer.ptr);
	if (array)
		return event;
	event.dst_pitch = or_else(from->dst.pointer.row_length, from->extent.width);
	event.src_pitch = or_else(from->src.pointer.row_length, from->extent.width);
	event.dst_slice =
	    event.dst_pitch * or_else(from->dst.pointer.layer_height, from->extent.height);
	event.src_slice =
	    event.src_pitch * or_else(from->src.pointer.layer_height, from->extent.height);
	return event;
}

HG_HIP(int, hipMemcpy3DBatchAsync,
       (size_t count, const struct batch_copy *list, size_t *failed, unsigned long long flags,
	void *stream))
{
	HG_REAL(int, hipMemcpy3DBatchAsync,
		(size_t, const struct batch_copy *, size_t *, unsigned long long, void *));
	struct hg_hip_call call;
	size_t i = 0;

	if (!hg_hip_begin_walked(&call, HG_API_hipMemcpy3DBatchAsync, HG_CALLER()))
		return real(count, list, failed, flags, stream);
	hg_tls.open_call->stream = HG_PTR(stream);
	call.rc = real(count, list, failed, flags, stream);
	hg_open_call_end();
	do {
		struct hg_ev_copy event = { .api = HG_API_hipMemcpy3DBatchAsync,
					    .stream = HG_PTR(stream) };

		if (count && list)
			event = from_batch(&list[i], stream);
		if (i)
			hg_tls.hip++; /* every finisher ends a call */
		hg_finish_copy(&call, &event);
	} while (++i < count && !call.rc);
	return call.rc;
}

/* ---- rows ---- */

/*
 * A copy described by a structure; read before the call, which the program may let run on while
 * it changes the structure.
 */
#define HG_WRAP_DESCRIBED(class, name, params, args, type, convert, stream_)         \
	HG_HIP(int, name, params)                                                    \
	{                                                                            \
		HG_REAL(int, name, params);                                          \
		struct hg_hip_call call;                                             \
		struct hg_ev_copy event = { .api = HG_API_##name };                  \
                                                                                     \
		if (!hg_hip_begin_walked(&call, HG_API_##name, HG_CALLER()))         \
			return real args;                                            \
		if (from)                                                            \
			event = convert((const type *)from, HG_API_##name, stream_); \
		hg_open_copy(&event);                                                \
		call.rc = real args;                                                 \
		hg_open_call_end();                                                  \
		hg_finish_copy(&call, &event);                                       \
		return call.rc;                                                      \
	}

#define HG_WRAP_ROWS(class, name, params, args, dst_, dst_pitch_, src_, src_pitch_, width_, \
		     height_, kind_, stream_)                                               \
	HG_AFTER(copy, name, params, args, .dst = HG_PTR(dst_), .src = HG_PTR(src_),        \
		 .size = width_, .rows = height_, .dst_pitch = dst_pitch_,                  \
		 .src_pitch = src_pitch_, .kind = kind_, .stream = HG_PTR(stream_))
#define HG_WRAP_BYTES(class, name, params, args, dst, src, size, kind, stream)   \
	HG_CALLED(                                                               \
	    hg_hip_begin_walked, name, params, args, call.rc = HG_NOT_RETURNED;  \
	    hg_open_bytes(HG_PTR(dst), HG_PTR(src), size, kind, HG_PTR(stream)), \
	    hg_finish_copy_bytes(&call, HG_PTR(dst), HG_PTR(src), size, kind, HG_PTR(stream)))
#define SYMBOL(symbol, offset) (call.rc ? 0 : hg_hip_symbol_address(symbol) + offset)

#define HG_WRAP_FILL_2D(class, name, params, args, dst_, width_, height_, pitch_, value_, stream_) \
	HG_AFTER(fill, name, params, args, .dst = HG_PTR(dst_), .size = width_, .rows = height_,   \
		 .pitch = pitch_, .value = (uint32_t)(value_), .stream = HG_PTR(stream_))
#define HG_WRAP_FILL(class, name, params, args, dst, size, value, stream) \
	HG_WRAP_FILL_2D(class, name, params, args, dst, size, 1, 0, value, stream)
#define HG_WRAP_FILL_3D(class, name, params, args, stream_)                              \
	HG_AFTER(fill, name, params, args, .dst = HG_PTR(dst.ptr), .size = extent.width, \
		 .rows = extent.height, .depth = extent.depth, .pitch = dst.pitch,       \
		 .slice = dst.pitch * dst.ysize, .value = (uint32_t)value,               \
		 .stream = HG_PTR(stream_))

#define HG_API HG_WRAP
#include "tracer/api/hip_copies.def"
#undef HG_API
