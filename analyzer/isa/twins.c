/* SPDX-License-Identifier: Apache-2.0 */
/* Results of kernels by their code. */
#include "twins.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/containers/containers.h"
#include "pack.h"
#include "search.h"

/* Twins mostly lie in one code object or in the next ones: when this much is kept all is forgotten.
 */
#define BYTES_MAX ((size_t)24 << 20)
#define SLOTS     (1u << 15) /* a power of two */

struct twin {
	size_t key_size, size;
	uint64_t hash;
	uint64_t incomplete_pc; /* of the kernel that was analysed, whose... */
	uint64_t first;         /* ...code began here */
	const struct arch *arch;
	uint64_t decoded; /* its instructions, hashed, and... */
	uint64_t *begins; /* ...where they begin: a bit for each word of its code */
	uint8_t bytes[];  /* the key, then the results */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct twin *slot[SLOTS];
static size_t kept, count;

/* This part of the key has always the same size; zeroed before, so that gaps compare as well. */
struct head {
	char code[CODEOBJ_SHA256_SIZE];
	uint64_t size, entry, start; /* of the code; distances from where it begins */
	uint32_t generation, scope, lanes, preloads; /* of the processor */
	const void *library;                         /* of the disassembler */
	char disassembler[16];
	uint32_t kernarg_size, scratch_size, items;
	int32_t scratch_rsrc, dispatch_ptr, queue_ptr, kernarg_ptr, preload;
	uint32_t wave_size, user_count, preload_offset, preload_count;
	int32_t group[3];
};

struct arg {
	uint32_t offset, size, kind, hidden;
	const char *hidden_name; /* static */
};

/* Returns a kernel's code: the bytes of its symbol, in which no other begins. NULL: not known. */
static const uint8_t *code_of(const struct isa_image *image, const struct flow_entry *entry,
			      struct twin_key *key)
{
	const struct isa_symbol *symbol = isa_image_symbol_at(image, entry->pc, true);
	const struct isa_section *section = isa_image_section(image, entry->pc);
	size_t next;

	if (!symbol || !section || !section->bits || symbol->address < section->address ||
	    symbol->size > section->size ||
	    symbol->address - section->address > section->size - symbol->size)
		return NULL;
	key->first = symbol->address;
	key->end = symbol->address + symbol->size;
	if (entry->pc < key->first || entry->pc >= key->end || entry->start < key->first ||
	    entry->start > entry->pc)
		return NULL;
	next = ROWS_UP_TO(image->symbols, image->symbol_count, address, key->first);
	if (next < image->symbol_count && image->symbols[next].address < key->end)
		return NULL;
	key->code = image->data + section->offset + (key->first - section->address);
	key->room = (size_t)(section->address + section->size - key->first);
	return key->code;
}

void twin_key_make(struct twin_key *key, const struct isa_analysis *analysis,
		   const struct codeobj_kernel *from, const struct flow_entry *entry)
{
	struct isa_disasm *disasm = decoder_disasm(analysis->decoder[entry->wave_size == 64]);
	const uint8_t *code;
	struct head head;
	struct arg *arg;

	memset(key, 0, sizeof(*key));
	key->arch = analysis->arch;
	key->pc = entry->pc;
	code = code_of(&analysis->image, entry, key);
	memset(&head, 0, sizeof(head));
	if (!code || strlen(isa_disasm_name(disasm)) >= sizeof(head.disassembler) ||
	    containers_sha256(code, key->end - key->first, head.code))
		return;
	key->size = sizeof(head) + from->arg_count * sizeof(*arg);
	key->bytes = calloc(1, key->size);
	if (!key->bytes)
		return;
	head.size = key->end - key->first;
	head.entry = entry->pc - key->first;
	head.start = entry->start - key->first;
	head.generation = analysis->arch->generation;
	head.scope = analysis->arch->scope;
	head.lanes = analysis->arch->lanes;
	head.preloads = analysis->arch->preload;
	head.library = isa_disasm_library(disasm);
	strcpy(head.disassembler, isa_disasm_name(disasm));
	head.kernarg_size = from->kernarg_size;
	head.scratch_size = entry->scratch_size;
	head.items = entry->items;
	head.scratch_rsrc = entry->scratch_rsrc;
	head.dispatch_ptr = entry->dispatch_ptr;
	head.queue_ptr = entry->queue_ptr;
	head.kernarg_ptr = entry->kernarg_ptr;
	head.preload = entry->preload;
	head.wave_size = entry->wave_size;
	head.user_count = entry->user_count;
	memcpy(head.group, entry->group, sizeof(head.group));
	head.preload_offset = entry->preload_offset;
	head.preload_count = entry->preload_count;
	memcpy(key->bytes, &head, sizeof(head));
	arg = (void *)(key->bytes + sizeof(head));
	for (size_t i = 0; i < from->arg_count; i++) {
		arg[i].offset = from->args[i].offset;
		arg[i].size = from->args[i].size;
		arg[i].kind = (uint32_t)from->args[i].kind;
		arg[i].hidden = (uint32_t)from->args[i].hidden;
		arg[i].hidden_name = from->args[i].hidden_name;
	}
}

void twin_key_clear(struct twin_key *key)
{
	free(key->bytes);
	memset(key, 0, sizeof(*key));
}

static uint64_t hash_of(const struct twin_key *key)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < key->size; i++)
		hash = (hash ^ key->bytes[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

/* With the lock held: where it is, or would be. */
static struct twin **place_of(const struct twin_key *key, uint64_t hash)
{
	size_t at = hash & (SLOTS - 1);

	while (slot[at] && (slot[at]->hash != hash || slot[at]->key_size != key->size ||
			    memcmp(slot[at]->bytes, key->bytes, key->size)))
		at = (at + 1) & (SLOTS - 1);
	return &slot[at];
}

/* From a twin's results to those of a kernel with names of its own. */
static void take(struct isa_kernel *kernel, struct isa_kernel *twin)
{
	struct isa_kernel own = *kernel;

	free(twin->symbol);
	free(twin->name);
	free(twin->args);
	free(twin->hidden);
	*kernel = *twin;
	kernel->symbol = own.symbol;
	kernel->name = own.name;
	kernel->kernarg_size = own.kernarg_size;
	kernel->args = own.args;
	kernel->arg_count = own.arg_count;
	kernel->hidden = own.hidden;
	kernel->hidden_count = own.hidden_count;
	kernel->wave_size = own.wave_size;
	kernel->lds_size = own.lds_size;
	kernel->scratch_size = own.scratch_size;
	kernel->dynamic_stack = own.dynamic_stack;
	kernel->skipped = own.skipped;
}

/* The address in a reason is that of the instruction; each kernel has its own. False without
 * memory. */
static bool move_reason(char **reason, uint64_t from, uint64_t to)
{
	char address[24], *at, *moved;
	int length = snprintf(address, sizeof(address), "0x%llx", (unsigned long long)from);

	at = *reason ? strstr(*reason, address) : NULL;
	if (!at)
		return true;
	if (asprintf(&moved, "%.*s0x%llx%s", (int)(at - *reason), *reason, (unsigned long long)to,
		     at + length) < 0)
		return false;
	free(*reason);
	*reason = moved;
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* Returns how many words have the bits for all places where an instruction may begin. */
static size_t begin_words(const struct twin_key *key)
{
	return (size_t)(key->end - key->first) / 4 / 64 + 1;
}

/* Finds where instructions of a function begin that lies in the code; returns all, hashed. */
static uint64_t hash_function(const struct twin_key *key, const struct function *function,
			      uint64_t *begins)
{
	uint64_t hash = 0;

	memset(begins, 0, begin_words(key) * sizeof(*begins));
	for (uint32_t i = 0; i < function->insn_count; i++) {
		size_t at = (size_t)(function->insn[i]->pc - key->first) / 4;

		begins[at / 64] |= UINT64_C(1) << at % 64;
		hash = mix(hash, function->insn[i]->hash);
	}
	return hash;
}

/*
 * Returns true if the code is decoded for this processor as it was for a twin, which began its
 * instructions there: then control goes the same ways in both.
 */
static bool same_code(const struct twin_key *key, struct decoder *decoder, const uint64_t *begins,
		      uint64_t decoded)
{
	uint64_t hash = 0, one;

	for (size_t w = 0; w < begin_words(key); w++) {
		for (uint64_t bits = begins[w]; bits; bits &= bits - 1) {
			size_t at = (w * 64 + (size_t)__builtin_ctzll(bits)) * 4;

			if (!decoder_hash(decoder, key->code + at, key->room - at, &one))
				return false;
			hash = mix(hash, one);
		}
	}
	return hash == decoded;
}

bool twins_find(const struct twin_key *key, struct program *program, struct isa_kernel *kernel,
		uint64_t *incomplete_pc)
{
	struct isa_kernel twin = { 0 };
	bool other = false; /* of another processor */
	uint64_t hash, decoded = 0, *begins = NULL;
	const struct twin *found;
	bool good;

	if (!key->bytes)
		return false;
	hash = hash_of(key);
	pthread_mutex_lock(&lock);
	found = *place_of(key, hash);
	good = found && !unpack_kernel(found->bytes + found->key_size, found->size, &twin);
	if (good && found->arch != key->arch) {
		other = true;
		decoded = found->decoded;
		begins = malloc(begin_words(key) * sizeof(*begins));
		good = begins;
	}
	if (begins)
		memcpy(begins, found->begins, begin_words(key) * sizeof(*begins));
	if (good && found->incomplete_pc) {
		*incomplete_pc = found->incomplete_pc - found->first + key->first;
		good = move_reason(&twin.incomplete, found->incomplete_pc, *incomplete_pc);
	}
	pthread_mutex_unlock(&lock);
	if (good && other && !same_code(key, program->decoder, begins, decoded)) {
		*incomplete_pc = 0;
		good = false;
	}
	free(begins);
	if (good)
		take(kernel, &twin);
	else
		isa_kernel_clear(&twin);
	return good;
}

/* Tells if the kernel's function lies in its symbol, and nothing in it depends on where that is. */
static bool stands_alone(const struct twin_key *key, const struct function *function)
{
	for (uint32_t i = 0; i < function->insn_count; i++) {
		const struct insn *insn = function->insn[i];

		if (insn->pc < key->first || insn->pc + insn->length > key->end ||
		    insn->class == OP_CALL || insn->class == OP_SETPC || insn->class == OP_GETPC ||
		    insn->class == OP_ODD)
			return false;
	}
	for (uint32_t b = 0; b < function->block_count; b++)
		if (function->block[b].ends)
			return false;
	return !function->problem;
}

static void twin_free(struct twin *twin)
{
	if (twin)
		free(twin->begins);
	free(twin);
}

static void forget(void)
{
	for (size_t i = 0; i < SLOTS; i++) {
		twin_free(slot[i]);
		slot[i] = NULL;
	}
	kept = count = 0;
}

void twins_add(const struct twin_key *key, const struct flow *flow, const struct isa_kernel *kernel)
{
	struct isa_kernel plain = *kernel;
	struct twin *twin, **place;
	char none[] = "";
	uint8_t *data;
	size_t size, bytes;

	if (!key->bytes || !flow->kernel || flow->unvisited || flow->unseen || flow->broken ||
	    flow->exhausted || !stands_alone(key, flow->kernel))
		return;
	plain.symbol = plain.name = none;
	plain.args = NULL;
	plain.hidden = NULL;
	plain.arg_count = plain.hidden_count = 0;
	data = pack_kernel(&plain, &size);
	twin = data ? malloc(sizeof(*twin) + key->size + size) : NULL;
	if (twin)
		twin->begins = malloc(begin_words(key) * sizeof(*twin->begins));
	if (twin && twin->begins) {
		twin->key_size = key->size;
		twin->size = size;
		twin->hash = hash_of(key);
		twin->incomplete_pc = kernel->incomplete ? flow->incomplete_pc : 0;
		twin->first = key->first;
		twin->arch = key->arch;
		twin->decoded = hash_function(key, flow->kernel, twin->begins);
		memcpy(twin->bytes, key->bytes, key->size);
		memcpy(twin->bytes + key->size, data, size);
		bytes = key->size + size + begin_words(key) * sizeof(*twin->begins);
		pthread_mutex_lock(&lock);
		if (kept + bytes > BYTES_MAX || count >= SLOTS / 2)
			forget();
		place = place_of(key, twin->hash);
		if (!*place) {
			*place = twin;
			kept += bytes;
			count++;
			twin = NULL;
		}
		pthread_mutex_unlock(&lock);
	}
	twin_free(twin);
	free(data);
}
