/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads records (event_record.h) of any bytes: nothing outside of them is read, and what is no
 * record ends them.
 */
#ifndef HIPGRAIN_TRACER_EVENT_RECORD_READER_H
#define HIPGRAIN_TRACER_EVENT_RECORD_READER_H

#include "tracer/event_record.h"
#include "tracer/ring.h"

enum hg_record_kind {
	HG_KIND_BLOCK,
	HG_KIND_COPY,
	HG_KIND_STACK,
	HG_KIND_LAUNCH,
	HG_KIND_LAUNCH_CHANGED,
	HG_KIND_EVENT,
	HG_KIND_BEGIN,
};

/* Pointers are to the bytes that are read, and not aligned. */
struct hg_record {
	enum hg_record_kind kind;
	uint32_t since; /* of times, from `begin` of struct hg_records on */
	union {
		struct {
			uint64_t address;
			uint32_t size, stack_id;
			uint8_t api;
			bool freed;
		} block;
		struct hg_record_copy copy;
		struct {
			const unsigned char *values;
			uint32_t id, count, size; /* of frames; of bytes */
		} stack;
		struct {
			const unsigned char *words,
			    *changed;   /* bits, of HG_RECORD_LAUNCH_CHANGED */
			uint32_t count; /* of words */
			uint32_t kernel_id;
			uint16_t api, length; /* bytes of the arguments */
			uint8_t slot;
		} launch;
		struct {
			const unsigned char *fields;
			uint32_t type, size;
		} event;
	};
};

/* Records, from the next one on. All but `at`, `end` and `begin` begins as zeros. */
struct hg_records {
	const unsigned char *at, *end;
	uint64_t begin; /* ns, from which times count */
	struct hg_record_before before;
	bool damaged; /* what is at `at` is no record, or not whole */
};

static inline uint64_t hg_record_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

static inline const unsigned char *hg_record_skip(struct hg_records *from, uint64_t bytes)
{
	const unsigned char *at = from->at;

	if ((uint64_t)(from->end - at) < bytes) {
		from->damaged = true;
		return at;
	}
	from->at += bytes;
	return at;
}

static inline uint64_t hg_record_take(struct hg_records *from, uint32_t bytes)
{
	uint64_t number = 0;

	if (bytes > sizeof(number) || (uint64_t)(from->end - from->at) < bytes) {
		from->damaged = true;
		return 0;
	}
	__builtin_memcpy(&number, from->at, bytes);
	from->at += bytes;
	return number;
}

static inline uint32_t hg_record_take32(struct hg_records *from)
{
	return (uint32_t)hg_record_take(from, 4);
}

static inline void hg_record_take_block(struct hg_records *from, struct hg_record *record,
					uint32_t first)
{
	uint32_t lengths, size, stack_id;

	record->kind = HG_KIND_BLOCK;
	if (first >= HG_RECORD_SMALL_ALLOC) {
		bool freed = (first & HG_RECORD_SMALL_FREE) == HG_RECORD_SMALL_FREE;
		uint64_t word = hg_record_take(from, freed ? 4 : 8);

		from->before.since += (uint32_t)(word & UINT16_MAX);
		from->before.address += hg_record_unfold(word >> 16 & UINT16_MAX);
		record->block.size = word >> 32 & UINT16_MAX;
		record->block.stack_id = (uint32_t)(word >> 48);
		record->block.freed = freed;
	} else {
		lengths = (uint32_t)hg_record_take(from, 2);
		from->before.since += (uint32_t)hg_record_take(from, (lengths & 3) + 1);
		from->before.address += hg_record_unfold(hg_record_take(from, lengths >> 2 & 7));
		size = (uint32_t)hg_record_take(from, lengths >> 5 & 7);
		stack_id = (uint32_t)hg_record_take(from, lengths >> 8 & 7);
		record->block.freed = lengths >> 11 & 1;
		record->block.size = record->block.freed ? 0 : size;
		record->block.stack_id = stack_id;
	}
	record->block.api = first & 0x3f;
	record->block.address = from->before.address << 4 & ((UINT64_C(1) << 48) - 1);
	record->since = from->before.since;
}

static inline void hg_record_take_copy(struct hg_records *from, struct hg_record *record,
				       uint32_t first)
{
	struct hg_record_copy *copy = &from->before.copy;

	record->kind = HG_KIND_COPY;
	if (first == HG_RECORD_SAME_COPY) {
		from->before.since += (uint32_t)hg_record_take(from, 2);
		copy->duration = (uint32_t)hg_record_take(from, 2);
	} else {
		uint32_t lengths = hg_record_take32(from);

		from->before.since += (uint32_t)hg_record_take(from, (lengths & 3) + 1);
		copy->duration = (uint32_t)hg_record_take(from, lengths >> 2 & 7);
		copy->dst += hg_record_unfold(hg_record_take(from, lengths >> 5 & 15));
		copy->src += hg_record_unfold(hg_record_take(from, lengths >> 9 & 15));
		copy->size ^= hg_record_take(from, lengths >> 13 & 15);
		copy->stream ^= hg_record_take(from, lengths >> 17 & 15);
		copy->stack_id ^= (uint32_t)hg_record_take(from, lengths >> 21 & 7);
		copy->what ^= hg_record_take(from, lengths >> 24 & 7);
	}
	record->copy = *copy;
	record->since = from->before.since;
}

static inline void hg_record_take_stack(struct hg_records *from, struct hg_record *record)
{
	record->kind = HG_KIND_STACK;
	record->stack.count = (uint32_t)hg_record_take(from, 1);
	record->since = hg_record_take32(from);
	record->stack.id = hg_record_take32(from);
	record->stack.values = from->at;
	for (uint32_t i = 0; i < record->stack.count && !from->damaged; i++)
		if (hg_record_take32(from) == (uint32_t)HG_STACK_FAR)
			hg_record_take(from, 8);
	record->stack.size = (uint32_t)(from->at - record->stack.values);
	from->damaged |= !record->stack.count || record->stack.count > HG_STACK_FRAMES_MAX;
}

/* Writes the frames of the record, of which there are record->stack.count. */
static inline void hg_stack_read(const struct hg_record *record, uint64_t *frames)
{
	const unsigned char *at = record->stack.values;
	uint64_t before = 0;
	int32_t value;

	for (uint32_t i = 0; i < record->stack.count; i++) {
		__builtin_memcpy(&value, at, sizeof(value));
		at += sizeof(value);
		before += (uint64_t)(int64_t)value;
		if (value == HG_STACK_FAR) {
			__builtin_memcpy(&before, at, sizeof(before));
			at += sizeof(before);
		}
		frames[i] = before;
	}
}

static inline void hg_record_take_launch(struct hg_records *from, struct hg_record *record,
					 uint32_t first)
{
	uint64_t low, high;

	record->launch.slot = (uint8_t)hg_record_take(from, 1);
	record->since = hg_record_take32(from);
	if (first == HG_RECORD_LAUNCH) {
		record->kind = HG_KIND_LAUNCH;
		record->launch.api = (uint16_t)hg_record_take(from, 2);
		record->launch.length = (uint16_t)hg_record_take(from, 2);
		record->launch.kernel_id = hg_record_take32(from);
		record->launch.count = HG_LAUNCH_STATE + (record->launch.length + 7u) / 8u;
		from->damaged |= record->launch.count > HG_LAUNCH_WORDS;
	} else {
		record->kind = HG_KIND_LAUNCH_CHANGED;
		record->launch.changed = from->at;
		low = hg_record_take(from, 8);
		high = hg_record_take(from, 1);
		record->launch.count =
		    (uint32_t)(__builtin_popcountll(low) + __builtin_popcountll(high));
	}
	record->launch.words = hg_record_skip(from, record->launch.count * 8u);
}

static inline void hg_record_take_event(struct hg_records *from, struct hg_record *record)
{
	record->kind = HG_KIND_EVENT;
	record->event.type = (uint32_t)hg_record_take(from, 2);
	record->event.size = (uint32_t)hg_record_take(from, 2);
	record->since = hg_record_take32(from);
	record->event.fields = hg_record_skip(from, record->event.size);
}

/*
 * Reads the next record. Returns false if there is none yet, or it is damaged; then `at` stays. Its
 * first byte is read before the others: another process may be storing it.
 */
static inline bool hg_record_next(struct hg_records *from, struct hg_record *record)
{
	const unsigned char *begin = from->at;
	uint32_t first = from->at < from->end ? __atomic_load_n(begin, __ATOMIC_ACQUIRE)
					      : (uint32_t)HG_RECORD_END;

	if (first == HG_RECORD_END || from->damaged)
		return false;
	from->at++;
	if (first == HG_RECORD_SAME_COPY || first == HG_RECORD_COPY) {
		hg_record_take_copy(from, record, first);
	} else if (first >= HG_RECORD_SMALL_ALLOC || first < HG_RECORD_APIS) {
		hg_record_take_block(from, record, first);
	} else {
		record->since = 0;
		if (first == HG_RECORD_EVENT) {
			hg_record_take_event(from, record);
		} else if (first == HG_RECORD_STACK) {
			hg_record_take_stack(from, record);
		} else if (first == HG_RECORD_LAUNCH || first == HG_RECORD_LAUNCH_CHANGED) {
			hg_record_take_launch(from, record, first);
		} else if (first == HG_RECORD_BEGIN) {
			record->kind = HG_KIND_BEGIN;
			from->begin = hg_record_take(from, 8);
		} else {
			from->damaged = true;
		}
		from->before.since = record->since;
	}
	if (from->damaged)
		from->at = begin;
	return !from->damaged;
}

/* Returns as what a record is counted; `of_type` says it of the types of events. */
typedef enum hg_group group_of_type(unsigned type, void *data);
static inline enum hg_group hg_record_group(const struct hg_record *record, group_of_type *of_type,
					    void *data)
{
	switch (record->kind) {
	case HG_KIND_BLOCK:
		return record->block.freed ? HG_GROUP_FREE : HG_GROUP_ALLOC;
	case HG_KIND_COPY:
		return HG_GROUP_COPY;
	case HG_KIND_LAUNCH:
	case HG_KIND_LAUNCH_CHANGED:
		return HG_GROUP_LAUNCH;
	case HG_KIND_EVENT:
		return of_type(record->event.type, data);
	case HG_KIND_STACK:
	case HG_KIND_BEGIN:
		break;
	}
	return HG_GROUP_OTHER;
}

#endif
