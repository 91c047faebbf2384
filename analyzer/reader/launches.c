/* SPDX-License-Identifier: Apache-2.0 */
/* What launches in batches leave out because the launch before had it. */
#include "launches.h"

#include <glib.h>
#include <string.h>

#define STATE HG_LAUNCH_HEAD /* where the state begins */

static uint32_t bytes_of(uint64_t first)
{
	return (uint32_t)(first >> 16) & 0xffff;
}

/* Whether a whole launch has as many words as its arguments need. */
static bool is_sound(const uint64_t *record, uint32_t words)
{
	uint32_t room = words - STATE - HG_LAUNCH_STATE;

	return room <= HG_LAUNCH_ARGS && (bytes_of(record[0]) + 7u) / 8u == room;
}

/* Bit i: the state's word i, or the arguments', is another. */
static bool is_changed(const uint64_t *record, uint32_t i)
{
	return i < HG_LAUNCH_LOW_BITS ? record[0] >> i & 1
				      : record[1] >> (32 + i - HG_LAUNCH_LOW_BITS) & 1;
}

/* Apply what a record says to the copy of a launch, of `words` words; false: they do not fit. */
static bool change(uint64_t *launch, uint32_t words, const uint64_t *record, uint32_t length)
{
	uint32_t next = HG_LAUNCH_HEAD;

	for (uint32_t i = 0; i < HG_LAUNCH_STATE + HG_LAUNCH_ARGS; i++) {
		if (!is_changed(record, i))
			continue;
		if (next == length || STATE + i >= words)
			return false;
		launch[STATE + i] = record[next++];
	}
	if (next != length)
		return false;
	launch[1] = (launch[1] & ~(uint64_t)UINT32_MAX) | (uint32_t)record[1];
	return true;
}

static void add_orphan(GArray *out, uint64_t second)
{
	uint64_t words[] = { (uint64_t)HG_RECORD_RELAUNCH << 56, (uint32_t)second };

	g_array_append_vals(out, words, G_N_ELEMENTS(words));
}

/* How many words of the batch are whole records. *launches: whether any is a launch that changes.
 */
static uint32_t survey(const uint64_t *records, uint32_t words, bool *launches)
{
	uint32_t at = 0, step;

	for (; at < words; at += step) {
		step = hg_record_words(records[at]);
		if (!step || step > words - at)
			break;
		*launches |= records[at] >> 56 == HG_RECORD_LAUNCH ||
			     records[at] >> 56 == HG_RECORD_LAUNCH_CHANGED;
	}
	return at;
}

uint64_t *launches_expand(const uint64_t *records, uint32_t *words)
{
	uint32_t slots[HG_LAUNCH_SLOTS] = { 0 }; /* where the copy has its latest launch, + 1 */
	bool launches = false;
	uint32_t whole = survey(records, *words, &launches), step;
	GArray *out;

	if (!launches) {
		*words = whole;
		return g_memdup2(records, whole * sizeof(uint64_t));
	}
	out = g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), 4 * whole);
	for (uint32_t at = 0; at < whole; at += step) {
		const uint64_t *record = &records[at];
		uint32_t *slot = &slots[hg_launch_slot(record[0])], from = *slot;

		step = hg_record_words(record[0]);
		switch ((enum hg_record)(record[0] >> 56)) {
		case HG_RECORD_LAUNCH:
			*slot = is_sound(record, step) ? out->len + 1 : 0;
			if (*slot)
				g_array_append_vals(out, record, step);
			else
				add_orphan(out, record[1]);
			break;
		case HG_RECORD_LAUNCH_CHANGED:
			if (from) {
				uint64_t copy[HG_LAUNCH_HEAD + HG_LAUNCH_STATE + HG_LAUNCH_ARGS];
				uint32_t length =
				    hg_record_words(g_array_index(out, uint64_t, from - 1));

				memcpy(copy, &g_array_index(out, uint64_t, from - 1),
				       length * sizeof(*copy));
				*slot = change(copy, length, record, step) ? out->len + 1 : 0;
				if (*slot)
					g_array_append_vals(out, copy, length);
			}
			if (!*slot)
				add_orphan(out, record[1]);
			break;
		default:
			g_array_append_vals(out, record, step);
			break;
		}
	}
	*words = out->len;
	return (uint64_t *)(void *)g_array_free(out, FALSE);
}

void launches_read(const uint64_t *record, struct hg_ev_launch *launch, const uint8_t **bytes,
		   uint32_t *length)
{
	const uint64_t *state = &record[STATE];

	*launch = (struct hg_ev_launch){ .api = (uint16_t)record[0],
					 .kernel_id = (uint32_t)(record[1] >> 32),
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
	*bytes = (const uint8_t *)(state + HG_LAUNCH_STATE);
	*length = bytes_of(record[0]);
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
