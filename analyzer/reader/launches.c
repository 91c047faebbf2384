/* SPDX-License-Identifier: Apache-2.0 */
/* Records of launches leave out what the launch before had; this puts it back. */
#include "launches.h"

#include <glib.h>
#include <string.h>

#include "tracer/events/ev_args.h"
#include "tracer/events/ev_launch.h"

struct launch_slots {
	struct launch *slots[HG_LAUNCH_SLOTS]; /* NULL: there was none */
};

struct launch_slots *launch_slots_new(void)
{
	return g_new0(struct launch_slots, 1);
}

void launch_slots_free(struct launch_slots *slots)
{
	for (uint32_t i = 0; slots && i < HG_LAUNCH_SLOTS; i++)
		g_free(slots->slots[i]);
	g_free(slots);
}

/* Applies what a record says to the launch before it; false: they do not fit. */
static bool change(struct launch *launch, const struct hg_record *record)
{
	const uint32_t words = HG_LAUNCH_STATE + (launch->length + 7u) / 8u;
	const unsigned char *word = record->launch.words;

	for (uint32_t i = 0; i < HG_LAUNCH_WORDS; i++) {
		if (!(record->launch.changed[i / 8] >> i % 8 & 1))
			continue;
		if (i >= words)
			return false;
		memcpy(&launch->words[i], word, sizeof(launch->words[i]));
		word += sizeof(launch->words[i]);
	}
	return true;
}

const struct launch *launch_slots_take(struct launch_slots *slots, const struct hg_record *record)
{
	struct launch **slot = &slots->slots[record->launch.slot];

	if (record->kind == HG_KIND_LAUNCH) {
		if (!*slot)
			*slot = g_new(struct launch, 1);
		(*slot)->api = record->launch.api;
		(*slot)->length = record->launch.length;
		(*slot)->kernel_id = record->launch.kernel_id;
		memcpy((*slot)->words, record->launch.words, record->launch.count * 8u);
	} else if (*slot && !change(*slot, record)) {
		g_clear_pointer(slot, g_free);
	}
	return *slot;
}

void launch_read(const struct launch *from, struct hg_ev_launch *launch)
{
	const uint64_t *state = from->words;

	*launch = (struct hg_ev_launch){ .api = from->api,
					 .kernel_id = from->kernel_id,
					 .stack_id = (uint32_t)(state[HG_LAUNCH_WHERE] >> 32),
					 .device = (int32_t)(uint32_t)state[HG_LAUNCH_WHERE],
					 .grid_x = (uint32_t)state[HG_LAUNCH_GRID],
					 .grid_y = (uint32_t)(state[HG_LAUNCH_GRID] >> 32),
					 .grid_z = (uint32_t)state[HG_LAUNCH_SHAPE],
					 .block_x = (uint32_t)(state[HG_LAUNCH_SHAPE] >> 32),
					 .block_y = (uint32_t)state[HG_LAUNCH_BLOCK],
					 .block_z = (uint32_t)(state[HG_LAUNCH_BLOCK] >> 32),
					 .shared = (uint32_t)state[HG_LAUNCH_SHARED],
					 .stream = state[HG_LAUNCH_STREAM] };
}

/* ---- ids of arguments ---- */

#define FIRST (UINT32_C(1) << 31)
#define MOST  (1u << 20)

struct launch_arguments {
	GHashTable *ids; /* by their hash */
	uint32_t count;  /* given out */
};

struct launch_arguments *launch_arguments_new(void)
{
	struct launch_arguments *arguments = g_new0(struct launch_arguments, 1);

	arguments->ids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return arguments;
}

void launch_arguments_free(struct launch_arguments *arguments)
{
	g_hash_table_destroy(arguments->ids);
	g_free(arguments);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_of(int32_t pid, unsigned image, uint32_t kernel_id, const uint8_t *bytes,
			uint32_t length)
{
	uint64_t hash = mix(mix(0, (uint64_t)image << 32 | (uint32_t)pid), kernel_id), word;

	hash = mix(hash, length);
	for (uint32_t at = 0; at < length; at += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + at, MIN(sizeof(word), length - at));
		hash = mix(hash, word);
	}
	return hash;
}

static void add(struct launch_arguments *arguments, uint64_t hash, uint32_t id)
{
	if (g_hash_table_size(arguments->ids) >= MOST)
		g_hash_table_remove_all(arguments->ids);
	g_hash_table_insert(arguments->ids, g_memdup2(&hash, sizeof(hash)), GUINT_TO_POINTER(id));
}

bool launch_arguments_id(struct launch_arguments *arguments, int32_t pid, unsigned image,
			 struct hg_ev_launch *launch, const uint8_t *bytes, uint32_t length)
{
	uint64_t hash = hash_of(pid, image, launch->kernel_id, bytes, length);
	gpointer id = g_hash_table_lookup(arguments->ids, &hash);

	launch->args_id = GPOINTER_TO_UINT(id);
	if (id)
		return false;
	launch->args_id = FIRST | arguments->count++;
	add(arguments, hash, launch->args_id);
	return true;
}

void launch_arguments_known(struct launch_arguments *arguments, int32_t pid, unsigned image,
			    const struct hg_ev_args *known)
{
	if (known->args_id && known->status == HG_ARGS_COMPLETE && !known->kept_length)
		add(arguments, hash_of(pid, image, known->kernel_id, known->bytes, known->length),
		    known->args_id);
}
