/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the text of an instruction into its operation and operands, by optable.def. */
#include "decode.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "pattern.h"

#define LONGEST 20u /* bytes of an instruction */
/* Instructions remembered; a power of two. When half of the slots are taken all are forgotten. */
#define SLOTS (1u << 17)
#define KNOWN (SLOTS / 2)
#define INDEX (SLOTS - 1) /* the part of a slot that tells which one */
#define NAMES 4096u       /* slots for mnemonics; a power of two */
#define IDLE  64u         /* decoders kept that nobody uses */

struct decoder {
	const struct arch *arch;
	unsigned wave_size;
	char backend[16];
	struct isa_disasm *disasm;
	struct patterns *patterns; /* of gfx9 and gfx10; NULL: none */
	uint32_t *slot;    /* bits of a hash, and an index in insn + 1 below them; 0: free */
	struct insn *insn; /* KNOWN of them; pc: the bytes */
	uint32_t count;
	char *names[NAMES];
	unsigned name_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Never destroyed: at exit the libraries behind them may be unloaded first. */
static struct decoder *idle[IDLE];
static unsigned idle_count;

static void forget(struct decoder *decoder)
{
	for (uint32_t i = 0; i < decoder->count; i++)
		free(decoder->insn[i].dual);
	memset(decoder->slot, 0, SLOTS * sizeof(*decoder->slot));
	decoder->count = 0;
}

static void destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->slot)
		forget(decoder);
	isa_disasm_destroy(decoder->disasm);
	patterns_free(decoder->patterns);
	for (size_t i = 0; i < NAMES; i++)
		free(decoder->names[i]);
	free(decoder->slot);
	free(decoder->insn);
	free(decoder);
}

static struct decoder *take_idle(const struct arch *arch, unsigned wave_size, const char *backend)
{
	struct decoder *found = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < idle_count && !found; i++) {
		struct decoder *one = idle[i];

		if (one->arch != arch || one->wave_size != wave_size ||
		    strcmp(one->backend, backend))
			continue;
		found = one;
		idle[i] = idle[--idle_count];
	}
	pthread_mutex_unlock(&lock);
	return found;
}

struct decoder *decoder_get(const struct arch *arch, unsigned wave_size, const char *backend,
			    const char **why)
{
	struct decoder *decoder;

	if (!backend)
		backend = getenv("HIPGRAIN_DISASSEMBLER");
	if (!backend)
		backend = "";
	*why = "unknown disassembler";
	if (strlen(backend) >= sizeof(decoder->backend))
		return NULL;
	decoder = take_idle(arch, wave_size, backend);
	if (decoder)
		return decoder;
	*why = "out of memory";
	decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return NULL;
	decoder->arch = arch;
	decoder->wave_size = wave_size;
	strcpy(decoder->backend, backend);
	decoder->slot = calloc(SLOTS, sizeof(*decoder->slot));
	/* Most of it is never touched. */
	decoder->insn = aligned_alloc(64, KNOWN * sizeof(*decoder->insn));
	if (arch->generation <= ARCH_GFX10)
		decoder->patterns = patterns_new(arch);
	if (decoder->slot && decoder->insn) {
		/* The first one initialises the library behind it, which threads must not share. */
		pthread_mutex_lock(&lock);
		decoder->disasm = isa_disasm_create(arch->name, wave_size, backend, why);
		pthread_mutex_unlock(&lock);
	}
	if (!decoder->disasm) {
		destroy(decoder);
		return NULL;
	}
	return decoder;
}

void decoder_put(struct decoder *decoder)
{
	if (!decoder)
		return;
	pthread_mutex_lock(&lock);
	if (idle_count < IDLE) {
		idle[idle_count++] = decoder;
		decoder = NULL;
	}
	pthread_mutex_unlock(&lock);
	destroy(decoder);
}

struct isa_disasm *decoder_disasm(struct decoder *decoder)
{
	return decoder->disasm;
}

/* Returns the decoder's copy of a mnemonic; there are a few hundred. */
static const char *intern(struct decoder *decoder, const char *name)
{
	size_t hash = 5381, i;

	for (i = 0; name[i]; i++)
		hash = hash * 33 + (unsigned char)name[i];
	hash &= NAMES - 1;
	while (decoder->names[hash]) {
		if (!strcmp(decoder->names[hash], name))
			return decoder->names[hash];
		hash = (hash + 1) & (NAMES - 1);
	}
	if (decoder->name_count * 2 > NAMES)
		return NULL;
	decoder->names[hash] = strdup(name);
	decoder->name_count += decoder->names[hash] != NULL;
	return decoder->names[hash];
}

/*
 * Returns how many bytes make it the instruction it is, by which it is remembered and found; 0: it
 * is not to be remembered. Up to gfx10 its words tell how many these are; *exact is then true, and
 * an instruction that has another length is not remembered. Else they are 8, so that some
 * instructions are remembered several times.
 */
static size_t key_size(const struct decoder *decoder, const uint8_t *code, size_t size, bool *exact)
{
	uint32_t word, next = 0;
	size_t length = 0;

	*exact = false;
	if (size < 4)
		return 0;
	memcpy(&word, code, sizeof(word));
	if (size >= 8)
		memcpy(&next, code + 4, sizeof(next));
	if (decoder->arch->generation == ARCH_GFX9)
		length = filter_length(word);
	else if (decoder->arch->generation == ARCH_GFX10)
		length = filter_length10(word, next);
	*exact = length;
	if (!length && decoder->arch->generation != ARCH_GFX9)
		length = 8;
	return length <= size && length <= 8 ? length : 0;
}

/* Returns the slot where what has these bytes is remembered, or would be; *tag is then what the
 * slot begins with. */
static uint32_t slot_of(const struct decoder *decoder, uint64_t key, uint32_t *tag)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	uint32_t slot = (uint32_t)(hash >> 40) & (SLOTS - 1), at;

	*tag = (uint32_t)hash & ~INDEX;
	for (; (at = decoder->slot[slot]); slot = (slot + 1) & (SLOTS - 1))
		if ((at & ~INDEX) == *tag && decoder->insn[(at & INDEX) - 1].pc == key)
			break;
	return slot;
}

/* Returns the instruction that has these bytes, if it is remembered, or NULL. */
static const struct insn *recall(const struct decoder *decoder, uint64_t key)
{
	uint32_t tag, at = decoder->slot[slot_of(decoder, key, &tag)];

	return at ? &decoder->insn[(at & INDEX) - 1] : NULL;
}

/* Operands that most instructions do not exceed. */
#define FEW 4u

static bool copy_insn(struct insn *to, const struct insn *from)
{
	/* Operands behind these are not read: most instructions were not looked at for long. */
	memcpy(to, from, offsetof(struct insn, operand[FEW]));
	to->pc = 0;
	if (from->operand_count > FEW)
		memcpy(&to->operand[FEW], &from->operand[FEW],
		       sizeof(*to) - offsetof(struct insn, operand[FEW]));
	else
		memset(&to->operand[FEW], 0, sizeof(*to) - offsetof(struct insn, operand[FEW]));
	if (!from->dual)
		return true;
	to->dual = malloc(sizeof(*to->dual));
	if (to->dual)
		*to->dual = *from->dual;
	return to->dual;
}

static void remember(struct decoder *decoder, uint64_t key, const struct insn *insn)
{
	struct insn *copy;
	uint32_t slot, tag;

	if (decoder->count >= KNOWN)
		forget(decoder);
	copy = &decoder->insn[decoder->count];
	if (!copy_insn(copy, insn))
		return;
	copy->pc = key;
	slot = slot_of(decoder, key, &tag);
	decoder->slot[slot] = tag | ++decoder->count;
}

/* Parses the disassembler's text into *insn. */
static bool parse(struct decoder *decoder, char *text, struct insn *insn, size_t length)
{
	memset(insn, 0, sizeof(*insn));
	insn->length = (uint8_t)length;
	insn_parse(insn, text);
	insn->mnemonic = intern(decoder, insn->mnemonic);
	return insn->mnemonic;
}

/*
 * Disassemblers end the process where an SDWA operand selects a part that does not exist (LLVM 15
 * and 19: "unreachable" in its printer). Selections are 0 to 6, what becomes of the rest 0 to 2
 * [LUG, "SDWA"]; comparisons have a register where others have the destination's.
 */
static bool selects_parts(const uint8_t *code, size_t size)
{
	uint32_t word, sdwa;

	memcpy(&word, code, sizeof(word));
	if (word >> 31 || (word & 0x1ff) != 0xf9 || size < 8)
		return true;
	memcpy(&sdwa, code + 4, sizeof(sdwa));
	if ((sdwa >> 16 & 7) == 7 || (sdwa >> 24 & 7) == 7)
		return false;
	return word >> 25 == 0x3e || ((sdwa >> 8 & 7) != 7 && (sdwa >> 11 & 3) != 3);
}

static bool decode(void *user, const uint8_t *code, size_t size, struct insn *insn)
{
	struct decoder *decoder = user;
	uint8_t bytes[LONGEST] = { 0 };
	struct insn *dual = NULL;
	char text[256], *second;
	size_t length;

	if (size > sizeof(bytes))
		size = sizeof(bytes);
	memcpy(bytes, code, size);
	length = isa_disasm_one(decoder->disasm, bytes, size, text, sizeof(text));
	if (!length || (length & 3) || length > sizeof(bytes))
		return false;
	second = strstr(text, "::");
	if (second) {
		*second = 0;
		dual = malloc(sizeof(*dual));
		if (!dual)
			return false;
	}
	if ((dual && !parse(decoder, second + 2, dual, length)) ||
	    !parse(decoder, text, insn, length)) {
		free(dual);
		return false;
	}
	insn->dual = dual;
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* Returns a hash of all that the analysis takes from an instruction; not 0. */
static uint64_t hash_insn(uint64_t hash, const struct insn *insn)
{
	uint64_t flags = insn->load | insn->store << 1 | insn->atomic << 2 | insn->returns << 3 |
			 insn->offen << 4 | insn->idxen << 5 | insn->lds << 6 |
			 insn->sub_dword << 7 | insn->op_sel_hi[0] << 8 | insn->op_sel_hi[1] << 9 |
			 insn->dpp << 10 | insn->sdwa << 11 | insn->sdwa_dst << 12 | insn->fp << 13;

	hash = mix(hash, insn->length | insn->class << 8 | insn->operand_count << 16 |
			     (uint64_t)insn->family << 24 | flags << 32);
	hash = mix(hash, insn->fence | insn->settles << 8 | (uint64_t)insn->cache << 16 |
			     (uint64_t)(uint32_t)insn->offset << 32);
	hash = mix(hash, insn->name);
	hash = mix(hash, insn->sdwa_src | insn->index_mode << 8 | insn->dwords << 16 |
			     (uint64_t)insn->atomic_op << 24 | (uint64_t)insn->atomic_type << 32);
	for (unsigned i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operand[i];

		hash = mix(hash, operand->kind | operand->half << 8 | (uint64_t)operand->reg << 16 |
				     (uint64_t)operand->count << 32);
		hash = mix(hash, (uint64_t)operand->value);
	}
	hash = insn->dual ? hash_insn(hash, insn->dual) : hash;
	return hash ? hash : 1;
}

bool decoder_insn(struct decoder *decoder, const uint8_t *code, size_t size, struct insn *insn)
{
	bool exact;
	size_t known = key_size(decoder, code, size, &exact);
	uint64_t key = 0;

	if (known) {
		const struct insn *same;

		memcpy(&key, code, known);
		same = recall(decoder, key);
		if (same)
			return copy_insn(insn, same);
	}
	if (size < 4 || (decoder->arch->generation <= ARCH_GFX10 && !selects_parts(code, size)))
		return false;
	if (!(known && exact && decoder->patterns &&
	      patterns_insn(decoder->patterns, key, known, decode, decoder, insn)) &&
	    !decode(decoder, code, size, insn))
		return false;
	insn->hash = hash_insn(17, insn);
	if (exact ? insn->length == known : insn->length <= known)
		remember(decoder, key, insn);
	return true;
}

bool decoder_hash(struct decoder *decoder, const uint8_t *code, size_t size, uint64_t *hash)
{
	struct insn insn;
	uint64_t key = 0;
	bool exact;
	size_t known = key_size(decoder, code, size, &exact);

	if (known) {
		const struct insn *same;

		memcpy(&key, code, known);
		same = recall(decoder, key);
		if (same) {
			*hash = same->hash;
			return true;
		}
	}
	memset(&insn, 0, sizeof(insn));
	if (!decoder_insn(decoder, code, size, &insn))
		return false;
	*hash = insn.hash;
	free(insn.dual);
	return true;
}
